/* What the files of the engine share; nobody else includes it. engine.c has the thread and
 * the ui's side, merge.c brings the events in, figures.c measures the engine and makes frames,
 * orders.c does what the ui asks for, watch_requests.c asks collectors. All but what engine.h
 * declares runs on the engine's thread. */
#ifndef SRC_ENGINE_INSIDE_H
#define SRC_ENGINE_INSIDE_H

#include "src/engine/engine.h"
#include "src/engine/rundown_order.h"
#include "src/engine/span.h"
#include "src/engine/timeline.h"
#include "src/engine/watch.h"
#include "src/os/priority_boost.h"
#include "src/symbol/symbol.h"
#include "src/view/view.h"

enum { FRAME_BOUNDS = sizeof(struct frame_bounds) / sizeof(uint64_t) };

static const int64_t MS = 1000000;
static const int64_t SCAN_NS = 3 * 1000000; /* of a retroactive scan, then events again */

struct engine_trigger;
struct queued; /* a command on its way to the engine */

/* The merge's view of one hot ring. */
struct merge_input {
    struct ring *ring;
    struct collector *collector;
    const struct record_head *head; /* next record, or NULL */
    uint64_t position;
    int64_t time;     /* of `head`, ns since 1970 */
    int64_t complete; /* without a next record: nothing older than this is still to come */
    unsigned sources; /* of the collector, known to be complete */
    uint32_t active;  /* classes that the collector had on when last asked */
};

struct shared_figures {
    _Atomic uint64_t events, facts, late, unmatched, undecoded;
    _Atomic int64_t newest_ns;             /* what a mark is given as its time where none is live */
    _Atomic uint64_t bounds[FRAME_BOUNDS]; /* struct frame_bounds, member by member */
};

/* The views of the screen, and the one beside them. */
enum { ENGINE_VIEWS = VIEW_ASIDE + 1 };

/* The requests of all panes on the screen. A newer set replaces one that was not taken yet. */
struct request_set {
    unsigned count;
    struct request of[VIEWS_MAX];
};

/* One pane of the screen, and when it had its last frame. */
struct viewport {
    struct view *view;
    struct rules *rules;   /* of rows that it highlights */
    bool is_due;           /* something happened that a frame should show now */
    int64_t last_frame;    /* os_now(); 0: as soon as may be */
    int64_t frame_ns;      /* that it took to make */
    uint64_t shown_events; /* dataset.events in the last frame */
    uint32_t shown_interval;
    bool shown_partial;
};

struct engine {
    struct engine_options options;
    struct collector **collectors;
    struct merge_input *merge_inputs; /* one per collector, and behind them the control ring's */
    struct collector *control; /* no collector runs: its ring and its clock are what counts */
    struct model model;
    struct dataset dataset;
    struct viewport viewports[ENGINE_VIEWS];
    uint8_t order[ENGINE_VIEWS]; /* in which they are answered; the one beside them comes last */
    struct frozen_snapshot *frozen_snapshot; /* what frozen ones look at, or NULL */
    struct losses losses;
    struct timeline *timeline; /* for the time strip; NULL: nobody asks for it */
    struct symbols *symbols; /* NULL: none are wanted */
    bool is_done;            /* every collector finished and everything was drained */
    void *held;              /* of the one collector: what can be read again; or NULL */
    bool is_unlike;          /* … would not give the same facts: something was changed on the way */
    struct rereading *rereading; /* what is read again, for views; or NULL */

    int64_t newest_released; /* time of the last event in merge order */
    int64_t waiting_since;   /* os_now() when the merge began to wait; 0 = it does not */
    uint64_t late, undecoded;
    uint32_t late_classes; /* of what was late: bits of enum fact_class */
    uint64_t given_back;   /* dataset.events when the heap was trimmed last … */
    int64_t gave_back;     /* … at os_now() */
    uint32_t active;       /* classes that live collectors had on at the last check */
    bool wanted_stacks; /* of some live collector, once at least */
    bool has_begun; /* live: something happened, and not only was there */
    int64_t happened_ns; /* in the first interval: the last event; state may be later */

    int64_t began;   /* os_now() */
    bool is_naming;  /* the first frame waits for names */
    unsigned quiet_turns;  /* in a row without work */
    int64_t pause_ns;      /* live: the last sleep; 0: none yet */
    uint64_t pause_events; /* dataset.events before it */
    bool has_only_log;     /* nothing but what describes the log has come */
    unsigned behind;       /* events in a row that stand far behind the newest */

