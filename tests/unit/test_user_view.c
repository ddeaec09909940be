/* Views from files: every aggregate against a count by hand, and what is wrong is said. */
#include "tests/test.h"

#include "src/frame/maker.h"
#include "src/model/model.h"
#include "src/pane/panes.h"
#include "src/pane/user_view.h"
#include "src/table/dictionary.h"
#include "src/table/getters.h"
#include "ui/config/config.h"
#include "ui/main/user_views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define S 1000000000LL

static const char every_aggregate[] =
    "[view]\nname = All of it\nsource = disk\n"
    "[column disk]\nfield = disk\n"
    "[column n]\nagg = count\n[column r]\nagg = rate\nsort = yes\n"
    "[column bytes]\nfield = size\nagg = sum\n[column speed]\nfield = size\nagg = rate\n"
    "[column mean]\nfield = size\nagg = avg\n[column small]\nfield = size\nagg = min\n"
    "[column large]\nfield = size\nagg = max\n[column t]\nfield = lat\nagg = sum\n"
    "[column t_avg]\nfield = lat\nagg = avg\n[column t_min]\nfield = lat\nagg = min\n"
    "[column t_max]\nfield = lat\nagg = max\n[column t_p50]\nfield = lat\nagg = p50\n"
    "[column t_p90]\nfield = lat\nagg = p90\n[column t_p99]\nfield = lat\nagg = p99\n";

static const char of_ids[] = "[view]\nsource = disk\n"
                             "[column disk]\nfield = disk\n[column n]\nagg = count\n"
                             "[column cpus]\nfield = cpu\nagg = distinct\n"
                             "[column last_cpu]\nfield = cpu\nagg = last\n"
                             "[column most_cpu]\nfield = cpu\nagg = most\n";

static const struct pane *declare(const char *text, const char *file)
{
    struct err err = {""};
    if (!user_views_parse(text, strlen(text), file, &err))
        fail_msg("%s", err.text);
    unsigned i = 0;
    while (panes[i + 1])
        i++;
    return panes[i];
}

/* Operations of disk 3: sizes 1000, 2000 … and times 1 ms, 2 ms …; what counts nothing is between.
 */
static void feed(struct table *t, unsigned count)
{
    for (unsigned i = 1; i <= count; i++) {
        struct fact f = {.time = (int64_t)i * S / 100,
                         .class = FACT_DISK,
                         .op = OP_READ,
                         .place = 3,
                         .cpu = (uint16_t)(i % 7),
                         .value = i * 1000u,
                         .latency = i * 1000000u,
                         .flags = FACT_HAS_LATENCY};
        table_feed(t, &f, 0);
        f.op = OP_START; /* its value is a number of a fact */
        f.flags = 0;
        f.cpu = 60;
        table_feed(t, &f, 0);
    }
}

static struct value cell(const struct table *t, struct row_context *x, const char *id)
{
    const struct column *const c = pane_column(t->pane, id);
    assert_non_null(c);
    assert_int_equal(t->row_count, 1);
    const struct value v = c->get(c, t->rows[0], x);
    assert_int_equal(v.type,
                     c->type == VALUE_REAL && v.type == VALUE_COUNT ? VALUE_COUNT : c->type);
    return v;
}

static void amounts_are_counted(void **state)
{
    struct table t;
    struct model m;
    (void)state;
    model_init(&m);
    table_init(&t, declare(every_aggregate, "every_aggregate.view"));
    feed(&t, 60);
    table_step(&t, 1, INT64_MIN);
    feed(&t, 40); /* in another interval: 1 … 40 again */
    struct row_context x = {.table = &t, .model = &m, .span = SPAN_TOTAL, .seconds = 2, .cpus = 8};
    const uint64_t thousands = 60 * 61 / 2 + 40 * 41 / 2;
    assert_int_equal(cell(&t, &x, "disk").count, 3);
    assert_int_equal(cell(&t, &x, "n").count, 100);
    assert_true(cell(&t, &x, "r").number == 50);
    assert_int_equal(cell(&t, &x, "bytes").count, thousands * 1000);
    assert_true(cell(&t, &x, "speed").number == (double)thousands * 500);
    assert_int_equal(cell(&t, &x, "mean").count, thousands * 10);
    assert_int_equal(cell(&t, &x, "small").count, 1000);
    assert_int_equal(cell(&t, &x, "large").count, 60000);
    assert_int_equal(cell(&t, &x, "t").ns, (int64_t)thousands * 1000000);
    assert_int_equal(cell(&t, &x, "t_avg").ns, (int64_t)thousands * 10000);
    assert_int_equal(cell(&t, &x, "t_min").ns, 1000000);
    assert_int_equal(cell(&t, &x, "t_max").ns, 60000000);
    /* Of 1 … 60 and 1 … 40: 25, 50 and 59; a step of the histogram is an eighth. */
    const struct {
        const char *id;
        double ms;
    } parts[] = {{"t_p50", 25}, {"t_p90", 50}, {"t_p99", 59}};
    for (size_t i = 0; i < 3; i++) {
        const double ms = (double)cell(&t, &x, parts[i].id).ns / 1e6;
        assert_true(ms >= parts[i].ms && ms <= parts[i].ms * 1.13 + 0.1);
    }
    table_fini(&t);
    model_fini(&m);
}

