/* Requests and frames: how the ui asks and what it gets. The ui fills a request
 * (latest wins) and receives a frame with the request's sequence number: typed
 * values and strings in the frame's own arena. Nobody but the engine touches the
 * model. The ui formats and sanitizes. */
#ifndef SRC_FRAME_FRAME_H
#define SRC_FRAME_FRAME_H

#include "src/frame/chart.h"
#include "src/frame/stack_look.h"
#include "src/frame/strip.h"
#include "src/model/gauge.h"
#include "src/symbol/download_options.h"
#include "src/table/pane.h"
#include "src/table/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most panes side by side. */
enum { VIEWS_MAX = 4 };

enum { CRUMBS_MAX = 8, FILTER_MAX = 1024, FOLDS_MAX = 128, FIND_MAX = 256, TAGS_MAX = 1024 };

/* Names of fields of payloads, as they are offered. */
enum { SEEN_MAX = 128, SEEN_NAMES = 96 };

struct crumb {
    uint8_t kind;        /* enum crumb_kind */
    const struct pane *of; /* CRUMB_ROW: its pane; else NULL */
    struct row_key key;
};

/* A crumb as texts: for the crumb line; as a filter for this trace, and for any other. Absent where
 * the filter language has none. */
struct frame_crumb {
    struct value name, term, lasting;
    bool is_wider; /* `lasting` lets more pass, or there is none */
};

/* Whose rows a table leaves out. */
enum row_hiding {
    HIDE_SYSTEM = 1, /* system processes and drivers */
    HIDE_SELF = 2,   /* live: this process */
};

/* Rows put together by what their processes or connections have in common. */
enum group_by {
    GROUPED_NOT,
    GROUPED_BY_HOST, /* connections, by their remote host */
    GROUPED_BY_NAME,
    GROUPED_BY_USER,
    GROUPED_BY_SESSION,
    GROUPED_BY_SERVICE, /* Windows' services: processes that run the same ones */
    GROUPINGS,
    GROUPED_AS_EXITED = GROUPINGS, /* not to be asked for: see folds_exited */
};

/* Where to look for the next row that is found: from the anchor on, behind it, before it. */
enum seek { SEEK_NOT, SEEK_HERE, SEEK_NEXT, SEEK_PREVIOUS };

/* Which event of a list comes next: any, one of the same thread, or one of the same kind
 * (provider, id and opcode, whatever the version). */
enum neighbor { NEIGHBOR_NONE, NEIGHBOR_ANY, NEIGHBOR_THREAD, NEIGHBOR_KIND };

struct request {
    uint64_t sequence;
    uint8_t view;                /* below VIEWS_MAX: which of the views it is a request of */
    const struct pane *pane;
    struct crumb crumbs[CRUMBS_MAX];
    unsigned crumb_count;
    char filter[FILTER_MAX];     /* plain text for now; UTF-8, NUL-terminated */
    char find[FIND_MAX];         /* rows that pass this are marked as found; "" = none */
    char tag[FIND_MAX];          /* likewise as tagged … */
    struct row_key tags[TAGS_MAX]; /* … and these rows are, which filters can ask for */
    unsigned tag_count;
    uint8_t seek;                /* enum seek: the anchor becomes a row that is found */
    unsigned sort;               /* index into pane->columns */
    bool ascending;
    bool accumulate;             /* totals since reset instead of the last interval (a recording
                                  * that is over answers with totals anyway) */
    bool is_settled;             /* no frame before all is read and the answer is whole */
    bool freeze;                 /* work on the history as it was when this was first set */
    bool hides_idle;             /* tables: without the rows that did nothing in the span */
    uint8_t hides;               /* tables: a bit for each enum row_hiding */
    uint8_t group;               /* tables: enum group_by */
    bool folds_exited; /* live tables: where more than a screenful of processes have exited,
                        * one row stands for them (of a third of `rows`) */
    bool locks_order;            /* tables: rows keep their order, new ones come last */
    int64_t new_ns, exited_ns;   /* tables: how long rows are marked as new, and stay when their
                                  * process has ended; 0 = as is usual, below: not at all */
    bool follow_tail;            /* event lists: stay at the newest */
    int64_t from_ns, to_ns;      /* only what is kept with from_ns < time ≤ to_ns; 0, 0: all */
    int64_t base_from_ns, base_to_ns; /* tables: with a range, what it is more than this one; 0, 0:
                                       * no difference. Changes: what is compared with the range */
    int64_t now_ns, before_ns;   /* changes: without a range, the last so many … and those before
                                  * them; 0: as many as is usual */

