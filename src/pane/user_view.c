/* User views: which facts their columns count, and what becomes of a description. */
#include "src/pane/user_view_cells.h"

#include "src/base/mem.h"
#include "src/filter/fact.h"
#include "src/pane/panes.h"
#include "src/table/dictionary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what facts count ------------------------------------------------------------------------ */

/* An operation with a beginning and an end counts once, as in the panes. */
static uint8_t takes_events(unsigned class, unsigned op)
{
    const bool is_end = (class == FACT_FILE || class == FACT_SYSCALL) && op == OP_END,
               is_start = class == FACT_DISK && op == OP_START;
    return op == OP_RUNDOWN || op == OP_SLICE || is_end || is_start ? TAKES_NONE : TAKES_ALL;
}

/* … by its end, where the view's filter uses a field that only the end has. */
static uint8_t takes_ends(unsigned class, unsigned op)
{
    if (class != FACT_FILE && class != FACT_SYSCALL)
        return takes_events(class, op);
    return op == OP_END ? TAKES_ALL : TAKES_NONE;
}

static uint8_t takes_sizes(unsigned class, unsigned op)
{
    static const uint32_t sized =
        BIT(FACT_DISK) | BIT(FACT_FILE) | BIT(FACT_NETWORK) | BIT(FACT_FAULT) | BIT(FACT_MEMORY);
    if (!(sized >> class & 1))
        return TAKES_NONE;
    return class == FACT_FILE && op == OP_END ? TAKES_SOME : takes_events(class, op);
}

static bool has_moved(const struct fact *f)
{
    return f->flags & FACT_MOVED;
}

static uint8_t takes_latencies(unsigned class, unsigned op)
{
    (void)class;
    return op == OP_SLICE ? TAKES_NONE : TAKES_SOME;
}

static bool has_latency(const struct fact *f)
{
    return f->flags & FACT_HAS_LATENCY;
}

/* Parts of time slices that go on count, but are none of their own. */
static uint8_t takes_runs(unsigned class, unsigned op)
{
    (void)op;
    return class == FACT_SWITCH ? TAKES_ALL : TAKES_NONE;
}

static uint8_t takes_ended_runs(unsigned class, unsigned op)
{
    return class == FACT_SWITCH && op != OP_SLICE ? TAKES_ALL : TAKES_NONE;
}

static uint8_t takes_samples(unsigned class, unsigned op)
{
    (void)op;
    return class == FACT_SAMPLE ? TAKES_ALL : TAKES_NONE;
}

/* Where rows are kinds of event, each one counts. */
static uint8_t takes_each(unsigned class, unsigned op)
{
    (void)class;
    return op == OP_SLICE ? TAKES_NONE : TAKES_ALL;
}

static const struct form *form_of(const struct user_view_column *c)
{
    const struct form *const form = user_view_form(c->agg, c->amount);
    return c->field && (!c->of_payload || !form->get) ? &c->agg->of_id : form;
}

/* The fact's process, whose number may be learned later. */
static bool is_of_process(const struct field_def *field)
{
    return field->group == GROUP_PROCESS;
}

static bool is_one(struct user_view_field a, const struct user_view_column *c)
{
    const struct field_cell *const x = a.def->cell, *const y = c->field->cell;
    return a.of_payload == c->of_payload && x->of == y->of && x->of_with == y->of_with &&
           (!x->of_with || x->argument == y->argument);
}

/* Do facts of any of the classes have it? */
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
    static _Atomic uint64_t made;
    struct user_view *const d = mem_new(1, sizeof *d);
    d->pane.made = ++made;
    snprintf(d->id, sizeof d->id, "%s", id);
    snprintf(d->drill, sizeof d->drill, "events");
    return d;
}

void user_view_free(struct user_view *d)
{
    if (d)
        free(d->query);
    free(d);
}

static bool is_one_measure(const struct measure *a, const struct measure *b)
{
    return a->kind == b->kind && a->where == b->where && a->of == b->of && a->large == b->large &&
           a->linear == b->linear && a->field == b->field && a->is_least == b->is_least &&
           a->is_of_numbers == b->is_of_numbers && a->takes == b->takes;
}

