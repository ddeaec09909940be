/* Geometry: the picture's font is DejaVu Sans Mono, whose characters are 1233/2048 of
 * the font size wide; the font size is what makes that one cell. Words are placed one
 * by one, so that rounding inside the renderer never adds up along a line. */
#include "ui/term/svg.h"

#include <string.h>

enum { CELL_WIDTH = 9, CELL_HEIGHT = 19, BASELINE = 14, MARGIN = 8 };

static const double font_size = CELL_WIDTH * 2048.0 / 1233.0;

enum { DARK_TEXT = 0xd0d0d0, DARK_GROUND = 0x101214 }; /* where the look says nothing */

/* What one cell looks like, all inheritance and reversal done. */
struct paint {
    uint32_t fg, bg;
    uint8_t attributes;
};

struct canvas {
    const struct grid *grid;
    const struct look *look;
    struct paint ground;
    FILE *out;
};

static struct paint paint_of(const struct canvas *v, const struct cell *c)
{
    const struct style s = look_style(v->look, c->role, c->over, c->gradient, c->level);
    struct paint p = {.fg = color_rgb(s.fg, v->ground.fg),
                      .bg = color_rgb(s.bg, v->ground.bg),
                      .attributes = s.attributes};
    if (s.attributes & ATTRIBUTE_REVERSE) {
        const uint32_t fg = p.fg;
        p.fg = p.bg;
        p.bg = fg;
    }
    return p;
}

static bool same_paint(const struct paint *a, const struct paint *b)
{
    return a->fg == b->fg && a->attributes == b->attributes;
}

static void put_rect(const struct canvas *v, double x, double y, double width, double height,
                     uint32_t color)
{
    fprintf(v->out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x, y,
            width, height, (unsigned)color);
}

static double left_of(int x)
{
    return MARGIN + (double)x * CELL_WIDTH;
}

static double top_of(int y)
{
    return MARGIN + (double)y * CELL_HEIGHT;
}

/* ---- backgrounds ------------------------------------------------------------------ */

static void put_grounds(const struct canvas *v, int y)
{
    for (int x = 0, end; x < v->grid->width; x = end) {
        const uint32_t bg = paint_of(v, grid_look(v->grid, x, y)).bg;
        for (end = x + 1; end < v->grid->width; end++)
            if (paint_of(v, grid_look(v->grid, end, y)).bg != bg)
                break;
        if (bg != v->ground.bg)
            put_rect(v, left_of(x), top_of(y), (end - x) * CELL_WIDTH, CELL_HEIGHT, bg);
    }
}

/* ---- shapes ------------------------------------------------------------------------ */

/* Code point of a cell with exactly one character of three bytes, which all the
 * shapes have; else 0. */
