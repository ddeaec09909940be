/* What a live collector is asked to watch: panes come and go, the base stays. */
#include "tests/test.h"

#include "src/engine/watch.h"
#include "src/os/os.h"
#include "src/pane/panes.h"

#include <string.h>

#define BIT(class) (1u << (class))
#define SECOND     1000000000ll

static const struct pane *find(const char *id)
{
    const struct pane *const p = pane_find(id);
    assert_non_null(p);
    return p;
}

static void panes_say_what_they_need(void **state)
{
    (void)state;
    static const struct {
        const char *pane;
        uint32_t classes, stacks;
    } rows[] = {
        {"disk", BIT(FACT_DISK), 0},
        {"cpu", BIT(FACT_SWITCH) | BIT(FACT_READY), 0},
        {"memory", BIT(FACT_FAULT) | BIT(FACT_MEMORY), 0},
        {"events", 0, 0}, /* shows what is on */
        {"stacks", BIT(FACT_SAMPLE), BIT(FACT_SAMPLE) | BIT(FACT_DISK)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct watch_request w = watch_of_pane(find(rows[i].pane));
        if (w.classes != rows[i].classes || w.stacks != rows[i].stacks)
            fail_msg("%s: %#x, stacks %#x", rows[i].pane, w.classes, w.stacks);
    }
}

static void look_at(struct watch *w, const char *pane)
{
    watch_nothing(w);
    watch_add(w, &(struct request){.pane = find(pane)});
}

/* Of events of any kind, those of the rows whose stacks were asked for; of another metric, its own. */
static void rows_whose_stacks_are_asked_for_get_some(void **state)
{
    (void)state;
    const uint32_t usual = BIT(FACT_SAMPLE) | BIT(FACT_DISK);
    struct request r = {.pane = pane_find("stacks")};
    r.stacks.of = watch_with_stacks(watch_of_pane(pane_find("memory")).classes);
    assert_int_equal(watch_of_request(&r).classes, BIT(FACT_SAMPLE) | BIT(FACT_FAULT));
    assert_int_equal(watch_of_request(&r).stacks, usual | BIT(FACT_FAULT));
    r.stacks.of = watch_with_stacks(watch_of_pane(pane_find("cpu")).classes);
    assert_int_equal(watch_of_request(&r).stacks, usual | BIT(FACT_SWITCH) | BIT(FACT_READY));
    r.stacks.of = watch_with_stacks(watch_of_pane(pane_find("processes")).classes);
    assert_int_equal(watch_of_request(&r).stacks, usual);
    r.stacks.of = BIT(FACT_FAULT);
    r.stacks.metric = METRIC_SAMPLES;
    assert_int_equal(watch_of_request(&r).stacks, usual);
}

static void classes_stay_a_while(void **state)
{
    (void)state;
    static const struct collector_kind live = {.id = "x", .is_live = true};
    static struct collector c = {.kind = &live};
    struct watch w = {.base = BIT(FACT_SWITCH)};
    watch_follow(&w, &c, SECOND);
    assert_int_equal(c.wanted, BIT(FACT_SWITCH));
    look_at(&w, "disk");
    watch_follow(&w, &c, 2 * SECOND);
    assert_int_equal(c.wanted, BIT(FACT_SWITCH) | BIT(FACT_DISK));
    look_at(&w, "stacks");
    watch_follow(&w, &c, (WATCH_STAYS_S + 1) * SECOND);
    assert_int_equal(c.wanted, BIT(FACT_SWITCH) | BIT(FACT_DISK) | BIT(FACT_SAMPLE));
    assert_int_equal(c.wanted_stacks, BIT(FACT_SAMPLE) | BIT(FACT_DISK));
    watch_follow(&w, &c, (WATCH_STAYS_S + 2) * SECOND);
    assert_int_equal(c.wanted, BIT(FACT_SWITCH) | BIT(FACT_SAMPLE));
    watch_follow(&w, &c, 10 * WATCH_STAYS_S * SECOND); /* as long as it is visible */
    assert_int_equal(c.wanted, BIT(FACT_SWITCH) | BIT(FACT_SAMPLE));
}

static void what_a_reader_asks_for_stays_a_while(void **state)
{
    (void)state;
    static const struct collector_kind live = {.id = "x", .is_live = true};
    static struct collector c = {.kind = &live};
    struct watch w = {.base = BIT(FACT_SWITCH)};
    const struct watch_request reader = {BIT(FACT_SYSCALL), BIT(FACT_SYSCALL)};
    watch_prolong(&w, &reader, SECOND);
    watch_follow(&w, &c, SECOND);
    assert_int_equal(c.wanted, BIT(FACT_SWITCH) | BIT(FACT_SYSCALL));
    assert_int_equal(c.wanted_stacks, BIT(FACT_SYSCALL));
    watch_prolong(&w, &reader, WATCH_STAYS_S * SECOND);
    watch_follow(&w, &c, (WATCH_STAYS_S + 2) * SECOND);
    assert_int_equal(c.wanted, BIT(FACT_SWITCH) | BIT(FACT_SYSCALL));
    watch_follow(&w, &c, (2 * WATCH_STAYS_S + 1) * SECOND);
    assert_int_equal(c.wanted, BIT(FACT_SWITCH));
    assert_int_equal(c.wanted_stacks, 0);
}

/* ---- between two processes ------------------------------------------------------------------- */

static void requests_travel_as_lines(void **state)
{
    (void)state;
    const struct watch_request w = {BIT(FACT_SWITCH) | BIT(FACT_SYSCALL), BIT(FACT_SYSCALL)};
    struct watch_request back;
    struct err err;
    char line[4096], tiny[8];
    assert_string_equal(watch_request_write(&w, line, sizeof line),
                        "switch syscall stacks:syscall");
    assert_true(watch_request_read(line, &back, &err));
    assert_memory_equal(&back, &w, sizeof w);
    const struct watch_request all = {(1u << FACT_CLASSES) - 1, (1u << FACT_CLASSES) - 1};
    assert_true(strlen(watch_request_write(&all, line, sizeof line)) < sizeof line - 1);
    assert_true(watch_request_read(line, &back, &err));
    assert_memory_equal(&back, &all, sizeof all);
    assert_int_equal(strlen(watch_request_write(&all, tiny, sizeof tiny)), sizeof tiny - 1);
    assert_true(watch_request_read("", &back, &err));
    assert_int_equal(back.classes | back.stacks, 0);
}

static void other_words_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "swich", "switch disks", "stacks:", "refused:switch", "stacks:stacks:x", "classes of old"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct watch_request w;
        struct err err = {""};
        if (watch_request_read(lines[i], &w, &err) || !strstr(err.text, "another version"))
            fail_msg("'%s': '%s'", lines[i], err.text);
    }
}

