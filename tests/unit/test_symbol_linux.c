/* Names of what runs here: the kernel's own. */
#include "tests/test.h"

#include "src/os.h"
#include "src/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void settle(struct symbols *s)
{
    const int64_t until = os_now() + 20000000000;
    for (;;) {
        symbols_take(s);
        const struct symbol_figures f = symbols_figures(s);
        if (f.asked == f.answered)
            return;
        assert_true(os_now() < until);
        os_sleep(1000000);
    }
}

/* Address of a name, as the system's own list has it; 0 where it hides them. */
static uint64_t kernel_address(const char *name)
{
    char line[512], found[512];
    unsigned long long address = 0, at;
    FILE *const f = fopen("/proc/kallsyms", "r");
    while (f && !address && fgets(line, sizeof line, f))
        if (sscanf(line, "%llx %*c %511s", &at, found) == 2 && strcmp(found, name) == 0)
            address = at;
    if (f)
        fclose(f);
    return address;
}

static void the_kernel_has_names(void **state)
{
    (void)state;
    const uint64_t base = kernel_address("_stext"), end = kernel_address("_etext");
    const uint64_t read = kernel_address("vfs_read");
    if (!base || !read || end <= base)
        skip();
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image image = {.system = SYMBOL_OF_KERNEL, .path = "[kernel.kallsyms]",
                                 .is_live = true, .base = base, .size = end - base};
    const uint32_t i = symbols_image(s, &image);
    image.base += 0x200000; /* it lay elsewhere */
    const uint32_t moved = symbols_image(s, &image);
    image.base = base;
    image.is_live = false; /* some trace's kernel */
    const uint32_t foreign = symbols_image(s, &image);
    image.build_bytes = 20; /* a build id of zeros */
    const uint32_t other = symbols_image(s, &image);
    symbols_at(s, i, read - base + 1);
    symbols_at(s, moved, read - base + 1);
    symbols_at(s, foreign, read - base + 1);
    symbols_at(s, other, read - base + 1);
    settle(s);
    const struct symbol is = symbols_at(s, i, read - base + 1);
    assert_int_equal(is.state, SYMBOL_FOUND);
    assert_string_equal(symbols_name(s, is.name), "vfs_read");
    assert_int_equal(is.start, read - base);
    assert_string_equal(symbols_origin(s, i).from, "/proc/kallsyms");
    assert_int_equal(symbols_at(s, moved, read - base + 1).state, SYMBOL_NONE);
    assert_non_null(strstr(symbols_origin(s, moved).why, "lies elsewhere"));
    assert_int_equal(symbols_at(s, foreign, read - base + 1).state, SYMBOL_NONE);
    assert_non_null(strstr(symbols_origin(s, foreign).why, "which build"));
    assert_int_equal(symbols_at(s, other, read - base + 1).state, SYMBOL_NONE);
    assert_int_not_equal(symbols_origin(s, other).why[0], '\0');
    symbols_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_has_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
