/* How the synthetic machine writes each kind of record: the layouts of a current
 * 64-bit Windows, and the counting of what was written.
 *
 * A record is put together where it will lie: struct record_head, then one of
 *
 *   SYSTEM_TRACE_HEADER (32)              PERFINFO_TRACE_HEADER (16)
 *    0 u16 version  u8 2   u8 0xc0         0 u16 version  u8 17  u8 0xc0
 *    4 u16 size     u8 type u8 group       4 u16 size     u8 type u8 group
 *    8 u32 tid      u32 pid                8 i64 time
 *   16 i64 time
 *   24 u32 kernel ticks  u32 user ticks
 *
 * then the packed payload, then zeros up to a multiple of 8. */
#include "collectors/synthetic_machine.h"

#include "src/mem.h"
#include "src/pen.h"

#include <assert.h>
#include <string.h>

#define SYSTEM   HEADER_SYSTEM
#define PERFINFO HEADER_PERFINFO

/* Which header a class uses is what real traces of these builds show. */
const struct synthetic_kind synthetic_kinds[] = {
    [KIND_MASKS] = {"EventTraceEvent/Extension", 0x0005, 2, SYSTEM},
    [KIND_RUNDOWN_BEGIN] = {"EventTraceEvent/EndExtension", 0x0020, 2, PERFINFO},
    [KIND_RUNDOWN_END] = {"EventTraceEvent/RDComplete", 0x0008, 2, PERFINFO},
    [KIND_CPU_CONFIG] = {"SystemConfig/CPU", 0x0b0a, 3, SYSTEM},
    [KIND_DISK_CONFIG] = {"SystemConfig/PhyDisk", 0x0b0b, 2, SYSTEM},
    [KIND_INTERVAL] = {"PerfInfo/CollectionStart", 0x0f49, 3, PERFINFO},
    [KIND_PROCESS_START] = {"Process/Start", 0x0301, 4, SYSTEM},
    [KIND_PROCESS_END] = {"Process/End", 0x0302, 4, SYSTEM},
    [KIND_PROCESS_DCSTART] = {"Process/DCStart", 0x0303, 4, PERFINFO},
    [KIND_PROCESS_DCEND] = {"Process/DCEnd", 0x0304, 4, PERFINFO},
    [KIND_PROCESS_TERMINATE] = {"Process/Terminate", 0x030b, 2, SYSTEM},
    [KIND_PROCESS_COUNTERS] = {"Process/PerfCtr", 0x0320, 2, PERFINFO},
    [KIND_THREAD_START] = {"Thread/Start", 0x0501, 3, SYSTEM},
    [KIND_THREAD_END] = {"Thread/End", 0x0502, 3, SYSTEM},
    [KIND_THREAD_DCSTART] = {"Thread/DCStart", 0x0503, 3, SYSTEM},
    [KIND_THREAD_DCEND] = {"Thread/DCEnd", 0x0504, 3, SYSTEM},
    [KIND_THREAD_NAME] = {"Thread/SetName", 0x0548, 2, PERFINFO},
    [KIND_SWITCH] = {"Thread/CSwitch", 0x0524, 4, PERFINFO},
    [KIND_READY] = {"Thread/ReadyThread", 0x0532, 2, PERFINFO},
    [KIND_IMAGE_LOAD] = {"Image/Load", 0x030a, 3, SYSTEM},
    [KIND_IMAGE_UNLOAD] = {"Image/UnLoad", 0x1402, 3, SYSTEM},
    [KIND_IMAGE_DCSTART] = {"Image/DCStart", 0x1403, 3, PERFINFO},
    [KIND_IMAGE_DCEND] = {"Image/DCEnd", 0x1404, 3, PERFINFO},
    [KIND_KERNEL_IMAGE_DCSTART] = {"Image/DCStart", 0x1403, 3, SYSTEM},
    [KIND_KERNEL_IMAGE_DCEND] = {"Image/DCEnd", 0x1404, 3, SYSTEM},
    [KIND_DISK_READ_INIT] = {"DiskIo/ReadInit", 0x010c, 3, SYSTEM},
    [KIND_DISK_WRITE_INIT] = {"DiskIo/WriteInit", 0x010d, 3, SYSTEM},
    [KIND_DISK_FLUSH_INIT] = {"DiskIo/FlushInit", 0x010f, 3, SYSTEM},
    [KIND_DISK_READ] = {"DiskIo/Read", 0x010a, 3, PERFINFO},
    [KIND_DISK_WRITE] = {"DiskIo/Write", 0x010b, 3, PERFINFO},
    [KIND_DISK_FLUSH] = {"DiskIo/FlushBuffers", 0x010e, 3, PERFINFO},
    [KIND_FILE_NAME] = {"FileIo/Name", 0x0400, 2, PERFINFO},
    [KIND_FILE_CREATED] = {"FileIo/FileCreate", 0x0420, 2, PERFINFO},
    [KIND_FILE_DELETED] = {"FileIo/FileDelete", 0x0423, 2, PERFINFO},
    [KIND_FILE_RUNDOWN] = {"FileIo/FileRundown", 0x0424, 2, PERFINFO},
    [KIND_FILE_OPEN] = {"FileIo/Create", 0x0440, 3, PERFINFO},
    [KIND_FILE_CLEANUP] = {"FileIo/Cleanup", 0x0441, 3, PERFINFO},
    [KIND_FILE_CLOSE] = {"FileIo/Close", 0x0442, 3, PERFINFO},
    [KIND_FILE_READ] = {"FileIo/Read", 0x0443, 3, PERFINFO},
    [KIND_FILE_WRITE] = {"FileIo/Write", 0x0444, 3, PERFINFO},
    [KIND_FILE_SET] = {"FileIo/SetInfo", 0x0445, 3, PERFINFO},
    [KIND_FILE_DELETE] = {"FileIo/Delete", 0x0446, 3, PERFINFO},
    [KIND_FILE_RENAME] = {"FileIo/Rename", 0x0447, 3, PERFINFO},
    [KIND_FILE_ENUM] = {"FileIo/DirEnum", 0x0448, 3, PERFINFO},
    [KIND_FILE_FLUSH] = {"FileIo/Flush", 0x0449, 3, PERFINFO},
    [KIND_FILE_QUERY] = {"FileIo/QueryInfo", 0x044a, 3, PERFINFO},
    [KIND_FILE_DONE] = {"FileIo/OperationEnd", 0x044c, 3, PERFINFO},
    [KIND_KEY_CREATE] = {"Registry/Create", 0x090a, 2, SYSTEM},
    [KIND_KEY_OPEN] = {"Registry/Open", 0x090b, 2, SYSTEM},
    [KIND_KEY_QUERY] = {"Registry/Query", 0x090d, 2, SYSTEM},
    [KIND_VALUE_SET] = {"Registry/SetValue", 0x090e, 2, SYSTEM},
    [KIND_VALUE_DELETE] = {"Registry/DeleteValue", 0x090f, 2, SYSTEM},
    [KIND_VALUE_QUERY] = {"Registry/QueryValue", 0x0910, 2, SYSTEM},
    [KIND_KEY_ENUM] = {"Registry/EnumerateKey", 0x0911, 2, SYSTEM},
    [KIND_KEY_CLOSE] = {"Registry/Close", 0x091b, 2, SYSTEM},
    [KIND_KCB_CREATE] = {"Registry/KCBCreate", 0x0916, 2, SYSTEM},
    [KIND_KCB_DELETE] = {"Registry/KCBDelete", 0x0917, 2, SYSTEM},
    [KIND_KCB_RUNDOWN_BEGIN] = {"Registry/KCBRundownBegin", 0x0918, 2, SYSTEM},
    [KIND_KCB_RUNDOWN_END] = {"Registry/KCBRundownEnd", 0x0919, 2, SYSTEM},
    [KIND_TCP_SEND] = {"TcpIp/SendIPV4", 0x060a, 2, PERFINFO},
    [KIND_TCP_RECEIVE] = {"TcpIp/RecvIPV4", 0x060b, 2, PERFINFO},
    [KIND_TCP_CONNECT] = {"TcpIp/ConnectIPV4", 0x060c, 2, PERFINFO},
    [KIND_TCP_DISCONNECT] = {"TcpIp/DisconnectIPV4", 0x060d, 2, PERFINFO},
    [KIND_TCP_RETRANSMIT] = {"TcpIp/RetransmitIPV4", 0x060e, 2, PERFINFO},
    [KIND_TCP_ACCEPT] = {"TcpIp/AcceptIPV4", 0x060f, 2, PERFINFO},
    [KIND_TCP_FAIL] = {"TcpIp/Fail", 0x0611, 2, PERFINFO},
    [KIND_TCP6_SEND] = {"TcpIp/SendIPV6", 0x061a, 2, PERFINFO},
    [KIND_TCP6_RECEIVE] = {"TcpIp/RecvIPV6", 0x061b, 2, PERFINFO},
    [KIND_TCP6_CONNECT] = {"TcpIp/ConnectIPV6", 0x061c, 2, PERFINFO},
    [KIND_TCP6_DISCONNECT] = {"TcpIp/DisconnectIPV6", 0x061d, 2, PERFINFO},
    [KIND_TCP6_RETRANSMIT] = {"TcpIp/RetransmitIPV6", 0x061e, 2, PERFINFO},
    [KIND_TCP6_ACCEPT] = {"TcpIp/AcceptIPV6", 0x061f, 2, PERFINFO},
    [KIND_UDP_SEND] = {"UdpIp/SendIPV4", 0x080a, 2, PERFINFO},
    [KIND_UDP_RECEIVE] = {"UdpIp/RecvIPV4", 0x080b, 2, PERFINFO},
    [KIND_UDP6_SEND] = {"UdpIp/SendIPV6", 0x081a, 2, PERFINFO},
    [KIND_UDP6_RECEIVE] = {"UdpIp/RecvIPV6", 0x081b, 2, PERFINFO},
    [KIND_FAULT_TRANSITION] = {"PageFault/TransitionFault", 0x020a, 2, PERFINFO},
    [KIND_FAULT_ZERO] = {"PageFault/DemandZeroFault", 0x020b, 2, PERFINFO},
    [KIND_FAULT_COPY] = {"PageFault/CopyOnWrite", 0x020c, 2, PERFINFO},
    [KIND_FAULT_GUARD] = {"PageFault/GuardPageFault", 0x020d, 2, PERFINFO},
    [KIND_FAULT_HARD] = {"PageFault/HardPageFault", 0x020e, 2, PERFINFO},
    [KIND_FAULT_VIOLATION] = {"PageFault/AccessViolation", 0x020f, 2, PERFINFO},
    [KIND_HARD_FAULT] = {"PageFault/HardFault", 0x0220, 2, PERFINFO},
    [KIND_ALLOCATE] = {"PageFault/VirtualAlloc", 0x0262, 2, PERFINFO},
    [KIND_FREE] = {"PageFault/VirtualFree", 0x0263, 2, PERFINFO},
    [KIND_SAMPLE] = {"PerfInfo/SampleProf", 0x0f2e, 2, PERFINFO},
    [KIND_DPC] = {"PerfInfo/DPC", 0x0f44, 2, PERFINFO},
    [KIND_TIMER_DPC] = {"PerfInfo/TimerDPC", 0x0f45, 2, PERFINFO},
    [KIND_THREADED_DPC] = {"PerfInfo/ThreadedDPC", 0x0f42, 2, PERFINFO},
    [KIND_ISR] = {"PerfInfo/ISR", 0x0f43, 2, PERFINFO},
    [KIND_ISR_MSI] = {"PerfInfo/ISR-MSI", 0x0f32, 2, PERFINFO},
    [KIND_CALL_ENTER] = {"PerfInfo/SysClEnter", 0x0f33, 2, PERFINFO},
    [KIND_CALL_EXIT] = {"PerfInfo/SysClExit", 0x0f34, 2, PERFINFO},
    [KIND_STACK] = {"StackWalk/Stack", 0x1820, 2, PERFINFO},
};
const size_t synthetic_kind_count = KINDS;
_Static_assert(sizeof synthetic_kinds / sizeof *synthetic_kinds == KINDS, "a row per kind");
_Static_assert((int)KINDS <= (int)SYNTHETIC_KINDS_MAX, "the totals have a place per kind");

