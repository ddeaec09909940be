/* The registry of fields: whatever can be asked about an event, its process, thread, file,
 * connection or stack has one row in field.c. The filter language, views from files, `tracetop
 * fields`, completions of filters, help and the manual read it.
 *
 * (struct field in src/event/decode.h is something else: a stretch of one record's payload.) */
#ifndef SRC_FIELD_FIELD_H
#define SRC_FIELD_FIELD_H

#include "src/base/err.h"
#include "src/field/get.h"
#include "src/table/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_context;

/* What is asked. */
enum field_by {
    BY_TEXT,   /* any name: of the process, the thing, the event */
    BY_COLUMN, /* of filters alone: a column of the pane */
    BY_TIME,
    BY_CPU,
    BY_CLASS,
    BY_OP,
    BY_SIZE,
    BY_LATENCY,
    BY_STATUS,
    BY_FAILED,
    BY_DISK,
    BY_PRIORITY,
    BY_FAULT,
    BY_COUNTER,
    BY_WAIT,
    BY_READY,
    BY_REASON,
    BY_STATE,
    BY_OLD_PRIORITY,
    BY_RETRANSMIT,
    BY_DT,
    BY_TAG,
    BY_NEW_PRIORITY,
    BY_OFFSET,
    BY_VA,
    BY_VALUE,
    BY_LEVEL,
    BY_KEYWORD,
    BY_TASK,
    BY_MESSAGE,
    BY_PID,
    BY_PPID,
    BY_PROC,
    BY_COMMAND,
    BY_USER,
    BY_SERVICE,
    BY_SESSION,
    BY_EXITED,
    BY_AGE,
    BY_RSS,
    BY_MEMORY,
    BY_PRIVATE,
    BY_SHARED,
    BY_SWAP,
    BY_FILES,
    BY_TID,
    BY_THREAD,
    BY_WAKER,
    BY_PROVIDER,
    BY_EVENT,
    BY_EVENT_ID,
    BY_OPCODE,
    BY_EVENT_PATH, /* of a filter: an event with its class or provider, as dump writes it */
    BY_VERSION,
    BY_PATH,
    BY_KEY,
    BY_PROTOCOL,
    BY_LOCAL,
    BY_REMOTE,
    BY_ADDRESS,
    BY_LOCAL_PORT,
    BY_REMOTE_PORT,
    BY_PORT,
    BY_DIRECTION,
    BY_CONNECTION,
    BY_HOSTNAME,
    BY_URL,
    BY_ROUTINE,
    BY_VECTOR,
    BY_KIND,
    BY_CALL,
    BY_STACK,
    BY_FUNCTION,
    BY_MODULE,
    BY_PAYLOAD, /* of filters alone: a field of the payload, which the term names */
    FIELD_BYS,
};

/* Whose it is: of all facts with the same number there it is the same. */
enum field_group {
    GROUP_TEXT,   /* several: process, kind and entity */
    GROUP_COLUMN, /* of filters alone: the row */
    GROUP_FACT,   /* the fact itself */
    GROUP_PROCESS,
    GROUP_THREAD,
    GROUP_KIND,
    GROUP_ENTITY,
    GROUP_CONNECTION,
    GROUP_ROUTINE,
    GROUP_STACK,
    GROUP_CALLBACK, /* what the fact does not hold: see struct fact_callbacks (src/field/get.h) */
    FIELD_GROUPS,
};

enum field_def_type {
    TYPE_TEXT,
    TYPE_NUMBER, /* whole: 4, 0x2a */
    TYPE_TIME,
    TYPE_SIZE,
    TYPE_PERCENT,
    TYPE_RATE,
    TYPE_INSTANT,
    TYPE_ADDRESS, /* 10.0.0.0/8, fe80::/10 */
    TYPE_WORD,    /* one of a list */
    TYPE_FLAG,    /* there or not: `exited` */
    TYPE_ANY,     /* of BY_PAYLOAD: see the event's layout */
    FIELD_DEF_TYPES,
};

struct field_word {
    const char *word;
    uint64_t number;
};

/* How a row of a view shows a field by which its facts are counted: an id, whose text or number is
 * looked up when it is shown. */
struct field_cell {
    const char *help;
    uint8_t type; /* enum value_type: text, path or id */
    uint8_t width;
    uint32_t classes;                     /* of facts that have it; 0 = those of the field */
    uint32_t (*of)(const struct fact *f); /* 0 = there is none; NULL: a field of the payload */
    /* The text of an id, in `room` or elsewhere; NULL = it is not known. No function: the first
     * value of the field's getter. */
    const char *(*text)(const struct row_context *x, uint32_t id, char *room, size_t bytes);
    bool joins;       /* ids of which the same is shown are one (src/view/names.h) */
    bool is_of_stack; /* the id is that of a stack */
    /* Of functions instead, with their argument (src/field/function.c); where there is `number`,
     * the cell is that number. */
    int64_t argument;
    uint32_t (*of_with)(const struct fact *f, int64_t argument);
    const char *(*text_with)(const struct row_context *x, uint32_t id, int64_t argument, char *room,
                             size_t bytes);
    uint64_t (*number)(const struct row_context *x, uint32_t id, int64_t argument);
};

