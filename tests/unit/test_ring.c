/* The ring at tiny sizes, where every edge is met, and under four threads at once. */
#include "tests/sanitizer.h"
#include "tests/test.h"

#include "src/ring/ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { DUEL_MEETINGS = THREADS_ARE_SANITIZED ? 20000 : 500000 };

enum { SEGMENT = 256, SEGMENTS = 4, HEAD = sizeof(struct record_head) };

/* ---- records that know what they must look like ------------------------------- */

static uint8_t body_byte(uint64_t number, size_t i)
{
    return (uint8_t)(number * 31 + i * 7 + (number >> 8));
}

static uint32_t body_bytes(uint64_t number, size_t largest)
{
    return (uint32_t)(number * 2654435761u >> 7) % (uint32_t)(largest - HEAD + 1);
}

static struct record_head head_of(uint64_t number, size_t bytes)
{
    return (struct record_head){
        .bytes = (uint32_t)(HEAD + bytes),
        .source = (uint8_t)number,
        .cpu = (uint16_t)(number >> 3),
        .ts = (int64_t)number,
    };
}

static bool put_sized(struct ring *r, uint64_t number, size_t bytes)
{
    const struct record_head head = head_of(number, bytes);
    uint8_t *const body = ring_reserve(r, &head);
    if (!body)
        return false;
    for (size_t i = 0; i < bytes; i++)
        body[i] = body_byte(number, i);
    ring_commit(r);
    return true;
}

static bool put(struct ring *r, uint64_t number)
{
    return put_sized(r, number, body_bytes(number, ring_largest(r)));
}

/* True if this is record `head->ts`, whole, whatever its size. */
static bool is_whole(const struct record_head *head)
{
    const uint64_t number = (uint64_t)head->ts;
    if (head->bytes < HEAD || head->source != (uint8_t)number ||
        head->cpu != (uint16_t)(number >> 3))
        return false;
    const uint8_t *const body = (const uint8_t *)(head + 1);
    for (size_t i = 0; i < head->bytes - HEAD; i++)
        if (body[i] != body_byte(number, i))
            return false;
    return true;
}

/* Takes one record and says which; UINT64_MAX when there is none. */
static uint64_t take(struct ring *r, uint64_t *position)
{
    const struct record_head *const head = ring_peek(r, position);
    if (!head)
        return UINT64_MAX;
    assert_true(is_whole(head));
    const uint64_t number = (uint64_t)head->ts;
    ring_release(r);
    return number;
}

static struct ring *tiny(void)
{
    struct ring *const r = ring_new(1, SEGMENT);
    assert_non_null(r);
    assert_int_equal(ring_capacity(r), SEGMENT * SEGMENTS);
    return r;
}

/* Puts and takes this many, numbered from `number`. */
static void pass(struct ring *r, uint64_t number, uint64_t records)
{
    for (uint64_t i = 0; i < records; i++) {
        assert_true(put(r, number + i));
        assert_int_equal(take(r, NULL), number + i);
    }
}

static void assert_sums(const struct ring *r, uint64_t sent)
{
    const struct ring_figures f = ring_figures(r);
    assert_int_equal(f.put + f.lost, sent);
    assert_true(f.delivered <= f.put);
    assert_true(f.tail <= f.read && f.read <= f.head && f.head - f.tail <= ring_capacity(r));
}

/* ---- making ------------------------------------------------------------------- */

