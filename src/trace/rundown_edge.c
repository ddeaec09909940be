/* What a rundown says at the edges of a cut. See rundown.h. */
#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/event/decode.h"
#include "src/event/providers.h"
#include "src/event/tracetop_provider.h"
#include "src/event/tracetop_write.h"
#include "src/trace/rundown.h"
#include "src/trace/rundown_inside.h"
#include "src/trace/rundown_rule.h"

#include <string.h>

/* The types of the records at the edges. Names of files have one type for any time: they are
 * written at the start and hold from there. */
static const uint8_t types[RUNDOWN_CLASSES][2] = {
    [RUNDOWN_PROCESS] = {3, 4}, [RUNDOWN_THREAD] = {3, 4}, [RUNDOWN_IMAGE] = {3, 4},
    [RUNDOWN_FILE] = {36, 0},   [RUNDOWN_KEY] = {24, 25},  [RUNDOWN_RUNTIME] = {1, 0},
};

static const uint8_t groups[RUNDOWN_CLASSES] = {
    [RUNDOWN_PROCESS] = 0x03, [RUNDOWN_THREAD] = 0x05, [RUNDOWN_IMAGE] = 0x14,
    [RUNDOWN_FILE] = 0x04,    [RUNDOWN_KEY] = 0x09,
};

/* Is its process there at that edge? Where that is unknown, yes. */
static bool has_host(const struct rundown *r, const struct rundown_lifetime *l,
                     enum rundown_edge edge)
{
    uint64_t hash;
    struct event e;
    struct thing own;
    if ((l->class != RUNDOWN_RUNTIME && l->class != RUNDOWN_IMAGE) ||
        event_parse(l->record, l->bytes, &e) != EVENT_OK || !rundown_thing_key(&e, l->class, &own))
        return true;
    const struct thing like = {.key = l->class == RUNDOWN_IMAGE ? own.more : own.key,
                               .class = RUNDOWN_PROCESS,
                               .source = l->source};
    const struct thing *const t = rundown_find(r, &like, &hash);
    if (!t)
        return true;
    for (uint32_t i = t->latest; i; i = r->lifetimes[i - 1].before) {
        const struct rundown_lifetime *const p = &r->lifetimes[i - 1];
        const bool is_later = l->class == RUNDOWN_RUNTIME && p->from > l->from;
        if (!is_later && (edge == RUNDOWN_START ? p->from < r->from && p->to >= r->from
                                                : p->from <= r->to && p->to > r->to))
            return true;
    }
    return false;
}

static bool is_due(const struct rundown *r, const struct rundown_lifetime *l,
                   enum rundown_edge edge)
{
    if (!l->record || !types[l->class][edge])
        return false;
    if (edge == RUNDOWN_END)
        return l->from <= r->to && l->to > r->to && !l->is_reported_at_end && !l->is_by_provider &&
               has_host(r, l, edge);
    /* The name of a file may stand anywhere. */
    const bool is_reported =
        l->is_reported_at_start || (l->class == RUNDOWN_FILE && l->is_reported_at_end);
    return l->from < r->from && l->to >= r->from && !is_reported && has_host(r, l, edge);
}

/* The record under the type of that edge. */
static void retype(uint8_t *record, const struct rundown_lifetime *l, enum rundown_edge edge)
{
    struct event e;
    enum { PROVIDER = 24 }; /* of EVENT_HEADER */
    if (event_parse(record, l->bytes, &e) != EVENT_OK)
        return;
    if (l->is_by_provider)
        return;
    if (l->class == RUNDOWN_RUNTIME) {
        memcpy(record + PROVIDER, &dotnet_rundown_provider, sizeof dotnet_rundown_provider);
    } else if (header_is_kernel(e.kind)) {
        record[6] = types[l->class][edge];
        record[7] = groups[l->class];
    } else {
        record[4] = types[l->class][edge];
    }
}

/* No record that lists a process or an image says since when it is there. */
static uint32_t beginning_of(const struct rundown *r, const struct rundown_lifetime *l,
                             uint8_t *out)
{
    struct event e;
    struct thing t;
    struct payload_writer p = {out, out, out + EVENT_RECORD_ROOM};
    if ((l->class != RUNDOWN_PROCESS && l->class != RUNDOWN_IMAGE) || l->began <= 0 ||
        l->began >= r->from || l->is_by_provider ||
        event_parse(l->record, l->bytes, &e) != EVENT_OK || !rundown_thing_key(&e, l->class, &t))
        return 0;
    if (l->class == RUNDOWN_PROCESS) {
        tracetop_write_begin(&p, "Lifetime", "pid:u32,since:u64", EVENT_NO_ID, EVENT_NO_ID, 0);
        put_u32(&p, (uint32_t)t.key);
        put_u64(&p, (uint64_t)(r->from - l->began));
    } else {
        tracetop_write_begin(&p, "Mapping", "pid:u32,base:hex64,loaded:u64", EVENT_NO_ID,
                             EVENT_NO_ID, 0);
        put_u32(&p, (uint32_t)t.more);
        put_u64(&p, t.key);
        put_u64(&p, (uint64_t)l->began);
    }
    tracetop_write_end(&p);
    return (uint32_t)(p.at - p.start);
}