/* Columns that count the same share it. */
static const char *add_measure(struct user_view *d, struct measure m)
{
    for (size_t i = 0; i < d->pane.measure_count; i++)
        if (is_one_measure(&d->measures[i], &m))
            return d->measures[i].id;
    const size_t i = d->pane.measure_count++;
    snprintf(d->measure_ids[i], sizeof d->measure_ids[i], "m%u", (unsigned)i & 0xff);
    m.id = d->measure_ids[i];
    m.classes = m.takes == takes_runs || m.takes == takes_ended_runs ? BIT(FACT_SWITCH)
                : m.takes == takes_samples                           ? BIT(FACT_SAMPLE)
                                                                     : d->classes;
    d->measures[i] = m;
    return m.id;
}

/* Which facts a column counts. Where rows are made of what records have, each record counts once.
 */
static struct measure counted_by(const struct user_view *d, const struct user_view_column *c,
                                 enum measure_kind kind)
{
    const bool is_of_records = c->of_payload || d->pane.key_fields;
    if (!c->field && c->amount == AMOUNT_SIZE)
        return (struct measure){.takes = takes_sizes, .where = has_moved};
    if (!c->field && c->amount == AMOUNT_LATENCY)
        return (struct measure){.takes = takes_latencies, .where = has_latency};
    if (!c->field && c->amount == AMOUNT_RUN)
        return (struct measure){.takes = kind == MEASURE_BYTES ? takes_runs : takes_ended_runs};
    return (struct measure){.takes = is_of_records    ? NULL
                                     : d->is_of_kinds ? takes_each
                                     : d->counts_ends ? takes_ends
                                                      : takes_events};
}

static void set_title(struct user_view_column *s, const char *sign)
{
    size_t n = 0;
    for (const char *at = s->id; *at; at++)
        s->title[n++] = *at == '_' ? '-' : (char)toupper((unsigned char)*at);
    const char *const gap = s->unit[0] && s->unit[0] != '/' && s->unit[0] != '%' ? " " : "";
    snprintf(s->title + n, sizeof s->title - n, "%s%s", gap, s->unit[0] ? s->unit : sign);
}

/* All that a fact's key takes is looked up once. */
static struct user_view_field key_of(const struct user_view_column *s)
{
    const struct field_cell *const cell = s->field->cell;
    struct user_view_field k = {.def = s->field,
                                .of_payload = s->of_payload,
                                .is_of_process = !s->of_payload && is_of_process(s->field),
                                .of = cell->of_with ? NULL : cell->of};
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        k.classes |= field_cell_has(s->field, class) ? BIT(class) : 0;
    return k;
}

static void finish_key(struct user_view *d, struct user_view_column *s, struct column *c)
{
    const bool is_number = s->field->cell->type == VALUE_ID;
    c->get = user_view_key_cell;
    c->type = s->field->cell->type;
    c->unit = "";
    c->width = s->width ? s->width : s->field->cell->width;
    c->flags = COLUMN_SEARCHABLE | (is_number ? COLUMN_RIGHT : 0) |
               (c->type == VALUE_PATH ? COLUMN_GROWS : 0);
    set_title(s, "");
    unsigned part = 0;
    while (part < d->key_count && !is_one(d->keys[part], s))
        part++;
    if (part == d->key_count)
        d->keys[d->key_count++] = key_of(s);
    s->part = (uint8_t)part;
}

/* The amount itself, where the kind of measure looks at each one. */
static uint64_t (*amount_of(const struct user_view_column *s, unsigned kind))(const struct fact *)
{
    static uint64_t (*const amounts[FORMS])(const struct fact *) = {
        [AMOUNT_SIZE] = user_view_size_of, [AMOUNT_LATENCY] = user_view_latency_of};
    const bool is_of_latencies = s->amount == AMOUNT_LATENCY && !s->linear.step; /* as in panes */
    const bool is_each = (kind == MEASURE_HISTOGRAM && !is_of_latencies) ||
                         kind == MEASURE_MOMENTS || kind == MEASURE_FIRST || kind == MEASURE_LAST;
    return is_each && !s->field ? amounts[s->amount] : NULL;
}

/* Time on a processor is the value of its facts. */
static enum measure_kind kind_of(const struct user_view_column *s, const struct form *form)
{
    const bool is_run = s->amount == AMOUNT_RUN && form->kind == MEASURE_LATENCY;
    return is_run ? MEASURE_BYTES : (enum measure_kind)form->kind;
}