/* ---- a pen for payloads --------------------------------------------------------- */

static void put_port(struct pen *p, uint16_t port)
{
    put_u8(p, port >> 8);
    put_u8(p, port & 0xff);
}

static void put_hostile(struct pen *p, unsigned row)
{
    if (row != HOSTILE_NONE)
        put_bytes(p, hostiles[row].wide, 2 * (size_t)hostiles[row].units);
}

/* ---- begin and end ------------------------------------------------------------- */

enum { HEAD = sizeof(struct record_head) };

static struct pen begin(struct synthetic *s, enum kind kind, unsigned cpu)
{
    const struct synthetic_kind *k = &synthetic_kinds[kind];
    s->now++;
    struct pen p = {s->out, s->out + HEAD, s->out_end};
    put_u16(&p, k->version);
    put_u8(&p, k->header == HEADER_SYSTEM ? 2 : 17);
    put_u8(&p, 0xc0);
    put_u16(&p, 0); /* size: when it is known */
    put_u8(&p, k->hook & 0xff);
    put_u8(&p, k->hook >> 8);
    if (k->header == HEADER_SYSTEM) {
        const struct thread *t = current(s, cpu);
        put_u32(&p, t->tid);
        put_u32(&p, process_of(s, t)->pid);
    }
    put_u64(&p, (uint64_t)s->now);
    if (k->header == HEADER_SYSTEM) {
        const uint32_t clocks = (uint32_t)(current(s, cpu)->ran / 156250);
        put_u32(&p, clocks / 3);
        put_u32(&p, clocks - clocks / 3);
    }
    return p;
}

