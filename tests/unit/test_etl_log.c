/* Recordings under a name: growing, going round, going on in numbered files. */
#include "tests/folder.h"
#include "tests/strict.h"
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/etl/log.h"
#include "src/os/os.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1024, CPUS = 3 };

struct fixture {
    char folder[64], path[96];
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    uint32_t header_bytes;
    struct etl_log *log;
    unsigned edges;
};

static int set_up(void **state)
{
    static const struct etl_header machine = {
        .cpus = CPUS, .clock_type = 1, .frequency = 10000000, .ts = 1, .start = 133500000000000000};
    struct fixture *const x = calloc(1, sizeof *x);
    strcpy(x->folder, "/tmp/tracetop-log-XXXXXX");
    if (!mkdtemp(x->folder))
        return -1;
    snprintf(x->path, sizeof x->path, "%s/a.b.etl", x->folder);
    x->header_bytes = etl_log_header(&machine, 0, 0, x->header);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    const int failed = folder_remove(x->folder);
    free(x);
    return failed;
}

static struct etl_log_options options_of(struct fixture *x, enum etl_log_mode mode, uint64_t most)
{
    return (struct etl_log_options){.path = x->path,
                                    .mode = mode,
                                    .most_bytes = most,
                                    .header = x->header,
                                    .header_bytes = x->header_bytes,
                                    .buffer_bytes = BUFFER};
}

static struct record_head record_of(unsigned i, uint16_t hook, uint8_t *record)
{
    enum { BYTES = 40 };
    memset(record, 0, BYTES);
    store_u32(record, 0xc0110002);
    store_u16(record + 4, BYTES);
    store_u16(record + 6, hook);
    store_u64(record + 8, i);
    store_u32(record + 16, i);
    return (struct record_head){.bytes = (uint32_t)sizeof(struct record_head) + BYTES,
                                .cpu = (uint16_t)(i % CPUS),
                                .ts = i};
}

static bool append(struct etl_log *l, unsigned i, struct err *err)
{
    uint8_t record[64];
    const struct record_head head = record_of(i, 0x0f2e, record);
    return etl_log_append(l, &head, record, err);
}

/* Events of hook 0x0f2e in a file: how many, first, last. */
struct found {
    uint64_t events, others;
    uint32_t first, last;
};

static struct found look(const char *path)
{
    struct found x = {0};
    struct err err = {""};
    struct event e;
    struct etl_reader *const r = etl_reader_open(&path, 1, &err);
    if (!r)
        fail_msg("%s", err.text);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        if (e.id != 0x0f2e) {
            x.others++;
            continue;
        }
        x.last = load_u32(e.payload);
        x.first = x.events++ ? x.first : x.last;
    }
    const struct etl_tally *const t = etl_tally(etl_reader_file(r, 0));
    assert_true(etl_is_whole(t) && !t->never_stopped);
    etl_reader_close(r);
    return x;
}

static glob_t files_of(const struct fixture *x)
{
    char pattern[128];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", x->folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    return found;
}

static size_t count_files(const struct fixture *x)
{
    glob_t found = files_of(x);
    const size_t count = found.gl_pathc;
    globfree(&found);
    return count;
}

static void one_file_until_it_is_full(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    uint8_t record[64];
    const struct etl_log_options o = options_of(x, ETL_LOG_SEQUENTIAL, 10 * BUFFER + 5);
    struct etl_log *const l = etl_log_new(&o, &err);
    assert_non_null(l);
    char partial[512];
    snprintf(partial, sizeof partial, "%s.partial", o.path);
    assert_int_equal(os_path_kind(partial), OS_REGULAR);
    unsigned i = 1;
    for (;; i++) {
        const struct record_head head = record_of(i, 0x0f2e, record);
        if (!etl_log_has_room(l, &head))
            break;
        assert_true(etl_log_append(l, &head, record, &err));
        assert_true(i % 7 || etl_log_flush(l, &err));
    }
    assert_true(etl_log_finish(l, 0, NULL, NULL, &err));
    const struct found f = look(x->path);
    struct stat info;
    assert_int_equal(f.events, i - 1);
    assert_true(i > 150);
    assert_int_equal(stat(x->path, &info), 0);
    assert_int_equal(info.st_size, 10 * BUFFER);
    assert_int_equal(count_files(x), 1);
}

