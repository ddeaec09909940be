/* Image: modules mapped and unmapped. Load is logged with the old hook 0x030a of the
 * Process group and reports to this class. */
#include "src/event/decode/table.h"

static const struct field module_v0[] = {
    POINTER("BaseAddress", 0, 0),
    U32("ModuleSize", 4, 8),
    WSTR("ImageFileName", 8, 12),
};

static const struct field module_v1[] = {
    POINTER("ImageBase", 0, 0),
    POINTER("ImageSize", 4, 8),
    PID("ProcessId", FIELD_U32, 8, 16),
    WSTR("FileName", 12, 20),
};

static const struct field module_v2[] = {
    POINTER("ImageBase", 0, 0),         POINTER("ImageSize", 4, 8),
    PID("ProcessId", FIELD_U32, 8, 16), U32("ImageChecksum", 12, 20),
    U32("TimeDateStamp", 16, 24),       U32("Reserved0", 20, 28),
    POINTER("DefaultBase", 24, 32),     U32("Reserved1", 28, 40),
    U32("Reserved2", 32, 44),           U32("Reserved3", 36, 48),
    U32("Reserved4", 40, 52),           WSTR("FileName", 44, 56),
};

static const struct field module_v3[] = {
    POINTER("ImageBase", 0, 0),   POINTER("ImageSize", 4, 8),   PID("ProcessId", FIELD_U32, 8, 16),
    U32("ImageChecksum", 12, 20), U32("TimeDateStamp", 16, 24), U8("SignatureLevel", 20, 28),
    U8("SignatureType", 21, 29),  U16("Reserved0", 22, 30),     POINTER("DefaultBase", 24, 32),
    U32("Reserved1", 28, 40),     U32("Reserved2", 32, 44),     U32("Reserved3", 36, 48),
    U32("Reserved4", 40, 52),     WSTR("FileName", 44, 56),
};

static const struct field kernel_base_v2[] = {
    POINTER("ImageBase", 0, 0),
};

static const struct field hypercall_page_v2[] = {
    POINTER("HypercallPageVa", 0, 0),
};

static const struct field relocate_image_begin_v2[] = {
    U64("BaseAddress", 0, 0),
};

static const struct field find_dll_by_name_v2[] = {
    U64("BaseAddress", 0, 0),
    U8("ErrorOpcode", 8, 8),
    I8("Code", 9, 9),
    WSTR("String", 10, 10),
};

static const struct field new_dll_load_v3[] = {
    POINTER("NewDllBaseAddress", 0, 0),
    POINTER("ParentDllBaseAddress", 4, 8),
    U32("LoadReason", 8, 16),
    WSTR("FilePath", 12, 20),
};

static const struct field dll_search_path_external_v3[] = {
    U64("BaseAddress", 0, 0), U8("ErrorOpcode", 8, 8), I8("Code", 9, 9),
    WSTR("String1", 10, 10),  WSTR("String2", AFTER),
};

static const struct field dll_search_results_v3[] = {
    U32("LdrLoadFlags", 0, 0), U32("LdrSearchFlags", 4, 4), U32("SearchInfo", 8, 8),
    U32("LoadReason", 12, 12), WSTR("FullDllName", 16, 16),
};

static const struct field dll_path_search_results_v3[] = {
    U32("SearchInfo", 0, 0), WSTR("Cwd", 4, 4),         WSTR("AppDir", AFTER),
    WSTR("DllDir", AFTER),   WSTR("DllLoadDir", AFTER),
};

static const struct payload_layout module[] = {
    LAYOUT(0, module_v0),
    LAYOUT(1, module_v1),
    LAYOUT(2, module_v2),
    LAYOUT(3, module_v3),
};

static const struct payload_layout kernel_base[] = {
    LAYOUT(2, kernel_base_v2),
};

static const struct payload_layout hypercall_page[] = {
    LAYOUT(2, hypercall_page_v2),
};

static const struct payload_layout loader_lock_attempt[] = {
    EMPTY(2),
};

static const struct payload_layout relocate_image_begin[] = {
    LAYOUT(2, relocate_image_begin_v2),
};

static const struct payload_layout find_dll_by_name[] = {
    LAYOUT(2, find_dll_by_name_v2),
};

static const struct payload_layout map_view_start[] = {
    LAYOUT(3, find_dll_by_name_v2),
};

static const struct payload_layout new_dll_load[] = {
    LAYOUT(3, new_dll_load_v3),
};

static const struct payload_layout dll_search_path_external[] = {
    LAYOUT(3, dll_search_path_external_v3),
};

static const struct payload_layout dll_search_results[] = {
    LAYOUT(3, dll_search_results_v3),
};

static const struct payload_layout dll_path_search_results[] = {
    LAYOUT(3, dll_path_search_results_v3),
};

