/* What users write to name functions, and how the end of a function is found in its code. */
#include "tests/test.h"

#include "collectors/linux/translate/function.h"
#include "src/symbol/function_exit.h"

#include <string.h>

static struct function_request read(const char *text)
{
    struct function_request r;
    struct err err = {""};
    if (!function_request_read(text, &r, &err))
        fail_msg("%s: %s", text, err.text);
    return r;
}

static void functions_are_named(void **state)
{
    (void)state;
    struct function_request r = read("u:/usr/bin/x:main");
    assert_string_equal(r.file, "/usr/bin/x");
    assert_string_equal(r.pattern, "main");
    assert_int_equal(r.pid, 0);
    assert_false(r.is_entry_only || r.has_signature);
    r = read("p:123:libc.so.6!mem*:entry");
    assert_string_equal(r.file, "libc.so.6");
    assert_string_equal(r.pattern, "mem*");
    assert_int_equal(r.pid, 123);
    assert_true(r.is_entry_only);
    /* of C++: its colons and parentheses are the name's */
    r = read("u:x:ns::type::f(int, char const*)");
    assert_string_equal(r.pattern, "ns::type::f(int, char const*)");
    assert_false(r.is_entry_only || r.has_signature);
    r = read("u:x:ns::f:entry");
    assert_string_equal(r.pattern, "ns::f");
    assert_true(r.is_entry_only);
    r = read("u:x::entry"); /* nothing would be left */
    assert_string_equal(r.pattern, ":entry");
}

static void signatures_are_read(void **state)
{
    (void)state;
    struct function_request r = read("u:libc.so.6:open(path:text,flags:hex32):i32");
    assert_string_equal(r.pattern, "open");
    assert_true(r.has_signature && r.signature.has_result);
    assert_int_equal(r.signature.count, 2);
    assert_string_equal(r.signature.arguments[0].name, "path");
    assert_int_equal(r.signature.arguments[0].type, FUNCTION_OF_TEXT);
    assert_string_equal(r.signature.arguments[1].name, "flags");
    assert_int_equal(r.signature.arguments[1].type, FUNCTION_HEX32);
    assert_int_equal(r.signature.arguments[1].place, 1);
    assert_int_equal(r.signature.result.type, FUNCTION_I32);
    r = read("u:x:f():entry");
    assert_true(r.has_signature && r.is_entry_only);
    assert_int_equal(r.signature.count, 0);
    assert_false(r.signature.has_result);
    /* these are none, and so parts of the name */
    static const char *const names[] = {
        "u:x:f(int)",
        "u:x:f(a:i128)",
        "u:x:f(a:i32",
        "u:x:f(:i32)",
        "u:x:f(a b:i32)",
        "u:x:f(a:i32)x",
        "u:x:f(a:i32):v",
        "u:x:f(a:)",
        "u:x:f(a:u8,b:u8,c:u8,d:u8,e:u8,f:u8,g:u8)",
        "u:x:f(a_name_that_is_longer_than_any_field:u8)",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        r = read(names[i]);
        assert_false(r.has_signature);
        assert_string_equal(r.pattern, names[i] + 4);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "u:",     "u:x",    "u:x:",    "u::f",     "p:",      "p:1",      "p:1:x",
        "p:1:x!", "p:1:!f", "p:0:x!f", "p:-1:x!f", "p:x:x!f", "p: 1:x!f", "p:99999999999:x!f",
        "tp:a:b",
    };
    struct function_request r;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = {""};
        assert_false(function_request_read(texts[i], &r, &err));
        assert_non_null(strstr(err.text, "expected a function, u:FILE:FUNCTION, "));
    }
    char longest[FUNCTION_PATTERN + 16] = "u:x:";
    memset(longest + 4, 'f', FUNCTION_PATTERN);
    assert_false(function_request_read(longest, &r, NULL));
    longest[4 + FUNCTION_PATTERN - 1] = '\0';
    assert_true(function_request_read(longest, &r, NULL));
    assert_false(function_is_named("tp:sched:sched_switch"));
    assert_true(function_is_named("u:x:f") && function_is_named("p:1:x!f"));
}

/* ---- probes that programs were built with ------------------------------------------------------ */

static void places_of_arguments_are_read(void **state)
{
    (void)state;
    struct function_signature s;
    struct bpf_argument at[FUNCTION_ARGUMENTS];
    function_probe_read("-4@%edi 8@-16(%rbp) 8@$-5 2@(%r9) -1@%r12b 8@%rsp", &s, at);
    static const struct {
        uint8_t type, from, place, bytes;
        int64_t number;
    } expected[] = {
        {FUNCTION_I32, FUNCTION_FROM_REGISTER, 14, 4, 0},
        {FUNCTION_HEX64, FUNCTION_FROM_MEMORY, 4, 8, -16},
        {FUNCTION_HEX64, FUNCTION_FROM_CONSTANT, 0, 8, -5},
        {FUNCTION_U16, FUNCTION_FROM_MEMORY, 8, 2, 0},
        {FUNCTION_I8, FUNCTION_FROM_REGISTER, 3, 1, 0},
        {FUNCTION_HEX64, FUNCTION_FROM_REGISTER, 19, 8, 0},
    };
    assert_int_equal(s.count, 6);
    for (unsigned i = 0; i < s.count; i++) {
        assert_int_equal(s.arguments[i].type, expected[i].type);
        assert_int_equal(s.arguments[i].place, i);
        assert_int_equal(at[i].from, expected[i].from);
        assert_int_equal(at[i].place, expected[i].place);
        assert_int_equal(at[i].bytes, expected[i].bytes);
        assert_true(at[i].number == expected[i].number);
    }
    /* what is not read leaves the others their numbers */
    function_probe_read("8f@%xmm0 8@(%rax,%rbx,8) 8@name(%rip) 3@%al 8@ 8 @%rax 4@%ecx", &s, at);
    assert_int_equal(s.count, 1);
    assert_string_equal(s.arguments[0].name, "arg7");
    static const char *const wild[] = {"",
                                       " ",
                                       "@",
                                       "8@",
                                       "8@-",
                                       "8@(",
                                       "8@(%",
                                       "8@(%)",
                                       "8@$",
                                       "8@%",
                                       "8@99999999999999999999(%rax)",
                                       "-9223372036854775808@%rax"};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        print_message("%s\n", wild[i]);
        function_probe_read(wild[i], &s, at);
        assert_true(s.count <= 1);
    }
}

