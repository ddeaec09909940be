/* PageFault: faults, virtual memory, page lists. Pool: kernel heap. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

static const struct field transition_fault_v2[] = {
    POINTER("VirtualAddress", 0, 0),
    POINTER("ProgramCounter", 4, 8),
};

static const struct field hard_fault_v2[] = {
    U64("InitialTime", 0, 0),
    U64("ReadOffset", 8, 8),
    POINTER("VirtualAddress", 16, 16),
    POINTER("FileObject", 20, 24),
    TID("TThreadId", FIELD_U32, 24, 32),
    U32("ByteCount", 28, 36),
};

static const struct field virtual_alloc_v2[] = {
    POINTER("BaseAddress", 0, 0),
    SIZE("RegionSize", 4, 8),
    PID("ProcessId", FIELD_U32, 8, 16),
    NAMED("Flags", FIELD_U32, map_allocation_flags, 12, 20),
};

static const struct field hrrundown_v2[] = {
    POINTER("HeapHandle", 0, 0),
    U32("HRFlags", 4, 8),
    PID("HRPid", FIELD_U32, 8, 12),
    U32("HRRangeCount", 12, 16),
};

static const struct field hrrundown_v3[] = {
    POINTER("HeapHandle", 0, 0), U32("HRFlags", 4, 8),    PID("HRPid", FIELD_U32, 8, 12),
    U32("HRRangeCount", 12, 16), U32("Reserved", 16, 20),
};

static const struct field hrcreate_v2[] = {
    POINTER("HeapHandle", 0, 0),
    SIZE("FirstRangeSize", 4, 8),
    U32("HRCreateFlags", 8, 16),
};

static const struct field hrreserve_v2[] = {
    POINTER("HeapHandle", 0, 0),
    POINTER("HRAddress", 4, 8),
    SIZE("HRSize", 8, 16),
};

static const struct field hrdestroy_v2[] = {
    POINTER("HeapHandle", 0, 0),
};

static const struct field image_load_backed_v2[] = {
    POINTER("FileObject", 0, 0),
    U32("DeviceChar", 4, 8),
    U16("FileChar", 8, 12),
    U16("LoadFlags", 10, 14),
};

static const struct field mem_info_v2[] = {
    U8("PriorityLevels", 0, 0),
    SIZE("ZeroPageCount", 1, 1),
    SIZE("FreePageCount", 5, 9),
    SIZE("ModifiedPageCount", 9, 17),
    SIZE("ModifiedNoWritePageCount", 13, 25),
    SIZE("BadPageCount", 17, 33),
    COUNTED("StandbyPageCounts", FIELD_SIZE, 0, 21, 41),
    COUNTED("RepurposedPageCounts", FIELD_SIZE, 0, AFTER),
    SIZE("ModifiedPageCountPageFile", AFTER),
};

static const struct field virtual_rotate_v2[] = {
    POINTER("BaseAddress", 0, 0),
    SIZE("SizeInBytes", 4, 8),
    U32("Flags", 8, 16),
};

static const struct field virtual_alloc_dcstart_v2[] = {
    POINTER("BaseAddress", 0, 0),       SIZE("RegionSize", 4, 8),
    PID("ProcessId", FIELD_U32, 8, 16), NAMED("Flags", FIELD_U32, map_allocation_flags, 12, 20),
    SIZE("CommitSizeInBytes", 16, 24),
};

static const struct payload_layout transition_fault[] = {
    LAYOUT(2, transition_fault_v2),
};

static const struct payload_layout hard_fault[] = {
    LAYOUT(2, hard_fault_v2),
};

static const struct payload_layout virtual_alloc[] = {
    LAYOUT(2, virtual_alloc_v2),
};

static const struct payload_layout hrrundown[] = {
    LAYOUT(2, hrrundown_v2),
    LAYOUT(3, hrrundown_v3),
};

static const struct payload_layout hrcreate[] = {
    LAYOUT(2, hrcreate_v2),
};

static const struct payload_layout hrreserve[] = {
    LAYOUT(2, hrreserve_v2),
};

static const struct payload_layout hrdestroy[] = {
    LAYOUT(2, hrdestroy_v2),
};

static const struct payload_layout image_load_backed[] = {
    LAYOUT(2, image_load_backed_v2),
};

static const struct payload_layout mem_info[] = {
    LAYOUT(2, mem_info_v2),
};

static const struct payload_layout virtual_rotate[] = {
    LAYOUT(2, virtual_rotate_v2),
};

static const struct payload_layout virtual_alloc_dcstart[] = {
    LAYOUT(2, virtual_alloc_dcstart_v2),
};

static const struct event_type kinds[] = {
    [0x0a] = KIND_AS("TransitionFault", transition_fault,
                     "transition fault at {.VirtualAddress}[, by {code|.ProgramCounter}]"),
    [0x0b] = KIND_AS("DemandZeroFault", transition_fault,
                     "demand-zero fault at {.VirtualAddress}[, by {code|.ProgramCounter}]"),
    [0x0c] = KIND_AS("CopyOnWrite", transition_fault,
                     "copy-on-write fault at {.VirtualAddress}[, by {code|.ProgramCounter}]"),
    [0x0d] = KIND_AS("GuardPageFault", transition_fault,
                     "guard-page fault at {.VirtualAddress}[, by {code|.ProgramCounter}]"),
    [0x0e] = KIND_AS("HardPageFault", transition_fault,
                     "hard fault at {.VirtualAddress}[, by {code|.ProgramCounter}]"),
    [0x0f] = KIND_AS("AccessViolation", transition_fault,
                     "access violation at {.VirtualAddress}[, by {code|.ProgramCounter}]"),
    [0x20] = KIND_AS("HardFault", hard_fault,
                     "hard fault at {.VirtualAddress}: read {.ByteCount:bytes}[ of {path}] at "
                     "{.ReadOffset:bytes}[, {lat}]"),
    [0x21] = NAME("REMOVEPAGEBYCOLOR"),
    [0x22] = NAME("REMOVEPAGEFROMLIST"),
    [0x23] = NAME("PAGEINMEMORY"),
    [0x24] = NAME("INSERTINFREELIST"),
    [0x25] = NAME("INSERTINMODIFIEDLIST"),
    [0x26] = NAME("INSERTINLIST"),
    [0x28] = NAME("INSERTATFRONT"),
    [0x29] = NAME("UNLINKFROMSTANDBY"),
    [0x2a] = NAME("UNLINKFFREEORZERO"),
    [0x2b] = NAME("WORKINGSETMANAGER"),
    [0x2c] = NAME("TRIMPROCESS"),
    [0x2e] = NAME("ZEROSHARECOUNT"),
    [0x3c] = NAME("WSINFOPROCESS"),
    [0x45] = KIND_AS("FAULTADDR_WITH_IP", transition_fault,
                     "page fault at {.VirtualAddress}[, by {code|.ProgramCounter}]"),
    [0x46] = NAME("TRIMSESSION"),
    [0x47] = NAME("MEMORYSNAPLITE"),
    [0x48] = NAME("PFMAPPED_SECTION_RUNDOWN"),
    [0x49] = NAME("PFMAPPED_SECTION_CREATE"),
    [0x4a] = NAME("WSINFOSESSION"),
    [0x4b] = NAME("CREATE_SESSION"),
    [0x4c] = NAME("SESSION_RUNDOWN_DC_END"),
    [0x4d] = NAME("SESSION_RUNDOWN_DC_START"),
    [0x4e] = NAME("SESSION_DELETE"),
    [0x4f] = NAME("PFMAPPED_SECTION_DELETE"),
    [0x62] = KIND_AS("VirtualAlloc", virtual_alloc,
                     "allocate {.RegionSize:bytes} at {.BaseAddress}[ ({.Flags:name})]"),
    [0x63] = KIND_AS("VirtualFree", virtual_alloc,
                     "free {.RegionSize:bytes} at {.BaseAddress}[ ({.Flags:name})]"),
    [0x64] = KIND("HRRundown", hrrundown),
    [0x65] = KIND("HRCreate", hrcreate),
    [0x66] = KIND("HRReserve", hrreserve),
    [0x67] = KIND("HRRelease", hrreserve),
    [0x68] = KIND("HRDestroy", hrdestroy),
    [0x69] = KIND("ImageLoadBacked", image_load_backed),
    [0x70] = KIND("MemInfo", mem_info),
    [0x71] = NAME("CONTMEM_GENERATE"),
    [0x72] = NAME("FILE_STORE_FAULT"),
    [0x73] = NAME("INMEMORY_STORE_FAULT"),
    [0x74] = NAME("COMPRESSED_PAGE"),
    [0x75] = NAME("PAGEINMEMORY_ACTIVE"),
    [0x76] = NAME("PAGE_ACCESS"),
    [0x77] = NAME("PAGE_RELEASE"),
    [0x78] = NAME("PAGE_RANGE_ACCESS"),
    [0x79] = NAME("PAGE_RANGE_RELEASE"),
    [0x7a] = NAME("PAGE_COMBINE"),
    [0x7b] = NAME("KERNEL_MEMUSAGE"),
    [0x7c] = NAME("MM_STATS"),
    [0x7d] = NAME("MEMINFOEX_WS"),
    [0x7e] = NAME("MEMINFOEX_SESSIONWS"),
    [0x7f] = KIND("VirtualRotate", virtual_rotate),
    [0x80] = KIND_AS("VirtualAllocDCStart", virtual_alloc_dcstart,
                     "already allocated: {.RegionSize:bytes} at {.BaseAddress}, "
                     "{.CommitSizeInBytes:bytes} committed"),
    [0x81] = KIND_AS("VirtualAllocDCEnd", virtual_alloc_dcstart,
                     "still allocated: {.RegionSize:bytes} at {.BaseAddress}, "
                     "{.CommitSizeInBytes:bytes} committed"),
    [0x82] = NAME("PAGE_ACCESS_EX"),
    [0x83] = NAME("REMOVEFROMWS"),
    [0x84] = NAME("WSSHAREABLE_RUNDOWN"),
    [0x85] = NAME("INMEMORYACTIVE_RUNDOWN"),
    [0x86] = KIND("MemResetInfo", virtual_rotate),
    [0x87] = NAME("PFMAPPED_SECTION_OBJECT_CREATE"),
    [0x88] = NAME("PFMAPPED_SECTION_OBJECT_DELETE"),
};

const struct event_class decode_page_fault = {
    .name = "PageFault",
    KINDS(kinds),
};

static const struct field pool_pool_allocation_v2[] = {
    U32("Type", 0, 0),
    U32("Tag", 4, 4),
    SIZE("NumberOfBytes", 8, 8),
    POINTER("Entry", 12, 16),
};

static const struct field pool_session_pool_allocation_v2[] = {
    U32("Type", 0, 0),        U32("Tag", 4, 4),         SIZE("NumberOfBytes", 8, 8),
    POINTER("Entry", 12, 16), U32("SessionId", 16, 24),
};

static const struct payload_layout pool_pool_allocation[] = {
    LAYOUT(2, pool_pool_allocation_v2),
};

static const struct payload_layout pool_session_pool_allocation[] = {
    LAYOUT(2, pool_session_pool_allocation_v2),
};

static const struct payload_layout pool_pool_snap_dcstart[] = {
    EMPTY(2),
};

static const struct event_type pool_kinds[] = {
    [0x20] = KIND_AS("PoolAllocation", pool_pool_allocation,
                     "allocate {.NumberOfBytes:bytes} of pool at {.Entry}"),
    [0x21] = KIND_AS("SessionPoolAllocation", pool_session_pool_allocation,
                     "allocate {.NumberOfBytes:bytes} of session pool at {.Entry}"),
    [0x22] = KIND_AS("PoolFree", pool_pool_allocation,
                     "free {.NumberOfBytes:bytes} of pool at {.Entry}"),
    [0x23] = KIND_AS("SessionPoolFree", pool_session_pool_allocation,
                     "free {.NumberOfBytes:bytes} of session pool at {.Entry}"),
    [0x24] = NAME("ADDPOOLPAGE"),
    [0x25] = NAME("ADDPOOLPAGE_SESSION"),
    [0x26] = NAME("BIGPOOLPAGE"),
    [0x27] = NAME("BIGPOOLPAGE_SESSION"),
    [0x28] = KIND("PoolSnapDCStart", pool_pool_snap_dcstart),
    [0x29] = KIND("PoolSnapDCEnd", pool_pool_snap_dcstart),
    [0x2a] = KIND("BigPoolSnapDCStart", pool_pool_snap_dcstart),
    [0x2b] = KIND("BigPoolSnapDCEnd", pool_pool_snap_dcstart),
    [0x2c] = KIND("SessionPoolSnapDCStart", pool_pool_snap_dcstart),
    [0x2d] = KIND("SessionPoolSnapDCEnd", pool_pool_snap_dcstart),
    [0x2e] = KIND("SessionBigPoolSnapDCStart", pool_pool_snap_dcstart),
    [0x2f] = KIND("SessionBigPoolSnapDCEnd", pool_pool_snap_dcstart),
};

const struct event_class decode_pool = {
    .name = "Pool",
    KINDS(pool_kinds),
};
