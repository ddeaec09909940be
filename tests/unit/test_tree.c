/* Rows as a tree: every row is the sum of what stands below it, what passes a filter keeps
 * what stands above it, siblings are sorted, folded rows hide theirs; and folders and frames
 * lead to exactly what they counted. */
#include "tests/feeder.h"
#include "tests/play.h"
#include "tests/shared.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 100000 };

static struct frame *ask_tree(struct stage *s, const char *pane, const char *filter)
{
    struct request *r = stage_request(s, pane);
    r->rows = ROWS;
    r->tree = true;
    snprintf(r->filter, sizeof r->filter, "%s", filter);
    return stage_ask(s);
}

static double number(struct value v)
{
    switch ((enum value_type)v.type) {
    case VALUE_ABSENT: return 0;
    case VALUE_COUNT: case VALUE_BYTES: return (double)v.count;
    case VALUE_TIME: return (double)v.ns;
    default: return v.number;
    }
}

static bool is_sum(const struct column *c)
{
    return (c->flags & COLUMN_SUMS) && c->get != get_cpu; /* which is of the machine */
}

static bool is_top(const struct frame_row *r)
{
    return !r->parent.a && !r->parent.b && !r->parent.c;
}

static bool is_about(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(a) + 1e-6;
}

static int row_of(const struct frame *f, struct row_key key)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (row_key_equal(f->rows[i].key, key))
            return (int)i;
    return -1;
}

/* What stands at the top makes the header; what stands below a row makes the row, less what
 * is its own: of folders nothing. */
static void adds_up(const struct frame *f, const struct frame *flat)
{
    unsigned parents = 0, owned = 0;
    assert_true(f->is_tree);
    for (size_t c = 0; c < f->pane->column_count; c++) {
        if (!is_sum(&f->pane->columns[c]))
            continue;
        double *below = calloc(f->row_count, sizeof *below), top = 0;
        for (unsigned i = 0; i < f->row_count; i++) {
            const struct frame_row *r = &f->rows[i];
            const double n = number(r->cells[c]);
            if (is_top(r)) {
                top += n;
                assert_int_equal(r->level, 0);
                continue;
            }
            const int above = row_of(f, r->parent);
            assert_true(above >= 0 && (unsigned)above < i);
            assert_int_equal(f->rows[above].level + 1, r->level);
            assert_int_equal(f->rows[above].fold, FOLD_OPEN);
            below[above] += n;
        }
        assert_true(is_about(top, number(f->totals[c])));
        for (unsigned i = 0; i < f->row_count; i++) {
            if (f->rows[i].fold != FOLD_OPEN)
                continue;
            const int own = row_of(flat, f->rows[i].key);
            const double mine = own >= 0 ? number(flat->rows[own].cells[c]) : 0;
            assert_true(is_about(below[i] + mine, number(f->rows[i].cells[c])));
            parents++;
            owned += own >= 0;
        }
        free(below);
    }
    assert_true(parents > 0 || f->hidden);
    assert_true(strcmp(f->pane->id, "processes") == 0 ? owned == parents : owned == 0);
}

/* Every row of the table stands in the tree, once. */
static void has_all_rows(const struct frame *f, const struct frame *flat)
{
    unsigned found = 0;
    for (unsigned i = 0; i < flat->row_count; i++)
        found += row_of(f, flat->rows[i].key) >= 0;
    assert_int_equal(found, flat->row_count);
}

static void is_sorted(const struct frame *f, unsigned sort)
{
    for (unsigned i = 0; i < f->row_count; i++)
        for (unsigned n = i + 1; n < f->row_count && f->rows[n].level >= f->rows[i].level; n++)
            if (f->rows[n].level == f->rows[i].level && row_key_equal(f->rows[n].parent, f->rows[i].parent)) {
                const struct value x = f->rows[i].cells[sort], y = f->rows[n].cells[sort];
                assert_true(y.type == VALUE_ABSENT || number(x) >= number(y));
                break;
            }
}

static const char *const trees[] = {"processes", "files", "diskfiles", "registry"};

enum { TREES = sizeof trees / sizeof *trees };

static void rows_are_sums(void **state)
{
    (void)state;
    static const char *const filters[] = {"", "e", "!s"};
    struct play p = play_new(31, PLAY_WHOLE);
    play_all(&p);
    for (unsigned n = 0; n < TREES; n++)
        for (unsigned k = 0; k < 3; k++) {
            struct frame *f = ask_tree(p.stage, trees[n], filters[k]);
            p.stage->request.tree = false;
            struct frame *flat = stage_ask(p.stage);
            adds_up(f, flat);
            has_all_rows(f, flat);
            is_sorted(f, p.stage->request.sort);
            assert_int_equal(f->hidden, flat->hidden);
            frame_free(f);
            frame_free(flat);
        }
    play_free(&p);
}

