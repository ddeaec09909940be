/* Widths of columns that follow their texts. */
#include "tests/test.h"

#include "ui/state/view_columns.h"

#include <string.h>

static const struct column columns[] = {
    {.id = "reason",
     .title = "REASON",
     .help = "Why",
     .type = VALUE_TEXT,
     .flags = COLUMN_FITS,
     .width = 24},
};

static const struct pane pane = {
    .id = "waits", .title = "Waits", .view = PANE_TABLE, .columns = columns, .column_count = 1};

/* What the column has learned from a frame with one row of this text. */
static unsigned learned(struct pane_columns *c, const char *text, bool is_partial)
{
    struct value cell = {.type = VALUE_TEXT};
    char arena[64];
    memcpy(arena, text, strlen(text) + 1);
    cell.text.offset = 0;
    cell.text.bytes = (uint32_t)strlen(text);
    struct frame_row row = {.cells = &cell};
    const struct frame f = {.pane = &pane,
                            .rows = &row,
                            .row_count = 1,
                            .arena = arena,
                            .arena_bytes = (uint32_t)sizeof arena,
                            .is_partial = is_partial};
    view_columns_learn(c, &f);
    return c->fits[0];
}

/* Texts of a scan that goes on come and go: a column that grew for them would stay wide by chance.
 */
static void only_whole_answers_widen_columns(void **state)
{
    (void)state;
    struct pane_columns c = {.missing = 0};
    assert_int_equal(learned(&c, "UserRequest 100%", true), 0);
    assert_int_equal(learned(&c, "UserRequest 94%", false), 15);
    assert_int_equal(learned(&c, "UserRequest 100%", true), 15);
    assert_int_equal(learned(&c, "Executive 99%", false), 15);
    assert_int_equal(learned(&c, "UserRequest 100%", false), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_whole_answers_widen_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
