#include "ui/draw/lines.h"
#include "ui/draw/lines_inside.h"
#include "ui/draw/loss.h"
#include "ui/draw/sign.h"

#include "ui/state/asking.h"
#include "ui/state/compare.h"
#include "ui/state/flame.h"

#include "ui/state/filtering.h"
#include "ui/state/queries.h"
#include "ui/state/search.h"
#include "ui/state/sticky_filter.h"
#include "ui/state/splits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void write_text(struct line_cursor *p, enum role role, const char *text)
{
    if (p->x < p->end)
        p->x += grid_text(p->g, p->x, p->y, p->end - p->x, role, text);
}

void write_format(struct line_cursor *p, enum role role, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    write_text(p, role, text);
}

/* Text of the frame's arena, cut to a width. */
static void write_value(struct line_cursor *p, enum role role, const struct frame *f,
                        const struct value *v, int most)
{
    const struct format format = {.glyphs = p->g->glyphs};
    const int left = p->end - p->x;
    char text[FORMAT_ROOM];
    format_value(&format, v, f->arena, f->arena_bytes, text, sizeof text);
    if (left > 0)
        p->x += grid_cut(p->g, p->x, p->y, most < left ? most : left, role, text,
                         v->type == VALUE_PATH ? CUT_FRONT : CUT_END);
}

/* ---- crumbs, filter, counts, sort ---------------------------------------------------------- */

static void write_counts(struct line_cursor *p, const struct app *a)
{
    const struct frame *f = app_known(a);
    char shown[32], all[32], hidden[32];
    if (!f)
        return;
    format_count((double)f->shown, shown, sizeof shown);
    format_count((double)f->hidden, hidden, sizeof hidden);
    format_count((double)(f->shown + f->hidden), all, sizeof all);
    if (f->hidden)
        write_format(p, ROLE_DIM, "%s/%s shown, %s %s", shown, all, hidden,
                     sign_text(a->glyphs, SIGN_HIDDEN));
    else
        write_format(p, ROLE_DIM, "%s %s", shown, f->shown == 1 ? "row" : "rows");
    if (f->counts_twice)
        write_format(p, ROLE_HIGH, ", %s", sign_text(a->glyphs, SIGN_TWICE));
    if (f->unread) {
        char unread[32];
        format_count((double)f->unread, unread, sizeof unread);
        write_format(p, ROLE_HIGH, ", %s %s", unread, sign_text(a->glyphs, SIGN_UNREAD));
    }
    if (f->given_up) {
        char count[32];
        format_count((double)f->given_up, count, sizeof count);
        write_format(p, ROLE_HIGH, ", %s %s", count, sign_text(a->glyphs, SIGN_GIVEN_UP));
    }
    if (frame_covers_part(f)) {
        char span[32];
        const struct format format = app_format(a);
        format_time(&format, (double)frame_span(f), span, sizeof span);
        write_format(p, ROLE_DIM, " (last %s)", span);
    }
    if (f->is_partial)
        write_format(p, ROLE_HIGH, " %s%s", sign_text(a->glyphs, SIGN_FILLING), a->glyphs->ellipsis);
}

/* Where processor times come from, when that is not the better of two sources. */
static void write_source(struct line_cursor *p, const struct app *a)
{
    const struct frame *f = app_known(a);
    if (!f || !f->totals)
        return;
    for (size_t i = 0; i < f->pane->column_count; i++) {
        const struct column *c = &f->pane->columns[i];
        const bool is_sampled = f->totals[i].is_estimated && f->has_samples;
        if (!c->unit || strcmp(c->unit, "percent_of_machine") != 0 || (!is_sampled && !a->settings.of_one_cpu))
            continue;
        write_format(p, ROLE_DIM, "%s%s%s%s", is_sampled ? "~" : "", c->title,
                     is_sampled ? " from samples" : "", a->settings.of_one_cpu ? " of one cpu" : "");
        return;
    }
}

/* How a call tree is shown, where that is not the default. */
static void write_look(struct line_cursor *p, const struct place *place)
{
    static const char *const shapes[STACK_SHAPES] = {"", "callers  ", "flat  ", "around  "};
    static const char *const folds[STACK_FOLDS] = {"", "no recursion  ", "modules  ",
                                                   "by process  "};
    const struct stack_look *const s = &place->stacks;
    write_text(p, ROLE_HIGH, shapes[s->shape]);
    write_text(p, ROLE_HIGH, folds[s->fold]);
    if (s->term_count)
        write_format(p, ROLE_HIGH, "%u chosen  ", s->term_count);
}

