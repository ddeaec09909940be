#include "src/export/export.h"

#include "src/base/clock.h"
#include "src/base/suggest.h"
#include "src/base/text.h"
#include "src/filter/remark.h"
#include "src/pane/event_columns.h"
#include "src/pane/query_pane.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIND(id, ending) &export_##id,
static const struct export_kind *const kinds[] = {TABLE_FORMATS(KIND, KIND)};

const struct export_kind *export_find(const char *id)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->id, id) == 0)
            return kinds[i];
    return NULL;
}

/* ---- columns --------------------------------------------------------------------- */

static bool no_column_of_query(const struct pane *p, const char *id, const struct suggestion *best,
                               struct err *err)
{
    char known[512] = "";
    if (best->name)
        return fail(err, "the query has no column '%s'; did you mean '%s'?", id, best->name);
    for (size_t i = 0; i < p->column_count; i++)
        suggest_list(known, sizeof known, p->columns[i].id);
    return fail(err, "the query has no column '%s'; it has %s", id, known);
}

static bool no_column(const struct pane *p, const char *id, struct err *err)
{
    struct suggestion best = {NULL, 0};
    for (size_t i = 0; i < p->column_count; i++)
        suggest(&best, id, p->columns[i].id);
    if (query_pane_is(p))
        return no_column_of_query(p, id, &best, err);
    if (best.name)
        return fail(err, "the pane '%s' has no column '%s'; did you mean '%s'?", p->id, id,
                    best.name);
    return fail(err, "the pane '%s' has no column '%s'; tracetop fields %s lists them", p->id, id,
                p->id);
}

static bool add_column(struct export_view *v, const struct pane *p, const char *id, size_t bytes,
                       struct err *err)
{
    char name[EVENT_COLUMN_NAME];
    snprintf(name, sizeof name, "%.*s", (int)(bytes < sizeof name ? bytes : sizeof name - 1), id);
    const struct column *const c = pane_column(p, name);
    if (!c)
        return no_column(p, name, err);
    if (v->column_count == EXPORT_COLUMNS)
        return fail(err, "at most %d columns can be printed", EXPORT_COLUMNS);
    v->columns[v->column_count++] = (unsigned)(c - p->columns);
    return true;
}

bool export_columns(struct export_view *v, const struct pane *p, const char *list, struct err *err)
{
    const bool all = list && strcmp(list, "all") == 0;
    v->column_count = 0;
    if (!list || all) {
        for (unsigned i = 0; i < p->column_count && v->column_count < EXPORT_COLUMNS; i++)
            if (all || p->columns[i].flags & COLUMN_DEFAULT)
                v->columns[v->column_count++] = i;
        return true;
    }
    for (const char *at = list;;) {
        const size_t bytes = strcspn(at, ",");
        if (!add_column(v, p, at, bytes, err))
            return false;
        if (!at[bytes])
            return true;
        at += bytes + 1;
    }
}

bool export_covers(const struct frame *f, char *out, size_t room)
{
    char from[CLOCK_TEXT], to[CLOCK_TEXT];
    if (!frame_covers_part(f))
        return false;
    snprintf(out, room,
             "covers the last %.1f s, from %s to %s; older events are no longer kept",
             (double)frame_span(f) / 1e9, clock_format_iso(f->first_instant, from),
             clock_format_iso(f->instant, to));
    return true;
}

static bool remark_twice(const struct frame *f, char *out)
{
    snprintf(out, EXPORT_REMARK,
             "bytes and times of files and of disks are added up together; class=file or "
             "class=disk in the filter chooses one");
    return f->counts_twice;
}

static bool remark_span(const struct frame *f, char *out)
{
    char covers[256];
    const bool is_part = export_covers(f, covers, sizeof covers);
    snprintf(out, EXPORT_REMARK, "the table %s", is_part ? covers : "");
    return is_part;
}

static bool remark_unread(const struct frame *f, char *out)
{
    snprintf(out, EXPORT_REMARK,
             "%" PRIu64 " events are not counted: the query needs their records, and these are no "
             "longer kept; a larger --ring keeps more",
             f->unread);
    return f->unread;
}

