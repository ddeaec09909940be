/* The application against frames made by hand: keys in, requests and screens out. */
#include "tests/test.h"

#include "src/filter.h"
#include "src/panes.h"
#include "ui/app.h"
#include "ui/dispatch.h"
#include "ui/filtering.h"
#include "ui/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- panes of our own, so that the product's can change ------------------------------ */

static const struct column process_columns[] = {
    {.id = "pid",
     .title = "PID",
     .help = "Process id",
     .type = VALUE_ID,
     .flags = COLUMN_RIGHT | COLUMN_DEFAULT,
     .width = 7},
    {.id = "name",
     .title = "NAME",
     .help = "Image name",
     .type = VALUE_TEXT,
     .flags = COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS,
     .width = 16},
    {.id = "cpu",
     .title = "CPU%",
     .help = "Processor use",
     .type = VALUE_PERCENT,
     .flags = COLUMN_RIGHT | COLUMN_DEFAULT | COLUMN_SUMS,
     .width = 6,
     .rank = 1},
    {.id = "read",
     .title = "READ B/s",
     .help = "Bytes read",
     .type = VALUE_BYTE_RATE,
     .flags = COLUMN_RIGHT | COLUMN_DEFAULT | COLUMN_SUMS,
     .width = 9,
     .rank = 2},
    {.id = "p99",
     .title = "P99",
     .help = "Slow operations",
     .type = VALUE_TIME,
     .flags = COLUMN_RIGHT | COLUMN_DEFAULT,
     .width = 7,
     .rank = 3},
    {.id = "share",
     .title = "SHARE %",
     .help = "Largest part",
     .type = VALUE_PERCENT,
     .flags = COLUMN_RIGHT,
     .width = 6,
     .rank = 7},
    {.id = "cmd",
     .title = "CMD",
     .help = "Command line",
     .type = VALUE_TEXT,
     .width = 30,
     .rank = 9},
};

static const struct column event_columns[] = {
    {.id = "time",
     .title = "TIME",
     .help = "When",
     .type = VALUE_INSTANT,
     .flags = COLUMN_DEFAULT,
     .width = 12},
    {.id = "event",
     .title = "EVENT",
     .help = "What",
     .type = VALUE_TEXT,
     .flags = COLUMN_DEFAULT | COLUMN_GROWS,
     .width = 20},
};

static const struct pane pane_processes = {
    .id = "processes",
    .title = "Processes",
    .help = "Who does what",
    .cost = "low",
    .digit = '1',
    .view = PANE_TABLE,
    .columns = process_columns,
    .column_count = sizeof process_columns / sizeof *process_columns,
    .sort = "cpu",
    .drill = "disk",
    .crumb = CRUMB_PROCESS,
};
static const struct pane pane_disk = {
    .id = "disk",
    .title = "Disk",
    .help = "What the disks do",
    .cost = "low",
    .digit = '3',
    .view = PANE_TABLE,
    .columns = process_columns,
    .column_count = 5,
    .not_on_linux = "there are no disks here",
    .sort = "read",
    .drill = "events",
    .crumb = CRUMB_DISK_PROCESS,
};
static const struct pane pane_events = {
    .id = "events",
    .title = "Events",
    .help = "Every event",
    .cost = "low",
    .view = PANE_EVENTS,
    .columns = event_columns,
    .column_count = 2,
    .sort = "time",
};

const struct pane *panes[] = {&pane_processes, &pane_disk, &pane_events, NULL};

bool panes_add(const struct pane *p)
{
    (void)p;
    return false;
}

const struct pane *pane_find(const char *id)
{
    for (int i = 0; panes[i]; i++)
        if (strcmp(panes[i]->id, id) == 0 || (id[1] == '\0' && panes[i]->digit == id[0]))
            return panes[i];
    return NULL;
}

const struct column *pane_column(const struct pane *p, const char *id)
{
    for (size_t i = 0; i < p->column_count; i++)
        if (strcmp(p->columns[i].id, id) == 0)
            return &p->columns[i];
    return NULL;
}

/* ---- an engine that answers at once ----------------------------------------------------- */

enum { PEOPLE_MAX = 4000, ARENA = 1 << 20 };

struct person {
    uint32_t id;
    char name[64];
    double cpu, read;
    int64_t p99;
};

struct fake {
    struct app app;
    struct grid grid;
    struct request last, others[VIEWS_MAX - 1]; /* of the current pane, of those beside it */
    unsigned other_count;
    struct command command;
    unsigned requests, commands, frames;
    struct person people[PEOPLE_MAX];
    unsigned count;
    struct frame proto; /* everything but the rows */
    bool holds_frames;  /* an engine that takes its time */
    bool samples;       /* processor use is estimated */
    bool loses;         /* events are being lost */
    int64_t now;
};

struct made {
    struct frame frame;
    char arena[ARENA];
    struct value cells[PEOPLE_MAX][8];
    struct value totals[8];
    struct frame_row rows[PEOPLE_MAX];
    struct frame_field fields[2];
    size_t used;
};

static struct value text_value(struct made *m, enum value_type type, const char *text)
{
    const size_t bytes = strlen(text);
    assert_true(m->used + bytes < ARENA);
    memcpy(m->arena + m->used, text, bytes);
    const struct value v = {.type = (uint8_t)type, .text = {(uint32_t)m->used, (uint32_t)bytes}};
    m->used += bytes;
    return v;
}

static void fill_cells(struct made *m, struct value *c, const struct pane *p,
                       const struct person *who)
{
    if (p->view == PANE_EVENTS) {
        c[0] = (struct value){.type = VALUE_INSTANT,
                              .ns = 1464293842478931000LL + who->id * 1000000LL};
        c[1] = text_value(m, VALUE_TEXT, who->name);
        return;
    }
    c[0] = (struct value){.type = VALUE_ID, .count = who->id};
    c[1] = text_value(m, VALUE_TEXT, who->name);
    c[2] = (struct value){.type = VALUE_PERCENT, .number = who->cpu};
    c[3] = (struct value){.type = VALUE_BYTE_RATE, .number = who->read};
    c[4] = (struct value){.type = who->p99 ? VALUE_TIME : VALUE_ABSENT, .ns = who->p99};
    c[5] = (struct value){.type = VALUE_PERCENT, .number = who->cpu};
    c[6] = text_value(m, VALUE_TEXT, "a command line");
}

static int by_cpu(const void *x, const void *y)
{
    const double a = (*(const struct person *const *)x)->cpu,
                 b = (*(const struct person *const *)y)->cpu;
    return a < b ? 1 : a > b ? -1 : 0;
}

static int by_id(const void *x, const void *y)
{
    const uint32_t a = (*(const struct person *const *)x)->id,
                   b = (*(const struct person *const *)y)->id;
    return a < b ? -1 : a > b;
}