static const char *add_second(struct user_view *d, const struct user_view_column *s,
                              enum second second)
{
    const enum measure_kind kind = second == SECOND_COUNT ? MEASURE_COUNT : MEASURE_HISTOGRAM;
    struct measure m = counted_by(d, s, kind);
    m.kind = kind;
    m.field = s->of_payload;
    m.is_of_numbers = second == SECOND_COUNT;
    m.is_least = second == SECOND_BELOW;
    return second == SECOND_NONE ? NULL : add_measure(d, m);
}

/* Time on processors has one of two measures; where both count, the larger one is nearer. */
static void finish_run(struct user_view *d, struct column *c)
{
    c->get = c->get == get_trend            ? get_larger_trend
             : c->get == user_view_sum_cell ? user_view_run_cell
                                            : user_view_run_rate_cell;
    c->measure2 = add_measure(d, (struct measure){.kind = MEASURE_BYTES, .takes = takes_samples});
}

static void finish_measured(struct user_view *d, struct user_view_column *s, struct column *c)
{
    const struct form *const form = form_of(s);
    const enum measure_kind kind = kind_of(s, form);
    c->get = form->get;
    c->type = form->type ? form->type : s->field->cell->type;
    c->flags = form->type ? form->flags : c->type == VALUE_ID ? COLUMN_RIGHT : COLUMN_SEARCHABLE;
    c->unit = form->unit;
    c->width = s->width ? s->width : form->width ? form->width : s->field->cell->width;
    struct measure m = counted_by(d, s, kind);
    m.kind = kind;
    m.of = s->field ? s->field->cell->of : NULL;
    m.large = form->large ? form->large : amount_of(s, form->kind);
    m.linear = s->linear.step ? &s->linear : NULL;
    m.field = s->of_payload;
    m.is_least = form->get == user_view_field_least_cell;
    c->measure = add_measure(d, m);
    if (s->of_payload && form == &s->agg->of_id)
        d->pane.text_fields |= 1u << (s->of_payload - 1);
    c->measure2 = add_second(d, s, form->second);
    if (s->amount == AMOUNT_RUN && kind == MEASURE_BYTES && form->second == SECOND_NONE)
        finish_run(d, c);
    set_title(s, form->sign);
}

/* Its ids are not the things that it shows: only rows are put together by what they show. */
bool user_view_counts(const struct user_view_aggregate *agg, const struct field_def *field)
{
    const unsigned kind = agg->of_id.kind;
    const bool tells_apart = kind == MEASURE_DISTINCT || kind == MEASURE_MOST;
    return !tells_apart || !field->cell->joins || field->by == BY_PROC || field->by == BY_EVENT;
}

static bool is_only_key(const struct user_view_column *s)
{
    return s->field == &s->made.def || !user_view_counts(s->agg, s->field);
}

static bool check_column(struct user_view *d, const struct user_view_column *s, struct err *err)
{
    if (!s->has_field && !(s->agg && s->agg->of[AMOUNT_EVENTS].get))
        return fail(err, "[column %s]: expected a field", s->id);
    if (s->field && !has_any(s->field, d->classes))
        return fail(err, "[column %s]: what source says has no %s", s->id, s->field->id);
    if (!s->agg && !s->field)
        return fail(err, "[column %s]: expected an agg, such as rate", s->id);
    if (s->agg && s->field && is_only_key(s))
        return fail(err,
                    "[column %s]: %s can be a key, but there is no %s of it; make it one: by %s",
                    s->id, s->field->id, s->agg_name, s->field->id);
    if (s->agg && !form_of(s)->get)
        return fail(err, "[column %s]: there is no %s of %s", s->id, s->agg_name,
                    s->field ? s->field->id : user_view_amounts[s->amount]);
    return true;
}

/* Rows are made of them: known before what is measured. */
static void choose_key_fields(struct user_view *d)
{
    for (unsigned i = 0; i < d->column_count; i++) {
        const struct user_view_column *const s = &d->specs[i];
        if (s->of_payload && !s->agg)
            d->pane.key_fields |= 1u << (s->of_payload - 1);
        d->is_of_kinds |= !s->agg && s->field && field_is_of_kind(s->field);
    }
    d->pane.text_fields = d->pane.key_fields;
}

