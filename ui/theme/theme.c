/* Theme files keep what they said as text until the whole line of ancestors is
 * read: a child that only changes the palette recolors its parent's roles. */
#include "ui/theme/theme.h"

#include "ui/config/item.h"
#include "ui/theme/color.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INHERIT_MAX = 4 }; /* names of colors that name colors */

/* One row per role: its name, what it is for, the role that stands in where a theme does not say,
 * and what it looks like without color and with sixteen. */
/* clang-format off */
static const struct role_row {
    const char *name, *help;
    enum role fallback;
    const char *mono, *ansi;
} rows[ROLES] = {
    [ROLE_TEXT] = { "text", "Text without another role, and the background", ROLE_TEXT, "", "default on default" },
    [ROLE_DIM] = { "text.dim", "Secondary text", ROLE_TEXT, "dim", "white" },
    [ROLE_TITLE] = { "title", "Titles of panes and pages", ROLE_TEXT, "bold", "bright-white bold" },
    [ROLE_HEADER] = { "header", "Titles of columns", ROLE_TEXT, "reverse", "black on cyan" },
    [ROLE_HEADER_SORT] = { "header.sort", "Title of the column that rows are sorted by", ROLE_HEADER, "reverse bold underline", "black on yellow bold" },
    [ROLE_COLUMN_CURSOR] = { "column.cursor", "Title of the column under the column cursor", ROLE_TEXT, "underline", "underline" },
    [ROLE_ROW_CURSOR] = { "row.cursor", "Row under the cursor", ROLE_HEADER, "reverse", "reverse" },
    [ROLE_ROW_TAGGED] = { "row.tagged", "Tagged rows", ROLE_TEXT, "bold", "yellow bold" },
    [ROLE_ROW_NEW] = { "row.new", "Rows that are new", ROLE_TEXT, "underline", "green underline" },
    [ROLE_ROW_EXITED] = { "row.exited", "Rows of exited processes and threads", ROLE_DIM, "dim italic", "bright-black" },
    [ROLE_ROW_LEAVING] = { "row.leaving", "Rows of exited processes and threads that disappear soon", ROLE_ROW_EXITED, "dim", "bright-black" },
    [ROLE_MATCH] = { "match", "Text that a filter or search found", ROLE_HEADER, "reverse", "black on yellow" },
    [ROLE_CRUMB] = { "crumb", "Path from the first pane to the present level", ROLE_TITLE, "bold", "cyan bold" },
    [ROLE_FILTER] = { "filter", "Filter of the pane", ROLE_TITLE, "underline", "yellow" },
    [ROLE_FILTER_BAD] = { "filter.bad", "Filter that cannot be read", ROLE_LOST, "reverse bold", "white on red bold" },
    [ROLE_PROMPT] = { "prompt", "Line that is being typed", ROLE_TEXT, "bold", "bright-white" },
    [ROLE_STATUS] = { "status", "Status line", ROLE_TEXT, "", "default" },
    [ROLE_STATUS_FROZEN] = { "status.frozen", "Status line while the screen is frozen", ROLE_HEADER, "reverse", "black on cyan" },
    [ROLE_STATUS_REPLAY] = { "status.replay", "Status line of a replay", ROLE_STATUS, "", "white on blue" },
    [ROLE_STATUS_PAUSED] = { "status.paused", "Status line of a paused replay", ROLE_HEADER, "reverse", "black on yellow" },
    [ROLE_STATE_LIVE] = { "state.live", "Word LIVE of the status line", ROLE_TITLE, "bold", "green bold" },
    [ROLE_STATE_FROZEN] = { "state.frozen", "Word FROZEN of the status line", ROLE_STATUS_FROZEN, "reverse bold", "black on cyan bold" },
    [ROLE_STATE_REPLAY] = { "state.replay", "Word REPLAY of the status line", ROLE_TITLE, "bold", "bright-white on blue bold" },
    [ROLE_STATE_PAUSED] = { "state.paused", "Word PAUSED of the status line", ROLE_STATUS_PAUSED, "reverse bold", "black on yellow bold" },
    [ROLE_STATE_FINISHED] = { "state.finished", "Word FINISHED of the status line", ROLE_TITLE, "bold", "bright-white bold" },
    [ROLE_STATE_FAILED] = { "state.failed", "Word FAILED of the status line", ROLE_LOST, "reverse bold", "white on red bold" },
    [ROLE_STATE_REC] = { "state.rec", "Word REC while a recording runs", ROLE_CRIT, "reverse bold", "red bold" },
    [ROLE_BADGE] = { "badge", "Badge of the demo: its events are synthetic", ROLE_HEADER, "reverse bold", "black on yellow bold" },
    [ROLE_LOST] = { "lost", "Losses while they happen", ROLE_HEADER, "reverse bold", "white on red bold" },
    [ROLE_LOST_PAST] = { "lost.past", "Losses that happened earlier", ROLE_HIGH, "bold", "yellow" },
    [ROLE_MESSAGE] = { "message", "Messages", ROLE_TITLE, "bold", "bright-white" },
    [ROLE_KEY] = { "key", "Keys in the key bar and in help", ROLE_TITLE, "bold", "cyan bold" },
    [ROLE_KEY_LABEL] = { "key.label", "Labels of keys in the key bar", ROLE_DIM, "", "white" },
    [ROLE_BORDER] = { "border", "Lines between panes, columns and in trees", ROLE_DIM, "dim", "bright-black" },
    [ROLE_BAR_REST] = { "bar.rest", "Empty part of a bar", ROLE_BORDER, "dim", "bright-black" },
    [ROLE_NAME] = { "name", "Names of processes, files and other things", ROLE_TEXT, "", "bright-white" },
    [ROLE_ZERO] = { "value.zero", "Values that are zero or unknown", ROLE_DIM, "dim", "bright-black" },
    [ROLE_LOW] = { "value.low", "Low values", ROLE_DIM, "dim", "white" },
    [ROLE_HIGH] = { "value.high", "High values", ROLE_TITLE, "bold", "yellow bold" },
    [ROLE_CRIT] = { "value.crit", "Very high values", ROLE_HIGH, "bold underline", "red bold" },
    [ROLE_METER_USER] = { "meter.user", "Meters: processor time in programs", ROLE_FRAME_USER, "", "cyan" },
    [ROLE_METER_SYSTEM] = { "meter.system", "Meters: processor time in the kernel", ROLE_FRAME_KERNEL, "", "yellow" },
    [ROLE_METER_IRQ] = { "meter.irq", "Meters: processor time in interrupts", ROLE_FRAME_DRIVER, "", "red" },
    [ROLE_METER_STEAL] = { "meter.steal", "Meters: processor time that the hypervisor gave to others", ROLE_FRAME_MANAGED, "", "magenta" },
    [ROLE_METER_USED] = { "meter.used", "Meters: memory or time that is used", ROLE_METER_USER, "", "cyan" },
    [ROLE_METER_BUFFERS] = { "meter.buffers", "Meters: memory that buffers disks", ROLE_DIM, "", "white" },
    [ROLE_METER_CACHE] = { "meter.cache", "Meters: memory used as a cache, freed on demand", ROLE_BORDER, "", "bright-black" },
    [ROLE_METER_CURVE] = { "meter.curve", "Meters: curves", ROLE_METER_USED, "", "cyan" },
    [ROLE_FRAME_KERNEL] = { "frame.kernel", "Stack frames of the kernel", ROLE_TEXT, "bold", "yellow" },
    [ROLE_FRAME_USER] = { "frame.user", "Stack frames of programs and libraries", ROLE_TEXT, "", "cyan" },
    [ROLE_FRAME_MANAGED] = { "frame.managed", "Stack frames of code made at run time", ROLE_TEXT, "underline", "green" },
    [ROLE_FRAME_DRIVER] = { "frame.driver", "Stack frames of drivers", ROLE_TEXT, "bold underline", "red" },
    [ROLE_FLAME] = { "flame", "Boxes of a flame graph, over the roles of their frames", ROLE_TEXT, "reverse", "reverse" },
};
/* clang-format on */

