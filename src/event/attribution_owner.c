/* The second pass: who caused an event. See attribution.h. */
#include "src/base/bytes.h"
#include "src/base/hash_index.h"
#include "src/base/mem.h"
#include "src/event/attribution.h"
#include "src/event/attribution_inside.h"
#include "src/event/decode.h"
#include "src/event/decode/classes.h"
#include "src/event/decode/table.h"
#include "src/event/providers.h"
#include "src/event/recent_marks.h"
#include "src/event/schema.h"

#include <string.h>

enum { SYSTEM_PID = 4 };

enum { HOOK_CSWITCH = 0x0524, HOOK_OPERATION_END = 0x044c, HOOK_SERVICES = 0x0b0f };

/* Kinds that the thread running on a processor causes, and whose perfinfo headers do not say which
 * that is: page faults, system calls, messages, pool and object accounting, registry operations
 * (but not the rundown of key control blocks). */
static const struct {
    uint16_t first, last;
} caused_by_running[] = {
    {0x020a, 0x020f}, {0x0f33, 0x0f34}, {0x1a21, 0x1a29}, {0x0e20, 0x0e27},
    {0x1120, 0x1122}, {0x1130, 0x1133}, {0x090a, 0x0915}, {0x091a, 0x0920},
};

static bool is_caused_by_running(uint16_t hook)
{
    for (size_t i = 0; i < sizeof caused_by_running / sizeof caused_by_running[0]; i++)
        if (hook >= caused_by_running[i].first && hook <= caused_by_running[i].last)
            return true;
    return false;
}

static void note_running(struct attribution *a, const struct event *e, uint32_t tid)
{
    uint32_t *count = &a->running_count[e->source];
    if (e->cpu >= *count) {
        const uint32_t wanted = e->cpu + 1u;
        a->running[e->source] = mem_grow(a->running[e->source], wanted, sizeof(uint32_t));
        while (*count < wanted)
            a->running[e->source][(*count)++] = EVENT_NO_ID;
    }
    a->running[e->source][e->cpu] = tid;
}

static uint32_t running_on(const struct attribution *a, const struct event *e)
{
    return e->cpu < a->running_count[e->source] ? a->running[e->source][e->cpu] : EVENT_NO_ID;
}

/* FileIo operations name their request (Irp); its end names only that. */
static bool request_of(const struct event *e, uint64_t *irp)
{
    struct decoded fields[3];
    const struct payload_layout *l = decode_layout(e);
    const unsigned count = l ? decode_fields(l, e, fields, 3) : 0;
    for (unsigned i = 0; i < count; i++)
        if (fields[i].is_present && strcmp(fields[i].field->name, "IrpPtr") == 0) {
            *irp = fields[i].number;
            return true;
        }
    return false;
}

static struct file_request *request_slot(struct attribution *a, const struct event *e, uint64_t irp)
{
    return &a->requests[mix(irp ^ (uint64_t)e->source << 56) & (REQUESTS - 1)];
}

static void note_request(struct attribution *a, const struct event *e, uint32_t tid)
{
    uint64_t irp;
    if (request_of(e, &irp))
        *request_slot(a, e, irp) = (struct file_request){irp, tid};
}

static uint32_t thread_of_request(struct attribution *a, const struct event *e)
{
    uint64_t irp;
    if (!request_of(e, &irp))
        return EVENT_NO_ID;
    const struct file_request *r = request_slot(a, e, irp);
    return r->irp == irp && irp ? r->tid : EVENT_NO_ID;
}

static bool is_file_operation(uint16_t hook)
{
    return hook >= 0x0440 && hook <= 0x0451 && hook != HOOK_OPERATION_END;
}

/* The ids of kernel events whose payload names nobody and whose header is a perfinfo one. */
static uint32_t thread_beside(struct attribution *a, const struct event *e, uint16_t hook)
{
    if (hook == HOOK_OPERATION_END)
        return thread_of_request(a, e);
    return is_caused_by_running(hook) ? running_on(a, e) : EVENT_NO_ID;
}

