/* Object: handles and kernel objects; types are numbers that TypeDC* names. */
#include "src/event/decode/table.h"

static const struct field create_handle_v2[] = {
    POINTER("Object", 0, 0),
    U32("Handle", 4, 8),
    U16("ObjectType", 8, 12),
    WSTR("ObjectName", 10, 14),
};

static const struct field duplicate_handle_v2[] = {
    POINTER("Object", 0, 0),        U32("SourceHandle", 4, 8), U32("TargetHandle", 8, 12),
    U32("TargetProcessId", 12, 16), U16("ObjectType", 16, 20), U32("SourceProcessId", 18, 22),
};

static const struct field type_dcstart_v2[] = {
    U16("ObjectType", 0, 0),
    U16("Reserved", 2, 2),
    WSTR("TypeName", 4, 4),
};

static const struct field handle_dcstart_v2[] = {
    POINTER("Object", 0, 0),   PID("ProcessId", FIELD_U32, 4, 8), U32("Handle", 8, 12),
    U16("ObjectType", 12, 16), WSTR("ObjectName", 14, 18),
};

static const struct field create_object_v2[] = {
    POINTER("Object", 0, 0),
    U16("ObjectType", 4, 8),
};

static const struct field reference_object_v2[] = {
    POINTER("Object", 0, 0),
    U32("Tag", 4, 8),
    U32("Count", 8, 12),
};

static const struct payload_layout create_handle[] = {
    LAYOUT(2, create_handle_v2),
};

static const struct payload_layout duplicate_handle[] = {
    LAYOUT(2, duplicate_handle_v2),
};

static const struct payload_layout type_dcstart[] = {
    LAYOUT(2, type_dcstart_v2),
};

static const struct payload_layout handle_dcstart[] = {
    LAYOUT(2, handle_dcstart_v2),
};

static const struct payload_layout create_object[] = {
    LAYOUT(2, create_object_v2),
};

static const struct payload_layout reference_object[] = {
    LAYOUT(2, reference_object_v2),
};

static const struct event_type kinds[] = {
    [0x20] =
        KIND_AS("CreateHandle", create_handle, "create handle {.Handle:hex}[ of {.ObjectName}]"),
    [0x21] = KIND_AS("CloseHandle", create_handle, "close handle {.Handle:hex}[ of {.ObjectName}]"),
    [0x22] = KIND_AS("DuplicateHandle", duplicate_handle,
                     "duplicate handle {.SourceHandle:hex} as {.TargetHandle:hex} of process "
                     "{.TargetProcessId}"),
    [0x24] = KIND_AS("TypeDCStart", type_dcstart, "object type {.ObjectType}: {.TypeName}"),
    [0x25] = KIND_AS("TypeDCEnd", type_dcstart, "object type {.ObjectType}: {.TypeName}"),
    [0x26] =
        KIND_AS("HandleDCStart", handle_dcstart, "handle in use: {.Handle:hex}[ of {.ObjectName}]"),
    [0x27] =
        KIND_AS("HandleDCEnd", handle_dcstart, "handle in use: {.Handle:hex}[ of {.ObjectName}]"),
    [0x30] = KIND("CreateObject", create_object),
    [0x31] = KIND("DeleteObject", create_object),
    [0x32] = KIND("ReferenceObject", reference_object),
    [0x33] = KIND("DereferenceObject", reference_object),
};

const struct event_class decode_object = {
    .name = "Object",
    KINDS(kinds),
};
