#include "ui/state/layout.h"
#include "ui/state/view_columns.h"

#include "src/engine/watch.h"
#include "src/event/provider_names.h"
#include "src/table/difference.h"
#include "ui/draw/sign.h"
#include "ui/draw/view_empty.h"
#include "ui/state/lacking.h"
#include "ui/draw/view.h"
#include "ui/state/compare.h"
#include "ui/state/flame.h"
#include "ui/state/chart.h"
#include "ui/state/stack_facts.h"

#include <stdio.h>
#include <string.h>

/* ---- header -------------------------------------------------------------------------- */

/* What is to be known about a column's numbers: '~' they are estimated, '?' events were
 * lost, so they are too small. The sums say it, or where there are none, a row. */
static void column_caveats(const struct app *a, unsigned column, bool *is_estimated,
                           bool *is_incomplete)
{
    const struct frame *f = app_known(a);
    *is_estimated = *is_incomplete = false;
    if (f && f->totals) {
        *is_estimated = f->totals[column].is_estimated;
        *is_incomplete = f->totals[column].is_incomplete;
    }
    if (f && f->row_count > 0)
        *is_estimated |= f->rows[0].cells[column].is_estimated;
}

/* What call trees are weighed by can be chosen. */
static const char *title_of(const struct app *a, const struct column *c)
{
    const struct place *const p = app_shown(a);
    const bool is_weight = p->pane->view == PANE_TREE && strcmp(c->id, "samples") == 0;
    return is_weight ? stack_metrics[p->stacks.metric].title : c->title;
}

/* Is it a network rate, to be shown in bits by the settings? */
static bool is_in_bits(const struct app *a, const struct column *c)
{
    const bool is_of_network = strcmp(app_shown(a)->pane->id, "network") == 0 ||
                               strncmp(c->id, "net_", strlen("net_")) == 0;
    return a->settings.units == UNITS_BITS && c->type == VALUE_BYTE_RATE && is_of_network;
}

/* Differences say so in the header. */
static const char *difference_sign(const struct app *a, const struct column *c)
{
    const enum sign sign = a->glyphs->is_ascii ? SIGN_DIFFERENCE_ASCII : SIGN_DIFFERENCE;
    return compare_is_shown(a) && column_has_difference(c) ? sign_text(a->glyphs, sign) : "";
}

/* A title that is too wide for its column loses the blank before its unit: that is to be read. */
static void close_up(char *name, int room)
{
    char *const blank = strrchr(name, ' ');
    if (blank && grid_width(name) > room)
        memmove(blank, blank + 1, strlen(blank));
}

/* Fields of payloads are numbers in one event and texts in another. */
static bool is_number_of_payload(const struct column *c, const struct value *v)
{
    return c->flags & COLUMN_OF_PAYLOAD && v->type == VALUE_ID;
}

/* Do numbers stand below the title, and nothing else? */
static bool is_of_numbers(const struct app *a, unsigned column)
{
    const struct frame *const f = app_known(a);
    const struct column *const c = &app_shown(a)->pane->columns[column];
    bool has_number = c->flags & COLUMN_RIGHT;
    for (unsigned i = 0; f && c->flags & COLUMN_OF_PAYLOAD && i < f->row_count; i++) {
        const struct value *const v = &f->rows[i].cells[column];
        if (v->type != VALUE_ABSENT && !is_number_of_payload(c, v))
            return false;
        has_number |= v->type != VALUE_ABSENT;
    }
    return has_number;
}