static void answers_say_what_is_on(void **state)
{
    (void)state;
    static struct collector c = {.active = BIT(FACT_SWITCH) | BIT(FACT_DISK),
                                 .active_stacks = BIT(FACT_DISK),
                                 .refused = BIT(FACT_REGISTRY)};
    static struct collector back;
    char line[4096];
    c.switched_ns[FACT_SWITCH] = 1764432000000000000;
    watch_answer_write(&c, line, sizeof line);
    assert_string_equal(line, "switch=1764432000000000000 disk stacks:disk refused:registry");
    watch_answer_read(line, &back);
    assert_int_equal(back.active, c.active);
    assert_int_equal(back.active_stacks, c.active_stacks);
    assert_int_equal(back.refused, c.refused);
    assert_int_equal(back.switched_ns[FACT_SWITCH], 1764432000000000000);
    /* of a newer one, and of a hostile one */
    watch_answer_read("switch=-7 quantum=5 stacks:quantum =9 disk=99999999999999999999 x", &back);
    assert_int_equal(back.active, BIT(FACT_SWITCH) | BIT(FACT_DISK));
    assert_int_equal(back.refused, 0);
    assert_int_equal(back.switched_ns[FACT_SWITCH], 1764432000000000000);
}

/* A sleeping collector is woken by changes, and by nothing else. */
static void changes_ring(void **state)
{
    (void)state;
    static const struct collector_kind live = {.id = "x", .is_live = true};
    static struct collector c = {.kind = &live, .wanted = BIT(FACT_SWITCH)};
    struct watch w = {.base = BIT(FACT_SWITCH)};
    c.request = os_wakeup_new();
    watch_follow(&w, &c, SECOND);
    assert_false(os_wakeup_wait(c.request, 0));
    w.base |= BIT(FACT_DISK);
    watch_follow(&w, &c, SECOND);
    assert_true(os_wakeup_wait(c.request, 0));
    w.base_stacks |= BIT(FACT_DISK);
    watch_follow(&w, &c, SECOND);
    assert_true(os_wakeup_wait(c.request, 0));
    watch_follow(&w, &c, SECOND);
    assert_false(os_wakeup_wait(c.request, 0));
    os_wakeup_free(c.request);
}

