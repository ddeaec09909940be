/* Every pane adds up: its rows to its header, its header to what the synthetic machine
 * counted while it wrote the records; and who waited for what, and who ended the wait,
 * are what the machine did. */
#include "tests/play.h"

#include "src/event/decode/names.h"
#include "src/pane/panes.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { ROWS = 100000, TICKS = 10000000 };

static const uint64_t seeds[] = {31, 32, 33};

enum { SEEDS = sizeof seeds / sizeof *seeds };

static void expect(uint64_t shown, uint64_t counted, const char *pane, const char *column,
                   uint32_t id)
{
    if (shown != counted)
        print_error("%s: %s of %u: %llu shown, %llu counted\n", pane, column, id,
                    (unsigned long long)shown, (unsigned long long)counted);
    assert_int_equal(shown, counted);
}

/* ---- rows and header -------------------------------------------------------------------- */

static bool is_real(const struct value *v)
{
    return v->type == VALUE_RATE || v->type == VALUE_BYTE_RATE || v->type == VALUE_TIME_RATE
           || v->type == VALUE_PERCENT;
}

static double number_of(const struct value *v)
{
    return v->type == VALUE_ABSENT ? 0 : is_real(v) ? v->number : (double)v->count;
}

/* Amounts behind rates of whole things must agree to the last one. */
static void column_adds_up(const struct frame *f, size_t c)
{
    const struct column *column = &f->pane->columns[c];
    const double seconds = column->get == get_rate ? f->column_s[c] : 1;
    double sum = 0;
    uint64_t whole = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const double n = number_of(&f->rows[i].cells[c]) * seconds;
        sum += n;
        whole += (uint64_t)llround(n);
    }
    const double total = number_of(&f->totals[c]) * seconds;
    const bool is_whole = column->get == get_rate || column->get == get_count ||
                          column->get == get_sum_count || column->get == get_sum_time;
    if (is_whole)
        expect(whole, (uint64_t)llround(total), f->pane->id, column->id, 0);
    else if (fabs(sum - total) > 1e-9 * fabs(total) + 1e-9)
        fail_msg("%s: %s: rows have %.12g, the header %.12g", f->pane->id, column->id, sum, total);
}

static void columns_add_up(const struct frame *f)
{
    assert_int_equal(f->shown, f->row_count);
    for (size_t c = 0; c < f->pane->column_count; c++)
        if (f->pane->columns[c].flags & COLUMN_SUMS)
            column_adds_up(f, c);
}

static struct frame *ask(const struct play *p, const char *pane)
{
    stage_request(p->stage, pane)->rows = ROWS;
    return stage_ask(p->stage);
}

static void rows_make_headers(void **state)
{
    (void)state;
    static const char *const filters[] = {"", "sqlservr", "!e"};
    for (unsigned i = 0; i < SEEDS; i++) {
        struct play p = play_new(seeds[i], PLAY_WHOLE);
        play_all(&p);
        for (unsigned n = 0; panes[n]; n++)
            for (unsigned k = 0; panes[n]->view == PANE_TABLE && k < 3; k++) {
                struct request *r = stage_request(p.stage, panes[n]->id);
                r->rows = ROWS;
                snprintf(r->filter, sizeof r->filter, "%s", filters[k]);
                struct frame *f = stage_ask(p.stage);
                assert_true(k || f->row_count > 1 || f->pane->if_empty); /* nobody runs .NET */
                columns_add_up(f);
                frame_free(f);
            }
        play_free(&p);
    }
}

/* The same while it goes on, of whole intervals. */
static void intervals_add_up(void **state)
{
    (void)state;
    struct play p = play_new(34, 1000000000);
    const int64_t start = synthetic_time(p.machine);
    unsigned seen = 0;
    for (unsigned step = 1; step <= 4; step++) {
        play_until(&p, start + step * 13 * (int64_t)TICKS / 10);
        for (unsigned n = 0; panes[n]; n++) {
            if (panes[n]->view != PANE_TABLE)
                continue;
            struct request *r = stage_request(p.stage, panes[n]->id);
            r->rows = ROWS;
            r->accumulate = false;
            struct frame *f = stage_ask_now(p.stage);
            assert_false(f->is_total);
            columns_add_up(f);
            seen += f->row_count;
            frame_free(f);
        }
    }
    assert_true(seen > 1000);
    stage_finish(p.stage);
    play_free(&p);
}

