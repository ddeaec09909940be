#include "ui/theme/theme_check.h"

#include "src/base/show.h"
#include "ui/theme/color.h"

#include <math.h>
#include <string.h>

/* The contrast that a role needs: letters; single signs and lines; or none, as it carries no
 * information. */
enum need { NEED_TEXT, NEED_MARK, NEED_NOTHING };

static const double CONTRASTS[] = {[NEED_TEXT] = 4.5, [NEED_MARK] = 3, [NEED_NOTHING] = 0};

/* In Oklab, where 0.02 is just visible side by side. Series differ by color alone; states have
 * words, too. */
static const double SERIES_APART = 0.06, STATES_APART = 0.04, GRADIENT_SPAN = 0.2;

struct check {
    const struct theme *theme;
    struct look look;
    FILE *out;
    unsigned bad;
};

/* ---- colors of a look ----------------------------------------------------------------------- */

/* What the terminal's own colors are taken for. */
static uint32_t own_text(const struct theme *t)
{
    return t->is_light ? 0x1c1c1c : 0xd0d0d0;
}

static uint32_t own_ground(const struct theme *t)
{
    return t->is_light ? 0xffffff : 0x101214;
}

struct pair {
    uint32_t fg, bg;
    uint8_t attributes;
};

static struct pair pair_of(const struct check *c, enum role role, enum role over)
{
    const struct style s = look_style(&c->look, role, over, GRADIENT_NONE, 0);
    const uint32_t fg = color_rgb(s.fg, own_text(c->theme));
    const uint32_t bg = color_rgb(s.bg, own_ground(c->theme));
    const bool is_reverse = s.attributes & ATTRIBUTE_REVERSE;
    return (struct pair){is_reverse ? bg : fg, is_reverse ? fg : bg, s.attributes};
}

static void report(struct check *c, const char *what, const char *of, double found, double wanted)
{
    const bool is_well = found >= wanted;
    c->bad += !is_well;
    show(c->out, "%s\t%s\t%.2f\t%.2f\t%s\n", what, of, found, wanted, is_well ? "ok" : "FAILED");
}

/* ---- contrast -------------------------------------------------------------------------------- */

static enum need need_of(enum role role)
{
    switch (role) {
    case ROLE_BAR_REST: /* the empty rest of a bar */
        return NEED_NOTHING;
    case ROLE_BORDER:
    case ROLE_ZERO:
    case ROLE_ROW_LEAVING:
    case ROLE_METER_USER:
    case ROLE_METER_SYSTEM:
    case ROLE_METER_IRQ:
    case ROLE_METER_STEAL:
    case ROLE_METER_USED:
    case ROLE_METER_BUFFERS:
    case ROLE_METER_CACHE:
    case ROLE_METER_CURVE:
        return NEED_MARK;
    default:
        return NEED_TEXT;
    }
}

/* These are laid over others and have no text of their own. */
static bool is_laid_over(enum role role)
{
    return role == ROLE_ROW_CURSOR || role == ROLE_COLUMN_CURSOR || role == ROLE_FLAME;
}

static void check_contrast(struct check *c)
{
    for (unsigned i = 0; i < ROLES; i++) {
        const enum role role = (enum role)i;
        const struct pair p = pair_of(c, role, ROLE_TEXT);
        if (!is_laid_over(role))
            report(c, "contrast", role_name(role), color_contrast(p.fg, p.bg),
                   CONTRASTS[need_of(role)]);
    }
}

static void check_cursor(struct check *c)
{
    static const enum role under[] = {ROLE_TEXT, ROLE_DIM,        ROLE_NAME,    ROLE_HIGH,
                                      ROLE_CRIT, ROLE_ROW_TAGGED, ROLE_ROW_NEW, ROLE_ROW_EXITED};
    for (size_t i = 0; i < sizeof under / sizeof *under; i++) {
        char of[96];
        const struct pair p = pair_of(c, under[i], ROLE_ROW_CURSOR);
        snprintf(of, sizeof of, "%s under the cursor", role_name(under[i]));
        report(c, "contrast", of, color_contrast(p.fg, p.bg), CONTRASTS[NEED_TEXT]);
    }
}

