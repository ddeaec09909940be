/* Ranges of the history: every sample once makes the whole, in every table and
 * every column that adds up; late events and stays over several samples included. */
#include "tests/stage.h"

#include <math.h>
#include <stdio.h>

enum { EVENTS = 6000, SPAN_US = 5500000, SAMPLES = 6 };

static const int64_t SECOND_NS = 1000000000;

static uint32_t roll(uint32_t *prng)
{
    *prng = *prng * 1664525 + 1013904223;
    return *prng >> 8;
}

/* Five and a half seconds of disks, networks, samples and switches, every seventh
 * event up to 40 ms late, some of them over a sample's edge. */
static void play(struct stage *s)
{
    static const uint32_t pids[] = {100, 200, 300};
    struct scene by = {.stage = s, .pid = 100, .tid = 101};
    uint32_t prng = 7, running = 101;
    for (unsigned i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u.exe", pids[i]);
        send_process(&by, 1000 + i, HOOK_DC_START, pids[i], 4, name);
        send_thread(&by, 1010 + i, HOOK_DC_START, pids[i], pids[i] + 1);
    }
    by.tid = EVENT_NO_ID;
    for (unsigned i = 0; i < EVENTS; i++) {
        const uint32_t who = pids[roll(&prng) % 3];
        int64_t us = 2000 + (int64_t)i * (SPAN_US - 2000) / EVENTS;
        us -= i % 7 == 3 ? roll(&prng) % 40000 : 0;
        us = us < 1020 ? 1020 : us;
        switch (roll(&prng) % 4) {
        case 0:
            send_disk(&by, us, roll(&prng) & 1, roll(&prng) & 1, 512 + i, 0xf00 + who, 200,
                      who + 1);
            break;
        case 1:
            send_tcp(&by, us, roll(&prng) & 1, who, 10 + i % 90);
            break;
        case 2:
            send_sample(&by, us, who + 1);
            break;
        default:
            if (i % 7 == 3 || i % 50)
                break; /* time slices of a tenth of a second, in order */
            send_switch(&by, us, running, who + 1);
            running = who + 1;
        }
    }
}

static double as_amount(const struct frame *f, struct value v, size_t column)
{
    switch (v.type) {
    case VALUE_RATE:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        return v.number * f->column_s[column];
    case VALUE_TIME:
        return (double)v.ns;
    case VALUE_ABSENT:
        return 0;
    default:
        return (double)v.count;
    }
}

static void set_sample(struct request *r, const struct frame *f, int64_t number)
{
    r->from_ns = f->origin + number * f->sample_ns - 1;
    r->to_ns = r->from_ns + f->sample_ns;
}

static struct stage *played(void)
{
    struct stage *s = stage_open(1, 4 << 20, RING_SEGMENT);
    play(s);
    stage_finish(s);
    stage_play(s);
    return s;
}

/* Sums that are not from facts, or parts of the frame's own whole. */
static bool adds_up(const struct column *c)
{
    return c->flags & COLUMN_SUMS && (c->measure || c->measure2) && c->get != get_share;
}

static void samples_make_the_whole_of(struct stage *s, const char *pane)
{
    stage_request(s, pane);
    struct frame *whole = stage_ask(s);
    assert_int_equal(whole->origin / 1000000, 1);
    assert_int_equal((whole->kept_last - whole->origin) / whole->sample_ns, SAMPLES - 1);
    double sums[64] = {0};
    uint64_t rows = 0;
    unsigned checked = 0;
    /* Late events may stand before the first one. */
    for (int64_t n = -1; n <= SAMPLES; n++) {
        set_sample(&s->request, whole, n);
        struct frame *f = stage_ask(s);
        assert_false(f->is_total);
        assert_int_equal(f->range_to, s->request.to_ns);
        for (size_t c = 0; c < f->pane->column_count; c++)
            sums[c] += as_amount(f, f->totals[c], c);
        for (unsigned i = 0; i < f->row_count; i++)
            rows += f->rows[i].key.a != 0;
        frame_free(f);
    }
    for (size_t c = 0; c < whole->pane->column_count; c++) {
        const double expected = as_amount(whole, whole->totals[c], c);
        if (!adds_up(&whole->pane->columns[c]))
            continue;
        if (fabs(sums[c] - expected) > 1e-6 * fabs(expected))
            print_error("%s.%s: %f in samples, %f in all\n", pane, whole->pane->columns[c].id,
                        sums[c], expected);
        assert_true(fabs(sums[c] - expected) <= 1e-6 * fabs(expected));
        checked += expected > 0;
    }
    assert_true(checked >= 2);
    assert_true(rows >= whole->shown);
    frame_free(whole);
}

