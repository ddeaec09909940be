#include "src/view.h"

#include "src/coverage.h"
#include "src/mem.h"
#include "src/os.h"
#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct world *view_world(const struct view *v)
{
    return v->is_frozen ? &v->frozen : v->live;
}

struct ring *view_ring(const struct view *v, size_t index)
{
    return index < v->collector_count ? v->collectors[index]->hot : v->control;
}

void view_init(struct view *v)
{
    v->cache = view_cache_new();
}

static void drop_scan(struct view *v)
{
    if (v->has_narrowed)
        table_fini(&v->narrowed);
    v->has_narrowed = false;
    v->waiting_count = 0;
    v->is_scanning = false;
    v->index.first = v->index.end = v->index.hidden = 0;
}

static void set_frozen(struct view *v, bool is_frozen);

void view_fini(struct view *v)
{
    drop_scan(v);
    filter_fini(&v->filter);
    free(v->items);
    hold_clear(&v->hold);
    free(v->index.numbers);
    view_folders_clear(v);
    view_passages_clear(v);
    view_cache_free(v->cache);
    tree_free(v->tree);
    set_frozen(v, false);
}

/* ---- what a crumb lets through ---------------------------------------------------- */

static bool is_process(uint32_t wanted, uint32_t process)
{
    return wanted ? process == wanted : !process || process & FACT_BY_THREAD;
}

static bool is_disk_operation(const struct fact *f)
{
    return f->class == FACT_DISK && (f->op == OP_READ || f->op == OP_WRITE || f->op == OP_FLUSH);
}

static bool is_about_file(const struct fact *f)
{
    return f->class == FACT_DISK || f->class == FACT_FILE || f->class == FACT_FAULT
           || f->class == FACT_NAME;
}

uint32_t view_image_of(const struct view *v, const struct fact *f, uint32_t process)
{
    if (f->class != FACT_SAMPLE)
        return f->class == FACT_IMAGE ? f->entity : 0;
    const struct process *p = model_process_at(v->model, process);
    return p && f->latency ? model_image_at(v->model, p->source, process, f->latency, f->time) : 0;
}

static bool is_file(const struct view *v, const struct crumb *c, const struct fact *f)
{
    const struct model *m = v->model;
    return f->entity == c->key.a
           || (m->merges && model_file_one(m, f->entity) == model_file_one(m, c->key.a));
}

static bool crumb_passes(const struct view *v, const struct crumb *c, const struct fact *f,
                         uint32_t process)
{
    switch ((enum crumb_kind)c->kind) {
    case CRUMB_PROCESS:
        return is_process(c->key.a, process);
    case CRUMB_DISK_PROCESS:
        return is_disk_operation(f) && f->place + 1 == c->key.a && is_process(c->key.b, process);
    case CRUMB_FILE: /* with a disk in key.b: what that disk did for it */
        if (c->key.b)
            return is_disk_operation(f) && f->place + 1 == c->key.b && is_file(v, c, f);
        return is_about_file(f) && is_file(v, c, f);
    case CRUMB_CONNECTION:
        return f->class == FACT_NETWORK && f->entity == c->key.a
               && is_process(c->key.b, process);
    case CRUMB_KEY:
        return f->class == FACT_REGISTRY && is_file(v, c, f) && is_process(c->key.b, process);
    case CRUMB_IMAGE:
        return is_process(c->key.b, process) && view_image_of(v, f, process) == c->key.a;
    case CRUMB_ROUTINE:
        return (f->class == FACT_DPC || f->class == FACT_ISR) && f->entity == c->key.a;
    case CRUMB_CALL:
        return f->class == FACT_SYSCALL && f->entity == c->key.a;
    case CRUMB_THREAD:
        return f->thread == c->key.a;
    case CRUMB_KIND:
        return f->kind + 1u == c->key.a;
    case CRUMB_FOLDER:
    case CRUMB_FRAME: /* see view_fact_passes() */
    case CRUMB_NONE:
        break;
    }
    return true;
}

/* What the crumb with this number lets through for want of an id: by path. */
static bool names_pass(struct view *v, unsigned crumb, const struct fact *f)
{
    if (v->request.crumbs[crumb].kind == CRUMB_FRAME)
        return view_passage_passes(v, crumb, f);
    if (v->request.crumbs[crumb].kind != CRUMB_FOLDER)
        return true;
    const bool has_path = is_about_file(f) || f->class == FACT_REGISTRY;
    return has_path && f->entity && view_folder_passes(v, crumb, f);
}

bool view_fact_passes(struct view *v, const struct fact *f, uint32_t process)
{
    for (unsigned i = 0; i < v->request.crumb_count; i++)
        if (!crumb_passes(v, &v->request.crumbs[i], f, process) || !names_pass(v, i, f))
            return false;
    return true;
}

/* ---- scanning ------------------------------------------------------------------------ */

static bool is_events(const struct view *v)
{
    return v->request.pane->view == PANE_EVENTS;
}

static bool is_table(const struct view *v)
{
    return v->request.pane->view == PANE_TABLE;
}

static bool is_tree(const struct view *v)
{
    return v->request.pane->view == PANE_TREE;
}

