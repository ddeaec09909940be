/* Power: states of the system, of devices and of processors. Fields are those of the structures
 * that the kernel's own symbols name PERFINFO_PPM_… and PERFINFO_PO_…; the versions before Windows
 * 10 may write fewer of them. */
#include "src/event/decode/table.h"

static const struct field devices_state[] = {
    U32("SystemState", 0, 0),
    U8("Waking", 4, 4),
    U8("Shutdown", 5, 5),
    U8("IrpMinor", 6, 6),
};

static const struct field ended[] = {
    STATUS("Status", FIELD_U32, 0, 0),
};

static const struct field notify_device[] = {
    POINTER("Irp", 0, 0),       POINTER("DriverStart", 4, 8), U8("OrderLevel", 8, 16),
    U8("MajorFunction", 9, 17), U8("MinorFunction", 10, 18),  U8("Reserved", 11, 19),
    U32("Type", 12, 20),        U32("State", 16, 24),         U32("DeviceNameLength", 20, 28),
    WSTR("DeviceName", 24, 32),
};

static const struct field presleep[] = {
    I64("PerformanceCounter", 0, 0),
    I64("PerformanceFrequency", 8, 8),
};

static const struct field postsleep[] = {
    I64("PerformanceCounter", 0, 0),
};

static const struct field perf_state_change[] = {
    U32("Type", 0, 0),         U32("NewState", 4, 4),
    U32("OldState", 8, 8),     STATUS("Result", FIELD_U32, 12, 12),
    U64("Processors", 16, 16),
};

static const struct field idle_state_change[] = {
    U32("NewState", 0, 0),
    U32("OldState", 4, 4),
    U64("Processors", 8, 8),
};

static const struct field thermal_constraint[] = {
    U32("Constraint", 0, 0),
    U32("Reserved", 4, 4),
    U64("Processors", 8, 8),
};

static const struct field idle_state_enter[] = {
    U32("State", 0, 0),   U16("Properties", 4, 4),       U8("ExpectedWakeReason", 6, 6),
    U8("Reserved", 7, 7), U64("ExpectedDuration", 8, 8),
};

static const struct field idle_state_exit[] = {
    U32("State", 0, 0),
    STATUS("Status", FIELD_U32, 4, 4),
};

static const struct field idle_exit_latency[] = {
    U32("Flags", 0, 0),           U32("PlatformState", 4, 4),  U32("ProcessorState", 8, 8),
    U32("ReturnLatency", 12, 12), U32("TotalLatency", 16, 16),
};

#define ONE(fields)                                                                                \
    static const struct payload_layout fields##_layouts[] = {                                      \
        LAYOUT(0, fields),                                                                         \
    }

ONE(devices_state);
ONE(ended);
ONE(notify_device);
ONE(presleep);
ONE(postsleep);
ONE(perf_state_change);
ONE(idle_state_change);
ONE(thermal_constraint);
ONE(idle_state_enter);
ONE(idle_state_exit);
ONE(idle_exit_latency);

static const struct event_type kinds[] = {
    [0x20] = NAME("BATTERY_LIFE_INFO"),
    [0x21] = NAME("IDLE_STATE_CHANGE"),
    [0x22] = NAME("SET_POWER_ACTION"),
    [0x23] = NAME("SET_POWER_ACTION_RET"),
    [0x24] = KIND_AS("SET_DEVICES_STATE", devices_state_layouts,
                     "all devices go to the state for system state {.SystemState}"),
    [0x25] = KIND_AS("SET_DEVICES_STATE_RET", ended_layouts,
                     "all devices changed their state[: {.Status:failed}]"),
    [0x26] = KIND_AS("PO_NOTIFY_DEVICE", notify_device_layouts,
                     "power state {.State} for device {.DeviceName|.Irp}"),
    [0x27] = NAME("PO_NOTIFY_DEVICE_COMPLETE"),
    [0x28] = NAME("PO_SESSION_CALLOUT"),
    [0x29] = KIND("PO_SESSION_CALLOUT_RET", ended_layouts),
    [0x30] = KIND_AS("PO_PRESLEEP", presleep_layouts, "the system goes to sleep"),
    [0x31] = KIND_AS("PO_POSTSLEEP", postsleep_layouts, "the system is back from sleep"),
    [0x32] = NAME("PO_CALIBRATED_PERFCOUNTER"),
    [0x33] = KIND_AS("PPM_PERF_STATE_CHANGE", perf_state_change_layouts,
                     "performance state {.OldState} → {.NewState} of processors {.Processors:hex}"
                     "[: {.Result:failed}]"),
    [0x34] = NAME("PPM_THROTTLE_STATE_CHANGE"),
    [0x35] = KIND_AS("PPM_IDLE_STATE_CHANGE", idle_state_change_layouts,
                     "idle state {.OldState} → {.NewState} of processors {.Processors:hex}"),
    [0x36] = KIND_AS("PPM_THERMAL_CONSTRAINT", thermal_constraint_layouts,
                     "processors {.Processors:hex} limited to {.Constraint}% by temperature"),
    [0x37] = NAME("PO_SIGNAL_RESUME_UI"),
    [0x38] = NAME("PO_SIGNAL_VIDEO_ON"),
    [0x39] = KIND_AS("PPM_IDLE_STATE_ENTER", idle_state_enter_layouts, "enter idle state {.State}"),
    [0x3a] = KIND_AS("PPM_IDLE_STATE_EXIT", idle_state_exit_layouts,
                     "leave idle state {.State}[: {.Status:failed}]"),
    [0x3b] = NAME("PPM_PLATFORM_IDLE_STATE_ENTER"),
    [0x3c] = KIND_AS("PPM_IDLE_EXIT_LATENCY", idle_exit_latency_layouts,
                     "idle state {.ProcessorState} left, latency {.TotalLatency}"),
    [0x3d] = NAME("PPM_IDLE_PROCESSOR_SELECTION"),
    [0x3e] = NAME("PPM_IDLE_PLATFORM_SELECTION"),
    [0x3f] = NAME("PPM_COORDINATED_IDLE_ENTER"),
    [0x40] = NAME("PPM_COORDINATED_IDLE_EXIT"),
};

const struct event_class decode_power = {
    .name = "Power",
    KINDS(kinds),
};