static bool remark_filter(const struct frame *f, char *out)
{
    snprintf(out, EXPORT_REMARK, "%s", f->filter_remark);
    return *f->filter_remark;
}

static bool remark_given_up(const struct frame *f, char *out)
{
    return filter_given_up_text(f->given_up, out, EXPORT_REMARK);
}

static bool remark_folded(const struct frame *f, char *out)
{
    snprintf(out, EXPORT_REMARK,
             "%" PRIu64 " rows did not fit: (others) adds them up, and other rows may lack their "
             "earlier events; use fewer keys or a filter",
             f->folded);
    return f->folded;
}

static bool remark_recorder(const struct frame *f, char *out)
{
    char recorder[FRAME_RECORDER];
    frame_recorder(f, recorder);
    snprintf(out, EXPORT_REMARK, "the table counts events that were recorded by %s", recorder);
    return *recorder;
}

static bool (*const remarks[])(const struct frame *f, char *out) = {
    remark_twice,    remark_span,   remark_unread,   remark_filter,
    remark_given_up, remark_folded, remark_recorder,
};

bool export_remark(const struct frame *f, unsigned *at, char out[EXPORT_REMARK])
{
    while (*at < sizeof remarks / sizeof *remarks)
        if (remarks[(*at)++](f, out))
            return true;
    return false;
}

void export_header(const struct export_view *v, unsigned i, char *out, size_t room)
{
    const struct column *const c = export_column(v, i);
    const bool has_unit = c->unit && *c->unit;
    snprintf(out, room, "%s%s%s", c->id, has_unit ? "_" : "", has_unit ? c->unit : "");
}

/* ---- values ------------------------------------------------------------------------- */

bool export_is_text(const struct value *v)
{
    return v->type == VALUE_TEXT || v->type == VALUE_PATH || v->type == VALUE_SERIES ||
           v->type == VALUE_BINS;
}

const char *export_text(const struct export_view *v, const struct value *x)
{
    return v->frame->arena + x->text.offset;
}

void export_safe(FILE *to, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        char cluster[TEXT_CLUSTER_ROOM];
        int cells;
        at += text_cluster(text + at, bytes - at, cluster, sizeof cluster, &cells);
        fputs(cluster, to);
    }
}

/* Three digits behind the point are more than a rate is worth; none where it is whole. */
static void plain_number(double number, char *out)
{
    if (!isfinite(number))
        out[0] = '\0';
    else if (number == floor(number) && fabs(number) < 1e15)
        snprintf(out, EXPORT_PLAIN, "%.0f", number);
    else
        snprintf(out, EXPORT_PLAIN, "%.3f", number);
}

/* The fewest digits that read back as the same number. */
static void real_number(double number, char *out)
{
    enum { LEAST = 15, MOST = 17 };
    int digits = LEAST;
    out[0] = '\0';
    if (isfinite(number))
        do
            snprintf(out, EXPORT_PLAIN, "%.*g", digits, number);
        while (digits++ < MOST && strtod(out, NULL) != number);
}

const char *export_plain(const struct value *v, char *out)
{
    out[0] = '\0';
    switch ((enum value_type)v->type) {
    case VALUE_ABSENT:
    case VALUE_TEXT:
    case VALUE_PATH:
    case VALUE_SERIES:
    case VALUE_BINS:
        break;
    case VALUE_ID:
    case VALUE_COUNT:
    case VALUE_BYTES:
        if (v->is_difference)
            snprintf(out, EXPORT_PLAIN, "%" PRId64, v->ns);
        else
            snprintf(out, EXPORT_PLAIN, "%" PRIu64, v->count);
        break;
    case VALUE_HEX:
        snprintf(out, EXPORT_PLAIN, "0x%" PRIx64, v->count);
        break;
    case VALUE_REAL:
        real_number(v->number, out);
        break;
    case VALUE_RATE:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        plain_number(v->number, out);
        break;
    case VALUE_TIME:
        snprintf(out, EXPORT_PLAIN, "%" PRId64, v->ns);
        break;
    case VALUE_INSTANT:
        clock_format_iso(v->ns, out);
        break;
    }
    return out;
}
