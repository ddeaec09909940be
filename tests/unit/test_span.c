/* Spans: definitions, and which beginnings and ends belong together. */
#include "tests/test.h"

#include "src/engine/span.h"
#include "src/event/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ll

/* ---- definitions ------------------------------------------------------------------------------ */

static void definitions_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct span span;
    } rows[] = {
        {"gc = from GC/Start to GC/Stop by pid",
         {"gc", "event=\"GC/Start\"", "event=\"GC/Stop\"", "pid", 10000 * MS}},
        {"a-b_1=from class=disk op=start to class=disk by tid max 5ms",
         {"a-b_1", "class=disk op=start", "class=disk", "tid", 5 * MS}},
        {"  x  =  from  CSwitch  to  CSwitch  by  tid  ",
         {"x", "event=\"CSwitch\"", "event=\"CSwitch\"", "tid", 10000 * MS}},
        {"q = from A/B where pid=4 or pid=5 to C/D where size>4K by Irp max 1m",
         {"q", "event=\"A/B\" and (pid=4 or pid=5)", "event=\"C/D\" and (size>4K)", "Irp",
          60000 * MS}},
        {"w = from proc=\"go to by\" class=file to class=file op=end by path",
         {"w", "proc=\"go to by\" class=file", "class=file op=end", "path", 10000 * MS}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct span *const s = &rows[i].span;
        struct span found;
        struct err err = {""};
        if (!span_parse(rows[i].text, &found, &err))
            fail_msg("%s: %s", rows[i].text, err.text);
        assert_string_equal(found.name, s->name);
        assert_string_equal(found.from, s->from);
        assert_string_equal(found.to, s->to);
        assert_string_equal(found.by, s->by);
        assert_int_equal(found.max_ns, s->max_ns);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "expected NAME = from EVENT"},
        {"nothing", "or one of gc-pause, gc, http-request"},
        {"x = from A to B", "expected NAME = from EVENT"},
        {"x = to B from A by pid", "expected NAME = from EVENT"},
        {"x = soon from A to B by pid", "expected NAME = from EVENT"},
        {"= from A to B by pid", "a name before '='"},
        {"x y = from A to B by pid", "letters, digits"},
        {"Exec = from A to B by pid", "begins with a small letter"},
        {"x = from to B by pid", "an event behind 'from'"},
        {"x = from A to by pid", "an event behind 'to'"},
        {"x = from A to B by", "a field behind 'by'"},
        {"x = from A to B by nosuch", "found 'nosuch'"},
        {"x = from A to B by stack", "found 'stack'"},
        {"x = from A to B by pid max", "a time behind 'max'"},
        {"x = from A to B by pid max soon", "behind 'max'"},
        {"x = from A to B by pid max 0s", "behind 'max'"},
        {"x = from class=dsk to B by pid", "class=dsk"},
        {"x = from A where size> to B by pid", "size>"},
    };
    char text[2048];
    struct span found;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {""};
        if (span_parse(rows[i].text, &found, &err) || !strstr(err.text, rows[i].says))
            fail_msg("'%s': '%s'", rows[i].text, err.text);
    }
    for (size_t length = 1; length < 1000; length += 37) { /* whatever is too long */
        snprintf(text, sizeof text, "x = from A where proc=%0*d to B by pid", (int)length, 7);
        struct err err = {""};
        assert_true(span_parse(text, &found, &err) || err.text[0]);
    }
}

static void those_that_are_shipped_can_be_read(void **state)
{
    (void)state;
    unsigned count = 0;
    for (const char *text; (text = span_shipped(count)) != NULL; count++) {
        struct span whole, named;
        struct err err = {""};
        if (!span_parse(text, &whole, &err))
            fail_msg("%s: %s", text, err.text);
        assert_true(span_parse(whole.name, &named, &err));
        assert_memory_equal(&whole, &named, sizeof whole);
    }
    assert_true(count >= 6);
}

/* ---- beginnings and ends ---------------------------------------------------------------------- */

enum { MOST = 64 };

struct fixture {
    struct model model;
    struct span_set *set;
    struct event event;
    struct fact ended[MOST];
    unsigned count, failed;
};

static void ended(void *of, const struct fact *f)
{
    struct fixture *const x = of;
    assert_int_equal(f->class, FACT_SPAN);
    x->failed += f->op == OP_FAIL;
    if (x->count < MOST)
        x->ended[x->count] = *f;
    x->count++;
}

static void begin(struct fixture *x, const char *text)
{
    memset(x, 0, sizeof *x);
    model_init(&x->model);
    model_sources(&x->model, 1);
    x->set = span_set_new(&text, 1, &x->model);
    assert_non_null(x->set);
}

static void end(struct fixture *x)
{
    span_set_free(x->set);
    model_fini(&x->model);
}

static void happen(struct fixture *x, int64_t ms, unsigned op, uint32_t process, uint32_t thread)
{
    const struct fact f = {.time = ms * MS,
                           .class = FACT_DISK,
                           .op = (uint8_t)op,
                           .process = process,
                           .thread = thread,
                           .cpu = 3};
    span_set_take(x->set, &x->event, 0, &f, ended, x);
}

static const char by_tid[] = "x = from class=disk op=start to class=disk op=read by tid max 100ms";

