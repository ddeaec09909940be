/* Pictures: cells become rectangles and words at their places, text is escaped. */
#include "tests/test.h"

#include "ui/term/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *chart(const struct grid *g, const struct look *l)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&text, &bytes);
    grid_svg(g, l, to);
    fclose(to);
    return text;
}

/* The first column's left edge is at 8, a cell is 9 by 19, the baseline 14 below its top. */
static void cells_have_their_places(void **state)
{
    (void)state;
    struct look look = {.depth = DEPTH_TRUE};
    look.styles[ROLE_TEXT] = (struct style){COLOR_RGB | 0x112233, COLOR_RGB | 0x000001, 0};
    look.styles[ROLE_LOST] =
        (struct style){COLOR_RGB | 0xffffff, COLOR_RGB | 0xff0000, ATTRIBUTE_BOLD};
    look.styles[ROLE_HEADER] = (struct style){COLOR_RGB | 0x00ff00, COLOR_RGB | 0x0000ff,
                                              ATTRIBUTE_REVERSE | ATTRIBUTE_UNDERLINE};
    struct grid g;
    grid_init(&g, 20, 3, &glyphs_unicode);
    grid_clear(&g);
    grid_text(&g, 0, 0, 20, ROLE_TEXT, "a<b &\xc2\xb5s");
    grid_text(&g, 2, 1, 20, ROLE_LOST, "LOST 7");
    grid_text(&g, 0, 2, 20, ROLE_TEXT, "\xe2\x96\x88");
    grid_text(&g, 1, 2, 20, ROLE_HEADER, "x");
    char *const text = chart(&g, &look);
    static const char *const parts[] = {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"196\" height=\"73\" ",
        "<rect width=\"196\" height=\"73\" fill=\"#000001\"/>",
        "<text x=\"8\" y=\"22\" fill=\"#112233\">a&lt;b</text>",
        "<text x=\"44\" y=\"22\" fill=\"#112233\">&amp;</text>",
        "<text x=\"53\" y=\"22\" fill=\"#112233\">\xc2\xb5</text>",
        "<text x=\"62\" y=\"22\" fill=\"#112233\">s</text>",
        "<rect x=\"26\" y=\"27\" width=\"54\" height=\"19\" fill=\"#ff0000\"/>",
        "<text x=\"26\" y=\"41\" fill=\"#ffffff\" font-weight=\"bold\">LOST</text>",
        "<text x=\"71\" y=\"41\" fill=\"#ffffff\" font-weight=\"bold\">7</text>",
        "<rect x=\"8\" y=\"46\" width=\"9\" height=\"19\" fill=\"#112233\"/>",
        "<rect x=\"17\" y=\"46\" width=\"9\" height=\"19\" fill=\"#00ff00\"/>",
        "<text x=\"17\" y=\"60\" fill=\"#0000ff\" text-decoration=\"underline\">x</text>",
        "</svg>\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(text, parts[i]))
            fail_msg("missing: %s\nin: %.3000s", parts[i], text);
    free(text);
    grid_fini(&g);
}

static void hostile_text_stays_text(void **state)
{
    (void)state;
    struct look look = {.depth = DEPTH_MONO};
    struct grid g;
    grid_init(&g, 30, 1, &glyphs_unicode);
    grid_clear(&g);
    grid_text(&g, 0, 0, 30, ROLE_TEXT, "</text><script>\x1b[31m\x01\xff\xe2\x80\xae\"'");
    char *const text = chart(&g, &look);
    assert_null(strstr(text, "<script"));
    for (const char *c = text; *c; c++)
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    free(text);
    grid_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_their_places),
        cmocka_unit_test(hostile_text_stays_text),
    };
    return cmocka_run_group_tests_name("svg", tests, NULL, NULL);
}
