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

static struct outcome read_file(struct etl_file *f, struct err *err)
{
    struct outcome o = {.is_open = f != NULL};
    struct event e;
    snprintf(o.said, sizeof o.said, "%s", err->text);
    while (f && etl_next(f, &e, err) == ETL_EVENT)
        o.events++;
    for (unsigned i = 0; f && etl_sentence(f, i); i++)
        snprintf(o.said + strlen(o.said), sizeof o.said - strlen(o.said), "%s\n",
                 etl_sentence(f, i));
    o.is_whole = f && etl_is_whole(etl_tally(f));
    return o;
}

static struct outcome read_log(const struct log_maker *m, size_t size)
{
    char *name = made_write(m, size);
    struct err err = {""};
    struct etl_file *f = etl_open(name, &err);
    const struct outcome o = read_file(f, &err);
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

/* A file that is opened again is not unpacked again: the packed file may be gone. Damage is
 * reported again, and closing one of the two leaves the other usable. */
static void the_second_time_nothing_is_unpacked(void **state)
{
    (void)state;
    struct log_maker m = small_log(), z = packed(&m, 3);
    for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
        char *name = made_write(&z, is_cut ? z.size - 30 : z.size);
        struct err err = {""};
        struct etl_file *const first = etl_open(name, &err);
        made_unlink(name);
        const struct outcome one = read_file(first, &err);
        etl_rest(first);
        struct etl_reader *const reader = etl_reader_open_again(&first, 1, &err);
        struct etl_file *const again = etl_open_again(first, &err);
        etl_close(first);
        const struct outcome two = read_file(again, &err);
        assert_int_equal(two.is_whole, !is_cut);
        assert_true(is_cut ? two.events < ALL : two.events == ALL);
        assert_int_equal(two.events, one.events);
        assert_string_equal(two.said, one.said);
        struct event e;
        uint64_t events = 0;
        while (etl_reader_next(reader, &e, &err) == ETL_EVENT)
            events++;
        assert_int_equal(events, one.events);
        etl_reader_close(reader);
        etl_close(again);
    }
    made_free(&z);
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),
        cmocka_unit_test(sizes_around_a_piece),
        cmocka_unit_test(every_cut),
        cmocka_unit_test(damage),
        cmocka_unit_test(garbage_behind),
        cmocka_unit_test(cap),
        cmocka_unit_test(the_second_time_nothing_is_unpacked),
    };
    return cmocka_run_group_tests_name("zst", tests, NULL, NULL);
}
