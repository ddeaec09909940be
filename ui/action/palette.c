/* Typed commands: one table; completion and help come from it. */
#include "ui/action/action.h"
#include "ui/action/capturing.h"
#include "ui/action/columns.h"
#include "ui/action/exporting.h"
#include "ui/action/grouping.h"
#include "ui/action/habits.h"
#include "ui/action/interval.h"
#include "ui/action/query_file.h"
#include "ui/action/settings_edit.h"
#include "ui/action/saved.h"
#include "ui/action/splitting.h"
#include "ui/action/widths.h"
#include "ui/state/app.h"
#include "ui/state/asking.h"
#include "ui/state/queries.h"
#include "ui/state/filtering.h"
#include "ui/state/search.h"
#include "ui/state/marks.h"
#include "ui/state/chart.h"
#include "ui/state/splits.h"
#include "ui/state/step.h"

#include "src/base/unit.h"
#include "src/export/formats.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "ui/action/comparing.h"
#include "ui/action/palette.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *name;
    const char *arguments;     /* as the help shows them */
    const char *const *values; /* what completes, NULL-terminated; or NULL */
    const char *help;
    unsigned (*run)(struct app *a, const char *argument);
};

static unsigned run_quit(struct app *a, const char *argument)
{
    (void)argument;
    return action_leave(a);
}

/* The new one has a window of its own; this one has done its work. */
static unsigned run_elevate(struct app *a, const char *argument)
{
    struct err err;
    (void)argument;
    if (os_elevate(&err))
        return REACT_QUIT;
    app_message(a, true, "%s", err.text);
    return REACT_DRAW;
}

static unsigned run_pause(struct app *a, const char *argument)
{
    (void)argument;
    if (a->focus->frame && a->focus->frame->state == STATE_LIVE)
        app_message(a, true, "cannot pause live collection; Z freezes the screen");
    else
        app_command(a, COMMAND_PAUSE, 0, NULL);
    return REACT_DRAW;
}

static unsigned run_resume(struct app *a, const char *argument)
{
    (void)argument;
    app_command(a, COMMAND_RESUME, 0, NULL);
    return REACT_DRAW;
}

static unsigned run_speed(struct app *a, const char *argument)
{
    char *end = NULL;
    const double speed = strtod(argument, &end);
    if (strcmp(argument, "max") == 0)
        app_command(a, COMMAND_SPEED, 0, NULL);
    else if (end != argument && *end == '\0' && speed >= 1 && speed <= 1000000)
        app_command(a, COMMAND_SPEED, speed, NULL);
    else
        app_message(a, true, ":speed takes a whole number from 1 on, or max; found \"%s\"",
                    argument);
    return REACT_DRAW;
}

static unsigned run_time(struct app *a, const char *argument)
{
    struct err err;
    if (!setting_read(setting_find("ui", "time"), &a->settings, argument, &err))
        app_message(a, true, ":time: %s", err.text);
    return REACT_DRAW;
}

static unsigned run_live(struct app *a, const char *argument)
{
    (void)argument;
    app_freeze(a, false);
    return REACT_DRAW;
}

static unsigned run_freeze(struct app *a, const char *argument)
{
    (void)argument;
    app_freeze(a, true);
    return REACT_DRAW;
}

static unsigned run_at(struct app *a, const char *argument)
{
    step_at(a, argument);
    return REACT_DRAW;
}

static unsigned run_range(struct app *a, const char *argument)
{
    step_range(a, argument);
    return REACT_DRAW;
}

static unsigned run_changes(struct app *a, const char *argument)
{
    compare_spans(a, argument);
    return REACT_DRAW;
}

static unsigned run_tag(struct app *a, const char *argument)
{
    search_tag(a, argument);
    return REACT_DRAW;
}

static unsigned run_next(struct app *a, const char *argument)
{
    marks_seek(a, argument, 1);
    return REACT_DRAW;
}

static unsigned run_prev(struct app *a, const char *argument)
{
    marks_seek(a, argument, -1);
    return REACT_DRAW;
}

static unsigned run_interval(struct app *a, const char *argument)
{
    interval_set(a, argument);
    return REACT_DRAW;
}