static void write_head(const struct synthetic *s, uint8_t *at, uint32_t bytes, unsigned form,
                       unsigned cpu)
{
    const struct record_head head = {
        .bytes = bytes,
        .form = (uint8_t)form,
        .source = s->o.source,
        .cpu = (uint16_t)cpu,
        .ts = s->now,
    };
    memcpy(at, &head, sizeof head);
}

static uint8_t *pad(uint8_t *at)
{
    while ((uintptr_t)at & 7)
        *at++ = 0;
    return at;
}

/* What the kernel says when it had no buffer: how many events never came. */
static void log_lost(struct synthetic *s)
{
    const struct record_lost lost = {.events = s->lost_run};
    s->now++;
    write_head(s, s->out, HEAD + sizeof lost, RECORD_LOST, 0);
    memcpy(s->out + HEAD, &lost, sizeof lost);
    s->out = pad(s->out + HEAD + sizeof lost);
    s->totals.lost_records++;
    s->lost_run = 0;
}

/* True when this record is to be dropped, as if the kernel had been out of buffers. */
static bool is_lost(struct synthetic *s)
{
    if (!s->o.lose)
        return false;
    if (!s->losing && dice_below(&s->dice, s->o.lose) == 0)
        s->losing = dice_between(&s->dice, 1, 40);
    if (!s->losing)
        return false;
    s->losing--;
    s->lost_run++;
    s->totals.lost_events++;
    return true;
}

static bool end(struct synthetic *s, enum kind kind, unsigned cpu, struct pen *p)
{
    assert(p->at + 64 <= s->out_end);
    if (s->is_done)
        return false;
    const bool lost = is_lost(s);
    if (!lost) {
        const size_t size = (size_t)(p->at - p->start) - HEAD;
        const uint16_t size16 = (uint16_t)size;
        assert(size == size16);
        memcpy(p->start + HEAD + 4, &size16, sizeof size16);
        write_head(s, p->start, (uint32_t)(HEAD + size), RECORD_ETW, cpu);
        s->out = pad(p->at);
        s->totals.records++;
        s->totals.bytes += size;
        s->totals.payload_bytes += size - (synthetic_kinds[kind].header == HEADER_SYSTEM ? 32 : 16);
        s->totals.kinds[kind]++;
        if (!s->totals.first)
            s->totals.first = s->now;
        s->totals.last = s->now;
    }
    s->is_done = s->o.events && s->totals.records + s->totals.lost_events >= s->o.events;
    if (s->lost_run && (!s->losing || s->is_done))
        log_lost(s);
    return !lost;
}

