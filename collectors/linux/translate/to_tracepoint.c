/* Any tracepoint → an event that describes itself: provider SYSTEM, event EVENT, and the fields of
 * the format text. Everything that does not change is laid out once; a sample costs a copy of that
 * and of its fields. */
#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/translate/tracepoint.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/event/tracetop_write.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIELDS_MOST = 64, /* of an event: the others are left out */
    TEMPLATE_ROOM = 8192,
    TEXT_MOST = 4096,   /* bytes of a text or of an array whose size is in the record */
    PLAIN_MOST = 16384, /* bytes of all numbers */
    SPEC_ROOM = 512,
};

/* How a field's bytes come out of the record. */
enum piece_kind { PIECE_PLAIN, PIECE_TEXT, PIECE_BYTES, PIECE_LOC_TEXT, PIECE_LOC_BYTES };

struct piece {
    uint16_t offset, size;
    uint8_t kind; /* enum piece_kind */
    bool is_relative;
};

struct tracepoint {
    char *group, *name, *filter; /* filter: NULL where there is none */
    struct piece pieces[FIELDS_MOST];
    unsigned piece_count;
    uint32_t plain_bytes; /* of those that are numbers */
    uint16_t template_bytes;
    uint8_t template[TEMPLATE_ROOM]; /* header and description */
};

struct tracepoints {
    struct linux_event *events; /* what stands at one number in both … */
    struct tracepoint *points;  /* … belongs together */
    size_t count;
};

/* ---- fields ------------------------------------------------------------------------------ */

static bool is_text_of(const struct format_item *f)
{
    return strcmp(f->type, "char") == 0 || strcmp(f->type, "const char") == 0;
}

/* Of one element of an array, by its type's name; 0: not known. */
static unsigned element_bytes(const struct format_item *f)
{
    static const struct {
        const char *word;
        uint8_t bytes;
    } words[] = {{"64", 8}, {"long", 8}, {"32", 4}, {"int", 4}, {"16", 2}, {"short", 2}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(f->type, words[i].word))
            return f->size % words[i].bytes ? 0 : words[i].bytes;
    return 0;
}

static enum piece_kind kind_of(const struct format_item *f)
{
    if (f->is_data_loc || f->is_rel_loc)
        return is_text_of(f) ? PIECE_LOC_TEXT : PIECE_LOC_BYTES;
    if (f->is_array)
        return is_text_of(f) ? PIECE_TEXT : element_bytes(f) ? PIECE_PLAIN : PIECE_BYTES;
    const bool is_number = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
    return is_number ? PIECE_PLAIN : PIECE_BYTES;
}

void tracepoint_type(const struct format_item *f, char *out, size_t room)
{
    const enum piece_kind kind = kind_of(f);
    const unsigned bytes = f->is_array ? element_bytes(f) : f->size;
    if (kind == PIECE_TEXT || kind == PIECE_LOC_TEXT)
        snprintf(out, room, "text");
    else if (kind != PIECE_PLAIN)
        snprintf(out, room, "bytes");
    else if (strchr(f->type, '*') && bytes == sizeof(uint64_t))
        snprintf(out, room, "hex64");
    else if (f->is_array)
        snprintf(out, room, "%c%u[%u]", f->is_signed ? 'i' : 'u', bytes * 8, f->size / bytes);
    else
        snprintf(out, room, "%c%u", f->is_signed ? 'i' : 'u', bytes * 8);
}

/* As many as there is room for. */
static void add_field(struct tracepoint *p, const struct format_item *f, char *fields, size_t room)
{
    char type[32];
    const size_t used = strlen(fields);
    const uint32_t plain = kind_of(f) == PIECE_PLAIN ? f->size : 0;
    tracepoint_type(f, type, sizeof type);
    if (p->piece_count == FIELDS_MOST || p->plain_bytes + plain > PLAIN_MOST ||
        used + strlen(f->name) + strlen(type) + 3 > room)
        return;
    p->plain_bytes += plain;
    snprintf(fields + used, room - used, "%s%s:%s", used ? "," : "", f->name, type);
    p->pieces[p->piece_count++] = (struct piece){.offset = (uint16_t)f->offset,
                                                 .size = (uint16_t)f->size,
                                                 .kind = (uint8_t)kind_of(f),
                                                 .is_relative = f->is_rel_loc};
}

