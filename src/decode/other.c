/* Kernel classes of which only names are known. */
#include "src/decode/table.h"

static const struct kind dbg_print_kinds[] = {
    [0x20] = NAME("DEBUG_PRINT"),
};

const struct event_class decode_dbg_print = {
    .name = "DbgPrint",
    .guid = GUID_OF(0x13976d09, 0xa327, 0x438c, 0x95, 0x0b, 0x7f, 0x03, 0x19, 0x28, 0x15, 0xc7),
    KINDS(dbg_print_kinds),
};

static const struct kind wnf_kinds[] = {
    [0x20] = NAME("WNF_SUBSCRIBE"),        [0x21] = NAME("WNF_UNSUBSCRIBE"),
    [0x22] = NAME("WNF_CALLBACK"),         [0x23] = NAME("WNF_PUBLISH"),
    [0x24] = NAME("WNF_NAME_SUB_RUNDOWN"),
};

const struct event_class decode_wnf = {
    .name = "Wnf",
    .guid = GUID_OF(0x42695762, 0xea50, 0x497a, 0x90, 0x68, 0x5c, 0xbb, 0xb3, 0x5e, 0x0b, 0x95),
    KINDS(wnf_kinds),
};

static const struct kind power_kinds[] = {
    [0x20] = NAME("BATTERY_LIFE_INFO"),
    [0x21] = NAME("IDLE_STATE_CHANGE"),
    [0x22] = NAME("SET_POWER_ACTION"),
    [0x23] = NAME("SET_POWER_ACTION_RET"),
    [0x24] = NAME("SET_DEVICES_STATE"),
    [0x25] = NAME("SET_DEVICES_STATE_RET"),
    [0x26] = NAME("PO_NOTIFY_DEVICE"),
    [0x27] = NAME("PO_NOTIFY_DEVICE_COMPLETE"),
    [0x28] = NAME("PO_SESSION_CALLOUT"),
    [0x29] = NAME("PO_SESSION_CALLOUT_RET"),
    [0x30] = NAME("PO_PRESLEEP"),
    [0x31] = NAME("PO_POSTSLEEP"),
    [0x32] = NAME("PO_CALIBRATED_PERFCOUNTER"),
    [0x33] = NAME("PPM_PERF_STATE_CHANGE"),
    [0x34] = NAME("PPM_THROTTLE_STATE_CHANGE"),
    [0x35] = NAME("PPM_IDLE_STATE_CHANGE"),
    [0x36] = NAME("PPM_THERMAL_CONSTRAINT"),
    [0x37] = NAME("PO_SIGNAL_RESUME_UI"),
    [0x38] = NAME("PO_SIGNAL_VIDEO_ON"),
    [0x39] = NAME("PPM_IDLE_STATE_ENTER"),
    [0x3a] = NAME("PPM_IDLE_STATE_EXIT"),
    [0x3b] = NAME("PPM_PLATFORM_IDLE_STATE_ENTER"),
    [0x3c] = NAME("PPM_IDLE_EXIT_LATENCY"),
    [0x3d] = NAME("PPM_IDLE_PROCESSOR_SELECTION"),
    [0x3e] = NAME("PPM_IDLE_PLATFORM_SELECTION"),
    [0x3f] = NAME("PPM_COORDINATED_IDLE_ENTER"),
    [0x40] = NAME("PPM_COORDINATED_IDLE_EXIT"),
};

const struct event_class decode_power = {
    .name = "Power",
    .guid = GUID_OF(0xe43445e0, 0x0903, 0x48c3, 0xb8, 0x78, 0xff, 0x0f, 0xcc, 0xeb, 0xdd, 0x04),
    KINDS(power_kinds),
};

static const struct kind mod_bound_kinds[] = {
    [0x18] = NAME("COWHEADER"),
    [0x19] = NAME("COWBLOB"),
    [0x1a] = NAME("COWBLOB_CLOSED"),
    [0x20] = NAME("MODULEBOUND_ENT"),
    [0x21] = NAME("MODULEBOUND_JUMP"),
    [0x22] = NAME("MODULEBOUND_RET"),
    [0x23] = NAME("MODULEBOUND_CALL"),
    [0x24] = NAME("MODULEBOUND_CALLRET"),
    [0x25] = NAME("MODULEBOUND_INT2E"),
    [0x26] = NAME("MODULEBOUND_INT2B"),
    [0x27] = NAME("MODULEBOUND_FULLTRACE"),
};

const struct event_class decode_mod_bound = {
    .name = "ModBound",
    .guid = GUID_OF(0xa9152f00, 0x3f58, 0x4bee, 0x92, 0xa1, 0x70, 0xc7, 0xd0, 0x79, 0xd5, 0xdd),
    KINDS(mod_bound_kinds),
};

const struct event_class decode_dpc = {
    .name = "Dpc",
    .guid = GUID_OF(0xb2d14872, 0x7c5b, 0x463d, 0x84, 0x19, 0xee, 0x9b, 0xf7, 0xd2, 0x3e, 0x04),
};

static const struct kind cc_kinds[] = {
    [0x00] = NAME("CC_WORKITEM_ENQUEUE"),
    [0x01] = NAME("CC_WORKITEM_DEQUEUE"),
    [0x02] = NAME("CC_WORKITEM_COMPLETE"),
    [0x03] = NAME("CC_READ_AHEAD"),
    [0x04] = NAME("CC_WRITE_BEHIND"),
    [0x05] = NAME("CC_LAZY_WRITE_SCAN"),
    [0x06] = NAME("CC_CAN_I_WRITE_FAIL"),
    [0x09] = NAME("CC_FLUSH_CACHE"),
    [0x0a] = NAME("CC_FLUSH_SECTION"),
    [0x0b] = NAME("CC_READ_AHEAD_PREFETCH"),
    [0x0c] = NAME("CC_SCHEDULE_READ_AHEAD"),
    [0x0d] = NAME("CC_LOGGED_STREAM_INFO"),
    [0x0e] = NAME("CC_EXTRA_WRITEBEHIND_THREAD"),
};

const struct event_class decode_cc = {
    .name = "Cc",
    .guid = GUID_OF(0x7687a439, 0xf752, 0x45b8, 0xb7, 0x41, 0x32, 0x1a, 0xec, 0x0f, 0x8d, 0xf9),
    KINDS(cc_kinds),
};

static const struct kind ums_kinds[] = {
    [0x20] = NAME("UMS_DIRECTED_SWITCH_START"),
    [0x21] = NAME("UMS_DIRECTED_SWITCH_END"),
    [0x22] = NAME("UMS_PARK"),
    [0x23] = NAME("UMS_DISASSOCIATE"),
    [0x24] = NAME("UMS_CONTEXT_SWITCH"),
};

const struct event_class decode_ums = {
    .name = "UMS",
    .guid = GUID_OF(0x9aec974b, 0x5b8e, 0x4118, 0x9b, 0x92, 0x31, 0x86, 0xd8, 0x00, 0x2c, 0xe5),
    KINDS(ums_kinds),
};

const struct event_class decode_hypervisor = {
    .name = "Hypervisor",
    .guid = GUID_OF(0x7f2a405c, 0x69b5, 0x4bf9, 0xa1, 0xf5, 0x30, 0xe8, 0xf1, 0xaf, 0xab, 0x5e),
};

const struct event_class decode_hypervisor_x = {
    .name = "HypervisorX",
    .guid = GUID_OF(0x2ce9a149, 0xeffe, 0x42f0, 0xa6, 0x35, 0xa1, 0xd3, 0x9e, 0x26, 0xc8, 0xf2),
};
