#include "src/export/answer.h"

#include "src/aggregate/bins.h"
#include "src/base/clock.h"
#include "src/export/export.h"
#include "src/field/field.h"

#include <inttypes.h>
#include <string.h>

/* ",": before every element but the first. */
static const char *comma(unsigned i)
{
    return i ? "," : "";
}

static const char *yes(bool is_so)
{
    return is_so ? "true" : "false";
}

const char *answer_type(unsigned type)
{
    static const char *const names[] = {
        [VALUE_ABSENT] = "none",     [VALUE_TEXT] = "text",
        [VALUE_PATH] = "path",       [VALUE_ID] = "id",
        [VALUE_HEX] = "hex",         [VALUE_COUNT] = "count",
        [VALUE_REAL] = "number",     [VALUE_RATE] = "rate",
        [VALUE_BYTES] = "bytes",     [VALUE_BYTE_RATE] = "byte rate",
        [VALUE_TIME] = "time",       [VALUE_TIME_RATE] = "time rate",
        [VALUE_PERCENT] = "percent", [VALUE_INSTANT] = "instant",
        [VALUE_SERIES] = "series",   [VALUE_BINS] = "bins",
    };
    return names[type];
}

/* ---- the head -------------------------------------------------------------------------------- */

static void put_source(const struct answer *a, struct json_out *to)
{
    json_out_put(to, ",\"source\":{\"kind\":\"%s\",\"made_up\":%s,\"names\":[", a->kind,
                 yes(a->frame->is_synthetic));
    enum { SOME = 8 };
    const size_t most = a->is_short ? SOME : SIZE_MAX;
    for (unsigned i = 0; i < a->name_count && i < most; i++) {
        json_out_put(to, "%s", comma(i));
        json_out_text(to, a->names[i], strlen(a->names[i]), a->most_text);
    }
    json_out_put(to, "]}");
}

static void put_instant(struct json_out *to, const char *name, int64_t ns)
{
    char time[CLOCK_TEXT];
    if (ns)
        json_out_put(to, "\"%s\":\"%s\"", name, clock_format_iso(ns, time));
    else
        json_out_put(to, "\"%s\":null", name);
}

static void put_span(const struct frame *f, struct json_out *to)
{
    const bool has_range = f->range_to > f->range_from;
    json_out_put(to, ",\"span\":{");
    /* A range leaves its first instant out. */
    put_instant(to, "from", has_range ? f->range_from + 1 : f->first_instant);
    json_out_put(to, ",");
    put_instant(to, "to", has_range ? f->range_to : f->instant);
    json_out_put(to, ",\"seconds\":%.9g},\"recorded_s\":{", f->interval_s);
    unsigned written = 0;
    const uint32_t classes =
        f->pane->view == PANE_CHANGES ? ~0u : f->pane->classes; /* of all panes */
    for (const struct field_word *w = field_class_words; w->word; w++)
        if (f->class_s[w->number] > 0 && classes >> w->number & 1)
            json_out_put(to, "%s\"%s\":%.9g", comma(written++), w->word, f->class_s[w->number]);
    json_out_put(to, "}");
}

/* What the span is compared with. */
static void put_before(const struct frame *f, struct json_out *to)
{
    if (f->base_to <= f->base_from)
        return;
    json_out_put(to, ",\"before\":{");
    put_instant(to, "from", f->base_from + 1);
    json_out_put(to, ",");
    put_instant(to, "to", f->base_to);
    json_out_put(to, ",\"seconds\":%.9g}", (double)(f->base_to - f->base_from) / 1e9);
}

static void put_loss(const struct frame *f, struct json_out *to)
{
    const struct frame_loss *const l = &f->loss;
    json_out_put(to,
                 ",\"loss\":{\"kernel\":%" PRIu64 ",\"undelivered\":%" PRIu64
                 ",\"buffers\":%" PRIu64 ",\"ring\":%" PRIu64 ",\"undecoded\":%" PRIu64
                 ",\"known\":%s}",
                 l->kernel, l->undelivered, l->realtime, l->ring, l->decoder, yes(!l->is_unknown));
}

/* Was a class of the pane's recorded at all? */
static bool is_recorded(const struct frame *f)
{
    for (unsigned i = 0; i < FACT_CLASSES; i++)
        if (f->class_s[i] > 0 && f->pane->classes >> i & 1)
            return true;
    return f->pane->classes == ~0u;
}