/* The frame that an engine would give for a request. */
static struct frame *answer(struct fake *f, const struct request *r)
{
    struct made *m = calloc(1, sizeof *m);
    assert_non_null(m);
    const struct person *order[PEOPLE_MAX];
    unsigned shown = 0;
    for (unsigned i = 0; i < f->count; i++)
        if (strstr(f->people[i].name, r->filter))
            order[shown++] = &f->people[i];
    qsort(order, shown, sizeof *order,
          r->pane->view == PANE_EVENTS || r->sort == 0 ? by_id : by_cpu);
    m->frame = f->proto;
    m->frame.sequence = r->sequence;
    m->frame.view = r->view;
    m->frame.pane = r->pane;
    m->frame.is_frozen = r->freeze;
    m->frame.range_from = r->from_ns;
    m->frame.range_to = r->to_ns;
    if (r->to_ns)
        m->frame.instant = r->to_ns;
    m->frame.shown = shown;
    m->frame.hidden = f->count - shown;
    m->frame.anchor_row = -1;
    uint64_t first = r->first;
    for (unsigned i = 0; r->has_anchor && i < shown; i++)
        if (order[i]->id == r->anchor.a) {
            first = (int)i > r->anchor_line ? i - (unsigned)r->anchor_line : 0;
            m->frame.anchor_row = (int)(i - first);
        }
    if (r->follow_tail)
        first = shown > r->rows ? shown - r->rows : 0;
    m->frame.first = first;
    for (uint64_t i = first; i < shown && i - first < r->rows; i++) {
        const unsigned row = m->frame.row_count++;
        fill_cells(m, m->cells[row], r->pane, order[i]);
        m->rows[row] =
            (struct frame_row){.key = {.a = order[i]->id},
                               .cells = m->cells[row],
                               .crumb = r->pane->view == PANE_TABLE ? CRUMB_PROCESS : CRUMB_NONE};
    }
    m->frame.rows = m->rows;
    for (size_t c = 0; c < r->pane->column_count; c++)
        m->totals[c] = (struct value){
            .type = r->pane->columns[c].flags & COLUMN_SUMS ? VALUE_COUNT : VALUE_ABSENT,
            .count = 7,
            .is_incomplete = f->loses && r->pane->columns[c].flags & COLUMN_SUMS,
            .is_estimated = f->samples && c == 2};
    m->frame.totals = m->totals;
    m->frame.crumb_count = r->crumb_count;
    for (unsigned i = 0; i < r->crumb_count; i++)
        for (unsigned p = 0; p < f->count; p++)
            if (f->people[p].id == r->crumbs[i].key.a)
                m->frame.crumb_names[i] = text_value(m, VALUE_TEXT, f->people[p].name);
    if (r->detail) {
        m->fields[0] = (struct frame_field){text_value(m, VALUE_TEXT, "DiskNumber"),
                                            text_value(m, VALUE_TEXT, "3")};
        m->fields[1] = (struct frame_field){text_value(m, VALUE_TEXT, "FileName"),
                                            text_value(m, VALUE_TEXT, "evil\033[2Jname")};
        m->frame.fields = m->fields;
        m->frame.field_count = 2;
        m->frame.payload = (const uint8_t *)"0123456789abcdefXYZ";
        m->frame.payload_bytes = 19;
    }
    m->frame.arena = m->arena;
    m->frame.arena_bytes = m->used;
    return &m->frame;
}

static void on_request(void *state, const struct request *r, unsigned count)
{
    assert_in_range(count, 1, VIEWS_MAX);
    struct fake *f = state;
    f->last = *r;
    f->other_count = count - 1;
    memcpy(f->others, r + 1, f->other_count * sizeof *f->others);
    f->requests++;
}

static void on_command(void *state, const struct command *c)
{
    struct fake *f = state;
    f->command = *c;
    f->commands++;
}

static void on_release(void *state, struct frame *f)
{
    (void)state;
    free(f);
}

/* Answers until nothing new is asked. */
static void serve(struct fake *f)
{
    for (int i = 0; i < 8; i++) {
        const uint64_t sequence = f->last.sequence;
        for (unsigned k = 0; k < f->other_count; k++)
            app_frame(&f->app, answer(f, &f->others[k]));
        app_frame(&f->app, answer(f, &f->last));
        f->frames++;
        if (f->last.sequence == sequence)
            return;
    }
    fail_msg("the application asks without end");
}

static const char *const names[] = {"chrome.exe", "svchost.exe", "explorer.exe",
                                    "System",     "MsMpEng.exe", "sqlservr.exe"};

static struct fake *fake_new(int columns, int rows, unsigned people)
{
    struct fake *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->count = people;
    for (unsigned i = 0; i < people; i++) {
        struct person *p = &f->people[i];
        p->id = 4 + i * 4;
        snprintf(p->name, sizeof p->name, "%s", names[i % 6]);
        p->cpu = 90.0 / (1 + i);
        p->read = i % 3 ? 0 : 1234567.0 / (1 + i);
        p->p99 = i % 2 ? 0 : 123456789 / (1 + (int64_t)i * i);
    }
    f->proto = (struct frame){.instant = 1464293842478931000LL,
                              .interval_s = 1,
                              .state = STATE_FINISHED,
                              .progress = 1,
                              .events_per_s = 84123,
                              .events = 1234567,
                              .ring_s = 96,
                              .self_percent = 1.2,
                              .cpus = 8,
                              .cpu_percent = 37.5,
                              .disk_read = 1 << 20,
                              .anchor_row = -1};
    f->now = 1000000000;
    const struct app_port port = {f, on_request, on_command, on_release};
    const struct app_options o = {
        .port = &port, .columns = columns, .rows = rows, .now = f->now, .is_still = true};
    app_init(&f->app, &o);
    grid_init(&f->grid, columns, rows, f->app.glyphs);
    f->app.settings.time = TIME_UTC;
    serve(f);
    return f;
}

static void fake_free(struct fake *f)
{
    app_fini(&f->app);
    grid_fini(&f->grid);
    free(f);
}

static unsigned press(struct fake *f, const char *names_of_keys)
{
    char name[KEY_NAME];
    unsigned reaction = 0;
    for (const char *at = names_of_keys; keymap_next_key(&at, name);) {
        struct key k;
        if (!key_parse(name, &k))
            fail_msg("no such key: %s", name);
        f->now += 100000000;
        reaction |= app_key(&f->app, &k, f->now);
        if (!f->holds_frames)
            serve(f);
    }
    return reaction;
}

static void type(struct fake *f, const char *text)
{
    for (; *text; text++) {
        char one[] = {*text, '\0'};
        press(f, *text == ' ' ? "Space" : one);
    }
}

/* The screen as text, to be freed. */
static char *screen(struct fake *f)
{
    app_draw(&f->app, &f->grid);
    return grid_to_text(&f->grid, false);
}

static void shows(struct fake *f, const char *text)
{
    char *all = screen(f);
    if (!strstr(all, text))
        fail_msg("expected \"%s\" on the screen:\n%s", text, all);
    free(all);
}