/* ---- header and machine ------------------------------------------------------------------- */

/* Columns that count records: of the hooks in up to eight ranges; none = all records. */
static const struct {
    const char *pane, *column;
    struct {
        uint16_t first, last;
    } hooks[8];
} counted[] = {
    {"processes", "csw", {{0x0524, 0x0524}}},
    {"processes", "samples", {{0x0f2e, 0x0f2e}}},
    {"processes", "registry", {{0x090a, 0x0915}, {0x091a, 0x091d}}},
    {"processes", "hard_faults", {{0x0220, 0x0220}}},
    {"processes", "faults", {{0x020a, 0x020d}}},
    {"processes", "calls", {{0x0f33, 0x0f33}}},
    {"processes", "file_ops", {{0x0440, 0x044b}}},
    {"processes", "events", {{0, 0}}},
    {"cpu", "csw", {{0x0524, 0x0524}}},
    {"cpu", "wakes", {{0x0532, 0x0532}}},
    {"disk", "reads", {{0x010a, 0x010a}}},
    {"disk", "writes", {{0x010b, 0x010b}}},
    {"disk", "flushes", {{0x010e, 0x010e}}},
    {"disk", "ops", {{0x010a, 0x010b}, {0x010e, 0x010e}}},
    {"diskfiles", "reads", {{0x010a, 0x010a}}},
    {"diskfiles", "writes", {{0x010b, 0x010b}}},
    {"files", "ops", {{0x0440, 0x044b}}},
    {"fileusers", "ops", {{0x0440, 0x044b}}},
    {"files", "opens", {{0x0440, 0x0440}}},
    {"fileusers", "opens", {{0x0440, 0x0440}}},
    {"files", "enums", {{0x0448, 0x0448}}},
    {"fileusers", "enums", {{0x0448, 0x0448}}},
    {"files", "renames", {{0x0447, 0x0447}}},
    {"fileusers", "renames", {{0x0447, 0x0447}}},
    {"files", "deletes", {{0x0446, 0x0446}}},
    {"fileusers", "deletes", {{0x0446, 0x0446}}},
    {"network",
     "packets",
     {{0x060a, 0x060b}, {0x061a, 0x061b}, {0x080a, 0x080b}, {0x081a, 0x081b}}},
    {"network", "retr", {{0x060e, 0x060e}, {0x061e, 0x061e}}},
    {"network", "connects", {{0x060c, 0x060c}, {0x060f, 0x060f}, {0x061c, 0x061c}, {0x061f, 0x061f}}},
    {"network", "fails", {{0x0611, 0x0611}}},
    {"registry", "ops", {{0x090a, 0x0915}, {0x091a, 0x091d}}},
    {"registry", "queries", {{0x090d, 0x090d}, {0x0910, 0x0910}}},
    {"registry", "sets", {{0x090e, 0x090e}}},
    {"registry", "enums", {{0x0911, 0x0911}}},
    {"registry", "opens", {{0x090a, 0x090b}}},
    {"registry", "deletes", {{0x090c, 0x090c}, {0x090f, 0x090f}}},
    {"memory", "hard", {{0x0220, 0x0220}}},
    {"memory", "transition", {{0x020a, 0x020a}}},
    {"memory", "zero", {{0x020b, 0x020b}}},
    {"memory", "copy", {{0x020c, 0x020c}}},
    {"memory", "guard", {{0x020d, 0x020d}}},
    {"memory", "violation", {{0x020f, 0x020f}}},
    {"memory", "images", {{0x030a, 0x030a}}},
    {"interrupts", "count", {{0x0f32, 0x0f32}, {0x0f42, 0x0f46}}},
    {"calls", "calls", {{0x0f33, 0x0f33}}},
    {"callers", "calls", {{0x0f33, 0x0f33}}},
    {"rates", "count", {{0, 0}}},
    {"cpu", "sum_ops", {{0x0524, 0x0524}}},
    {"processes",
     "sum_ops",
     {{0x010a, 0x010b},
      {0x060a, 0x060b},
      {0x061a, 0x061b},
      {0x080a, 0x080b},
      {0x081a, 0x081b}}},
    {"files", "sum_ops", {{0x0440, 0x044b}}},
    {"fileusers", "sum_ops", {{0x0440, 0x044b}}},
    {"network",
     "sum_ops",
     {{0x060a, 0x060b}, {0x061a, 0x061b}, {0x080a, 0x080b}, {0x081a, 0x081b}}},
    {"registry", "sum_ops", {{0x090a, 0x0915}, {0x091a, 0x091d}}},
    {"interrupts", "sum_ops", {{0x0f32, 0x0f32}, {0x0f42, 0x0f46}}},
    {"calls", "sum_ops", {{0x0f33, 0x0f33}}},
    {"callers", "sum_ops", {{0x0f33, 0x0f33}}},
    {"rates", "sum_ops", {{0, 0}}},
};

