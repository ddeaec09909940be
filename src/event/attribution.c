/* Lives are marks on the time line of an id: born, seen alive at a rundown, gone. Sorted,
 * the marks of one id are a short run; a hash finds the run, a binary search the time. */
#include "src/event/attribution.h"

#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/hash_index.h"
#include "src/base/mem.h"
#include "src/event/attribution_inside.h"
#include "src/event/decode.h"
#include "src/event/decode/table.h"
#include "src/event/providers.h"
#include "src/event/recent_marks.h"
#include "src/event/schema.h"
#include "src/event/tracetop_provider.h"

#include <stdlib.h>
#include <string.h>

/* Lifetimes come from bytes nobody vouches for. Four million marks are 128 MB and some
 * ten thousand times what a busy machine has in an hour. */
enum { LIFETIMES_MOST = 4 << 20, NAMES_MOST = 64 << 20, NAMES_RECENT = 8 << 20, NAME_BYTES = 1024 };

static uint64_t key_of(unsigned source, enum domain d, uint32_t id)
{
    return (uint64_t)source << 33 | (uint64_t)d << 32 | id;
}

struct attribution *attribution_new(void)
{
    struct attribution *a = mem_new(1, sizeof *a);
    a->names_room = 4096;
    a->names = mem_new(a->names_room, 1);
    a->names_used = 1;
    hash_index_init(&a->name_index, 128);
    return a;
}

struct attribution *attribution_new_live(void)
{
    struct attribution *const a = attribution_new();
    a->recent = mem_new(1, sizeof *a->recent);
    recent_marks_init(&a->recent->marks);
    a->recent->names_limit = NAMES_RECENT;
    for (unsigned i = 0; i < SOURCES; i++)
        a->recent->asked[i] = a->recent->gone[i] = INT64_MIN;
    return a;
}

void attribution_free(struct attribution *a)
{
    if (!a)
        return;
    for (unsigned i = 0; i < SOURCES; i++)
        free(a->running[i]);
    if (a->recent)
        recent_marks_fini(&a->recent->marks);
    free(a->recent);
    free(a->marks);
    free(a->runs);
    free(a->names);
    hash_index_fini(&a->name_index);
    schemas_free(a->schemas);
    free(a);
}

/* ---- names ------------------------------------------------------------------------ */

static uint64_t hash_text(const char *text, size_t bytes)
{
    return mix(hash_bytes(HASH_START, text, bytes));
}

static uint64_t hash_of_name(const void *names, uint32_t offset)
{
    const char *const name = (const char *)names + offset;
    return hash_text(name, strlen(name));
}

static uint32_t add_name(struct attribution *a, const char *name, size_t bytes)
{
    if (a->names_used + bytes + 1 > NAMES_MOST)
        return 0;
    while (a->names_used + bytes + 1 > a->names_room) {
        a->names_room *= 2;
        a->names = mem_grow(a->names, a->names_room, 1);
    }
    const uint32_t at = a->names_used;
    memcpy(a->names + at, name, bytes + 1);
    a->names_used += (uint32_t)bytes + 1;
    return at;
}

static uint32_t intern(struct attribution *a, const char *name, size_t bytes)
{
    if (bytes == 0)
        return 0;
    const struct hash_index *const x = &a->name_index;
    uint32_t at = hash_index_first(x, hash_text(name, bytes));
    for (uint32_t known; (known = x->numbers[at]); at = hash_index_next(x, at))
        if (strcmp(a->names + known, name) == 0)
            return known;
    const uint32_t offset = add_name(a, name, bytes);
    if (!offset)
        return 0;
    hash_index_put(&a->name_index, at, offset, hash_of_name, a->names);
    return offset;
}

/* ---- first pass ------------------------------------------------------------------- */