static void sizes_are_rounded(void **state)
{
    (void)state;
    static const struct {
        size_t bytes, segment, capacity;
    } rows[] = {
        {0, 256, 1024},
        {1024, 256, 1024},
        {1025, 256, 1280},
        {1 << 20, RING_SEGMENT, 1 << 20},
        {(1 << 20) + 1, RING_SEGMENT, (1 << 20) + RING_SEGMENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ring *const r = ring_new(rows[i].bytes, rows[i].segment);
        assert_non_null(r);
        assert_int_equal(ring_capacity(r), rows[i].capacity);
        assert_true(ring_largest(r) < rows[i].segment && ring_largest(r) > rows[i].segment - 64);
        ring_free(r);
    }
    assert_null(ring_new(SIZE_MAX, 256));
    ring_free(NULL);
}

static void empty_is_empty(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    struct record_head oldest;
    uint64_t position = 0;
    uint8_t to[SEGMENT];
    assert_null(ring_peek(r, NULL));
    assert_false(ring_oldest(r, 0, &oldest));
    assert_int_equal(ring_pin(r, 0, 0), 0);
    assert_int_equal(ring_copy(r, &position, to, sizeof to), 0);
    ring_unpin(r, 0);
    assert_int_equal(ring_fetch(r, 0, 0, to, sizeof to), 0);
    assert_int_equal(ring_completed(r), INT64_MIN);
    assert_false(ring_is_finished(r));
    assert_true(ring_has_room(r, ring_largest(r)));
    assert_sums(r, 0);
    ring_free(r);
}

/* ---- order, contents, laps ------------------------------------------------------ */

static void order_and_contents_hold_over_laps(void **state)
{
    (void)state;
    struct ring *const r = ring_new(7 * SEGMENT, SEGMENT);
    uint64_t sent = 0, taken = 0;
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < round % 5 + 1; i++)
            assert_true(put(r, sent++));
        while (taken < sent)
            assert_int_equal(take(r, NULL), taken++);
        assert_null(ring_peek(r, NULL));
    }
    const struct ring_figures f = ring_figures(r);
    assert_int_equal(f.lost, 0);
    assert_int_equal(f.delivered, sent);
    assert_true(f.head > 100 * ring_capacity(r));
    assert_sums(r, sent);
    ring_free(r);
}

static void peek_stays_until_release(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    uint64_t first, again;
    assert_true(put(r, 1));
    assert_true(put(r, 2));
    const struct record_head *const head = ring_peek(r, &first);
    assert_ptr_equal(ring_peek(r, &again), head);
    assert_int_equal(first, again);
    ring_release(r);
    assert_int_equal(ring_peek(r, &again)->ts, 2);
    assert_true(again > first);
    ring_release(r);
    ring_free(r);
}

static void put_copies_a_body(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    const struct record_head head = {.bytes = HEAD + 5, .ts = 3};
    const struct record_head bare = {.bytes = HEAD, .ts = 4};
    assert_true(ring_put(r, &head, "hello"));
    assert_true(ring_put(r, &bare, NULL));
    assert_memory_equal(ring_peek(r, NULL) + 1, "hello", 5);
    ring_release(r);
    assert_int_equal(ring_peek(r, NULL)->bytes, HEAD);
    const struct ring_figures f = ring_figures(r);
    assert_int_equal(f.put_bytes, HEAD + 5 + HEAD);
    assert_int_equal(f.delivered, 1);
    ring_free(r);
}

/* Every size from the smallest to one too large, each a few times in a row, so that
 * each way to end a segment (exactly full, 8 bytes left, …) is met. */
static void every_size_fits_or_is_counted(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    const size_t largest = ring_largest(r);
    uint64_t sent = 0, refused = 0, refused_bytes = 0;
    for (size_t bytes = HEAD; bytes <= largest + 9; bytes++) {
        for (unsigned i = 0; i < 5; i++, sent++) {
            const bool fits = bytes <= largest;
            assert_true(ring_has_room(r, bytes));
            assert_int_equal(put_sized(r, sent, bytes - HEAD), fits);
            if (fits)
                assert_int_equal(take(r, NULL), sent);
            else
                refused++, refused_bytes += bytes;
        }
    }
    const struct ring_figures f = ring_figures(r);
    assert_int_equal(f.lost, refused);
    assert_int_equal(f.lost_bytes, refused_bytes);
    assert_sums(r, sent);
    const struct record_head huge = {.bytes = UINT32_MAX};
    assert_null(ring_reserve(r, &huge));
    ring_free(r);
}

static void exactly_full_segments_leave_no_gap(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    const size_t half = ring_largest(r) / 2 & ~(size_t)7, rest = ring_largest(r) - half;
    for (uint64_t i = 0; i < 40; i++) {
        assert_true(put_sized(r, i, (i % 2 ? rest : half) - HEAD));
        const struct ring_figures f = ring_figures(r);
        if (i % 2)
            assert_int_equal(f.head, (i / 2 + 1) * SEGMENT);
        assert_int_equal(take(r, NULL), i);
        assert_null(ring_peek(r, NULL));
    }
    ring_free(r);
}

