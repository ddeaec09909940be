/* Files: what programs ask of the file systems, from the beginning and the end of their system
 * calls, each a pair of tracepoints. A call becomes its FileIo event and an OperationEnd with the
 * status and the bytes that it moved.
 *
 * Calls name files by descriptor. What a descriptor means is kept (open_files.h), else the helper
 * looks it up, and events wait for that (file_queue.h). Sockets, pipes and the like are no files;
 * their reads and writes are left out. The tracepoints have no path, only its address: calls that
 * take one get it from a BPF program where there is one, else they stay unnamed, but for opens
 * that succeed: they leave a descriptor. */
#include "collectors/linux/translate/file_call.h"
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

/* ---- events ---------------------------------------------------------------------------------- */

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
        file_call_forget(t, s->pid, (int32_t)ret, s->time);
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
    file_call_forget(t, s->pid, to, s->time);
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
    file_call_forget(t, s->pid, (int32_t)ret, s->time);
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
        file_call_begin(t, s, call_of(s));
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
        !(calls[r->call - 1].kind == KIND_OPEN && file_call_is_nameless(r->argument)) &&
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
