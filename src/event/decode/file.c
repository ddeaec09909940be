/* FileIo: names (FileObject is the file's key there) and file system operations (FileObject
 * per open, FileKey per file). Thread ids moved behind the keys in version 3. */
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
    POINTER("IrpPtr", 0, 0),      TID("TTID", FIELD_POINTER, 4, 8), POINTER("FileObject", 8, 16),
    U32("CreateOptions", 12, 24), U32("FileAttributes", 16, 28),    U32("ShareAccess", 20, 32),
    WSTR("OpenPath", 24, 36),
};

static const struct field create_v3[] = {
    POINTER("IrpPtr", 0, 0),      POINTER("FileObject", 4, 8),   TID("TTID", FIELD_U32, 8, 16),
    U32("CreateOptions", 12, 20), U32("FileAttributes", 16, 24), U32("ShareAccess", 20, 28),
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
    U64("Offset", 0, 0),           POINTER("IrpPtr", 8, 8),    TID("TTID", FIELD_POINTER, 12, 16),
    POINTER("FileObject", 16, 24), POINTER("FileKey", 20, 32), U32("IoSize", 24, 40),
    U32("IoFlags", 28, 44),
};

static const struct field read_v3[] = {
    U64("Offset", 0, 0),        POINTER("IrpPtr", 8, 8),        POINTER("FileObject", 12, 16),
    POINTER("FileKey", 16, 24), TID("TTID", FIELD_U32, 20, 32), U32("IoSize", 24, 36),
    U32("IoFlags", 28, 40),
};

static const struct field set_info_v2[] = {
    POINTER("IrpPtr", 0, 0),    TID("TTID", FIELD_POINTER, 4, 8), POINTER("FileObject", 8, 16),
    POINTER("FileKey", 12, 24), POINTER("ExtraInfo", 16, 32),     U32("InfoClass", 20, 40),
};

static const struct field set_info_v3[] = {
    POINTER("IrpPtr", 0, 0),      POINTER("FileObject", 4, 8),    POINTER("FileKey", 8, 16),
    POINTER("ExtraInfo", 12, 24), TID("TTID", FIELD_U32, 16, 32), U32("InfoClass", 20, 36),
};

static const struct field dir_enum_v2[] = {
    POINTER("IrpPtr", 0, 0),      TID("TTID", FIELD_POINTER, 4, 8),
    POINTER("FileObject", 8, 16), POINTER("FileKey", 12, 24),
    U32("Length", 16, 32),        U32("InfoClass", 20, 36),
    U32("FileIndex", 24, 40),     WSTR("FileName", 28, 44),
};

static const struct field dir_enum_v3[] = {
    POINTER("IrpPtr", 0, 0),        POINTER("FileObject", 4, 8), POINTER("FileKey", 8, 16),
    TID("TTID", FIELD_U32, 12, 24), U32("Length", 16, 28),       U32("InfoClass", 20, 32),
    U32("FileIndex", 24, 36),       WSTR("FileName", 28, 40),
};

static const struct field operation_end_v2[] = {
    POINTER("IrpPtr", 0, 0),
    POINTER("ExtraInfo", 4, 8),
    STATUS("NtStatus", FIELD_U32, 8, 16),
};

static const struct field dlete_path_v3[] = {
    POINTER("IrpPtr", 0, 0),      POINTER("FileObject", 4, 8),    POINTER("FileKey", 8, 16),
    POINTER("ExtraInfo", 12, 24), TID("TTID", FIELD_U32, 16, 32), U32("InfoClass", 20, 36),
    WSTR("FileName", 24, 40),
};

static const struct field pre_op_init_v3[] = {
    POINTER("RoutineAddr", 0, 0), POINTER("FileObject", 4, 8),        POINTER("FileContext", 8, 16),
    POINTER("IrpPtr", 12, 24),    POINTER("CallbackDataPtr", 16, 32), U32("MajorFunction", 20, 40),
};

static const struct field pre_op_completion_v3[] = {
    U64("InitialTime", 0, 0),      POINTER("RoutineAddr", 8, 8),
    POINTER("FileObject", 12, 16), POINTER("FileContext", 16, 24),
    POINTER("IrpPtr", 20, 32),     POINTER("CallbackDataPtr", 24, 40),
    U32("MajorFunction", 28, 48),
};