/* ---- loss ------------------------------------------------------------------------ */

static void a_full_ring_refuses_and_counts(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    const size_t body = ring_largest(r) - HEAD;
    for (uint64_t i = 0; i < SEGMENTS; i++)
        assert_true(put_sized(r, i, body));
    assert_false(ring_has_room(r, HEAD));
    assert_true(ring_has_room(r, ring_largest(r) + 1)); /* waiting would be no use */
    assert_int_equal(ring_figures(r).lost, 0);
    assert_false(put_sized(r, 99, body));
    assert_false(put_sized(r, 99, 0));
    assert_int_equal(ring_figures(r).lost, 2);
    assert_int_equal(ring_figures(r).lost_bytes, ring_largest(r) + HEAD);
    assert_sums(r, SEGMENTS + 2);
    assert_int_equal(take(r, NULL), 0);
    assert_true(ring_has_room(r, ring_largest(r)));
    assert_true(put_sized(r, 4, body));
    assert_false(put_sized(r, 99, 0));
    for (uint64_t i = 1; i <= SEGMENTS; i++)
        assert_int_equal(take(r, NULL), i);
    assert_int_equal(take(r, NULL), UINT64_MAX);
    assert_sums(r, SEGMENTS + 4);
    ring_free(r);
}

static void a_held_record_is_never_overwritten(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    pass(r, 0, 50);
    assert_true(put(r, 50));
    const struct record_head *const held = ring_peek(r, NULL);
    uint64_t number = 51;
    while (put(r, number))
        number++;
    for (unsigned i = 0; i < 20; i++)
        assert_false(put_sized(r, 1000, ring_largest(r) - HEAD));
    assert_int_equal(held->ts, 50);
    assert_true(is_whole(held));
    ring_release(r);
    for (uint64_t i = 51; i < number; i++)
        assert_int_equal(take(r, NULL), i);
    ring_free(r);
}

/* Only the segment of the record that is held is taken, not the one before it. */
static void a_held_record_holds_one_segment(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    for (uint64_t i = 0; i < SEGMENTS; i++)
        assert_true(put_sized(r, i, ring_largest(r) - HEAD - 8));
    assert_int_equal(take(r, NULL), 0);
    const struct record_head *const held = ring_peek(r, NULL);
    assert_true(put_sized(r, SEGMENTS, ring_largest(r) - HEAD));
    assert_false(put_sized(r, 99, ring_largest(r) - HEAD));
    assert_int_equal(held->ts, 1);
    ring_release(r);
    ring_free(r);
}

/* What was promised to a producer that waits: after a yes, the record does fit,
 * even if somebody pins in between. */
static void a_promised_room_is_kept(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    const size_t largest = ring_largest(r);
    for (uint64_t i = 0; i < 30; i++) {
        assert_true(ring_has_room(r, largest));
        const uint64_t pinned = ring_pin(r, 0, 0);
        assert_true(pinned >= ring_figures(r).tail);
        assert_true(put_sized(r, i, largest - HEAD));
        ring_unpin(r, 0);
        assert_int_equal(take(r, NULL), i);
    }
    assert_int_equal(ring_figures(r).lost, 0);
    ring_free(r);
}

static void release_all_delivers_everything(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    uint64_t sent = 0;
    for (unsigned round = 0; round < 100; round++) {
        for (unsigned i = 0; i < 3; i++)
            assert_true(put(r, sent++));
        ring_release_all(r);
        assert_int_equal(ring_figures(r).delivered, sent);
        assert_null(ring_peek(r, NULL));
    }
    ring_free(r);
}

static void completion_and_end_are_reported(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    assert_true(put(r, 1));
    ring_complete(r, 1000);
    assert_int_equal(ring_completed(r), 1000);
    ring_finish(r);
    assert_int_equal(ring_completed(r), INT64_MAX);
    assert_false(ring_is_finished(r));
    assert_non_null(ring_peek(r, NULL));
    assert_false(ring_is_finished(r));
    ring_release(r);
    assert_true(ring_is_finished(r));
    ring_free(r);
}