/* "download ntdll.pdb 1.2M/4.0M +3": three more wait. */
static void write_download(struct line_cursor *p, const struct app *a,
                           const struct symbol_progress *d)
{
    char done[32], of[32];
    const struct format format = app_format(a);
    format_bytes(&format, (double)d->done, done, sizeof done);
    format_bytes(&format, (double)d->of, of, sizeof of);
    write_format(p, ROLE_HIGH, "download %s %s%s%s", d->title, done, d->of ? "/" : "",
                 d->of ? of : "");
    if (d->waiting)
        write_format(p, ROLE_HIGH, " +%u", d->waiting);
}

static void write_sort(struct line_cursor *p, const struct app *a)
{
    const struct place *place = app_shown(a);
    if (place->pane->view == PANE_EVENTS) {
        write_text(p, ROLE_DIM, place->list.is_tail ? "by time, tail" : "by time");
        return;
    }
    if (place->sort >= place->pane->column_count)
        return;
    if (place->pane->view == PANE_TREE && a->focus->frame) {
        char found[32], lost[32];
        format_count((double)a->focus->frame->stacks_matched, found, sizeof found);
        format_count((double)loss_orphan_stacks(a->focus->frame), lost, sizeof lost);
        const uint64_t asked = a->focus->frame->symbols_asked, answered = a->focus->frame->symbols_answered;
        if (answered < asked)
            write_format(p, ROLE_HIGH, "symbols %" PRIu64 "/%" PRIu64 "  ", answered, asked);
        if (a->focus->frame->download.title[0]) { /* there is no room for more */
            write_download(p, a, &a->focus->frame->download);
            return;
        }
        write_look(p, place);
        if (search_is_on(a) && a->search.count)
            write_format(p, ROLE_MATCH, "found %" PRIu64 "/%" PRIu64 ", %.3g%%", a->search.at,
                         a->search.count, a->search.percent);
        else
            write_format(p, ROLE_DIM, "%s: %s matched, %s orphan",
                         sign_text(a->glyphs, SIGN_STACKS), found, lost);
        if (a->focus->frame->bounds.stacks_short) {
            format_count((double)a->focus->frame->bounds.stacks_short, lost, sizeof lost);
            write_format(p, ROLE_HIGH, ", %s %s", lost, sign_text(a->glyphs, SIGN_SHORT));
        }
        write_text(p, ROLE_DIM, "  ");
    }
    char compared[96];
    if (*compare_words(a, compared, sizeof compared))
        write_format(p, ROLE_HIGH, "%s  ", compared);
    if (flame_is_shown(a) || place->pane->view == PANE_CHANGES)
        return;
    const struct column *const by = &place->pane->columns[place->sort];
    const bool is_weight = place->pane->view == PANE_TREE && strcmp(by->id, "samples") == 0;
    write_format(p, ROLE_DIM, "sort: %s%s",
                 is_weight ? stack_metrics[place->stacks.metric].title : by->title,
                 place->ascending ? a->glyphs->up : a->glyphs->down);
    static const char *const groups[GROUPINGS] = {"",          "  by host",    "  by name",
                                                  "  by user", "  by session", "  by service"};
    write_text(p, ROLE_HIGH, groups[place->group]);
    if (a->settings.hides_idle)
        write_format(p, ROLE_HIGH, "  %s", sign_text(a->glyphs, SIGN_ACTIVE));
    if (a->settings.hides_system)
        write_format(p, ROLE_HIGH, "  %s", sign_text(a->glyphs, SIGN_NO_SYSTEM));
    if (a->settings.hides_self)
        write_format(p, ROLE_HIGH, "  %s", sign_text(a->glyphs, SIGN_NO_SELF));
    if (place->locks_order)
        write_format(p, ROLE_HIGH, "  %s", sign_text(a->glyphs, SIGN_ORDER_LOCKED));
}

enum { CRUMB_MOST = 32 };

static bool has_crumb(const struct app *a, unsigned i)
{
    const struct frame *f = a->focus->frame;
    return f && f->sequence >= a->focus->place_sequence && i < f->crumb_count &&
           f->crumbs[i].name.type != VALUE_ABSENT;
}