static void shows_not(struct fake *f, const char *text)
{
    char *all = screen(f);
    if (strstr(all, text))
        fail_msg("\"%s\" must not be on the screen:\n%s", text, all);
    free(all);
}

static uint32_t cursor_id(const struct fake *f)
{
    const struct frame_row *row = app_cursor_row(&f->app);
    return row ? row->key.a : 0;
}

/* ---- drawing ------------------------------------------------------------------------------- */

static void draws_what_the_frame_says(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    shows(f, "CPU ███▊······ 37.5% of 8 cpus │ disk read 1.00MB/s write 0B/s");
    shows(f, " Processes ");
    shows(f, "60 rows   sort: CPU%▼");
    shows(f, "      PID NAME ");
    shows(f, "READ B/s");
    shows(f, "          total ");
    shows(f, "▸       4 chrome.exe");
    shows(f, "FINISHED 20:17:22.478");
    shows(f, "LOST 0");
    shows(f, "F1 Help");
    fake_free(f);
}

/* What each size shows: the machine line goes first, then the key bar. */
static void gives_way_when_small(void **state)
{
    (void)state;
    static const struct {
        int columns, rows;
        bool has_machine, has_keys, has_rows;
    } cases[] = {
        {300, 100, true, true, true}, {80, 24, true, true, true},   {79, 24, false, true, true},
        {80, 23, false, true, true},  {60, 12, false, true, true},  {60, 11, false, false, true},
        {40, 8, false, false, true},  {39, 8, false, false, false}, {40, 7, false, false, false},
        {1, 1, false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *f = fake_new(cases[i].columns, cases[i].rows, 60);
        char *all = screen(f);
        const bool as_said = (strstr(all, "CPU █") != NULL) == cases[i].has_machine &&
                             (strstr(all, "F1 Help") != NULL) == cases[i].has_keys &&
                             (strstr(all, "chrome.exe") != NULL) == cases[i].has_rows;
        if (!as_said)
            fail_msg("%dx%d shows:\n%s", cases[i].columns, cases[i].rows, all);
        if (!cases[i].has_rows && cases[i].columns > 20)
            assert_non_null(strstr(all, "more room, please"));
        free(all);
        fake_free(f);
    }
}

static void columns_come_with_width(void **state)
{
    (void)state;
    static const struct {
        int columns;
        const char *shown, *hidden;
    } cases[] = {
        {46, "READ B/s", "P99"},
        {80, "P99", "SHARE %"},
        {110, "SHARE %", "CMD"},
        {200, "CMD", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *f = fake_new(cases[i].columns, 30, 60);
        shows(f, cases[i].shown);
        if (cases[i].hidden)
            shows_not(f, cases[i].hidden);
        fake_free(f);
    }
}

static void the_sorted_column_is_always_there(void **state)
{
    (void)state;
    struct fake *f = fake_new(46, 20, 60);
    shows_not(f, "CMD");
    press(f, "> > > >");
    assert_int_equal(f->last.sort, 6);
    shows(f, "CMD▲");
    fake_free(f);
}

static void states_say_so_in_words(void **state)
{
    (void)state;
    static const struct {
        enum engine_state state;
        double speed;
        const char *text;
    } cases[] = {
        {STATE_LIVE, 0, " LIVE 1.0s │"},
        {STATE_REPLAY, 2, " REPLAY 20:17:22.478 ×2 "},
        {STATE_REPLAY, 0, " REPLAY 20:17:22.478 max "},
        {STATE_PAUSED, 1, " PAUSED 20:17:22.478 "},
        {STATE_FINISHED, 0, " FINISHED 20:17:22.478 "},
        {STATE_FAILED, 0, " FAILED "},
    };
    struct fake *f = fake_new(100, 30, 6);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f->proto.state = cases[i].state;
        f->proto.speed = cases[i].speed;
        serve(f);
        shows(f, cases[i].text);
    }
    press(f, "Z");
    assert_true(f->last.freeze);
    shows(f, " FROZEN ");
    press(f, "p");
    assert_false(f->last.freeze);
    fake_free(f);
}

static void expect_sample(const struct fake *f, int64_t number, int64_t count)
{
    const int64_t from = f->proto.origin + number * f->proto.sample_ns - 1;
    assert_true(f->last.freeze);
    assert_int_equal(f->last.from_ns, from);
    assert_int_equal(f->last.to_ns, from + count * f->proto.sample_ns);
}

/* A window of 24.6 s that begins in the middle of its first sample, number 3. */
static struct fake *fake_with_window(void)
{
    struct fake *f = fake_new(120, 30, 6);
    f->proto.state = STATE_LIVE;
    f->proto.sample_ns = 1000000000;
    f->proto.origin = f->proto.instant - 27600000000;
    f->proto.kept_first = f->proto.origin + 3400000000;
    f->proto.kept_last = f->proto.instant;
    serve(f);
    return f;
}

static void steps_freeze_and_stop_at_the_ends(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    press(f, "[");
    expect_sample(f, 25, 1); /* 27 is running, 26 was on screen */
    shows(f, " FROZEN −1.6s 20:17:20.879 ");
    press(f, "[");
    press(f, "[");
    expect_sample(f, 23, 1);
    press(f, "]");
    expect_sample(f, 24, 1);
    press(f, "{");
    expect_sample(f, 14, 1);
    shows_not(f, "the kept window");
    press(f, "{");
    press(f, "{");
    expect_sample(f, 3, 1);
    shows(f, "the kept window begins here");
    press(f, "]");
    expect_sample(f, 4, 1);
    shows_not(f, "the kept window");
    press(f, "}");
    expect_sample(f, 14, 1);
    press(f, "C-End");
    expect_sample(f, 27, 1);
    shows(f, "the kept window ends here");
    shows(f, " FROZEN −0.0s ");
    press(f, "C-Home");
    expect_sample(f, 3, 1);
    press(f, "Tab"); /* another pane, the same time */
    expect_sample(f, 3, 1);
    press(f, "p");
    assert_false(f->last.freeze);
    assert_int_equal(f->last.to_ns, 0);
    f->proto.is_total = true; /* of all: the first step back is the last sample */
    serve(f);
    press(f, "[");
    expect_sample(f, 27, 1);
    fake_free(f);
}

static void steps_need_a_window(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 30, 6);
    press(f, "[");
    assert_false(f->last.freeze);
    shows(f, "nothing is kept yet");
    fake_free(f);
}

static void command(struct fake *f, const char *text)
{
    press(f, ":");
    type(f, text);
    press(f, "Enter");
}

/* What a live source tells of before its beginning is no sample to go to. */
static void times_before_the_beginning_are_refused(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    f->proto.kept_first = f->proto.origin - 10000000000;
    serve(f);
    command(f, "at -20s");
    expect_sample(f, 7, 1);
    shows_not(f, "the kept window");
    command(f, "at -30s");
    expect_sample(f, 0, 1);
    shows(f, "the kept window begins here");
    fake_free(f);
}

