#include "src/command/command.h"

#include "src/command/ask.h"
#include "src/command/recorder_command.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/base/suggest.h"
#include "src/base/unit.h"
#include "src/command/option_table.h"
#include "src/export/formats.h"
#include "src/os/os.h"
#include "src/pane/query_pane.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct subcommand subcommands[SUBCOMMANDS] = {
    [SUBCOMMAND_LIVE] = {.name = "live",
                         .usage = "[options] [FILTER...]",
                         .help = "full screen: this machine, live (default)",
                         .formats = "text svg",
                         .files = FILES_NONE,
                         .has_filter = true},
    [SUBCOMMAND_REPLAY] = {.name = "replay",
                           .usage = "FILE.etl... [options] [FILTER...]",
                           .help = "full screen: trace files (default if a FILE is given)",
                           .formats = "text svg",
                           .files = FILES_NEEDED,
                           .has_filter = true},
    [SUBCOMMAND_INFO] = {.name = "info",
                         .usage = "FILE.etl... [options]",
                         .help = "show the machine, times, losses and providers of a trace",
                         .formats = "text json",
                         .files = FILES_ONLY},
    [SUBCOMMAND_MACHINE] = {.name = "machine",
                            .usage = "[FILE.etl...] [options]",
                            .help = "hardware and services of this machine, or of a trace's",
                            .formats = "text json",
                            .files = FILES_ANY},
    [SUBCOMMAND_STATS] = {.name = "stats",
                          .usage = "FILE.etl... [options]",
                          .help = "number and bytes of each kind of event in a trace",
                          .formats = "tsv json",
                          .files = FILES_ONLY},
    [SUBCOMMAND_DUMP] = {.name = "dump",
                         .usage = "[FILE.etl...] [options] [FILTER...]",
                         .help = "events in time order, as text or as a trace",
                         .formats = "jsonl text csv etl",
                         .files = FILES_OPTIONAL,
                         .has_filter = true},
    [SUBCOMMAND_CUT] = {.name = "cut",
                        .usage = "FILE.etl... -r A..B -o OUT.etl [FILTER...]",
                        .help = "copy a part of a trace, with the names and stacks it needs",
                        .formats = "etl",
                        .files = FILES_NEEDED,
                        .has_filter = true},
    [SUBCOMMAND_TOP] =
        {.name = "top",
         .usage = "PANE|--by QUERY [FILE.etl...] [options] [INTERVAL [COUNT]] [FILTER...]",
         .help = "table of a pane or a query, as text",
         .subject = "PANE",
         .formats = TABLE_FORMAT_IDS,
         .files = FILES_OPTIONAL,
         .has_filter = true,
         .has_times = true},
    [SUBCOMMAND_ASK] = {.name = "ask",
                        .usage = "QUERY [FILE.etl...] [options]",
                        .help = "answer a query with JSON, for programs",
                        .subject = "QUERY",
                        .files = FILES_OPTIONAL},
    [SUBCOMMAND_MCP] = {.name = "mcp",
                        .usage = "[FILE.etl...] [options]",
                        .help = "serve queries to a language model (Model Context Protocol)",
                        .files = FILES_ANY},
    [SUBCOMMAND_STACKS] = {.name = "stacks",
                           .usage = "FILE.etl...|live [--metric M] [options] [FILTER...]",
                           .help = "call trees, for viewers of profiles and flame graphs",
                           .formats = STACK_FORMAT_IDS,
                           .files = FILES_OPTIONAL,
                           .has_filter = true},
    [SUBCOMMAND_RECORD] = {.name = "record",
                           .usage = "-o FILE.etl [options] [-- COMMAND [ARGUMENTS...]]\n"
                                    "       tracetop record start [FILE.etl] | stop | status",
                           .help = "record this machine to a trace, or control a running monitor",
                           .subject = "start, stop, status",
                           .subject_optional = true,
                           .has_text = true,
                           .files = FILES_NONE},
    [SUBCOMMAND_RECORDER] = {.name = "recorder",
                             .usage =
                                 "start|stop|status|reload|run|install|remove [NAME] [options]\n"
                                 "       tracetop recorder unit",
                             .help = "record in the background and keep the newest events on disk",
                             .subject = "VERB",
                             .formats = "text json",
                             .has_text = true,
                             .files = FILES_NONE},
    [SUBCOMMAND_MARK] = {.name = "mark",
                         .usage = "[TEXT...]",
                         .help = "add a mark to the events of running monitors and recordings",
                         .files = FILES_NONE,
                         .has_text = true},
    [SUBCOMMAND_LOG] = {.name = "log",
                        .usage = "< LINES",
                        .help = "add each line of standard input as a mark, when it comes",
                        .files = FILES_NONE},
    [SUBCOMMAND_SNAPSHOT] = {.name = "snapshot",
                             .usage = "[--to FILE.etl] [-r A..B] [FILTER...]",
                             .help = "write the history of a running monitor to a trace",
                             .files = FILES_NONE,
                             .has_filter = true},
    [SUBCOMMAND_FIELDS] = {.name = "fields",
                           .usage = "[PANE]",
                           .help = "list columns and filter fields with ids, types and units",
                           .subject = "PANE",
                           .subject_optional = true,
                           .files = FILES_NONE},
    [SUBCOMMAND_KEYS] = {.name = "keys",
                         .usage = "",
                         .help = "all keys and their commands",
                         .files = FILES_NONE},
    [SUBCOMMAND_DOCTOR] = {.name = "doctor",
                           .usage = "[options]",
                           .help = "check permissions and features, with a fix for each problem",
                           .formats = "text json",
                           .files = FILES_NONE},
    [SUBCOMMAND_SELFTEST] = {.name = "selftest",
                             .usage = "[PROBE] [options]",
                             .help = "make activity of each kind and check that its events come",
                             .subject = "PROBE",
                             .subject_optional = true,
                             .files = FILES_NONE},
    [SUBCOMMAND_THEME] = {.name = "theme",
                          .usage = "[list|show NAME|check [NAME|FILE]...]",
                          .help = "show and check themes",
                          .files = FILES_NONE,
                          .has_text = true},
    [SUBCOMMAND_SESSIONS] = {.name = "sessions",
                             .usage = "[list|show NAME|start NAME|update NAME|stop NAME...|\n"
                                      "       stop --orphans|flush NAME|state NAME] [options]",
                             .help = "the ETW sessions of all programs; Linux: the recorders",
                             .formats = "text json",
                             .files = FILES_NONE,
                             .has_text = true},
    [SUBCOMMAND_PROVIDERS] = {.name = "providers",
                              .usage = "[list|show NAME|search TEXT] [FILE.etl...] [options]\n"
                                       "enable NAME|disable NAME|state NAME --in SESSION [options]",
                              .help = "find providers, their events and fields; Windows: enable "
                                      "them in sessions",
                              .files = FILES_OPTIONAL,
                              .has_text = true},
    [SUBCOMMAND_COMPLETIONS] = {.name = "completions",
                                .usage = "bash|zsh|fish",
                                .help = "command-line completion for a shell",
                                .subject = "SHELL",
                                .files = FILES_NONE},
    [SUBCOMMAND_MANUAL] = {.name = "manual",
                           .usage = "[tracetop|filter|views|config|themes|oneliners]",
                           .help = "print a section of the manual, as text or as roff for man",
                           .subject = "SECTION",
                           .subject_optional = true,
                           .formats = "text roff",
                           .files = FILES_NONE},
};