/* A fact's id there. */
static inline uint32_t field_cell_id(const struct field_cell *c, const struct fact *f)
{
    return c->of_with ? c->of_with(f, c->argument) : c->of(f);
}

/* Filters that see one record at a time: of cuts (src/trace/select.c), of capture
 * (src/collect/capture.c). */
enum field_without_model { FIELD_CUT = 1, FIELD_CAPTURE = 2 };

/* A row of the registry. */
struct field_def {
    const char *id, *aliases; /* aliases: words with blanks between, or NULL */
    uint8_t by, group, type;  /* enum field_by, field_group, field_def_type */
    field_number *number;     /* its getter, where it is a number of the fact itself … */
    field_get *get;           /* … else; of BY_TEXT neither: see field_texts */
    field_get *get_names;     /* of GROUP_CALLBACK: for texts; NULL: `get` has them */
    uint32_t classes;         /* of facts that can have it: bit per enum fact_class; 0 = all */
    const struct field_word *words; /* TYPE_WORD, and TYPE_NUMBER that has names, too */
    bool has_names; /* a number, and texts that stand for it: both can be asked for */
    uint8_t record; /* enum field_without_model, bits: who finds it in one record, without the model */
    const char *help;
    const struct field_cell *cell;  /* NULL = no view is made of it */
};

/* Of the filter event=CLASS/NAME, in the place of "event". */
extern const struct field_def field_event_path;

extern const struct field_def field_defs[]; /* ends with a NULL id */

const struct field_def *field_def_find(const char *id, size_t bytes); /* or by an alias */
const struct field_def *field_def_by(enum field_by by);

/* The row of all fields of payloads, which is not in the list. Names of such fields are
 * "Field", "Provider.Field", "Event.Field" or "Provider.Event.Field", where "Microsoft-Windows-" may
 * be left out and case does not matter; ".Field" is the same as "Field". */
extern const struct field_def field_payload;

/* Does the text name a field of a payload? With a point it does, whatever it names; a name alone
 * only if a built-in layout has it. */
bool field_is_of_payload(const char *name, size_t bytes);

/* What a name means wherever fields can be asked for: the row of a field, or field_payload; NULL:
 * nothing. */
const struct field_def *field_bind(const char *name, size_t bytes);

/* What such a name says: the field behind its last point, and whether it may be one of the event.
 */
const char *field_payload_name(const char *name);
bool field_payload_is_of(const char *name, const char *provider, const char *event);

/* Has the layout a field of that name, whatever stands before its point? */
struct payload_layout;
bool field_is_in_layout(const char *name, const struct payload_layout *l);

/* Decodes the field of that name; false where the event has none. The schema has a layout. */
struct decoded;
struct event;
struct schema;
bool field_decode(const char *name, const struct schema *schema, const struct event *e,
                  struct decoded *out);

/* One that a view can be made of, by its id; NULL = there is none. */
const struct field_def *field_def_of_view(const char *id);

/* What a text without a field is looked for in, where the thing of the group has names; or NULL. */
extern field_get *const field_texts[FIELD_GROUPS];

/* ---- functions of fields (function.c) --------------------------------------------------------- */

/* A key that is made of a field: "dir(path, 2)", "time(1s)". */
struct field_made {
    struct field_def def;
    struct field_cell cell;
    char id[64];
};

/* False with a sentence. `out` stays where it is. */
bool field_make(struct field_made *out, const char *text, struct err *err);

/* Their names, for sentences and completions: the number-th; NULL behind the last. */
const char *field_function_usage(unsigned number);

/* ---- words (word.c) -------------------------------------------------------------------------- */

/* Classes and operations of facts, levels of events; each ends with a NULL word. */
extern const struct field_word field_class_words[], field_op_words[], field_level_words[];

/* The number of the word, whatever its case; false where it is none of them, or `words` is NULL. */
bool field_word_number(const struct field_word *words, const char *text, uint64_t *out);

/* ---- rows of views (cell.c) ------------------------------------------------------------------ */

/* Do facts of the class have it? */
static inline bool field_cell_has(const struct field_def *field, unsigned class)
{
    const uint32_t classes = field->cell->classes ? field->cell->classes : field->classes;
    return !classes || classes >> class & 1;
}

/* Are its rows kinds of event? */
static inline bool field_is_of_kind(const struct field_def *field)
{
    return field->by == BY_EVENT || field->by == BY_PROVIDER;
}

/* The text of an id other than ROW_OTHERS, NULL = it is not known: in `room` or in the model. */
const char *field_cell_text_of(const struct field_def *field, const struct row_context *x,
                               uint32_t id, char *room, size_t bytes);

/* What an id stands for, as a cell; absent where that is not known. */
struct value field_cell_value(const struct field_def *field, struct row_context *x, uint32_t id);

#endif
