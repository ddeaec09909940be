#include "ui/draw/sign_seen.h"

#include "ui/draw/view.h"
#include "ui/state/splits.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- cells --------------------------------------------------------------------------------- */

static const char *bytes_at(const struct grid *g, int x, int y)
{
    const struct cell *const c = grid_look(g, x, y);
    return c ? c->bytes : "";
}

static bool is_blank(const struct grid *g, int x, int y)
{
    const char *const bytes = bytes_at(g, x, y);
    return !*bytes || *bytes == ' ';
}

/* Is there such a cell in the rectangle that passes? */
static bool has_cell(const struct grid *g, const struct rect *r, const char *text,
                     bool (*passes)(const struct grid *g, const struct rect *r, int x, int y))
{
    for (int y = r->y; y < r->y + r->height; y++)
        for (int x = r->x; x < r->x + r->width; x++)
            if (strcmp(bytes_at(g, x, y), text) == 0 && passes(g, r, x, y))
                return true;
    return false;
}

static bool is_first(const struct grid *g, const struct rect *r, int x, int y)
{
    (void)g, (void)y;
    return x == r->x;
}

static bool is_near_front(const struct grid *g, const struct rect *r, int x, int y)
{
    (void)g, (void)y;
    return x <= r->x + 1;
}

static bool is_alone(const struct grid *g, const struct rect *r, int x, int y)
{
    (void)r;
    return is_blank(g, x - 1, y) && is_blank(g, x + 1, y);
}

/* Before a name: with a role of its own; in call trees the first that stands in the row. */
static bool is_of_branch(const struct grid *g, const struct rect *r, int x, int y)
{
    enum { MARGIN = 2 };
    int before = x - 1;
    while (before >= r->x + MARGIN && is_blank(g, before, y))
        before--;
    const bool is_in_front = x >= r->x + MARGIN && before < r->x + MARGIN;
    return x > r->x && is_alone(g, r, x, y) &&
           (is_in_front || grid_look(g, x, y)->role == ROLE_KEY);
}

static bool is_anywhere(const struct grid *g, const struct rect *r, int x, int y)
{
    (void)g, (void)r, (void)x, (void)y;
    return true;
}

/* "1.2K", "45.2M": behind a digit, before a blank. */
static bool is_unit(const struct grid *g, const struct rect *r, int x, int y)
{
    (void)r;
    return isdigit((unsigned char)*bytes_at(g, x - 1, y)) && is_blank(g, x + 1, y);
}

/* A name in parentheses: at the front of a text. */
static bool is_front(const struct grid *g, const struct rect *r, int x, int y)
{
    (void)r;
    return is_blank(g, x - 1, y) && !is_blank(g, x + 1, y);
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_word(const char *line, const char *at, size_t bytes)
{
    return (at == line || at[-1] == ' ') && !isalnum((unsigned char)at[bytes]);
}

/* The word in a line around the rows. */
static bool has_word(const struct grid *g, int y, const char *word)
{
    char line[CELL_BYTES * 512];
    size_t used = 0;
    line[0] = '\0';
    for (int x = 0; x < g->width && used + CELL_BYTES < sizeof line; x++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s", bytes_at(g, x, y));
    for (const char *at = line; (at = strstr(at, word)); at++)
        if (is_word(line, at, strlen(word)))
            return true;
    return false;
}

/* ---- signs ----------------------------------------------------------------------------------- */

struct seen {
    const struct app *a;
    struct grid g;
    struct layout whole;
    struct rect header, totals, body; /* of the focused pane */
};

static bool is_among_rows(const struct seen *s, const char *text,
                          bool (*passes)(const struct grid *g, const struct rect *r, int x, int y))
{
    return has_cell(&s->g, &s->body, text, passes) || has_cell(&s->g, &s->totals, text, passes);
}

static bool has_unit(const struct seen *s)
{
    static const char *const units[] = {"K", "M", "G", "T", "k"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is_among_rows(s, units[i], is_unit))
            return true;
    return false;
}

static bool is_on_screen(const struct seen *s, enum sign sign)
{
    const char *const text = sign_text(s->a->glyphs, sign);
    const struct rect all = {0, 0, s->g.width, s->g.height};
    switch (sign) {
    case SIGN_TAGGED:
    case SIGN_RULE:
    case SIGN_EXITED:
    case SIGN_NEW:
        return has_cell(&s->g, &s->body, text, is_first);
    case SIGN_FOLDED:
    case SIGN_UNFOLDED:
        return has_cell(&s->g, &s->body, text, is_of_branch);
    case SIGN_ZERO:
    case SIGN_ABSENT:
        return is_among_rows(s, text, is_alone);
    case SIGN_STAND_IN:
        return has_cell(&s->g, &s->body, "(", is_front);
    case SIGN_INCOMPLETE:
        return has_cell(&s->g, &s->header, text, is_anywhere) ||
               has_cell(&s->g, &s->whole.status, text, is_anywhere);
    case SIGN_ESTIMATED:
    case SIGN_DIFFERENCE:
    case SIGN_DIFFERENCE_ASCII:
    case SIGN_DESCENDING:
    case SIGN_ASCENDING:
        return has_cell(&s->g, &s->header, text, is_anywhere);
    case SIGN_CURSOR:
        return has_cell(&s->g, &s->body, text, is_near_front);
    case SIGN_CUT:
        return has_cell(&s->g, &all, text, is_anywhere);
    case SIGN_UNITS:
        return has_unit(s);
    case SIGN_STRIP_MARK:
    case SIGN_STRIP_TRIGGER:
    case SIGN_STRIP_LOSS:
    case SIGN_STRIP_GAP:
        return has_cell(&s->g, &s->whole.strip, text, is_anywhere);
    default:
        return has_word(&s->g, s->whole.status.y, text) || has_word(&s->g, s->header.y - 1, text);
    }
}

static struct rect moved(struct rect r, int x, int y)
{
    return (struct rect){r.x + x, r.y + y, r.width, r.height};
}

uint64_t signs_seen(const struct app *a)
{
    const struct layout l = app_layout(a);
    const struct rect area =
        splits_are_shown(a) ? splits_area(a, a->split_at) : (struct rect){0, 0, 0, 0};
    struct seen s = {.a = a,
                     .whole = app_layout_whole(a),
                     .header = moved(l.header, area.x, area.y),
                     .totals = moved(l.totals, area.x, area.y),
                     .body = moved(l.body, area.x, area.y)};
    uint64_t seen = 0;
    grid_init(&s.g, a->columns, a->rows, a->glyphs);
    app_draw(a, &s.g);
    for (enum sign sign = 0; sign < SIGNS; sign++)
        if (sign_is_here(a, sign) && is_on_screen(&s, sign))
            seen |= 1ull << sign;
    grid_fini(&s.g);
    return seen;
}
