/* What the files of attribution share. */
#ifndef SRC_EVENT_ATTRIBUTION_INSIDE_H
#define SRC_EVENT_ATTRIBUTION_INSIDE_H

#include "src/base/hash_index.h"
#include "src/event/attribution.h"
#include "src/event/decode.h"
#include "src/event/recent_marks.h"
#include "src/event/schema.h"

#include <string.h>

enum domain { DOMAIN_THREAD, DOMAIN_PROCESS };

/* The marks of one key. */
struct mark_run {
    uint32_t first, count; /* count 0 = free slot */
};

/* A FileIo request under way: who started it. */
struct file_request {
    uint64_t irp;
    uint32_t tid;
};

enum { SOURCES = MARK_SOURCES, REQUESTS = 4096 };

/* One pass: what takes the place of sorted marks. */
struct recent {
    struct recent_marks marks;
    int64_t asked[SOURCES]; /* the latest time that was asked about */
    int64_t gone[SOURCES];  /* and what it was at the last sweep */
    uint32_t names_limit;   /* when names are to be swept */
};

struct attribution {
    struct mark *marks;
    uint32_t mark_count, mark_room;
    struct mark_run *runs;
    uint32_t run_mask;
    char *names; /* NUL-terminated, each once; the first byte is the empty one */
    uint32_t names_used, names_room;
    struct hash_index name_index; /* of offsets into names */
    struct schemas *schemas;      /* of Kernel-Process; NULL: none was wanted yet */
    uint64_t forgotten;
    struct recent *recent; /* NULL: two passes */
    bool is_linux[SOURCES];
    uint32_t *running[SOURCES]; /* thread by processor, EVENT_NO_ID where unknown */
    uint32_t running_count[SOURCES];
    struct file_request requests[REQUESTS];
};

static inline uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

bool attribution_is_of_kernel_process(const struct event *e);
/* Events of a process may come before its start is logged: then it is the first that is known. */
const char *attribution_name_at(const struct attribution *a, unsigned source, uint32_t pid,
                                int64_t ts);
/* The process that a thread belonged to at that time, or EVENT_NO_ID. */
uint32_t attribution_process(const struct attribution *a, unsigned source, uint32_t tid,
                             int64_t ts);

#endif