enum { COUNTED = sizeof counted / sizeof *counted };

static uint64_t records_of(const struct synthetic *m, uint16_t first, uint16_t last)
{
    uint64_t records = 0;
    for (size_t i = 0; i < synthetic_kind_count; i++)
        if (synthetic_kinds[i].hook >= first && synthetic_kinds[i].hook <= last)
            records += synthetic_totals(m)->kinds[i];
    return records;
}

static uint64_t total_amount(const struct frame *f, const char *column)
{
    const struct value v = total(f, column);
    return is_real(&v) ? (uint64_t)llround(v.number * seconds_of(f, column))
                       : (uint64_t)number_of(&v);
}

static void headers_count_records(const struct play *p)
{
    for (unsigned i = 0; i < COUNTED; i++) {
        uint64_t records = 0;
        for (unsigned n = 0; n < 8 && counted[i].hooks[n].first; n++)
            records += records_of(p->machine, counted[i].hooks[n].first, counted[i].hooks[n].last);
        if (!counted[i].hooks[0].first)
            records = synthetic_totals(p->machine)->records;
        struct frame *f = ask(p, counted[i].pane);
        expect(total_amount(f, counted[i].column), records, counted[i].pane, counted[i].column, 0);
        frame_free(f);
    }
}

/* Columns whose sum, together, is a quantity of the machine's processes; by process id
 * where the pane has one. Times are in ticks there. */
static const struct {
    const char *pane, *columns[5];
    size_t offset;
    bool is_ticks;
} summed[] = {
#define OF(member) offsetof(struct synthetic_process, member)
    {"processes", {"cpu_time"}, OF(run), true},
    {"processes", {"disk_read"}, OF(disk_read_bytes), false},
    {"processes", {"disk_write"}, OF(disk_written_bytes), false},
    {"processes", {"net_recv"}, OF(received_bytes), false},
    {"processes", {"net_send"}, OF(sent_bytes), false},
    {"processes", {"registry"}, OF(registry), false},
    {"processes", {"alloc"}, OF(allocated_bytes), false},
    {"cpu", {"run"}, OF(run), true},
    {"disk", {"reads"}, OF(disk_reads), false},
    {"disk", {"writes"}, OF(disk_writes), false},
    {"disk", {"read"}, OF(disk_read_bytes), false},
    {"disk", {"write"}, OF(disk_written_bytes), false},
    {"diskfiles", {"read"}, OF(disk_read_bytes), false},
    {"diskfiles", {"write"}, OF(disk_written_bytes), false},
    {"files", {"opens"}, OF(file_opens), false},
    {"fileusers", {"opens"}, OF(file_opens), false},
    {"files", {"read"}, OF(file_read_bytes), false},
    {"fileusers", {"read"}, OF(file_read_bytes), false},
    {"files", {"write"}, OF(file_written_bytes), false},
    {"fileusers", {"write"}, OF(file_written_bytes), false},
    {"network", {"recv"}, OF(received_bytes), false},
    {"network", {"send"}, OF(sent_bytes), false},
    {"registry", {"ops"}, OF(registry), false},
    {"memory", {"hard"}, OF(hard_faults), false},
    {"memory", {"hard_bytes"}, OF(hard_fault_bytes), false},
    {"memory", {"sum_bytes"}, OF(hard_fault_bytes), false},
    {"processes", {"sum_time"}, OF(run), true},
    {"cpu", {"sum_time"}, OF(run), true},
    {"memory", {"zero", "transition", "copy", "guard", "violation"}, OF(soft_faults), false},
    {"memory", {"alloc"}, OF(allocated_bytes), false},
    {"memory", {"free"}, OF(freed_bytes), false},
#undef OF
};

enum { SUMMED = sizeof summed / sizeof *summed };

