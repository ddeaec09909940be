/* Inside the rundown: records one behind the other, in memory that grows. */
#ifndef SRC_MODEL_RUNDOWN_APPEND_H
#define SRC_MODEL_RUNDOWN_APPEND_H

#include "src/model/rundown.h"
#include "src/ring/ring.h"

#include <string.h>

void rundown_append(uint8_t **bytes, size_t *used, size_t *room, const struct record_head *head,
                    const void *record);

#endif