/* ---- pins -------------------------------------------------------------------------- */

/* Copies all from `from` on into `to`, step bytes at a time; returns the bytes. */
static size_t copy_all(struct ring *r, unsigned slot, uint64_t from, uint8_t *to, size_t step)
{
    size_t all = 0;
    for (uint64_t at = from;;) {
        const size_t bytes = ring_copy(r, &at, to + all, step);
        ring_pin_move(r, slot, at);
        if (!bytes)
            return all;
        all += bytes;
    }
}

/* Asserts whole records in a row; returns how many, and the first's number. */
static uint64_t assert_in_a_row(const uint8_t *at, size_t bytes, uint64_t *first)
{
    uint64_t records = 0;
    for (size_t done = 0; done < bytes; records++) {
        const struct record_head *const head = (const struct record_head *)(at + done);
        assert_true(is_whole(head));
        if (!records)
            *first = (uint64_t)head->ts;
        assert_int_equal(head->ts, *first + records);
        done += ring_padded(head->bytes);
        assert_true(done <= bytes);
    }
    return records;
}

static void copies_hold_what_was_put(void **state)
{
    (void)state;
    for (size_t step = SEGMENT; step < 9 * SEGMENT; step += 24) {
        struct ring *const r = ring_new(8 * SEGMENT, SEGMENT);
        uint8_t *const to = malloc(ring_capacity(r) + step);
        const uint64_t sent = step * 3;
        pass(r, 0, sent);
        const uint64_t from = ring_pin(r, 2, 0);
        uint64_t first = 0;
        const uint64_t records = assert_in_a_row(to, copy_all(r, 2, from, to, step), &first);
        assert_int_equal(first + records, sent);
        ring_unpin(r, 2);
        free(to);
        ring_free(r);
    }
}

static void a_copy_stops_at_whole_records(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    uint8_t to[SEGMENT];
    for (uint64_t i = 0; i < 4; i++)
        assert_true(put_sized(r, i, 24));
    uint64_t at = ring_pin(r, 0, 0);
    assert_int_equal(ring_copy(r, &at, to, 39), 0);
    assert_int_equal(ring_copy(r, &at, to, 40), 40);
    assert_int_equal(ring_copy(r, &at, to, 119), 80);
    uint64_t first;
    assert_int_equal(assert_in_a_row(to, 80, &first), 2);
    assert_int_equal(first, 1);
    assert_int_equal(ring_copy(r, &at, to, sizeof to), 40);
    assert_int_equal(ring_copy(r, &at, to, sizeof to), 0);
    assert_true(put_sized(r, 4, 24));
    assert_int_equal(ring_copy(r, &at, to, sizeof to), 40);
    ring_unpin(r, 0);
    ring_free(r);
}

/* A ring that has not filled yet gives its very first record; a full one leaves the
 * producer an eighth (here: one segment) before it meets the pin. */
static void pins_leave_an_eighth(void **state)
{
    (void)state;
    struct ring *const r = ring_new(16 * SEGMENT, SEGMENT);
    const size_t body = ring_largest(r) - HEAD;
    uint64_t sent = 0;
    for (; sent < 14; sent++) {
        assert_true(put_sized(r, sent, body));
        assert_int_equal(take(r, NULL), sent);
        assert_int_equal(ring_pin(r, 0, 0), 0);
        ring_unpin(r, 0);
    }
    for (; sent < 100; sent++) {
        assert_true(put_sized(r, sent, body));
        assert_int_equal(take(r, NULL), sent);
    }
    const uint64_t pinned = ring_pin(r, 0, 0);
    assert_int_equal(pinned, ring_figures(r).tail + 2 * SEGMENT);
    assert_true(put_sized(r, sent, body));
    assert_int_equal(take(r, NULL), sent++);
    assert_true(put_sized(r, sent, body));
    assert_int_equal(take(r, NULL), sent++);
    assert_int_equal(ring_figures(r).pinned, 0);
    assert_false(put_sized(r, sent, body));
    assert_int_equal(ring_figures(r).pinned, 1);
    assert_int_equal(ring_figures(r).tail, pinned);
    ring_pin_move(r, 0, pinned + SEGMENT - 1);
    assert_false(put_sized(r, sent, body));
    ring_pin_move(r, 0, pinned + SEGMENT);
    assert_true(put_sized(r, sent, body));
    assert_int_equal(take(r, NULL), sent++);
    assert_false(put_sized(r, sent, body));
    ring_unpin(r, 0);
    assert_true(put_sized(r, sent, body));
    assert_int_equal(take(r, NULL), sent++);
    ring_finish(r);
    assert_int_equal(ring_pin(r, 0, 0), ring_figures(r).tail);
    ring_unpin(r, 0);
    ring_free(r);
}