static uint64_t truth_of(const struct synthetic_totals *t, unsigned which, uint32_t pid,
                         bool is_whole)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->process_count; i++) {
        uint64_t one; /* counts and times alike have 64 bits and are not negative */
        memcpy(&one, (const char *)&t->processes[i] + summed[which].offset, sizeof one);
        sum += is_whole || t->processes[i].pid == pid ? one : 0;
    }
    return summed[which].is_ticks ? sum * 100 : sum;
}

static uint64_t row_amount(const struct frame *f, unsigned row, const char *column)
{
    const struct value v = cell(f, row, column);
    return is_real(&v) ? (uint64_t)llround(v.number * seconds_of(f, column)) : (uint64_t)number_of(&v);
}

static uint64_t shown_of(const struct frame *f, unsigned which, uint32_t pid)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value v = cell(f, i, "pid");
        const bool is_it = v.type != VALUE_ABSENT && v.count == pid;
        for (unsigned n = 0; is_it && n < 5 && summed[which].columns[n]; n++)
            sum += row_amount(f, i, summed[which].columns[n]);
    }
    return sum;
}

static void headers_sum_quantities(const struct play *p)
{
    const struct synthetic_totals *t = synthetic_totals(p->machine);
    for (unsigned i = 0; i < SUMMED; i++) {
        struct frame *f = ask(p, summed[i].pane);
        uint64_t shown = 0;
        for (unsigned n = 0; n < 5 && summed[i].columns[n]; n++)
            shown += total_amount(f, summed[i].columns[n]);
        expect(shown, truth_of(t, i, 0, true), summed[i].pane, summed[i].columns[0], 0);
        for (size_t n = 0; pane_column(f->pane, "pid") && n < t->process_count; n++)
            expect(shown_of(f, i, t->processes[n].pid), truth_of(t, i, t->processes[n].pid, false),
                   summed[i].pane, summed[i].columns[0], t->processes[n].pid);
        frame_free(f);
    }
}

static void failures_are_counted(const struct play *p)
{
    struct frame *f = ask(p, "files");
    expect(total_amount(f, "errors"), synthetic_totals(p->machine)->file_errors, "files", "errors",
           0);
    frame_free(f);
    f = ask(p, "registry");
    uint64_t failed = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value percent = cell(f, i, "fail");
        const double ops = cell(f, i, "ops").number * seconds_of(f, "ops");
        failed += (uint64_t)llround(number_of(&percent) / 100 * ops);
    }
    expect(failed, synthetic_totals(p->machine)->registry_errors, "registry", "fail", 0);
    frame_free(f);
}

/* Time in interrupts, in calls and in the calls of each process; which calls failed. */
static void interrupts_and_calls_are_true(const struct play *p)
{
    const struct synthetic_totals *t = synthetic_totals(p->machine);
    struct frame *f = ask(p, "interrupts");
    assert_true(t->interrupt_ticks > 0);
    expect(total_amount(f, "time"), (uint64_t)t->interrupt_ticks * 100, f->pane->id, "time", 0);
    frame_free(f);
    static const char *const by[] = {"calls", "callers"};
    for (unsigned i = 0; i < 2; i++) {
        f = ask(p, by[i]);
        assert_true(t->call_ticks > 0 && t->call_errors > 0);
        expect(total_amount(f, "time"), (uint64_t)t->call_ticks * 100, by[i], "time", 0);
        expect(total_amount(f, "errors"), t->call_errors, by[i], "errors", 0);
        frame_free(f);
    }
}

/* Each kind of record by itself. */
static void kinds_are_counted(const struct play *p)
{
    struct frame *f = ask(p, "rates");
    for (size_t i = 0; i < synthetic_kind_count; i++) {
        const uint16_t hook = synthetic_kinds[i].hook;
        uint64_t shown = 0;
        for (unsigned row = 0; row < f->row_count; row++)
            shown += cell(f, row, "id").count == hook ? cell(f, row, "count").count : 0;
        expect(shown, records_of(p->machine, hook, hook), "rates", synthetic_kinds[i].name, hook);
    }
    frame_free(f);
}

static void headers_match_the_machine(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SEEDS; i++) {
        struct play p = play_new(seeds[i], PLAY_WHOLE);
        play_all(&p);
        headers_count_records(&p);
        headers_sum_quantities(&p);
        failures_are_counted(&p);
        interrupts_and_calls_are_true(&p);
        kinds_are_counted(&p);
        play_free(&p);
    }
}

/* ---- drilled ---------------------------------------------------------------------------------- */

