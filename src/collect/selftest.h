/* What `tracetop selftest` finds out, check by check, and how it is decided whether the events of a
 * stimulus (src/os/stimulus.h) came. A check is "seen" only where an event came that the stimulus
 * itself has caused: by its process, its thread where the kind says so, and not before it began. */
#ifndef SRC_COLLECT_SELFTEST_H
#define SRC_COLLECT_SELFTEST_H

#include "src/base/err.h"
#include "src/event/attribution.h"
#include "src/os/stimulus.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum check_state {
    CHECK_MEASURED, /* figures alone: nothing was expected */
    CHECK_SEEN,     /* what was expected came */
    CHECK_NOT_SEEN, /* what was expected did not come, or not all of it */
    CHECK_REFUSED,  /* the system or its settings do not permit it */
    CHECK_FAILED,   /* a call failed, or the stimulus itself */
    CHECK_SKIPPED,  /* this system does not have it */
    CHECK_STATES,
};

extern const char *const check_state_names[CHECK_STATES]; /* "measured", "seen" … */

enum { CHECK_FIGURES = 12 };

struct check {
    const char *probe; /* the row of the table of probes that it is of */
    char subject[96];
    enum check_state state;
    char why[320]; /* a sentence; may be empty */
    struct check_figure {
        const char *name, *unit; /* static; unit "" = a count */
        int64_t value;
    } figures[CHECK_FIGURES];
    unsigned figure_count;
};

struct check check_new(const char *probe, enum check_state state, const char *subject, ...)
    PRINTF_LIKE(3, 4);
void check_because(struct check *c, const char *format, ...) PRINTF_LIKE(2, 3);
void check_figure(struct check *c, const char *name, const char *unit, int64_t value);

/* Who takes the checks; `stop` becomes true where the user ends it. One thread. */
struct check_taker {
    void (*put)(void *to, const struct check *c);
    void *to;
    const _Atomic bool *stop;
    const char
        *cassette; /* file for what a session's reader was given (src/etl/cassette.h); NULL: none */
};

/* A probe: what is tried, by which function. Tables of them end with a row without a name. */
struct selftest_probe {
    const char *name, *needs; /* rights */
    void (*run)(const struct selftest_probe *p, const struct check_taker *t);
};

/* ---- stimuli and their events ---------------------------------------------------------------- */

/* By enum stimulus: its name, the class of facts that its events are, and by whom. */
struct selftest_stimulus {
    const char *name;
    uint8_t class;   /* enum fact_class */
    bool by_process; /* its events may come from other threads of the process */
    bool by_child;   /* they are about the process that was started */
};
extern const struct selftest_stimulus selftest_stimuli[STIMULI];

enum { WATCH_KEPT = 2048 };

/* Events of one class while a stimulus runs. One thread puts; read after it has ended, but `own`.
 */
struct selftest_watch {
    enum stimulus stimulus;
    struct stimulus_ids self;   /* .pid and .tid before the first event */
    _Atomic int64_t since;      /* raw time of the events' clock: earlier ones are not its own */
    struct attribution *owners; /* of the caller; learns */
    uint64_t all, of_class, others, rundown, stacks, before, unkept;
    _Atomic unsigned count; /* of kept */
    unsigned stack_count;
    struct {
        uint32_t pid, tid;
        int64_t ts, arrival;
    } kept[WATCH_KEPT];           /* of the class, that may be its own */
    int64_t stack_ts[WATCH_KEPT]; /* times of the events that stacks of this process are of */
};

/* Takes note of an event of any kind. `e` is good for the call only. */
void selftest_watch_put(struct selftest_watch *w, const struct event *e);

/* After the last event. */
struct selftest_seen {
    uint64_t own, with_stack;
    int64_t first_ts;      /* raw; of the earliest of its own */
    int64_t first_arrival; /* os_now(); 0: none came */
};
struct selftest_seen selftest_watch_seen(const struct selftest_watch *w,
                                         const struct stimulus_ids *ids);

/* Fills state, sentence and figures from what was seen, of a stimulus that ran. */
void selftest_conclude(struct check *c, const struct selftest_watch *w,
                       const struct selftest_seen *seen);

#endif
