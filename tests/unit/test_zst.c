/* Compressed traces: frames, several frames, cuts, damage and the cap. */
#include "tests/made_log.h"
#include "tests/test.h"

#include "src/etl/etl.h"
#include "src/os/zst.h"

#include <zstd.h>

static struct log_maker small_log(void)
{
    struct log_maker m = made_log(4096, 30);
    for (unsigned b = 1; b < 30; b++) {
        made_buffer(&m, 0, 0);
        for (unsigned i = 0; i < 50; i++)
            made_perfinfo(&m, MADE_START_RAW + b * 100 + i, 0x0f2e, 40 + i % 16);
    }
    return m;
}

/* The log in `frames` zstd frames. */
static struct log_maker packed(const struct log_maker *m, unsigned frames)
{
    struct log_maker z = {.room = ZSTD_compressBound(m->size) + 1000 * frames};
    z.bytes = malloc(z.room);
    for (unsigned i = 0; i < frames; i++) {
        const size_t from = m->size / frames * i;
        const size_t bytes = i + 1 == frames ? m->size - from : m->size / frames;
        z.size += ZSTD_compress(z.bytes + z.size, z.room - z.size, m->bytes + from, bytes, 3);
    }
    return z;
}

struct outcome {
    uint64_t events;
    bool is_open, is_whole;
    char said[2048];
};

static struct outcome read_log(const struct log_maker *m, size_t size)
{
    struct outcome o = {0};
    char *name = made_write(m, size);
    struct err err = {""};
    struct event e;
    struct etl_file *f = etl_open(name, &err);
    o.is_open = f != NULL;
    snprintf(o.said, sizeof o.said, "%s", err.text);
    while (f && etl_next(f, &e, &err) == ETL_EVENT)
        o.events++;
    for (unsigned i = 0; f && etl_sentence(f, i); i++)
        snprintf(o.said + strlen(o.said), sizeof o.said - strlen(o.said), "%s\n",
                 etl_sentence(f, i));
    o.is_whole = f && etl_is_whole(etl_tally(f));
    etl_close(f);
    made_unlink(name);
    return o;
}

enum { ALL = 1 + 29 * 50 };

static void frames(void **state)
{
    (void)state;
    struct log_maker m = small_log();
    for (unsigned n = 1; n <= 5; n++) {
        struct log_maker z = packed(&m, n);
        const struct outcome o = read_log(&z, z.size);
        assert_int_equal(o.events, ALL);
        assert_true(o.is_whole);
        assert_string_equal(o.said, "");
        made_free(&z);
    }
    made_free(&m);
}

/* A stream that fills the unpacker's pieces exactly ends where it ends. */
static void sizes_around_a_piece(void **state)
{
    (void)state;
    const size_t piece = ZSTD_DStreamOutSize();
    for (size_t buffers = piece / 4096 - 1; buffers <= piece / 4096 * 2 + 1; buffers++) {
        struct log_maker m = made_log(4096, (uint32_t)buffers);
        for (size_t b = 1; b < buffers; b++)
            made_buffer(&m, 0, 0);
        struct log_maker z = packed(&m, 1);
        const struct outcome o = read_log(&z, z.size);
        assert_int_equal(o.events, 1);
        assert_true(o.is_whole);
        made_free(&z);
        made_free(&m);
    }
}

/* All before the cut is read; the cut is reported. */
static void every_cut(void **state)
{
    (void)state;
    struct log_maker m = small_log(), z = packed(&m, 3);
    uint64_t most = 0;
    for (size_t cut = 0; cut < z.size; cut++) {
        const struct outcome o = read_log(&z, cut);
        assert_false(o.is_whole);
        assert_true(o.said[0] != '\0');
        most = o.events > most ? o.events : most;
    }
    assert_in_range(most, ALL / 2, ALL);
    made_free(&m);
    made_free(&z);
}

static void damage(void **state)
{
    (void)state;
    struct log_maker m = small_log(), z = packed(&m, 3);
    const size_t second = z.size / 3 + 10;
    for (size_t at = 4; at < z.size; at += 3) {
        z.bytes[at] ^= 0x55;
        const struct outcome o = read_log(&z, z.size); /* any answer but a crash */
        assert_true(o.events <= ALL);
        z.bytes[at] ^= 0x55;
    }
    memset(z.bytes + second, 0xee, 40);
    const struct outcome o = read_log(&z, z.size);
    assert_false(o.is_whole);
    assert_non_null(strstr(o.said, "expected a zstd stream"));
    made_free(&m);
    made_free(&z);
}

static void garbage_behind(void **state)
{
    (void)state;
    struct log_maker m = small_log(), z = packed(&m, 1);
    memset(z.bytes + z.size, 0xa5, 100);
    const struct outcome o = read_log(&z, z.size + 100);
    assert_int_equal(o.events, ALL);
    assert_false(o.is_whole);
    assert_non_null(strstr(o.said, "expected a zstd stream"));
    made_free(&m);
    made_free(&z);
}

/* A bomb: the cap holds, with a sentence. */
static void cap(void **state)
{
    (void)state;
    struct log_maker zeros = {.size = 1 << 20};
    zeros.bytes = calloc(1, zeros.size);
    struct log_maker z = packed(&zeros, 1);
    char *name = made_write(&z, z.size);
    struct err err, said;
    struct os_file *from = os_open(name, &err);
    assert_true(zst_is(from));
    struct os_file *to = zst_unpack(from, name, (1 << 20) - 1, NULL, &said, &err);
    assert_non_null(to);
    assert_int_equal(os_size(to), (1 << 20) - 1);
    assert_non_null(strstr(said.text, "unpacks to more than the 1048575 bytes"));
    os_close(to);
    to = zst_unpack(from, name, 1 << 20, NULL, &said, &err);
    assert_non_null(to);
    assert_int_equal(os_size(to), 1 << 20);
    assert_string_equal(said.text, "");
    os_close(to);
    os_close(from);
    made_unlink(name);
    made_free(&z);
    made_free(&zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),         cmocka_unit_test(sizes_around_a_piece),
        cmocka_unit_test(every_cut),      cmocka_unit_test(damage),
        cmocka_unit_test(garbage_behind), cmocka_unit_test(cap),
    };
    return cmocka_run_group_tests_name("zst", tests, NULL, NULL);
}