/* The kinds that begin or end lifetimes, by hook. */
static const struct {
    uint16_t hook;
    uint8_t domain, lifetime;
} lifetimes[] = {
    {0x0301, DOMAIN_PROCESS, LIFETIME_START}, {0x0302, DOMAIN_PROCESS, LIFETIME_END},
    {0x0303, DOMAIN_PROCESS, LIFETIME_SEEN},  {0x0304, DOMAIN_PROCESS, LIFETIME_SEEN},
    {0x0327, DOMAIN_PROCESS, LIFETIME_END},   {0x0501, DOMAIN_THREAD, LIFETIME_START},
    {0x0502, DOMAIN_THREAD, LIFETIME_END},    {0x0503, DOMAIN_THREAD, LIFETIME_SEEN},
    {0x0504, DOMAIN_THREAD, LIFETIME_SEEN},
};

/* A field of an event about a process; empty where there is none. */
static void read_name(const struct event *e, const struct payload_layout *l, const char *field,
                      char name[NAME_BYTES])
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = l ? decode_fields(l, e, fields, DECODE_FIELDS) : 0;
    name[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        if (fields[i].is_present && strcmp(fields[i].field->name, field) == 0)
            decode_format(&fields[i], name, NAME_BYTES);
}

/* The name in a Process event: the directory of an older one is not part of it. */
static uint32_t name_of_process(struct attribution *a, const struct event *e)
{
    char name[NAME_BYTES];
    read_name(e, decode_layout(e), "ImageFileName", name);
    return intern(a, name, strlen(name));
}

/* A name that the end of a process cuts is the one from before. */
static void complete_name(const struct attribution *a, const struct mark *before, struct mark *m)
{
    const char *const name = a->names + m->name;
    if (m->lifetime == LIFETIME_END && before->name && m->name &&
        strlen(name) == KERNEL_PROCESS_NAME_CUT &&
        strncmp(a->names + before->name, name, KERNEL_PROCESS_NAME_CUT) == 0)
        m->name = before->name;
}

/* Only the names of marks that were kept are kept. */
static void sweep_names(struct attribution *a)
{
    char *const names = a->names;
    a->names = mem_new(a->names_room, 1);
    a->names_used = 1;
    hash_index_clear(&a->name_index);
    for (uint32_t i = 1; i <= a->recent->marks.count; i++) {
        struct mark *const m = &a->recent->marks.marks[i];
        m->name = m->name ? intern(a, names + m->name, strlen(names + m->name)) : 0;
    }
    free(names);
}

static void add_recent(struct attribution *a, const struct mark *m)
{
    struct recent *const r = a->recent;
    const struct mark *before, *after;
    struct mark complete = *m;
    recent_marks_at(&r->marks, m->key, m->ts, &before, &after);
    if (before)
        complete_name(a, before, &complete);
    if (recent_marks_has_room(&r->marks))
        recent_marks_add(&r->marks, &complete);
    else
        a->forgotten++;
}

/* Before an event is learned, since names move. */
static void make_room(struct attribution *a)
{
    struct recent *const r = a->recent;
    if (!r || (recent_marks_has_room(&r->marks) && a->names_used < r->names_limit))
        return;
    a->forgotten += recent_marks_sweep(&r->marks, r->asked, r->gone);
    memcpy(r->gone, r->asked, sizeof r->gone);
    sweep_names(a);
    r->names_limit = a->names_used > NAMES_RECENT / 2 ? 2 * a->names_used : NAMES_RECENT;
}

static void add_mark(struct attribution *a, const struct mark *m)
{
    if (a->recent) {
        add_recent(a, m);
        return;
    }
    if (a->mark_count == LIFETIMES_MOST) {
        a->forgotten++;
        return;
    }
    if (a->mark_count == a->mark_room) {
        a->mark_room = a->mark_room ? a->mark_room * 2 : 1024;
        a->marks = mem_grow(a->marks, a->mark_room, sizeof *a->marks);
    }
    a->marks[a->mark_count] = *m;
    a->marks[a->mark_count].order = a->mark_count;
    a->mark_count++;
}

/* On Linux a process takes another name in the middle of its life
 * (src/event/tracetop_provider.h). */
