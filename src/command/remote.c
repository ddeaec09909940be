#include "src/command/remote.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/command/batch.h"
#include "src/command/option_table.h"
#include "src/filter/range.h"
#include "src/os/instance.h"
#include "src/os/os.h"
#include "src/os/output.h"
#include "src/trace/snapshot_ask.h"

#include <stdlib.h>
#include <string.h>

static const int64_t PATIENCE_NS = 60 * 1000000000ll;

static const char no_output[] = "a trace cannot be written to standard output: name a file";

/* The monitor writes, who has not the caller's standard output. */
static bool read_to(void *field, const char *text, struct err *err)
{
    return strcmp(text, "-") == 0 ? fail(err, "%s", no_output) : option_read_text(field, text, err);
}

const struct option options_for_snapshot[] = {
    {0, "to", "FILE", "file to write (default: named by machine and time)", NO_MEMBER, read_to},
    {.name = NULL},
};

bool remote_is(const struct command_line *c)
{
    return c->id == SUBCOMMAND_SNAPSHOT || (c->id == SUBCOMMAND_RECORD && c->subject);
}

/* `verb` is one that ui/state/saver.c knows. Paths are meant from where we are, not from where the
 * monitor is. */
static int ask(const struct command_line *c, const char *verb, const char *text)
{
    char answer[INSTANCE_TEXT];
    struct err err;
    if (!instance_ask((uint32_t)c->options.instance, verb, text, PATIENCE_NS, answer, sizeof answer,
                      &err))
        return complain(err.text), EXIT_ERROR;
    message_print(os_output(), "%s", answer);
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

static int usage(const struct err *err)
{
    return complain(err->text), EXIT_USAGE;
}

static int start_recording(const struct command_line *c)
{
    static const char *const known[] = {"output", "instance", NULL};
    struct err err;
    if (!options_only(&c->options, known, "record start", &err))
        return usage(&err);
    if (options_given(&c->options, "output") && !c->options.output)
        return complain(no_output), EXIT_USAGE;
    const bool is_named = c->filter[0];
    if (is_named && c->options.output)
        return complain("'record start' takes one name, found two"), EXIT_USAGE;
    const char *const path = is_named ? c->filter : c->options.output;
    char *const full = path ? os_full_path(path) : mem_string("");
    char line[INSTANCE_TEXT];
    const int length = snprintf(line, sizeof line, "start %s", full);
    free(full);
    if (length < 0 || (size_t)length >= sizeof line)
        return complain("the path is too long"), EXIT_ERROR;
    return ask(c, "record", line);
}

static int record(const struct command_line *c)
{
    static const char *const known[] = {"instance", NULL};
    struct err err;
    if (strcmp(c->subject, "start") == 0)
        return start_recording(c);
    const bool is_stop = strcmp(c->subject, "stop") == 0;
    if (!is_stop && strcmp(c->subject, "status") != 0) {
        fail(&err, "expected record start, stop or status, or record -o FILE; found 'record %s'",
             c->subject);
        return usage(&err);
    }
    if (!options_only(&c->options, known, is_stop ? "record stop" : "record status", &err))
        return usage(&err);
    if (c->filter[0]) {
        fail(&err, "'record %s' takes no further arguments, found '%s'", c->subject, c->filter);
        return usage(&err);
    }
    return ask(c, "record", c->subject);
}

static int snapshot(const struct command_line *c)
{
    char line[INSTANCE_TEXT];
    struct err err;
    struct range range;
    if (c->options.range && !range_read(c->options.range, &range, &err))
        return usage(&err);
    const char *to;
    char *const full = options_value(&c->options, "to", &to) ? os_full_path(to) : NULL;
    const bool is_good =
        snapshot_ask_write(c->options.range, full, c->filter, line, sizeof line, &err);
    free(full);
    return is_good ? ask(c, "snapshot", line) : usage(&err);
}

int remote_run(const struct command_line *c)
{
    return c->id == SUBCOMMAND_SNAPSHOT ? snapshot(c) : record(c);
}