static bool needs_scan(const struct view *v)
{
    return v->request.crumb_count > 0 || request_has_range(&v->request) || v->request.pane->is_scanned
           || (v->request.pane->has_images && view_world(v)->facts.first == 0)
           || is_tree(v) || (is_events(v) && v->filter.count > 0);
}

/* Changes with every stack that comes after its event, or that means more than before. */
static uint64_t stacks_known(const struct model *m)
{
    return m->stack_store.update_count + m->stack_store.learnt + m->images_learnt;
}

static void start_scan(struct view *v)
{
    drop_scan(v);
    v->is_scanning = needs_scan(v);
    v->scan_next = v->slice_next = 0;
    v->scan_attributions = v->model->attributions + v->model->merges;
    v->scan_names = v->model->late_names;
    v->scan_stacks = stacks_known(v->model);
    v->scan_images = v->model->images_learnt;
    v->scan_started = os_now();
    v->machine = (struct machine_sums){0};
    view_cache_clear(v->cache);
    view_folders_clear(v);
    view_passages_clear(v);
    if (is_tree(v) && !v->tree)
        v->tree = tree_new();
    if (is_tree(v))
        tree_start(v->tree, v->model);
    if (v->is_scanning && is_table(v)) {
        table_init(&v->narrowed, v->request.pane);
        v->narrowed.model = v->model;
        v->has_narrowed = true;
    }
}

void view_restart(struct view *v)
{
    if (v->is_scanning)
        start_scan(v);
}

static bool same_crumbs(const struct request *a, const struct request *b)
{
    return a->crumb_count == b->crumb_count
           && memcmp(a->crumbs, b->crumbs, a->crumb_count * sizeof *a->crumbs) == 0;
}