static void ids_are_counted(void **state)
{
    struct table t;
    struct model m;
    (void)state;
    model_init(&m);
    table_init(&t, declare(of_ids, "of_ids.view"));
    feed(&t, 71); /* 1 … 7 ×10, and 1: cpu 1 eleven times */
    struct row_context x = {.table = &t, .model = &m, .span = SPAN_TOTAL, .seconds = 1};
    assert_int_equal(cell(&t, &x, "cpus").count, 7);
    assert_false(cell(&t, &x, "cpus").is_estimated);
    assert_int_equal(cell(&t, &x, "last_cpu").count, 1);
    assert_int_equal(cell(&t, &x, "most_cpu").count, 1);
    table_fini(&t);
    model_fini(&m);
}

/* Two thousand different ones are found to within some percent. */
static void many_are_distinguished(void **state)
{
    static const char text[] = "[view]\nsource = disk\n[column cpu]\nfield = cpu\n"
                               "[column files]\nfield = path\nagg = distinct\n";
    struct table t;
    (void)state;
    table_init(&t, declare(text, "many.view"));
    static const unsigned wanted[] = {1, 10, 100, 1000, 2000};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        table_clear(&t);
        for (unsigned i = 1; i <= wanted[k]; i++) {
            const struct fact f = {.class = FACT_DISK, .op = OP_READ, .entity = i, .time = i};
            table_feed(&t, &f, 0);
            table_feed(&t, &f, 0);
        }
        struct row_context x = {.table = &t, .span = SPAN_TOTAL, .seconds = 1};
        const double found = (double)cell(&t, &x, "files").count;
        if (found < wanted[k] * 0.85 || found > wanted[k] * 1.15)
            fail_msg("%g found of %u", found, wanted[k]);
    }
    table_fini(&t);
}

static const char of_payloads[] =
    "[view]\nsource = other\n"
    "[column kind]\nfield = .Kind\n[column n]\nagg = count\n"
    "[column sum]\nfield = Provider.Event.Depth\nagg = sum\n"
    "[column least]\nfield = Provider.Event.Depth\nagg = min\n"
    "[column most]\nfield = provider.event.depth\nagg = max\n"
    "[column mean]\nfield = Provider.Event.Depth\nagg = avg\n"
    "[column speed]\nfield = Provider.Event.Depth\nagg = rate\n"
    "[column half]\nfield = Provider.Event.Depth\nagg = p50\n"
    "[column with]\nfield = Provider.Event.Depth\nagg = count\n"
    "[column whose]\nfield = .Who\nagg = most\n[column whos]\nfield = .Who\nagg = distinct\n"
    "[column newest]\nfield = .Who\nagg = last\n";

static void expect_text(struct value v, const struct row_context *x, const char *text)
{
    assert_int_equal(v.type, VALUE_TEXT);
    assert_int_equal(v.text.bytes, strlen(text));
    assert_memory_equal(x->texts->bytes + v.text.offset, text, strlen(text));
}

/* Depths 1 … 100, each with one of seven names, three of them 5 more times; then -7, and an event
 * without depth and name. Rows and texts are the dictionary's. */
