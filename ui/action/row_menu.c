#include "ui/action/row_menu.h"

#include "src/os/os.h"
#include "ui/action/action.h"
#include "ui/action/copying.h"
#include "ui/action/settings_edit.h"
#include "ui/state/chooser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the row ------------------------------------------------------------------------------ */

static bool cell_named(const struct app *a, const char *id, char *out, size_t room)
{
    const struct frame_row *const row = app_cursor_row(a);
    const struct pane *const p = app_shown(a)->pane;
    const struct column *const c = pane_column(p, id);
    out[0] = '\0';
    if (row && c && row->cells[c - p->columns].type != VALUE_ABSENT)
        copying_cell(a, row, (unsigned)(c - p->columns), out, room);
    return out[0] != '\0';
}

/* The first column of the row that holds a path. */
static bool path_of(const struct app *a, char *out, size_t room)
{
    const struct frame_row *const row = app_cursor_row(a);
    const struct pane *const p = app_shown(a)->pane;
    out[0] = '\0';
    for (unsigned i = 0; row && !out[0] && i < p->column_count; i++)
        if (row->cells[i].type == VALUE_PATH)
            copying_cell(a, row, i, out, room);
    return out[0] != '\0';
}

/* What is shown is what this machine does: only then is a pid a process of it. */
static const char *not_here(const struct app *a)
{
    const struct frame *const f = app_known(a);
    const struct frame_row *const row = app_cursor_row(a);
    if (a->settings.is_readonly)
        return "not available: tracetop is read-only";
    if (!f || f->state != STATE_LIVE || f->is_synthetic)
        return "available only live, on this machine";
    if (row && row->flags & ROW_EXITED)
        return "the process has exited";
    return NULL;
}

/* ---- the actions ---------------------------------------------------------------------------- */

static void copy_cell(struct app *a, const char *id, const char *what)
{
    char text[FORMAT_ROOM];
    if (cell_named(a, id, text, sizeof text))
        a->reaction |= copying_take(a, text, strlen(text), what);
}

static void copy_path(struct app *a)
{
    char text[FORMAT_ROOM];
    if (path_of(a, text, sizeof text))
        a->reaction |= copying_take(a, text, strlen(text), "the path");
}

static void copy_name(struct app *a)
{
    copy_cell(a, "name", "the name");
}

static void copy_command(struct app *a)
{
    copy_cell(a, "cmd", "the command line");
}

static void copy_row(struct app *a)
{
    a->reaction |= action_copy(a, NULL, NULL);
}

static void show_folder(struct app *a)
{
    char text[FORMAT_ROOM];
    struct err err;
    if (path_of(a, text, sizeof text) && !os_show_folder(text, &err))
        app_message(a, true, "%s", err.text);
}

static void ask_to_terminate(struct app *a)
{
    char name[128], pid[32];
    if (!cell_named(a, "pid", pid, sizeof pid))
        return;
    cell_named(a, "name", name, sizeof name);
    a->doomed_pid = (uint32_t)strtoul(pid, NULL, 10);
    a->doomed_alive = app_known(a)->instant;
    app_open_prompt(a, PROMPT_TERMINATE, "");
    app_message(a, false, "yes and Enter terminate %s %s", name, pid);
}

void row_menu_answer(struct app *a, const char *text)
{
    struct err err;
    if (strcmp(text, "yes") != 0)
        app_message(a, false, "nothing was terminated");
    else if (app_refuses(a, "terminating"))
        return;
    else if (os_terminate(a->doomed_pid, a->doomed_alive, &err))
        app_message(a, false, "terminating process %u", a->doomed_pid);
    else
        app_message(a, true, "%s", err.text);
}

/* ---- the list --------------------------------------------------------------------------------- */

static bool has_name(const struct app *a)
{
    char text[FORMAT_ROOM];
    return cell_named(a, "name", text, sizeof text);
}

static bool has_command(const struct app *a)
{
    char text[FORMAT_ROOM];
    return cell_named(a, "cmd", text, sizeof text);
}

static bool has_path(const struct app *a)
{
    char text[FORMAT_ROOM];
    return path_of(a, text, sizeof text);
}

static bool has_row(const struct app *a)
{
    return app_cursor_row(a) != NULL;
}

static bool has_process(const struct app *a)
{
    char text[32];
    return app_shown(a)->pane->view == PANE_TABLE && cell_named(a, "pid", text, sizeof text);
}

static const struct row_action {
    const char *name, *help;
    bool (*is_there)(const struct app *a);
    void (*run)(struct app *a);
    bool is_here_only; /* changes this machine: not offered for recordings */
} row_actions[] = {
    {"copy row", "The visible cells, separated by tabs", has_row, copy_row, false},
    {"copy name", "The name of its process", has_name, copy_name, false},
    {"copy command", "The command line of its process", has_command, copy_command, false},
    {"copy path", "The path of this row", has_path, copy_path, false},
    {"show folder", "Open the folder of the path in the file manager", has_path, show_folder, true},
    {"terminate", "End the process; asks first", has_process, ask_to_terminate, true},
};
enum { ROW_ACTIONS = sizeof row_actions / sizeof *row_actions };

static const struct row_action *row_action_at(const struct app *a, unsigned i)
{
    for (unsigned at = 0; at < ROW_ACTIONS; at++)
        if (row_actions[at].is_there(a) && i-- == 0)
            return &row_actions[at];
    return NULL;
}

bool row_menu_item(const struct app *a, unsigned i, struct choice *out)
{
    const struct row_action *const row_action = row_action_at(a, i);
    if (!row_action)
        return false;
    const char *const why = row_action->is_here_only ? not_here(a) : NULL;
    *out = (struct choice){
        .name = row_action->name, .title = row_action->name, .help = why ? why : row_action->help};
    return true;
}

void row_menu_take(struct app *a, unsigned i)
{
    const struct row_action *const row_action = row_action_at(a, i);
    const char *const why = row_action && row_action->is_here_only ? not_here(a) : NULL;
    if (why)
        app_message(a, true, "%s: %s", row_action->name, why);
    else if (row_action)
        row_action->run(a);
}

ACTION(actions)
{
    UNUSED(b), UNUSED(k);
    if (!app_cursor_row(a))
        return REACT_NONE;
    chooser_open(a, CHOOSE_ACTION);
    return REACT_DRAW;
}
