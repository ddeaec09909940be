/* How stacks are shown: their metric, the shape of the tree, and the frames that are folded, kept
 * and left out. A part of every request; zeroed, it is the call tree of all events. */
#ifndef SRC_FRAME_STACK_LOOK_H
#define SRC_FRAME_STACK_LOOK_H

#include "src/base/err.h"
#include "src/collect/watch_request.h"
#include "src/table/pane.h"

enum stack_metric {
    METRIC_OPERATIONS, /* events of any kind, each once */
    METRIC_SAMPLES,
    METRIC_RUNNING, /* ns that samples stand for */
    METRIC_WAITING, /* ns off the processor, by the stack that waited */
    METRIC_WAKING,  /* the same ns, by the stack that ended the wait */
    METRIC_READY,   /* ns able to run and not running */
    METRIC_BYTES,   /* of file, disk and network operations */
    METRIC_FAULTS,
    METRIC_ALLOCATIONS, /* bytes of address space */
    METRIC_COUNTED,     /* events of processors' counters, by samples */
    METRIC_IO,          /* ns that disk operations took, by the stack that issued them */
    METRIC_WALL,        /* ns of threads: running by samples, ready and waiting by switches */
    STACK_METRICS,
};

enum stack_shape {
    STACK_CALLEES, /* from the outermost frame inwards */
    STACK_CALLERS, /* from the innermost one outwards */
    STACK_FLAT,    /* one row per frame, however it was reached */
    STACK_BOTH,    /* what calls one frame, and what it calls */
    STACK_SHAPES,
};

enum stack_fold {
    FOLD_NO_FRAMES,
    FOLD_RECURSION, /* a function that comes back in a stack counts where it came first */
    FOLD_MODULES,   /* neighbors of one module are one frame */
    FOLD_PROCESSES, /* nothing is folded; stacks begin with their process */
    STACK_FOLDS,
};

/* A frame, by the key of any row that showed it: stacks with it go, or only they stay. */
struct stack_term {
    struct row_key key;
    bool drops;
};

enum { STACK_TERMS = 8, STACK_CUT_OFF_DEFAULT = 50, STACK_CUT_OFF_NONE = -1 };

struct stack_look {
    uint8_t metric, shape, fold; /* enums above */
    bool of_visible;     /* percentages of the shown part; else of all events with a stack */
    bool is_flame;       /* rows for a flame graph: unfolded, the ancestors of `root` first */
    bool is_whole;       /* for exports: nothing folded or cut off, and texts without indentation */
    int16_t cut_off;     /* hundredths of a percent below which rows fold into one; 0 = default */
    struct row_key root; /* flame: only from this frame on; all 0 = everything */
    struct row_key focus; /* BOTH: the frame that it is about */
    struct stack_term terms[STACK_TERMS];
    unsigned term_count;
    uint32_t of; /* live: the classes on when the stacks were requested */
};

struct stack_metric_kind {
    const char *id;    /* of --metric */
    const char *old_id; /* as scripts and saved views from before have it; or NULL */
    const char *title; /* of the column */
    const char *unit;  /* of exports: "count", "ns", "bytes" */
    const char *help;
    uint8_t type;     /* enum value_type */
    uint32_t classes; /* facts that count: bit per enum fact_class */
    /* Live: what has to be watched for it, with stacks; and what that costs, a phrase. */
    struct watch_request request;
    const char *cost;
    bool has_copies; /* where copies of users' stacks are unwound, these are */
};

extern const struct stack_metric_kind stack_metrics[STACK_METRICS];

/* What can be said of a frame when it is looked for: columns of a pane that is never shown, but
 * that filters are read for (src/pane/frames.c). */
enum {
    FRAME_TEXT,
    FRAME_MODULE,
    FRAME_FUNCTION,
    FRAME_KIND,
    FRAME_SAMPLES,
    FRAME_SELF,
    FRAME_TOTAL,
    FRAME_DEPTH,
};
const struct pane *stack_frames_pane(unsigned metric);

/* By id or its unambiguous beginning; STACK_METRICS where there is none. */
enum stack_metric stack_metric_find(const char *id);

/* The same; false with an error that lists all metrics. */
bool stack_metric_read(const char *id, enum stack_metric *out, struct err *err);

/* Two looks that count the same: what differs is only which rows are shown. */
bool stack_look_counts_alike(const struct stack_look *a, const struct stack_look *b);

#endif
