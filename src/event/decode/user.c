/* Classes that user-mode components log: heaps, critical sections, thread pools; jobs and
 * last-branch samples of the kernel. */
#include "src/event/decode/table.h"
#include "src/event/error_names.h"

static const struct field heap_create_v2[] = {
    POINTER("HeapHandle", 0, 0),
    U32("HeapFlags", 4, 8),
};

static const struct field heap_alloc_v2[] = {
    POINTER("HeapHandle", 0, 0),
    SIZE("AllocSize", 4, 8),
    POINTER("AllocAddress", 8, 16),
    U32("SourceId", 12, 24),
};

static const struct field heap_re_alloc_v2[] = {
    POINTER("HeapHandle", 0, 0),       POINTER("NewAllocAddress", 4, 8),
    POINTER("OldAllocAddress", 8, 16), SIZE("NewAllocSize", 12, 24),
    SIZE("OldAllocSize", 16, 32),      U32("SourceId", 20, 40),
};

static const struct field heap_destroy_v2[] = {
    POINTER("HeapHandle", 0, 0),
};

static const struct field heap_free_v2[] = {
    POINTER("HeapHandle", 0, 0),
    POINTER("FreeAddress", 4, 8),
    U32("SourceId", 8, 16),
};

static const struct field heap_expand_v2[] = {
    POINTER("HeapHandle", 0, 0), SIZE("CommittedSize", 4, 8),    POINTER("CommitAddress", 8, 16),
    SIZE("FreeSpace", 12, 24),   SIZE("CommittedSpace", 16, 32), SIZE("ReservedSpace", 20, 40),
    U32("NoOfUCRs", 24, 48),     SIZE("AllocatedSpace", 28, 52),
};

static const struct field heap_snap_shot_v2[] = {
    POINTER("HeapHandle", 0, 0),   SIZE("FreeSpace", 4, 8),  SIZE("CommittedSpace", 8, 16),
    SIZE("ReservedSpace", 12, 24), U32("HeapFlags", 16, 32),
};

static const struct payload_layout heap_create[] = {
    LAYOUT(2, heap_create_v2),
};

static const struct payload_layout heap_alloc[] = {
    LAYOUT(2, heap_alloc_v2),
};

static const struct payload_layout heap_re_alloc[] = {
    LAYOUT(2, heap_re_alloc_v2),
};

static const struct payload_layout heap_destroy[] = {
    LAYOUT(2, heap_destroy_v2),
};

static const struct payload_layout heap_free[] = {
    LAYOUT(2, heap_free_v2),
};

static const struct payload_layout heap_expand[] = {
    LAYOUT(2, heap_expand_v2),
};

static const struct payload_layout heap_snap_shot[] = {
    LAYOUT(2, heap_snap_shot_v2),
};

static const struct event_type heap_kinds[] = {
    [0x20] = KIND("Create", heap_create),
    [0x21] = KIND_AS("Alloc", heap_alloc,
                     "allocate {.AllocSize:bytes} of heap {.HeapHandle} at {.AllocAddress}"),
    [0x22] = KIND_AS("ReAlloc", heap_re_alloc,
                     "reallocate {.OldAllocSize:bytes} → {.NewAllocSize:bytes} of heap "
                     "{.HeapHandle} at {.NewAllocAddress}"),
    [0x23] = KIND("Destroy", heap_destroy),
    [0x24] = KIND_AS("Free", heap_free, "free {.FreeAddress} of heap {.HeapHandle}"),
    [0x25] = KIND("Expand", heap_expand),
    [0x26] = KIND("SnapShot", heap_snap_shot),
    [0x27] = NAME("HEAP_CREATE_SNAPSHOT"),
    [0x28] = NAME("HEAP_DESTROY_SNAPSHOT"),
    [0x29] = NAME("HEAP_EXTEND_SNAPSHOT"),
    [0x2a] = KIND("Contract", heap_expand),
    [0x2b] = NAME("HEAP_LOCK"),
    [0x2c] = NAME("HEAP_UNLOCK"),
    [0x2d] = NAME("HEAP_VALIDATE"),
    [0x2e] = NAME("HEAP_WALK"),
    [0x2f] = NAME("HEAP_SUBSEGMENT_ALLOC"),
    [0x30] = NAME("HEAP_SUBSEGMENT_FREE"),
    [0x31] = NAME("HEAP_SUBSEGMENT_ALLOC_CACHE"),
    [0x32] = NAME("HEAP_SUBSEGMENT_FREE_CACHE"),
    [0x33] = NAME("HEAP_COMMIT"),
    [0x34] = NAME("HEAP_DECOMMIT"),
    [0x35] = NAME("HEAP_SUBSEGMENT_INIT"),
    [0x36] = NAME("HEAP_AFFINITY_ENABLE"),
    [0x38] = NAME("HEAP_SUBSEGMENT_ACTIVATED"),
    [0x39] = NAME("HEAP_AFFINITY_ASSIGN"),
    [0x3a] = NAME("HEAP_REUSE_THRESHOLD_ACTIVATED"),
};

