/* How a finding of `tracetop doctor` is put together. */
#ifndef SRC_COLLECT_DIAGNOSTIC_H
#define SRC_COLLECT_DIAGNOSTIC_H

#include "src/base/err.h"
#include "src/collect/collector.h"

/* A finding without a reason or advice, and not bad. */
struct finding finding(const char *subject, const char *state);

/* Its reason, and what to do about it; text beyond their room is cut. */
void finding_because(struct finding *f, const char *format, ...) PRINTF_LIKE(2, 3);
void finding_advise(struct finding *f, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
