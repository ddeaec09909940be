#include "collectors/windows/scope.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/event/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Process and thread ids are multiples of four and below 2^26: larger ones share a place. */
enum { IDS = 1 << 22, BITS = 64 };

struct scope {
    uint64_t processes[IDS / BITS]; /* in scope */
    uint32_t process_of[IDS];       /* by thread */
    uint32_t *running;              /* thread by processor */
    unsigned processors;
    bool has_children;
    char name[256]; /* pattern; empty: any */
};

static uint32_t place_of(uint32_t id)
{
    return id >> 2 & (IDS - 1);
}

static bool has(const struct scope *s, uint32_t pid)
{
    const uint32_t at = place_of(pid);
    return s->processes[at / BITS] >> at % BITS & 1;
}

static void set(struct scope *s, uint32_t pid, bool is_in)
{
    const uint32_t at = place_of(pid);
    const uint64_t bit = 1ull << at % BITS;
    s->processes[at / BITS] =
        is_in ? s->processes[at / BITS] | bit : s->processes[at / BITS] & ~bit;
}

struct scope *scope_new(const struct collector_scope *request, unsigned processors)
{
    if (!request->pid_count && !request->name)
        return NULL;
    struct scope *const s = mem_new(1, sizeof *s);
    s->processors = processors;
    s->running = mem_new(processors, sizeof *s->running);
    s->has_children = request->has_children;
    snprintf(s->name, sizeof s->name, "%s", request->name ? request->name : "");
    for (size_t i = 0; i < request->pid_count; i++)
        set(s, request->pids[i], true);
    return s;
}

void scope_free(struct scope *s)
{
    if (!s)
        return;
    free(s->running);
    free(s);
}

/* ---- learning ------------------------------------------------------------------------------- */

static void read_name(const struct event *e, char *out, size_t room)
{
    struct decoded fields[DECODE_FIELDS];
    const struct payload_layout *const l = decode_layout(e);
    const unsigned count = l ? decode_fields(l, e, fields, DECODE_FIELDS) : 0;
    out[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        if (fields[i].is_present && strcmp(fields[i].field->name, "ImageFileName") == 0)
            decode_format(&fields[i], out, room);
}

static bool read_number(const struct event *e, const char *field, uint32_t *out)
{
    unsigned at;
    enum field_type type;
    const struct payload_layout *const l = decode_layout(e);
    if (!l || !layout_place(l, field, e->pointer, &at, &type) || at + 4 > e->payload_bytes)
        return false;
    *out = load_u32(e->payload + at);
    return true;
}

static void learn_process(struct scope *s, const struct event *e)
{
    enum { END = 2 };
    uint32_t pid, parent;
    char name[256];
    if (!read_number(e, "ProcessId", &pid))
        return;
    if (e->opcode == END) {
        set(s, pid, false);
        return;
    }
    read_name(e, name, sizeof name);
    if ((s->name[0] && text_is_like(s->name, name, true)) ||
        (s->has_children && read_number(e, "ParentId", &parent) && has(s, parent)))
        set(s, pid, true);
}

static void learn_thread(struct scope *s, const struct event *e)
{
    uint32_t pid, tid;
    if (read_number(e, "ProcessId", &pid) && read_number(e, "TThreadId", &tid))
        s->process_of[place_of(tid)] = pid;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool has_thread(const struct scope *s, uint32_t tid)
{
    return tid && has(s, s->process_of[place_of(tid)]);
}

/* A switch is of both threads. */
static bool takes_switch(struct scope *s, const struct event *e)
{
    if (e->payload_bytes < 8)
        return false;
    const uint32_t to = load_u32(e->payload), from = load_u32(e->payload + 4);
    if (e->cpu < s->processors)
        s->running[e->cpu] = to;
    return has_thread(s, to) || has_thread(s, from);
}

/* Where neither payload nor header says whose it is, it is of the thread that runs there. */
static bool takes_other(const struct scope *s, const struct event *e)
{
    uint32_t pid, tid;
    if (!decode_owner(e, &pid, &tid)) {
        pid = e->pid;
        tid = e->tid;
    }
    if (pid != EVENT_NO_ID)
        return has(s, pid);
    if (tid != EVENT_NO_ID)
        return has_thread(s, tid);
    return e->cpu < s->processors && has_thread(s, s->running[e->cpu]);
}

bool scope_takes(struct scope *s, const struct record_head *head)
{
    enum { PROCESS = 0x03, FILES = 0x04, THREADS = 0x05, CONFIG = 0x0b, IMAGES = 0x14 };
    enum {
        SWITCH = 0x0524,
        OPERATION_END = 0x044c,
        MARK = 0x0f22,
        INTERVAL = 0x0f49,
        LAST_LIFETIME = 4
    };
    struct event e;
    if (event_of_record(head, &e) != EVENT_OK || !header_is_kernel((enum header_kind)e.kind))
        return e.kind != HEADER_MANIFEST || has(s, e.pid);
    const unsigned group = e.id >> 8;
    if (group == PROCESS && e.opcode && e.opcode <= LAST_LIFETIME)
        learn_process(s, &e);
    if (group == THREADS && e.opcode && e.opcode <= LAST_LIFETIME)
        learn_thread(s, &e);
    if (e.id == SWITCH)
        return takes_switch(s, &e);
    const bool is_name = group == FILES && (e.opcode == 0 || (e.opcode >= 32 && e.opcode <= 36));
    const bool is_key = e.id >= 0x0916 && e.id <= 0x0919;
    const bool is_everybodys = !group || group == PROCESS || group == CONFIG || group == IMAGES ||
                               is_name || is_key || e.id == OPERATION_END || e.id == MARK ||
                               e.id == INTERVAL || (group == THREADS && e.opcode <= LAST_LIFETIME);
    return is_everybodys || takes_other(s, &e);
}
