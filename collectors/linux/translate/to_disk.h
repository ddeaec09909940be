/* What the disk domain counted: for tests and for what is said about loss. */
#ifndef COLLECTORS_LINUX_TRANSLATE_TO_DISK_H
#define COLLECTORS_LINUX_TRANSLATE_TO_DISK_H

#include <stdint.h>

struct translator;

struct disk_figures {
    uint64_t issued, completed;
    uint64_t requeued;    /* issues that went on with a request given back */
    uint64_t partial;     /* completions of a part */
    uint64_t strays;      /* completions whose issue was not seen */
    uint64_t unseen;      /* requests whose completion was not */
    uint64_t pushed_out;  /* of those, for want of room */
    uint64_t outstanding; /* now */
};

struct disk_figures disk_figures(const struct translator *t);

#endif