static const char *const gradient_names[GRADIENTS] = {"", "heat", "load", "flame", ""};

static const struct {
    const char *name;
    uint8_t bit;
} attributes[] = {
    {"bold", ATTRIBUTE_BOLD},       {"dim", ATTRIBUTE_DIM},
    {"italic", ATTRIBUTE_ITALIC},   {"underline", ATTRIBUTE_UNDERLINE},
    {"reverse", ATTRIBUTE_REVERSE}, {"strike", ATTRIBUTE_STRIKE},
};

static const struct {
    const char *name;
    uint32_t rgb; /* xterm's values, for pictures and distances */
} ansi[16] = {
    {"black", 0x000000},        {"red", 0xcd0000},
    {"green", 0x00cd00},        {"yellow", 0xcdcd00},
    {"blue", 0x0000ee},         {"magenta", 0xcd00cd},
    {"cyan", 0x00cdcd},         {"white", 0xe5e5e5},
    {"bright-black", 0x7f7f7f}, {"bright-red", 0xff0000},
    {"bright-green", 0x00ff00}, {"bright-yellow", 0xffff00},
    {"bright-blue", 0x5c5cff},  {"bright-magenta", 0xff00ff},
    {"bright-cyan", 0x00ffff},  {"bright-white", 0xffffff},
};

