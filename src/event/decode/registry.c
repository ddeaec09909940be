/* Registry: operations with the address of the key control block and a relative name. */
#include "src/event/decode/table.h"

static const struct field create_v0[] = {
    STATUS("Status", FIELD_POINTER, 0, 0),
    POINTER("KeyHandle", 4, 8),
    I64("ElapsedTime", 8, 16),
    WSTR("KeyName", 16, 24),
};

static const struct field create_v1[] = {
    STATUS("Status", FIELD_POINTER, 0, 0), POINTER("KeyHandle", 4, 8), I64("ElapsedTime", 8, 16),
    U32("Index", 16, 24),    WSTR("KeyName", 20, 28),
};

static const struct field create_v2[] = {
    U64("InitialTime", 0, 0),     STATUS("Status", FIELD_U32, 8, 8),     U32("Index", 12, 12),
    POINTER("KeyHandle", 16, 16), WSTR("KeyName", 20, 24),
};

static const struct field tx_rcommit_v2[] = {
    GUID("TxrGUID", 0, 0),        STATUS("Status", FIELD_U32, 16, 16), U32("UowCount", 20, 20),
    U64("OperationTime", 24, 24), WSTR("Hive", 32, 32),
};

static const struct field counters_v2[] = {
    U64("Counter1", 0, 0),    U64("Counter2", 8, 8),    U64("Counter3", 16, 16),
    U64("Counter4", 24, 24),  U64("Counter5", 32, 32),  U64("Counter6", 40, 40),
    U64("Counter7", 48, 48),  U64("Counter8", 56, 56),  U64("Counter9", 64, 64),
    U64("Counter10", 72, 72), U64("Counter11", 80, 80),
};

static const struct field config_v2[] = {
    U32("CurrentControlSet", 0, 0),
};

static const struct field hive_init_v2[] = {
    POINTER("Hive", 0, 0), U32("OperationType", 4, 8), U32("PoolTag", 8, 12),
    U32("Size", 12, 16),   WSTR("FileName", 16, 20),
};

static const struct field hive_destroy_v2[] = {
    POINTER("Hive", 0, 0),
    WSTR("FileName", 4, 8),
    WSTR("Path", AFTER),
};

static const struct field hive_link_v2[] = {
    POINTER("Hive", 0, 0),
    WSTR("Path", 4, 8),
};

static const struct field hive_dcend_v2[] = {
    U64("Size", 0, 0),        POINTER("Hive", 8, 8),   U32("LoadedKeyCount", 12, 16),
    WSTR("FileName", 16, 20), WSTR("LinkPath", AFTER),
};

static const struct field hive_dirty_v2[] = {
    POINTER("Hive", 0, 0),
    WSTR("LinkPath", 4, 8),
    U32("DirtyReason", AFTER),
};

static const struct field change_notify_v2[] = {
    POINTER("Notification", 0, 0), POINTER("KeyHandle", 4, 8), U8("Type", 8, 16),
    U8("WatchSubtree", 9, 17),     U8("Primary", 10, 18),
};

static const struct payload_layout create[] = {
    LAYOUT(0, create_v0),
    LAYOUT(1, create_v1),
    LAYOUT(2, create_v2),
};

static const struct payload_layout kcbcreate[] = {
    LAYOUT_NAMED(1, create_v1, "RunDown"),
    LAYOUT(2, create_v2),
};

static const struct payload_layout kcbdelete[] = {
    LAYOUT(2, create_v2),
};

static const struct payload_layout tx_rcommit[] = {
    LAYOUT(2, tx_rcommit_v2),
};

static const struct payload_layout counters[] = {
    LAYOUT(2, counters_v2),
};

static const struct payload_layout config[] = {
    LAYOUT(2, config_v2),
};

static const struct payload_layout hive_init[] = {
    LAYOUT(2, hive_init_v2),
};

static const struct payload_layout hive_destroy[] = {
    LAYOUT(2, hive_destroy_v2),
};

static const struct payload_layout hive_link[] = {
    LAYOUT(2, hive_link_v2),
};

