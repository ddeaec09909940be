/* Children of a call tree's node stand by their figures and then by where they are, few or very
 * many; modules by their names. */
#include "tests/test.h"

#include "src/model/model.h"
#include "src/view/stack_order.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t prng = 7;

static uint64_t roll(void)
{
    prng = prng * 6364136223846793005u + 1442695040888963407u;
    return prng >> 20;
}

static void sort(size_t count, uint64_t figures, uint64_t places)
{
    struct stack_child *const all = calloc(count + 1, sizeof *all);
    uint8_t *const seen = calloc(count + 1, 1);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        /* high digits, too: figures are bytes and ns, places begin with a mark of functions */
        all[i] = (struct stack_child){(uint32_t)i, roll() % figures * 0x100000401u,
                                      roll() % places << 40 | roll() % places};
        sum ^= all[i].at + all[i].number;
    }
    stack_order_sort(all, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(all[i].node < count && !seen[all[i].node]++);
        sum ^= all[i].at + all[i].number;
        if (i)
            assert_true(all[i - 1].number < all[i].number ||
                        (all[i - 1].number == all[i].number && all[i - 1].at <= all[i].at));
    }
    assert_true(sum == 0);
    free(seen);
    free(all);
}

static void children_stand_in_order(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 1000, 1023, 1024, 1025, 50000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sort(counts[i], 1, 1);
        sort(counts[i], 3, 1 << 20);
        sort(counts[i], 1 << 20, 2);
    }
}

static void modules_stand_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"b.dll", "a.dll", "c.dll", "a.dll"};
    struct model m;
    struct stack_tree t = {.nodes = NULL};
    struct map ranks;
    uint32_t modules[4];
    model_init(&m);
    model_sources(&m, 1);
    stack_tree_init(&t);
    stack_tree_clear(&t, &(struct stack_look){0});
    map_init(&ranks);
    for (unsigned i = 0; i < 4; i++) {
        char path[32];
        snprintf(path, sizeof path, "\\dir%u\\%s", i, names[i]);
        modules[i] = model_file_called(&m, 0, NAMESPACE_MODULE, path);
        const struct path_step step = {.site = {.module = modules[i], .at = i}};
        stack_tree_place(&t, stack_tree_add(&t, i + 1), &step, 1);
    }
    stack_order_rank(&ranks, &m, &t);
    assert_int_equal(map_get(&ranks, modules[1]), 1);
    assert_int_equal(map_get(&ranks, modules[3]), 1);
    assert_int_equal(map_get(&ranks, modules[0]), 2);
    assert_int_equal(map_get(&ranks, modules[2]), 3);
    map_fini(&ranks);
    stack_tree_fini(&t);
    model_fini(&m);
}

/* Beyond its room a tree counts stacks where they end, and says of how many. */
static void stacks_without_room_are_told_apart(void **state)
{
    (void)state;
    enum { MORE = 5 };
    struct stack_tree t = {.nodes = NULL};
    stack_tree_init(&t);
    stack_tree_clear(&t, &(struct stack_look){0});
    for (unsigned i = 1; i < TREE_NODES + MORE; i++) {
        const struct path_step step = {.site = {.module = 1, .at = i}};
        struct tree_stack *const s = stack_tree_add(&t, i);
        stack_tree_place(&t, s, &step, 1);
        s->weight = 2;
    }
    t.is_summed = false;
    stack_tree_sum(&t);
    assert_int_equal(t.count, TREE_NODES);
    assert_int_equal(t.all, 2 * (TREE_NODES + MORE - 1));
    assert_int_equal(t.cut, 2 * MORE);
    assert_int_equal(t.nodes[0].self, 2 * MORE);
    stack_tree_fini(&t);
}

/* An answer that is a whole tree has room for more than a screen has. */
static void whole_trees_have_more_room(void **state)
{
    (void)state;
    enum { MORE = 5 };
    struct stack_tree t = {.nodes = NULL};
    stack_tree_init(&t);
    stack_tree_clear(&t, &(struct stack_look){.is_whole = true});
    for (unsigned i = 1; i < TREE_NODES + MORE; i++) {
        const struct path_step step = {.site = {.module = 1, .at = i}};
        struct tree_stack *const s = stack_tree_add(&t, i);
        stack_tree_place(&t, s, &step, 1);
        s->weight = 2;
    }
    t.is_summed = false;
    stack_tree_sum(&t);
    assert_int_equal(t.count, TREE_NODES + MORE);
    assert_int_equal(t.all, 2 * (TREE_NODES + MORE - 1));
    assert_int_equal(t.cut, 0);
    stack_tree_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_stand_in_order),
        cmocka_unit_test(modules_stand_by_name),
        cmocka_unit_test(stacks_without_room_are_told_apart),
        cmocka_unit_test(whole_trees_have_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