static void pins_hold_while_the_producer_laps(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    uint8_t before[SEGMENT * SEGMENTS], after[SEGMENT * SEGMENTS];
    pass(r, 0, 60);
    const uint64_t from = ring_pin(r, 1, 0);
    uint64_t at = from, first;
    const size_t bytes = ring_copy(r, &at, before, sizeof before);
    assert_true(assert_in_a_row(before, bytes, &first) > 1);
    uint64_t sent = 60, refused = 0;
    for (; sent < 300; sent++) {
        if (put(r, sent))
            assert_int_equal(take(r, NULL), sent);
        else
            refused++;
        at = from;
        assert_true(ring_copy(r, &at, after, sizeof after) >= bytes);
        assert_memory_equal(before, after, bytes);
    }
    assert_true(refused > 100);
    assert_true(ring_figures(r).pinned > 0);
    assert_int_equal(ring_figures(r).lost, refused);
    ring_unpin(r, 1);
    pass(r, sent, 50);
    ring_free(r);
}

static void a_younger_from_is_kept_an_older_is_raised(void **state)
{
    (void)state;
    struct ring *const r = tiny();
    pass(r, 0, 60);
    const uint64_t head = ring_figures(r).head;
    assert_int_equal(ring_pin(r, 0, head), head);
    ring_unpin(r, 0);
    const uint64_t floor = ring_pin(r, 0, 0);
    ring_unpin(r, 0);
    assert_true(floor < head);
    assert_int_equal(ring_pin(r, 0, floor + 8), floor + 8);
    ring_unpin(r, 0);
    assert_int_equal(ring_pin(r, 0, floor - 8), floor);
    ring_unpin(r, 0);
    ring_free(r);
}

/* ---- looking back -------------------------------------------------------------------- */

static void fetch_finds_what_is_there(void **state)
{
    (void)state;
    enum { RECORDS = 400 };
    struct ring *const r = ring_new(8 * SEGMENT, SEGMENT);
    uint64_t positions[RECORDS];
    uint8_t to[SEGMENT];
    for (uint64_t i = 0; i < RECORDS; i++) {
        assert_true(put(r, i));
        assert_int_equal(take(r, &positions[i]), i);
    }
    const uint64_t floor = ring_pin(r, 1, 0);
    ring_unpin(r, 1);
    unsigned found = 0, gone = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        const size_t bytes = ring_fetch(r, 1, positions[i], to, sizeof to);
        assert_int_equal(bytes != 0, positions[i] >= floor);
        if (!bytes) {
            gone++;
            continue;
        }
        found++;
        const struct record_head *const head = (const struct record_head *)to;
        assert_int_equal(head->ts, i);
        assert_int_equal(head->bytes, bytes);
        assert_true(is_whole(head));
    }
    assert_true(found > 5 && gone > 5);
    /* Room for less: the size is returned, no more is written. */
    memset(to, 0xee, sizeof to);
    const size_t size = ring_fetch(r, 1, positions[RECORDS - 1], to, HEAD);
    assert_int_equal(size, HEAD + body_bytes(RECORDS - 1, ring_largest(r)));
    assert_int_equal(to[HEAD], 0xee);
    /* Nothing stays pinned; a pin that covers the position stays. */
    pass(r, RECORDS, 50);
    assert_int_equal(ring_fetch(r, 1, positions[RECORDS - 1], to, sizeof to), 0);
    uint64_t position;
    assert_true(put(r, 450));
    assert_int_equal(take(r, &position), 450);
    const uint64_t pinned = ring_pin(r, 1, 0);
    assert_true(ring_fetch(r, 1, position, to, sizeof to) > 0);
    while (put_sized(r, 451, SEGMENT / 2))
        take(r, NULL);
    assert_int_equal(ring_figures(r).tail, pinned);
    ring_unpin(r, 1);
    ring_free(r);
}

