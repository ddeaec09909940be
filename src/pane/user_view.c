#include "src/pane/user_view_inside.h"

#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "src/table/dictionary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts of payloads ------------------------------------------------------------------------- */

static bool is_decimal(const char *text)
{
    enum { MOST_DIGITS = 19 };
    const size_t digits = strspn(text, "0123456789");
    return digits && digits <= MOST_DIGITS && !text[digits] && (text[0] != '0' || digits == 1);
}

static struct value value_of_text(struct row_context *x, uint32_t id)
{
    const char *const text = id == ROW_OTHERS ? "(others)"
                             : x->dictionary  ? dictionary_text(x->dictionary, id)
                                              : NULL;
    if (text && is_decimal(text))
        return value_number(VALUE_ID, strtoull(text, NULL, 10));
    return value_text(x, VALUE_TEXT, text ? text : "(forgotten)");
}

/* ---- cells ----------------------------------------------------------------------------------- */

static const struct user_view_column *spec_of(const struct column *c, const struct row_context *x)
{
    const struct user_view *const d = x->table->pane->user_view;
    return &d->specs[c - d->columns];
}

/* What an id stands for; the text of a payload field may be a number. */
static struct value value_of_id(const struct user_view_column *s, struct row_context *x,
                                uint32_t id)
{
    return s->of_payload ? value_of_text(x, id) : field_cell_value(s->field, x, id);
}

static uint32_t part_of(struct row_key key, unsigned part)
{
    const uint32_t parts[] = {key.a, key.b, key.c};
    return parts[part];
}

static struct value get_key(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    const struct user_view_column *const s = spec_of(c, x);
    return value_of_id(s, x, part_of(r->key, s->part));
}

static struct value get_most(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const uint32_t id = row_most(x, r, column_measure(x, c, 0));
    return id ? value_of_id(spec_of(c, x), x, id) : value_absent();
}

static struct value get_last(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const uint32_t id = (uint32_t)row_tally(x, r, column_measure(x, c, 0));
    return id ? value_of_id(spec_of(c, x), x, id) : value_absent();
}

static struct value get_distinct(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    struct value v = value_number(VALUE_COUNT, row_tally(x, r, column_measure(x, c, 0)));
    v.is_estimated = true;
    return v;
}

static struct value value_of_amount(const struct column *c, uint64_t amount)
{
    if (c->type == VALUE_TIME)
        return (struct value){.type = VALUE_TIME, .ns = (int64_t)(amount & INT64_MAX)};
    return value_number((enum value_type)c->type, amount);
}

/* The sum as an amount, not per second. */
static struct value get_sum(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    return value_of_amount(c, row_tally(x, r, column_measure(x, c, 0)));
}

static struct value get_largest(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const uint64_t found = row_tally(x, r, column_measure(x, c, 0));
    return found ? value_of_amount(c, found) : value_absent();
}

/* The least is kept as the largest complement. */
static struct value get_least(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    const uint64_t found = row_tally(x, r, column_measure(x, c, 0));
    return found ? value_of_amount(c, ~found) : value_absent();
}

static struct value get_mean(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const uint64_t count = row_tally(x, r, column_measure(x, c, 1));
    return count ? value_of_amount(c, row_tally(x, r, column_measure(x, c, 0)) / count)
                 : value_absent();
}

/* ---- numbers of payloads ---------------------------------------------------------------------- */

/* Below zero it has a sign. */
static struct value value_of_number(int64_t number)
{
    struct value v = value_number(VALUE_COUNT, (uint64_t)number);
    v.is_difference = number < 0;
    return v;
}

static struct value get_field_sum(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    return value_of_number((int64_t)row_tally(x, r, column_measure(x, c, 0)));
}

static struct value get_field_rate(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const double seconds = column_seconds(x, c);
    const int64_t sum = (int64_t)row_tally(x, r, column_measure(x, c, 0));
    return seconds > 0 ? value_rate(VALUE_RATE, (double)sum / seconds) : value_absent();
}

