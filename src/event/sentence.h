/* One line that says what happened, made from a template. Each kind of kernel event has its own
 * beside its layouts (src/event/decode/), events of manifest providers have theirs in
 * src/event/sentence_manifest.c and the files beside it, tracetop's own in
 * src/event/sentence_tracetop.c.
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
 * Forms: bytes (1.2 GiB), pages (bytes, of pages of 4 KiB), at (an offset in bytes; not known where
 * it stands for the current position, the highest bit), ns, us, 100ns (times), took (ns; not known
 * where it is 0), status (NTSTATUS), hex, set (not known where the number or GUID is 0), failed
 * (NTSTATUS, not known where it is no failure), file (a path without its folders), host (an address
 * without its port), name (not known where the field's map has no name), part (the name of the bits
 * that have a map of their own), version (two bytes; not known where it is 0), s (the ending of a
 * plural; not known where the number is 1). GUIDs of known providers are their names. */
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

/* Likewise, of tracetop's own events alone: looked for by name. */
const char *sentence_of_tracetop(const struct event *e);

/* Makes the line, NUL-terminated UTF-8 (ill-formed parts of fields replaced), cut with "…" where
 * it needs more than `room` bytes, no fewer than SENTENCE_LEAST. Returns its length; 0 where it
 * cannot be made. */
enum { SENTENCE_LEAST = 64 };
size_t sentence_put(const char *template, const struct sentence_items *items, char *out,
                    size_t room);

/* The text that says what happened where neither a template nor a message does: the field that is
 * called "message" or the like, or the only field there is. NULL where there is none. */
const struct decoded *sentence_text(const struct sentence_items *items);

/* The decoded fields as "name=value name=value": all that are present but `but` (NULL: all), in
 * their order, or the most informative ones first: texts, names and addresses, then numbers, then
 * pointers and the like. Texts that are empty or have blanks are quoted. Returns the length; `room`
 * as above. */
enum sentence_order { SENTENCE_AS_RECORDED, SENTENCE_BEST_FIRST };
size_t sentence_fields(const struct sentence_items *items, enum sentence_order order,
                       const struct decoded *but, char *out, size_t room);

/* A value as people read it, as decode_show() does, but known providers and accounts by their
 * names. Returns the length. */
size_t sentence_value(const struct decoded *d, bool is_linux, char *out, size_t room);

/* ---- for tests of the tables ------------------------------------------------------------------- */

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
struct sentence_rows {
    const struct sentence_row *rows;
    unsigned count;
};
struct sentence_provider {
    const struct guid *guid;
    const struct sentence_rows *of;
};
extern const struct sentence_rows sentence_dotnet, sentence_dotnet_rundown, sentence_dotnet_private,
    sentence_dxgkrnl;
extern const struct sentence_provider sentence_providers[];
extern const unsigned sentence_provider_count;

#endif
