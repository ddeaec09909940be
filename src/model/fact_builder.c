/* How kernel events become facts: one row per range of hooks, one small function
 * per shape (src/model/fact_builder/). The functions read the fields their row names, by number,
 * through places that were looked up once per kind of event. */
#include "src/model/fact_builder/helpers.h"

void make_owned(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid, tid;
    const bool has_pid = kind_load(k, e, 0, &pid);
    if (kind_load(k, e, 1, &tid))
        set_thread(m, f, tid);
    else if (has_pid)
        set_process(m, f, pid);
    if (has_pid && !f->process)
        f->process = model_process(m, source_of(m), (uint32_t)pid, f->time);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define PROCESS_FIELDS { "ProcessId", "ParentId", "SessionId", "ExitStatus", "UniqueProcessKey" }
#define THREAD_FIELDS { "ProcessId", "TThreadId", "Win32StartAddr" }
#define IMAGE_FIELDS { "ProcessId", "ImageBase", "ImageSize", "BaseAddress", "ModuleSize", "TimeDateStamp" }
#define DISK_FIELDS { "DiskNumber", "IrpFlags", "TransferSize", "FileObject", "Irp", \
                      "HighResResponseTime", "IssuingThreadId", "ByteOffset" }
#define INIT_FIELDS { "Irp", "IssuingThreadId" }
#define NAME_FIELDS { "FileObject" }
#define FILE_FIELDS { "IrpPtr", "TTID", "FileObject", "FileKey", "IoSize" }
#define NET_FIELDS { "PID", "size", "daddr", "saddr", "dport", "sport", "mss" }
#define KEY_FIELDS { "KeyHandle", "Status", "InitialTime" }
#define ROUTINE_FIELDS { "InitialTime", "Routine", "Vector" }
#define MEMORY_FIELDS { "ProcessId", "RegionSize" }

