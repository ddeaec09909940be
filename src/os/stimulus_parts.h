/* What activity of both systems has in common: how much of it there is, and what needs no more than
 * src/os/os.h. Any thread. */
#ifndef SRC_OS_STIMULUS_PARTS_H
#define SRC_OS_STIMULUS_PARTS_H

#include "src/os/stimulus.h"

enum { PAGE = 4096, PAGES = 2048, BLOCK = 1 << 20, STREAM = 64 << 10, SLEEPS = 20, CALLS = 1000 };

#define STIMULUS_SLEEP_NS INT64_C(1000000)
#define STIMULUS_WORK_NS INT64_C(200000000)

bool stimulus_sleep(struct stimulus_ids *ids, struct err *err);
bool stimulus_calculate(struct stimulus_ids *ids, struct err *err);

#endif
