/* Queries as panes: what they count is what a view of the same keys and aggregates counts; what
 * there is not is said before anything is counted. */
#include "tests/bound.h"

#include "src/frame/frame.h"
#include "src/model/model.h"
#include "src/engine/watch.h"
#include "src/pane/query_pane.h"
#include "src/table/getters.h"
#include "src/table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refuses(const char *text, const char *part)
{
    struct query q;
    struct err err = {""};
    if (!query_parse(&q, text, &err))
        fail_msg("%s", err.text);
    const struct pane *const p = query_pane_new(&q, &err);
    if (p || !strstr(err.text, part))
        fail_msg("\"%s\": expected \"%s\" in \"%s\"", text, part, err.text);
}

/* How many of its measures charts show. */
static unsigned latencies_of(const char *text)
{
    struct err err = {""};
    struct query q;
    if (!query_parse(&q, text, &err))
        fail_msg("%s", err.text);
    const struct pane *const p = query_pane_new(&q, &err);
    if (!p)
        fail_msg("%s", err.text);
    unsigned count = 0;
    for (size_t i = 0; i < p->measure_count; i++)
        count += measure_is_of_latencies(&p->measures[i]);
    query_pane_free(p);
    return count;
}

static void has_columns(const char *text, const char *ids, const char *sort)
{
    char found[512] = "";
    const struct pane *const p = bound(text);
    for (size_t i = 0; i < p->column_count && strcmp(p->columns[i].id, "share") != 0; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i ? " " : "",
                 p->columns[i].id);
    if (strncmp(found, ids, strlen(ids)) != 0)
        fail_msg("\"%s\": columns are %s", text, found);
    assert_string_equal(p->sort, sort);
    query_pane_free(p);
}

/* Ids of long names are cut; the columns are others all the same. */
static void long_names_have_columns_of_their_own(void **state)
{
    (void)state;
    has_columns(
        "by Microsoft-Windows-DotNETRuntime.GC.Count, Microsoft-Windows-DotNETRuntime.GC.Type "
        "| count",
        "microsoft_windows_dotne microsoft_windows_dot_2 count", "count");
    has_columns("by event | sum Thread.Start.TThreadId, sum Thread.Start.TThreadIdd sort sum "
                "Thread.Start.TThreadIdd",
                "event sum_thread_start_tthrea sum_thread_start_tthr_2", "sum_thread_start_tthr_2");
    has_columns("by proc | p50 lat, p50 size, p99 lat sort p99 lat",
                "proc p50_lat p50_size p99_lat", "p99_lat");
    refuses("by TypeName, .TypeName", "the key .TypeName is there twice");
    refuses("by process, proc", "the key proc is there twice");
}

static void charts_take_latencies_alone(void **state)
{
    (void)state;
    assert_int_equal(latencies_of("by op | p99 lat, p50 lat"), 1);
    assert_int_equal(latencies_of("by op | quantize lat, p99 size"), 1);
    assert_int_equal(latencies_of("by op | p99 size"), 0);
    assert_int_equal(latencies_of("by op | quantize size"), 0);
    assert_int_equal(latencies_of("by op | lquantize(0,100ms,10ms) lat"), 0);
    assert_int_equal(latencies_of("by op | lquantize(0,70000,10000) size"), 0);
    assert_int_equal(latencies_of("by op | p99 DiskIo.Read.TransferSize"), 0);
}

