#include "src/command/ask.h"

#include "src/base/message.h"
#include "src/base/show.h"
#include "src/command/asked.h"
#include "src/command/inquiry.h"
#include "src/command/option_table.h"
#include "src/engine/watch.h"
#include "src/filter/range.h"

#include <stdlib.h>
#include <string.h>

const struct option options_for_from[] = {
    {0, "from", "NAME", "read what this recorder keeps (see tracetop recorder)", AT(from),
     option_read_text},
    {.name = NULL},
};

const struct option options_for_follow[] = {
    {'f', "follow", NULL, "with --from: go on with what is recorded next", AT(follows), NULL},
    {.name = NULL},
};

const struct option options_for_json[] = {
    {0, "json", NULL, "print JSON (ask always does)", AT(json), NULL},
    {.name = NULL},
};

enum { DEFAULT_S = 10 };

bool ask_is_of_monitor(const struct command_line *c)
{
    static const char prefix[] = "pid:";
    const char *const from = c->options.from;
    return c->id == SUBCOMMAND_ASK && from &&
           (strcmp(from, "monitor") == 0 || strncmp(from, prefix, sizeof prefix - 1) == 0);
}

bool ask_needs_no_events(const struct command_line *c)
{
    return c->options.prints_schema || ask_is_of_monitor(c);
}

static bool print_answer(FILE *to, const char *text, size_t bytes)
{
    show_text(to, text, bytes);
    fputs("\n", to);
    return fflush(to) == 0;
}

static void write_answer(struct inquiry *a, struct request *r, FILE *to)
{
    struct json_out out = {.most = ASKED_MOST};
    uint64_t left_out;
    if (inquiry_put(a, r, &out, &left_out)) {
        if (left_out && !a->line->options.quiet)
            message_print(stderr, "%llu more rows do not fit the answer; \"others\" adds them up",
                          (unsigned long long)left_out);
        print_answer(to, out.text, out.used);
    }
    json_out_free(&out);
}

static enum exit_status answer_here(struct inquiry *a, const struct pane *q, FILE *to,
                                    struct err *err)
{
    const struct options *const o = &a->line->options;
    struct request r = inquiry_request(q);
    if (!inquiry_begin(a, err))
        return a->refusal;
    if (!a->is_ended)
        inquiry_collect(a, o->duration_ns ? o->duration_ns : DEFAULT_S * 1000000000ll);
    const bool is_good = inquiry_choose(a, o->range, &r.from_ns, &r.to_ns, err);
    if (is_good)
        write_answer(a, &r, to);
    const enum exit_status status = inquiry_end(a);
    return is_good ? status : EXIT_USAGE;
}

/* Its session is the monitor's: what chooses or shapes one of our own has no meaning. */
static enum exit_status answer_there(const struct command_line *c, FILE *to, struct err *err)
{
    static const char *const known[] = {"from",  "json",  "range",  "output",
                                        "force", "quiet", "config", NULL};
    uint32_t pid;
    size_t bytes;
    if (!options_only(&c->options, known, "ask --from", err) ||
        !asked_monitor(c->options.from, &pid, err))
        return EXIT_USAGE;
    if (c->file_count) {
        fail(err, "--from queries a monitor: '%.200s' cannot be queried as well", c->files[0]);
        return EXIT_USAGE;
    }
    struct range range;
    if (c->options.range && !range_read(c->options.range, &range, err))
        return EXIT_USAGE;
    char *const answer = asked_ask(pid, c->subject, c->options.range, &bytes, err);
    const bool is_done = answer && print_answer(to, answer, bytes);
    free(answer);
    return is_done ? EXIT_DONE : EXIT_ERROR;
}

static void print_schema(FILE *to)
{
    for (const char *const *part = answer_schema; *part; part++)
        fputs(*part, to);
}

enum exit_status ask_run(const struct ask_options *o, FILE *to, struct err *err)
{
    const struct command_line *const c = o->line;
    if (c->options.prints_schema)
        return print_schema(to), EXIT_DONE;
    if (c->options.duration_ns && c->file_count) {
        fail(err, "-t is valid for live events only; -r selects a part of a trace");
        return EXIT_USAGE;
    }
    const struct pane *const q = inquiry_query(c->subject, err);
    if (!q)
        return EXIT_USAGE;
    if (ask_is_of_monitor(c)) {
        query_pane_free(q);
        return answer_there(c, to, err);
    }
    const struct request only = inquiry_request(q);
    struct session_options session = *o->session;
    if (c->file_count) {
        session.only = &only; /* live, the ends of what is kept are asked as well */
    } else {
        const struct watch_request watched = watch_of_request(&only);
        session.collector.wanted |= watched.classes;
        session.collector.wanted_stacks |= watched.stacks;
    }
    struct inquiry a = {.line = c, .options = &session, .stop = o->stop};
    const enum exit_status status = answer_here(&a, q, to, err);
    query_pane_free(q);
    return status;
}
