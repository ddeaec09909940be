/* What waits a while comes out in order of time, and every record once. */
#include "tests/test.h"

#include "src/base/mem.h"
#include "src/collect/reorder_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { MS = 1000000, HOLD = 100 * MS };

/* A record with its time and a number as its body. */
struct late_record {
    struct record_head head;
    uint64_t number;
};

/* Time 0: a loss, which has none. */
static struct late_record late_record(int64_t us, uint64_t number)
{
    return (struct late_record){.head = {.bytes = sizeof(struct late_record),
                                         .form = us ? RECORD_ETW : RECORD_LOST,
                                         .ts = us},
                                .number = number};
}

static struct collector *machine(void)
{
    struct collector *const c = mem_new(1, sizeof *c);
    c->sources[0].clock = (struct trace_clock){.frequency = 1000000};
    return c;
}

static void put_all(struct reorder_buffer *d, const struct late_record *list, size_t count,
                    int64_t now)
{
    size_t room;
    for (size_t i = 0; i < count; i++) {
        uint8_t *const to = reorder_room(d, now, &room);
        assert_non_null(to);
        assert_true(room >= sizeof *list);
        memcpy(to, &list[i], sizeof *list);
        reorder_put(d, sizeof *list, now);
    }
}

static uint64_t number_of(const struct reordered *out)
{
    struct late_record t;
    memcpy(&t, out->head, sizeof t);
    return t.number;
}

static void expect(struct reorder_buffer *d, int64_t now, const uint64_t *numbers, size_t count)
{
    struct reordered out;
    for (size_t i = 0; i < count; i++) {
        assert_true(reorder_next(d, now, &out));
        assert_int_equal(number_of(&out), numbers[i]);
    }
    assert_false(reorder_next(d, now, &out));
}

static void what_came_late_has_its_place(void **state)
{
    (void)state;
    struct collector *const c = machine();
    struct reorder_buffer *const d = reorder_new(c, HOLD);
    const struct late_record first[] = {late_record(100, 1), late_record(300, 2),
                                        late_record(200, 3), late_record(0, 4)};
    const struct late_record then[] = {late_record(400, 5), late_record(250, 6),
                                       late_record(200, 7), late_record(300, 8)};
    static const uint64_t out[] = {1, 3, 7, 6, 2, 4, 8, 5};
    put_all(d, first, 4, 0);
    put_all(d, then, 4, 50 * MS); /* the first ones still wait */
    expect(d, 99 * MS, NULL, 0);
    expect(d, 200 * MS, out, 8);
    assert_int_equal(reorder_too_late(d), 0);
    reorder_free(d);
    free(c);
}

/* Nothing waits for ever, and nothing is held back for what is older than all that waits. */
static void what_comes_too_late_is_counted(void **state)
{
    (void)state;
    struct collector *const c = machine();
    struct reorder_buffer *const d = reorder_new(c, HOLD);
    const struct late_record a[] = {late_record(100, 1), late_record(300, 2)},
                             b[] = {late_record(200, 3), late_record(400, 4)};
    static const uint64_t first[] = {1, 2}, then[] = {3, 4};
    put_all(d, a, 2, 0);
    expect(d, 100 * MS, first, 2);
    put_all(d, b, 2, 101 * MS);
    expect(d, INT64_MAX, then, 2);
    assert_int_equal(reorder_too_late(d), 1);
    reorder_free(d);
    free(c);
}

/* More than it holds: the oldest go before their time, still in order, and none is lost. */
static void it_is_bounded(void **state)
{
    (void)state;
    enum { EACH = 200 << 10, MOST = 1000 };
    struct collector *const c = machine();
    struct reorder_buffer *const d = reorder_new(c, HOLD);
    struct reordered out;
    uint64_t put = 0, taken = 0;
    size_t room, full = 0;
    while (put < MOST) {
        uint8_t *const to = reorder_room(d, 0, &room);
        if (!to) {
            full++;
            while (reorder_next(d, 0, &out)) /* as far as that makes room */
                assert_int_equal(number_of(&out), taken++);
            continue;
        }
        struct late_record t = late_record(1 + (int64_t)put, put);
        t.head.bytes = EACH;
        memcpy(to, &t, sizeof t);
        reorder_put(d, EACH, 0);
        put++;
    }
    assert_true(full > 0);
    while (reorder_next(d, INT64_MAX, &out))
        assert_int_equal(number_of(&out), taken++);
    assert_int_equal(taken, put);
    assert_int_equal(reorder_too_late(d), 0);
    reorder_free(d);
    free(c);
}

/* Against the plain rule, for many shuffles: stable order of time of all that waited together. */
static void any_order_comes_out_sorted(void **state)
{
    (void)state;
    enum { COUNT = 3000, ROUNDS = 20 };
    struct collector *const c = machine();
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct reorder_buffer *const d = reorder_new(c, HOLD);
        struct reordered out;
        uint64_t prng = round * 977 + 1, last_number = 0;
        int64_t last = 0;
        bool has_come[COUNT] = {false};
        for (unsigned i = 0; i < COUNT; i++) {
            prng = prng * 6364136223846793005u + 1442695040888963407u;
            const struct late_record t =
                late_record(1 + i + (int64_t)(prng >> 33) % (round * 40 + 1), i);
            put_all(d, &t, 1, i * 20000);
        }
        for (unsigned i = 0; i < COUNT; i++) {
            assert_true(reorder_next(d, INT64_MAX, &out));
            const uint64_t number = number_of(&out);
            assert_true(out.ns > last || (out.ns == last && number > last_number));
            assert_false(has_come[number]);
            has_come[number] = true;
            last = out.ns;
            last_number = number;
        }
        assert_false(reorder_next(d, INT64_MAX, &out));
        reorder_free(d);
    }
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_late_has_its_place),
        cmocka_unit_test(what_comes_too_late_is_counted),
        cmocka_unit_test(it_is_bounded),
        cmocka_unit_test(any_order_comes_out_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