const char *role_name(enum role role)
{
    return rows[role].name;
}

const char *role_help(enum role role)
{
    return rows[role].help;
}

const char *gradient_name(enum gradient gradient)
{
    return gradient_names[gradient];
}

const char *attribute_name(enum attribute attribute)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].bit == attribute)
            return attributes[i].name;
    return "";
}

static bool role_find(const char *name, enum role *out)
{
    for (unsigned i = 0; i < ROLES; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *out = (enum role)i;
            return true;
        }
    }
    return false;
}

/* ---- colors --------------------------------------------------------------------- */

static uint32_t index_rgb(unsigned index)
{
    if (index < 16)
        return ansi[index].rgb;
    if (index >= 232) {
        const uint32_t gray = 8 + 10 * (index - 232);
        return gray << 16 | gray << 8 | gray;
    }
    const unsigned cube = index - 16;
    const unsigned parts[3] = {cube / 36, cube / 6 % 6, cube % 6};
    uint32_t rgb = 0;
    for (int i = 0; i < 3; i++)
        rgb = rgb << 8 | (parts[i] ? 55 + 40 * parts[i] : 0);
    return rgb;
}

uint32_t color_rgb(uint32_t color, uint32_t fallback)
{
    switch (color & COLOR_KIND) {
    case COLOR_RGB:
        return color & 0xffffff;
    case COLOR_INDEX:
        return index_rgb(color & 0xff);
    default:
        return fallback;
    }
}

/* The first sixteen are left out for 256 colors: users repaint those. */
static uint32_t nearest(uint32_t rgb, unsigned first, unsigned end)
{
    const struct lab want = color_lab(rgb);
    unsigned best = first;
    double best_distance = 1e9;
    for (unsigned i = first; i < end; i++) {
        const double d = color_distance2(want, color_lab(index_rgb(i)));
        if (d < best_distance) {
            best_distance = d;
            best = i;
        }
    }
    return COLOR_INDEX | best;
}

static uint32_t reduce_color(uint32_t color, enum depth depth)
{
    const uint32_t kind = color & COLOR_KIND;
    if (depth == DEPTH_MONO)
        return COLOR_NONE;
    if (kind == COLOR_RGB && depth == DEPTH_256)
        return nearest(color & 0xffffff, 16, 256);
    if (depth == DEPTH_16 && (kind == COLOR_RGB || (kind == COLOR_INDEX && (color & 0xff) > 15)))
        return nearest(color_rgb(color, 0), 0, 16);
    return color;
}

static bool hex_color(const char *digits, uint32_t *out)
{
    const size_t count = strspn(digits, "0123456789abcdefABCDEF");
    const unsigned long v = strtoul(digits, NULL, 16);
    if (digits[count] != '\0')
        return false;
    if (count == 2)
        *out = COLOR_RGB | (uint32_t)(v << 16 | v << 8 | v);
    else if (count == 3)
        *out = COLOR_RGB |
               (uint32_t)((v >> 8 & 15) * 17 << 16 | (v >> 4 & 15) * 17 << 8 | (v & 15) * 17);
    else if (count == 6)
        *out = COLOR_RGB | (uint32_t)v;
    return count == 2 || count == 3 || count == 6;
}

static bool index_color(const char *digits, uint32_t *out)
{
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 3 || digits[count] != '\0' || atoi(digits) > 255)
        return false;
    *out = COLOR_INDEX | (uint32_t)atoi(digits);
    return true;
}

/* A color word. Palette names may name palette names, a few deep. */
static bool color_of(const struct theme *t, const char *word, unsigned deep, uint32_t *out)
{
    if (word[0] == '#')
        return hex_color(word + 1, out);
    if (strcmp(word, "default") == 0) {
        *out = COLOR_DEFAULT;
        return true;
    }
    for (unsigned i = 0; i < t->colors; i++)
        if (strcmp(t->palette[i].name, word) == 0)
            return deep < INHERIT_MAX && color_of(t, t->palette[i].text, deep + 1, out);
    for (uint32_t i = 0; i < 16; i++) {
        if (strcmp(ansi[i].name, word) == 0) {
            *out = COLOR_INDEX | i;
            return true;
        }
    }
    return word[0] == 'c' && index_color(word + 1, out);
}

