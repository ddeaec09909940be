/* PerfInfo: samples, interrupts, deferred calls, system calls, timers. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

static const struct field mark_v0[] = {
    ASTR("Message", 0, 0),
    REST_OF("Padding", FIELD_WCHARS, AFTER),
};

static const struct field sample_prof_v1[] = {
    POINTER("InstructionPointer", 0, 0),
    TID("ThreadId", FIELD_U32, 4, 8),
    U16("Count", 8, 12),
};

static const struct field sample_prof_v2[] = {
    POINTER("InstructionPointer", 0, 0),
    TID("ThreadId", FIELD_U32, 4, 8),
    U16("Count", 8, 12),
    U16("Reserved", 10, 14),
};

static const struct field pmc_counter_prof_v2[] = {
    POINTER("InstructionPointer", 0, 0),
    TID("ThreadId", FIELD_U32, 4, 8),
    NAMED("ProfileSource", FIELD_U16, map_profile_source, 8, 12),
    U16("Reserved", 10, 14),
};

static const struct field pmc_ctr_config_v2[] = {
    U32("CounterCount", 0, 0),
    COUNTED("CounterName", FIELD_WSTR, 0, 4, 4),
};

static const struct field pmc_counter_corruption_v2[] = {
    U32("ProcessorNumber", 0, 0),
    U32("CounterCount", 4, 4),
    COLUMN("ProfileSource", FIELD_U32, BY(1), 8, 8, 12, 12),
    COLUMN("LastKnownGoodTimeStamp", FIELD_U64, BY(1), 12, 12, 12, 12),
};

static const struct field isr_msi_v2[] = {
    U64("InitialTime", 0, 0), POINTER("Routine", 8, 8), U8("ReturnValue", 12, 16),
    U16("Vector", 13, 17),    U8("Reserved", 15, 19),   U32("MessageNumber", 16, 20),
};

static const struct field sys_cl_enter_v2[] = {
    POINTER("SysCallAddress", 0, 0),
};

static const struct field sys_cl_exit_v2[] = {
    STATUS("SysCallNtStatus", FIELD_U32, 0, 0),
};

static const struct field sampled_profile_cache_v2[] = {
    U32("Entries", 0, 0),
    COLUMN("InstructionPointer", FIELD_POINTER, BY(0), 4, 4, 12, 16),
    COLUMN("ThreadId", FIELD_U32, BY(0), 8, 12, 12, 16),
    COLUMN("Count", FIELD_U16, BY(0), 12, 16, 12, 16),
    COLUMN("Flags", FIELD_U8, BY(0), 14, 18, 12, 16),
    COLUMN("Rank", FIELD_U8, BY(0), 15, 19, 12, 16),
};

static const struct field threaded_dpc_v2[] = {
    U64("InitialTime", 0, 0),
    POINTER("Routine", 8, 8),
};

static const struct field isr_v1[] = {
    U64("InitialTime", 0, 0),
    POINTER("Routine", 8, 8),
    U32("ReturnValue", 12, 16),
};

static const struct field isr_v2[] = {
    U64("InitialTime", 0, 0), POINTER("Routine", 8, 8), U8("ReturnValue", 12, 16),
    U16("Vector", 13, 17),    U8("Reserved", 15, 19),
};

static const struct field set_interval_v2[] = {
    NAMED("Source", FIELD_U32, map_profile_source, 0, 0),
    U32("NewInterval", 4, 4),
    U32("OldInterval", 8, 8),
};

static const struct field collection_start_v3[] = {
    NAMED("Source", FIELD_U32, map_profile_source, 0, 0),
    U32("NewInterval", 4, 4),
    U32("OldInterval", 8, 8),
    WSTR("SourceName", 12, 12),
};

static const struct field collection_start_v2[] = {
    U32("SpinLockSpinThreshold", 0, 0),
    U32("SpinLockContentionSampleRate", 4, 4),
    U32("SpinLockAcquireSampleRate", 8, 8),
};

static const struct field spin_lock_collection_v3[] = {
    U32("SpinLockSpinThreshold", 0, 0),
    U32("SpinLockContentionSampleRate", 4, 4),
    U32("SpinLockAcquireSampleRate", 8, 8),
    U32("SpinLockHoldThreshold", 12, 12),
};

static const struct field clock_interrupt_v2[] = {
    U64("InterruptTime", 0, 0),
    U16("Flags", 8, 8),
};

static const struct field set_periodic_timer_v2[] = {
    U64("DueTime", 0, 0), POINTER("Timer", 8, 8), U16("Group", 12, 16),
    U8("Index", 14, 18),  U8("Flags", 15, 19),    U32("Period", 16, 20),
};

static const struct field ipi_v2[] = {
    U32("Type", 0, 0),
    U32("TargetProcessorIndex", 4, 4),
};

static const struct field isr_unexpected_v2[] = {
    U16("Vector", 0, 0),
};

static const struct field io_start_timer_v2[] = {
    POINTER("DeviceObject", 0, 0),
    POINTER("TimerRoutine", 4, 8),
};

static const struct field wdf_isr_v2[] = {
    POINTER("Routine", 0, 0),
};

static const struct field dpc_enqueue_v2[] = {
    POINTER("Key", 0, 0),     I32("QueueDepth", 4, 8),
    U32("Count", 8, 12),      U32("TargetProcessorIndex", 12, 16),
    U8("Importance", 16, 20), BYTES("Reserved", 3, 17, 21),
};

static const struct field dpc_execution_v2[] = {
    POINTER("Routine", 0, 0),
    POINTER("Key", 4, 8),
};

static const struct field set_ktimer2_v2[] = {
    U64("DueTime", 0, 0),     U64("MaximumDueTime", 8, 8), U64("Period", 16, 16),
    POINTER("Timer", 24, 24), POINTER("Callback", 28, 32), POINTER("CallbackContext", 32, 40),
    U8("TimerFlags", 36, 48),
};

static const struct field cancel_ktimer2_v2[] = {
    POINTER("Timer", 0, 0),
};

static const struct field disable_ktimer2_v2[] = {
    POINTER("Timer", 0, 0),
    POINTER("DisableCallback", 4, 8),
    POINTER("DisableContext", 8, 16),
    U8("TimerFlags", 12, 24),
};

static const struct field finalize_ktimer2_v2[] = {
    POINTER("Timer", 0, 0),
    POINTER("DisableCallback", 4, 8),
    POINTER("DisableContext", 8, 16),
};

static const struct field should_yield_processor_v2[] = {
    U32("Value1", 0, 0),
    U32("Value2", 4, 4),
    U32("Value3", 8, 8),
};

static const struct payload_layout mark[] = {
    LAYOUT(0, mark_v0),
};

static const struct payload_layout sample_prof[] = {
    LAYOUT(1, sample_prof_v1),
    LAYOUT(2, sample_prof_v2),
};

static const struct payload_layout pmc_counter_prof[] = {
    LAYOUT(2, pmc_counter_prof_v2),
};

static const struct payload_layout pmc_ctr_config[] = {
    LAYOUT(2, pmc_ctr_config_v2),
};

static const struct payload_layout pmc_counter_corruption[] = {
    LAYOUT(2, pmc_counter_corruption_v2),
};

static const struct payload_layout isr_msi[] = {
    LAYOUT(2, isr_msi_v2),
};

static const struct payload_layout sys_cl_enter[] = {
    LAYOUT(2, sys_cl_enter_v2),
};

static const struct payload_layout sys_cl_exit[] = {
    LAYOUT(2, sys_cl_exit_v2),
};

static const struct payload_layout sampled_profile_cache[] = {
    LAYOUT(2, sampled_profile_cache_v2),
};

static const struct payload_layout debugger_enabled[] = {
    EMPTY(2),
};

static const struct payload_layout threaded_dpc[] = {
    LAYOUT(2, threaded_dpc_v2),
};

static const struct payload_layout isr[] = {
    LAYOUT(1, isr_v1),
    LAYOUT(2, isr_v2),
};

static const struct payload_layout dpc[] = {
    LAYOUT(1, threaded_dpc_v2),
    LAYOUT(2, threaded_dpc_v2),
};

static const struct payload_layout set_interval[] = {
    LAYOUT(2, set_interval_v2),
};

static const struct payload_layout collection_start[] = {
    LAYOUT(2, set_interval_v2),
    LAYOUT(3, collection_start_v3),
};

static const struct payload_layout spin_lock_collection[] = {
    LAYOUT(2, collection_start_v2),
    LAYOUT(3, spin_lock_collection_v3),
};

static const struct payload_layout clock_interrupt[] = {
    LAYOUT(2, clock_interrupt_v2),
};

static const struct payload_layout set_periodic_timer[] = {
    LAYOUT(2, set_periodic_timer_v2),
};

static const struct payload_layout ipi[] = {
    LAYOUT(2, ipi_v2),
};

static const struct payload_layout isr_unexpected[] = {
    LAYOUT(2, isr_unexpected_v2),
};

static const struct payload_layout io_start_timer[] = {
    LAYOUT(2, io_start_timer_v2),
};

static const struct payload_layout wdf_isr[] = {
    LAYOUT(2, wdf_isr_v2),
};

static const struct payload_layout dpc_enqueue[] = {
    LAYOUT(2, dpc_enqueue_v2),
};

static const struct payload_layout dpc_execution[] = {
    LAYOUT(2, dpc_execution_v2),
};

static const struct payload_layout set_ktimer2[] = {
    LAYOUT(2, set_ktimer2_v2),
};

static const struct payload_layout cancel_ktimer2[] = {
    LAYOUT(2, cancel_ktimer2_v2),
};

static const struct payload_layout disable_ktimer2[] = {
    LAYOUT(2, disable_ktimer2_v2),
};

static const struct payload_layout finalize_ktimer2[] = {
    LAYOUT(2, finalize_ktimer2_v2),
};

static const struct payload_layout should_yield_processor[] = {
    LAYOUT(2, should_yield_processor_v2),
};

static const struct event_type kinds[] = {
    [0x20] = NAME("RUNDOWN_CHECKPOINT"),
    [0x22] = KIND_AS("Mark", mark, "mark {.Message}"),
    [0x24] = NAME("ASYNCMARK"),
    [0x26] = NAME("IMAGENAME"),
    [0x27] = NAME("DELAYS_CC_CAN_I_WRITE"),
    [0x2e] = KIND_AS("SampleProf", sample_prof, "sample in {function|.InstructionPointer}"),
    [0x2f] = KIND_AS("PmcCounterProf", pmc_counter_prof,
                     "sample of {counter|.ProfileSource} at {function|.InstructionPointer}"),
    [0x30] =
        KIND_AS("PmcCtrConfig", pmc_ctr_config, "counters recorded with events: {.CounterName}"),
    [0x31] = KIND("PmcCounterCorruption", pmc_counter_corruption),
    [0x32] = KIND_AS("ISR-MSI", isr_msi, "interrupt {.Vector}: {routine|.Routine}[, {lat}]"),
    [0x33] = KIND_AS("SysClEnter", sys_cl_enter, "call {call|.SysCallAddress}"),
    [0x34] = KIND_AS("SysClExit", sys_cl_exit, "{call|'system call'} returned[ {result}][, {lat}]"),
    [0x35] = NAME("BACKTRACE"),
    [0x36] = NAME("BACKTRACE_USERSTACK"),
    [0x37] = KIND("SampledProfileCache", sampled_profile_cache),
    [0x38] = NAME("EXCEPTION_STACK"),
    [0x39] = NAME("BRANCH_TRACE"),
    [0x3a] = KIND("DebuggerEnabled", debugger_enabled),
    [0x3b] = NAME("DEBUGGER_EXIT"),
    [0x40] = NAME("BRANCH_TRACE_DEBUG"),
    [0x41] = NAME("BRANCH_ADDRESS_DEBUG"),
    [0x42] = KIND_AS("ThreadedDPC", threaded_dpc, "threaded DPC {routine|.Routine}[, {lat}]"),
    [0x43] = KIND_AS("ISR", isr, "interrupt[ {.Vector}]: {routine|.Routine}[, {lat}]"),
    [0x44] = KIND_AS("DPC", dpc, "DPC {routine|.Routine}[, {lat}]"),
    [0x45] = KIND_AS("TimerDPC", dpc, "timer DPC {routine|.Routine}[, {lat}]"),
    [0x46] = KIND_AS("IOTimer", threaded_dpc, "I/O timer {routine|.Routine}[, {lat}]"),
    [0x47] = NAME("SAMPLED_PROFILE_NMI"),
    [0x48] = KIND_AS("SetInterval", set_interval,
                     "sampling interval of {.Source}: {old_interval} → {interval}"),
    [0x49] = KIND_AS("CollectionStart", collection_start,
                     "sampling of {.SourceName|.Source} begins, every {interval}"),
    [0x4a] = KIND_AS("CollectionEnd", collection_start,
                     "sampling of {.SourceName|.Source} ends, every {interval}"),
    [0x4b] = KIND("CollectionStart", spin_lock_collection),
    [0x4c] = KIND("CollectionEnd", spin_lock_collection),
    [0x4d] = NAME("ERESOURCE_DC_START"),
    [0x4e] = NAME("ERESOURCE_DC_END"),
    [0x4f] = KIND("ClockInterrupt", clock_interrupt),
    [0x50] = NAME("TIMER_EXPIRATION_START"),
    [0x51] = NAME("TIMER_EXPIRATION"),
    [0x52] = KIND("SetPeriodicTimer", set_periodic_timer),
    [0x53] = KIND("SetOneShotTimer", set_periodic_timer),
    [0x54] = NAME("TIMER_SET_THREAD"),
    [0x55] = NAME("TIMER_CANCEL"),
    [0x56] = NAME("TIME_ADJUSTMENT"),
    [0x57] = NAME("CLOCK_MODE_SWITCH"),
    [0x58] = NAME("CLOCK_TIME_UPDATE"),
    [0x59] = NAME("CLOCK_DYNAMIC_TICK_VETO"),
    [0x5a] = NAME("CLOCK_CONFIGURATION"),
    [0x5b] = KIND_AS("Ipi", ipi, "interrupt processor {.TargetProcessorIndex}"),
    [0x5c] = KIND_AS("ISR-Unexpected", isr_unexpected, "unexpected interrupt {.Vector}"),
    [0x5d] = KIND("IoStartTimer", io_start_timer),
    [0x5e] = KIND("IoStopTimer", io_start_timer),
    [0x5f] = KIND_AS("ISR-PASS", isr, "passive interrupt[ {.Vector}]: {routine|.Routine}[, {lat}]"),
    [0x60] = KIND("WdfISR", wdf_isr),
    [0x61] = KIND("WdfPassiveISR", wdf_isr),
    [0x62] = KIND("WdfDPC", wdf_isr),
    [0x63] = NAME("CPU_CACHE_FLUSH"),
    [0x64] = KIND("DpcEnqueue", dpc_enqueue),
    [0x65] = KIND("DpcExecution", dpc_execution),
    [0x66] = NAME("INTERRUPT_STEERING"),
    [0x67] = KIND("WdfWorkItem", wdf_isr),
    [0x68] = KIND("SetKTimer2", set_ktimer2),
    [0x69] = KIND("ExpireKTimer2", set_ktimer2),
    [0x6a] = KIND("CancelKTimer2", cancel_ktimer2),
    [0x6b] = KIND("DisableKTimer2", disable_ktimer2),
    [0x6c] = KIND("FinalizeKTimer2", finalize_ktimer2),
    [0x6d] = KIND("ShouldYieldProcessor", should_yield_processor),
    [0x80] = NAME("FUNCTION_CALL"),
    [0x81] = NAME("FUNCTION_RETURN"),
    [0x82] = NAME("FUNCTION_ENTER"),
    [0x83] = NAME("FUNCTION_EXIT"),
    [0x84] = NAME("TAILCALL"),
    [0x85] = NAME("TRAP"),
    [0x86] = NAME("SPINLOCK_ACQUIRE"),
    [0x87] = NAME("SPINLOCK_RELEASE"),
    [0x88] = NAME("CAP_COMMENT"),
    [0x89] = NAME("CAP_RUNDOWN"),
};

const struct event_class decode_perf_info = {
    .name = "PerfInfo",
    KINDS(kinds),
};