static void unknown_names_are_reported(void **state)
{
    (void)state;
    refuses("by prc", "there is no key \"prc\"; did you mean proc?");
    refuses("by zzzzzzzzz", "there are cpu");
    refuses("by ppid", "rows cannot be made of ppid; they can of cpu");
    refuses("by events", "rows cannot be made of events; they can of cpu");
    refuses("by dri(path)", "there is no key \"dri(path)\"");
    refuses("by dir(proc)", "functions are dir(path,N), dir(key,N), net(raddr,BITS)");
    refuses("by dir(path,65)", "found dir(path,65); N is a number from 1 to 64");
    refuses("by dir(path,0)", "expected dir(path,N) or without a number, found dir(path,0)");
    refuses("by dir(path,1,2)", "expected dir(path,N)");
    refuses("by frame(1000)", "expected frame(N), found frame(1000); N is a number from 0 to");
    refuses("by net(raddr)", "expected net(raddr,BITS)");
    refuses("by net(raddr,129)", "found net(raddr,129); BITS is a number from 0 to 128");
    refuses("by bucket(size,3)", "expected bucket(size), found bucket(size,3)");
    refuses("by time(1us)", "a step has from 1 ms to 73 years");
    refuses("by time(100000000h)", "a step has from 1 ms to 73 years");
    refuses("by time()", "there is no key \"time()\"");
    refuses("by frame(x)", "expected frame(N)");
    refuses("by dir(path,2), dir(path, 2)", "is there twice");
    refuses("by proc | most dir(path)", "no most of it; make it one: by dir(path)");
    refuses("by proc | distinct user", "there is no distinct of it");
    refuses("by proc | sdtdev lat", "there is no aggregate \"sdtdev\"; did you mean stddev?");
    refuses("by proc | p100 lat", "there is no aggregate \"p100\"");
    refuses("by proc | p00 lat", "there is no aggregate \"p00\"");
    refuses("by proc | p1 lat", "percentiles are p01 to p99, and p999 (99.9 %)");
    refuses("by proc | p099 size", "there is no aggregate \"p099\"");
    refuses("by proc | p12345 lat", "there is no aggregate \"p12345\"");
    refuses("by proc | lquantize lat", "expected numbers as in lquantize(0, 100ms, 5ms)");
    refuses("by proc | lquantize(0,10) lat", "found lquantize(0,10)");
    refuses("by proc | lquantize(0,10,x) lat", "found lquantize(0,10,x)");
    refuses("by proc | lquantize(0,10,0) lat", "with 1 to 400 bins");
    refuses("by proc | lquantize(10,0,1) lat", "with 1 to 400 bins");
    refuses("by proc | lquantize(0,401,1) lat", "with 1 to 400 bins");
    refuses("by proc | quantize path", "there is no quantize of path");
    refuses("by proc | stddev", "such as \"stddev lat\"");
    refuses("by proc | mode", "there are sum, rate");
    refuses("by proc | sum", "expected a field after sum, such as \"sum lat\"");
    refuses("by proc | distinct", "such as \"distinct path\"");
    refuses("by proc | max run", "there is no max of run");
    refuses("by proc | sum sizee", "there is no field \"sizee\"; did you mean size?");
    refuses("by proc | sum path", "there is no sum of path");
    refuses("by proc | sum tint", "there is no field \"tint\"");
    refuses("by proc | count sort lat", "there is no column \"lat\"; there are proc, count");
    refuses("by proc, proc", "the key proc is there twice");
    refuses("by proc | count, count", "count is there twice");
    refuses("by path, raddr", "no event has raddr and the keys before it");
    refuses("by proc | count where nosuch=3", "there is no field 'nosuch'");
}

