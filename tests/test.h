/* cmocka with what it needs before it; its fail() gives way to ours (src/base/err.h). */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail
#undef fail_msg /* cmocka's ends in its fail() */
#define fail_msg(...) (print_error("ERROR: " __VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

/* Tests are written for POSIX. Where they run elsewhere (tests/windows), access rights are no
 * mode bits and the system has its own words for its reasons. */
#ifndef HERE_IS_POSIX
#define HERE_IS_POSIX true
#endif
/* A test that cannot run here says what is missing (tests/run.sh looks for the word). */
#define skip_for(...) (print_message("skipped: " __VA_ARGS__), print_message("\n"), skip())

/* For what hangs: nothing that a test waits for takes as long on any machine, and whoever runs
 * tests ends them after 1500 s (tests/run.sh). */
#define PATIENCE_NS INT64_C(600000000000)

#define REASON(words)        (HERE_IS_POSIX ? (words) : "")
#define assert_private(mode) assert_true(!HERE_IS_POSIX || ((mode) & 07777) == 0600)

#endif
