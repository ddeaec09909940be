#include "src/export/line_csv.h"

#include "src/base/json.h"
#include "src/base/mem.h"
#include "src/base/suggest.h"
#include "src/export/csv.h"
#include "src/field/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 64, NAME = 128, SHORT = 64 };

struct column {
    const struct header_column *header; /* NULL: a field of payloads */
    char name[NAME];
};

struct line_csv {
    struct column columns[COLUMNS];
    unsigned count;
    bool has_pairs;
    char separator;
    bool is_raw;
    const char *end; /* of the room for the line that is written */
    char safe[JSON_ROOM(LINE_VALUE)];
};

/* ---- cells --------------------------------------------------------------------------------------- */

/* Cells that are written without asking has_room(): numbers, and the words for a cell left out. */
enum { SPARE = 1 << 15 };

static void put_byte(struct line *l, char c)
{
    *l->at++ = c;
}

static bool needs_quotes(const struct line_csv *c, const char *text, size_t bytes)
{
    return memchr(text, c->separator, bytes) || memchr(text, '"', bytes) ||
           memchr(text, '\n', bytes) || memchr(text, '\r', bytes);
}

static void put_separator(struct line_csv *c, struct line *l, bool is_first)
{
    if (!is_first)
        put_byte(l, c->separator);
}

/* A record whose lists repeat names may need more than there is: this stands in place of the cell. */
static const char left_out[] = "(too long)";

/* Room for as many bytes, each of which may be doubled, and for quotes? */
static bool has_room(const struct line_csv *c, const struct line *l, size_t bytes)
{
    return l->at < c->end && 2 * bytes + 3 <= (size_t)(c->end - l->at);
}

/* Text that is safe already. */
static void put_safe(struct line_csv *c, struct line *l, const char *text, size_t bytes)
{
    if (!has_room(c, l, bytes)) {
        text = left_out;
        bytes = sizeof left_out - 1;
    }
    const bool is_text = !c->is_raw && csv_is_formula(text, bytes);
    const bool is_quoted = needs_quotes(c, text, bytes);
    if (is_quoted)
        put_byte(l, '"');
    if (is_text)
        put_byte(l, '\'');
    for (size_t i = 0; i < bytes; i++) {
        put_byte(l, text[i]);
        if (text[i] == '"')
            put_byte(l, '"');
    }
    if (is_quoted)
        put_byte(l, '"');
}

static void put_text(struct line_csv *c, struct line *l, const char *text, size_t bytes)
{
    put_safe(c, l, c->safe, json_show(c->safe, text, bytes));
}

/* Numbers are no formulas, whatever their sign. */
static void put_plain(struct line *l, const char *text)
{
    const size_t bytes = strlen(text);
    memcpy(l->at, text, bytes);
    l->at += bytes;
}

static void put_number(struct line *l, uint64_t number)
{
    char text[SHORT];
    snprintf(text, sizeof text, "%" PRIu64, number);
    put_plain(l, text);
}

/* ---- what headers say ---------------------------------------------------------------------------- */

typedef void put_header(struct line_csv *c, struct line *l, const struct line_event *e);

static void put_time(struct line_csv *c, struct line *l, const struct line_event *e)
{
    char text[CLOCK_TEXT];
    (void)c;
    put_plain(l, clock_format_iso(e->ns, text));
}

static void put_ts(struct line_csv *c, struct line *l, const struct line_event *e)
{
    char text[SHORT];
    (void)c;
    snprintf(text, sizeof text, "%" PRId64, e->event->ts);
    put_plain(l, text);
}

#define PUT_NUMBER(name_, is_there_, number_)                                                      \
    static void put_##name_(struct line_csv *c, struct line *l, const struct line_event *e)        \
    {                                                                                              \
        (void)c;                                                                                   \
        if (is_there_)                                                                             \
            put_number(l, number_);                                                                \
    }

PUT_NUMBER(cpu, true, e->event->cpu)
PUT_NUMBER(pid, e->owner.pid != EVENT_NO_ID, e->owner.pid)
PUT_NUMBER(tid, e->owner.tid != EVENT_NO_ID, e->owner.tid)
PUT_NUMBER(header_pid, e->event->pid != EVENT_NO_ID, e->event->pid)
PUT_NUMBER(header_tid, e->event->tid != EVENT_NO_ID, e->event->tid)
PUT_NUMBER(id, true, e->event->id)
PUT_NUMBER(opcode, true, e->event->opcode)
PUT_NUMBER(version, true, e->event->version)
PUT_NUMBER(level, true, e->event->level)
PUT_NUMBER(task, true, e->event->task)
PUT_NUMBER(channel, true, e->event->channel)
PUT_NUMBER(flags, e->event->kind == HEADER_MANIFEST, e->event->flags)
PUT_NUMBER(source, true, e->event->source)

static void put_keyword(struct line_csv *c, struct line *l, const struct line_event *e)
{
    char text[SHORT];
    (void)c;
    snprintf(text, sizeof text, "0x%" PRIx64, e->event->keyword);
    put_plain(l, text);
}