static struct value get_field_mean(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const uint64_t count = row_tally(x, r, column_measure(x, c, 1));
    const int64_t sum = (int64_t)row_tally(x, r, column_measure(x, c, 0));
    return count ? value_rate(VALUE_RATE, (double)sum / (double)count) : value_absent();
}

static struct value get_field_largest(const struct column *c, const struct table_row *r,
                                      struct row_context *x)
{
    const uint64_t rank = row_tally(x, r, column_measure(x, c, 0));
    return rank ? value_of_number((int64_t)measure_rank((int64_t)rank)) : value_absent();
}

static struct value get_field_least(const struct column *c, const struct table_row *r,
                                    struct row_context *x)
{
    const uint64_t rank = row_tally(x, r, column_measure(x, c, 0));
    return rank ? value_of_number((int64_t)measure_rank((int64_t)~rank)) : value_absent();
}

/* Histograms count nanoseconds elsewhere. */
static struct value as_count(struct value v)
{
    const bool is_estimated = v.is_estimated;
    if (v.type == VALUE_TIME)
        v = value_number(VALUE_COUNT, (uint64_t)v.ns);
    v.is_estimated = is_estimated;
    return v;
}

static struct value get_field_p50(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    return as_count(get_p50(c, r, x));
}

static struct value get_field_p90(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    return as_count(get_p90(c, r, x));
}

static struct value get_field_p99(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    return as_count(get_p99(c, r, x));
}

/* ---- what facts count ------------------------------------------------------------------------ */

/* An operation with a beginning and an end counts once, as in the panes. */
static bool counts(const struct fact *f)
{
    return f->op != OP_RUNDOWN && f->op != OP_SLICE &&
           !(f->class == FACT_DISK && f->op == OP_START) &&
           !(f->class == FACT_FILE && f->op == OP_END) &&
           !(f->class == FACT_SYSCALL && f->op == OP_END);
}

static bool has_size(const struct fact *f)
{
    static const uint32_t sized =
        BIT(FACT_DISK) | BIT(FACT_FILE) | BIT(FACT_NETWORK) | BIT(FACT_FAULT) | BIT(FACT_MEMORY);
    const bool is_moved = f->class == FACT_FILE && f->op == OP_END && f->flags & FACT_MOVED;
    return sized >> f->class & 1 && (counts(f) || is_moved);
}

static bool has_latency(const struct fact *f)
{
    return f->flags & FACT_HAS_LATENCY && f->op != OP_SLICE;
}

static uint64_t size_of(const struct fact *f)
{
    return f->value;
}

static uint64_t size_left(const struct fact *f)
{
    return ~f->value;
}

static uint64_t latency_left(const struct fact *f)
{
    return ~f->latency;
}

/* ---- aggregates ------------------------------------------------------------------------------ */

#define NOT                                                                                        \
    {                                                                                              \
        0, false, NULL, NULL, 0, 0, 0, NULL, NULL                                                  \
    }
#define TIMES(get)                                                                                 \
    {                                                                                              \
        MEASURE_HISTOGRAM, false, NULL, get, VALUE_TIME, COLUMN_RIGHT, 7, "ns", ""                 \
    }

#define NUMBERS(get) PAYLOAD(MEASURE_HISTOGRAM, get, VALUE_COUNT, COLUMN_RIGHT, 8, "", "")
#define PAYLOAD(kind, get, type, flags, width, unit, sign)                                         \
    {                                                                                              \
        kind, false, NULL, get, type, flags, width, unit, sign                                     \
    }

