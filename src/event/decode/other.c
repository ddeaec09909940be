/* Kernel classes of which little more than names is known. */
#include "src/event/decode/table.h"

/* What drivers print: the numbers of DbgPrintEx() and the text. */
static const struct field dbg_print_v0[] = {
    U32("Component", 0, 0),
    U32("Level", 4, 4),
    ASTR("Message", 8, 8),
};

static const struct payload_layout dbg_print[] = {
    LAYOUT(0, dbg_print_v0),
};

static const struct event_type dbg_print_kinds[] = {
    [0x20] = KIND_AS("DebugPrint", dbg_print, "debug print: {.Message}"),
};

const struct event_class decode_dbg_print = {
    .name = "DbgPrint",
    KINDS(dbg_print_kinds),
};

static const struct event_type wnf_kinds[] = {
    [0x20] = NAME("WNF_SUBSCRIBE"),        [0x21] = NAME("WNF_UNSUBSCRIBE"),
    [0x22] = NAME("WNF_CALLBACK"),         [0x23] = NAME("WNF_PUBLISH"),
    [0x24] = NAME("WNF_NAME_SUB_RUNDOWN"),
};

const struct event_class decode_wnf = {
    .name = "Wnf",
    KINDS(wnf_kinds),
};

static const struct event_type mod_bound_kinds[] = {
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
    KINDS(mod_bound_kinds),
};

const struct event_class decode_dpc = {
    .name = "Dpc",
};

static const struct event_type cc_kinds[] = {
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
    KINDS(cc_kinds),
};

static const struct event_type ums_kinds[] = {
    [0x20] = NAME("UMS_DIRECTED_SWITCH_START"),
    [0x21] = NAME("UMS_DIRECTED_SWITCH_END"),
    [0x22] = NAME("UMS_PARK"),
    [0x23] = NAME("UMS_DISASSOCIATE"),
    [0x24] = NAME("UMS_CONTEXT_SWITCH"),
};

const struct event_class decode_ums = {
    .name = "UMS",
    KINDS(ums_kinds),
};

const struct event_class decode_hypervisor = {
    .name = "Hypervisor",
};

const struct event_class decode_hypervisor_x = {
    .name = "HypervisorX",
};
