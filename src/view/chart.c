/* Pictures of a request: histograms of the pane's own table, exact as it is, and what takes a
 * scan of the kept facts: latencies or sizes over time, processors over time. What counts in the
 * pane counts in its pictures: the same crumbs, filter, range and rows. */
#include "src/base/mem.h"
#include "src/frame/heat.h"
#include "src/view/chart.h"
#include "src/view/inside.h"
#include "src/view/names.h"
#include "src/view/stacks.h"
#include "src/view/values.h"

#include <stdlib.h>
#include <string.h>

/* Who ran is known by its process; this stands for those that are not known. */
#define WHO_UNKNOWN FACT_BY_THREAD

struct chart_scan {
    struct heat heat;
    const struct measure *measure; /* NULL: all that has a latency */
    uint32_t interval;             /* that the last fact counted in */
    bool of_switches;              /* from switches, else from samples */
    bool matches_rows;             /* the filter is about rows, too: */
    struct map match_cache;        /* row's key, mixed → 1 it passes, 2 it does not */
    struct row_context shown;      /* what names ask */
    struct names *names;           /* where the pane joins parts of its keys */
    unsigned cpus_per_lane;
};

static bool is_table(const struct view *v)
{
    return v->request.pane->view == PANE_TABLE;
}

bool chart_is_scanned(const struct request *r)
{
    return r->chart.kind == CHART_HEAT || r->chart.kind == CHART_CPUS ||
           (r->chart.kind == CHART_HISTOGRAM && r->pane->view != PANE_TABLE);
}

void chart_scan_free(struct chart_scan *s)
{
    if (!s)
        return;
    heat_fini(&s->heat);
    map_fini(&s->match_cache);
    names_free(s->names);
    free(s);
}

static size_t chart_scan_bytes(const struct chart_scan *s)
{
    return s ? sizeof *s + heat_bytes(&s->heat) : 0;
}

size_t view_chart_bytes(const struct view *v)
{
    return chart_scan_bytes(v->chart) + chart_scan_bytes(v->last_chart);
}

/* ---- beginning ----------------------------------------------------------------------------- */

/* The measure that the request names, if it is one of latencies or sizes. */
static const struct measure *measure_of(const struct request *r)
{
    const struct pane *const p = r->pane;
    const bool is_one = p->view == PANE_TABLE && r->chart.measure < p->measure_count &&
                        measure_has_chart(&p->measures[r->chart.measure]);
    return is_one ? &p->measures[r->chart.measure] : NULL;
}

/* From when on facts count. */
static int64_t begin_of(const struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    const int64_t first = v->wants_reread || v->is_whole ? w->first_ns : facts_earliest(&w->facts);
    const int64_t from = request_has_range(&v->request) ? v->request.from_ns + 1 : w->reset_ns;
    return from > first ? from : first;
}

/* Columns are parts of intervals, or several intervals long: none lies in two. */
static int64_t column_for(const struct view *v, int64_t span, unsigned columns)
{
    enum { HALVES = 10 };
    int64_t column = v->interval_ns > 0 ? v->interval_ns : 1;
    for (unsigned i = 0; i < HALVES && column % 2 == 0; i++)
        column /= 2;
    while (span / column >= (int64_t)columns)
        column *= 2;
    return column;
}

struct chart_scan *chart_scan_new(struct view *v, unsigned cpus)
{
    const struct chart_look *const look = &v->request.chart;
    const struct dataset *const w = view_dataset(v);
    struct chart_scan *const s = mem_new(1, sizeof *s);
    const unsigned wanted = look->columns < 2 ? 2 : look->columns;
    const unsigned columns = wanted < CHART_COLUMNS ? wanted : CHART_COLUMNS;
    unsigned lanes = look->lanes < 1 ? 1 : look->lanes;
    lanes = lanes < CHART_LANES ? lanes : CHART_LANES;
    cpus = cpus ? cpus : 1;
    s->cpus_per_lane = (cpus + lanes - 1) / lanes;
    const int64_t begin = begin_of(v);
    const int64_t end = request_has_range(&v->request) && v->request.to_ns < w->newest_ns
                            ? v->request.to_ns
                            : w->newest_ns;
    heat_init(&s->heat, &(struct heat_options){
                            .origin = w->origin_ns,
                            .column_ns = look->column_ns > 0
                                             ? look->column_ns
                                             : column_for(v, end - begin, columns),
                            .columns = columns,
                            .rows = (cpus + s->cpus_per_lane - 1) / s->cpus_per_lane,
                            .is_fixed = look->column_ns > 0,
                            .is_of_cpus = look->kind == CHART_CPUS,
                        });
    availability_look(&v->column_availability, v->model);
    s->of_switches = availability_has(&v->column_availability, FACT_SWITCH);
    s->measure = measure_of(&v->request);
    s->matches_rows = is_table(v) && view_picks_rows(v);
    map_init(&s->match_cache);
    s->shown = (struct row_context){
        .model = v->model, .dictionary = v->live->dictionary, .callbacks = &v->side_callbacks};
    s->names = names_new(&s->shown, v->request.pane);
    return s;
}