    int64_t frozen_since; /* os_now(); 0 = nothing is frozen */

    int64_t last_frame; /* os_now(), of any view; 0: none yet */

    /* When the figures were last measured. */
    int64_t last_figures, last_cpu;
    double self_percent, ring_s;
    struct frame_loss loss;
    uint64_t lost_before; /* events, by the end of the last interval */
    struct frame_footprint footprint;
    bool has_left_out; /* a capture filter has: sums are less than what happened */

    struct engine_trigger *triggers[TRIGGERS_MAX]; /* NULL: the slot is free */
    uint32_t trigger_settings[TRIGGERS_MAX];       /* how often it was set or freed */
    uint32_t filter_serials[TRIGGERS_MAX + ENGINE_VIEWS]; /* last ones of views that were closed */

    struct watch watch; /* what live collectors are asked for */
    struct priority_boost priority_boost;
    _Atomic bool is_pushed; /* whoever asked has put us ahead */

    _Atomic(struct request_set *) request;
    _Atomic(struct frame *) frames[ENGINE_VIEWS];
    _Atomic(struct request *) aside; /* for the view beside the screen; without a pane: close it */
    _Atomic bool has_aside;          /* that view is open, or a request for it waits */
    _Atomic(struct queued *) commands;
    struct rundown_orders rundowns;
    struct span_set *spans; /* NULL: none are followed */
    _Atomic bool stop;
    struct shared_figures figures;
    int64_t last_mark;      /* its time; who gives commands has it */
    struct os_wakeup *wake; /* for the engine */
    struct os_wakeup *answer; /* for engine_wait_frame() */
    struct os_thread *thread;
};

/* Is one of the sources live? */
static inline bool engine_is_any_live(const struct engine *e)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        if (collector_is_live(e->collectors[i]))
            return true;
    return false;
}

/* Somebody waits for an answer. */
static inline bool engine_is_asked(const struct engine *e)
{
    return atomic_load_explicit(&e->request, memory_order_relaxed) != NULL;
}

/* Something happened that all views should show. */
static inline void engine_is_due(struct engine *e)
{
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        e->viewports[i].is_due = true;
}

static inline bool engine_shows_partial(const struct engine *e)
{
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        if (e->viewports[i].shown_partial)
            return true;
    return false;
}

/* ---- new.c ---------------------------------------------------------------------- */

/* An engine that has no thread and no views yet, over collectors that run: of facts alone where no
 * table is to count them. NULL: there is no memory for it. */
struct engine *engine_new(const struct engine_options *o, bool has_tables, struct err *err);
void engine_free(struct engine *e);

/* ---- view.c --------------------------------------------------------------------- */

/* A view that nobody has asked anything of, and one that nobody wants any more. */
void engine_open_view(struct engine *e, unsigned i);
void engine_close_view(struct engine *e, unsigned i);

/* ---- merge.c -------------------------------------------------------------------- */

/* The first interval of a live source, while it runs: counts the time slices on processors up to
 * now. */
void engine_count_slices(struct engine *e);
/* Counts the time slices that go on up to the newest event, so that their time before a reset does
 * not count after it. */
void engine_count_until_newest(struct engine *e);

/* So many intervals are over. */
void engine_step(struct engine *e, uint32_t steps);

/* Tells the model of the merge input's sources that came since. */
void merge_input_sources(struct engine *e, struct merge_input *l);

/* Times of damaged records are kept in a range whose differences are numbers, too. */
int64_t merge_input_time(const struct engine *e, const struct merge_input *l,
                         const struct record_head *head);

/* Looks for the merge input's next record. Where there seems to be none, completeness is read and
 * then looked again: everything older than it was put before, so an empty look afterwards is an
 * answer. */
void merge_input_look(struct engine *e, struct merge_input *l);
void merge_input_release(struct merge_input *l);

/* Events until the rings are empty, the time is up or somebody asks; true when there may be
 * more. */
bool engine_drain(struct engine *e);

/* The same: up to so many. */
bool engine_take(struct engine *e, unsigned most);

/* Marks whose time has come: no older event is still to come, as far as that is known. True when
 * there were any. */
