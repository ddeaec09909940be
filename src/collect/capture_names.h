/* Inside the capture filter: what the names of processes decide (proc=…). A name is learned from
 * records that contain it (starts, rundowns, ends; of Linux: exec, rename), and the filter's terms
 * are matched against it then, once. An event is matched by the name its process had at that
 * moment.
 *
 * A process is remembered by its id until another one needs its place; ended ones go first. For a
 * process without a name yet names_find() finds nothing, and the filter decides. */
#ifndef SRC_COLLECT_CAPTURE_NAMES_H
#define SRC_COLLECT_CAPTURE_NAMES_H

#include "src/event/event.h"
#include "src/filter/filter.h"

enum { CAPTURE_NAMES = 1 << 14 };

struct capture_names {
    uint64_t terms; /* of the filter, that are about names; 0: nothing is learned */
    struct filter_found idle, unknown; /* of process 0, and of what is nobody's */
    struct capture_name {
        uint32_t pid;
        uint8_t source;
        bool is_known, has_ended;
        struct filter_found found;
    } at[CAPTURE_NAMES];
};

void names_init(struct capture_names *n, const struct filter *f);
void names_learn(struct capture_names *n, const struct filter *f, uint8_t source, uint32_t pid,
                 const char *name);

/* Learns the name in a record, if it has one. */
void names_learn_kernel(struct capture_names *n, const struct filter *f, const struct event *e);
void names_learn_tracetop(struct capture_names *n, const struct filter *f, const struct event *e);

/* NULL: not known yet. EVENT_NO_ID: nobody's. */
const struct filter_found *names_find(const struct capture_names *n, uint8_t source, uint32_t pid);

#endif