static const struct field pre_op_failure_v3[] = {
    POINTER("RoutineAddr", 0, 0), POINTER("FileObject", 4, 8),        POINTER("FileContext", 8, 16),
    POINTER("IrpPtr", 12, 24),    POINTER("CallbackDataPtr", 16, 32), U32("MajorFunction", 20, 40),
    STATUS("Status", FIELD_U32, 24, 44),
};

static const struct layout name[] = {
    LAYOUT(0, name_v0),
    LAYOUT(1, name_v0),
    LAYOUT(2, name_v0),
    LAYOUT(3, name_v0),
};

static const struct layout file_create[] = {
    LAYOUT(1, name_v0),
    LAYOUT(2, name_v0),
    LAYOUT(3, name_v0),
};

static const struct layout file_delete[] = {
    LAYOUT(2, name_v0),
    LAYOUT(3, name_v0),
};

static const struct layout map_file[] = {
    LAYOUT(2, map_file_v2),
    LAYOUT(3, map_file_v3),
};

static const struct layout create[] = {
    LAYOUT(2, create_v2),
    LAYOUT(3, create_v3),
};

static const struct layout cleanup[] = {
    LAYOUT(2, cleanup_v2),
    LAYOUT(3, cleanup_v3),
};

static const struct layout read[] = {
    LAYOUT(2, read_v2),
    LAYOUT(3, read_v3),
};

static const struct layout set_info[] = {
    LAYOUT(2, set_info_v2),
    LAYOUT(3, set_info_v3),
};

static const struct layout dir_enum[] = {
    LAYOUT(2, dir_enum_v2),
    LAYOUT(3, dir_enum_v3),
};

static const struct layout operation_end[] = {
    LAYOUT(2, operation_end_v2),
    LAYOUT(3, operation_end_v2),
};

static const struct layout dlete_path[] = {
    LAYOUT(3, dlete_path_v3),
};

static const struct layout pre_op_init[] = {
    LAYOUT(3, pre_op_init_v3),
};

static const struct layout pre_op_completion[] = {
    LAYOUT(3, pre_op_completion_v3),
};

static const struct layout pre_op_failure[] = {
    LAYOUT(3, pre_op_failure_v3),
};

static const struct event_type kinds[] = {
    [0x00] = KIND("Name", name),
    [0x20] = KIND("FileCreate", file_create),
    [0x21] = NAME("FILENAME_SAME"),
    [0x22] = NAME("FILENAME_NULL"),
    [0x23] = KIND("FileDelete", file_delete),
    [0x24] = KIND("FileRundown", file_delete),
    [0x25] = KIND("MapFile", map_file),
    [0x26] = KIND("UnmapFile", map_file),
    [0x27] = KIND("MapFileDCStart", map_file),
    [0x28] = KIND("MapFileDCEnd", map_file),
    [0x40] = KIND("Create", create),
    [0x41] = KIND("Cleanup", cleanup),
    [0x42] = KIND("Close", cleanup),
    [0x43] = KIND("Read", read),
    [0x44] = KIND("Write", read),
    [0x45] = KIND("SetInfo", set_info),
    [0x46] = KIND("Delete", set_info),
    [0x47] = KIND("Rename", set_info),
    [0x48] = KIND("DirEnum", dir_enum),
    [0x49] = KIND("Flush", cleanup),
    [0x4a] = KIND("QueryInfo", set_info),
    [0x4b] = KIND("FSControl", set_info),
    [0x4c] = KIND("OperationEnd", operation_end),
    [0x4d] = KIND("DirNotify", dir_enum),
    [0x4e] = NAME("FILE_IO_CREATE_NEW"),
    [0x4f] = KIND("DletePath", dlete_path),
    [0x50] = KIND("RenamePath", dlete_path),
    [0x51] = KIND("SetLinkPath", dlete_path),
    [0x52] = NAME("FILE_IO_SETLINK"),
    [0x60] = KIND("PreOpInit", pre_op_init),
    [0x61] = KIND("PostOpInit", pre_op_init),
    [0x62] = KIND("PreOpCompletion", pre_op_completion),
    [0x63] = KIND("PostOpCompletion", pre_op_completion),
    [0x64] = KIND("PreOpFailure", pre_op_failure),
    [0x65] = KIND("PostOpFailure", pre_op_failure),
};

const struct event_class decode_file_io = {
    .name = "FileIo",
    KINDS(kinds),
};
