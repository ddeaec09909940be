/* An engine that knows its only request counts less, and answers the same. */
#include "tests/play.h"

#include "src/pane/panes.h"

#include <stdio.h>
#include <string.h>

/* The frame that answers the request when all is over; `only`: nothing else will be asked. */
static struct frame *answer(const struct request *r, bool is_only, uint64_t *stacks)
{
    const struct synthetic_options o = {.seed = 31,
                                        .events = PLAY_EVENTS,
                                        .rate = PLAY_RATE,
                                        .start_ns = PLAY_START_NS,
                                        .keep_totals = true};
    const struct engine_options engine = {
        .interval_ns = 1000000000, .wait_ns = 50000000, .only = is_only ? r : NULL};
    struct play p = play_begin(&o, 4 << 20, &stage_file, &engine);
    play_all(&p);
    struct frame *const f = play_ask(&p, r);
    *stacks = f->stacks_matched;
    play_free(&p);
    return f;
}

static bool is_same(const struct frame *a, const struct value *va, const struct frame *b,
                    const struct value *vb)
{
    if (va->type != vb->type)
        return false;
    if (va->type == VALUE_ABSENT)
        return true;
    if (va->type != VALUE_TEXT && va->type != VALUE_PATH && va->type != VALUE_SERIES)
        return va->count == vb->count;
    return va->text.bytes == vb->text.bytes &&
           memcmp(a->arena + va->text.offset, b->arena + vb->text.offset, va->text.bytes) == 0;
}

static void compare(const struct pane *pane, const char *filter)
{
    struct request r = {.pane = pane, .accumulate = true};
    uint64_t stacks;
    snprintf(r.filter, sizeof r.filter, "%s", filter);
    struct frame *const all = answer(&r, false, &stacks), *const only = answer(&r, true, &stacks);
    assert_int_equal(only->row_count, all->row_count);
    for (unsigned i = 0; i < all->row_count; i++)
        for (unsigned c = 0; c < pane->column_count; c++)
            if (!is_same(all, &all->rows[i].cells[c], only, &only->rows[i].cells[c]))
                fail_msg("%s, '%s': row %u differs in %s", pane->id, filter, i,
                         pane->columns[c].id);
    for (unsigned c = 0; c < pane->column_count; c++)
        if (!is_same(all, &all->totals[c], only, &only->totals[c]))
            fail_msg("%s, '%s': the total of %s differs", pane->id, filter, pane->columns[c].id);
    frame_free(all);
    frame_free(only);
}

static void every_pane_has_its_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; panes[i]; i++)
        if (panes[i]->view == PANE_TABLE)
            compare(panes[i], "");
}

static void filters_and_trees_have_their_stacks(void **state)
{
    (void)state;
    compare(pane_find("processes"), "module=ntoskrnl.exe pid>100");
    compare(pane_find("stacks"), "");
}

/* What nobody asks for is not kept: that is where the time goes. */
static void stacks_are_kept_where_they_are_asked_for(void **state)
{
    (void)state;
    uint64_t kept;
    struct request r = {.pane = pane_find("disk")};
    frame_free(answer(&r, true, &kept));
    assert_int_equal(kept, 0);
    frame_free(answer(&r, false, &kept));
    assert_true(kept > 100);
    r.pane = pane_find("stacks");
    frame_free(answer(&r, true, &kept));
    assert_true(kept > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pane_has_its_rows),
        cmocka_unit_test(filters_and_trees_have_their_stacks),
        cmocka_unit_test(stacks_are_kept_where_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