static void times_can_be_typed(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    command(f, "at -10s");
    expect_sample(f, 17, 1);
    command(f, "at -1h");
    expect_sample(f, 3, 1);
    shows(f, "the kept window begins here");
    command(f, "at 2016-05-26T20:17:20Z");
    expect_sample(f, 25, 1);
    command(f, "at noon");
    shows(f, ":at takes a time: -30s, 10:20:30");
    expect_sample(f, 25, 1);
    command(f, "at 20:17:12Z");
    expect_sample(f, 17, 1);
    command(f, "at 20:17:20Z");
    expect_sample(f, 25, 1);
    command(f, "range -10.5s..-5s");
    expect_sample(f, 17, 6);
    shows(f, " FROZEN −10.6s..−4.6s ");
    press(f, "[");
    expect_sample(f, 16, 1);
    command(f, "range -10s");
    shows(f, ":range takes two times");
    command(f, "range -5s..-10s");
    shows(f, "nothing is kept between -5s and -10s");
    expect_sample(f, 16, 1);
    command(f, "live");
    assert_int_equal(f->last.to_ns, 0);
    fake_free(f);
}

/* A row that some samples lack has the cursor again in those that have it. */
static void steps_keep_the_cursors_row(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    press(f, "Down");
    press(f, "Down");
    const uint32_t row = cursor_id(f);
    struct person gone = f->people[2];
    assert_int_equal(gone.id, row);
    press(f, "[");
    assert_int_equal(cursor_id(f), row);
    f->count = 2;
    press(f, "[");
    assert_int_not_equal(cursor_id(f), row);
    press(f, "[");
    assert_int_not_equal(cursor_id(f), row);
    f->count = 6;
    press(f, "]");
    assert_int_equal(cursor_id(f), row);
    f->count = 2; /* moved meanwhile: stays where it was put */
    press(f, "]");
    press(f, "Up");
    const uint32_t chosen = cursor_id(f);
    f->count = 6;
    press(f, "[");
    assert_int_equal(cursor_id(f), chosen);
    fake_free(f);
}

static void loss_is_shown_while_and_after(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 30, 6);
    f->proto.loss = (struct frame_loss){.kernel = 12345, .ring = 3, .kernel_rate = 250.4};
    serve(f);
    shows(f, "LOST 250/s kernel");
    f->proto.loss.ring_rate = 1500; /* the total's main cause need not be that of now */
    serve(f);
    shows(f, "LOST 1750/s ring");
    f->proto.loss.kernel_rate = f->proto.loss.ring_rate = 0;
    serve(f);
    shows(f, "LOST 12.3k kernel");
    f->proto.loss.silent = 12000; /* part of the system's: counted once */
    serve(f);
    shows(f, "LOST 12.3k undelivered");
    f->proto.loss.is_unknown = true;
    serve(f);
    shows(f, "LOST 12.3k? undelivered");
    f->proto.loss = (struct frame_loss){.realtime = 2};
    serve(f);
    shows(f, "LOST 2 buffers");
    f->proto.loss = (struct frame_loss){.decoder = 1};
    serve(f);
    shows(f, "LOST 1 undecoded");
    f->proto.loss = (struct frame_loss){0};
    serve(f);
    shows(f, "LOST 0");
    shows_not(f, "undecoded");
    fake_free(f);
}

/* Each cause with its own number, and no sentence cut, however narrow the screen. */
static void loss_is_listed_whole(void **state)
{
    (void)state;
    static const int widths[] = {60, 80, 160};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct fake *f = fake_new(widths[i], 40, 6);
        f->proto.loss = (struct frame_loss){.kernel = 300, .silent = 45};
        serve(f);
        press(f, ":");
        for (const char *c = "loss"; *c; c++)
            press(f, (char[]){*c, '\0'});
        press(f, "Enter");
        shows(f, "kernel");
        shows(f, "255");
        shows(f, "undelivered");
        shows(f, "45");
        shows(f, "fewer"); /* the ends of sentences … */
        shows(f, "fewest");
        shows_not(f, "\u2026"); /* … and nothing cut */
        fake_free(f);
    }
}

/* Behind titles: estimated, incomplete. Nothing else of the header moves. */
static void titles_say_what_numbers_are_worth(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    shows(f, " CPU%▼  READ B/s     P99");
    f->samples = true;
    serve(f);
    shows(f, " CPU%▼~ READ B/s     P99");
    f->loses = true;
    serve(f);
    shows(f, "CPU%▼~? READ B/s?    P99");
    f->samples = false;
    serve(f);
    shows(f, " CPU%▼? READ B/s?    P99");
    shows(f, "7? ");
    fake_free(f);
}

static void the_demo_says_so(void **state)
{
    (void)state;
    struct fake *f = fake_new(60, 10, 6);
    shows_not(f, "DEMO");
    f->proto.is_synthetic = true;
    serve(f);
    shows(f, "DEMO synthetic data");
    fake_free(f);
}

/* A pane about what Linux does not have says why it stays empty. */
static void what_linux_lacks_is_said(void **state)
{
    (void)state;
    static const char why[] = "there are no disks here";
    struct fake *f = fake_new(80, 10, 0);
    f->proto.is_linux = true;
    serve(f);
    shows_not(f, why); /* processes there are */
    press(f, "3");
    f->proto.is_linux = false;
    serve(f);
    shows_not(f, why);
    f->proto.is_linux = true;
    serve(f);
    shows(f, why);
    fake_free(f);
}

/* Nothing that a trace contains reaches the terminal as it is. */
static void names_are_made_harmless(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 3);
    snprintf(f->people[0].name, sizeof f->people[0].name,
             "a\033]0;x\007\xe2\x80\xae\xff日本語.exe");
    serve(f);
    char *all = screen(f);
    assert_null(strchr(all, '\033'));
    assert_null(strchr(all, '\007'));
    assert_null(strstr(all, "\xe2\x80\xae"));
    assert_null(strchr(all, '\xff'));
    assert_non_null(strstr(all, "日本語.exe"));
    free(all);
    fake_free(f);
}

/* Names that are all zero-width or all wide take cells as others do: no line is longer or shorter
 * than the screen, no wide character loses its second half, and something of them is seen. */
static void names_without_width_or_with_two_keep_columns(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b",         /* zero-width spaces */
        "\xcc\x81\xcc\x82\xcc\x83\xcc\x81",                         /* marks without a base */
        "\xe2\x80\x8d\xe2\x80\x8d\xef\xbb\xbf",                     /* joiners, a mark of order */
        "\xf3\xa0\x81\x81\xf3\xa0\x81\x82",                         /* tags */
        "日本語日本語日本語日本語日本語日本語",                         /* all wide */
        "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", /* with tones */
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        for (int width = 40; width < 120; width += 13) {
            struct fake *f = fake_new(width, 12, 3);
            snprintf(f->people[0].name, sizeof f->people[0].name, "%s", odd[i]);
            serve(f);
            free(screen(f));
            unsigned seen = 0;
            for (int y = 0; y < f->grid.height; y++) {
                int cells = 0;
                for (int x = 0; x < f->grid.width; x++) {
                    const struct cell *const c = grid_look(&f->grid, x, y);
                    if (c->width == 2)
                        assert_int_equal(grid_look(&f->grid, x + 1, y)->width, 0);
                    cells += c->width;
                    seen += (unsigned char)c->bytes[0] >= 0xe3 || strcmp(c->bytes, "\xef\xbf\xbd") == 0;
                }
                assert_int_equal(cells, width);
            }
            if (!seen)
                fail_msg("name %zu is not to be seen in %d columns", i, width);
            fake_free(f);
        }
    }
}

