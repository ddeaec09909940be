/* Inside a view: what its parts (the other files of this folder) have of one another. Whoever asks
 * views and shows their frames needs view.h alone. */
#ifndef SRC_VIEW_INSIDE_H
#define SRC_VIEW_INSIDE_H

#include "src/filter/fact.h"
#include "src/symbol/site.h"
#include "src/table/column_availability.h"
#include "src/table/row_order.h"
#include "src/view/stack_path.h"
#include "src/view/view.h"

/* Numbers of facts that pass, oldest first. */
struct event_index {
    uint64_t *numbers;
    size_t first, end, room; /* numbers[first … end) are kept */
    uint64_t hidden;         /* that the crumbs let through and the filter did not */
};

struct item; /* a row with its sort value (table_order.h) */

/* The answer to the request with this number, which row is the next one found; 0: there is none. */
struct sought {
    uint64_t sequence;
    bool has_found;
    struct row_key found;
    uint64_t count, at; /* of those found; which of them it is, 0 where that is not known */
    double percent;     /* call trees: the share of stacks through any row that was found */
};

/* The event whose details were shown last: what its neighbors are stays known when it is gone. */
struct described {
    bool is_known;
    uint64_t number;
    uint32_t thread;
    uint16_t kind;
};

/* The answer to the request with this number for a neighbor of an event; 0: there is none. */
struct neighboring {
    uint64_t sequence;
    bool has_found, skips, is_unknown;
    struct row_key found;
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
    bool is_finished; /* nothing more will come: the whole says more than its last interval */
    bool can_reread;  /* … and all that came can be read again */
    int64_t interval_ns;

    struct request request;
    bool has_request;
    struct filter filter;
    struct filter_span filter_span;   /* what times in the filter refer to … */
    bool times_are_outside;           /* … and lie outside of, as long as that is so short */
    bool has_times;                   /* it says of which times events are … */
    struct filter_span times, asked;  /* … these, which narrow the range that was asked for */
    uint64_t filter_ops[FACT_CLASSES];     /* facts that may pass it: bit per operation … */
    uint64_t counted_ops[FACT_CLASSES];    /* … and the filter of the pane, too */
    uint64_t filter_lacking[FACT_CLASSES]; /* that lack what it asks for; likewise */
    uint64_t scan_ops[FACT_CLASSES];   /* that the scan looks at; likewise */
    uint32_t filter_serial;    /* numbers filter and state of names, for table_row.match */
    uint64_t filter_names;     /* model's late_names it stands for */
    bool is_folding;           /* exited processes stand in one row */
    bool shares_match_cache; /* another view asks otherwise about the same rows, and forgets them */
    int64_t match_until; /* os_now(): rows without a cached_match then wait for the next frame */
    unsigned matched;
    bool has_unmatched; /* rows of the last frame */
    struct item *items;        /* room kept from frame to frame */
    size_t item_room;
    struct row_order row_order;                     /* while the request locks the order */
    struct column_availability column_availability; /* what the recording can fill columns with */
    struct row_times row_times,
        base_times; /* of the last context, and of what it is compared with */

    /* The scan behind a narrowed table or a filtered list of events. */
    bool is_scanning;          /* there is one */
    bool scans_simply;         /* neither crumbs nor a picture say what counts */
    struct table narrowed;
    bool has_narrowed;
    struct table base;         /* of differences: what the range is compared with */
    bool has_base;
    const struct losses *losses; /* the engine's; NULL: none are reported */
    struct finder *finder;     /* src/view/find.h */
    struct tag_rule *tag_rule; /* src/view/predicate.h */
    struct sought sought;
    unsigned crumbs_passed; /* since the scan began: number + 1 of the last crumb that left an event
                             * of the pane out */
    struct described described;
    struct neighboring neighboring;
    struct changes *changes, *last_changes; /* what changed (src/view/changes.h); or NULL */
    struct table_fact waiting[TABLE_BATCH]; /* for it; none from turn to turn */
    unsigned waiting_count;
    struct machine_sums machine; /* of a range */
    bool is_of_history;          /* the narrowed table was filled from the dataset's history … */
    struct history_span history; /* … with the intervals of this span … */
    unsigned history_parts;      /* … so many of them with others */
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
    bool is_whole;             /* it has scanned all of them */
    int64_t scan_from;         /* time of the first fact that it could look at */
    uint64_t scan_attributions, scan_names, scan_kinds, scan_stacks, scan_images, scan_symbols;
    int64_t scan_begin;        /* the dataset's first time by then */
    bool asks_names;           /* what passes depends on names and processes, which come late */
    int64_t scan_started;      /* os_now() */
    struct match_cache *match_cache; /* of the filter, on names */
    struct view_cache *cache;  /* room for a record */
    struct fact_callbacks callbacks;      /* what the filter asks beside facts … */
    struct fact_callbacks side_callbacks; /* … and what other filters do */
    uint64_t unread, unread_at; /* facts whose records it asked for, and which are gone; the last */
    uint8_t unread_ring;
    struct gaps
        *gaps; /* … of it, distances between them; NULL: nobody asked (filter_callbacks.c) */
    struct value_kinds
        *value_kinds; /* src/view/values.h; NULL until a pane asks for fields of payloads */
    struct wheres *wheres;     /* filters of panes that have their own; NULL until one is needed */
    struct rules *rules;       /* what is to stand out; not owned, NULL = nothing */
};