static void put_text_of(struct payload_writer *p, const struct event *e, const char *field)
{
    enum { LONGEST = 16384 };
    const char *text;
    if (tracetop_event_text(e, field, &text))
        put_bytes(p, text, strnlen(text, LONGEST));
    put_u8(p, 0);
}

/* A Command record in place of Exec: no exec takes place at the edge. */
static uint32_t program_of(const struct update *t, uint8_t *out)
{
    uint64_t pid;
    struct event e;
    struct payload_writer p = {out, out, out + EVENT_RECORD_ROOM};
    if (event_parse(t->record, t->bytes, &e) != EVENT_OK || !tracetop_event_number(&e, "pid", &pid))
        return 0;
    tracetop_write_begin(&p, "Command", "pid:u32,name:text,path:text,arguments:text", EVENT_NO_ID,
                         EVENT_NO_ID, 0);
    put_u32(&p, (uint32_t)pid);
    put_text_of(&p, &e, "name");
    put_text_of(&p, &e, "path");
    put_text_of(&p, &e, "arguments");
    tracetop_write_end(&p);
    return (uint32_t)(p.at - p.start);
}

enum part { PART_RECORD, PART_BEGINNING, PART_UPDATES };

/* A lifetime's own record, its beginning, or one of its updates. */
static uint32_t record_of(const struct rundown *r, const struct rundown_lifetime *l, size_t part,
                          enum rundown_edge edge, uint8_t *out)
{
    if (part == PART_RECORD) {
        memcpy(out, l->record, l->bytes);
        retype(out, l, edge);
        return l->bytes;
    }
    if (part == PART_BEGINNING)
        return edge == RUNDOWN_START ? beginning_of(r, l, out) : 0;
    const struct update *t = l->updates[edge];
    for (; t && part > PART_UPDATES; part--)
        t = t->next;
    if (!t)
        return 0;
    if (t->kind == UPDATE_EXEC)
        return program_of(t, out);
    memcpy(out, t->record, t->bytes);
    return t->bytes;
}

uint32_t rundown_next(const struct rundown *r, enum rundown_edge edge, size_t *at, uint8_t *out,
                      unsigned *source)
{
    /* Class by class, so that processes come before what they own. */
    enum { PARTS = PART_UPDATES + UPDATE_KINDS };
    const size_t lifetimes = r->lifetime_count;
    while (*at < lifetimes * PARTS * RUNDOWN_CLASSES) {
        const struct rundown_lifetime *const l = &r->lifetimes[*at / PARTS % lifetimes];
        const size_t class = *at / PARTS / lifetimes, part = *at % PARTS;
        const bool is_it = l->class == class && is_due(r, l, edge);
        *at += is_it ? 1 : PARTS;
        const uint32_t bytes = is_it ? record_of(r, l, part, edge, out) : 0;
        *source = l->source;
        if (bytes)
            return bytes;
    }
    return 0;
}

bool rundown_wants(const struct rundown *r, const struct event *e)
{
    struct thing like;
    uint64_t hash;
    if (rundown_class_of(e) != RUNDOWN_CONNECTION ||
        !rundown_thing_key(e, RUNDOWN_CONNECTION, &like))
        return false;
    const struct thing *const t = rundown_find(r, &like, &hash);
    for (uint32_t i = t ? t->latest : 0; i; i = r->lifetimes[i - 1].before) {
        const struct rundown_lifetime *const l = &r->lifetimes[i - 1];
        if (l->from < r->from && l->to >= r->from && l->bytes == e->record_bytes &&
            memcmp(l->record, e->record, l->bytes) == 0)
            return true;
    }
    return false;
}

bool rundown_name(const struct rundown *r, enum rundown_class class, unsigned source,
                  uint64_t object, int64_t ns, struct event *out)
{
    const struct thing like = {.key = object, .class = (uint8_t) class, .source = (uint8_t)source};
    uint64_t hash;
    const struct thing *const t = rundown_find(r, &like, &hash);
    const struct rundown_lifetime *l = NULL;
    for (uint32_t i = t ? t->latest : 0; i && (!l || l->from > ns); i = l->before)
        l = &r->lifetimes[i - 1];
    return l && event_parse(l->record, l->bytes, out) == EVENT_OK;
}