static const struct payload_layout hive_dcend[] = {
    LAYOUT(2, hive_dcend_v2),
};

static const struct payload_layout hive_dirty[] = {
    LAYOUT(2, hive_dirty_v2),
};

static const struct payload_layout change_notify[] = {
    LAYOUT(2, change_notify_v2),
};

static const struct event_type kinds[] = {
    [0x0a] = KIND_AS("Create", create, "create key {subkey|.KeyName}[: {status}][, {lat}]"),
    [0x0b] = KIND_AS("Open", create, "open key {subkey|.KeyName}[: {status}][, {lat}]"),
    [0x0c] = KIND_AS("Delete", create, "delete key {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x0d] = KIND_AS("Query", create, "query key {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x0e] = KIND_AS("SetValue", create,
                     "set {value|'default value'} of {key|.KeyHandle}[: {status}][, {lat}]"),
    [0x0f] = KIND_AS("DeleteValue", create,
                     "delete {value|'default value'} of {key|.KeyHandle}[: {status}][, {lat}]"),
    [0x10] = KIND_AS("QueryValue", create,
                     "query {value|'default value'} of {key|.KeyHandle}[: {status}][, {lat}]"),
    [0x11] = KIND_AS("EnumerateKey", create,
                     "enumerate subkey[ {.Index}] of {key|.KeyHandle}[: {status}][, {lat}]"),
    [0x12] = KIND_AS("EnumerateValueKey", create,
                     "enumerate value[ {.Index}] of {key|.KeyHandle}[: {status}][, {lat}]"),
    [0x13] = KIND_AS("QueryMultipleValue", create,
                     "query values of {key|.KeyHandle}[: {status}][, {lat}]"),
    [0x14] = KIND_AS("SetInformation", create,
                     "set information of {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x15] = KIND_AS("Flush", create, "flush key {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x16] = KIND_AS("KCBCreate", kcbcreate, "key {.KeyName}"),
    [0x17] = KIND_AS("KCBDelete", kcbdelete, "key {.KeyName} is no longer used"),
    [0x18] = KIND_AS("KCBRundownBegin", kcbdelete, "key in use: {.KeyName}"),
    [0x19] = KIND_AS("KCBRundownEnd", kcbdelete, "key in use: {.KeyName}"),
    [0x1a] =
        KIND_AS("Virtualize", kcbdelete, "virtualize key {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x1b] = KIND_AS("Close", kcbdelete, "close key {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x1c] = KIND_AS("SetSecurity", kcbdelete,
                     "set security of {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x1d] = KIND_AS("QuerySecurity", kcbdelete,
                     "query security of {subkey|.KeyHandle}[: {status}][, {lat}]"),
    [0x1e] = KIND("TxRCommit", tx_rcommit),
    [0x1f] = KIND("TxRPrepare", tx_rcommit),
    [0x20] = KIND("TxRRollback", tx_rcommit),
    [0x21] = NAME("REG_SET_VALUE"),
    [0x22] = KIND("Counters", counters),
    [0x23] = KIND("Config", config),
    [0x24] = KIND_AS("HiveInit", hive_init, "load hive {.FileName}[, {.Size:bytes}]"),
    [0x25] = KIND_AS("HiveDestroy", hive_destroy, "unload hive {.Path|.FileName}"),
    [0x26] = KIND_AS("HiveLink", hive_link, "hive mounted as {.Path}"),
    [0x27] = KIND_AS("HiveDCEnd", hive_dcend,
                     "hive {.LinkPath|.FileName}: {.Size:bytes}, {.LoadedKeyCount} "
                     "key[{.LoadedKeyCount:s}] loaded"),
    [0x28] = KIND_AS("HiveDirty", hive_dirty, "hive {.LinkPath} changed"),
    [0x30] = KIND("ChangeNotify", change_notify),
    [0x31] = NAME("REG_NOTIF_DELIVER"),
};

const struct event_class decode_registry = {
    .name = "Registry",
    KINDS(kinds),
};
