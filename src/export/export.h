/* Pane tables as text for people (table) and programs (tsv, csv, jsonl): one frame in,
 * rows out. A format is one file in src/export/ and one row in src/export/formats.h. */
#ifndef SRC_EXPORT_EXPORT_H
#define SRC_EXPORT_EXPORT_H

#include "src/base/err.h"
#include "src/export/formats.h"
#include "src/frame/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { EXPORT_COLUMNS = 64 };

/* How a value that is no text is written for people; the ui's business, lent to the
 * table format. The text goes to out[room], NUL-terminated; its length comes back. */
struct export_people {
    size_t (*format)(const void *state, const struct value *v, char *out, size_t room);
    const void *state;
};

/* What is written: some columns of a frame's pane, in the order wanted. */
struct export_view {
    const struct frame *frame;
    unsigned columns[EXPORT_COLUMNS]; /* indices into pane->columns */
    unsigned column_count;
    const struct export_people *people;
    bool is_first; /* of a series: a header is due */
    bool is_raw;   /* csv: cells that a spreadsheet would evaluate stay as they are */
    char separator; /* csv; 0 = a comma */
};

struct export_kind {
    const char *id;
    void (*write)(const struct export_view *v, FILE *to);
    bool is_for_people; /* the usual columns, aligned over all rows; else all columns */
};

#define EXPORT_DECLARE(id, ending) extern const struct export_kind export_##id;
TABLE_FORMATS(EXPORT_DECLARE, EXPORT_DECLARE)

const struct export_kind *export_find(const char *id); /* or NULL */

/* "pid,name": the columns by id; "all"; NULL = those the screen starts with. False with a
 * sentence. */
bool export_columns(struct export_view *v, const struct pane *p, const char *list, struct err *err);

/* "covers the last 24.8 s, from 2026-… to 2026-…; older events are no longer kept"; false where
 * all that was asked for is covered. */
bool export_covers(const struct frame *f, char *out, size_t room);

/* What a reader must know of the frame's numbers, one sentence each: the next one from *at on,
 * which begins with 0; false behind the last. */
enum { EXPORT_REMARK = 400 };
bool export_remark(const struct frame *f, unsigned *at, char out[EXPORT_REMARK]);

/* ---- for the formats ------------------------------------------------------------- */

static inline const struct column *export_column(const struct export_view *v, unsigned i)
{
    return &v->frame->pane->columns[v->columns[i]];
}

static inline const struct value *export_cell(const struct export_view *v,
                                              const struct frame_row *r, unsigned i)
{
    return &r->cells[v->columns[i]];
}

/* "read_bytes_per_s": id and unit, the header of tsv and csv. */
void export_header(const struct export_view *v, unsigned i, char *out, size_t room);

/* A value that is no text, plainly: digits and a point, ISO 8601 for instants; "" when it
 * is absent. Returns out, which holds EXPORT_PLAIN bytes. */
enum { EXPORT_PLAIN = 64 };
const char *export_plain(const struct value *v, char *out);

/* Text as src/base/text.h makes it fit for terminals: nothing in it acts, nothing hides. */
void export_safe(FILE *to, const char *text, size_t bytes);

bool export_is_text(const struct value *v);
const char *export_text(const struct export_view *v, const struct value *x); /* .text.bytes of it */

#endif
