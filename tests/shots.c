#include "tests/shots.h"

#include "tests/test.h"

#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/pane/panes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20000, LINE = 4096 };

/* Only what hangs takes as long. */
static const int64_t TIMEOUT = 240000000000;

/* One pane of one interval. */
struct shot {
    uint64_t interval; /* which was over on the screen; 0: not yet caught */
    struct frame *live, *stepped;
};

struct shots {
    const char *const *panes;
    unsigned pane_count, count; /* each pane has `count` of them, one after the other */
    uint64_t settled; /* intervals up to this one are no whole ones */
    int64_t origin, length;
    uint32_t late;    /* classes of events that came when their interval was over */
    struct shot *all; /* pane by pane */
};

static struct frame *ask(struct engine *e, const char *pane, int64_t from, int64_t to,
                         bool is_settled)
{
    static uint64_t sequence = 1000;
    struct request r = {.sequence = ++sequence,
                        .pane = pane_find(pane),
                        .rows = ROWS,
                        .hides_idle = true,
                        .from_ns = from,
                        .to_ns = to};
    assert_non_null(r.pane);
    r.sort = 0;
    engine_request(e, &r);
    struct frame *const f = engine_wait_frame(e, sequence, is_settled, TIMEOUT);
    assert_non_null(f);
    return f;
}

/* ---- the screen -------------------------------------------------------------------------- */

static unsigned total(const struct shots *s)
{
    return s->pane_count * s->count;
}

static const char *pane_of(const struct shots *s, unsigned i)
{
    return s->panes[i / s->count];
}

static int64_t end_of(const struct shots *s, const struct shot *shot)
{
    return s->origin + (int64_t)shot->interval * s->length - 1;
}

/* The pane's next shot, if another interval is over by now. */
static bool catch (struct shots *s, struct engine *from, unsigned pane)
{
    struct shot *const mine = s->all + (size_t)pane * s->count;
    unsigned have = 0;
    while (have < s->count && mine[have].live)
        have++;
    if (have == s->count)
        return false;
    struct frame *f = NULL;
    do { /* what is counted when it is asked for takes a while */
        frame_free(f);
        f = ask(from, s->panes[pane], 0, 0, false);
    } while (f->is_partial);
    const uint64_t last = have ? mine[have - 1].interval : s->settled;
    if (f->interval <= last) {
        frame_free(f);
        return false;
    }
    mine[have] = (struct shot){.interval = f->interval, .live = f};
    s->origin = f->origin;
    s->length = f->sample_ns;
    return true;
}

static bool is_complete(const struct shots *s)
{
    for (unsigned i = 0; i < total(s); i++)
        if (!s->all[i].live)
            return false;
    return true;
}

/* The interval of a shot, as one who steps back to it sees it. */
static struct frame *step_back(const struct shots *s, unsigned i, struct engine *in,
                               bool is_settled)
{
    const int64_t to = end_of(s, &s->all[i]);
    struct frame *f = NULL;
    do {
        frame_free(f);
        f = ask(in, pane_of(s, i), to - s->length, to, is_settled);
    } while (f->is_partial);
    return f;
}

struct shots *shots_new(const char *const *shown, unsigned count)
{
    struct shots *const s = mem_new(1, sizeof *s);
    s->panes = shown;
    s->count = count;
    while (shown[s->pane_count])
        s->pane_count++;
    s->all = mem_new(total(s), sizeof *s->all);
    s->settled = 2; /* what began with the session */
    return s;
}

bool shots_look(struct shots *s, struct engine *e)
{
    for (unsigned p = 0; p < s->pane_count; p++)
        catch (s, e, p);
    return is_complete(s);
}

void shots_watch(struct shots *s, struct engine *e)
{
    const int64_t until = os_now() + TIMEOUT;
    struct frame *const now = ask(e, s->panes[0], 0, 0, false);
    s->settled = now->interval + 1 > s->settled ? now->interval + 1 : s->settled;
    frame_free(now);
    while (!shots_look(s, e)) {
        os_sleep(5000000);
        assert_true(os_now() < until);
    }
}

void shots_wait_behind(const struct shots *s, struct engine *e)
{
    const int64_t until = os_now() + TIMEOUT;
    int64_t end = INT64_MIN, newest;
    for (unsigned i = 0; i < total(s); i++)
        end = end_of(s, &s->all[i]) > end ? end_of(s, &s->all[i]) : end;
    do {
        assert_true(os_now() < until);
        struct frame *const f = ask(e, s->panes[0], 0, 0, false);
        newest = f->newest_ns;
        frame_free(f);
    } while (newest <= end);
}

