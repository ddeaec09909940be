/* What somebody needs of a live collector: bits of enum fact_class, and which of them with
 * stacks. */
#ifndef SRC_COLLECT_WATCH_WISH_H
#define SRC_COLLECT_WATCH_WISH_H

#include <stdint.h>

struct watch_wish {
    uint32_t classes, stacks;
};

#endif
