/* Names as people wrote them. */
#include "tests/test.h"

#include "src/demangle.h"

#include <stdlib.h>
#include <string.h>

/* Mangled names as rustc and g++ made them (nm), and what rustfilt and c++filt say they are. */
static const struct {
    const char *mangled, *plain;
} names[] = {
    {"main", "main"},
    {"memcpy@@GLIBC_2.14", "memcpy@@GLIBC_2.14"},
    {"_Z3addii", "add(int, int)"},
    {"_ZN5outer5inner4workEPKc", "outer::inner::work(char const*)"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi",
     "std::vector<int, std::allocator<int> >::push_back(int const&)"},
    {"_ZNSs6appendERKSs@GLIBCXX_3.4", NULL},
    /* Rust, the older kind. */
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
    {"_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$"
     "4drop17h0123456789abcdefE",
     "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop"},
    /* Rust, v0: examples of RFC 2603 and of its reference. */
    {"_RNvC7mycrate3foo", "mycrate::foo"},
    {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
    {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
    {"_RNvMs_NtCs1234_7mycrate3fooNtB4_3Bar3new", "<mycrate::foo::Bar>::new"},
    {"_RNvXCs1234_7mycrateNtB2_3FooNtB2_5Trait3run", "<mycrate::Foo as mycrate::Trait>::run"},
    {"_RINvCs1234_7mycrate3maxlE", "mycrate::max::<i32>"},
    {"_RINvCs1234_7mycrate4pairTmReEE", "mycrate::pair::<(u32, &str)>"},
    {"_RNCNvCs1234_7mycrate4main0", "mycrate::main::{closure#0}"},
    {"_RNCNvCs1234_7mycrate4mains_0", "mycrate::main::{closure#1}"},
    {"_RINvCs1234_7mycrate3genAhj8_E", "mycrate::gen::<[u8; 8]>"},
    {"_RINvCs1234_7mycrate3genFUKCPhEuE", "mycrate::gen::<unsafe extern \"C\" fn(*const u8)>"},
    {"_RINvCs1234_7mycrate3genDNtB2_5TraitEL_E", "mycrate::gen::<dyn mycrate::Trait>"},
    {"_RNvC7mycrate3foo.llvm.1234", "mycrate::foo"},
    /* What is none stays. */
    {"_R", "_R"},
    {"_RNvC7mycrate", "_RNvC7mycrate"},
    {"_RNvC7mycrate3fooX", "_RNvC7mycrate3fooX"},
    {"_RB_", "_RB_"},
    {"_RNvB0_3foo", "_RNvB0_3foo"},
    {"_ZN", "_ZN"},
    {"_ZN9999999999999999999999E", "_ZN9999999999999999999999E"},
};

static bool has_cxx(void)
{
    char out[64];
    return demangle_cxx("_Z3addii", out, sizeof out);
}

static void names_read_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[512];
        demangle(names[i].mangled, out, sizeof out);
        const bool is_cxx =
            strncmp(names[i].mangled, "_Z", 2) == 0 && !strstr(names[i].mangled, "17h");
        if (names[i].plain && (has_cxx() || !is_cxx) && strcmp(out, names[i].plain) != 0)
            fail_msg("%s: expected %s, found %s", names[i].mangled, names[i].plain, out);
    }
}

/* Every prefix, and into every room. */
static void any_bytes_are_safe(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t bytes = strlen(names[i].mangled);
        for (size_t end = 0; end <= bytes; end++) {
            char *const part = malloc(end + 1);
            memcpy(part, names[i].mangled, end);
            part[end] = '\0';
            for (size_t room = 1; room < 40; room++) {
                char *const out = malloc(room);
                demangle(part, out, room);
                assert_true(strnlen(out, room) < room);
                free(out);
            }
            free(part);
        }
    }
}

/* Back references that multiply, and nesting without an end. */
static void work_is_bounded(void **state)
{
    (void)state;
    char name[16384] = "_RI", out[256];
    for (unsigned i = 0; i < 400; i++)
        strcat(name, "TB0_B0_");
    assert_false(demangle_rust(name, out, sizeof out));
    memset(name, 'R', sizeof name - 1);
    name[0] = '_';
    name[sizeof name - 1] = '\0';
    assert_false(demangle_rust(name, out, sizeof out));
    strcpy(name, "_RINvC1a1b");
    for (unsigned i = 0; i < 300; i++)
        strcat(name, "INvC1a1bTB2_B2_B2_B2_E");
    demangle_rust(name, out, sizeof out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_read_as_written),
        cmocka_unit_test(any_bytes_are_safe),
        cmocka_unit_test(work_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
