/* Requests to disks. The request's address names the operation from issue to completion. */
#include "collectors/linux/bpf/output.h"

/* For all; what the tracepoint of one lacks is extra there. */
struct out_block {
    RECORD_HEAD;
    __u64 request;
    __u64 sector;
    __u64 rwbs; /* text */
    __u32 dev, nr_sector, bytes;
    __s32 error;
    __u16 ioprio;
    __u16 padding;
    __u32 file_dev; /* whose bytes they are, of issues; inode 0: of no file, or not known */
    __u64 inode;
    char comm[16];
};

OUTPUT(block_rq_issue, out_block);
OUTPUT(block_rq_requeue, out_block);
OUTPUT(block_rq_complete, out_block);
OUTPUT(block_io_done, out_block);

#define OPERATION(name)                                                                            \
    (bpf_core_enum_value_exists(enum req_op, name) ? bpf_core_enum_value(enum req_op, name) : name)
#define FLAG(flags, bit) ((flags) >> bpf_core_enum_value(enum req_flag_bits, bit) & 1)

static __always_inline char operation_letter(__u32 op)
{
    if (op == OPERATION(REQ_OP_WRITE))
        return 'W';
    if (op == OPERATION(REQ_OP_READ))
        return 'R';
    if (op == OPERATION(REQ_OP_DISCARD))
        return 'D';
    if (op == OPERATION(REQ_OP_FLUSH))
        return 'F';
    return 'N';
}

/* At most seven letters, gathered in a register: the verifier knows no index into a stack. */
struct letters {
    __u64 text;
    __u32 bits;
};

static __always_inline void put_letter(struct letters *l, _Bool is_set, char letter)
{
    if (!is_set)
        return;
    l->text |= (__u64)letter << (l->bits & 63);
    l->bits += 8;
}

/* The kernel's letters for what a request is: an F before the operation asks for a flush first,
 * one behind it for the data to be on the medium. */
static __always_inline __u64 letters(__u32 flags)
{
    const __u32 op = flags & 0xff;
    const _Bool is_erase = op == OPERATION(REQ_OP_SECURE_ERASE);
    struct letters l = {0};
    put_letter(&l, FLAG(flags, __REQ_PREFLUSH), 'F');
    put_letter(&l, 1, is_erase ? 'D' : operation_letter(op));
    put_letter(&l, is_erase, 'E');
    put_letter(&l, FLAG(flags, __REQ_FUA), 'F');
    put_letter(&l, FLAG(flags, __REQ_RAHEAD), 'A');
    put_letter(&l, FLAG(flags, __REQ_SYNC), 'S');
    put_letter(&l, FLAG(flags, __REQ_META), 'M');
    return l.text;
}

