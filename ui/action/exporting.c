#include "ui/action/exporting.h"

#include "src/export/export.h"
#include "src/export/stacks.h"
#include "src/os/output.h"
#include "ui/action/action.h"
#include "ui/action/settings_edit.h"
#include "ui/state/layout.h"
#include "ui/state/view_columns.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ID(id, ending)     #id,
#define ENDING(id, ending) ending,
#define ONE(id, ending)    +1

const char *const exporting_formats[] = {STACK_FORMATS(ID, ID) TABLE_FORMATS(ID, ID) NULL};
static const char *const endings[] = {STACK_FORMATS(ENDING, ENDING) TABLE_FORMATS(ENDING, ENDING)};

/* The first so many are of call trees, the others of tables. */
enum { OF_TREES = 0 STACK_FORMATS(ONE, ONE) };

static unsigned format_index(const char *text, size_t bytes)
{
    unsigned i = 0;
    while (exporting_formats[i] && (strlen(exporting_formats[i]) != bytes ||
                                    strncmp(exporting_formats[i], text, bytes) != 0))
        i++;
    return i;
}

unsigned exporting_begin(struct app *a, const char *text)
{
    const size_t bytes = strcspn(text, " ");
    const unsigned format = format_index(text, bytes);
    const char *const path = text + bytes + strspn(text + bytes, " ");
    struct exporting *const x = &a->exporting;
    const struct pane *const p = app_shown(a)->pane;
    const bool is_tree = p->view == PANE_TREE;
    if (!exporting_formats[format] || (format < OF_TREES) != is_tree) {
        app_message(a, true, "expected one of %s; found '%.*s'",
                    is_tree ? STACK_FORMAT_LIST : TABLE_FORMAT_LIST, (int)bytes, text);
    } else if (p->view == PANE_EVENTS) {
        app_message(a, true, "events are printed by tracetop dump, or saved by F8");
    } else if (strcmp(path, "-") == 0) {
        app_message(a, true, "standard output is this screen: name a file");
    } else if (!app_refuses(a, "exporting")) {
        *x = (struct exporting){.format = exporting_formats[format]};
        if (*path)
            snprintf(x->path, sizeof x->path, "%s", path);
        else
            snprintf(x->path, sizeof x->path, "tracetop-%s.%s",
                     is_tree ? stack_metrics[app_shown(a)->stacks.metric].id : p->id,
                     endings[format]);
        app_message(a, false, "writing %s", x->path);
    }
    return REACT_DRAW;
}

ACTION(export)
{
    UNUSED(b), UNUSED(k);
    const bool is_tree = app_shown(a)->pane->view == PANE_TREE;
    app_open_prompt(a, PROMPT_COMMAND, is_tree ? "export speedscope" : "export csv");
    return REACT_DRAW;
}

void exporting_ask(const struct app *a, struct request *r)
{
    if (!a->exporting.format || r->pane->view == PANE_EVENTS)
        return;
    if (r->pane->view == PANE_TREE) {
        r->stacks.is_whole = true;
        r->stacks.is_flame = false;
    }
    r->rows = UINT_MAX;
    r->first = 0;
    r->has_anchor = false;
}

void exporting_sent(struct app *a, const struct request *r)
{
    if (a->exporting.format && r->rows == UINT_MAX && !a->exporting.sequence)
        a->exporting.sequence = r->sequence;
}

static size_t format_cell(const void *state, const struct value *v, char *out, size_t room)
{
    return format_value(state, v, "", 0, out, room);
}

/* The columns that are shown, in their order. */
static void write_table(const struct app *a, const struct frame *f, const char *format, FILE *to)
{
    struct column_slot slots[SLOTS_MAX];
    const struct format how = app_format(a);
    const struct export_people people = {.format = format_cell, .state = &how};
    struct export_view v = {.frame = f, .people = &people, .is_first = true};
    v.column_count = view_table_layout(app_shown(a), app_width(a), slots);
    for (unsigned i = 0; i < v.column_count; i++)
        v.columns[i] = slots[i].column;
    export_find(format)->write(&v, to);
}

static bool write_file(const struct app *a, const struct frame *f, struct err *err)
{
    struct output out;
    const struct exporting *const x = &a->exporting;
    const struct stacks_export export = {.frame = f, .name = "tracetop"};
    if (!output_open(&out, x->path, false, err))
        return false;
    if (f->pane->view == PANE_TREE)
        stacks_write(&export, x->format, out.file);
    else
        write_table(a, f, x->format, out.file);
    return output_close(&out, true, err);
}

bool exporting_take(struct app *a, const struct frame *f)
{
    struct exporting *const x = &a->exporting;
    if (!x->format || !x->sequence || f->sequence < x->sequence)
        return false;
    if (f->is_partial)
        return true; /* it goes on counting, and sends the next one by itself */
    char account[160];
    struct err err;
    if (f->pane->view == PANE_TREE)
        stacks_account(f, account, sizeof account);
    else
        snprintf(account, sizeof account, "%u %s", f->row_count, f->row_count == 1 ? "row" : "rows");
    if (frame_covers_part(f)) {
        const size_t used = strlen(account);
        snprintf(account + used, sizeof account - used, ", of the last %.1f s",
                 (double)frame_span(f) / 1e9);
    }
    if (write_file(a, f, &err))
        app_message(a, false, "written: %s (%s)", x->path, account);
    else
        app_message(a, true, "%s", err.text);
    *x = (struct exporting){.format = NULL};
    return true;
}