    /* Which rows: the cursor belongs to a row. If has_anchor, the frame starts so
     * that the anchor stays `anchor_line` lines below its top; else at `first`. */
    bool has_anchor;
    struct row_key anchor;
    int anchor_line;
    uint64_t first;
    unsigned rows;               /* rows wanted (with overscan) */

    uint8_t paths;               /* enum path_mode */
    bool of_one_cpu;             /* processor use: one processor is 100 %, not the machine */
    bool tree;                   /* tables: rows as a tree, if the pane has one */

    /* Trees: rows that keep what is below them to themselves; with folds_all, those that
     * do not. */
    struct row_key folds[FOLDS_MAX];
    unsigned fold_count;
    bool folds_all;

    struct stack_look stacks;    /* call trees */
    struct chart_look chart;     /* beside the rows */
    struct strip_look strip;     /* likewise, of the machine */

    bool names_events; /* event lists: events of which nothing says what happened are named in
                        * their detail, for no column does it */
    bool whole_payloads; /* event lists: all bytes of payloads that nothing is known about */
    bool detail;                 /* event lists: also decode the anchor's fields */
    uint8_t neighbor;            /* with detail, enum neighbor: the anchor becomes the next such … */
    bool is_backward;            /* … or the one before */
    bool holds_back;             /* live: switches no class of events on */
    uint8_t about;               /* enum about: of what else fields are wanted */
    char seen[SEEN_MAX];         /* ABOUT_SEEN: what the names begin with; "" = all of one word */
};

/* Stands in the last column of event lists between what happened and the fields as recorded. */
#define EVENT_FIELDS_SIGN  "│"
#define EVENT_FIELDS_ASCII "|" /* how it is drawn where there is nothing but ASCII */

/* What fields a frame has beside its rows: none, or of the anchor; the accounts and sessions
 * that processes run under; the marks and gaps of the history; names of fields of payloads that
 * were seen, at most SEEN_NAMES with their numbers of events, those of most events first. */
enum about { ABOUT_NOTHING, ABOUT_ROW, ABOUT_USERS, ABOUT_MARKS, ABOUT_SEEN };

static inline bool request_has_range(const struct request *r)
{
    return r->to_ns > r->from_ns;
}

/* A request for rows of the pane in its own order. */
struct request request_for(const struct pane *p);

/* Is it the difference of two ranges that is asked for? */
static inline bool request_has_base(const struct request *r)
{
    return request_has_range(r) && r->base_to_ns > r->base_from_ns;
}

/* Does the row of a tree hide what is below it? */
static inline bool request_is_folded(const struct request *r, struct row_key key)
{
    for (unsigned i = 0; i < r->fold_count && i < FOLDS_MAX; i++) {
        if (row_key_equal(r->folds[i], key))
            return !r->folds_all;
    }
    return r->folds_all;
}

/* Rules that make rows stand out: filters. */
enum { RULES_MAX = 8, RULE_TEXT = 256 };

/* Can it say anything of rows, or events, of that pane? */
bool rule_applies(const char *text, const struct pane *p);

enum row_flag {
    ROW_NEW = 1,
    ROW_EXITED = 2,
    ROW_TAGGED = 4,
    ROW_FOUND = 8,
    ROW_LEAVING = 16, /* exited, and more than half of the time that it stays has passed */
};

enum row_fold { FOLD_NONE, FOLD_OPEN, FOLD_SHUT }; /* NONE: there is nothing below */

struct frame_row {
    struct row_key key;
    struct row_key parent; /* trees: the row above it in the tree; all 0 = none */
    uint16_t level;        /* trees: how far below the top */
    uint8_t fold;          /* trees: enum row_fold */
    uint8_t flags;       /* enum row_flag */
    uint8_t rule;        /* the first that holds, from 1 on; 0 = none */
    uint8_t crumb;       /* what Enter makes of it; CRUMB_NONE = nothing */
    const struct pane *of_pane; /* changes: the pane that has the row, else NULL … */
    struct row_key of;          /* … its key there … */
    unsigned of_column;         /* … and what of it changed */
    const struct value *cells; /* pane->column_count of them */
};