/* What a process has in Processes, its rows have in the pane behind it. */
static const struct {
    const char *column, *pane, *there;
} behind[] = {
    {"csw", "cpu", "csw"},           {"cpu_time", "cpu", "run"},
    {"samples", "cpu", "samples"},   {"events", "threads", "events"},
    {"disk_read", "disk", "read"},   {"disk_write", "diskfiles", "write"},
    {"net_recv", "network", "recv"}, {"net_send", "network", "send"},
    {"registry", "registry", "ops"}, {"hard_faults", "memory", "hard"},
    {"alloc", "memory", "alloc"},    {"file_ops", "files", "ops"},
    {"file_ops", "fileusers", "ops"},
    {"calls", "calls", "calls"},     {"calls", "callers", "calls"},
    {"events", "rates", "count"},
};

static void drilled_panes_add_up(void **state)
{
    (void)state;
    struct play p = play_new(35, 1000000000);
    play_all(&p);
    struct frame *all = ask(&p, "processes");
    for (unsigned i = 0; i < sizeof behind / sizeof *behind; i++) {
        /* The busiest row and one in the middle. */
        unsigned busiest = 0;
        for (unsigned row = 0; row < all->row_count; row++)
            if (row_amount(all, row, behind[i].column) > row_amount(all, busiest, behind[i].column))
                busiest = row;
        assert_true(row_amount(all, busiest, behind[i].column) > 0);
        const unsigned rows[] = {busiest, all->row_count / 2};
        for (unsigned n = 0; n < 2; n++) {
            struct request *r = stage_request(p.stage, behind[i].pane);
            r->rows = ROWS;
            r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = all->rows[rows[n]].key};
            r->crumb_count = 1;
            struct frame *f = stage_ask(p.stage);
            columns_add_up(f);
            expect(total_amount(f, behind[i].there), row_amount(all, rows[n], behind[i].column),
                   behind[i].pane, behind[i].there, rows[n]);
            frame_free(f);
        }
    }
    frame_free(all);
    play_free(&p);
}

/* The events of the first row that filters can name: rows such as (unknown) are none. */
static struct frame *ask_crumb(struct play *p, const char *pane)
{
    struct frame *const all = ask(p, pane), *f = NULL;
    struct request *const r = stage_request(p->stage, "events");
    for (unsigned i = 0; i < all->row_count; i++) {
        r->crumbs[0] = (struct crumb){.kind = all->rows[i].crumb, .key = all->rows[i].key};
        r->crumb_count = 1;
        f = stage_ask(p->stage);
        if (f->crumbs[0].term.type == VALUE_TEXT && f->crumbs[0].lasting.type == VALUE_TEXT &&
            f->shown)
            break;
        frame_free(f);
        f = NULL;
    }
    r->crumb_count = 0;
    frame_free(all);
    assert_non_null(f);
    return f;
}

/* The filters that stand for a crumb: one finds the crumb's events, the other at least these. Ids
 * of threads come back in these events: theirs finds more, too. */
static void crumbs_are_filters_too(void **state)
{
    (void)state;
    static const char *const of[] = {"processes", "disk",  "files",  "registry",
                                     "calls",     "rates", "threads"};
    struct play p = play_new(35, 1000000000);
    play_all(&p);
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        struct frame *const f = ask_crumb(&p, of[i]);
        const struct value terms[] = {f->crumbs[0].term, f->crumbs[0].lasting};
        struct request *const r = stage_request(p.stage, "events");
        for (unsigned n = 0; n < 2; n++) {
            snprintf(r->filter, sizeof r->filter, "%s", text_of(f, terms[n]));
            struct frame *const again = stage_ask(p.stage);
            const bool is_exact = n == 0 && strcmp(of[i], "threads") != 0;
            if (is_exact ? again->shown != f->shown : again->shown < f->shown)
                fail_msg("%s: %s: %d events, not %d", of[i], r->filter, (int)again->shown,
                         (int)f->shown);
            frame_free(again);
        }
        frame_free(f);
    }
    play_free(&p);
}

