/* Records that merge tools add to a trace: the symbol identity of each image, the machine,
 * the layouts of manifest events. Interface is a MIB_IF_ROW2. */
#include "src/event/decode/table.h"

static const struct field image_id_info_v0[] = {
    POINTER("ImageBase", 0, 0),         POINTER("ImageSize", 4, 8),
    PID("ProcessId", FIELD_U32, 8, 16), U32("TimeDateStamp", 12, 20),
    WSTR("OriginalFileName", 16, 24),
};

static const struct field image_id_none_v0[] = {
    POINTER("ImageBase", 0, 0),
    PID("ProcessId", FIELD_U32, 4, 8),
};

static const struct field image_id_dbg_v0[] = {
    POINTER("ImageBase", 0, 0),   PID("ProcessId", FIELD_U32, 4, 8), U32("ImageChecksum", 8, 12),
    U32("TimeDateStamp", 12, 16), U32("ImageSize", 16, 20),          WSTR("DbgName", 20, 24),
};

static const struct field image_id_dbg_id_rsds_v0[] = {
    POINTER("ImageBase", 0, 0), PID("ProcessId", FIELD_U32, 4, 8), GUID("Guid", 8, 12),
    U32("Age", 24, 28),         ASTR("PdbName", 28, 32),
};

static const struct field image_id_dbg_ppdb_v0[] = {
    POINTER("ImageBase", 0, 0),  PID("ProcessId", FIELD_U32, 4, 8), U32("TimeDateStamp", 8, 12),
    U16("MajorVersion", 12, 16), U16("MinorVersion", 14, 18),
};

static const struct field image_id_dbg_ppdbguid_v0[] = {
    POINTER("ImageBase", 0, 0), PID("ProcessId", FIELD_U32, 4, 8),
    U16("MajorVersion", 8, 12), U16("MinorVersion", 10, 14),
    GUID("Guid", 12, 16),       U32("Age", 28, 32),
};

static const struct field image_id_error_v0[] = {
    WSTR("Message", 0, 0),
};

static const struct field image_id_file_version_v0[] = {
    U32("ImageSize", 0, 0),         U32("TimeDateStamp", 4, 4), WSTR("OrigFileName", 8, 8),
    WSTR("FileDescription", AFTER), WSTR("FileVersion", AFTER), WSTR("BinFileVersion", AFTER),
    WSTR("VerLanguage", AFTER),     WSTR("ProductName", AFTER), WSTR("CompanyName", AFTER),
    WSTR("ProductVersion", AFTER),  WSTR("FileId", AFTER),      WSTR("ProgramId", AFTER),
};

static const struct payload_layout image_id_info[] = {
    LAYOUT(0, image_id_info_v0),
};

static const struct payload_layout image_id_none[] = {
    LAYOUT(0, image_id_none_v0),
};

static const struct payload_layout image_id_dbg[] = {
    LAYOUT(0, image_id_dbg_v0),
};

static const struct payload_layout image_id_dbg_id_rsds[] = {
    LAYOUT(0, image_id_dbg_id_rsds_v0),
};

static const struct payload_layout image_id_dbg_ppdb[] = {
    LAYOUT(0, image_id_dbg_ppdb_v0),
};

static const struct payload_layout image_id_dbg_ppdbguid[] = {
    LAYOUT(0, image_id_dbg_ppdbguid_v0),
};

static const struct payload_layout image_id_error[] = {
    LAYOUT(0, image_id_error_v0),
};

static const struct payload_layout image_id_file_version[] = {
    LAYOUT(0, image_id_file_version_v0),
};