static void oldest_moves_up(void **state)
{
    (void)state;
    struct ring *const r = ring_new(8 * SEGMENT, SEGMENT);
    struct record_head oldest = {0};
    int64_t before = -1;
    assert_true(put_sized(r, 5, 16));
    for (unsigned i = 0; i < 5; i++) {
        assert_true(ring_oldest(r, 3, &oldest));
        assert_int_equal(oldest.ts, 5);
        assert_int_equal(oldest.bytes, HEAD + 16);
        assert_int_equal(oldest.source, 5);
        assert_true(put_sized(r, 7 + i, 100));
    }
    ring_release_all(r);
    for (uint64_t i = 100; i < 200; i++) {
        pass(r, i, 1);
        assert_true(ring_oldest(r, 3, &oldest));
        assert_true(oldest.ts >= before && oldest.ts <= (int64_t)i);
        before = oldest.ts;
    }
    assert_true(oldest.ts > 150);
    assert_true(put_sized(r, 200, ring_largest(r) - HEAD)); /* nothing stayed pinned */
    assert_int_equal(ring_figures(r).pinned, 0);
    ring_free(r);
}

static void numbers_lead_back(void **state)
{
    (void)state;
    struct ring *const r = ring_new(8 * SEGMENT, SEGMENT);
    uint8_t to[SEGMENT];
    pass(r, 0, 500);
    uint64_t at = ring_pin(r, 0, 0), before = at;
    unsigned steps = 0;
    for (; ring_copy(r, &at, to, ring_largest(r)); before = at, steps++)
        assert_int_equal(ring_number(r, before), ((const struct record_head *)to)->ts);
    assert_true(steps > 4);
    assert_int_equal(before, ring_figures(r).head);
    ring_unpin(r, 0);
    ring_free(r);
}

/* Records that come out of order, and some that do not come at all. */
static void segments_know_their_records(void **state)
{
    (void)state;
    static const int64_t times[] = {50, 70, 20, 60};
    struct ring *const r = tiny();
    for (unsigned i = 0; i < 4; i++)
        assert_true(put_sized(r, (uint64_t)times[i], 30));
    struct ring_segment s = ring_segment(r, 0);
    assert_false(s.is_closed);
    assert_int_equal(s.number, 0);
    assert_int_equal(s.count, 0);
    const struct record_head huge = {.bytes = SEGMENT};
    assert_null(ring_reserve(r, &huge));
    assert_null(ring_reserve(r, &huge));
    assert_true(put_sized(r, 10, 30));
    s = ring_segment(r, SEGMENT - 1);
    assert_true(s.is_closed);
    assert_int_equal(s.start, 0);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.lost, 2);
    assert_int_equal(s.first_ts, 20);
    assert_int_equal(s.last_ts, 70);
    s = ring_segment(r, SEGMENT);
    assert_false(s.is_closed);
    assert_int_equal(s.number, 4);
    ring_free(r);
}

/* ---- all at once ----------------------------------------------------------------------- */

enum { READERS = 2, STRESS_SEGMENTS = 12, STRESS_RECORDS = 20000, STRESS_ROUNDS = 30 };

struct stress {
    struct ring *ring;
    _Atomic uint64_t last_position; /* of a record the consumer has seen */
    _Atomic uint64_t errors;
    _Atomic bool done;
    _Atomic unsigned rounds[READERS]; /* in which there was something to copy */
    uint64_t sent, taken;
    uint64_t copied[READERS];
};

static void expect(struct stress *s, bool is_true)
{
    if (!is_true)
        atomic_fetch_add(&s->errors, 1);
}

/* Until everybody has had their turns. */
static bool goes_on(struct stress *s)
{
    for (unsigned i = 0; i < READERS; i++)
        if (atomic_load(&s->rounds[i]) < STRESS_ROUNDS)
            return true;
    return s->sent < STRESS_RECORDS;
}