static uint32_t shape_of(const struct cell *c)
{
    const unsigned char *const b = (const unsigned char *)c->bytes;
    if (b[0] < 0xe0 || b[0] > 0xef || !b[1] || !b[2] || b[3])
        return 0;
    return (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
}

enum { HEAVY = 4 };

static void put_dashes(const struct canvas *v, double left, double top, int count, uint32_t color)
{
    const double step = (double)CELL_WIDTH / count;
    for (int i = 0; i < count; i++)
        put_rect(v, left + i * step, top, step * 0.65, HEAVY, color);
}

/* Block elements and the box lines that are used as rectangles. */
static bool put_shape(const struct canvas *v, int x, int y, const struct cell *c)
{
    const uint32_t code = shape_of(c), color = paint_of(v, c).fg;
    const double left = left_of(x), top = top_of(y);
    const double middle = top + (CELL_HEIGHT - HEAVY) / 2.0;
    if (code >= 0x2581 && code <= 0x2588) { /* lower eighths, full block */
        const double part = CELL_HEIGHT * (code - 0x2580) / 8.0;
        put_rect(v, left, top + CELL_HEIGHT - part, CELL_WIDTH, part, color);
    } else if (code >= 0x2589 && code <= 0x258f) { /* left seven eighths … one */
        put_rect(v, left, top, CELL_WIDTH * (0x2590 - code) / 8.0, CELL_HEIGHT, color);
    } else if (code == 0x2500) { /* horizontal line */
        put_rect(v, left, top + CELL_HEIGHT / 2.0, CELL_WIDTH, 1, color);
    } else if (code == 0x2501 || code == 0x2578) { /* heavy line, its left half */
        put_rect(v, left, middle, code == 0x2501 ? CELL_WIDTH : CELL_WIDTH / 2.0, HEAVY, color);
    } else if (code == 0x254d || code == 0x2505 || code == 0x2509) { /* in two, three, four parts */
        put_dashes(v, left, middle, code == 0x254d ? 2 : code == 0x2505 ? 3 : 4, color);
    } else if (code == 0x2502) { /* vertical line */
        put_rect(v, left + CELL_WIDTH / 2.0, top, 1, CELL_HEIGHT, color);
    } else {
        return false;
    }
    return true;
}

/* ---- text ---------------------------------------------------------------------------- */

static void put_escaped(FILE *out, const char *bytes)
{
    for (const char *c = bytes; *c; c++) {
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if ((unsigned char)*c >= 0x20)
            fputc(*c, out);
    }
}

static void open_text(const struct canvas *v, int x, int y, const struct paint *p)
{
    fprintf(v->out, "<text x=\"%g\" y=\"%g\" fill=\"#%06x\"", left_of(x), top_of(y) + BASELINE,
            (unsigned)p->fg);
    if (p->attributes & ATTRIBUTE_BOLD)
        fputs(" font-weight=\"bold\"", v->out);
    if (p->attributes & ATTRIBUTE_ITALIC)
        fputs(" font-style=\"italic\"", v->out);
    if (p->attributes & ATTRIBUTE_DIM)
        fputs(" fill-opacity=\"0.65\"", v->out);
    if (p->attributes & ATTRIBUTE_UNDERLINE)
        fputs(" text-decoration=\"underline\"", v->out);
    if (p->attributes & ATTRIBUTE_STRIKE)
        fputs(" text-decoration=\"line-through\"", v->out);
    fputc('>', v->out);
}

static bool is_blank(const struct cell *c)
{
    return !c->bytes[0] || strcmp(c->bytes, " ") == 0;
}

static bool is_plain(const struct cell *c)
{
    return (unsigned char)c->bytes[0] < 0x80;
}

/* Words of ASCII go together; anything else is placed by itself, since it may come
 * from another font. */
static int put_word(const struct canvas *v, int x, int y)
{
    const struct cell *const first = grid_look(v->grid, x, y);
    const struct paint paint = paint_of(v, first);
    open_text(v, x, y, &paint);
    put_escaped(v->out, first->bytes);
    int end = x + 1;
    while (is_plain(first) && end < v->grid->width) {
        const struct cell *const c = grid_look(v->grid, end, y);
        const struct paint p = paint_of(v, c);
        if (is_blank(c) || !is_plain(c) || !same_paint(&p, &paint))
            break;
        put_escaped(v->out, c->bytes);
        end++;
    }
    fputs("</text>\n", v->out);
    return end;
}

static void put_line(const struct canvas *v, int y)
{
    put_grounds(v, y);
    for (int x = 0; x < v->grid->width;) {
        const struct cell *const c = grid_look(v->grid, x, y);
        if (is_blank(c) || put_shape(v, x, y, c))
            x++;
        else
            x = put_word(v, x, y);
    }
}

void grid_svg(const struct grid *g, const struct look *l, FILE *out)
{
    const struct style text = look_style(l, ROLE_TEXT, ROLE_TEXT, GRADIENT_NONE, 0);
    const struct canvas v = {
        .grid = g,
        .look = l,
        .ground = {.fg = color_rgb(text.fg, DARK_TEXT), .bg = color_rgb(text.bg, DARK_GROUND)},
        .out = out};
    const int width = g->width * CELL_WIDTH + 2 * MARGIN;
    const int height = g->height * CELL_HEIGHT + 2 * MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono\" font-size=\"%.3f\">\n",
            width, height, width, height, font_size);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", width, height,
            (unsigned)v.ground.bg);
    for (int y = 0; y < g->height; y++)
        put_line(&v, y);
    fputs("</svg>\n", out);
}