/* ---- configuration ------------------------------------------------------------- */

/* EVENT_TRACE_FLAG_*: process, thread, image, counters, cswitch, dpc, interrupt, syscall,
 * disk io, file names, disk init, dispatcher, both faults, virtual alloc (0x7fff), network,
 * registry (0x30000), profile, file io, file io init (0x7000000). */
enum { FLAGS = 0x07037fff };

bool log_masks(struct synthetic *s, enum kind kind)
{
    struct pen p = begin(s, kind, 0);
    put_u32(&p, FLAGS);
    put_zeros(&p, 4);
    put_u32(&p, 0x100); /* group 2: stack walking */
    put_zeros(&p, 20);
    put_u32(&p, 80); /* KernelEventVersion */
    return end(s, kind, 0, &p);
}

bool log_mark(struct synthetic *s, enum kind kind)
{
    struct pen p = begin(s, kind, 0);
    return end(s, kind, 0, &p);
}

bool log_cpu_config(struct synthetic *s)
{
    struct pen p = begin(s, KIND_CPU_CONFIG, 0);
    put_u32(&p, SYNTHETIC_MHZ);
    put_u32(&p, s->cpu_count);
    put_u32(&p, 32768); /* MB of memory */
    put_u32(&p, 4096);  /* page size */
    put_u32(&p, 65536); /* allocation granularity */
    put_utf16_field(&p, "SYNTHETIC", 256);
    put_utf16_field(&p, "", 134);
    put_u64(&p, 1); /* hyper-threading */
    put_u64(&p, 0x00007ffffffeffffu);
    put_u16(&p, 9); /* AMD64 */
    put_u16(&p, 6);
    put_u16(&p, 0x9a03);
    put_u8(&p, 1);
    put_u8(&p, 1);
    put_u32(&p, 3200);
    return end(s, KIND_CPU_CONFIG, 0, &p);
}

bool log_disk_config(struct synthetic *s, unsigned disk)
{
    const struct disk *d = &s->disks[disk];
    struct pen p = begin(s, KIND_DISK_CONFIG, 0);
    put_u32(&p, disk);
    put_u32(&p, 512);
    put_u32(&p, 63);
    put_u32(&p, 255);
    put_u64(&p, 60801);
    put_u32(&p, disk);
    put_zeros(&p, 12); /* path, target, LUN */
    put_utf16_field(&p, d->maker, 256);
    put_u32(&p, 1);
    put_u8(&p, !d->is_removable);
    put_u8(&p, 0);
    put_utf16_field(&p, disk == 0 ? "C:" : disk == 1 ? "D:" : "E:", 3);
    put_zeros(&p, 4);
    return end(s, KIND_DISK_CONFIG, 0, &p);
}

bool log_interval(struct synthetic *s)
{
    struct pen p = begin(s, KIND_INTERVAL, 0);
    put_u32(&p, 0);
    put_u32(&p, (uint32_t)s->sample_interval);
    put_u32(&p, 10000);
    put_ascii16(&p, "Timer");
    put_u16(&p, 0);
    return end(s, KIND_INTERVAL, 0, &p);
}

/* ---- processes, threads, images ------------------------------------------------- */

/* TOKEN_USER of 64-bit kernels (pointer and attributes, of no use outside), then the SID. */
static void put_user(struct pen *p, bool is_user)
{
    static const uint8_t system[] = {1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0};
    static const uint8_t user[] = {1,    5,    0,    0,    0,    0,    0,    5,    21,   0,
                                   0,    0,    0x4e, 0x61, 0xbc, 0x00, 0x96, 0x2c, 0xec, 0x2c,
                                   0x68, 0xfd, 0x31, 0x06, 0xe9, 0x03, 0,    0};
    put_u64(p, 0xffffd00c22cdabc0u);
    put_u64(p, 0);
    if (is_user)
        put_bytes(p, user, sizeof user);
    else
        put_bytes(p, system, sizeof system);
}

bool log_process(struct synthetic *s, unsigned cpu, enum kind kind, const struct process *c)
{
    const struct program *program = program_of(c->program);
    char text[256];
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, c->key);
    put_u32(&p, c->pid);
    put_u32(&p, c->parent);
    put_u32(&p, program->session == 0xff ? 0xffffffffu : program->session);
    put_u32(&p, kind == KIND_PROCESS_END ? 0 : 0x103); /* STATUS_PENDING while it runs */
    put_u64(&p, c->table_base);
    put_u32(&p, 0);
    put_user(&p, program->is_user);
    process_image(c, text, sizeof text);
    put_bytes(&p, text, strlen(text));
    if (c->hostile != HOSTILE_NONE)
        put_bytes(&p, hostiles[c->hostile].narrow, strlen(hostiles[c->hostile].narrow));
    put_u8(&p, 0);
    process_command(c, text, sizeof text);
    put_ascii16(&p, text);
    put_hostile(&p, c->hostile);
    put_u16(&p, 0);
    put_u16(&p, 0); /* package */
    put_u16(&p, 0); /* application */
    if (!end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *total = &s->totals.processes[c->total];
    if (kind == KIND_PROCESS_START)
        total->start = s->totals.last;
    if (kind == KIND_PROCESS_END)
        total->end = s->totals.last;
    return true;
}

