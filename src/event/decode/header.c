/* EventTrace: what a log says about itself. Lost_Event: what a live session says it lost. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

/* A change of the clocks in a TIME_ZONE_INFORMATION. No instant: where Year is 0, Day says which
 * such DayOfWeek (0: Sunday) of each year's Month, 5 the last one. Month 0: the clocks are not
 * changed. */
#define CLOCK_CHANGE(name, at32, at64)                                                             \
    U16(name "Year", at32, at64), U16(name "Month", (at32) + 2, (at64) + 2),                       \
        U16(name "DayOfWeek", (at32) + 4, (at64) + 4), U16(name "Day", (at32) + 6, (at64) + 6),    \
        U16(name "Hour", (at32) + 8, (at64) + 8), U16(name "Minute", (at32) + 10, (at64) + 10),    \
        U16(name "Second", (at32) + 12, (at64) + 12),                                              \
        U16(name "Milliseconds", (at32) + 14, (at64) + 14)

/* Bias: minutes from local time to UTC; the two others are added to it. Four bytes fill up the
 * structure. */
static const struct field header_v0[] = {
    U32("BufferSize", 0, 0),
    U32("Version", 4, 4),
    U32("ProviderVersion", 8, 8),
    U32("NumberOfProcessors", 12, 12),
    FILETIME("EndTime", 16, 16),
    U32("TimerResolution", 24, 24),
    U32("MaxFileSize", 28, 28),
    NAMED("LogFileMode", FIELD_U32, map_log_file_mode, 32, 32),
    U32("BuffersWritten", 36, 36),
    U32("StartBuffers", 40, 40),
    U32("PointerSize", 44, 44),
    U32("EventsLost", 48, 48),
    U32("CPUSpeed", 52, 52),
    POINTER("LoggerName", 56, 56),
    POINTER("LogFileName", 60, 64),
    I32("Bias", 64, 72),
    WCHARS("StandardName", 32, 68, 76),
    CLOCK_CHANGE("Standard", 132, 140),
    I32("StandardBias", 148, 156),
    WCHARS("DaylightName", 32, 152, 160),
    CLOCK_CHANGE("Daylight", 216, 224),
    I32("DaylightBias", 232, 240),
    BYTES("Reserved", 4, 236, 244),
    FILETIME("BootTime", 240, 248),
    U64("PerfFreq", 248, 256),
    FILETIME("StartTime", 256, 264),
    U32("ReservedFlags", 264, 272),
    U32("BuffersLost", 268, 276),
    WSTR("SessionNameString", 272, 280),
    WSTR("LogFileNameString", AFTER),
};

static const struct field extension_v0[] = {
    U32("GroupMask1", 0, 0),   U32("GroupMask2", 4, 4),   U32("GroupMask3", 8, 8),
    U32("GroupMask4", 12, 12), U32("GroupMask5", 16, 16), U32("GroupMask6", 20, 20),
    U32("GroupMask7", 24, 24), U32("GroupMask8", 28, 28),
};

static const struct field extension_v2[] = {
    U32("GroupMask1", 0, 0),   U32("GroupMask2", 4, 4),   U32("GroupMask3", 8, 8),
    U32("GroupMask4", 12, 12), U32("GroupMask5", 16, 16), U32("GroupMask6", 20, 20),
    U32("GroupMask7", 24, 24), U32("GroupMask8", 28, 28), U32("KernelEventVersion", 32, 32),
};

static const struct field dbg_id_rsds_v2[] = {
    GUID("Guid", 0, 0),
    U32("Age", 16, 16),
    ASTR("PdbName", 20, 20),
};

static const struct field build_info_v2[] = {
    ASTR("BuildString", 0, 0),
};

static const struct field provider_binary_path_v2[] = {
    U32("GuidCount", 0, 0),
    COUNTED("Guid", FIELD_GUID, 0, 4, 4),
    WSTR("BinaryPath", AFTER),
};

