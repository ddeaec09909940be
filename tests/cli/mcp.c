/* A client of `tracetop mcp`, over pipes as any other: it knows no more than what tools answer, and
 * finds the one file that is slow. Then clients that mean harm. JSON is read by json-c itself. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/event/event.h"
#include "tests/etl_writer.h"
#include "tests/sanitizer.h"
#include "collectors/synthetic/synthetic.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *program;
static char trace[] = "/tmp/tracetop-mcp-XXXXXX";
static char path[sizeof trace + 16];
static char planted[1024]; /* the slow file's name, as its record has it */

/* ---- the trace: one operation on one file takes four seconds ---------------------------------- */

enum { HOOK_READ = 0x10a, HOOK_WRITE = 0x10b, KEY_AT = 24, TICKS_AT = 40 };
enum { ROOM = 1 << 20, EVENTS = 60000 };

/* The payload of a kernel's record, behind its header of 32 or 16 bytes, and its hook. */
static uint8_t *payload_of(uint8_t *record, unsigned *hook)
{
    const bool is_perfinfo = record[2] == 16 || record[2] == 17;
    *hook = (unsigned)record[7] << 8 | record[6];
    return record + (is_perfinfo ? 16 : 32);
}

static void each_record(uint8_t *from, size_t bytes,
                        void (*act)(uint8_t *record, size_t bytes, void *to), void *to)
{
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, from + at, sizeof head);
        if (head.form == RECORD_ETW)
            act(from + at + sizeof head, head.bytes - sizeof head, to);
        at += (head.bytes + 7u) / 8 * 8;
    }
}

struct plant {
    unsigned hook, chosen; /* of these operations the one with this number, from 1 on … */
    unsigned seen;
    uint64_t key; /* … and its file */
};

static void make_slow(uint8_t *record, size_t bytes, void *to)
{
    static const uint64_t FOUR_SECONDS = 40000000;
    struct plant *const plant = to;
    unsigned hook;
    uint8_t *const payload = payload_of(record, &hook);
    if (hook != plant->hook || bytes < TICKS_AT + 8 || ++plant->seen != plant->chosen)
        return;
    memcpy(&plant->key, payload + KEY_AT, sizeof plant->key);
    memcpy(payload + TICKS_AT, &FOUR_SECONDS, sizeof FOUR_SECONDS);
}

/* Keys are used again: the last name before the operation is the file's. */
static void note_name(uint8_t *record, size_t bytes, void *to)
{
    struct plant *const plant = to;
    unsigned hook;
    uint64_t key;
    uint8_t *const payload = payload_of(record, &hook);
    const size_t left = bytes - (size_t)(payload - record);
    plant->seen -= hook == plant->hook && bytes >= TICKS_AT + 8 && plant->seen;
    if (hook >> 8 != 4 || left < 12 || !plant->seen)
        return;
    memcpy(&key, payload, sizeof key);
    if (key == plant->key)
        planted[text_from_utf16(planted, sizeof planted - 1, payload + 8, (left - 10) / 2 * 2)] = 0;
}

static void make_trace(unsigned of_hook, unsigned chosen)
{
    const struct synthetic_options o = {
        .seed = 5, .events = EVENTS, .start_ns = 1779013230000000000};
    struct synthetic *const s = synthetic_new(&o);
    uint8_t *const all = mem_new(ROOM, 16);
    size_t used = 0;
    struct plant plant = {.hook = of_hook, .chosen = chosen};
    struct err err;
    const struct etl_writer_options shape = {.path = path,
                                             .clock = synthetic_clock(s),
                                             .start = synthetic_time(s),
                                             .cpus = synthetic_cpus(s),
                                             .build = SYNTHETIC_BUILD,
                                             .mhz = SYNTHETIC_MHZ};
    while (!synthetic_is_done(s) && used + ROOM <= 16 * (size_t)ROOM)
        used += synthetic_fill(s, all + used, ROOM, INT64_MAX);
    each_record(all, used, make_slow, &plant);
    assert_true(plant.seen >= chosen);
    plant.seen = chosen;
    planted[0] = '\0';
    each_record(all, used, note_name, &plant);
    unlink(path);
    struct etl_writer *const w = etl_writer_open(&shape, &err);
    assert_non_null(w);
    for (size_t at = 0; at < used;) {
        struct record_head head;
        memcpy(&head, all + at, sizeof head);
        assert_true(etl_writer_put(w, &head, all + at + sizeof head, &err));
        at += (head.bytes + 7u) / 8 * 8;
    }
    assert_true(etl_writer_close(w, &err));
    free(all);
    synthetic_free(s);
    assert_true(plant.key && planted[0]);
}