/* Every other thousand is sent as a replay would, waiting for room; nothing of it may
 * be lost. The rest is sent as it comes. */
static void *stress_producer(void *arg)
{
    struct stress *const s = arg;
    uint64_t number = 0;
    for (; goes_on(s); s->sent++) {
        const bool waits = s->sent / 1000 % 2;
        while (waits && !ring_has_room(s->ring, ring_largest(s->ring)))
            sched_yield();
        const bool is_put = put(s->ring, number);
        expect(s, is_put || !waits);
        number += is_put;
        if (number % 64 == 0)
            ring_complete(s->ring, (int64_t)number);
    }
    ring_finish(s->ring);
    return NULL;
}

static void *stress_consumer(void *arg)
{
    struct stress *const s = arg;
    while (!ring_is_finished(s->ring)) {
        const int64_t completed = ring_completed(s->ring);
        uint64_t position;
        const struct record_head *const head = ring_peek(s->ring, &position);
        if (!head) {
            expect(s, completed == INT64_MAX || completed <= (int64_t)s->taken);
            sched_yield();
            continue;
        }
        expect(s, head->ts == (int64_t)s->taken && is_whole(head));
        ring_release(s->ring);
        s->taken++;
        atomic_store(&s->last_position, position);
    }
    atomic_store(&s->done, true);
    return NULL;
}

static void expect_in_a_row(struct stress *s, const uint8_t *at, size_t bytes, int64_t *next)
{
    for (size_t done = 0; done < bytes;) {
        const struct record_head *const head = (const struct record_head *)(at + done);
        expect(s, is_whole(head) && (*next < 0 || head->ts == *next));
        *next = head->ts + 1;
        done += ring_padded(head->bytes);
    }
}

/* Alternately looks at one record and copies the whole window in small steps, as a
 * snapshot does, or goes on from where it was, as a recorder does. */
static void stress_read(struct stress *s, unsigned slot)
{
    uint8_t to[2 * SEGMENT];
    uint64_t from = 0;
    while (!atomic_load(&s->done)) {
        const size_t one = ring_fetch(s->ring, slot, atomic_load(&s->last_position), to, sizeof to);
        expect(s, !one || is_whole((const struct record_head *)to));
        int64_t next = -1;
        const uint64_t start = ring_pin(s->ring, slot, slot ? from : 0);
        uint64_t at = start;
        for (size_t bytes; (bytes = ring_copy(s->ring, &at, to, sizeof to)) != 0;) {
            if (next < 0)
                expect(s, ring_number(s->ring, start) == (uint64_t)((struct record_head *)to)->ts);
            expect_in_a_row(s, to, bytes, &next);
            ring_pin_move(s->ring, slot, at);
            s->copied[slot] += bytes;
        }
        from = at;
        atomic_fetch_add(&s->rounds[slot], at != start);
        ring_unpin(s->ring, slot);
        const struct ring_figures f = ring_figures(s->ring);
        expect(s, f.delivered <= f.put && f.tail <= f.read && f.read <= f.head);
        sched_yield();
    }
}

static void *stress_snapshot(void *arg)
{
    stress_read(arg, 0);
    return NULL;
}

static void *stress_recorder(void *arg)
{
    stress_read(arg, 1);
    return NULL;
}