static void put_completeness(const struct frame *f, struct json_out *to)
{
    const struct frame_loss *const l = &f->loss;
    const bool is_whole = is_recorded(f) && !l->kernel && !l->realtime && !l->ring && !l->decoder &&
                          !l->is_unknown && !f->is_partial && !f->unread && !f->given_up &&
                          !f->folded && !frame_covers_part(f);
    json_out_put(to,
                 ",\"completeness\":{\"complete\":%s,\"unread\":%" PRIu64 ",\"given_up\":%" PRIu64
                 ",\"late\":%" PRIu64 ",\"folded_rows\":%" PRIu64 ",\"is_partial\":%s,",
                 yes(is_whole), f->unread, f->given_up, f->late, f->bounds.rows_folded,
                 yes(f->is_partial));
    put_instant(to, "covers_from", frame_covers_part(f) ? f->first_instant : 0);
    json_out_put(to, "}");
}

static void put_remarks(const struct frame *f, struct json_out *to)
{
    char remark[EXPORT_REMARK];
    unsigned written = 0;
    json_out_put(to, ",\"remarks\":[");
    for (unsigned at = 0; export_remark(f, &at, remark);) {
        json_out_put(to, "%s", comma(written++));
        json_out_text(to, remark, strlen(remark), sizeof remark);
    }
    json_out_put(to, "]");
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The next column from `i` on that is wanted; column_count behind the last. */
static unsigned next_column(const struct answer *a, unsigned i)
{
    const struct pane *const p = a->frame->pane;
    for (; a->columns && i < p->column_count; i++) {
        const size_t bytes = strlen(p->columns[i].id);
        for (const char *at = a->columns; *at; at += strcspn(at, " "), at += *at == ' ')
            if (strcspn(at, " ") == bytes && memcmp(at, p->columns[i].id, bytes) == 0)
                return i;
    }
    return i;
}

#define EACH_COLUMN(a, i)                                                                          \
    for (unsigned i = next_column(a, 0), i##_written = 0; i < (a)->frame->pane->column_count;      \
         i = next_column(a, i + 1), i##_written++)

static void put_column(const struct answer *a, unsigned i, struct json_out *to)
{
    const struct column *const c = &a->frame->pane->columns[i];
    struct query_column of = {.role = QUERY_ROLE_CELL};
    const bool is_query = query_pane_is(a->frame->pane);
    if (is_query)
        query_pane_column(a->frame->pane, i, &of);
    json_out_put(to, "{\"type\":\"%s\"", answer_type(c->type));
    json_out_member(to, "id", c->id);
    json_out_member(to, "unit", c->unit ? c->unit : "");
    if (is_query) {
        json_out_put(to, ",\"role\":\"%s\"", query_roles[of.role]);
        json_out_member(to, "field", of.field);
        json_out_member(to, "aggregate", of.aggregate);
        json_out_put(to, ",\"exact\":%s", yes(!of.error));
        if (of.error)
            json_out_member(to, "error", of.error);
    }
    if (!a->is_short)
        json_out_member(to, "help", c->help);
    if (i < FRAME_COLUMNS && a->frame->missing >> i & 1)
        json_out_put(to, ",\"recorded\":false");
    json_out_put(to, "}");
}

static void put_head(const struct answer *a, struct json_out *to)
{
    const struct frame *const f = a->frame;
    const char *const title = query_pane_is(f->pane) ? f->pane->title : NULL;
    json_out_put(to, "{\"schema\":\"tracetop.answer.1\"");
    json_out_member(to, "query", title);
    json_out_member(to, "pane", f->pane->id);
    put_source(a, to);
    put_span(f, to);
    put_before(f, to);
    put_loss(f, to);
    put_completeness(f, to);
    put_remarks(f, to);
    json_out_put(to, ",\"columns\":[");
    EACH_COLUMN(a, i)
    {
        json_out_put(to, "%s", comma(i_written));
        put_column(a, i, to);
    }
    json_out_put(to, "],\"rows\":[");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* "0 12 7" as numbers. */
static void put_series(const char *text, size_t bytes, struct json_out *to)
{
    json_out_put(to, "[");
    for (size_t i = 0; i < bytes; i++)
        json_out_put(to, "%c", text[i] == ' ' ? ',' : text[i]);
    json_out_put(to, "]");
}

/* As jsonl has them. */
static void put_bins(const char *at, const char *end, struct json_out *to)
{
    struct bin one;
    json_out_put(to, "[");
    for (unsigned i = 0; bins_read(&at, end, &one); i++)
        json_out_put(to, "%s{\"%s\":%.*s,\"count\":%" PRIu64 "}", comma(i), one.json_key,
                     (int)one.number_bytes, one.number, one.count);
    json_out_put(to, "]");
}

static void put_value(const struct answer *a, const struct value *v, struct json_out *to)
{
    char plain[EXPORT_PLAIN];
    const bool is_text = v->type == VALUE_TEXT || v->type == VALUE_PATH;
    if (export_is_text(v)) {
        const char *const text = a->frame->arena + v->text.offset;
        if (is_text)
            json_out_text(to, text, v->text.bytes, a->most_text);
        else if (v->type == VALUE_BINS)
            put_bins(text, text + v->text.bytes, to);
        else
            put_series(text, v->text.bytes, to);
        return;
    }
    export_plain(v, plain);
    const bool has_quotes = v->type == VALUE_INSTANT || v->type == VALUE_HEX;
    const char *const quote = has_quotes && plain[0] ? "\"" : "";
    json_out_put(to, "%s%s%s", quote, plain[0] ? plain : "null", quote);
}

static bool put_row(const struct answer *a, unsigned r, struct json_out *to)
{
    const size_t before = to->used;
    json_out_put(to, "%s[", comma(r));
    EACH_COLUMN(a, i)
    {
        json_out_put(to, "%s", comma(i_written));
        put_value(a, &a->frame->rows[r].cells[i], to);
    }
    json_out_put(to, "]");
    if (!to->is_full)
        return true;
    json_out_rewind(to, before);
    return false;
}

static unsigned put_rows(const struct answer *a, struct json_out *to)
{
    const struct frame *const f = a->frame;
    unsigned r = 0;
    while (r < f->row_count && put_row(a, r, to))
        r++;
    return r;
}

/* ---- what is not in the rows ----------------------------------------------------------------- */

static bool is_whole_number(const struct value *v)
{
    return v->type == VALUE_COUNT || v->type == VALUE_BYTES || v->type == VALUE_TIME;
}

/* What a column that adds up comes to in all rows but the first `written`; null elsewhere. */
static void put_rest(const struct answer *a, unsigned column, unsigned written, struct json_out *to)
{
    const struct frame *const f = a->frame;
    const struct value *const total = f->totals ? &f->totals[column] : NULL;
    const bool adds_up = total && f->pane->columns[column].flags & COLUMN_SUMS &&
                         is_whole_number(total) && !f->first;
    uint64_t rest = adds_up ? total->count : 0;
    for (unsigned r = 0; adds_up && r < written; r++)
        rest -= f->rows[r].cells[column].type == total->type ? f->rows[r].cells[column].count : 0;
    if (adds_up)
        json_out_put(to, "%" PRId64, (int64_t)rest);
    else
        json_out_put(to, "null");
}

static void put_others(const struct answer *a, unsigned written, struct json_out *to)
{
    const struct frame *const f = a->frame;
    /* Behind a query's `top N` rows are hidden. */
    const uint64_t rows = f->shown + (query_pane_is(f->pane) ? f->hidden : 0),
                   before = f->first + written;
    json_out_put(to,
                 "],\"first\":%" PRIu64 ",\"row_count\":%" PRIu64 ",\"others\":{\"rows\":%" PRIu64,
                 f->first, rows, rows > before ? rows - before : 0);
    json_out_put(to, ",\"sums\":");
    if (f->pane->view == PANE_TABLE) {
        json_out_put(to, "[");
        EACH_COLUMN(a, i)
        {
            json_out_put(to, "%s", comma(i_written));
            put_rest(a, i, written, to);
        }
        json_out_put(to, "]");
    } else {
        json_out_put(to, "null");
    }
    json_out_put(to, "}}");
}

unsigned answer_write(const struct answer *a, struct json_out *to)
{
    enum {
        WORDS = 256,
        SUM = 22
    }; /* behind the rows: a sum of each column has 21 digits at most */
    const size_t most = to->most, tail = WORDS + SUM * a->frame->pane->column_count;
    to->most = most > tail ? most - tail : 0;
    put_head(a, to);
    const unsigned written = to->is_full ? 0 : put_rows(a, to);
    to->most = most;
    put_others(a, written, to);
    return written;
}