static const struct event_type image_id_kinds[] = {
    [0x00] = KIND_AS("Info", image_id_info,
                     "image {.OriginalFileName} at {.ImageBase}, {.ImageSize:bytes}"),
    [0x20] = KIND_AS("None", image_id_none, "no symbols[ of {module}][ at {.ImageBase}]"),
    [0x22] = KIND_AS("Dbg", image_id_dbg, "symbols[ of {module}][ at {.ImageBase}]: {.DbgName}"),
    [0x24] = KIND_AS("DbgID_RSDS", image_id_dbg_id_rsds,
                     "symbols[ of {module}][ at {.ImageBase}]: {.PdbName}"),
    [0x25] = KIND_AS("DbgID_ILRSDS", image_id_dbg_id_rsds,
                     "managed symbols[ of {module}][ at {.ImageBase}]: {.PdbName}"),
    [0x26] = KIND_AS("DbgPPDB", image_id_dbg_ppdb,
                     "symbols[ of {module}][ at {.ImageBase}][: portable, version "
                     "{.MajorVersion:version}]"),
    [0x27] = KIND_AS("DbgPPDBGuid", image_id_dbg_ppdbguid,
                     "symbols[ of {module}][ at {.ImageBase}][: portable, version "
                     "{.MajorVersion:version}]"),
    [0x28] =
        KIND_AS("DbgDeterm", image_id_none, "deterministic build[ of {module}][ at {.ImageBase}]"),
    [0x29] = KIND_AS("Error", image_id_error, "{.Message}"),
    [0x40] = KIND_AS(
        "FileVersion", image_id_file_version,
        "{.OrigFileName}[ {.BinFileVersion|.FileVersion}][: {.FileDescription}][, {.CompanyName}]"),
};

const struct event_class decode_image_id = {
    .name = "ImageId",
    .guid = GUID_OF(0xb3e675d7, 0x2554, 0x4f18, 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde),
    KINDS(image_id_kinds),
};

static const struct field sys_config_ex_build_info_v0[] = {
    FILETIME("InstallDate", 0, 0),
    WSTR("BuildLab", 8, 8),
    WSTR("ProductName", AFTER),
};

static const struct field sys_config_ex_system_paths_v0[] = {
    WSTR("SystemDirectory", 0, 0),
    WSTR("SystemWindowsDirectory", AFTER),
};

static const struct field sys_config_ex_unknown_volume_v0[] = {
    WSTR("NtPath", 0, 0),
};

static const struct field sys_config_ex_volume_mapping_v0[] = {
    WSTR("NtPath", 0, 0),
    WSTR("DosPath", AFTER),
};

static const struct field sys_config_ex_interface_v0[] = {
    U64("Luid", 0, 0),
    U32("Index", 8, 8),
    GUID("Guid", 12, 12),
    WCHARS("Alias", 257, 28, 28),
    WCHARS("Description", 257, 542, 542),
    U32("PhysicalAddressLength", 1056, 1056),
    PADDED("PhysicalAddress", 32, 5, 1060, 1060),
    PADDED("PermanentPhysicalAddress", 32, 5, 1092, 1092),
    U32("Mtu", 1124, 1124),
    U32("Type", 1128, 1128),
    U32("TunnelType", 1132, 1132),
    U32("MediaType", 1136, 1136),
    U32("PhysicalMediumType", 1140, 1140),
    U32("AccessType", 1144, 1144),
    U32("DirectionType", 1148, 1148),
    U8("StatusFlags", 1152, 1152),
    BYTES("Reserved1", 3, 1153, 1153),
    U32("OperStatus", 1156, 1156),
    U32("AdminStatus", 1160, 1160),
    U32("MediaConnectState", 1164, 1164),
    GUID("NetworkGuid", 1168, 1168),
    U32("ConnectionType", 1184, 1184),
    U32("Reserved2", 1188, 1188),
    U64("TransmitLinkSpeed", 1192, 1192),
    U64("ReceiveLinkSpeed", 1200, 1200),
    U64("InOctets", 1208, 1208),
    U64("InUcastPkts", 1216, 1216),
    U64("InNUcastPkts", 1224, 1224),
    U64("InDiscards", 1232, 1232),
    U64("InErrors", 1240, 1240),
    U64("InUnknownProtos", 1248, 1248),
    U64("InUcastOctets", 1256, 1256),
    U64("InMulticastOctets", 1264, 1264),
    U64("InBroadcastOctets", 1272, 1272),
    U64("OutOctets", 1280, 1280),
    U64("OutUcastPkts", 1288, 1288),
    U64("OutNUcastPkts", 1296, 1296),
    U64("OutDiscards", 1304, 1304),
    U64("OutErrors", 1312, 1312),
    U64("OutUcastOctets", 1320, 1320),
    U64("OutMulticastOctets", 1328, 1328),
    U64("OutBroadcastOctets", 1336, 1336),
    U64("OutQLen", 1344, 1344),
};

static const struct field sys_config_ex_version_v0[] = {
    U16("Revision", 0, 0), U16("Build", 2, 2),  U16("Minor", 4, 4),
    U16("Major", 6, 6),    U32("Value1", 8, 8), U32("Value2", 12, 12),
};

