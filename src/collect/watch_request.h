/* What somebody needs of a live collector: bits of enum fact_class, and which of them with
 * stacks. */
#ifndef SRC_COLLECT_WATCH_REQUEST_H
#define SRC_COLLECT_WATCH_REQUEST_H

#include <stdint.h>

struct watch_request {
    uint32_t classes, stacks;
};

#endif
