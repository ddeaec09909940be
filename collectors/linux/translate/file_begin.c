/* Beginnings of system calls about files. */
#include "collectors/linux/translate/file_call.h"
#include "collectors/linux/translate/file_calls.h"
#include "collectors/linux/translate/file_queue.h"
#include "collectors/linux/translate/open_files.h"
#include "collectors/linux/translate/running_calls.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/bytes.h"
#include "src/model/fact.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/perf_event.h>

bool file_call_is_nameless(uint64_t flags)
{
    return (flags & O_TMPFILE) == O_TMPFILE;
}

/* What could not be looked up may be another time: the helper had too much to do. */
static const int64_t ASK_AGAIN_NS = 1000000000;

/* Nobody knows what it is, and nobody is looking. */
static bool is_unknown(const struct files *f, const struct open_file *o, int64_t time)
{
    return o->state == OPEN_GONE ||
           (o->state == OPEN_ASKED && !file_lookup_is_alive(f->queue, o->lookup, time));
}

/* Who reads the records may have forgotten by then what a file is called that nobody used: many
 * others came meanwhile. */
static const int64_t RESTED_NS = 10000000000;

/* The entry of a descriptor that is used; the helper is asked about it where it is new to us, or
 * was not used for long. */
static struct open_file *used(struct translator *t, uint32_t pid, int32_t fd, int64_t time)
{
    struct files *const f = files_of(t);
    struct open_file *o = open_files_find(f->open, pid, fd, time);
    const bool has_rested = o && o->state == OPEN_FILE && time - o->used_ns > RESTED_NS;
    if (!o || (is_unknown(f, o, time) && time - o->since_ns > ASK_AGAIN_NS)) {
        o = open_files_add(f->open, pid, fd, time);
        file_lookup_ask(f->queue, o, 0, time);
    }
    o->used_ns = time;
    if (has_rested && !file_lookup_again(f->queue, o, time))
        o->used_ns -= RESTED_NS - ASK_AGAIN_NS;
    return o;
}

/* Begins an event about a descriptor; not about one that is no file. */
static bool begin_on(struct translator *t, const struct sample *s, struct call_part *part,
                     int32_t fd, struct file_op *op, unsigned type)
{
    const struct open_file *const o = fd >= 0 ? used(t, s->pid, fd, s->time) : NULL;
    part->fd = fd;
    if (!o || o->state == OPEN_OTHER)
        return false;
    part->irp = next_irp(files_of(t), s->tid);
    part->lookup = o->state == OPEN_ASKED ? o->lookup : 0;
    *op = op_of(s, type, part);
    op->object = o->object;
    op->key = o->key;
    op->offset = o->offset;
    return true;
}

/* As Windows says it: CreateOptions, and the disposition in the upper byte. */
static uint32_t create_options(unsigned call, uint64_t flags)
{
    enum { OPEN = 1, CREATE, OPEN_IF, OVERWRITE, OVERWRITE_IF };
    enum { DIRECTORY = 0x1, WRITE_THROUGH = 0x2, UNBUFFERED = 0x8 };
    if (call == CALL_creat)
        flags = O_CREAT | O_WRONLY | O_TRUNC;
    if (file_call_is_nameless(flags))
        flags = (flags & ~(uint64_t)O_TMPFILE) | O_CREAT | O_EXCL;
    const uint32_t disposition = flags & O_CREAT   ? flags & O_EXCL    ? CREATE
                                                     : flags & O_TRUNC ? OVERWRITE_IF
                                                                       : OPEN_IF
                                 : flags & O_TRUNC ? OVERWRITE
                                                   : OPEN;
    return disposition << 24 | (flags & O_DIRECTORY ? DIRECTORY : 0) |
           (flags & O_DSYNC ? WRITE_THROUGH : 0) | (flags & O_DIRECT ? UNBUFFERED : 0);
}

static void begin_open(struct translator *t, const struct sample *s, struct running_call *r,
                       unsigned call)
{
    struct files *const f = files_of(t);
    const struct reported_path *path = path_take(f->running, s);
    struct call_part *const part = &r->part[0];
    r->argument = sample_u64(s, CALL_FLAGS);
    if (file_call_is_nameless(r->argument))
        path = NULL;
    part->irp = next_irp(f, s->tid);
    part->lookup = file_lookup_open(f->queue, s->pid, path ? path->text : NULL,
                                    path ? path->bytes : 0, s->time);
    struct file_op op = op_of(s, FILE_CREATE, part);
    op.object = part->lookup ? 0 : open_files_object(f->open, s->pid);
    op.flags = create_options(call, r->argument);
    file_queue_put(f->queue, &op, s);
}

/* Of calls that make what is there without opening it. */
static uint32_t make_options(unsigned call)
{
    const bool is_folder = call == CALL_mkdir || call == CALL_mkdirat;
    return create_options(call, O_CREAT | O_EXCL | (is_folder ? O_DIRECTORY : 0));
}

enum {
    INFO_BASIC = 4,
    INFO_RENAME = 10,
    INFO_LINK = 11,
    INFO_DISPOSITION = 13,
    INFO_ALL = 18,
    INFO_END = 20,
    INFO_DIRECTORY = 37
};

static uint32_t info_class(unsigned call, unsigned type)
{
    if (call == CALL_truncate || call == CALL_ftruncate || call == CALL_fallocate)
        return INFO_END;
    if (call == CALL_link || call == CALL_linkat)
        return INFO_LINK;
    return type == FILE_RENAME       ? INFO_RENAME
           : type == FILE_DELETE     ? INFO_DISPOSITION
           : type == FILE_QUERY_INFO ? INFO_ALL
                                     : INFO_BASIC;
}

