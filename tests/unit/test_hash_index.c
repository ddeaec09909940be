#include "tests/test.h"

#include "src/base/hash.h"
#include "src/base/hash_index.h"

#include <stdlib.h>

enum { THINGS = 5000 };

static uint64_t keys[THINGS + 1];
static uint64_t hash_bits; /* of a hash: few make many things share a place */

static uint64_t hash_of(uint64_t key)
{
    return hash_mix(key) >> 20 & hash_bits;
}

static uint64_t hash_of_thing(const void *owner, uint32_t number)
{
    return hash_of(((const uint64_t *)owner)[number]);
}

static uint32_t find(const struct hash_index *x, uint64_t key, uint32_t *at)
{
    uint32_t number;
    for (*at = hash_index_first(x, hash_of(key)); (number = x->numbers[*at]);
         *at = hash_index_next(x, *at))
        if (keys[number] == key)
            return number;
    return 0;
}

static void fill(struct hash_index *x, uint32_t count)
{
    for (uint32_t n = 1; n <= count; n++) {
        uint32_t at;
        keys[n] = (uint64_t)n * n;
        assert_int_equal(find(x, keys[n], &at), 0);
        hash_index_put(x, at, n, hash_of_thing, keys);
    }
}

static void assert_has(const struct hash_index *x, uint32_t count)
{
    uint32_t at;
    assert_int_equal(x->count, count);
    assert_true(x->count <= x->mask / 2);
    for (uint32_t n = 1; n <= count; n++)
        assert_int_equal(find(x, (uint64_t)n * n, &at), n);
    assert_int_equal(find(x, 2, &at), 0);
    assert_int_equal(find(x, 0, &at), 0);
}

static void what_was_put_is_found_while_it_grows(void **state)
{
    (void)state;
    static const uint64_t bits[] = {UINT64_MAX, 0xff, 0};
    static const uint32_t counts[] = {THINGS, THINGS, 300}; /* all in one place is slow */
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct hash_index x;
        hash_bits = bits[i];
        hash_index_init(&x, 1);
        fill(&x, counts[i]);
        assert_has(&x, counts[i]);
        assert_int_equal(hash_index_bytes(&x), ((size_t)x.mask + 1) * sizeof *x.numbers);
        hash_index_fini(&x);
        assert_null(x.numbers);
    }
}

static void cleared_it_has_nothing_and_its_memory(void **state)
{
    (void)state;
    struct hash_index x;
    uint32_t at;
    hash_bits = UINT64_MAX;
    hash_index_init(&x, 64);
    fill(&x, 1000);
    const size_t bytes = hash_index_bytes(&x);
    hash_index_clear(&x);
    assert_int_equal(x.count, 0);
    assert_int_equal(find(&x, 9, &at), 0);
    fill(&x, 1000);
    assert_has(&x, 1000);
    assert_int_equal(hash_index_bytes(&x), bytes);
    hash_index_fini(&x);
}

static void refilled_it_has_the_new_numbers(void **state)
{
    (void)state;
    struct hash_index x;
    uint32_t at;
    hash_bits = UINT64_MAX;
    hash_index_init(&x, 8);
    fill(&x, 1000);
    for (uint32_t n = 1; n <= 500; n++) /* every other thing is gone, and the rest moved up */
        keys[n] = keys[2 * n];
    hash_index_refill(&x, 501, hash_of_thing, keys);
    assert_int_equal(x.count, 500);
    for (uint64_t n = 1; n <= 1000; n++)
        assert_int_equal(find(&x, n * n, &at), n % 2 ? 0 : n / 2);
    hash_index_fini(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found_while_it_grows),
        cmocka_unit_test(cleared_it_has_nothing_and_its_memory),
        cmocka_unit_test(refilled_it_has_the_new_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
