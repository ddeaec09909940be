/* The application: everything the screen shows, apart from the frame's contents.
 * Keys change it and frames fill it (ui/main/dispatch.h), app_draw() (ui/draw/view.h) is a pure function of
 * it. It asks for frames through a port, so that tests and the engine look the same to it. */
#ifndef UI_STATE_APP_H
#define UI_STATE_APP_H

#include "src/engine/engine.h"
#include "src/filter/filter.h"
#include "src/frame/frame.h"
#include "ui/config/config.h"
#include "ui/config/keymap.h"
#include "ui/state/meters.h"
#include "ui/state/highlight.h"
#include "ui/state/message_log.h"
#include "ui/state/pane_state.h"
#include "ui/state/report.h"
#include "ui/state/triggers.h"
#include "ui/term/grid.h"
#include "ui/widget/format.h"
#include "ui/widget/list.h"
#include "ui/widget/prompt.h"

#include <stdbool.h>
#include <stdint.h>

struct chooser_source;
struct made_panes;
struct journal;
struct saver;
struct view_state;

enum { PENDING_MAX = 32, MESSAGE_ROOM = 1280 };

/* Where requests and commands go, and who frees frames. */
struct app_port {
    void *state;
    /* The requests of all visible panes, as engine_request_all() takes them. */
    void (*request)(void *state, const struct request *r, unsigned count);
    void (*command)(void *state, const struct command *c);
    void (*release)(void *state, struct frame *f);
};

enum help_about {
    HELP_KEYS,
    HELP_LOSS,
    HELP_TRIGGERS,
    HELP_HIGHLIGHTS,
    HELP_FOOTPRINT,
    HELP_INFO,
    HELP_MACHINE,
    HELP_NOTICES,
    HELP_MESSAGES
};
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_CHOOSER };
enum prompting { PROMPT_NONE, PROMPT_FILTER, PROMPT_COMMAND, PROMPT_FIND, PROMPT_MARK, PROMPT_TAG, PROMPT_TERMINATE };
enum { PROMPTS = PROMPT_TERMINATE + 1 };

/* A list to pick from (ui/state/chooser.c). */
struct chooser {
    enum chooser_kind kind;
    struct list list;
    char typed[SEEN_MAX];
    struct seen_names *seen; /* of payload fields (ui/state/seen_names.h), owned; or NULL */
};

struct tags {
    struct row_key keys[TAGS_MAX];
    const struct pane *pane; /* tags belong to one pane; another one's start anew */
    unsigned count;
};

enum { COMPLETIONS_MAX = 96 };

/* A query that is being typed (ui/state/asking.c): what Esc goes back to. */
struct asking {
    bool is_shown;     /* the prompt has opened its pane */
    unsigned at;       /* of the level: the pane before … */
    struct place kept; /* … and the query before */
};

/* What Tab left in the prompt. */
struct completion {
    char typed[SEEN_MAX];   /* of which it is a completion */
    char line[FILTER_MAX];  /* the whole line since; "" = the next Tab begins anew */
    unsigned index;         /* of the candidate */
    char names[COMPLETIONS_MAX][64]; /* of processes, in the rows when the prompt was opened */
    unsigned name_count;
};

/* A call tree on its way to a file (ui/action/exporting.c). */
struct exporting {
    const char *format; /* NULL: there is none */
    char path[512];
    uint64_t sequence; /* of the first request for all of it; 0 = not sent yet */
};

/* Two moments (ui/state/compare.c): A, and what is shown. */
struct comparison {
    enum { COMPARE_NOT, COMPARE_MARKED, COMPARE_SHOWN } stage;
    int64_t from_ns, to_ns;    /* A, as a range */
    int64_t now_ns, before_ns; /* what changed: how much time; 0 = as is usual */
};

/* What is looked for (ui/state/search.c). */
struct search {
    char text[FIND_MAX], kept[FIND_MAX]; /* kept: what Esc goes back to */
    const struct pane *pane;             /* that it is looked for in */
    enum seek seek;                      /* on the way to a row … */
    uint64_t sequence;                   /* … since this request; 0 = not sent yet */
    uint64_t at, count;                  /* call trees: the last one found, of how many; 0 = unknown */
    double percent;                      /* … and the share of stacks through any of them */
    struct row_key zoomed;               /* flame graphs: the root that shows it … */
    uint64_t zoomed_at;                  /* … since this request, whose frames need not have it */
    char rule[FIND_MAX];                 /* rows that are tagged … */
    const struct pane *rule_pane;        /* … in this pane */
};

