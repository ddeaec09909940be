/* The engine: one thread that drains the rings in time order, turns events into
 * facts, keeps the model and answers requests with frames. No lock is shared
 * between collecting, analyzing and drawing: requests and frames change hands by
 * atomic exchange, commands go through a queue and are never dropped. */
#ifndef SRC_ENGINE_ENGINE_H
#define SRC_ENGINE_ENGINE_H

#include "src/collect/collector.h"
#include "src/frame/frame.h"
#include "src/os/os.h"
#include "src/symbol/download_options.h"

struct engine;
struct model_rundown;
struct provider_count;

struct engine_options {
    struct collector *const *collectors; /* started; must outlive the engine */
    size_t collector_count;
    struct os_wakeup *frame_wakeup; /* rung when a frame is ready; may be NULL */
    int64_t interval_ns;         /* refresh interval, 1 s by default */
    int64_t origin_ns;           /* an instant at which an interval begins; 0: the first event's */
    size_t facts;                /* facts kept; 0 = default */
    bool has_symbols;            /* frames of stacks get names … */
    const char *symbol_path;     /* … from here, too; see src/symbol/store.h; may be NULL */
    struct symbol_downloads downloads; /* … and from servers */
    const char *const *triggers; /* set from the first event on, in slots 0 …; may be NULL */
    size_t trigger_count;        /* at most TRIGGERS_MAX */
    int64_t wait_ns;             /* W: how long the merge waits for a slow source */
    int64_t names_ns;            /* how long the first frame of a live source waits for names of
                                  * what was there before, at most; 0 = 900 ms */
    const struct request *only; /* all requests will be this one, but for rows and their order: what
                                 * it does not need is not counted. Must outlive the engine; NULL =
                                 * any may come */
    const char *const *spans;   /* src/engine/span.h; may be NULL */
    size_t span_count;          /* at most SPANS_MOST */
};

struct engine *engine_start(const struct engine_options *o, struct err *err);
void engine_stop(struct engine *e); /* ui thread; collectors are stopped first by their owner */

/* The requests that count from now on: one per view, at most VIEWS_MAX, answered in this order.
 * Views without one are closed; a view whose request has the same sequence number as before goes
 * on. Copies them. Latest wins, as a whole. ui thread. */
void engine_request_all(struct engine *e, const struct request *r, unsigned count);

/* The same of one. */
void engine_request(struct engine *e, const struct request *r);

/* Beside the screen one more view can be asked in, from one other thread, which waits for its
 * frames by engine_wait_view(). The views of the screen come first, and nothing is switched on for
 * it. NULL closes it: then nothing of its request is referred to any more. */
enum { VIEW_ASIDE = VIEWS_MAX };
void engine_request_aside(struct engine *e, const struct request *r);

/* The newest frame of some view of the screen since it was taken last, or NULL. The caller frees
 * it. ui thread. */
struct frame *engine_take_frame(struct engine *e);

/* Waits for the view's frame that answers `sequence` (headless, exports); NULL on time-out.
 * If `settled`, also waits until every collector is finished and the scan is done. */
struct frame *engine_wait_view(struct engine *e, unsigned view, uint64_t sequence, bool settled,
                               int64_t timeout_ns);

/* The same of view 0. */
struct frame *engine_wait_frame(struct engine *e, uint64_t sequence, bool settled,
                                int64_t timeout_ns);

enum command_kind {
    COMMAND_RESET,
    COMMAND_MARK,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_INTERVAL,
    COMMAND_SPEED,
    COMMAND_RULE,    /* number: below RULES_MAX; text: a filter, "" takes it away */
    COMMAND_CAPTURE, /* text: src/collect/capture.h, "" stores everything */
    COMMAND_WATCH, /* text: src/collect/watch_request.h, what a reader of a recorder needs as well;
                    * it stays on for WATCH_STAYS_S (src/engine/watch.h) */
    COMMAND_BASE,  /* text: the same, what is watched in any case, in place of what was */
    COMMAND_TRIGGER, /* number: its slot, below TRIGGERS_MAX; text: src/engine/trigger.h, "" takes
                      * it away */
};
struct command {
    enum command_kind kind;
    double number;
    char text[4096]; /* of marks: a line of src/event/mark.h */
};
/* Queued, never dropped. Any one thread (the ui). */
void engine_command(struct engine *e, const struct command *c);

/* What was alive in this collector at *at_ns, as records (src/model/rundown.h). 0 = now; *at_ns is
 * set to that time then. Waits while the engine makes it between other work. Any thread but the
 * engine's; NULL when the engine ends. The caller frees it. */
struct model_rundown *engine_rundown(struct engine *e, unsigned collector, int64_t *at_ns,
                                     bool is_end);

/* How many events of each provider there were, and when (src/model/provider_count.h). Waits while the
 * engine counts them between other work. Any thread but the engine's; NULL when the engine ends. The
 * caller frees them. */
struct provider_count *engine_providers(struct engine *e, size_t *count);

/* Where the marks are: a ring whose times count ns since 1970. */
struct ring *engine_marks(struct engine *e);

/* Loss and progress totals now, for exit status and summaries. Any thread. */
struct engine_figures {
    uint64_t events, facts, late, unmatched_stacks, undecoded;
    struct frame_loss loss;
    struct frame_bounds bounds;
};
struct engine_figures engine_figures(const struct engine *e);

/* What the collector and its hot ring have lost until now, onto a sum. Any thread. */
void engine_add_loss(struct frame_loss *sum, const struct collector *c);

#endif