/* The same of whole intervals, where rows stand at different ages. */
static void intervals_are_sums(void **state)
{
    (void)state;
    struct play p = play_new(34, 1000000000);
    const int64_t start = synthetic_time(p.machine);
    for (unsigned step = 1; step <= 3; step++) {
        play_until(&p, start + step * 13000000);
        for (unsigned n = 0; n < TREES; n++) {
            stage_request(p.stage, trees[n])->rows = ROWS;
            p.stage->request.accumulate = false;
            struct frame *flat = stage_ask_now(p.stage);
            p.stage->request.tree = true;
            struct frame *f = stage_ask_now(p.stage);
            if (f->row_count && f->interval == flat->interval && f->events == flat->events)
                adds_up(f, flat);
            frame_free(f);
            frame_free(flat);
        }
    }
    play_free(&p);
}

/* Of a picture that runs the places are kept: rows that came meanwhile join them, and every sum is
 * that of now. */
static void what_comes_later_joins(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene scene = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    stage_play(s);
    for (uint32_t i = 0, events = 1; i < 60; i++) {
        const uint64_t file = 0xffff800000000000u + i * 64;
        char name[64];
        if (i == 0)
            send_thread(&scene, 1, HOOK_DC_START, 4, 8);
        snprintf(name, sizeof name, "\\Device\\Volume1\\dir%u\\file%u.dat", i % 7, i);
        send_file_name(&scene, 10 + i * 20, 0, file, name);
        send_disk(&scene, 11 + i * 20, false, 0, 512 + i, file, 300, 8);
        send_disk(&scene, 12 + i * 20, true, 0, 100, file - i / 2 * 64, 300, 8);
        for (events += 3; engine_figures(s->engine).events < events;)
            os_sleep(100000);
        stage_request(s, "diskfiles")->tree = true;
        struct frame *const f = stage_ask_now(s);
        s->request.tree = false;
        struct frame *const flat = stage_ask_now(s);
        assert_int_equal(flat->row_count, i + 1);
        if (i > 0) { /* one file alone is one row, no tree */
            adds_up(f, flat);
            has_all_rows(f, flat);
            is_sorted(f, s->request.sort);
        }
        frame_free(f);
        frame_free(flat);
    }
    stage_close(s);
}

static void folded_rows_hide(void **state)
{
    (void)state;
    struct play p = play_new(32, PLAY_WHOLE);
    play_all(&p);
    struct frame *open = ask_tree(p.stage, "files", "");
    unsigned at = 0;
    while (open->rows[at].fold != FOLD_OPEN || open->rows[at].level != 1)
        at++;
    unsigned below = 0;
    while (open->rows[at + 1 + below].level > open->rows[at].level)
        below++;
    assert_true(below > 1);
    struct request *r = &p.stage->request;
    r->folds[r->fold_count++] = open->rows[at].key;
    struct frame *f = stage_ask(p.stage);
    assert_int_equal(f->row_count, open->row_count - below);
    assert_int_equal(f->rows[at].fold, FOLD_SHUT);
    assert_memory_equal(&f->rows[at].cells[2].number, &open->rows[at].cells[2].number, sizeof(double));
    frame_free(f);
    r->folds_all = true; /* now it is the only one that is open, if it could be seen */
    f = stage_ask(p.stage);
    for (unsigned i = 0; i < f->row_count; i++)
        assert_int_equal(f->rows[i].level, 0);
    r->folds[0] = f->rows[0].key;
    frame_free(f);
    f = stage_ask(p.stage);
    assert_true(f->row_count > 1 && f->rows[1].level == 1);
    frame_free(f);
    /* The anchor keeps its line. */
    r->folds_all = false;
    r->fold_count = 0;
    r->rows = 10;
    r->has_anchor = true;
    r->anchor = open->rows[20].key;
    r->anchor_line = 4;
    f = stage_ask(p.stage);
    assert_int_equal(f->first, 16);
    assert_int_equal(f->anchor_row, 4);
    frame_free(f);
    frame_free(open);
    play_free(&p);
}

/* Of a picture that stands still the tree is kept: what it answers stays, row by row, and
 * another order, other folds, another filter are answered anew. */
static void a_kept_tree_answers_the_same(void **state)
{
    (void)state;
    struct play p = play_new(35, PLAY_WHOLE);
    play_all(&p);
    stage_finish(p.stage);
    for (unsigned n = 0; n < TREES; n++) {
        struct frame *whole = ask_tree(p.stage, trees[n], "");
        struct request *r = &p.stage->request;
        r->rows = 7;
        for (unsigned first = 0; first + 7 < whole->row_count && first < 40; first += 5) {
            r->first = first;
            struct frame *f = stage_ask(p.stage);
            assert_int_equal(f->shown, whole->row_count);
            for (unsigned i = 0; i < f->row_count; i++) {
                assert_true(row_key_equal(f->rows[i].key, whole->rows[first + i].key));
                assert_true(row_key_equal(f->rows[i].parent, whole->rows[first + i].parent));
                for (size_t c = 0; c < f->pane->column_count; c++)
                    if (is_sum(&f->pane->columns[c]))
                        assert_true(is_about(number(f->rows[i].cells[c]),
                                             number(whole->rows[first + i].cells[c])));
            }
            frame_free(f);
        }
        r->first = 0;
        r->folds_all = true;
        struct frame *shut = stage_ask(p.stage);
        assert_true(shut->shown < whole->row_count);
        r->folds_all = false;
        snprintf(r->filter, sizeof r->filter, "no such name");
        struct frame *none = stage_ask(p.stage);
        assert_int_equal(none->shown, 0);
        r->filter[0] = '\0';
        r->freeze = true;
        struct frame *frozen = stage_ask(p.stage);
        assert_int_equal(frozen->shown, whole->row_count);
        r->freeze = false;
        frame_free(stage_ask(p.stage));
        frame_free(frozen);
        frame_free(none);
        frame_free(shut);
        frame_free(whole);
    }
    play_free(&p);
}

