/* The kinds of records, and where in each stands the key. */
#include "src/trace/rundown_rule.h"

#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/event/decode.h"
#include "src/event/providers.h"
#include "src/event/tracetop_provider.h"
#include "src/trace/rundown_provider.h"

#include <string.h>

static const struct rundown_rule rules[] = {
    {0x0301, RUNDOWN_PROCESS, OPCODE_BEGIN, UPDATE_NONE},
    {0x0302, RUNDOWN_PROCESS, OPCODE_END, UPDATE_NONE},
    {0x0303, RUNDOWN_PROCESS, OPCODE_START, UPDATE_NONE},
    {0x0304, RUNDOWN_PROCESS, OPCODE_STOP, UPDATE_NONE},
    {0x030a, RUNDOWN_IMAGE, OPCODE_BEGIN, UPDATE_NONE},
    {0x0400, RUNDOWN_FILE, OPCODE_BEGIN, UPDATE_NONE},
    {0x0420, RUNDOWN_FILE, OPCODE_BEGIN, UPDATE_NONE},
    {0x0423, RUNDOWN_FILE, OPCODE_END, UPDATE_NONE},
    {0x0424, RUNDOWN_FILE, OPCODE_STOP, UPDATE_NONE},
    {0x0501, RUNDOWN_THREAD, OPCODE_BEGIN, UPDATE_NONE},
    {0x0502, RUNDOWN_THREAD, OPCODE_END, UPDATE_NONE},
    {0x0503, RUNDOWN_THREAD, OPCODE_START, UPDATE_NONE},
    {0x0504, RUNDOWN_THREAD, OPCODE_STOP, UPDATE_NONE},
    {0x0548, RUNDOWN_THREAD, OPCODE_UPDATE, UPDATE_THREAD},
    {0x060c, RUNDOWN_CONNECTION, OPCODE_BEGIN, UPDATE_NONE},
    {0x060d, RUNDOWN_CONNECTION, OPCODE_END, UPDATE_NONE},
    {0x060f, RUNDOWN_CONNECTION, OPCODE_BEGIN, UPDATE_NONE},
    {0x061c, RUNDOWN_CONNECTION, OPCODE_BEGIN, UPDATE_NONE},
    {0x061d, RUNDOWN_CONNECTION, OPCODE_END, UPDATE_NONE},
    {0x061f, RUNDOWN_CONNECTION, OPCODE_BEGIN, UPDATE_NONE},
    {0x0916, RUNDOWN_KEY, OPCODE_BEGIN, UPDATE_NONE},
    {0x0917, RUNDOWN_KEY, OPCODE_END, UPDATE_NONE},
    {0x0918, RUNDOWN_KEY, OPCODE_START, UPDATE_NONE},
    {0x0919, RUNDOWN_KEY, OPCODE_STOP, UPDATE_NONE},
    {0x1402, RUNDOWN_IMAGE, OPCODE_END, UPDATE_NONE},
    {0x1403, RUNDOWN_IMAGE, OPCODE_START, UPDATE_NONE},
    {0x1404, RUNDOWN_IMAGE, OPCODE_STOP, UPDATE_NONE},
};

/* Events of tracetop's provider (src/event/tracetop_provider.h). */
static const struct {
    const char *name;
    struct rundown_rule rundown_rule;
} tracetop_rules[] = {
    {"Command", {0, RUNDOWN_PROCESS, OPCODE_UPDATE, UPDATE_COMMAND}},
    {"Exec", {0, RUNDOWN_PROCESS, OPCODE_UPDATE, UPDATE_EXEC}},
    {"Lifetime", {0, RUNDOWN_PROCESS, OPCODE_UPDATE, UPDATE_LIFETIME}},
    {"Mapping", {0, RUNDOWN_IMAGE, OPCODE_UPDATE, UPDATE_MAPPING}},
    {"Owner", {0, RUNDOWN_PROCESS, OPCODE_UPDATE, UPDATE_OWNER}},
    {"Rename", {0, RUNDOWN_PROCESS, OPCODE_UPDATE, UPDATE_RENAME}},
};

/* A .NET runtime's own event that it runs, and the one of its rundown, have one layout. */
enum { DOTNET_RUNTIME_STARTS = 187 };

static const struct rundown_rule runtime_rule = {0, RUNDOWN_RUNTIME, OPCODE_BEGIN, UPDATE_NONE};

/* Processes as Kernel-Process records them: its ids stand for hooks. */
static const struct rundown_rule provider_rules[] = {
    {KERNEL_PROCESS_START, RUNDOWN_PROCESS, OPCODE_BEGIN, UPDATE_NONE},
    {KERNEL_PROCESS_STOP, RUNDOWN_PROCESS, OPCODE_END, UPDATE_NONE},
    {KERNEL_PROCESS_RUNDOWN, RUNDOWN_PROCESS, OPCODE_START, UPDATE_NONE},
};