/* ---- the server as a program ------------------------------------------------------------------ */

struct server {
    pid_t pid;
    int to, from;
    char *line; /* the last answer */
    size_t room;
    char kept[4096]; /* read behind it */
    size_t kept_bytes;
    int next_id;
};

static void start(struct server *s, const char *const *arguments)
{
    int in[2], out[2];
    const char *argv[16] = {program, "mcp"};
    for (unsigned i = 0; arguments[i]; i++)
        argv[i + 2] = arguments[i];
    *s = (struct server){.next_id = 1};
    assert_true(pipe(in) == 0 && pipe(out) == 0);
    s->pid = fork();
    if (s->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]), close(out[0]);
        execv(program, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    s->to = in[1];
    s->from = out[0];
}

static void send_bytes(struct server *s, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const ssize_t n = write(s->to, text + at, bytes - at);
        assert_true(n > 0);
        at += (size_t)n;
    }
}

static void send_line(struct server *s, const char *text)
{
    send_bytes(s, text, strlen(text));
    send_bytes(s, "\n", 1);
}

/* The next line; NULL at the end. */
static const char *next_line(struct server *s)
{
    size_t used = 0;
    for (;;) {
        char *const end = memchr(s->kept, '\n', s->kept_bytes);
        const size_t bytes = end ? (size_t)(end - s->kept) : s->kept_bytes;
        if (used + bytes + 1 > s->room)
            s->line = mem_grow(s->line, s->room = 2 * (used + bytes + 1), 1);
        memcpy(s->line + used, s->kept, bytes);
        used += bytes;
        s->line[used] = '\0';
        s->kept_bytes -= bytes + (end != NULL);
        if (end) {
            memmove(s->kept, end + 1, s->kept_bytes);
            return s->line;
        }
        struct pollfd p = {.fd = s->from, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 120000), 1);
        const ssize_t n = read(s->from, s->kept, sizeof s->kept);
        if (n <= 0)
            return NULL;
        s->kept_bytes = (size_t)n;
    }
}

static void stop(struct server *s, int expected)
{
    int status;
    close(s->to);
    while (next_line(s))
        ;
    close(s->from);
    assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
    free(s->line);
}

static struct json_object *member(struct json_object *o, const char *name)
{
    struct json_object *found = NULL;
    json_object_object_get_ex(o, name, &found);
    return found;
}

static const char *text_of(struct json_object *o)
{
    return json_object_get_string(o);
}

/* The answer to what was just sent, which the caller frees. */
static struct json_object *answer(struct server *s)
{
    const char *const line = next_line(s);
    assert_non_null(line);
    struct json_object *const o = json_tokener_parse(line);
    assert_non_null(o);
    assert_string_equal(text_of(member(o, "jsonrpc")), "2.0");
    return o;
}

/* What a tool answers, as JSON; its text is within the bound. The caller frees it. */
static struct json_object *call(struct server *s, const char *tool, const char *arguments)
{
    char line[4096];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"arguments\":%s}}",
             s->next_id, tool, arguments);
    send_line(s, line);
    struct json_object *const o = answer(s);
    assert_int_equal(json_object_get_int(member(o, "id")), s->next_id++);
    struct json_object *const result = member(o, "result");
    const char *const text =
        text_of(member(json_object_array_get_idx(member(result, "content"), 0), "text"));
    if (json_object_get_boolean(member(result, "isError")))
        fail_msg("%s %s: %s", tool, arguments, text);
    assert_in_range(strlen(text), 2, 8000);
    struct json_object *const said = json_tokener_parse(text);
    assert_non_null(said);
    json_object_put(o);
    return said;
}

