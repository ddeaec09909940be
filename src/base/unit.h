/* Numbers as people write them: with units, in one place for options, commands
 * and filters. The whole text must be used up; a unit is optional where a plain
 * number has an obvious meaning (bytes, seconds). */
#ifndef SRC_BASE_UNIT_H
#define SRC_BASE_UNIT_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* "42", "0x2a". */
bool unit_count(const char *text, uint64_t *out, struct err *err);

/* "500ms", "1.5s", "2" (seconds) to ns; units ns us ms s m h. */
bool unit_time(const char *text, int64_t *ns, struct err *err);

/* "64M", "1.5GiB", "4096" to bytes; K M G T and KiB … are powers of 1024, KB … of 1000. */
bool unit_size(const char *text, uint64_t *bytes, struct err *err);
bool unit_real(const char *text, double *out, struct err *err); /* of sizes' units, not rounded */

/* "5%", "0.1" (percent) to percent. */
bool unit_percent(const char *text, double *percent, struct err *err);

/* "2026-05-17T10:20:30Z", with or without a fraction, to ns since 1970 UTC. */
bool unit_instant(const char *text, int64_t *ns, struct err *err);

#endif
