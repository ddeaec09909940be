/* What a live source does with a ring that is all but full: rare records still find room. */
#include "tests/test.h"

#include "collectors/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENT = 4096, SEGMENTS = 64, BYTES = 100 };

static enum feed_result put(struct feed *f, bool is_rare)
{
    static const uint8_t body[BYTES];
    const struct record_head head = {.bytes = sizeof head + BYTES, .form = RECORD_ETW};
    return feed_put(f, &head, body, is_rare);
}

static void the_last_of_a_ring_is_for_rare_records(void **state)
{
    (void)state;
    struct collector c = {.hot = ring_new((size_t)SEGMENTS * SEGMENT, SEGMENT)};
    struct feed f = {.collector = &c};
    uint64_t common = 0, rare = 0;
    while (put(&f, false) == FEED_PUT)
        common++;
    while (put(&f, true) == FEED_PUT)
        rare++;
    const struct ring_figures full = ring_figures(c.hot);
    assert_int_equal(full.put, common + rare);
    assert_int_equal(full.lost, 2);
    if (rare * 20 < common || rare * 10 > common)
        fail_msg("a sixteenth is kept, not %u of %u", (unsigned)rare, (unsigned)(rare + common));

    /* once some is read there is room again, for rare ones first */
    for (unsigned i = 0; i < rare / 2; i++) {
        assert_non_null(ring_peek(c.hot, NULL));
        ring_release(c.hot);
    }
    assert_int_equal(put(&f, false), FEED_REFUSED);
    for (unsigned i = 0; i < 2 * rare; i++) {
        assert_non_null(ring_peek(c.hot, NULL));
        ring_release(c.hot);
    }
    assert_int_equal(put(&f, false), FEED_PUT);
    ring_free(c.hot);
}

/* Who waits for the engine loses nothing and needs no such part. */
static void a_replay_is_not_refused(void **state)
{
    (void)state;
    struct collector c = {.hot = ring_new((size_t)SEGMENTS * SEGMENT, SEGMENT)};
    struct feed f = {.collector = &c, .waits = true};
    uint64_t sent = 0;
    for (; ring_figures(c.hot).head < ring_capacity(c.hot) / 2 - SEGMENT; sent++)
        assert_int_equal(put(&f, false), FEED_PUT);
    assert_int_equal(ring_figures(c.hot).put, sent);
    assert_int_equal(ring_figures(c.hot).lost, 0);
    ring_free(c.hot);
}

/* A loss is put into the ring once, and again for records that are refused. */
/* A monitor that runs for long says what is new then: sentences are kept until newer ones need
 * their room, and one that is kept reads as it was said. */
static void the_newest_notices_are_kept(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    struct collector *const c = calloc(1, sizeof *c);
    struct feed f = {.collector = c};
    char text[NOTICE_BYTES], expected[NOTICE_BYTES];
    assert_false(notices_last(&c->notices, text));
    for (unsigned n = 0; n < MANY; n++) {
        feed_notice(&f, "sentence %u", n);
        snprintf(expected, sizeof expected, "sentence %u", n);
        assert_true(notices_last(&c->notices, text));
        assert_string_equal(text, expected);
        assert_int_equal(notices_count(&c->notices), n + 1);
        const unsigned oldest = n < NOTICE_MAX ? 0 : n - NOTICE_MAX + 1;
        snprintf(expected, sizeof expected, "sentence %u", oldest);
        assert_true(notices_read(&c->notices, oldest, text));
        assert_string_equal(text, expected);
        assert_true(!oldest || !notices_read(&c->notices, oldest - 1, text));
    }
    assert_false(notices_read(&c->notices, MANY, text));
    char longest[2 * NOTICE_BYTES];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    notices_add(&c->notices, longest);
    assert_true(notices_last(&c->notices, text));
    assert_int_equal(strlen(text), NOTICE_BYTES - 1);
    free(c);
}

static void losses_are_reported_once(void **state)
{
    (void)state;
    struct collector c = {.hot = ring_new((size_t)SEGMENTS * SEGMENT, SEGMENT)};
    struct feed f = {.collector = &c};
    static const struct record_lost all[] = {{0, 0}, {5, 0}, {5, 0}, {7, 2}, {6, 2}, {7, 3}};
    static const struct record_lost reported[] = {{5, 0}, {2, 2}, {0, 1}, {3, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        feed_report_lost(&f, 1, &all[i]);
    while (put(&f, true) == FEED_PUT)
        ;
    feed_report_lost(&f, 1, &(struct record_lost){10, 3}); /* there is no room */
    size_t found = 0;
    bool is_again = false;
    for (const struct record_head *h; (h = ring_peek(c.hot, NULL)) || !is_again;) {
        if (!h) {
            is_again = true;
            feed_report_lost(&f, 1, &(struct record_lost){10, 3});
            continue;
        }
        if (h->form == RECORD_LOST) {
            assert_true(found < sizeof reported / sizeof *reported);
            assert_memory_equal(h + 1, &reported[found++], sizeof *reported);
        }
        ring_release(c.hot);
    }
    assert_int_equal(found, sizeof reported / sizeof *reported);
    ring_free(c.hot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_of_a_ring_is_for_rare_records),
        cmocka_unit_test(a_replay_is_not_refused),
        cmocka_unit_test(the_newest_notices_are_kept),
        cmocka_unit_test(losses_are_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