static int column(struct json_object *said, const char *id)
{
    struct json_object *const columns = member(said, "columns");
    for (size_t i = 0; i < json_object_array_length(columns); i++)
        if (strcmp(text_of(member(json_object_array_get_idx(columns, i), "id")), id) == 0)
            return (int)i;
    fail_msg("there is no column %s", id);
    return 0;
}

static struct json_object *cell(struct json_object *said, unsigned row, const char *id)
{
    return json_object_array_get_idx(json_object_array_get_idx(member(said, "rows"), row),
                                     (size_t)column(said, id));
}

/* ---- what a client finds ---------------------------------------------------------------------- */

static void start_of_trace(struct server *s)
{
    start(s, (const char *const[]){path, NULL});
}

static void greet(struct server *s, const char *version)
{
    char line[256];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"initialize\",\"params\":"
             "{\"protocolVersion\":\"%s\",\"capabilities\":{}}}",
             version);
    send_line(s, line);
    struct json_object *const o = answer(s);
    assert_string_equal(text_of(member(o, "id")), "hello");
    assert_string_equal(text_of(member(member(o, "result"), "protocolVersion")), version);
    json_object_put(o);
    send_line(s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* The name of the field that `fields` describes with this word: of one that rows have, or of a time
 * that is known of each event. */
static void find_field(struct server *s, const char *word, bool is_key, char *name, size_t room)
{
    char arguments[128];
    snprintf(arguments, sizeof arguments, "{\"match\":\"%s\"}", word);
    struct json_object *const said = call(s, "fields", arguments), *const list =
                                                                       member(said, "fields");
    name[0] = '\0';
    for (size_t i = 0; i < json_object_array_length(list) && !name[0]; i++) {
        struct json_object *const f = json_object_array_get_idx(list, i);
        const bool fits = is_key ? json_object_get_boolean(member(f, "is_key"))
                                 : strcmp(text_of(member(f, "type")), "time") == 0 &&
                                       strcmp(text_of(member(f, "cost")), "fact") == 0;
        if (fits && strstr(text_of(member(f, "help")), word))
            snprintf(name, room, "%s", text_of(member(f, "id")));
    }
    json_object_put(said);
    if (!name[0])
        fail_msg("no field is described by '%s'", word);
}

/* Which kind of operation has the one that took longest, by the tools' own names; then on which
 * file, and which event that is. */
static void find_slow_file(struct server *s)
{
    char arguments[2048], file[1024], time[64], took[32], on[32], kind[32], slowest[64];
    json_object_put(call(s, "sources", "{}"));
    find_field(s, "Latency", false, took, sizeof took);
    find_field(s, "File", true, on, sizeof on);
    find_field(s, "write", true, kind, sizeof kind);
    snprintf(slowest, sizeof slowest, "max_%s", took);
    snprintf(arguments, sizeof arguments, "{\"query\":\"by %s | count, max %s sort max top 1\"}",
             kind, took);
    struct json_object *said = call(s, "ask", arguments);
    snprintf(arguments, sizeof arguments,
             "{\"query\":\"by %s | count, max %s where %s=%s sort max top 1\"}", on, took, kind,
             text_of(cell(said, 0, kind)));
    json_object_put(said);
    said = call(s, "ask", arguments);
    snprintf(file, sizeof file, "%s", text_of(cell(said, 0, on)));
    assert_int_equal(json_object_get_int64(cell(said, 0, slowest)), 4000000000);
    assert_true(strlen(planted) >= strlen(strrchr(file, '\\')));
    assert_string_equal(strrchr(file, '\\'), strrchr(planted, '\\'));
    assert_true(json_object_get_boolean(member(member(said, "completeness"), "complete")));
    snprintf(time, sizeof time, "%s", text_of(member(member(said, "span"), "from")));
    json_object_put(said);
    snprintf(arguments, sizeof arguments,
             "{\"time\":\"%s\",\"within\":\"1h\",\"filter\":\"%s>=3s %s~%s\"}", time, took, on,
             strrchr(file, '\\') + 1);
    said = call(s, "events", arguments);
    assert_int_equal(json_object_get_int(member(said, "row_count")), 1);
    json_object_put(said);
}

/* Wherever it is: each time another file, in another place. */
static void a_client_finds_the_slow_file(void **state)
{
    static const struct {
        unsigned hook, chosen;
    } plants[] = {{HOOK_READ, 40}, {HOOK_READ, 333}, {HOOK_WRITE, 250}, {HOOK_WRITE, 25}};
    enum { PLANTS = sizeof plants / sizeof *plants };
    char before[PLANTS][sizeof planted];
    (void)state;
    for (unsigned i = 0; i < PLANTS; i++) {
        struct server s;
        make_trace(plants[i].hook, plants[i].chosen);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(before[k], planted);
        memcpy(before[i], planted, sizeof planted);
        start_of_trace(&s);
        greet(&s, "2025-11-25");
        find_slow_file(&s);
        json_object_put(call(&s, "stacks", "{\"shape\":\"tree\"}"));
        json_object_put(call(&s, "changes", "{\"before\":\"0s..500ms\",\"after\":\"500ms..1s\"}"));
        stop(&s, 0);
    }
}

/* Page by page: as many rows as there are, each once, and their sums are those of all. */
static void cursors_lead_to_the_end(void **state)
{
    struct server s;
    char arguments[1024] = "{\"query\":\"by path, pid | count\"}";
    int64_t rows = 0, events = 0, all = 0, sum = 0;
    unsigned pages = 0;
    (void)state;
    start_of_trace(&s);
    for (bool has_more = true; has_more; pages++) {
        struct json_object *const said = call(&s, "ask", arguments);
        struct json_object *const list = member(said, "rows");
        assert_int_equal(json_object_get_int64(member(said, "first")), rows);
        rows += (int64_t)json_object_array_length(list);
        for (unsigned i = 0; i < json_object_array_length(list); i++)
            events += json_object_get_int64(cell(said, i, "count"));
        if (!pages) {
            all = json_object_get_int64(member(said, "row_count"));
            sum = events +
                  json_object_get_int64(json_object_array_get_idx(
                      member(member(said, "others"), "sums"), (size_t)column(said, "count")));
        }
        const char *const cursor = text_of(member(said, "cursor"));
        has_more = cursor != NULL;
        snprintf(arguments, sizeof arguments,
                 "{\"query\":\"by path, pid | count\",\"cursor\":\"%s\"}", cursor ? cursor : "");
        json_object_put(said);
    }
    assert_true(pages > 2);
    assert_int_equal(rows, all);
    assert_int_equal(events, sum);
    stop(&s, 0);
}

/* Both spans, what was recorded, and values with their units. */
static void changes_say_what_they_compare(void **state)
{
    struct server s;
    (void)state;
    start_of_trace(&s);
    struct json_object *const said =
        call(&s, "changes", "{\"before\":\"0s..400ms\",\"after\":\"400ms..1s\"}");
    assert_float_equal(json_object_get_double(member(member(said, "before"), "seconds")), 0.4,
                       1e-6);
    assert_float_equal(json_object_get_double(member(member(said, "span"), "seconds")), 0.6, 1e-6);
    assert_string_equal(text_of(member(member(said, "before"), "to")),
                        "2026-05-17T10:20:30.4000001Z");
    assert_true(json_object_object_length(member(said, "recorded_s")) > 3);
    unsigned rates = 0;
    for (unsigned i = 0; i < json_object_array_length(member(said, "rows")); i++)
        if (strstr(text_of(cell(said, i, "column")), "B/s")) {
            assert_string_equal(text_of(cell(said, i, "unit")), "bytes_per_s");
            rates++;
        }
    assert_true(rates > 0);
    for (unsigned i = 0; i < json_object_array_length(member(said, "columns")); i++) {
        struct json_object *const c = json_object_array_get_idx(member(said, "columns"), i);
        const bool is_text = json_object_is_type(
            json_object_array_get_idx(json_object_array_get_idx(member(said, "rows"), 0), i),
            json_type_string);
        assert_true(is_text == (strcmp(text_of(member(c, "type")), "text") == 0));
    }
    json_object_put(said);
    stop(&s, 0);
}

/* Asked before the first event: the answer is of the first interval. */
static void early_questions_wait_for_events(void **state)
{
    struct server s;
    (void)state;
    start(&s, (const char *const[]){"--source", "demo", "-q", NULL});
    struct json_object *const said = call(&s, "ask", "{\"query\":\"by proc\"}");
    assert_true(json_object_array_length(member(said, "rows")) > 0);
    assert_non_null(member(member(said, "span"), "from"));
    json_object_put(said);
    stop(&s, 0);
}

/* A line is answered by an error with this code, or it is not answered: then 0. */
static void expect(struct server *s, const char *line, int code)
{
    send_line(s, line);
    send_line(s, "{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"ping\"}");
    for (int found = 0;;) {
        struct json_object *const o = answer(s);
        const bool is_last = member(o, "id") && strcmp(text_of(member(o, "id")), "after") == 0;
        if (!is_last)
            found = json_object_get_int(member(member(o, "error"), "code"));
        json_object_put(o);
        if (is_last) {
            assert_int_equal(found, code);
            return;
        }
    }
}

static void what_is_no_request_is_refused(void **state)
{
    struct server s;
    char *const nested = mem_new(60000, 1);
    (void)state;
    start_of_trace(&s);
    memset(nested, '[', 50000);
    expect(&s, nested, -32700);
    expect(&s, "{", -32700);
    expect(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", -32700);
    expect(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700);
    expect(&s, "[]", -32600);
    expect(&s, "7", -32600);
    expect(&s, "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600);
    expect(&s, "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", -32600);
    expect(&s, "{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"method\":\"ping\"}", -32600);
    expect(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", -32601);
    expect(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602);
    expect(&s,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}",
           -32602);
    expect(&s,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
           "{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\"}}}",
           -32022);
    expect(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 0);
    expect(
        &s,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}",
        0);
    expect(&s, " ", 0);
    stop(&s, 0);
    free(nested);
}

/* Wrong arguments are the model's to mend: a sentence as the tool's result. */
static void wrong_arguments_get_a_sentence(void **state)
{
    static const char *const calls[][2] = {
        {"ask", "{}"},
        {"ask", "{\"query\":7}"},
        {"ask", "{\"query\":\"by nothing\"}"},
        {"ask", "{\"query\":\"by proc\",\"x\":\"y\"}"},
        {"ask", "{\"query\":\"by proc\",\"range\":\"x\"}"},
        {"ask", "{\"query\":\"by proc\",\"cursor\":\"0-1\"}"},
        {"ask", "{\"query\":\"a\\u0000b\"}"},
        {"events", "{\"time\":\"soon\"}"},
        {"events", "{\"time\":\"1s\",\"filter\":\"((\"}"},
        {"stacks", "{\"metric\":\"gold\"}"},
        {"stacks", "{\"shape\":\"round\"}"},
    };
    struct server s;
    (void)state;
    start_of_trace(&s);
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        char line[512];
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":"
                 "{\"name\":\"%s\",\"arguments\":%s}}",
                 i, calls[i][0], calls[i][1]);
        send_line(&s, line);
        struct json_object *const o = answer(&s);
        struct json_object *const result = member(o, "result");
        assert_true(json_object_get_boolean(member(result, "isError")));
        assert_true(strlen(text_of(member(json_object_array_get_idx(member(result, "content"), 0),
                                          "text"))) > 8);
        json_object_put(o);
    }
    stop(&s, 0);
}