static void replays_are_left_alone(void **state)
{
    (void)state;
    static const struct collector_kind file = {.id = "x"};
    static struct collector c = {.kind = &file};
    struct watch w = {.base = 1};
    watch_follow(&w, &c, SECOND);
    assert_int_equal(c.wanted, 0);
}

static void lists_are_read(void **state)
{
    (void)state;
    enum { TASKS = BIT(FACT_PROCESS) | BIT(FACT_THREAD) | BIT(FACT_IMAGE) };
    struct watch_request w;
    struct err err;
    assert_true(watch_of_panes("proc,net", &w, &err));
    assert_int_equal(w.classes, TASKS | BIT(FACT_NETWORK));
    assert_false(watch_of_panes("proc,,net", &w, &err));
    uint32_t stacks = 1, named = 1;
    assert_true(watch_stacks("none", &stacks, &named, &err));
    assert_int_equal(stacks, 0);
    assert_int_equal(named, 0);
    assert_true(watch_stacks("switch,disk", &stacks, &named, &err));
    assert_int_equal(stacks, BIT(FACT_SWITCH) | BIT(FACT_DISK));
    assert_int_equal(named, BIT(FACT_SWITCH) | BIT(FACT_DISK));
    /* what is named is recorded, what is usual goes with what is recorded anyway */
    assert_true(watch_stacks("default,net", &stacks, &named, &err));
    assert_int_equal(named, BIT(FACT_NETWORK));
    assert_int_equal(stacks & named, named);
    assert_true(stacks & BIT(FACT_SAMPLE));
    assert_false(watch_stacks("swich", &stacks, &named, &err));
    assert_non_null(strstr(err.text, "'swich'"));
}

static void words_fit(void **state)
{
    (void)state;
    char text[96], tiny[8];
    watch_words(watch_usual().classes, text, sizeof text);
    assert_string_equal(text, "proc cpu disk net mem");
    watch_words(~0u, text, sizeof text);
    assert_true(strlen(text) < sizeof text - 1);
    watch_words(~0u, tiny, sizeof tiny);
    assert_string_equal(tiny, "proc cp");
    watch_words(0, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panes_say_what_they_need),
        cmocka_unit_test(classes_stay_a_while),
        cmocka_unit_test(rows_whose_stacks_are_asked_for_get_some),
        cmocka_unit_test(changes_ring),
        cmocka_unit_test(replays_are_left_alone),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(words_fit),
        cmocka_unit_test(what_a_reader_asks_for_stays_a_while),
        cmocka_unit_test(requests_travel_as_lines),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(answers_say_what_is_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