/* The ring that fact.ring names. */
struct ring *view_ring(const struct view *v, size_t index);

/* The one that is scanned. */
const struct dataset *view_scanned(const struct view *v);

/* Are there facts that the scan is about and could not look at? */
bool view_is_window_only(const struct view *v);
int64_t view_counted_from(const struct view *v); /* time of the first fact that it looks at */

/* What knows the stack: numbers of stacks that are no longer known are not given again. */
static inline const struct model *view_stack_model(const struct view *v, uint32_t stack)
{
    return v->scanned && !generation_at(&v->model->stack_store.stacks, stack) ? v->scanned->model
                                                                         : v->model;
}
static inline bool view_shows(const struct view *v, enum pane_view kind)
{
    return v->request.pane->view == kind;
}

/* Changes with every stack that comes after its event, or that means more than before. */
uint64_t view_stacks_known(const struct view *v);

/* What was learned late can change match_cache on facts that were scanned already. */
bool view_is_outdated(const struct view *v);

/* Do times in the filter mean others now? Before the first event, and while a file is read, nobody
 * knows where it begins and ends. */
bool view_times_moved(const struct view *v);

/* The answer that stays is to have all names that can be had: are some still looked for? */
bool view_waits_for_names(const struct view *v);

/* Is the narrowed table counted interval by interval? In a range only for queries and declared
 * views that have trends. */
static inline bool view_counts_by_interval(const struct view *v)
{
    const struct request *const r = &v->request;
    return !request_has_range(r) || (r->pane->user_view && v->has_narrowed && !v->is_of_history &&
                                     v->narrowed.trend_count > 0 && v->interval_ns > 0);
}

/* Of the source that has most: as its header counts them, or more of them that have run. The
 * numbers of those may have holes (processors that are offline): all are below the second. */
unsigned view_processors(const struct view *v);
unsigned view_processor_numbers(const struct view *v);

/* The scan (scan.c). When it begins: chooses the classes and operations that it can use; most facts
 * are of others. */
void view_choose_facts(struct view *v);

/* Goes on with the facts before `end` that were not scanned yet; true when none are left. */
bool view_scan_facts(struct view *v, uint64_t end, int64_t deadline);

/* Advances the narrowed table to the current interval, once all facts are counted. Needed before
 * each frame: the last intervals may have had no event. */
void view_pass_time(struct view *v);

/* Counts the facts that the scan has collected in `waiting`. */
void view_count_waiting(struct view *v);

/* Is the request about rows of a time of which no facts are kept, but sums (dataset_history.c)?
 * Then they can be had: the narrowed table gets them, and nothing is scanned. */
bool view_reads_history(const struct view *v);
void view_read_history(struct view *v);

/* The range that is shown: as asked for; of the history, that of whole intervals. */
static inline struct history_span view_range(const struct view *v)
{
    const struct history_span asked = {v->request.from_ns, v->request.to_ns};
    return v->is_of_history ? v->history : asked;
}

/* Do all crumbs of the request let the fact through (crumb.c)? */
bool view_fact_passes(struct view *v, const struct fact *f, uint32_t process);

/* The fact as one of the thread that its stack is of: that of a switch is the one's that comes in,
 * that of a wake-up the waker's; where nobody is known there is no stack. */
struct fact view_fact_of_stack(const struct fact *f);

/* The first field of the fact's record that is not empty, as text; false where there is none. */
bool view_event_text(struct view *v, const struct fact *f, char *out, size_t room);

/* What the request wants to know beside the rows, as fields (about.c). */
void view_fill_about(struct view *v, struct frame_maker *maker, struct row_context *x);
void view_fill_seen(const struct view *v, struct frame_maker *maker); /* ABOUT_SEEN */

/* A sentence with the nearest name where no event that was seen has that payload field. */
void view_unknown_payload(const struct view *v, const char *name, char out[FRAME_REMARK]);

/* Does the request hide the row (enum row_hiding)? */
bool view_hides(const struct view *v, struct row_key key);

/* Is it of a process of which only a part was recorded (src/model/watched.h)? It is not shown. */
bool view_is_unwatched(const struct view *v, struct row_key key);

/* Not all rows of the table belong to what is shown: its sums are those of the rows that do. */
bool view_picks_rows(const struct view *v);

/* Does what is shown of the row fit? For filters that look at rows. */
bool view_row_fits(const struct view *v, const struct filter *f, const struct table_row *r,
                   struct row_context *x);