/* The sentence of a tool that cannot answer, in `room`. */
static const char *refusal(struct server *s, const char *tool, const char *arguments,
                           char room[512])
{
    char line[1024];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"arguments\":%s}}",
             tool, arguments);
    send_line(s, line);
    struct json_object *const o = answer(s), *const result = member(o, "result");
    assert_true(json_object_get_boolean(member(result, "isError")));
    snprintf(room, 512, "%s",
             text_of(member(json_object_array_get_idx(member(result, "content"), 0), "text")));
    json_object_put(o);
    return room;
}

/* A cursor is what an answer gave, for the same arguments. */
static void cursors_are_checked(void **state)
{
    static const char *const rows[] = {"-1", "+1", " 1", "1 ", "", "0x1", "99999999999999999999"};
    struct server s;
    char hash[64], arguments[256], room[512];
    (void)state;
    start_of_trace(&s);
    struct json_object *const said = call(&s, "ask", "{\"query\":\"by path, pid\"}");
    snprintf(hash, sizeof hash, "%s", text_of(member(said, "cursor")));
    *strchr(hash, '-') = '\0';
    json_object_put(said);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(arguments, sizeof arguments, "{\"query\":\"by path, pid\",\"cursor\":\"%s-%s\"}",
                 hash, rows[i]);
        assert_non_null(strstr(refusal(&s, "ask", arguments, room), "of another call"));
    }
    snprintf(arguments, sizeof arguments, "{\"query\":\"by path, pid\",\"cursor\":\"%s-999999\"}",
             hash);
    assert_non_null(strstr(refusal(&s, "ask", arguments, room), "behind the last row"));
    stop(&s, 0);
}