static void fields_of_payloads_are_counted(void **state)
{
    struct table t;
    struct model m;
    struct value_texts texts = {0};
    struct dictionary *const d = dictionary_new();
    (void)state;
    const struct pane *const p = declare(of_payloads, "of_payloads.view");
    assert_int_equal(p->field_count, 3);
    assert_string_equal(p->fields[0], ".Kind");
    assert_string_equal(p->fields[1], "Provider.Event.Depth");
    assert_int_equal(p->key_fields, 1);
    assert_int_equal(p->text_fields, 1 | 4);
    model_init(&m);
    table_init(&t, p);
    for (int64_t i = 1; i <= 102; i++) {
        const struct fact f = {.class = FACT_OTHER, .op = OP_OTHER, .time = i * S / 100};
        const unsigned who = i > 90 && i <= 100 ? 2 : (unsigned)i % 7;
        char name[8];
        snprintf(name, sizeof name, "who%u", who);
        struct fact_values values = {.has = i <= 100   ? 7
                                            : i == 101 ? 3
                                                       : 1,
                                     .has_number = i <= 101 ? 2 : 0};
        values.texts[0] = dictionary_number(d, "42", 2);
        values.texts[2] = dictionary_number(d, name, strlen(name));
        assert_true(fixed_of_real(i <= 100 ? (double)i : -7, &values.numbers[1]));
        table_feed_values(&t, &f, 0, &values);
    }
    struct row_context x = {.table = &t,
                            .model = &m,
                            .dictionary = d,
                            .texts = &texts,
                            .span = SPAN_TOTAL,
                            .seconds = 2};
    const struct column *const kind = pane_column(p, "kind");
    const struct value key = kind->get(kind, t.rows[0], &x);
    assert_int_equal(key.type, VALUE_ID);
    assert_int_equal(key.count, 42);
    assert_int_equal(cell(&t, &x, "n").count, 102);
    assert_int_equal(cell(&t, &x, "sum").count, 5050 - 7);
    const struct value least = cell(&t, &x, "least");
    assert_true(least.is_difference && (int64_t)least.count == -7);
    assert_int_equal(cell(&t, &x, "most").count, 100);
    assert_true(cell(&t, &x, "mean").number == 5043.0 / 101);
    assert_true(cell(&t, &x, "speed").number == 5043.0 / 2);
    const uint64_t half = cell(&t, &x, "half").count;
    assert_true(half >= 49 && half <= 58);
    assert_int_equal(cell(&t, &x, "with").count, 101);
    assert_int_equal(cell(&t, &x, "whos").count, 7);
    const struct column *const whose = pane_column(p, "whose"), *const newest =
                                                                    pane_column(p, "newest");
    expect_text(whose->get(whose, t.rows[0], &x), &x, "who2");
    expect_text(newest->get(newest, t.rows[0], &x), &x, "who2");
    dictionary_forget(d);
    expect_text(newest->get(newest, t.rows[0], &x), &x, "(forgotten)");
    free(texts.bytes);
    table_fini(&t);
    model_fini(&m);
    dictionary_free(d);
}

/* One row of real numbers; the sum of what doubles hold of them is exact. */
static void fractions_are_counted(void **state)
{
    (void)state;
    static const double numbers[] = {0.1, 0.2, -2.75, 9007199254740992, 1, 0.1, 3.14};
    struct table t;
    struct model m;
    const struct pane *const p = declare(of_payloads, "of_fractions.view");
    model_init(&m);
    table_init(&t, p);
    struct row_context x = {.table = &t, .model = &m, .span = SPAN_TOTAL, .seconds = 2};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct fact f = {.class = FACT_OTHER, .op = OP_OTHER, .time = i * S};
        struct fact_values values = {.has = 3, .has_number = 2, .texts = {1}};
        assert_true(fixed_of_real(numbers[i], &values.numbers[1]));
        table_feed_values(&t, &f, 0, &values);
        table_step(&t, 1, i * S); /* sums go from interval to interval */
        if (i == 1)
            assert_true(cell(&t, &x, "sum").number == 0.1 + 0.2);
        if (i == 1)
            assert_true(cell(&t, &x, "half").number > 0.09 && cell(&t, &x, "half").number <= 0.1);
        if (i == 2)
            assert_true(cell(&t, &x, "least").number == -2.75 &&
                        cell(&t, &x, "most").number == 0.2);
    }
    assert_int_equal(cell(&t, &x, "sum").type, VALUE_REAL);
    assert_true(cell(&t, &x, "sum").number == 9007199254740993.79);
    assert_int_equal(cell(&t, &x, "most").type, VALUE_COUNT);
    assert_int_equal(cell(&t, &x, "most").count, 9007199254740992);
    assert_true(cell(&t, &x, "mean").number == 9007199254740993.79 / 7);
    struct fixed none;
    assert_false(fixed_of_real(0x1p64, &none) || fixed_of_real((double)NAN, &none));
    table_fini(&t);
    model_fini(&m);
}