static void learn_name(struct attribution *a, const struct event *e)
{
    static const char *const tales[] = {"Exec", "Rename", "Command"};
    const char *const event = tracetop_event_name(e), *name;
    uint64_t pid;
    bool is_tale = false;
    for (size_t i = 0; event && i < sizeof tales / sizeof tales[0]; i++)
        is_tale |= strcmp(event, tales[i]) == 0;
    if (!is_tale || !tracetop_event_number(e, "pid", &pid) || pid > UINT32_MAX ||
        !tracetop_event_text(e, "name", &name) || !*name)
        return;
    add_mark(a, &(struct mark){
                    .key = key_of(e->source, DOMAIN_PROCESS, (uint32_t)pid),
                    .ts = e->ts,
                    .pid = (uint32_t)pid,
                    .name = intern(a, name, strlen(name)),
                    .lifetime = LIFETIME_NAMED,
                });
}

static const struct {
    uint16_t id;
    uint8_t domain, lifetime;
} provider_lifetimes[] = {
    {KERNEL_PROCESS_START, DOMAIN_PROCESS, LIFETIME_START},
    {KERNEL_PROCESS_STOP, DOMAIN_PROCESS, LIFETIME_END},
    {KERNEL_PROCESS_RUNDOWN, DOMAIN_PROCESS, LIFETIME_SEEN},
    {KERNEL_PROCESS_THREAD_START, DOMAIN_THREAD, LIFETIME_START},
    {KERNEL_PROCESS_THREAD_STOP, DOMAIN_THREAD, LIFETIME_END},
};

/* The event has the whole path. */
static uint32_t name_by_schema(struct attribution *a, const struct event *e)
{
    struct schema schema;
    char path[NAME_BYTES];
    if (!a->schemas)
        a->schemas = schemas_new();
    if (!schema_find(a->schemas, e->source, e, &schema))
        return 0;
    read_name(e, schema.layout, "ImageName", path);
    const char *const last = strrchr(path, '\\'), *const name = last ? last + 1 : path;
    return intern(a, name, strlen(name));
}

bool attribution_is_of_kernel_process(const struct event *e)
{
    return e->payload_bytes >= 8 && guid_equal(&e->provider, &kernel_process_provider);
}

/* Kernel-Process records what the kernel logger does: a session with both has each mark twice,
 * which changes nothing. */
static void learn_provider(struct attribution *a, const struct event *e)
{
    if (!attribution_is_of_kernel_process(e))
        return;
    for (size_t i = 0; i < sizeof provider_lifetimes / sizeof *provider_lifetimes; i++) {
        const bool is_process = provider_lifetimes[i].domain == DOMAIN_PROCESS;
        if (provider_lifetimes[i].id != e->id)
            continue;
        add_mark(a, &(struct mark){
                        .key = key_of(e->source, provider_lifetimes[i].domain,
                                      load_u32(e->payload + (is_process ? 0 : 4))),
                        .ts = e->ts,
                        .pid = load_u32(e->payload),
                        .name = is_process ? name_by_schema(a, e) : 0,
                        .lifetime = provider_lifetimes[i].lifetime,
                    });
    }
}

void attribution_learn(struct attribution *a, const struct event *e)
{
    make_room(a);
    if (e->kind == HEADER_MANIFEST) {
        a->is_linux[e->source] |= tracetop_event_is_of_linux(e);
        learn_name(a, e);
        learn_provider(a, e);
    }
    if (e->kind == HEADER_MANIFEST || e->kind == HEADER_MESSAGE)
        return;
    const uint16_t hook = decode_hook(e);
    for (size_t i = 0; i < sizeof lifetimes / sizeof lifetimes[0]; i++) {
        uint32_t pid, tid;
        if (lifetimes[i].hook != hook || !decode_owner(e, &pid, &tid) || pid == EVENT_NO_ID)
            continue;
        const bool is_process = lifetimes[i].domain == DOMAIN_PROCESS;
        add_mark(a, &(struct mark){
                        .key = key_of(e->source, lifetimes[i].domain, is_process ? pid : tid),
                        .ts = e->ts,
                        .pid = pid,
                        .name = is_process ? name_of_process(a, e) : 0,
                        .lifetime = lifetimes[i].lifetime,
                    });
    }
}