static bool same_range(const struct request *a, const struct request *b)
{
    return a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

static void freeze(struct view *v)
{
    v->frozen = world_freeze(v->live);
    v->windows = mem_new(v->collector_count + 1, sizeof *v->windows);
    for (size_t i = 0; i <= v->collector_count; i++)
        v->windows[i] = window_new(view_ring(v, i), PIN_FREEZE);
}

static void thaw(struct view *v)
{
    world_fini(&v->frozen);
    for (size_t i = 0; i <= v->collector_count; i++)
        window_free(v->windows[i]);
    free(v->windows);
    v->windows = NULL;
}

static void set_frozen(struct view *v, bool is_frozen)
{
    if (is_frozen == v->is_frozen)
        return;
    (is_frozen ? freeze : thaw)(v);
    v->is_frozen = is_frozen;
}

bool view_keep(struct view *v, int64_t deadline)
{
    for (size_t i = 0; v->is_frozen && i <= v->collector_count; i++)
        if (window_work(v->windows[i], deadline))
            return true;
    return false;
}

/* Asked for the same rows by the same order, and to keep it. */
static bool keeps_order(const struct request *a, const struct request *b)
{
    return a->holds_order && b->holds_order && a->pane == b->pane && same_crumbs(a, b)
           && a->sort == b->sort && a->ascending == b->ascending
           && a->accumulate == b->accumulate;
}

void view_ask(struct view *v, const struct request *r)
{
    const struct request old = v->request;
    const bool is_first = !v->has_request;
    v->request = *r;
    v->has_request = true;
    v->request.filter[FILTER_MAX - 1] = '\0';
    if (v->request.crumb_count > CRUMBS_MAX)
        v->request.crumb_count = CRUMBS_MAX;
    const bool new_filter = is_first || strcmp(old.filter, v->request.filter) != 0;
    if (new_filter) {
        filter_fini(&v->filter);
        filter_init(&v->filter, v->request.filter);
        v->filter_serial++;
    }
    if (old.paths != r->paths)
        v->filter_serial++; /* filters look at paths as they are shown */
    if (!keeps_order(&old, &v->request))
        hold_clear(&v->hold);
    const bool new_world = v->is_frozen != r->freeze;
    set_frozen(v, r->freeze);
    if (is_first || new_world || old.pane != r->pane || !same_crumbs(&old, &v->request)
        || !same_range(&old, r) || (new_filter && !is_table(v)))
        start_scan(v);
}

static void index_add(struct event_index *x, uint64_t number)
{
    if (x->end == x->room && x->first > x->room / 2) {
        memmove(x->numbers, x->numbers + x->first, (x->end - x->first) * sizeof *x->numbers);
        x->end -= x->first;
        x->first = 0;
    }
    if (x->end == x->room) {
        x->room = x->room ? x->room * 2 : 4096;
        x->numbers = mem_grow(x->numbers, x->room, sizeof *x->numbers);
    }
    x->numbers[x->end++] = number;
}

static void count_waiting(struct view *v);

/* The narrowed table's intervals pass up to the one that a time lies in. */
static void turn_to(struct view *v, int64_t time)
{
    struct table *const t = &v->narrowed;
    const struct world *w = view_world(v);
    if (time < w->origin_ns || v->interval_ns <= 0)
        return;
    uint64_t interval = (uint64_t)(time - w->origin_ns) / (uint64_t)v->interval_ns;
    if (interval > w->interval)
        interval = w->interval;
    if (interval > t->interval) {
        count_waiting(v);
        table_step(t, (uint32_t)interval - t->interval);
    }
}

static bool is_in_range(const struct request *r, const struct fact *f)
{
    return f->time > r->from_ns && f->time <= r->to_ns;
}

static void count_machine(struct view *v, const struct fact *f, uint32_t process)
{
    struct machine_sums *m = &v->machine;
    const bool is_time = f->class == FACT_SWITCH || f->class == FACT_SAMPLE;
    const struct process *p = is_time ? model_process_at(v->model, process) : NULL;
    const uint64_t idle = p && p->pid == 0 ? f->value : 0;
    if (f->class == FACT_SWITCH) {
        m->run += f->value;
        m->idle_run += idle;
    } else if (f->class == FACT_SAMPLE) {
        m->sampled += f->value;
        m->idle_sampled += idle;
    } else if (f->class == FACT_DISK && f->op == OP_READ) {
        m->read += f->value;
    } else if (f->class == FACT_DISK && f->op == OP_WRITE) {
        m->written += f->value;
    }
}

/* Facts for the narrowed table wait until there are enough of them to count together. */
static void count_waiting(struct view *v)
{
    table_feed_batch(&v->narrowed, v->waiting, NULL, v->waiting_count);
    v->waiting_count = 0;
}

/* A range is counted as a whole and whatever was reset since; all else by intervals. */
static void count_fact(struct view *v, const struct fact *f, uint32_t process)
{
    if (!table_counts(&v->narrowed, f))
        return;
    if (!request_has_range(&v->request)) {
        if (f->time < view_world(v)->reset_ns)
            return;
        turn_to(v, f->time);
    }
    if (v->request.pane->has_images && f->class == FACT_SAMPLE) {
        struct fact of_image = *f;
        of_image.entity = view_image_of(v, f, process);
        table_feed(&v->narrowed, &of_image, process);
        return;
    }
    v->waiting[v->waiting_count++] = (struct table_fact){f, process};
    if (v->waiting_count == TABLE_BATCH)
        count_waiting(v);
}

/* Facts that neither the table nor the machine's sums look at are most of them. */
static bool is_of_no_use(const struct view *v, const struct fact *f)
{
    static const uint32_t MACHINE = 1u << FACT_SWITCH | 1u << FACT_SAMPLE | 1u << FACT_DISK;
    return v->has_narrowed && !table_counts(&v->narrowed, f) && !(MACHINE >> f->class & 1);
}

static void scan_fact(struct view *v, const struct fact *f, uint64_t number)
{
    const bool has_range = request_has_range(&v->request);
    if ((has_range && !is_in_range(&v->request, f)) || is_of_no_use(v, f))
        return;
    const uint32_t process = model_process_of(v->model, f);
    if (has_range)
        count_machine(v, f, process);
    if (v->request.crumb_count && !view_fact_passes(v, f, process))
        return;
    if (v->has_narrowed) {
        count_fact(v, f, process);
    } else if (is_tree(v)) {
        tree_feed(v, f);
    } else if (f->op == OP_SLICE) {
        return; /* no event of its own */
    } else if (view_text_passes(v, f, process)) {
        index_add(&v->index, number);
    } else {
        v->index.hidden++;
    }
}

/* Slices of stays count in their place among the facts. */
static void scan_slices(struct view *v, const struct world *w, uint64_t before)
{
    if (v->slice_next < w->slices.first)
        v->slice_next = w->slices.first;
    while (v->slice_next < w->slices.end) {
        const struct fact *f = facts_at(&w->slices, v->slice_next);
        if (f->position > before)
            break;
        v->slice_next++;
        if (f->position >= w->facts.first)
            scan_fact(v, f, 0);
    }
}

static bool has_crumb(const struct request *r, enum crumb_kind kind)
{
    for (unsigned i = 0; i < r->crumb_count; i++)
        if (r->crumbs[i].kind == kind)
            return true;
    return false;
}

/* What was learnt late can change verdicts on facts that were scanned already. */
static bool is_outdated(const struct view *v)
{
    static const int64_t PATIENCE_NS = 1000000000;
    const bool by_process =
        v->scan_attributions != v->model->attributions + v->model->merges;
    const bool by_name = ((!is_table(v) && v->filter.count) || has_crumb(&v->request, CRUMB_FOLDER))
                         && v->scan_names != v->model->late_names;
    const bool by_stack = (is_tree(v) && tree_is_outdated(v))
                          || (has_crumb(&v->request, CRUMB_FRAME)
                              && v->scan_stacks != stacks_known(v->model));
    /* When nothing more will come, the answer that stays is to be the right one. */
    const bool by_image = (v->request.pane->has_images || has_crumb(&v->request, CRUMB_IMAGE))
                          && v->scan_images != v->model->images_learnt;
    return (by_process || by_name || by_stack || by_image)
           && (v->is_finished || os_now() - v->scan_started > PATIENCE_NS);
}

bool view_is_complete(const struct view *v)
{
    return !v->is_scanning
           || (v->scan_next >= view_world(v)->facts.end && !(v->is_finished && is_outdated(v)));
}

/* Passes over facts that lie outside the range, block by block. */
static void skip_blocks(struct view *v, const struct world *w)
{
    const struct request *r = &v->request;
    while (request_has_range(r) && v->scan_next % FACT_BLOCK == 0
           && v->scan_next + FACT_BLOCK <= w->facts.end
           && !facts_block_reaches(&w->facts, v->scan_next, r->from_ns, r->to_ns))
        v->scan_next += FACT_BLOCK;
}

static bool scan(struct view *v, int64_t deadline)
{
    enum { BETWEEN_LOOKS = 512 };
    if (!v->has_request || !v->is_scanning)
        return false;
    if ((v->scan_next >= view_world(v)->facts.end && is_outdated(v)) || (is_tree(v) && !tree_catch_up(v)))
        start_scan(v);
    const struct world *w = view_world(v);
    if (v->scan_next < w->facts.first)
        v->scan_next = w->facts.first;
    while (v->index.first < v->index.end && v->index.numbers[v->index.first] < w->facts.first)
        v->index.first++;
    const bool had_work = v->scan_next < w->facts.end;
    while (v->scan_next < w->facts.end) {
        skip_blocks(v, w);
        for (unsigned i = 0; i < BETWEEN_LOOKS && v->scan_next < w->facts.end; i++) {
            if (v->slice_next < w->slices.end)
                scan_slices(v, w, v->scan_next);
            scan_fact(v, facts_at(&w->facts, v->scan_next), v->scan_next);
            v->scan_next++;
        }
        if (os_now() >= deadline)
            return true;
    }
    scan_slices(v, w, w->facts.end);
    if (v->has_narrowed && !request_has_range(&v->request))
        turn_to(v, w->newest_ns);
    return had_work;
}

bool view_work(struct view *v, int64_t deadline)
{
    const bool had_work = scan(v, deadline);
    if (v->has_narrowed)
        count_waiting(v); /* the facts may go before the next turn */
    return had_work;
}

/* ---- a table's frame --------------------------------------------------------------------- */

struct item {
    struct table_row *row;
    double number;
    uint32_t text, text_bytes;
    bool is_absent;
};

struct order {
    const char *texts;
    bool is_text, is_ascending;
};

static int compare_keys(struct row_key a, struct row_key b)
{
    if (a.a != b.a)
        return a.a < b.a ? -1 : 1;
    if (a.b != b.b)
        return a.b < b.b ? -1 : 1;
    return (a.c > b.c) - (a.c < b.c);
}

/* A total order: absent values last, ties by key, so that rows do not jump. */
static int compare(const struct order *o, const struct item *a, const struct item *b)
{
    if (a->is_absent != b->is_absent)
        return a->is_absent ? 1 : -1;
    int by_value = 0;
    if (!a->is_absent)
        by_value = o->is_text ? text_compare(o->texts + a->text, a->text_bytes, o->texts + b->text,
                                             b->text_bytes)
                              : (a->number > b->number) - (a->number < b->number);
    if (by_value)
        return o->is_ascending ? by_value : -by_value;
    return compare_keys(a->row->key, b->row->key);
}

static void swap(struct item *a, struct item *b)
{
    const struct item c = *a;
    *a = *b;
    *b = c;
}

/* Quicksort that only finishes the places first … last - 1: the rest is merely on
 * the right side of them. */
static void sort_window(const struct order *o, struct item *items, size_t count, size_t first,
                        size_t last)
{
    while (count > 1 && first < count && last > 0 && first < last) {
        swap(&items[0], &items[count / 2]);
        const struct item pivot = items[0];
        size_t low = 0, high = count;
        for (;;) {
            do low++; while (low < count && compare(o, &items[low], &pivot) < 0);
            do high--; while (compare(o, &items[high], &pivot) > 0);
            if (low >= high)
                break;
            swap(&items[low], &items[high]);
        }
        swap(&items[0], &items[high]);
        sort_window(o, items, high, first, last);
        items += high + 1;
        count -= high + 1;
        first = first > high + 1 ? first - high - 1 : 0;
        last = last > high + 1 ? last - high - 1 : 0;
    }
}

double view_number(struct value v)
{
    switch ((enum value_type)v.type) {
    case VALUE_RATE: case VALUE_BYTE_RATE: case VALUE_TIME_RATE: case VALUE_PERCENT:
        return v.number;
    case VALUE_TIME: case VALUE_INSTANT:
        return (double)v.ns;
    default:
        return (double)v.count;
    }
}

static bool is_text(struct value v)
{
    return v.type == VALUE_TEXT || v.type == VALUE_PATH;
}

/* Rows to show: those of the table, with rows that only stand under a thread put
 * together as "(unknown)". */
struct row_list {
    struct table_row **rows;
    size_t count;
    struct table_row **made; /* to be freed */
    size_t made_count, made_room;
    struct hold ranks; /* of the rows made, by key */
    const struct table *table;
};

/* The row of a key among those made so far, in constant time: their order is held. */
static struct table_row *made_row(struct row_list *l, struct row_key key)
{
    const uint32_t rank = hold_rank(&l->ranks, key);
    if (rank)
        return l->made[rank - 1];
    if (l->made_count == l->made_room) {
        l->made_room = l->made_room ? l->made_room * 2 : 16;
        l->made = mem_grow(l->made, l->made_room, sizeof *l->made);
    }
    hold_add(&l->ranks, key);
    return l->made[l->made_count++] = row_new(l->table, key);
}

static bool is_unknown(const struct table *t, struct row_key key)
{
    const uint32_t process = key_process(t->pane, key);
    return t->pane->process_part && !key_is_others(key)
           && (!process || process & FACT_BY_THREAD);
}

static struct row_list list_rows(const struct table *t)
{
    struct row_list l = { .table = t };
    l.rows = mem_grow(NULL, t->row_count + 1, sizeof *l.rows);
    if (!t->by_thread && t->row_count) {
        memcpy(l.rows, t->rows, t->row_count * sizeof *l.rows);
        l.count = t->row_count;
        return l;
    }
    for (uint32_t i = 0; i < t->row_count; i++) {
        const struct row_key key = t->rows[i]->key;
        if (is_unknown(t, key))
            row_add(t, made_row(&l, key_with_process(t->pane, key, 0)), t->rows[i]);
        else
            l.rows[l.count++] = t->rows[i];
    }
    l.rows = mem_grow(l.rows, l.count + l.made_count + 1, sizeof *l.rows);
    for (size_t i = 0; i < l.made_count; i++)
        l.rows[l.count++] = l.made[i];
    return l;
}

static void free_rows(struct row_list *l)
{
    for (size_t i = 0; i < l->made_count; i++)
        row_drop(l->table, l->made[i]);
    hold_clear(&l->ranks);
    free(l->made);
    free(l->rows);
}

/* Plain decimal; much faster than printing, and there is one per row. */
static const char *digits_of(uint64_t number, char *room, size_t bytes)
{
    char *at = room + bytes - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number && at > room);
    return at;
}

