#include "ui/painter.h"

#include "src/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct brush {
    struct painter *paint;
    const struct look *look;
    int x, y;           /* where the terminal's cursor is; x < 0 = not known */
    struct style style; /* that is set */
    bool has_style;
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

static void add_format(struct painter *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_format(struct painter *p, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    const int count = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add(p, text, count > 0 && count < (int)sizeof text ? (size_t)count : 0);
}

static void add_colour(struct painter *p, int base, uint32_t colour)
{
    const unsigned value = colour & ~(uint32_t)COLOUR_KIND;
    if ((colour & COLOUR_KIND) == COLOUR_RGB)
        add_format(p, ";%d;2;%u;%u;%u", base + 8, value >> 16 & 255, value >> 8 & 255, value & 255);
    else if ((colour & COLOUR_KIND) == COLOUR_INDEX)
        add_format(p, ";%d;5;%u", base + 8, value & 255);
}

static void set_style(struct brush *b, struct style s)
{
    static const struct {
        uint8_t bit;
        const char *code;
    } codes[] = {
        {ATTRIBUTE_BOLD, ";1"},      {ATTRIBUTE_DIM, ";2"},     {ATTRIBUTE_ITALIC, ";3"},
        {ATTRIBUTE_UNDERLINE, ";4"}, {ATTRIBUTE_REVERSE, ";7"}, {ATTRIBUTE_STRIKE, ";9"},
    };
    if (b->has_style && b->style.fg == s.fg && b->style.bg == s.bg &&
        b->style.attributes == s.attributes)
        return;
    add(b->paint, "\033[0", 3);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (s.attributes & codes[i].bit)
            add(b->paint, codes[i].code, 2);
    add_colour(b->paint, 30, s.fg);
    add_colour(b->paint, 40, s.bg);
    add(b->paint, "m", 1);
    b->style = s;
    b->has_style = true;
}

static void paint_cell(struct brush *b, const struct cell *c, int x, int y)
{
    if (b->x != x || b->y != y)
        add_format(b->paint, "\033[%d;%dH", y + 1, x + 1);
    set_style(b, look_style(b->look, (enum role)c->role, (enum role)c->over,
                            c->gradient, c->level));
    add(b->paint, c->bytes, strlen(c->bytes));
    /* Terminals disagree about widths: after anything but ASCII the place is said anew. */
    b->x = (unsigned char)c->bytes[0] < 0x80 ? x + c->width : -1;
    b->y = y;
}

void painter_frame(struct painter *p, const struct look *look, const struct grid *old,
                   const struct grid *now)
{
    struct brush b = {.paint = p, .look = look, .x = -1};
    p->count = 0;
    add(p, "\033[?25l", 6);
    for (int y = 0; y < now->height; y++) {
        for (int x = 0; x < now->width; x++) {
            const struct cell *c = grid_look(now, x, y);
            const struct cell *before = old ? grid_look(old, x, y) : NULL;
            if (c->width > 0 && (!before || memcmp(before, c, sizeof *c) != 0))
                paint_cell(&b, c, x, y);
        }
    }
    add(p, "\033[0m", 4);
    if (now->cursor_x >= 0)
        add_format(p, "\033[%d;%dH\033[?25h", now->cursor_y + 1, now->cursor_x + 1);
}

void painter_fini(struct painter *p)
{
    free(p->bytes);
    *p = (struct painter){0};
}