bool engine_take_due_marks(struct engine *e);
bool engine_has_marks(const struct engine *e); /* that wait for their time */

bool engine_all_finished(const struct engine *e);

/* A live source that falls silent still lets time pass, or its last rates would
 * stand for ever. */
void engine_pass_silence(struct engine *e);

/* ---- watch_requests.c ------------------------------------------------------------------- */

void engine_follow_requests(struct engine *e,
                            int64_t now); /* asks collectors for what is watched */
/* Tells the model whether stacks may come. */
void engine_expect_stacks(struct engine *e);

/* ---- footprint.c ---------------------------------------------------------------- */

/* What the history of intervals takes at most. */
size_t engine_history_bytes(const struct engine *e);

/* ---- figures.c ------------------------------------------------------------------ */

/* Seconds of history that can still be read back, in the ring with the least. */
double engine_history(const struct engine *e);

void engine_look_at_figures(struct engine *e);            /* the slow ones, now and then */
void engine_publish_figures(struct engine *e);            /* for engine_figures() */

/* A frame is made when something asks for one (a request, the end of a scan or of the
 * trace, a loss that moves), or when the refresh interval is over and there is news. */
bool engine_frame_is_due(const struct engine *e, const struct viewport *l);
/* Its request wants no frame before the answer is whole, and it is not yet. Needs a request. */
bool engine_frame_waits(const struct engine *e, const struct viewport *l);
/* Until the refresh interval is over; INT64_MAX: it is, and there was no news to show, or nobody
 * looks. */
int64_t engine_until_frame(const struct engine *e);
void engine_make_frame(struct engine *e, struct viewport *l);

/* Takes the names that came. */
void engine_take_symbols(struct engine *e);

/* ---- loss.c ---------------------------------------------------------------------- */

struct frame_loss engine_loss(const struct engine *e); /* of all collectors, since the start */

/* ---- gauges.c ------------------------------------------------------------------------ */

/* A fact of the running interval, and its process; the running interval ends, before its number
 * changes. */
void engine_count_gauges(struct engine *e, const struct fact *f, uint32_t process);
void engine_step_gauges(struct engine *e, uint32_t steps);
void engine_fill_gauges(const struct engine *e, const struct view *v, struct frame *f);
/* ---- strip.c --------------------------------------------------------------------- */

/* The time strip, if the view's request wants one. The rest of the frame is filled. */
void engine_fill_strip(const struct engine *e, const struct view *v, struct frame *f);

/* ---- serial.c -------------------------------------------------------------------- */

/* Where the numbers of cached matches begin (0: of view 0; slot + 1: of a trigger), and where they
 * ended in a view that is about to be freed. */
uint32_t engine_first_serial(const struct engine *e, unsigned of);
void engine_keep_serial(struct engine *e, unsigned of, const struct view *v);

/* ---- footprint.c ---------------------------------------------------------------- */

void engine_look_at_footprint(struct engine *e);

/* ---- orders.c ------------------------------------------------------------------- */

/* The request is taken before the commands, and answered after them: so all that were
 * given before it are among them, and its answer shows what they did. True when there were
 * commands or marks; *requested: bit per view with a new request. */
bool engine_take_orders(struct engine *e, unsigned *requested);
void engine_drop_commands(struct engine *e);

/* Goes on with the running scans, by turns, up to so long, but not past the next question; true when
 * there was something to do. */
bool engine_work_for_views(struct engine *e, int64_t ns);

/* What is frozen is copied after what somebody waits for, but not much later: until then
 * it holds the rings. */
bool engine_keep_for_view(struct engine *e);

/* ---- reread.c -------------------------------------------------------------------- */

bool engine_can_reread(const struct engine *e);
/* Begins to read for views that want it, goes on until `deadline` (os_now()) or until views are
 * to look at what came, and ends; true while it reads. */
bool engine_reread(struct engine *e, int64_t deadline);
double engine_reread_progress(const struct engine *e); /* 0 … 1 */
void engine_reread_stop(struct engine *e);

/* ---- triggers.c ------------------------------------------------------------------ */

void engine_set_trigger(struct engine *e, const struct command *c);
void engine_drop_triggers(struct engine *e);

/* An interval has just ended. */
void engine_check_triggers(struct engine *e);

void engine_report_triggers(const struct engine *e, struct frame *f);

#endif