static const struct payload_layout sys_config_ex_build_info[] = {
    LAYOUT(0, sys_config_ex_build_info_v0),
};

static const struct payload_layout sys_config_ex_system_paths[] = {
    LAYOUT(0, sys_config_ex_system_paths_v0),
};

static const struct payload_layout sys_config_ex_unknown_volume[] = {
    LAYOUT(0, sys_config_ex_unknown_volume_v0),
};

static const struct payload_layout sys_config_ex_volume_mapping[] = {
    LAYOUT(0, sys_config_ex_volume_mapping_v0),
};

static const struct payload_layout sys_config_ex_interface[] = {
    LAYOUT(0, sys_config_ex_interface_v0),
};

static const struct payload_layout sys_config_ex_version[] = {
    LAYOUT(0, sys_config_ex_version_v0),
};

static const struct event_type sys_config_ex_kinds[] = {
    [0x20] = KIND_AS("BuildInfo", sys_config_ex_build_info, "{.ProductName}, build {.BuildLab}"),
    [0x21] = KIND_AS("SystemPaths", sys_config_ex_system_paths,
                     "Windows in {.SystemWindowsDirectory}[, system in {.SystemDirectory}]"),
    [0x22] = KIND_AS("UnknownVolume", sys_config_ex_unknown_volume,
                     "volume {.NtPath} has no drive letter"),
    [0x23] =
        KIND_AS("VolumeMapping", sys_config_ex_volume_mapping, "volume {.NtPath}[ is {.DosPath}]"),
    [0x24] = KIND_AS("Interface", sys_config_ex_interface,
                     "network interface {.Alias}[: {.Description}]"),
    [0x25] = KIND_AS("Version", sys_config_ex_version,
                     "Windows {.Major}.{.Minor}, build {.Build}.{.Revision}"),
};

const struct event_class decode_sys_config_ex = {
    .name = "SysConfigEx",
    .guid = GUID_OF(0x9b79ee91, 0xb5fd, 0x41c0, 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0),
    KINDS(sys_config_ex_kinds),
};

static const struct field win_sat_win_spr_v0[] = {
    U32("Version", 0, 0),
    U32("UncompressedSize", 4, 4),
    REST_OF("Data", FIELD_BYTES, 8, 8),
};

static const struct payload_layout win_sat_win_spr[] = {
    LAYOUT(0, win_sat_win_spr_v0),
};

static const struct event_type win_sat_kinds[] = {
    [0x21] = KIND_AS("WinSPR", win_sat_win_spr,
                     "system rating, {.UncompressedSize:bytes} of XML, compressed"),
    [0x23] =
        KIND_AS("Metrics", win_sat_win_spr,
                "measurements of the system rating, {.UncompressedSize:bytes} of XML, compressed"),
    [0x25] =
        KIND_AS("SystemConfig", win_sat_win_spr,
                "configuration at the system rating, {.UncompressedSize:bytes} of XML, compressed"),
};

const struct event_class decode_win_sat = {
    .name = "WinSat",
    .guid = GUID_OF(0xed54dff8, 0xc409, 0x4cf6, 0xbf, 0x83, 0x05, 0xe1, 0xe6, 0x1a, 0x09, 0xc4),
    KINDS(win_sat_kinds),
};

static const struct field event_metadata_event_info_v0[] = {
    REST_OF("EventInfo", FIELD_BYTES, 0, 0),
};

static const struct field event_metadata_event_map_info_v0[] = {
    GUID("Provider", 0, 0),
    REST_OF("MapInfo", FIELD_BYTES, 16, 16),
};

static const struct payload_layout event_metadata_event_info[] = {
    LAYOUT(0, event_metadata_event_info_v0),
};

static const struct payload_layout event_metadata_event_map_info[] = {
    LAYOUT(0, event_metadata_event_map_info_v0),
};

static const struct event_type event_metadata_kinds[] = {
    [0x20] = KIND_AS("EventInfo", event_metadata_event_info, "layout of {described}"),
    [0x21] =
        KIND_AS("EventMapInfo", event_metadata_event_map_info, "names of values of {.Provider}"),
};

const struct event_class decode_event_metadata = {
    .name = "EventMetadata",
    .guid = GUID_OF(0xbbccf6c1, 0x6cd1, 0x48c4, 0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71),
    KINDS(event_metadata_kinds),
};
