/* Thread: lifetimes, context switches, priorities. Version 3 has grown a ThreadName
 * without a new number (Windows 10 1607); older payloads of that version end before it. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

static const struct field start_v0[] = {
    TID("TThreadId", FIELD_U32, 0, 0),
    PID("ProcessId", FIELD_U32, 4, 4),
};

static const struct field start_v1[] = {
    PID("ProcessId", FIELD_U32, 0, 0),
    TID("TThreadId", FIELD_U32, 4, 4),
    POINTER("StackBase", 8, 8),
    POINTER("StackLimit", 12, 16),
    POINTER("UserStackBase", 16, 24),
    POINTER("UserStackLimit", 20, 32),
    POINTER("StartAddr", 24, 40),
    POINTER("Win32StartAddr", 28, 48),
    NAMED("WaitMode", FIELD_I8, map_wait_mode, 32, 56),
};

static const struct field start_v2[] = {
    PID("ProcessId", FIELD_U32, 0, 0), TID("TThreadId", FIELD_U32, 4, 4),
    POINTER("StackBase", 8, 8),        POINTER("StackLimit", 12, 16),
    POINTER("UserStackBase", 16, 24),  POINTER("UserStackLimit", 20, 32),
    POINTER("StartAddr", 24, 40),      POINTER("Win32StartAddr", 28, 48),
    POINTER("TebBase", 32, 56),        U32("SubProcessTag", 36, 64),
};

static const struct field start_v3[] = {
    PID("ProcessId", FIELD_U32, 0, 0), TID("TThreadId", FIELD_U32, 4, 4),
    POINTER("StackBase", 8, 8),        POINTER("StackLimit", 12, 16),
    POINTER("UserStackBase", 16, 24),  POINTER("UserStackLimit", 20, 32),
    POINTER("Affinity", 24, 40),       POINTER("Win32StartAddr", 28, 48),
    POINTER("TebBase", 32, 56),        U32("SubProcessTag", 36, 64),
    U8("BasePriority", 40, 68),        U8("PagePriority", 41, 69),
    U8("IoPriority", 42, 70),          U8("ThreadFlags", 43, 71),
    WSTR("ThreadName", 44, 72),
};

static const struct field end_v1[] = {
    PID("ProcessId", FIELD_U32, 0, 0),
    TID("TThreadId", FIELD_U32, 4, 4),
};

static const struct field cswitch_v1[] = {
    TID("NewThreadId", FIELD_U32, 0, 0),
    U32("OldThreadId", 4, 4),
    I8("NewThreadPriority", 8, 8),
    I8("OldThreadPriority", 9, 9),
    I8("NewThreadQuantum", 10, 10),
    I8("OldThreadQuantum", 11, 11),
    NAMED("OldThreadWaitReason", FIELD_I8, map_wait_reason, 12, 12),
    NAMED("OldThreadWaitMode", FIELD_I8, map_wait_mode, 13, 13),
    NAMED("OldThreadState", FIELD_I8, map_thread_state, 14, 14),
    I8("OldThreadWaitIdealProcessor", 15, 15),
    U32("NewThreadWaitTime", 16, 16),
};

static const struct field cswitch_v2[] = {
    TID("NewThreadId", FIELD_U32, 0, 0),
    U32("OldThreadId", 4, 4),
    I8("NewThreadPriority", 8, 8),
    I8("OldThreadPriority", 9, 9),
    U8("PreviousCState", 10, 10),
    I8("SpareByte", 11, 11),
    NAMED("OldThreadWaitReason", FIELD_I8, map_wait_reason, 12, 12),
    NAMED("OldThreadWaitMode", FIELD_I8, map_wait_mode, 13, 13),
    NAMED("OldThreadState", FIELD_I8, map_thread_state, 14, 14),
    I8("OldThreadWaitIdealProcessor", 15, 15),
    U32("NewThreadWaitTime", 16, 16),
    U32("Reserved", 20, 20),
};

static const struct field cswitch_v3[] = {
    TID("NewThreadId", FIELD_U32, 0, 0),
    U32("OldThreadId", 4, 4),
    I8("NewThreadPriority", 8, 8),
    I8("OldThreadPriority", 9, 9),
    U8("PreviousCState", 10, 10),
    I8("SpareByte", 11, 11),
    NAMED("OldThreadWaitReason", FIELD_I8, map_wait_reason, 12, 12),
    I8("ThreadFlags", 13, 13),
    NAMED("OldThreadState", FIELD_I8, map_thread_state, 14, 14),
    I8("OldThreadWaitIdealProcessor", 15, 15),
    U32("NewThreadWaitTime", 16, 16),
    U32("Reserved", 20, 20),
};

static const struct field cswitch_v5[] = {
    TID("NewThreadId", FIELD_U32, 0, 0),
    U32("OldThreadId", 4, 4),
    I8("NewThreadPriority", 8, 8),
    I8("OldThreadPriority", 9, 9),
    U8("PreviousCState", 10, 10),
    I8("SpareByte", 11, 11),
    NAMED("OldThreadWaitReason", FIELD_I8, map_wait_reason, 12, 12),
    I8("ThreadFlags", 13, 13),
    NAMED("OldThreadState", FIELD_I8, map_thread_state, 14, 14),
    I8("OldThreadWaitIdealProcessor", 15, 15),
    U32("NewThreadWaitTime", 16, 16),
    U32("Reserved", 20, 20),
    U32("Reserved2", 24, 24),
};

static const struct field spin_lock_v2[] = {
    POINTER("SpinLockAddress", 0, 0),
    POINTER("CallerAddress", 4, 8),
    U64("AcquireTime", 8, 16),
    U64("ReleaseTime", 16, 24),
    U32("WaitTimeInCycles", 24, 32),
    U32("SpinCount", 28, 36),
    TID("ThreadId", FIELD_U32, 32, 40),
    U32("InterruptCount", 36, 44),
    U8("Irql", 40, 48),
    U8("AcquireDepth", 41, 49),
    U8("Flag", 42, 50),
    U8("Reserved", 43, 51),
};

static const struct field set_priority_v3[] = {
    TID("ThreadId", FIELD_U32, 0, 0),
    U8("OldPriority", 4, 4),
    U8("NewPriority", 5, 5),
    U16("Reserved", 6, 6),
};

static const struct field ready_thread_v2[] = {
    TID("TThreadId", FIELD_U32, 0, 0),
    NAMED("AdjustReason", FIELD_I8, map_adjust_reason, 4, 4),
    I8("AdjustIncrement", 5, 5),
    NAMED("Flag", FIELD_I8, map_ready_flags, 6, 6),
    I8("Reserved", 7, 7),
};

static const struct field thread_affinity_v2[] = {
    POINTER("Affinity", 0, 0),
    TID("ThreadId", FIELD_U32, 4, 8),
    U16("Group", 8, 12),
    U16("Reserved", 10, 14),
};

static const struct field worker_thread_v1[] = {
    TID("TThreadId", FIELD_U32, 0, 0),
    U64("StartTime", 4, 4),
    POINTER("ThreadRoutine", 12, 12),
};

static const struct field anti_starvation_boost_v2[] = {
    TID("ThreadId", FIELD_U32, 0, 0),
    U16("ProcessorIndex", 4, 4),
    U8("Priority", 6, 6),
    U8("Reserved", 7, 7),
};

static const struct field thread_migration_v2[] = {
    TID("ThreadId", FIELD_U32, 0, 0),  U16("SourceProcessorIndex", 4, 4),
    U16("TargetProcessorIndex", 6, 6), U8("Priority", 8, 8),
    U8("IdealProcessorAdjust", 9, 9),  U16("OldIdealProcessorIndex", 10, 10),
};

static const struct field kernel_queue_enqueue_v2[] = {
    POINTER("Entry", 0, 0),
    TID("ThreadId", FIELD_U32, 4, 8),
};

static const struct field kernel_queue_dequeue_v2[] = {
    TID("ThreadId", FIELD_U32, 0, 0),
    U32("EntryCount", 4, 4),
    POINTER("Entries", 8, 8),
};

static const struct field start_64_v2[] = {
    POINTER("CallbackRoutine", 0, 0),
};

static const struct field auto_boost_set_floor_v2[] = {
    POINTER("Lock", 0, 0),       TID("ThreadId", FIELD_U32, 4, 8), U8("NewCpuPriorityFloor", 8, 12),
    U8("OldCpuPriority", 9, 13), U8("IoPriorities", 10, 14),       U8("BoostFlags", 11, 15),
};

static const struct field auto_boost_clear_floor_v2[] = {
    POINTER("LockAddress", 0, 0),
    TID("ThreadId", FIELD_U32, 4, 8),
    U32("BoostBitmap", 8, 12),
};

static const struct field auto_boost_entry_exhaustion_v2[] = {
    POINTER("LockAddress", 0, 0),
    TID("ThreadId", FIELD_U32, 4, 8),
};

static const struct field sub_process_tag_changed_v2[] = {
    U32("OldTag", 0, 0),
    U32("NewTag", 4, 4),
};

static const struct field set_name_v2[] = {
    PID("ProcessId", FIELD_U32, 0, 0),
    TID("ThreadId", FIELD_U32, 4, 4),
    WSTR("ThreadName", 8, 8),
};

static const struct payload_layout start[] = {
    LAYOUT(0, start_v0), LAYOUT(1, start_v1), LAYOUT(2, start_v2),
    LAYOUT(3, start_v3), LAYOUT(4, start_v3),
};

static const struct payload_layout end[] = {
    LAYOUT(0, start_v0), LAYOUT(1, end_v1),   LAYOUT(2, start_v2),
    LAYOUT(3, start_v3), LAYOUT(4, start_v3),
};

static const struct payload_layout cswitch[] = {
    LAYOUT(1, cswitch_v1), LAYOUT(2, cswitch_v2), LAYOUT(3, cswitch_v3),
    LAYOUT(4, cswitch_v3), LAYOUT(5, cswitch_v5),
};

static const struct payload_layout comp_cs[] = {
    EMPTY(2),
};

static const struct payload_layout spin_lock[] = {
    LAYOUT(2, spin_lock_v2),
};

static const struct payload_layout set_priority[] = {
    LAYOUT(3, set_priority_v3),
};

static const struct payload_layout ready_thread[] = {
    LAYOUT(2, ready_thread_v2),
};

static const struct payload_layout thread_affinity[] = {
    LAYOUT(2, thread_affinity_v2),
};

static const struct payload_layout worker_thread[] = {
    LAYOUT(1, worker_thread_v1),
    LAYOUT(2, worker_thread_v1),
};

static const struct payload_layout anti_starvation_boost[] = {
    LAYOUT(2, anti_starvation_boost_v2),
};

static const struct payload_layout thread_migration[] = {
    LAYOUT(2, thread_migration_v2),
};

static const struct payload_layout kernel_queue_enqueue[] = {
    LAYOUT(2, kernel_queue_enqueue_v2),
};

static const struct payload_layout kernel_queue_dequeue[] = {
    LAYOUT(2, kernel_queue_dequeue_v2),
};

static const struct payload_layout worker_start[] = {
    LAYOUT(2, start_64_v2),
};

static const struct payload_layout auto_boost_set_floor[] = {
    LAYOUT(2, auto_boost_set_floor_v2),
};

static const struct payload_layout auto_boost_clear_floor[] = {
    LAYOUT(2, auto_boost_clear_floor_v2),
};

static const struct payload_layout auto_boost_entry_exhaustion[] = {
    LAYOUT(2, auto_boost_entry_exhaustion_v2),
};

static const struct payload_layout sub_process_tag_changed[] = {
    LAYOUT(2, sub_process_tag_changed_v2),
};

static const struct payload_layout set_name[] = {
    LAYOUT(2, set_name_v2),
};

static const struct event_type kinds[] = {
    [0x01] = KIND_AS("Start", start,
                     "start thread {.TThreadId}[ {.ThreadName}] of {process|.ProcessId}[ at "
                     "{entry|.Win32StartAddr:set}]"),
    [0x02] =
        KIND_AS("End", end, "exit thread {.TThreadId}[ {.ThreadName}] of {process|.ProcessId}"),
    [0x03] =
        KIND_AS("DCStart", start,
                "already running: thread {.TThreadId}[ {.ThreadName}] of {process|.ProcessId}"),
    [0x04] = KIND_AS("DCEnd", start,
                     "still running: thread {.TThreadId}[ {.ThreadName}] of {process|.ProcessId}"),
    [0x24] = KIND_AS("CSwitch", cswitch,
                     "{old|.OldThreadId} → {new|.NewThreadId}[, waited {waited}[ ({why})]][, off "
                     "the processor {off}[ ({why})]][, ready {readied}][, woken by {waker}]"),
    [0x25] = KIND("CompCS", comp_cs),
    [0x29] = KIND("SpinLock", spin_lock),
    [0x2a] = NAME("QUEUE"),
    [0x2b] = NAME("RESOURCE"),
    [0x2c] = NAME("PUSHLOCK"),
    [0x2d] = NAME("WAIT_SINGLE"),
    [0x2e] = NAME("WAIT_MULTIPLE"),
    [0x2f] = NAME("DELAY_EXECUTION"),
    [0x30] = KIND_AS("SetPriority", set_priority,
                     "priority of thread {.ThreadId}: {.OldPriority} → {.NewPriority}"),
    [0x31] = KIND_AS("SetBasePriority", set_priority,
                     "base priority of thread {.ThreadId}: {.OldPriority} → {.NewPriority}"),
    [0x32] = KIND_AS("ReadyThread", ready_thread,
                     "{thread|.TThreadId} ready[, waited {waited}[ ({why})]][, woken by {waker}]"),
    [0x33] = KIND_AS("SetPagePriority", set_priority,
                     "page priority of thread {.ThreadId}: {.OldPriority} → {.NewPriority}"),
    [0x34] = KIND_AS("SetIoPriority", set_priority,
                     "I/O priority of thread {.ThreadId}: {.OldPriority} → {.NewPriority}"),
    [0x35] = KIND_AS("ThreadAffinity", thread_affinity,
                     "thread {.ThreadId} may run on processors {.Affinity} of group {.Group}"),
    [0x39] = KIND("WorkerThread", worker_thread),
    [0x3a] = NAME("DFSS_START_NEW_INTERVAL"),
    [0x3b] = NAME("DFSS_PROCESS_IDLE_ONLY_QUEUE"),
    [0x3c] = KIND_AS("AntiStarvationBoost", anti_starvation_boost,
                     "thread {.ThreadId} boosted to priority {.Priority} against starvation"),
    [0x3d] = KIND_AS("Thread Migration", thread_migration,
                     "thread {.ThreadId} moves from processor {.SourceProcessorIndex} to "
                     "{.TargetProcessorIndex}"),
    [0x3e] = KIND("Kernel Queue Enqueue", kernel_queue_enqueue),
    [0x3f] = KIND("Kernel Queue Dequeue", kernel_queue_dequeue),
    [0x40] = KIND("Start", worker_start),
    [0x41] = KIND("End", worker_start),
    [0x42] = KIND("AutoBoost Set Floor", auto_boost_set_floor),
    [0x43] = KIND("AutoBoost Clear Floor", auto_boost_clear_floor),
    [0x44] = KIND("AutoBoost Entry Exhaustion", auto_boost_entry_exhaustion),
    [0x45] = KIND("SubProcessTag Changed", sub_process_tag_changed),
    [0x48] = KIND_AS("SetName", set_name, "thread {.ThreadId} is now named {.ThreadName}"),
};

const struct event_class decode_thread = {
    .name = "Thread",
    KINDS(kinds),
};
