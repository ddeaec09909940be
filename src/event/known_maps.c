/* Sorted by number. As the headers of Windows and of the .NET runtime call them. */
#include "src/event/known_maps.h"

#include "src/base/text.h"
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"
#include "src/event/error_names.h"
#include "src/event/providers.h"

#include <string.h>

#define NUMBERS(table) .entries = table, .count = TABLE_COUNT(table), .keeps_number = true
#define BITS(table)    NUMBERS(table), .is_bits = true

/* ---- .NET -------------------------------------------------------------------------------------- */

static const struct value_name gc_reasons[] = {
    {0, "AllocSmall"},
    {1, "Induced"},
    {2, "LowMemory"},
    {3, "Empty"},
    {4, "AllocLarge"},
    {5, "OutOfSpaceSmallObjectHeap"},
    {6, "OutOfSpaceLargeObjectHeap"},
    {7, "InducedNoForce"},
    {8, "Stress"},
    {9, "InducedLowMemory"},
    {10, "InducedCompacting"},
    {11, "LowMemoryHost"},
    {12, "PMFullGC"},
    {13, "LowMemoryHostBlocking"},
};
static const struct value_map map_gc_reason = {NUMBERS(gc_reasons)};

static const struct value_name gc_mechanisms[] = {
    {0x1, "Concurrent"}, {0x2, "Compaction"},   {0x4, "Promotion"},
    {0x8, "Demotion"},   {0x10, "CardBundles"},
};
static const struct value_map map_gc_mechanisms = {BITS(gc_mechanisms)};

static const struct value_name gc_pause_modes[] = {
    {0, "Batch"}, {1, "Interactive"}, {2, "LowLatency"}, {3, "SustainedLowLatency"}, {4, "NoGC"},
};
static const struct value_map map_gc_pause_mode = {NUMBERS(gc_pause_modes)};

/* The highest bit says that there is a mechanism, the others which one. */
static const struct value_name gc_compacting[] = {
    {0x1, "compact_low_ephemeral"},    {0x2, "compact_high_frag"},
    {0x4, "compact_no_gaps"},          {0x8, "compact_loh_forced"},
    {0x10, "compact_last_gc"},         {0x20, "compact_induced_compacting"},
    {0x40, "compact_fragmented_gen0"}, {0x80, "compact_high_mem_load"},
    {0x100, "compact_high_mem_frag"},  {0x200, "compact_vhigh_mem_frag"},
    {0x400, "compact_no_gc_mode"},     {0x800, "compact_aggressive_compacting"},
    {0x80000000, "specified"},
};
static const struct value_map map_gc_compacting = {BITS(gc_compacting)};

static const struct value_name gc_expanding[] = {
    {0x1, "expand_reuse_normal"}, {0x2, "expand_reuse_bestfit"}, {0x4, "expand_new_seg_ep"},
    {0x8, "expand_new_seg"},      {0x10, "expand_no_memory"},    {0x20, "expand_next_full_gc"},
    {0x80000000, "specified"},
};
static const struct value_map map_gc_expanding = {BITS(gc_expanding)};

static const struct value_name ngen_binds[] = {
    {0, "START_BIND"},
    {1, "NO_INDEX"},
    {2, "SYSTEM_ASSEMBLY_NOT_AVAILABLE"},
    {3, "NO_NATIVE_IMAGE"},
    {4, "REJECT_CONFIG_MASK"},
    {5, "FAIL"},
    {6, "INDEX_CORRUPTION"},
    {7, "REJECT_TIMESTAMP"},
    {8, "REJECT_NATIVEIMAGE_NOT_FOUND"},
    {9, "REJECT_IL_SIG"},
    {10, "REJECT_LOADER_EVAL_FAIL"},
    {11, "MISSING_FOUND"},
    {12, "REJECT_HOSTASM"},
    {13, "REJECT_IL_NOT_FOUND"},
    {14, "REJECT_APPBASE_NOT_FILE"},
    {15, "BIND_DEPEND_REJECT_REF_DEF_MISMATCH"},
    {16, "BIND_DEPEND_REJECT_NGEN_SIG"},
    {17, "APPLY_EXTERNAL_RELOCS_FAILED"},
    {18, "SYSTEM_ASSEMBLY_NATIVEIMAGE_NOT_AVAILABLE"},
    {19, "ASSEMBLY_HAS_DIFFERENT_GRANT"},
    {20, "ASSEMBLY_NOT_DOMAIN_NEUTRAL"},
    {21, "NATIVEIMAGE_VERSION_MISMATCH"},
    {22, "LOADFROM_NOT_ALLOWED"},
    {23, "DEPENDENCY_HAS_DIFFERENT_IDENTITY"},
};
static const struct value_map map_ngen_bind = {NUMBERS(ngen_binds)};