struct guid tracepoint_provider(const char *group)
{
    return guid_of_name("tracetop", group);
}

static void make_template(struct tracepoint *p, const char *format)
{
    char fields[TEMPLATE_ROOM / 2] = "";
    struct format_item f;
    for (const char *at = format; format_next(&at, &f);)
        add_field(p, &f, fields, sizeof fields);
    const struct event_description d = {tracepoint_provider(p->group), p->group, p->name, fields};
    struct payload_writer w = {p->template, p->template, p->template + sizeof p->template};
    described_write_begin(&w, &d, 0, 0, 0);
    p->template_bytes = (uint16_t)(w.at - w.start);
}

/* ---- samples ----------------------------------------------------------------------------- */

/* A text or bytes whose place the record names. */
static const uint8_t *located(const struct sample *s, const struct piece *p, size_t *bytes)
{
    *bytes = 0;
    if (p->offset + sizeof(uint32_t) > s->raw_bytes)
        return NULL;
    const uint32_t place = load_u32(s->raw + p->offset);
    const uint32_t at = (place & 0xffff) + (p->is_relative ? p->offset + 4u : 0u);
    const uint32_t length = place >> 16;
    if (at > s->raw_bytes || length > s->raw_bytes - at)
        return NULL;
    *bytes = length < TEXT_MOST ? length : TEXT_MOST;
    return s->raw + at;
}

static void put_up_to_nul(struct payload_writer *w, const uint8_t *text, size_t bytes)
{
    const size_t length = text ? strnlen((const char *)text, bytes) : 0;
    if (length)
        put_bytes(w, text, length);
    put_u8(w, 0);
}

static void put_counted(struct payload_writer *w, const uint8_t *at, size_t bytes)
{
    put_u16(w, (unsigned)bytes);
    if (bytes)
        put_bytes(w, at, bytes);
}

/* What the record lacks is zero, and a text for which there is no room is empty: numbers have
 * theirs in any case. */
static void put_piece(struct payload_writer *w, const struct sample *s, const struct piece *p)
{
    size_t bytes = p->size;
    const bool is_there = p->offset + bytes <= s->raw_bytes;
    const uint8_t *at = is_there ? s->raw + p->offset : NULL;
    if (p->kind == PIECE_LOC_TEXT || p->kind == PIECE_LOC_BYTES)
        at = located(s, p, &bytes);
    if (p->kind != PIECE_PLAIN &&
        payload_room(w) < bytes + PLAIN_MOST + FIELDS_MOST * sizeof(uint16_t))
        at = NULL;
    if (p->kind == PIECE_TEXT || p->kind == PIECE_LOC_TEXT)
        put_up_to_nul(w, at, bytes);
    else if (p->kind != PIECE_PLAIN)
        put_counted(w, at, at ? bytes : 0);
    else if (at)
        put_bytes(w, at, bytes);
    else
        put_zeros(w, bytes);
}

static void translate(struct translator *t, const struct sample *s)
{
    const struct tracepoint *const p = &t->tracepoints->points[s->event - t->tracepoints->events];
    if (t->scope && !scope_has(t->scope, s->tid))
        return;
    struct payload_writer *const w = record_begin_described(t, p->template, p->template_bytes, s);
    for (unsigned i = 0; i < p->piece_count; i++)
        put_piece(w, s, &p->pieces[i]);
    record_end(t);
    stack_put(t, s, s->pid, s->tid, s->time);
}

/* ---- what was asked for ------------------------------------------------------------------ */