const struct user_view_aggregate user_view_aggregates[] = {
    {"sum",
     {NOT,
      {MEASURE_BYTES, false, NULL, get_sum, VALUE_BYTES, SUM, 8, "bytes", " B"},
      {MEASURE_LATENCY, false, NULL, get_sum, VALUE_TIME, SUM, 8, "ns", ""},
      PAYLOAD(MEASURE_BYTES, get_field_sum, VALUE_COUNT, SUM, 8, "", "")},
     NOT},
    {"rate",
     {{MEASURE_COUNT, false, NULL, get_rate, VALUE_RATE, SUM, 7, "per_s", "/S"},
      {MEASURE_BYTES, false, NULL, get_rate, VALUE_BYTE_RATE, SUM, 9, "bytes_per_s", " B/s"},
      {MEASURE_LATENCY, false, NULL, get_rate, VALUE_TIME_RATE, SUM, 9, "ns_per_s", " ms/s"},
      PAYLOAD(MEASURE_BYTES, get_field_rate, VALUE_RATE, SUM, 8, "per_s", "/S")},
     NOT},
    {"avg",
     {NOT,
      {MEASURE_BYTES, true, NULL, get_mean, VALUE_BYTES, COLUMN_RIGHT, 8, "bytes", " B"},
      TIMES(get_average),
      {MEASURE_BYTES, true, NULL, get_field_mean, VALUE_RATE, COLUMN_RIGHT, 8, "", ""}},
     NOT},
    {"min",
     {NOT,
      {MEASURE_LARGE, false, size_left, get_least, VALUE_BYTES, COLUMN_RIGHT, 8, "bytes", " B"},
      {MEASURE_LARGE, false, latency_left, get_least, VALUE_TIME, COLUMN_RIGHT, 7, "ns", ""},
      PAYLOAD(MEASURE_LARGE, get_field_least, VALUE_COUNT, COLUMN_RIGHT, 8, "", "")},
     NOT},
    {"max",
     {NOT,
      {MEASURE_LARGE, false, size_of, get_largest, VALUE_BYTES, COLUMN_RIGHT, 8, "bytes", " B"},
      TIMES(get_max),
      PAYLOAD(MEASURE_LARGE, get_field_largest, VALUE_COUNT, COLUMN_RIGHT, 8, "", "")},
     NOT},
    {"p50", {NOT, NOT, TIMES(get_p50), NUMBERS(get_field_p50)}, NOT},
    {"p90", {NOT, NOT, TIMES(get_p90), NUMBERS(get_field_p90)}, NOT},
    {"p99", {NOT, NOT, TIMES(get_p99), NUMBERS(get_field_p99)}, NOT},
    {"count",
     {{MEASURE_COUNT, false, NULL, get_count, VALUE_COUNT, SUM, 8, "", ""},
      NOT,
      NOT,
      PAYLOAD(MEASURE_COUNT, get_count, VALUE_COUNT, SUM, 8, "", "")},
     NOT},
    {"last", {NOT, NOT, NOT, NOT}, {MEASURE_LAST, false, NULL, get_last, 0, 0, 0, "", ""}},
    {"most", {NOT, NOT, NOT, NOT}, {MEASURE_MOST, false, NULL, get_most, 0, 0, 0, "", ""}},
    {"distinct",
     {NOT, NOT, NOT, NOT},
     {MEASURE_DISTINCT, false, NULL, get_distinct, VALUE_COUNT, COLUMN_RIGHT, 7, "", ""}},
};
const unsigned user_view_aggregate_count =
    sizeof user_view_aggregates / sizeof *user_view_aggregates;

const char *const user_view_amounts[AMOUNTS] = {"events", "size", "lat"};

static const struct form *form_of(const struct user_view_column *c)
{
    const struct form *const form = &c->agg->of[c->amount];
    return c->field && (!c->of_payload || !form->get) ? &c->agg->of_id : form;
}

/* The fact's process, whose number may be learnt later. */
static bool is_of_process(const struct field_def *field)
{
    return field->group == GROUP_PROCESS;
}

static bool is_one(struct user_view_field a, const struct user_view_column *c)
{
    return a.of_payload == c->of_payload && a.def->cell->of == c->field->cell->of;
}

/* Does any of the classes tell it? */
static bool has_any(const struct field_def *field, uint32_t classes)
{
    bool has = false;
    for (unsigned c = 0; c < FACT_CLASSES; c++)
        has |= (classes >> c & 1) && field_cell_has(field, c);
    return has;
}

/* ---- putting it together --------------------------------------------------------------------- */

struct user_view *user_view_new(const char *id)
{
    struct user_view *const d = mem_new(1, sizeof *d);
    snprintf(d->id, sizeof d->id, "%s", id);
    snprintf(d->drill, sizeof d->drill, "events");
    return d;
}