static bool text_passes(struct view *v, const struct table_row *r, struct row_context *x)
{
    uint16_t bits = 0;
    for (size_t i = 0; i < v->request.pane->column_count; i++) {
        const struct column *c = &v->request.pane->columns[i];
        if (!(c->flags & COLUMN_SEARCHABLE))
            continue;
        const struct value value = c->get(c, r, x);
        char room[24];
        if (is_text(value)) {
            bits |= filter_bits(&v->filter, x->texts->texts + value.text.offset,
                                value.text.bytes);
        } else if (value.type == VALUE_ID) {
            const char *digits = digits_of(value.count, room, sizeof room);
            bits |= filter_bits(&v->filter, digits, strlen(digits));
        }
    }
    return filter_passes(&v->filter, bits);
}

/* A new filter over very many rows takes longer than an answer may: the frame shows
 * what was judged in time, says that it is partial, and the next one goes on. */
static bool may_judge(struct view *v, const struct table_row *r)
{
    enum { BETWEEN_LOOKS = 128 };
    if (!v->has_unjudged && ++v->judged % BETWEEN_LOOKS == 0)
        v->has_unjudged = os_now() > v->judge_until;
    return !v->has_unjudged
           || (v->request.has_anchor && row_key_equal(r->key, v->request.anchor));
}

