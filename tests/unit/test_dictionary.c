/* Numbers for texts of events: the same for the same text, bounded, and never given twice. */
#include "tests/test.h"

#include "src/table/dictionary.h"

#include <stdio.h>
#include <string.h>

static void texts_have_numbers(void **state)
{
    (void)state;
    struct dictionary *const d = dictionary_new();
    const uint32_t one = dictionary_number(d, "one", 3), empty = dictionary_number(d, "", 0),
                   nul = dictionary_number(d, "one\0two", 7);
    assert_true(one && empty && nul && one != empty && one != nul);
    assert_int_equal(dictionary_number(d, "one", 3), one);
    assert_string_equal(dictionary_text(d, one), "one");
    assert_string_equal(dictionary_text(d, empty), "");
    assert_string_equal(dictionary_text(d, DICTIONARY_OTHERS), "(others)");
    assert_null(dictionary_text(d, 0));
    assert_null(dictionary_text(d, nul + 1));
    dictionary_free(d);
    dictionary_free(NULL);
}

/* Of two that begin alike, each keeps its number. */
static void long_texts_stay_distinct(void **state)
{
    (void)state;
    static char a[3 * DICTIONARY_TEXT], b[3 * DICTIONARY_TEXT];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    b[sizeof b - 1] = 'y';
    struct dictionary *const d = dictionary_new();
    const uint32_t one = dictionary_number(d, a, sizeof a),
                   other = dictionary_number(d, b, sizeof b);
    assert_int_not_equal(one, other);
    assert_int_equal(dictionary_number(d, a, sizeof a), one);
    assert_int_equal(strlen(dictionary_text(d, one)), DICTIONARY_TEXT);
    dictionary_free(d);
}

static uint32_t number_of(struct dictionary *d, unsigned i)
{
    char text[32];
    snprintf(text, sizeof text, "text %u", i);
    return dictionary_number(d, text, strlen(text));
}

static void what_does_not_fit_is_others(void **state)
{
    (void)state;
    struct dictionary *const d = dictionary_new();
    const uint32_t first = number_of(d, 0);
    for (unsigned i = 1; i < DICTIONARY_TEXTS; i++)
        assert_int_not_equal(number_of(d, i), DICTIONARY_OTHERS);
    assert_false(dictionary_is_full(d));
    assert_int_equal(number_of(d, DICTIONARY_TEXTS + 1), DICTIONARY_OTHERS);
    assert_true(dictionary_is_full(d));
    assert_int_equal(number_of(d, 0), first);
    assert_true(dictionary_bytes(d) < 64u << 20);
    dictionary_forget(d);
    assert_false(dictionary_is_full(d));
    assert_null(dictionary_text(d, first));
    const uint32_t again = number_of(d, 0);
    assert_true(again > first + DICTIONARY_TEXTS - 1);
    assert_string_equal(dictionary_text(d, again), "text 0");
    dictionary_free(d);
}

/* Megabytes of text end before there are too many of them. */
static void bytes_are_bounded(void **state)
{
    (void)state;
    static char text[DICTIONARY_TEXT];
    struct dictionary *const d = dictionary_new();
    unsigned count = 0;
    memset(text, 'x', sizeof text);
    for (; !dictionary_is_full(d); count++) {
        memcpy(text, &count, sizeof count);
        dictionary_number(d, text, sizeof text);
    }
    assert_true(count < DICTIONARY_TEXTS);
    assert_true(dictionary_bytes(d) < 128u << 20);
    dictionary_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_numbers),
        cmocka_unit_test(long_texts_stay_distinct),
        cmocka_unit_test(what_does_not_fit_is_others),
        cmocka_unit_test(bytes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
