/* How a diagnostic of `tracetop doctor` is put together. */
#ifndef SRC_COLLECT_DIAGNOSTIC_H
#define SRC_COLLECT_DIAGNOSTIC_H

#include "src/base/err.h"
#include "src/collect/collector.h"

/* A diagnostic without a reason or advice, and not bad. */
struct diagnostic diagnostic(const char *subject, const char *state);

/* Its reason, and what to do about it; text beyond their room is cut. */
void diagnostic_because(struct diagnostic *f, const char *format, ...) PRINTF_LIKE(2, 3);
void diagnostic_advise(struct diagnostic *f, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