static void complete(const struct attribution *a, const struct event *e, struct owner *o)
{
    if (o->tid == EVENT_NO_ID && o->pid != EVENT_NO_ID && o->pid == e->pid)
        o->tid = e->tid;
    if (o->pid == EVENT_NO_ID && o->tid != EVENT_NO_ID)
        o->pid = attribution_process(a, e->source, o->tid, e->ts);
    if (o->pid == EVENT_NO_ID && o->tid != EVENT_NO_ID && o->tid == e->tid)
        o->pid = e->pid;
    o->name = o->pid == EVENT_NO_ID ? NULL : attribution_name_at(a, e->source, o->pid, e->ts);
}

/* Modules of Windows' kernel are listed under process 0, with their builds. */
static bool is_of_kernel_module(const struct attribution *a, const struct event *e,
                                const struct owner *o)
{
    static const uint16_t hooks[] = {0x030a, 0x1402, 0x1403, 0x1404};
    enum { INFO = 0, DBG_ID_RSDS = 0x24 };
    if (o->pid != 0 || a->is_linux[e->source])
        return false;
    if (e->kind == HEADER_MANIFEST)
        return attribution_is_of_kernel_process(e) &&
               (e->id == KERNEL_PROCESS_IMAGE_LOAD || e->id == KERNEL_PROCESS_IMAGE_UNLOAD);
    const uint16_t hook = decode_hook(e);
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks && hook != DECODE_NO_HOOK; i++)
        if (hook == hooks[i])
            return true;
    return hook == DECODE_NO_HOOK && (e->opcode == INFO || e->opcode == DBG_ID_RSDS) &&
           guid_equal(&e->provider, &decode_image_id.guid);
}

/* Whose image it is: behind its base and its size. */
static void set_image_owner(const struct event *e, struct owner *o)
{
    const uint32_t at = 2u * e->pointer;
    const uint32_t pid = at + 4 <= e->payload_bytes ? load_u32(e->payload + at) : o->pid;
    if (pid != o->pid)
        *o = (struct owner){.pid = pid, .tid = EVENT_NO_ID};
}

/* Who starts, ends or gets an image, which need not be who the header names. */
static void set_payload_owner(const struct event *e, struct owner *o)
{
    switch (e->id) {
    case KERNEL_PROCESS_START:
    case KERNEL_PROCESS_STOP:
    case KERNEL_PROCESS_RUNDOWN:
        *o = (struct owner){.pid = load_u32(e->payload), .tid = EVENT_NO_ID};
        break;
    case KERNEL_PROCESS_THREAD_START:
    case KERNEL_PROCESS_THREAD_STOP:
        *o = (struct owner){.pid = load_u32(e->payload), .tid = load_u32(e->payload + 4)};
        break;
    case KERNEL_PROCESS_IMAGE_LOAD:
    case KERNEL_PROCESS_IMAGE_UNLOAD:
        set_image_owner(e, o);
        break;
    default:
        break;
    }
}

/* A list of services has the host process of each; a stopped service has none. */
static void set_service_owner(const struct event *e, struct owner *o)
{
    enum { STOPPED = 1 };
    if (e->payload_bytes < 8)
        return;
    const uint32_t pid = load_u32(e->payload), state = load_u32(e->payload + 4);
    *o = (struct owner){.pid = pid && state != STOPPED ? pid : EVENT_NO_ID, .tid = EVENT_NO_ID};
}

struct owner attribution_of(struct attribution *a, const struct event *e)
{
    struct owner o = {.pid = e->pid, .tid = e->tid};
    if (a->recent && e->ts > a->recent->asked[e->source])
        a->recent->asked[e->source] = e->ts;
    if (e->kind == HEADER_MANIFEST && attribution_is_of_kernel_process(e))
        set_payload_owner(e, &o);
    if (e->kind != HEADER_MANIFEST && e->kind != HEADER_MESSAGE) {
        uint32_t pid, tid;
        const uint16_t hook = decode_hook(e);
        if (decode_owner(e, &pid, &tid))
            o = (struct owner){.pid = pid, .tid = tid};
        else if (o.tid == EVENT_NO_ID && o.pid == EVENT_NO_ID)
            o.tid = thread_beside(a, e, hook);
        if (hook == HOOK_CSWITCH)
            note_running(a, e, o.tid);
        else if (is_file_operation(hook))
            note_request(a, e, o.tid);
        else if (hook == HOOK_SERVICES)
            set_service_owner(e, &o);
    }
    if (is_of_kernel_module(a, e, &o))
        o.pid = SYSTEM_PID;
    complete(a, e, &o);
    return o;
}
