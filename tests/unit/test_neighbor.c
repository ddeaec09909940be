/* Neighbors of the event whose details are shown, also when it is no longer kept. */
#include "tests/stage.h"

#include <stdio.h>

enum { TALKER = 40, OTHER = 41, TALKER_THREAD = 400, OTHER_THREAD = 410 };

/* By turns: a thread of each process logs, and every third event is of another id. */
static void send_turns(struct stage *s, unsigned from, unsigned count)
{
    static const struct guid provider = {{0x71, 0x5a, 0x11, 0x90}};
    const struct note payload = {.used = 0};
    for (unsigned i = from; i < from + count; i++) {
        const bool is_talker = i % 2 == 0;
        const struct scene by = {.stage = s,
                                 .pid = is_talker ? TALKER : OTHER,
                                 .tid = is_talker ? TALKER_THREAD : OTHER_THREAD};
        send_manifest(&by, 10 + i, &provider, i % 3 ? 1 : 2, 0, &payload);
    }
}

/* What is asked before the engine has the events is answered without them. */
static void wait_for_events(const struct stage *s, uint64_t count)
{
    while (engine_figures(s->engine).events < count)
        os_sleep(100000);
}

static struct stage *with_turns(size_t facts, unsigned count)
{
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    send_process(&by, 1, HOOK_DC_START, TALKER, 4, "talker.exe");
    send_process(&by, 1, HOOK_DC_START, OTHER, 4, "other.exe");
    stage_play_with(s, (struct engine_options){
                           .interval_ns = 1000000000, .wait_ns = 50000000, .facts = facts});
    send_turns(s, 0, count);
    wait_for_events(s, 2 + count);
    return s;
}

static struct frame *details_of(struct stage *s, struct row_key anchor, enum neighbor neighbor,
                                bool is_backward, const char *filter)
{
    struct request *const r = stage_request(s, "events");
    r->has_anchor = r->detail = true;
    r->anchor = anchor;
    r->neighbor = (uint8_t)neighbor;
    r->is_backward = is_backward;
    snprintf(r->filter, sizeof r->filter, "%s", filter);
    struct frame *const f = stage_ask_now(s);
    assert_true(f->has_detail);
    return f;
}

static struct row_key key_of(uint64_t number)
{
    return (struct row_key){.a = (uint32_t)number, .b = (uint32_t)(number >> 32)};
}

/* Events 0 and 1 are the processes; number n is turn n − 2. UINT64_MAX: there is no neighbor. */
static uint64_t neighbor_of(struct stage *s, uint64_t number, enum neighbor neighbor,
                            bool is_backward, const char *filter)
{
    struct frame *const f = details_of(s, key_of(number), neighbor, is_backward, filter);
    const uint64_t found = f->neighbor.a;
    assert_true(f->has_searched);
    assert_false(f->neighbor_skips);
    assert_true(row_key_equal(f->detail_of, f->has_neighbor ? f->neighbor : key_of(number)));
    const bool has_found = f->has_neighbor;
    frame_free(f);
    return has_found ? found : UINT64_MAX;
}

static void neighbors_are_of_the_list(void **state)
{
    (void)state;
    struct stage *const s = with_turns(0, 30);
    stage_finish(s);
    static const struct {
        uint64_t from;
        enum neighbor neighbor;
        bool is_backward;
        const char *filter;
        uint64_t to;
    } cases[] = {
        {10, NEIGHBOR_ANY, false, "", 11},
        {10, NEIGHBOR_ANY, true, "", 9},
        {31, NEIGHBOR_ANY, false, "", UINT64_MAX},
        {0, NEIGHBOR_ANY, true, "", UINT64_MAX},
        {10, NEIGHBOR_THREAD, false, "", 12},
        {10, NEIGHBOR_THREAD, true, "", 8},
        {2, NEIGHBOR_THREAD, true, "", UINT64_MAX},
        {2, NEIGHBOR_KIND, false, "", 5}, /* turns 0 and 3 have id 2 */
        {8, NEIGHBOR_KIND, true, "", 5},
        {0, NEIGHBOR_KIND, false, "", 1},
        {1, NEIGHBOR_KIND, false, "", UINT64_MAX},
        {2, NEIGHBOR_KIND, false, "pid=40", 8}, /* … of those of talker.exe */
        {10, NEIGHBOR_ANY, false, "pid=40", 12},
        {11, NEIGHBOR_ANY, true, "pid=40", 10}, /* from one that the filter hides */
        {11, NEIGHBOR_THREAD, false, "pid=40", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(neighbor_of(s, cases[i].from, cases[i].neighbor, cases[i].is_backward,
                                     cases[i].filter),
                         cases[i].to);
    stage_close(s);
}

static bool has_field(const struct frame *f, const char *name)
{
    for (unsigned i = 0; i < f->field_count; i++)
        if (f->fields[i].name.text.bytes == strlen(name) &&
            memcmp(f->arena + f->fields[i].name.text.offset, name, strlen(name)) == 0)
            return true;
    return false;
}

static void let_it_leave(struct stage *s, unsigned from)
{
    enum { MANY = 4 * FACT_CHUNK };
    send_turns(s, from, MANY);
    wait_for_events(s, 2 + from + MANY);
}

/* The window slides below the details: they say that the event is gone, and its neighbors are
 * looked for among those that remain. */
static void neighbors_of_what_is_gone(void **state)
{
    (void)state;
    struct stage *const s = with_turns(FACT_CHUNK, 30);
    struct frame *f = details_of(s, key_of(11), NEIGHBOR_NONE, false, "");
    assert_false(f->detail_is_gone);
    assert_true(has_field(f, "Provider") && f->json.type == VALUE_TEXT);
    frame_free(f);
    let_it_leave(s, 30);
    f = details_of(s, key_of(11), NEIGHBOR_NONE, false, "");
    assert_true(f->detail_is_gone && has_field(f, "(gone)"));
    assert_int_equal(f->json.type, VALUE_ABSENT);
    frame_free(f);
    f = details_of(s, key_of(11), NEIGHBOR_THREAD, false, "");
    assert_true(f->has_neighbor && f->neighbor_skips && !f->detail_is_gone);
    assert_non_null(strstr(text_of(f, f->fields[5].text), "thread 410"));
    frame_free(f);
    f = details_of(s, key_of(11), NEIGHBOR_ANY, true, "");
    assert_true(f->has_searched && !f->has_neighbor && f->neighbor_skips && f->detail_is_gone);
    frame_free(f);
    stage_close(s);
}

static void nobody_knows_the_thread_of_what_was_never_shown(void **state)
{
    (void)state;
    struct stage *const s = with_turns(FACT_CHUNK, 30);
    let_it_leave(s, 30);
    struct frame *f = details_of(s, key_of(11), NEIGHBOR_THREAD, false, "");
    assert_true(f->has_searched && !f->has_neighbor && f->neighbor_is_unknown && f->neighbor_skips);
    frame_free(f);
    f = details_of(s, key_of(0), NEIGHBOR_ANY, false, "");
    assert_true(f->has_neighbor && f->neighbor_skips && !f->neighbor_is_unknown);
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbors_are_of_the_list),
        cmocka_unit_test(neighbors_of_what_is_gone),
        cmocka_unit_test(nobody_knows_the_thread_of_what_was_never_shown),
    };
    return cmocka_run_group_tests_name("neighbor", tests, NULL, NULL);
}