bool log_terminate(struct synthetic *s, unsigned cpu, const struct process *c)
{
    struct pen p = begin(s, KIND_PROCESS_TERMINATE, cpu);
    put_u32(&p, c->pid);
    return end(s, KIND_PROCESS_TERMINATE, cpu, &p);
}

bool log_counters(struct synthetic *s, unsigned cpu, const struct process *c)
{
    struct pen p = begin(s, KIND_PROCESS_COUNTERS, cpu);
    put_u32(&p, c->pid);
    put_zeros(&p, 12);
    const uint64_t working_set = (uint64_t)(c->pid % 97 + 8) << 20;
    put_u64(&p, working_set * 9); /* peaks: virtual, working set, page file, pools … */
    put_u64(&p, working_set);
    put_u64(&p, working_set / 2);
    put_u64(&p, 113056);
    put_u64(&p, 9696);
    put_zeros(&p, 48); /* … and nothing is left of them now */
    return end(s, KIND_PROCESS_COUNTERS, cpu, &p);
}

static const char *thread_name(const struct thread *t)
{
    return t->is_named ? roles[t->role].thread_name : "";
}

bool log_thread(struct synthetic *s, unsigned cpu, enum kind kind, const struct thread *t)
{
    const struct process *c = process_of(s, t);
    const bool is_kernel = c->pid <= 4;
    struct pen p = begin(s, kind, cpu);
    put_u32(&p, c->pid);
    put_u32(&p, t->tid);
    put_u64(&p, t->stack);
    put_u64(&p, t->stack - 0x7000);
    put_u64(&p, is_kernel ? 0 : 0x000000d200000000u + (uint64_t)t->tid * 0x100000);
    put_u64(&p, is_kernel ? 0 : 0x000000d200000000u + (uint64_t)t->tid * 0x100000 - 0x4000);
    put_u64(&p, s->cpu_count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << s->cpu_count) - 1);
    put_u64(&p, c->base + 0x14e0);
    put_u64(&p, is_kernel ? 0 : 0x000000d1ff000000u + (uint64_t)t->tid * 0x2000);
    put_u32(&p, 0); /* service tag */
    put_u8(&p, t->priority);
    put_u8(&p, 5);
    put_u8(&p, 2);
    put_u8(&p, 0);
    put_ascii16(&p, thread_name(t));
    put_u16(&p, 0);
    return end(s, kind, cpu, &p);
}

bool log_thread_name(struct synthetic *s, unsigned cpu, const struct thread *t)
{
    struct pen p = begin(s, KIND_THREAD_NAME, cpu);
    put_u32(&p, process_of(s, t)->pid);
    put_u32(&p, t->tid);
    put_ascii16(&p, thread_name(t));
    put_u16(&p, 0);
    return end(s, KIND_THREAD_NAME, cpu, &p);
}

/* The stay that the CSwitch at `at` ended. */
static void count_stay(struct synthetic *s, const struct thread *t, int64_t since, int64_t ready,
                       int64_t at)
{
    if (!s->o.keep_totals)
        return;
    struct synthetic_thread *total = &s->totals.threads[t->total];
    total->stays++;
    if (!since)
        return;
    total->run += at - since;
    total->ready += ready;
}

bool log_switch(struct synthetic *s, unsigned cpu, struct thread *to, struct thread *from,
                unsigned state, unsigned reason)
{
    const int64_t waited = s->now - to->waiting_since;
    struct pen p = begin(s, KIND_SWITCH, cpu);
    put_u32(&p, to->tid);
    put_u32(&p, from->tid);
    put_u8(&p, to->priority);
    put_u8(&p, from->priority);
    put_u8(&p, from->tid == 0 ? 1 : 0); /* C-state that an idle processor leaves */
    put_u8(&p, 0);
    put_u8(&p, reason);
    put_u8(&p, reason == 6 || reason == 4 || reason == 15); /* waits of user mode */
    put_u8(&p, state);
    put_u8(&p, from->cpu);
    put_u32(&p, to->tid ? (uint32_t)(waited / 156250) : 0);
    put_u32(&p, 0);
    struct cpu *c = &s->cpus[cpu];
    const int64_t since = c->logged_since, stood_ready = c->stood_ready;
    const int64_t became_ready = to->ready_since, preempted = to->preempted_since;
    c->logged_since = c->stood_ready = 0;
    to->ready_since = to->preempted_since = to->blocked_since = from->blocked_since = 0;
    if (!end(s, KIND_SWITCH, cpu, &p))
        return false;
    const int64_t at = s->totals.last;
    c->logged_since = at;
    if (since)
        total_of(s, from)->run += at - since;
    total_of(s, to)->switches++;
    if (became_ready)
        total_of(s, to)->ready += at - became_ready;
    if (preempted)
        total_of(s, to)->preempted += at - preempted;
    from->preempted_since = state == STATE_READY ? at : 0;
    from->blocked_since = state == STATE_WAITING ? at : 0;
    c->stood_ready = became_ready ? at - became_ready : preempted ? at - preempted : 0;
    count_stay(s, from, since, stood_ready, at);
    return true;
}

static void count_wake(struct synthetic *s, unsigned cpu, const struct thread *t, bool is_dpc,
                       int64_t since)
{
    struct synthetic_totals *all = &s->totals;
    if (!s->o.keep_totals)
        return;
    if ((all->wake_count & (all->wake_count - 1)) == 0) /* full at powers of two */
        all->wakes = mem_grow(all->wakes, all->wake_count ? all->wake_count * 2 : 1,
                              sizeof *all->wakes);
    const bool is_told = !is_dpc && s->cpus[cpu].logged_since;
    all->wakes[all->wake_count++] = (struct synthetic_wake){
        .thread = t->total,
        .waker = is_told ? current(s, cpu)->total : SYNTHETIC_INTERRUPT,
        .waited = since ? all->last - since : 0,
        .reason = t->reason,
    };
}