static const struct event_type kinds[] = {
    [0x01] = NAME("IMAGE_LOAD"),
    [0x02] =
        KIND_AS("UnLoad", module,
                "unload[ {.FileName:file|.ImageFileName:file}][ at {.ImageBase|.BaseAddress}][, "
                "{.ImageSize:bytes|.ModuleSize:bytes}][: {path|.FileName|.ImageFileName}]"),
    [0x03] = KIND_AS("DCStart", module,
                     "already loaded: {.FileName:file|.ImageFileName:file}[ at "
                     "{.ImageBase|.BaseAddress}][, {.ImageSize:bytes|.ModuleSize:bytes}][: "
                     "{path|.FileName|.ImageFileName}]"),
    [0x04] = KIND_AS("DCEnd", module,
                     "still loaded: {.FileName:file|.ImageFileName:file}[ at "
                     "{.ImageBase|.BaseAddress}][, {.ImageSize:bytes|.ModuleSize:bytes}][: "
                     "{path|.FileName|.ImageFileName}]"),
    [0x0a] = KIND_AS("Load", module,
                     "load {.FileName:file|.ImageFileName:file}[ at {.ImageBase|.BaseAddress}][, "
                     "{.ImageSize:bytes|.ModuleSize:bytes}][: {path|.FileName|.ImageFileName}]"),
    [0x20] = NAME("IMAGE_RELOCATION"),
    [0x21] = KIND_AS("KernelBase", kernel_base, "kernel at {.ImageBase}"),
    [0x22] = KIND_AS("HypercallPage", hypercall_page, "hypercall page at {.HypercallPageVa}"),
    [0x80] = KIND("LoaderLockAttempt", loader_lock_attempt),
    [0x81] = KIND("LoaderLockAcquire", loader_lock_attempt),
    [0x82] = KIND("LoaderLockTriedAndFailed", loader_lock_attempt),
    [0x83] = KIND("LoaderLockWait", loader_lock_attempt),
    [0x84] = KIND("ProcessInitDone", loader_lock_attempt),
    [0x85] = KIND("CreateSectionBegin", loader_lock_attempt),
    [0x86] = KIND("CreateSectionEnd", loader_lock_attempt),
    [0x87] = KIND("MapViewBegin", loader_lock_attempt),
    [0x90] = KIND("RelocateImageBegin", relocate_image_begin),
    [0x91] = KIND("RelocateImageEnd", relocate_image_begin),
    [0x92] = KIND("HandleOldDescsBegin", relocate_image_begin),
    [0x93] = KIND("HandleOldDescsEnd", relocate_image_begin),
    [0x94] = KIND("HandleNewDescsBegin", relocate_image_begin),
    [0x95] = KIND("HandleNewDescsEnd", relocate_image_begin),
    [0x96] = KIND("DllMainExit", relocate_image_begin),
    [0xa0] = KIND("FindDllByName", find_dll_by_name),
    [0xa1] = KIND("MapViewEnd", find_dll_by_name),
    [0xa2] = KIND("LoaderLockRelease", find_dll_by_name),
    [0xa3] = KIND("DllMainEnter", find_dll_by_name),
    [0xa4] = KIND("LoaderError", find_dll_by_name),
    [0xa5] = KIND("MapViewStart", map_view_start),
    [0xa6] = KIND("SnappingStart", map_view_start),
    [0xa7] = KIND("SnappingEnd", map_view_start),
    [0xa8] = KIND("LoadingStart", map_view_start),
    [0xa9] = KIND("LoadingEnd", map_view_start),
    [0xaa] = KIND("FoundKnownDll", map_view_start),
    [0xab] = KIND("AbnormalTermination", map_view_start),
    [0xac] = KIND("ModulePlaceHolder", map_view_start),
    [0xad] = KIND("ReadyToInit", map_view_start),
    [0xae] = KIND("ReadyToRun", map_view_start),
    [0xb0] = KIND_AS("NewDllLoad", new_dll_load, "load {.FilePath} at {.NewDllBaseAddress}"),
    [0xb1] = KIND("NewDllLoadAsData", new_dll_load),
    [0xc0] = KIND("DllSearchPathExternal", dll_search_path_external),
    [0xc1] = KIND("DllSearchPathInternal", dll_search_path_external),
    [0xd0] = KIND("ApiSetResolving", map_view_start),
    [0xd1] = KIND("ApiSetHosted", map_view_start),
    [0xd2] = KIND("ApiSetUnhosted", map_view_start),
    [0xd3] = KIND("ApiSetUnresolved", map_view_start),
    [0xd4] = KIND("DllSearchResults", dll_search_results),
    [0xd5] = KIND("DllPathSearchResults", dll_path_search_results),
};

const struct event_class decode_image = {
    .name = "Image",
    KINDS(kinds),
};