void shots_step_back(struct shots *s, struct engine *e)
{
    for (unsigned i = 0; i < total(s); i++) {
        frame_free(s->all[i].stepped);
        s->all[i].stepped = step_back(s, i, e, false);
        s->late |= s->all[i].stepped->late_classes;
    }
}

void shots_free(struct shots *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < total(s); i++) {
        frame_free(s->all[i].live);
        frame_free(s->all[i].stepped);
    }
    free(s->all);
    free(s);
}

unsigned shots_count(const struct shots *s)
{
    return total(s);
}

int64_t shots_origin(const struct shots *s)
{
    return s->origin;
}

int64_t shots_begin(const struct shots *s)
{
    int64_t begin = INT64_MAX;
    for (unsigned i = 0; i < total(s); i++)
        if (end_of(s, &s->all[i]) + 1 - s->length < begin)
            begin = end_of(s, &s->all[i]) + 1 - s->length;
    return begin;
}

/* ---- what is compared ------------------------------------------------------------------------ */

/* One pane of one interval, on the screen and of the trace. */
struct comparison {
    const struct frame *before, *after;
    uint64_t interval;
    bool is_live;
    bool goes_on;               /* the machine, until the snapshot */
    uint32_t late;              /* classes that the live screen was not complete about */
    const char *const *excused; /* columns */
    bool is_silent;             /* differences are counted, not printed */
};

static bool is_listed(const char *const *list, const struct frame *f, const struct column *c)
{
    char id[128];
    snprintf(id, sizeof id, "%s.%s", f->pane->id, c->id);
    for (; list && *list; list++)
        if (strcmp(*list, id) == 0)
            return true;
    return false;
}

static const struct measure *measure_of(const struct frame *f, const char *id)
{
    for (size_t i = 0; id && i < f->pane->measure_count; i++)
        if (strcmp(f->pane->measures[i].id, id) == 0)
            return &f->pane->measures[i];
    return NULL;
}

/* Columns about all the time since the start, or about this moment: with a step back, about the
 * interval or its end. Which of several weighs most (MEASURE_MOST) is estimated as events come,
 * live from all of them and with a step back from the interval's. The arguments and exit of a
 * process, the module of a thread and the file of a disk operation may come a moment later. */
static bool is_of_the_live_screen(const struct frame *f, const struct column *c)
{
    static const char *const others[] = {"processes.age",   "processes.exit",   "processes.cmd",
                                         "threads.cmd",     "cpu.module",       "threads.module",
                                         "images.unloaded", "files.disk_share", "files.first",
                                         "files.last",      "interrupts.last",  "calls.last",
                                         "network.age",     "network.state",    "network.bytes",
                                         "network.closed",  "memory.net",       NULL};
    const struct measure *const m = measure_of(f, c->measure);
    /* Sums are of all the session on the live screen, of the interval in what is opened again. */
    return c->flags & COLUMN_IS_SUM || (m && m->kind == MEASURE_MOST) || is_listed(others, f, c);
}

/* Live, an event that came when its interval was over is counted in the next one; the screen
 * says so. Parts of all are of all that is counted. */
static bool is_short_of_late(const struct comparison *c, const struct column *it)
{
    const struct frame *const f = c->before;
    const struct measure *const a = measure_of(f, it->measure), *const b =
                                                                    measure_of(f, it->measure2);
    const uint32_t of = !a && !b ? f->pane->classes : (a ? a->classes : 0) | (b ? b->classes : 0);
    const bool is_counted = a || b || it->type == VALUE_PERCENT;
    return is_counted && of & c->late;
}

/* Never: these are about this moment (where a thread ran last, how many there are), or about all
 * since the start (the mean size of a kind of event), of which the trace has a part; stepping back
 * shows them as they are now, too. Trends show earlier intervals, which the trace may not have. */
static bool is_compared(const struct comparison *c, unsigned column)
{
    static const char *const now[] = {"cpu.cpu", "processes.threads", "rates.size", NULL};
    const struct frame *const f = c->before;
    const struct column *const it = &f->pane->columns[column];
    const bool is_missing = (c->before->missing | c->after->missing) >> column & 1;
    return !is_missing && it->type != VALUE_SERIES && !is_listed(now, f, it) && !is_listed(c->excused, f, it) &&
           !(c->is_live && (is_of_the_live_screen(f, it) || is_short_of_late(c, it)));
}