bool log_ready(struct synthetic *s, unsigned cpu, struct thread *t, bool is_dpc)
{
    struct pen p = begin(s, KIND_READY, cpu);
    put_u32(&p, t->tid);
    put_u8(&p, 1);
    put_u8(&p, is_dpc ? 1 : 0);
    put_u8(&p, is_dpc ? 1 : 0);
    put_u8(&p, 0);
    const int64_t blocked = t->blocked_since;
    t->ready_since = t->blocked_since = 0;
    if (!end(s, KIND_READY, cpu, &p))
        return false;
    t->ready_since = s->totals.last;
    total_of(s, t)->readies++;
    count_wake(s, cpu, t, is_dpc, blocked);
    return true;
}

bool log_image(struct synthetic *s, unsigned cpu, enum kind kind, uint32_t pid, uint64_t base,
               uint32_t bytes, uint32_t stamp, const char *path)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, base);
    put_u64(&p, bytes);
    put_u32(&p, pid);
    put_u32(&p, bytes ^ stamp);
    put_u32(&p, stamp);
    put_u8(&p, 12);
    put_u8(&p, 1);
    put_u16(&p, 0);
    put_u64(&p, base);
    put_zeros(&p, 16);
    put_ascii16(&p, path);
    put_u16(&p, 0);
    return end(s, kind, cpu, &p);
}

/* ---- disks and files ------------------------------------------------------------ */

bool log_disk_init(struct synthetic *s, unsigned cpu, const struct io *io, const struct thread *t)
{
    static const uint8_t kinds[] = {KIND_DISK_READ_INIT, KIND_DISK_WRITE_INIT,
                                    KIND_DISK_FLUSH_INIT};
    struct pen p = begin(s, kinds[io->kind], cpu);
    put_u64(&p, io->irp);
    put_u32(&p, t->tid);
    return end(s, kinds[io->kind], cpu, &p);
}

static void count_transfer(struct synthetic *s, const struct io *io, const struct thread *t,
                           int64_t ticks)
{
    struct synthetic_disk *d = &s->totals.disks[io->disk];
    struct synthetic_process *c = total_of(s, t);
    d->response += ticks;
    c->disk_ticks += ticks;
    if (io->kind == IO_FLUSH) {
        d->flushes++;
    } else if (io->kind == IO_WRITE) {
        d->writes++;
        d->written_bytes += io->bytes;
        c->disk_writes++;
        c->disk_written_bytes += io->bytes;
    } else {
        d->reads++;
        d->read_bytes += io->bytes;
        c->disk_reads++;
        c->disk_read_bytes += io->bytes;
    }
}

bool log_disk_done(struct synthetic *s, unsigned cpu, const struct io *io, const struct thread *t)
{
    static const uint8_t kinds[] = {KIND_DISK_READ, KIND_DISK_WRITE, KIND_DISK_FLUSH};
    const enum kind kind = kinds[io->kind];
    struct pen p = begin(s, kind, cpu);
    const int64_t ticks = s->now - io->start;
    put_u32(&p, io->disk);
    put_u32(&p, io->flags);
    if (io->kind != IO_FLUSH) {
        put_u32(&p, io->bytes);
        put_u32(&p, 0);
        put_u64(&p, io->offset);
        put_u64(&p, io->key);
        put_u64(&p, io->irp);
        put_u64(&p, (uint64_t)ticks);
    } else {
        put_u64(&p, (uint64_t)ticks);
        put_u64(&p, io->irp);
    }
    put_u32(&p, t->tid);
    if (!end(s, kind, cpu, &p))
        return false;
    count_transfer(s, io, t, ticks);
    return true;
}

static void put_path(struct pen *p, const struct file *f)
{
    char path[256];
    file_path(f, path, sizeof path);
    put_ascii16(p, path);
    put_hostile(p, f->hostile);
    put_u16(p, 0);
}

bool log_file_name(struct synthetic *s, unsigned cpu, enum kind kind, struct file *f)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, f->key);
    put_path(&p, f);
    return end(s, kind, cpu, &p);
}

bool log_file_open(struct synthetic *s, unsigned cpu, const struct thread *t, uint64_t irp,
                   const struct file *f, uint32_t options)
{
    struct pen p = begin(s, KIND_FILE_OPEN, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u32(&p, t->tid);
    put_u32(&p, options);
    put_u32(&p, 0x80);
    put_u32(&p, 3);
    put_path(&p, f);
    if (!end(s, KIND_FILE_OPEN, cpu, &p))
        return false;
    total_of(s, t)->file_opens++;
    return true;
}

bool log_file_simple(struct synthetic *s, unsigned cpu, enum kind kind, const struct thread *t,
                     uint64_t irp, const struct file *f)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u32(&p, t->tid);
    return end(s, kind, cpu, &p);
}

