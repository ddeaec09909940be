/* Themes that everybody they are for can read: those that are shipped pass the check, those that
 * cannot pass it say where; what is printed reads back; circles and unknown words are reported. */
#include "tests/test.h"

#include "ui/theme/color.h"
#include "ui/theme/theme_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the check prints; the caller frees. */
static char *checked(const struct theme *t, unsigned *bad)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    assert_non_null(out);
    *bad = theme_check(t, out);
    fclose(out);
    return text;
}

static void shipped_themes_pass(void **state)
{
    (void)state;
    unsigned count = 0;
    for (size_t i = 0; theme_embedded(i); i++, count++) {
        struct theme t;
        struct err err;
        unsigned bad;
        assert_true(theme_load(&t, theme_embedded(i), &err));
        char *const text = checked(&t, &bad);
        if (bad)
            fail_msg("%s:\n%s", theme_embedded(i), text);
        assert_int_equal(t.warnings, 0);
        free(text);
    }
    assert_int_equal(count, 6);
}

static void mistakes_are_found(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[roles]\nname = #404040 on #101418\n", "contrast\tname\t"},
        {"[roles]\nrow.cursor = on #8090a0\n", "text under the cursor"},
        {"[series]\nlist = #101418 #ffffff\n", "series\tcolor 1"},
        {"[series]\nlist = #e69f00 #e6a000\n", "series apart\tcolors 1 and 2"},
        {"[meta]\nsafe = tritan\n[series]\nlist = #d0d000 #e0c8d8\n", "series apart tritan"},
        {"[gradients]\nheat = #000000 #ffffff #000000\n", "gradient goes one way\theat"},
        {"[gradients]\nheat = #808080 #b0b0b0\n", "gradient steps\theat in 16 colors"},
        {"[roles]\nmeter.irq = warn\n", "meters apart\tmeter.system and meter.irq"},
        {"[gradients]\nload = #808080 #848484\n", "gradient span\tload"},
        {"[roles.mono]\nlost = default\n", "mono\tlost"},
        {"[roles]\nvalue.crit = warn\nvalue.high = warn\n", "values apart"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct theme t;
        struct err err;
        unsigned bad;
        assert_true(theme_load(&t, "default", &err));
        theme_parse(&t, cases[i].text, strlen(cases[i].text), "made");
        char *const text = checked(&t, &bad);
        const char *const line = strstr(text, cases[i].message);
        assert_true(bad > 0);
        assert_non_null(line);
        /* Of several lines that begin so, one is the bad one. */
        bool is_reported = false;
        for (const char *at = line; at && !is_reported; at = strstr(at + 1, cases[i].message)) {
            const char *const cached_match = strstr(at, "FAILED");
            is_reported = cached_match && cached_match < strchr(at, '\n');
        }
        if (!is_reported)
            fail_msg("case %zu: %s\n%s", i, cases[i].message, text);
        free(text);
    }
}

/* Not as bytes: what lies between the members is not set. */
static bool same_style(const struct style *a, const struct style *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->attributes == b->attributes;
}

static void what_is_printed_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; theme_embedded(i); i++) {
        struct theme first, again = {0};
        char *text = NULL;
        size_t bytes = 0;
        assert_true(theme_load(&first, theme_embedded(i), NULL));
        FILE *const out = open_memstream(&text, &bytes);
        theme_print(&first, out);
        fclose(out);
        theme_parse(&again, text, bytes, "printed");
        assert_int_equal(again.warnings, 0);
        for (enum depth depth = DEPTH_MONO; depth < DEPTHS; depth++) {
            struct look x, y;
            if (depth == DEPTH_256)
                continue; /* computed from either */
            theme_reduce(&first, depth, &x);
            theme_reduce(&again, depth, &y);
            for (enum role role = 0; role < ROLES; role++)
                assert_true(same_style(&x.styles[role], &y.styles[role]));
            assert_memory_equal(x.ramps, y.ramps, sizeof x.ramps);
        }
        free(text);
    }
}

static void circles_are_refused(void **state)
{
    static const char name[] = "build/circle.theme"; /* tests run where they were built */
    char text[256];
    struct theme t;
    struct err err;
    (void)state;
    FILE *const file = fopen(name, "w");
    assert_non_null(file);
    snprintf(text, sizeof text, "[meta]\nname = mine\ninherits = %s\n", name);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_false(theme_load(&t, name, &err));
    assert_non_null(strstr(err.text, "circle"));
    remove(name);
}

