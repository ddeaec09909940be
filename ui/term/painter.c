#include "ui/term/painter.h"

#include "src/base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct brush {
    struct painter *paint;
    const struct look *look;
    int x, y;           /* where the terminal's cursor is; x < 0 = not known */
    struct style style; /* that is set */
    bool has_style;
    const struct cell *last; /* whose style it is */
};

static void add(struct painter *p, const char *bytes, size_t count)
{
    if (p->count + count > p->room) {
        p->room = 2 * (p->count + count) + 4096;
        p->bytes = mem_grow(p->bytes, p->room, 1);
    }
    memcpy(p->bytes + p->count, bytes, count);
    p->count += count;
}

/* Codes of one sequence, or a place: what is said for every stretch is written by hand. */
struct codes {
    char text[80]; /* some ten codes, and two colors of 17 bytes */
    size_t count;
};

static void add_number(struct codes *c, unsigned value)
{
    char digits[10];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(c->text + c->count, digits + at, sizeof digits - at);
    c->count += sizeof digits - at;
}

static void add_code(struct codes *c, unsigned value)
{
    if (c->count)
        c->text[c->count++] = ';';
    add_number(c, value);
}

static void add_color(struct codes *c, unsigned base, uint32_t color)
{
    enum { ANY = 8, BY_RGB = 2, BY_INDEX = 5 };
    const unsigned value = color & ~(uint32_t)COLOR_KIND;
    if ((color & COLOR_KIND) == COLOR_RGB) {
        add_code(c, base + ANY);
        add_code(c, BY_RGB);
        add_code(c, value >> 16 & 255);
        add_code(c, value >> 8 & 255);
        add_code(c, value & 255);
    } else if ((color & COLOR_KIND) == COLOR_INDEX) {
        add_code(c, base + ANY);
        add_code(c, BY_INDEX);
        add_code(c, value & 255);
    }
}

static void send_codes(struct painter *p, const struct codes *c, char end)
{
    add(p, "\033[", 2);
    add(p, c->text, c->count);
    add(p, &end, 1);
}

static void go_to(struct painter *p, int x, int y)
{
    struct codes place = {.count = 0};
    add_code(&place, (unsigned)y + 1);
    add_code(&place, (unsigned)x + 1);
    send_codes(p, &place, 'H');
}

static bool is_own(uint32_t color)
{
    const uint32_t kind = color & COLOR_KIND;
    return kind == COLOR_RGB || kind == COLOR_INDEX;
}

/* Whether `s` can be had by adding to what is set: nothing takes away one thing alone that all
 * terminals understand. */
static bool adds(const struct brush *b, struct style s)
{
    return b->has_style && !(b->style.attributes & ~s.attributes) &&
           (is_own(s.fg) || !is_own(b->style.fg)) && (is_own(s.bg) || !is_own(b->style.bg));
}

static void set_style(struct brush *b, struct style s)
{
    static const struct {
        uint8_t bit, code;
    } codes[] = {
        {ATTRIBUTE_BOLD, 1},      {ATTRIBUTE_DIM, 2},     {ATTRIBUTE_ITALIC, 3},
        {ATTRIBUTE_UNDERLINE, 4}, {ATTRIBUTE_REVERSE, 7}, {ATTRIBUTE_STRIKE, 9},
    };
    if (b->has_style && b->style.fg == s.fg && b->style.bg == s.bg &&
        b->style.attributes == s.attributes)
        return;
    struct codes reported = {.count = 0};
    if (!adds(b, s)) {
        add_code(&reported, 0);
        b->style = (struct style){COLOR_DEFAULT, COLOR_DEFAULT, 0};
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (s.attributes & ~b->style.attributes & codes[i].bit)
            add_code(&reported, codes[i].code);
    if (b->style.fg != s.fg)
        add_color(&reported, 30, s.fg);
    if (b->style.bg != s.bg)
        add_color(&reported, 40, s.bg);
    if (reported.count)
        send_codes(b->paint, &reported, 'm');
    b->style = s;
    b->has_style = true;
}

static bool is_styled_alike(const struct cell *a, const struct cell *b)
{
    return a->role == b->role && a->over == b->over && a->gradient == b->gradient &&
           a->level == b->level;
}

static void paint_cell(struct brush *b, const struct cell *c, int x, int y)
{
    if (b->x != x || b->y != y)
        go_to(b->paint, x, y);
    if (!b->last || !is_styled_alike(b->last, c))
        set_style(b, look_style(b->look, (enum role)c->role, (enum role)c->over, c->gradient,
                                c->level));
    b->last = c;
    add(b->paint, c->bytes, strlen(c->bytes));
    /* Terminals disagree about widths: after anything but ASCII the place is said anew. */
    b->x = (unsigned char)c->bytes[0] < 0x80 ? x + c->width : -1;
    b->y = y;
}

/* `before` NULL: every cell. Most lines are as they were. */
static void paint_line(struct brush *b, const struct cell *before, const struct cell *now,
                       int width, int y)
{
    if (before && memcmp(before, now, (size_t)width * sizeof *now) == 0)
        return;
    for (int x = 0; x < width; x++)
        if (now[x].width > 0 && (!before || memcmp(&before[x], &now[x], sizeof *now) != 0))
            paint_cell(b, &now[x], x, y);
}

void painter_frame(struct painter *p, const struct look *look, const struct grid *old,
                   const struct grid *now)
{
    struct brush b = {.paint = p, .look = look, .x = -1};
    const bool is_alike = old && old->width == now->width && old->height == now->height;
    p->count = 0;
    add(p, "\033[?25l", 6);
    for (int y = 0; y < now->height; y++)
        paint_line(&b, is_alike ? grid_look(old, 0, y) : NULL, grid_look(now, 0, y), now->width, y);
    add(p, "\033[0m", 4);
    if (now->cursor_x < 0)
        return;
    go_to(p, now->cursor_x, now->cursor_y);
    add(p, "\033[?25h", 6);
}

void painter_fini(struct painter *p)
{
    free(p->bytes);
    *p = (struct painter){0};
}
