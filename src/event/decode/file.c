/* FileIo: names (FileObject is the file's key there) and file system operations (FileObject
 * per open, FileKey per file). Thread ids moved behind the keys in version 3. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

static const struct field name_v0[] = {
    POINTER("FileObject", 0, 0),
    WSTR("FileName", 4, 8),
};

static const struct field map_file_v2[] = {
    POINTER("ViewBase", 0, 0), POINTER("FileObject", 4, 8),         U64("MiscInfo", 8, 16),
    SIZE("ViewSize", 16, 24),  PID("ProcessId", FIELD_U32, 20, 32),
};

static const struct field map_file_v3[] = {
    POINTER("ViewBase", 0, 0), POINTER("FileObject", 4, 8), U64("MiscInfo", 8, 16),
    SIZE("ViewSize", 16, 24),  U64("ByteOffset", 20, 32),   PID("ProcessId", FIELD_U32, 28, 40),
};

static const struct field create_v2[] = {
    POINTER("IrpPtr", 0, 0),
    TID("TTID", FIELD_POINTER, 4, 8),
    POINTER("FileObject", 8, 16),
    NAMED("CreateOptions", FIELD_U32, map_create_options, 12, 24),
    NAMED("FileAttributes", FIELD_U32, map_file_attributes, 16, 28),
    NAMED("ShareAccess", FIELD_U32, map_share_access, 20, 32),
    WSTR("OpenPath", 24, 36),
};

static const struct field create_v3[] = {
    POINTER("IrpPtr", 0, 0),
    POINTER("FileObject", 4, 8),
    TID("TTID", FIELD_U32, 8, 16),
    NAMED("CreateOptions", FIELD_U32, map_create_options, 12, 20),
    NAMED("FileAttributes", FIELD_U32, map_file_attributes, 16, 24),
    NAMED("ShareAccess", FIELD_U32, map_share_access, 20, 28),
    WSTR("OpenPath", 24, 32),
};

static const struct field cleanup_v2[] = {
    POINTER("IrpPtr", 0, 0),
    TID("TTID", FIELD_POINTER, 4, 8),
    POINTER("FileObject", 8, 16),
    POINTER("FileKey", 12, 24),
};

static const struct field cleanup_v3[] = {
    POINTER("IrpPtr", 0, 0),
    POINTER("FileObject", 4, 8),
    POINTER("FileKey", 8, 16),
    TID("TTID", FIELD_U32, 12, 24),
};

static const struct field read_v2[] = {
    U64("Offset", 0, 0),
    POINTER("IrpPtr", 8, 8),
    TID("TTID", FIELD_POINTER, 12, 16),
    POINTER("FileObject", 16, 24),
    POINTER("FileKey", 20, 32),
    U32("IoSize", 24, 40),
    NAMED("IoFlags", FIELD_U32, map_irp_flags, 28, 44),
};

static const struct field read_v3[] = {
    U64("Offset", 0, 0),
    POINTER("IrpPtr", 8, 8),
    POINTER("FileObject", 12, 16),
    POINTER("FileKey", 16, 24),
    TID("TTID", FIELD_U32, 20, 32),
    U32("IoSize", 24, 36),
    NAMED("IoFlags", FIELD_U32, map_irp_flags, 28, 40),
};

static const struct field set_info_v2[] = {
    POINTER("IrpPtr", 0, 0),      TID("TTID", FIELD_POINTER, 4, 8),
    POINTER("FileObject", 8, 16), POINTER("FileKey", 12, 24),
    POINTER("ExtraInfo", 16, 32), NAMED("InfoClass", FIELD_U32, map_information_class, 20, 40),
};

static const struct field set_info_v3[] = {
    POINTER("IrpPtr", 0, 0),        POINTER("FileObject", 4, 8),
    POINTER("FileKey", 8, 16),      POINTER("ExtraInfo", 12, 24),
    TID("TTID", FIELD_U32, 16, 32), NAMED("InfoClass", FIELD_U32, map_information_class, 20, 36),
};

static const struct field dir_enum_v2[] = {
    POINTER("IrpPtr", 0, 0),      TID("TTID", FIELD_POINTER, 4, 8),
    POINTER("FileObject", 8, 16), POINTER("FileKey", 12, 24),
    U32("Length", 16, 32),        NAMED("InfoClass", FIELD_U32, map_information_class, 20, 36),
    U32("FileIndex", 24, 40),     WSTR("FileName", 28, 44),
};

static const struct field dir_enum_v3[] = {
    POINTER("IrpPtr", 0, 0),   POINTER("FileObject", 4, 8),
    POINTER("FileKey", 8, 16), TID("TTID", FIELD_U32, 12, 24),
    U32("Length", 16, 28),     NAMED("InfoClass", FIELD_U32, map_information_class, 20, 32),
    U32("FileIndex", 24, 36),  WSTR("FileName", 28, 40),
};

static const struct field operation_end_v2[] = {
    POINTER("IrpPtr", 0, 0),
    POINTER("ExtraInfo", 4, 8),
    STATUS("NtStatus", FIELD_U32, 8, 16),
};

static const struct field dlete_path_v3[] = {
    POINTER("IrpPtr", 0, 0),        POINTER("FileObject", 4, 8),
    POINTER("FileKey", 8, 16),      POINTER("ExtraInfo", 12, 24),
    TID("TTID", FIELD_U32, 16, 32), NAMED("InfoClass", FIELD_U32, map_information_class, 20, 36),
    WSTR("FileName", 24, 40),
};

static const struct field pre_op_init_v3[] = {
    POINTER("RoutineAddr", 0, 0),
    POINTER("FileObject", 4, 8),
    POINTER("FileContext", 8, 16),
    POINTER("IrpPtr", 12, 24),
    POINTER("CallbackDataPtr", 16, 32),
    NAMED("MajorFunction", FIELD_U32, map_major_function, 20, 40),
};

static const struct field pre_op_completion_v3[] = {
    U64("InitialTime", 0, 0),
    POINTER("RoutineAddr", 8, 8),
    POINTER("FileObject", 12, 16),
    POINTER("FileContext", 16, 24),
    POINTER("IrpPtr", 20, 32),
    POINTER("CallbackDataPtr", 24, 40),
    NAMED("MajorFunction", FIELD_U32, map_major_function, 28, 48),
};

static const struct field pre_op_failure_v3[] = {
    POINTER("RoutineAddr", 0, 0),
    POINTER("FileObject", 4, 8),
    POINTER("FileContext", 8, 16),
    POINTER("IrpPtr", 12, 24),
    POINTER("CallbackDataPtr", 16, 32),
    NAMED("MajorFunction", FIELD_U32, map_major_function, 20, 40),
    STATUS("Status", FIELD_U32, 24, 44),
};

static const struct payload_layout name[] = {
    LAYOUT(0, name_v0),
    LAYOUT(1, name_v0),
    LAYOUT(2, name_v0),
    LAYOUT(3, name_v0),
};

static const struct payload_layout file_create[] = {
    LAYOUT(1, name_v0),
    LAYOUT(2, name_v0),
    LAYOUT(3, name_v0),
};

static const struct payload_layout file_delete[] = {
    LAYOUT(2, name_v0),
    LAYOUT(3, name_v0),
};

static const struct payload_layout map_file[] = {
    LAYOUT(2, map_file_v2),
    LAYOUT(3, map_file_v3),
};

static const struct payload_layout create[] = {
    LAYOUT(2, create_v2),
    LAYOUT(3, create_v3),
};

static const struct payload_layout cleanup[] = {
    LAYOUT(2, cleanup_v2),
    LAYOUT(3, cleanup_v3),
};

static const struct payload_layout read[] = {
    LAYOUT(2, read_v2),
    LAYOUT(3, read_v3),
};

static const struct payload_layout set_info[] = {
    LAYOUT(2, set_info_v2),
    LAYOUT(3, set_info_v3),
};

static const struct payload_layout dir_enum[] = {
    LAYOUT(2, dir_enum_v2),
    LAYOUT(3, dir_enum_v3),
};

static const struct payload_layout operation_end[] = {
    LAYOUT(2, operation_end_v2),
    LAYOUT(3, operation_end_v2),
};

static const struct payload_layout dlete_path[] = {
    LAYOUT(3, dlete_path_v3),
};

static const struct payload_layout pre_op_init[] = {
    LAYOUT(3, pre_op_init_v3),
};

static const struct payload_layout pre_op_completion[] = {
    LAYOUT(3, pre_op_completion_v3),
};

static const struct payload_layout pre_op_failure[] = {
    LAYOUT(3, pre_op_failure_v3),
};

static const struct event_type kinds[] = {
    [0x00] = KIND_AS("Name", name, "file name {path|.FileName}"),
    [0x20] = KIND_AS("FileCreate", file_create, "file name {path|.FileName}"),
    [0x21] = NAME("FILENAME_SAME"),
    [0x22] = NAME("FILENAME_NULL"),
    [0x23] = KIND_AS("FileDelete", file_delete, "file name {path|.FileName} is no longer used"),
    [0x24] = KIND_AS("FileRundown", file_delete, "file in use: {path|.FileName}"),
    [0x25] = KIND_AS("MapFile", map_file, "map {.ViewSize:bytes} of a file at {.ViewBase}"),
    [0x26] = KIND_AS("UnmapFile", map_file, "unmap {.ViewSize:bytes} of a file at {.ViewBase}"),
    [0x27] = KIND_AS("MapFileDCStart", map_file,
                     "already mapped: {.ViewSize:bytes} of a file at {.ViewBase}"),
    [0x28] = KIND_AS("MapFileDCEnd", map_file,
                     "still mapped: {.ViewSize:bytes} of a file at {.ViewBase}"),
    [0x40] = KIND_AS("Create", create, "{opening|'open'} {path|.OpenPath|'a file'}"),
    [0x41] =
        KIND_AS("Cleanup", cleanup, "close the last handle of {path|.FileObject:set|'a file'}"),
    [0x42] = KIND_AS("Close", cleanup, "close {path|.FileObject:set|'a file'}"),
    [0x43] = KIND_AS("Read", read,
                     "read[ {.IoSize:bytes} of] {path|.FileObject:set|'a file'}[ at {.Offset:at}]"),
    [0x44] =
        KIND_AS("Write", read,
                "write[ {.IoSize:bytes} to] {path|.FileObject:set|'a file'}[ at {.Offset:at}]"),
    [0x45] = KIND_AS("SetInfo", set_info, "set {.InfoClass} of {path|.FileObject:set|'a file'}"),
    [0x46] = KIND_AS("Delete", set_info, "delete {path|.FileObject:set|'a file'}"),
    [0x47] = KIND_AS("Rename", set_info, "rename {path|.FileObject:set|'a file'}"),
    [0x48] = KIND_AS("DirEnum", dir_enum, "list {path|.FileObject:set|'a file'}[ for {.FileName}]"),
    [0x49] = KIND_AS("Flush", cleanup, "flush {path|.FileObject:set|'a file'}"),
    [0x4a] =
        KIND_AS("QueryInfo", set_info, "query {.InfoClass} of {path|.FileObject:set|'a file'}"),
    [0x4b] = KIND_AS("FSControl", set_info,
                     "file system control {.InfoClass:hex} of {path|.FileObject:set|'a file'}"),
    [0x4c] = KIND_AS("OperationEnd", operation_end,
                     "{operation|'operation'}[ of {path}] ended[: {status}][, {moved}][, {lat}]"),
    [0x4d] = KIND_AS("DirNotify", dir_enum, "watch {path|.FileObject:set|'a file'} for changes"),
    [0x4e] = NAME("FILE_IO_CREATE_NEW"),
    [0x4f] = KIND_AS("DletePath", dlete_path, "delete {.FileName}"),
    [0x50] = KIND_AS("RenamePath", dlete_path, "rename[ {path}] to {.FileName}"),
    [0x51] = KIND_AS("SetLinkPath", dlete_path, "link[ {path}] as {.FileName}"),
    [0x52] = NAME("FILE_IO_SETLINK"),
    [0x60] = KIND_AS("PreOpInit", pre_op_init, "filter before {.MajorFunction} begins"),
    [0x61] = KIND_AS("PostOpInit", pre_op_init, "filter after {.MajorFunction} begins"),
    [0x62] = KIND_AS("PreOpCompletion", pre_op_completion, "filter before {.MajorFunction} ended"),
    [0x63] = KIND_AS("PostOpCompletion", pre_op_completion, "filter after {.MajorFunction} ended"),
    [0x64] =
        KIND_AS("PreOpFailure", pre_op_failure, "filter before {.MajorFunction} failed: {.Status}"),
    [0x65] =
        KIND_AS("PostOpFailure", pre_op_failure, "filter after {.MajorFunction} failed: {.Status}"),
};

const struct event_class decode_file_io = {
    .name = "FileIo",
    KINDS(kinds),
};
