/* Rows come in the order of the tree, parents before what they called, with their depth. A path is
 * kept while they pass; a row with weight of its own is a line of the file. Events without a stack,
 * or with an unknown one, are a line, too: every file adds up to the header of the view. */
#include "src/export/stacks.h"

#include "src/base/hash.h"
#include "src/base/json.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/export/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 2 * 256 + 2 };

struct names;

/* Cells of pane_stacks, found by their ids. */
struct cells {
    size_t text, weight, self;
};

struct walk {
    const struct stacks_export *x;
    struct cells cells;
    FILE *to;
    unsigned path[DEEPEST]; /* rows above, outermost first */
    unsigned depth;
    uint64_t lines;
    uint64_t next[DEEPEST + 1]; /* perfetto: where the next slice of each depth begins */
    const struct names *names;  /* speedscope */
};

typedef void (*walker)(struct walk *w, unsigned row, uint64_t self);

static size_t cell_of(const struct frame *f, const char *id)
{
    return (size_t)(pane_column(f->pane, id) - f->pane->columns);
}

static uint64_t number_of(const struct value *v)
{
    return v->type == VALUE_TIME ? (uint64_t)v->ns : v->count;
}

static const char *text_of(const struct walk *w, unsigned row, size_t *bytes)
{
    const struct value *const v = &w->x->frame->rows[row].cells[w->cells.text];
    *bytes = v->text.bytes;
    return w->x->frame->arena + v->text.offset;
}

/* Every row, with the path to it; rows that are no frames stand at the top. */
static void walk_rows(struct walk *w, walker each)
{
    const struct frame *const f = w->x->frame;
    w->cells = (struct cells){cell_of(f, "frame"), cell_of(f, "samples"), cell_of(f, "self")};
    for (unsigned i = 0; i < f->row_count; i++) {
        const unsigned level = f->rows[i].level ? f->rows[i].level : 1;
        w->depth = level < DEEPEST ? level : DEEPEST;
        w->path[w->depth - 1] = i;
        each(w, i, number_of(&f->rows[i].cells[w->cells.self]));
    }
}

/* ---- folded -------------------------------------------------------------------------------- */

/* A semicolon divides frames, the last blank the count, a line end stacks. */
static void put_folded(FILE *to, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const char *const mark = memchr(text + at, ';', bytes - at);
        const size_t end = mark ? (size_t)(mark - text) : bytes;
        show_text(to, text + at, end - at);
        if (mark)
            fputc(':', to);
        at = end + (mark != NULL);
    }
}

static void folded_row(struct walk *w, unsigned row, uint64_t self)
{
    (void)row;
    if (!self)
        return;
    for (unsigned i = 0; i < w->depth; i++) {
        size_t bytes;
        const char *const text = text_of(w, w->path[i], &bytes);
        if (i)
            fputc(';', w->to);
        put_folded(w->to, text, bytes);
    }
    show(w->to, " %" PRIu64 "\n", self);
}

static void write_folded(struct walk *w)
{
    walk_rows(w, folded_row);
}

/* ---- tree ---------------------------------------------------------------------------------- */

static void tree_row(struct walk *w, unsigned row, uint64_t self)
{
    const struct frame *const f = w->x->frame;
    const uint64_t all = f->stack_weight + f->stack_missing;
    const uint64_t weight = number_of(&f->rows[row].cells[w->cells.weight]);
    size_t bytes;
    const char *const text = text_of(w, row, &bytes);
    show(w->to, "%6.2f%% %14" PRIu64 " %14" PRIu64 "  %*s",
            all ? (double)weight / (double)all * 100 : 0, weight, self, 2 * (int)(w->depth - 1),
            "");
    put_folded(w->to, text, bytes);
    fputc('\n', w->to);
}

static void write_tree(struct walk *w)
{
    const struct frame *const f = w->x->frame;
    const struct stack_metric_kind *const m = &stack_metrics[f->metric];
    show(w->to, "%7s %14s %14s  FRAME (%s, %s; percent of all)\n", "TOTAL%", m->title, "SELF",
            m->id, m->unit);
    walk_rows(w, tree_row);
}

/* ---- speedscope ---------------------------------------------------------------------------- */

/* Equal names are one frame: numbers by text. */
struct names {
    struct map numbers; /* hash of a text → index into firsts + 1; chained by next */
    unsigned *firsts;   /* the first row of each name … */
    uint32_t *nexts;    /* … another name of the same hash, + 1 */
    uint32_t count, room;
    uint32_t *of_row;
};

static uint32_t name_add(struct names *n, unsigned row)
{
    if (n->count == n->room) {
        n->room = n->room ? n->room * 2 : 256;
        n->firsts = mem_grow(n->firsts, n->room, sizeof *n->firsts);
        n->nexts = mem_grow(n->nexts, n->room, sizeof *n->nexts);
    }
    n->firsts[n->count] = row;
    n->nexts[n->count] = 0;
    return n->count++;
}

static uint32_t name_of(struct walk *w, struct names *n, unsigned row)
{
    size_t bytes, other_bytes;
    const char *const text = text_of(w, row, &bytes);
    const uint64_t hash = hash_bytes(HASH_START, text, bytes);
    const uint32_t first = map_get(&n->numbers, hash);
    for (uint32_t at = first; at; at = n->nexts[at - 1]) {
        const char *const other = text_of(w, n->firsts[at - 1], &other_bytes);
        if (bytes == other_bytes && memcmp(text, other, bytes) == 0)
            return at - 1;
    }
    const uint32_t number = name_add(n, row);
    n->nexts[number] = first;
    map_put(&n->numbers, hash, number + 1);
    return number;
}