/* The signs behind a title: of the order, and of the caveats, apart where there is room. */
static void signs_of(const struct app *a, const struct column_slot *s, int title, char *out,
                     size_t bytes)
{
    const struct place *const p = app_shown(a);
    const bool is_sorted = p->pane->view != PANE_EVENTS && s->column == p->sort;
    bool is_estimated, is_incomplete;
    column_caveats(a, s->column, &is_estimated, &is_incomplete);
    const int caveats = is_estimated + is_incomplete;
    const bool is_apart = is_sorted && caveats && title + 2 + caveats <= s->width;
    snprintf(out, bytes, "%s%s%s%s",
             is_sorted ? sign_text(a->glyphs, p->ascending ? SIGN_ASCENDING : SIGN_DESCENDING) : "",
             is_apart ? " " : "", is_estimated ? sign_text(a->glyphs, SIGN_ESTIMATED) : "",
             is_incomplete ? sign_text(a->glyphs, SIGN_INCOMPLETE) : "");
}

/* A gap stays between titles, whatever signs they have: columns have room for one (view_columns.c).
 */
static void draw_title(const struct app *a, struct grid *g, int y, const struct column_slot *s)
{
    const struct place *p = app_shown(a);
    const struct column *c = &p->pane->columns[s->column];
    const bool is_sorted = p->pane->view != PANE_EVENTS && s->column == p->sort;
    const enum role role = is_sorted ? ROLE_HEADER_SORT : ROLE_HEADER;
    char signs[32], title[128], name[96];
    snprintf(name, sizeof name, "%s%s", difference_sign(a, c), title_of(a, c));
    char *const unit = is_in_bits(a, c) ? strstr(name, "B/s") : NULL;
    if (unit)
        *unit = 'b';
    signs_of(a, s, grid_width(name), signs, sizeof signs);
    close_up(name, s->width - grid_width(signs));
    snprintf(title, sizeof title, "%s%s", name, signs);
    if (is_sorted)
        grid_fill(g, (struct rect){s->x, y, s->width, 1}, role);
    if (grid_width(title) > s->width && signs[0]) { /* signs stay, the title gives way */
        grid_text(g, s->x, y, s->width - grid_width(signs), role, name);
        grid_right(g, s->x, y, s->width, role, signs);
    } else if (is_of_numbers(a, s->column)) {
        grid_right(g, s->x, y, s->width, role, title);
    } else {
        grid_text(g, s->x, y, s->width, role, title);
    }
    if (p->shows_column && s->column == p->column)
        grid_over(g, (struct rect){s->x, y, s->width, 1}, ROLE_COLUMN_CURSOR);
}

/* ---- cells --------------------------------------------------------------------------- */

static enum role role_between(double value, double low, double high, double critical)
{
    return value >= critical ? ROLE_CRIT : value >= high ? ROLE_HIGH : value < low ? ROLE_LOW : ROLE_TEXT;
}

/* High and low latencies and percentages. Ten milliseconds is a slow disk operation; users notice a
 * hundred. */
static enum role value_role(const struct column *c, const struct value *v)
{
    if (v->type == VALUE_ABSENT || value_is_zero(v))
        return ROLE_ZERO;
    if (v->is_difference)
        return ROLE_TEXT;
    if (v->type == VALUE_PERCENT && c->flags & COLUMN_ALARMS)
        return role_between(v->number, 1, 25, 75);
    if (v->type == VALUE_TIME && c->type == VALUE_TIME && !(c->flags & COLUMN_SUMS))
        return role_between((double)v->ns, 1e5, 1e7, 1e8);
    return ROLE_TEXT;
}

/* Rows such as (idle) and (unknown) make the table add up; they are no process to
 * worry about. */
enum { ROW_STAND_IN = 128 };

static enum role cell_role(const struct column *c, const struct value *v, unsigned flags)
{
    const enum role role = value_role(c, v);
    if (flags & ROW_STAND_IN)
        return role == ROLE_ZERO ? role : ROLE_DIM;
    if (flags & ROW_EXITED)
        return flags & ROW_LEAVING ? ROLE_ROW_LEAVING : ROLE_ROW_EXITED;
    if ((role == ROLE_TEXT || role == ROLE_LOW) && (flags & ROW_TAGGED))
        return ROLE_ROW_TAGGED;
    if (role == ROLE_TEXT && value_is_text(v) && (c->flags & COLUMN_SEARCHABLE))
        return flags & ROW_NEW ? ROLE_ROW_NEW : ROLE_NAME;
    if (role == ROLE_TEXT && !(c->flags & COLUMN_OF_PAYLOAD) &&
        (v->type == VALUE_ID || v->type == VALUE_INSTANT))
        return ROLE_DIM;
    return role;
}

