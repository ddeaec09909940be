/* One line that says what happened, made from a template. Each kind of kernel event has its own
 * beside its layouts (src/event/decode/), events of manifest providers have theirs in
 * src/event/sentence_manifest.c.
 *
 *     write {size}[ {path}] at {offset} of disk {disk}[, {lat}]
 *
 *   {NAME}         a fact: who prints the line supplies its text (src/view/sentence.c)
 *   {.FIELD}       a field of the payload
 *   {.FIELD:FORM}  … in one of the forms below
 *   {A|B|'text'}   the first one that is known; a text in quotes always is
 *   [ … ]          left out where an item directly in it is not known; may be nested
 *
 * Items without text are not known. A line of which an item outside brackets is not known is not
 * made at all: nothing is invented.
 *
 * Forms: bytes (1.2 GiB), ns, us, 100ns (times), status (NTSTATUS), hex, set (not known where the
 * number is 0), failed (NTSTATUS, not known where it is no failure), file (a path without its
 * folders), name (not known where the field's map has no name), part (the name of the bits
 * that have a map of their own). */
#ifndef SRC_EVENT_SENTENCE_H
#define SRC_EVENT_SENTENCE_H

#include "src/event/decode.h"

/* What items are looked up in. */
struct sentence_items {
    const struct decoded *fields;
    unsigned count;
    bool is_linux; /* the trace is from there */
    void *of;
    /* Puts the text of a fact, NUL-terminated, into `room` bytes; false where it is not known.
     * NULL: no facts. `name` ends after `bytes`. */
    bool (*fact)(void *of, const char *name, size_t bytes, char *out, size_t room);
};

/* The template of an event, or NULL. Constant time for kernel events. */
const char *sentence_template(const struct event *e);

/* Makes the line, NUL-terminated UTF-8 (ill-formed parts of fields replaced), cut with "…" where
 * it needs more than `room` bytes, no fewer than SENTENCE_LEAST. Returns its length; 0 where it
 * cannot be made. */
enum { SENTENCE_LEAST = 64 };
size_t sentence_put(const char *template, const struct sentence_items *items, char *out,
                    size_t room);

/* The decoded fields as "name=value name=value": all that are present, in their order, or the
 * most informative ones first: texts, names and addresses, then numbers, then pointers and the
 * like. Returns the length; `room` as above. */
enum sentence_order { SENTENCE_AS_RECORDED, SENTENCE_BEST_FIRST };
size_t sentence_fields(const struct sentence_items *items, enum sentence_order order, char *out,
                       size_t room);

/* ---- for checks of the tables ------------------------------------------------------------------ */

/* Calls `each` for every alternative of every item; false where the template is ill-formed or has a
 * form that is not known. */
bool sentence_check(const char *template,
                    void (*each)(void *of, bool is_field, const char *name, size_t bytes),
                    void *of);

/* Templates of manifest providers, sorted by id. */
struct sentence_row {
    uint16_t id;
    const char *template;
};
struct sentence_provider {
    const struct guid *guid;
    const struct sentence_row *rows;
    unsigned count;
};
extern const struct sentence_provider sentence_providers[];
extern const unsigned sentence_provider_count;

#endif
