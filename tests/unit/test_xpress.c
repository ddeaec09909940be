/* Xpress: streams typed by hand from the description, every cut, every piece size, and
 * streams of our own packer against what went in. Real ones are in test_stats. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/etl/xpress.h"

#include <stdlib.h>

struct sample {
    const char *name, *packed;
    size_t packed_bytes;
    const char *plain;
    size_t plain_bytes;
};

#define SAMPLE(name, packed, plain)                                                                \
    {                                                                                              \
        name, packed, sizeof packed - 1, plain, sizeof plain - 1                                   \
    }
#define TEN     "abcdefghij"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/* Flags are a little-endian u32, the first item's flag is its highest bit. */
static const struct sample samples[] = {
    /* The two examples of [MS-XCA] 3: the alphabet, and "abc" a hundred times. */
    SAMPLE("alphabet",
           "\x3f\x00\x00\x00"
           "abcdefghijklmnopqrstuvwxyz",
           "abcdefghijklmnopqrstuvwxyz"),
    SAMPLE("abc x 100",
           "\xff\xff\xff\x1f"
           "abc"
           "\x17\x00"
           "\x0f"
           "\xff"
           "\x26\x01",
           "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"
           "abcabcabc"
           "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"
           "abcabcabc"
           "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"
           "abcabcabc"
           "abcabcabcabc"),
    SAMPLE("shortest match",
           "\x00\x00\x00\x10"
           "xyz"
           "\x10\x00",
           "xyzxyz"),
    SAMPLE("run of one byte",
           "\x00\x00\x00\x40"
           "z"
           "\x06\x00",
           "zzzzzzzzzz"),
    /* Lengths 10 + 3 and 10 + 5: low and high half of one byte. */
    SAMPLE("two matches share a nibble byte",
           "\x00\x00\x00\x60"
           "q"
           "\x07\x00"
           "\x53"
           "\x07\x00",
           "qqqqqqqqqqqqqqqqqqqqqqqqqqqqq"),
    SAMPLE("length in a byte",
           "\x00\x00\x00\x40"
           "q"
           "\x07\x00"
           "\x0f"
           "\x02",
           "qqqqqqqqqqqqqqqqqqqqqqqqqqqq"),
    SAMPLE("length in a u16",
           "\x00\x00\x20\x00" TEN "\x4f\x00"
           "\x0f"
           "\xff"
           "\x57\x00",
           HUNDRED),
    SAMPLE("length in a u32",
           "\x00\x00\x20\x00" TEN "\x4f\x00"
           "\x0f"
           "\xff"
           "\x00\x00"
           "\x57\x00\x00\x00",
           HUNDRED),
};

static uint8_t *exact(const void *bytes, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    return copy;
}

static void typed_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        uint8_t *in = exact(s->packed, s->packed_bytes), *out = malloc(s->plain_bytes);
        const struct xpress_step step = xpress_decode(in, s->packed_bytes, out, s->plain_bytes);
        if (step.is_bad || step.out != s->plain_bytes || memcmp(out, s->plain, step.out))
            fail_msg("%s: %zu bytes out of %zu expected", s->name, step.out, s->plain_bytes);
        free(in);
        free(out);
    }
}

/* A cut input gives a prefix, a smaller room too; never a byte beyond either. */
static void every_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        for (size_t cut = 0; cut < s->packed_bytes; cut++) {
            uint8_t *in = exact(s->packed, cut), *out = malloc(s->plain_bytes);
            const struct xpress_step step = xpress_decode(in, cut, out, s->plain_bytes);
            assert_false(step.is_bad);
            assert_in_range(step.out, 0, s->plain_bytes);
            assert_memory_equal(out, s->plain, step.out);
            free(in);
            free(out);
        }
        for (size_t room = 0; room < s->plain_bytes; room++) {
            uint8_t *in = exact(s->packed, s->packed_bytes), *out = malloc(room ? room : 1);
            const struct xpress_step step = xpress_decode(in, s->packed_bytes, out, room);
            assert_false(step.is_bad);
            assert_int_equal(step.out, room);
            assert_memory_equal(out, s->plain, room);
            free(in);
            free(out);
        }
    }
}

static void bad_streams(void **state)
{
    (void)state;
    static const struct {
        const char *name, *packed;
        size_t bytes, comes;
    } rows[] = {
#define BAD(name, packed, comes) {name, packed, sizeof packed - 1, comes}
        BAD("match before the output",
            "\x00\x00\x00\x80"
            "\x00\x00"
            "0123456789ab",
            0),
        BAD("match one too far",
            "\x00\x00\x00\x40"
            "a"
            "\x08\x00"
            "0123456789ab",
            1),
        BAD("length below what a byte says",
            "\x00\x00\x00\x40"
            "a"
            "\x07\x00\x0f\xff\x15\x00"
            "0123456789",
            1),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t *in = exact(rows[i].packed, rows[i].bytes), out[1000];
        const struct xpress_step careful = xpress_decode(in, rows[i].bytes, out, 60);
        if (!careful.is_bad || careful.out != rows[i].comes)
            fail_msg("%s: passes with %zu bytes", rows[i].name, careful.out);
        /* The same in front of enough bytes for the fast loop. */
        uint8_t *longer = calloc(1, 200);
        memcpy(longer, in, rows[i].bytes);
        const struct xpress_step fast = xpress_decode(longer, 200, out, sizeof out);
        if (!fast.is_bad || fast.out != rows[i].comes)
            fail_msg("%s: passes fast with %zu bytes", rows[i].name, fast.out);
        free(longer);
        free(in);
    }
}

