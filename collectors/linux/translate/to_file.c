/* Files: what programs ask of the file systems, from the beginning and the end of their system
 * calls, each a pair of tracepoints. A call becomes its FileIo event and an OperationEnd with the
 * status and the bytes that it moved.
 *
 * Calls name files by descriptor. What a descriptor means is kept (open_files.h), else the helper
 * looks it up, and events wait for that (file_queue.h). Sockets, pipes and the like are no files;
 * their reads and writes are left out. The tracepoints have no path, only its address: calls that
 * take one get it from a BPF program where there is one, else they stay unnamed, but for opens
 * that succeed: they leave a descriptor. */
#include "collectors/linux/translate/file_calls.h"
#include "collectors/linux/translate/file_queue.h"
#include "collectors/linux/translate/open_files.h"
#include "collectors/linux/translate/running_calls.h"
#include "collectors/linux/translate/status.h"
#include "collectors/linux/translate/translate.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/model/fact.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/perf_event.h>
#include <stdlib.h>

/* What could not be looked up may be another time: the helper had too much to do. */
static const int64_t ASK_AGAIN_NS = 1000000000;

struct call {
    const char *name;
    uint8_t kind, type; /* enum call_kind, FILE_* */
};

#define AS_CALL(name, kind, type, fields) {#name, kind, type},
static const struct call calls[] = {FILE_CALLS(AS_CALL) NO_FILE_CALLS(AS_CALL)};

/* Index of a call in the table, to be compared with. */
#define AS_INDEX(name, kind, type, fields) CALL_##name,
enum call_index { FILE_CALLS(AS_INDEX) FILE_CALL_COUNT };

struct files {
    struct open_files *open;
    struct file_queue *queue;
    struct running_calls *running;
    bool has_paths; /* calls come with their paths */
    bool is_on;
    uint16_t operations; /* counts them, for their numbers */
    uint64_t pushed_out; /* of open_files_pushed_out(), already reported */
};

static struct files *files_of(const struct translator *t)
{
    return t->state[DOMAIN_FILE];
}

/* ---- events ---------------------------------------------------------------------------------- */

static uint64_t next_irp(struct files *f, uint32_t tid)
{
    if (!++f->operations)
        f->operations = 1;
    return (uint64_t)tid << 16 | f->operations;
}

static struct file_op op_of(const struct sample *s, unsigned type, const struct call_part *part)
{
    return (struct file_op){.time = s->time,
                            .pid = s->pid,
                            .tid = s->tid,
                            .cpu = s->cpu,
                            .type = (uint8_t)type,
                            .irp = part->irp,
                            .lookup = part->lookup};
}

/* Nobody knows what it is, and nobody is looking. */
static bool is_unknown(const struct files *f, const struct open_file *o, int64_t time)
{
    return o->state == OPEN_GONE ||
           (o->state == OPEN_ASKED && !file_lookup_is_alive(f->queue, o->lookup, time));
}

