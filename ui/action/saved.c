#include "ui/action/saved.h"

#include "ui/action/settings_edit.h"
#include "ui/action/stacks.h"
#include "ui/action/widths.h"
#include "ui/state/filtering.h"
#include "ui/state/made_panes.h"
#include "ui/state/place.h"
#include "ui/state/splits.h"

#include "src/pane/panes.h"
#include "src/query/query.h"

#include <stdio.h>
#include <string.h>

enum { LIST_ROOM = ITEM_LINE - 64 };

/* ---- lists of columns ------------------------------------------------------------------------ */

static bool find_column(const struct pane *p, const char *id, unsigned *out)
{
    const struct column *const c = pane_column(p, id);
    *out = c ? (unsigned)(c - p->columns) : 0;
    return c && *out < COLUMNS_MAX;
}

/* The pane with a column for each name of the list that is a field of payloads. */
static bool learn(struct app *a, const struct pane **p, const char *list, struct err *err)
{
    const bool ok = event_panes_learn(&a->made->events, *p, list, err);
    place_renew(a);
    *p = place_pane(a, *p);
    return ok;
}

/* Makes the choice for each column of the list "a, b"; fails at the first that does not exist. */
static bool choose(const struct pane *p, const char *list, uint8_t choice, uint8_t *choices,
                   struct err *err)
{
    for (const char *at = list;;) {
        char id[EVENT_COLUMN_NAME];
        unsigned column;
        at += strspn(at, " ,");
        const size_t length = strcspn(at, " ,");
        if (length == 0)
            return true;
        snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), at);
        if (!find_column(p, id, &column))
            return fail(err, "%s has no column \"%s\"", p->id, id);
        choices[column] = choice;
        at += length;
    }
}

static void list_chosen(const struct pane *p, const uint8_t *choices, uint8_t wanted,
                        char out[LIST_ROOM])
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < p->column_count && i < COLUMNS_MAX; i++)
        if (choices[i] == wanted && used < LIST_ROOM)
            used += (size_t)snprintf(out + used, LIST_ROOM - used, "%s%s", used ? ", " : "",
                                     p->columns[i].id);
}

/* Names of payload fields can be long: do lists of them, with widths, go on one line of the file?
 */
static bool fits(const struct pane *p, const uint8_t *choices, const uint8_t *widths,
                 struct err *err)
{
    size_t shown = 0, wide = 0;
    for (unsigned i = 0; i < p->column_count && i < COLUMNS_MAX; i++) {
        const size_t bytes = strlen(p->columns[i].id) + sizeof ":250, ";
        shown += choices[i] == COLUMN_ON ? bytes : 0;
        wide += widths[i] ? bytes : 0;
    }
    const size_t most = shown > wide ? shown : wide;
    return most < LIST_ROOM ||
           fail(err, "%s: names of columns take %zu bytes, a line has room for %d; hide some",
                p->id, most, LIST_ROOM);
}

static bool shown_fits(const struct app *a, struct err *err)
{
    const struct pane *const p = app_shown(a)->pane;
    return fits(p, app_shown(a)->columns, app_shown(a)->widths, err);
}

/* ---- what a view holds ----------------------------------------------------------------------- */

/* One row per item: how it is written from the visible place ("" = default, not written), and how
 * it is read back. */
static void write_pane(const struct app *a, char *out)
{
    const struct pane *const p = app_shown(a)->pane;
    snprintf(out, LIST_ROOM, "%s", query_pane_is(p) ? p->title : p->id);
}

static bool take_nothing(struct app *a, const char *value, struct err *err)
{
    (void)a, (void)value, (void)err;
    return true; /* it was taken first of all */
}

/* Crumbs belong to rows of one run: what is saved are filters that hold in others. */
static void write_filter(const struct app *a, char *out)
{
    const struct frame *const f = app_known(a);
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; f && i < a->focus->depth && i < f->crumb_count; i++) {
        const struct value *const v = &f->crumbs[i].lasting;
        if (value_is_text(v) && used + v->text.bytes < FILTER_MAX / 2)
            used += (size_t)snprintf(out + used, LIST_ROOM - used, "%.*s ", (int)v->text.bytes,
                                     f->arena + v->text.offset);
    }
    const char *const own = app_shown(a)->filter;
    const bool is_or = used && strstr(own, "or");
    snprintf(out + used, LIST_ROOM - used, is_or ? "(%s)" : "%s", own);
    used = strlen(out);
    if (used && out[used - 1] == ' ')
        out[used - 1] = '\0';
}