static void draw_text(struct grid *g, int y, const struct column_slot *s, enum role role,
                      bool keeps_tail, bool is_right, const char *text)
{
    const int spare = is_right ? s->width - grid_width(text) : 0;
    const int indent = spare > 0 ? spare : 0;
    grid_cut(g, s->x + indent, y, s->width - indent, role, text, keeps_tail ? CUT_FRONT : CUT_END);
}

/* What stands from the sign on. */
static void dim_fields(struct grid *g, int y, const struct column_slot *s, enum role role)
{
    bool is_dim = false;
    for (int x = s->x; x < s->x + s->width && role == ROLE_TEXT; x++) {
        struct cell *const c = grid_cell(g, x, y);
        is_dim |= c && strcmp(c->bytes,
                              g->glyphs->is_ascii ? EVENT_FIELDS_ASCII : EVENT_FIELDS_SIGN) == 0;
        if (is_dim && c)
            c->role = ROLE_DIM;
    }
}

/* The same column's instant in the row above; that of the value itself where there is none. */
static int64_t instant_before(const struct frame *f, const struct value *v, unsigned column)
{
    for (unsigned i = 1; i < f->row_count; i++)
        if (&f->rows[i].cells[column] == v && f->rows[i - 1].cells[column].type == VALUE_INSTANT)
            return f->rows[i - 1].cells[column].ns;
    return v->ns;
}

/* The part of a provider or event that is shown where the whole is too long: without the common
 * prefix of Windows' providers, without the task. Filters match both. */
static const char *short_part(const struct column *c, const char *text, int room)
{
    const char *const opcode = strchr(text, '/');
    if (grid_width(text) <= room)
        return text;
    if (strcmp(c->id, "provider") == 0)
        return provider_short_name(text);
    return strcmp(c->id, "event") == 0 && opcode && opcode[1] ? opcode + 1 : text;
}

/* Of an address the beginning says where it is, the end which one, and the port what for. */
static void shorten_end(char *text, int room, bool is_ascii)
{
    const int cells = grid_width(text), bytes = (int)strlen(text);
    const char *const dots = is_ascii ? "~" : "…", *const colon = strrchr(text, ':');
    const int port = colon ? (int)(text + bytes - colon) + 1 : 0; /* with the bracket before it */
    if (cells <= room || cells != bytes || room < port + 4)
        return;
    const int tail = port + (room - 1 - port) / 2, head = room - 1 - tail;
    char rest[FORMAT_ROOM];
    snprintf(rest, sizeof rest, "%s", text + bytes - tail);
    snprintf(text + head, FORMAT_ROOM - (size_t)head, "%s%s", dots, rest);
}

static void draw_value(const struct app *a, struct grid *g, int y, const struct column_slot *s,
                       const struct value *v, enum role role)
{
    const struct frame *f = app_known(a);
    const struct column *c = &app_shown(a)->pane->columns[s->column];
    struct format format = app_format(a);
    char text[FORMAT_ROOM];
    format.is_bits = is_in_bits(a, c);
    if (format.time == TIME_DELTA && v->type == VALUE_INSTANT && f->pane->view == PANE_EVENTS)
        format.start = instant_before(f, v, s->column);
    format_value(&format, v, f->arena, f->arena_bytes, text, sizeof text);
    if (c->flags & COLUMN_OF_ENDS)
        shorten_end(text, s->width, a->glyphs->is_ascii);
    const bool is_right = c->flags & COLUMN_RIGHT || is_number_of_payload(c, v);
    draw_text(g, y, s, role, v->type == VALUE_PATH, is_right, short_part(c, text, s->width));
    if (c->flags & COLUMN_OF_EVENTS)
        dim_fields(g, y, s, role);
}

