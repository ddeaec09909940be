/* Records of disk requests. */
#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/proc/proc.h"
#include "collectors/linux/translate/disk_asker.h"
#include "collectors/linux/translate/disk_request.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/to_disk.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/map.h"
#include "src/model/fact.h"

#include <string.h>

/* As IRP_* has them, and the priority hint from bit 17 on. */
static uint32_t irp_flags(const struct disk_request *r)
{
    enum { PAGING = 0x2, SYNCHRONOUS = 0x4, READ = 0x100, WRITE = 0x200, PRIORITY_SHIFT = 17 };
    enum { CLASS_SHIFT = 13, CLASSES = 8 };
    static const uint8_t hints[CLASSES] = {
        [1] = 4 /* real time: high */, [2] = 3 /* normal */, [3] = 1 /* idle: very low */};
    const uint32_t hint = hints[r->priority >> CLASS_SHIFT & (CLASSES - 1)];
    /* What a cache reads ahead is paging there, too. */
    return (r->is_metadata || r->is_ahead ? PAGING : 0) | (r->is_sync ? SYNCHRONOUS : 0) |
           (r->operation == OPERATION_READ ? READ : 0) |
           (r->operation == OPERATION_WRITE ? WRITE : 0) | hint << PRIORITY_SHIFT;
}

/* Somebody has to say what a disk is that nobody listed. */
static uint32_t disk_number(struct translator *t, uint32_t dev)
{
    struct askers *const a = &disk_of(t)->askers;
    const uint32_t unlisted = a->unlisted, number = askers_disk(a, dev);
    const struct help question = {
        .kind = HELP_DISK, .domain = DOMAIN_DISK, .fd = (int32_t)dev, .key = number};
    if (a->unlisted != unlisted && t->helper)
        helper_ask(t->helper, &question);
    return number;
}

/* By who asked: what nobody is known to have asked for is in no scope but the one of all. */
static bool is_in_scope(const struct translator *t, const struct disk_request *r)
{
    return scope_has(t->scope, r->tid);
}

/* Nobody is known to have asked: version 2 names no thread, and the header none either. */
static struct payload_writer *begin(struct translator *t, const struct disk_request *r,
                                    unsigned hook, unsigned cpu, int64_t time)
{
    enum { VERSION = 3, VERSION_WITHOUT_THREAD = 2 };
    if (r->tid == EVENT_NO_ID)
        return record_begin(t, HEADER_PERFINFO, hook, VERSION_WITHOUT_THREAD, 0, 0, cpu, time);
    return record_begin(t, HEADER_SYSTEM, hook, VERSION, r->pid, r->tid, cpu, time);
}

static void end(struct translator *t, const struct disk_request *r)
{
    if (r->tid != EVENT_NO_ID)
        put_u32(&t->payload_writer, r->tid);
    record_end(t);
}

void disk_report_issue(struct translator *t, const struct sample *s, const struct disk_request *r)
{
    static const uint16_t hooks[] = {HOOK_READ_INIT, HOOK_WRITE_INIT, HOOK_FLUSH_INIT};
    if (r->operation > OPERATION_FLUSH || !is_in_scope(t, r))
        return;
    put_u64(begin(t, r, hooks[r->operation], s->cpu, s->time), r->irp);
    end(t, r);
    if (r->tid == s->tid) /* a worker's stack says nothing about who asked */
        stack_put(t, s, r->pid, r->tid, s->time);
}

static void report_command(struct translator *t, const struct disk_request *r, unsigned cpu,
                           int64_t time, uint64_t response)
{
    const char *const name = r->operation == OPERATION_DISCARD ? "discard" : "other";
    struct payload_writer *const p = record_begin_tracetop(
        t, "DiskCommand", "disk:u32,command:text,irp:hex64,offset:u64,bytes:u64,response:u64",
        r->pid, r->tid, cpu, time);
    put_u32(p, disk_number(t, r->dev));
    put_text(p, name, strlen(name));
    put_u64(p, r->irp);
    put_u64(p, r->offset);
    put_u64(p, r->bytes);
    put_u64(p, response);
    record_end(t);
}

static void report_error(struct translator *t, const struct disk_request *r, unsigned cpu,
                         int64_t time)
{
    struct payload_writer *const p =
        record_begin_tracetop(t, "DiskError", "disk:u32,irp:hex64,offset:u64,bytes:u64,errno:u32",
                              r->pid, r->tid, cpu, time);
    put_u32(p, disk_number(t, r->dev));
    put_u64(p, r->irp);
    put_u64(p, r->offset);
    put_u64(p, r->bytes);
    put_u32(p, (uint32_t)-r->error);
    record_end(t);
}

void disk_report_end(struct translator *t, const struct disk_request *r, uint32_t bytes,
                     unsigned cpu, int64_t time, uint64_t response)
{
    if (!is_in_scope(t, r))
        return;
    if (r->operation > OPERATION_FLUSH) {
        report_command(t, r, cpu, time, response);
    } else if (r->operation == OPERATION_FLUSH) {
        struct payload_writer *const p = begin(t, r, HOOK_FLUSH, cpu, time);
        put_u32(p, disk_number(t, r->dev));
        put_u32(p, irp_flags(r));
        put_u64(p, response);
        put_u64(p, r->irp);
        end(t, r);
    } else {
        const bool is_read = r->operation == OPERATION_READ;
        struct payload_writer *const p = begin(t, r, is_read ? HOOK_READ : HOOK_WRITE, cpu, time);
        put_u32(p, disk_number(t, r->dev));
        put_u32(p, irp_flags(r));
        put_u32(p, bytes);
        put_u32(p, 0);
        put_u64(p, r->offset);
        put_u64(p, r->file);
        put_u64(p, r->irp);
        put_u64(p, response);
        end(t, r);
    }
    if (r->error)
        report_error(t, r, cpu, time);
}

static void report_unseen(struct translator *t, const struct disk_request *r, int64_t time)
{
    struct payload_writer *const p =
        record_begin_tracetop(t, "DiskUnseen", "disk:u32,irp:hex64,offset:u64,bytes:u64,since:u64",
                              r->pid, r->tid, r->cpu, time);
    put_u32(p, disk_number(t, r->dev));
    put_u64(p, r->irp);
    put_u64(p, r->offset);
    put_u64(p, r->bytes);
    put_u64(p, time > r->start ? (uint64_t)(time - r->start) : 0);
    record_end(t);
}

void disk_give_up(struct translator *t, struct disk_request *r, int64_t time)
{
    struct disk_requests *const d = disk_of(t);
    d->figures.unseen++;
    t->unpaired++;
    disk_report_end(t, r, r->bytes, r->cpu, time, 0);
    if (is_in_scope(t, r))
        report_unseen(t, r, time);
    r->key = 0;
    d->figures.outstanding--;
}
