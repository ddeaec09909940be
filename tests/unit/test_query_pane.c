/* Queries as panes: what they count is what a view of the same keys and aggregates counts; what
 * there is not is said before anything is counted. */
#include "tests/test.h"

#include "src/model/model.h"
#include "src/pane/query_pane.h"
#include "src/table/getters.h"
#include "src/table/table.h"

#include <stdio.h>
#include <string.h>

static struct query_pane *bound(const char *text)
{
    struct query q;
    struct err err = {""};
    if (!query_parse(&q, text, &err))
        fail_msg("%s", err.text);
    struct query_pane *const p = query_pane_new(&q, &err);
    if (!p)
        fail_msg("\"%s\": %s", text, err.text);
    return p;
}

static void refuses(const char *text, const char *part)
{
    struct query q;
    struct err err = {""};
    if (!query_parse(&q, text, &err))
        fail_msg("%s", err.text);
    struct query_pane *const p = query_pane_new(&q, &err);
    if (p || !strstr(err.text, part))
        fail_msg("\"%s\": expected \"%s\" in \"%s\"", text, part, err.text);
}

static void what_there_is_not_is_told(void **state)
{
    (void)state;
    refuses("by prc", "there is no key \"prc\"; did you mean proc?");
    refuses("by zzzzzzzzz", "there are cpu");
    refuses("by cmd", "rows cannot be made of cmd; they can of cpu");
    refuses("by proc | p98 lat", "there is no aggregate \"p98\"; did you mean p90?");
    refuses("by proc | mode", "there are sum, rate");
    refuses("by proc | sum", "expected a field behind sum, such as \"sum lat\"");
    refuses("by proc | distinct", "such as \"distinct path\"");
    refuses("by proc | p99 size", "there is no p99 of size");
    refuses("by proc | sum path", "there is no sum of path");
    refuses("by proc | sum colour", "there is no field \"colour\"");
    refuses("by proc | count sort lat", "there is no column \"lat\"; there are proc, count");
    refuses("by proc, proc", "the key proc is there twice");
    refuses("by proc | count, count", "count  is there twice");
    refuses("by path, raddr", "no event has raddr and the keys before it");
    refuses("by pid, path, cpu, disk", "at most 3 keys");
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
        {"by pid, cpu | count sort cpu desc", "cpu", false},
        {"by .Depth | count, max .Size sort max", "max_size", false},
        {"by Kernel-Network.daddr | count sort Kernel-Network.daddr", "kernel_network_daddr", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_ascending;
        struct query_pane *const q = bound(rows[i].text);
        const unsigned at = query_pane_sort(q, &is_ascending);
        assert_string_equal(query_pane_of(q)->columns[at].id, rows[i].column);
        assert_int_equal(is_ascending, rows[i].is_ascending);
        assert_string_equal(query_pane_of(q)->sort, rows[i].column);
        query_pane_free(q);
    }
    struct query_pane *const q = bound("by cpu top 7");
    assert_int_equal(query_pane_top(q), 7);
    assert_string_equal(query_pane_of(q)->title, "by cpu | count top 7");
    query_pane_free(q);
}

static struct value cell(const struct table *t, unsigned row, struct row_context *x, const char *id)
{
    const struct column *const c = pane_column(t->pane, id);
    assert_non_null(c);
    return c->get(c, t->rows[row], x);
}

/* Only classes that tell all keys are counted: events of disks and files here, no switches. */
static void facts_are_counted(void **state)
{
    struct table t;
    struct model m;
    struct query_pane *const q = bound("by disk, cpu | count, sum size, max lat, distinct tid");
    (void)state;
    model_init(&m);
    table_init(&t, query_pane_of(q));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_there_is_not_is_told),
        cmocka_unit_test(order),
        cmocka_unit_test(facts_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
