/* One object per row: what it is (schema, time, interval, losses), then the columns by
 * their ids; what is absent is null. */
#include "src/export/export.h"

#include "src/aggregate/bins.h"
#include "src/base/clock.h"
#include "src/base/json.h"
#include "src/base/show.h"

#include <inttypes.h>
#include <string.h>

/* [{"value":4,"count":3}]; of lquantize what lies beyond its bins is {"below":0,…}, {"from":100,…}.
 */
static void put_bins(const struct export_view *v, const struct value *x, FILE *to)
{
    const char *at = export_text(v, x), *const end = at + x->text.bytes;
    struct bin one;
    for (unsigned i = 0; bins_read(&at, end, &one); i++)
        show(to, "%s{\"%s\":%.*s,\"count\":%" PRIu64 "}", i ? "," : "[", one.json_key,
             (int)one.number_bytes, one.number, one.count);
    putc(']', to);
}

static void put_cell(const struct export_view *v, const struct value *x, FILE *to)
{
    char plain[EXPORT_PLAIN];
    if (x->type == VALUE_BINS) {
        put_bins(v, x, to);
        return;
    }
    if (export_is_text(x)) {
        json_string(to, export_text(v, x), x->text.bytes);
        return;
    }
    export_plain(x, plain);
    const bool quoted = x->type == VALUE_INSTANT || x->type == VALUE_HEX;
    if (!plain[0])
        fputs("null", to);
    else
        show(to, quoted ? "\"%s\"" : "%s", plain);
}

/* Keys of an object are unique: where the pane has a column `time`, that is the time. */
static bool has_column(const struct export_view *v, const char *id)
{
    for (unsigned i = 0; i < v->column_count; i++)
        if (strcmp(export_column(v, i)->id, id) == 0)
            return true;
    return false;
}

static void put_head(const struct export_view *v, FILE *to)
{
    const struct frame *const f = v->frame;
    const uint64_t lost = f->loss.kernel + f->loss.realtime + f->loss.ring + f->loss.decoder;
    char time[CLOCK_TEXT];
    show(to, "{\"schema\":\"tracetop.%s.1\"", f->pane->id);
    if (!has_column(v, "time"))
        show(to, ",\"time\":\"%s\"", clock_format_iso(f->instant, time));
    show(to, ",\"interval_s\":%.9g,\"lost\":%" PRIu64, f->interval_s, lost);
    if (frame_covers_part(f))
        show(to, ",\"covers_from\":\"%s\"", clock_format_iso(f->first_instant, time));
}

static void write_jsonl(const struct export_view *v, FILE *to)
{
    for (unsigned r = 0; r < v->frame->row_count; r++) {
        put_head(v, to);
        for (unsigned i = 0; i < v->column_count; i++) {
            show(to, ",\"%s\":", export_column(v, i)->id);
            put_cell(v, export_cell(v, &v->frame->rows[r], i), to);
        }
        fputs("}\n", to);
    }
}

const struct export_kind export_jsonl = {.id = "jsonl", .write = write_jsonl};