static void samples_make_the_whole(void **state)
{
    (void)state;
    struct stage *s = played();
    samples_make_the_whole_of(s, "disk");
    samples_make_the_whole_of(s, "processes");
    samples_make_the_whole_of(s, "network");
    stage_close(s);
}

/* What a machine line says of a range is what the range's rows say. */
static void machine_is_of_the_range(void **state)
{
    (void)state;
    struct stage *s = played();
    struct frame *f = stage_ask((stage_request(s, "disk"), s));
    set_sample(&s->request, f, 2);
    frame_free(f);
    f = stage_ask(s);
    assert_true(total(f, "read").number > 0);
    assert_true(fabs(f->disk_read - total(f, "read").number) < 1e-3);
    assert_true(fabs(f->disk_write - total(f, "write").number) < 1e-3);
    const struct request disk = s->request;
    frame_free(f);
    struct request *r = stage_request(s, "processes");
    r->from_ns = disk.from_ns;
    r->to_ns = disk.to_ns;
    f = stage_ask(s);
    assert_true(fabs(f->interval_s - 1) < 1e-9);
    assert_true(f->cpu_percent > 0);
    assert_true(fabs(f->cpu_percent - total(f, "cpu").number) < 1e-3);
    frame_free(f);
    stage_close(s);
}

/* The events of a range are those of its time, with crumbs and filter, each once. */
static void events_of_a_range(void **state)
{
    (void)state;
    struct stage *s = played();
    struct frame *f = stage_ask((stage_request(s, "events"), s));
    const uint64_t all = f->shown;
    const struct frame grid = *f;
    frame_free(f);
    uint64_t count = 0, matching = 0, others = 0;
    struct row_key process = {0};
    for (int64_t n = -1; n < SAMPLES; n++) {
        struct request *r = stage_request(s, "events");
        r->rows = EVENTS + 100;
        set_sample(r, &grid, n);
        f = stage_ask(s);
        count += f->shown;
        assert_int_equal(f->shown, f->row_count);
        for (unsigned i = 0; i < f->row_count; i++) {
            const int64_t time = cell(f, i, "time").ns;
            assert_true(time > r->from_ns && time <= r->to_ns);
        }
        frame_free(f);
        snprintf(r->filter, sizeof r->filter, "p200");
        f = stage_ask(s);
        matching += f->shown;
        frame_free(f);
        r = stage_request(s, "processes");
        set_sample(r, &grid, n);
        f = stage_ask(s);
        const int row = row_named(f, "name", "p200.exe");
        process = row >= 0 ? f->rows[row].key : process;
        frame_free(f);
        r = stage_request(s, "events");
        set_sample(r, &grid, n);
        r->crumb_count = 1;
        r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = process};
        f = stage_ask(s);
        others += f->shown;
        frame_free(f);
    }
    assert_int_equal(count, all);
    assert_true(matching > EVENTS / 6 && matching < EVENTS / 2);
    assert_true(others > EVENTS / 6 && others < EVENTS / 2);
    stage_close(s);
}