static bool finish_columns(struct user_view *d, struct err *err)
{
    unsigned measured = 0;
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
        measured += s->agg != NULL;
        c->id = s->id;
        c->title = s->title;
        if (!s->help[0] && s->agg)
            user_view_describe(s);
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
    if (measured > USER_VIEW_MEASURED)
        return fail(err, "a view has at most %d columns with agg, found %u", USER_VIEW_MEASURED,
                    measured);
    return measured || fail(err, "expected a column with agg: what to count");
}

/* What is shown of each part joins its rows, unless it is an id of its own. */
static void finish_joined(struct user_view *d)
{
    d->pane.joined_parts = (uint8_t)((1u << d->key_count) - 1) << PART_A;
    for (unsigned i = 0; i < d->column_count; i++)
        if (!d->specs[i].agg && !d->specs[i].field->cell->joins)
            d->pane.joined_parts &= (uint8_t) ~(1u << (PART_A + d->specs[i].part));
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
    finish_joined(d);
    d->pane.has_files = d->keys[0].def->cell->type == VALUE_PATH;
    for (unsigned i = 0; i < d->column_count; i++)
        d->pane.has_stacks |= d->specs[i].field && d->specs[i].field->group == GROUP_STACK;
    d->pane.watched_stacks = d->pane.has_stacks ? d->classes : 0;
}

void user_view_part_text(const struct user_view *d, unsigned part, const struct row_context *x,
                         uint32_t id, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < d->column_count && used < room; i++) {
        const struct user_view_column *const s = &d->specs[i];
        char one[512];
        if (s->agg || s->part != part)
            continue;
        const char *const text = field_cell_text_of(s->field, x, id, one, sizeof one);
        used += (size_t)snprintf(out + used, room - used, "%s\n", text ? text : "(unknown)");
    }
}

/* What rates count, since the reset: of each kind of amount once. */
static void finish_sums(struct user_view *d)
{
    static const struct column sums[AMOUNTS] = {
        [AMOUNT_EVENTS] = OPS_COLUMN("Events that its rates count", NULL, NULL),
        [AMOUNT_SIZE] = BYTES_COLUMN("Bytes that its rates count", NULL, NULL),
        [AMOUNT_LATENCY] = TIME_COLUMN("Time that its rates count", NULL, NULL, get_sum_time),
        [AMOUNT_RUN] = TIME_COLUMN("Time that its rates count", NULL, NULL, get_sum_cpu),
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
        c->measure2 = d->columns[i].measure2;
    }
}

/* Without values, where rows are made of fields of payloads, it is of no row. */
static inline uint32_t key_part(const struct user_view *d, unsigned i, const struct fact *f,
                                uint32_t process, const struct fact_values *values)
{
    const struct user_view_field *const k = &d->keys[i];
    if (i >= d->key_count)
        return 0;
    if (k->is_of_process)
        return process;
    if (k->of_payload)
        return values ? values->texts[k->of_payload - 1] : 0;
    if (!(k->classes >> f->class & 1))
        return 0;
    return k->of ? k->of(f) : field_cell_id(k->def->cell, f);
}

/* Part by part, not in a loop: what goes through memory in halves is waited for. */
static struct row_key user_view_key(const struct user_view *d, const struct fact *f,
                                    uint32_t process, const struct fact_values *values)
{
    _Static_assert(USER_VIEW_KEYS == 4, "as many as a row's key has parts");
    return (struct row_key){key_part(d, 0, f, process, values), key_part(d, 1, f, process, values),
                            key_part(d, 2, f, process, values), key_part(d, 3, f, process, values)};
}

/* Latency and status of a file operation or a system call come with its end. */
static bool shows_ends(const struct user_view *d)
{
    for (unsigned i = 0; i < d->column_count; i++) {
        const struct field_def *const f = d->specs[i].field;
        if (f && (f->by == BY_STATUS || strcmp(f->id, "bucket(lat)") == 0))
            return true;
    }
    return false;
}

