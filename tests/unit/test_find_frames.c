/* Finding frames of call trees: as many as the whole tree has, each met once and in the tree's
 * order, in every shape; what hides one is named, and the frame shows it nevertheless. */
#include "tests/play.h"
#include "tests/sanitizer.h"

#include "src/filter/filter.h"
#include "src/pane/panes.h"

#include <stdio.h>

enum { ROWS = 100000, STEPS = IS_SANITIZED ? 10 : 40 };

struct sought_frame {
    const char *text;    /* in the filter language */
    const char *needle;  /* what the frame's cell then holds; NULL: */
    char letter;         /* whose code it then is */
};

static const struct sought_frame cases[] = {
    {"kernel32.dll", "kernel32.dll", 0},       {"module=kernel32.dll", "kernel32.dll!", 0},
    {"KernelBase", "KernelBase", 0},           {"module:kernelbase", "KernelBase", 0},
    {"kind=kernel", NULL, 'k'},                {"kind=d", NULL, 'd'},
    {"frame=ntdll.dll!*", "ntdll.dll!", 0},
};

/* One process after the other has deep stacks of many frames: small events make large trees. */
static struct request request_of(unsigned shape, bool is_flame)
{
    return (struct request){.pane = pane_find("stacks"),
                            .stacks = {.shape = (uint8_t)shape, .is_flame = is_flame}};
}

static struct frame *ask(const struct play *p, const struct request *wanted)
{
    struct request *const r = stage_request(p->stage, wanted->pane->id);
    const uint64_t sequence = r->sequence;
    const unsigned sort = r->sort;
    *r = *wanted;
    r->sequence = sequence;
    r->sort = sort;
    r->rows = ROWS;
    return stage_ask(p->stage);
}

static const char *text_of_row(const struct frame *f, unsigned row, const char *column)
{
    static char text[2048];
    const struct value *const v =
        &f->rows[row].cells[pane_column(f->pane, column) - f->pane->columns];
    snprintf(text, sizeof text, "%.*s", v->type == VALUE_TEXT ? (int)v->text.bytes : 0,
             f->arena + v->text.offset);
    return text;
}

static bool fits(const struct frame *f, unsigned row, const struct sought_frame *c)
{
    if (c->needle)
        return strstr(text_of_row(f, row, "frame"), c->needle) != NULL;
    return text_of_row(f, row, "mode")[0] == c->letter;
}

/* The whole tree, in its order. */
static struct frame *ask_whole(const struct play *p, struct request r)
{
    r.stacks.cut_off = STACK_CUT_OFF_NONE;
    r.folds_all = false;
    r.fold_count = 0;
    r.seek = SEEK_NOT;
    return ask(p, &r);
}

static void expect_walk(const struct play *p, struct request r, const struct sought_frame *c)
{
    snprintf(r.find, sizeof r.find, "%s", c->text);
    struct frame *const whole = ask_whole(p, r);
    unsigned *const hits = mem_new(whole->row_count, sizeof *hits);
    unsigned count = 0;
    for (unsigned i = 0; i < whole->row_count; i++) {
        assert_int_equal((whole->rows[i].flags & ROW_FOUND) != 0, fits(whole, i, c));
        if (fits(whole, i, c))
            hits[count++] = i;
    }
    assert_true(count > 1);
    r.seek = SEEK_HERE;
    for (unsigned i = 0; i < count && i < STEPS; i++) {
        struct frame *const f = ask(p, &r);
        assert_true(f->is_sought && f->has_found);
        assert_int_equal(f->found_count, count);
        assert_int_equal(f->found_at, i + 1);
        assert_true(row_key_equal(f->found, whole->rows[hits[i]].key));
        if (!r.stacks.is_flame) {
            assert_true(f->anchor_row >= 0);
            assert_true(f->rows[f->anchor_row].flags & ROW_FOUND);
            assert_true(row_key_equal(f->rows[f->anchor_row].key, f->found));
        }
        r.has_anchor = true;
        r.anchor = f->found;
        r.seek = SEEK_NEXT;
        frame_free(f);
    }
    r.anchor = whole->rows[hits[0]].key;
    r.seek = SEEK_PREVIOUS;
    struct frame *const f = ask(p, &r);
    assert_true(row_key_equal(f->found, whole->rows[hits[count - 1]].key));
    assert_int_equal(f->found_at, count);
    frame_free(f);
    frame_free(whole);
    free(hits);
}

