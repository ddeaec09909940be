/* Events of tracetop's provider, byte by byte as the format of TraceLogging has them, and what
 * the model learns from them. */
#include "tests/test.h"

#include "src/event/tracetop_provider.h"
#include "src/model/model.h"

#include <stdlib.h>

/* What names a softirq: kind, routine, vector, name. */
static const uint8_t routine_event[] = {
    /* EVENT_HEADER: size 191, type 19 (64 bit), mark 0xc0, flags: extended */
    0xbf,
    0x00,
    0x13,
    0xc0,
    0x01,
    0x00,
    0x00,
    0x00,
    0xff,
    0xff,
    0xff,
    0xff,
    0xff,
    0xff,
    0xff,
    0xff,
    0x10,
    0x27,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    /* 091259ae-740a-5bdc-86e5-c5dd89b20481 */
    0xae,
    0x59,
    0x12,
    0x09,
    0x0a,
    0x74,
    0xdc,
    0x5b,
    0x86,
    0xe5,
    0xc5,
    0xdd,
    0x89,
    0xb2,
    0x04,
    0x81,
    /* id, version, channel 11, level 4, opcode, task, keyword, ticks, activity */
    0x00,
    0x00,
    0x00,
    0x0b,
    0x04,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    0x00,
    /* item: 56 bytes in all, type 11, another follows, 43 bytes of data; data: size … */
    0x38,
    0x00,
    0x0b,
    0x00,
    0x01,
    0x00,
    0x2b,
    0x00,
    0x2b,
    0x00,
    /* … two bytes of tags, the name … */
    0x81,
    0x02,
    'R',
    'o',
    'u',
    't',
    'i',
    'n',
    'e',
    0,
    /* … kind: text as UTF-8 with tags, routine: 64 bits in hex, vector: 32 bits, name: text */
    'k',
    'i',
    'n',
    'd',
    0,
    0x82,
    0xa3,
    0x01,
    'r',
    'o',
    'u',
    't',
    'i',
    'n',
    'e',
    0,
    0x15,
    'v',
    'e',
    'c',
    't',
    'o',
    'r',
    0,
    0x08,
    'n',
    'a',
    'm',
    'e',
    0,
    0x02,
    0,
    0,
    0,
    0,
    0,
    /* item: 32 bytes, type 12, 17 bytes of data: the provider's traits */
    0x20,
    0x00,
    0x0c,
    0x00,
    0x00,
    0x00,
    0x11,
    0x00,
    0x11,
    0x00,
    't',
    'r',
    'a',
    'c',
    'e',
    't',
    'o',
    'p',
    '-',
    'l',
    'i',
    'n',
    'u',
    'x',
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    /* payload */
    'D',
    'P',
    'C',
    0,
    0x04,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    'N',
    'E',
    'T',
    '_',
    'R',
    'X',
    0,
};

/* On a copy of its exact size, so that a sanitizer sees one byte too far. */
static bool parse(uint8_t *record, size_t bytes, struct event *out)
{
    const uint16_t size = (uint16_t)bytes;
    memcpy(record, &size, sizeof size);
    return event_parse(record, bytes, out) == EVENT_OK;
}

static void a_routine_is_named(void **state)
{
    (void)state;
    struct model m;
    struct fact f = {.time = 5};
    struct event e;
    char room[64];
    uint8_t *const record = malloc(sizeof routine_event);
    memcpy(record, routine_event, sizeof routine_event);
    assert_true(parse(record, sizeof routine_event, &e));
    assert_string_equal(tracetop_event_name(&e), "Routine");
    model_init(&m);
    model_sources(&m, 1);
    const uint32_t number = model_routine(&m, 0, ROUTINE_DPC, 4, 0);
    assert_string_equal(model_routine_label(&m, number, 5, room, sizeof room), "deferred call 4");
    model_fact(&m, &e, 0, 5, &f);
    assert_int_equal(f.class, FACT_NAME);
    assert_string_equal(model_routine_label(&m, number, 5, room, sizeof room), "NET_RX");
    model_fini(&m);
    free(record);
}

/* What is cut or changed names nothing it does not say, and harms nobody. */
static void damage_is_harmless(void **state)
{
    (void)state;
    struct event e;
    const char *text;
    uint64_t number;
    for (size_t bytes = 4; bytes < sizeof routine_event; bytes++) {
        uint8_t *const record = malloc(bytes);
        memcpy(record, routine_event, bytes);
        if (parse(record, bytes, &e))
            assert_false(tracetop_event_text(&e, "name", &text));
        free(record);
    }
    for (size_t i = 4; i < sizeof routine_event; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            uint8_t *const record = malloc(sizeof routine_event);
            memcpy(record, routine_event, sizeof routine_event);
            record[i] ^= (uint8_t)(1u << bit);
            if (parse(record, sizeof routine_event, &e)) {
                tracetop_event_text(&e, "name", &text);
                tracetop_event_number(&e, "vector", &number);
            }
            free(record);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_routine_is_named),
        cmocka_unit_test(damage_is_harmless),
    };
    return cmocka_run_group_tests_name("events of our own", tests, NULL, NULL);
}