const struct event_class decode_heap = {
    .name = "Heap",
    KINDS(heap_kinds),
};

static const struct field crit_sec_collision_v2[] = {
    U32("LockCount", 0, 0),
    U32("SpinCount", 4, 4),
    POINTER("OwningThread", 8, 8),
    POINTER("CritSecAddr", 12, 16),
};

static const struct field crit_sec_initialize_v2[] = {
    POINTER("SpinCount", 0, 0),
    POINTER("CritSecAddr", 4, 8),
};

static const struct payload_layout crit_sec_collision[] = {
    LAYOUT(2, crit_sec_collision_v2),
};

static const struct payload_layout crit_sec_initialize[] = {
    LAYOUT(2, crit_sec_initialize_v2),
};

static const struct event_type crit_sec_kinds[] = {
    [0x20] = NAME("CRITSEC_ENTER"),
    [0x21] = NAME("CRITSEC_LEAVE"),
    [0x22] = KIND("Collision", crit_sec_collision),
    [0x23] = KIND("Initialize", crit_sec_initialize),
};

const struct event_class decode_crit_sec = {
    .name = "CritSec",
    KINDS(crit_sec_kinds),
};

static const struct field thread_pool_callback_enqueue_v2[] = {
    POINTER("PoolId", 0, 0),
    POINTER("TaskId", 4, 8),
    POINTER("CallbackFunction", 8, 16),
    POINTER("CallbackContext", 12, 24),
    POINTER("SubProcessTag", 16, 32),
};

static const struct field thread_pool_callback_dequeue_v2[] = {
    POINTER("TaskId", 0, 0),
};

static const struct field thread_pool_callback_cancel_v2[] = {
    POINTER("TaskId", 0, 0),
    U32("CancelCount", 4, 8),
};

static const struct field thread_pool_pool_create_v2[] = {
    POINTER("PoolId", 0, 0),
};

static const struct field thread_pool_thread_min_set_v2[] = {
    POINTER("PoolId", 0, 0),
    U32("ThreadNum", 4, 8),
};

static const struct payload_layout thread_pool_callback_enqueue[] = {
    LAYOUT(2, thread_pool_callback_enqueue_v2),
};

static const struct payload_layout thread_pool_callback_dequeue[] = {
    LAYOUT(2, thread_pool_callback_dequeue_v2),
};

static const struct payload_layout thread_pool_callback_cancel[] = {
    LAYOUT(2, thread_pool_callback_cancel_v2),
};

static const struct payload_layout thread_pool_pool_create[] = {
    LAYOUT(2, thread_pool_pool_create_v2),
};

static const struct payload_layout thread_pool_thread_min_set[] = {
    LAYOUT(2, thread_pool_thread_min_set_v2),
};