static void ascii_screens_hold_nothing_else(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    snprintf(f->people[0].name, sizeof f->people[0].name, "日本é");
    f->app.glyphs = f->grid.glyphs = &glyphs_ascii;
    for (int i = 0; i < 4; i++) {
        static const char *const ways[] = {"PgDn", "?", "Esc", "v"};
        press(f, ways[i]);
        char *all = screen(f);
        for (const char *at = all; *at; at++)
            assert_true((unsigned char)*at < 0x80);
        free(all);
    }
    fake_free(f);
}

/* ---- the cursor ---------------------------------------------------------------------------- */

static void the_cursor_belongs_to_the_row(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Down Down Down");
    assert_int_equal(cursor_id(f), 16);
    f->people[3].cpu = 0.5; /* the row goes far down */
    serve(f);
    assert_int_equal(cursor_id(f), 16);
    assert_true(f->app.focus->levels[0]->places[0].list.cursor > 30);
    f->people[3].cpu = 1000;
    serve(f);
    assert_int_equal(cursor_id(f), 16);
    assert_int_equal(f->app.focus->levels[0]->places[0].list.cursor, 0);
    press(f, "<"); /* sorted by something else */
    assert_int_equal(cursor_id(f), 16);
    fake_free(f);
}

static void the_first_row_stays_first(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    assert_int_equal(cursor_id(f), 4);
    f->people[30].cpu = 500;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 30 * 4);
    press(f, "Down Up"); /* moved there: now it belongs to the row */
    f->people[31].cpu = 600;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 30 * 4);
    press(f, "Home");
    f->people[32].cpu = 700;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 32 * 4);
    fake_free(f);
}

static void a_row_that_goes_leaves_its_neighbour(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Down Down");
    assert_int_equal(cursor_id(f), 12);
    memmove(&f->people[2], &f->people[3], (f->count - 3) * sizeof *f->people);
    f->count--;
    serve(f);
    assert_int_equal(cursor_id(f), 16);
    fake_free(f);
}

/* Moving is seen at once, with rows that are there already. */
static void moving_needs_no_frame(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 200);
    f->holds_frames = true;
    const unsigned frames = f->frames;
    press(f, "PgDn Down");
    assert_int_equal(f->frames, frames);
    const uint64_t cursor = f->app.focus->levels[0]->places[0].list.cursor;
    assert_int_equal(cursor, (uint64_t)(f->app.focus->levels[0]->places[0].list.height));
    assert_int_equal(cursor_id(f), 4 + (uint32_t)cursor * 4);
    char row[32];
    snprintf(row, sizeof row, "▸ %7u ", 4 + (uint32_t)cursor * 4);
    shows(f, row);
    press(f, "PgDn PgDn PgDn PgDn"); /* beyond what is known: blank until the frame comes */
    f->holds_frames = false;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + (uint32_t)f->app.focus->levels[0]->places[0].list.cursor * 4);
    fake_free(f);
}

static void keeps_its_line_when_asked(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 200);
    press(f, "Down Down Down Down Down F");
    f->people[5].cpu = 1; /* goes to about row 90 */
    serve(f);
    const struct list *l = &f->app.focus->levels[0]->places[0].list;
    assert_true(l->cursor > 50);
    assert_int_equal(l->cursor - l->top, 5);
    fake_free(f);
}

/* ---- filter, levels, Esc ------------------------------------------------------------------- */

static void filters_while_typing(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Down Down");
    press(f, "/");
    type(f, "Sy");
    assert_string_equal(f->last.filter, "Sy");
    shows(f, "filter: Sy");
    shows(f, "10/60 shown, 50 hidden");
    shows(f, "Esc Cancel");
    press(f, "Esc");
    assert_string_equal(f->last.filter, "");
    assert_int_equal(cursor_id(f), 12); /* on its row again */
    press(f, "F4");
    type(f, "Systems");
    press(f, "Backspace Enter");
    assert_string_equal(f->last.filter, "System");
    press(f, "/ C-u");
    type(f, "nothing at all");
    shows(f, "no row passes the filter");
    press(f, "Esc");
    assert_string_equal(f->last.filter, "System");
    press(f, "/ C-u");
    press(f, "Enter / Up"); /* history: only what was kept */
    assert_string_equal(f->last.filter, "System");
    press(f, "Enter Esc");
    assert_string_equal(f->last.filter, "");
    fake_free(f);
}

static void drills_and_comes_back(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "> /");
    type(f, "exe");
    press(f, "Enter Down Down Down");
    const struct request before = f->last;
    const uint32_t id = cursor_id(f);
    press(f, "Enter");
    assert_ptr_equal(f->last.pane, &pane_disk);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(f->last.crumbs[0].kind, CRUMB_PROCESS);
    assert_int_equal(f->last.crumbs[0].key.a, id);
    assert_string_equal(f->last.filter, "");
    shows(f, ".exe › Disk");
    press(f, "d");
    assert_ptr_equal(f->last.pane, &pane_events);
    assert_int_equal(f->last.crumb_count, 2);
    press(f, "1"); /* another pane at this level keeps the crumbs */
    assert_ptr_equal(f->last.pane, &pane_processes);
    assert_int_equal(f->last.crumb_count, 2);
    press(f, "Backspace Esc");
    assert_ptr_equal(f->last.pane, &pane_processes);
    assert_int_equal(f->last.crumb_count, 0);
    assert_string_equal(f->last.filter, before.filter);
    assert_int_equal(f->last.sort, before.sort);
    assert_int_equal(cursor_id(f), id);
    assert_int_equal(f->last.anchor_line, before.anchor_line);
    fake_free(f);
}

/* What is pressed while a place is still being gathered is done when its rows are there;
 * leaving does not wait, and takes back what did. */
static void keys_wait_for_their_rows(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    f->holds_frames = true;
    press(f, "Enter Down Enter"); /* the second one is about a row that nobody knows yet */
    assert_ptr_equal(f->last.pane, &pane_disk);
    assert_int_equal(f->last.crumb_count, 1);
    serve(f);
    serve(f);
    assert_ptr_equal(f->last.pane, &pane_events);
    assert_int_equal(f->last.crumb_count, 2);
    assert_int_equal(f->last.crumbs[1].key.a, f->people[1].id);
    press(f, "Backspace Backspace");
    serve(f);
    press(f, "Enter Down Down q"); /* back, and nothing is left to be done */
    assert_int_equal(f->last.crumb_count, 0);
    serve(f);
    assert_int_equal(cursor_id(f), f->people[0].id);
    for (unsigned i = 0; i < 200; i++) /* more than anybody presses */
        press(f, "1 Enter Down");
    assert_int_equal(press(f, "C-c") & REACT_QUIT, REACT_QUIT);
    fake_free(f);
}

