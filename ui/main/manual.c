#include "ui/main/manual.h"

#include "src/base/show.h"
#include "src/command/command.h"
#include "src/command/option_table.h"
#include "src/filter/filter.h"
#include "ui/action/palette.h"
#include "ui/config/keymap.h"
#include "ui/config/settings.h"
#include "ui/config/utf8.h"
#include "ui/draw/lines.h"

#include <ctype.h>
#include <string.h>

/* Text as man reads it: hyphens that are to be copied, no request at the start of a line. */
static void text(FILE *to, const char *s)
{
    uint32_t code;
    for (; *s; s++) {
        const size_t bytes = *s & 0x80 ? utf8_decode(s, &code) : 0;
        if (bytes) {
            show(to, "\\[u%04X]", (unsigned)code);
            s += bytes - 1;
        } else if (*s == '-')
            fputs("\\-", to);
        else if (*s == '\\')
            fputs("\\e", to);
        else if (*s == '\'')
            fputs("\\(aq", to);
        else if (*s == '\n') /* usages of two lines name the program in the second */
            fputs("; ", to), s += strspn(s + 1, " ");
        else
            fputc(*s, to);
    }
}

/* The first letter large, a full stop at the end. */
static void sentence(FILE *to, const char *s)
{
    const char first[] = {(char)toupper((unsigned char)*s), '\0'};
    if (*s & 0x80 || !*s)
        text(to, s);
    else
        text(to, first), text(to, s + 1);
    fputs(".\n", to);
}

static void item(FILE *to, const char *bold, const char *rest)
{
    fputs(".TP\n\\fB", to);
    text(to, bold);
    fputs("\\fR", to);
    if (rest && *rest) {
        fputc(' ', to);
        text(to, rest);
    }
    fputc('\n', to);
}

static void commands(FILE *to)
{
    fputs(".SH COMMANDS\n", to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++) {
        item(to, subcommands[i].name, subcommands[i].usage);
        sentence(to, subcommands[i].help);
        if (subcommands[i].formats) {
            fputs("Formats: ", to);
            text(to, subcommands[i].formats);
            fputs(".\n", to);
        }
    }
}

/* Which subcommands have it, unless all do. */
static void option_words(FILE *to, const struct option *o)
{
    char names[256];
    unsigned count = 0;
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        count += option_belongs(o, i);
    if (count == SUBCOMMANDS)
        return;
    option_commands(o, names, sizeof names);
    show(to, "For %s.\n", names);
}

static void options(FILE *to)
{
    const struct option *o;
    fputs(".SH OPTIONS\n", to);
    for (size_t i = 0; (o = option_row(i)); i++) {
        char name[64];
        if (o->letter)
            snprintf(name, sizeof name, "-%c, --%s", o->letter, o->name);
        else
            snprintf(name, sizeof name, "--%s", o->name);
        item(to, name, o->argument);
        sentence(to, o->help);
        option_words(to, o);
    }
}

static void events(FILE *to)
{
    static const struct {
        const char *key, *is;
    } keys[] = {
        {"time, ts", "when: ISO 8601 in UTC, and the raw time of the trace's clock"},
        {"cpu", "the processor that logged it"},
        {"pid, tid, proc", "whose event it is: as its fields say, else as the record's header says"},
        {"header_pid, header_tid", "who logged it, where the header names another than pid and tid: "
                                   "who woke the thread, created it or asked for the I/O"},
        {"provider, event, id, opcode, version, level", "which event it is"},
        {"source", "which of several files it is from, counted from 0"},
        {"data", "its fields by name; or raw: its bytes in hex, where they are not known; rest: the "
                 "bytes behind the known ones"},
        {"stack", "the addresses that travel with it, the innermost first"},
    };
    fputs(".SH EVENTS AS JSON\nEach line of\n.B dump \\-O jsonl\nis an object:\n", to);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        item(to, keys[i].key, NULL);
        sentence(to, keys[i].is);
    }
}