static uint8_t attribute_of(const char *word)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strcmp(attributes[i].name, word) == 0)
            return attributes[i].bit;
    return 0;
}

bool theme_style(const struct theme *t, const char *text, struct style *out, struct err *err)
{
    *out = (struct style){0};
    char copy[THEME_SPEC];
    snprintf(copy, sizeof copy, "%s", text);
    char *rest = NULL;
    uint32_t *to = &out->fg;
    for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (attribute_of(word)) {
            out->attributes |= attribute_of(word);
        } else if (strcmp(word, "on") == 0 && to == &out->fg) {
            to = &out->bg;
        } else if (*to != COLOR_NONE) {
            return fail(err, "expected COLOR [on COLOR], also found \"%s\"", word);
        } else if (!color_of(t, word, 0, to)) {
            return fail(err, "\"%s\" is neither a color nor an attribute", word);
        }
    }
    return to == &out->bg && out->bg == COLOR_NONE ? fail(err, "expected a color after \"on\"")
                                                   : true;
}

/* ---- reading --------------------------------------------------------------------- */

struct reader {
    struct theme *theme;
    const char *file;
    struct item_reader items;
};

static void warn(struct reader *r, const char *what, const char *name)
{
    if (r->theme->warnings++ == 0)
        fail(&r->theme->warning, "%s:%u: %s \"%s\"", r->file, r->items.line, what, name);
}

static void read_meta(struct reader *r, const char *key, const char *value)
{
    struct theme *t = r->theme;
    if (strcmp(key, "name") == 0)
        snprintf(t->name, sizeof t->name, "%s", value);
    else if (strcmp(key, "author") == 0)
        snprintf(t->author, sizeof t->author, "%s", value);
    else if (strcmp(key, "inherits") == 0)
        snprintf(t->inherits, sizeof t->inherits, "%s", value);
    else if (strcmp(key, "safe") == 0)
        snprintf(t->safe, sizeof t->safe, "%s", value);
    else if (strcmp(key, "mode") == 0 && (!strcmp(value, "dark") || !strcmp(value, "light")))
        t->is_light = strcmp(value, "light") == 0;
    else
        warn(r, "no such entry in [meta], or not with this value:", key);
}

static void read_palette(struct reader *r, const char *key, const char *value)
{
    struct theme *t = r->theme;
    unsigned i = 0;
    while (i < t->colors && strcmp(t->palette[i].name, key) != 0)
        i++;
    if (i == THEME_PALETTE || strlen(key) >= THEME_NAME || strlen(value) >= THEME_NAME) {
        warn(r, "no room in the palette for", key);
        return;
    }
    if (i == t->colors)
        t->colors++;
    snprintf(t->palette[i].name, THEME_NAME, "%s", key);
    snprintf(t->palette[i].text, THEME_NAME, "%s", value);
    uint32_t color;
    if (!color_of(t, value, 0, &color))
        warn(r, "not a color:", value);
}

static void read_role(struct reader *r, enum depth depth, const char *key, const char *value)
{
    enum role role;
    struct style style;
    struct err err;
    if (!role_find(key, &role))
        warn(r, "no such role:", key);
    else if (strlen(value) >= THEME_SPEC)
        warn(r, "too long a style for", key);
    else if (!theme_style(r->theme, value, &style, &err))
        warn(r, err.text, key);
    else
        snprintf(r->theme->roles[depth][role], THEME_SPEC, "%s", value);
}

unsigned theme_colors(const struct theme *t, const char *text, uint32_t *out, unsigned room)
{
    char copy[THEME_LIST];
    snprintf(copy, sizeof copy, "%s", text);
    char *rest = NULL;
    unsigned count = 0;
    for (char *word = strtok_r(copy, " \t,", &rest); word && count < room;
         word = strtok_r(NULL, " \t,", &rest))
        if (color_of(t, word, 0, &out[count]))
            count++;
    return count;
}