/* Rows of what is unknown: their filter finds exactly their events, in any pane. */
static void unknown_is_a_filter_too(void **state)
{
    (void)state;
    static const char *const of[] = {"diskfiles", "files", "disk", "memory", "interrupts"};
    struct play p = play_new(35, 1000000000);
    unsigned rows = 0;
    play_all(&p);
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        struct frame *const all = ask(&p, of[i]);
        for (unsigned row = 0; row < all->row_count; row++) {
            struct request *const r = stage_request(p.stage, "events");
            r->crumbs[0] = (struct crumb){.kind = all->rows[row].crumb, .key = all->rows[row].key};
            r->crumb_count = 1;
            struct frame *const f = stage_ask(p.stage);
            if (strstr(text_of(f, f->crumbs[0].name), "(unknown)")) {
                struct request *const as = stage_request(p.stage, "events");
                snprintf(as->filter, sizeof as->filter, "%s", text_of(f, f->crumbs[0].lasting));
                struct frame *const again = stage_ask(p.stage);
                if (!as->filter[0] || again->shown != f->shown)
                    fail_msg("%s: '%s': %d events, not %d", of[i], as->filter, (int)again->shown,
                             (int)f->shown);
                rows++;
                frame_free(again);
            }
            frame_free(f);
        }
        frame_free(all);
    }
    assert_true(rows);
    play_free(&p);
}

/* ---- who waited for whom ------------------------------------------------------------------------ */

enum { REASONS = 256, WAKERS = 512 };

/* What the machine knows of a thread id in a process id, over all lifetimes. */
struct truth {
    uint64_t slices, run, ready, wakes, waited;
    uint64_t by_reason[REASONS];
    struct {
        uint32_t thread; /* row: ids come back */
        uint64_t wakes;
    } wakers[WAKERS];
    unsigned waker_count;
};

static void count_waker(struct truth *t, uint32_t thread)
{
    unsigned i = 0;
    while (i < t->waker_count && t->wakers[i].thread != thread)
        i++;
    assert_true(i < WAKERS);
    if (i == t->waker_count)
        t->wakers[t->waker_count++].thread = thread;
    t->wakers[i].wakes++;
}

static bool is_thread(const struct synthetic_thread *t, uint32_t tid, uint32_t pid)
{
    return t->tid == tid && t->pid == pid;
}

static struct truth learn(const struct synthetic *m, uint32_t tid, uint32_t pid)
{
    const struct synthetic_totals *all = synthetic_totals(m);
    struct truth t = {0};
    for (size_t i = 0; i < all->thread_count; i++) {
        if (!is_thread(&all->threads[i], tid, pid))
            continue;
        t.slices += all->threads[i].slices;
        t.run += (uint64_t)all->threads[i].run * 100;
        t.ready += (uint64_t)all->threads[i].ready * 100;
    }
    for (size_t i = 0; i < all->wake_count; i++) {
        const struct synthetic_wake *w = &all->wakes[i];
        if (!is_thread(&all->threads[w->thread], tid, pid))
            continue;
        t.wakes++;
        t.waited += (uint64_t)w->waited * 100;
        t.by_reason[w->reason] += (uint64_t)w->waited * 100;
        if (w->waker != SYNTHETIC_INTERRUPT)
            count_waker(&t, w->waker);
    }
    return t;
}

/* The heaviest, or -1 when it leads by less than the fifth that a pane may be wrong by. */
static int leading_reason(const struct truth *t)
{
    int first = 0;
    uint64_t second = 0;
    for (int i = 1; i < REASONS; i++)
        first = t->by_reason[i] > t->by_reason[first] ? i : first;
    for (int i = 0; i < REASONS; i++)
        second = i != first && t->by_reason[i] > second ? t->by_reason[i] : second;
    return t->by_reason[first] - second > t->waited / 5 ? first : -1;
}

static int64_t leading_waker(const struct truth *t)
{
    unsigned first = 0;
    uint64_t second = 0, sum = 0;
    for (unsigned i = 0; i < t->waker_count; i++) {
        first = t->wakers[i].wakes > t->wakers[first].wakes ? i : first;
        sum += t->wakers[i].wakes;
    }
    for (unsigned i = 0; i < t->waker_count; i++)
        second = i != first && t->wakers[i].wakes > second ? t->wakers[i].wakes : second;
    const bool leads = t->waker_count && t->wakers[first].wakes - second > sum / 5;
    return leads ? (int64_t)t->wakers[first].thread : -1;
}

struct tried {
    unsigned threads, reasons, wakers, none;
};

