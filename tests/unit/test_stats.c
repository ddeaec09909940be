/* `stats` over every real trace, against counts that other people's parsers made. */
#include "tests/shared.h"
#include "tests/test.h"

#include "src/export/stats.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* A kind as the counts name it: class, guid or group, id or type, version. */
struct row {
    char key[96];
    uint64_t count;
};

struct rows {
    struct row *at;
    size_t count;
};

static void rows_add(struct rows *r, const char *key, uint64_t count)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->at[i].key, key) == 0) {
            r->at[i].count += count;
            return;
        }
    }
    r->at = realloc(r->at, (r->count + 1) * sizeof *r->at);
    assert_non_null(r->at);
    snprintf(r->at[r->count].key, sizeof r->at->key, "%s", key);
    r->at[r->count++].count = count;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->key, ((const struct row *)b)->key);
}

static void rows_sort(struct rows *r)
{
    if (r->count)
        qsort(r->at, r->count, sizeof *r->at, compare);
}

struct output {
    char *text, *errors;
    int status;
};

static struct output run(const char *const *files, size_t count, bool json)
{
    struct output o;
    size_t size, error_size;
    FILE *out = open_memstream(&o.text, &size), *err = open_memstream(&o.errors, &error_size);
    assert_true(out && err);
    o.status = stats_run(files, count, json, out, err);
    fclose(out);
    fclose(err);
    return o;
}

static void output_free(struct output *o)
{
    free(o->text);
    free(o->errors);
}

/* header, provider, id, opcode, version, count, bytes, name */
static struct rows rows_of_stats(char *text)
{
    struct rows rows = {0};
    char *save = NULL;
    char *line = strtok_r(text, "\n", &save);
    assert_non_null(line);
    assert_string_equal(line, "header\tprovider\tid\topcode\tversion\tcount\tbytes\tname");
    while ((line = strtok_r(NULL, "\n", &save))) {
        char header[16], provider[40], key[96];
        unsigned id, opcode, version;
        uint64_t count, bytes;
        assert_int_equal(sscanf(line, "%15s %39s %u %u %u %" SCNu64 " %" SCNu64, header, provider,
                                &id, &opcode, &version, &count, &bytes),
                         7);
        if (!strcmp(header, "manifest") || !strcmp(header, "message"))
            snprintf(key, sizeof key, "event %s %u %u", provider, id, version);
        else if (!strcmp(header, "classic") || !strcmp(header, "instance"))
            snprintf(key, sizeof key, "classic %s %u %u", provider, opcode, version);
        else
            snprintf(key, sizeof key, "kernel 0x%02x %u %u", id >> 8, id & 255, version);
        rows_add(&rows, key, count);
    }
    rows_sort(&rows);
    return rows;
}

struct truth {
    char file[256];
    struct rows rows;
    uint64_t events, buffers, events_lost, buffers_lost;
    int64_t first, last;
    char first_time[32], last_time[32]; /* ISO 8601 to the microsecond */
};

static uint64_t figure(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    if (!at)
        fail_msg("no \"%s\" in: %s", name, line);
    return strtoull(at + strlen(name), NULL, 10);
}

static void truth_comment(struct truth *t, const char *line)
{
    if (!strncmp(line, "# total_events", 14)) {
        t->events = figure(line, "total_events\t");
    } else if (!strncmp(line, "# buffers_in_file", 17)) {
        t->buffers = figure(line, "buffers_in_file\t");
        t->events_lost = figure(line, "EventsLost\t");
        t->buffers_lost = figure(line, "BuffersLost\t");
    } else if (!strncmp(line, "# UTC", 5)) {
        const char *first = strstr(line, "first event\t"), *last = strstr(line, "last event\t");
        assert_true(first && last);
        assert_int_equal(sscanf(first, "first event\t%31s", t->first_time), 1);
        assert_int_equal(sscanf(last, "last event\t%31s", t->last_time), 1);
    } else if (!strncmp(line, "# raw timestamps", 16)) {
        t->first = (int64_t)figure(line, "\tfirst\t");
        t->last = (int64_t)figure(line, "\tlast\t");
    }
}

static void truth_row(struct truth *t, const char *line)
{
    char class_name[16], provider[40], key[96];
    unsigned id, version, type;
    uint64_t count;
    if (sscanf(line, "%15s %39s %u %u %u %" SCNu64, class_name, provider, &id, &version, &type,
               &count) != 6)
        return; /* the line that names the columns */
    snprintf(key, sizeof key, "%s %s %u %u", class_name, provider, id, version);
    for (char *c = key; *c; c++)
        *c = *c >= 'A' && *c <= 'F' ? (char)(*c + 32) : *c;
    rows_add(&t->rows, key, count);
}

static struct truth truth_read(const char *counts)
{
    struct truth t = {0};
    char line[4096];
    FILE *f = fopen(counts, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        line[0] == '#' ? truth_comment(&t, line) : truth_row(&t, line);
    fclose(f);
    snprintf(t.file, sizeof t.file, "%.*s.etl", (int)(strlen(counts) - strlen(".counts.tsv")),
             counts);
    if (os_path_kind(t.file) != OS_REGULAR)
        strcat(t.file, ".zst");
    assert_true(t.events > 0 && t.rows.count > 0);
    rows_sort(&t.rows);
    return t;
}

static void check_rows(const struct truth *t)
{
    const char *name = t->file;
    struct output o = run(&name, 1, false);
    assert_int_equal(o.status, 0);
    struct rows found = rows_of_stats(o.text);
    for (size_t i = 0; i < t->rows.count && i < found.count; i++) {
        const struct row *a = &found.at[i], *b = &t->rows.at[i];
        if (strcmp(a->key, b->key) || a->count != b->count)
            fail_msg("%s: %s x %" PRIu64 " found, %s x %" PRIu64 " expected", name, a->key,
                     a->count, b->key, b->count);
    }
    if (found.count != t->rows.count)
        fail_msg("%s: %zu kinds found, %zu expected", name, found.count, t->rows.count);
    if (t->events_lost && !strstr(o.errors, "lost while it was recorded"))
        fail_msg("%s: loss is not reported: %s", name, o.errors);
    free(found.at);
    output_free(&o);
}

static void check_figure(const struct truth *t, const char *json, const char *name,
                         uint64_t expected)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const uint64_t found = figure(json, key);
    if (found != expected)
        fail_msg("%s: %s is %" PRIu64 ", expected %" PRIu64, t->file, name, found, expected);
}