/* ---- ends ------------------------------------------------------------------------------------- */

enum { AT = 0x1000, MOST = 8 };

struct ends {
    struct function_exit of[MOST];
    unsigned count;
};

static void take(void *to, const struct function_exit *e)
{
    struct ends *const ends = to;
    assert_true(ends->count < MOST);
    ends->of[ends->count++] = *e;
}

static bool find(const uint8_t *code, size_t bytes, struct ends *ends)
{
    *ends = (struct ends){.count = 0};
    return function_exits(code, (struct function_part){AT, bytes},
                          (struct function_part){0x3000, 16}, take, ends);
}

static void needs_disassembler(void)
{
    static const uint8_t code[] = {0x90, 0xc3};
    struct ends ends;
    if (find(code, sizeof code, &ends))
        return;
    print_message("this build reads no machine code (libcapstone): skipped\n");
    skip();
}

static void ends_are_found(void **state)
{
    (void)state;
    needs_disassembler();
    struct ends ends;
    static const uint8_t several[] = {
        0x55,                                  /* 1000 push %rbp */
        0x85, 0xff,                            /* 1001 test %edi,%edi */
        0x74, 0x02,                            /* 1003 je 1007 */
        0x5d,                                  /* 1005 pop %rbp */
        0xc3,                                  /* 1006 ret */
        0x0f, 0x84, 0xf3, 0x0f, 0x00, 0x00,    /* 1007 je 2000: another function */
        0xff, 0xe0,                            /* 100d jmp *%rax */
        0xff, 0x24, 0xc5, 0,    0,    0,    0, /* 100f jmp *0(,%rax,8): a table of this one's */
        0xff, 0x60, 0x10,                      /* 1016 jmp *0x10(%rax) */
        0xe9, 0xe2, 0x1f, 0x00, 0x00,          /* 1019 jmp 3000: its other part */
        0xf3, 0xc3,                            /* 101e repz ret */
        0xe9, 0xdb, 0x0f, 0x00, 0x00,          /* 1020 jmp 2000 */
    };
    assert_true(find(several, sizeof several, &ends));
    static const struct function_exit expected[] = {
        {0x1006, FUNCTION_RETURNS, 0, 0},      {0x1007, FUNCTION_BRANCHES_IF, 4, 0},
        {0x100d, FUNCTION_BRANCHES_BY, 0, 10}, {0x1016, FUNCTION_BRANCHES, 0, 0},
        {0x101e, FUNCTION_RETURNS, 0, 0},      {0x1020, FUNCTION_BRANCHES, 0, 0},
    };
    assert_int_equal(ends.count, sizeof expected / sizeof *expected);
    for (unsigned i = 0; i < ends.count; i++) {
        print_message("%llx\n", (unsigned long long)ends.of[i].address);
        assert_int_equal(ends.of[i].address, expected[i].address);
        assert_int_equal(ends.of[i].kind, expected[i].kind);
        assert_int_equal(ends.of[i].condition, expected[i].condition);
        assert_int_equal(ends.of[i].place, expected[i].place);
    }
    /* one that is all of the function has no time */
    static const uint8_t nothing[] = {0xc3, 0x90};
    assert_true(find(nothing, sizeof nothing, &ends));
    assert_int_equal(ends.count, 0);
}

/* A breakpoint in what is no instruction would change the program. */
static void what_is_not_sure_is_refused(void **state)
{
    (void)state;
    needs_disassembler();
    struct ends ends;
    static const uint8_t cut[] = {0x55, 0xe9, 0x00, 0x00};
    assert_false(find(cut, sizeof cut, &ends));
    static const uint8_t invalid[] = {0x55, 0x06, 0xc3}; /* push %es: not in 64-bit code */
    assert_false(find(invalid, sizeof invalid, &ends));
    /* je 1004 leads into the middle of an instruction: some of these bytes are data */
    static const uint8_t data[] = {0x74, 0x02, 0x90, 0xb8, 0xc3, 0, 0, 0, 0xc3};
    assert_false(find(data, sizeof data, &ends));
    assert_false(find(data, 0, &ends));
    assert_false(find(data, FUNCTION_CODE_MOST + 1u, &ends));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_named), cmocka_unit_test(signatures_are_read),
        cmocka_unit_test(others_are_refused),  cmocka_unit_test(places_of_arguments_are_read),
        cmocka_unit_test(ends_are_found),      cmocka_unit_test(what_is_not_sure_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