static void read_gradient(struct reader *r, const char *key, const char *value)
{
    uint32_t stops[SERIES_MAX];
    for (unsigned i = 1; i < GRADIENT_SERIES; i++) {
        if (strcmp(gradient_names[i], key) != 0)
            continue;
        if (theme_colors(r->theme, value, stops, SERIES_MAX) < 2)
            warn(r, "expected at least two colors for", key);
        else
            snprintf(r->theme->gradients[i], THEME_LIST, "%s", value);
        return;
    }
    warn(r, "no such gradient:", key);
}

static void read_series(struct reader *r, const char *key, const char *value)
{
    uint32_t colors[SERIES_MAX];
    if (strcmp(key, "list") != 0 || theme_colors(r->theme, value, colors, SERIES_MAX) == 0)
        warn(r, "expected \"list\" with colors in [series], found", key);
    else
        snprintf(r->theme->series, THEME_LIST, "%s", value);
}

static void read_entry(struct reader *r, const char *key, const char *value)
{
    static const struct {
        const char *name;
        enum depth depth;
    } roles[] = {
        {"roles", DEPTH_TRUE},
        {"roles.256", DEPTH_256},
        {"roles.16", DEPTH_16},
        {"roles.mono", DEPTH_MONO},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (strcmp(r->items.section, roles[i].name) == 0) {
            read_role(r, roles[i].depth, key, value);
            return;
        }
    }
    if (strcmp(r->items.section, "meta") == 0)
        read_meta(r, key, value);
    else if (strcmp(r->items.section, "palette") == 0)
        read_palette(r, key, value);
    else if (strcmp(r->items.section, "gradients") == 0)
        read_gradient(r, key, value);
    else if (strcmp(r->items.section, "series") == 0)
        read_series(r, key, value);
    else
        warn(r, "no such section for", key);
}

void theme_parse(struct theme *t, const char *text, size_t bytes, const char *file)
{
    struct reader r = {.theme = t, .file = file, .items = item_reader(text, bytes)};
    for (;;) {
        switch (item_next(&r.items)) {
        case ITEM_END:
            return;
        case ITEM_HEAD:
            break;
        case ITEM_PAIR:
            read_entry(&r, r.items.key, r.items.value);
            break;
        case ITEM_WRONG:
            warn(&r, r.items.expected, r.items.key);
            break;
        }
    }
}

/* ---- reducing -------------------------------------------------------------------- */

/* The specification that counts for a role at a depth: the theme's for that depth,
 * the table's (mono and 16 cannot be computed well), the theme's general one. */
static const char *spec(const struct theme *t, enum role role, enum depth depth)
{
    if (t->roles[depth][role][0])
        return t->roles[depth][role];
    if (depth == DEPTH_MONO)
        return rows[role].mono;
    if (depth == DEPTH_16 && strcmp(t->name, "default") == 0)
        return rows[role].ansi;
    for (unsigned hops = 0; hops < ROLES; hops++) {
        if (t->roles[DEPTH_TRUE][role][0])
            return t->roles[DEPTH_TRUE][role];
        if (rows[role].fallback == role)
            break;
        role = rows[role].fallback;
    }
    return "";
}

bool theme_is_for(const struct theme *t, enum vision v)
{
    return v == VISION_NORMAL || strstr(t->safe, vision_name(v)) != NULL;
}

static double lightness(uint32_t color, enum vision v)
{
    return color_lab(color_seen(color_rgb(color, 0), v)).l;
}

/* Is it as far along as the one before, in lightness, for everybody the theme is for? */
static bool goes_on(const struct theme *t, uint32_t before, uint32_t color, bool is_darkening)
{
    for (enum vision v = VISION_NORMAL; v < VISIONS; v++) {
        const double step = lightness(color, v) - lightness(before, v);
        if (theme_is_for(t, v) && (is_darkening ? step > 0 : step < 0))
            return false;
    }
    return true;
}

/* Of the colors that a terminal has, the nearest may be darker than the one before in a ramp that
 * gets lighter. Then the nearest of those that are not is taken. */
static void straighten(const struct theme *t, uint32_t *ramp, const uint32_t *wanted,
                       enum depth depth)
{
    const unsigned first = depth == DEPTH_16 ? 0 : 16, end = depth == DEPTH_16 ? 16 : 256;
    const bool is_darkening =
        lightness(wanted[LEVELS - 1], VISION_NORMAL) < lightness(wanted[0], VISION_NORMAL);
    for (unsigned i = 1; i < LEVELS; i++) {
        if (ramp[i] == ramp[i - 1] || goes_on(t, ramp[i - 1], ramp[i], is_darkening))
            continue;
        const struct lab want = color_lab(wanted[i] & 0xffffff);
        double best = 1e9;
        ramp[i] = ramp[i - 1];
        for (uint32_t c = first; c < end; c++) {
            const double d = color_distance2(want, color_lab(index_rgb(c)));
            if (d < best && goes_on(t, ramp[i - 1], COLOR_INDEX | c, is_darkening)) {
                best = d;
                ramp[i] = COLOR_INDEX | c;
            }
        }
    }
}

