/* The two ways to write an event as one line. */
#ifndef SRC_EVENT_LINE_H
#define SRC_EVENT_LINE_H

#include "src/base/clock.h"
#include "src/event/attribution.h"
#include "src/event/decode.h"
#include "src/event/provider_names.h"

/* The longest record is 64 KiB. In strings a byte of it becomes at most six characters
 * (\u0080), in lists under eight (0xff), as hex two; the rest of a line is short. But lists of
 * structures repeat names: they share LINE_STRUCTURES, and say how many elements that left out.
 * Messages repeat values: they are cut at LINE_MESSAGE. */
enum {
    LINE_STRUCTURES = 1 << 20,
    LINE_ROOM = LINE_STRUCTURES + (1 << 21),
    LINE_VALUE = 1 << 18,
    LINE_MESSAGE = 1 << 16,
};

/* A line in the making. */
struct line {
    char *at;          /* where the next character goes; LINE_ROOM bytes before a line */
    char *value;       /* scratch for one value, LINE_VALUE bytes */
    char *limit;       /* where lists of structures end */
    struct line_kinds *kinds; /* texts that were made before; NULL: none are kept */
    bool names_source; /* several files: say which */
    int64_t second;    /* times differ mostly in their fraction: the text of the last second */
    char second_text[CLOCK_TEXT];
};

/* What a line says. */
struct line_event {
    const struct event *event;
    const struct payload_layout *layout; /* or NULL */
    const char *class_name, *event_name; /* of its schema, any bytes; else NULL */
    const char *message;                 /* its template; NULL or "": there is none */
    const struct provider_names *names;  /* or NULL */
    bool is_transient;                   /* the texts above are good for this line only */
    struct owner owner;
    int64_t ns; /* since 1970 UTC */
    bool is_linux; /* the trace is from there */
};

/* The names of provider and event as lines have them: never NULL, "" where nothing is known. */
void line_names(const struct line_event *e, const char **class, const char **name);

/* The event's message, with the values of its fields, in the line's scratch: its length, 0 where
 * there is none. */
size_t line_message(struct line *l, const struct line_event *e, const struct decoded *fields,
                    unsigned count);

/* The SID of the user who logged the event, "" where the record carries none. */
enum { LINE_SID = 200 };
const char *line_sid(const struct event *e, char out[LINE_SID]);

/* The provider's GUID, of kernel events that of their class. */
const struct guid *line_provider(const struct event *e);

void line_hex(struct line *l, const uint8_t *p, size_t bytes); /* two digits for each byte */

/* JSON: `pid` and `tid` are whose event it is: as the payload says, else the header. Where the
 * header names others, they are `header_pid` and `header_tid`.
 *
 * Write the line and its end-of-line character; both leave `at` behind it. */
void line_jsonl(struct line *l, const struct line_event *e);
void line_text(struct line *l, const struct line_event *e);

#endif
