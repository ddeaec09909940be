#include "ui/term/grid.h"

#include "src/base/mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct cell blank = {.bytes = " ", .width = 1, .role = ROLE_TEXT};

/* ---- the cells ------------------------------------------------------------------- */

void grid_init(struct grid *g, int width, int height, const struct glyphs *glyphs)
{
    *g = (struct grid){.glyphs = glyphs};
    grid_resize(g, width, height);
}

void grid_fini(struct grid *g)
{
    free(g->cells);
    *g = (struct grid){0};
}

static int side(int cells)
{
    return cells < 1 ? 1 : cells > GRID_SIDE_MAX ? GRID_SIDE_MAX : cells;
}

void grid_resize(struct grid *g, int width, int height)
{
    g->width = side(width);
    g->height = side(height);
    free(g->cells);
    g->cells = mem_new((size_t)g->width * (size_t)g->height, sizeof *g->cells);
    grid_clear(g);
}

void grid_clear(struct grid *g)
{
    const size_t width = (size_t)g->width;
    for (size_t x = 0; x < width; x++)
        g->cells[x] = blank;
    for (size_t y = 1; y < (size_t)g->height; y++)
        memcpy(g->cells + y * width, g->cells, width * sizeof *g->cells);
    g->cursor_x = g->cursor_y = -1;
}

const struct cell *grid_look(const struct grid *g, int x, int y)
{
    if (x < 0 || y < 0 || x >= g->width || y >= g->height)
        return NULL;
    return &g->cells[(size_t)y * (size_t)g->width + (size_t)x];
}

struct cell *grid_cell(struct grid *g, int x, int y)
{
    return (struct cell *)grid_look(g, x, y);
}

/* What is written over half of a wide character blanks its other half. */
static void part_wide(struct grid *g, int x, int y)
{
    struct cell *c = grid_cell(g, x, y);
    struct cell *other = !c              ? NULL
                         : c->width == 0 ? grid_cell(g, x - 1, y)
                         : c->width == 2 ? grid_cell(g, x + 1, y)
                                         : NULL;
    if (!other)
        return;
    memcpy(other->bytes, " ", 2);
    other->width = 1;
}

static void put(struct grid *g, int x, int y, const char *bytes, size_t count, int width,
                enum role role)
{
    struct cell *c = grid_cell(g, x, y);
    if (!c)
        return;
    part_wide(g, x, y);
    if (width == 2)
        part_wide(g, x + 1, y);
    *c = (struct cell){.width = (uint8_t)width, .role = (uint8_t)role};
    memcpy(c->bytes, bytes, count);
    struct cell *right = width == 2 ? grid_cell(g, x + 1, y) : NULL;
    if (right)
        *right = (struct cell){.width = 0, .role = (uint8_t)role};
}

/* ---- text ------------------------------------------------------------------------ */

/* One or two cells each; what a border would cut in half becomes blank, and ASCII
 * screens get two signs for a wide one. */
static void put_cluster(struct grid *g, int x, int y, char *cluster, int cells, enum role role)
{
    if (g->glyphs->is_ascii)
        text_cluster_to_ascii(cluster, cells);
    const bool is_cut = cells == 2 && (x < 0 || x + 1 >= g->width);
    if (cells == 1 || !(is_cut || g->glyphs->is_ascii)) {
        put(g, x, y, cluster, strlen(cluster), cells, role);
        return;
    }
    for (int i = 0; i < cells; i++)
        put(g, x + i, y, is_cut ? " " : &cluster[i], 1, 1, role);
}

/* Most of what is shown: a character of printable ASCII that nothing combines with (no such begins
 * below 0xcc), over a cell that is no half of another. True when that was done. */
static bool put_plain(struct grid *g, int x, int y, const char *text, size_t bytes, enum role role)
{
    const bool is_plain =
        *text >= 0x20 && *text < 0x7f && (bytes == 1 || (unsigned char)text[1] < 0xcc);
    struct cell *const c = is_plain ? grid_cell(g, x, y) : NULL;
    if (!c || c->width != 1)
        return false;
    *c = (struct cell){.bytes = {*text}, .width = 1, .role = (uint8_t)role};
    return true;
}

static int grid_bytes(struct grid *g, int x, int y, int width, enum role role, const char *text,
                      size_t bytes)
{
    int used = 0;
    char cluster[CELL_BYTES];
    int cells = 0;
    for (size_t at = 0; at < bytes;) {
        if (used < width && put_plain(g, x + used, y, text + at, bytes - at, role)) {
            used++;
            at++;
            continue;
        }
        at += text_cluster(text + at, bytes - at, cluster, sizeof cluster, &cells);
        if (used + cells > width)
            break;
        put_cluster(g, x + used, y, cluster, cells, role);
        used += cells;
    }
    return used;
}