static unsigned run_reset(struct app *a, const char *argument)
{
    (void)argument;
    app_command(a, COMMAND_RESET, 0, NULL);
    app_message(a, false, "counters reset");
    return REACT_DRAW;
}

static unsigned run_sort(struct app *a, const char *argument)
{
    const struct pane *p = app_shown(a)->pane;
    for (unsigned i = 0; i < p->column_count; i++) {
        if (strcmp(p->columns[i].id, argument) == 0) {
            app_sort(a, i);
            return REACT_DRAW;
        }
    }
    app_message(a, true, "%s has no column \"%s\"; s lists them", p->title, argument);
    return REACT_DRAW;
}

static unsigned run_histogram(struct app *a, const char *argument)
{
    (void)argument;
    chart_show(a, CHART_HISTOGRAM);
    return REACT_DRAW;
}

static unsigned run_heat(struct app *a, const char *argument)
{
    (void)argument;
    chart_show(a, CHART_HEAT);
    return REACT_DRAW;
}

static unsigned run_latencies(struct app *a, const char *argument)
{
    (void)argument;
    chart_show(a, CHART_ROWS);
    return REACT_DRAW;
}

static unsigned run_cpus(struct app *a, const char *argument)
{
    (void)argument;
    chart_show(a, CHART_CPUS);
    return REACT_DRAW;
}

static unsigned run_rows(struct app *a, const char *argument)
{
    (void)argument;
    chart_close(a);
    return REACT_DRAW;
}

static unsigned run_filter(struct app *a, const char *argument)
{
    filtering_set(a, argument);
    return REACT_DRAW;
}

/* Without a query: the one that is shown, or its beginning, to be typed. */
static unsigned run_by(struct app *a, const char *argument)
{
    char text[FILTER_MAX];
    snprintf(text, sizeof text, "by %s", argument);
    if (*argument)
        asking_show(a, text);
    else
        app_open_prompt(a, PROMPT_FILTER,
                        query_pane_is(app_shown(a)->pane) ? filtering_text(a) : text);
    return REACT_DRAW;
}

static unsigned run_help(struct app *a, const char *argument)
{
    (void)argument;
    return action_help(a, NULL, NULL);
}

static unsigned run_highlight(struct app *a, const char *argument)
{
    struct err err;
    if (!*argument)
        return action_report(a, HELP_HIGHLIGHTS);
    if (highlight_add(a, argument, &err))
        a->highlights.are_changed = true, app_message(a, false, "set; :highlight lists the rules");
    else
        app_message(a, true, "%s", err.text);
    app_ask(a);
    return REACT_DRAW;
}

/* The number of a line of a list, 0 for "all"; false with a sentence. */
static bool read_number(struct app *a, const char *command, const char *argument, unsigned most,
                        unsigned *out)
{
    struct err err;
    uint64_t number = 0;
    const bool is_all = strcmp(argument, "all") == 0;
    const bool ok = is_all || (unit_count(argument, &number, &err) && number && number <= most);
    if (!ok)
        app_message(a, true, "%s takes a number of the list, or all; found \"%s\"", command,
                    argument);
    *out = (unsigned)number;
    return ok;
}

static unsigned run_unhighlight(struct app *a, const char *argument)
{
    unsigned number;
    if (!read_number(a, ":unhighlight", argument, RULES_MAX, &number))
        return REACT_DRAW;
    const bool found = highlight_drop(a, number);
    a->highlights.are_changed |= found;
    app_message(a, !found,
                found ? "highlight rule %s removed"
                      : "there is no highlight rule %s; :highlight lists them",
                argument);
    app_ask(a);
    return REACT_DRAW;
}

static unsigned run_on(struct app *a, const char *argument)
{
    struct err err;
    if (!*argument)
        return action_report(a, HELP_TRIGGERS);
    if (triggers_add(a, argument, FROM_PROMPT, NULL, &err))
        app_message(a, false,
                    a->focus->frame && a->focus->frame->state == STATE_FINISHED
                        ? "set, but the trace has ended: no more events"
                        : "set; :on lists the triggers");
    else
        app_message(a, true, "%s", err.text);
    return REACT_DRAW;
}