/* ---- a packer: greedy, with all kinds of items, so that the decoder meets them all ------ */

struct packer {
    uint8_t *out, *flags_at, *nibble;
    uint32_t flags;
    unsigned flag_count;
};

static void put_flag(struct packer *p, bool is_match)
{
    if (p->flag_count == 32 || !p->flags_at) {
        p->flags_at = p->out;
        p->out += 4;
        p->flags = 0;
        p->flag_count = 0;
    }
    p->flags |= (uint32_t)is_match << (31 - p->flag_count++);
    memcpy(p->flags_at, &p->flags, 4);
}

static void put_length(struct packer *p, size_t length)
{
    const size_t over = length - 10;
    const uint8_t half = over < 15 ? (uint8_t)over : 15;
    if (p->nibble) {
        *p->nibble |= (uint8_t)(half << 4);
        p->nibble = NULL;
    } else {
        p->nibble = p->out;
        *p->out++ = half;
    }
    if (half < 15)
        return;
    if (over - 15 < 255) {
        *p->out++ = (uint8_t)(over - 15);
        return;
    }
    *p->out++ = 255;
    if (length - 3 < 65536) {
        const uint16_t v = (uint16_t)(length - 3);
        memcpy(p->out, &v, 2);
        p->out += 2;
    } else {
        const uint32_t v = (uint32_t)(length - 3);
        memset(p->out, 0, 2);
        memcpy(p->out + 2, &v, 4);
        p->out += 6;
    }
}

static void put_match(struct packer *p, size_t distance, size_t length)
{
    put_flag(p, true);
    const uint16_t word = (uint16_t)((distance - 1) << 3 | (length - 3 < 7 ? length - 3 : 7));
    memcpy(p->out, &word, 2);
    p->out += 2;
    if (length - 3 >= 7)
        put_length(p, length);
}

/* The longest match at one of a few distances. */
static size_t find_match(const uint8_t *plain, size_t at, size_t size, size_t *distance)
{
    static const size_t distances[] = {1,  2,  3,  5,  7,   8,    9,    15,  16,
                                       17, 31, 32, 33, 100, 1000, 8191, 8192};
    size_t best = 0;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        size_t length = 0;
        while (distances[i] <= at && at + length < size &&
               plain[at + length] == plain[at + length - distances[i]])
            length++;
        if (length > best) {
            best = length;
            *distance = distances[i];
        }
    }
    return best;
}

static size_t pack(const uint8_t *plain, size_t size, uint8_t *out)
{
    struct packer p = {.out = out};
    for (size_t at = 0; at < size;) {
        size_t distance = 0;
        const size_t length = find_match(plain, at, size, &distance);
        if (length >= 3) {
            put_match(&p, distance, length);
            at += length;
        } else {
            put_flag(&p, false);
            *p.out++ = plain[at++];
        }
    }
    return (size_t)(p.out - out);
}

enum { PLAIN = 300000 };

/* Stretches of noise, of runs and of repeats, with lengths of all sizes. */
static void fill(uint8_t *plain, uint32_t seed)
{
    static const size_t periods[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1000, 8192};
    for (size_t at = 0; at < PLAIN;) {
        seed = seed * 1664525 + 1013904223;
        const size_t period = periods[(seed >> 8) % (sizeof periods / sizeof *periods)];
        size_t length = (seed >> 16 & 15) == 0 ? 70000 : (seed >> 16 & 3) == 0 ? 400 : seed >> 27;
        for (; length-- && at < PLAIN; at++) {
            seed = seed * 1664525 + 1013904223;
            plain[at] = seed >> 30 && at >= period ? plain[at - period] : (uint8_t)(seed >> 24);
        }
    }
}

static void whole_and_in_pieces(void **state)
{
    (void)state;
    uint8_t *plain = malloc(PLAIN), *packed = malloc(PLAIN * 2), *out = malloc(PLAIN);
    static const size_t pieces[] = {PLAIN, 1, 7, 63, 64, 65, 4096, 65536};
    for (uint32_t seed = 1; seed <= 6; seed++) {
        fill(plain, seed);
        const size_t packed_bytes = pack(plain, PLAIN, packed);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            struct xpress x = {0};
            size_t in = 0, done = 0;
            while (done < PLAIN) {
                const size_t room = PLAIN - done < pieces[i] ? PLAIN - done : pieces[i];
                const size_t behind = done < XPRESS_REACH ? done : XPRESS_REACH;
                const struct xpress_step step =
                    xpress_more(&x, packed + in, packed_bytes - in, out + done, behind, room);
                assert_false(step.is_bad);
                assert_int_equal(step.out, room);
                in += step.in;
                done += step.out;
            }
            assert_memory_equal(out, plain, PLAIN);
        }
    }
    free(plain);
    free(packed);
    free(out);
}

