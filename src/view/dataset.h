/* The dataset: facts and the panes' tables, either the live ones or a frozen copy that shares what
 * neither has changed since. Engine thread only. */
#ifndef SRC_VIEW_DATASET_H
#define SRC_VIEW_DATASET_H

#include "src/model/gauge_history.h"
#include "src/table/getters.h"
#include "src/view/interval_history.h"

/* What is known by events up to one moment. */
struct dataset {
    struct facts facts;
    struct facts slices;   /* parts of time slices, counted at interval ends;
                            * position = number of the fact they come before */
    struct table *tables;  /* one per pane of the list, root: everything */
    unsigned table_count;
    uint64_t forgotten; /* things that the model had forgotten when dataset_forget() last looked */
    size_t trimmed_bytes; /* dataset_trim() has nothing new to do before the tables grow to this */
    struct gauge_history *gauges;  /* of the machine, by interval; NULL where no table counts */
    struct interval_history *history; /* of the tables; NULL: the source is not live */
    struct dictionary *dictionary; /* of all views; NULL in copies */
    struct dataset_batch *batch; /* facts that the tables have not counted yet */
    uint64_t events;
    int64_t first_ns, newest_ns; /* 0 before the first event */
    int64_t origin_ns;     /* where interval 0 began */
    int64_t reset_ns;      /* totals count from here */
    uint32_t interval;     /* the running one … */
    int64_t running_ns;    /* … and since when the tables count what the history has not */
    uint64_t interval_events[2]; /* events in the running interval and in the last one */
};

void dataset_init(struct dataset *w, size_t facts);
void dataset_init_facts(struct dataset *w, size_t facts); /* no table counts them */

/* Only this pane will be shown: its table counts, and the one of processes, which has idle time.
 * Before the first fact. */
void dataset_count_only(struct dataset *w, const struct pane *p);
void dataset_fini(struct dataset *w);

/* Counts a fact in every table of its class, now or with others until dataset_flush(). The
 * fact must stay where it is until then. */
void dataset_feed(struct dataset *w, const struct fact *f, uint32_t process);

/* All tables have counted what they were fed. To be called before anybody looks at them,
 * and before an interval ends. */
void dataset_flush(struct dataset *w);

/* Gives memory back until the tables take at most so many bytes, or no idle row is left to shrink
 * or fold. Where they take far more, rows in use are folded as well. */
void dataset_trim(struct dataset *w, size_t bytes);

/* Folds rows of what the model has forgotten into the others, if it has forgotten enough since the
 * last call that did. */
void dataset_forget(struct dataset *w, const struct model *m);

/* What the running interval has counted, up to and without `to`, is about to become the past: keeps
 * it where there is a history. */
void dataset_keep_running(struct dataset *w, const struct model *m, int64_t to);

/* Sum of a root table's measure over the context's span; panes and measures by id. */
uint64_t dataset_sum(const struct dataset *w, const struct row_context *x, const char *pane,
                     const char *measure);

/* The dataset as it is now, read-only; dataset_fini() it. Rows and facts are shared until
 * either side changes them. */
struct dataset dataset_freeze(struct dataset *w);

unsigned pane_count(void);
unsigned pane_index(const struct pane *p);

/* What idle processes have of a measure of the processes pane, over the context's span. */
uint64_t view_idle_sum(const struct dataset *w, const struct model *m, const struct row_context *x,
                       const char *measure);

#endif