/* A neighbor of the event whose details are shown, on its way (ui/state/neighbor.c). */
struct neighbor_step {
    enum neighbor kind; /* NEIGHBOR_NONE: none */
    bool is_backward;
    uint64_t sequence; /* of the first request for it; 0 = not sent yet */
};

/* A moment on its way (ui/state/marks.c). */
struct awaited {
    const char *kind; /* NULL: none */
    int direction;
    uint64_t sequence; /* of the first request for it; 0 = not sent yet */
};

/* The time strip (ui/state/strip.c). */
struct strip_place {
    bool has_focus;
    int64_t span_ns, end_ns; /* struct strip_look */
    unsigned end_count;      /* of a range that is being chosen: ends that are set … */
    struct {
        int64_t from, to;
    } ends[2]; /* … each the moment that was shown: from < time ≤ to */
};

/* The border of a header that the mouse has hold of (ui/action/widths.c). */
struct drag {
    const struct pane *pane; /* NULL: none */
    unsigned column;
    int x, width; /* then */
};

/* A typed command, for help and lists. */
struct typed_command {
    const char *name, *arguments, *help;
    const char *const *values; /* that complete it; or NULL */
    const char *key;           /* the row of keymap[] that does the same, or NULL */
    char digit;                /* of a pane; 0: none */
};

/* The list below a prompt (ui/state/suggest.c). */
struct suggesting {
    char typed[FILTER_MAX]; /* narrows it, while one of it stands in the prompt: */
    unsigned at;            /* which, from 1 on; 0: none */
    bool is_recent;         /* recent texts instead of commands */
};

struct app_options {
    const struct app_port *port;
    int columns, rows;
    bool is_ascii;
    bool is_still; /* headless: figures that depend on the machine's speed are hidden */
    const struct view_state *view; /* to start as a snapshot's .view says; or NULL */
    struct config *config; /* must outlive the app; NULL: defaults, and nothing can be kept */
    struct saver *saver; /* NULL: nothing can be saved; must outlive the app */
    struct journal *journal; /* NULL: none is kept; must outlive the app */
    const struct report_source *reports; /* NULL: no pages can be made; must outlive the app */
    struct made_panes *made; /* must outlive the engine; NULL: there is none, the app has its own */
    bool is_whole;           /* the recording is shown as a whole, not by its last interval */
    const char *const *triggers; /* of the command line: the engine has them by the same slots */
    size_t trigger_count;
    const char *pane;   /* to start with, or NULL */
    const char *filter; /* to start with, or NULL */
    const char *greeting; /* the first message; NULL: none */
    int64_t now;        /* monotonic ns, for messages and double presses */
};

struct app {
    struct app_port port;
    const struct glyphs *glyphs;
    int columns, rows;
    int64_t now;
    bool is_still;
    struct saver *saver; /* or NULL */
    struct journal *journal; /* or NULL */
    struct config *config; /* or NULL */
    struct made_panes *made; /* ui/state/made_panes.h */
    bool owns_made;
    const struct keys *keys; /* or NULL: the table's */
    const struct chooser_source *const *choosers; /* by their kinds (ui/action/choices.h) */
    /* The i-th typed command: false behind the last (ui/action/palette.h). */
    bool (*typed_command)(unsigned i, struct typed_command *out);

    struct split splits[VIEWS_MAX]; /* by their order on screen … */
    unsigned split_count, split_at; /* … of which this is the current one … */
    struct pane_state *focus;       /* … its state … */
    unsigned asked_views;           /* … and these views are answered: bits */
    bool is_aside;                  /* at work for one that is not (splits_enter()) */
    uint64_t sequence;              /* of the newest request of any */

    enum overlay overlay;
    struct list help;
    enum help_about help_about;
    uint64_t signs_seen;                 /* when the help was opened (ui/draw/sign_seen.h) */
    const struct report_source *reports; /* or NULL */
    struct report *report; /* the page shown last, owned; or NULL */
    char find[64]; /* narrows the help */
    struct chooser chooser;
    enum prompting prompting;
    struct prompt prompt;
    struct history histories[PROMPTS];
    char kept_filter[FILTER_MAX]; /* what Esc goes back to */
    struct list kept_list;
    struct filter_error filter_error; /* of what stands in the prompt; text "" = none */
    struct completion completion;
    struct suggesting suggesting;
    struct asking asking;

