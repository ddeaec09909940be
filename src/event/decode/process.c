/* Process: lifetimes, rundown, counters at the end, power requests. A Start is logged by
 * the creating process, so the subject is the payload's ProcessId. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"
#include "src/event/error_names.h"

static const struct field start_v0[] = {
    PID("ProcessId", FIELD_POINTER, 0, 0),
    POINTER("ParentId", 4, 8),
    SID("UserSID", 8, 16),
    ASTR("ImageFileName", AFTER),
};

static const struct field start_v1[] = {
    POINTER("PageDirectoryBase", 0, 0),
    PID("ProcessId", FIELD_U32, 4, 8),
    U32("ParentId", 8, 12),
    U32("SessionId", 12, 16),
    NAMED("ExitStatus", FIELD_I32, map_exit_status, 16, 20),
    SID("UserSID", 20, 24),
    ASTR("ImageFileName", AFTER),
};

static const struct field start_v2[] = {
    POINTER("UniqueProcessKey", 0, 0),
    PID("ProcessId", FIELD_U32, 4, 8),
    U32("ParentId", 8, 12),
    U32("SessionId", 12, 16),
    NAMED("ExitStatus", FIELD_I32, map_exit_status, 16, 20),
    SID("UserSID", 20, 24),
    ASTR("ImageFileName", AFTER),
    WSTR("CommandLine", AFTER),
};

static const struct field start_v3[] = {
    POINTER("UniqueProcessKey", 0, 0),
    PID("ProcessId", FIELD_U32, 4, 8),
    U32("ParentId", 8, 12),
    U32("SessionId", 12, 16),
    NAMED("ExitStatus", FIELD_I32, map_exit_status, 16, 20),
    POINTER("DirectoryTableBase", 20, 24),
    SID("UserSID", 24, 32),
    ASTR("ImageFileName", AFTER),
    WSTR("CommandLine", AFTER),
};

static const struct field start_v4[] = {
    POINTER("UniqueProcessKey", 0, 0),
    PID("ProcessId", FIELD_U32, 4, 8),
    U32("ParentId", 8, 12),
    U32("SessionId", 12, 16),
    NAMED("ExitStatus", FIELD_I32, map_exit_status, 16, 20),
    POINTER("DirectoryTableBase", 20, 24),
    NAMED("Flags", FIELD_U32, map_process_flags, 24, 32),
    SID("UserSID", 28, 36),
    ASTR("ImageFileName", AFTER),
    WSTR("CommandLine", AFTER),
    WSTR("PackageFullName", AFTER),
    WSTR("ApplicationId", AFTER),
};

static const struct field terminate_v2[] = {
    PID("ProcessId", FIELD_U32, 0, 0),
};

static const struct field perf_ctr_v2[] = {
    PID("ProcessId", FIELD_U32, 0, 0),
    U32("PageFaultCount", 4, 4),
    U32("HandleCount", 8, 8),
    U32("Reserved", 12, 12),
    SIZE("PeakVirtualSize", 16, 16),
    SIZE("PeakWorkingSetSize", 20, 24),
    SIZE("PeakPagefileUsage", 24, 32),
    SIZE("QuotaPeakPagedPoolUsage", 28, 40),
    SIZE("QuotaPeakNonPagedPoolUsage", 32, 48),
    SIZE("VirtualSize", 36, 56),
    SIZE("WorkingSetSize", 40, 64),
    SIZE("PagefileUsage", 44, 72),
    SIZE("QuotaPagedPoolUsage", 48, 80),
    SIZE("QuotaNonPagedPoolUsage", 52, 88),
    SIZE("PrivatePageCount", 56, 96),
};

static const struct field in_swap_v2[] = {
    POINTER("DirectoryTableBase", 0, 0),
    PID("ProcessId", FIELD_U32, 4, 8),
};

static const struct field defunct_v5[] = {
    POINTER("UniqueProcessKey", 0, 0),
    PID("ProcessId", FIELD_U32, 4, 8),
    U32("ParentId", 8, 12),
    U32("SessionId", 12, 16),
    NAMED("ExitStatus", FIELD_I32, map_exit_status, 16, 20),
    POINTER("DirectoryTableBase", 20, 24),
    NAMED("Flags", FIELD_U32, map_process_flags, 24, 32),
    SID("UserSID", 28, 36),
    ASTR("ImageFileName", AFTER),
    WSTR("CommandLine", AFTER),
    WSTR("PackageFullName", AFTER),
    WSTR("ApplicationId", AFTER),
    FILETIME("ExitTime", AFTER),
};

static const struct field wake_charge_user_v2[] = {
    POINTER("Object", 0, 0),
    POINTER("Tag", 4, 8),
    PID("ProcessId", FIELD_U32, 8, 16),
    U32("Count", 12, 20),
};

static const struct field wake_event_user_v2[] = {
    POINTER("Object", 0, 0),
};

static const struct payload_layout start[] = {
    LAYOUT(0, start_v0), LAYOUT(1, start_v1), LAYOUT(2, start_v2),
    LAYOUT(3, start_v3), LAYOUT(4, start_v4),
};

static const struct payload_layout terminate[] = {
    LAYOUT(2, terminate_v2),
};

static const struct payload_layout perf_ctr[] = {
    LAYOUT(2, perf_ctr_v2),
};

static const struct payload_layout in_swap[] = {
    LAYOUT(2, in_swap_v2),
};

static const struct payload_layout defunct[] = {
    LAYOUT(2, start_v2),
    LAYOUT(3, start_v3),
    LAYOUT(4, start_v4),
    LAYOUT(5, defunct_v5),
};

static const struct payload_layout wake_charge_user[] = {
    LAYOUT(2, wake_charge_user_v2),
};

static const struct payload_layout wake_event_user[] = {
    LAYOUT(2, wake_event_user_v2),
};

static const struct event_type kinds[] = {
    [0x01] = KIND_AS("Start", start,
                     "start {.ImageFileName|name|'process'} ({.ProcessId})[, parent {parent}][: "
                     "{.CommandLine}]"),
    [0x02] = KIND_AS("End", start,
                     "exit {.ImageFileName|name|'process'} ({.ProcessId})[, {.ExitStatus:end}]"
                     "[, after {lifetime}]"),
    [0x03] = KIND_AS(
        "DCStart", start,
        "already running: {.ImageFileName|name|'process'} ({.ProcessId})[, parent {parent}][: "
        "{.CommandLine}]"),
    [0x04] = KIND_AS(
        "DCEnd", start,
        "still running: {.ImageFileName|name|'process'} ({.ProcessId})[, parent {parent}][: "
        "{.CommandLine}]"),
    [0x0b] = KIND_AS("Terminate", terminate, "terminate {process|.ProcessId}"),
    [0x20] = KIND_AS("PerfCtr", perf_ctr,
                     "{process|.ProcessId}: working set {.WorkingSetSize:bytes}, virtual "
                     "{.VirtualSize:bytes}, {.HandleCount} handle[{.HandleCount:s}], "
                     "{.PageFaultCount} page fault[{.PageFaultCount:s}]"),
    [0x21] = KIND_AS("PerfCtrRundown", perf_ctr,
                     "{process|.ProcessId}: working set {.WorkingSetSize:bytes}, virtual "
                     "{.VirtualSize:bytes}, {.HandleCount} handle[{.HandleCount:s}], "
                     "{.PageFaultCount} page fault[{.PageFaultCount:s}]"),
    [0x23] = KIND_AS("InSwap", in_swap, "swap in {process|.ProcessId}"),
    [0x24] = NAME("PROCESS_FREEZE"),
    [0x25] = NAME("PROCESS_THAW"),
    [0x26] = NAME("BOOT_PHASE_START"),
    [0x27] = KIND_AS("Defunct", defunct, "process object of {.ImageFileName} ({.ProcessId}) freed"),
    [0x28] = NAME("PROCESS_SET_AFFINITY"),
    [0x30] = KIND("WakeChargeUser", wake_charge_user),
    [0x31] = KIND("WakeChargeExecution", wake_charge_user),
    [0x32] = KIND("WakeChargeKernel", wake_charge_user),
    [0x33] = KIND("WakeChargeInstrumentation", wake_charge_user),
    [0x34] = KIND("WakeChargePreserveProcess", wake_charge_user),
    [0x40] = KIND("WakeReleaseUser", wake_charge_user),
    [0x41] = KIND("WakeReleaseExecution", wake_charge_user),
    [0x42] = KIND("WakeReleaseKernel", wake_charge_user),
    [0x43] = KIND("WakeReleaseInstrumentation", wake_charge_user),
    [0x44] = KIND("WakeReleasePreserveProcess", wake_charge_user),
    [0x50] = KIND("WakeDropUser", wake_charge_user),
    [0x51] = KIND("WakeDropExecution", wake_charge_user),
    [0x52] = KIND("WakeDropKernel", wake_charge_user),
    [0x53] = KIND("WakeDropInstrumentation", wake_charge_user),
    [0x54] = KIND("WakeDropPreserveProcess", wake_charge_user),
    [0x60] = KIND("WakeEventUser", wake_event_user),
    [0x61] = KIND("WakeEventExecution", wake_event_user),
    [0x62] = KIND("WakeEventKernel", wake_event_user),
    [0x63] = KIND("WakeEventInstrumentation", wake_event_user),
    [0x64] = NAME("WAKE_EVENT_PRESERVE_PROCESS"),
    [0x70] = NAME("DEBUG_EVENT"),
};

const struct event_class decode_process = {
    .name = "Process",
    KINDS(kinds),
};