static void round_and_round(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    const struct etl_log_options o = options_of(x, ETL_LOG_CIRCULAR, 8 * BUFFER);
    struct etl_log *const l = etl_log_new(&o, &err);
    assert_non_null(l);
    for (unsigned i = 1; i <= 3; i++)
        assert_true(append(l, i, &err));
    assert_true(etl_log_keep(l, &err));
    for (unsigned i = 4; i <= 5000; i++)
        assert_true(append(l, i, &err));
    assert_true(etl_log_flush(l, &err));
    const struct etl_written c = etl_log_count(l);
    assert_true(etl_log_finish(l, 0, NULL, NULL, &err));
    const struct found f = look(x->path);
    assert_int_equal(f.events + 1 + c.overwritten_events, c.events);
    assert_int_equal(f.first, 1);
    assert_int_equal(f.last, 5000);
    const struct strict s = strict_read(x->path);
    assert_int_equal(s.buffers, 8);
    assert_int_equal(s.events, f.events + 1);
}

/* A mark at every edge; it belongs to its file however full that is. */
static bool put_edge(void *state, bool is_end, struct err *err)
{
    struct fixture *const x = state;
    uint8_t record[64];
    const struct record_head head = record_of(x->edges++ / 2, is_end ? 0x0b0b : 0x0b0a, record);
    return etl_log_append(x->log, &head, record, err) && (is_end || etl_log_keep(x->log, err));
}

/* Every file is whole in itself; together they have everything once. */
static void from_file_to_file(void **state)
{
    struct fixture *const x = *state;
    enum { EVENTS = 2000 };
    struct err err = {""};
    struct etl_log_options o = options_of(x, ETL_LOG_ROTATE, 10 * BUFFER);
    o.edge = put_edge;
    o.state = x;
    struct etl_log *const l = x->log = etl_log_new(&o, &err);
    assert_non_null(l);
    assert_true(etl_log_keep(l, &err));
    for (unsigned i = 1; i <= EVENTS; i++)
        assert_true(append(l, i, &err) && (i % 100 || etl_log_flush(l, &err)));
    const unsigned files = etl_log_files(l);
    assert_true(etl_log_finish(l, 0, NULL, NULL, &err));
    glob_t found = files_of(x);
    assert_int_equal(found.gl_pathc, files);
    assert_int_equal(x->edges, 2 * (files - 1));
    assert_true(files > 5);
    uint32_t next = 1;
    for (unsigned i = 0; i < files; i++) {
        char name[160];
        struct stat info;
        snprintf(name, sizeof name, "%s/a.b-%04u.etl", x->folder, i + 1);
        assert_string_equal(found.gl_pathv[i], name);
        assert_int_equal(stat(name, &info), 0);
        assert_true(info.st_size <= 10 * BUFFER);
        const struct found f = look(name);
        assert_int_equal(f.first, next);
        assert_int_equal(f.last - f.first + 1, f.events);
        assert_int_equal(f.others, 1 + (i > 0) + (i < files - 1));
        next = f.last + 1;
    }
    assert_int_equal(next, EVENTS + 1);
    globfree(&found);
}

static void the_oldest_go(void **state)
{
    struct fixture *const x = *state;
    enum { EVENTS = 3000, MOST = 3 };
    struct err err = {""};
    struct etl_log_options o = options_of(x, ETL_LOG_ROTATE, 6 * BUFFER);
    o.files_most = MOST;
    struct etl_log *const l = etl_log_new(&o, &err);
    assert_non_null(l);
    for (unsigned i = 1; i <= EVENTS; i++) {
        assert_true(append(l, i, &err));
        assert_true(count_files(x) <= MOST + 1); /* and the one in the making */
    }
    assert_true(etl_log_flush(l, &err));
    const struct etl_written before = etl_log_count(l);
    assert_true(before.events > EVENTS && before.overwritten_events > EVENTS / 2);
    assert_true(etl_log_finish(l, 0, NULL, NULL, &err));
    glob_t found = files_of(x);
    assert_int_equal(found.gl_pathc, MOST);
    uint32_t next = EVENTS + 1;
    for (unsigned i = MOST; i-- > 0;) {
        const struct found f = look(found.gl_pathv[i]);
        assert_int_equal(f.last + 1, next);
        next = f.first;
    }
    globfree(&found);
}