/* The input in pieces as well: what is cut is left for the next call. */
static void input_in_pieces(void **state)
{
    (void)state;
    uint8_t *plain = malloc(PLAIN), *packed = malloc(PLAIN * 2), *out = malloc(PLAIN);
    fill(plain, 99);
    const size_t packed_bytes = pack(plain, PLAIN, packed);
    static const size_t pieces[] = {16, 17, 100, 5000};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct xpress x = {0};
        size_t in = 0, done = 0;
        while (done < PLAIN) {
            const size_t give = packed_bytes - in < pieces[i] ? packed_bytes - in : pieces[i];
            uint8_t *copy = exact(packed + in, give);
            const struct xpress_step step =
                xpress_more(&x, copy, give, out + done, done, PLAIN - done);
            free(copy);
            assert_false(step.is_bad);
            assert_true(step.in > 0 || step.out > 0);
            in += step.in;
            done += step.out;
        }
        assert_memory_equal(out, plain, PLAIN);
    }
    free(plain);
    free(packed);
    free(out);
}

/* Any bytes: an end, and nothing outside. */
static void noise(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 2000; round++) {
        const size_t bytes = (size_t)round % 300;
        uint8_t *in = malloc(bytes + 1), *out = malloc(500);
        for (size_t i = 0; i < bytes; i++) {
            seed = seed * 1664525 + 1013904223;
            in[i] = (uint8_t)(seed >> 24) & (round & 1 ? 0xff : 0x17);
        }
        const struct xpress_step step = xpress_decode(in, bytes, out, 500);
        assert_in_range(step.out, 0, 500);
        assert_in_range(step.in, 0, bytes);
        free(in);
        free(out);
    }
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Packs into memory of just the size that may be needed, and back. */
static size_t there_and_back(struct xpress_packer *p, const uint8_t *plain, size_t bytes)
{
    uint8_t *const in = exact(plain, bytes), *const packed = malloc(XPRESS_PACKED_MOST(bytes)),
                   *const out = malloc(bytes + 1);
    const size_t size = xpress_pack(p, in, bytes, packed);
    assert_true(size <= XPRESS_PACKED_MOST(bytes));
    uint8_t *const stream = exact(packed, size);
    const struct xpress_step step = xpress_decode(stream, size, out, bytes);
    assert_false(step.is_bad);
    assert_int_equal(step.out, bytes);
    assert_memory_equal(out, plain, bytes);
    free(stream);
    free(in);
    free(packed);
    free(out);
    return size;
}

/* The two examples of [MS-XCA] 3 come out as they stand there. */
static void packs_as_it_is_written(void **state)
{
    (void)state;
    uint8_t out[512];
    struct xpress_packer *const p = xpress_packer_new();
    for (size_t i = 0; i < 2; i++) {
        const struct sample *const s = &samples[i];
        const size_t size = xpress_pack(p, (const uint8_t *)s->plain, s->plain_bytes, out);
        assert_int_equal(size, s->packed_bytes);
        assert_memory_equal(out, s->packed, size);
    }
    xpress_packer_free(p);
}

static void what_is_packed_comes_back(void **state)
{
    (void)state;
    uint8_t *const plain = malloc(PLAIN);
    struct xpress_packer *const p = xpress_packer_new();
    for (uint32_t seed = 1; seed <= 6; seed++) {
        fill(plain, seed);
        there_and_back(p, plain, PLAIN);
        for (size_t bytes = 0; bytes < 200; bytes++)
            there_and_back(p, plain + seed * 1000, bytes);
    }
    memset(plain, 'z', PLAIN); /* one match of three hundred thousand */
    assert_int_equal(there_and_back(p, plain, PLAIN), 4 + 1 + 2 + 1 + 1 + 2 + 4);
    memset(plain, 0, 70000);
    assert_true(there_and_back(p, plain, 65535 + 4) < 20); /* about the longest u16 */
    assert_true(there_and_back(p, plain, 65536 + 4) < 20);
    xpress_packer_free(p);
    free(plain);
}

/* What cannot be packed grows by its flags alone. */
static void noise_hardly_grows(void **state)
{
    (void)state;
    uint8_t *const plain = malloc(PLAIN);
    uint64_t seed = 3;
    for (size_t i = 0; i < PLAIN; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        plain[i] = (uint8_t)(seed >> 40);
    }
    struct xpress_packer *const p = xpress_packer_new();
    assert_true(there_and_back(p, plain, PLAIN) <= PLAIN + PLAIN / 8 + 8);
    assert_int_equal(there_and_back(p, plain, 32), 4 + 32 + 4);
    xpress_packer_free(p);
    free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_as_it_is_written),
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(noise_hardly_grows),
        cmocka_unit_test(typed_by_hand),
        cmocka_unit_test(every_cut),
        cmocka_unit_test(bad_streams),
        cmocka_unit_test(whole_and_in_pieces),
        cmocka_unit_test(input_in_pieces),
        cmocka_unit_test(noise),
    };
    return cmocka_run_group_tests_name("xpress", tests, NULL, NULL);
}