/* Arguments with other names, and the same texts, make another call. */
static void cursors_know_names(void **state)
{
    struct server s;
    char arguments[512], room[512];
    (void)state;
    start_of_trace(&s);
    struct json_object *const said = call(&s, "stacks", "{\"metric\":\"operations\"}");
    assert_non_null(member(said, "cursor"));
    snprintf(arguments, sizeof arguments, "{\"shape\":\"operations\",\"cursor\":\"%s\"}",
             text_of(member(said, "cursor")));
    assert_non_null(strstr(refusal(&s, "stacks", arguments, room), "of another call"));
    json_object_put(said);
    /* so long that times before and behind it are none */
    json_object_put(call(&s, "events", "{\"time\":\"100ms\",\"within\":\"2400000h\"}"));
    stop(&s, 0);
}

/* A megabyte without an end, then one; a message byte by byte; the end inside of a message. */
static void lines_have_an_end(void **state)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    struct server s;
    char *const long_line = mem_new(1 << 20, 1);
    (void)state;
    start_of_trace(&s);
    memset(long_line, 'x', 1 << 20);
    send_bytes(&s, long_line, 1 << 20);
    struct json_object *o = answer(&s); /* before its end is there */
    assert_int_equal(json_object_get_int(member(member(o, "error"), "code")), -32600);
    json_object_put(o);
    send_bytes(&s, "\n", 1);
    for (const char *c = ping; *c; c++) {
        send_bytes(&s, c, 1);
        usleep(1000);
    }
    o = answer(&s);
    assert_int_equal(json_object_get_int(member(o, "id")), 1);
    json_object_put(o);
    send_bytes(&s, ping, 10);
    stop(&s, 0);
    free(long_line);
}