static bool take_filter(struct app *a, const char *value, struct err *err)
{
    return filtering_set(a, value) || fail(err, "%s", a->message);
}

static void write_sort(const struct app *a, char *out)
{
    const struct place *const p = app_shown(a);
    out[0] = '\0';
    if (p->has_sort && p->sort < p->pane->column_count)
        snprintf(out, LIST_ROOM, "%s%s", p->pane->columns[p->sort].id, p->ascending ? ":asc" : "");
}

static bool take_sort(struct app *a, const char *value, struct err *err)
{
    struct place *const p = app_place(a);
    char id[EVENT_COLUMN_NAME];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(value, ":"), value);
    unsigned column;
    if (!find_column(p->pane, id, &column))
        return fail(err, "%s has no column \"%s\"", p->pane->id, id);
    p->sort = column;
    p->has_sort = true;
    p->ascending = strcmp(value + strcspn(value, ":"), ":asc") == 0;
    return true;
}

static void write_shown(const struct app *a, char *out)
{
    const struct pane *const p = app_shown(a)->pane;
    list_chosen(p, app_shown(a)->columns, COLUMN_ON, out);
}

static void write_hidden(const struct app *a, char *out)
{
    const struct pane *const p = app_shown(a)->pane;
    list_chosen(p, app_shown(a)->columns, COLUMN_OFF, out);
}

static bool take_shown(struct app *a, const char *value, struct err *err)
{
    const struct pane *p = app_shown(a)->pane;
    return learn(a, &p, value, err) &&
           choose(p, value, COLUMN_ON, place_columns(a, p)->chosen, err);
}

static bool take_hidden(struct app *a, const char *value, struct err *err)
{
    const struct pane *p = app_shown(a)->pane;
    return learn(a, &p, value, err) &&
           choose(p, value, COLUMN_OFF, place_columns(a, p)->chosen, err);
}

static void write_widths(const struct app *a, char *out)
{
    const struct pane *const p = app_shown(a)->pane;
    widths_write(p, app_shown(a)->widths, out, LIST_ROOM);
}

static bool take_widths(struct app *a, const char *value, struct err *err)
{
    const struct pane *p = app_shown(a)->pane;
    return learn(a, &p, value, err) && widths_read(p, value, place_columns(a, p)->widths, err);
}

static void write_tree(const struct app *a, char *out)
{
    snprintf(out, LIST_ROOM, "%s", app_shown(a)->is_tree ? "yes" : "");
}

static bool take_tree(struct app *a, const char *value, struct err *err)
{
    struct place *const p = app_place(a);
    p->is_tree = strcmp(value, "yes") == 0 && p->pane->tree;
    return p->is_tree || strcmp(value, "yes") != 0 || fail(err, "%s has no tree", p->pane->id);
}

static void write_sums(const struct app *a, char *out)
{
    snprintf(out, LIST_ROOM, "%s", a->is_accumulating ? "yes" : "");
}

static bool take_sums(struct app *a, const char *value, struct err *err)
{
    (void)err;
    a->is_accumulating = strcmp(value, "yes") == 0;
    return true;
}

static void write_nothing(const struct app *a, char *out)
{
    (void)a;
    out[0] = '\0';
}

