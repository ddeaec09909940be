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
#include "collectors/synthetic/machine.h"

#include "src/base/payload_writer.h"

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

/* ---- a payload writer for payloads --------------------------------------------------------- */

void put_hostile(struct payload_writer *p, unsigned row)
{
    if (row != HOSTILE_NONE)
        put_bytes(p, hostiles[row].wide, 2 * (size_t)hostiles[row].units);
}

/* ---- begin and end ------------------------------------------------------------- */

enum { HEAD = sizeof(struct record_head) };

struct payload_writer log_begin(struct synthetic *s, enum demo_kind kind, unsigned cpu)
{
    const struct synthetic_kind *k = &synthetic_kinds[kind];
    s->now++;
    struct payload_writer p = {s->out, s->out + HEAD, s->out_end};
    put_u16(&p, k->version);
    put_u8(&p, k->header == HEADER_SYSTEM ? 2 : 17);
    put_u8(&p, 0xc0);
    put_u16(&p, 0); /* size: when it is known */
    put_u8(&p, k->hook & 0xff);
    put_u8(&p, k->hook >> 8);
    if (k->header == HEADER_SYSTEM) {
        const struct demo_thread *t = current(s, cpu);
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
    if (!s->losing && prng_below(&s->prng, s->o.lose) == 0)
        s->losing = prng_between(&s->prng, 1, 40);
    if (!s->losing)
        return false;
    s->losing--;
    s->lost_run++;
    s->totals.lost_events++;
    return true;
}

bool log_end(struct synthetic *s, enum demo_kind kind, unsigned cpu, struct payload_writer *p)
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

bool log_masks(struct synthetic *s, enum demo_kind kind)
{
    struct payload_writer p = log_begin(s, kind, 0);
    put_u32(&p, FLAGS);
    put_zeros(&p, 4);
    put_u32(&p, 0x100); /* group 2: stack walking */
    put_zeros(&p, 20);
    put_u32(&p, 80); /* KernelEventVersion */
    return log_end(s, kind, 0, &p);
}

bool log_mark(struct synthetic *s, enum demo_kind kind)
{
    struct payload_writer p = log_begin(s, kind, 0);
    return log_end(s, kind, 0, &p);
}

bool log_cpu_config(struct synthetic *s)
{
    struct payload_writer p = log_begin(s, KIND_CPU_CONFIG, 0);
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
    return log_end(s, KIND_CPU_CONFIG, 0, &p);
}

bool log_disk_config(struct synthetic *s, unsigned disk)
{
    const struct disk *d = &s->disks[disk];
    struct payload_writer p = log_begin(s, KIND_DISK_CONFIG, 0);
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
    return log_end(s, KIND_DISK_CONFIG, 0, &p);
}

bool log_interval(struct synthetic *s)
{
    struct payload_writer p = log_begin(s, KIND_INTERVAL, 0);
    put_u32(&p, 0);
    put_u32(&p, (uint32_t)s->sample_interval);
    put_u32(&p, 10000);
    put_ascii16(&p, "Timer");
    put_u16(&p, 0);
    return log_end(s, KIND_INTERVAL, 0, &p);
}