/* The row of the thread that has this id last. */
static void thread_is_true(const struct frame *f, const struct synthetic *m, uint32_t tid,
                           uint32_t pid, struct tried *tried)
{
    const struct truth t = learn(m, tid, pid);
    uint64_t slices = 0, run = 0, ready = 0, wakes = 0, waited = 0;
    unsigned rows = 0, row = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        if (cell(f, i, "tid").count != tid || cell(f, i, "pid").count != pid)
            continue;
        rows++;
        row = i;
        slices += row_amount(f, i, "csw");
        run += row_amount(f, i, "run");
        ready += row_amount(f, i, "ready");
        wakes += row_amount(f, i, "wakes");
        waited += row_amount(f, i, "wait");
    }
    expect(slices, t.slices, "cpu", "slices", tid);
    expect(run, t.run, "cpu", "run", tid);
    expect(ready, t.ready, "cpu", "ready", tid);
    expect(wakes, t.wakes, "cpu", "wakes", tid);
    expect(waited, t.waited, "cpu", "wait", tid);
    if (rows != 1)
        return;
    tried->threads++;
    const int reason = leading_reason(&t);
    if (reason >= 0) {
        tried->reasons++;
        char name[32] = "";
        unsigned percent = 0;
        assert_int_equal(sscanf(text_of(f, cell(f, row, "reason")), "%31s %u%%", name, &percent), 2);
        assert_string_equal(name, name_wait_reason((unsigned)reason));
        const double part = (double)t.by_reason[reason] / (double)t.waited * 100;
        assert_true(percent <= part + 1 && percent >= part - 21); /* a fifth is forgotten at most */
    }
    const int64_t waker = leading_waker(&t);
    const char *shown = text_of(f, cell(f, row, "waker"));
    if (t.waker_count == 0) {
        tried->none++;
        assert_string_equal(shown, "-");
    } else if (waker >= 0) {
        tried->wakers++;
        assert_non_null(strrchr(shown, ' '));
        assert_int_equal(strtol(strrchr(shown, ' '), NULL, 10),
                         synthetic_totals(m)->threads[waker].tid);
    }
}

/* The stall: who commits waits for the log writer, the log writer for a disk. */
static void chain_is_true(const struct frame *f, const struct synthetic *m)
{
    const struct synthetic_totals *all = synthetic_totals(m);
    enum { USER_REQUEST = 6, EXECUTIVE = 0, LONG = TICKS / 2 };
    uint32_t logger = SYNTHETIC_INTERRUPT;
    unsigned committed = 0;
    for (size_t i = 0; i < all->wake_count; i++) {
        const struct synthetic_wake *w = &all->wakes[i];
        if (w->waited < LONG || w->reason != EXECUTIVE || w->waker != SYNTHETIC_INTERRUPT)
            continue;
        for (size_t n = i + 1; n < all->wake_count; n++)
            if (all->wakes[n].waker == w->thread && all->wakes[n].reason == USER_REQUEST) {
                logger = w->thread;
                committed += all->wakes[n].waited > LONG;
            }
    }
    assert_true(all->stalls > 0);
    assert_true(logger != SYNTHETIC_INTERRUPT && committed > 0);
    char expected[300];
    snprintf(expected, sizeof expected, "sqlservr.exe %u", all->threads[logger].tid);
    unsigned woken = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const bool is_his = strcmp(text_of(f, cell(f, i, "waker")), expected) == 0;
        woken += is_his && strncmp(text_of(f, cell(f, i, "reason")), "UserRequest ", 12) == 0;
        if (cell(f, i, "tid").count == all->threads[logger].tid)
            assert_string_equal(text_of(f, cell(f, i, "name")), "sqlservr.exe");
    }
    assert_true(woken > 0);
}

static void waits_are_true(void **state)
{
    (void)state;
    struct play p = play_new(seeds[0], PLAY_WHOLE);
    play_all(&p);
    struct frame *f = ask(&p, "cpu");
    const struct synthetic_totals *all = synthetic_totals(p.machine);
    struct tried tried = {0};
    for (size_t i = 0; i < all->thread_count; i++)
        thread_is_true(f, p.machine, all->threads[i].tid, all->threads[i].pid, &tried);
    assert_true(tried.threads > 100);
    assert_true(tried.reasons > 50 && tried.wakers > 10 && tried.none > 10);
    chain_is_true(f, p.machine);
    frame_free(f);
    play_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_make_headers),
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(headers_match_the_machine),
        cmocka_unit_test(drilled_panes_add_up),
        cmocka_unit_test(crumbs_are_filters_too),
        cmocka_unit_test(unknown_is_a_filter_too),
        cmocka_unit_test(waits_are_true),
    };
    return cmocka_run_group_tests_name("sums of all panes", tests, NULL, NULL);
}