bool log_file_transfer(struct synthetic *s, unsigned cpu, enum kind kind, const struct thread *t,
                       uint64_t irp, const struct file *f, uint64_t offset, uint32_t bytes)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, offset);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u32(&p, t->tid);
    put_u32(&p, bytes);
    put_u32(&p, kind == KIND_FILE_READ ? 0x60900 : 0x60a00);
    put_u32(&p, 0); /* ExtraFlags of current builds */
    if (!end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *c = total_of(s, t);
    if (kind == KIND_FILE_READ) {
        c->file_reads++;
        c->file_read_bytes += bytes;
    } else {
        c->file_writes++;
        c->file_written_bytes += bytes;
    }
    return true;
}

bool log_file_info(struct synthetic *s, unsigned cpu, enum kind kind, const struct thread *t,
                   uint64_t irp, const struct file *f, uint64_t extra, uint32_t info_class)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u64(&p, extra);
    put_u32(&p, t->tid);
    put_u32(&p, info_class);
    return end(s, kind, cpu, &p);
}

bool log_file_enum(struct synthetic *s, unsigned cpu, const struct thread *t, uint64_t irp,
                   const struct file *f, uint32_t length)
{
    struct pen p = begin(s, KIND_FILE_ENUM, cpu);
    put_u64(&p, irp);
    put_u64(&p, t->object);
    put_u64(&p, f->key);
    put_u32(&p, t->tid);
    put_u32(&p, length);
    put_u32(&p, 37); /* FileIdBothDirectoryInformation */
    put_u32(&p, 0);
    put_ascii16(&p, "*");
    put_u16(&p, 0);
    return end(s, KIND_FILE_ENUM, cpu, &p);
}

bool log_file_done(struct synthetic *s, unsigned cpu, uint64_t irp, uint64_t extra, uint32_t status)
{
    struct pen p = begin(s, KIND_FILE_DONE, cpu);
    put_u64(&p, irp);
    put_u64(&p, extra);
    put_u32(&p, status);
    if (!end(s, KIND_FILE_DONE, cpu, &p))
        return false;
    s->totals.file_errors += status >> 30 == 3;
    return true;
}

/* ---- registry ------------------------------------------------------------------- */

bool log_registry(struct synthetic *s, unsigned cpu, enum kind kind, int64_t since, uint32_t status,
                  uint32_t index, uint64_t handle, const char *name)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, (uint64_t)since);
    put_u32(&p, status);
    put_u32(&p, index);
    put_u64(&p, handle);
    put_ascii16(&p, name);
    put_u16(&p, 0);
    if (!end(s, kind, cpu, &p))
        return false;
    if (kind < KIND_KCB_CREATE) { /* the rest are names, not operations */
        total_of(s, current(s, cpu))->registry++;
        s->totals.registry_errors += status >> 30 == 3;
    }
    return true;
}

/* ---- network -------------------------------------------------------------------- */

/* The last part of kind numbers: IPv6 kinds follow the IPv4 ones in the same order. */
static enum kind tcp_kind(enum kind v4, const struct link *l)
{
    static const uint8_t v6[] = {KIND_TCP6_SEND,       KIND_TCP6_RECEIVE,    KIND_TCP6_CONNECT,
                                 KIND_TCP6_DISCONNECT, KIND_TCP6_RETRANSMIT, KIND_TCP6_ACCEPT};
    return l->is_v6 ? (enum kind)v6[v4 - KIND_TCP_SEND] : v4;
}

static enum kind udp_kind(bool is_send, const struct link *l)
{
    if (is_send)
        return l->is_v6 ? KIND_UDP6_SEND : KIND_UDP_SEND;
    return l->is_v6 ? KIND_UDP6_RECEIVE : KIND_UDP_RECEIVE;
}

/* TCP names its ends local and remote; UDP, as in the datagram: a datagram that comes in
 * has the peer as its source. */
static void put_ends(struct synthetic *s, struct pen *p, const struct link *l, uint32_t bytes,
                     bool is_turned)
{
    const size_t size = l->is_v6 ? 16 : 4;
    put_u32(p, s->processes[l->process].pid);
    put_u32(p, bytes);
    put_bytes(p, is_turned ? l->here : l->there, size);
    put_bytes(p, is_turned ? l->there : l->here, size);
    put_port(p, is_turned ? l->here_port : l->there_port);
    put_port(p, is_turned ? l->there_port : l->here_port);
}

bool log_transfer(struct synthetic *s, unsigned cpu, bool is_send, const struct link *l,
                  uint32_t bytes)
{
    const enum kind kind =
        l->is_udp ? udp_kind(is_send, l) : tcp_kind(is_send ? KIND_TCP_SEND : KIND_TCP_RECEIVE, l);
    struct pen p = begin(s, kind, cpu);
    put_ends(s, &p, l, bytes, l->is_udp && !is_send);
    if (is_send && !l->is_udp) {
        put_u32(&p, (uint32_t)(s->now / 1000000)); /* starts and ends in 100 ms since boot */
        put_u32(&p, (uint32_t)(s->now / 1000000));
    }
    put_u32(&p, 0);
    put_u64(&p, 0);
    if (!end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *c = &s->totals.processes[s->processes[l->process].total];
    if (is_send) {
        c->sends++;
        c->sent_bytes += bytes;
    } else {
        c->receives++;
        c->received_bytes += bytes;
    }
    return true;
}

bool log_connect(struct synthetic *s, unsigned cpu, enum kind kind, const struct link *l)
{
    kind = tcp_kind(kind, l);
    struct pen p = begin(s, kind, cpu);
    put_ends(s, &p, l, 0, false);
    put_u16(&p, l->is_v6 ? 1440 : 1460);
    put_u16(&p, 1);
    put_u16(&p, 0);
    put_u16(&p, 1);
    put_u32(&p, 65700);
    put_u16(&p, 8);
    put_u16(&p, 8);
    put_u32(&p, 0);
    put_u64(&p, 0);
    return end(s, kind, cpu, &p);
}

bool log_disconnect(struct synthetic *s, unsigned cpu, enum kind kind, const struct link *l,
                    uint32_t bytes)
{
    kind = tcp_kind(kind, l);
    struct pen p = begin(s, kind, cpu);
    put_ends(s, &p, l, bytes, false);
    put_u32(&p, 0);
    put_u64(&p, 0);
    return end(s, kind, cpu, &p);
}

bool log_tcp_fail(struct synthetic *s, unsigned cpu)
{
    struct pen p = begin(s, KIND_TCP_FAIL, cpu);
    put_u16(&p, 2);
    put_u16(&p, 5);
    return end(s, KIND_TCP_FAIL, cpu, &p);
}

/* ---- memory --------------------------------------------------------------------- */

bool log_fault(struct synthetic *s, unsigned cpu, enum kind kind, uint64_t address, uint64_t code)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, address);
    put_u64(&p, code);
    if (!end(s, kind, cpu, &p))
        return false;
    if (kind != KIND_FAULT_HARD)
        total_of(s, current(s, cpu))->soft_faults++;
    return true;
}

