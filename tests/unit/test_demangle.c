/* Names as people wrote them. */
#include "tests/test.h"

#include "src/os/os.h"
#include "src/symbol/demangle.h"

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
    {"_ZGTtNKSt11logic_error4whatEv", "transaction clone for std::logic_error::what() const"},
    {"_ZTC1AB0_1B", NULL},
    {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"},
    {"_Z1fPFviE", "f(void (*)(int))"},
    {"_Z1fRA3_KPc", "f(char* const (&) [3])"},
    {"_Z1fM1AKFvvE", "f(void (A::*)() const)"},
    {"_Z1fIiEvT_", "void f<int>(int)"},
    {"_Z1fIJidEEvDpT_", "void f<int, double>(int, double)"},
    {"_ZN1AcviEv", "A::operator int()"},
    {"_ZN1AcvT_IiEEv", "A::operator int<int>()"},
    {"_ZN1AC2ERKS_", "A::A(A const&)"},
    {"_ZN1AD0Ev", "A::~A()"},
    {"_ZNSsC1Ev",
     "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()"},
    {"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"},
    {"_ZZN1A1fEiE1x_0", "A::f(int)::x"},
    {"_Z1fILi5ELb1ELm7EEvv", "void f<5, true, 7ul>()"},
    {"_Z1fI1AEDTcl1gfp_EET_", "decltype (g({parm#1})) f<A>(A)"},
    {"_ZN3foo3barB5cxx11Ev", "foo::bar[abi:cxx11]()"},
    {"_Z3foov.isra.0.cold", "foo() [clone .isra.0] [clone .cold]"},
    {"_ZThn16_N1A1fEv", "non-virtual thunk to A::f()"},
    {"_ZGVZ1fvE1x", "guard variable for f()::x"},
    {"_ZNKR1A1fEv", "A::f() const &"},
    {"_Z1fDn", "f(decltype(nullptr))"},
    {"_ZN4llvm10checkedAddIiEENSt9enable_ifIXsr3std9is_signedIT_EE5valueENS_8OptionalIS2_EEE4type"
     "ES2_S2_",
     "std::enable_if<std::is_signed<int>::value, llvm::Optional<int> >::type "
     "llvm::checkedAdd<int>(int, int)"},
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

static void names_read_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[512];
        demangle(names[i].mangled, out, sizeof out);
        if (names[i].plain && strcmp(out, names[i].plain) != 0)
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
    /* Each type is a pair of the one before: 2^50 units. Numbers have base 62, and count from one.
     */
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    enum { START = 2, PAIRS = 50 };
    size_t used = (size_t)snprintf(name, sizeof name, "_RINvC1a1b"), last = used - START;
    used += (size_t)snprintf(name + used, sizeof name - used, "TuuE");
    for (unsigned i = 0; i < PAIRS; i++) {
        char to[4] = {digits[(last - 1) / 62], digits[(last - 1) % 62]};
        last = used - START;
        used += (size_t)snprintf(name + used, sizeof name - used, "TB%s_B%s_E", to, to);
    }
    snprintf(name + used, sizeof name - used, "E");
    assert_false(demangle_rust(name, out, sizeof out));
    name[used - (PAIRS - 3) * strlen("TBxx_Bxx_E")] = 'E'; /* three of them are no bomb */
    name[used - (PAIRS - 3) * strlen("TBxx_Bxx_E") + 1] = '\0';
    assert_true(demangle_rust(name, out, sizeof out));
    assert_memory_equal(out, "a::b::<((), ()), (((), ()), ((), ())), ", 39);
}

/* Names that stand for far more than they are, in text or in work: each ends with what there is
 * room for, or stays as it is, and takes no more processor time than a limit on steps allows. */
static void bombs_do_nothing(void **state)
{
    (void)state;
    static char name[4096], out[2048];
    const char *const rounds[] = {"N1AcvT_I", "1AI", "PFv", "Dp", "M1A", "XcvT_", "L_Z1fI"};
    for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++)
        for (size_t depth = 1; depth < 400; depth += depth < 40 ? 1 : 40) {
            size_t used = (size_t)snprintf(name, sizeof name, "_Z1f");
            for (size_t i = 0; i < depth && used + 20 < sizeof name; i++)
                used += (size_t)snprintf(name + used, sizeof name - used, "%.8s", rounds[r]);
            used += (size_t)snprintf(name + used, sizeof name - used, "i");
            for (size_t i = 0; i < 2 * depth && used + 2 < sizeof name; i++)
                name[used++] = 'E';
            name[used] = '\0';
            demangle(name, out, sizeof out);
        }
    /* Each step is a pair of the one before: 2^34 times "int" in 400 bytes. */
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t used = (size_t)snprintf(name, sizeof name, "_Z1f1aIiiE");
    for (const char *d = digits; d[1]; d++)
        used += (size_t)snprintf(name + used, sizeof name - used, "S_IS%c_S%c_E", *d, *d);
    const int64_t before = os_cpu_time();
    demangle(name, out, sizeof out);
    for (unsigned i = 0; i < 100; i++)
        demangle_cxx(name, out, sizeof out);
    assert_true(demangle_cxx(name, out, sizeof out));
    assert_int_equal(strlen(out), sizeof out - 1);
    assert_memory_equal(out, "f(a<int, int>, a<a<int, int>, a<int, int> >, ", 45);
    assert_true(os_cpu_time() - before < 20000000000); /* unbounded it would be years */
    /* whatever room there is, steps end it */
    enum { WIDE = 64 << 20 };
    char *const wide = malloc(WIDE);
    assert_false(demangle_cxx(name, wide, WIDE));
    free(wide);
}

/* A hundred levels are read, five hundred are nobody's: each takes some of a thread's stack. */
static void depth_is_bounded(void **state)
{
    (void)state;
    char name[1024] = "_Z1f", out[2048];
    memset(name + 4, 'P', 500);
    strcpy(name + 504, "i");
    assert_false(demangle_cxx(name, out, sizeof out));
    strcpy(name + 104, "i");
    assert_true(demangle_cxx(name, out, sizeof out));
    assert_int_equal(strlen(out), strlen("f(int)") + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_read_as_written), cmocka_unit_test(any_bytes_are_safe),
        cmocka_unit_test(bombs_do_nothing),      cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(work_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