void view_fill_crumbs(struct view *v, struct frame_maker *maker, struct row_context *x);
void view_fill_events(struct view *v, struct frame_maker *maker);

/* The frame of a table (view_table.c); `base` is the context of what it is the difference to,
 * or NULL. */
void view_fill_table(struct view *v, struct frame_maker *maker, struct row_context *x,
                     struct row_context *base);

/* The fact's record, parsed, good until the next one; false when it has been overwritten or never
 * was one. */
bool view_record(struct view *v, const struct fact *f, struct event *out);
struct row_key view_event_key(uint64_t number); /* of a list of events */
void view_callbacks_init(struct view *v);
void view_callbacks_fini(struct view *v);
bool view_is_tagged(const struct view *v, struct row_key key); /* by hand */
bool view_is_tagged_by_rule(const struct view *v, const struct fact *f);

/* Changes when match_cache on names do not hold any more. */
uint64_t view_names(const struct view *v);
struct view_cache *view_cache_new(void);
void view_cache_free(struct view_cache *c);

/* What values of rows are made of: of the table that is shown, of any one of the dataset, of what a
 * range is compared with (context.c). */
struct row_context view_context(struct view *v);
struct row_context view_context_of(struct view *v, const struct dataset *w, const struct table *t);
struct row_context view_base_context(struct view *v, const struct row_context *x);

/* Recorded time (recorded.c): how long what the table counts was recorded between two moments,
 * and how much processor time all samples of that span stand for; `sampled_ns`: by their nominal
 * interval, as far as they were counted. */
void view_times(const struct view *v, const struct dataset *w, const struct table *t, int64_t from,
                int64_t to, uint64_t sampled_ns, struct row_times *out);

/* What the samples in a table that is never emptied stand for, ns: 0 where it counts none. */
uint64_t view_sampled(const struct table *t);

/* Likewise, of the class alone. */
double view_class_seconds(const struct view *v, unsigned class, int64_t from, int64_t to);

/* What of a fact lies in a range: itself, or of a time slice on a processor, which is filed when
 * it ends, a part in `room`. NULL: nothing. */
const struct fact *view_part_in(const struct fact *f, int64_t from, int64_t to, struct fact *room);

/* Does the filter let the row with this key pass? A row that the table has not is one that did
 * nothing. */
bool view_match_key(struct view *v, struct row_key key);

/* Rows as a tree (tree.c): the frame's rows of a table, from the rows that pass. */
void view_tree_drop(struct view *v);
void view_fill_tree(struct view *v, struct frame_maker *maker, struct row_context *x,
                    struct table_row *const *rows, size_t count);

/* Is the fact's file or key below the folder that the crumb is (folder.c)? What was
 * found out is kept until view_folders_clear(). */
bool view_folder_passes(struct view *v, unsigned crumb, const struct fact *f);
void view_folders_clear(struct view *v);
const char *view_folder_name(const struct view *v, unsigned crumb); /* its path, as far as met */

/* How symbols are getting on; all 0 where none are wanted. */
struct symbol_figures view_symbols(const struct view *v);

/* An operation that has a beginning and an end counts once, where the panes count it. */
static inline bool is_other_end(const struct fact *f)
{
    return (f->class == FACT_DISK && f->op == OP_START) || (f->class == FACT_FILE && f->op == OP_END);
}

/* All about the frame of that key, as fields (site.c). */
void view_fill_site(struct view *v, struct frame_maker *maker, struct row_key key);

/* The filter of the pane itself (where.c); NULL: it has none. */
const struct filter *view_pane_filter(struct view *v, const struct pane *p);

/* Does that filter let the fact through? */
bool view_pane_passes(struct view *v, const struct pane *p, const struct fact *f, uint32_t process);
void view_wheres_clear(struct view *v); /* what was found out about names */
void view_wheres_free(struct view *v);

/* The image that a fact is about, as far as images are known by now; 0 = none. */
uint32_t view_image_of(const struct view *v, const struct fact *f, uint32_t process);
int64_t view_exited_stay(const struct view *v); /* how long rows of exited processes stay */
uint8_t view_row_flags(const struct view *v, const struct table_row *r,
                       const struct row_context *x);

/* The first rule that holds, from 1 on; 0 = none does. */
uint8_t view_rule_of_row(struct view *v, const struct table_row *r, struct row_context *x);
uint8_t view_rule_of_fact(struct view *v, const struct fact *f);
static inline bool value_is_text(struct value v)
{
    return v.type == VALUE_TEXT || v.type == VALUE_PATH;
}
double view_number(struct value v); /* what a value that is no text is sorted by */

/* Does the fact pass the part of the filter that is about facts? */
static inline bool view_filter_passes(struct view *v, const struct fact *f, uint32_t process)
{
    return !v->filter.part_count ||
           (v->filter_ops[f->class] >> f->op & 1 &&
            filter_passes_fact(&v->filter, v->match_cache, view_stack_model(v, f->stack),
                               &v->callbacks, f, process));
}

#endif