/* A verdict holds until a name is learnt late, or the row's texts may have changed. */
static bool row_passes(struct view *v, struct table_row *r, struct row_context *x)
{
    if (r->match >> 1 != v->filter_serial) {
        if (!may_judge(v, r))
            return false;
        const size_t mark = x->texts->text_bytes;
        r->match = v->filter_serial << 1 | text_passes(v, r, x);
        x->texts->text_bytes = mark;
    }
    return r->match & 1;
}

/* A process that ended a while ago and did nothing in the interval leaves the live
 * picture; its sums stay in the totals. */
static bool is_gone(const struct view *v, const struct table_row *r, const struct row_context *x)
{
    static const int64_t LINGER_NS = 10000000000;
    if (x->span == SPAN_TOTAL || v->request.pane->crumb != CRUMB_PROCESS)
        return false;
    const struct process *p = model_process_at(v->model, r->key.a);
    return p && p->flags & LIFE_ENDED && x->now_ns - p->end_ns > LINGER_NS
           && x->table->interval - r->interval > 1;
}

/* Nothing of what adds up in the pane happened in the span. */
static bool is_idle(const struct pane *p, const struct table_row *r, struct row_context *x)
{
    if (x->span == SPAN_INTERVAL && x->table->interval - r->interval > 1)
        return true;
    bool has_sums = false;
    for (size_t i = 0; i < p->column_count; i++) {
        const struct column *c = &p->columns[i];
        if (!(c->flags & COLUMN_SUMS))
            continue;
        has_sums = true;
        const struct value value = c->get(c, r, x);
        if (value.type != VALUE_ABSENT && view_number(value) != 0)
            return false;
    }
    return has_sums;
}

static void add_value(struct value *sum, struct value v)
{
    if (v.type == VALUE_ABSENT)
        return;
    if (sum->type == VALUE_ABSENT) {
        *sum = v;
        return;
    }
    switch ((enum value_type)v.type) {
    case VALUE_RATE: case VALUE_BYTE_RATE: case VALUE_TIME_RATE: case VALUE_PERCENT:
        sum->number += v.number;
        break;
    case VALUE_TIME:
        sum->ns += v.ns;
        break;
    default:
        sum->count += v.count;
        break;
    }
}