int grid_text(struct grid *g, int x, int y, int width, enum role role, const char *text)
{
    return grid_bytes(g, x, y, width, role, text, strlen(text));
}

int grid_printf(struct grid *g, int x, int y, int width, enum role role, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return grid_text(g, x, y, width, role, text);
}

int grid_cut(struct grid *g, int x, int y, int width, enum role role, const char *text,
             enum grid_cut cut)
{
    char fits[2048];
    const unsigned how =
        (cut == CUT_FRONT ? TEXT_TAIL : TEXT_HEAD) | (g->glyphs->is_ascii ? TEXT_ASCII : 0);
    text_clip(fits, sizeof fits, text, strlen(text), width > 0 ? width : 0, how);
    return grid_text(g, x, y, width, role, fits);
}

int grid_width(const char *text)
{
    return (int)text_width(text, strlen(text));
}

void grid_right(struct grid *g, int x, int y, int width, enum role role, const char *text)
{
    const int cells = grid_width(text);
    const int room = cells < width ? cells : width;
    grid_text(g, x + width - room, y, room, role, text);
}

/* ---- surfaces -------------------------------------------------------------------- */

static struct rect clip(const struct grid *g, struct rect r)
{
    const int x1 = r.x + r.width < g->width ? r.x + r.width : g->width;
    const int y1 = r.y + r.height < g->height ? r.y + r.height : g->height;
    const int x0 = r.x > 0 ? r.x : 0, y0 = r.y > 0 ? r.y : 0;
    return (struct rect){x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0};
}

void grid_fill(struct grid *g, struct rect r, enum role role)
{
    const struct rect c = clip(g, r);
    for (int y = c.y; y < c.y + c.height; y++)
        for (int x = c.x; x < c.x + c.width; x++)
            put(g, x, y, " ", 1, 1, role);
}

void grid_over(struct grid *g, struct rect r, enum role over)
{
    const struct rect c = clip(g, r);
    for (int y = c.y; y < c.y + c.height; y++)
        for (int x = c.x; x < c.x + c.width; x++)
            grid_cell(g, x, y)->over = (uint8_t)over;
}

void grid_tint(struct grid *g, int x, int y, unsigned gradient, unsigned level)
{
    struct cell *const c = grid_cell(g, x, y);
    if (c) {
        c->gradient = (uint8_t)gradient;
        c->level = (uint8_t)level;
    }
}

static void color(struct grid *g, int x, int y, enum gradient gradient, double level)
{
    struct cell *c = grid_cell(g, x, y);
    if (!c || gradient == GRADIENT_NONE)
        return;
    c->gradient = (uint8_t)gradient;
    c->level = (uint8_t)(level <= 0 ? 0 : level >= 1 ? LEVELS - 1 : level * (LEVELS - 1) + 0.5);
}

static int eighths(double part, int most)
{
    if (!(part > 0)) /* also not-a-number */
        return 0;
    return part >= 1 ? most : (int)(part * most + 0.5);
}

void grid_bar(struct grid *g, int x, int y, int width, double part, enum role role,
              enum gradient gradient)
{
    int left = eighths(part, width * 8);
    if (part > 0 && left == 0)
        left = 1; /* something is not nothing */
    for (int i = 0; i < width; i++, left -= 8) {
        const int fill = left >= 8 ? 8 : left > 0 ? left : 0;
        grid_text(g, x + i, y, 1, fill ? role : ROLE_BAR_REST,
                  fill ? g->glyphs->bar[fill] : g->glyphs->zero);
        if (fill)
            color(g, x + i, y, gradient, width > 1 ? (double)i / (width - 1) : part);
    }
}

/* The part that has most of the cell from `from` to `to`; *filled: what all have of it, 0 … 1. */
static unsigned part_of_cell(const struct grid_part *parts, unsigned count, double from, double to,
                             double *filled)
{
    double at = 0, most = 0, all = 0;
    unsigned best = 0;
    for (unsigned i = 0; i < count; i++) {
        const double end = parts[i].part > 0 ? at + parts[i].part : at;
        const double low = at > from ? at : from, high = end < to ? end : to;
        const double share = high > low ? high - low : 0;
        all += share;
        if (share > most) {
            most = share;
            best = i;
        }
        at = end;
    }
    *filled = all / (to - from);
    return best;
}

void grid_parts(struct grid *g, int x, int y, int width, const struct grid_part *parts,
                unsigned count)
{
    for (int i = 0; i < width; i++) {
        double filled;
        const unsigned best =
            part_of_cell(parts, count, (double)i / width, (double)(i + 1) / width, &filled);
        const int quarters = eighths(filled, 4);
        const bool is_some = quarters > 0 || (i == 0 && filled > 0); /* something is not nothing */
        grid_text(g, x + i, y, 1, is_some ? parts[best].role : ROLE_BAR_REST,
                  !is_some       ? g->glyphs->part_rest
                  : quarters > 2 ? g->glyphs->part[best]
                                 : g->glyphs->part_half);
    }
}