static unsigned run_off(struct app *a, const char *argument)
{
    unsigned number;
    if (!read_number(a, ":off", argument, TRIGGERS_MAX, &number))
        return REACT_DRAW;
    const bool found = triggers_drop(a, number);
    app_message(a, !found,
                found    ? number ? "trigger %s removed" : "%s triggers removed"
                : number ? "there is no trigger %s; :on lists them"
                         : "there are no triggers to remove (%s)",
                argument);
    return REACT_DRAW;
}

static unsigned run_unsplit(struct app *a, const char *argument)
{
    (void)argument;
    if (a->split_count < 2)
        app_message(a, false, "there is only this pane");
    splits_close(a);
    return REACT_DRAW;
}

static unsigned run_only(struct app *a, const char *argument)
{
    (void)argument;
    if (!splits_only(a))
        app_message(a, false, "there is only this pane");
    return REACT_DRAW;
}

static unsigned run_loss(struct app *a, const char *argument)
{
    (void)argument;
    return action_loss(a, NULL, NULL);
}

static unsigned run_info(struct app *a, const char *argument)
{
    (void)argument;
    return action_show_page(a, HELP_INFO, REPORT_INFO);
}

static unsigned run_machine(struct app *a, const char *argument)
{
    (void)argument;
    return action_show_page(a, HELP_MACHINE, REPORT_MACHINE);
}

static unsigned run_footprint(struct app *a, const char *argument)
{
    (void)argument;
    return action_report(a, HELP_FOOTPRINT);
}

static unsigned run_messages(struct app *a, const char *argument)
{
    (void)argument;
    return action_report(a, HELP_MESSAGES);
}

static unsigned run_notices(struct app *a, const char *argument)
{
    (void)argument;
    return action_report(a, HELP_NOTICES);
}

static unsigned run_save(struct app *a, const char *argument);

static const char *const view_verbs[] = {"save", "delete", NULL};
static const char *const switches[] = {"on", "off", NULL};
static const char *const moments[] = {"mark", "gap", "loss", NULL};
static const char *const speeds[] = {"1", "2", "4", "10", "100", "max", NULL};
static const char *const times[] = {"local", "utc", "rel", "delta", NULL};