/* ---- counting ------------------------------------------------------------------------------ */

static bool takes(const struct measure *m, const struct fact *f)
{
    const unsigned takes = measure_takes(m, f->class, f->op);
    return takes == TAKES_ALL || (takes == TAKES_SOME && m->where(f));
}

static bool is_wanted(const struct view *v, const struct fact *f)
{
    const struct chart_scan *const s = v->chart;
    if (v->request.chart.kind == CHART_CPUS)
        return f->class == (s->of_switches ? FACT_SWITCH : FACT_SAMPLE) &&
               (f->op == OP_END || f->op == OP_SLICE || f->class == FACT_SAMPLE);
    const bool is_of_sizes = s->measure && s->measure->large;
    if ((!is_of_sizes && !(f->flags & FACT_HAS_LATENCY)) || f->op == OP_SLICE)
        return false;
    if (is_table(v))
        return s->measure && takes(s->measure, f);
    return v->request.pane->view == PANE_EVENTS || tree_looks_at(v, f);
}

bool chart_looks_at(const struct view *v, const struct fact *f)
{
    return v->chart && is_wanted(v, f);
}

bool chart_is_outdated(const struct view *v)
{
    const struct chart_scan *const s = v->chart;
    return s && ((s->matches_rows && v->scan_names != v->model->late_names) ||
                 (v->request.chart.kind == CHART_CPUS && !s->of_switches &&
                  availability_has(&v->column_availability, FACT_SWITCH)));
}

/* Cached matches of rows are kept by key: its 64 bits distinguish all rows that can be there. */
static bool row_passes(struct view *v, const struct fact *f, uint32_t process)
{
    struct chart_scan *const s = v->chart;
    const struct chart_look *const look = &v->request.chart;
    if (!is_table(v) || (!look->of_row && !s->matches_rows))
        return true;
    struct row_key key;
    if (!view_key(v, v->request.pane, f, process, &key))
        return false;
    struct row_key row = look->row;
    if (s->names) {
        key = names_key(s->names, key);
        row = names_key(s->names, row);
    }
    if (look->of_row && !row_key_equal(key, row))
        return false;
    if (!s->matches_rows)
        return true;
    const uint64_t mixed = row_key_mixed(key);
    const uint32_t known = map_get(&s->match_cache, mixed);
    if (known)
        return known == 1;
    const bool passes = view_match_key(v, key);
    map_put(&s->match_cache, mixed, passes ? 1 : 2);
    return passes;
}

static bool passes(struct view *v, const struct fact *f, uint32_t process)
{
    if (!request_has_range(&v->request) && f->time < view_dataset(v)->reset_ns)
        return false;
    return view_filter_passes(v, f, process) && row_passes(v, f, process);
}

/* Tables count what comes late in the interval that runs by then; so do their pictures. */
static int64_t time_of(struct view *v, const struct fact *f)
{
    const struct dataset *const w = view_dataset(v);
    struct chart_scan *const s = v->chart;
    if (request_has_range(&v->request) || f->time < w->origin_ns || v->interval_ns <= 0)
        return f->time;
    const uint64_t interval = (uint64_t)(f->time - w->origin_ns) / (uint64_t)v->interval_ns;
    if (interval < s->interval)
        return w->origin_ns + (int64_t)s->interval * v->interval_ns;
    s->interval = interval < w->interval ? (uint32_t)interval : w->interval;
    return f->time;
}

static uint32_t who_of(const struct view *v, uint32_t process, bool *is_idle)
{
    const struct process *const p = model_process_at(v->model, process);
    *is_idle = p && p->pid == 0;
    return p ? process : WHO_UNKNOWN;
}

static void count_slice(struct view *v, const struct fact *f, uint32_t process)
{
    bool is_idle;
    struct chart_scan *const s = v->chart;
    const uint32_t who = who_of(v, process, &is_idle);
    const int64_t end = f->op == OP_SLICE ? f->time + 1 : f->time; /* filed in its interval */
    if (!is_idle && f->thread)
        heat_slice(&s->heat, f->cpu / s->cpus_per_lane, begin_of(v), end, f->value, who);
}

static uint64_t amount_of(const struct measure *m, const struct fact *f)
{
    return m && m->large ? m->large(f) : f->latency;
}

void chart_feed(struct view *v, const struct fact *f, uint32_t process)
{
    if (!is_wanted(v, f) || !passes(v, f, process))
        return;
    if (v->request.chart.kind == CHART_CPUS)
        count_slice(v, f, process);
    else
        heat_count(&v->chart->heat, time_of(v, f), amount_of(v->chart->measure, f));
}

