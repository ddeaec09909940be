#include "src/export/provider_report.h"

#include "src/base/hash_index.h"
#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/base/text.h"
#include "src/etl/etl.h"
#include "src/event/decode.h"
#include "src/event/schema.h"
#include "src/event/tracelogging.h"
#include "src/export/stats.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_SKIPPED = 6 };

/* A file can have as many kinds as events: beyond these they are counted together. */
enum { KINDS_MOST = 1 << 16, RECORDS_MOST = 64 << 20 };

/* Events that have the same provider, id, version and description. `first` is the first of them. */
struct kind {
    struct guid provider;
    uint64_t key;
    uint64_t events, keywords;
    struct record_head *first; /* and the record behind it */
};

struct report {
    const struct provider_report *o;
    struct schemas *schemas;
    struct kind *kinds; /* [0] is none */
    uint32_t count, room;
    struct hash_index index;
    size_t record_bytes;
    uint64_t beyond; /* events of kinds that found no place */
    bool is_whole;   /* nothing of the files was damaged */
};

/* ---- kinds ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    const uint64_t h = (a ^ b * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static uint64_t key_of(const struct event *e)
{
    const uint64_t word = (uint64_t)(e->kind + 1) << 48 | (uint64_t)e->id << 32 |
                          (uint64_t)e->version << 16 | e->opcode;
    return mix(word, tracelogging_hash(e));
}

static struct guid provider_of(const struct event *e)
{
    return header_is_kernel((enum header_kind)e->kind) ? *event_class_guid(e->id) : e->provider;
}

static uint64_t hash(const struct guid *g, uint64_t key)
{
    uint64_t low, high;
    memcpy(&low, g->b, 8);
    memcpy(&high, g->b + 8, 8);
    return mix(mix(low, high), key);
}

static uint64_t hash_of(const void *owner, uint32_t number)
{
    const struct kind *const k = &((const struct report *)owner)->kinds[number];
    return hash(&k->provider, k->key);
}

/* NULL: there is no room for another one. */
static struct kind *add(struct report *r, const struct event *e, const struct guid *provider,
                        uint64_t key, uint32_t at)
{
    const size_t bytes = sizeof(struct record_head) + e->record_bytes;
    if (r->count == KINDS_MOST || r->record_bytes + bytes > RECORDS_MOST)
        return NULL;
    if (r->count == r->room) {
        r->room *= 2;
        r->kinds = mem_grow(r->kinds, r->room, sizeof *r->kinds);
    }
    struct kind *const k = &r->kinds[r->count];
    *k = (struct kind){.provider = *provider, .key = key, .first = mem_new(1, bytes)};
    *k->first = (struct record_head){.bytes = (uint32_t)bytes,
                                     .form = RECORD_ETW,
                                     .source = e->source,
                                     .cpu = e->cpu,
                                     .ts = e->ts};
    memcpy(k->first + 1, e->record, e->record_bytes);
    r->record_bytes += bytes;
    hash_index_put(&r->index, at, r->count++, hash_of, r);
    return k;
}

static struct kind *kind_of(struct report *r, const struct event *e)
{
    const struct guid provider = provider_of(e);
    const uint64_t key = key_of(e);
    uint32_t number, at = hash_index_first(&r->index, hash(&provider, key));
    for (; (number = r->index.numbers[at]); at = hash_index_next(&r->index, at))
        if (r->kinds[number].key == key && guid_equal(&r->kinds[number].provider, &provider))
            return &r->kinds[number];
    return add(r, e, &provider, key, at);
}

static void look_at(struct report *r, const struct event *e)
{
    struct event about;
    struct kind *const k = kind_of(r, e);
    if (k) {
        k->events++;
        k->keywords |= e->keyword;
    } else {
        r->beyond++;
    }
    if (schema_is_about(e))
        schema_learn(r->schemas, e->source, e, &about);
}

static bool is_stopped(const struct report *r)
{
    return r->o->stop && atomic_load_explicit(r->o->stop, memory_order_relaxed);
}