static void what_is_wrong_is_reported(void **state)
{
#define HEAD "[view]\nsource = disk\n[column disk]\nfield = disk\n"
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"source = disk\n", "x.view:1: expected [view] or [column ID]"},
        {"[view]\nsorce = disk\n", "x.view:2: there is no item \"sorce\""},
        {"[view]\nsource = discs\n", "x.view:2: there is no source \"discs\"; there are process"},
        {"[view]\nsource = ,\n", "x.view:2: expected a source"},
        {"[view]\nfilter = lat>\n", "x.view:2: "},
        {"[view]\ndrill = nowhere\n", "x.view:2: expected a pane to open"},
        {"[view]\napplies_to = cpu, mars\n", "x.view:2: there is no pane \"mars\""},
        {"[view]\nwhat\n", "x.view:2: "},
        {"[column A]\nfield = cpu\n", "x.view:2: expected a column id of lowercase letters"},
        {"[column a]\nfield = shade\n", "x.view:2: there is no field \"shade\"; there are cpu"},
        {"[column a]\nagg = mode\n", "x.view:2: there is no agg \"mode\"; there are sum"},
        {"[column a]\nwidth = 2\n", "x.view:2: expected 3 to 80 cells"},
        {"[column a]\nsort = maybe\n", "x.view:2: expected yes or no"},
        {"[column a]\ngroup_agg = sum\n", "x.view:2: expected the same value as agg"},
        {"[column a]\nrun = rm\n", "x.view:2: there is no item \"run\""},
        {"[view]\nname = x\n", "x.view: [view]: expected a source"},
        {"[view]\nsource = disk\n[column n]\nagg = count\n", "expected a column without agg"},
        {HEAD, "expected a column with agg"},
        {HEAD "[column a]\nfield = raddr\nagg = distinct\n", "what source says has no raddr"},
        {HEAD "[column a]\nfield = events\nagg = p99\n", "there is no p99 of events"},
        {HEAD "[column a]\nfield = path\nagg = sum\n", "there is no sum of path"},
        {HEAD "[column a]\nfield = size\n", "expected an agg"},
        {"[column a]\nfield = level\n", "in payloads write .level"},
        {"[column a]\nfield = .a b\n", "is no name of a field"},
        {"[column a]\nfield = .\n", "is no name of a field"},
        {HEAD "[column a]\nfield = .a\nagg = sum\n[column b]\nfield = .b\nagg = sum\n"
              "[column c]\nfield = .c\nagg = sum\n[column d]\nfield = .d\nagg = sum\n"
              "[column e]\nfield = .e\nagg = sum\n[column f]\nfield = .f\nagg = sum\n"
              "[column g]\nfield = .g\nagg = sum\n[column h]\nfield = .h\nagg = sum\n"
              "[column i]\nfield = .i\nagg = sum\n",
         "a view has at most 8 fields of payloads; drop one"},
        {HEAD "[column n]\nagg = count\n[column a]\nfield = cpu\n[column b]\nfield = tid\n"
              "[column c]\nfield = path\n[column d]\nfield = op\n",
         "rows are made of at most 4 things"},
        {"[view]\nquery = by prc\n", "did you mean proc?"},
        {"[view]\nquery = by proc |\n", "expected an aggregate"},
        {"[view]\nsource = disk\nquery = by proc\n", "come from its query"},
        {"[view]\nquery = by proc\n[column a]\nfield = cpu\n", "come from its query"},
        {"[view]\nquery = by proc\n[column proc]\nsort = yes\n", "come from its query"},
        {"[view]\nquery = by proc\n[column pid]\nwidth = 9\n",
         "[column pid]: the query has no such column; it has proc, count"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {""};
        assert_false(user_views_parse(rows[i].text, strlen(rows[i].text), "x.view", &err));
        if (!strstr(err.text, rows[i].said))
            fail_msg("row %zu: \"%s\" expected, found \"%s\"", i, rows[i].said, err.text);
    }
    struct err err = {""};
    assert_false(user_views_parse(every_aggregate, strlen(every_aggregate), "cpu.view", &err));
    assert_non_null(strstr(err.text, "there is a pane \"cpu\" already"));
    assert_false(user_views_parse(every_aggregate, strlen(every_aggregate), "A b.view", &err));
    assert_non_null(strstr(err.text, "a view's id"));
}