static void names_init(struct names *n, struct walk *w)
{
    const struct frame *const f = w->x->frame;
    *n = (struct names){.of_row = mem_new((size_t)f->row_count + 1, sizeof *n->of_row)};
    map_init(&n->numbers);
    w->cells.text = cell_of(f, "frame");
    for (unsigned i = 0; i < f->row_count; i++)
        n->of_row[i] = name_of(w, n, i);
}

static void names_fini(struct names *n)
{
    map_fini(&n->numbers);
    free(n->firsts);
    free(n->nexts);
    free(n->of_row);
}

/* "samples" or "weights": one for each row that weighs something by itself. */
static void sample_row(struct walk *w, unsigned row, uint64_t self)
{
    (void)row;
    if (!self)
        return;
    fputs(w->lines++ ? ",\n[" : "\n[", w->to);
    for (unsigned i = 0; i < w->depth; i++)
        show(w->to, "%s%" PRIu32, i ? "," : "", w->names->of_row[w->path[i]]);
    fputc(']', w->to);
}

static void weight_row(struct walk *w, unsigned row, uint64_t self)
{
    (void)row;
    if (self)
        show(w->to, "%s%" PRIu64, w->lines++ ? "," : "", self);
}

static void put_frames(struct walk *w)
{
    for (uint32_t i = 0; i < w->names->count; i++) {
        size_t bytes;
        const char *const text = text_of(w, w->names->firsts[i], &bytes);
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", w->to);
        json_string(w->to, text, bytes);
        fputc('}', w->to);
    }
}

static void write_speedscope(struct walk *w)
{
    static const char *const units[] = {"count", "none", "ns", "nanoseconds", "bytes", "bytes"};
    const struct frame *const f = w->x->frame;
    const struct stack_metric_kind *const m = &stack_metrics[f->metric];
    struct names names;
    names_init(&names, w);
    w->names = &names;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\":\"tracetop " TRACETOP_VERSION "\",\n\"name\":",
          w->to);
    json_text(w->to, w->x->name);
    fputs(",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", w->to);
    put_frames(w);
    fputs("]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":", w->to);
    json_text(w->to, m->id);
    const char *unit = "none";
    for (size_t i = 0; i < sizeof units / sizeof *units; i += 2)
        if (strcmp(units[i], m->unit) == 0)
            unit = units[i + 1];
    show(w->to, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
            unit, f->stack_weight + f->stack_missing);
    walk_rows(w, sample_row);
    w->lines = 0;
    fputs("],\n\"weights\":[", w->to);
    walk_rows(w, weight_row);
    fputs("]}]}\n", w->to);
    names_fini(&names);
}

/* ---- Perfetto ------------------------------------------------------------------------------ */

/* Time stands for weight: every frame is as long as what it weighs, callees below their callers,
 * the heaviest of each first where rows come in that order. One unit is a nanosecond. */
static void slice_row(struct walk *w, unsigned row, uint64_t self)
{
    const struct frame *const f = w->x->frame;
    const uint64_t weight = number_of(&f->rows[row].cells[w->cells.weight]);
    const unsigned at = w->depth - 1;
    size_t bytes;
    const char *const text = text_of(w, row, &bytes);
    const uint64_t start = w->next[at];
    w->next[at] = start + weight;
    w->next[at + 1] = start; /* what it called begins where it does */
    fputs(",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":", w->to);
    json_string(w->to, text, bytes);
    show(w->to,
            ",\"ts\":%" PRIu64 ".%03u,\"dur\":%" PRIu64 ".%03u,\"args\":{\"weight\":%" PRIu64
            ",\"self\":%" PRIu64 "}}",
            start / 1000, (unsigned)(start % 1000), weight / 1000, (unsigned)(weight % 1000),
            weight, self);
}

static void write_perfetto(struct walk *w)
{
    const struct stack_metric_kind *const m = &stack_metrics[w->x->frame->metric];
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"tracetop " TRACETOP_VERSION
          "\",\"metric\":",
          w->to);
    json_text(w->to, m->id);
    fputs(",\"unit\":", w->to);
    json_text(w->to, m->unit);
    fputs("},\n\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{"
          "\"name\":",
          w->to);
    json_text(w->to, w->x->name);
    fputs("}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":",
          w->to);
    json_text(w->to, m->help);
    fputs("}}", w->to);
    walk_rows(w, slice_row);
    fputs("\n]}\n", w->to);
}

/* ---- all of them --------------------------------------------------------------------------- */

#define FORMAT(id, ending) {#id, write_##id},

bool stacks_write(const struct stacks_export *x, const char *format, FILE *to)
{
    static const struct {
        const char *name;
        void (*write)(struct walk *w);
    } formats[] = {STACK_FORMATS(FORMAT, FORMAT)};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, format) != 0)
            continue;
        struct walk *const w = mem_new(1, sizeof *w);
        *w = (struct walk){.x = x, .to = to};
        formats[i].write(w);
        free(w);
        return true;
    }
    return false;
}

void stacks_account(const struct frame *f, char *out, size_t room)
{
    const struct stack_metric_kind *const m = &stack_metrics[f->metric];
    const bool is_count = strcmp(m->unit, "count") == 0;
    int used =
        snprintf(out, room, "%s: %" PRIu64 "%s%s with a stack, %" PRIu64 " without", m->id,
                 f->stack_weight, is_count ? "" : " ", is_count ? "" : m->unit, f->stack_missing);
    if (f->stack_hidden && used > 0 && (size_t)used < room)
        used +=
            snprintf(out + used, room - (size_t)used, ", %" PRIu64 " left out", f->stack_hidden);
    if (f->stack_cut && used > 0 && (size_t)used < room)
        snprintf(out + used, room - (size_t)used,
                 "; %" PRIu64 " of them not in full depth: too many different frames",
                 f->stack_cut);
}