/* What is typed fast is about the rows that were asked for, not about those they replace. */
static void keys_wait_for_the_rows_of_a_filter(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    f->holds_frames = true;
    press(f, "/");
    type(f, "Sy");
    press(f, "Enter Down Enter");
    assert_string_equal(f->last.filter, "Sy");
    assert_int_equal(f->last.crumb_count, 0);
    serve(f);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(f->last.crumbs[0].key.a, f->people[9].id); /* the second */
    press(f, "Backspace");
    serve(f);
    press(f, "Down Down"); /* nothing was asked for: there is nothing to wait for */
    assert_int_equal(f->app.pending_count, 0);
    fake_free(f);
}

static void losses_are_listed(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 40, 4);
    press(f, ":");
    type(f, "loss");
    press(f, "Enter");
    shows(f, "Nothing is missing");
    press(f, "q");
    f->proto.loss.kernel = 1234;
    f->proto.bounds.rows_folded = 77;
    f->proto.unmatched = 5;
    f->proto.stacks_unmatched = 2;
    f->proto.bounds.stacks_short = 9;
    serve(f);
    shows(f, "left out 77");
    press(f, ":");
    type(f, "loss");
    press(f, "Enter");
    shows(f, "Missing since the start");
    shows(f, "kernel           1234");
    shows(f, "more or larger buffers");
    shows(f, "walks alone         2");
    shows(f, "short stacks        9");
    shows(f, "ends alone          3");
    shows(f, "rows               77");
    press(f, "Esc");
    shows_not(f, "Missing since");
    fake_free(f);
}

static void footprint_is_listed(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 40, 4);
    f->proto.footprint = (struct frame_footprint){
        .parts = {{"ring", "Records of all events", 48 << 20},
                  {"names", "Names, paths and command lines", 3 << 19},
                  {"symbols", "Names of functions", 0}},
        .count = 3,
        .resident = 90 << 20};
    serve(f);
    press(f, ":");
    type(f, "footprint");
    press(f, "Enter");
    shows(f, "Memory of this program");
    shows(f, "ring            48.0M   Records of all events");
    shows(f, "names           1.50M");
    shows(f, "symbols             \u00b7");
    shows(f, "sum             49.5M");
    shows(f, "process         90.0M");
    press(f, "Esc");
    shows_not(f, "Memory of this program");
    fake_free(f);
}

static void frames_of_another_place_are_not_shown(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    struct frame *late = answer(f, &f->last);
    f->holds_frames = true;
    press(f, "Enter");
    assert_int_equal(app_frame(&f->app, late), REACT_NONE);
    shows_not(f, "chrome.exe      ");
    shows(f, "gathering");
    serve(f);
    shows(f, "chrome.exe");
    fake_free(f);
}

static void escape_and_digit_make_a_function_key(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "/");
    type(f, "exe");
    press(f, "Enter Esc 1"); /* F1; and the filter is still there */
    shows(f, "Everywhere");
    press(f, "Esc");
    assert_string_equal(f->last.filter, "exe");
    press(f, "Enter Esc 6");
    assert_int_equal(f->last.crumb_count, 1);
    shows(f, "Sort by");
    press(f, "Esc Esc");
    f->now += 1000000000;
    press(f, "3"); /* too late: a digit */
    assert_ptr_equal(f->last.pane, &pane_disk);
    assert_true(press(f, "M-0") & REACT_QUIT);
    fake_free(f);
}

static void escape_never_quits_q_does_at_the_root(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    assert_false(press(f, "Esc Esc Enter q ? q v Esc") & REACT_QUIT);
    assert_int_equal(f->last.crumb_count, 0);
    assert_true(press(f, "q") & REACT_QUIT);
    assert_true(press(f, "Enter C-c") & REACT_QUIT);
    fake_free(f);
}

/* ---- events -------------------------------------------------------------------------------- */

static void events_show_their_fields(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "d Down Down Enter");
    assert_true(f->last.detail);
    assert_int_equal(f->last.anchor.a, 12);
    shows(f, "DiskNumber                3");
    shows(f, "evil␛[2Jname");
    shows(f, "Payload, 19 bytes");
    shows(f, "000000   30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef");
    shows(f, "000010   58 59 5a ");
    press(f, "Esc");
    assert_false(f->last.detail);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(cursor_id(f), 12);
    fake_free(f);
}

static void the_tail_follows_and_lets_go(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 200);
    f->proto.state = STATE_LIVE;
    serve(f);
    press(f, "d"); /* live: at the newest */
    assert_true(f->last.follow_tail);
    assert_int_equal(cursor_id(f), 4 + 199 * 4);
    shows(f, "by time, tail");
    f->people[f->count++] = (struct person){.id = 4000, .name = "new one"};
    serve(f);
    assert_int_equal(cursor_id(f), 4000);
    press(f, "Up");
    assert_false(f->last.follow_tail);
    assert_int_equal(cursor_id(f), 4 + 199 * 4);
    press(f, "F");
    assert_true(f->last.follow_tail);
    assert_int_equal(cursor_id(f), 4000);
    fake_free(f);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void typed_commands(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *says;
        int kind; /* of the command sent; -1 = none */
        double number;
    } cases[] = {
        {"speed 4", NULL, COMMAND_SPEED, 4},
        {"speed max", NULL, COMMAND_SPEED, 0},
        {"speed fast", "found \"fast\"", -1, 0},
        {"speed 0", "found \"0\"", -1, 0},
        {"pause", NULL, COMMAND_PAUSE, 0},
        {"resume", NULL, COMMAND_RESUME, 0},
        {"res", "no command \"res\"", -1, 0},
        {"time utc", NULL, -1, 0},
        {"time never", "found \"never\"", -1, 0},
        {"sort nothing", "no column \"nothing\"", -1, 0},
        {"frobnicate", "no command \"frobnicate\"", -1, 0},
        {"disk", " Disk ", -1, 0},
        {"", NULL, -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *f = fake_new(120, 30, 6);
        press(f, ":");
        type(f, cases[i].typed);
        press(f, "Enter");
        if (cases[i].says)
            shows(f, cases[i].says);
        assert_int_equal(f->commands, cases[i].kind >= 0);
        if (cases[i].kind >= 0) {
            assert_int_equal(f->command.kind, cases[i].kind);
            assert_true(f->command.number == cases[i].number);
        }
        fake_free(f);
    }
    struct fake *f = fake_new(100, 30, 6);
    press(f, ":");
    type(f, "spe");
    press(f, "Tab");
    type(f, "m");
    press(f, "Tab");
    assert_string_equal(f->app.prompt.text, "speed max");
    press(f, "C-u");
    type(f, "quit");
    assert_true(press(f, "Enter") & REACT_QUIT);
    fake_free(f);
}