/* The entry of a descriptor that is used; the helper is asked about it where it is new to us. */
static struct open_file *used(struct translator *t, uint32_t pid, int32_t fd, int64_t time)
{
    struct files *const f = files_of(t);
    struct open_file *o = open_files_find(f->open, pid, fd, time);
    if (!o || (is_unknown(f, o, time) && time - o->since_ns > ASK_AGAIN_NS)) {
        o = open_files_add(f->open, pid, fd, time);
        file_lookup_ask(f->queue, o, 0, time);
    }
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

static void end_part(struct translator *t, const struct sample *s, const struct call_part *part,
                     int64_t ret, uint64_t extra)
{
    if (!part->irp)
        return;
    struct file_op op = op_of(s, FILE_OPERATION_END, part);
    op.offset = extra;
    op.size = status_of_result(ret);
    const struct sample without_stack = {.time = s->time};
    file_queue_put(files_of(t)->queue, &op, &without_stack);
}

/* ---- beginnings ------------------------------------------------------------------------------ */

/* Its path is the directory that the file, which has no name, is made in: /proc says more. */
static bool is_nameless(uint64_t flags)
{
    return (flags & O_TMPFILE) == O_TMPFILE;
}

/* As Windows says it: CreateOptions, and the disposition in the upper byte. */
static uint32_t create_options(unsigned call, uint64_t flags)
{
    enum { OPEN = 1, CREATE, OPEN_IF, OVERWRITE, OVERWRITE_IF };
    enum { DIRECTORY = 0x1, WRITE_THROUGH = 0x2, UNBUFFERED = 0x8 };
    if (call == CALL_creat)
        flags = O_CREAT | O_WRONLY | O_TRUNC;
    if (is_nameless(flags))
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
    if (is_nameless(r->argument))
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

static void forget(struct translator *t, uint32_t pid, int32_t fd, int64_t time)
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
    forget(t, s->pid, fd, s->time);
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
        forget(t, s->pid, (int32_t)fd, s->time);
}

static void begin_call(struct translator *t, const struct sample *s, unsigned call)
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

/* ---- ends ------------------------------------------------------------------------------------ */

static uint8_t cloexec(bool is_set)
{
    return is_set ? CLOEXEC_YES : CLOEXEC_NO;
}

static void end_open(struct translator *t, const struct sample *s, const struct running_call *r,
                     int64_t ret)
{
    struct files *const f = files_of(t);
    if (ret < 0) {
        file_lookup_failed(f->queue, r->part[0].lookup);
    } else {
        forget(t, s->pid, (int32_t)ret, s->time);
        struct open_file *const o = open_files_add(f->open, s->pid, (int32_t)ret, s->time);
        const bool knows_flags = r->call - 1 != CALL_openat2;
        o->cloexec = knows_flags ? cloexec(r->argument & O_CLOEXEC) : CLOEXEC_UNKNOWN;
        o->offset = knows_flags && !(r->argument & O_APPEND) ? 0 : OFFSET_UNKNOWN;
        file_lookup_ask(f->queue, o, r->part[0].lookup, s->time);
    }
    end_part(t, s, &r->part[0], ret, ret >= 0); /* 1: opened */
}

static void advance(struct translator *t, const struct sample *s, const struct call_part *part,
                    uint64_t bytes)
{
    struct open_file *const o = part->moves && part->fd >= 0
                                    ? open_files_find(files_of(t)->open, s->pid, part->fd, s->time)
                                    : NULL;
    if (o && o->offset != OFFSET_UNKNOWN)
        o->offset += bytes;
}

static void end_transfer(struct translator *t, const struct sample *s, const struct running_call *r,
                         int64_t ret)
{
    const uint64_t bytes = ret > 0 ? (uint64_t)ret : 0;
    for (unsigned i = 0; i < 2; i++) {
        advance(t, s, &r->part[i], bytes);
        end_part(t, s, &r->part[i], ret, bytes);
    }
}

/* Another number for the same opening, and for where it stands: that is not followed. */
static void duplicate(struct translator *t, const struct sample *s, int32_t from, int32_t to,
                      uint8_t marked)
{
    struct open_files *const open = files_of(t)->open;
    if (from == to || to < 0)
        return;
    forget(t, s->pid, to, s->time);
    struct open_file *const o = open_files_find(open, s->pid, from, s->time);
    if (!o || o->state == OPEN_ASKED)
        return; /* looked up when it is used */
    o->offset = OFFSET_UNKNOWN;
    const struct open_file old = *o;
    struct open_file *const copy = open_files_add(open, s->pid, to, s->time);
    copy->key = old.key;
    copy->state = old.state;
    copy->cloexec = marked;
}

static void end_control(struct translator *t, const struct sample *s, const struct running_call *r,
                        int64_t ret)
{
    const int32_t fd = r->part[0].fd;
    if (ret < 0)
        return;
    if (r->argument == F_DUPFD || r->argument == F_DUPFD_CLOEXEC)
        duplicate(t, s, fd, (int32_t)ret, cloexec(r->argument == F_DUPFD_CLOEXEC));
    struct open_file *const o =
        r->argument == F_SETFD ? open_files_find(files_of(t)->open, s->pid, fd, s->time) : NULL;
    if (o)
        o->cloexec = cloexec(r->argument2 & FD_CLOEXEC);
}

static void end_seek(struct translator *t, const struct sample *s, const struct running_call *r,
                     int64_t ret)
{
    struct open_file *const o =
        ret >= 0 ? open_files_find(files_of(t)->open, s->pid, r->part[0].fd, s->time) : NULL;
    if (o)
        o->offset = (uint64_t)ret;
}

static void end_no_file(struct translator *t, const struct sample *s, int64_t ret)
{
    if (ret < 0)
        return;
    forget(t, s->pid, (int32_t)ret, s->time);
    open_files_add(files_of(t)->open, s->pid, (int32_t)ret, s->time)->state = OPEN_OTHER;
}

static void end_call(struct translator *t, const struct sample *s, const struct running_call *r,
                     int64_t ret)
{
    switch ((enum call_kind)calls[r->call - 1].kind) {
    case KIND_OPEN:
        end_open(t, s, r, ret);
        break;
    case KIND_TRANSFER:
    case KIND_COPY:
        end_transfer(t, s, r, ret);
        break;
    case KIND_ON_PATH:
        file_lookup_failed(files_of(t)->queue, r->part[0].lookup);
        end_part(t, s, &r->part[0], ret, 0);
        break;
    case KIND_ON_FILE:
        end_part(t, s, &r->part[0], ret,
                 calls[r->call - 1].type == FILE_DIR_ENUM && ret > 0 ? (uint64_t)ret : 0);
        break;
    case KIND_CLOSE:
        end_part(t, s, &r->part[0], ret, 0);
        break;
    case KIND_DUPLICATE:
        duplicate(t, s, r->part[0].fd, (int32_t)ret, CLOEXEC_NO);
        break;
    case KIND_DUPLICATE_TO:
        if (ret >= 0)
            duplicate(t, s, r->part[0].fd, r->part[1].fd, cloexec(r->argument & O_CLOEXEC));
        break;
    case KIND_CONTROL:
        end_control(t, s, r, ret);
        break;
    case KIND_SEEK:
        end_seek(t, s, r, ret);
        break;
    case KIND_CLOSE_RANGE:
    case KIND_NO_FILE:
        break;
    }
}

/* ---- the tracepoints ------------------------------------------------------------------------- */

static unsigned call_of(const struct sample *s);

static void translate_enter(struct translator *t, const struct sample *s)
{
    if (s->pid != t->self) /* telling what we do would cause more of it */
        begin_call(t, s, call_of(s));
}

enum { EXIT_RET };

static void translate_exit(struct translator *t, const struct sample *s)
{
    struct files *const f = files_of(t);
    const unsigned call = call_of(s);
    const int64_t ret = sample_i64(s, EXIT_RET);
    if (s->pid == t->self)
        return;
    if (calls[call].kind == KIND_NO_FILE) {
        end_no_file(t, s, ret);
        return;
    }
    struct running_call *const r = running_find(f->running, s->tid);
    if (!r || r->call != call + 1) {
        t->unpaired++; /* it began before we did */
        return;
    }
    const struct running_call ended = *r;
    r->call = 0;
    end_call(t, s, &ended, ret);
}

/* A path comes just before the call's own record, or just behind it. */
enum { PATH_TEXT, PATH_FOLDER };

static void translate_path(struct translator *t, const struct sample *s)
{
    struct files *const f = files_of(t);
    struct path_parts parts = {0};
    parts.path = (const char *)sample_bytes(s, PATH_TEXT, &parts.path_bytes);
    parts.folder = (const char *)sample_bytes(s, PATH_FOLDER, &parts.folder_bytes);
    if (!parts.path || s->pid == t->self)
        return;
    f->has_paths = true;
    struct reported_path *const p = path_report(f->running, s, &parts);
    const struct running_call *const r = running_find(f->running, s->tid);
    if (r && path_belongs(r, s) &&
        !(calls[r->call - 1].kind == KIND_OPEN && is_nameless(r->argument)) &&
        (calls[r->call - 1].kind == KIND_OPEN || calls[r->call - 1].kind == KIND_ON_PATH)) {
        file_lookup_path(f->queue, r->part[0].lookup, p->text, p->bytes);
        p->tid = 0;
    }
}

/* ---- what happens to processes --------------------------------------------------------------- */

static void side_band(struct translator *t, const struct sample *s)
{
    struct files *const f = files_of(t);
    struct bytes b = bytes_of(s->body, s->body_bytes);
    const uint32_t pid = bytes_u32(&b), second = bytes_u32(&b);
    if (b.bad)
        return;
    if (s->type == PERF_RECORD_FORK && pid != second)
        open_files_fork(f->open, pid, second, s->time);
    else if (s->type == PERF_RECORD_COMM && s->misc & PERF_RECORD_MISC_COMM_EXEC)
        open_files_exec(f->open, pid, s->time);
    else if (s->type == PERF_RECORD_EXIT && pid == bytes_u32(&b)) /* its first thread */
        open_files_exit(f->open, pid, s->time);
}

/* ---- the domain ------------------------------------------------------------------------------ */

static void start(struct translator *t)
{
    struct files *const f = mem_new(1, sizeof *f);
    f->open = open_files_new();
    f->queue = file_queue_new(t, f->open);
    f->running = running_calls_new();
    t->state[DOMAIN_FILE] = f;
}

static void stop(struct translator *t)
{
    struct files *const f = files_of(t);
    if (!f)
        return;
    file_queue_free(f->queue);
    open_files_free(f->open);
    running_calls_free(f->running);
    free(f);
    t->state[DOMAIN_FILE] = NULL;
}

static size_t held_bytes(const struct translator *t)
{
    const struct files *const f = files_of(t);
    return f ? open_files_bytes(f->open) + file_queue_bytes(f->queue) + running_calls_bytes() : 0;
}

/* While the events are off, descriptors change unseen. */
static void tick(struct translator *t, int64_t now)
{
    struct files *const f = files_of(t);
    const uint32_t active = atomic_load_explicit(&t->feed->collector->active, memory_order_relaxed);
    const bool is_on = active >> FACT_FILE & 1;
    if (f->is_on && !is_on) {
        file_queue_flush(f->queue);
        open_files_clear(f->open);
        running_calls_clear(f->running);
    }
    f->is_on = is_on;
    file_queue_drain(f->queue, now);
    const uint64_t pushed_out = open_files_pushed_out(f->open);
    t->unpaired += pushed_out - f->pushed_out;
    f->pushed_out = pushed_out;
}

/* What still waits for the helper goes without: there is nothing behind the end. */
static void finish(struct translator *t, int64_t now)
{
    (void)now;
    file_queue_flush(files_of(t)->queue);
}

static void take_reply(struct translator *t, const struct reply *m)
{
    struct files *const f = files_of(t);
    if (m->kind == HELP_RUNDOWN) {
        if (m->is_file) /* a name is true whatever becomes of the descriptor */
            file_name(f->queue, linux_file_key(m->dev, m->inode), m->path, t->time);
        return;
    }
    file_lookup_reply(f->queue, m);
    file_queue_drain(f->queue, t->time);
}

#define FILES .classes = 1u << FACT_FILE, .serves = "operations on files"
#define AS_ENTER(call_name, kind, type, names)                                                     \
    {.group = "syscalls",                                                                          \
     .name = "sys_enter_" #call_name,                                                              \
     .fields = names,                                                                              \
     .translate = translate_enter,                                                                 \
     FILES},
#define AS_EXIT(call_name, kind, type, names)                                                      \
    {.group = "syscalls",                                                                          \
     .name = "sys_exit_" #call_name,                                                               \
     .fields = {"ret"},                                                                            \
     .translate = translate_exit,                                                                  \
     FILES},

/* All beginnings in the order of the table, then all ends. */
static const struct linux_event events[] = {
    FILE_CALLS(AS_ENTER) FILE_CALLS(AS_EXIT)
        NO_FILE_CALLS(AS_EXIT){.group = "raw_syscalls",
                               .name = "sys_enter_path",
                               .fields = {"path", "?folder"},
                               .translate = translate_path,
                               .program = "sys_enter_path",
                               .needs_bpf = true,
                               .classes = 1u << FACT_FILE,
                               .serves = "paths of short-lived files"},
};

static unsigned call_of(const struct sample *s)
{
    const size_t index = (size_t)(s->event - events);
    return (unsigned)(index < FILE_CALL_COUNT ? index : index - FILE_CALL_COUNT);
}

const struct linux_domain domain_file = {
    .id = "file",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .side_band = side_band,
    .start = start,
    .stop = stop,
    .bytes = held_bytes,
    .tick = tick,
    .reply = take_reply,
    .finish = finish,
};