/* What is kept no more is shown no more. */
void chart_forget(struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    if (v->chart && w->facts.first > 0)
        heat_forget(&v->chart->heat, facts_earliest(&w->facts));
}

/* ---- the frame ----------------------------------------------------------------------------- */

static void add_octaves(uint64_t octaves[CHART_OCTAVES], const struct histogram *h)
{
    for (unsigned i = 0; i < h->octaves; i++) {
        const unsigned octave = h->first + i;
        uint64_t *const to = &octaves[octave < CHART_OCTAVES ? octave : CHART_OCTAVES - 1];
        for (unsigned n = 0; n < HISTOGRAM_STEPS; n++)
            *to += h->counts[(size_t)i * HISTOGRAM_STEPS + n];
    }
}

/* A step's upper edge can lie above the largest value met. */
static uint64_t at_most(uint64_t ns, uint64_t max)
{
    return ns < max ? ns : max;
}

static struct latency_over latency_of(const struct row_context *x, const struct chart_look *look,
                                      const struct table_row *r)
{
    const bool is_measured = look->measure < x->table->pane->measure_count;
    return row_latency(x, r, is_measured ? (int)look->measure : -1);
}

void chart_make_room(struct chart *p, unsigned rows)
{
    p->of_rows = mem_new((size_t)rows * CHART_OCTAVES + 1, sizeof *p->of_rows);
}

void chart_put_row(struct chart *p, unsigned at, const struct row_context *x,
                   const struct chart_look *look, const struct table_row *r)
{
    const struct latency_over l = latency_of(x, look, r);
    for (unsigned n = 0; n < l.histogram_count; n++)
        add_octaves(p->of_rows + (size_t)at * CHART_OCTAVES, l.histograms[n]);
}

/* Of rows: as they are in the table over its span. */
struct chart *chart_of_rows(const struct row_context *x, const struct chart_look *look,
                            struct table_row *const *rows, size_t count)
{
    struct chart *const p = mem_new(1, sizeof *p);
    struct histogram all = {0};
    p->kind = look->kind;
    for (size_t i = 0; i < count; i++) {
        const struct latency_over l = latency_of(x, look, rows[i]);
        p->count += l.count;
        p->sum += l.sum;
        p->max = l.max > p->max ? l.max : p->max;
        for (unsigned n = 0; n < l.histogram_count; n++)
            histogram_merge(&all, l.histograms[n]);
    }
    add_octaves(p->octaves, &all);
    p->p50 = at_most(histogram_percentile(&all, 0.5), p->max);
    p->p90 = at_most(histogram_percentile(&all, 0.9), p->max);
    p->p99 = at_most(histogram_percentile(&all, 0.99), p->max);
    p->p999 = at_most(histogram_percentile(&all, 0.999), p->max);
    histogram_fini(&all);
    return p;
}

static uint64_t percentile(const uint64_t *rows, unsigned count, uint64_t all, double share)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count && all; i++) {
        sum += rows[i];
        if (rows[i] && (double)sum >= share * (double)all)
            return chart_row_ns(i + 1) - 1;
    }
    return 0;
}

static void fill_heat(struct chart *p, const struct heat *h)
{
    uint64_t rows[CHART_OCTAVES * CHART_STEPS] = {0};
    for (size_t i = 0; i < (size_t)h->used * h->rows; i++)
        rows[i % h->rows] += h->counts[i];
    unsigned first = h->rows, end = 0;
    for (unsigned i = 0; i < h->rows; i++) {
        p->count += rows[i];
        p->octaves[i / CHART_STEPS] += rows[i];
        first = rows[i] && i < first ? i : first;
        end = rows[i] ? i + 1 : end;
    }
    p->p50 = percentile(rows, h->rows, p->count, 0.5);
    p->p90 = percentile(rows, h->rows, p->count, 0.9);
    p->p99 = percentile(rows, h->rows, p->count, 0.99);
    p->p999 = percentile(rows, h->rows, p->count, 0.999);
    p->first_row = end ? first : 0;
    p->rows = end ? end - first : 0;
    p->cells = mem_new((size_t)h->used * p->rows + 1, sizeof *p->cells);
    for (unsigned c = 0; c < h->used; c++)
        memcpy(p->cells + (size_t)c * p->rows, h->counts + (size_t)c * h->rows + p->first_row,
               p->rows * sizeof *p->cells);
}

/* ---- who ran where --------------------------------------------------------------------------- */

struct runner {
    uint32_t who;
    uint32_t name; /* number of all processes with that name */
    uint64_t ns;
};

/* All that were met, by number. */
struct runners {
    struct runner *all;
    size_t count, room;
    struct map numbers;
};