static bool asks_for_ends(const struct user_view *d)
{
    struct filter f;
    const bool asks = filter_init(&f, d->filter, pane_find("events"), NULL, NULL) &&
                      (filter_lacking(&f, FACT_FILE) || filter_lacking(&f, FACT_SYSCALL));
    filter_fini(&f);
    return asks;
}

bool user_view_finish(struct user_view *d, struct err *err)
{
    d->counts_ends = shows_ends(d) || asks_for_ends(d);
    if (!finish_columns(d, err))
        return false;
    finish_key_parts(d);
    d->columns[d->column_count] = (struct column)SHARE_COLUMN;
    struct pane *const p = &d->pane;
    p->id = d->id;
    p->title = d->title[0] ? d->title : d->id;
    if (!d->help[0] && !d->query)
        snprintf(d->help, sizeof d->help, "View from the file %s.view", d->id);
    p->help = d->help[0] ? d->help : d->query;
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

/* Joins the panes, for good; false with a sentence. */
static bool join(struct user_view *d, struct err *err)
{
    if (!user_view_is_id(d->id))
        return fail(
            err,
            "a view's id, which is its file's name, has small letters, digits and _; found \"%s\"",
            d->id);
    for (unsigned i = 0; panes[i]; i++)
        if (strcmp(panes[i]->id, d->id) == 0)
            return fail(err, "there is a pane \"%s\" already", d->id);
    return panes_add(&d->pane) || fail(err, "more than %d views", USER_VIEW_MAX);
}

bool user_view_add(struct user_view *d, struct err *err)
{
    if (!d->query && !d->has_source)
        return fail(err, "[view]: expected a source, such as source = disk");
    return (d->query || user_view_finish(d, err)) && join(d, err);
}

/* ---- what a view does ------------------------------------------------------------------------ */

/* Several columns may show the same part of the key. */
static bool is_shown_before(const struct user_view *d, unsigned column)
{
    for (unsigned i = 0; i < column; i++)
        if (!d->specs[i].agg && d->specs[i].part == d->specs[column].part)
            return true;
    return false;
}

unsigned user_view_columns(const struct user_view *d)
{
    return d->column_count;
}

/* Processes of one name are one row. */
static bool joins_names(const struct user_view *d)
{
    return d->pane.joined_parts >> d->pane.process_part & 1;
}

static void name_process(const struct user_view *d, uint32_t process, struct row_context *x,
                         char *out, size_t room)
{
    char name[512];
    const struct process *const p = model_process_at(x->model, process);
    if (p && p->name && !joins_names(d))
        snprintf(out, room, "%s %u", p->name, p->pid);
    else
        snprintf(out, room, "%s", process_label(x, process, name, sizeof name));
}

const char *user_view_part(const struct user_view *d, unsigned i, struct row_key key,
                           struct row_context *x, char *out, size_t room)
{
    char one[512];
    const struct user_view_column *const s = &d->specs[i];
    if (s->agg || is_shown_before(d, i))
        return NULL;
    const struct user_view_field *const k = &d->keys[s->part];
    const uint32_t id = user_view_key_part(key, s->part);
    const char *text = NULL;
    if (s->field->by == BY_PROC || s->field->by == BY_PID)
        return name_process(d, id, x, out, room), joins_names(d) ? "proc" : "";
    if (k->of_payload) {
        text = x->dictionary ? dictionary_text(x->dictionary, id) : NULL;
    } else if (k->def->cell->type == VALUE_PATH) {
        const struct file *const f = model_file_at(x->model, id);
        text = f ? model_path(x->model, f, one, sizeof one) : NULL;
    } else {
        text = field_cell_text_of(s->field, x, id, one, sizeof one);
    }
    const bool is_no_field = s->field == &s->made.def || s->field->group == GROUP_STACK;
    snprintf(out, room, "%s", text ? text : "(unknown)");
    return is_no_field     ? USER_VIEW_NO_FIELD
           : k->of_payload ? d->fields[k->of_payload - 1]
                           : s->field->id;
}

void user_view_label(const struct user_view *d, struct row_key key, struct row_context *x,
                     char *out, size_t room)
{
    size_t used = 0;
    char part[512];
    out[0] = '\0';
    for (unsigned i = 0; i < d->column_count && used < room; i++)
        if (user_view_part(d, i, key, x, part, sizeof part))
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", part);
}
