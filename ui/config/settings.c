#include "ui/config/settings.h"

#include "src/base/unit.h"
#include "src/command/option.h"

#include <stdio.h>
#include <string.h>

/* ---- the table -------------------------------------------------------------------------- */

static const char *const colors[] = {"auto", "never",     "mono",   "16",
                                     "256",  "truecolor", "always", NULL};
static const char *const symbols[] = {"block", "braille", "ascii", NULL};
static const char *const keybars[] = {"fkeys", "letters", "both", NULL};
static const char *const times[] = {"local", "utc", "rel", "delta", NULL};
static const char *const units[] = {"iec", "si", "bits", NULL};
static const char *const paths[] = {"full", "name", "device", NULL};
static const char *const meters[] = {"auto", "off", "one", "two", "full", NULL};
static const char *const clipboards[] = {"osc52", "file", NULL};
static const char *const flames[] = {"down", "up", NULL};
static const char *const strips[] = {"auto", "yes", "no", NULL};
static const char *const strip_metric_ids[] = {"cpu", "disk", "net", "events", NULL};

/* It was yes or no. */
static const struct setting_alias meters_aliases[] = {
    {"yes", METERS_AUTO}, {"on", METERS_AUTO},   {"true", METERS_AUTO}, {"1", METERS_AUTO},
    {"no", METERS_OFF},   {"false", METERS_OFF}, {"0", METERS_OFF},     {NULL, 0},
};

#define SECOND                  INT64_C(1000000000)
#define HOUR                    (3600 * SECOND)
#define AT(member)              offsetof(struct settings, member)
#define ROOM(member)            (int64_t)sizeof(((struct settings *)0)->member)
#define YES(member)             SETTING_YES, .offset = AT(member)
#define CHOICE(member, names)   SETTING_CHOICE, .offset = AT(member), .choices = (names)
#define TEXT(member)            SETTING_TEXT, .offset = AT(member), .most = ROOM(member)
#define TIME(member, low, high) SETTING_TIME, .offset = AT(member), .least = (low), .most = (high)

#define IN(section, key) section, key, section "." key