static void four_threads_agree(void **state)
{
    (void)state;
    struct stress s = {.ring = ring_new(STRESS_SEGMENTS * SEGMENT, SEGMENT)};
    atomic_store(&s.last_position, UINT64_MAX); /* beyond the head: nothing to fetch yet */
    static void *(*const parts[])(void *) = {
        stress_snapshot,
        stress_recorder,
        stress_consumer,
        stress_producer,
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    pthread_t threads[PARTS];
    for (unsigned i = 0; i < PARTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, parts[i], &s), 0);
    for (unsigned i = 0; i < PARTS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    const struct ring_figures f = ring_figures(s.ring);
    assert_int_equal(s.errors, 0);
    assert_true(s.sent >= STRESS_RECORDS);
    assert_int_equal(f.put + f.lost, s.sent);
    assert_int_equal(f.delivered, f.put);
    assert_int_equal(s.taken, f.put);
    assert_true(s.copied[0] > 0 && s.copied[1] > 0);
    ring_free(s.ring);
}

/* One record fills a segment, so each put moves the tail and looks at the pins, while an
 * owner pins, reads one record and unpins as fast as it can: the two stores and two
 * loads of the protocol meet some hundred thousand times. On two idle processors,
 * release in place of seq_cst on either side, a look left out, or a tail not taken
 * back shows in most runs as a record that does not match. (The model of
 * tests/model finds each of them always, and knows no real processor.) */
enum { DUEL_BYTES = 216, DUEL_WORDS = (DUEL_BYTES - HEAD) / 8 };

struct duel {
    struct ring *ring;
    _Atomic bool done;
    _Atomic uint64_t rounds;
    uint64_t errors;
};

static void *duel_owner(void *arg)
{
    struct duel *const d = arg;
    struct {
        struct record_head head;
        uint64_t words[DUEL_WORDS];
    } record;
    for (uint64_t round = 0; !atomic_load(&d->done); round++) {
        uint64_t at = ring_pin(d->ring, 0, 0);
        const size_t bytes = ring_copy(d->ring, &at, &record, sizeof record);
        ring_unpin(d->ring, 0);
        for (unsigned i = 0; bytes && i < DUEL_WORDS; i++)
            d->errors += record.words[i] != (uint64_t)record.head.ts;
        if (round % 1024 == 0)
            atomic_store(&d->rounds, round);
    }
    return NULL;
}

static void real_processors_keep_the_order(void **state)
{
    (void)state;
    struct duel d = {.ring = tiny()};
    assert_int_equal(ring_largest(d.ring), DUEL_BYTES);
    pthread_t owner;
    assert_int_equal(pthread_create(&owner, NULL, duel_owner, &d), 0);
    uint64_t sent = 0;
    for (uint64_t number = 0; number < DUEL_MEETINGS || atomic_load(&d.rounds) < DUEL_MEETINGS;
         sent++) {
        const struct record_head head = {.bytes = DUEL_BYTES, .ts = (int64_t)number};
        uint64_t words[DUEL_WORDS];
        for (unsigned i = 0; i < DUEL_WORDS; i++)
            words[i] = number;
        if (ring_put(d.ring, &head, words)) {
            ring_release_all(d.ring);
            number++;
        } else if (sent % 4096 == 0) {
            sched_yield(); /* the owner may wait for this very processor */
        }
    }
    atomic_store(&d.done, true);
    assert_int_equal(pthread_join(owner, NULL), 0);
    assert_int_equal(d.errors, 0);
    assert_sums(d.ring, sent);
    ring_free(d.ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_rounded),
        cmocka_unit_test(empty_is_empty),
        cmocka_unit_test(order_and_contents_hold_over_laps),
        cmocka_unit_test(peek_stays_until_release),
        cmocka_unit_test(put_copies_a_body),
        cmocka_unit_test(every_size_fits_or_is_counted),
        cmocka_unit_test(exactly_full_segments_leave_no_gap),
        cmocka_unit_test(a_full_ring_refuses_and_counts),
        cmocka_unit_test(a_held_record_is_never_overwritten),
        cmocka_unit_test(a_held_record_holds_one_segment),
        cmocka_unit_test(a_promised_room_is_kept),
        cmocka_unit_test(release_all_delivers_everything),
        cmocka_unit_test(completion_and_end_are_reported),
        cmocka_unit_test(copies_hold_what_was_put),
        cmocka_unit_test(a_copy_stops_at_whole_records),
        cmocka_unit_test(pins_leave_an_eighth),
        cmocka_unit_test(pins_hold_while_the_producer_laps),
        cmocka_unit_test(a_younger_from_is_kept_an_older_is_raised),
        cmocka_unit_test(fetch_finds_what_is_there),
        cmocka_unit_test(oldest_moves_up),
        cmocka_unit_test(numbers_lead_back),
        cmocka_unit_test(segments_know_their_records),
        cmocka_unit_test(four_threads_agree),
        cmocka_unit_test(real_processors_keep_the_order),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