bool log_hard_fault(struct synthetic *s, unsigned cpu, const struct io *io, const struct thread *t)
{
    struct pen p = begin(s, KIND_HARD_FAULT, cpu);
    put_u64(&p, (uint64_t)io->start);
    put_u64(&p, io->offset);
    put_u64(&p, io->address);
    put_u64(&p, io->key);
    put_u32(&p, t->tid);
    put_u32(&p, io->bytes);
    if (!end(s, KIND_HARD_FAULT, cpu, &p))
        return false;
    total_of(s, t)->hard_faults++;
    total_of(s, t)->hard_fault_bytes += io->bytes;
    return true;
}

bool log_memory(struct synthetic *s, unsigned cpu, enum kind kind, const struct thread *t,
                uint64_t base, uint64_t bytes, uint32_t flags)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, base);
    put_u64(&p, bytes);
    put_u32(&p, process_of(s, t)->pid);
    put_u32(&p, flags);
    if (!end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *c = total_of(s, t);
    *(kind == KIND_ALLOCATE ? &c->allocated_bytes : &c->freed_bytes) += bytes;
    return true;
}

/* ---- processor ------------------------------------------------------------------ */

bool log_sample(struct synthetic *s, unsigned cpu, const struct thread *t, uint64_t code)
{
    struct pen p = begin(s, KIND_SAMPLE, cpu);
    put_u64(&p, code);
    put_u32(&p, t->tid);
    put_u16(&p, 1);
    put_u8(&p, t->priority << 3); /* flags: not in a DPC or ISR; priority from bit 3 */
    put_u8(&p, 0);
    if (!end(s, KIND_SAMPLE, cpu, &p))
        return false;
    total_of(s, t)->samples++;
    return true;
}

bool log_dpc(struct synthetic *s, unsigned cpu, enum kind kind, int64_t since, uint64_t routine)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, (uint64_t)since);
    put_u64(&p, routine);
    if (!end(s, kind, cpu, &p))
        return false;
    s->totals.interrupt_ticks += s->totals.last - since;
    return true;
}

bool log_isr(struct synthetic *s, unsigned cpu, enum kind kind, int64_t since, uint64_t routine)
{
    struct pen p = begin(s, kind, cpu);
    put_u64(&p, (uint64_t)since);
    put_u64(&p, routine);
    put_u8(&p, 1);
    put_u16(&p, 0x81 + (unsigned)(routine >> 12 & 0x3f));
    put_u8(&p, 0);
    if (kind == KIND_ISR_MSI)
        put_u32(&p, cpu);
    if (!end(s, kind, cpu, &p))
        return false;
    s->totals.interrupt_ticks += s->totals.last - since;
    return true;
}

bool log_call_enter(struct synthetic *s, unsigned cpu, uint64_t routine)
{
    struct pen p = begin(s, KIND_CALL_ENTER, cpu);
    put_u64(&p, routine);
    s->cpus[cpu].call_since = 0;
    if (!end(s, KIND_CALL_ENTER, cpu, &p))
        return false;
    s->cpus[cpu].call_since = s->cpus[cpu].logged_since ? s->totals.last : 0;
    return true;
}

bool log_call_exit(struct synthetic *s, unsigned cpu, uint32_t status)
{
    struct pen p = begin(s, KIND_CALL_EXIT, cpu);
    put_u32(&p, status);
    if (!end(s, KIND_CALL_EXIT, cpu, &p))
        return false;
    if (s->cpus[cpu].call_since)
        s->totals.call_ticks += s->totals.last - s->cpus[cpu].call_since;
    s->totals.call_errors += status >> 30 == 3;
    return true;
}

bool log_stack(struct synthetic *s, unsigned cpu, int64_t of, const struct thread *t,
               const uint64_t *frames, unsigned count)
{
    struct pen p = begin(s, KIND_STACK, cpu);
    put_u64(&p, (uint64_t)of);
    put_u32(&p, process_of(s, t)->pid);
    put_u32(&p, t->tid);
    put_bytes(&p, frames, 8 * (size_t)count);
    if (!end(s, KIND_STACK, cpu, &p))
        return false;
    total_of(s, t)->stacks++;
    return true;
}