uint8_t view_row_flags(const struct view *v, const struct table_row *r, int64_t now)
{
    static const int64_t NEW_NS = 3000000000;
    const uint32_t process = key_process(v->request.pane, r->key);
    const struct process *p = process ? model_process_at(v->model, process) : NULL;
    if (!p)
        return 0;
    uint8_t flags = 0;
    if (p->flags & LIFE_STARTED && now - p->start_ns < NEW_NS && now >= p->start_ns)
        flags |= ROW_NEW;
    if (p->flags & LIFE_ENDED && p->end_ns <= now)
        flags |= ROW_EXITED;
    return flags;
}

/* All rows that pass, with their sort values; totals when some were left out. */
static size_t collect(struct view *v, const struct row_list *l, struct row_context *x,
                      struct item *items, struct value *totals, uint64_t *hidden)
{
    const struct pane *p = v->request.pane;
    const struct column *by = &p->columns[v->request.sort < p->column_count ? v->request.sort : 0];
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++) {
        enum { AHEAD = 12 }; /* rows lie all over the memory: have them brought in time */
        if (i + AHEAD < l->count) {
            __builtin_prefetch(l->rows[i + AHEAD]);
            __builtin_prefetch((const char *)l->rows[i + AHEAD] + 64);
            __builtin_prefetch((const char *)l->rows[i + AHEAD] + 128);
        }
        struct table_row *r = l->rows[i];
        if (is_gone(v, r, x))
            continue;
        if (v->request.hides_idle && is_idle(p, r, x)) {
            ++*hidden;
            continue;
        }
        if (v->filter.count) {
            if (!row_passes(v, r, x)) {
                ++*hidden;
                continue;
            }
            for (size_t c = 0; c < p->column_count; c++)
                if (p->columns[c].flags & COLUMN_SUMS && !(x->missing >> c & 1))
                    add_value(&totals[c], p->columns[c].get(&p->columns[c], r, x));
        }
        const struct value value = by->get(by, r, x);
        items[count++] = (struct item){
            .row = r,
            .is_absent = value.type == VALUE_ABSENT,
            .number = is_text(value) ? 0 : view_number(value),
            .text = is_text(value) ? value.text.offset : 0,
            .text_bytes = is_text(value) ? value.text.bytes : 0,
        };
    }
    return count;
}

/* Sorts by the ranks that the rows had before. Those without one come last, in the order
 * asked for, and have ranks from then on. An order is only taken over when it is whole. */
static struct order hold_order(struct view *v, const struct order *asked, struct item *items,
                               size_t count)
{
    enum { HELD_MOST = 4 * TABLE_ROWS }; /* rows that went long ago are not kept for ever */
    if (v->hold.count > HELD_MOST)
        hold_clear(&v->hold);
    if (v->hold.count == 0 && (!view_is_complete(v) || v->has_unjudged))
        return *asked;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t rank = hold_rank(&v->hold, items[i].row->key);
        if (!rank)
            continue;
        items[i].number = rank;
        items[i].is_absent = false;
        swap(&items[i], &items[known++]);
    }
    sort_window(asked, items + known, count - known, 0, count - known);
    for (size_t i = known; i < count; i++) {
        items[i].number = hold_add(&v->hold, items[i].row->key);
        items[i].is_absent = false;
    }
    return (struct order){.is_ascending = true};
}

static uint64_t first_row(const struct view *v, const struct order *o, const struct item *items,
                          size_t count)
{
    const struct request *r = &v->request;
    const struct item *anchor = NULL;
    for (size_t i = 0; r->has_anchor && i < count; i++)
        if (row_key_equal(items[i].row->key, r->anchor))
            anchor = &items[i];
    if (!anchor)
        return r->first < count ? r->first : count > r->rows ? count - r->rows : 0;
    uint64_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += compare(o, &items[i], anchor) < 0;
    const uint64_t line = r->anchor_line > 0 ? (uint64_t)r->anchor_line : 0;
    return rank > line ? rank - line : 0;
}

static struct value cell_of(const struct pane *p, size_t column, const struct table_row *r,
                            struct row_context *x)
{
    const struct column *c = &p->columns[column];
    return x->missing >> column & 1 ? value_absent() : c->get(c, r, x);
}

static void fill_row(struct view *v, struct frame_maker *maker, struct row_context *x, unsigned at,
                     const struct table_row *r)
{
    const struct pane *p = v->request.pane;
    struct value *cells = maker->cells + at * p->column_count;
    for (size_t c = 0; c < p->column_count; c++)
        cells[c] = cell_of(p, c, r, x);
    maker->rows[at].key = r->key;
    maker->rows[at].flags = view_row_flags(v, r, x->now_ns);
    maker->rows[at].crumb = key_is_others(r->key) ? CRUMB_NONE : p->crumb;
    if (v->request.has_anchor && row_key_equal(r->key, v->request.anchor))
        maker->frame.anchor_row = (int)at;
}