/* The number as in any column, then the bar. */
static void draw_share(const struct app *a, struct grid *g, int y, const struct column_slot *s,
                       const struct value *v)
{
    const struct column_slot number = {s->column, s->x, s->width - 1 - SHARE_BAR};
    draw_value(a, g, y, &number, v,
               value_is_zero(v) || v->type == VALUE_ABSENT ? ROLE_ZERO : ROLE_TEXT);
    if (v->type == VALUE_PERCENT && v->number > 0)
        grid_bar(g, s->x + s->width - SHARE_BAR, y, SHARE_BAR, v->number / 100, ROLE_KEY,
                 GRADIENT_NONE);
}

/* Each row to its own scale: what it is about is how the row changes. */
static void draw_trend(const struct app *a, struct grid *g, int y, const struct column_slot *s,
                       const struct value *v)
{
    float parts[TREND_SHOWN];
    const struct frame *const f = app_known(a);
    const size_t count = series_read(v, f->arena, f->arena_bytes, parts, TREND_SHOWN);
    float largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = parts[i] > largest ? parts[i] : largest;
    for (size_t i = 0; i < count; i++)
        parts[i] = largest > 0 ? parts[i] / largest : 0;
    const int cells = g->glyphs->is_braille ? ((int)count + 1) / 2 : (int)count;
    const int width = cells < s->width ? cells : s->width;
    if (count)
        grid_spark(g, s->x + s->width - width, y, width, parts, count, ROLE_KEY, GRADIENT_NONE);
    else
        grid_text(g, s->x + s->width - 1, y, 1, ROLE_ZERO, sign_text(a->glyphs, SIGN_ABSENT));
}

/* SIGNS: none. */
static enum sign row_sign(unsigned flags, enum role rule, enum role *role)
{
    *role = ROLE_DIM;
    if (flags & ROW_TAGGED)
        return *role = ROLE_ROW_TAGGED, SIGN_TAGGED;
    if (rule != ROLE_TEXT)
        return *role = rule, SIGN_RULE;
    if (flags & ROW_EXITED)
        return SIGN_EXITED;
    return flags & ROW_NEW ? (*role = ROLE_ROW_NEW, SIGN_NEW) : SIGNS;
}

static bool is_stand_in(const struct app *a, const struct frame_row *row)
{
    const struct pane *p = app_shown(a)->pane;
    const struct frame *f = app_known(a);
    for (size_t i = 0; i < p->column_count; i++) {
        const struct value *v = &row->cells[i];
        if (p->columns[i].type == VALUE_TEXT)
            return v->type == VALUE_TEXT && v->text.bytes > 0 && v->text.offset < f->arena_bytes &&
                   f->arena[v->text.offset] == '(';
    }
    return false;
}

/* Deeper rows stand further right, but never so far that nothing of them is left to read. */
static void draw_branch(const struct app *a, struct grid *g, int y, const struct column_slot *s,
                        const struct frame_row *row, enum role role)
{
    const int most = s->width / 2;
    const int indent = 2 * row->level < most ? 2 * row->level : most;
    const enum sign sign = row->fold == FOLD_SHUT ? SIGN_FOLDED : SIGN_UNFOLDED;
    const struct column_slot rest = {s->column, s->x + indent + 2, s->width - indent - 2};
    if (row->fold == FOLD_SHUT || row->fold == FOLD_OPEN)
        grid_text(g, s->x + indent, y, 1, ROLE_KEY, sign_text(a->glyphs, sign));
    if (rest.width > 0)
        draw_value(a, g, y, &rest, &row->cells[s->column], role);
}