/* Queries are long: they leave room for the crumbs before them. */
static int title_width(const struct line_cursor *p, const struct app *a)
{
    const struct pane *const pane = app_shown(a)->pane;
    const int width = grid_width(pane->title), half = (p->end - p->x) / 2;
    return query_pane_is(pane) && a->focus->depth && width > half ? half : width;
}

/* The first crumb to show: where there is no room for all, those nearest to the pane stay. */
static unsigned first_crumb(const struct line_cursor *p, const struct app *a)
{
    char text[FORMAT_ROOM];
    const struct format format = {.glyphs = a->glyphs};
    const struct frame *f = a->focus->frame;
    int left = p->end - p->x - title_width(p, a) - 1;
    for (unsigned i = a->focus->depth; i-- > 0;) {
        int width = 1;
        if (has_crumb(a, i)) {
            format_value(&format, &f->crumbs[i].name, f->arena, f->arena_bytes, text, sizeof text);
            width = grid_width(text) < CRUMB_MOST ? grid_width(text) : CRUMB_MOST;
        }
        left -= width + 3;
        if (left < (i ? 4 : 0)) /* of the others a sign is left */
            return i + 1;
    }
    return 0;
}

static void write_path(struct line_cursor *p, const struct app *a)
{
    const struct frame *f = a->focus->frame;
    const unsigned first = first_crumb(p, a);
    if (first)
        write_format(p, ROLE_CRUMB, "%s", a->glyphs->ellipsis);
    if (first)
        write_format(p, ROLE_BORDER, " %s ", a->glyphs->crumb);
    for (unsigned i = first; i < a->focus->depth; i++) {
        if (has_crumb(a, i))
            write_value(p, ROLE_CRUMB, f, &f->crumbs[i].name, CRUMB_MOST);
        else
            write_text(p, ROLE_CRUMB, a->glyphs->ellipsis);
        write_format(p, ROLE_BORDER, " %s ", a->glyphs->crumb);
    }
    p->x +=
        grid_cut(p->g, p->x, p->y, p->end - p->x, ROLE_TITLE, app_shown(a)->pane->title, CUT_END);
    if (a->focus->is_detail) {
        write_format(p, ROLE_BORDER, " %s ", a->glyphs->crumb);
        write_text(p, ROLE_TITLE,
                   app_shown(a)->pane->view == PANE_TREE    ? "Frame"
                   : app_shown(a)->pane->view == PANE_TABLE ? "Process"
                                                            : "Event");
    }
}

/* Cells that `write` takes, of so many. */
static int width_of(const struct app *a, const struct grid *g, int most,
                    void (*write)(struct line_cursor *, const struct app *))
{
    struct grid scratch;
    grid_init(&scratch, most > 0 ? most : 1, 1, g->glyphs);
    struct line_cursor probe = {&scratch, 0, 0, scratch.width};
    write(&probe, a);
    const int width = probe.x;
    grid_fini(&scratch);
    return width;
}

/* Writes what `write` writes right-aligned, if there is room; returns where it starts. */
static int write_right(const struct app *a, struct grid *g, int from, int end, int y,
                       void (*write)(struct line_cursor *, const struct app *))
{
    const int width = width_of(a, g, end - from, write);
    if (width == 0 || end - width <= from + 1)
        return end;
    struct line_cursor p = {g, end - width, y, end};
    write(&p, a);
    return end - width - 3;
}

static const char *prompt_label(enum prompting kind)
{
    static const char *const labels[PROMPTS] = {
        [PROMPT_NONE] = "",
        [PROMPT_FILTER] = "filter: ",
        [PROMPT_COMMAND] = ": ",
        [PROMPT_FIND] = "find: ",
        [PROMPT_MARK] = "mark: ",
        [PROMPT_TAG] = "tag: ",
        [PROMPT_TERMINATE] = "terminate? ",
    };
    return labels[kind];
}

/* The line being typed. A long one shows the part around its cursor. */
static void write_prompt(struct line_cursor *p, const struct app *a)
{
    size_t wrong_at = 0;
    const bool is_wrong = filtering_wrong(a, &wrong_at) != NULL;
    write_text(p, is_wrong ? ROLE_FILTER_BAD : ROLE_FILTER,
               asking_is_on(a) && a->prompting == PROMPT_FILTER ? "query: "
                                                                : prompt_label(a->prompting));
    const int room = p->end - p->x - 1;
    const char *text = a->prompt.text;
    char head[FILTER_MAX];
    snprintf(head, sizeof head, "%.*s", (int)a->prompt.at, text);
    size_t skip = 0;
    while (room > 0 && grid_width(head + skip) > room)
        skip += text_cluster_bytes(head + skip, strlen(head + skip));
    p->g->cursor_x = p->x + grid_width(head + skip);
    p->g->cursor_y = p->y;
    const size_t end = is_wrong && wrong_at > skip ? wrong_at : is_wrong ? skip : strlen(text);
    char good[FILTER_MAX];
    snprintf(good, sizeof good, "%.*s", (int)(end - skip), text + skip);
    write_text(p, ROLE_PROMPT, good);
    write_text(p, ROLE_FILTER_BAD, text + end);
}

