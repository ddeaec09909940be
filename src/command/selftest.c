#include "src/command/selftest.h"

#include "src/base/json.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/command/option_table.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <string.h>

const struct option options_for_selftest[] = {
    {0, "cassette", "FILE", "Windows: record two sessions for tracetop's own tests", NO_MEMBER,
     option_read_text},
    {.name = NULL},
};

struct report {
    FILE *to;
    bool is_json;
    size_t count, by_state[CHECK_STATES];
};

/* ---- one check ------------------------------------------------------------------------------- */

static void put_json(const struct report *r, const struct check *c)
{
    fputs(r->count ? ",\n{\"probe\":" : "\n{\"probe\":", r->to);
    json_text(r->to, c->probe);
    fputs(",\"subject\":", r->to);
    json_text(r->to, c->subject);
    fputs(",\"state\":", r->to);
    json_text(r->to, check_state_names[c->state]);
    fputs(",\"why\":", r->to);
    json_text(r->to, c->why);
    fputs(",\"figures\":[", r->to);
    for (unsigned i = 0; i < c->figure_count; i++)
        show(r->to, "%s{\"name\":\"%s\",\"value\":%" PRId64 ",\"unit\":\"%s\"}", i ? "," : "",
             c->figures[i].name, c->figures[i].value, c->figures[i].unit);
    fputs("]}", r->to);
}

static bool is_bad(enum check_state s)
{
    return s == CHECK_NOT_SEEN || s == CHECK_REFUSED || s == CHECK_FAILED;
}

static void put_text(const struct report *r, const struct check *c)
{
    show(r->to, "%-3s %-10s %-34s %-9s", is_bad(c->state) ? "!!" : "", c->probe, c->subject,
         check_state_names[c->state]);
    for (unsigned i = 0; i < c->figure_count; i++)
        show(r->to, "%s %s %" PRId64 "%s%s", i ? "," : "", c->figures[i].name, c->figures[i].value,
             c->figures[i].unit[0] ? " " : "", c->figures[i].unit);
    if (c->why[0])
        show(r->to, "\n        %s", c->why);
    putc('\n', r->to);
}

static void put(void *report, const struct check *c)
{
    struct report *const r = report;
    (r->is_json ? put_json : put_text)(r, c);
    r->count++;
    r->by_state[c->state]++;
    fflush(r->to); /* whoever watches sees how far it is */
}

/* ---- head and end ---------------------------------------------------------------------------- */

static void begin(const struct report *r, const struct collector_kind *live)
{
    if (r->is_json)
        show(r->to,
             "{\"schema\":\"tracetop.selftest.1\",\"version\":\"%s\",\"collector\":\"%s\","
             "\"processors\":%u,\"memory\":%" PRIu64 ",\"began_ns\":%" PRId64 ",\"checks\":[",
             TRACETOP_VERSION, live->id, os_processors(), os_memory_installed(), os_wall_now());
}

static void end(const struct report *r, bool is_complete)
{
    if (r->is_json)
        fputs("\n],\"counts\":{", r->to);
    else
        fputs("\n", r->to);
    for (unsigned s = 0; s < CHECK_STATES; s++)
        if (r->is_json)
            show(r->to, "%s\"%s\":%zu", s ? "," : "", check_state_names[s], r->by_state[s]);
        else
            show(r->to, "%s%s %zu", s ? ", " : "", check_state_names[s], r->by_state[s]);
    if (r->is_json)
        show(r->to, "},\"complete\":%s}\n", is_complete ? "true" : "false");
    else
        fputs(is_complete ? "\n" : "\nInterrupted: probes are missing.\n", r->to);
}

static enum exit_status status_of(const struct report *r, bool is_complete)
{
    if (r->by_state[CHECK_REFUSED])
        return EXIT_PRIVILEGE;
    return is_complete && !r->by_state[CHECK_NOT_SEEN] && !r->by_state[CHECK_FAILED] ? EXIT_DONE
                                                                                     : EXIT_ERROR;
}

/* ---- probes ---------------------------------------------------------------------------------- */

static const char COLLECTOR[] = "collector";

static const struct selftest_probe *first_probe(const struct collector_kind *live)
{
    static const struct selftest_probe none[] = {{.name = NULL}};
    return live->probes ? live->probes : none;
}

static bool is_chosen(const struct selftest_options *o, const char *name)
{
    return !o->line->subject || strcmp(o->line->subject, name) == 0;
}

static bool check_subject(const struct selftest_options *o, struct err *err)
{
    char names[256];
    bool is_known = is_chosen(o, COLLECTOR);
    size_t used = (size_t)snprintf(names, sizeof names, "%s", COLLECTOR);
    for (const struct selftest_probe *p = first_probe(o->live); p->name; p++) {
        is_known |= is_chosen(o, p->name);
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, ", %s", p->name);
    }
    return is_known ||
           fail(err, "selftest: no probe '%.100s'; there are: %s", o->line->subject, names);
}

static void print_schema(FILE *to)
{
    for (const char *const *part = selftest_schema; *part; part++)
        fputs(*part, to);
}

enum exit_status selftest_run(const struct selftest_options *o, FILE *to, struct err *err)
{
    struct report r = {.to = to, .is_json = o->line->options.json};
    struct check_taker taker = {.put = put, .to = &r, .stop = o->stop};
    if (o->line->options.prints_schema)
        return print_schema(to), EXIT_DONE;
    if (!check_subject(o, err))
        return EXIT_USAGE;
    if (options_value(&o->line->options, "cassette", &taker.cassette) && !o->live->probes)
        return fail(err, "selftest: --cassette records sessions of Windows; this system has none"),
               EXIT_USAGE;
    begin(&r, o->live);
    for (const struct selftest_probe *p = first_probe(o->live); p->name && !atomic_load(o->stop);
         p++)
        if (is_chosen(o, p->name))
            p->run(p, &taker);
    if (is_chosen(o, COLLECTOR) && !atomic_load(o->stop))
        selftest_live(o->live, &taker);
    const bool is_complete = !atomic_load(o->stop);
    end(&r, is_complete);
    return status_of(&r, is_complete);
}