/* Below a folder there is what it summed up, in this pane and in others. */
static void folders_lead_to_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *pane, *column;
    } ways[] = {{"files", "ops"}, {"diskfiles", "read"}, {"registry", "ops"}};
    struct play p = play_new(33, PLAY_WHOLE);
    play_all(&p);
    for (unsigned n = 0; n < 3; n++) {
        struct frame *f = ask_tree(p.stage, ways[n].pane, "");
        unsigned tried = 0;
        for (unsigned i = 0; i < f->row_count && tried < 6; i++) {
            if (f->rows[i].crumb != CRUMB_FOLDER)
                continue;
            struct request *r = stage_request(p.stage, ways[n].pane);
            r->rows = ROWS;
            r->crumbs[0] = (struct crumb){.kind = CRUMB_FOLDER, .key = f->rows[i].key};
            r->crumb_count = 1;
            struct frame *inside = stage_ask(p.stage);
            assert_int_equal(amount(inside, total(inside, ways[n].column), ways[n].column),
                             amount(f, cell(f, i, ways[n].column), ways[n].column));
            assert_true(inside->crumbs[0].name.type == VALUE_PATH);
            frame_free(inside);
            tried++;
        }
        assert_true(tried > 2);
        frame_free(f);
    }
    play_free(&p);
}

/* The events behind a frame are as many as the call tree counted there. */
static void frames_lead_to_their_events(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/perfview-win7-PerfViewData.etl.zst");
    struct stage *s = stage_open(1, 4 << 20, 1 << 16);
    struct feeder feed = {.stage = s, .file = found.gl_pathv[0]};
    assert_true(feeder_open(&feed));
    stage_play(s);
    feeder_start(&feed);
    stage_request(s, "stacks")->rows = ROWS;
    struct frame *f = stage_ask(s);
    for (unsigned i = 0, tried = 0; tried < 5; i += 7, tried++) {
        assert_true(i < f->row_count);
        struct request *r = stage_request(s, "rates");
        r->rows = ROWS;
        r->crumbs[0] = (struct crumb){.kind = f->rows[i].crumb, .key = f->rows[i].key};
        r->crumb_count = 1;
        struct frame *inside = stage_ask(s);
        assert_int_equal(f->rows[i].crumb, CRUMB_FRAME);
        assert_int_equal(total(inside, "count").count, cell(f, i, "samples").count);
        assert_non_null(
            strstr(text_of(f, cell(f, i, "frame")), text_of(inside, inside->crumbs[0].name)));
        frame_free(inside);
    }
    frame_free(f);
    feeder_stop(&feed);
    stage_close(s);
    globfree(&found);
}

/* A process stands below the one that started it, not below a later one with the same id;
 * and two that name each other as parents hang nobody. */
static void parents_are_those_of_then(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = 8};
    stage_play(s);
    send_process(&by, 1000, HOOK_START, 100, 4, "mother.exe");
    send_process(&by, 2000, HOOK_START, 200, 100, "child.exe");
    send_process(&by, 3000, HOOK_START, 300, 400, "early.exe"); /* 400 starts later: it is not its mother */
    send_process(&by, 4000, HOOK_START, 400, 300, "late.exe");
    stage_finish(s);
    struct frame *f = ask_tree(s, "processes", "");
    const int mother = row_named(f, "name", "mother.exe"), child = row_named(f, "name", "child.exe"),
              early = row_named(f, "name", "early.exe"), late = row_named(f, "name", "late.exe");
    assert_true(mother >= 0 && child >= 0 && early >= 0 && late >= 0);
    assert_true(row_key_equal(f->rows[child].parent, f->rows[mother].key));
    assert_true(row_key_equal(f->rows[late].parent, f->rows[early].key));
    assert_true(is_top(&f->rows[early]));
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sums),
        cmocka_unit_test(intervals_are_sums),
        cmocka_unit_test(what_comes_later_joins),
        cmocka_unit_test(folded_rows_hide),
        cmocka_unit_test(a_kept_tree_answers_the_same),
        cmocka_unit_test(folders_lead_to_their_own),
        cmocka_unit_test(frames_lead_to_their_events),
        cmocka_unit_test(parents_are_those_of_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