/* Whose code a frame of a call tree is; ROLE_TEXT where it is none. */
static enum role frame_role(const struct app *a, const struct frame_row *row)
{
    static const struct {
        char letter;
        enum role role;
    } roles[] = {{'k', ROLE_FRAME_KERNEL}, {'u', ROLE_FRAME_USER},
                 {'m', ROLE_FRAME_MANAGED}, {'d', ROLE_FRAME_DRIVER}};
    const struct pane *const p = app_shown(a)->pane;
    const struct frame *const f = app_known(a);
    for (size_t i = 0; p->view == PANE_TREE && i < p->column_count; i++) {
        const struct value *const v = &row->cells[i];
        const bool is_letter = strcmp(p->columns[i].id, "mode") == 0 && v->type == VALUE_TEXT &&
                               v->text.bytes == 1 && v->text.offset < f->arena_bytes;
        for (size_t n = 0; is_letter && n < sizeof roles / sizeof *roles; n++)
            if (f->arena[v->text.offset] == roles[n].letter)
                return roles[n].role;
    }
    return ROLE_TEXT;
}

static void draw_row(const struct app *a, struct grid *g, int y, const struct frame_row *row,
                     const struct column_slot *slots, unsigned count)
{
    const struct pane *p = app_shown(a)->pane;
    const unsigned flags = row->flags | (app_is_tagged(a, &row->key) ? ROW_TAGGED : 0) |
                           (is_stand_in(a, row) ? ROW_STAND_IN : 0);
    enum role role;
    const enum role rule = highlight_role(a, row);
    const enum sign sign = row_sign(flags, rule, &role);
    grid_text(g, 0, y, 1, role, sign < SIGNS ? sign_text(a->glyphs, sign) : " ");
    const enum role whose = flags & ROW_TAGGED  ? ROLE_TEXT
                            : rule != ROLE_TEXT ? rule
                                                : frame_role(a, row);
    for (unsigned i = 0; i < count; i++) {
        const struct column *c = &p->columns[slots[i].column];
        const struct value *v = &row->cells[slots[i].column];
        const bool is_found = flags & ROW_FOUND && value_is_text(v) &&
                              (c->flags & COLUMN_SEARCHABLE || p->view == PANE_TREE);
        const bool is_branch =
            app_known(a)->is_tree && slots[i].column == app_known(a)->tree_column;
        if (is_found || (v->type == VALUE_TEXT && stacks_is_highlighted(a, row)))
            draw_value(a, g, y, &slots[i], v, ROLE_MATCH);
        else if (whose != ROLE_TEXT && value_is_text(v) && !is_branch)
            draw_value(a, g, y, &slots[i], v, whose);
        else if (is_branch)
            draw_branch(a, g, y, &slots[i], row,
                        rule != ROLE_TEXT ? rule : cell_role(c, v, flags));
        else if (c->type == VALUE_SERIES || c->type == VALUE_BINS)
            draw_trend(a, g, y, &slots[i], v);
        else if (view_table_is_share(c))
            draw_share(a, g, y, &slots[i], v);
        else
            draw_value(a, g, y, &slots[i], v, cell_role(c, v, flags));
    }
}

void view_cursor(const struct app *a, struct grid *g, const struct rect *body)
{
    const struct place *p = app_shown(a);
    const int y = body->y + (int)(p->list.cursor - p->list.top);
    if (p->list.count == 0 || y >= body->y + body->height)
        return;
    grid_over(g, (struct rect){body->x, y, body->width - MARGIN, 1}, ROLE_ROW_CURSOR);
    /* Also seen where nothing but text is shown; beside the row's own sign, if it has one. */
    const int x = grid_look(g, 0, y)->bytes[0] == ' ' ? 0 : 1;
    grid_text(g, x, y, 1, ROLE_KEY, sign_text(a->glyphs, SIGN_CURSOR));
    grid_over(g, (struct rect){0, y, x + 1, 1}, ROLE_ROW_CURSOR);
}

