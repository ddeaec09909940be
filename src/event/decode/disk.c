/* DiskIo: transfers at their completion, with the duration in ticks of the trace's clock.
 * SplitIo: which parent request a volume manager's child belongs to. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

static const struct field read_v0[] = {
    U32("DiskNumber", 0, 0),   NAMED("IrpFlags", FIELD_U32, map_irp_flags, 4, 4),
    U32("TransferSize", 8, 8), U32("Reserved", 12, 12),
    U64("ByteOffset", 16, 16), POINTER("FileObject", 24, 24),
};

static const struct field read_v1[] = {
    U32("DiskNumber", 0, 0),
    NAMED("IrpFlags", FIELD_U32, map_irp_flags, 4, 4),
    U32("TransferSize", 8, 8),
    U32("ResponseTime", 12, 12),
    U64("ByteOffset", 16, 16),
    POINTER("FileObject", 24, 24),
    U64("HighResResponseTime", 28, 32),
};

static const struct field read_v2[] = {
    U32("DiskNumber", 0, 0),   NAMED("IrpFlags", FIELD_U32, map_irp_flags, 4, 4),
    U32("TransferSize", 8, 8), U32("Reserved", 12, 12),
    U64("ByteOffset", 16, 16), POINTER("FileObject", 24, 24),
    POINTER("Irp", 28, 32),    U64("HighResResponseTime", 32, 40),
};

static const struct field read_v3[] = {
    U32("DiskNumber", 0, 0),
    NAMED("IrpFlags", FIELD_U32, map_irp_flags, 4, 4),
    U32("TransferSize", 8, 8),
    U32("Reserved", 12, 12),
    U64("ByteOffset", 16, 16),
    POINTER("FileObject", 24, 24),
    POINTER("Irp", 28, 32),
    U64("HighResResponseTime", 32, 40),
    TID("IssuingThreadId", FIELD_U32, 40, 48),
};

static const struct field read_init_v2[] = {
    POINTER("Irp", 0, 0),
};

static const struct field read_init_v3[] = {
    POINTER("Irp", 0, 0),
    TID("IssuingThreadId", FIELD_U32, 4, 8),
};

static const struct field flush_buffers_v2[] = {
    U32("DiskNumber", 0, 0),
    NAMED("IrpFlags", FIELD_U32, map_irp_flags, 4, 4),
    U64("HighResResponseTime", 8, 8),
    POINTER("Irp", 16, 16),
};

static const struct field flush_buffers_v3[] = {
    U32("DiskNumber", 0, 0),
    NAMED("IrpFlags", FIELD_U32, map_irp_flags, 4, 4),
    U64("HighResResponseTime", 8, 8),
    POINTER("Irp", 16, 16),
    TID("IssuingThreadId", FIELD_U32, 20, 24),
};

static const struct field io_redirected_init_v2[] = {
    POINTER("Irp", 0, 0),
    POINTER("FileKey", 4, 8),
};

static const struct field drv_mj_fn_call_v1[] = {
    U32("UniqMatchId", 0, 0),     POINTER("RoutineAddr", 4, 4),
    POINTER("Irp", 8, 12),        NAMED("MajorFunction", FIELD_U32, map_major_function, 12, 20),
    U32("MinorFunction", 16, 24), POINTER("FileObject", 20, 28),
};

static const struct field drv_mj_fn_call_v2[] = {
    NAMED("MajorFunction", FIELD_U32, map_major_function, 0, 0),
    U32("MinorFunction", 4, 4),
    POINTER("RoutineAddr", 8, 8),
    POINTER("FileObject", 12, 16),
    POINTER("Irp", 16, 24),
    U32("UniqMatchId", 20, 32),
};

static const struct field drv_mj_fn_ret_v1[] = {
    U32("UniqMatchId", 0, 0),
    POINTER("Irp", 4, 4),
};

static const struct field drv_mj_fn_ret_v2[] = {
    POINTER("Irp", 0, 0),
    U32("UniqMatchId", 4, 8),
};

static const struct field drv_compl_rout_v2[] = {
    POINTER("Routine", 0, 0),
    POINTER("IrpPtr", 4, 8),
    U32("UniqMatchId", 8, 16),
};

static const struct field drv_compl_req_v1[] = {
    POINTER("RoutineAddr", 0, 0),
    POINTER("Irp", 4, 8),
    U32("UniqMatchId", 8, 16),
};

static const struct payload_layout read[] = {
    LAYOUT(0, read_v0),
    LAYOUT(1, read_v1),
    LAYOUT(2, read_v2),
    LAYOUT(3, read_v3),
};

static const struct payload_layout read_init[] = {
    LAYOUT(2, read_init_v2),
    LAYOUT(3, read_init_v3),
};

static const struct payload_layout flush_buffers[] = {
    LAYOUT(2, flush_buffers_v2),
    LAYOUT(3, flush_buffers_v3),
};

static const struct payload_layout io_redirected_init[] = {
    LAYOUT(2, io_redirected_init_v2),
};

static const struct payload_layout drv_mj_fn_call[] = {
    LAYOUT(1, drv_mj_fn_call_v1),
    LAYOUT(2, drv_mj_fn_call_v2),
};

static const struct payload_layout drv_mj_fn_ret[] = {
    LAYOUT(1, drv_mj_fn_ret_v1),
    LAYOUT(2, drv_mj_fn_ret_v2),
};

static const struct payload_layout drv_compl_rout[] = {
    LAYOUT(2, drv_compl_rout_v2),
};

static const struct payload_layout drv_compl_req[] = {
    LAYOUT(1, drv_compl_req_v1),
    LAYOUT(2, drv_compl_req_v1),
};

static const struct payload_layout drv_compl_req_ret[] = {
    LAYOUT(1, drv_mj_fn_ret_v2),
    LAYOUT(2, drv_mj_fn_ret_v2),
};

static const struct payload_layout optical_read[] = {
    LAYOUT(3, read_v3),
};

static const struct payload_layout optical_flush_buffers[] = {
    LAYOUT(3, flush_buffers_v3),
};

static const struct payload_layout optical_read_init[] = {
    LAYOUT(3, read_init_v3),
};

static const struct event_type kinds[] = {
    [0x0a] = KIND_AS("Read", read, "read {size}[ {path}] at {offset} of disk {disk}[, {lat}]"),
    [0x0b] = KIND_AS("Write", read, "write {size}[ {path}] at {offset} of disk {disk}[, {lat}]"),
    [0x0c] = KIND_AS("ReadInit", read_init, "read begins"),
    [0x0d] = KIND_AS("WriteInit", read_init, "write begins"),
    [0x0e] = KIND_AS("FlushBuffers", flush_buffers, "flush disk {disk}[, {lat}]"),
    [0x0f] = KIND_AS("FlushInit", read_init, "flush begins"),
    [0x10] = KIND("IoRedirectedInit", io_redirected_init),
    [0x20] = NAME("DRIVER_INIT"),
    [0x21] = NAME("DRIVER_INIT_COMPLETE"),
    [0x22] = KIND_AS("DrvMjFnCall", drv_mj_fn_call, "driver call {.MajorFunction}, IRP {.Irp}"),
    [0x23] = KIND_AS("DrvMjFnRet", drv_mj_fn_ret, "driver call ended, IRP {.Irp}"),
    [0x24] = NAME("DRIVER_COMPLETIONROUTINE_CALL"),
    [0x25] = KIND_AS("DrvComplRout", drv_compl_rout, "completion routine of IRP {.IrpPtr}"),
    [0x26] = NAME("DRIVER_ADD_DEVICE_CALL"),
    [0x27] = NAME("DRIVER_ADD_DEVICE_RETURN"),
    [0x28] = NAME("DRIVER_STARTIO_CALL"),
    [0x29] = NAME("DRIVER_STARTIO_RETURN"),
    [0x30] = NAME("PREFETCH_ACTION"),
    [0x31] = NAME("PREFETCH_REQUEST"),
    [0x32] = NAME("PREFETCH_READLIST"),
    [0x33] = NAME("PREFETCH_READ"),
    [0x34] = KIND_AS("DrvComplReq", drv_compl_req, "complete IRP {.Irp}"),
    [0x35] = KIND_AS("DrvComplReqRet", drv_compl_req_ret, "IRP {.Irp} completed"),
    [0x36] = NAME("BOOT_PREFETCH_INFORMATION"),
    [0x37] = KIND_AS("OpticalRead", optical_read,
                     "read {size}[ {path}] at {offset} of optical disk {disk}[, {lat}]"),
    [0x38] = KIND_AS("OpticalWrite", optical_read,
                     "write {size}[ {path}] at {offset} of optical disk {disk}[, {lat}]"),
    [0x39] =
        KIND_AS("OpticalFlushBuffers", optical_flush_buffers, "flush optical disk {disk}[, {lat}]"),
    [0x3a] = KIND_AS("OpticalReadInit", optical_read_init, "read begins"),
    [0x3b] = KIND_AS("OpticalWriteInit", optical_read_init, "write begins"),
    [0x3c] = KIND_AS("OpticalFlushInit", optical_read_init, "flush begins"),
};

const struct event_class decode_disk_io = {
    .name = "DiskIo",
    KINDS(kinds),
};

static const struct field split_io_vol_mgr_v2[] = {
    POINTER("ParentIrp", 0, 0),
    POINTER("ChildIrp", 4, 8),
};

static const struct payload_layout split_io_vol_mgr[] = {
    LAYOUT(2, split_io_vol_mgr_v2),
};

static const struct event_type split_io_kinds[] = {
    [0x20] = KIND_AS("VolMgr", split_io_vol_mgr, "IRP {.ChildIrp} is a part of IRP {.ParentIrp}"),
};

const struct event_class decode_split_io = {
    .name = "SplitIo",
    KINDS(split_io_kinds),
};