/* Sorted by hook. */
static const struct fact_builder fact_builders[] = {
    {0x010a, 0x010a, FACT_DISK, OP_READ, make_disk, DISK_FIELDS},
    {0x010b, 0x010b, FACT_DISK, OP_WRITE, make_disk, DISK_FIELDS},
    {0x010c, 0x010d, FACT_DISK, OP_START, make_disk_init, INIT_FIELDS},
    {0x010e, 0x010e, FACT_DISK, OP_FLUSH, make_disk, DISK_FIELDS},
    {0x010f, 0x010f, FACT_DISK, OP_START, make_disk_init, INIT_FIELDS},
    {0x0137, 0x0137, FACT_DISK, OP_READ, make_disk, DISK_FIELDS},
    {0x0138, 0x0138, FACT_DISK, OP_WRITE, make_disk, DISK_FIELDS},
    {0x0139, 0x0139, FACT_DISK, OP_FLUSH, make_disk, DISK_FIELDS},
    {0x013a, 0x013c, FACT_DISK, OP_START, make_disk_init, INIT_FIELDS},
    {0x020a, 0x020a, FACT_FAULT, OP_TRANSITION, NULL, {NULL}},
    {0x020b, 0x020b, FACT_FAULT, OP_ZERO, NULL, {NULL}},
    {0x020c, 0x020c, FACT_FAULT, OP_COPY, NULL, {NULL}},
    {0x020d, 0x020d, FACT_FAULT, OP_GUARD, NULL, {NULL}},
    {0x020e, 0x020e, FACT_FAULT, OP_OTHER, NULL, {NULL}}, /* 0x0220 has all of it */
    {0x020f, 0x020f, FACT_FAULT, OP_VIOLATION, NULL, {NULL}},
    {0x0220,
     0x0220,
     FACT_FAULT,
     OP_HARD,
     make_hard_fault,
     {"TThreadId", "ByteCount", "FileObject", "InitialTime"}},
    {0x0245, 0x0245, FACT_FAULT, OP_SOFT, make_soft_fault, {NULL}},
    {0x0262, 0x0262, FACT_MEMORY, OP_ALLOC, make_memory, MEMORY_FIELDS},
    {0x0263, 0x0263, FACT_MEMORY, OP_FREE, make_memory, MEMORY_FIELDS},
    {0x0301, 0x0301, FACT_PROCESS, OP_START, make_process, PROCESS_FIELDS},
    {0x0302, 0x0302, FACT_PROCESS, OP_END, make_process, PROCESS_FIELDS},
    {0x0303, 0x0304, FACT_PROCESS, OP_RUNDOWN, make_process, PROCESS_FIELDS},
    {0x030a, 0x030a, FACT_IMAGE, OP_START, make_image, IMAGE_FIELDS},
    {0x030b, 0x030b, FACT_PROCESS, OP_OTHER, make_of_process, {"ProcessId"}},
    {0x0320, 0x0323, FACT_PROCESS, OP_OTHER, make_of_process, {"ProcessId"}},
    {0x0327, 0x0327, FACT_PROCESS, OP_CLOSE, make_process, PROCESS_FIELDS},
    {0x0400, 0x0400, FACT_NAME, OP_CREATE, make_file_name, NAME_FIELDS},
    {0x0420, 0x0420, FACT_NAME, OP_CREATE, make_file_name, NAME_FIELDS},
    {0x0423, 0x0423, FACT_NAME, OP_DELETE, make_file_name, NAME_FIELDS},
    {0x0424, 0x0424, FACT_NAME, OP_RUNDOWN, make_file_name, NAME_FIELDS},
    {0x0440, 0x0440, FACT_FILE, OP_OPEN, make_file, FILE_FIELDS},
    {0x0441, 0x0441, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS},
    {0x0442, 0x0442, FACT_FILE, OP_CLOSE, make_file, FILE_FIELDS},
    {0x0443, 0x0443, FACT_FILE, OP_READ, make_file, FILE_FIELDS},
    {0x0444, 0x0444, FACT_FILE, OP_WRITE, make_file, FILE_FIELDS},
    {0x0445, 0x0445, FACT_FILE, OP_SET, make_file, FILE_FIELDS},
    {0x0446, 0x0446, FACT_FILE, OP_DELETE, make_file, FILE_FIELDS},
    {0x0447, 0x0447, FACT_FILE, OP_RENAME, make_file, FILE_FIELDS},
    {0x0448, 0x0448, FACT_FILE, OP_ENUM, make_file, FILE_FIELDS},
    {0x0449, 0x0449, FACT_FILE, OP_FLUSH, make_file, FILE_FIELDS},
    {0x044a, 0x044a, FACT_FILE, OP_QUERY, make_file, FILE_FIELDS},
    {0x044b, 0x044b, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS},
    {0x044c, 0x044c, FACT_FILE, OP_END, make_file_end, {"IrpPtr", "NtStatus", "ExtraInfo"}},
    {0x044d, 0x044d, FACT_FILE, OP_OTHER, make_file,
     FILE_FIELDS}, /* waits for changes: lists nothing */
    {0x044f, 0x044f, FACT_FILE, OP_DELETE, make_file, FILE_FIELDS},
    {0x0450, 0x0450, FACT_FILE, OP_RENAME, make_file, FILE_FIELDS},
    {0x0451, 0x0452, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS},
    {0x0501, 0x0501, FACT_THREAD, OP_START, make_thread, THREAD_FIELDS},
    {0x0502, 0x0502, FACT_THREAD, OP_END, make_thread, THREAD_FIELDS},
    {0x0503, 0x0504, FACT_THREAD, OP_RUNDOWN, make_thread, THREAD_FIELDS},
    {0x0524,
     0x0524,
     FACT_SWITCH,
     OP_END,
     make_switch,
     {"NewThreadId", "OldThreadId", "OldThreadWaitReason", "OldThreadState", "OldThreadPriority",
      "OldThreadWaitIdealProcessor", "PreviousCState", "SpareByte", "Reserved"}},
    {0x0532, 0x0532, FACT_READY, OP_NONE, make_ready, {"TThreadId", "Flag"}},
    {0x0548, 0x0548, FACT_THREAD, OP_SET, make_thread, {"ProcessId", "ThreadId"}},
    {0x060a, 0x060a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS},
    {0x060b, 0x060b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS},
    {0x060c, 0x060c, FACT_NETWORK, OP_CONNECT, make_network, NET_FIELDS},
    {0x060d, 0x060d, FACT_NETWORK, OP_DISCONNECT, make_network, NET_FIELDS},
    {0x060e, 0x060e, FACT_NETWORK, OP_RETRANSMIT, make_network, NET_FIELDS},
    {0x060f, 0x060f, FACT_NETWORK, OP_ACCEPT, make_network, NET_FIELDS},
    {0x0610, 0x0610, FACT_NETWORK, OP_OTHER, make_network, NET_FIELDS},
    {0x0611, 0x0611, FACT_NETWORK, OP_FAIL, make_network, NET_FIELDS},
    {0x0612, 0x0613, FACT_NETWORK, OP_COPY, make_network, NET_FIELDS},
    {0x0614, 0x0616, FACT_NETWORK, OP_OTHER, make_network, NET_FIELDS},
    {0x061a, 0x061a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS},
    {0x061b, 0x061b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS},
    {0x061c, 0x061c, FACT_NETWORK, OP_CONNECT, make_network, NET_FIELDS},
    {0x061d, 0x061d, FACT_NETWORK, OP_DISCONNECT, make_network, NET_FIELDS},
    {0x061e, 0x061e, FACT_NETWORK, OP_RETRANSMIT, make_network, NET_FIELDS},
    {0x061f, 0x061f, FACT_NETWORK, OP_ACCEPT, make_network, NET_FIELDS},
    {0x0620, 0x0620, FACT_NETWORK, OP_OTHER, make_network, NET_FIELDS},
    {0x0622, 0x0623, FACT_NETWORK, OP_COPY, make_network, NET_FIELDS},
    {0x080a, 0x080a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS},
    {0x080b, 0x080b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS},
    {0x0811, 0x0811, FACT_NETWORK, OP_FAIL, make_network, NET_FIELDS},
    {0x081a, 0x081a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS},
    {0x081b, 0x081b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS},
    {0x090a, 0x090a, FACT_REGISTRY, OP_CREATE, make_registry, KEY_FIELDS},
    {0x090b, 0x090b, FACT_REGISTRY, OP_OPEN, make_registry, KEY_FIELDS},
    {0x090c, 0x090c, FACT_REGISTRY, OP_DELETE, make_registry, KEY_FIELDS},
    {0x090d, 0x090d, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS},
    {0x090e, 0x090e, FACT_REGISTRY, OP_SET, make_registry, KEY_FIELDS},
    {0x090f, 0x090f, FACT_REGISTRY, OP_DELETE, make_registry, KEY_FIELDS},
    {0x0910, 0x0910, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS},
    {0x0911, 0x0912, FACT_REGISTRY, OP_ENUM, make_registry, KEY_FIELDS},
    {0x0913, 0x0913, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS},
    {0x0914, 0x0914, FACT_REGISTRY, OP_SET, make_registry, KEY_FIELDS},
    {0x0915, 0x0915, FACT_REGISTRY, OP_FLUSH, make_registry, KEY_FIELDS},
    {0x0916, 0x0916, FACT_NAME, OP_CREATE, make_key_name, {"KeyHandle"}},
    {0x0917, 0x0917, FACT_NAME, OP_DELETE, make_key_name, {"KeyHandle"}},
    {0x0918, 0x0919, FACT_NAME, OP_RUNDOWN, make_key_name, {"KeyHandle"}},
    {0x091a, 0x091a, FACT_REGISTRY, OP_OTHER, make_registry, KEY_FIELDS},
    {0x091b, 0x091b, FACT_REGISTRY, OP_CLOSE, make_registry, KEY_FIELDS},
    {0x091c, 0x091c, FACT_REGISTRY, OP_SET, make_registry, KEY_FIELDS},
    {0x091d, 0x091d, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS},
    {0x0b0b, 0x0b0b, FACT_OTHER, OP_NONE, make_physical_disk, {"DiskNumber"}},
    {0x0b0c, 0x0b0c, FACT_OTHER, OP_NONE, make_logical_disk, {"DriveType", "DiskNumber"}},
    {0x0b0f, 0x0b0f, FACT_OTHER, OP_RUNDOWN, make_service, {"ProcessId", "ServiceState"}},
    {0x0f22, 0x0f22, FACT_MARK, OP_NONE, NULL, {NULL}},
    {0x0f2e,
     0x0f2e,
     FACT_SAMPLE,
     OP_NONE,
     make_sample,
     {"ThreadId", "Count", "InstructionPointer"}},
    {0x0f2f,
     0x0f2f,
     FACT_PMC,
     OP_NONE,
     make_pmc,
     {"ThreadId", "ProfileSource", "InstructionPointer"}},
    {0x0f32, 0x0f32, FACT_ISR, OP_NONE, make_routine, ROUTINE_FIELDS},
    {0x0f33, 0x0f33, FACT_SYSCALL, OP_START, make_call_enter, {"SysCallAddress"}},
    {0x0f34, 0x0f34, FACT_SYSCALL, OP_END, make_call_exit, {"SysCallNtStatus"}},
    {0x0f42, 0x0f42, FACT_DPC, OP_NONE, make_routine, ROUTINE_FIELDS},
    {0x0f43, 0x0f43, FACT_ISR, OP_NONE, make_routine, ROUTINE_FIELDS},
    {0x0f44, 0x0f46, FACT_DPC, OP_NONE, make_routine, ROUTINE_FIELDS},
    {0x0f48, 0x0f49, FACT_OTHER, OP_NONE, make_interval, {"Source", "NewInterval"}},
    {0x0f5f, 0x0f5f, FACT_ISR, OP_NONE, make_routine, ROUTINE_FIELDS},
    {0x1402, 0x1402, FACT_IMAGE, OP_END, make_image, IMAGE_FIELDS},
    {0x1403, 0x1404, FACT_IMAGE, OP_RUNDOWN, make_image, IMAGE_FIELDS},
    {0x1820,
     0x1820,
     FACT_STACK,
     OP_NONE,
     make_stack,
     {"EventTimeStamp", "StackProcess", "StackThread"}},
    {0x1822, 0x1824, FACT_STACK, OP_RUNDOWN, make_stack_key, {"Key"}},
    {0x1825,
     0x1826,
     FACT_STACK,
     OP_NONE,
     make_stack,
     {"EventTimeStamp", "StackProcess", "StackThread", "StackKey"}},
};

const struct fact_builder *fact_builder_find(uint16_t hook)
{
    size_t low = 0, high = sizeof fact_builders / sizeof *fact_builders;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (hook > fact_builders[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_there =
        low < sizeof fact_builders / sizeof *fact_builders && hook >= fact_builders[low].first;
    return is_there ? &fact_builders[low] : NULL;
}
