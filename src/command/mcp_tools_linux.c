/* The tools of `tracetop mcp`: one row each, with its arguments; each makes one frame and an answer
 * of it that fits. */
#include "src/command/mcp.h"

#include "src/base/clock.h"
#include "src/base/hash.h"
#include "src/base/json_read.h"
#include "src/base/unit.h"
#include "src/command/fields.h"
#include "src/filter/filter.h"
#include "src/filter/range.h"
#include "src/pane/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 6, FRAME_ROWS = 1024 };

/* A call on its way: what the client gave, and what comes of it. */
struct call {
    struct inquiry *inquiry;
    const struct tool *tool;
    const struct json_value *arguments;
    struct request request;
    uint64_t hash; /* of the arguments but the cursor */
    struct json_out *text;
    struct err *err;
};

struct argument {
    const char *name, *help;
    bool is_needed;
};

struct tool {
    const char *name, *help;
    struct argument arguments[ARGUMENTS];
    bool (*run)(struct call *c);
};

static const char *given(const struct call *c, const char *name)
{
    return json_read_text(json_read_member(c->arguments, name));
}

/* ---- cursors --------------------------------------------------------------------------------- */

/* Bytes that an answer leaves for put_cursor(), and before the row: a hash and a hyphen. */
enum { CURSOR_ROOM = 64, ROW_AT = 17 };

/* With its end, so that no two texts run together. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

/* "HASH-ROW": of the same arguments, from that row on. */
static bool take_cursor(struct call *c)
{
    const char *const cursor = given(c, "cursor");
    c->hash = hash_text(HASH_START, c->tool->name);
    for (const struct argument *a = c->tool->arguments; a->name; a++)
        if (strcmp(a->name, "cursor") != 0 && given(c, a->name))
            c->hash = hash_text(hash_text(c->hash, a->name), given(c, a->name));
    c->request.first = 0;
    if (!cursor)
        return true;
    char hash[ROW_AT + 1];
    const size_t bytes = (size_t)snprintf(hash, sizeof hash, "%" PRIx64 "-", c->hash);
    const char *const row = cursor + bytes;
    if (strncmp(cursor, hash, bytes) != 0 || !*row || strlen(row) >= ROW_AT ||
        row[strspn(row, "0123456789")])
        return fail(c->err, "the cursor is of another call: repeat all arguments with it");
    c->request.first = strtoull(row, NULL, 10);
    return true;
}

static bool is_behind(const struct call *c, uint64_t rows)
{
    return c->request.first > rows &&
           !fail(c->err, "the cursor is behind the last row; ask without it");
}

/* ,"cursor": of what is behind the rows up to `next`, or null; and the end of the object. */
static void put_cursor(const struct call *c, uint64_t next, uint64_t all)
{
    if (next < all)
        json_out_put(c->text, ",\"cursor\":\"%" PRIx64 "-%" PRIu64 "\"}", c->hash, next);
    else
        json_out_put(c->text, ",\"cursor\":null}");
}

/* ---- answers of frames ------------------------------------------------------------------------ */

static bool put_frame(struct call *c, const char *columns)
{
    c->request.rows = FRAME_ROWS;
    inquiry_await_interval(c->inquiry);
    struct frame *const f = inquiry_frame(c->inquiry, &c->request);
    if (!f)
        return fail(c->err, "the request was canceled");
    if (is_behind(c, f->shown)) {
        frame_free(f);
        return false;
    }
    struct answer a = inquiry_answer(c->inquiry, f);
    a.columns = columns;
    a.most_text = MCP_TEXT;
    a.is_short = true;
    c->text->most -= CURSOR_ROOM;
    const unsigned written = answer_write(&a, c->text);
    c->text->most += CURSOR_ROOM;
    const bool is_whole = !c->text->is_full && (written || f->shown <= f->first);
    json_out_rewind(c->text, c->text->used ? c->text->used - 1 : 0); /* its last bracket */
    put_cursor(c, f->first + written, f->shown);
    frame_free(f);
    return is_whole || fail(c->err, "a row does not fit: ask for fewer keys or aggregates");
}

static bool set_range(struct call *c, const char *name, int64_t *from, int64_t *to)
{
    return inquiry_choose(c->inquiry, given(c, name), from, to, c->err);
}

static bool set_filter(struct call *c)
{
    const char *const filter = given(c, "filter");
    if (!filter)
        return true;
    if (strlen(filter) >= FILTER_MAX)
        return fail(c->err, "a filter has at most %d bytes", FILTER_MAX - 1);
    memcpy(c->request.filter, filter, strlen(filter) + 1);
    return filter_check(filter, c->request.pane, c->err);
}

/* ---- the tools -------------------------------------------------------------------------------- */