void user_view_free(struct user_view *d)
{
    free(d);
}

static const char *add_measure(struct user_view *d, struct measure m)
{
    const size_t i = d->pane.measure_count++;
    snprintf(d->measure_ids[i], sizeof d->measure_ids[i], "m%u", (unsigned)i & 0xff);
    m.id = d->measure_ids[i];
    m.classes = d->classes;
    d->measures[i] = m;
    return m.id;
}

/* Where rows are made of what records have, each record counts once. */
static bool (*where_of(const struct user_view *d,
                       const struct user_view_column *c))(const struct fact *)
{
    const bool is_of_records = c->of_payload || d->pane.key_fields;
    return c->field || c->amount == AMOUNT_EVENTS ? is_of_records ? NULL : counts
           : c->amount == AMOUNT_SIZE             ? has_size
                                                  : has_latency;
}

static void set_title(struct user_view_column *s, const char *sign)
{
    size_t n = 0;
    for (const char *at = s->id; *at; at++)
        s->title[n++] = *at == '_' ? '-' : (char)toupper((unsigned char)*at);
    const char *const gap = s->unit[0] && s->unit[0] != '/' && s->unit[0] != '%' ? " " : "";
    snprintf(s->title + n, sizeof s->title - n, "%s%s", gap, s->unit[0] ? s->unit : sign);
}

static void finish_key(struct user_view *d, struct user_view_column *s, struct column *c)
{
    const bool is_number = s->field->cell->type == VALUE_ID;
    c->get = get_key;
    c->type = s->field->cell->type;
    c->unit = "";
    c->width = s->width ? s->width : s->field->cell->width;
    c->flags = COLUMN_SEARCHABLE | (is_number ? COLUMN_RIGHT : 0) |
               (c->type == VALUE_PATH ? COLUMN_GROWS : 0);
    set_title(s, "");
    d->has_names |= is_of_process(s->field) && !is_number;
    d->has_instances |= is_of_process(s->field) && is_number;
    unsigned part = 0;
    while (part < d->key_count && !is_one(d->keys[part], s))
        part++;
    if (part == d->key_count)
        d->keys[d->key_count++] = (struct user_view_field){s->field, s->of_payload};
    s->part = (uint8_t)part;
}

static void finish_measured(struct user_view *d, struct user_view_column *s, struct column *c)
{
    const struct form *const form = form_of(s);
    c->get = form->get;
    c->type = form->type ? form->type : s->field->cell->type;
    c->flags = form->type ? form->flags : c->type == VALUE_ID ? COLUMN_RIGHT : COLUMN_SEARCHABLE;
    c->unit = form->unit;
    c->width = s->width ? s->width : form->width ? form->width : s->field->cell->width;
    c->measure = add_measure(d, (struct measure){.kind = (enum measure_kind)form->kind,
                                                 .where = where_of(d, s),
                                                 .of = s->field ? s->field->cell->of : NULL,
                                                 .large = form->large,
                                                 .field = s->of_payload,
                                                 .is_least = form->get == get_field_least});
    if (s->of_payload && form == &s->agg->of_id)
        d->pane.text_fields |= 1u << (s->of_payload - 1);
    if (form->has_count)
        c->measure2 = add_measure(d, (struct measure){.kind = MEASURE_COUNT,
                                                      .where = where_of(d, s),
                                                      .field = s->of_payload,
                                                      .is_of_numbers = true});
    set_title(s, form->sign);
}

static bool check_column(struct user_view *d, const struct user_view_column *s, struct err *err)
{
    if (!s->has_field &&
        !(s->agg && (strcmp(s->agg->id, "rate") == 0 || strcmp(s->agg->id, "count") == 0)))
        return fail(err, "[column %s]: expected a field", s->id);
    if (s->field && !has_any(s->field, d->classes))
        return fail(err, "[column %s]: what source says has no %s", s->id, s->field->id);
    if (!s->agg && !s->field)
        return fail(err, "[column %s]: expected an agg, such as rate", s->id);
    if (s->agg && !form_of(s)->get)
        return fail(err, "[column %s]: there is no %s of %s", s->id, s->agg->id,
                    s->field ? s->field->id : user_view_amounts[s->amount]);
    return true;
}