static void colors_are_measured(void **state)
{
    (void)state;
    assert_true(fabs(color_contrast(0x000000, 0xffffff) - 21) < 1e-9);
    assert_true(fabs(color_contrast(0x777777, 0xffffff) - 4.48) < 0.01); /* the known example */
    assert_true(fabs(color_lab(0xffffff).l - 1) < 1e-3);
    for (uint32_t rgb = 0; rgb < 0x1000000; rgb += 0x10307)
        assert_int_equal(color_of_lab(color_lab(rgb)), rgb);
    for (enum vision v = VISION_NORMAL; v < VISIONS; v++) /* gray is gray for all */
        for (uint32_t gray = 0; gray < 256; gray++) {
            const uint32_t rgb = gray << 16 | gray << 8 | gray, seen = color_seen(rgb, v);
            assert_true(color_distance2(color_lab(rgb), color_lab(seen)) < 1e-4);
        }
    /* Red and green of equal lightness: far apart, but not for those who lack the cones. */
    const uint32_t red = 0xc04a4a, green = 0x5f8a3c;
    const double all = color_distance2(color_lab(red), color_lab(green));
    const double deutan = color_distance2(color_lab(color_seen(red, VISION_DEUTAN)),
                                          color_lab(color_seen(green, VISION_DEUTAN)));
    assert_true(deutan < all / 4);
}

/* The user's own are found by name, behind those that come along, also as parents; sixteen colors
 * by their customary names take the place of the default's. */
static void own_themes_are_found(void **state)
{
    char folder[] = "/tmp/tracetop-themes-XXXXXX", path[128], name[OS_NAME_ROOM];
    static const char *const files[][2] = {
        {"sixteen", "[meta]\nname = sixteen\n[palette]\nbase00 = #000\nbase05 = #ddd\nbase08 = #f00\n"
                    "base0D = #0000fe\n"},
        {"child", "[meta]\nname = child\ninherits = sixteen\n[roles]\ncrumb = bad\n"},
    };
    struct theme t;
    struct style style;
    size_t count = 0;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tracetop.conf", folder);
    setenv("TRACETOP_CONFIG", path, 1);
    assert_false(theme_load(&t, "sixteen", NULL));
    snprintf(path, sizeof path, "%s/themes", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/themes/%s.theme", folder, files[i][0]);
        FILE *const f = fopen(path, "w");
        fputs(files[i][1], f);
        fclose(f);
    }
    while (theme_name(count, name))
        count++;
    assert_true(theme_name(count - 1, name) && strcmp(name, "sixteen") == 0);
    assert_true(theme_name(count - 2, name) && strcmp(name, "child") == 0);
    assert_null(theme_embedded(count - 2));
    assert_true(theme_load(&t, "sixteen", NULL));
    assert_int_equal(t.warnings, 0);
    assert_string_equal(t.safe, "");
    assert_true(theme_style(&t, "accent on base00", &style, NULL));
    assert_int_equal(style.fg, COLOR_RGB | 0x0000fe);
    assert_int_equal(style.bg, COLOR_RGB | 0);
    assert_true(theme_style(&t, "warn", &style, NULL)); /* it has no base09: the default's */
    assert_int_equal(style.fg, COLOR_RGB | 0xe69f00);
    struct look look;
    assert_true(theme_load(&t, "child", NULL));
    theme_reduce(&t, DEPTH_TRUE, &look);
    assert_int_equal(look.styles[ROLE_CRUMB].fg, COLOR_RGB | 0xff0000);
    assert_int_equal(look.styles[ROLE_TEXT].fg, COLOR_RGB | 0xdddddd);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/themes/%s.theme", folder, files[i][0]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/themes", folder);
    rmdir(path);
    rmdir(folder);
    unsetenv("TRACETOP_CONFIG");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_themes_pass),        cmocka_unit_test(mistakes_are_found),
        cmocka_unit_test(what_is_printed_reads_back), cmocka_unit_test(circles_are_refused),
        cmocka_unit_test(colors_are_measured),        cmocka_unit_test(own_themes_are_found),
    };
    return cmocka_run_group_tests_name("themes", tests, NULL, NULL);
}