static void ends_find_their_beginning(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, by_tid);
    happen(&x, 1, OP_READ, 1, 7); /* it began before */
    happen(&x, 10, OP_START, 1, 7);
    happen(&x, 12, OP_START, 2, 8);
    happen(&x, 13, OP_WRITE, 1, 7); /* no end of it */
    happen(&x, 15, OP_READ, 1, 7);
    happen(&x, 16, OP_READ, 1, 7); /* it has ended */
    happen(&x, 40, OP_READ, 3, 8); /* who began it counts */
    assert_int_equal(x.count, 2);
    assert_int_equal(x.failed, 0);
    assert_int_equal(x.ended[0].latency, 5 * MS);
    assert_int_equal(x.ended[0].time, 15 * MS);
    assert_int_equal(x.ended[0].thread, 7);
    assert_int_equal(x.ended[0].op, OP_END);
    assert_int_equal(x.ended[0].flags, FACT_HAS_LATENCY);
    assert_int_equal(x.ended[1].latency, 28 * MS);
    assert_int_equal(x.ended[1].process, 2);
    assert_int_equal(span_set_classes(x.set), 1u << FACT_DISK);
    end(&x);
}

static void the_newest_beginning_counts(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, by_tid);
    happen(&x, 10, OP_START, 1, 7);
    happen(&x, 20, OP_START, 1, 7);
    happen(&x, 21, OP_READ, 1, 7);
    happen(&x, 500, OP_WRITE, 1, 9); /* the first is not there any more */
    assert_int_equal(x.count, 1);
    assert_int_equal(x.ended[0].latency, 1 * MS);
    end(&x);
}

static void what_does_not_end_fails(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, by_tid);
    happen(&x, 0, OP_START, 1, 7);
    happen(&x, 50, OP_START, 1, 8);
    happen(&x, 100, OP_WRITE, 1, 9); /* just not */
    assert_int_equal(x.count, 0);
    happen(&x, 101, OP_WRITE, 1, 9);
    assert_int_equal(x.count, 1);
    assert_int_equal(x.ended[0].op, OP_FAIL);
    assert_int_equal(x.ended[0].thread, 7);
    assert_int_equal(x.ended[0].flags, FACT_FAILED);
    happen(&x, 120, OP_READ, 1, 7); /* too late */
    happen(&x, 130, OP_READ, 1, 8);
    assert_int_equal(x.count, 2);
    assert_int_equal(x.ended[1].latency, 80 * MS);
    end(&x);
}

/* An event that is both ends one and begins the next. */
static void one_event_can_be_both(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "x = from class=disk op=flush to class=disk op=flush by pid");
    for (int i = 0; i < 5; i++)
        happen(&x, 10 * i * i, OP_FLUSH, 4, 0);
    assert_int_equal(x.count, 4);
    assert_int_equal(x.ended[0].latency, 10 * MS);
    assert_int_equal(x.ended[3].latency, 70 * MS);
    happen(&x, 900, OP_FLUSH, 0, 0); /* of nobody */
    assert_int_equal(x.count, 4);
    end(&x);
}

/* The oldest goes, and is reported as failed; whatever the order in which others end. */
static void too_many_are_bounded(void **state)
{
    (void)state;
    enum { OPEN = 1 << 14, MORE = 1000 };
    struct fixture x;
    begin(&x, "x = from class=disk op=start to class=disk op=read by tid max 1h");
    for (uint32_t i = 1; i <= OPEN + MORE; i++)
        happen(&x, 1, OP_START, 1, i);
    assert_int_equal(x.count, MORE);
    assert_int_equal(x.failed, MORE);
    for (uint32_t i = OPEN + MORE; i > 0; i--)
        happen(&x, 2, OP_READ, 1, i);
    assert_int_equal(x.count, OPEN + MORE);
    assert_int_equal(x.failed, MORE);
    end(&x);
}

static void times_that_go_back_are_none(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, by_tid);
    happen(&x, 30, OP_START, 1, 7);
    happen(&x, 29, OP_READ, 1, 7);
    assert_int_equal(x.count, 1);
    assert_int_equal(x.ended[0].latency, 0);
    end(&x);
}

/* A span that is only defined is no event: none of the trace is there yet. */
static void definitions_are_no_events(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, by_tid);
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        assert_int_equal(x.model.recorded.seen[class].count, 0);
    for (uint32_t i = 0; i < x.model.kind_count; i++)
        assert_int_equal(x.model.kinds[i].events, 0);
    end(&x);
}

static void none_are_no_set(void **state)
{
    (void)state;
    static const char *const wrong[] = {"nothing"};
    struct model m;
    model_init(&m);
    assert_null(span_set_new(NULL, 0, &m));
    assert_null(span_set_new(wrong, 1, &m));
    span_set_free(NULL);
    assert_int_equal(span_set_classes(NULL), 0);
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_read),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(those_that_are_shipped_can_be_read),
        cmocka_unit_test(ends_find_their_beginning),
        cmocka_unit_test(the_newest_beginning_counts),
        cmocka_unit_test(what_does_not_end_fails),
        cmocka_unit_test(one_event_can_be_both),
        cmocka_unit_test(too_many_are_bounded),
        cmocka_unit_test(times_that_go_back_are_none),
        cmocka_unit_test(definitions_are_no_events),
        cmocka_unit_test(none_are_no_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