static size_t put_value(char *out, size_t room, const struct frame *f, struct value v)
{
    int used = 0;
    switch (v.type) {
    case VALUE_ABSENT:
        used = snprintf(out, room, "-");
        break;
    case VALUE_TEXT:
    case VALUE_PATH:
        used = snprintf(out, room, "%.*s", (int)v.text.bytes, f->arena + v.text.offset);
        break;
    case VALUE_RATE:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        used = snprintf(out, room, "%.6g", v.number);
        break;
    case VALUE_TIME:
    case VALUE_INSTANT:
        used = snprintf(out, room, "%" PRId64, v.ns);
        break;
    default:
        used = snprintf(out, room, "%" PRIu64, v.count);
    }
    return used < 0 ? 0 : (size_t)used < room ? (size_t)used : room - 1;
}

/* A row's line is its numbers, a TEXTS, and its texts. */
static const char TEXTS[] = "\t| ";

static bool is_text(const struct column *c)
{
    return c->type == VALUE_TEXT || c->type == VALUE_PATH;
}

static void add_cells(const struct comparison *c, const struct frame *f, const struct value *cells,
                      bool are_texts, char *line)
{
    size_t used = strlen(line);
    for (size_t i = 0; i < f->pane->column_count; i++) {
        const struct column *const it = &f->pane->columns[i];
        if (!is_compared(c, (unsigned)i) || is_text(it) != are_texts)
            continue;
        const int name = snprintf(line + used, LINE - used, "%s=", it->id);
        used += name > 0 && (size_t)name < LINE - used ? (size_t)name : 0;
        used += put_value(line + used, LINE - used, f, cells[i]);
        if (used + 2 < LINE)
            line[used++] = '\t';
    }
    line[used] = '\0';
}

static char *line_of(const struct comparison *c, const struct frame *f, const struct value *cells)
{
    char *const line = mem_new(LINE + sizeof TEXTS, 1);
    add_cells(c, f, cells, false, line);
    strcat(line, TEXTS);
    add_cells(c, f, cells, true, line);
    return line;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
    char **lines;
    size_t count;
};

static bool is_nothing(struct value v)
{
    switch (v.type) {
    case VALUE_RATE:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        return v.number == 0;
    case VALUE_TIME:
        return v.ns == 0;
    default:
        return v.type == VALUE_ABSENT || v.count == 0;
    }
}

/* Live, rows that have only begun since the interval's end stand there with zeros. */
static bool did_nothing(const struct comparison *c, const struct frame *f,
                        const struct frame_row *row)
{
    for (size_t i = 0; i < f->pane->column_count; i++)
        if (f->pane->columns[i].flags & COLUMN_SUMS && is_compared(c, (unsigned)i) &&
            !is_nothing(row->cells[i]))
            return false;
    return true;
}

static struct lines lines_of(const struct comparison *c, const struct frame *f)
{
    struct lines l = {mem_new(f->row_count + 1, sizeof *l.lines), 0};
    assert_true(f->shown <= ROWS);
    for (unsigned i = 0; i < f->row_count; i++)
        if (!c->is_live || !did_nothing(c, f, &f->rows[i]))
            l.lines[l.count++] = line_of(c, f, f->rows[i].cells);
    qsort(l.lines, l.count, sizeof *l.lines, by_text);
    return l;
}

static void lines_free(struct lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->lines[i]);
    free(l->lines);
}

/* `sign`: - on the screen alone, + in the trace alone. */
static unsigned print_difference(const struct comparison *c, char sign, const char *line)
{
    if (c->is_silent)
        return 1;
    print_error("%s, %s interval %" PRIu64 ": %c %s\n", c->before->pane->id,
                c->is_live ? "live" : "stepped back", c->interval, sign, line);
    return 1;
}

/* A process has the name that it had then, which is another after its exec, and what had no name
 * may get one before the snapshot is taken. Such rows are equal in all but their texts. */
static bool is_renamed(const struct comparison *c, const char *a, const char *b)
{
    const char *const texts = strstr(a, TEXTS);
    return (c->is_live || c->goes_on) && strncmp(a, b, (size_t)(texts - a) + sizeof TEXTS - 1) == 0;
}

/* Takes a line out of those that are left of the trace's which is the other but for its name. */
static bool take_renamed(const struct comparison *c, const char *line, const struct lines *left)
{
    for (size_t i = 0; i < left->count; i++)
        if (left->lines[i] && is_renamed(c, line, left->lines[i])) {
            left->lines[i] = NULL;
            return true;
        }
    return false;
}

