#include "src/trace/dependencies.h"

#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/event/decode.h"
#include "src/event/tracetop_provider.h"

#include <stdlib.h>
#include <string.h>

/* Times of the events kept last, for the stacks that follow them: a stack comes within
 * milliseconds, so places that are used again after a million events do. */
enum { TIMES = 1 << 20 };

enum {
    GROUP_SESSION = 0x00,
    GROUP_CONFIG = 0x0b,
    HOOK_SAMPLING_FIRST = 0x0f48, /* the sampling interval: set, at the start, at the end */
    HOOK_SAMPLING_LAST = 0x0f4a,
    HOOK_STACK = 0x1820,
    HOOK_KEY_CREATE = 0x1822,
    HOOK_KEY_DELETE = 0x1823,
    HOOK_KEY_RUNDOWN = 0x1824,
    HOOK_STACK_KERNEL = 0x1825,
    HOOK_STACK_USER = 0x1826,
    ID_MANIFEST = 0xfffe, /* an EventSource describes itself */
    ITEM_KEY32 = 17,
    ITEM_KEY64 = 18,
};

/* The opening (or closing) of a connection that was kept last. */
struct opening {
    bool is_set;
    uint8_t source;
    int64_t ts;
};

struct dependencies {
    struct dependencies_options o;
    struct opening opened;
    struct map stacks; /* keys of stacks that kept events refer to */
    uint64_t *times;
};

struct dependencies *dependencies_new(const struct dependencies_options *o)
{
    struct dependencies *const k = mem_new(1, sizeof *k);
    k->o = *o;
    map_init(&k->stacks);
    k->times = o->select ? mem_new(TIMES, sizeof *k->times) : NULL;
    return k;
}

void dependencies_free(struct dependencies *k)
{
    if (!k)
        return;
    map_fini(&k->stacks);
    free(k->times);
    free(k);
}

static bool is_inside(const struct dependencies *k, int64_t ns)
{
    return ns >= k->o.from && ns <= k->o.to;
}

/* ---- what is needed wherever it lies --------------------------------------------------------- */

/* Classes by the first eight bytes of their GUID, as they stand in records. */
static const struct {
    uint32_t a;
    uint16_t b, c;
} descriptions[] = {
    {0xb3e675d7, 0x2554, 0x4f18}, /* ImageId: which build of a module, its symbols */
    {0x9b79ee91, 0xb5fd, 0x41c0}, /* volumes and system paths */
    {0xbbccf6c1, 0x6cd1, 0x48c4}, /* layouts of manifest events */
    {0xed54dff8, 0xc409, 0x4cf6}, /* the machine, as WinSAT rates it */
    {0x28ad2447, 0x105b, 0x4fe2}, /* symbols */
    {0xa669021c, 0xc450, 0x4609}, /* the .NET runtime's rundown */
};

static bool is_description(const struct guid *g)
{
    const uint8_t *const at = (const uint8_t *)g;
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
        if (load_u32(at) == descriptions[i].a && load_u16(at + 4) == descriptions[i].b &&
            load_u16(at + 6) == descriptions[i].c)
            return true;
    return false;
}

static bool is_tracetop_event(const struct event *e, const char *name)
{
    const char *const found = tracetop_event_name(e);
    return found && strcmp(found, name) == 0;
}

static bool describes(const struct event *e)
{
    if (header_is_kernel(e->kind))
        return e->id >> 8 == GROUP_SESSION || e->id >> 8 == GROUP_CONFIG ||
               (e->id >= HOOK_SAMPLING_FIRST && e->id <= HOOK_SAMPLING_LAST);
    return (e->kind == HEADER_MANIFEST && e->id == ID_MANIFEST) || is_description(&e->provider) ||
           tracetop_event_is_configuration(e) || is_tracetop_event(e, "Recorded") ||
           is_tracetop_event(e, "Watched");
}