static const struct event_type thread_pool_kinds[] = {
    [0x20] = KIND("CallbackEnqueue", thread_pool_callback_enqueue),
    [0x21] = KIND("CallbackDequeue", thread_pool_callback_dequeue),
    [0x22] = KIND("CallbackStart", thread_pool_callback_enqueue),
    [0x23] = KIND("CallbackStop", thread_pool_callback_dequeue),
    [0x24] = KIND("CallbackCancel", thread_pool_callback_cancel),
    [0x25] = KIND("PoolCreate", thread_pool_pool_create),
    [0x26] = KIND("PoolClose", thread_pool_pool_create),
    [0x27] = KIND("ThreadMinSet", thread_pool_thread_min_set),
    [0x28] = KIND("ThreadMaxSet", thread_pool_thread_min_set),
    [0x29] = NAME("TP_WORKER_NUMANODE_SWITCH"),
    [0x2a] = NAME("TP_TIMER_SET"),
    [0x2b] = NAME("TP_TIMER_CANCELLED"),
    [0x2c] = NAME("TP_TIMER_SET_NTTIMER"),
    [0x2d] = NAME("TP_TIMER_CANCEL_NTTIMER"),
    [0x2e] = NAME("TP_TIMER_EXPIRATION_BEGIN"),
    [0x2f] = NAME("TP_TIMER_EXPIRATION_END"),
    [0x30] = NAME("TP_TIMER_EXPIRATION"),
};

const struct event_class decode_thread_pool = {
    .name = "ThreadPool",
    KINDS(thread_pool_kinds),
};

static const struct field job_create_v2[] = {
    GUID("JobId", 0, 0),
    U32("JobHandle", 16, 16),
    U32("Flags", 20, 20),
    I32("Status", 24, 24),
};

static const struct field job_assign_process_v2[] = {
    GUID("JobId", 0, 0),
    U32("JobHandle", 16, 16),
    PID("ProcessId", FIELD_U32, 20, 20),
    NAMED("Status", FIELD_I32, map_status, 24, 24),
};

static const struct field job_remove_process_v2[] = {
    GUID("JobId", 0, 0),
    PID("ProcessId", FIELD_U32, 16, 16),
    U32("RemovalFlags", 20, 20),
    NAMED("ExitStatus", FIELD_I32, map_exit_status, 24, 24),
};

static const struct payload_layout job_create[] = {
    LAYOUT(2, job_create_v2),
};

static const struct payload_layout job_assign_process[] = {
    LAYOUT(2, job_assign_process_v2),
};

static const struct payload_layout job_remove_process[] = {
    LAYOUT(2, job_remove_process_v2),
};

static const struct event_type job_kinds[] = {
    [0x20] = KIND("Create", job_create),
    [0x21] = KIND("Terminate", job_create),
    [0x22] = KIND("Open", job_create),
    [0x23] = KIND("AssignProcess", job_assign_process),
    [0x24] = KIND("RemoveProcess", job_remove_process),
    [0x25] = NAME("JOB_SET"),
    [0x26] = NAME("JOB_QUERY"),
    [0x27] = NAME("JOB_SET_FAILED"),
    [0x28] = NAME("JOB_QUERY_FAILED"),
    [0x29] = NAME("JOB_SET_NOTIFICATION"),
    [0x2a] = NAME("JOB_SEND_NOTIFICATION"),
    [0x2b] = NAME("JOB_QUERY_VIOLATION"),
    [0x2c] = NAME("JOB_SET_CPU_RATE"),
    [0x2d] = NAME("JOB_SET_NET_RATE"),
};

const struct event_class decode_job = {
    .name = "Job",
    KINDS(job_kinds),
};

static const struct field last_branch_sample_v2[] = {
    U64("EventTimeStamp", 0, 0),
    PID("ProcessId", FIELD_U32, 8, 8),
    TID("ThreadId", FIELD_U32, 12, 12),
    U32("Filters", 16, 16),
    U32("Reserved", 20, 20),
    COLUMN("From", FIELD_POINTER, REST, 24, 24, 12, 24),
    COLUMN("To", FIELD_POINTER, REST, 28, 32, 12, 24),
    COLUMN("Info", FIELD_POINTER, REST, 32, 40, 12, 24),
};

static const struct payload_layout last_branch_sample[] = {
    LAYOUT(2, last_branch_sample_v2),
};

static const struct event_type last_branch_kinds[] = {
    [0x20] = KIND("Sample", last_branch_sample),
};

const struct event_class decode_last_branch = {
    .name = "LastBranch",
    KINDS(last_branch_kinds),
};