/* Panes have no more columns. */
enum { FRAME_COLUMNS = 64 };

enum engine_state { STATE_LIVE, STATE_REPLAY, STATE_PAUSED, STATE_FINISHED, STATE_FAILED };

struct frame_loss {
    uint64_t kernel, realtime, ring, decoder; /* totals */
    uint64_t undelivered; /* of `kernel`: counted by the system and never handed over */
    double kernel_rate, undelivered_rate; /* /s while moving */
    double realtime_rate, ring_rate, decoder_rate;
    bool is_unknown; /* the system does not report `kernel` and `realtime` now: the last known */
};

/* What the kernel lost for want of buffers. Both numbers are read one after the other while they
 * grow. */
static inline uint64_t frame_loss_kernel(const struct frame_loss *l)
{
    return l->kernel > l->undelivered ? l->kernel - l->undelivered : 0;
}

/* Events that were lost, whatever the cause. */
static inline uint64_t frame_loss_sum(const struct frame_loss *l)
{
    return l->kernel + l->realtime + l->ring + l->decoder;
}

enum { FRAME_WATCHED = 96 }; /* bytes of a text */

/* The capture filter that holds, and records since it does: no loss, they were not wanted. */
struct frame_capture {
    char text[FIND_MAX]; /* "" = everything is stored */
    char pushed[128];     /* what of it was left to the system, said for people; or "" */
    uint64_t kept, left_out;
};

/* What did not fit the bounds on memory, since the start. Lifetimes that went to make room
 * (the longest ended first) are "(forgotten)" where a row still names them. */
struct frame_bounds {
    uint64_t evicted_processes, evicted_threads, evicted_files, evicted_connections,
        evicted_images, evicted_stacks;
    uint64_t stacks_dropped; /* frames not kept: their events show no stack */
    uint64_t stacks_late;    /* unmatched: their event had left the window */
    uint64_t stacks_short;   /* of users, not unwound: too many at once */
    uint64_t stacks_incomplete; /* the user part did not follow the event's */
    uint64_t images_dropped; /* of processes that loaded more than there is room for */
    uint64_t names_dropped;  /* what they name shows as unnamed */
    uint64_t kinds_dropped;  /* events of kinds beyond the registry's room: "(other)" */
    uint64_t rows_folded; /* into "(others)", of all panes; under a filter or range, of the view */
};

/* What this program's memory holds, part by part. */
enum { FOOTPRINT_PARTS = 24 };
struct frame_footprint {
    struct footprint_part {
        const char *name, *what; /* a word or two, and a sentence without its stop */
        uint64_t bytes, most; /* from `most` on, old entries make room; 0: not stated */
    } parts[FOOTPRINT_PARTS];
    unsigned count;
    uint64_t resident; /* all of the process, as the system counts; 0: it does not say */
};

struct frame_field {
    struct value name, text;
};

/* Sentences of the collectors, the newest last: what cannot be collected, what is damaged. */
enum { FRAME_NOTICES = 64 };
struct frame_notices {
    struct value texts[FRAME_NOTICES]; /* VALUE_TEXT */
    unsigned count;
    uint64_t older; /* that are no longer kept */
};

/* How a trigger (src/engine/trigger.h) is doing. */
enum { TRIGGERS_MAX = 16 };

struct trigger_state {
    uint64_t hits;   /* how often it was to act */
    int64_t last_ns; /* instant of the last one: the end of its interval, ns since 1970 */
    uint32_t setting; /* how often its slot was set or freed before and with it; 0 = free */
    bool holds;
};

enum { FRAME_REMARK = 200 };

/* The machine at the instant that is shown, and before: what the header draws. Rates and
 * percentages are of the span that the rows are of (an interval, a range, everything), levels of
 * its end. */
struct frame_gauges {
    double now[GAUGES];     /* NaN where it is not known */
    const float *series;    /* [interval × GAUGES], oldest first, the last is of `now`; NaN
                             * likewise; in the frame's memory, NULL without a count */
    unsigned series_count;  /* at most as many as any screen has columns */
    unsigned series_later;  /* intervals after the instant that is shown, likewise: they follow */
    int64_t series_from_ns; /* where the oldest begins; each lasts sample_ns */
    const struct gauge_cpu *cpus; /* of each processor; NULL where it is not known */
    unsigned cpu_count;
};

