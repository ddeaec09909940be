/* The key bar: the keys that are useful here, as many as fit. */
#include "ui/draw/lines.h"
#include "ui/state/chooser.h"
#include "ui/state/chart.h"

#include <stdio.h>
#include <string.h>

/* What the next Esc does, in a word. */
static const char *escape_label(const struct app *a)
{
    if (a->overlay != OVERLAY_NONE && a->prompting == PROMPT_NONE)
        return "Close";
    if (a->prompting != PROMPT_NONE)
        return "Cancel";
    if (a->strip.has_focus)
        return a->strip.end_count ? "Drop ends" : "Leave";
    if (a->focus->is_detail)
        return "Close";
    if (chart_is_shown(a))
        return "Rows";
    const struct place *const p = app_shown(a);
    if (a->search.text[0] && a->search.pane == p->pane)
        return "Drop find";
    if (p->pane->view == PANE_TREE && p->highlighted[0])
        return "Drop highlight";
    if (p->pane->view == PANE_TREE && p->zoom_count)
        return "Zoom out";
    if (p->pane->view == PANE_TREE && p->stacks.term_count)
        return "Undo";
    if (p->pane->view == PANE_TREE && p->stacks.shape == STACK_BOTH)
        return "All frames";
    if (p->filter[0])
        return "Drop filter";
    if (a->comparison.stage == COMPARE_SHOWN)
        return "End A";
    if (a->focus->depth || p->pane->view == PANE_CHANGES)
        return "Back";
    return a->comparison.stage == COMPARE_MARKED ? "Drop A" : a->is_zoomed ? "Unzoom" : NULL;
}

struct bar_key {
    const char *label;
    struct key key;
    char name[2 * KEY_NAME]; /* of the key, or of both a function key and a letter */
    unsigned rank;
    int x, width; /* width 0 = no room */
};

enum { BAR_MAX = 24 };

/* What Enter does with what is typed. */
static const char *accept_label(const struct app *a)
{
    static const char *const labels[PROMPTS] = {
        [PROMPT_COMMAND] = "Run",
        [PROMPT_MARK] = "Mark",
        [PROMPT_TAG] = "Tag",
        [PROMPT_TERMINATE] = "Answer",
    };
    return labels[a->prompting] ? labels[a->prompting] : "Keep";
}

/* Rows of what changed are of other panes, where Enter goes: what is asked of rows is asked there. */
static bool is_of_rows(const char *name)
{
    static const char *const names[] = {"events", "stacks", "accumulate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_useful(const struct app *a, const struct binding *b)
{
    if (app_shown(a)->pane->view == PANE_CHANGES && is_of_rows(b->name))
        return false;
    if ((b->contexts & WRITES) && a->settings.is_readonly)
        return false;
    if (strcmp(b->name, "back") == 0)
        return false; /* Esc says it */
    if (strcmp(b->name, "complete") == 0)
        return a->prompting != PROMPT_MARK && a->prompting != PROMPT_TERMINATE;
    if (strcmp(b->name, "tree") == 0)
        return app_shown(a)->pane->tree != NULL;
    if (strncmp(b->name, "chart", strlen("chart")) == 0)
        return chart_has_use(a, b->name);
    if (strcmp(b->name, "choose-toggle") == 0)
        return chooser_has_toggle(a);
    if (strcmp(b->name, "open") == 0 && app_shown(a)->pane->view == PANE_TABLE)
        return app_shown(a)->pane->drill != NULL;
    return true;
}

/* By which key the bar calls a row (the setting keybar); false where it has none here. */
static bool bar_name(const struct app *a, unsigned context, const struct binding *b,
                     struct bar_key *out)
{
    struct key function, other;
    const bool has_function = keys_first(a->keys, context, b, true, &function);
    const bool has_other = keys_first(a->keys, context, b, false, &other);
    const bool is_letters = a->settings.keybar == KEYBAR_LETTERS;
    if (!has_function && !has_other)
        return false;
    out->key = has_function && !(is_letters && has_other) ? function : other;
    key_text(&out->key, out->name);
    if (a->settings.keybar == KEYBAR_BOTH && has_function && has_other) {
        char second[KEY_NAME];
        snprintf(out->name + strlen(out->name), KEY_NAME, "/%s", key_text(&other, second));
    }
    return true;
}

static unsigned bar_collect(const struct app *a, struct bar_key *out)
{
    const unsigned context = app_context(a);
    unsigned count = 0;
    const char *escape = escape_label(a);
    if (escape)
        out[count++] = (struct bar_key){.label = escape, .key = {.kind = KEY_ESCAPE}, .name = "Esc", .rank = 1};
    for (size_t i = 0; i < keymap_count && count < BAR_MAX; i++) {
        const struct binding *b = &keymap[i];
        if (!b->label || !(b->contexts & context) || !is_useful(a, b))
            continue;
        const bool is_accept = strcmp(b->name, "accept") == 0;
        out[count] = (struct bar_key){.label = is_accept ? accept_label(a) : b->label,
                                      .rank = b->rank};
        /* What comes first in the table has the key; the others are not shown. */
        if (bar_name(a, context, b, &out[count]))
            count++;
    }
    return count;
}

static int bar_width(const struct bar_key *k)
{
    return grid_width(k->name) + 1 + grid_width(k->label) + 2;
}

/* Places the keys: by rank while there is room, in table order on the line. */
static unsigned bar_layout(const struct app *a, int width, struct bar_key *out)
{
    const unsigned count = bar_collect(a, out);
    int left = width - 1;
    for (unsigned rank = 0; rank < 32; rank++) {
        for (unsigned i = 0; i < count; i++) {
            if (out[i].rank != rank || bar_width(&out[i]) > left)
                continue;
            out[i].width = bar_width(&out[i]);
            left -= out[i].width;
        }
    }
    int x = 1;
    for (unsigned i = 0; i < count; i++) {
        out[i].x = x;
        x += out[i].width;
    }
    return count;
}

void lines_keys(const struct app *a, struct grid *g, const struct rect *r)
{
    if (lines_have_message(a)) {
        lines_message(a, g, r);
        return;
    }
    struct bar_key keys[BAR_MAX];
    const unsigned count = bar_layout(a, r->width, keys);
    for (unsigned i = 0; i < count; i++) {
        if (!keys[i].width)
            continue;
        int x = r->x + keys[i].x;
        const int end = x + keys[i].width;
        x += grid_text(g, x, r->y, end - x, ROLE_KEY, keys[i].name);
        x += grid_text(g, x, r->y, end - x, ROLE_KEY_LABEL, " ");
        grid_text(g, x, r->y, end - x, ROLE_KEY_LABEL, keys[i].label);
    }
}

bool lines_key_at(const struct app *a, int x, struct key *out)
{
    if (lines_have_message(a))
        return false; /* it stands in the place of the keys */
    struct bar_key keys[BAR_MAX];
    const unsigned count = bar_layout(a, a->columns, keys);
    for (unsigned i = 0; i < count; i++)
        if (x >= keys[i].x && x < keys[i].x + keys[i].width)
            return *out = keys[i].key, true;
    return false;
}