/* The sign for two neighbors, each up to four dots high. */
static void put_dots(struct grid *g, int x, int y, double older, double newer, enum role role)
{
    enum { HIGH = 4 };
    static const uint8_t left[HIGH] = {0x40, 0x04, 0x02, 0x01}, right[HIGH] = {0x80, 0x20, 0x10, 0x08};
    unsigned dots = 0;
    for (int i = 0; i < HIGH; i++) {
        dots |= older > 0 && (i == 0 || eighths(older, HIGH) > i) ? left[i] : 0u;
        dots |= newer > 0 && (i == 0 || eighths(newer, HIGH) > i) ? right[i] : 0u;
    }
    const char sign[] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)), '\0'};
    grid_text(g, x, y, 1, dots ? role : ROLE_BAR_REST, dots ? sign : g->glyphs->zero);
}

static double value_back(const float *values, size_t count, size_t back)
{
    return back < count ? (double)values[count - 1 - back] : 0;
}

/* Two values in a cell; a single one takes it all. */
static void spark_of_dots(struct grid *g, int x, int y, int width, const float *values,
                          size_t count, enum role role, enum gradient gradient)
{
    for (int i = 0; i < width; i++) {
        const size_t back = 2 * (size_t)(width - 1 - i);
        const double newer = value_back(values, count, back);
        const double older = count == 1 ? newer : value_back(values, count, back + 1);
        put_dots(g, x + i, y, older, newer, role);
        if (newer > 0 || older > 0)
            color(g, x + i, y, gradient, newer > older ? newer : older);
    }
}

void grid_spark(struct grid *g, int x, int y, int width, const float *values, size_t count,
                enum role role, enum gradient gradient)
{
    if (g->glyphs->is_braille) {
        spark_of_dots(g, x, y, width, values, count, role, gradient);
        return;
    }
    for (int i = 0; i < width; i++) {
        const size_t back = (size_t)(width - 1 - i);
        const double v = back < count ? (double)values[count - 1 - back] : 0;
        int fill = eighths(v, 8);
        if (v > 0 && fill == 0)
            fill = 1;
        grid_text(g, x + i, y, 1, fill ? role : ROLE_BAR_REST,
                  fill ? g->glyphs->spark[fill] : g->glyphs->zero);
        if (fill)
            color(g, x + i, y, gradient, v);
    }
}

/* ---- printing -------------------------------------------------------------------- */

static int last_mark(const struct grid *g, int y, bool roles)
{
    int last = -1;
    for (int x = 0; x < g->width; x++) {
        const struct cell *c = grid_look(g, x, y);
        const bool plain = c->role == ROLE_TEXT && c->over == ROLE_TEXT;
        if (strcmp(c->bytes, " ") != 0 || (roles && !plain))
            last = x;
    }
    return last;
}

/* The text so far; always ends with a NUL. */
struct page {
    char *text;
    size_t used, room;
};

static void print(struct page *p, const char *text)
{
    const size_t bytes = strlen(text);
    if (p->used + bytes + 1 > p->room) {
        p->room = 2 * (p->used + bytes) + 4096;
        p->text = mem_grow(p->text, p->room, 1);
    }
    memcpy(p->text + p->used, text, bytes + 1);
    p->used += bytes;
}

static void print_open(struct page *p, const struct cell *c)
{
    if (c->role == ROLE_TEXT && c->over == ROLE_TEXT)
        return;
    print(p, "{");
    print(p, role_name(c->role));
    if (c->over != ROLE_TEXT) {
        print(p, "+");
        print(p, role_name(c->over));
    }
    print(p, ":");
}

static void print_close(struct page *p, const struct cell *c)
{
    if (c->role != ROLE_TEXT || c->over != ROLE_TEXT)
        print(p, "}");
}

static void print_row(struct page *p, const struct grid *g, int y, bool roles)
{
    const int last = last_mark(g, y, roles);
    const struct cell *before = NULL;
    for (int x = 0; x <= last; x++) {
        const struct cell *c = grid_look(g, x, y);
        const bool changes = !before || before->role != c->role || before->over != c->over;
        if (roles && changes) {
            if (before)
                print_close(p, before);
            print_open(p, c);
        }
        print(p, c->bytes);
        before = c;
    }
    if (roles && before)
        print_close(p, before);
    print(p, "\n");
}

char *grid_to_text(const struct grid *g, bool roles)
{
    struct page p = {.text = mem_string("")};
    for (int y = 0; y < g->height; y++)
        print_row(&p, g, y, roles);
    return p.text;
}

void grid_print(const struct grid *g, FILE *out, bool roles)
{
    char *const text = grid_to_text(g, roles);
    fputs(text, out);
    free(text);
}