/* ---- words ------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* A separator makes a path, unless a filter's operator stands before it (raddr=10.0.0.0/8). The
 * colon behind a drive letter is none, if it is the only one (u:/usr/bin/x:main is a function). */
static bool looks_like_path(const char *word)
{
    const bool has_drive =
        word[0] && word[1] == ':' && (word[2] == '/' || word[2] == '\\') && !strchr(word + 2, ':');
    const char *const start = has_drive ? word + 2 : word;
    const char *const separator = strchr(start, '/');
    return separator && strcspn(start, "=!<>:~") >= (size_t)(separator - start);
}

static bool is_named_as_file(const char *word)
{
    return ends_with(word, ".etl") || ends_with(word, ".ETL") || ends_with(word, ".etl.zst") ||
           looks_like_path(word);
}

/* By its looks or because it is there. A word that looks like a file and is none is
 * an error later, never a filter. */
static bool looks_like_file(const char *word)
{
    return is_named_as_file(word) || os_path_kind(word) != OS_NOTHING;
}

static bool is_subcommand(const char *word, unsigned *id)
{
    for (unsigned i = 0; i < SUBCOMMANDS; i++) {
        if (strcmp(subcommands[i].name, word) == 0) {
            *id = i;
            return true;
        }
    }
    return false;
}

/* Words still to be given a meaning. */
struct words {
    const char *const *at;
    size_t left;
};

static const char *next_word(struct words *w)
{
    w->left--;
    return *w->at++;
}