static bool put_query(struct call *c, const char *text)
{
    const struct pane *const q = inquiry_query(text, c->err);
    if (!q)
        return false;
    c->request = inquiry_request(q);
    const bool ok = take_cursor(c) &&
                    set_range(c, "range", &c->request.from_ns, &c->request.to_ns) &&
                    put_frame(c, NULL);
    inquiry_query_free(c->inquiry, q);
    return ok;
}

static bool run_ask(struct call *c)
{
    return put_query(c, given(c, "query"));
}

static bool run_sources(struct call *c)
{
    return put_query(c, "by event | count sort count");
}

static bool is_like(const struct field_def *f, const char *part)
{
    return !part || strstr(f->id, part) || strstr(f->help, part) ||
           (f->aliases && strstr(f->aliases, part));
}

static bool run_fields(struct call *c)
{
    if (!take_cursor(c))
        return false;
    const uint64_t first = c->request.first;
    const char *const part = given(c, "match");
    uint64_t all = 0;
    for (const struct field_def *f = field_defs; f->id; f++)
        all += is_like(f, part);
    if (is_behind(c, all))
        return false;
    json_out_put(c->text, "{\"grammar\":\"" QUERY_GRAMMAR "\",\"aggregates\":");
    if (first || part)
        json_out_put(c->text, "null");
    else
        fields_json_aggregates(c->text);
    json_out_put(c->text, ",\"fields\":[");
    c->text->most -= CURSOR_ROOM;
    uint64_t next = 0;
    const char *between = "";
    for (const struct field_def *f = field_defs; f->id; f++) {
        const size_t before = c->text->used;
        if (!is_like(f, part) || next++ < first)
            continue;
        json_out_put(c->text, "%s", between);
        if (!fields_json_field(f, c->text)) {
            json_out_rewind(c->text, before);
            next--;
            break;
        }
        between = ",";
    }
    c->text->most += CURSOR_ROOM;
    json_out_put(c->text, "]");
    put_cursor(c, next, all);
    return true;
}

/* From so long before an instant to so long behind it. */
static bool set_around(struct call *c)
{
    const char *const time = given(c, "time"), *const within = given(c, "within");
    int64_t first, last, ns = 500000000;
    struct range_edge edge;
    if (within && (!unit_time(within, &ns, c->err) || ns <= 0))
        return false;
    if (!range_edge_read(time, &edge, c->err) ||
        !inquiry_range(c->inquiry, "..", &first, &last, c->err))
        return false;
    const int64_t at = range_edge_at(&edge, first, last);
    c->request.from_ns = clock_minus(clock_minus(at, ns), 1);
    c->request.to_ns = clock_plus(at, ns);
    return true;
}

static bool run_events(struct call *c)
{
    c->request.pane = pane_find("events");
    c->request.names_events = true;
    c->request.sort = (unsigned)(pane_column(c->request.pane, "time") - c->request.pane->columns);
    c->request.ascending = true;
    return take_cursor(c) && set_around(c) && set_filter(c) &&
           put_frame(c, "time cpu name pid tid event path detail");
}

/* By id; false with a sentence. */
static bool set_metric(struct call *c)
{
    struct err why;
    enum stack_metric metric = METRIC_OPERATIONS;
    const char *const id = given(c, "metric");
    if (id && !stack_metric_read(id, &metric, &why))
        return fail(c->err, "metric: %s", why.text);
    c->request.stacks.metric = (uint8_t)metric;
    return true;
}

static bool set_shape(struct call *c)
{
    static const struct {
        const char *id;
        uint8_t shape;
    } shapes[] = {{"flat", STACK_FLAT}, {"tree", STACK_CALLEES}, {"callers", STACK_CALLERS}};
    const char *const id = given(c, "shape");
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!id || strcmp(id, shapes[i].id) == 0) {
            c->request.stacks.shape = shapes[i].shape;
            return true;
        }
    return fail(c->err, "there is no shape '%.40s'; there are flat, tree, callers", id);
}

static bool run_stacks(struct call *c)
{
    c->request.pane = pane_find("stacks");
    c->request.stacks.is_whole = true;
    c->request.sort =
        (unsigned)(pane_column(c->request.pane, "samples") - c->request.pane->columns);
    return take_cursor(c) && set_metric(c) && set_shape(c) && set_filter(c) &&
           set_range(c, "range", &c->request.from_ns, &c->request.to_ns) && put_frame(c, NULL);
}

static bool run_changes(struct call *c)
{
    struct request *const r = &c->request;
    r->pane = pane_find("changes");
    r->sort = (unsigned)(pane_column(r->pane, "score") - r->pane->columns);
    return take_cursor(c) && set_range(c, "before", &r->base_from_ns, &r->base_to_ns) &&
           set_range(c, "after", &r->from_ns, &r->to_ns) && put_frame(c, NULL);
}