static const struct word words[] = {
    {"at", "-TIME|INSTANT", NULL, "Show the interval at a time, such as -30s or 10:15:03", run_at},
    {"by", "QUERY", NULL, "Group events as you type: proc, path | count, p99 lat", run_by},
    {"capture", "FILTER|off", NULL, "From now on store only matching events, and names",
     capturing_run},
    {"changes", "[TIME [TIME]]", NULL,
     "Show changes: the last seconds against those before (5s 30s)", run_changes},
    {"columns", "[NAME, …]", NULL,
     "Show or hide columns; of events, fields of payloads, too: .Depth", columns_run},
    {"cpus", "", NULL, "Show processes on processors over time", run_cpus},
    {"elevate", "", NULL, "Windows: restart with administrator rights; the system asks",
     run_elevate},
    {"export", "FORMAT [FILE]", exporting_formats,
     "Write the table (" TABLE_FORMAT_LIST ") or call tree (" STACK_FORMAT_LIST ")",
     exporting_begin},
    {"filter", "TEXT", NULL, "Show only rows that match; without text: all", run_filter},
    {"footprint", "", NULL, "List the memory of tracetop by part", run_footprint},
    {"freeze", "", NULL, "Freeze the screen", run_freeze},
    {"heat", "", NULL, "Show latencies over time", run_heat},
    {"help", "", NULL, "Show signs and keys", run_help},
    {"hide-self", "", NULL, "Live: hide or show tracetop itself", grouping_hide_self},
    {"highlight", "[EXPR as warn|bad|good]", NULL,
     "Highlight rows that match; without EXPR: list the rules", run_highlight},
    {"histogram", "", NULL, "Show latencies by powers of two", run_histogram},
    {"info", "", NULL, "Show the trace or session on a page: times, losses, providers", run_info},
    {"interval", "TIME", NULL, "Set the refresh interval: 500ms, 5s", run_interval},
    {"latencies", "", NULL, "Show the latencies of each row by powers of two", run_latencies},
    {"live", "", NULL, "Resume a frozen screen", run_live},
    {"loss", "", NULL, "List losses by cause, with remedies", run_loss},
    {"machine", "", NULL, "Show the hardware: processors, disks, network adapters, services",
     run_machine},
    {"messages", "", NULL, "List the last hundred messages in full, and the collector's notices",
     run_messages},
    {"mouse", "on|off", switches, "Use the mouse, or leave it to the terminal",
     settings_edit_mouse},
    {"next", "mark|gap|loss", moments, "Show the next mark, gap without events, or loss", run_next},
    {"notices", "", NULL, "List what the collector reported: parts that are missing, damage",
     run_notices},
    {"off", "N|all", NULL, "Remove a trigger", run_off},
    {"on", "[EXPR for TIME do ACTION]", NULL, "Add a trigger; without EXPR: list the triggers",
     run_on},
    {"only", "", NULL, "Close all panes but this one", run_only},
    {"pause", "", NULL, "Pause the replay", run_pause},
    {"prev", "mark|gap|loss", moments, "Show the previous mark, gap or loss", run_prev},
    {"quit", "", NULL, "Leave the program", run_quit},
    {"range", "[TIME]..[TIME]", NULL, "Show a part of the history as one interval", run_range},
    {"record", "[FILE]", NULL, "Record to a file from now on; again ends it", action_record_to},
    {"reset", "", NULL, "Reset the counters", run_reset},
    {"resume", "", NULL, "Resume the replay", run_resume},
    {"save", "[NAME]", NULL,
     "Save changed settings to the configuration file; with a NAME: the query as a view", run_save},
    {"set", "SETTING VALUE", NULL, "Change a setting; S lists them", settings_edit_set},
    {"rows", "", NULL, "Show the rows instead of a chart", run_rows},
    {"snapshot", "[A..B] [FILE.etl] [FILTER]", NULL, "Write the history to a file",
     action_snapshot_of},
    {"sort", "COLUMN", NULL, "Sort by a column; again: reverse the order", run_sort},
    {"speed", "N|max", speeds, "Replay at N times the original speed, or at full speed", run_speed},
    {"view", "[save|delete] NAME", view_verbs, "Open a saved view, or save this one under a name",
     saved_run},
    {"split", "[PANE|by …] [rows|columns]", NULL,
     "Show another pane at the same time, below this one or beside it; Tab goes there", splits_run},
    {"tag", "FILTER", NULL, "Tag rows that match, now and later; without text: none", run_tag},
    {"time", "local|utc|rel|delta", times, "How times of day are shown", run_time},
    {"unhighlight", "N|all", NULL, "Remove a highlight rule", run_unhighlight},
    {"unsplit", "", NULL, "Close this pane", run_unsplit},
    {"width", "COLUMN CELLS|auto", NULL, "Set the width of a column, or its default width",
     widths_run},
};
enum { WORDS = sizeof words / sizeof *words };