static void fill_table(struct view *v, struct frame_maker *maker, struct row_context *x)
{
    const struct pane *p = v->request.pane;
    struct row_list list = list_rows(x->table);
    if (v->item_room < list.count) {
        v->item_room = list.count * 2;
        v->items = mem_grow(v->items, v->item_room, sizeof *v->items);
    }
    struct item *const items = v->items;
    if (v->filter_names != v->model->late_names) {
        v->filter_names = v->model->late_names;
        v->filter_serial++;
    }
    struct frame_maker scratch;
    maker_init(&scratch, 1, p->column_count);
    /* Folders of a tree that are rows hold two others at least: there are fewer than rows. */
    const size_t most = v->request.tree ? 2 * list.count : list.count;
    maker_init(maker, v->request.rows < most ? v->request.rows : most, p->column_count);
    maker->frame.anchor_row = -1;
    x->texts = &scratch;
    const size_t count = collect(v, &list, x, items, maker->totals, &maker->frame.hidden);
    for (size_t c = 0; c < p->column_count && !v->filter.count; c++)
        if (p->columns[c].flags & COLUMN_SUMS)
            maker->totals[c] = cell_of(p, c, x->table->all, x);
    for (size_t c = 0; c < p->column_count; c++)
        maker->totals[c].is_incomplete = p->columns[c].measure
                                         && (x->span == SPAN_TOTAL ? v->has_lost : v->is_losing);
    const unsigned sort = v->request.sort < p->column_count ? v->request.sort : 0;
    const uint8_t type = p->columns[sort].type;
    struct order order = {
        .texts = scratch.texts,
        .is_text = type == VALUE_TEXT || type == VALUE_PATH,
        .is_ascending = v->request.ascending,
    };
    if (v->request.tree && p->tree) {
        struct table_row **const passed = mem_new(count + 1, sizeof *passed);
        for (size_t i = 0; i < count; i++)
            passed[i] = items[i].row;
        view_fill_tree(v, maker, x, passed, count);
        free(passed);
        goto out;
    }
    if (v->request.holds_order)
        order = hold_order(v, &order, items, count);
    const uint64_t first = first_row(v, &order, items, count);
    const uint64_t left = count - (first < count ? first : count);
    const unsigned rows = (unsigned)(left < v->request.rows ? left : v->request.rows);
    sort_window(&order, items, count, first, first + rows);
    x->texts = maker;
    for (unsigned i = 0; i < rows; i++)
        fill_row(v, maker, x, i, items[first + i].row);
    maker->frame.first = first;
    maker->frame.shown = count;
    maker->frame.row_count = rows;
out:
    frame_free(maker_take(&scratch));
    free_rows(&list);
}

/* ---- the frame ------------------------------------------------------------------------------ */

static void fill_crumbs(struct view *v, struct frame_maker *maker, struct row_context *x)
{
    for (unsigned i = 0; i < v->request.crumb_count; i++) {
        const struct crumb *c = &v->request.crumbs[i];
        char name[64], text[4200];
        const uint32_t process = c->kind == CRUMB_DISK_PROCESS ? c->key.b : c->key.a;
        const struct process *p = model_process_at(v->model, process);
        const char *label = process_label(x, process, name, sizeof name);
        const struct file *f = model_file_at(v->model, c->key.a);
        const struct thread *t = shelf_at(&v->model->threads, c->key.a);
        const char *shown;
        switch ((enum crumb_kind)c->kind) {
        case CRUMB_PROCESS:
            snprintf(text, sizeof text, p && p->name ? "%s %u" : "%s", label, p ? p->pid : 0);
            break;
        case CRUMB_DISK_PROCESS:
            snprintf(text, sizeof text, p && p->name ? "disk %u · %s %u" : "disk %u · %s",
                     c->key.a - 1, label, p ? p->pid : 0);
            break;
        case CRUMB_FILE:
        case CRUMB_KEY:
            shown = model_path(v->model, f, text, sizeof text);
            if (shown != text)
                snprintf(text, sizeof text, "%s", shown ? shown : "(unknown)");
            break;
        case CRUMB_CONNECTION: {
            const struct connection *n = shelf_at(&v->model->connections, c->key.a);
            if (n)
                model_connection_end(n, true, text, sizeof text);
            else
                snprintf(text, sizeof text, "(none)");
            break;
        }
        case CRUMB_IMAGE: {
            const struct image *image = shelf_at(&v->model->images, c->key.a);
            const char *module = model_module_name(v->model, image);
            snprintf(text, sizeof text, "%s", module ? module : "(unknown)");
            break;
        }
        case CRUMB_ROUTINE:
        case CRUMB_CALL: {
            char room[512];
            snprintf(text, sizeof text, "%s",
                     model_routine_label(v->model, c->key.a, x->now_ns, room, sizeof room));
            break;
        }
        case CRUMB_FRAME:
            snprintf(text, sizeof text, "%s", view_passage_name(v, i));
            break;
        case CRUMB_FOLDER:
            snprintf(text, sizeof text, "%s", view_folder_name(v, i));
            break;
        case CRUMB_THREAD:
            snprintf(text, sizeof text, "thread %u", t ? t->tid : 0);
            break;
        case CRUMB_KIND: {
            const bool is_known = c->key.a && c->key.a <= v->model->kind_count;
            const struct kind *k = &v->model->kinds[is_known ? c->key.a - 1 : 0];
            snprintf(text, sizeof text, "%s %s", k->class_name, k->event_name);
            break;
        }
        default:
            text[0] = '\0';
            break;
        }
        const bool is_path =
            c->kind == CRUMB_FILE || c->kind == CRUMB_KEY || c->kind == CRUMB_FOLDER;
        maker->frame.crumb_names[i] =
            maker_text(maker, is_path ? VALUE_PATH : VALUE_TEXT, text, strlen(text));
    }
    maker->frame.crumb_count = v->request.crumb_count;
}

