/* The application between panes and an engine made for tests: keys go in, requests and screens come
 * out. Defines the list of panes: one file of a program includes it. */
#ifndef TESTS_MADE_APP_H
#define TESTS_MADE_APP_H

#include "tests/test.h"

#include "src/pane/panes.h"
#include "ui/draw/view.h"
#include "ui/main/dispatch.h"
#include "ui/state/app.h"

#include <math.h>
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
    const char *lack_why, *lack_fix; /* of the collector, or NULL */
    const char *notices[4]; /* of the collector, the newest last; NULL ends them */
    bool holds_frames;  /* an engine that takes its time */
    bool samples;       /* processor use is estimated */
    bool loses;         /* events are being lost */
    bool is_all_hidden; /* where a setting hides rows, it hides all of them */
    bool folds;         /* the first row of a table stands for processes that have exited */
    int64_t now;
};

struct made_frame {
    struct frame frame;
    struct value totals[8];
    struct frame_field fields[2];
    size_t used;
    char arena[ARENA]; /* of this and what follows only as much as is used is ever written */
    struct value cells[PEOPLE_MAX][8];
    struct frame_row rows[PEOPLE_MAX];
};

static inline struct value text_value(struct made_frame *m, enum value_type type, const char *text)
{
    const size_t bytes = strlen(text);
    assert_true(m->used + bytes < ARENA);
    memcpy(m->arena + m->used, text, bytes);
    const struct value v = {.type = (uint8_t)type, .text = {(uint32_t)m->used, (uint32_t)bytes}};
    m->used += bytes;
    return v;
}

static inline void fill_cells(struct made_frame *m, struct value *c, const struct pane *p,
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

static inline int by_cpu(const void *x, const void *y)
{
    const double a = (*(const struct person *const *)x)->cpu,
                 b = (*(const struct person *const *)y)->cpu;
    return a < b ? 1 : a > b ? -1 : 0;
}

static inline int by_id(const void *x, const void *y)
{
    const uint32_t a = (*(const struct person *const *)x)->id,
                   b = (*(const struct person *const *)y)->id;
    return a < b ? -1 : a > b;
}

/* The frame that an engine would give for a request. */
static inline struct frame *answer(struct fake *f, const struct request *r)
{
    struct made_frame *m = malloc(sizeof *m);
    assert_non_null(m);
    memset(m, 0, offsetof(struct made_frame, arena));
    const struct person *order[PEOPLE_MAX];
    unsigned shown = 0;
    for (unsigned i = 0; i < f->count; i++)
        if (strstr(f->people[i].name, r->filter) && !(f->is_all_hidden && r->hides))
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
        if (f->folds && i == 0 && r->pane->view == PANE_TABLE) {
            m->rows[row].crumb = CRUMB_GROUP;
            m->rows[row].flags = ROW_EXITED;
        }
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
                m->frame.crumbs[i].name = text_value(m, VALUE_TEXT, f->people[p].name);
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
    if (f->lack_why)
        m->frame.lack_why = text_value(m, VALUE_TEXT, f->lack_why);
    if (f->lack_fix)
        m->frame.lack_fix = text_value(m, VALUE_TEXT, f->lack_fix);
    for (size_t i = 0; i < sizeof f->notices / sizeof *f->notices && f->notices[i]; i++)
        m->frame.notices.texts[m->frame.notices.count++] = text_value(m, VALUE_TEXT, f->notices[i]);
    m->frame.arena = m->arena;
    m->frame.arena_bytes = m->used;
    return &m->frame;
}

static inline void on_request(void *state, const struct request *r, unsigned count)
{
    assert_in_range(count, 1, VIEWS_MAX);
    struct fake *f = state;
    f->last = *r;
    f->other_count = count - 1;
    memcpy(f->others, r + 1, f->other_count * sizeof *f->others);
    f->requests++;
}

static inline void on_command(void *state, const struct command *c)
{
    struct fake *f = state;
    f->command = *c;
    f->commands++;
}

static inline void on_release(void *state, struct frame *f)
{
    (void)state;
    free(f);
}

/* Answers until nothing new is asked. */
static inline void serve(struct fake *f)
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

static inline struct fake *fake_new(int columns, int rows, unsigned people)
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
                              .has_disks = true,
                              .disk_read = 1 << 20,
                              .anchor_row = -1};
    for (unsigned i = 0; i < GAUGES; i++)
        f->proto.gauges.now[i] = NAN;
    f->proto.gauges.now[GAUGE_CPU] = 37.5;
    f->proto.gauges.now[GAUGE_DISK_BUSY] = 0;
    f->proto.gauges.now[GAUGE_DISK_READ] = 1 << 20;
    f->proto.gauges.now[GAUGE_DISK_WRITE] = 0;
    f->now = 1000000000;
    const struct app_port port = {f, on_request, on_command, on_release};
    const struct app_options o = {
        .port = &port, .columns = columns, .rows = rows, .now = f->now, .is_still = true};
    app_init(&f->app, &o);
    grid_init(&f->grid, columns, rows, f->app.glyphs);
    f->app.settings.time = TIME_UTC;
    f->app.settings.meters = METERS_ONE;
    serve(f);
    return f;
}

static inline void fake_free(struct fake *f)
{
    app_fini(&f->app);
    grid_fini(&f->grid);
    free(f);
}

static inline unsigned press(struct fake *f, const char *names_of_keys)
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

static inline void type(struct fake *f, const char *text)
{
    for (; *text; text++) {
        char one[] = {*text, '\0'};
        press(f, *text == ' ' ? "Space" : one);
    }
}

/* The screen as text, to be freed. */
static inline char *screen(struct fake *f)
{
    app_draw(&f->app, &f->grid);
    return grid_to_text(&f->grid, false);
}

static inline void shows(struct fake *f, const char *text)
{
    char *all = screen(f);
    if (!strstr(all, text))
        fail_msg("expected \"%s\" on the screen:\n%s", text, all);
    free(all);
}

static inline void shows_not(struct fake *f, const char *text)
{
    char *all = screen(f);
    if (strstr(all, text))
        fail_msg("\"%s\" must not be on the screen:\n%s", text, all);
    free(all);
}

static inline uint32_t cursor_id(const struct fake *f)
{
    const struct frame_row *row = app_cursor_row(&f->app);
    return row ? row->key.a : 0;
}

#endif