    bool is_frozen;
    int64_t frozen_at;
    int64_t range_from, range_to; /* what is shown of the history; 0, 0: all */
    struct settings settings; /* as they are now; what they began with is the caller's */
    struct comparison comparison;
    struct search search;
    struct awaited awaited;
    struct neighbor_step neighbor_step;
    struct strip_place strip;
    int64_t interval_asked; /* the last sample length asked for; 0 = none yet */
    int64_t interval_kept;  /* the setting that it was last compared with */
    char locked[FILTER_MAX]; /* filter that goes along to all places; "" = none */
    uint32_t classes_accepted;                 /* costly ones (ui/state/lacking.h) */
    bool is_whole, is_accumulating, is_zoomed; /* accumulating: sums are shown beside averages */
    struct tags tags;
    struct stack_look stacks_chosen;           /* ui/state/stack_facts.h: stacks_recall() */
    struct pane_columns columns_of[PANES_MAX]; /* but of queries: ui/state/queries.h */
    struct drag drag;
    struct meters_seen meters_seen;
    struct exporting exporting;
    struct triggers triggers;
    struct highlights highlights;
    char *copied; /* on its way to the terminal (ui/action/copying.c), owned; or NULL */
    size_t copied_bytes;
    unsigned reaction;     /* of what a chooser did, beside drawing */
    uint32_t doomed_pid;   /* whom the question is about (ui/action/row_menu.c) … */
    int64_t doomed_alive;  /* … who was alive then */
    int64_t reset_at; /* first of the two presses; 0 = none */
    int64_t leave_at; /* likewise, while a recording runs */

    char message[MESSAGE_ROOM]; /* shown until then; "": none */
    bool is_error;
    int64_t message_until;
    /* Until then an error is not replaced by other messages. 0: it may be; INT64_MAX: it is not on
     * the screen yet. The newest message that came meanwhile is shown afterwards; "": none. */
    int64_t message_held_until;
    char message_next[MESSAGE_ROOM];
    struct message_log *messages; /* the last ones, owned */
    uint64_t notices_read;        /* of the collector's: those that the page has shown */

    struct key struck; /* that a click on the key bar stands for: pressed next; or KEY_NOTHING */
    struct key pending[PENDING_MAX]; /* pressed while the rows they are about were gathered */
    unsigned pending_count;
    bool has_quit;
    struct {
        bool awaits_snapshot; /* leaves when it is written */
        bool is_error;
        char
            text[1200]; /* what became of it, for who reads it behind the screen; "": nothing yet */
    } leaving;
};

/* Asks for the same once more, for callers that want a frame made from now on. */
void app_ask(struct app *a);

/* Sends what every pane on screen has to ask; the current one is answered first. */
void app_ask_all(struct app *a);

/* ---- for ui/ itself ---------------------------------------------------------------- */

/* Every pane on screen has been answered, as a whole. */
bool app_is_answered(const struct app *a);

struct place *app_place(struct app *a);
const struct place *app_shown(const struct app *a);
bool chart_is_shown(const struct app *a); /* in place of the rows */
bool flame_is_shown(const struct app *a); /* of a call tree */
unsigned app_context(const struct app *a); /* enum context bits: one, or that of a table and its kind */
unsigned app_context_below(const struct app *a); /* the focused pane's, whatever lies over it */
struct format app_format(const struct app *a);

/* The frame if it belongs to the pane shown, else NULL. */
const struct frame *app_known(const struct app *a);

/* The row with this index among those shown, NULL where it is not known yet. */
const struct frame_row *app_row(const struct app *a, uint64_t index);
const struct frame_row *app_cursor_row(const struct app *a);

void app_message(struct app *a, bool is_error, const char *format, ...) PRINTF_LIKE(3, 4);
void app_was_shown(struct app *a, int64_t now); /* what app_draw() drew is on the screen */
bool app_message_tick(struct app *a);    /* at a->now; true: another message is shown, or none */
void app_message_release(struct app *a); /* a key came: the next message shows at once */
/* The app may not do what changes the system or writes files; then it has said so. */
bool app_refuses(struct app *a, const char *what);
void app_command(struct app *a, enum command_kind kind, double number, const char *text);

void app_go_pane(struct app *a, const struct pane *p);
bool app_enter(struct app *a, const struct pane *target); /* the cursor's row becomes a crumb */
bool app_back(struct app *a);                             /* one level up; false at the root */
void app_sort(struct app *a, unsigned column);            /* again inverts */
void app_toggle_column(struct app *a, unsigned column); /* shows or hides it */
void app_freeze(struct app *a, bool freeze);
void app_open_prompt(struct app *a, enum prompting kind, const char *text);
void app_prompt_changed(struct app *a); /* what is typed takes effect */
bool app_is_tagged(const struct app *a, const struct row_key *key);

#endif