static bool read_file(struct report *r, size_t number, struct err *err)
{
    struct etl_file *const f = etl_open(r->o->files[number], err);
    struct event e;
    enum etl_answer answer = ETL_FAILED;
    if (!f)
        return false;
    while (!is_stopped(r) && (answer = etl_next(f, &e, err)) == ETL_EVENT) {
        e.source = (uint8_t)number;
        look_at(r, &e);
    }
    r->is_whole &= etl_is_whole(etl_tally(f));
    stats_report_file(f, r->o->log);
    etl_close(f);
    return answer != ETL_FAILED || is_stopped(r);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* What is known of a kind, now that all files are read. */
struct known {
    struct event e;
    struct schema schema;
    const char *provider, *event; /* "" where there is none */
};

static void know(struct report *r, const struct kind *k, struct known *out)
{
    const char *class_name, *event_name;
    event_of_record(k->first, &out->e);
    schema_find(r->schemas, k->first->source, &out->e, &out->schema);
    decode_name(&out->e, &class_name, &event_name);
    out->provider = *out->schema.provider ? out->schema.provider : class_name;
    out->event = *out->schema.event ? out->schema.event : event_name;
}

static bool contains(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return !length;
}

static bool is_called(const char *name, const char *asked)
{
    return contains(name, asked) && strlen(name) == strlen(asked);
}

static bool has_name(const struct known *x, const struct guid *provider, const char *asked)
{
    char guid[GUID_TEXT];
    guid_format(provider, guid);
    const char *const bare = asked[0] == '{' ? asked + 1 : asked;
    return is_called(x->provider, asked) || is_called(provider_short_name(x->provider), asked) ||
           (strlen(bare) >= strlen(guid) && contains(bare, guid));
}

static bool mentions(const struct known *x, const struct guid *provider, const char *part)
{
    char guid[GUID_TEXT];
    guid_format(provider, guid);
    bool is = contains(x->provider, part) || contains(guid, part) || contains(x->event, part);
    const struct payload_layout *const l = x->schema.layout;
    for (unsigned i = 0; l && i < l->field_count && !is; i++)
        is = contains(l->fields[i].name, part);
    return is;
}

/* ---- one line a provider --------------------------------------------------------------------- */

/* By provider, and of one by id, opcode and version. */
static int compare(const void *a, const void *b)
{
    const struct kind *const x = a, *const y = b;
    struct event e, f;
    const int order = memcmp(&x->provider, &y->provider, sizeof x->provider);
    if (order)
        return order;
    event_of_record(x->first, &e);
    event_of_record(y->first, &f);
    const unsigned left[] = {e.id, e.opcode, e.version}, right[] = {f.id, f.opcode, f.version};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* The kinds from `from` on that are of the same provider. */
static uint32_t end_of_provider(const struct report *r, uint32_t from)
{
    uint32_t to = from;
    while (to < r->count && guid_equal(&r->kinds[to].provider, &r->kinds[from].provider))
        to++;
    return to;
}

struct line {
    struct guid guid;
    char name[256]; /* "": there is none */
    uint64_t events;
    uint32_t kinds, decoded, first;
};

static int by_events(const void *a, const void *b)
{
    const struct line *const x = a, *const y = b;
    if (x->events != y->events)
        return x->events < y->events ? 1 : -1;
    return memcmp(&x->guid, &y->guid, sizeof x->guid);
}

/* False: nothing of it has what is searched. */
static bool make_line(struct report *r, uint32_t from, uint32_t to, struct line *out)
{
    bool is_wanted = r->o->verb != PROVIDER_REPORT_SEARCH;
    *out = (struct line){.guid = r->kinds[from].provider, .kinds = to - from, .first = from};
    for (uint32_t i = from; i < to; i++) {
        struct known x;
        know(r, &r->kinds[i], &x);
        out->events += r->kinds[i].events;
        out->decoded += x.schema.layout != NULL;
        if (!out->name[0])
            snprintf(out->name, sizeof out->name, "%s", x.provider);
        is_wanted = is_wanted || mentions(&x, &out->guid, r->o->text);
    }
    return is_wanted;
}

static void print_list(struct report *r, struct line *lines, size_t count)
{
    qsort(lines, count, sizeof *lines, by_events);
    show(r->o->to, "%10s %6s %7s  %-36s  %s\n", "EVENTS", "KINDS", "DECODED", "GUID", "PROVIDER");
    for (size_t i = 0; i < count; i++) {
        char guid[GUID_TEXT];
        show(r->o->to, "%10" PRIu64 " %6" PRIu32 " %7" PRIu32 "  %s  %s\n", lines[i].events,
             lines[i].kinds, lines[i].decoded, guid_format(&lines[i].guid, guid),
             lines[i].name[0] ? lines[i].name : "-");
    }
    if (r->beyond)
        show(r->o->to, "%10" PRIu64 " %6s %7s  of more kinds than there is room for\n", r->beyond,
             "", "");
}

/* ---- one provider ---------------------------------------------------------------------------- */

/* As manifests and TraceLogging call them. */
static const char *type_name(const struct field *f)
{
    static const char *const names[] = {
        [FIELD_U8] = "UInt8",
        [FIELD_I8] = "Int8",
        [FIELD_U16] = "UInt16",
        [FIELD_I16] = "Int16",
        [FIELD_U32] = "UInt32",
        [FIELD_I32] = "Int32",
        [FIELD_U64] = "UInt64",
        [FIELD_I64] = "Int64",
        [FIELD_POINTER] = "Pointer",
        [FIELD_SIZE] = "SizeT",
        [FIELD_GUID] = "GUID",
        [FIELD_IPV4] = "IPv4",
        [FIELD_IPV6] = "IPv6",
        [FIELD_PORT] = "Port",
        [FIELD_ASTR] = "AnsiString",
        [FIELD_WSTR] = "UnicodeString",
        [FIELD_SID] = "SID",
        [FIELD_WCHARS] = "UnicodeChar",
        [FIELD_BYTES] = "Binary",
        [FIELD_HEX32] = "HexInt32",
        [FIELD_HEX64] = "HexInt64",
        [FIELD_HEX8] = "HexInt8",
        [FIELD_HEX16] = "HexInt16",
        [FIELD_BOOL8] = "Boolean8",
        [FIELD_BOOL32] = "Boolean",
        [FIELD_F32] = "Float",
        [FIELD_F64] = "Double",
        [FIELD_FILETIME] = "FILETIME",
        [FIELD_SYSTEMTIME] = "SYSTEMTIME",
        [FIELD_CHAR8] = "AnsiChar",
        [FIELD_CHAR16] = "UnicodeChar",
        [FIELD_NULL] = "Null",
        [FIELD_ACHARS] = "AnsiChar",
        [FIELD_BARE_SID] = "SID",
        [FIELD_COUNTED_ASTR] = "CountedAnsiString",
        [FIELD_COUNTED_WSTR] = "CountedString",
        [FIELD_COUNTED_BYTES] = "CountedBinary",
        [FIELD_STRUCT] = "Struct",
        [FIELD_UNKNOWN] = "(unknown)",
    };
    return f->type < sizeof names / sizeof *names ? names[f->type] : "(unknown)";
}

/* "[8]", "[Count]", "[]" where the rest or a number in front says how many; or "". */
static void put_count(const struct payload_layout *l, const struct field *f, FILE *to)
{
    if (f->counted_by && f->counted_by <= l->field_count)
        show(to, "[%s]", l->fields[f->counted_by - 1].name);
    else if (f->count > 1)
        show(to, "[%u]", f->count);
    else if (!f->count)
        show(to, "[]");
}

/* The first names of its numbers. */
static void put_map(const struct field *f, FILE *to)
{
    enum { NAMES = 6 };
    if (!f->map || !f->map->count)
        return;
    show(to, "  %s", f->map->is_bits ? "bits: " : "");
    for (uint32_t i = 0; i < f->map->count && i < NAMES; i++)
        show(to, "%s%s%" PRIu32 " %s", i ? ", " : "", f->map->is_bits ? "0x" : "",
             f->map->entries[i].value, f->map->entries[i].name);
    if (f->map->count > NAMES)
        show(to, ", … (%" PRIu32 ")", f->map->count);
}

static void print_fields(const struct payload_layout *l, FILE *to)
{
    unsigned left[4] = {0}, depth = 0; /* members of the structures that a field is in */
    for (unsigned i = 0; i < l->field_count; i++) {
        const struct field *const f = &l->fields[i];
        while (depth && !left[depth - 1])
            depth--;
        for (unsigned k = 0; k < depth; k++)
            left[k]--;
        show(to, "    %*s%-17s %s", (int)(2 * depth), "", type_name(f), f->name);
        put_count(l, f, to);
        put_map(f, to);
        show(to, "\n");
        if (f->type == FIELD_STRUCT && depth < sizeof left / sizeof *left)
            left[depth++] = f->members;
    }
}

static void put_named(FILE *to, const char *what, unsigned number, const char *name)
{
    if (*name)
        show(to, ", %s %s", what, name);
    else if (number)
        show(to, ", %s %u", what, number);
}

static void print_kind(struct report *r, const struct kind *k)
{
    FILE *const to = r->o->to;
    struct known x;
    know(r, k, &x);
    const struct event *const e = &x.e;
    const struct provider_names *const n = x.schema.names;
    char keywords[PROVIDER_KEYWORDS];
    struct event all = *e;
    all.keyword = k->keywords;
    const bool is_classic = e->kind != HEADER_MANIFEST;
    show(to, "\n%s: %s %u, version %u", *x.event ? x.event : "(no name)",
         is_classic ? "opcode" : "event", is_classic ? e->opcode : e->id, e->version);
    if (!is_classic) {
        put_named(to, "level", e->level, provider_level_name(n, e));
        put_named(to, "task", e->task, provider_task_name(n, e));
        put_named(to, "opcode", e->opcode, provider_opcode_name(n, e));
        put_named(to, "channel", e->channel, provider_channel_name(n, e));
    }
    show(to, "\n    %" PRIu64 " event%s, fields: %s\n", k->events, k->events == 1 ? "" : "s",
         x.schema.layout ? schema_origin_name(x.schema.origin) : "not known");
    if (!is_classic && all.keyword && provider_keyword_names(n, &all, keywords))
        show(to, "    keywords: %s\n", keywords);
    if (x.schema.layout)
        print_fields(x.schema.layout, to);
}

static void print_provider(struct report *r, const struct line *l)
{
    char guid[GUID_TEXT], count[TEXT_COUNT], kinds[TEXT_COUNT];
    show(r->o->to, "%s {%s}: %s of %s\n", l->name[0] ? l->name : "(no name)",
         guid_format(&l->guid, guid), text_count(count, l->events, "event"),
         text_count(kinds, l->kinds, "kind"));
    for (uint32_t i = l->first; i < l->first + l->kinds; i++)
        print_kind(r, &r->kinds[i]);
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool is_asked_for(struct report *r, const struct line *l)
{
    bool is = false;
    for (uint32_t i = l->first; i < l->first + l->kinds && !is; i++) {
        struct known x;
        know(r, &r->kinds[i], &x);
        is = has_name(&x, &l->guid, r->o->text);
    }
    return is;
}

static int print(struct report *r, struct err *err)
{
    struct line *const lines = mem_new(r->count + 1, sizeof *lines);
    size_t count = 0;
    qsort(r->kinds + 1, r->count - 1, sizeof *r->kinds, compare);
    for (uint32_t from = 1, to; from < r->count; from = to) {
        to = end_of_provider(r, from);
        count += make_line(r, from, to, &lines[count]);
    }
    bool is_found = r->o->verb != PROVIDER_REPORT_SHOW;
    for (size_t i = 0; i < count && r->o->verb == PROVIDER_REPORT_SHOW; i++) {
        if (!is_asked_for(r, &lines[i]))
            continue;
        print_provider(r, &lines[i]);
        is_found = true;
    }
    if (r->o->verb != PROVIDER_REPORT_SHOW)
        print_list(r, lines, count);
    free(lines);
    if (!is_found)
        fail(err,
             "no events of a provider '%.200s' are there; 'tracetop providers list FILE' lists "
             "those "
             "that are",
             r->o->text);
    return !is_found ? STATUS_ERROR : r->is_whole ? STATUS_OK : STATUS_SKIPPED;
}

int provider_report_run(const struct provider_report *o, struct err *err)
{
    enum { FIRST_ROOM = 256 };
    struct report r = {
        .o = o, .schemas = schemas_new(), .count = 1, .room = FIRST_ROOM, .is_whole = true};
    r.kinds = mem_new(r.room, sizeof *r.kinds);
    hash_index_init(&r.index, r.room);
    bool is_read = true;
    for (size_t i = 0; i < o->file_count && is_read; i++)
        is_read = read_file(&r, i, err);
    const int status = is_read ? print(&r, err) : STATUS_ERROR;
    for (uint32_t i = 1; i < r.count; i++)
        free(r.kinds[i].first);
    free(r.kinds);
    hash_index_fini(&r.index);
    schemas_free(r.schemas);
    return status;
}