static void put_proc(struct line_csv *c, struct line *l, const struct line_event *e)
{
    if (e->owner.name)
        put_text(c, l, e->owner.name, strlen(e->owner.name));
}

/* Nothing where there is none, or only zeros. */
static void put_identifier(struct line *l, const uint8_t *bytes)
{
    static const struct guid zero;
    struct guid g;
    if (!bytes || memcmp(bytes, zero.b, sizeof zero.b) == 0)
        return;
    char text[GUID_TEXT];
    memcpy(g.b, bytes, sizeof g.b);
    put_plain(l, guid_format(&g, text));
}

static void put_provider(struct line_csv *c, struct line *l, const struct line_event *e)
{
    const char *provider, *event;
    line_names(e, &provider, &event);
    if (*provider)
        put_text(c, l, provider, strlen(provider));
    else
        put_identifier(l, line_provider(e->event)->b);
}

static void put_guid(struct line_csv *c, struct line *l, const struct line_event *e)
{
    (void)c;
    put_identifier(l, line_provider(e->event)->b);
}

static void put_event(struct line_csv *c, struct line *l, const struct line_event *e)
{
    const char *provider, *event;
    line_names(e, &provider, &event);
    put_text(c, l, event, strlen(event));
}

static void put_activity(struct line_csv *c, struct line *l, const struct line_event *e)
{
    (void)c;
    put_identifier(l, e->event->activity);
}

static void put_related(struct line_csv *c, struct line *l, const struct line_event *e)
{
    (void)c;
    put_identifier(l, event_related(e->event));
}

static void put_words(struct line_csv *c, struct line *l, const char *text)
{
    put_text(c, l, text, strlen(text));
}

#define PUT_NAME(name_)                                                                            \
    static void put_##name_##_name(struct line_csv *c, struct line *l, const struct line_event *e) \
    {                                                                                              \
        put_words(c, l, provider_##name_##_name(e->names, e->event));                              \
    }

PUT_NAME(level)
PUT_NAME(task)
PUT_NAME(opcode)
PUT_NAME(channel)

static void put_keyword_names(struct line_csv *c, struct line *l, const struct line_event *e)
{
    char text[PROVIDER_KEYWORDS];
    provider_keyword_names(e->names, e->event, text);
    put_words(c, l, text);
}

static void put_sid(struct line_csv *c, struct line *l, const struct line_event *e)
{
    char text[LINE_SID];
    put_words(c, l, line_sid(e->event, text));
}

static void put_kernel_time(struct line_csv *c, struct line *l, const struct line_event *e)
{
    uint32_t kernel, user;
    (void)c;
    if (event_times(e->event, &kernel, &user))
        put_number(l, kernel);
}

static void put_user_time(struct line_csv *c, struct line *l, const struct line_event *e)
{
    uint32_t kernel, user;
    (void)c;
    if (event_times(e->event, &kernel, &user))
        put_number(l, user);
}

static void put_message(struct line_csv *c, struct line *l, const struct line_event *e)
{
    struct decoded fields[DECODE_FIELDS];
    if (!e->message || !*e->message || !e->layout)
        return;
    const unsigned count = decode_fields(e->layout, e->event, fields, DECODE_FIELDS);
    put_text(c, l, l->value, line_message(l, e, fields, count));
}

static const struct header_column {
    const char *id;
    put_header *put;
    bool is_usual;
} header_columns[] = {
    {"time", put_time, true},
    {"ts", put_ts, false},
    {"cpu", put_cpu, true},
    {"pid", put_pid, true},
    {"tid", put_tid, true},
    {"proc", put_proc, true},
    {"header_pid", put_header_pid, false},
    {"header_tid", put_header_tid, false},
    {"provider", put_provider, true},
    {"guid", put_guid, false},
    {"event", put_event, true},
    {"id", put_id, true},
    {"opcode", put_opcode, true},
    {"version", put_version, true},
    {"level", put_level, true},
    {"keyword", put_keyword, true},
    {"task", put_task, false},
    {"channel", put_channel, false},
    {"activity", put_activity, false},
    {"related", put_related, false},
    {"source", put_source, false},
    {"level_name", put_level_name, false},
    {"task_name", put_task_name, false},
    {"opcode_name", put_opcode_name, false},
    {"channel_name", put_channel_name, false},
    {"keyword_names", put_keyword_names, false},
    {"flags", put_flags, false},
    {"kernel_time", put_kernel_time, false},
    {"user_time", put_user_time, false},
    {"sid", put_sid, false},
    {"message", put_message, false},
};
enum { HEADER_COLUMNS = sizeof header_columns / sizeof *header_columns };

/* ---- fields of payloads -------------------------------------------------------------------------- */

/* Not a name or other text, which may need quotes or look like a formula. */
static bool is_plain(const struct decoded *d)
{
    char name[2];
    return !d->is_list && !d->members && !decode_is_text(d) &&
           !(d->field->map && decode_value_name(d, name, sizeof name));
}

static void put_value(struct line_csv *c, struct line *l, const struct decoded *d, bool is_linux)
{
    const size_t bytes = decode_show(d, is_linux, l->value, LINE_VALUE);
    if (is_plain(d) && bytes < SHORT)
        put_plain(l, l->value);
    else
        put_text(c, l, l->value, bytes);
}

static void put_field(struct line_csv *c, struct line *l, const struct line_event *e,
                      const char *name)
{
    struct decoded d;
    const struct schema schema = {.layout = e->layout,
                                  .provider = e->class_name ? e->class_name : "",
                                  .event = e->event_name ? e->event_name : ""};
    if (e->layout && field_decode(name, &schema, e->event, &d))
        put_value(c, l, &d, e->is_linux);
}

static void put_name(struct line_csv *c, struct line *l, const char *name)
{
    put_separator(c, l, false);
    put_text(c, l, name, strlen(name));
    put_separator(c, l, false);
}

/* Bytes that no field has. */
static void put_rest(struct line_csv *c, struct line *l, const struct event *e, size_t from)
{
    if (from >= e->payload_bytes)
        return;
    const size_t bytes = e->payload_bytes - from;
    put_name(c, l, from ? "rest" : "raw");
    if (has_room(c, l, bytes))
        line_hex(l, e->payload + from, bytes);
    else
        put_plain(l, left_out);
}

static void put_pairs(struct line_csv *c, struct line *l, const struct line_event *e)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = e->layout ? decode_fields(e->layout, e->event, fields, DECODE_FIELDS) : 0;
    size_t end = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!fields[i].is_present || fields[i].is_member)
            continue;
        put_name(c, l, fields[i].field->name);
        put_value(c, l, &fields[i], e->is_linux);
        end = fields[i].end > end ? fields[i].end : end;
    }
    put_rest(c, l, e->event, end);
}