static void names_that_are_taken(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    char second[128];
    snprintf(second, sizeof second, "%s/a.b-0002.etl", x->folder);
    FILE *const f = fopen(second, "w");
    assert_non_null(f);
    fputs("mine", f);
    fclose(f);
    const struct etl_log_options o = options_of(x, ETL_LOG_ROTATE, 6 * BUFFER);
    struct etl_log *const l = etl_log_new(&o, &err);
    assert_non_null(l);
    unsigned i = 1;
    while (append(l, i, &err))
        i++;
    assert_non_null(strstr(err.text, "already exists"));
    assert_false(append(l, i, &err));
    assert_non_null(strstr(err.text, "could not continue"));
    assert_false(etl_log_finish(l, 0, NULL, NULL, &err));
    assert_int_equal(count_files(x), 2); /* the first one, whole; and theirs */
    char first[128];
    snprintf(first, sizeof first, "%s/a.b-0001.etl", x->folder);
    assert_int_equal(look(first).events, i - 1);
    struct stat info;
    assert_int_equal(stat(second, &info), 0);
    assert_int_equal(info.st_size, 4);

    const struct etl_log_options tiny = options_of(x, ETL_LOG_ROTATE, BUFFER);
    assert_null(etl_log_new(&tiny, &err));
    assert_non_null(strstr(err.text, "two buffers"));
    const struct etl_log_options none = options_of(x, ETL_LOG_CIRCULAR, 0);
    assert_null(etl_log_new(&none, &err));
    assert_int_equal(count_files(x), 2);
}

/* What a file begins with leaves as much room for its end, or there is no such file. */
static void fronts_are_given_room(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    uint8_t record[64];
    struct etl_log_options o = options_of(x, ETL_LOG_SEQUENTIAL, 16 * BUFFER);
    struct etl_log *l = etl_log_new(&o, &err);
    assert_non_null(l);
    for (unsigned i = 1; i <= 40; i++)
        assert_true(append(l, i, &err));
    assert_true(etl_log_keep(l, &err)); /* header and a buffer for each processor: 4 of 16 */
    unsigned i = 41;
    for (;; i++) {
        const struct record_head head = record_of(i, 0x0f2e, record);
        if (!etl_log_has_room(l, &head))
            break;
        assert_true(etl_log_append(l, &head, record, &err));
    }
    assert_int_equal(etl_log_count(l).buffers + CPUS, 16 - 4);
    etl_log_drop(l);

    o.most_bytes = 15 * BUFFER;
    l = etl_log_new(&o, &err);
    assert_non_null(l);
    for (i = 1; i <= 40; i++)
        assert_true(append(l, i, &err));
    assert_false(etl_log_keep(l, &err));
    assert_non_null(strstr(err.text, "is too small"));
    etl_log_drop(l);
    assert_int_equal(count_files(x), 0);
}

static void dropped_leaves_nothing(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    const struct etl_log_options o = options_of(x, ETL_LOG_SEQUENTIAL, 0);
    struct etl_log *const l = etl_log_new(&o, &err);
    assert_non_null(l);
    assert_true(append(l, 1, &err) && etl_log_flush(l, &err));
    assert_int_equal(count_files(x), 1);
    etl_log_drop(l);
    assert_int_equal(count_files(x), 0);
}

static void names_have_their_number(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum etl_log_mode mode;
        unsigned number;
        const char *name;
    } rows[] = {
        {"x.etl", ETL_LOG_ROTATE, 3, "x-0003.etl"},
        {"x", ETL_LOG_ROTATE, 12345, "x-12345"},
        {"a.b/x", ETL_LOG_ROTATE, 1, "a.b/x-0001"},
        {"x%d.etl", ETL_LOG_ROTATE, 12, "x12.etl"},
        {"/t/x-%d", ETL_LOG_ROTATE, 1, "/t/x-1"},
        {"a%d/x.etl", ETL_LOG_ROTATE, 1, "a%d/x-0001.etl"},
        {"%d%d.etl", ETL_LOG_ROTATE, 4294967295u, "4294967295%d.etl"},
        {"%s%n.etl", ETL_LOG_ROTATE, 1, "%s%n-0001.etl"},
        {"x%d.etl", ETL_LOG_SEQUENTIAL, 3, "x%d.etl"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *const name = etl_log_name(rows[i].path, rows[i].mode, rows[i].number);
        assert_string_equal(name, rows[i].name);
        free(name);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_their_number),
        TEST(one_file_until_it_is_full),
        TEST(round_and_round),
        TEST(from_file_to_file),
        TEST(the_oldest_go),
        TEST(names_that_are_taken),
        TEST(fronts_are_given_room),
        TEST(dropped_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