static void check_flame(struct check *c)
{
    static const enum role frames[] = {ROLE_FRAME_KERNEL, ROLE_FRAME_USER, ROLE_FRAME_MANAGED,
                                       ROLE_FRAME_DRIVER};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        char of[96];
        const struct pair p = pair_of(c, frames[i], ROLE_FLAME);
        snprintf(of, sizeof of, "%s in a flame graph", role_name(frames[i]));
        report(c, "contrast", of, color_contrast(p.fg, p.bg), CONTRASTS[NEED_TEXT]);
    }
}

/* ---- distances ------------------------------------------------------------------------------- */

static double apart(uint32_t x, uint32_t y, enum vision v)
{
    return sqrt(color_distance2(color_lab(color_seen(x, v)), color_lab(color_seen(y, v))));
}

static const char *title(char *out, size_t room, const char *what, enum vision v)
{
    snprintf(out, room, "%s%s%s", what, v == VISION_NORMAL ? "" : " ", vision_name(v));
    return out;
}

static void check_series(struct check *c)
{
    const uint32_t ground = pair_of(c, ROLE_TEXT, ROLE_TEXT).bg;
    const uint32_t text = pair_of(c, ROLE_TEXT, ROLE_TEXT).fg;
    const unsigned count = c->look.depth == DEPTH_MONO ? 0 : c->look.series_count;
    for (unsigned i = 0; i < count; i++) {
        char of[32];
        const uint32_t x = color_rgb(c->look.series[i], text);
        snprintf(of, sizeof of, "color %u", i + 1);
        report(c, "series", of, color_contrast(x, ground), CONTRASTS[NEED_MARK]);
        for (unsigned n = 0; n < i; n++)
            for (enum vision v = VISION_NORMAL; v < VISIONS; v++) {
                char what[64];
                snprintf(of, sizeof of, "colors %u and %u", n + 1, i + 1);
                if (theme_is_for(c->theme, v))
                    report(c, title(what, sizeof what, "series apart", v), of,
                           apart(x, color_rgb(c->look.series[n], text), v), SERIES_APART);
            }
    }
}

/* Told apart by letters, by ground, or by an attribute that both do not have. */
static void check_roles_apart(struct check *c, const char *what, const enum role *roles,
                              size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < i; n++)
            for (enum vision v = VISION_NORMAL; v < VISIONS; v++) {
                char of[96], reported[64];
                const struct pair x = pair_of(c, roles[i], ROLE_TEXT);
                const struct pair y = pair_of(c, roles[n], ROLE_TEXT);
                const double letters = apart(x.fg, y.fg, v), ground = apart(x.bg, y.bg, v);
                const bool is_marked = x.attributes != y.attributes;
                const double most = letters > ground ? letters : ground;
                snprintf(of, sizeof of, "%s and %s", role_name(roles[n]), role_name(roles[i]));
                if (theme_is_for(c->theme, v))
                    report(c, title(reported, sizeof reported, what, v), of,
                           is_marked && most < STATES_APART ? STATES_APART : most, STATES_APART);
            }
}

