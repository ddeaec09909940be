/* Names of levels, opcodes, tasks, channels and keywords: standard ones and those of a provider. */
#include "tests/test.h"

#include "src/event/provider_names.h"

#include <stdio.h>
#include <string.h>

static struct event made_event(void)
{
    return (struct event){
        .kind = HEADER_MANIFEST, .level = 3, .opcode = 10, .task = 7, .channel = 16};
}

static void standard_names_need_no_provider(void **state)
{
    (void)state;
    struct event e = made_event();
    char text[PROVIDER_KEYWORDS];
    assert_string_equal(provider_level_name(NULL, &e), "Warning");
    assert_string_equal(provider_opcode_name(NULL, &e), "");
    assert_string_equal(provider_task_name(NULL, &e), "");
    assert_string_equal(provider_channel_name(NULL, &e), "");
    e.opcode = 240;
    assert_string_equal(provider_opcode_name(NULL, &e), "Receive");
    e.level = 6;
    assert_string_equal(provider_level_name(NULL, &e), "");
    assert_int_equal(provider_keyword_names(NULL, &e, text), 0);
    assert_string_equal(text, "");
    e.keyword = 0x00ff000000000000;
    const size_t bytes = provider_keyword_names(NULL, &e, text);
    assert_int_equal(bytes, strlen(text));
    assert_string_equal(text, "ResponseTime, WDIContext, WDIDiagnostic, SQM, AuditFailure, "
                              "AuditSuccess, CorrelationHint, EventlogClassic");
}

static void a_provider_has_names_of_its_own(void **state)
{
    (void)state;
    struct provider_names *const n = provider_names_new(NULL);
    struct event e = made_event();
    char text[PROVIDER_KEYWORDS];
    provider_names_put(n, PROVIDER_TASK, 7, "Print");
    provider_names_put(n, PROVIDER_TASK, 7, "Later");
    provider_names_put(n, PROVIDER_OPCODE, provider_opcode(7, 10), "Queue");
    provider_names_put(n, PROVIDER_OPCODE, provider_opcode(PROVIDER_ALL_TASKS, 10), "Any");
    provider_names_put(n, PROVIDER_LEVEL, 3, "win:Warning");
    provider_names_put(n, PROVIDER_LEVEL, 16, "Chatty");
    provider_names_put(n, PROVIDER_CHANNEL, 16, "");
    provider_names_put(n, PROVIDER_KEYWORD, 63, "Top");
    provider_names_put(n, PROVIDER_KEYWORD, 0, "Bottom");
    assert_string_equal(provider_task_name(n, &e), "Print");
    assert_string_equal(provider_opcode_name(n, &e), "Queue");
    assert_string_equal(provider_level_name(n, &e), "Warning");
    assert_string_equal(provider_channel_name(n, &e), "");
    e.task = 8;
    e.level = 16;
    e.keyword = 0x8000000000000003;
    assert_string_equal(provider_task_name(n, &e), "");
    assert_string_equal(provider_opcode_name(n, &e), "Any");
    assert_string_equal(provider_level_name(n, &e), "Chatty");
    provider_keyword_names(n, &e, text);
    assert_string_equal(text, "Bottom, Top, 0x2");
    e.kind = HEADER_CLASSIC; /* its level is another matter */
    assert_string_equal(provider_level_name(n, &e), "");
    provider_names_free(n);
}

static void they_are_bounded(void **state)
{
    (void)state;
    enum { MOST = 16 << 20, LONG = 200 };
    struct provider_names *const n = provider_names_new(NULL);
    struct event e = made_event();
    char text[PROVIDER_KEYWORDS], name[LONG];
    memset(name, 'x', sizeof name);
    name[LONG - 1] = '\0';
    for (unsigned bit = 0; bit < 64; bit++)
        provider_names_put(n, PROVIDER_KEYWORD, bit, name);
    for (uint32_t i = 0; i < 4 * PROVIDER_NAMES_MOST; i++)
        provider_names_put(n, PROVIDER_OPCODE, i, "o");
    assert_true(provider_names_bytes(n) < MOST);
    /* Names that do not fit stay bits: none is lost. */
    e.keyword = UINT64_MAX;
    const size_t bytes = provider_keyword_names(n, &e, text);
    assert_true(bytes < sizeof text && text[bytes] == '\0');
    assert_string_equal(text + bytes - 20, ", 0xfffffffffffffff0");
    provider_names_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_names_need_no_provider),
        cmocka_unit_test(a_provider_has_names_of_its_own),
        cmocka_unit_test(they_are_bounded),
    };
    return cmocka_run_group_tests_name("provider_names", tests, NULL, NULL);
}