/* What was asked first is taken back while it is answered, or before: its answer may come, the next
 * one's does. */
static void requests_are_taken_back(void **state)
{
    struct server s;
    (void)state;
    start_of_trace(&s);
    send_line(&s, "{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"tools/"
                  "call\",\"params\":{\"name\":\"ask\","
                  "\"arguments\":{\"query\":\"by path, pid, op | p99 lat\"}}}\n"
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                  "cancelled\",\"params\":{\"requestId\":\"big\"}}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":\"next\",\"method\":\"ping\"}");
    bool has_next = false;
    while (!has_next) {
        struct json_object *const o = answer(&s);
        has_next = strcmp(text_of(member(o, "id")), "next") == 0;
        json_object_put(o);
    }
    stop(&s, 0);
}

#define ASK(id, query)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":\"" id                                                            \
    "\",\"method\":\"tools/call\",\"params\":{\"name\":\"ask\","                                   \
    "\"arguments\":{\"query\":\"" query "\"}}}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"" id  \
    "\"}}"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":\"" id "\",\"method\":\"ping\"}"

/* Taken back while another one is answered: it has no answer when its turn comes. */
static void waiting_requests_are_taken_back(void **state)
{
    static const char *const expected[] = {"first", "third", "last"};
    struct server s;
    (void)state;
    start_of_trace(&s);
    send_line(&s, ASK("first", "by path, pid, op | p99 lat") "\n" ASK("second", "by path") "\n" ASK(
                      "third", "by proc") "\n" CANCEL("second") "\n" PING("last"));
    for (unsigned i = 0; i < 3; i++) {
        struct json_object *const o = answer(&s);
        assert_string_equal(text_of(member(o, "id")), expected[i]);
        json_object_put(o);
    }
    stop(&s, 0);
}