static const struct part {
    const char *key;
    void (*write)(const struct app *a, char *out);
    bool (*take)(struct app *a, const char *value, struct err *err);
} parts[] = {
    {"pane", write_pane, take_nothing},    {"description", write_nothing, take_nothing},
    {"show", write_shown, take_shown},     {"hide", write_hidden, take_hidden},
    {"width", write_widths, take_widths},  {"sort", write_sort, take_sort},
    {"tree", write_tree, take_tree},       {"sums", write_sums, take_sums},
    {"filter", write_filter, take_filter},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* ---- opening and keeping -------------------------------------------------------------------- */

static unsigned view_count(const struct app *a)
{
    return a->config ? a->config->view_count : 0;
}

bool saved_item(const struct app *a, unsigned i, struct choice *out)
{
    if (i >= view_count(a))
        return false;
    const struct pair_group *const g = &a->config->views[i];
    const char *const description = pairs_get(&g->pairs, "description");
    const char *const filter = pairs_get(&g->pairs, "filter");
    const char *const pane = pairs_get(&g->pairs, "pane");
    *out = (struct choice){.name = g->name,
                           .title = g->name,
                           .help = description ? description
                                   : filter    ? filter
                                   : pane      ? pane
                                               : ""};
    return true;
}

/* Items of the first of several panes have their names as they are, those of the others its number
 * behind them. */
static const char *key_of(const char *name, unsigned split, char room[64])
{
    if (!split)
        return name;
    snprintf(room, 64, "%s%u", name, split + 1);
    return room;
}

static bool take_parts(struct app *a, const struct pair_group *g, unsigned split)
{
    struct err err;
    char room[64];
    struct pane_columns *const columns = place_columns(a, app_shown(a)->pane);
    memset(columns->chosen, COLUMN_AUTO, sizeof columns->chosen);
    memset(columns->widths, 0, sizeof columns->widths);
    filtering_set(a, "");
    for (size_t i = 0; i < PARTS; i++) {
        const char *const value = pairs_get(&g->pairs, key_of(parts[i].key, split, room));
        if (value && !parts[i].take(a, value, &err)) {
            app_message(a, true, "view %s: %s", g->name, err.text);
            return false;
        }
    }
    return true;
}

/* The other panes, as far as there is room. */
static bool open_splits(struct app *a, const struct pair_group *g)
{
    bool ok = true;
    for (unsigned i = 1; i < VIEWS_MAX && ok; i++) {
        char room[64];
        const char *const id = pairs_get(&g->pairs, key_of("pane", i, room));
        const char *const way = pairs_get(&g->pairs, key_of("split", i, room));
        struct err err;
        const struct pane *const pane = id ? queries_pane(a, id, &err) : NULL;
        if (!pane)
            break;
        ok = splits_open(a, pane, !way || strcmp(way, "columns") != 0) && take_parts(a, g, i);
    }
    splits_go(a, 0);
    return ok;
}

static void open_view(struct app *a, const struct pair_group *g)
{
    const char *const id = pairs_get(&g->pairs, "pane");
    struct err err;
    const struct pane *const pane = queries_pane(a, id ? id : "", &err);
    if (!pane) {
        app_message(a, true, "view %s: %s", g->name, err.text);
        return;
    }
    splits_only(a);
    app_go_pane(a, pane);
    if (take_parts(a, g, 0) && open_splits(a, g))
        app_message(a, false, "view %s", g->name);
}

void saved_take(struct app *a, unsigned i)
{
    if (i < view_count(a))
        open_view(a, &a->config->views[i]);
}

static void write_parts(struct app *a, const struct pair_group *old, struct pairs *pairs)
{
    char room[64], value[LIST_ROOM];
    const unsigned split = a->split_at;
    if (split)
        pairs_set(pairs, key_of("split", split, room),
                  a->splits[split].is_below ? "rows" : "columns", 0);
    for (size_t i = 0; i < PARTS; i++) {
        const char *const key = key_of(parts[i].key, split, room);
        parts[i].write(a, value);
        const char *const kept =
            old && parts[i].write == write_nothing ? pairs_get(&old->pairs, key) : NULL;
        if (value[0] || kept)
            pairs_set(pairs, key, kept ? kept : value, 0);
    }
}

/* Crumbs that the filter does not hold or not as they are: their names behind what `out` holds. */
static void list_left_out(const struct app *a, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    size_t used = strlen(out);
    for (unsigned i = 0; f && i < a->focus->depth && i < f->crumb_count && used < room; i++) {
        const struct value *const v = &f->crumbs[i].name;
        if (f->crumbs[i].is_wider)
            used += (size_t)snprintf(out + used, room - used, "%s%.*s", used ? ", " : "",
                                     (int)v->text.bytes, f->arena + v->text.offset);
    }
}

static void save(struct app *a, const char *name)
{
    char left_out[128] = "";
    struct pairs pairs = {0};
    struct err err;
    const struct pair_group *const old = config_group(a->config->views, view_count(a), name);
    bool ok = true;
    for (unsigned i = 0; i < a->split_count && ok; i++) {
        const unsigned current = splits_enter(a, i);
        ok = shown_fits(a, &err);
        write_parts(a, old, &pairs);
        list_left_out(a, left_out, sizeof left_out);
        splits_leave(a, current);
    }
    if (ok && config_keep_group(a->config, "views", name, &pairs, &err))
        app_message(a, false,
                    left_out[0] ? "view %s saved without %s (no filter for it)"
                                : "view %s saved to %s",
                    name, left_out[0] ? left_out : a->config->path);
    else
        app_message(a, true, "%s", err.text);
    pairs_fini(&pairs);
}

static void drop(struct app *a, const char *name)
{
    const struct pairs none = {0};
    struct err err;
    if (!config_group(a->config->views, view_count(a), name))
        app_message(a, true, "there is no view \"%s\"; v lists them", name);
    else if (config_keep_group(a->config, "views", name, &none, &err))
        app_message(a, false, "view %s removed", name);
    else
        app_message(a, true, "%s", err.text);
}

/* A name stands in brackets in a file and on one line of a screen. */
static bool is_name(const char *name)
{
    const size_t bytes = strlen(name);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || strchr("[]#", *c))
            return false;
    return bytes > 0 && bytes < ITEM_SECTION - sizeof "views.";
}

