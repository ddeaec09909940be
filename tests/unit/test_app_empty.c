/* Panes without rows say why, and name the key or command that changes it; costly ones ask. */
#include "tests/made_app.h"

static const struct pane pane_calls = {
    .id = "calls",
    .title = "System calls",
    .help = "Calls",
    .cost = "very high",
    .digit = '9',
    .view = PANE_TABLE,
    .columns = process_columns,
    .column_count = 3,
    .classes = 1u << FACT_SYSCALL,
    .watched = 1u << FACT_SYSCALL,
    .sort = "cpu",
};

static const struct measure disk_measures[] = {
    {.id = "read", .kind = MEASURE_COUNT, .classes = 1u << FACT_DISK},
};
static struct column partly_columns[3];
static const struct pane pane_partly = {
    .id = "partly",
    .title = "Partly",
    .help = "Processes and their disk operations",
    .cost = "low",
    .digit = '4',
    .view = PANE_TABLE,
    .columns = partly_columns,
    .column_count = 3,
    .measures = disk_measures,
    .measure_count = 1,
    .sort = "name",
};

static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct fake *live(size_t size, uint32_t active)
{
    panes[1] = &pane_calls;
    struct fake *const f = fake_new(sizes[size][0], sizes[size][1], 0);
    f->proto.state = STATE_LIVE;
    f->proto.active = active;
    press(f, "C-l Home");
    serve(f);
    return f;
}

static void a_costly_pane_asks(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct fake *const f = live(i, 1u << FACT_PROCESS);
        app_ask(&f->app);
        serve(f);
        press(f, "9");
        serve(f);
        shows(f, "not collected yet (cost of collecting: very high)");
        shows(f, "Enter starts it");
        assert_true(f->last.holds_back);
        press(f, "Enter");
        serve(f);
        assert_false(f->last.holds_back);
        shows(f, "System calls: starting");
        f->proto.active |= 1u << FACT_SYSCALL;
        app_ask(&f->app);
        serve(f);
        shows(f, "no events yet");
        press(f, "1 9"); /* it has been answered */
        serve(f);
        assert_false(f->last.holds_back);
        fake_free(f);
    }
}

static void missing_rights_name_the_command(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct fake *const f = live(i, 1u << FACT_PROCESS);
        f->proto.refused = 1u << FACT_SYSCALL;
        f->lack_why = "the kernel's events may not be read";
        f->lack_fix =
            "sudo setcap cap_perfmon,cap_bpf,cap_dac_read_search,cap_sys_ptrace,cap_syslog,"
            "cap_ipc_lock=p /usr/local/bin/tracetop";
        app_ask(&f->app);
        serve(f);
        press(f, "9");
        serve(f);
        shows(f, "System calls: unavailable here");
        shows(f, f->lack_why);
        shows(f, "sudo setcap");
        shows(f, "/usr/local/bin/tracetop"); /* nothing of it is cut */
        fake_free(f);
    }
}

/* Rows, but columns that the collector cannot have, or the trace has not: a line of their own. */
static void missing_columns_are_named(void **state)
{
    (void)state;
    memcpy(partly_columns, process_columns, sizeof partly_columns);
    partly_columns[2].measure = "read";
    for (size_t i = 0; i < SIZES; i++) {
        panes[1] = &pane_partly;
        struct fake *const f = fake_new(sizes[i][0], sizes[i][1], 200);
        f->proto.state = STATE_LIVE;
        f->proto.active = 1u << FACT_PROCESS;
        press(f, "4");
        serve(f);
        shows_not(f, "not available here");
        f->proto.refused = 1u << FACT_DISK;
        f->proto.missing = 1u << 2;
        app_ask(&f->app);
        serve(f);
        shows(f, "not available here: CPU%; :notices shows why");
        shows(f, "LOST 0");
        f->proto.state = STATE_REPLAY; /* they may still come */
        f->proto.active = f->proto.refused = 0;
        app_ask(&f->app);
        serve(f);
        shows_not(f, "not available here");
        shows_not(f, "not in this trace");
        f->proto.state = STATE_FINISHED;
        app_ask(&f->app);
        serve(f);
        shows(f, "not in this trace: CPU%; :info shows what it has");
        fake_free(f);
    }
}

/* The filter is not to blame for what a setting hides. */
static void hidden_rows_name_the_setting(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct fake *const f = fake_new(sizes[i][0], sizes[i][1], 3);
        f->is_all_hidden = true;
        shows_not(f, "every row is hidden");
        press(f, ":");
        type(f, "hide-self");
        press(f, "Enter");
        assert_int_equal(f->last.hides, HIDE_SELF);
        shows(f, "every row is hidden; K shows the system's, :hide-self those of tracetop");
        shows_not(f, "no row matches the filter");
        press(f, "K");
        assert_int_equal(f->last.hides, HIDE_SELF | HIDE_SYSTEM);
        fake_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_costly_pane_asks),
        cmocka_unit_test(missing_rights_name_the_command),
        cmocka_unit_test(hidden_rows_name_the_setting),
        cmocka_unit_test(missing_columns_are_named),
    };
    return cmocka_run_group_tests_name("app_empty", tests, NULL, NULL);
}