/* It says how long ago something was: its own time is part of that. */
static bool is_of_rundown(const struct event *e)
{
    return is_tracetop_event(e, "Connection");
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static uint64_t *time_place(const struct dependencies *k, unsigned source, int64_t ts)
{
    return &k->times[hash_mix((uint64_t)ts + source) & (TIMES - 1)];
}

static uint64_t stack_id(const struct event *e, uint64_t key)
{
    return hash_mix(key) + e->source;
}

static bool payload_pointer(const struct event *e, uint32_t at, uint64_t *out)
{
    struct bytes b = bytes_of(e->payload, e->payload_bytes);
    bytes_skip(&b, at);
    *out = bytes_pointer(&b, e->pointer);
    return !b.bad;
}

static void want_stack(struct dependencies *k, const struct event *e, uint64_t key)
{
    map_put(&k->stacks, stack_id(e, key), 1);
}

/* u64 time of the event, u32 process, u32 thread, frames or a key. */
static bool is_stack_kept(struct dependencies *k, const struct event *e, bool is_key)
{
    uint64_t key;
    if (e->payload_bytes < 16)
        return false;
    const int64_t ts = (int64_t)load_u64(e->payload);
    if (!is_inside(k, trace_clock_ns(&k->o.clocks[e->source], ts)) ||
        (k->times && *time_place(k, e->source, ts) != (uint64_t)ts))
        return false;
    if (is_key && payload_pointer(e, 16, &key))
        want_stack(k, e, key);
    return true;
}

/* The frames of a key come when the key is released; then it may be used again. */
static bool is_definition_kept(struct dependencies *k, const struct event *e)
{
    uint64_t key;
    if (!payload_pointer(e, 0, &key) || !map_get(&k->stacks, stack_id(e, key)))
        return false;
    map_remove(&k->stacks, stack_id(e, key));
    return true;
}

static bool is_stack(struct dependencies *k, const struct event *e, enum dependency_answer *out)
{
    enum dependency_answer kept = DEPENDENCY_NEEDED;
    bool is_kept;
    switch (decode_hook(e)) {
    case HOOK_STACK:
        is_kept = is_stack_kept(k, e, false);
        break;
    case HOOK_STACK_KERNEL:
    case HOOK_STACK_USER:
        is_kept = is_stack_kept(k, e, true);
        break;
    case HOOK_KEY_CREATE: /* before whoever refers to it */
        kept = DEPENDENCY_DESCRIPTION;
        is_kept = true;
        break;
    case HOOK_KEY_DELETE:
    case HOOK_KEY_RUNDOWN:
        kept = DEPENDENCY_DESCRIPTION;
        is_kept = is_definition_kept(k, e);
        break;
    default:
        return false;
    }
    *out = is_kept ? kept : DEPENDENCY_NOT;
    return true;
}

static void note_kept(struct dependencies *k, const struct event *e)
{
    uint32_t at = 0;
    struct event_item item;
    while (event_item_next(e, &at, &item))
        if ((item.type == ITEM_KEY64 && item.size >= 16) ||
            (item.type == ITEM_KEY32 && item.size >= 12))
            want_stack(k, e,
                       item.type == ITEM_KEY64 ? load_u64(item.data + 8) : load_u32(item.data + 8));
    if (rundown_class_of(e) == RUNDOWN_CONNECTION)
        k->opened = (struct opening){true, e->source, e->ts};
    if (k->times)
        *time_place(k, e->source, e->ts) = (uint64_t)e->ts;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Behind the event that opened a connection, at its time: what Linux knows beside. */
static bool tells_of_opening(const struct dependencies *k, const struct event *e)
{
    return k->opened.is_set && k->opened.source == e->source && k->opened.ts == e->ts &&
           is_tracetop_event(e, "TcpOpened");
}

static enum dependency_answer decide(struct dependencies *k, const struct event *e,
                                     const struct owner *owner, int64_t ns)
{
    const enum rundown_class class = rundown_class_of(e);
    const bool is_lifetime = class != RUNDOWN_NONE && class != RUNDOWN_CONNECTION;
    if (describes(e) || (is_of_rundown(e) && ns > k->o.to))
        return DEPENDENCY_DESCRIPTION;
    if (is_of_rundown(e) || (is_lifetime && is_inside(k, ns)) ||
        rundown_wants(k->o.rundown, e) || tells_of_opening(k, e))
        return DEPENDENCY_NEEDED;
    if (!is_inside(k, ns))
        return DEPENDENCY_NOT;
    return !k->o.select || select_passes(k->o.select, e, owner, ns) ? DEPENDENCY_WANTED
                                                                    : DEPENDENCY_NOT;
}

enum dependency_answer dependencies_event(struct dependencies *k, const struct event *e, int64_t ns)
{
    enum dependency_answer answer;
    struct owner owner = {.pid = EVENT_NO_ID};
    if (k->o.select) /* all events: later ones depend on context switches */
        owner = attribution_of(k->o.owners, e);
    if (is_stack(k, e, &answer))
        return answer;
    answer = decide(k, e, &owner, ns);
    if (answer != DEPENDENCY_NOT)
        note_kept(k, e);
    return answer;
}