/* Said once; beside others where there is little room, in a word. */
static void write_badge(struct line_cursor *p, const struct app *a, const struct frame *f)
{
    enum { SENTENCE_FROM = 60 };
    const bool is_split = splits_are_shown(a);
    if (!f || !f->is_synthetic || (is_split && a->split_at > 0))
        return;
    write_format(p, ROLE_BADGE, " %s %s", sign_text(p->g->glyphs, SIGN_DEMO),
                 is_split && p->end < SENTENCE_FROM ? "" : "synthetic data ");
    write_text(p, ROLE_TEXT, " ");
}

/* Which of several panes has the keys; where only that is shown, that there are others. */
static void write_split(struct line_cursor *p, const struct app *a)
{
    if (a->split_count < 2 || a->overlay == OVERLAY_HELP)
        return;
    if (!splits_are_shown(a))
        write_format(p, ROLE_HIGH, "%u/%u ", a->split_at + 1, a->split_count);
    else
        write_text(p, ROLE_KEY, a->is_aside ? " " : a->glyphs->cursor);
}

/* Cells that the filter or the prompt needs; of long ones, as many as say what they are. */
static int filter_width(const struct app *a)
{
    enum { MOST = 30, TYPED = 20, LABEL = 12 }; /* "filter: ", and what stands around it */
    const bool is_typed = a->prompting == PROMPT_FILTER || a->prompting == PROMPT_FIND;
    const int width = grid_width(app_shown(a)->filter) + grid_width(a->locked);
    if (asking_is_on(a))
        return grid_width(a->prompt.text) + 1;
    if (is_typed)
        return LABEL + TYPED;
    return width ? LABEL + (width < MOST ? width : MOST) : 0;
}

static const char *const help_titles[] = {
    [HELP_KEYS] = "Help",         [HELP_LOSS] = "Losses",
    [HELP_TRIGGERS] = "Triggers", [HELP_HIGHLIGHTS] = "Highlight rules",
    [HELP_FOOTPRINT] = "Memory",  [HELP_INFO] = "Information",
    [HELP_MACHINE] = "Machine",   [HELP_NOTICES] = "Notices",
    [HELP_MESSAGES] = "Messages"};

void lines_crumbs(const struct app *a, struct grid *g, const struct rect *r)
{
    struct line_cursor p = {g, r->x, r->y, r->x + r->width};
    write_split(&p, a);
    write_badge(&p, a, a->focus->frame);
    if (p.x == r->x)
        write_text(&p, ROLE_TEXT, " ");
    const char *filter = app_shown(a)->filter;
    const bool is_help = a->overlay == OVERLAY_HELP;
    const bool is_asking = asking_is_on(a); /* the title is what is typed */
    const bool is_narrow = r->width < 60 && a->prompting != PROMPT_NONE;
    const bool is_full = is_narrow || (splits_are_shown(a) && r->width < 60 && filter[0]);
    if (is_narrow || is_asking)
        p.x = r->x + 1; /* what is typed needs the room */
    else if (is_help)
        write_text(&p, ROLE_TITLE, help_titles[a->help_about]);
    else {
        /* Beside others, the filter comes before the way here. */
        const bool is_query = query_pane_is(app_shown(a)->pane);
        const int filtered = splits_are_shown(a) || is_query ? filter_width(a) : 0;
        p.end -= filtered < r->width / 2 ? filtered : r->width / 2;
        if (is_query)
            p.end -= width_of(a, g, r->width / 2, write_counts) + 4;
        write_path(&p, a);
    }
    int end = r->x + r->width - 1;
    if (!is_help && !a->focus->is_detail && !is_full) {
        /* The order can be seen in the header; what hides rows, and what is typed, only here. */
        const int filtered = filter_width(a);
        const int room = filtered || query_pane_is(app_shown(a)->pane)
                             ? filtered + width_of(a, g, end - p.x, write_counts) + 3
                             : 0;
        if (r->width >= 80 || a->prompting == PROMPT_NONE)
            end = write_right(a, g, p.x + room, end, r->y, write_sort);
        end = write_right(a, g, p.x, end, r->y, write_counts);
        end = write_right(a, g, p.x, end, r->y, write_source);
    }
    p.end = end;
    write_text(&p, ROLE_TEXT, is_full ? " " : "   ");
    if (a->prompting != PROMPT_NONE) {
        write_prompt(&p, a);
    } else if (is_help && a->find[0]) {
        write_format(&p, ROLE_FILTER, "find: %s", a->find);
    } else if (!is_help && a->locked[0]) {
        write_format(&p, ROLE_DIM, "%s%s: ", sign_text(a->glyphs, SIGN_LOCKED),
                     sticky_filter_holds(a) ? "" : ", not here");
        write_text(&p, ROLE_FILTER, a->locked);
        if (filter[0])
            write_format(&p, ROLE_FILTER, "  and %s", filter);
    } else if (!is_help && filter[0]) {
        write_text(&p, ROLE_DIM, "filter: ");
        if (p.x < p.end)
            grid_cut(g, p.x, p.y, p.end - p.x, ROLE_FILTER, filter, CUT_END);
    }
}