static enum exit_status usage(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

static enum exit_status usage(struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return EXIT_USAGE;
}

/* Without a subcommand the first word is a file or a filter. A misspelled command gets an error
 * that suggests the right one. */
static enum exit_status check_first(const char *word, struct err *err)
{
    struct suggestion best = {NULL, 0};
    if (strcmp(word, "demo") == 0)
        return usage(err,
                     "unknown command 'demo'; the demo is 'tracetop --source demo'. To filter by "
                     "it, write 'live' before it");
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        suggest(&best, word, subcommands[i].name);
    if (best.name)
        return usage(
            err, "unknown command '%s'; did you mean '%s'? To filter by it, write 'live' before it",
            word, best.name);
    return EXIT_DONE;
}

static enum exit_status find_command(struct command_line *c, struct words *w, struct err *err)
{
    c->id = SUBCOMMAND_LIVE;
    c->is_implicit = w->left == 0 || !is_subcommand(w->at[0], &c->id);
    if (!c->is_implicit) {
        next_word(w);
        return EXIT_DONE;
    }
    if (w->left && !looks_like_file(w->at[0])) {
        const enum exit_status s = check_first(w->at[0], err);
        if (s)
            return s;
    }
    for (size_t i = 0; i < w->left; i++)
        if (looks_like_file(w->at[i]))
            c->id = SUBCOMMAND_REPLAY;
    if (c->options.from)
        c->id = SUBCOMMAND_REPLAY;
    return EXIT_DONE;
}

static const char *subject_help(const struct command_line *c)
{
    return c->id == SUBCOMMAND_TOP ? "tracetop fields lists them; or use --by QUERY"
                                   : c->command->usage;
}

static enum exit_status find_subject(struct command_line *c, struct words *w, struct err *err)
{
    if (!c->command->subject)
        return EXIT_DONE;
    if (c->options.by)
        c->subject = QUERY_PANE_ID;
    else if (w->left)
        c->subject = next_word(w);
    else if (!c->command->subject_optional)
        return usage(err, "'%s' needs a %s: %.*s", c->command->name, c->command->subject,
                     (int)strcspn(subject_help(c), "\n"), subject_help(c));
    return EXIT_DONE;
}

static void filter_add(struct command_line *c, const char *word)
{
    const size_t old = strlen(c->filter), more = strlen(word);
    c->filter = mem_grow(c->filter, old + more + 2, 1);
    if (old)
        c->filter[old] = ' ';
    memcpy(c->filter + old + (old > 0), word, more + 1);
}

static enum exit_status take_word(struct command_line *c, const char *word, struct err *err)
{
    const bool is_file = c->command->files >= FILES_ONLY ||
                         (c->command->has_text ? is_named_as_file(word) : looks_like_file(word));
    if (c->command->has_text && !(is_file && c->command->files != FILES_NONE))
        return filter_add(c, word), EXIT_DONE;
    if (is_file && c->command->files != FILES_NONE) {
        if (os_path_kind(word) == OS_NOTHING) {
            const bool is_filter = !c->command->has_filter && strpbrk(word, "=<>~");
            fail(err, "cannot open '%.700s': no such file%s%s%s", word, is_filter ? "; '" : "",
                 is_filter ? c->command->name : "", is_filter ? "' takes no filter" : "");
            return EXIT_ERROR;
        }
        c->files[c->file_count++] = word;
        if (c->command->has_filter && !is_named_as_file(word))
            c->bare_file = word;
        return EXIT_DONE;
    }
    if (is_file)
        return usage(err, "'%s' takes no files, found '%s'", c->command->name, word);
    if (!c->command->has_filter)
        return usage(err, "'%s' takes no further arguments, found '%s'", c->command->name, word);
    filter_add(c, word);
    return EXIT_DONE;
}

/* How many words at `at` are INTERVAL and COUNT: 0, 1 or 2. */
static size_t times_at(const char *const *at, size_t left, uint64_t *count)
{
    int64_t ns;
    if (!left || !unit_time(at[0], &ns, NULL))
        return 0;
    return left > 1 && unit_count(at[1], count, NULL) ? 2 : 1;
}

/* Over files, these words would leave out rows without a word. One number is a text as others are:
 * a port. */
static bool are_times(const char *const *at, size_t left)
{
    uint64_t number;
    const size_t times = times_at(at, left, &number);
    return times == 2 ||
           (times == 1 && !looks_like_file(at[0]) && !unit_count(at[0], &number, NULL));
}

static enum exit_status refuse_times(const struct words *w, struct err *err)
{
    const size_t left = w->left;
    const char *found = NULL;
    if (are_times(w->at, left))
        found = w->at[0];
    else if (left > 2 && are_times(w->at + left - 2, 2))
        found = w->at[left - 1];
    else if (left > 1 && are_times(w->at + left - 1, 1))
        found = w->at[left - 1];
    if (!found)
        return EXIT_DONE;
    return usage(
        err,
        "'%s': INTERVAL and COUNT are for live data; to filter a file by this text put it in "
        "quotes of its own: '\"%s\"'",
        found, found);
}

/* INTERVAL [COUNT] before the filter or at the end of the line, of live data. */
static enum exit_status find_times(struct command_line *c, struct words *w, struct err *err)
{
    uint64_t count = 0;
    if (!c->command->has_times)
        return EXIT_DONE;
    for (size_t i = 0; i < w->left; i++)
        if (looks_like_file(w->at[i]))
            return refuse_times(w, err);
    size_t times = times_at(w->at, w->left, &count);
    const char *const *interval = w->at;
    if (times) {
        w->at += times;
    } else {
        for (size_t back = w->left < 2 ? w->left : 2; back && !times; back--)
            if (times_at(w->at + w->left - back, back, &count) == back)
                times = back;
        interval = w->at + w->left - times;
    }
    if (!times)
        return EXIT_DONE;
    w->left -= times;
    c->count = times == 2 ? count : 0;
    return option_interval(*interval, &c->options.interval_ns, err) ? EXIT_DONE : EXIT_USAGE;
}

static enum exit_status find_format(struct command_line *c, struct err *err)
{
    const char *const formats = c->command->formats;
    const char *const wanted = c->options.format;
    if (!formats)
        return EXIT_DONE;
    for (const char *at = formats; *at;) {
        const size_t bytes = strcspn(at, " ");
        if (!wanted || (strlen(wanted) == bytes && memcmp(at, wanted, bytes) == 0)) {
            char *const name = mem_new(bytes + 1, 1);
            memcpy(name, at, bytes);
            c->format = name;
            return EXIT_DONE;
        }
        at += bytes + (at[bytes] == ' ');
    }
    return usage(err, "'%s' has no format '%s'; it has: %s", c->command->name, wanted, formats);
}

/* Where a live collector is to choose processes by it, unless -p or -n say whom. */
static enum exit_status find_capture(struct command_line *c, struct err *err)
{
    struct options *const o = &c->options;
    if (!o->capture)
        return EXIT_DONE;
    const bool has_scope = o->scope_pids.count || o->scope_name;
    if (!c->file_count && !has_scope)
        capture_scope_of(o->capture, &o->capture_scope);
    struct capture *const made = capture_new(o->capture, err);
    capture_free(made);
    return made ? EXIT_DONE : EXIT_USAGE;
}

/* --follow: the folder of a recorder that runs. */
static enum exit_status find_followed(struct command_line *c, struct err *err)
{
    if (!c->options.from)
        return usage(err, "--follow needs --from NAME, a recorder");
    if (c->file_count)
        return usage(err, "--follow reads a recorder alone: '%.200s' cannot be read as well",
                     c->files[0]);
    if (c->options.range)
        return usage(err, "--follow begins with the last minute: it takes no --range");
    c->followed = recorder_folder(c->options.from, err);
    return c->followed ? EXIT_DONE : EXIT_ERROR;
}

/* --from: the files of a recorder, before those that are named. */
static enum exit_status find_recorder(struct command_line *c, struct err *err)
{
    const char *const name = c->options.from;
    size_t count;
    if (c->options.follows)
        return find_followed(c, err);
    if (!name || ask_is_of_monitor(c))
        return EXIT_DONE;
    const char **const kept = recorder_files(name, c->options.range, &count, err);
    if (!kept)
        return EXIT_ERROR;
    c->files = mem_grow(c->files, c->file_count + count + 1, sizeof *c->files);
    memmove(c->files + count, c->files, c->file_count * sizeof *c->files);
    memcpy(c->files, kept, count * sizeof *kept);
    c->file_count += count;
    c->owned = count;
    free(kept);
    return EXIT_DONE;
}

enum exit_status command_line_read(struct command_line *c, int argc, char *const *argv,
                                   struct err *err)
{
    *c = (struct command_line){.command = &subcommands[SUBCOMMAND_LIVE], .filter = mem_string("")};
    if (!options_read(&c->options, argc, argv, err))
        return EXIT_USAGE;
    c->files = mem_new(c->options.word_count + 1, sizeof *c->files);

    struct words w = {.at = c->options.words, .left = c->options.word_count};
    enum exit_status s = find_command(c, &w, err);
    c->command = &subcommands[c->id];
    if (s || c->options.help || c->options.version)
        return s;
    if (!options_belong(&c->options, c->id, c->command->name, err))
        return EXIT_USAGE;
    if (c->options.filemode && strcmp(c->options.filemode, "append") == 0 &&
        c->id != SUBCOMMAND_SESSIONS)
        return usage(err, "--filemode append is for 'sessions start'; expected sequential, "
                          "circular or rotate");
    if (c->options.prints_schema)
        return c->id == SUBCOMMAND_ASK || c->id == SUBCOMMAND_SELFTEST
                   ? EXIT_DONE
                   : usage(err, "--schema needs a value: a FILE");
    if ((s = find_format(c, err)) || (s = find_subject(c, &w, err)))
        return s;
    if ((s = find_times(c, &w, err)))
        return s;
    if (c->id == SUBCOMMAND_STACKS && w.left && strcmp(w.at[0], "live") == 0)
        next_word(&w); /* in a file's place: this machine */
    while (w.left)
        if ((s = take_word(c, next_word(&w), err)))
            return s;
    const bool has_traces = c->file_count || (c->options.from && !ask_is_of_monitor(c));
    if (has_traces && c->id != SUBCOMMAND_PROVIDERS && !options_of_traces(&c->options, err))
        return EXIT_USAGE;
    if ((s = find_recorder(c, err)))
        return s;
    if ((c->command->files == FILES_NEEDED || c->command->files == FILES_ONLY) &&
        c->file_count == 0 && !c->followed)
        return usage(err, "'%s' needs a FILE: tracetop %s %s", c->command->name, c->command->name,
                     c->command->usage);
    return find_capture(c, err);
}

void command_line_fini(struct command_line *c)
{
    options_fini(&c->options);
    for (size_t i = 0; i < c->owned; i++)
        free((char *)c->files[i]);
    free(c->files);
    free(c->followed);
    free(c->filter);
    free((char *)c->format);
}

/* ---- help --------------------------------------------------------------------------- */

/* Texts about commands begin with a small letter, but for names. */
static char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static void help_of(FILE *to, const struct command_line *c)
{
    const struct subcommand *const s = c->command;
    show(to, "Usage: tracetop %s%s", s->name, *s->usage ? " " : "");
    for (const char *line = s->usage; *line;) { /* some have two */
        const size_t bytes = strcspn(line, "\n");
        show(to, "%.*s\n", (int)bytes, line);
        line += bytes + (line[bytes] == '\n');
    }
    if (!*s->usage)
        show(to, "\n");
    show(to, "\n%c%s.\n", capital(s->help[0]), s->help + 1);
    if (s->formats)
        show(to, "Formats (-O): %s\n", s->formats);
    fputs("\nOptions:\n", to);
    options_print(to, c->id);
}

const struct exit_status_help exit_statuses[] = {
    {EXIT_DONE, "done"},
    {EXIT_ERROR, "error"},
    {EXIT_USAGE, "wrong usage"},
    {EXIT_PRIVILEGE, "missing rights"},
    {EXIT_LIMIT, "a limit of the system, such as the number of sessions"},
    {EXIT_LOSS, "more loss than --fail-on-loss allows"},
    {EXIT_SKIPPED, "unreadable bytes of a file were skipped; everything else was shown"},
    {EXIT_INTERRUPTED, "interrupted"},
    {EXIT_DONE, NULL},
};

void command_help(FILE *to, const struct command_line *c)
{
    if (!c->is_implicit) {
        help_of(to, c);
        return;
    }
    fputs("tracetop shows live what the kernel does, event by event.\n\n"
          "Usage: tracetop [COMMAND] [FILE.etl...] [options] [FILTER...]\n\nCommands:\n",
          to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        show(to, "  %-11s %s\n", subcommands[i].name, subcommands[i].help);
    fputs("\nA word that ends in .etl or .etl.zst, has a path separator or names an existing\n"
          "file is a file; other words are the filter. Times and sizes take units: 500ms,\n"
          "64M.\n\n"
          "Formats (-O):\n",
          to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        if (subcommands[i].formats)
            show(to, "  %-8s %s\n", subcommands[i].name, subcommands[i].formats);
    fputs("\nOptions:\n", to);
    options_print(to, SUBCOMMANDS);
    fputs("\nExit status:\n", to);
    for (const struct exit_status_help *s = exit_statuses; s->help; s++)
        show(to, "  %-4d %s\n", s->status, s->help);
}