/* Rows of keymap[] that do what a command of another name does. */
static const char *key_row(const char *name)
{
    static const char *const other[][2] = {
        {"changes", "what-changed"}, {"cpus", "chart"},      {"heat", "chart"},
        {"histogram", "chart"},      {"latencies", "chart"}, {"live", "freeze"},
        {"next", "goto-mark"},       {"prev", "goto-mark"},  {"set", "setup"},
        {"tag", "tag-rule"},         {"interval", "slower"}, {"view", "views"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(other[i][0], name) == 0)
            return other[i][1];
    return name;
}

bool palette_command(unsigned i, struct typed_command *out)
{
    if (i < WORDS) {
        *out = (struct typed_command){.name = words[i].name,
                                      .arguments = words[i].arguments,
                                      .help = words[i].help,
                                      .values = words[i].values,
                                      .key = key_row(words[i].name)};
        return true;
    }
    for (unsigned at = 0; at <= i - WORDS; at++)
        if (!panes[at])
            return false;
    const struct pane *const p = panes[i - WORDS];
    *out =
        (struct typed_command){.name = p->id, .arguments = "", .help = p->help, .digit = p->digit};
    return true;
}

static bool is_pane(const char *name, size_t length)
{
    for (unsigned i = 0; panes[i]; i++)
        if (strlen(panes[i]->id) == length && strncmp(panes[i]->id, name, length) == 0)
            return true;
    return false;
}

/* Exact name first, then a beginning that only one name has, unless it is a pane's whole name. */
static const struct word *find_word(const char *name, size_t length)
{
    const struct word *only = NULL;
    bool is_ambiguous = is_pane(name, length);
    for (size_t i = 0; i < WORDS; i++) {
        if (strncmp(words[i].name, name, length) != 0)
            continue;
        if (words[i].name[length] == '\0')
            return &words[i];
        is_ambiguous |= only != NULL;
        only = &words[i];
    }
    return is_ambiguous ? NULL : only;
}

/* A query is saved under a name that :NAME finds. */
static unsigned run_save(struct app *a, const char *name)
{
    if (!*name)
        return settings_edit_save(a);
    if (find_word(name, strlen(name)))
        app_message(a, true, ":%.60s is a command already; choose another name", name);
    else
        query_file_save(a, name);
    return REACT_DRAW;
}

/* Not while the program is read-only. */
static bool writes(const struct word *w)
{
    return w->run == run_save || w->run == exporting_begin || w->run == action_record_to ||
           w->run == action_snapshot_of;
}

unsigned app_run(struct app *a, const char *line)
{
    while (*line == ' ' || *line == ':')
        line++;
    const size_t length = strcspn(line, " ");
    if (length == 0)
        return REACT_DRAW;
    const char *argument = line + length;
    while (*argument == ' ')
        argument++;
    char name[64];
    a->message[0] = '\0'; /* what was said of another */
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    const struct habit_command *const habit = habits_command(line, length);
    if (habit && habit->says) {
        app_message(a, false, ":%s is no command here: %s", name, habit->says);
        return REACT_DRAW;
    }
    const char *const typed = habit ? habit->runs : name;
    const struct word *word = length < sizeof name ? find_word(typed, strlen(typed)) : NULL;
    if (word && writes(word) && app_refuses(a, word->name))
        return REACT_DRAW;
    if (word)
        return word->run(a, argument);
    struct err err;
    const struct pane *pane = length < sizeof name ? queries_pane(a, name, &err) : NULL;
    if (pane)
        app_go_pane(a, pane);
    else
        app_message(a, true, "no command \"%s\"; F1 lists them, Tab completes", name);
    return REACT_DRAW;
}

/* ---- completing ---------------------------------------------------------------------------- */

/* The i-th thing that could stand here. */
static const char *candidate(const struct word *word, unsigned i)
{
    if (word)
        return word->values ? word->values[i] : NULL;
    struct typed_command c;
    return palette_command(i, &c) ? c.name : NULL;
}

/* Completes as far as all candidates agree; a whole word gets its blank. */
static bool complete_from(struct prompt *p, size_t start, const struct word *word)
{
    const char *typed = p->text + start;
    const size_t length = strlen(typed);
    char common[64] = "";
    unsigned count = 0;
    for (unsigned i = 0; candidate(word, i); i++) {
        const char *c = candidate(word, i);
        if (strncmp(c, typed, length) != 0)
            continue;
        if (count++ == 0)
            snprintf(common, sizeof common, "%s", c);
        size_t same = 0;
        while (common[same] && common[same] == c[same])
            same++;
        common[same] = '\0';
    }
    if (count == 0)
        return false;
    char text[FILTER_MAX];
    snprintf(text, sizeof text, "%.*s%s%s", (int)start, p->text, common,
             count == 1 && !word ? " " : "");
    const bool is_more = strcmp(text, p->text) != 0;
    prompt_set(p, text);
    return is_more;
}

bool palette_complete(struct prompt *p)
{
    const char *blank = strchr(p->text, ' ');
    if (!blank)
        return complete_from(p, 0, NULL);
    const struct word *word = find_word(p->text, (size_t)(blank - p->text));
    return word && word->values && complete_from(p, (size_t)(blank - p->text) + 1, word);
}