static void check_apart(struct check *c)
{
    static const enum role states[] = {ROLE_STATE_LIVE, ROLE_STATE_FROZEN, ROLE_STATE_REPLAY,
                                       ROLE_STATE_PAUSED, ROLE_STATE_FAILED};
    static const enum role rows[] = {ROLE_NAME, ROLE_ROW_TAGGED, ROLE_ROW_NEW, ROLE_ROW_EXITED};
    static const enum role values[] = {ROLE_TEXT, ROLE_HIGH, ROLE_CRIT};
    static const enum role frames[] = {ROLE_FRAME_KERNEL, ROLE_FRAME_USER, ROLE_FRAME_MANAGED,
                                       ROLE_FRAME_DRIVER};
    static const enum role times[] = {ROLE_METER_USER, ROLE_METER_SYSTEM, ROLE_METER_IRQ,
                                      ROLE_METER_STEAL};
    static const enum role memory[] = {ROLE_METER_USED, ROLE_METER_BUFFERS, ROLE_METER_CACHE};
    if (strcmp(c->theme->name, "mono") == 0)
        return; /* words and attributes do it all: see check_mono() */
    check_roles_apart(c, "states apart", states, sizeof states / sizeof *states);
    check_roles_apart(c, "rows apart", rows, sizeof rows / sizeof *rows);
    check_roles_apart(c, "values apart", values, sizeof values / sizeof *values);
    check_roles_apart(c, "frames apart", frames, sizeof frames / sizeof *frames);
    check_roles_apart(c, "meters apart", times, sizeof times / sizeof *times);
    check_roles_apart(c, "meters apart", memory, sizeof memory / sizeof *memory);
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* Colors that a ramp has at least: amounts are read from that of heat maps. */
static double steps_of(enum gradient gradient, enum depth depth)
{
    const bool is_scale = gradient == GRADIENT_HEAT;
    return depth == DEPTH_16 ? (is_scale ? 4 : 2) : depth == DEPTH_256 ? (is_scale ? 8 : 4) : 8;
}

/* Lightness goes one way, for all who look, far enough, and in steps enough. */
static void check_ramps(struct check *c, const struct look *look, const char *depth)
{
    for (unsigned g = 1; g < GRADIENT_SERIES; g++)
        for (enum vision v = VISION_NORMAL; v < VISIONS; v++) {
            char what[64], of[64];
            const uint32_t *const ramp = look->ramps[g];
            snprintf(of, sizeof of, "%s%s", gradient_name(g), depth);
            if (ramp[0] == COLOR_NONE || !theme_is_for(c->theme, v))
                continue;
            const double first = color_lab(color_seen(color_rgb(ramp[0], 0), v)).l;
            const double last = color_lab(color_seen(color_rgb(ramp[LEVELS - 1], 0), v)).l;
            const double way = last > first ? 1 : -1;
            double least = 0, before = first, steps = 1;
            for (unsigned i = 1; i < LEVELS; i++) {
                const double l = color_lab(color_seen(color_rgb(ramp[i], 0), v)).l;
                least = (l - before) * way < least ? (l - before) * way : least;
                steps += ramp[i] != ramp[i - 1];
                before = l;
            }
            report(c, title(what, sizeof what, "gradient span", v), of, fabs(last - first),
                   GRADIENT_SPAN);
            report(c, title(what, sizeof what, "gradient steps", v), of, steps,
                   steps_of((enum gradient)g, look->depth));
            report(c, title(what, sizeof what, "gradient goes one way", v), of,
                   least < -0.005 ? least : 0, 0);
        }
}

/* Also in the colors that a poorer terminal has. */
static void check_gradients(struct check *c)
{
    struct look fewer;
    check_ramps(c, &c->look, "");
    theme_reduce(c->theme, DEPTH_256, &fewer);
    check_ramps(c, &fewer, " in 256 colors");
    theme_reduce(c->theme, DEPTH_16, &fewer);
    check_ramps(c, &fewer, " in 16 colors");
}

/* ---- without color -------------------------------------------------------------------------- */

/* What must be seen at once has an attribute that text has not. */
static void check_mono(struct check *c)
{
    static const enum role roles[] = {ROLE_HEADER,     ROLE_ROW_CURSOR, ROLE_MATCH,
                                      ROLE_FILTER_BAD, ROLE_LOST,       ROLE_STATE_LIVE,
                                      ROLE_STATE_FROZEN, ROLE_STATE_PAUSED, ROLE_STATE_FAILED,
                                      ROLE_STATE_REC,  ROLE_ROW_TAGGED, ROLE_ROW_NEW,
                                      ROLE_ROW_EXITED, ROLE_HIGH,       ROLE_CRIT,
                                      ROLE_BADGE,      ROLE_KEY,        ROLE_HEADER_SORT};
    struct look mono;
    theme_reduce(c->theme, DEPTH_MONO, &mono);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        report(c, "mono", role_name(roles[i]),
               mono.styles[roles[i]].attributes != mono.styles[ROLE_TEXT].attributes, 1);
}

unsigned theme_check(const struct theme *t, FILE *out)
{
    struct check c = {.theme = t, .out = out};
    theme_reduce(t, DEPTH_TRUE, &c.look);
    fputs("check\tof\tmeasured\trequired\tresult\n", out);
    if (t->warnings)
        show(out, "reading\t%s\t%u\t0\t%s\n", t->warning.text, t->warnings, "ignored");
    check_contrast(&c);
    check_cursor(&c);
    check_flame(&c);
    check_series(&c);
    check_apart(&c);
    check_gradients(&c);
    check_mono(&c);
    return c.bad;
}

/* ---- listing --------------------------------------------------------------------------------- */

void theme_list(FILE *out)
{
    fputs("name\tmode\tsafe\tauthor\n", out);
    char name[OS_NAME_ROOM];
    for (size_t i = 0; theme_name(i, name); i++) {
        struct theme t;
        if (theme_load(&t, name, NULL))
            show(out, "%s\t%s\t%s\t%s\n", name, t.is_light ? "light" : "dark",
                    t.safe, t.author);
    }
}

static void print_color(FILE *out, uint32_t color)
{
    switch (color & COLOR_KIND) {
    case COLOR_RGB:
        show(out, "#%06x", (unsigned)(color & 0xffffff));
        break;
    case COLOR_INDEX:
        show(out, "c%u", (unsigned)(color & 0xff));
        break;
    default:
        fputs("default", out);
        break;
    }
}

static void print_style(FILE *out, const char *name, const struct style *s)
{
    const char *blank = "";
    show(out, "%s = ", name);
    if (s->fg != COLOR_NONE) {
        print_color(out, s->fg);
        blank = " ";
    }
    if (s->bg != COLOR_NONE) {
        show(out, "%son ", blank);
        print_color(out, s->bg);
        blank = " ";
    }
    for (unsigned bit = 1; bit <= ATTRIBUTE_STRIKE; bit <<= 1)
        if (s->attributes & bit) {
            show(out, "%s%s", blank, attribute_name((enum attribute)bit));
            blank = " ";
        }
    fputc('\n', out);
}

/* A style that says nothing cannot be written, and need not be. */
static void print_roles(const struct theme *t, enum depth depth, const char *section, FILE *out)
{
    struct look look;
    theme_reduce(t, depth, &look);
    show(out, "\n[%s]\n", section);
    for (unsigned i = 0; i < ROLES; i++) {
        const struct style *const s = &look.styles[i];
        if (s->fg != COLOR_NONE || s->bg != COLOR_NONE || s->attributes)
            print_style(out, role_name((enum role)i), s);
    }
}

static void print_list(const struct theme *t, const char *name, const char *list, FILE *out)
{
    uint32_t colors[SERIES_MAX];
    const unsigned count = theme_colors(t, list, colors, SERIES_MAX);
    show(out, "%s =", name);
    for (unsigned i = 0; i < count; i++) {
        fputc(' ', out);
        print_color(out, colors[i]);
    }
    fputc('\n', out);
}

void theme_print(const struct theme *t, FILE *out)
{
    show(out, "[meta]\nname = %s\nauthor = %s\nmode = %s\n", t->name, t->author,
            t->is_light ? "light" : "dark");
    if (t->safe[0])
        show(out, "safe = %s\n", t->safe);
    print_roles(t, DEPTH_TRUE, "roles", out);
    print_roles(t, DEPTH_16, "roles.16", out);
    print_roles(t, DEPTH_MONO, "roles.mono", out);
    fputs("\n[gradients]\n", out);
    for (unsigned g = 1; g < GRADIENT_SERIES; g++)
        print_list(t, gradient_name(g), t->gradients[g], out);
    fputs("\n[series]\n", out);
    print_list(t, "list", t->series, out);
}