/* ---- lines --------------------------------------------------------------------------------------- */

static void begin(struct line_csv *c, struct line *l)
{
    c->end = l->at + LINE_ROOM - SPARE;
}

static void end_line(struct line *l)
{
    put_plain(l, "\r\n");
}

void line_csv_head(struct line_csv *c, struct line *l)
{
    begin(c, l);
    for (unsigned i = 0; i < c->count; i++) {
        put_separator(c, l, i == 0);
        put_text(c, l, c->columns[i].name, strlen(c->columns[i].name));
    }
    if (c->has_pairs) {
        put_separator(c, l, false);
        put_plain(l, "fields");
    }
    end_line(l);
}

void line_csv_event(struct line_csv *c, struct line *l, const struct line_event *e)
{
    begin(c, l);
    for (unsigned i = 0; i < c->count; i++) {
        put_separator(c, l, i == 0);
        if (c->columns[i].header)
            c->columns[i].header->put(c, l, e);
        else
            put_field(c, l, e, c->columns[i].name);
    }
    if (c->has_pairs)
        put_pairs(c, l, e);
    end_line(l);
}

/* ---- columns ------------------------------------------------------------------------------------- */

static const struct header_column *header_named(const char *name)
{
    for (unsigned i = 0; i < HEADER_COLUMNS; i++)
        if (strcmp(header_columns[i].id, name) == 0)
            return &header_columns[i];
    return NULL;
}

static bool unknown_column(const char *name, struct err *err)
{
    struct suggestion best = {NULL, 0};
    for (unsigned i = 0; i < HEADER_COLUMNS; i++)
        suggest(&best, name, header_columns[i].id);
    if (best.name)
        return fail(err, "there is no column '%s'; did you mean '%s'? In payloads write .%s", name,
                    best.name, name);
    return fail(err, "there is no column '%s'; in payloads write .%s", name, name);
}

static bool add_column(struct line_csv *c, const char *name, size_t bytes, struct err *err)
{
    struct column *const column = &c->columns[c->count];
    if (c->count == COLUMNS)
        return fail(err, "at most %d columns can be written", COLUMNS);
    if (!bytes || bytes >= NAME)
        return fail(err, "a column's name has 1 to %d bytes", NAME - 1);
    memcpy(column->name, name, bytes);
    column->name[bytes] = '\0';
    column->header = header_named(column->name);
    if (!column->header && !field_is_of_payload(column->name, bytes))
        return unknown_column(column->name, err);
    c->count++;
    return true;
}

static bool add_columns(struct line_csv *c, const char *list, struct err *err)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!add_column(c, at, strcspn(at, ","), err))
            return false;
    return true;
}

static void add_of_headers(struct line_csv *c, bool is_all)
{
    for (unsigned i = 0; i < HEADER_COLUMNS; i++)
        if (is_all || header_columns[i].is_usual)
            add_column(c, header_columns[i].id, strlen(header_columns[i].id), NULL);
    c->has_pairs = true;
}

struct line_csv *line_csv_new(const char *columns, char separator, bool is_raw, struct err *err)
{
    struct line_csv *const c = mem_new(1, sizeof *c);
    c->separator = separator ? separator : ',';
    c->is_raw = is_raw;
    const bool is_all = columns && strcmp(columns, "all") == 0;
    if (!columns || is_all)
        add_of_headers(c, is_all);
    if (c->has_pairs || add_columns(c, columns, err))
        return c;
    line_csv_free(c);
    return NULL;
}

void line_csv_free(struct line_csv *c)
{
    free(c);
}
