/* Introduces everybody: the one file that sees collectors, core and ui. */
#include "src/batch.h"
#include "src/command.h"
#include "src/export/stats.h"
#include "src/fields.h"

#include <string.h>

static int stats(struct batch *b)
{
    const struct command_line *const c = b->line;
    return stats_run(c->files, c->file_count, strcmp(c->format, "json") == 0, b->to, stderr);
}

static int fields(struct batch *b)
{
    struct err err;
    const struct pane *const only = b->line->subject ? fields_pane(b->line->subject, &err) : NULL;
    if (b->line->subject && !only)
        return complain(err.text), EXIT_USAGE;
    fields_print(only, b->to);
    return EXIT_DONE;
}

/* The functions of the subcommands, in the order of their ids. */
static const batch_command batch_commands[SUBCOMMANDS] = {
    [SUBCOMMAND_STATS] = stats,
    [SUBCOMMAND_FIELDS] = fields,
};

static int refuse(enum exit_status status, const struct err *err)
{
    complain(err->text);
    if (status == EXIT_USAGE)
        fputs("tracetop --help explains the command line.\n", stderr);
    return (int)status;
}

static int run(const struct command_line *c)
{
    if (c->options.version)
        return puts("tracetop " TRACETOP_VERSION), EXIT_DONE;
    if (c->options.help)
        return command_help(stdout, c), EXIT_DONE;
    if (!batch_commands[c->id])
        return complain("this command is not part of this build"), EXIT_ERROR;
    return batch_run(c, batch_commands[c->id]);
}

int main(int argc, char **argv)
{
    struct command_line line;
    struct err err;
    const enum exit_status status = command_line_read(&line, argc, argv, &err);
    const int end = status ? refuse(status, &err) : run(&line);
    command_line_fini(&line);
    return end;
}
