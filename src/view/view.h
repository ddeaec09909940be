/* The view: from a request to a frame. It looks at a dataset (facts and the panes'
 * tables), either the live one or a frozen copy. What must be scanned is scanned in
 * slices, so that the engine stays answerable. Engine thread only. */
#ifndef SRC_VIEW_VIEW_H
#define SRC_VIEW_VIEW_H

#include "src/collect/collector.h"
#include "src/frame/maker.h"
#include "src/ring/window.h"
#include "src/view/dataset.h"

/* When losses were noticed; oldest first. */
enum { LOSS_NOTES = 256 };
struct losses {
    struct loss_note {
        int64_t time; /* newest event then */
        uint64_t count;
    } notes[LOSS_NOTES];
    unsigned count;
    bool is_losing, has_lost; /* just now, ever: then sums are incomplete and say so */
};

/* The dataset as it was at one moment, for all views that are frozen: the first one makes it, and
 * the last one takes it away. */
struct frozen_snapshot {
    struct dataset dataset;
    struct window **windows; /* copies of the rings, one per collector and the control ring's */
    unsigned window_count, holders;
};

/* The recording, being read once more from its first event on (src/engine/reread.c): for what is
 * asked about more of it than is kept. Facts get the numbers and the ids that they had at first. */
struct reread {
    const struct dataset
        *dataset;              /* of its facts alone: its tables and its names are never asked */
    const struct model *model; /* the view's, but with stacks that it has forgotten by now */
    struct ring *hot;          /* what has the facts' records */
    uint64_t ready;            /* facts before this one have their stacks, and may be counted */
    bool is_over;              /* and are all that there are */
};

struct view; /* its insides are src/view/'s alone */

/* What a view works with; none of it is the view's own. */
struct view_options {
    const struct model *model;
    struct collector *const *collectors;
    size_t collector_count;
    struct ring *control; /* of marks: its facts have ring number collector_count */
    struct dataset *live;
    struct frozen_snapshot **frozen_snapshot; /* shared by all views of an engine, made when it is
                                               * wanted; NULL: this view is never frozen */
    const struct losses *losses;              /* NULL: none are reported */
    struct rules *rules;                      /* of rows that are highlighted; NULL: none */
    struct symbols *symbols;                  /* NULL: none are wanted */
    int64_t interval_ns;
    uint32_t filter_serial; /* first number of its filters' matches, which rows keep for all views */
    bool is_finished;       /* nothing more will come … */
    bool can_reread;        /* … and all that came can be read again */
};


struct view *view_new(const struct view_options *o);
void view_free(struct view *v); /* NULL is fine */

/* Whether the answer depends on stacks of events. Any thread. */
bool view_needs_stacks(const struct request *r);

/* A new request: keeps what it can of the running scan. */
void view_ask(struct view *v, const struct request *r);

/* The request that it answers; NULL before the first. */
const struct request *view_request(const struct view *v);

/* Does the filter of the request look at events, not at rows alone? */
bool view_filters_events(const struct view *v);

/* Another view has a filter on the same pane: neither relies on what rows keep of its matches. */
void view_share_matches(struct view *v, bool is_shared);
void view_set_interval(struct view *v, int64_t ns);

/* Scans until `deadline` (os_now()); true when there was something to do. */
bool view_work(struct view *v, int64_t deadline);

/* Nothing more will come; `can_reread`: what came can be read again. */
void view_end(struct view *v, bool can_reread);

/* Answers a view that wants the recording to be read again: from its first event on, or not at
 * all. */
void view_start_reread(struct view *v, const struct reread *r);
void view_refuse_reread(struct view *v);
bool view_wants_reread(const struct view *v);

/* Does it read this one? Then its next fact is the first one that it has not scanned. */
bool view_rereads(const struct view *v, const struct reread *r);
uint64_t view_next_fact(const struct view *v);
bool view_is_scanning(const struct view *v);

/* Goes on copying what a freeze keeps; true when there was something to do. */
bool frozen_snapshot_keep(struct frozen_snapshot *s, int64_t deadline); /* NULL is fine */

/* Nothing left to scan: the frame is complete as of the facts there are. */
bool view_is_complete(const struct view *v);

/* The last number of its filters' matches. */
uint32_t view_filter_serial(const struct view *v);

/* Does it count a table of its own, under filters and ranges? And the rows folded into "(others)"
 * there: those of the session's tables are not what it shows. */
bool view_counts_itself(const struct view *v);
uint64_t view_folded(const struct view *v);

/* There is more to scan or to match, which goes on by itself. */
bool view_is_partial(const struct view *v);

/* Some rows of the last frame were not matched for want of time: the next frame goes on. */
bool view_has_unmatched(const struct view *v);

/* Begins a running scan anew (the totals were reset). */
void view_restart(struct view *v);

/* Everything of a frame that comes from the dataset; the caller adds the machine's and
 * the collectors' figures to maker->frame. What rates were divided by comes back. */
struct row_context view_fill(struct view *v, struct frame_maker *maker);

/* Rules: rows that are to stand out, by a filter (row_match.c). A rule is about what a row
 * shows; in lists of events, about the events. */
struct rules *rules_new(void);
void rules_free(struct rules *r); /* NULL is fine */
void rules_set(struct rules *r, unsigned slot, const char *text); /* "" takes it away */

/* Memory of a view's own tables, under filters and ranges, and of its list of events. */
size_t view_bytes(const struct view *v);

/* Memory of what is frozen; NULL: 0. */
size_t frozen_snapshot_bytes(const struct frozen_snapshot *s);

/* Memory of the charts that are being scanned, and of the last whole ones. */
size_t view_chart_bytes(const struct view *v);

/* What a view looks at: the live dataset, or the frozen one. */
const struct dataset *view_dataset(const struct view *v);

#endif