static void keys(FILE *to)
{
    fputs(".SH KEYS\nWhat stands behind a key is its command: the name by which the configuration "
          "gives it other keys.\n",
          to);
    for (size_t i = 0; i < keymap_count; i++) {
        char name[96];
        snprintf(name, sizeof name, "(%s)", keymap[i].name);
        item(to, keymap[i].keys, name);
        sentence(to, keymap[i].help);
    }
    fputs(".SH TYPED COMMANDS\n", to);
    const char *name, *arguments, *help;
    for (unsigned i = 0; palette_help(i, &name, &arguments, &help); i++) {
        char typed[96];
        snprintf(typed, sizeof typed, ":%s", name);
        item(to, typed, arguments);
        sentence(to, help);
    }
}

static void fields(FILE *to)
{
    fputs(".SH FILTER\nA filter is words and comparisons, as in\n"
          ".B chrome !gpu size>=64K lat>10ms raddr=10.0.0.0/8\n"
          "; a blank means and, | or, ! not. The fields:\n",
          to);
    for (const struct filter_field *f = filter_fields; f->id; f++) {
        item(to, f->id, f->aliases);
        sentence(to, f->help);
    }
}

static void configuration(FILE *to)
{
    fputs(".SH CONFIGURATION\nLines of\n.B key = value\nin sections; # begins a comment. What was "
          "set while the program ran is written back on request\n(:save) or with autosave = yes; "
          "comments and unknown lines stay. [keys] gives commands\nother keys (freeze = Z, p; none "
          "takes them away), [views.NAME] holds saved views,\n[columns.PANE] shown and hidden "
          "columns. Nothing in it runs a program.\n",
          to);
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *const s = &settings_table[i];
        char name[64], standard[64];
        snprintf(name, sizeof name, "[%s] %s", s->section, s->key);
        snprintf(standard, sizeof standard, "(%s)", *s->standard ? s->standard : "empty");
        item(to, name, standard);
        sentence(to, s->help);
        for (size_t k = 0; s->choices && s->choices[k]; k++) {
            fputs(k ? ", " : "One of ", to);
            text(to, s->choices[k]);
        }
        if (s->choices)
            fputs(".\n", to);
    }
}

void manual_print(FILE *to)
{
    fputs(
        ".TH TRACETOP 1 \"\" \"tracetop " TRACETOP_VERSION "\"\n"
        ".SH NAME\ntracetop \\- what the kernel is doing while it does it, event by event\n"
        ".SH SYNOPSIS\n.B tracetop\n[COMMAND] [FILE.etl...] [options] [FILTER...]\n"
        ".SH DESCRIPTION\nA full\\-screen monitor of processes, processors, disks, files, networks "
        "and memory "
        "over\nthe events of the kernel, live or from recordings. A word that ends in .etl or "
        ".etl.zst,\nhas a path separator or names an existing file is a file; other words are the "
        "filter.\n",
        to);
    commands(to);
    options(to);
    events(to);
    keys(to);
    fields(to);
    configuration(to);
    fputs(".SH FILES\n.TP\n.I $XDG_CONFIG_HOME/tracetop/tracetop.conf\nThe configuration; "
          "~/.config where that is not set, %APPDATA%\\etracetop on Windows.\n"
          ".SH ENVIRONMENT\n.TP\n.B TRACETOP_CONFIG\nThe configuration file, instead.\n"
          ".TP\n.B NO_COLOR\nAny value: no colours.\n"
          ".TP\n.B TERM, COLORTERM\nWhat the terminal can show.\n"
          ".TP\n.B LANG, LC_ALL\nWhether it shows Unicode.\n"
          ".TP\n.B _NT_SYMBOL_PATH\nWhere symbols are looked for.\n"
          ".SH EXIT STATUS\n0 done, 1 error, 2 usage, 3 no privilege, 4 limit of sessions, 5 loss "
          "above "
          "\\-\\-fail\\-on\\-loss,\n6 bytes of a file were skipped, 130 interrupted.\n",
          to);
}