static void every_shape_meets_each_once(void **state)
{
    (void)state;
    static const struct {
        unsigned shape;
        bool is_flame, folds_all;
    } looks[] = {{STACK_CALLEES, false, false}, {STACK_CALLEES, false, true},
                 {STACK_CALLERS, false, false}, {STACK_FLAT, false, false},
                 {STACK_CALLEES, true, false},  {STACK_CALLERS, true, false}};
    struct play p = play_new_in(71, 1000000000, 4 << 20, 8000);
    play_all(&p);
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            struct request r = request_of(looks[i].shape, looks[i].is_flame);
            r.folds_all = looks[i].folds_all;
            expect_walk(&p, r, &cases[c]);
        }
    play_free(&p);
}

/* All rows are folded: the rows above the match are reported, and once they are unfolded it is
 * there without another search. */
static void what_hides_it_is_reported(void **state)
{
    (void)state;
    struct play p = play_new_in(72, 1000000000, 4 << 20, 8000);
    play_all(&p);
    struct request r = request_of(STACK_CALLEES, false);
    r.folds_all = true;
    r.stacks.cut_off = STACK_CUT_OFF_NONE;
    r.seek = SEEK_HERE;
    snprintf(r.find, sizeof r.find, "depth>=8");
    struct frame *f = ask(&p, &r);
    assert_true(f->has_found);
    assert_true(f->found_shut_count >= 7 && f->found_shut_count <= FOLDS_MAX);
    r.fold_count = f->found_shut_count;
    memcpy(r.folds, f->found_shut, f->found_shut_count * sizeof *r.folds);
    r.has_anchor = true;
    r.anchor = f->found;
    r.find[0] = '\0';
    r.seek = SEEK_NOT;
    frame_free(f);
    f = ask(&p, &r);
    assert_true(f->anchor_row >= 0 && row_key_equal(f->rows[f->anchor_row].key, r.anchor));
    assert_int_equal(f->found_shut_count, 0);
    frame_free(f);
    r.fold_count = 0;
    f = ask(&p, &r);
    assert_int_equal(f->anchor_row, -1);
    frame_free(f);
    play_free(&p);
}

/* Numbers are those of the rows; of a time, times. */
static void weights_are_compared(void **state)
{
    (void)state;
    struct play p = play_new_in(73, 1000000000, 4 << 20, 8000);
    play_all(&p);
    struct request r = request_of(STACK_FLAT, false);
    r.stacks.cut_off = STACK_CUT_OFF_NONE;
    snprintf(r.find, sizeof r.find, "total>2 self>=1");
    struct frame *f = ask(&p, &r);
    const struct pane *const pane = f->pane;
    unsigned found = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value *const cells = f->rows[i].cells;
        const bool is_frame = cells[pane_column(pane, "depth") - pane->columns].type != VALUE_ABSENT;
        const bool is_it = is_frame &&
                           cells[pane_column(pane, "total") - pane->columns].number > 2 &&
                           cells[pane_column(pane, "self") - pane->columns].count >= 1;
        assert_int_equal((f->rows[i].flags & ROW_FOUND) != 0, is_it);
        found += is_it;
    }
    assert_true(found > 0);
    frame_free(f);
    play_free(&p);
}

static void only_frames_have_fields(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned metric;
        bool is_well;
    } texts[] = {
        {"malloc !module=libc.so.6", METRIC_SAMPLES, true},
        {"self>10ms", METRIC_WAITING, true},
        {"self>10ms", METRIC_SAMPLES, false},
        {"self>10M", METRIC_BYTES, true},
        {"proc=cat", METRIC_SAMPLES, false},
        {"exited", METRIC_SAMPLES, true}, /* a word like any other */
        {"func~/^std::/ | kind=managed", METRIC_SAMPLES, true},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct filter f;
        struct filter_error why = {0, ""};
        const bool is_well =
            filter_init(&f, texts[i].text, stack_frames_pane(texts[i].metric), NULL, &why);
        if (is_well != texts[i].is_well)
            fail_msg("%s: %s", texts[i].text, why.text);
        assert_true(is_well || why.text[0]);
        assert_false(is_well && filter_has(&f, LEVEL_FACT));
        filter_fini(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_meets_each_once),
        cmocka_unit_test(what_hides_it_is_reported),
        cmocka_unit_test(weights_are_compared),
        cmocka_unit_test(only_frames_have_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
