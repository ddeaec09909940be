/* The accounts of the live collector: what the kernel made = what came + what was lost + what it
 * never handed over, whatever name a record came under. */
#include "tests/test.h"

#include "collectors/linux/accounts.h"
#include "collectors/linux/live.h"

#include <stdlib.h>

enum { ROWS = 2, CPUS = 1 };

struct fixture {
    struct linux_live live;
    struct collector collector;
    struct linux_event event;
    struct row rows[ROWS];
    struct sample_slot slots[ROWS * CPUS * VARIANTS];
    struct live_ring rings[RINGS_PER_CPU * CPUS];
};

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    struct linux_live *const l = &x->live;
    l->collector = &x->collector;
    l->rows = x->rows;
    l->slots = x->slots;
    l->rings = x->rings;
    l->row_count = ROWS;
    l->cpu_count = CPUS;
    l->slot_count = ROWS * CPUS * VARIANTS;
    l->wakeup = os_wakeup_new();
    for (unsigned i = 0; i < ROWS; i++)
        x->rows[i].event = &x->event;
    for (unsigned i = 0; i < l->slot_count; i++) {
        x->slots[i].fd = -1; /* the counts stay as the test sets them */
        x->slots[i].source.event = &x->event;
    }
    for (unsigned i = 0; i < RINGS_PER_CPU * CPUS; i++)
        x->rings[i].side_band = -1;
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    os_wakeup_free(x->live.wakeup);
    free(x);
    return 0;
}

static void close_with(struct fixture *x, unsigned row, uint64_t fired, uint64_t received,
                       uint64_t lost)
{
    struct sample_slot *const s = slot_of(&x->live, row, 0, 0);
    s->counts.fired = fired;
    s->counts.lost = lost;
    atomic_store(&s->received, received);
    accounts_close(&x->live, s);
}

static void expect(const struct fixture *x, uint64_t made, uint64_t received, uint64_t lost,
                   uint64_t undelivered)
{
    const struct collector_loss *const loss = &x->collector.loss;
    assert_int_equal(loss->made, made);
    assert_int_equal(loss->received, received);
    assert_int_equal(loss->lost, lost);
    assert_int_equal(loss->undelivered, undelivered);
    assert_int_equal(made, received + lost + undelivered);
    assert_int_equal(loss->kernel, lost + undelivered);
}

static void what_was_made_came_or_was_lost(void **state)
{
    struct fixture *const x = *state;
    close_with(x, 0, 1000, 900, 80); /* 20 were never handed over */
    close_with(x, 1, 50, 50, 0);
    accounts_look(&x->live, true);
    expect(x, 1050, 950, 80, 20);
}

/* 16 records of the first event came under the second one's id, 13 not at all. */
static void a_record_under_another_name_came(void **state)
{
    struct fixture *const x = *state;
    close_with(x, 0, 29, 0, 0);
    close_with(x, 1, 5623075, 5623091, 0);
    accounts_look(&x->live, true);
    expect(x, 5623104, 5623091, 0, 13);
}

/* More came than was counted: it was made all the same. */
static void what_came_was_made(void **state)
{
    struct fixture *const x = *state;
    close_with(x, 0, 10, 9, 0);
    close_with(x, 1, 20, 25, 1);
    accounts_look(&x->live, true);
    expect(x, 35, 34, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_made_came_or_was_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_record_under_another_name_came, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_came_was_made, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