/* Rows are made of them: known before what is measured. */
static void choose_key_fields(struct user_view *d)
{
    for (unsigned i = 0; i < d->column_count; i++)
        if (d->specs[i].of_payload && !d->specs[i].agg)
            d->pane.key_fields |= 1u << (d->specs[i].of_payload - 1);
    d->pane.text_fields = d->pane.key_fields;
}

static bool finish_columns(struct user_view *d, struct err *err)
{
    bool has_measured = false;
    choose_key_fields(d);
    for (unsigned i = 0; i < d->column_count; i++) {
        struct user_view_column *const s = &d->specs[i];
        struct column *const c = &d->columns[i];
        if (!check_column(d, s, err))
            return false;
        bool is_known = s->agg != NULL;
        for (unsigned k = 0; k < d->key_count && !s->agg; k++)
            is_known |= is_one(d->keys[k], s);
        if (!is_known && d->key_count == USER_VIEW_KEYS)
            return fail(err, "[column %s]: rows are made of at most %d things", s->id,
                        USER_VIEW_KEYS);
        if (s->agg)
            finish_measured(d, s, c);
        else
            finish_key(d, s, c);
        has_measured |= s->agg != NULL;
        c->id = s->id;
        c->title = s->title;
        if (!s->help[0] && s->agg)
            snprintf(s->help, sizeof s->help, "%s of %s", s->agg->id,
                     s->field ? s->field->id : user_view_amounts[s->amount]);
        c->help = s->help[0] ? s->help : s->field->cell->help;
        c->rank = (uint8_t)(s->agg ? 1 + i / 2 : 0);
        if (!s->is_hidden)
            c->flags |= COLUMN_DEFAULT;
        if (c->width < strlen(s->title))
            c->width = (uint8_t)strlen(s->title);
        if (s->is_sort)
            d->pane.sort = s->id;
        else if (!d->pane.sort && s->agg && c->flags & COLUMN_SUMS)
            d->pane.sort = s->id;
    }
    if (!d->key_count)
        return fail(err, "expected a column without agg: its field makes the rows");
    return has_measured || fail(err, "expected a column with agg: what to count");
}

/* Files and processes are known better later: their rows then move. */
static void finish_key_parts(struct user_view *d)
{
    for (unsigned i = 0; i < d->key_count; i++)
        if (is_of_process(d->keys[i].def))
            d->pane.process_part = (uint8_t)(PART_A + i);
    for (unsigned i = 1; i < d->key_count; i++) {
        if (d->keys[i].def->cell->type != VALUE_PATH)
            continue;
        for (unsigned c = 0; c < d->column_count; c++)
            if (!d->specs[c].agg && (d->specs[c].part == 0 || d->specs[c].part == i))
                d->specs[c].part = (uint8_t)(d->specs[c].part ? 0 : i);
        const struct user_view_field first = d->keys[0];
        d->keys[0] = d->keys[i];
        d->keys[i] = first;
        if (is_of_process(first.def))
            d->pane.process_part = (uint8_t)(PART_A + i);
    }
    d->pane.joins_names = d->has_names && !d->has_instances;
    d->pane.has_files = d->keys[0].def->cell->type == VALUE_PATH;
}

static void finish_share(struct user_view *d)
{
    d->columns[d->column_count] = (struct column){
        "share",       "SHARE", "percent", "Largest of its percentages of column totals",
        VALUE_PERCENT, NUMBER,  6,         7,
        NULL,          NULL,    get_share};
}

/* What rates count, since the reset: of each kind of amount once. */
static void finish_sums(struct user_view *d)
{
    static const struct column sums[AMOUNTS] = {
        [AMOUNT_EVENTS] = OPS_COLUMN("Events that its rates count", NULL, NULL),
        [AMOUNT_SIZE] = BYTES_COLUMN("Bytes that its rates count", NULL, NULL),
        [AMOUNT_LATENCY] = TIME_COLUMN("Time that its rates count", NULL, NULL, get_sum_time),
    };
    for (unsigned i = 0; i < d->column_count; i++) {
        const struct user_view_column *const s = &d->specs[i];
        const unsigned amount = s->amount;
        bool is_new = s->agg && !s->field && strcmp(s->agg->id, "rate") == 0;
        for (size_t c = 0; is_new && c < d->pane.column_count; c++)
            is_new &= strcmp(d->columns[c].id, sums[amount].id) != 0;
        if (!is_new)
            continue;
        struct column *const c = &d->columns[d->pane.column_count++];
        *c = sums[amount];
        c->measure = d->columns[i].measure;
    }
}

