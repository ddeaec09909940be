#include "ui/action/settings_edit.h"

#include "ui/action/saved.h"

#include <stdio.h>
#include <string.h>

/* What was read-only at the start stays so: whoever started it meant it. */
static bool may_change(struct app *a, const struct setting *row)
{
    const bool is_it = strcmp(row->key, "readonly") == 0;
    if (is_it && a->settings.is_readonly)
        app_message(a, true, "readonly cannot be switched off while tracetop runs");
    return !is_it || !a->settings.is_readonly;
}

static void report_setting(struct app *a, const struct setting *row)
{
    char value[SETTING_ROOM];
    setting_write(row, &a->settings, value);
    app_message(a, false, "%s = %s%s", row->key, value,
                row->is_later ? "; takes effect at the next start" : "");
}

unsigned settings_edit_set(struct app *a, const char *text)
{
    const size_t length = strcspn(text, " =");
    const char *value = text + length + strspn(text + length, " =");
    char key[64];
    struct err err;
    snprintf(key, sizeof key, "%.*s", (int)(length < sizeof key ? length : sizeof key - 1), text);
    const struct setting *const row = setting_find("", key);
    if (!row)
        app_message(a, true, "there is no setting \"%s\"; S lists them", key);
    else if (!*value && !text[length])
        report_setting(a, row);
    else if (!may_change(a, row))
        return REACT_DRAW;
    else if (!setting_read(row, &a->settings, value, &err))
        app_message(a, true, "%s: %s", key, err.text);
    else
        report_setting(a, row);
    return REACT_DRAW;
}

unsigned settings_edit_mouse(struct app *a, const char *argument)
{
    char text[64];
    snprintf(text, sizeof text, "mouse %.40s", argument);
    return settings_edit_set(a, text);
}

bool settings_edit_differs(const struct app *a)
{
    return a->config && (config_differs(a->config, &a->settings) || saved_columns_differ(a));
}

static bool keep(struct app *a, struct err *err)
{
    return (!config_differs(a->config, &a->settings) ||
            config_keep(a->config, &a->settings, err)) &&
           saved_columns_keep(a, err);
}

unsigned settings_edit_save(struct app *a)
{
    const char *const rules =
        a->highlights.are_changed ? "; highlight rules are not: write them under [rules]" : "";
    struct err err;
    if (app_refuses(a, "save"))
        return REACT_DRAW;
    if (!a->config)
        app_message(a, true, "no configuration file; --config FILE names one");
    else if (!settings_edit_differs(a))
        app_message(a, false, "no changes to save%s", rules);
    else if (!keep(a, &err))
        app_message(a, true, "%s", err.text);
    else
        app_message(a, false, "saved to %s%s", a->config->path, rules);
    return REACT_DRAW;
}

bool settings_edit_end(struct app *a, struct err *err)
{
    const bool keeps = a->config && a->settings.saves_itself && !a->settings.is_readonly;
    return !keeps || !settings_edit_differs(a) || keep(a, err);
}
