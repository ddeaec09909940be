/* The setup screen: settings with their values, and the ways to columns, themes, views and the
 * file that keeps them. A chooser like any other: typing narrows it. */
#include "ui/action/setup.h"

#include "ui/action/columns.h"
#include "ui/action/settings_edit.h"
#include "ui/state/chooser.h"
#include "ui/theme/embedded.h"
#include "ui/theme/theme.h"

#include <stdio.h>
#include <string.h>

/* ---- settings -------------------------------------------------------------------------------- */

static void take_save(struct app *a)
{
    settings_edit_save(a);
}

static void take_columns(struct app *a)
{
    columns_open(a);
}

static void take_views(struct app *a)
{
    chooser_open(a, CHOOSE_PANE);
}

/* What is no value stands in front. */
static const struct way {
    const char *name, *help;
    void (*take)(struct app *a);
} ways[] = {
    {"save", "Write changed settings to the configuration file", take_save},
    {"columns", "Choose which columns this pane shows", take_columns},
    {"views", "Panes and saved views; :view save NAME saves this one", take_views},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* What the font can do is seen best. */
static const char *sample(const struct app *a, const struct setting *row)
{
    static const char *const samples[] = {
        [SYMBOLS_BLOCK] = " ▁▃▅▇█", [SYMBOLS_BRAILLE] = " ⣀⣤⣶⣿", [SYMBOLS_ASCII] = " .:-=#"};
    const bool is_it = strcmp(row->key, "symbols") == 0;
    const bool is_shown = !a->glyphs->is_ascii || a->settings.symbols == SYMBOLS_ASCII;
    return is_it && is_shown ? samples[a->settings.symbols] : "";
}

static bool item(const struct app *a, unsigned i, struct choice *out)
{
    if (i < WAYS) {
        *out = (struct choice){
            .name = ways[i].name, .title = ways[i].name, .help = ways[i].help, .value = " "};
        if (i == 0 && settings_edit_differs(a))
            snprintf(out->value, sizeof out->value, "changed");
        return true;
    }
    if (i - WAYS >= settings_count)
        return false;
    const struct setting *const row = &settings_table[i - WAYS];
    char value[SETTING_ROOM];
    setting_write(row, &a->settings, value);
    *out = (struct choice){.name = row->label, .title = row->label, .help = row->help};
    snprintf(out->value, sizeof out->value, "%.30s%s", *value ? value : "-", sample(a, row));
    return true;
}

static void type_value(struct app *a, const struct setting *row)
{
    char value[SETTING_ROOM], line[FILTER_MAX];
    setting_write(row, &a->settings, value);
    snprintf(line, sizeof line, "set %s %s", row->key, value);
    app_open_prompt(a, PROMPT_COMMAND, line);
}

/* The next value, and the list stays; what must be typed opens the prompt. */
static void turn(struct app *a, unsigned i)
{
    const struct setting *const row = &settings_table[i];
    struct settings next = a->settings;
    char value[SETTING_ROOM], line[SETTING_ROOM + 64];
    if (!setting_turn(row, &next)) {
        a->overlay = OVERLAY_NONE;
        type_value(a, row);
        return;
    }
    setting_write(row, &next, value);
    snprintf(line, sizeof line, "%s %s", row->key, value);
    settings_edit_set(a, line); /* with all it says of it */
    a->overlay = OVERLAY_CHOOSER;
}

static void take(struct app *a, unsigned i)
{
    if (i < WAYS)
        ways[i].take(a);
    else if (strcmp(settings_table[i - WAYS].key, "theme") == 0)
        chooser_open(a, CHOOSE_THEME);
    else
        turn(a, i - WAYS);
}

static void toggle(struct app *a, unsigned i)
{
    if (i >= WAYS)
        turn(a, i - WAYS);
}

const struct chooser_source setup_source = {"Setup; Enter changes, save keeps", item, take, toggle};

/* ---- themes ---------------------------------------------------------------------------------- */

static bool theme_item(const struct app *a, unsigned i, struct choice *out)
{
    char name[OS_NAME_ROOM];
    if (!theme_name(i, name))
        return false;
    *out = (struct choice){.help = "", .is_current = strcmp(name, a->settings.theme) == 0};
    snprintf(out->whose.title, sizeof out->whose.title, "%.*s", (int)sizeof out->whose.title - 1, name);
    out->name = out->title = out->whose.title;
    return true;
}

static void theme_take(struct app *a, unsigned i)
{
    char line[OS_NAME_ROOM + 16], name[OS_NAME_ROOM];
    if (theme_name(i, name)) {
        snprintf(line, sizeof line, "theme %s", name);
        settings_edit_set(a, line);
    }
}

const struct chooser_source setup_themes = {"Themes", theme_item, theme_take, NULL};