static void order(void **state)
{
    static const struct {
        const char *text;
        const char *column;
        bool is_ascending;
    } rows[] = {
        {"by pid, cpu | count, sum size", "count", false},
        {"by pid, cpu | count, sum size sort sum", "sum_size", false},
        {"by pid, cpu | count, sum size sort sum size asc", "sum_size", true},
        {"by pid, cpu | count, sum size sort sum_size", "sum_size", false},
        {"by pid, cpu | count sort cpu", "cpu", true},
        {"by time(1s), cpu | count", "time_1s", true},
        {"by cpu, time(1s) | count", "count", false},
        {"by cpu, time(1s) | count sort time desc", "time_1s", false},
        {"by pid, cpu | count sort cpu desc", "cpu", false},
        {"by dir(path, 2), cpu | count sort dir(path,2)", "dir_path_2", true},
        {"by .Depth | count, max .Size sort max", "max_size", false},
        {"by Kernel-Network.daddr | count sort Kernel-Network.daddr", "kernel_network_daddr", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pane *const q = bound(rows[i].text);
        const struct request r = request_for(q);
        assert_string_equal(q->columns[r.sort].id, rows[i].column);
        assert_int_equal(r.ascending, rows[i].is_ascending);
        assert_string_equal(q->sort, rows[i].column);
        query_pane_free(q);
    }
    const struct pane *const q = bound("by cpu top 7");
    assert_int_equal(q->top, 7);
    assert_string_equal(q->title, "by cpu | count top 7");
    query_pane_free(q);
}

static struct value cell(const struct table *t, unsigned row, struct row_context *x, const char *id)
{
    const struct column *const c = pane_column(t->pane, id);
    assert_non_null(c);
    return c->get(c, t->rows[row], x);
}

/* Only classes that have all keys are counted: events of disks and files here, no switches. */
static void facts_are_counted(void **state)
{
    struct table t;
    struct model m;
    const struct pane *const q = bound("by disk, cpu | count, sum size, max lat, distinct tid");
    (void)state;
    model_init(&m);
    table_init(&t, q);
    for (unsigned i = 1; i <= 300; i++) {
        const struct fact f = {.time = i,
                               .class = i % 3 ? FACT_DISK : FACT_SWITCH,
                               .op = i % 3 ? OP_READ : OP_OTHER,
                               .place = 3,
                               .cpu = 1,
                               .thread = i % 5 + 1,
                               .value = i,
                               .latency = i * 10,
                               .flags = FACT_HAS_LATENCY};
        if (table_counts(&t, &f))
            table_feed(&t, &f, 0);
    }
    struct row_context x = {.table = &t, .model = &m, .span = SPAN_TOTAL, .seconds = 1};
    assert_int_equal(t.row_count, 1);
    uint64_t sum = 0;
    for (unsigned i = 1; i <= 300; i++)
        sum += i % 3 ? i : 0;
    assert_int_equal(cell(&t, 0, &x, "disk").count, 3);
    assert_int_equal(cell(&t, 0, &x, "cpu").count, 1);
    assert_int_equal(cell(&t, 0, &x, "count").count, 200);
    assert_int_equal(cell(&t, 0, &x, "sum_size").count, sum);
    assert_int_equal(cell(&t, 0, &x, "max_lat").ns, 2990);
    assert_int_equal(cell(&t, 0, &x, "distinct_tid").count, 5);
    table_fini(&t);
    model_fini(&m);
    query_pane_free(q);
}

/* The status and the latency of a file operation come with its end, which counts then. */
static void what_ends_alone_know_is_counted_by_them(void **state)
{
    static const char *const queries[] = {"by status | count", "by bucket(lat) | count",
                                          "by op | count, most status"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct table t;
        const struct pane *const q = bound(queries[i]);
        table_init(&t, q);
        const struct fact begin = {.time = 1, .class = FACT_FILE, .op = OP_OPEN},
                          end = {.time = 2,
                                 .class = FACT_FILE,
                                 .op = OP_END,
                                 .status = 0xC0000034,
                                 .latency = 5000,
                                 .flags = FACT_HAS_LATENCY};
        assert_false(table_counts(&t, &begin));
        assert_true(table_counts(&t, &end));
        table_fini(&t);
        query_pane_free(q);
    }
    const struct pane *const q = bound("by proc | count");
    struct table t;
    table_init(&t, q);
    assert_true(table_counts(&t, &(struct fact){.class = FACT_FILE, .op = OP_OPEN}));
    assert_false(table_counts(&t, &(struct fact){.class = FACT_FILE, .op = OP_END}));
    table_fini(&t);
    query_pane_free(q);
}

/* Each aggregate of sizes 0, 1000, … 99000 and latencies 1 ms … 100 ms, the first last in time. */
static void each_aggregate_is_computed(void **state)
{
    struct table t;
    struct model m;
    const struct pane *const q = bound(
        "by disk | stddev size, stddev lat, first size, last size, first lat, last lat, first cpu, "
        "last cpu, min size, max size, p05 lat, p999 lat, p50 size, quantize size, "
        "lquantize(10ms, 40ms, 10ms) lat");
    (void)state;
    model_init(&m);
    table_init(&t, q);
    for (unsigned i = 0; i < 100; i++) {
        const struct fact f = {.time = 1000 - (int64_t)i,
                               .class = FACT_DISK,
                               .op = OP_READ,
                               .place = 3,
                               .cpu = (uint16_t)i,
                               .value = i * 1000u,
                               .latency = (i + 1) * 1000000u,
                               .flags = FACT_HAS_LATENCY};
        table_feed(&t, &f, 0);
    }
    struct value_texts texts = {0};
    struct row_context x = {
        .table = &t, .model = &m, .texts = &texts, .span = SPAN_TOTAL, .seconds = 1};
    assert_int_equal(cell(&t, 0, &x, "stddev_size").count, 28866); /* of 0 … 99: 28.8661 */
    assert_int_equal(cell(&t, 0, &x, "stddev_lat").ns, 28866070);
    assert_int_equal(cell(&t, 0, &x, "first_size").count, 99000);
    assert_int_equal(cell(&t, 0, &x, "last_size").count, 0);
    assert_int_equal(cell(&t, 0, &x, "first_lat").ns, 100000000);
    assert_int_equal(cell(&t, 0, &x, "last_lat").ns, 1000000);
    assert_int_equal(cell(&t, 0, &x, "first_cpu").count, 99);
    assert_int_equal(cell(&t, 0, &x, "last_cpu").count, 0);
    assert_int_equal(cell(&t, 0, &x, "min_size").count, 0);
    assert_int_equal(cell(&t, 0, &x, "max_size").count, 99000);
    assert_in_range(cell(&t, 0, &x, "p05_lat").ns, 5000000, 5000000 + 5000000 / 16);
    assert_in_range(cell(&t, 0, &x, "p999_lat").ns, 99900000, 100000000);
    assert_in_range(cell(&t, 0, &x, "p50_size").count, 49000, 49000 + 49000 / 16);
    static const char *const expected[][2] = {
        {"quantize_size",
         "0:1 1:0 2:0 4:0 8:0 16:0 32:0 64:0 128:0 256:0 512:1 1024:1 2048:2 4096:4 8192:8 "
         "16384:16 32768:33 65536:34"},
        {"lquantize_lat", "<10000000:9 10000000:10 20000000:10 30000000:10 >=40000000:61"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct value v = cell(&t, 0, &x, expected[i][0]);
        assert_int_equal(v.type, VALUE_BINS);
        assert_int_equal(v.text.bytes, strlen(expected[i][1]));
        assert_memory_equal(texts.bytes + v.text.offset, expected[i][1], v.text.bytes);
    }
    free(texts.bytes);
    table_fini(&t);
    model_fini(&m);
    query_pane_free(q);
}

/* Numbers of payloads have signs. */
static void numbers_below_zero_are_counted(void **state)
{
    struct table t;
    struct model m;
    const struct pane *const q = bound("by cpu | quantize .N, p25 .N, p50 .N, p75 .N, stddev .N, "
                                       "lquantize(-4, 4, 2) .N, min .N");
    static const int64_t numbers[] = {-100, -9, -1, 0, 1 /* less a half */, 5, 6, 1000};
    static const char bins[] = "-64:1 -32:0 -16:0 -8:1 -4:0 -2:0 -1:1 0:2 1:0 2:0 4:2 8:0 16:0 "
                               "32:0 64:0 128:0 256:0 512:1";
    static const char linear[] = "<-4:2 -4:0 -2:1 0:2 2:0 >=4:3";
    (void)state;
    model_init(&m);
    table_init(&t, q);
    for (unsigned i = 0; i < 8; i++) {
        const struct fact f = {.time = i + 1, .class = FACT_OTHER, .cpu = 1};
        struct fact_values values = {.has = 1, .has_number = 1};
        assert_true(fixed_of_real((double)numbers[i] - (i == 4 ? 0.5 : 0), &values.numbers[0]));
        table_feed_values(&t, &f, 0, &values);
    }
    struct value_texts texts = {0};
    struct row_context x = {
        .table = &t, .model = &m, .texts = &texts, .span = SPAN_TOTAL, .seconds = 1};
    struct value v = cell(&t, 0, &x, "quantize_n");
    assert_int_equal(v.text.bytes, strlen(bins));
    assert_memory_equal(texts.bytes + v.text.offset, bins, v.text.bytes);
    v = cell(&t, 0, &x, "lquantize_n");
    assert_int_equal(v.text.bytes, strlen(linear));
    assert_memory_equal(texts.bytes + v.text.offset, linear, v.text.bytes);
    assert_int_equal(cell(&t, 0, &x, "p25_n").ns, -9);
    assert_int_equal(cell(&t, 0, &x, "p50_n").ns, 0);
    assert_int_equal(cell(&t, 0, &x, "p75_n").ns, 5);
    assert_int_equal(cell(&t, 0, &x, "min_n").ns, -100);
    const double deviation = cell(&t, 0, &x, "stddev_n").number; /* by hand: 337.00 */
    assert_true(deviation > 336.995 && deviation < 337.005);
    free(texts.bytes);
    table_fini(&t);
    model_fini(&m);
    query_pane_free(q);
}

/* Each word that completion offers makes a query. */
static void words_go_on(void **state)
{
    static const struct {
        const char *begun;
        unsigned least;
    } rows[] = {
        {"by ", 10},
        {"by proc ", 4},
        {"by proc | ", 10},
        {"by proc | p99 ", 5},
        {"by proc | distinct ", 10},
        {"by proc | count sort proc ", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct query_end end;
        const char *word;
        unsigned count = 0;
        assert_true(query_unfinished(rows[i].begun, &end));
        for (; (word = query_pane_word(&end, count)); count++) {
            char text[256];
            const bool is_form = strchr(word, '('); /* of a function: dir(path,N) */
            if (is_form || (end.part != QUERY_KEY && end.part != QUERY_FIELD))
                continue;
            snprintf(text, sizeof text, "%s%s", rows[i].begun, word);
            if (strcmp(word, "where") && strcmp(word, "sort") && strcmp(word, "top"))
                query_pane_free(bound(text));
        }
        assert_true(count >= rows[i].least);
    }
}

/* Typed live, a query starts what it can count, and one about everything nothing. */
static void only_what_can_match(void **state)
{
    (void)state;
    const struct pane *p = bound("by proc, path | count where op=write");
    assert_true(p->classes >> FACT_FILE & 1);
    assert_true(p->classes >> FACT_DISK & 1);
    assert_false(p->classes >> FACT_SYSCALL & 1);
    assert_false(p->classes >> FACT_REGISTRY & 1);
    assert_int_equal(p->watched, 0);
    query_pane_free(p);
    p = bound("by proc | count");
    assert_int_equal(p->watched, 1u << FACT_PROCESS);
    query_pane_free(p);
    p = bound("by frame(0) | count where class=sample");
    assert_int_equal(watch_of_pane(p).classes, 1u << FACT_SAMPLE);
    assert_int_equal(watch_of_pane(p).stacks, 1u << FACT_SAMPLE);
    query_pane_free(p);
    p = bound("by module(stack) | count");
    assert_int_equal(watch_of_pane(p).classes, 1u << FACT_PROCESS | 1u << FACT_SAMPLE);
    assert_int_equal(watch_of_pane(p).stacks, 1u << FACT_SAMPLE | 1u << FACT_DISK);
    query_pane_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_go_on),
        cmocka_unit_test(only_what_can_match),
        cmocka_unit_test(unknown_names_are_reported),
        cmocka_unit_test(long_names_have_columns_of_their_own),
        cmocka_unit_test(charts_take_latencies_alone),
        cmocka_unit_test(order),
        cmocka_unit_test(facts_are_counted),
        cmocka_unit_test(what_ends_alone_know_is_counted_by_them),
        cmocka_unit_test(each_aggregate_is_computed),
        cmocka_unit_test(numbers_below_zero_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
