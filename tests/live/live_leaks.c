/* Sessions one after the other, with everything that can be watched: what each opens (kernel
 * events, rings, programs, threads) is gone behind it. */
#include "tests/live/harness.h"

#include <dirent.h>
#include <unistd.h>

enum { SESSIONS = 8 };

static unsigned entries(const char *path)
{
    unsigned count = 0;
    DIR *const all = opendir(path);
    assert_non_null(all);
    while (readdir(all))
        count++;
    closedir(all);
    return count;
}

/* Joining a thread waits until it has let go of its memory; the kernel takes it off the list a
 * moment later. One that still runs stays there. */
static void expect_one_thread(void)
{
    const int64_t until = os_now() + PATIENCE_NS;
    while (entries("/proc/self/task") != 3 && os_now() < until) /* ".", "..", we */
        os_sleep(1000000);
    assert_int_equal(entries("/proc/self/task"), 3);
}

/* The first session may leave what is made once (locales, the library's own). */
static void nothing_is_left_open(void **state)
{
    (void)state;
    unsigned descriptors = 0, maps = 0;
    for (unsigned i = 0; i <= SESSIONS; i++) {
        struct live_run *const r = live_begin(&(struct live_request){
            .classes = 1u << FACT_SWITCH | 1u << FACT_DISK | 1u << FACT_NETWORK | 1u << FACT_FILE |
                       1u << FACT_FAULT | 1u << FACT_SAMPLE | 1u << FACT_DPC | 1u << FACT_ISR,
            .stacks = i % 2 ? 1u << FACT_SWITCH : 0,
            .ring_bytes = 8 << 20,
        });
        live_end(r);
        live_free(r);
        expect_one_thread();
        const unsigned left = entries("/proc/self/fd"), mapped = entries("/proc/self/map_files");
        if (i == 0) {
            descriptors = left;
            maps = mapped;
        }
        assert_int_equal(left, descriptors);
        assert_int_equal(mapped, maps);
    }
    print_message("%d sessions: %u descriptors before and after\n", SESSIONS, descriptors - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_left_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