static const struct field partition_info_extension_v2[] = {
    U16("EventVersion", 0, 0),      U16("Reserved", 2, 2),       U32("PartitionType", 4, 4),
    I64("QpcOffsetFromRoot", 8, 8), GUID("PartitionId", 16, 16), GUID("ParentId", 32, 32),
};

static const struct field processor_clock_v2[] = {
    U32("ProcessorCount", 0, 0),
    U32("Reserved", 4, 4),
    COUNTED("Delta", FIELD_I64, 0, 8, 8),
};

static const struct payload_layout header[] = {
    LAYOUT(0, header_v0),
    LAYOUT(1, header_v0),
    LAYOUT(2, header_v0),
};

static const struct payload_layout extension[] = {
    LAYOUT(0, extension_v0),
    LAYOUT(1, extension_v0),
    LAYOUT(2, extension_v2),
};

static const struct payload_layout rdcomplete[] = {
    EMPTY(0),
    EMPTY(1),
    EMPTY(2),
};

static const struct payload_layout dbg_id_rsds[] = {
    LAYOUT(2, dbg_id_rsds_v2),
};

static const struct payload_layout build_info[] = {
    LAYOUT(2, build_info_v2),
};

static const struct payload_layout provider_binary_path[] = {
    LAYOUT(2, provider_binary_path_v2),
};

static const struct payload_layout partition_info_extension[] = {
    LAYOUT(2, partition_info_extension_v2),
};

static const struct payload_layout processor_clock[] = {
    LAYOUT(2, processor_clock_v2),
};

static const struct event_type kinds[] = {
    [0x00] = KIND_AS("Header", header, "session {.SessionNameString}[, file {.LogFileNameString}]"),
    [0x05] = KIND_AS("Extension", extension,
                     "event groups of the kernel logger: {.GroupMask1:hex} {.GroupMask2:hex} "
                     "{.GroupMask3:hex} {.GroupMask4:hex}"),
    [0x08] = KIND_AS("RDComplete", rdcomplete, "the rundown is complete"),
    [0x20] = KIND_AS("EndExtension", extension,
                     "event groups of the kernel logger: {.GroupMask1:hex} {.GroupMask2:hex} "
                     "{.GroupMask3:hex} {.GroupMask4:hex}"),
    [0x30] = NAME("RUNDOWN_BEGIN"),
    [0x31] = NAME("RUNDOWN_END"),
    [0x40] = KIND_AS("DbgIdRSDS", dbg_id_rsds, "symbols: {.PdbName}"),
    [0x41] = NAME("DBGID_NB10"),
    [0x42] = KIND_AS("BuildInfo", build_info, "built as {.BuildString}"),
    [0x43] = KIND_AS("ProviderBinaryPath", provider_binary_path, "providers of {.BinaryPath}"),
    [0x50] = KIND_AS("PartitionInfoExtension", partition_info_extension,
                     "partition {.PartitionId:set|'none'}[ of {.ParentId:set}]"),
    [0x52] = KIND_AS("ProcessorClock", processor_clock,
                     "clocks of {.ProcessorCount} processor[{.ProcessorCount:s}]"),
};

const struct event_class decode_event_trace_event = {
    .name = "EventTraceEvent",
    KINDS(kinds),
};

static const struct payload_layout lost_event_rtlost_event[] = {
    EMPTY(0),
};

static const struct event_type lost_event_kinds[] = {
    [0x20] = KIND_AS("RTLostEvent", lost_event_rtlost_event, "events were lost"),
    [0x21] = KIND_AS("RTLostBuffer", lost_event_rtlost_event, "a buffer was lost"),
    [0x22] = KIND_AS("RTLostFile", lost_event_rtlost_event, "the file could not be written"),
};

const struct event_class decode_lost_event = {
    .name = "Lost_Event",
    .guid = GUID_OF(0x6a399ae0, 0x4bc6, 0x4de9, 0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e),
    KINDS(lost_event_kinds),
};
