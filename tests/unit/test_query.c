/* The text of a query: what is understood, its canonical form, and what is said of the rest. */
#include "tests/test.h"

#include "src/query/query.h"

#include <stdio.h>
#include <string.h>

static struct query parsed(const char *text)
{
    struct query q;
    struct err err = {""};
    if (!query_parse(&q, text, &err))
        fail_msg("\"%s\": %s", text, err.text);
    return q;
}

static void prints(const char *text, const char *canonical)
{
    char out[QUERY_TEXT], again[QUERY_TEXT];
    const struct query q = parsed(text);
    query_print(&q, out);
    assert_string_equal(out, canonical);
    const struct query q2 = parsed(out);
    query_print(&q2, again);
    assert_string_equal(again, canonical);
    assert_memory_equal(&q, &q2, sizeof q);
}

static void refuses(const char *text, const char *part)
{
    struct query q;
    struct err err = {""};
    if (query_parse(&q, text, &err))
        fail_msg("\"%s\" was understood", text);
    if (!strstr(err.text, part))
        fail_msg("\"%s\": expected \"%s\" in \"%s\"", text, part, err.text);
}

static void a_whole_query(void **state)
{
    (void)state;
    const struct query q =
        parsed("by proc, path | count, sum size, p99 lat where op=read sort p99 top 50");
    assert_int_equal(q.key_count, 2);
    assert_string_equal(q.keys[0], "proc");
    assert_string_equal(q.keys[1], "path");
    assert_int_equal(q.aggregate_count, 3);
    assert_string_equal(q.aggregates[0].name, "count");
    assert_string_equal(q.aggregates[0].field, "");
    assert_string_equal(q.aggregates[1].name, "sum");
    assert_string_equal(q.aggregates[1].field, "size");
    assert_string_equal(q.aggregates[2].name, "p99");
    assert_string_equal(q.where, "op=read");
    assert_string_equal(q.sort, "p99");
    assert_false(q.has_order);
    assert_int_equal(q.top, 50);
}

static void forms_of_one_query(void **state)
{
    (void)state;
    prints("by proc", "by proc | count");
    prints("  by\tproc\n,  path|sum   size ", "by proc, path | sum size");
    prints("by proc top 5", "by proc | count top 5");
    prints("by proc where lat>=1ms", "by proc | count where lat>=1ms");
    prints("by proc | count sort count asc top 0x10", "by proc | count sort count asc top 16");
    prints("by dir(path,  2), pid | lquantize(0, 100,10) lat",
           "by dir(path, 2), pid | lquantize(0, 100,10) lat");
    prints("by Kernel-Network.TcpIp.daddr | sum Kernel-Network.size sort sum Kernel-Network.size",
           "by Kernel-Network.TcpIp.daddr | sum Kernel-Network.size sort sum Kernel-Network.size");
}

/* The filter is whatever stands between `where` and the clauses at the very end. */
static void filters(void **state)
{
    (void)state;
    prints("by proc | count where proc=top lat>=1ms", "by proc | count where proc=top lat>=1ms");
    prints("by proc | count where \"top\" 5 x top 7", "by proc | count where \"top\" 5 x top 7");
    assert_string_equal(parsed("by proc | count where \"top\" 5 x top 7").where, "\"top\" 5 x");
    assert_string_equal(parsed("by proc | count where \"sort p99\" sort count").where,
                        "\"sort p99\"");
    assert_string_equal(parsed("by proc | count where path~'a  b' top 3").where, "path~'a  b'");
    assert_string_equal(parsed("by proc | count where (a   where b)").where, "(a where b)");
    assert_string_equal(parsed("by proc where a|b").where, "a|b");
    assert_int_equal(parsed("by proc where a|b").aggregate_count, 1);
}

