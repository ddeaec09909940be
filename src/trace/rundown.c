/* A *thing* is a process, thread, image …: a class and a key (pid, tid, address …) within a source.
 * A *lifetime* is of one user of the key. An open one is found by its thing; one that ended before
 * the stretch is forgotten, and so is one that begins behind it.
 *
 * A thing that is only in a rundown at the end counts as there since its key was last free.
 *
 * *Updates* are later records about a lifetime: the program and user of a process, the name of a
 * thread, the place of an image in its file. The last of each kind is repeated at both ends, behind
 * the lifetime's own record, which has the names of its beginning. */
#include "src/trace/rundown.h"

#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/event/decode.h"
#include "src/event/tracetop_provider.h"
#include "src/trace/rundown_inside.h"
#include "src/trace/rundown_provider.h"
#include "src/trace/rundown_rule.h"

#include <stdlib.h>
#include <string.h>

/* Of both, things and lifetimes: half a gigabyte, names and all. */
enum { LIFETIMES_MOST = 2 << 20 };

/* The kinds of earlier updates that an update replaces, as bits. */
static const uint8_t voids[UPDATE_KINDS] = {
    [UPDATE_COMMAND] = 1 << UPDATE_COMMAND | 1 << UPDATE_EXEC | 1 << UPDATE_RENAME,
    [UPDATE_EXEC] = 1 << UPDATE_EXEC | 1 << UPDATE_RENAME,
    [UPDATE_RENAME] = 1 << UPDATE_RENAME,
    [UPDATE_OWNER] = 1 << UPDATE_OWNER,
    [UPDATE_MAPPING] = 1 << UPDATE_MAPPING,
    [UPDATE_THREAD] = 1 << UPDATE_THREAD,
};

/* ---- things --------------------------------------------------------------------------------- */

bool rundown_thing_key(const struct event *e, enum rundown_class class, struct thing *out)
{
    *out = (struct thing){.class = (uint8_t) class, .source = e->source, .freed = INT64_MIN};
    return rundown_key_of(e, class, &out->key, &out->more);
}

static uint64_t thing_hash(const struct thing *t, unsigned attempt)
{
    return hash_mix(hash_mix(t->key) ^ t->more * 0xff51afd7ed558ccdu) + (uint64_t)t->class * 257 +
           t->source * 65537u + attempt * 0x9e3779b97f4a7c15u;
}

static bool is_same(const struct thing *a, const struct thing *b)
{
    return a->key == b->key && a->more == b->more && a->class == b->class && a->source == b->source;
}

struct thing *rundown_find(const struct rundown *r, const struct thing *like, uint64_t *hash)
{
    for (unsigned attempt = 0;; attempt++) {
        *hash = thing_hash(like, attempt);
        const uint32_t index = map_get(&r->map, *hash);
        if (!index)
            return NULL;
        if (is_same(&r->things[index], like))
            return &r->things[index];
    }
}

