/* Intakes and the order in which they are taken: by time over processors and intakes, through
 * the ring's end, when full, and with two producers at once. */
#include "tests/test.h"

#include "collectors/intake.h"
#include "src/os/os.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 256 * 1024, HEAD = sizeof(struct record_head) };

static uint8_t byte_of(int64_t ts, size_t i)
{
    return (uint8_t)(ts * 31 + (int64_t)i * 7);
}

static bool put(struct intake *i, unsigned cpu, int64_t ts, uint32_t bytes)
{
    const struct record_head head = {
        .bytes = HEAD + bytes, .form = RECORD_ETW, .cpu = (uint16_t)cpu, .ts = ts};
    uint8_t *const to = intake_reserve(i, &head);
    for (uint32_t b = 0; to && b < bytes; b++)
        to[b] = byte_of(ts, b);
    if (to)
        intake_commit(i);
    return to != NULL;
}

/* The next record's time; -1: there is none. Its bytes are what was put. */
static int64_t take(struct order *o, int64_t until)
{
    const struct record_head *const head = order_next(o, until);
    if (!head)
        return -1;
    const int64_t ts = head->ts;
    for (uint32_t b = 0; b < head->bytes - HEAD; b++)
        assert_int_equal(((const uint8_t *)(head + 1))[b], byte_of(ts, b));
    order_take(o);
    return ts;
}

/* Two intakes, three processors: what came late of one is in its place, what is too young
 * waits, and records of a processor that nobody knows go with the last one's. */
static void time_orders_what_has_come(void **state)
{
    (void)state;
    struct intake *const a = intake_new(ROOM), *const b = intake_new(ROOM);
    struct order *const o = order_new(3);
    order_add(o, a);
    order_add(o, b);
    put(a, 0, 10, 40);
    put(a, 0, 30, 0);
    put(a, 1, 5, 13);
    put(b, 1, 7, 100);
    put(a, 77, 20, 8);
    order_look(o);
    const int64_t expected[] = {5, 7, 10, 20};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(take(o, 25), expected[i]);
    assert_int_equal(take(o, 25), -1);
    put(b, 2, 29, 1);
    order_look(o);
    assert_int_equal(take(o, INT64_MAX), 29);
    assert_int_equal(take(o, INT64_MAX), 30);
    assert_int_equal(take(o, INT64_MAX), -1);
    assert_int_equal(intake_figures(a).put, 4);
    assert_int_equal(intake_figures(a).used, 0);
    order_free(o);
    intake_free(a);
    intake_free(b);
}

/* A processor's records keep their order even where their times do not. */
static void one_processor_keeps_its_order(void **state)
{
    (void)state;
    struct intake *const a = intake_new(ROOM);
    struct order *const o = order_new(1);
    order_add(o, a);
    put(a, 0, 10, 8);
    put(a, 0, 8, 8);
    put(a, 0, 12, 8);
    order_look(o);
    assert_int_equal(take(o, 100), 10);
    assert_int_equal(take(o, 100), 8);
    assert_int_equal(take(o, 100), 12);
    order_free(o);
    intake_free(a);
}

/* Many times around, with sizes that meet the end at every place; what waits for its time is
 * let go when half of the room is taken, and nothing is lost then. */
static void the_end_is_met_and_nothing_waits_too_long(void **state)
{
    (void)state;
    struct intake *const a = intake_new(ROOM);
    struct order *const o = order_new(2);
    order_add(o, a);
    int64_t ts = 0, taken = 0, last = -1;
    for (int round = 0; round < 4000; round++) {
        for (int i = 0; i < 5; i++, ts++)
            assert_true(put(a, ts & 1, ts, (uint32_t)(ts * 37 % 700)));
        order_look(o);
        /* Nothing is due: only room makes it go. */
        for (int64_t t; (t = take(o, -1)) != -1; last = t, taken++)
            assert_int_equal(t, last + 1);
        assert_true(intake_figures(a).used <= ROOM / 2 + 5 * 1024);
    }
    assert_true(taken > 0 && taken < ts);
    for (int64_t t; (t = take(o, INT64_MAX)) != -1; last = t, taken++)
        assert_int_equal(t, last + 1);
    assert_int_equal(taken, ts);
    assert_int_equal(intake_figures(a).lost, 0);
    order_free(o);
    intake_free(a);
}

static void a_full_intake_counts_what_it_loses(void **state)
{
    (void)state;
    struct intake *const a = intake_new(ROOM);
    struct order *const o = order_new(1);
    order_add(o, a);
    int64_t ts = 0;
    while (put(a, 0, ts, 1000))
        ts++;
    assert_true(ts > ROOM / 1100 && ts < ROOM / 1000);
    assert_false(put(a, 0, ts, 1000));
    assert_false(put(a, 0, ts, ROOM));
    assert_int_equal(intake_figures(a).lost, 3);
    order_look(o);
    assert_int_equal(take(o, INT64_MAX), 0);
    assert_int_equal(take(o, INT64_MAX), 1);
    assert_true(put(a, 0, ts, 1000));
    order_free(o);
    intake_free(a);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct producer {
    struct intake *intake;
    int64_t first, count;
    _Atomic bool is_done;
};

static void produce(void *arg)
{
    struct producer *const p = arg;
    for (int64_t i = 0; i < p->count; i++)
        while (!put(p->intake, (unsigned)(i & 3), p->first + 2 * i, (uint32_t)(i % 90)))
            os_sleep(100000);
    atomic_store(&p->is_done, true);
}

static void two_producers_lose_nothing(void **state)
{
    enum { EACH = 20000 };
    (void)state;
    struct producer p[2] = {{.intake = intake_new(ROOM), .first = 0, .count = EACH},
                            {.intake = intake_new(ROOM), .first = 1, .count = EACH}};
    struct order *const o = order_new(4);
    struct os_thread *threads[2];
    int64_t taken = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
        order_add(o, p[i].intake);
        threads[i] = os_thread_start("producer", produce, &p[i]);
    }
    for (bool is_over = false; !is_over;) {
        is_over = atomic_load(&p[0].is_done) && atomic_load(&p[1].is_done);
        order_look(o);
        for (int64_t t; (t = take(o, INT64_MAX)) != -1; taken++)
            sum += t;
    }
    for (int i = 0; i < 2; i++) {
        os_thread_join(threads[i]);
        intake_free(p[i].intake);
    }
    order_free(o);
    assert_int_equal(taken, 2 * EACH);
    assert_int_equal(sum, (int64_t)EACH * (2 * EACH - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_orders_what_has_come),
        cmocka_unit_test(one_processor_keeps_its_order),
        cmocka_unit_test(the_end_is_met_and_nothing_waits_too_long),
        cmocka_unit_test(a_full_intake_counts_what_it_loses),
        cmocka_unit_test(two_producers_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