/* Revision 2025-03-26 has batches. */
static void batches_are_answered_as_one(void **state)
{
    struct server s;
    char many[4096] = "[7";
    (void)state;
    start_of_trace(&s);
    greet(&s, "2025-03-26");
    send_line(&s, "[" PING("a") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}," ASK(
                      "b", "by proc | count top 1") ",null]");
    struct json_object *const list = json_tokener_parse(next_line(&s));
    assert_int_equal(json_object_array_length(list), 3);
    assert_string_equal(text_of(member(json_object_array_get_idx(list, 0), "id")), "a");
    assert_non_null(member(json_object_array_get_idx(list, 1), "result"));
    assert_int_equal(
        json_object_get_int(member(member(json_object_array_get_idx(list, 2), "error"), "code")),
        -32600);
    json_object_put(list);
    expect(&s, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]", 0);
    for (unsigned i = 0; i < 32; i++)
        strcat(many, ",7");
    expect(&s, strcat(many, "]"), -32600);
    stop(&s, 0);
}

/* The revision without `initialize`. */
static void the_newest_revision_needs_no_greeting(void **state)
{
    struct server s;
    (void)state;
    start_of_trace(&s);
    send_line(&s,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":"
              "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}");
    struct json_object *const o = answer(&s), *const result = member(o, "result");
    assert_string_equal(text_of(member(result, "resultType")), "complete");
    assert_non_null(member(member(result, "capabilities"), "tools"));
    assert_string_equal(text_of(json_object_array_get_idx(member(result, "supportedVersions"), 0)),
                        "2026-07-28");
    json_object_put(o);
    stop(&s, 0);
}

/* Names that hurt terminals arrive as text without control characters, and cut. */
static void hostile_names_are_data(void **state)
{
    struct server s;
    (void)state;
    start(&s, (const char *const[]){"--source", "demo", "--hostile", "1000", "--events", "60000",
                                    "--rate", "0", "-q", NULL});
    struct json_object *const said = call(&s, "ask", "{\"query\":\"by path, proc | count\"}");
    struct json_object *const list = member(said, "rows");
    for (size_t i = 0; i < json_object_array_length(list); i++)
        for (size_t k = 0; k < 2; k++) {
            const char *const name =
                text_of(json_object_array_get_idx(json_object_array_get_idx(list, i), k));
            assert_true(!name || strlen(name) <= 6 * 160);
        }
    for (const char *c = s.line; *c; c++)
        assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
    json_object_put(said);
    stop(&s, 0);
}

static int remove_trace(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(trace);
}

static int prepare(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(trace))
        return -1;
    snprintf(path, sizeof path, "%s/slow.etl", trace);
    make_trace(HOOK_READ, 40);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_finds_the_slow_file),
        cmocka_unit_test(cursors_lead_to_the_end),
        cmocka_unit_test(early_questions_wait_for_events),
        cmocka_unit_test(changes_say_what_they_compare),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(wrong_arguments_get_a_sentence),
        cmocka_unit_test(cursors_are_checked),
        cmocka_unit_test(cursors_know_names),
        cmocka_unit_test(lines_have_an_end),
        cmocka_unit_test(requests_are_taken_back),
        cmocka_unit_test(waiting_requests_are_taken_back),
        cmocka_unit_test(batches_are_answered_as_one),
        cmocka_unit_test(the_newest_revision_needs_no_greeting),
        cmocka_unit_test(hostile_names_are_data),
    };
    if (argc != 2)
        return 2;
    program = argv[1];
    return cmocka_run_group_tests(tests, prepare, remove_trace);
}
