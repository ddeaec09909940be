/* Views from files: every aggregate against a count by hand, and what is wrong is said. */
#include "tests/test.h"

#include "src/frame/maker.h"
#include "src/model/model.h"
#include "src/pane/panes.h"
#include "src/pane/user_view.h"
#include "src/table/getters.h"
#include "ui/config/config.h"
#include "ui/main/user_views.h"

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
    assert_int_equal(v.type, c->type);
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
    table_step(&t, 1);
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
    assert_true(cell(&t, &x, "cpus").is_estimated);
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
        {"[column a]\nfield = colour\n", "x.view:2: there is no field \"colour\"; there are cpu"},
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
        {HEAD "[column n]\nagg = count\n[column a]\nfield = cpu\n[column b]\nfield = tid\n"
              "[column c]\nfield = path\n",
         "rows are made of at most 3 things"},
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
    static const char *const ids[] = {"opens", "slow_io", "retransmits", "wakers"};
    for (size_t i = 0; i < 4; i++)
        assert_non_null(pane_find(ids[i]));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_views_are_there),   cmocka_unit_test(amounts_are_counted),
        cmocka_unit_test(ids_are_counted),           cmocka_unit_test(many_are_distinguished),
        cmocka_unit_test(what_is_wrong_is_reported), cmocka_unit_test(folders_are_read),
        cmocka_unit_test(views_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