/* A view of a query says how its columns look, in any order. */
static void queries_have_a_look(void **state)
{
    static const char text[] =
        "[column p99_lat]\nwidth = 11\nunit = us\nhelp = Slow ones\n[column cpu]\ndefault = no\n"
        "[view]\nname = Slow\nquery = by cpu, dir(path, 2) | count, p99 lat sort cpu top 9\n";
    (void)state;
    const struct pane *const p = declare(text, "look.view");
    static const struct {
        const char *id, *title, *help;
        unsigned width;
        bool is_shown;
    } columns[] = {{"cpu", "CPU", "processor", 4, false},
                   {"dir_path_2", "DIR-PATH-2", "folder of the file", 36, true},
                   {"count", "COUNT", "count of the events", 8, true},
                   {"p99_lat", "P99-LAT us", "Slow ones", 11, true}};
    assert_string_equal(p->title, "Slow");
    assert_string_equal(p->help, "Query: by cpu, dir(path, 2) | count, p99 lat sort cpu top 9");
    assert_string_equal(p->sort, "cpu");
    assert_int_equal(p->order, ORDER_ASCENDING);
    assert_int_equal(p->top, 9);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        assert_string_equal(p->columns[i].id, columns[i].id);
        assert_string_equal(p->columns[i].title, columns[i].title);
        assert_string_equal(p->columns[i].help, columns[i].help);
        assert_int_equal(p->columns[i].width, columns[i].width);
        assert_int_equal((p->columns[i].flags & COLUMN_DEFAULT) != 0, columns[i].is_shown);
    }
}

/* Of many: the last ones find no room, and say so. */
static void views_are_bounded(void **state)
{
    struct err err = {""};
    bool has_room = true;
    unsigned more = 0;
    (void)state;
    for (unsigned i = 0; i < 40 && has_room; i++) {
        char file[32];
        snprintf(file, sizeof file, "more_%u.view", i);
        has_room = user_views_parse(of_ids, strlen(of_ids), file, &err);
        more += has_room;
    }
    assert_true(!has_room && more > 0 && more < USER_VIEW_MAX);
    assert_non_null(strstr(err.text, "views"));
    assert_non_null(pane_find("more_0"));
}

/* Files of the folder beside the configuration: a wrong one warns and the others are there. */
static void folders_are_read(void **state)
{
    char folder[] = "/tmp/tracetop-declared-XXXXXX", path[128];
    struct config c;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/views", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    static const char *const files[] = {"a_good.view", "b_bad.view", "c_other.txt"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/views/%s", folder, files[i]);
        FILE *const f = fopen(path, "w");
        fputs(i == 1 ? "[view]\nsource = nothing\n" : of_ids, f);
        fclose(f);
    }
    snprintf(path, sizeof path, "%s/tracetop.conf", folder);
    config_parse(&c, "", 0, path);
    user_views_folder(&c);
    assert_int_equal(c.warnings, 1);
    assert_non_null(strstr(c.warning.text, "b_bad.view:2: there is no source \"nothing\""));
    assert_non_null(pane_find("a_good"));
    config_fini(&c);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/views/%s", folder, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/views", folder);
    rmdir(path);
    rmdir(folder);
}

/* What the program brings along is right. */
static void builtin_views_are_there(void **state)
{
    (void)state;
    user_views_builtin();
    static const char *const ids[] = {"opens",  "slow_io",     "retransmits",
                                      "wakers", "allocations", "exceptions"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        assert_non_null(pane_find(ids[i]));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_views_are_there),
        cmocka_unit_test(amounts_are_counted),
        cmocka_unit_test(ids_are_counted),
        cmocka_unit_test(many_are_distinguished),
        cmocka_unit_test(what_is_wrong_is_reported),
        cmocka_unit_test(folders_are_read),
        cmocka_unit_test(fields_of_payloads_are_counted),
        cmocka_unit_test(fractions_are_counted),
        cmocka_unit_test(queries_have_a_look),
        cmocka_unit_test(views_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