#define RANGE_HELP "A..B: -30s.. (the last 30 s), 5s..10s (from the start), or ISO 8601 instants"
#define CURSOR_ARGUMENT                                                                            \
    {                                                                                              \
        "cursor", "from the answer before: continues it, with the same arguments", false           \
    }
#define FILTER_ARGUMENT                                                                            \
    {                                                                                              \
        "filter", "terms such as op=read lat>=10ms path~log; fields lists names", false            \
    }

static const struct tool tools[] = {
    {"sources",
     "The recording: files or this machine, time span, losses, kinds of events by count",
     {CURSOR_ARGUMENT},
     run_sources},
    {"fields",
     "Names for queries and filters: fields with units, aggregates, the grammar",
     {{"match", "only fields with this text in their name or help", false}, CURSOR_ARGUMENT},
     run_fields},
    {"ask",
     "Group events and aggregate: by path | count, sum size, p99 lat where class=disk sort p99",
     {{"query", QUERY_GRAMMAR, true}, {"range", RANGE_HELP, false}, CURSOR_ARGUMENT},
     run_ask},
    {"events",
     "Single events around a time, in order",
     {{"time", "an ISO 8601 instant, 5s (from the start) or -5s (from the end)", true},
      {"within", "time before and after it: 10ms (default 500ms)", false},
      FILTER_ARGUMENT,
      CURSOR_ARGUMENT},
     run_events},
    {"stacks",
     "Stacks of events: frames by weight, or the call tree",
     {{"metric", "operations (default), samples, running, waiting, bytes …", false},
      {"shape", "flat (default), tree, callers", false},
      {"range", RANGE_HELP, false},
      FILTER_ARGUMENT,
      CURSOR_ARGUMENT},
     run_stacks},
    {"changes",
     "The largest changes between two ranges, over all panes",
     {{"before", RANGE_HELP, true}, {"after", RANGE_HELP, true}, CURSOR_ARGUMENT},
     run_changes},
};

/* ---- their list and their calls --------------------------------------------------------------- */

static void put_schema(const struct tool *t, struct json_out *out)
{
    json_out_put(out, ",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false,"
                      "\"properties\":{");
    for (const struct argument *a = t->arguments; a->name; a++) {
        json_out_put(out, "%s\"%s\":{\"type\":\"string\"", a == t->arguments ? "" : ",", a->name);
        json_out_member(out, "description", a->help);
        json_out_put(out, "}");
    }
    json_out_put(out, "},\"required\":[");
    const char *between = "";
    for (const struct argument *a = t->arguments; a->name; a++)
        if (a->is_needed) {
            json_out_put(out, "%s\"%s\"", between, a->name);
            between = ",";
        }
    json_out_put(out, "]},\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
}

void mcp_put_tools(struct json_out *out)
{
    json_out_put(out, "[");
    for (unsigned i = 0; i < sizeof tools / sizeof *tools; i++) {
        json_out_put(out, "%s{\"name\":\"%s\"", i ? "," : "", tools[i].name);
        json_out_member(out, "description", tools[i].help);
        put_schema(&tools[i], out);
    }
    json_out_put(out, "]");
}

/* All of them are texts. */
static bool check_arguments(const struct call *c)
{
    const char *known[ARGUMENTS + 1] = {NULL};
    unsigned count = 0;
    for (const struct argument *a = c->tool->arguments; a->name; a++) {
        const struct json_value *const v = json_read_member(c->arguments, a->name);
        known[count++] = a->name;
        if (v && !json_read_text(v))
            return fail(c->err, "the argument '%s' must be a text without NUL", a->name);
        if (!v && a->is_needed)
            return fail(c->err, "'%s' needs the argument '%s': %s", c->tool->name, a->name,
                        a->help);
    }
    const char *const other = json_read_unknown(c->arguments, known);
    return !other || fail(c->err, "'%s' has no argument '%.60s'", c->tool->name, other);
}

bool mcp_call(struct inquiry *a, const char *tool, const struct json_value *arguments,
              struct json_out *text, struct err *err)
{
    for (unsigned i = 0; i < sizeof tools / sizeof *tools; i++) {
        struct call c = {.inquiry = a,
                         .tool = &tools[i],
                         .arguments = arguments,
                         .request = {.accumulate = true},
                         .text = text,
                         .err = err};
        if (strcmp(tools[i].name, tool) != 0)
            continue;
        if (!check_arguments(&c) || !tools[i].run(&c))
            json_out_rewind(text, 0);
        return true;
    }
    return false;
}