/* How much of the range the kept window covers: what lies outside of it does not make
 * rates smaller, and a few events at its edge do not make them enormous. */
static int64_t range_length(const struct view *v, const struct world *w)
{
    const struct request *r = &v->request;
    static const int64_t LEAST_NS = 1000000;
    const int64_t first = facts_earliest(&w->facts) - 1;
    const int64_t from = r->from_ns > first ? r->from_ns : first;
    const int64_t to = r->to_ns < w->newest_ns ? r->to_ns : w->newest_ns;
    if (to <= from)
        return r->to_ns - r->from_ns;
    const int64_t length =
        to - from - coverage_gap_ns(v->collectors, v->collector_count, from, to);
    return length > LEAST_NS ? length : LEAST_NS;
}

static struct row_context context_of(struct view *v, const struct world *w, const struct table *t)
{
    const bool has_interval = w->interval > 0;
    const bool is_total = v->request.accumulate || v->is_finished || !has_interval;
    const int64_t from = w->reset_ns > w->first_ns ? w->reset_ns : w->first_ns;
    const int64_t recorded = w->newest_ns - from
                             - coverage_gap_ns(v->collectors, v->collector_count, from,
                                               w->newest_ns);
    struct row_context x = {
        .table = t,
        .model = v->model,
        .span = is_total ? SPAN_TOTAL : SPAN_INTERVAL,
        .seconds = (double)(is_total ? recorded : v->interval_ns) / 1e9,
        .now_ns = w->newest_ns,
        .paths = v->request.paths,
        .of_one_cpu = v->request.of_one_cpu,
    };
    if (v->request.tree && x.paths == PATHS_NAME)
        x.paths = PATHS_FULL;
    if (request_has_range(&v->request)) {
        x.span = SPAN_TOTAL; /* of the narrowed table, which holds nothing else */
        x.seconds = (double)range_length(v, w) / 1e9;
        x.now_ns = v->request.to_ns < w->newest_ns ? v->request.to_ns : w->newest_ns;
    }
    for (size_t i = 0; i < v->collector_count; i++) {
        const struct collector *c = v->collectors[i];
        const unsigned sources = atomic_load_explicit(&c->source_count, memory_order_acquire);
        for (unsigned s = 0; s < sources; s++)
            x.cpus = c->sources[s].cpus > x.cpus ? c->sources[s].cpus : x.cpus;
    }
    fed_look(&v->fed, v->model);
    x.has_switches = fed_has(&v->fed, FACT_SWITCH);
    x.missing = fed_missing(&v->fed, v->request.pane);
    return x;
}

static void fill_range(const struct view *v, struct frame *f, const struct row_context *x)
{
    const struct machine_sums *m = &v->machine;
    const uint64_t all = x->has_switches ? m->run : m->sampled;
    const uint64_t idle = x->has_switches ? m->idle_run : m->idle_sampled;
    f->range_from = v->request.from_ns;
    f->range_to = v->request.to_ns;
    f->cpu_percent = all && x->cpus ? (double)(all - idle) / 1e9 / x->seconds / x->cpus * 100 : -1;
    f->disk_read = (double)m->read / x->seconds;
    f->disk_write = (double)m->written / x->seconds;
}

struct row_context view_fill(struct view *v, struct frame_maker *maker)
{
    static const int64_t JUDGE_NS = 5 * 1000000;
    v->judge_until = os_now() + JUDGE_NS;
    v->judged = 0;
    v->has_unjudged = false;
    const struct world *w = view_world(v);
    struct table *t = v->has_narrowed ? &v->narrowed : &w->tables[pane_index(v->request.pane)];
    table_settle(t, v->model);
    struct row_context x = context_of(v, w, t);
    if (is_events(v))
        view_fill_events(v, maker);
    else if (is_tree(v))
        view_fill_stacks(v, maker);
    else
        fill_table(v, maker, &x);
    x.texts = maker;
    fill_crumbs(v, maker, &x);
    struct frame *f = &maker->frame;
    f->sequence = v->request.sequence;
    f->pane = v->request.pane;
    f->instant = x.now_ns;
    f->kept_first = facts_earliest(&w->facts);
    f->kept_last = w->facts.end > w->facts.first ? w->newest_ns : 0;
    f->origin = w->origin_ns;
    f->sample_ns = v->interval_ns;
    f->first_instant = v->is_scanning && w->facts.end > w->facts.first
                           ? facts_at(&w->facts, w->facts.first)->time
                           : w->first_ns;
    f->interval_s = x.seconds;
    f->is_total = x.span == SPAN_TOTAL && !request_has_range(&v->request);
    f->interval = w->interval;
    f->is_frozen = v->is_frozen;
    f->is_partial = !view_is_complete(v) || v->has_unjudged;
    f->is_window_only = v->is_scanning && w->facts.first > 0;
    f->cpus = x.cpus;
    f->has_switches = x.has_switches;
    f->has_samples = fed_has(&v->fed, FACT_SAMPLE);
    f->missing = x.missing;
    if (request_has_range(&v->request))
        fill_range(v, f, &x);
    return x;
}