/* A row is a line, so that it reads as a table. */
/* clang-format off */
const struct setting settings_table[] = {
    { IN("ui", "theme"), TEXT(theme), .standard = "default", .help = "Colors: the name of a theme, or a theme file" },
    { IN("ui", "color"), CHOICE(color, colors), .standard = "auto", .help = "Number of colors to use", .is_later = true },
    { IN("ui", "symbols"), CHOICE(symbols, symbols), .standard = "block", .help = "Characters for bars and graphs" },
    { IN("ui", "ascii"), YES(is_ascii), .standard = "no", .help = "Draw with ASCII characters only" },
    { IN("ui", "keybar"), CHOICE(keybar, keybars), .standard = "fkeys", .help = "Keys in the key bar: function keys, letters, or both" },
    { IN("ui", "time"), CHOICE(time, times), .standard = "local", .help = "How times of day are shown" },
    { IN("ui", "units"), CHOICE(units, units), .standard = "iec", .help = "Bytes by 1024 (iec) or 1000 (si); bits: networks in b/s by 1000" },
    { IN("ui", "paths"), CHOICE(paths, paths), .standard = "full", .help = "Full paths, file names, or kernel paths" },
    { IN("ui", "of-one-cpu"), YES(of_one_cpu), .standard = "no", .help = "100 % CPU is one processor, not the machine" },
    { IN("ui", "interval"), TIME(interval_ns, SECOND / 10, 24 * HOUR), .standard = "1s", .help = "Refresh interval" },
    { IN("ui", "meters"), CHOICE(meters, meters), .aliases = meters_aliases, .standard = "auto", .help = "Lines of meters: off, one, two, full, or as there is room" },
    { IN("ui", "borders"), YES(has_borders), .standard = "no", .help = "Draw a border around each pane" },
    { IN("ui", "strip"), CHOICE(strip, strips), .standard = "auto", .help = "Show the time strip; auto: where there are 30 lines" },
    { IN("ui", "strip-metric"), CHOICE(strip_metric, strip_metric_ids), .standard = "cpu", .help = "Figure that the time strip shows" },
    { IN("ui", "flame"), CHOICE(flame, flames), .standard = "down", .help = "Flame graphs: the direction in which they grow" },
    { IN("ui", "hide-idle"), YES(hides_idle), .standard = "no", .help = "Hide idle rows" },
    { IN("ui", "hide-system"), YES(hides_system), .standard = "no", .help = "Hide system processes and drivers" },
    { IN("ui", "hide-self"), YES(hides_self), .standard = "no", .help = "Live: hide tracetop itself" },
    { IN("ui", "new-for"), TIME(new_ns, 0, HOUR), .standard = "3s", .help = "Time that new rows are marked; 0 = off" },
    { IN("ui", "exited-for"), TIME(exited_ns, 0, HOUR), .standard = "10s", .help = "Time that exited rows stay; 0 = off" },
    { IN("ui", "fold-exited"), YES(folds_exited), .standard = "yes", .help = "Live: one row for exited processes, where they fill the screen" },
    { IN("ui", "message-for"), TIME(message_ns, SECOND, HOUR), .standard = "6s", .help = "Time that messages stay" },
    { IN("ui", "cut-off"), SETTING_PERCENT, .offset = AT(cut_off), .least = 0, .most = 50, .standard = "0.5%", .help = "Stacks: percentage below which frames share a row" },
    { IN("ui", "mouse"), YES(has_mouse), .standard = "yes", .help = "Use the mouse; Shift gives it to the terminal" },
    { IN("ui", "clipboard"), CHOICE(clipboard, clipboards), .standard = "osc52", .help = "Copy to the terminal's clipboard, or to a file" },
    { IN("ui", "recent"), YES(keeps_recent), .standard = "yes", .help = "Keep recent filters, commands and searches for the next start" },
    { IN("ui", "readonly"), YES(is_readonly), .standard = "no", .help = "Disable everything that changes the system or writes files" },
    { IN("ui", "autosave"), YES(saves_itself), .standard = "no", .help = "Save changed settings at exit" },
    { IN("panes", "start"), TEXT(start), .standard = "", .help = "First pane; empty: Processes", .is_later = true },
    { IN("panes", "collect"), TEXT(collect), .option = "panes", .standard = "", .help = "Panes to collect for, as --panes; empty: the default", .is_later = true },
    { IN("symbols", "path"), TEXT(symbol_path), .option = "symbols", .standard = "", .help = "Symbol path, as --symbols", .is_later = true },
    { IN("symbols", "server"), TEXT(symbol_server), .option = "symbol-server", .standard = "", .help = "Servers to download missing symbol files from, as --symbol-server; empty: none", .is_later = true },
    { IN("symbols", "names"), YES(has_symbols), .standard = "yes", .help = "Show stacks with symbols", .is_later = true },
    { IN("record", "folder"), TEXT(folder), .standard = "", .help = "Folder for snapshots and recorded traces; empty: the current one", .is_later = true },
    { IN("record", "name"), TEXT(file_name), .standard = "tracetop", .help = "Prefix of the names of these files", .is_later = true },
    { IN("record", "ring"), TEXT(ring), .option = "ring", .standard = "", .help = "Size of the history, as --ring: 64M, 60s", .is_later = true },
};
/* clang-format on */
const size_t settings_count = sizeof settings_table / sizeof *settings_table;

const struct setting *setting_find(const char *section, const char *key)
{
    for (size_t i = 0; i < settings_count; i++)
        if (*section ? strcmp(settings_table[i].key, key) == 0 &&
                           strcmp(settings_table[i].section, section) == 0
                     : strcmp(settings_table[i].key, key) == 0 ||
                           strcmp(settings_table[i].label, key) == 0)
            return &settings_table[i];
    return NULL;
}

void settings_default(struct settings *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < settings_count; i++)
        setting_read(&settings_table[i], s, settings_table[i].standard, NULL);
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool read_yes(const char *text, bool *out, struct err *err)
{
    static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return *out = i % 2, true;
    return fail(err, "expected yes or no, found \"%.100s\"", text);
}

static bool read_choice(const struct setting *row, const char *text, uint8_t *out, struct err *err)
{
    char known[200] = "";
    size_t used = 0;
    for (const struct setting_alias *a = row->aliases; a && a->word; a++)
        if (strcmp(text, a->word) == 0)
            return *out = a->choice, true;
    for (uint8_t i = 0; row->choices[i]; i++) {
        if (strcmp(text, row->choices[i]) == 0)
            return *out = i, true;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i == 0                ? ""
                                 : row->choices[i + 1] ? ", "
                                                       : " or ",
                                 row->choices[i]);
    }
    return fail(err, "expected %s, found \"%.100s\"", known, text);
}

