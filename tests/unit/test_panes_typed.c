/* Each column of a built-in pane that is a sum is the line that one types for it: over the demo and
 * over all real traces. live_sums.c does the same live. */
#include "tests/play.h"
#include "tests/sanitizer.h"
#include "tests/shared.h"
#include "tests/typed.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "ui/main/user_views.h"

static uint64_t compare_trace(const char *path)
{
    struct err err = {""};
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &path, .file_count = 1},
                                      .ring_bytes = 256 << 20,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    uint64_t compared = 0;
    if (!s)
        fail_msg("%s: %s", path, err.text);
    const unsigned wrong = typed_compare(s->engine, &compared);
    print_message("%s: %llu rows\n", path, (unsigned long long)compared);
    session_stop(s);
    session_free(s);
    assert_int_equal(wrong, 0);
    return compared;
}

static void of_the_demo(void **state)
{
    uint64_t compared = 0;
    struct play p = play_new(31, PLAY_WHOLE);
    (void)state;
    play_all(&p);
    const unsigned wrong = typed_compare(p.stage->engine, &compared);
    print_message("demo: %llu rows\n", (unsigned long long)compared);
    play_free(&p);
    assert_int_equal(wrong, 0);
    assert_true(compared > 5000);
}

static void of_real_traces(void **state)
{
    uint64_t compared = compare_trace("tests/data/linux.etl.zst");
    (void)state;
    glob_t found = shared_files("../shared/etl/*.etl*");
    assert_true(compared > 50);
    for (size_t i = 0; i < found.gl_pathc; i += IS_SANITIZED ? 3 : 1)
        if (!strstr(found.gl_pathv[i], "/derived-"))
            compared += compare_trace(found.gl_pathv[i]);
    globfree(&found);
    assert_true(compared > (IS_SANITIZED ? 200 : 2000));
}

int main(void)
{
    user_views_builtin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_demo),
        cmocka_unit_test(of_real_traces),
    };
    return cmocka_run_group_tests_name("panes as typed", tests, NULL, NULL);
}