static void what_is_no_query(void **state)
{
    (void)state;
    assert_true(query_is_one("by proc"));
    assert_true(query_is_one("  by\tproc"));
    assert_false(query_is_one("bypass"));
    assert_false(query_is_one("by"));
    assert_false(query_is_one("proc=by"));
    refuses("proc", "expected \"by\" and a key");
    refuses("by ", "expected a key");
    refuses("by | count", "expected a key");
    refuses("by a, | count", "after the last comma");
    refuses("by a,,b", "before the comma");
    refuses("by a b", "a comma or a bar between \"a\"");
    refuses("by a, b, c, d, e", "at most 4 keys");
    refuses("by a | ", "expected an aggregate");
    refuses("by a | count,", "after the last comma");
    refuses("by \"a \\\"", "a bracket that is not closed");
    refuses("by a | count,where b=1", "found \"where\", which has no comma before it");
    refuses("by a,sort", "found \"sort\", which has no comma before it");
    refuses("by \"a b | count", "not closed");
    refuses("by dir(path | count", "not closed");
    refuses("by path) | count", "not closed");
    refuses("by a | sum size lat", "an aggregate and a field");
    refuses("by a | count top", "a number of rows after \"top\"");
    refuses("by a | count top 0", "from 1");
    refuses("by a | count top many", "found \"many\"");
    refuses("by a | count sort", "after \"sort\"");
    refuses("by a | count sort desc", "after \"sort\"");
    refuses("by a | count where", "a filter after");
    refuses("by a | count top 5 where x", "in this order");
    refuses("by a | count sort a sort b", "in this order");
    refuses("by a | count where op=read top 5 op=write", "found \"top\" in the filter");
    refuses("by a | count where op=read sort count desc x y", "found \"sort\" in the filter");
    struct query q;
    struct err err;
    assert_false(query_parse(&q, "by a | ", &err));
    assert_string_equal(err.text, "expected an aggregate, such as count");
}

static void bounds(void **state)
{
    (void)state;
    char text[70000] = "by ";
    memset(text + 3, 'x', sizeof text - 4);
    refuses(text, "a key has at most 127 bytes");
    snprintf(text, 20, "by a | count where ");
    memset(text + 19, 'x', 60000);
    text[60019] = '\0';
    refuses(text, "a filter has at most 511 bytes");
    snprintf(text, sizeof text, "by a | ");
    for (unsigned i = 0; i < 17; i++)
        strcat(text, i ? ",count" : "count");
    refuses(text, "at most 16 aggregates");
    snprintf(text, 5, "by (");
    memset(text + 4, '(', 60000);
    refuses(text, "a key has at most");
}

static void what_is_unfinished(void **state)
{
    static const struct {
        const char *text, *word, *before;
        enum query_part part;
    } rows[] = {
        {"by ", "", "", QUERY_KEY},
        {"by pr", "pr", "", QUERY_KEY},
        {"by proc ", "", "proc", QUERY_BEHIND_KEY},
        {"by proc,pa", "pa", "", QUERY_KEY},
        {"by dir(path, 2", "dir(path, 2", "", QUERY_KEY},
        {"by proc|c", "c", "", QUERY_AGGREGATE},
        {"by proc | sum ", "", "sum", QUERY_FIELD},
        {"by proc | count, p99 la", "la", "p99", QUERY_FIELD},
        {"by proc | p99 lat wh", "wh", "lat", QUERY_BEHIND_FIELD},
        {"by proc | p99 lat where op=re", "op=re", "", QUERY_WHERE},
        {"by proc where a | b, c", "c", "b,", QUERY_WHERE},
        {"by proc where name=\"sort x", "name=\"sort x", "", QUERY_WHERE},
        {"by proc | count sort ", "", "", QUERY_SORT},
        {"by proc | count where x=1 sort p99 a", "a", "p99", QUERY_BEHIND_SORT},
        {"by proc | count top 5", "5", "", QUERY_TOP},
    };
    struct query_end end;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(query_unfinished(rows[i].text, &end));
        if (end.part != rows[i].part)
            fail_msg("\"%s\": part %d", rows[i].text, end.part);
        assert_string_equal(rows[i].text + end.at, rows[i].word);
        assert_string_equal(end.before, rows[i].before);
    }
    assert_false(query_unfinished("bypass", &end));
    assert_false(query_unfinished("", &end));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_query), cmocka_unit_test(forms_of_one_query),
        cmocka_unit_test(filters),       cmocka_unit_test(what_is_no_query),
        cmocka_unit_test(bounds),        cmocka_unit_test(what_is_unfinished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