void view_scroll_bar(const struct app *a, struct grid *g, const struct rect *body)
{
    const struct list *l = &app_shown(a)->list;
    const uint64_t height = (uint64_t)body->height;
    if (l->count <= height || height == 0)
        return;
    const int size = (int)(height * height / l->count) > 0 ? (int)(height * height / l->count) : 1;
    const int room = body->height - size;
    const double part = (double)l->top / (double)(l->count - height);
    const int at = (int)(part * room + 0.5);
    for (int i = 0; i < size; i++)
        grid_text(g, body->width - 1, body->y + at + i, 1, ROLE_BORDER, a->glyphs->scroll);
}

/* Columns that the collector cannot have, or a recording has not: a line of their own says so. */
static void draw_lack(const struct app *a, struct grid *g, const struct rect *r)
{
    char names[256], text[400];
    if (!lacking_columns(a, names, sizeof names))
        return;
    const struct frame *const f = app_known(a);
    const bool is_live = f && f->state == STATE_LIVE;
    const char *const where = is_live ? "available here" : "in this trace";
    const char *const more = is_live ? ":notices shows why" : ":info shows what it has";
    snprintf(text, sizeof text, "not %s: %s; %s", where, names, more);
    char *last = strrchr(names, ',');
    for (unsigned cut = 1; last && grid_width(text) > r->width - 2;
         cut++, last = strrchr(names, ',')) {
        *last = '\0'; /* as many names as there is room for */
        snprintf(text, sizeof text, "not %s: %s and %u more; %s", where, names, cut, more);
    }
    grid_cut(g, r->x + 1, r->y, r->width - 2, ROLE_DIM, text, CUT_END);
}

static void draw_totals(const struct app *a, struct grid *g, int y, const struct column_slot *slots,
                        unsigned count)
{
    const struct frame *f = app_known(a);
    const struct pane *p = app_shown(a)->pane;
    bool has_label = false;
    if (!f || !f->totals)
        return;
    for (unsigned i = 0; i < count; i++) {
        const struct column *c = &p->columns[slots[i].column];
        if (!has_label && (c->type == VALUE_TEXT || c->type == VALUE_PATH)) {
            enum { LABEL = 5 }; /* a narrower column has the gap behind it, too */
            grid_text(g, slots[i].x, y, slots[i].width > LABEL ? slots[i].width : LABEL, ROLE_DIM,
                      "total");
            has_label = true;
        }
        const struct value *v = &f->totals[slots[i].column];
        if (v->type != VALUE_ABSENT)
            draw_value(a, g, y, &slots[i], v, value_is_zero(v) ? ROLE_ZERO : ROLE_TITLE);
    }
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct place *p = app_shown(a);
    struct column_slot slots[SLOTS_MAX];
    const unsigned count = view_table_layout(p, l->body.width, slots);
    grid_fill(g, l->header, ROLE_HEADER);
    for (unsigned i = 0; i < count; i++)
        draw_title(a, g, l->header.y, &slots[i]);
    if (l->totals.height)
        draw_totals(a, g, l->totals.y, slots, count);
    for (int y = 0; y < l->body.height; y++) {
        const struct frame_row *row = app_row(a, p->list.top + (uint64_t)y);
        if (row)
            draw_row(a, g, l->body.y + y, row, slots, count);
    }
    if (!app_known(a) || p->list.count == 0)
        view_empty(a, g, &l->body);
    else
        view_cursor(a, g, &l->body);
    view_scroll_bar(a, g, &l->body);
    if (l->lack.height)
        draw_lack(a, g, &l->lack);
}

static bool is_shown(const struct app *a)
{
    return !a->focus->is_detail && a->overlay != OVERLAY_HELP && !flame_is_shown(a) &&
           !chart_is_shown(a);
}

const struct screen_view view_table = {.id = "table", .is_shown = is_shown, .draw = draw};