/* ---- which field ------------------------------------------------------------------------------- */

enum { ANY = 0 }; /* in place of an event's id */

struct known_field {
    uint16_t id;
    const char *name;
    const struct value_map *map;
};

static const struct known_field of_files[] = {
    {ANY, "CreateOptions", &map_create_options},
    {ANY, "CreateAttributes", &map_file_attributes},
    {ANY, "ShareAccess", &map_share_access},
    {ANY, "IOFlags", &map_irp_flags},
    {ANY, "Status", &map_status},
    {17, "InfoClass", &map_information_class}, /* set information */
    {18, "InfoClass", &map_information_class}, /* … to delete */
    {19, "InfoClass", &map_information_class}, /* … to rename */
    {20, "InfoClass", &map_information_class}, /* list a folder */
    {22, "InfoClass", &map_information_class}, /* query information */
    {25, "InfoClass", &map_information_class}, /* watch a folder */
    {26, "InfoClass", &map_information_class}, /* the paths of those above */
    {27, "InfoClass", &map_information_class},
    {28, "InfoClass", &map_information_class},
    {29, "InfoClass", &map_information_class},
};

static const struct known_field of_dotnet[] = {
    {205, "Reason", &map_gc_reason},
    {205, "GlobalMechanisms", &map_gc_mechanisms},
    {205, "PauseMode", &map_gc_pause_mode},
    {204, "CompactMechanisms", &map_gc_compacting},
    {204, "ExpandMechanisms", &map_gc_expanding},
};

static const struct known_field of_dotnet_private[] = {
    {5, "Reason", &map_gc_reason},
    {5, "GlobalMechanisms", &map_gc_mechanisms},
    {188, "ReasonCode", &map_ngen_bind},
};

static const struct known_field of_processes[] = {
    {ANY, "ExitCode", &map_exit_status},
};

static const struct known_field with_status[] = {
    {ANY, "Status", &map_status},
};

static const struct {
    const struct guid *provider;
    const struct known_field *fields;
    unsigned count;
} providers[] = {
    {&kernel_file_provider, of_files, TABLE_COUNT(of_files)},
    {&kernel_process_provider, of_processes, TABLE_COUNT(of_processes)},
    {&kernel_registry_provider, with_status, TABLE_COUNT(with_status)},
    {&dxgkrnl_provider, with_status, TABLE_COUNT(with_status)},
    {&dotnet_provider, of_dotnet, TABLE_COUNT(of_dotnet)},
    {&dotnet_private_provider, of_dotnet_private, TABLE_COUNT(of_dotnet_private)},
};

/* Of any provider: a name that says the type, as "ExceptionHRESULT". */
static const struct value_map *map_of_name(const char *field, unsigned type)
{
    static const char hresult[] = "HRESULT";
    enum { BYTES = sizeof hresult - 1 };
    const size_t bytes = strlen(field);
    const bool is_code = type == FIELD_HEX32 || type == FIELD_U32 || type == FIELD_I32;
    return is_code && bytes >= BYTES &&
                   text_compare(field + bytes - BYTES, BYTES, hresult, BYTES) == 0
               ? &map_hresult
               : NULL;
}

const struct value_map *known_map(const struct guid *provider, uint16_t id, const char *field,
                                  unsigned type)
{
    for (unsigned i = 0; i < TABLE_COUNT(providers); i++) {
        if (!guid_equal(providers[i].provider, provider))
            continue;
        for (unsigned n = 0; n < providers[i].count; n++) {
            const struct known_field *const f = &providers[i].fields[n];
            if ((f->id == ANY || f->id == id) && strcmp(f->name, field) == 0)
                return f->map;
        }
    }
    return map_of_name(field, type);
}