/* Draws the line once more, off the screen. The role of the cell at x gives the part; the signs
 * between crumbs, counted from the right, give the level. */
enum crumb_part lines_crumb_at(const struct app *a, const struct rect *r, int x, unsigned *level)
{
    struct grid scratch;
    grid_init(&scratch, r->x + r->width, 1, a->glyphs);
    const struct rect line = {r->x, 0, r->width, 1};
    lines_crumbs(a, &scratch, &line);
    const struct cell *const at = grid_cell(&scratch, x, 0);
    const enum role role = at ? (enum role)at->role : ROLE_TEXT;
    unsigned before = 0, all = 0;
    for (int i = line.x; i < line.x + line.width; i++) {
        const struct cell *const c = grid_cell(&scratch, i, 0);
        const bool is_sign = c->role == ROLE_BORDER && strcmp(c->bytes, a->glyphs->crumb) == 0;
        all += is_sign;
        before += is_sign && i < x;
    }
    grid_fini(&scratch);
    all -= all && a->focus->is_detail;
    *level = a->focus->depth - (all < a->focus->depth ? all : a->focus->depth) + before;
    if (role == ROLE_FILTER || (role == ROLE_TITLE && query_pane_is(app_shown(a)->pane)))
        return CRUMB_PART_FILTER;
    return role == ROLE_CRUMB && *level < a->focus->depth ? CRUMB_PART_LEVEL : CRUMB_PART_NONE;
}

/* ---- boxes -------------------------------------------------------------------------------- */

void lines_border(struct grid *g, struct rect r, enum role role)
{
    const bool ascii = g->glyphs->is_ascii;
    const int right = r.x + r.width - 1, bottom = r.y + r.height - 1;
    for (int x = r.x + 1; x < right; x++)
        grid_text(g, x, bottom, 1, role, g->glyphs->rule);
    for (int y = r.y + 1; y < bottom; y++) {
        grid_text(g, r.x, y, 1, role, g->glyphs->divider);
        grid_text(g, right, y, 1, role, g->glyphs->divider);
    }
    grid_text(g, r.x, r.y, 1, role, ascii ? "+" : "╭");
    grid_text(g, right, r.y, 1, role, ascii ? "+" : "╮");
    grid_text(g, r.x, bottom, 1, role, ascii ? "+" : "╰");
    grid_text(g, right, bottom, 1, role, ascii ? "+" : "╯");
}

void lines_box(struct grid *g, struct rect r, const char *title)
{
    grid_fill(g, r, ROLE_TEXT);
    for (int y = r.y; y < r.y + r.height; y++)
        for (int x = r.x; x < r.x + r.width; x++)
            if (grid_cell(g, x, y))
                grid_cell(g, x, y)->over = ROLE_TEXT;
    for (int x = r.x + 1; x < r.x + r.width - 1; x++)
        grid_text(g, x, r.y, 1, ROLE_BORDER, g->glyphs->rule);
    lines_border(g, r, ROLE_BORDER);
    grid_printf(g, r.x + 2, r.y, r.width - 4, ROLE_TITLE, " %s ", title);
}