/* "tp:SYSTEM:EVENT" or "tp:SYSTEM:EVENT:FILTER", which may have colons. */
static bool read_name(const char *text, struct tracepoint *p, struct err *err)
{
    static const char prefix[] = "tp:";
    const char *const group = text + sizeof prefix - 1;
    const char *const colon = strncmp(text, prefix, sizeof prefix - 1) ? NULL : strchr(group, ':');
    const size_t name = colon ? strcspn(colon + 1, ":") : 0;
    if (!colon || colon == group || !name || strlen(text) >= SPEC_ROOM ||
        memchr(text, '/', (size_t)(colon + 1 + name - text)))
        return fail(
            err,
            "expected a tracepoint, tp:SYSTEM:EVENT or tp:SYSTEM:EVENT:FILTER, found '%.200s'; "
            "'tracetop providers list' lists the systems",
            text);
    const char *const filter = colon[1 + name] ? colon + 1 + name + 1 : "";
    p->group = mem_string(group);
    p->group[colon - group] = '\0';
    p->name = mem_string(colon + 1);
    p->name[name] = '\0';
    p->filter = *filter ? mem_string(filter) : NULL;
    return true;
}

/* Before anything else is started: a filter that is wrong is the user's. */
static bool try_filter(const struct tracepoint *p, const char *format, struct perf *perf,
                       struct err *err)
{
    const struct perf_request w = {
        .type = PERF_TYPE_TRACEPOINT, .config = format_id(format), .period = 1, .has_raw = true};
    struct err why;
    int error = 0;
    const int fd = perf_open(perf, &w, 0, &error, &why);
    if (fd < 0)
        return fail(err, "%s:%s cannot be opened: %s", p->group, p->name, why.text);
    const bool is_good = !p->filter || perf_filter(fd, p->filter, &why);
    perf_close(fd);
    return is_good || fail(err, "%s:%s: %s", p->group, p->name, why.text);
}

static bool read_point(const char *text, const struct tracefs *fs, struct perf *perf,
                       struct tracepoint *p, struct err *err)
{
    struct err why;
    if (!read_name(text, p, err))
        return false;
    char *const format = tracefs_format(fs, p->group, p->name, &why);
    if (!format)
        return fail(err, "%s; 'tracetop providers show %.100s' lists those of that system",
                    why.text, p->group);
    make_template(p, format);
    const bool is_good = try_filter(p, format, perf, err);
    free(format);
    return is_good;
}

static void describe(const struct tracepoint *p, struct linux_event *out)
{
    *out = (struct linux_event){.group = p->group,
                                .name = p->name,
                                .translate = translate,
                                .is_asked_for = true,
                                .filter = p->filter,
                                .stack_bytes = 16384,
                                .serves = "events of that tracepoint"};
}

struct tracepoints *tracepoints_new(const char *const *names, size_t count,
                                    const struct tracefs *fs, struct perf *perf, struct err *err)
{
    struct tracepoints *const t = mem_new(1, sizeof *t);
    t->events = mem_new(count, sizeof *t->events);
    t->points = mem_new(count, sizeof *t->points);
    for (size_t i = 0; i < count; i++) {
        t->count++;
        if (!read_point(names[i], fs, perf, &t->points[i], err)) {
            tracepoints_free(t);
            return NULL;
        }
        describe(&t->points[i], &t->events[i]);
    }
    return t;
}

void tracepoints_free(const struct tracepoints *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++) {
        free(t->points[i].group);
        free(t->points[i].name);
        free(t->points[i].filter);
    }
    free(t->events);
    free(t->points);
    free((struct tracepoints *)(uintptr_t)t);
}

static const struct linux_event *events_of_run(const struct translator *t, size_t *count)
{
    *count = t->tracepoints ? t->tracepoints->count : 0;
    return t->tracepoints ? t->tracepoints->events : NULL;
}

const struct linux_domain domain_tracepoint = {.id = "tracepoint", .events_of_run = events_of_run};