static void begin_on_file(struct translator *t, const struct sample *s, struct running_call *r,
                          unsigned call, int32_t fd)
{
    struct file_op op;
    if (!begin_on(t, s, &r->part[0], fd, &op, calls[call].type))
        return;
    op.offset = sample_u64(s, CALL_OFFSET);
    op.size = info_class(call, op.type);
    if (op.type == FILE_FS_CONTROL)
        op.size = sample_u32(s, CALL_FLAGS); /* the code, as the system's headers have it */
    if (op.type == FILE_DIR_ENUM) {
        op.size = sample_u32(s, CALL_SIZE);
        op.flags = INFO_DIRECTORY;
    }
    file_queue_put(files_of(t)->queue, &op, s);
}

static void begin_on_path(struct translator *t, const struct sample *s, struct running_call *r,
                          unsigned call)
{
    struct files *const f = files_of(t);
    if (sample_u64(s, CALL_FLAGS) & AT_EMPTY_PATH && sample_has(s, CALL_FD2)) {
        begin_on_file(t, s, r, call, (int32_t)sample_u32(s, CALL_FD2));
        return;
    }
    const struct reported_path *const path = path_take(f->running, s);
    struct call_part *const part = &r->part[0];
    part->irp = next_irp(f, s->tid);
    if (f->has_paths)
        part->lookup = file_lookup_open(f->queue, s->pid, path ? path->text : NULL,
                                        path ? path->bytes : 0, s->time);
    struct file_op op = op_of(s, calls[call].type, part);
    op.offset = sample_u64(s, CALL_OFFSET);
    op.size = info_class(call, op.type);
    if (op.type == FILE_CREATE)
        op.flags = make_options(call);
    file_queue_put(f->queue, &op, s);
}

/* The part of one descriptor in a transfer. */
static void begin_transfer(struct translator *t, const struct sample *s, struct call_part *part,
                           int32_t fd, unsigned type, bool has_offset)
{
    enum { IRP_READ = 0x900, IRP_WRITE = 0xa00 }; /* and deferred completion, as Windows has it */
    struct file_op op;
    const uint64_t offset = has_offset ? sample_u64(s, CALL_OFFSET) : OFFSET_UNKNOWN;
    part->moves = offset == OFFSET_UNKNOWN; /* preadv2 says so with -1 */
    if (!begin_on(t, s, part, fd, &op, type))
        return;
    if (!part->moves)
        op.offset = offset;
    const uint64_t size = sample_u64(s, CALL_SIZE);
    op.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    op.flags = type == FILE_READ ? IRP_READ : IRP_WRITE;
    file_queue_put(files_of(t)->queue, &op, s);
}

void file_call_forget(struct translator *t, uint32_t pid, int32_t fd, int64_t time)
{
    struct files *const f = files_of(t);
    const struct open_file *const o = open_files_find(f->open, pid, fd, time);
    if (o)
        file_lookup_closed(f->queue, o, time);
    open_files_remove(f->open, pid, fd);
}

/* The number is free before the call returns, and may be somebody's by then. */
static void begin_close(struct translator *t, const struct sample *s, struct running_call *r)
{
    const int32_t fd = (int32_t)sample_u32(s, CALL_FD);
    struct file_op op;
    if (open_files_find(files_of(t)->open, s->pid, fd, s->time) &&
        begin_on(t, s, &r->part[0], fd, &op, FILE_CLOSE))
        file_queue_put(files_of(t)->queue, &op, s);
    file_call_forget(t, s->pid, fd, s->time);
}

static void begin_close_range(struct translator *t, const struct sample *s)
{
    enum { FEW = 256 };
    const uint32_t first = sample_u32(s, CALL_FD), last = sample_u32(s, CALL_SIZE);
    const bool marks = sample_u64(s, CALL_FLAGS) & CLOSE_RANGE_CLOEXEC;
    if (first > INT32_MAX || last < first)
        return;
    if (marks || last - first >= FEW) {
        open_files_close_from(files_of(t)->open, s->pid, (int32_t)first, marks, s->time);
        return;
    }
    for (uint32_t fd = first; fd <= last; fd++)
        file_call_forget(t, s->pid, (int32_t)fd, s->time);
}

void file_call_begin(struct translator *t, const struct sample *s, unsigned call)
{
    struct running_call *const r = running_begin(files_of(t)->running, s, call, &t->unpaired);
    const int32_t fd = (int32_t)sample_u32(s, CALL_FD), fd2 = (int32_t)sample_u32(s, CALL_FD2);
    switch ((enum call_kind)calls[call].kind) {
    case KIND_OPEN:
        begin_open(t, s, r, call);
        break;
    case KIND_TRANSFER:
        begin_transfer(t, s, &r->part[0], fd, calls[call].type, sample_has(s, CALL_OFFSET));
        break;
    case KIND_COPY:
        begin_transfer(t, s, &r->part[0], fd, FILE_READ, false);
        begin_transfer(t, s, &r->part[1], fd2, FILE_WRITE, false);
        break;
    case KIND_ON_FILE:
        begin_on_file(t, s, r, call, fd);
        break;
    case KIND_ON_PATH:
        begin_on_path(t, s, r, call);
        break;
    case KIND_CLOSE:
        begin_close(t, s, r);
        break;
    case KIND_CLOSE_RANGE:
        begin_close_range(t, s);
        break;
    case KIND_DUPLICATE:
    case KIND_DUPLICATE_TO:
    case KIND_CONTROL:
    case KIND_SEEK:
    case KIND_NO_FILE:
        r->part[0].fd = fd;
        r->part[1].fd = fd2;
        r->argument = call == CALL_dup3 ? sample_u64(s, CALL_FLAGS) : sample_u64(s, CALL_SIZE);
        r->argument2 = sample_u64(s, CALL_OFFSET);
        break;
    }
}