/* Processes that are called the same. */
struct namesake {
    uint32_t number, first; /* the first of them */
    unsigned processes;
    uint64_t ns;
};

static int by_time(const void *a, const void *b)
{
    const struct namesake *const x = a, *const y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1)
                          : (x->number > y->number) - (x->number < y->number);
}

static uint32_t longest_in(const struct heat_cell *c)
{
    return c->who.of[most_heaviest(&c->who)];
}

static struct runner *runner_of(struct runners *r, uint32_t who)
{
    uint32_t number = map_get(&r->numbers, who);
    if (number)
        return &r->all[number - 1];
    if (r->count == r->room) {
        r->room = r->room ? r->room * 2 : 64;
        r->all = mem_grow(r->all, r->room, sizeof *r->all);
    }
    r->all[r->count] = (struct runner){.who = who};
    number = (uint32_t)++r->count;
    map_put(&r->numbers, who, number);
    return &r->all[number - 1];
}

static void find_runners(const struct heat *h, struct runners *out)
{
    *out = (struct runners){0};
    map_init(&out->numbers);
    for (size_t i = 0; i < (size_t)h->used * h->rows; i++)
        for (unsigned n = 0; n < MOST_CANDIDATES; n++)
            if (h->cells[i].who.of[n])
                runner_of(out, h->cells[i].who.of[n])->ns += h->cells[i].who.weight[n];
}

static const char *label_of(const struct row_context *x, uint32_t who, char *room, size_t bytes)
{
    return who == WHO_UNKNOWN ? "(unknown)" : process_label(x, who, room, bytes);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++)
        hash = hash_mix(hash + (uint8_t)*text);
    return hash;
}

/* Those with one name together, the longest first; caller frees. */
static struct namesake *name_runners(struct runners *r, const struct row_context *x, size_t *count)
{
    struct map known;
    struct namesake *const all = mem_new(r->count + 1, sizeof *all);
    map_init(&known);
    *count = 0;
    for (size_t i = 0; i < r->count; i++) {
        char room[64];
        const uint64_t hash = hash_text(label_of(x, r->all[i].who, room, sizeof room));
        uint32_t number = map_get(&known, hash);
        if (!number) {
            number = (uint32_t)++*count;
            all[number - 1] = (struct namesake){number, r->all[i].who, 0, 0};
            map_put(&known, hash, number);
        }
        r->all[i].name = number;
        all[number - 1].ns += r->all[i].ns;
        all[number - 1].processes++;
    }
    map_fini(&known);
    qsort(all, *count, sizeof *all, by_time);
    return all;
}

static uint8_t index_of(const struct namesake *names, unsigned count, uint32_t number)
{
    for (unsigned i = 0; i < count; i++)
        if (names[i].number == number)
            return (uint8_t)(i + 1);
    return CHART_OTHER;
}

static void fill_cpus(struct chart *p, const struct heat *h, struct row_context *x)
{
    struct runners runners;
    size_t count;
    const size_t cells = (size_t)h->used * h->rows;
    find_runners(h, &runners);
    struct namesake *const names = name_runners(&runners, x, &count);
    p->lanes = h->rows;
    p->busy = mem_new(cells + 1, sizeof *p->busy);
    p->who = mem_new(cells + 1, sizeof *p->who);
    p->pids = mem_new(cells + 1, sizeof *p->pids);
    p->name_count = count < CHART_NAMES ? (unsigned)count : CHART_NAMES;
    for (unsigned i = 0; i < p->name_count; i++) {
        char room[64];
        p->names[i] = value_text(x, VALUE_TEXT, label_of(x, names[i].first, room, sizeof room));
        p->processes[i] = names[i].processes;
    }
    for (size_t i = 0; i < cells; i++) {
        const uint32_t who = longest_in(&h->cells[i]);
        p->busy[i] = h->cells[i].busy;
        p->busy_ns += h->cells[i].busy;
        if (!who)
            continue;
        const struct process *const process = model_process_at(x->model, who);
        p->who[i] = index_of(names, p->name_count, runner_of(&runners, who)->name);
        p->pids[i] = process ? process->pid : 0;
    }
    map_fini(&runners.numbers);
    free(runners.all);
    free(names);
}

struct chart *chart_of_scan(const struct chart_scan *s, const struct request *r,
                            struct row_context *x)
{
    struct chart *const p = mem_new(1, sizeof *p);
    const struct heat *const h = &s->heat;
    p->kind = r->chart.kind;
    p->begin_ns = h->origin + h->base * h->column_ns;
    p->column_ns = h->column_ns;
    p->columns = h->used;
    p->cpus_per_lane = s->cpus_per_lane;
    if (h->cells)
        fill_cpus(p, h, x);
    else
        fill_heat(p, h);
    return p;
}