static void reduce_gradient(const struct theme *t, enum gradient g, struct look *out)
{
    uint32_t stops[SERIES_MAX], wanted[LEVELS];
    const unsigned count = theme_colors(t, t->gradients[g], stops, SERIES_MAX);
    for (unsigned i = 0; i < LEVELS; i++) {
        out->ramps[g][i] = COLOR_NONE;
        if (count < 2 || out->depth == DEPTH_MONO || (stops[0] & COLOR_KIND) == COLOR_DEFAULT)
            continue;
        const double at = (double)i / (LEVELS - 1) * (count - 1);
        const unsigned low = at >= count - 1 ? count - 2 : (unsigned)at;
        const double part = at - low;
        const struct lab a = color_lab(color_rgb(stops[low], 0));
        const struct lab b = color_lab(color_rgb(stops[low + 1], 0));
        const struct lab mixed = {a.l + (b.l - a.l) * part, a.a + (b.a - a.a) * part,
                                  a.b + (b.b - a.b) * part};
        wanted[i] = COLOR_RGB | color_of_lab(mixed);
        out->ramps[g][i] = reduce_color(wanted[i], out->depth);
    }
    if (out->ramps[g][0] != COLOR_NONE && out->depth != DEPTH_TRUE)
        straighten(t, out->ramps[g], wanted, out->depth);
}

void theme_reduce(const struct theme *t, enum depth depth, struct look *out)
{
    *out = (struct look){.depth = depth};
    for (unsigned i = 0; i < ROLES; i++) {
        struct style *s = &out->styles[i];
        theme_style(t, spec(t, (enum role)i, depth), s, NULL);
        s->fg = reduce_color(s->fg, depth);
        s->bg = reduce_color(s->bg, depth);
    }
    for (unsigned g = 1; g < GRADIENT_SERIES; g++)
        reduce_gradient(t, (enum gradient)g, out);
    uint32_t list[SERIES_MAX];
    out->series_count = theme_colors(t, t->series, list, SERIES_MAX);
    for (unsigned i = 0; i < out->series_count; i++)
        out->series[i] = reduce_color(list[i], depth);
    for (unsigned i = 0; i < LEVELS && out->series_count; i++) {
        const uint32_t color = out->series[i % out->series_count];
        out->ramps[GRADIENT_SERIES][i] = (color & COLOR_KIND) == COLOR_DEFAULT ? COLOR_NONE : color;
    }
}

static struct style laid_over(struct style below, struct style above)
{
    if (above.fg != COLOR_NONE)
        below.fg = above.fg;
    if (above.bg != COLOR_NONE)
        below.bg = above.bg;
    below.attributes |= above.attributes;
    return below;
}

/* What is written on a color: the lighter or the darker end, whichever is further from it. */
static uint32_t ink_on(uint32_t color, enum depth depth)
{
    const bool is_light = color_lab(color_rgb(color, 0)).l > 0.62;
    if (depth == DEPTH_16)
        return COLOR_INDEX | (is_light ? 0 : 15);
    return is_light ? COLOR_RGB | 0x0b0e11 : COLOR_RGB | 0xffffff;
}

static void color_by_level(const struct look *l, unsigned gradient, unsigned level, struct style *s)
{
    const unsigned which = gradient & ~(unsigned)(GRADIENT_SOLID | GRADIENT_GROUND);
    const uint32_t color = which < GRADIENTS ? l->ramps[which][level % LEVELS] : COLOR_NONE;
    if (color == COLOR_NONE)
        return;
    s->fg = gradient & GRADIENT_GROUND ? reduce_color(ink_on(color, l->depth), l->depth) : color;
    if (gradient & (GRADIENT_SOLID | GRADIENT_GROUND))
        s->bg = color;
}

struct style look_style(const struct look *l, enum role role, enum role over, unsigned gradient,
                        unsigned level)
{
    struct style s = laid_over(l->styles[ROLE_TEXT], l->styles[role]);
    color_by_level(l, gradient, level, &s);
    return over == ROLE_TEXT ? s : laid_over(s, l->styles[over]);
}