static void write_time(int64_t ns, char *out)
{
    static const struct {
        int64_t ns;
        const char *name;
    } steps[] = {{HOUR, "h"},           {60 * SECOND, "m"}, {SECOND, "s"},
                 {SECOND / 1000, "ms"}, {1000, "us"},       {1, "ns"}};
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof *steps && (ns == 0 || ns % steps[i].ns != 0))
        i++;
    if (ns == 0)
        snprintf(out, SETTING_ROOM, "0");
    else
        snprintf(out, SETTING_ROOM, "%lld%s", (long long)(ns / steps[i].ns), steps[i].name);
}

static bool read_time(const struct setting *row, const char *text, int64_t *out, struct err *err)
{
    int64_t ns;
    if (!unit_time(text, &ns, err))
        return false;
    if (ns < row->least || ns > row->most) {
        char least[SETTING_ROOM], most[SETTING_ROOM];
        write_time(row->least, least);
        write_time(row->most, most);
        return fail(err, "expected a time from %s to %s, found \"%.100s\"", least, most, text);
    }
    *out = ns;
    return true;
}

static bool read_percent(const struct setting *row, const char *text, double *out, struct err *err)
{
    double percent;
    if (!unit_percent(text, &percent, err))
        return false;
    if (!(percent >= (double)row->least && percent <= (double)row->most))
        return fail(err, "expected a percentage from %d to %d, found \"%.100s\"", (int)row->least,
                    (int)row->most, text);
    *out = percent;
    return true;
}

static bool read_text(const struct setting *row, const char *text, char *out, struct err *err)
{
    const size_t bytes = strlen(text);
    if (bytes >= (size_t)row->most)
        return fail(err, "expected at most %d bytes, found %zu", (int)row->most - 1, bytes);
    if (row->option && *text && !options_take(row->option, text, err))
        return false;
    memset(out, 0, (size_t)row->most);
    memcpy(out, text, bytes);
    return true;
}

bool setting_read(const struct setting *row, struct settings *s, const char *text, struct err *err)
{
    void *const field = (char *)s + row->offset;
    switch (row->kind) {
    case SETTING_YES:
        return read_yes(text, field, err);
    case SETTING_CHOICE:
        return read_choice(row, text, field, err);
    case SETTING_TIME:
        return read_time(row, text, field, err);
    case SETTING_PERCENT:
        return read_percent(row, text, field, err);
    case SETTING_TEXT:
        return read_text(row, text, field, err);
    }
    return false;
}

/* ---- writing ------------------------------------------------------------------------------- */

void setting_write(const struct setting *row, const struct settings *s, char *out)
{
    const void *const field = (const char *)s + row->offset;
    switch (row->kind) {
    case SETTING_YES:
        snprintf(out, SETTING_ROOM, "%s", *(const bool *)field ? "yes" : "no");
        break;
    case SETTING_CHOICE:
        snprintf(out, SETTING_ROOM, "%s", row->choices[*(const uint8_t *)field]);
        break;
    case SETTING_TIME:
        write_time(*(const int64_t *)field, out);
        break;
    case SETTING_PERCENT:
        snprintf(out, SETTING_ROOM, "%g%%", *(const double *)field);
        break;
    case SETTING_TEXT:
        snprintf(out, SETTING_ROOM, "%s", (const char *)field);
        break;
    }
}

bool setting_turn(const struct setting *row, struct settings *s)
{
    void *const field = (char *)s + row->offset;
    if (row->kind == SETTING_YES) {
        *(bool *)field = !*(bool *)field;
        return true;
    }
    if (row->kind != SETTING_CHOICE)
        return false;
    uint8_t *const index = field;
    *index = row->choices[*index + 1] ? (uint8_t)(*index + 1) : 0;
    return true;
}

bool setting_equal(const struct setting *row, const struct settings *a, const struct settings *b)
{
    char one[SETTING_ROOM], other[SETTING_ROOM];
    setting_write(row, a, one);
    setting_write(row, b, other);
    return strcmp(one, other) == 0;
}