struct frame {
    uint64_t sequence;            /* of the request it answers … */
    unsigned view;                /* … and of which view it was */
    const struct pane *pane;
    int64_t instant;              /* event time of the newest fact shown, ns since 1970; 0 none */
    int64_t first_instant;        /* of the oldest fact counted */
    double interval_s;            /* the span that is shown: an interval, a range or all … */
    double column_s[FRAME_COLUMNS]; /* … and how much of it what a column counts was recorded, which
                                     * is what its rates divide by; 0 of columns that count nothing */
    double class_s[FACT_CLASSES];   /* how much of the span the class was recorded; 0: not at all */
    int64_t range_from, range_to; /* as asked for; 0, 0: no range */
    int64_t base_from, base_to;   /* changes and differences: what it is compared with; 0, 0: nothing */
    int64_t now_from, now_to;     /* changes: the compared span */
    int64_t kept_first, kept_last; /* the history: instants of its ends; 0 nothing yet */
    int64_t sums_first;     /* live: sums of rows are known from here on, of events that are kept no
                             * more, too; 0: no such sums */
    bool is_of_history;     /* rows are such sums: of each interval the largest, and "(others)" */
    int64_t recorded_first; /* of a recording that can be read again: its first event; else 0 */
    int64_t origin, sample_ns;    /* samples: interval n lasts sample_ns from origin + n·sample_ns */
    bool is_total;                /* of everything since the start or reset: asked for, or there
                                   * is no whole interval yet, or the recording is over */
    uint64_t interval;            /* intervals that are over; "/s" is of the last of them */
    bool is_synthetic;            /* made up by the generator, and always said so on screen */
    bool is_linux;                /* everything comes from Linux: some panes stay empty */
    bool is_frozen, is_partial;   /* partial: a retroactive scan is still filling it */
    bool is_window_only;          /* filtered numbers cover the history only */
    uint64_t unread;              /* events that the filter could not match: it asks for what their
                                   * records say, and those are overwritten */
    uint64_t folded;              /* rows of this table that did not fit: "(others)" has them */
    uint64_t given_up;            /* texts that took its expressions too long: no match */
    char filter_remark[FRAME_REMARK]; /* what it asks for that nothing here has; "" none */
    bool has_switches, has_samples; /* processor times come from switches, else from samples */
    bool has_disks;                 /* a disk operation has been seen: what disks do is recorded */
    bool counts_twice;              /* bytes or times of file operations and of the disk operations
                                     * that they made are added up together */
    uint64_t missing;             /* bit per column: nothing of it was recorded, it is absent */
    enum engine_state state;
    double speed;                 /* replay ×; 0 = max */
    double progress;              /* 0..1 replay, <0 unknown */
    bool is_rereading;            /* the recording is read again for this answer, by `progress` */

    double events_per_s;
    uint64_t events;              /* processed since the start */
    uint64_t late, unmatched;     /* of intervals that were over; stacks/joins without a partner */
    uint32_t late_classes;        /* of what was late, ever: bits of enum fact_class. What counts
                                   * such events "live" has them in the interval after theirs */
    uint64_t stacks_matched, stacks_unmatched; /* stack walks: all of them, in two parts */
    uint64_t symbols_asked, symbols_answered;  /* addresses whose names are looked for */
    struct symbol_progress download;           /* of a symbol file */
    struct frame_loss loss;
    struct frame_capture capture;
    char watched[FRAME_WATCHED]; /* "pid 17": nobody else is recorded; "" = everybody */
    struct frame_bounds bounds;
    struct frame_footprint footprint;
    double ring_s;                /* seconds of history in the hot rings */
    double self_percent;          /* processor use of this program, one CPU = 100 */

    unsigned cpus;
    double cpu_percent;           /* machine-wide use where it is known, else <0 */
    double disk_read, disk_write; /* B/s over the interval, whole machine */
    struct frame_gauges gauges;

    /* Rows. */
    uint64_t first;               /* index of rows[0] among `shown` */
    uint64_t shown, hidden;       /* rows that pass / fail the filter, or are idle */
    const struct frame_row *rows;
    const struct value *cells;    /* of all rows, in one piece */
    unsigned row_count;
    bool is_tree;                 /* rows of a table stand below each other … */
    unsigned tree_column;         /* … in this column */
    bool is_sought, has_found;    /* the request's seek is over, and there is one: */
    struct row_key found;
    uint64_t found_count;         /* rows that would be */
    uint64_t found_at;            /* call trees: which of them it is, from 1 on … */
    double found_percent;         /* … and the share of stacks that go through any of them */
    const struct row_key *found_shut; /* call trees: rows above it that the request folds … */
    unsigned found_shut_count;        /* … and that the frame shows unfolded; at most FOLDS_MAX */
    int anchor_row;               /* index into rows, -1 when the anchor is gone */