/* ---- between the passes -------------------------------------------------------------- */

static int compare_marks(const void *left, const void *right)
{
    const struct mark *x = left, *y = right;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static struct mark_run *slot_of(const struct attribution *a, uint64_t key)
{
    uint64_t at = mix(key);
    for (;; at++) {
        struct mark_run *r = &a->runs[at & a->run_mask];
        if (!r->count || a->marks[r->first].key == key)
            return r;
    }
}

void attribution_settle(struct attribution *a)
{
    if (a->mark_count)
        qsort(a->marks, a->mark_count, sizeof *a->marks, compare_marks);
    a->run_mask = 15;
    while (a->run_mask / 2 < a->mark_count)
        a->run_mask = a->run_mask * 2 + 1;
    a->runs = mem_new((size_t)a->run_mask + 1, sizeof *a->runs);
    for (uint32_t first = 0, end; first < a->mark_count; first = end) {
        for (end = first + 1; end < a->mark_count && a->marks[end].key == a->marks[first].key;
             end++)
            complete_name(a, &a->marks[end - 1], &a->marks[end]);
        *slot_of(a, a->marks[first].key) = (struct mark_run){first, end - first};
    }
}

uint64_t attribution_forgotten(const struct attribution *a)
{
    return a->forgotten;
}

/* ---- asking ----------------------------------------------------------------------------- */

/* Marks of the key at or before the time. */
static uint32_t marks_until(const struct attribution *a, const struct mark_run *r, int64_t ts)
{
    uint32_t low = 0, high = r->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a->marks[r->first + middle].ts <= ts)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The marks of the key around the time; NULL where there is none. */
static void marks_beside(const struct attribution *a, uint64_t key, int64_t ts,
                         const struct mark **before, const struct mark **after)
{
    *before = *after = NULL;
    if (a->recent)
        recent_marks_at(&a->recent->marks, key, ts, before, after);
    const struct mark_run *const r = a->runs ? slot_of(a, key) : NULL;
    if (!r || !r->count)
        return;
    const uint32_t until = marks_until(a, r, ts);
    *before = until ? &a->marks[r->first + until - 1] : NULL;
    *after = until < r->count ? &a->marks[r->first + until] : NULL;
}

/* The mark of the process or thread that had the id at that time, or NULL. One that is seen or ends
 * later without a start existed before. One that has ended still has the id until it is used again:
 * a thread runs on a while behind its End event. */
static const struct mark *mark_at(const struct attribution *a, uint64_t key, int64_t ts)
{
    const struct mark *before, *after;
    marks_beside(a, key, ts, &before, &after);
    if (before && (before->lifetime != LIFETIME_END || before->ts == ts))
        return before;
    return after && (after->lifetime == LIFETIME_SEEN || after->lifetime == LIFETIME_END) ? after
                                                                                          : before;
}

uint32_t attribution_process(const struct attribution *a, unsigned source, uint32_t tid, int64_t ts)
{
    if (tid == 0)
        return 0; /* the idle threads */
    const struct mark *m = mark_at(a, key_of(source, DOMAIN_THREAD, tid), ts);
    return m ? m->pid : EVENT_NO_ID;
}

const char *attribution_name_at(const struct attribution *a, unsigned source, uint32_t pid,
                                int64_t ts)
{
    const uint64_t key = key_of(source, DOMAIN_PROCESS, pid);
    const struct mark *m = mark_at(a, key, ts), *before, *first;
    if (!m) {
        marks_beside(a, key, ts, &before, &first);
        m = first;
    }
    return m && m->name ? a->names + m->name : NULL;
}
