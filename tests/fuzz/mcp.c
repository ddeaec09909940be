/* Any lines as messages to the server for language models, over a session of made-up events: each
 * gets nothing or one line of JSON, within the bound. */
#include "src/base/json_read.h"
#include "src/command/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define must(claim) ((claim) ? (void)0 : broken(__LINE__, #claim))

static void broken(int line, const char *claim)
{
    fprintf(stderr, "tests/fuzz/mcp.c:%d: does not hold: %s\n", line, claim);
    abort();
}

static const struct collector_kind *synthetic(void)
{
    const struct collector_kind *const *k = collector_kinds;
    while (strcmp((*k)->id, "synthetic") != 0)
        k++;
    return *k;
}

static struct inquiry *session(void)
{
    static _Atomic bool stop;
    static struct command_line line;
    static struct session_options o;
    static struct inquiry a;
    if (a.session)
        return &a;
    o = (struct session_options){
        .kind = synthetic(),
        .collector = {.seed = 3, .events = 2000, .start_ns = 1779013230000000000},
        .ring_bytes = 1 << 20,
        .interval_ns = 1000000000,
    };
    struct err err;
    a = (struct inquiry){.line = &line, .options = &o, .stop = &stop};
    must(inquiry_begin(&a, &err));
    return &a;
}

static void check(const struct json_out *out)
{
    enum { QUOTED = 6, ROOM = 4096 };
    if (!out->used)
        return;
    struct err err;
    struct json_value *const json = json_read(out->text, out->used, &err);
    must(json && !out->is_full);
    must(!memchr(out->text, '\n', out->used) && !memchr(out->text, '\0', out->used));
    must(out->used <= QUOTED * MCP_ANSWER + ROOM);
    must(json_read_member(json, "result") || json_read_member(json, "error"));
    json_read_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    enum { LINES = 8, OUT = 1 << 18 };
    const char *at = (const char *)data, *const end = at + bytes;
    for (unsigned i = 0; at < end && i < LINES; i++) {
        const char *const stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        struct json_out out = {.most = OUT};
        char id[MCP_ID_JSON];
        mcp_message(session(), at, length, id, &out);
        check(&out);
        json_out_free(&out);
        mcp_cancels(at, length, "1");
        at += length + 1;
    }
    return 0;
}