/* Microseconds of the day; the date must be the same text. */
static int64_t of_day(const char *iso)
{
    int hour, minute;
    double seconds;
    assert_int_equal(sscanf(iso + 11, "%d:%d:%lf", &hour, &minute, &seconds), 3);
    return (hour * 60 + minute) * INT64_C(60000000) + (int64_t)(seconds * 1e6 + 0.01);
}

static void check_time(const struct truth *t, const char *json, const char *name,
                       const char *expected)
{
    char found[32];
    const char *at = strstr(json, name);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(name), "\":\"%31[^\"]", found), 1);
    const int64_t off = of_day(found) - of_day(expected);
    if (strncmp(found, expected, 10) || off < -1 || off > 1)
        fail_msg("%s: %s is %s, expected %s", t->file, name, found, expected);
}

static void check_totals(const struct truth *t)
{
    const char *name = t->file;
    struct output o = run(&name, 1, true);
    assert_int_equal(o.status, 0);
    check_figure(t, o.text, "events", t->events);
    check_figure(t, o.text, "buffers", t->buffers);
    check_figure(t, o.text, "events_lost", t->events_lost);
    check_figure(t, o.text, "buffers_lost", t->buffers_lost);
    check_figure(t, o.text, "first_ts", (uint64_t)t->first);
    check_figure(t, o.text, "last_ts", (uint64_t)t->last);
    check_time(t, o.text, "first_time", t->first_time);
    check_time(t, o.text, "last_time", t->last_time);
    output_free(&o);
}

static void every_real_trace(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/*.counts.tsv");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct truth t = truth_read(found.gl_pathv[i]);
        check_rows(&t);
        check_totals(&t);
        free(t.rows.at);
    }
    print_message("%zu traces\n", found.gl_pathc);
    globfree(&found);
}

static void damaged_traces(void **state)
{
    (void)state;
    static const struct {
        const char *file, *sentence, *also;
        uint64_t events, skipped;
        int status;
    } rows[] = {
        {"../shared/etl/derived-truncated-midbuffer.etl", "buffer at 147456", "36; readable: 19",
         1029, 32, 6},
        {"../shared/etl/derived-zero-size-event.etl", "buffer at 81920: at 224 of the buffer",
         "a size of 0", 1992, 7824, 6},
        {"../shared/etl/derived-unstopped-header.etl", "never stopped", "6 were found", 21, 0, 0},
        {"../shared/etl/derived-zeroed-last-buffer.etl", "buffer at 262144", "found 0", 26, 65536,
         6},
    };
    glob_t found = shared_files("../shared/etl/derived-*.etl");
    assert_int_equal(found.gl_pathc, sizeof rows / sizeof *rows);
    globfree(&found);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct output o = run(&rows[i].file, 1, true);
        assert_int_equal(o.status, rows[i].status);
        assert_int_equal(figure(o.text, "\"events\":"), rows[i].events);
        assert_int_equal(figure(o.text, "\"skipped_bytes\":"), rows[i].skipped);
        if (!strstr(o.errors, rows[i].sentence) || !strstr(o.errors, rows[i].also))
            fail_msg("%s: another sentence: %s", rows[i].file, o.errors);
        output_free(&o);
    }
}

static void several_files_add_up(void **state)
{
    (void)state;
    static const char *const files[] = {"../shared/etl/tx-HTTP_Server.etl",
                                        "../shared/etl/airbus-AMSITrace.etl"};
    glob_t found = shared_files("../shared/etl/tx-HTTP_Server.etl");
    globfree(&found);
    struct output o = run(files, 2, true);
    assert_int_equal(o.status, 0);
    assert_int_equal(figure(o.text, "\"events\":"), 2042 + 21);
    assert_int_equal(figure(o.text, "\"events_lost\":"), 3);
    assert_non_null(strstr(o.text, "\"file\":\"../shared/etl/airbus-AMSITrace.etl\""));
    output_free(&o);
}

static void what_is_no_trace_is_an_error(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"/nonexistent/x.etl", "/nonexistent/x.etl"},
        {"tests", "found a directory"},
        {"/dev/null", "expected a regular file"},
        {"Makefile", "not an .etl file"},
        {"/nonexistent/\033[31m\xe2\x80\xae.etl", "\\u001b[31m\\u202e.etl"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct output o = run(&rows[i][0], 1, false);
        assert_int_equal(o.status, 1);
        assert_string_equal(o.text, "");
        if (!strstr(o.errors, rows[i][1]) || strchr(o.errors, '\033'))
            fail_msg("%s: another sentence: %s", rows[i][0], o.errors);
        output_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_real_trace),
        cmocka_unit_test(damaged_traces),
        cmocka_unit_test(several_files_add_up),
        cmocka_unit_test(what_is_no_trace_is_an_error),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