/* Without values, where rows are made of fields of payloads, it is of no row. */
static struct row_key user_view_key(const struct user_view *d, const struct fact *f,
                                    uint32_t process, const struct fact_values *values)
{
    uint32_t parts[USER_VIEW_KEYS] = {0};
    for (unsigned i = 0; i < d->key_count; i++) {
        const struct field_def *const k = d->keys[i].def;
        const uint8_t of_payload = d->keys[i].of_payload;
        if (of_payload)
            parts[i] = values ? values->texts[of_payload - 1] : 0;
        else if (is_of_process(k))
            parts[i] = process;
        else if (field_cell_has(k, f->class))
            parts[i] = k->cell->of(f);
    }
    return (struct row_key){parts[0], parts[1], parts[2]};
}

bool user_view_finish(struct user_view *d, struct err *err)
{
    if (!finish_columns(d, err))
        return false;
    finish_key_parts(d);
    finish_share(d);
    struct pane *const p = &d->pane;
    p->id = d->id;
    p->title = d->title[0] ? d->title : d->id;
    if (!d->help[0])
        snprintf(d->help, sizeof d->help, "View from the file %s.view", d->id);
    p->help = d->help;
    p->cost = "low";
    p->view = PANE_TABLE;
    p->classes = d->classes;
    p->user_view = d;
    p->user_view_key = user_view_key;
    p->fields = d->fields;
    p->where = d->filter[0] ? d->filter : NULL;
    p->measures = d->measures;
    p->columns = d->columns;
    p->column_count = d->column_count + 1;
    finish_sums(d);
    p->sort = p->sort ? p->sort : d->specs[0].id;
    p->drill = d->drill;
    p->is_scanned = true;
    p->crumb = CRUMB_ROW;
    return true;
}

bool user_view_add(struct user_view *d, struct err *err)
{
    if (!user_view_is_id(d->id))
        return fail(
            err,
            "a view's id, which is its file's name, has small letters, digits and _; found \"%s\"",
            d->id);
    if (!d->has_source)
        return fail(err, "[view]: expected a source, such as source = disk");
    if (!user_view_finish(d, err))
        return false;
    for (unsigned i = 0; panes[i]; i++)
        if (strcmp(panes[i]->id, d->id) == 0)
            return fail(err, "there is a pane \"%s\" already", d->id);
    return panes_add(&d->pane) || fail(err, "more than %d views", USER_VIEW_MAX);
}

/* ---- what a view does ------------------------------------------------------------------------ */

void user_view_label(const struct user_view *d, struct row_key key, struct row_context *x,
                     char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < d->key_count && used < room; i++) {
        char one[512], name[512];
        const struct field_def *const k = d->keys[i].def;
        const uint32_t id = part_of(key, i);
        const struct process *const p = is_of_process(k) ? model_process_at(x->model, id) : NULL;
        const bool is_file = k->cell->type == VALUE_PATH;
        const struct file *const f = is_file ? model_file_at(x->model, id) : NULL;
        const char *text =
            d->keys[i].of_payload ? x->dictionary ? dictionary_text(x->dictionary, id) : NULL
            : f                   ? model_path(x->model, f, one, sizeof one)
            : is_file || is_of_process(k) ? NULL
                                          : field_cell_text_of(k, x, id, one, sizeof one);
        if (is_of_process(k)) {
            text = process_label(x, id, name, sizeof name);
            if (p && p->name && !d->pane.joins_names)
                snprintf(one, sizeof one, "%s %u", p->name, p->pid), text = one;
        }
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "",
                                 text ? text : "(unknown)");
    }
}