static struct thing *thing_of(struct rundown *r, const struct thing *like)
{
    uint64_t hash;
    struct thing *const t = rundown_find(r, like, &hash);
    if (t)
        return t;
    if (r->thing_count == LIFETIMES_MOST) {
        r->forgotten++;
        return NULL;
    }
    if (++r->thing_count >= r->thing_room) {
        r->thing_room = r->thing_room ? r->thing_room * 2 : 1024;
        r->things = mem_grow(r->things, r->thing_room, sizeof *r->things);
    }
    r->things[r->thing_count] = *like;
    map_put(&r->map, hash, r->thing_count);
    return &r->things[r->thing_count];
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static struct rundown_lifetime *lifetime_new(struct rundown *r, struct thing *t,
                                             const struct event *e)
{
    if (r->lifetime_count == LIFETIMES_MOST) {
        r->forgotten++;
        return NULL;
    }
    if (r->lifetime_count == r->lifetime_room) {
        r->lifetime_room = r->lifetime_room ? r->lifetime_room * 2 : 1024;
        r->lifetimes = mem_grow(r->lifetimes, r->lifetime_room, sizeof *r->lifetimes);
    }
    struct rundown_lifetime *const l = &r->lifetimes[r->lifetime_count++];
    *l = (struct rundown_lifetime){.to = INT64_MAX,
                                   .began = INT64_MIN,
                                   .class = t->class,
                                   .source = t->source,
                                   .record = mem_copy(e->record, e->record_bytes),
                                   .bytes = e->record_bytes,
                                   .before = t->latest};
    t->lifetime = t->latest = r->lifetime_count;
    return l;
}

/* Those of these kinds, as bits. */
static void updates_drop(struct update **at, unsigned kinds)
{
    for (struct update *t = *at; t; t = *at)
        if (kinds >> t->kind & 1) {
            *at = t->next;
            free(t);
        } else {
            at = &t->next;
        }
}

/* NULL: there is none of that kind. */
static const struct update *updates_find(const struct update *t, enum update_kind kind)
{
    while (t && t->kind != kind)
        t = t->next;
    return t;
}

static void updates_add(struct update **at, enum update_kind kind, const struct event *e)
{
    struct update *const t = mem_new(1, sizeof *t + e->record_bytes);
    updates_drop(at, voids[kind]);
    while (*at)
        at = &(*at)->next;
    t->kind = kind;
    t->bytes = e->record_bytes;
    memcpy(t->record, e->record, e->record_bytes);
    *at = t;
}

static void lifetime_free(struct rundown_lifetime *l)
{
    updates_drop(&l->updates[RUNDOWN_START], ~0u);
    updates_drop(&l->updates[RUNDOWN_END], ~0u);
    free(l->record);
    l->record = NULL;
}

/* The last one there is may go altogether; others stay as empty places. */
static void lifetime_drop(struct rundown *r, struct rundown_lifetime *l)
{
    lifetime_free(l);
    if (l == &r->lifetimes[r->lifetime_count - 1])
        r->lifetime_count--;
}

static void close_lifetime(struct rundown *r, struct thing *t, int64_t ns)
{
    t->freed = ns;
    if (!t->lifetime)
        return;
    struct rundown_lifetime *const l = &r->lifetimes[t->lifetime - 1];
    l->to = ns;
    t->lifetime = 0;
    if (ns < r->from) {
        t->latest = 0;
        lifetime_drop(r, l);
    }
}

/* The same name again belongs to the same lifetime; another name for the key begins another. */
static bool is_renamed(const struct rundown_lifetime *l, const struct event *e)
{
    struct event was;
    return l->class == RUNDOWN_FILE && (event_parse(l->record, l->bytes, &was) != EVENT_OK ||
                                        was.payload_bytes != e->payload_bytes ||
                                        memcmp(was.payload, e->payload, e->payload_bytes) != 0);
}

/* Something is listed twice where the first time little was known. */
static bool tells_more(const struct rundown_lifetime *l, const struct event *e,
                       enum rundown_opcode sign)
{
    return sign == OPCODE_START && (l->class == RUNDOWN_PROCESS || l->class == RUNDOWN_THREAD) &&
           e->record_bytes > l->bytes;
}

/* What is true at an edge. Of what comes behind the stretch: who it belongs to, and what it runs
 * where that was found out late. */
static void report_tale(const struct rundown *r, struct rundown_lifetime *l, const struct event *e,
                        enum update_kind kind, int64_t ns)
{
    const bool is_program = kind == UPDATE_EXEC || kind == UPDATE_RENAME;
    const bool is_found_late =
        (kind == UPDATE_COMMAND && !l->has_changed_behind) ||
        (kind == UPDATE_OWNER && !updates_find(l->updates[RUNDOWN_END], UPDATE_OWNER));
    l->has_changed_behind |= is_program && ns > r->to;
    if (ns < r->from)
        updates_add(&l->updates[RUNDOWN_START], kind, e);
    /* Nobody asks for the end of what has none. */
    if (kind != UPDATE_MAPPING && r->to != INT64_MAX && (ns <= r->to || is_found_late))
        updates_add(&l->updates[RUNDOWN_END], kind, e);
}

static void report_more(const struct rundown *r, const struct thing *t, const struct event *e,
                        enum update_kind kind, int64_t ns)
{
    uint64_t ago;
    struct rundown_lifetime *const l = t->lifetime ? &r->lifetimes[t->lifetime - 1] : NULL;
    if (l && kind != UPDATE_LIFETIME)
        report_tale(r, l, e, kind, ns);
    else if (l && l->began == INT64_MIN && tracetop_event_number(e, "since", &ago) && ns > 0 &&
             ago < (uint64_t)ns)
        l->began = ns - (int64_t)ago;
}

/* A fork is its parent's user's. */
static void inherit_owner(struct rundown *r, const struct thing *t, const struct event *e,
                          int64_t ns)
{
    uint64_t hash, parent;
    struct event copy;
    if (t->class != RUNDOWN_PROCESS || !rundown_field_of(e, "ParentId", &parent))
        return;
    const struct thing like = {
        .key = (uint32_t)parent, .class = RUNDOWN_PROCESS, .source = t->source};
    const struct thing *const from = rundown_find(r, &like, &hash);
    const struct update *const update =
        from && from->lifetime
            ? updates_find(r->lifetimes[from->lifetime - 1].updates[RUNDOWN_END], UPDATE_OWNER)
            : NULL;
    if (!update)
        return;
    uint8_t *const record = mem_copy(update->record, update->bytes);
    if (event_parse(record, update->bytes, &copy) == EVENT_OK &&
        tracetop_event_set_number(record, &copy, "pid", t->key))
        report_tale(r, &r->lifetimes[t->lifetime - 1], &copy, UPDATE_OWNER, ns);
    free(record);
}

static void begin(struct rundown *r, struct thing *t, const struct event *e,
                  enum rundown_opcode sign, int64_t ns)
{
    const bool is_inside = ns >= r->from && ns <= r->to;
    const bool is_new = sign == OPCODE_BEGIN && t->class != RUNDOWN_FILE;
    if (t->lifetime && (is_new || is_renamed(&r->lifetimes[t->lifetime - 1], e)))
        close_lifetime(r, t, ns);
    if (!t->lifetime) {
        const int64_t from = sign == OPCODE_BEGIN ? ns : t->freed;
        struct rundown_lifetime *const l = from > r->to ? NULL : lifetime_new(r, t, e);
        if (sign == OPCODE_BEGIN)
            t->freed = ns; /* things with this key that are seen later are not older */
        if (!l)
            return;
        l->from = from;
        if (sign == OPCODE_BEGIN) {
            l->began = ns;
            inherit_owner(r, t, e, ns);
        }
    }
    struct rundown_lifetime *const l = &r->lifetimes[t->lifetime - 1];
    const bool is_better = l->is_by_provider && e->kind != HEADER_MANIFEST;
    if ((is_better || tells_more(l, e, sign)) && ns <= r->to) {
        free(l->record);
        l->record = mem_copy(e->record, e->record_bytes);
        l->bytes = e->record_bytes;
        l->is_by_provider &= !is_better;
    }
    l->is_reported_at_start |= is_inside && sign != OPCODE_STOP;
    l->is_reported_at_end |= is_inside && sign == OPCODE_STOP;
}

/* Where the kernel logger reports a process as well, in either order, its records are kept. A
 * process of which only the end is known was there since its id was last free. */
static void note_provider(struct rundown *r, struct thing *t, const struct event *e,
                          enum rundown_opcode sign, int64_t ns)
{
    uint8_t record[RUNDOWN_PROVIDER_ROOM];
    struct event rundown;
    const bool is_end = sign == OPCODE_END;
    if (t->lifetime && !r->lifetimes[t->lifetime - 1].is_by_provider && !is_end)
        return;
    if (!r->schemas)
        r->schemas = schemas_new();
    const bool is_news = !is_end || (!t->lifetime && t->freed == INT64_MIN);
    const uint32_t bytes = is_news ? rundown_provider_record(r->schemas, e, record) : 0;
    if (bytes && event_parse(record, bytes, &rundown) == EVENT_OK) {
        begin(r, t, &rundown, is_end ? OPCODE_STOP : sign, ns);
        if (t->lifetime)
            r->lifetimes[t->lifetime - 1].is_by_provider = true;
    }
    if (is_end)
        close_lifetime(r, t, ns);
}

void rundown_note(struct rundown *r, const struct event *e, int64_t ns)
{
    struct thing like;
    const struct rundown_rule *const rundown_rule = rundown_rule_of(e);
    if (!rundown_rule || !rundown_thing_key(e, rundown_rule->class, &like))
        return;
    struct thing *const t = thing_of(r, &like);
    if (!t)
        return;
    if (rundown_provider_is(e))
        note_provider(r, t, e, rundown_rule->sign, ns);
    else if (rundown_rule->sign == OPCODE_UPDATE)
        report_more(r, t, e, rundown_rule->update, ns);
    else if (rundown_rule->sign == OPCODE_END)
        close_lifetime(r, t, ns);
    else
        begin(r, t, e, rundown_rule->sign, ns);
}

/* ---- without an end -------------------------------------------------------------------------- */

/* A quarter of a million names of 200 bytes are 50 MB. */
enum { RECENT_FIRST = 1 << 15, RECENT_MOST = 1 << 18 };

struct sweep {
    struct rundown *from, *to;
    int64_t ns;
    uint32_t oldest; /* names of files that began before are forgotten */
};

static bool is_needed(const struct sweep *s, uint32_t lifetime)
{
    const struct rundown_lifetime *const l = &s->from->lifetimes[lifetime];
    return l->to >= s->ns && (l->class != RUNDOWN_FILE || lifetime >= s->oldest);
}

static struct rundown_lifetime *copy_lifetime(struct rundown *to, const struct rundown_lifetime *l)
{
    if (to->lifetime_count == to->lifetime_room) {
        to->lifetime_room = to->lifetime_room ? to->lifetime_room * 2 : 1024;
        to->lifetimes = mem_grow(to->lifetimes, to->lifetime_room, sizeof *to->lifetimes);
    }
    to->lifetimes[to->lifetime_count] = *l;
    to->lifetimes[to->lifetime_count].before = 0;
    return &to->lifetimes[to->lifetime_count++];
}

/* The thing with the lifetimes that are needed, the newest first; the others are freed. */
static void sweep_thing(struct sweep *s, const struct thing *t)
{
    uint64_t hash;
    uint32_t younger = 0;
    struct thing kept = *t;
    kept.lifetime = kept.latest = 0;
    for (uint32_t i = t->latest, before; i; i = before) {
        struct rundown_lifetime *const l = &s->from->lifetimes[i - 1];
        before = l->before;
        if (!is_needed(s, i - 1)) {
            lifetime_free(l);
            continue;
        }
        copy_lifetime(s->to, l);
        const uint32_t number = s->to->lifetime_count;
        if (younger)
            s->to->lifetimes[younger - 1].before = number;
        else
            kept.latest = number;
        if (i == t->lifetime)
            kept.lifetime = number;
        younger = number;
    }
    if (kept.latest && !rundown_find(s->to, &kept, &hash))
        *thing_of(s->to, &kept) = kept;
}

static void sweep(struct rundown *r, int64_t ns, uint32_t oldest)
{
    struct rundown kept = {
        .from = r->from, .to = r->to, .forgotten = r->forgotten, .schemas = r->schemas};
    struct sweep s = {r, &kept, ns, oldest};
    map_init(&kept.map);
    for (uint32_t i = 1; i <= r->thing_count; i++)
        sweep_thing(&s, &r->things[i]);
    free(r->lifetimes);
    free(r->things);
    map_fini(&r->map);
    *r = kept;
}

void rundown_make_room(struct rundown *r, int64_t ns)
{
    const uint32_t limit = r->limit ? r->limit : RECENT_FIRST;
    if (r->lifetime_count < limit && r->thing_count < limit)
        return;
    sweep(r, ns, 0);
    if (r->lifetime_count > RECENT_MOST / 2) {
        const uint32_t all = r->lifetime_count;
        sweep(r, ns, all / 2);
        r->forgotten += all - r->lifetime_count;
    }
    r->limit = r->lifetime_count * 2 > RECENT_FIRST ? r->lifetime_count * 2 : RECENT_FIRST;
}

/* ---- the rundown ----------------------------------------------------------------------------- */

struct rundown *rundown_new(int64_t from, int64_t to)
{
    struct rundown *const r = mem_new(1, sizeof *r);
    r->from = from;
    r->to = to;
    map_init(&r->map);
    return r;
}

void rundown_free(struct rundown *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->lifetime_count; i++)
        lifetime_free(&r->lifetimes[i]);
    free(r->lifetimes);
    free(r->things);
    map_fini(&r->map);
    schemas_free(r->schemas);
    free(r);
}

uint64_t rundown_forgotten(const struct rundown *r)
{
    return r->forgotten;
}