unsigned saved_run(struct app *a, const char *text)
{
    static const struct {
        const char *verb;
        void (*run)(struct app *a, const char *name);
    } verbs[] = {{"save ", save}, {"delete ", drop}};
    for (size_t i = 0; i < 2; i++) {
        const size_t bytes = strlen(verbs[i].verb);
        if (strncmp(text, verbs[i].verb, bytes) != 0)
            continue;
        if (!is_name(text + bytes))
            app_message(a, true, "expected a name of at most 56 bytes without [ ] and #");
        else if (!a->config)
            app_message(a, true, "no configuration file; --config FILE names one");
        else if (!app_refuses(a, "view"))
            verbs[i].run(a, text + bytes);
        return REACT_DRAW;
    }
    const struct pair_group *const g =
        a->config ? config_group(a->config->views, view_count(a), text) : NULL;
    if (g)
        open_view(a, g);
    else
        app_message(a, true, "there is no view \"%s\"; v lists them", text);
    return REACT_DRAW;
}

/* ---- columns of panes ------------------------------------------------------------------------ */

static bool choices_of(const struct config *c, const struct pane *p, uint8_t *out, struct err *err)
{
    const struct pair_group *const g = config_group(c->columns, c->column_count, p->id);
    const char *const show = g ? pairs_get(&g->pairs, "show") : NULL;
    const char *const hide = g ? pairs_get(&g->pairs, "hide") : NULL;
    memset(out, COLUMN_AUTO, COLUMNS_MAX);
    return (!show || choose(p, show, COLUMN_ON, out, err)) &&
           (!hide || choose(p, hide, COLUMN_OFF, out, err));
}

static bool widths_of(const struct config *c, const struct pane *p, uint8_t *out, struct err *err)
{
    const struct pair_group *const g = config_group(c->columns, c->column_count, p->id);
    const char *const widths = g ? pairs_get(&g->pairs, "width") : NULL;
    memset(out, 0, COLUMNS_MAX);
    return !widths || widths_read(p, widths, out, err);
}

/* What the configuration says of the pane names fields of payloads, too. */
static const struct pane *known_pane(struct event_panes *s, const struct config *c,
                                     const struct pane *p)
{
    static const char *const keys[] = {"show", "hide", "width"};
    const struct pair_group *const g = config_group(c->columns, c->column_count, p->id);
    for (size_t i = 0; g && i < sizeof keys / sizeof *keys; i++) {
        const char *const list = pairs_get(&g->pairs, keys[i]);
        if (list)
            event_panes_learn(s, p, list, NULL);
    }
    return event_panes_now(s, p);
}

void saved_columns_begin(struct app *a)
{
    for (unsigned i = 0; a->config && panes[i] && i < PANES_MAX; i++) {
        const struct pane *const p = known_pane(&a->made->events, a->config, panes[i]);
        choices_of(a->config, p, a->columns_of[i].chosen, NULL);
        widths_of(a->config, p, a->columns_of[i].widths, NULL);
    }
}

