#include "src/command/marks.h"

#include "src/base/message.h"
#include "src/command/batch.h"
#include "src/event/mark.h"
#include "src/os/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t PATIENCE_NS = 10 * 1000000000ll;

bool marks_is(const struct command_line *c)
{
    return c->id == SUBCOMMAND_MARK || c->id == SUBCOMMAND_LOG;
}

/* Marks in all that runs, or in the one that was chosen. False where one did not take it, or none
 * runs, with a sentence; `answer` is of the last that did. */
static bool mark_all(const struct command_line *c, const char *text, char answer[INSTANCE_TEXT],
                     struct err *err)
{
    uint32_t pids[INSTANCES] = {(uint32_t)c->options.instance};
    const unsigned count = pids[0] ? 1 : instance_list(pids, err);
    bool is_whole = count > 0;
    answer[0] = '\0';
    for (unsigned i = 0; i < count; i++) {
        struct err one;
        if (instance_ask(pids[i], "mark", text, PATIENCE_NS, answer, INSTANCE_TEXT, &one))
            continue;
        is_whole = false;
        *err = one;
    }
    return is_whole;
}

static int mark(const struct command_line *c)
{
    char answer[INSTANCE_TEXT];
    struct err err;
    const bool is_whole = mark_all(c, c->filter, answer, &err);
    if (answer[0])
        message_print(os_output(), "%s", answer);
    if (!is_whole)
        return complain(err.text), EXIT_ERROR;
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

/* The beginning of the next line, as much of it as a mark can keep, without its end; false: there
 * is no more. */
static bool read_line(FILE *from, char *line, size_t room)
{
    size_t used = 0;
    int c;
    while ((c = getc(from)) != EOF && c != '\n')
        if (used + 1 < room && c && c != '\r')
            line[used++] = (char)c;
    line[used] = '\0';
    return c != EOF || used;
}

/* Who writes into a pipe must not be stopped by a monitor that has ended: lines are read to the
 * end, and a monitor that starts later has those from then on. */
static int log_lines(const struct command_line *c)
{
    char line[2 * MARK_TEXT], text[MARK_TEXT], answer[INSTANCE_TEXT];
    uint32_t pids[INSTANCES];
    struct err err;
    uint64_t lines = 0, missed = 0;
    if (!c->options.instance && !instance_list(pids, &err))
        return complain(err.text), EXIT_ERROR;
    while (read_line(stdin, line, sizeof line)) {
        if (!line[0])
            continue;
        lines++;
        mark_text(text, line);
        if (!mark_all(c, text, answer, &err) && !missed++)
            complain(err.text);
    }
    if (!missed)
        return EXIT_DONE;
    fail(&err, "%" PRIu64 " of %" PRIu64 " lines did not reach every monitor and recording", missed,
         lines);
    return complain(err.text), EXIT_ERROR;
}

void marks_answer(struct instance *i, const char *text)
{
    char sentence[MARK_ANSWER];
    mark_answer(sentence, text);
    instance_answer(i, true, sentence);
}

int marks_run(const struct command_line *c)
{
    return c->id == SUBCOMMAND_LOG ? log_lines(c) : mark(c);
}
