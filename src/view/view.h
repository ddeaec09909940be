/* The view: from a request to a frame. It looks at a dataset (facts and the panes'
 * tables), either the live one or a frozen copy. What must be scanned is scanned in
 * slices, so that the engine stays answerable. Engine thread only. */
#ifndef SRC_VIEW_VIEW_H
#define SRC_VIEW_VIEW_H

#include "src/collect/collector.h"
#include "src/filter/fact.h"
#include "src/frame/maker.h"
#include "src/ring/window.h"
#include "src/symbol/site.h"
#include "src/table/column_availability.h"
#include "src/table/row_order.h"
#include "src/view/dataset.h"
#include "src/view/stack_path.h"

/* Numbers of facts that pass, oldest first. */
struct event_index {
    uint64_t *numbers;
    size_t first, end, room; /* numbers[first … end) are kept */
    uint64_t hidden;         /* that the crumbs let through and the filter did not */
};

/* What the machine as a whole did in the range asked for: ns and bytes. */
struct machine_sums {
    uint64_t run, idle_run;         /* context switches */
    uint64_t sampled, idle_sampled; /* samples */
    uint64_t read, written;         /* disks */
};

struct item; /* a row with its sort value (view_table.c) */

/* When losses were noticed; oldest first. */
enum { LOSS_NOTES = 256 };
struct losses {
    struct loss_note {
        int64_t time; /* newest event then */
        uint64_t count;
    } notes[LOSS_NOTES];
    unsigned count;
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

/* The answer to the request with this number, which row is the next one found; 0: there is none. */
struct sought {
    uint64_t sequence;
    bool has_found;
    struct row_key found;
    uint64_t count, at; /* of those found; which of them it is, 0 where that is not known */
};

struct view {
    const struct model *model;
    struct collector *const *collectors;
    size_t collector_count;
    struct ring *control;             /* of marks: its facts say ring number collector_count */
    struct dataset *live;
    /* The one that there is, made when it is wanted; shared by all views of an engine. NULL: this
     * view is never frozen. */
    struct frozen_snapshot **frozen_snapshot;
    bool is_frozen;           /* it holds *frozen_snapshot */
    bool is_losing, has_lost; /* just now, ever: then sums are incomplete and say so */
    bool is_finished; /* nothing more will come: the whole says more than its last interval */
    bool can_reread;  /* … and all that came can be read again */
    int64_t interval_ns;

    struct request request;
    bool has_request;
    struct filter filter;
    struct filter_error filter_error; /* of a filter that could not be read; text "" = none */
    uint64_t filter_ops[FACT_CLASSES]; /* facts that may pass it: bit per operation */
    uint64_t filter_lacking[FACT_CLASSES]; /* that lack what it asks for; likewise */
    uint64_t scan_ops[FACT_CLASSES];   /* that the scan looks at; likewise */
    uint32_t filter_serial;    /* numbers filter and state of names, for table_row.match */
    uint64_t filter_names;     /* model's late_names it stands for */
    bool shares_match_cache; /* another view asks otherwise about the same rows, and forgets them */
    int64_t match_until; /* os_now(): rows without a cached_match then wait for the next frame */
    unsigned matched;
    bool has_unjudged;
    struct item *items;        /* room kept from frame to frame */
    size_t item_room;
    struct row_order row_order;                     /* while the request locks the order */
    struct column_availability column_availability; /* what the recording can fill columns with */
    struct row_times times, base_times; /* of the last context, and of what it is compared with */

    /* The scan behind a narrowed table or a filtered list of events. */
    bool is_scanning;          /* there is one */
    bool scans_simply;         /* neither crumbs nor a picture say what counts */
    struct table narrowed;
    bool has_narrowed;
    struct table base;         /* of differences: what the range is compared with */
    bool has_base;
    const struct losses *losses; /* the engine's; NULL: none are told */
    struct finder *finder;     /* src/view/find.h */
    struct tag_rule *tag_rule; /* src/view/predicate.h */
    struct sought sought;
    struct changes *changes, *last_changes; /* what changed (src/view/changes.h); or NULL */
    struct table_fact waiting[TABLE_BATCH]; /* for it; none from turn to turn */
    unsigned waiting_count;
    struct machine_sums machine; /* of a range */
    struct folder *folders[CRUMBS_MAX]; /* what is below crumbs that are folders (folder.c) */
    struct frame_filter
        *frame_filters[CRUMBS_MAX]; /* what goes through crumbs that are frames (stacks.c) */
    struct kept_tree *kept_tree; /* of rows, for the next frame (tree.c) */
    struct tree *tree;         /* of call trees; NULL until one was asked for */
    struct tree *last_tree;    /* shown until the one that is scanned anew is whole; or NULL */
    struct chart_scan *chart;  /* NULL: none was asked for that takes a scan */
    struct chart_scan *last_chart; /* shown until the one that is scanned anew is whole; or NULL */
    struct tree_rows *tree_rows; /* room kept from frame to frame */
    struct shown_frames *shown_frames; /* frames known again under other names (frame_filter.c) */
    struct sites sites;        /* what addresses mean */
    struct event_index index;
    uint64_t scan_next, slice_next; /* numbers to look at next */
    bool wants_reread;         /* the scan is about facts that are kept no more … */
    const struct reread *reread; /* … and is given these; NULL: it waits for them, or needs none */
    const struct reread
        *scanned;              /* the same while it scans; frames are made of the view's dataset */
    bool is_whole;             /* it has looked at all of them */
    int64_t scan_from;         /* time of the first fact that it could look at */
    uint64_t scan_attributions, scan_names, scan_stacks, scan_images, scan_symbols;
    int64_t scan_started;      /* os_now() */
    struct match_cache *match_cache; /* of the filter, on names */
    struct view_cache *cache;  /* room for a record */
    struct fact_callbacks callbacks;      /* what the filter asks beside facts … */
    struct fact_callbacks side_callbacks; /* … and what other filters do */
    uint64_t unread, unread_at; /* facts whose records it asked for, and which are gone; the last */
    uint8_t unread_ring;
    struct gaps
        *gaps; /* … of it, distances between them; NULL: nobody asked (filter_callbacks.c) */
    struct wheres *wheres;     /* filters of panes that have their own; NULL until one is needed */
    struct rules *rules;       /* what is to stand out; not owned, NULL = nothing */
};

void view_init(struct view *v);

/* The ring that fact.ring names. */
struct ring *view_ring(const struct view *v, size_t index);
void view_fini(struct view *v);

/* A new request: keeps what it can of the running scan. */
void view_ask(struct view *v, const struct request *r);

/* Scans until `deadline` (os_now()); true when there was something to do. */
bool view_work(struct view *v, int64_t deadline);

/* Nothing more will come; `can_reread`: what came can be read again. */
void view_end(struct view *v, bool can_reread);

/* A view that wants the recording to be read again is given it from its first event on; or is told
 * that this cannot be. */
void view_start_reread(struct view *v, const struct reread *r);
void view_refuse_reread(struct view *v);

/* Goes on copying what a freeze keeps; true when there was something to do. */
bool frozen_snapshot_keep(struct frozen_snapshot *s, int64_t deadline); /* NULL is fine */

/* Nothing left to scan: the frame is complete as of the facts there are. */
bool view_is_complete(const struct view *v);

/* There is more to scan or to match, which goes on by itself. */
bool view_is_partial(const struct view *v);

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