static void idle_rows_and_the_order_are_asked_for(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    assert_false(f->last.hides_idle || f->last.holds_order);
    press(f, "i");
    assert_true(f->last.hides_idle);
    shows(f, "sort: CPU%▼  active");
    press(f, "O");
    assert_true(f->last.holds_order);
    shows(f, "sort: CPU%▼  active  held");
    press(f, "3"); /* hiding is for all panes, an order is one pane's */
    assert_true(f->last.hides_idle);
    assert_false(f->last.holds_order);
    press(f, "1 o");
    assert_false(f->last.hides_idle);
    assert_true(f->last.holds_order);
    shows_not(f, "active  held");
    press(f, "O");
    shows_not(f, " held");
    press(f, "i / n o t h i n g Enter");
    shows(f, "no row passes the filter");
    f->count = 0;
    press(f, "Esc");
    shows_not(f, "no row passes");
    fake_free(f);
}

/* Settings hold from when they are changed: the length of samples, and of frames below how much
 * share a row. */
static void changed_settings_hold(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    f->app.settings.interval_ns = 2000000000;
    press(f, "Z");
    assert_int_equal(f->commands, 0); /* not while it stands */
    press(f, "Z");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->command.kind, COMMAND_INTERVAL);
    assert_true(f->command.number == 2e9);
    press(f, "Down");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->last.stacks.cut_off, STACK_CUT_OFF_DEFAULT);
    f->app.settings.cut_off = 2.5;
    press(f, "Down");
    assert_int_equal(f->last.stacks.cut_off, 250);
    f->app.settings.cut_off = 0;
    press(f, "Down");
    assert_int_equal(f->last.stacks.cut_off, STACK_CUT_OFF_NONE);
    fake_free(f);
}

static void marks_are_put_and_said(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "m");
    type(f, "before the deploy");
    shows(f, "mark: before the deploy");
    assert_int_equal(f->commands, 0);
    press(f, "Enter");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->command.kind, COMMAND_MARK);
    assert_string_equal(f->command.text, "before the deploy");
    shows(f, "marked: before the deploy");
    assert_string_equal(f->last.filter, "");
    press(f, "F7 x Esc"); /* thought better of it */
    assert_int_equal(f->commands, 1);
    press(f, "F7 Up Enter"); /* what was typed before is offered again */
    assert_int_equal(f->commands, 2);
    assert_string_equal(f->command.text, "before the deploy");
    press(f, "F7 Enter");
    assert_int_equal(f->commands, 3);
    assert_string_equal(f->command.text, "");
    shows(f, "the mark is in Events");
    fake_free(f);
}

/* The longest text is cut between characters. */
static void long_marks_stay_text(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "m");
    for (int i = 0; i < 200; i++)
        press(f, "ä");
    press(f, "Enter");
    assert_int_equal(strlen(f->command.text), 254);
    assert_string_equal(f->command.text + 252, "ä");
    fake_free(f);
}

static void reset_wants_two_presses(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 6);
    press(f, "r");
    f->now += 2000000000;
    press(f, "r");
    assert_int_equal(f->commands, 0);
    press(f, "r");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->command.kind, COMMAND_RESET);
    fake_free(f);
}

static void tags_mark_rows(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Space Space Down");
    shows(f, "*       4 chrome.exe");
    shows(f, "*       8 svchost.exe");
    press(f, "Up Up Space");
    shows_not(f, "*       8 svchost.exe");
    press(f, "U");
    shows_not(f, "*       4 ");
    fake_free(f);
}

static void choosers_narrow_by_typing(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "s");
    type(f, "rea");
    press(f, "Enter");
    assert_int_equal(f->last.sort, 3);
    assert_false(f->last.ascending);
    press(f, "s Enter"); /* the same again inverts */
    assert_int_equal(f->last.sort, 3);
    assert_true(f->last.ascending);
    press(f, "v");
    type(f, "every");
    press(f, "Enter");
    assert_ptr_equal(f->last.pane, &pane_events);
    fake_free(f);
}

/* The header line, which no chooser covers. */
static bool header_has(struct fake *f, const char *title)
{
    char *all = screen(f);
    char *line = strstr(all, " NAME ");
    assert_non_null(line);
    line[strcspn(line, "\n")] = '\0';
    const bool has = strstr(line, title) != NULL;
    free(all);
    return has;
}

/* Ending a process asks, and only yes is yes. Whoever has the id by now began after the frame's
 * instant, and is left alone. */
static void ending_a_process_asks(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    shows(f, "not this machine");
    f->proto.state = STATE_LIVE;
    app_ask(&f->app);
    serve(f);
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    shows(f, "terminate?");
    press(f, "y Enter");
    shows(f, "nothing was terminated");
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    type(f, "yes");
    press(f, "Enter");
    shows(f, "process 4");
    f->app.settings.is_readonly = true;
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    shows(f, "read-only");
    fake_free(f);
}

static void columns_are_chosen(void **state)
{
    (void)state;
    struct fake *f = fake_new(80, 30, 60);
    assert_false(header_has(f, "SHARE %"));
    assert_true(header_has(f, "READ B/s"));
    press(f, "s");
    shows(f, "Space Show/Hide");
    type(f, "share");
    press(f, "Space");
    assert_true(header_has(f, "SHARE %"));
    press(f, "Backspace Backspace Backspace Backspace Backspace r e a d Space Esc");
    assert_false(header_has(f, "READ B/s"));
    assert_true(header_has(f, "SHARE %"));
    assert_int_equal(f->last.sort, 2); /* choosing columns does not sort */
    press(f, "Home 3 1 Enter");        /* disk, a level down, has its own */
    assert_true(header_has(f, "READ B/s"));
    press(f, "1"); /* the pane has them at every level */
    assert_false(header_has(f, "READ B/s"));
    press(f, "Esc");
    assert_false(header_has(f, "READ B/s"));
    press(f, "s r e a d Space Esc"); /* and back */
    assert_true(header_has(f, "READ B/s"));
    press(f, "s s h a r e Space Esc");
    assert_false(header_has(f, "SHARE %"));
    fake_free(f);
}

static void columns_that_cannot_be_chosen_say_so(void **state)
{
    (void)state;
    struct fake *f = fake_new(60, 30, 60);
    press(f, "s Space");
    shows(f, "CPU% stays: rows go by it");
    assert_true(header_has(f, "CPU%"));
    press(f, "c o m m a n d Space Esc"); /* 30 cells */
    assert_true(header_has(f, "CMD"));
    assert_false(header_has(f, "READ B/s"));
    press(f, "s s h a r e Space Esc"); /* 15, and there are 10 */
    shows(f, "no room for SHARE %; hide");
    assert_false(header_has(f, "SHARE %"));
    press(f, "s >"); /* sorting brings a hidden column back while it lasts */
    press(f, "Esc s r e a d Space Enter");
    assert_true(header_has(f, "READ B/s"));
    press(f, "v Space"); /* elsewhere a blank is a blank */
    shows(f, "narrow to:");
    shows_not(f, "Show/Hide");
    fake_free(f);
}

