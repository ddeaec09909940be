#include "src/command/marks.h"

#include "src/base/message.h"
#include "src/command/batch.h"
#include "src/event/mark.h"
#include "src/field/field.h"
#include "src/os/os.h"
#include "src/os/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t PATIENCE_NS = 10 * 1000000000ll;

bool marks_is(const struct command_line *c)
{
    return c->id == SUBCOMMAND_MARK || c->id == SUBCOMMAND_LOG;
}

/* What takes marks besides the instances. */
typedef bool mark_taker(const struct new_mark *m);

/* Marks in all that runs, or in the one that was chosen. False where one did not take it, or none
 * runs, with a sentence; `answer` is of the last that did. */
static bool mark_all(const struct command_line *c, struct new_mark *m, mark_taker *others,
                     char answer[INSTANCE_TEXT], struct err *err)
{
    char line[MARK_LINE];
    answer[0] = '\0';
    if (!mark_write(m, line, err))
        return false;
    uint32_t pids[INSTANCES] = {(uint32_t)c->options.instance};
    if (!pids[0] && others(m))
        mark_answer(answer, m->text);
    const unsigned count = pids[0] ? 1 : instance_list(pids, err);
    bool is_whole = count > 0 || answer[0];
    for (unsigned i = 0; i < count; i++) {
        struct err one;
        if (instance_ask(pids[i], "mark", line, PATIENCE_NS, answer, INSTANCE_TEXT, &one))
            continue;
        is_whole = false;
        *err = one;
    }
    return is_whole;
}

static bool read_level(const char *text, uint8_t *out, struct err *err)
{
    uint64_t level = 0;
    const bool is_level = text && field_word_number(field_level_words, text, &level) && level;
    *out = (uint8_t)level;
    return is_level || !text ||
           fail(err, "--level: expected critical, error, warning, info or verbose, found '%.80s'",
                text);
}

/* What --level and --field say. */
static bool begin_mark(const struct command_line *c, struct new_mark *m, struct err *err)
{
    const struct options *const o = &c->options;
    *m = (struct new_mark){.level = 0};
    if (!read_level(o->provider.level, &m->level, err))
        return false;
    for (size_t i = 0; i < o->mark_fields.count; i++)
        if (!mark_add_field(m, o->mark_fields.items[i], err))
            return false;
    return true;
}

static int mark(const struct command_line *c, mark_taker *others)
{
    char answer[INSTANCE_TEXT];
    struct new_mark m;
    struct err err;
    if (!begin_mark(c, &m, &err))
        return complain(err.text), EXIT_USAGE;
    mark_text(m.text, c->filter);
    m.asked_ns = os_now();
    const bool is_whole = mark_all(c, &m, others, answer, &err);
    if (answer[0])
        message_print(os_output(), "%s", answer);
    if (!is_whole)
        return complain(err.text), EXIT_ERROR;
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

/* Standard input, and when what is there of it came. */
struct input {
    char bytes[4096];
    size_t at, used;
    int64_t came_ns; /* os_now() */
};

/* The next byte; EOF: there is none any more. */
static int next_byte(struct input *in)
{
    if (in->at == in->used) {
        int64_t got;
        do
            got = os_input_read(in->bytes, sizeof in->bytes, PATIENCE_NS);
        while (got < 0);
        in->came_ns = os_now();
        in->at = 0;
        in->used = got > 0 ? (size_t)got : 0;
    }
    return in->used ? (uint8_t)in->bytes[in->at++] : EOF;
}

/* The beginning of the next line, as much of it as a mark can keep, without its end; false: there
 * is no more. */
static bool read_line(struct input *in, char *line, size_t room)
{
    size_t used = 0;
    int c;
    while ((c = next_byte(in)) != EOF && c != '\n')
        if (used + 1 < room && c && c != '\r')
            line[used++] = (char)c;
    line[used] = '\0';
    return c != EOF || used;
}

/* Who writes into a pipe must not be stopped by a monitor that has ended: lines are read to the
 * end, and a monitor that starts later has those from then on. */
static int log_lines(const struct command_line *c, mark_taker *others)
{
    char line[2 * MARK_TEXT], answer[INSTANCE_TEXT];
    uint32_t pids[INSTANCES];
    struct new_mark m;
    struct err err;
    uint64_t lines = 0, missed = 0;
    struct input in = {.at = 0};
    if (!begin_mark(c, &m, &err))
        return complain(err.text), EXIT_USAGE;
    if (!c->options.instance && !others(NULL) && !instance_list(pids, &err))
        return complain(err.text), EXIT_ERROR;
    while (read_line(&in, line, sizeof line)) {
        if (!line[0])
            continue;
        lines++;
        m.asked_ns = in.came_ns;
        mark_text(m.text, line);
        if (!mark_all(c, &m, others, answer, &err) && !missed++)
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

int marks_run(const struct command_line *c, mark_taker *others)
{
    return c->id == SUBCOMMAND_LOG ? log_lines(c, others) : mark(c, others);
}