/* Beyond the window there is nothing; over its edge only the part inside divides. */
static void ranges_over_the_edges(void **state)
{
    (void)state;
    struct stage *s = played();
    struct frame *f = stage_ask((stage_request(s, "disk"), s));
    const int64_t first = f->kept_first, last = f->kept_last;
    const double bytes = (double)amount(f, total(f, "total"), "total");
    assert_true(first > 0 && last - first > 5 * SECOND_NS);
    frame_free(f);
    struct request *r = stage_request(s, "disk");
    r->from_ns = last;
    r->to_ns = last + 10 * SECOND_NS;
    f = stage_ask(s);
    assert_int_equal(f->shown, 0);
    assert_true(fabs(f->interval_s - 10) < 1e-9);
    frame_free(f);
    r->from_ns = first - 100 * SECOND_NS;
    f = stage_ask(s);
    assert_true(fabs(f->interval_s - (double)(last - first + 1) / 1e9) < 1e-9);
    assert_true(fabs((double)amount(f, total(f, "total"), "total") - bytes) < 0.5);
    frame_free(f);
    r->to_ns = first - 1;
    f = stage_ask(s);
    assert_int_equal(f->shown, 0);
    frame_free(f);
    stage_close(s);
}

/* Frozen, a sample stays what it was, whatever comes late to it. */
static void frozen_samples_stay(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 4 << 20, RING_SEGMENT);
    struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    send_process(&by, 1, HOOK_DC_START, 40, 4, "talker.exe");
    for (unsigned i = 0; i < 3000; i++)
        send_tcp(&by, 10 + i * 1000, true, 40, 100);
    stage_play(s);
    while (engine_figures(s->engine).events < 3001)
        os_sleep(100000);
    struct request *r = stage_request(s, "processes");
    r->freeze = true;
    struct frame *f = stage_ask_now(s);
    const struct frame grid = *f;
    frame_free(f);
    for (unsigned i = 0; i < 2000; i++)
        send_tcp(&by, 1200000 + i, true, 40, 7);
    stage_finish(s);
    set_sample(r, &grid, 1);
    f = stage_ask(s);
    assert_true(f->is_frozen);
    assert_int_equal(f->events, 5001);
    assert_int_equal(f->kept_last, grid.kept_last);
    assert_int_equal(amount(f, total(f, "net_send"), "net_send"), 100000);
    frame_free(f);
    r->freeze = false;
    f = stage_ask(s);
    assert_int_equal(amount(f, total(f, "net_send"), "net_send"), 114000);
    frame_free(f);
    stage_close(s);
}

/* What has left the window is not counted, and the frame says that this can be. */
static void lapped_windows_say_so(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    stage_play_with(
        s, (struct engine_options){.interval_ns = 1000000000, .wait_ns = 50000000, .facts = 65536});
    struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    for (unsigned i = 0; i < MANY; i++)
        send_tcp(&by, i * 100, true, 40, 1);
    stage_finish(s);
    struct frame *f = stage_ask((stage_request(s, "events"), s));
    const struct frame grid = *f;
    frame_free(f);
    assert_int_equal(grid.shown, MANY - 2 * FACT_CHUNK);
    assert_int_equal(grid.kept_first, (int64_t)2 * FACT_CHUNK * 100000);
    uint64_t sent = 0;
    for (int64_t n = 0; n < 10; n++) {
        struct request *r = stage_request(s, "network");
        set_sample(r, &grid, n);
        f = stage_ask(s);
        assert_true(f->is_window_only);
        sent += amount(f, total(f, "send"), "send");
        frame_free(f);
    }
    assert_int_equal(sent, MANY - 2 * FACT_CHUNK);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_make_the_whole), cmocka_unit_test(machine_is_of_the_range),
        cmocka_unit_test(events_of_a_range),      cmocka_unit_test(ranges_over_the_edges),
        cmocka_unit_test(frozen_samples_stay),    cmocka_unit_test(lapped_windows_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
