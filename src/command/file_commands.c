#include "src/command/file_commands.h"

#include "src/command/dump_live.h"
#include "src/command/source.h"
#include "src/export/cut.h"
#include "src/export/dump.h"
#include "src/export/info.h"
#include "src/export/machine.h"
#include "src/export/provider_report.h"
#include "src/export/stats.h"

#include <stdio.h>
#include <string.h>

int command_stats(struct batch *b)
{
    const struct command_line *const c = b->line;
    return stats_run(c->files, c->file_count, strcmp(c->format, "json") == 0, b->to, stderr);
}

int command_info(struct batch *b)
{
    const struct command_line *const c = b->line;
    const struct info_options o = {.files = c->files,
                                   .file_count = c->file_count,
                                   .is_json = strcmp(c->format, "json") == 0,
                                   .stop = &b->stop};
    return info_run(&o, b->to, stderr);
}

int command_machine(struct batch *b)
{
    const struct command_line *const c = b->line;
    const struct machine_options o = {.files = c->files,
                                      .file_count = c->file_count,
                                      .system = b->sources->live,
                                      .is_json = strcmp(c->format, "json") == 0,
                                      .stop = &b->stop};
    return machine_run(&o, b->to, stderr);
}

/* "show NAME": a name may have blanks. */
int command_providers(struct batch *b)
{
    static const char *const verbs[] = {[PROVIDER_REPORT_LIST] = "list",
                                        [PROVIDER_REPORT_SEARCH] = "search",
                                        [PROVIDER_REPORT_SHOW] = "show"};
    enum { VERBS = sizeof verbs / sizeof *verbs };
    const struct command_line *const c = b->line;
    const size_t bytes = strcspn(c->filter, " ");
    const char *const text = c->filter[bytes] ? c->filter + bytes + 1 : "";
    size_t verb = c->filter[0] ? 0 : PROVIDER_REPORT_LIST;
    while (verb < VERBS && c->filter[0] &&
           (strlen(verbs[verb]) != bytes || strncmp(verbs[verb], c->filter, bytes) != 0))
        verb++;
    if (verb == VERBS || (verb == PROVIDER_REPORT_LIST) != !*text)
        return complain("expected list, show NAME or search TEXT: in a trace there is nothing to "
                        "enable"),
               EXIT_USAGE;
    const struct provider_report r = {.files = c->files,
                                      .file_count = c->file_count,
                                      .verb = (enum provider_report_verb)verb,
                                      .text = text,
                                      .to = b->to,
                                      .log = stderr,
                                      .stop = &b->stop};
    struct err err = {""};
    return batch_ended((enum exit_status)provider_report_run(&r, &err), &err);
}

int command_cut(struct batch *b)
{
    const struct command_line *const c = b->line;
    const struct cut_options o = {
        .files = c->files,
        .file_count = c->file_count,
        .range = c->options.range,
        .filter = c->filter,
        .capture = c->options.capture,
        .to = b->file,
        .to_name = c->options.output,
        .is_compressed = c->options.compress,
        .stop = &b->stop,
    };
    if (c->options.rows)
        return complain("-N is valid for text only; -r selects a part of a trace"), EXIT_USAGE;
    if (b->file)
        return cut_run(&o, stderr);
    complain("a trace cannot be written to standard output: add -o FILE.etl");
    return EXIT_USAGE;
}

static int dump_live(struct batch *b, const struct event_writer_options *lines)
{
    const struct session_options session = source_session(b->sources, b->line);
    const struct dump_live_options o = {
        .line = b->line, .session = &session, .lines = lines, .batch = b};
    struct err err = {""};
    return batch_ended(dump_live_run(&o, stderr, &err), &err);
}

/* A name that says trace for what is none: whoever opens it later is misled. */
static bool is_named_like_trace(const char *path)
{
    static const char *const ends[] = {".etl", ".etl.zst"};
    const size_t bytes = path ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (bytes > end && strcmp(path + bytes - end, ends[i]) == 0)
            return true;
    }
    return false;
}

static int refuse_name(const struct command_line *c)
{
    const char *const to = c->options.output;
    char text[2048];
    if (c->file_count)
        snprintf(text, sizeof text,
                 "'%.700s' names a trace: add -O etl, or choose another name for JSON lines", to);
    else
        snprintf(text, sizeof text,
                 "'%.700s' names a trace, which is recorded by: tracetop record -o %.700s", to, to);
    return complain(text), EXIT_USAGE;
}

int command_dump(struct batch *b)
{
    const struct command_line *const c = b->line;
    const bool is_csv = strcmp(c->format, "csv") == 0;
    if (!is_csv && (c->options.columns || c->options.separator || c->options.csv_raw))
        return complain("-k, --separator and --csv-raw are valid for csv only: add -O csv"),
               EXIT_USAGE;
    if (!options_given(&c->options, "format") && is_named_like_trace(c->options.output))
        return refuse_name(c);
    if (strcmp(c->format, "etl") == 0 && c->file_count)
        return command_cut(b);
    if (c->options.compress)
        return complain("--compress is valid for traces only: add -O etl"), EXIT_USAGE;
    const struct event_writer_options lines = {
        .format = is_csv                           ? EVENT_CSV
                  : strcmp(c->format, "text") == 0 ? EVENT_TEXT
                                                   : EVENT_JSONL,
        .columns = c->options.columns,
        .separator = c->options.separator,
        .is_raw = c->options.csv_raw,
    };
    if (!c->file_count)
        return dump_live(b, &lines);
    if (c->options.duration_ns)
        return complain("-t is valid for live events only; -r selects a part of a trace"),
               EXIT_USAGE;
    const struct dump_options o = {
        .files = c->files,
        .file_count = c->file_count,
        .lines = lines,
        .rows = c->options.rows,
        .range = c->options.range,
        .filter = c->filter,
        .capture = c->options.capture,
        .stop = &b->stop,
    };
    return dump_run(&o, b->to, stderr);
}
