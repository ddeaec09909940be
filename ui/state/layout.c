/* Where everything stands on the screen: the lines around the rows, and the areas of several panes. */
#include "ui/state/layout.h"
#include "ui/state/lacking.h"
#include "ui/state/splits.h"
#include "ui/state/strip.h"

static bool has_totals(const struct pane *p)
{
    return p->view != PANE_EVENTS && p->view != PANE_CHANGES;
}

static bool is_summed(const struct app *a)
{
    return !a->focus->is_detail && (has_totals(app_shown(a)->pane) || chart_is_shown(a));
}

struct meters_plan app_meters(const struct app *a)
{
    return meters_plan(a->is_zoomed ? METERS_OFF : (enum meters_mode)a->settings.meters,
                       &a->meters_seen, a->columns, a->rows);
}

static int has_lack(const struct app *a, int height)
{
    enum { LEAST = 14 };
    char names[256];
    return height >= LEAST && !a->focus->is_detail && !chart_is_shown(a) &&
           lacking_columns(a, names, sizeof names);
}

/* From the top: machine, crumbs, header, totals, body, what columns lack, time strip, status, keys.
 * What is dropped first when there is no room: ui/README.md, Screen layout. */
struct layout app_layout_whole(const struct app *a)
{
    const int w = a->columns, h = a->rows;
    struct layout l = {.is_too_small = w < 40 || h < 8};
    if (l.is_too_small)
        return l;
    const int machine = app_meters(a).lines;
    const int keys = h < 12 || a->is_zoomed ? 0 : 1;
    const int totals = h >= 16 && is_summed(a) ? 1 : 0;
    const int header = a->focus->is_detail ? 0 : 1;
    int y = 0;
    l.machine = (struct rect){0, y, w, machine};
    y += machine;
    l.crumbs = (struct rect){0, y++, w, 1};
    l.header = (struct rect){0, y, w, header};
    y += header;
    l.totals = (struct rect){0, y, w, totals};
    y += totals;
    const int strip = strip_height(a), lack = has_lack(a, h);
    l.body = (struct rect){0, y, w, h - y - 1 - keys - strip - lack};
    l.lack = (struct rect){0, h - 1 - keys - strip - lack, w, lack};
    l.strip = (struct rect){0, h - 1 - keys - strip, w, strip};
    l.status = (struct rect){0, h - 1 - keys, w, 1};
    l.keys = (struct rect){0, h - 1, w, keys};
    return l;
}

/* ---- several panes ------------------------------------------------------------------------ */

struct rect splits_room(const struct app *a)
{
    const struct layout l = app_layout_whole(a);
    return (struct rect){0, l.crumbs.y, a->columns, l.strip.y - l.crumbs.y};
}

/* The stack that the i-th stands in: its first, and how many; how many stacks there are, and
 * which it is. */
struct stack_of {
    unsigned first, count, column, columns;
};

static struct stack_of stack_of(const struct app *a, unsigned i)
{
    struct stack_of s = {0};
    for (unsigned k = 0; k < a->split_count; k++) {
        const bool begins = k == 0 || !a->splits[k].is_below;
        s.columns += begins;
        if (begins && k <= i) {
            s.first = k;
            s.column = s.columns - 1;
        }
    }
    for (s.count = 1; s.first + s.count < a->split_count && a->splits[s.first + s.count].is_below;)
        s.count++;
    return s;
}

/* What `count` get of a length, evenly; *at: where the i-th begins. */
static int part_of(int length, unsigned count, unsigned i, int *at)
{
    const int from = length * (int)i / (int)count, to = length * (int)(i + 1) / (int)count;
    *at = from;
    return to - from;
}

static bool has_borders(const struct app *a)
{
    return a->settings.has_borders && !a->is_zoomed;
}

struct rect splits_area(const struct app *a, unsigned i)
{
    const struct rect room = splits_room(a);
    const struct stack_of s = stack_of(a, i);
    const bool has_border = has_borders(a);
    const int divider = has_border ? 0 : DIVIDER; /* borders stand beside each other */
    struct rect r;
    r.width = part_of(room.width + divider, s.columns, s.column, &r.x) - divider;
    r.height = part_of(room.height, s.count, i - s.first, &r.y);
    r.x += room.x;
    r.y += room.y;
    if (has_border) { /* its top is the line of crumbs */
        r.x++;
        r.width -= 2;
        r.height--;
    }
    return r;
}

bool splits_have_room(const struct app *a)
{
    for (unsigned i = 0; i < a->split_count; i++) {
        const struct rect r = splits_area(a, i);
        if (r.width < LEAST_WIDTH || r.height < LEAST_HEIGHT)
            return false;
    }
    return true;
}

bool splits_are_shown(const struct app *a)
{
    return a->split_count > 1 && !a->is_zoomed && splits_have_room(a);
}

bool splits_have_areas(const struct app *a)
{
    return splits_are_shown(a) || (a->split_count == 1 && has_borders(a) && splits_have_room(a) &&
                                   a->columns >= 40 && a->rows >= 8);
}

bool splits_shows(const struct app *a, unsigned i)
{
    return i == a->split_at || (i < a->split_count && splits_are_shown(a));
}

int splits_at(const struct app *a, int x, int y)
{
    for (unsigned i = 0; i < a->split_count; i++) {
        const struct rect r = splits_area(a, i);
        if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height)
            return (int)i;
    }
    return -1;
}

unsigned splits_next(const struct app *a, bool is_below)
{
    const struct stack_of s = stack_of(a, a->split_at);
    return is_below ? a->split_at + 1 : s.first + s.count;
}

struct layout app_layout(const struct app *a)
{
    enum { TOTALS_FROM = 14 };
    struct layout l = app_layout_whole(a);
    if (!splits_have_areas(a))
        return l;
    const struct rect area = splits_area(a, a->split_at);
    int y = 0;
    l.crumbs = (struct rect){0, y++, area.width, 1};
    l.header = (struct rect){0, y, area.width, a->focus->is_detail ? 0 : 1};
    y += l.header.height;
    l.totals = (struct rect){0, y, area.width, area.height >= TOTALS_FROM && is_summed(a) ? 1 : 0};
    y += l.totals.height;
    l.lack = (struct rect){0, area.height - 1, area.width, has_lack(a, area.height)};
    l.body = (struct rect){0, y, area.width, area.height - y - l.lack.height};
    return l;
}

int app_width(const struct app *a)
{
    return splits_have_areas(a) ? splits_area(a, a->split_at).width : a->columns;
}