static bool differs(const struct app *a, unsigned i)
{
    const struct pane *const p = place_pane(a, panes[i]);
    uint8_t before[COLUMNS_MAX], widths[COLUMNS_MAX];
    choices_of(a->config, p, before, NULL);
    widths_of(a->config, p, widths, NULL);
    return memcmp(before, a->columns_of[i].chosen, sizeof before) != 0 ||
           memcmp(widths, a->columns_of[i].widths, sizeof widths) != 0;
}

bool saved_columns_differ(const struct app *a)
{
    for (unsigned i = 0; a->config && panes[i] && i < PANES_MAX; i++)
        if (differs(a, i))
            return true;
    return false;
}

bool saved_columns_keep(struct app *a, struct err *err)
{
    for (unsigned i = 0; panes[i] && i < PANES_MAX; i++) {
        const struct pane *const p = place_pane(a, panes[i]);
        char list[LIST_ROOM];
        struct pairs pairs = {0};
        if (!differs(a, i))
            continue;
        if (!fits(p, a->columns_of[i].chosen, a->columns_of[i].widths, err))
            return false;
        list_chosen(p, a->columns_of[i].chosen, COLUMN_ON, list);
        if (list[0])
            pairs_set(&pairs, "show", list, 0);
        list_chosen(p, a->columns_of[i].chosen, COLUMN_OFF, list);
        if (list[0])
            pairs_set(&pairs, "hide", list, 0);
        widths_write(p, a->columns_of[i].widths, list, sizeof list);
        if (list[0])
            pairs_set(&pairs, "width", list, 0);
        const bool is_kept = config_keep_group(a->config, "columns", panes[i]->id, &pairs, err);
        pairs_fini(&pairs);
        if (!is_kept)
            return false;
    }
    return true;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Those of views may have the number of a pane behind them. */
static bool is_key(const char *key, const char *name, bool has_numbers)
{
    const size_t bytes = strlen(name);
    const char *const rest = key + bytes;
    if (strncmp(key, name, bytes) != 0)
        return false;
    return !*rest || (has_numbers && *rest >= '2' && *rest < '1' + VIEWS_MAX && !rest[1]);
}

static void check_keys(struct config *c, const struct pair_group *g, const char *const *known,
                       bool has_numbers)
{
    for (unsigned i = 0; i < g->pairs.count; i++) {
        size_t k = 0;
        while (known[k] && !is_key(g->pairs.at[i].key, known[k], has_numbers))
            k++;
        if (!known[k])
            config_warn(c, g->pairs.at[i].line, "%s: there is no item \"%.60s\" here", g->name,
                        g->pairs.at[i].key);
    }
}

void saved_check(struct config *c)
{
    static const char *const of_columns[] = {"show", "hide", "width", NULL};
    const char *of_views[PARTS + 2] = {NULL};
    struct err err;
    uint8_t choices[COLUMNS_MAX];
    for (size_t i = 0; i < PARTS; i++)
        of_views[i] = parts[i].key;
    of_views[PARTS] = "split";
    if (c->file.start[0] && !pane_find(c->file.start))
        config_warn(c, 0, "start: there is no pane \"%s\"", c->file.start);
    for (unsigned i = 0; i < c->column_count; i++) {
        const struct pair_group *const g = &c->columns[i];
        const struct pane *const named = pane_find(g->name);
        struct event_panes made = {0};
        const struct pane *const p = named ? known_pane(&made, c, named) : NULL;
        if (!p)
            config_warn(c, g->line, "[columns.%s]: there is no such pane", g->name);
        else if (!choices_of(c, p, choices, &err) || !widths_of(c, p, choices, &err))
            config_warn(c, g->line, "%s", err.text);
        event_panes_fini(&made);
        check_keys(c, g, of_columns, false);
    }
    for (unsigned i = 0; i < c->view_count; i++) {
        const struct pair_group *const g = &c->views[i];
        const char *const pane = pairs_get(&g->pairs, "pane");
        if (!pane || (!query_is_one(pane) && !pane_find(pane)))
            config_warn(c, g->line, "[views.%s]: there is no pane \"%s\"", g->name,
                        pane ? pane : "");
        check_keys(c, g, of_views, true);
    }
}
