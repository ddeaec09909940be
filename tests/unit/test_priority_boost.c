/* Going before other programs, and only within the budget. */
#include "tests/test.h"

#include "src/os/priority_boost.h"

static const int64_t MS = 1000000;

/* Works and nothing else for so long, a millisecond at a time; how much of it went ahead. */
static int64_t work(struct priority_boost *p, int64_t *now, int64_t *cpu, int64_t ns)
{
    int64_t ahead = 0;
    for (const int64_t end = *now + ns; *now < end;) {
        *now += MS;
        *cpu += MS;
        ahead += p->is_boosted ? MS : 0;
        p->is_boosted = priority_boost_at(p, *now, *cpu);
    }
    return ahead;
}

static void it_keeps_to_its_part(void **state)
{
    (void)state;
    static const unsigned parts[] = {5, 15, 25, 33};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct priority_boost p = {.percent = parts[i]};
        int64_t now = 5000 * MS, cpu = 7 * MS;
        const int64_t length = 10000 * MS, ahead = work(&p, &now, &cpu, length);
        const double percent = 100.0 * (double)ahead / (double)length;
        if (percent > parts[i] + 1 || percent < parts[i] - 1)
            fail_msg("%u %% of a processor were to be had, it took %.1f", parts[i], percent);
    }
}

static void little_work_is_always_boosted(void **state)
{
    (void)state;
    struct priority_boost p = {.percent = 25};
    int64_t now = 0, cpu = 0;
    for (int i = 0; i < 1000; i++) {
        now += 80 * MS;
        cpu += 10 * MS;
        p.is_boosted = priority_boost_at(&p, now, cpu);
        assert_true(p.is_boosted);
    }
}

static void what_was_not_used_is_no_savings(void **state)
{
    (void)state;
    struct priority_boost p = {.percent = 25};
    int64_t now = 0, cpu = 0;
    p.is_boosted = priority_boost_at(&p, now, cpu);
    now += 3600000 * MS; /* an hour asleep */
    p.is_boosted = priority_boost_at(&p, now, cpu);
    assert_true(p.is_boosted);
    const int64_t ahead = work(&p, &now, &cpu, 100 * MS);
    assert_in_range(ahead, 50 * MS, 75 * MS);
}

static void an_overdrawn_budget_is_paid_back(void **state)
{
    (void)state;
    struct priority_boost p = {.percent = 10};
    assert_true(p.is_boosted = priority_boost_at(&p, 0, 0));
    assert_false(p.is_boosted = priority_boost_at(&p, 120 * MS, 120 * MS)); /* one long step */
    assert_false(p.is_boosted = priority_boost_at(&p, 300 * MS, 120 * MS));
    assert_false(p.is_boosted = priority_boost_at(&p, 500 * MS, 120 * MS));
    for (int64_t now = 700; now < 2000; now += 100)
        p.is_boosted = priority_boost_at(&p, now * MS, 120 * MS);
    assert_true(p.is_boosted);
}

static void who_is_waited_for_may_overdraw(void **state)
{
    (void)state;
    struct priority_boost p = {.percent = 20};
    int64_t now = 0, cpu = 0;
    work(&p, &now, &cpu, 1000 * MS);
    while (p.is_boosted)
        work(&p, &now, &cpu, MS);
    p.is_urgent = true;
    const int64_t at_once = work(&p, &now, &cpu, 30 * MS);
    assert_in_range(at_once, 28 * MS, 30 * MS);
    const int64_t ahead = work(&p, &now, &cpu, 10000 * MS);
    assert_in_range(ahead, 1900 * MS, 2100 * MS); /* 20 % all the same */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_keeps_to_its_part),
        cmocka_unit_test(little_work_is_always_boosted),
        cmocka_unit_test(what_was_not_used_is_no_savings),
        cmocka_unit_test(an_overdrawn_budget_is_paid_back),
        cmocka_unit_test(who_is_waited_for_may_overdraw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