static void help_is_searched(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "?");
    shows(f, "Everywhere");
    press(f, "/");
    type(f, "freeze");
    shows_not(f, "Everywhere");
    shows(f, ":freeze");
    press(f, "Esc");
    shows(f, "Everywhere");
    press(f, "Space G");
    shows(f, "100%");
    fake_free(f);
}

static void the_mouse_selects_sorts_and_presses(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    struct key k = {.kind = KEY_CLICK, .x = 12, .y = 4 + 5};
    app_key(&f->app, &k, f->now);
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 5 * 4);
    k.y = 2;
    app_key(&f->app, &k, f->now);
    serve(f);
    assert_int_equal(f->last.sort, 1);
    k = (struct key){.kind = KEY_CLICK, .x = 3, .y = 29};
    app_key(&f->app, &k, f->now);
    shows(f, "Everywhere");
    fake_free(f);
}

static void asks_only_when_something_changed(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    const unsigned requests = f->requests;
    for (int i = 0; i < 10; i++)
        serve(f);
    press(f, "C-l # #");
    assert_int_equal(f->requests, requests + 2); /* hiding the machine line makes room, twice */
    fake_free(f);
}

/* Every key in every situation: nothing crashes, every screen can be drawn. */
static void every_key_everywhere(void **state)
{
    (void)state;
    static const char *const situations[] = {"",  "/",       ":",     "?",   "v", "s",
                                             "d", "d Enter", "Enter", "? /", "Z", "m",
                                             "_ d", "| _", "_ z", "_ Enter"};
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        for (size_t b = 0; b < keymap_count; b++) {
            struct fake *f = fake_new(i % 2 ? 100 : 44, i % 3 ? 30 : 9, 30);
            press(f, situations[i]);
            press(f, keymap[b].keys);
            char *all = screen(f);
            assert_true(strlen(all) > 8);
            free(all);
            fake_free(f);
        }
    }
}

/* ---- filters from cells ---- */

/* Whatever a cell holds: ">=" of it has its row, and none that is a thousandth less; "<" has it not. */
static void a_cell_has_its_own_row(void **state)
{
    (void)state;
    static const char *const columns[] = {"cpu", "read"};
    static const double numbers[] = {0, 1e-7, 0.001, 0.9999, 1.9, 4.1994, 4.19999, 9.9999, 42, 99.99,
                                     419.95, 999.95, 4199.5, 9999.9, 12345.6, 123456.7, 1e6, 1e9,
                                     4.2e11, 9.99999e15};
    uint32_t dice = 3;
    for (unsigned i = 0; i < 4000; i++) {
        const unsigned known = sizeof numbers / sizeof *numbers;
        dice = dice * 1664525u + 1013904223u;
        const double number = i < known ? numbers[i] : (double)(dice >> 4) / (1 << (dice & 15));
        for (unsigned c = 0; c < 2; c++)
            for (unsigned below = 0; below < 2; below++) {
                char value[64], text[96];
                struct filter f;
                struct filter_error why = {0, ""};
                struct filter_found same = {0, 0}, less = {0, 0};
                assert_true(filtering_floor(number, value, sizeof value));
                snprintf(text, sizeof text, "%s%s%s", columns[c], below ? "<" : ">=", value);
                if (!filter_init(&f, text, pane_find("processes"), NULL, &why))
                    fail_msg("%s: %s", text, why.text);
                filter_look_real(&f, 0, number, &same);
                filter_look_real(&f, 0, number * 0.999 - 1e-6, &less);
                if (filter_decide(&f, LEVEL_ROW, same) == below ||
                    filter_decide(&f, LEVEL_ROW, less) != below)
                    fail_msg("%s of %.17g", text, number);
                filter_fini(&f);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_what_the_frame_says),
        cmocka_unit_test(gives_way_when_small),
        cmocka_unit_test(columns_come_with_width),
        cmocka_unit_test(the_sorted_column_is_always_there),
        cmocka_unit_test(states_say_so_in_words),
        cmocka_unit_test(steps_freeze_and_stop_at_the_ends),
        cmocka_unit_test(steps_need_a_window),
        cmocka_unit_test(times_before_the_beginning_are_refused),
        cmocka_unit_test(times_can_be_typed),
        cmocka_unit_test(steps_keep_the_cursors_row),
        cmocka_unit_test(loss_is_shown_while_and_after),
        cmocka_unit_test(loss_is_listed_whole),
        cmocka_unit_test(titles_say_what_numbers_are_worth),
        cmocka_unit_test(the_demo_says_so),
        cmocka_unit_test(what_linux_lacks_is_said),
        cmocka_unit_test(names_are_made_harmless),
        cmocka_unit_test(names_without_width_or_with_two_keep_columns),
        cmocka_unit_test(ascii_screens_hold_nothing_else),
        cmocka_unit_test(the_cursor_belongs_to_the_row),
        cmocka_unit_test(the_first_row_stays_first),
        cmocka_unit_test(a_row_that_goes_leaves_its_neighbour),
        cmocka_unit_test(moving_needs_no_frame),
        cmocka_unit_test(keeps_its_line_when_asked),
        cmocka_unit_test(filters_while_typing),
        cmocka_unit_test(drills_and_comes_back),
        cmocka_unit_test(keys_wait_for_their_rows),
        cmocka_unit_test(keys_wait_for_the_rows_of_a_filter),
        cmocka_unit_test(losses_are_listed),
        cmocka_unit_test(footprint_is_listed),
        cmocka_unit_test(frames_of_another_place_are_not_shown),
        cmocka_unit_test(escape_and_digit_make_a_function_key),
        cmocka_unit_test(escape_never_quits_q_does_at_the_root),
        cmocka_unit_test(events_show_their_fields),
        cmocka_unit_test(the_tail_follows_and_lets_go),
        cmocka_unit_test(typed_commands),
        cmocka_unit_test(idle_rows_and_the_order_are_asked_for),
        cmocka_unit_test(changed_settings_hold),
        cmocka_unit_test(marks_are_put_and_said),
        cmocka_unit_test(long_marks_stay_text),
        cmocka_unit_test(reset_wants_two_presses),
        cmocka_unit_test(tags_mark_rows),
        cmocka_unit_test(choosers_narrow_by_typing),
        cmocka_unit_test(columns_are_chosen),
        cmocka_unit_test(ending_a_process_asks),
        cmocka_unit_test(columns_that_cannot_be_chosen_say_so),
        cmocka_unit_test(help_is_searched),
        cmocka_unit_test(the_mouse_selects_sorts_and_presses),
        cmocka_unit_test(asks_only_when_something_changed),
        cmocka_unit_test(a_cell_has_its_own_row),
        cmocka_unit_test(every_key_everywhere),
    };
    return cmocka_run_group_tests_name("ui_app", tests, NULL, NULL);
}