/* What one has and the other has not. */
static unsigned differ(const struct comparison *c, const struct lines *a, const struct lines *b)
{
    struct lines only_a = {mem_new(a->count + 1, sizeof *a->lines), 0};
    struct lines only_b = {mem_new(b->count + 1, sizeof *b->lines), 0};
    unsigned count = 0;
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        const int order = i == a->count ? 1 : k == b->count ? -1 : strcmp(a->lines[i], b->lines[k]);
        if (order < 0)
            only_a.lines[only_a.count++] = a->lines[i];
        else if (order > 0)
            only_b.lines[only_b.count++] = b->lines[k];
        i += order <= 0;
        k += order >= 0;
    }
    for (size_t i = 0; i < only_a.count; i++)
        if (!take_renamed(c, only_a.lines[i], &only_b))
            count += print_difference(c, '-', only_a.lines[i]);
    for (size_t i = 0; i < only_b.count; i++)
        if (only_b.lines[i])
            count += print_difference(c, '+', only_b.lines[i]);
    free(only_a.lines);
    free(only_b.lines);
    return count;
}

/* ---- the trace ------------------------------------------------------------------------------- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b));
}

static unsigned compare_machine(const struct comparison *c)
{
    char line[256];
    const struct frame *const a = c->before, *const b = c->after;
    if (is_near(a->cpu_percent, b->cpu_percent) && is_near(a->disk_read, b->disk_read) &&
        is_near(a->disk_write, b->disk_write))
        return 0;
    snprintf(line, sizeof line, "machine: cpu %f, then %f; read %f, %f; write %f, %f",
             a->cpu_percent, b->cpu_percent, a->disk_read, b->disk_read, a->disk_write,
             b->disk_write);
    return print_difference(c, '!', line);
}

static unsigned compare(const struct comparison *c)
{
    struct lines before = lines_of(c, c->before), after = lines_of(c, c->after);
    unsigned count = differ(c, &before, &after);
    char *const total = line_of(c, c->before, c->before->totals);
    char *const again = line_of(c, c->after, c->after->totals);
    if (strcmp(total, again) != 0 && !is_renamed(c, total, again))
        count += print_difference(c, '-', total) + print_difference(c, '+', again);
    count += compare_machine(c);
    free(total);
    free(again);
    lines_free(&before);
    lines_free(&after);
    return count;
}

/* Some panes are counted when they are asked for, up to just now. */
static bool counts_live(const struct pane *p)
{
    return p->view == PANE_TABLE && !p->is_scanned;
}

/* Of the time before, the one or the other says that it keeps nothing any more. */
static bool is_gone(const struct shots *s, const struct shot *shot, const struct frame *f)
{
    return f->kept_first > end_of(s, shot) - s->length;
}

/* Rows of files may be shown before the file of an operation is known: then "(unknown)" has rows of
 * other files. */
static bool knows_its_rows(const struct frame *f)
{
    const struct column *const path = pane_column(f->pane, "path");
    for (unsigned i = 0; path && i < f->row_count; i++) {
        const struct value *const v = &f->rows[i].cells[path - f->pane->columns];
        if (v->text.bytes && f->arena[v->text.offset] == '(')
            return false;
    }
    return true;
}

bool shots_stay(const struct shots *s, struct engine *e, const char *const *excused)
{
    unsigned different = 0;
    for (unsigned i = 0; i < total(s); i++) {
        const struct shot *const shot = &s->all[i];
        struct frame *const now = step_back(s, i, e, false);
        const struct comparison c = {.before = shot->stepped,
                                     .after = now,
                                     .interval = shot->interval,
                                     .goes_on = true,
                                     .excused = excused,
                                     .is_silent = true};
        if (!is_gone(s, shot, shot->stepped) && !is_gone(s, shot, now) &&
            knows_its_rows(c.before) && knows_its_rows(c.after))
            different += compare(&c);
        frame_free(now);
    }
    return !different;
}

unsigned shots_compare(const struct shots *s, struct engine *again, int64_t first, int64_t last,
                       bool goes_on, const char *const *excused)
{
    unsigned compared = 0, different = 0;
    frame_free(ask(again, s->panes[0], 0, 0, true));
    for (unsigned i = 0; i < total(s); i++) {
        const struct shot *const shot = &s->all[i];
        if (end_of(s, shot) - s->length < first || end_of(s, shot) > last)
            continue;
        struct frame *const now = step_back(s, i, again, true);
        if (is_gone(s, shot, shot->stepped) || is_gone(s, shot, now)) {
            frame_free(now);
            continue;
        }
        struct comparison c = {.before = shot->stepped,
                               .after = now,
                               .interval = shot->interval,
                               .goes_on = goes_on,
                               .late = s->late,
                               .excused = excused};
        if (!goes_on || (knows_its_rows(c.before) && knows_its_rows(c.after)))
            different += compare(&c);
        c.before = shot->live;
        c.is_live = true;
        if (counts_live(c.before->pane) && knows_its_rows(c.before))
            different += compare(&c);
        frame_free(now);
        compared++;
    }
    assert_int_equal(different, 0);
    return compared;
}