    /* Call trees, in the metric's unit. */
    uint8_t metric;               /* enum stack_metric */
    uint32_t metrics;             /* bit per metric that the recording has, or could have, live */
    uint64_t stack_weight;        /* of all that is kept and has a stack … */
    uint64_t stack_missing;       /* … or has none */
    uint64_t stack_hidden;        /* of stacks that the request drops */
    uint64_t stack_cut;           /* of stack_weight: of stacks that are not there in full depth */
    uint64_t stack_root;          /* of the frame asked for as root, else stack_weight */
    const struct value *totals;   /* header: pane->column_count sums; VALUE_ABSENT where no sum */
    bool lacks_latencies;         /* tables: none has been counted so far */

    /* Crumbs as texts in the arena. */
    struct frame_crumb crumbs[CRUMBS_MAX];
    uint8_t
        emptied_by; /* without a row: the crumb that no event of the pane passed, + 1; 0: unknown */
    unsigned crumb_count;

    /* A request for a neighbor of the anchor. Without one the anchor remains. */
    bool has_searched, has_neighbor;
    struct row_key neighbor;
    bool neighbor_skips;      /* the anchor is older than the history: events between are gone */
    bool neighbor_is_unknown; /* … and nobody knows its thread or kind, or it has no thread */

    bool has_detail, detail_is_gone; /* event lists: what the fields are of; gone: it is older than … */
    struct row_key detail_of;        /* … the history, and the fields say so */
    struct value json;               /* … as a line of `tracetop dump -O jsonl`; or absent */

    uint8_t about; /* enum about: what the fields are of */
    /* Event detail: name/value pairs in the arena, then a hex dump of the payload. */
    const struct frame_field *fields;
    unsigned field_count;
    const uint8_t *payload;
    unsigned payload_bytes;

    /* Live: bits of enum fact_class that are collected, with stacks, wanted and not to be had. */
    uint32_t active, active_stacks, refused;
    struct value lack_why, lack_fix; /* Live: rights or mounts that are missing, and the command
                                      * that changes it; VALUE_TEXT, or absent */
    /* Bits of enum fact_class, of what the kernel logger and providers both record: of these the
     * pane counts the events of a provider; both were there. */
    uint32_t by_provider, by_both;
    uint32_t by_kernel_logger;
    bool by_winsock, by_http; /* network: beside them, failures and requests are recorded */
    uint32_t unwind_percent; /* of a processor, at most, where stacks of users are unwound; else 0 */

    const struct chart *chart;                   /* that was asked for; NULL: none, or not yet */
    const struct strip *strip;                   /* likewise */
    struct trigger_state triggers[TRIGGERS_MAX]; /* by the slot they were set in */
    int64_t newest_ns;            /* of all events, also while the picture stands still */

    struct frame_notices notices; /* the newest stands in the message area */
    const char *arena;            /* text bytes of all VALUE_TEXT / VALUE_PATH */
    size_t arena_bytes;
};

/* Frees a frame taken from the engine; NULL is fine. */
void frame_free(struct frame *f);

/* Is the answer about fewer events than were asked for, because older ones are no longer kept? Then
 * it covers the time from `first_instant` on. */
static inline bool frame_covers_part(const struct frame *f)
{
    return f->is_window_only && (f->is_total || f->pane->view != PANE_TABLE || f->chart);
}

/* Whose events the pane counts, where those of a provider were there: "Kernel-Network", or
 * "Kernel-Disk, not kernel logger", of processes "Kernel-Process and kernel logger". "" where the
 * kernel logger alone recorded them. Returns `out`. */
enum { FRAME_RECORDER = 256 };
const char *frame_recorder(const struct frame *f, char out[FRAME_RECORDER]);

/* Ns that it covers. */
static inline int64_t frame_span(const struct frame *f)
{
    return f->instant > f->first_instant ? f->instant - f->first_instant : 0;
}

#endif