static const struct rundown_rule *tracetop_rule_of(const struct event *e)
{
    const char *const name = tracetop_event_name(e);
    for (size_t i = 0; name && i < sizeof tracetop_rules / sizeof *tracetop_rules; i++)
        if (strcmp(tracetop_rules[i].name, name) == 0)
            return &tracetop_rules[i].rundown_rule;
    return NULL;
}

static const struct rundown_rule *provider_rule_of(const struct event *e)
{
    for (size_t i = 0; i < sizeof provider_rules / sizeof *provider_rules; i++)
        if (provider_rules[i].hook == e->id)
            return &provider_rules[i];
    return NULL;
}

const struct rundown_rule *rundown_rule_of(const struct event *e)
{
    if (rundown_provider_is(e))
        return provider_rule_of(e);
    if (e->kind == HEADER_MANIFEST && e->id == DOTNET_RUNTIME_STARTS &&
        guid_equal(&e->provider, &dotnet_provider))
        return &runtime_rule;
    if (e->kind == HEADER_MANIFEST)
        return tracetop_rule_of(e);
    const uint16_t hook = decode_hook(e);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && hook != DECODE_NO_HOOK; i++)
        if (rules[i].hook == hook)
            return &rules[i];
    return NULL;
}

enum rundown_class rundown_class_of(const struct event *e)
{
    const struct rundown_rule *const r = rundown_rule_of(e);
    return r ? (enum rundown_class)r->class : RUNDOWN_NONE;
}

static bool pointer_at(const struct event *e, unsigned at, uint64_t *out)
{
    struct bytes b = bytes_of(e->payload, e->payload_bytes);
    bytes_skip(&b, at);
    *out = bytes_pointer(&b, e->pointer);
    return !b.bad;
}

bool rundown_field_of(const struct event *e, const char *name, uint64_t *out)
{
    const struct payload_layout *const l = decode_layout(e);
    unsigned at;
    enum field_type type;
    return l && layout_place(l, name, e->pointer, &at, &type) && pointer_at(e, at, out);
}

/* Both ends and the process of a connection, as they stand in the payload: u32 pid, u32 size,
 * two addresses, two ports. */
static bool ends_of(const struct event *e, uint64_t *key, uint64_t *more)
{
    enum { V6 = 0x10 };
    const uint32_t bytes = e->opcode & V6 ? 36 : 12;
    if (e->payload_bytes < 8 + bytes)
        return false;
    uint64_t a = load_u32(e->payload), b = e->opcode & V6;
    for (uint32_t i = 0; i < bytes; i += 4) {
        a = hash_mix(a ^ load_u32(e->payload + 8 + i));
        b = hash_mix(b + load_u32(e->payload + 8 + i) * 0xff51afd7ed558ccdu);
    }
    *key = a;
    *more = b;
    return true;
}

/* Of our own events: the process, and of an image its base. */
static bool tracetop_key_of(const struct event *e, enum rundown_class class, uint64_t *key,
                            uint64_t *more)
{
    uint64_t pid;
    if (!tracetop_event_number(e, "pid", &pid))
        return false;
    if (class != RUNDOWN_IMAGE) {
        *key = pid;
        return true;
    }
    *more = pid;
    return tracetop_event_number(e, "base", key);
}

bool rundown_key_of(const struct event *e, enum rundown_class class, uint64_t *key, uint64_t *more)
{
    uint32_t pid, tid;
    *key = *more = 0;
    if (rundown_provider_is(e))
        return *key = load_u32(e->payload), true;
    if (e->kind == HEADER_MANIFEST && class != RUNDOWN_RUNTIME)
        return tracetop_key_of(e, class, key, more);
    switch (class) {
    case RUNDOWN_RUNTIME: /* several may run in a process; the number of each comes first */
        *key = e->pid;
        *more = e->payload_bytes >= 2 ? load_u16(e->payload) : 0;
        return true;
    case RUNDOWN_PROCESS:
        decode_owner(e, &pid, &tid);
        *key = pid;
        return pid != EVENT_NO_ID;
    case RUNDOWN_THREAD:
        decode_owner(e, &pid, &tid);
        *key = tid;
        return tid != EVENT_NO_ID;
    case RUNDOWN_IMAGE:
        decode_owner(e, &pid, &tid);
        *more = pid;
        return pointer_at(e, 0, key);
    case RUNDOWN_FILE:
        return pointer_at(e, 0, key);
    case RUNDOWN_KEY:
        return rundown_field_of(e, "KeyHandle", key);
    case RUNDOWN_CONNECTION:
        return ends_of(e, key, more);
    case RUNDOWN_NONE:
    case RUNDOWN_CLASSES:
        break;
    }
    return false;
}