static __always_inline __u32 device(const struct request *r)
{
    const struct request___before_5_17 *const old = (const void *)r;
    struct gendisk *disk;
    if (bpf_core_field_exists(old->rq_disk))
        disk = BPF_CORE_READ(old, rq_disk);
    else
        disk = BPF_CORE_READ(r, q, disk);
    if (!disk)
        return 0;
    return (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
}

static __always_inline __u16 priority(const struct request *r)
{
    const struct request___with_ioprio *const old = (const void *)r;
    if (bpf_core_field_exists(old->ioprio))
        return BPF_CORE_READ(old, ioprio);
    return BPF_CORE_READ(r, bio, bi_ioprio);
}

/* Commands of the driver itself address no sectors. */
static __always_inline _Bool is_passthrough(__u32 flags)
{
    const __u32 op = flags & 0xff;
    return op == OPERATION(REQ_OP_DRV_IN) ||
           op == OPERATION(REQ_OP_DRV_OUT);
}

static __always_inline void describe(struct out_block *o, const struct request *r, __u32 bytes)
{
    const __u32 flags = BPF_CORE_READ(r, cmd_flags);
    const __u64 sector = BPF_CORE_READ(r, __sector);
    record_begin(o);
    o->request = (__u64)r;
    o->dev = device(r);
    o->bytes = bytes;
    o->ioprio = priority(r);
    o->rwbs = letters(flags);
    if (!is_passthrough(flags)) {
        o->sector = sector == ~0ull ? 0 : sector;
        o->nr_sector = bytes >> 9;
    }
    bpf_get_current_comm(o->comm, sizeof o->comm);
}

/* ---- whose bytes --------------------------------------------------------------------------- */

struct whose {
    __u32 dev;
    __u64 inode;
};

enum { FORMAT_BITS = 0xf000, REGULAR = 0x8000, DIRECTORY = 0x4000, IS_DIRECT = 1 << 17 };

/* A pointer that may be anything is believed when it leads to a file on the very device that is
 * asked: no other memory looks like that. */
static __always_inline _Bool is_file_on(const struct inode *i, const struct bio *b, struct whose *w)
{
    const __u32 format = BPF_CORE_READ(i, i_mode) & FORMAT_BITS;
    w->dev = BPF_CORE_READ(i, i_sb, s_dev);
    w->inode = BPF_CORE_READ(i, i_ino);
    return (format == REGULAR || format == DIRECTORY) && w->inode &&
           w->dev == BPF_CORE_READ(b, bi_bdev, bd_dev);
}

/* From the page cache: the page says whose it is. */
static __always_inline _Bool is_cached(const struct bio *b, struct whose *w)
{
    enum { NOT_OF_A_FILE = 3 };
    const struct page *page = BPF_CORE_READ(b, bi_io_vec, bv_page);
    const unsigned long head = BPF_CORE_READ(page, compound_head);
    if (head & 1)
        page = (const void *)(head - 1);
    const struct address_space *const mapping = BPF_CORE_READ(page, mapping);
    if (!mapping || (unsigned long)mapping & NOT_OF_A_FILE)
        return 0;
    const struct inode *const host = BPF_CORE_READ(mapping, host);
    return BPF_CORE_READ(host, i_mapping) == mapping && is_file_on(host, b, w);
}

/* Past the page cache: the call's own control block is behind it. */
static __always_inline _Bool is_direct(const struct bio *b, const void *private, struct whose *w)
{
    const struct iomap_dio *const dio = private;
    if (!bpf_core_type_exists(struct iomap_dio) || !dio)
        return 0;
    const struct kiocb *const iocb = BPF_CORE_READ(dio, iocb);
    return BPF_CORE_READ(iocb, ki_flags) & IS_DIRECT &&
           is_file_on(BPF_CORE_READ(iocb, ki_filp, f_inode), b, w);
}

/* One that was split off has the other part behind it. */
static __always_inline _Bool is_split_direct(const struct bio *b, struct whose *w)
{
    const struct bio *const parent = BPF_CORE_READ(b, bi_private);
    return parent && BPF_CORE_READ(parent, bi_bdev) == BPF_CORE_READ(b, bi_bdev) &&
           is_direct(b, BPF_CORE_READ(parent, bi_private), w);
}

static __always_inline struct whose whose(const struct bio *b)
{
    struct whose w = {0};
    if (!b || !bpf_core_field_exists(b->bi_bdev))
        return w;
    if (!is_cached(b, &w) && !is_direct(b, BPF_CORE_READ(b, bi_private), &w) &&
        !is_split_direct(b, &w))
        w.inode = 0;
    return w;
}

/* Requests that lie side by side are made one: then both ends must be the same file's. */
static __always_inline void put_file(struct out_block *o, const struct request *r)
{
    const struct bio *const first = BPF_CORE_READ(r, bio), *const last = BPF_CORE_READ(r, biotail);
    const struct whose w = whose(first);
    if (!w.inode)
        return;
    if (last != first) {
        const struct whose other = whose(last);
        if (other.inode != w.inode || other.dev != w.dev)
            return;
    }
    o->file_dev = w.dev;
    o->inode = w.inode;
}

static __always_inline int issue(void *ctx, const struct request *r)
{
    struct out_block o = {0};
    describe(&o, r, BPF_CORE_READ(r, __data_len));
    put_file(&o, r);
    return emit(ctx, block_rq_issue, &o, sizeof o);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(block_rq_issue__1, struct request *r)
{
    return issue(ctx, r);
}

/* Until 5.11. */
SEC("tp_btf/block_rq_issue")
int BPF_PROG(block_rq_issue__2, struct request_queue *q, struct request *r)
{
    return issue(ctx, r);
}

/* A request with all that is left to do of it. */
static __always_inline int emit_request_to(void *ctx, void *out, void *fired,
                                           const struct request *r)
{
    struct out_block o = {0};
    describe(&o, r, BPF_CORE_READ(r, __data_len));
    return emit_to(ctx, out, fired, &o, sizeof o);
}

#define emit_request(ctx, name, r) emit_request_to(ctx, &name##_out, &name##_fired, r)

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(block_rq_requeue__1, struct request *r)
{
    return emit_request(ctx, block_rq_requeue, r);
}

/* Until 5.11. */
SEC("tp_btf/block_rq_requeue")
int BPF_PROG(block_rq_requeue__2, struct request_queue *q, struct request *r)
{
    return emit_request(ctx, block_rq_requeue, r);
}

/* The kernel's block status as the error the tracepoint prints; older kernels hand over the
 * error itself, which is not positive. */
static __always_inline __s32 error_of(__s32 status)
{
    static const __u8 errors[] = {
        0,
        95 /* not supported */,
        110 /* timed out */,
        28 /* no space */,
        67 /* transport */,
        121 /* target */,
        52 /* reserved */,
        61 /* medium */,
        84 /* protection */,
        12 /* resources */,
        5 /* I/O */,
        78 /* remap */,
        11 /* again */,
        16 /* busy */,
    };
    if (status <= 0)
        return status;
    return status < (__s32)sizeof errors ? -errors[status] : -5;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_rq_complete__3, struct request *r, int error, unsigned int bytes)
{
    struct out_block o = {0};
    describe(&o, r, bytes);
    o.error = error_of(error);
    return emit(ctx, block_rq_complete, &o, sizeof o);
}

SEC("tp_btf/block_io_done")
int BPF_PROG(block_io_done__1, struct request *r)
{
    return emit_request(ctx, block_io_done, r);
}
