/* Disks: requests from their issue to their completion.
 *
 *   block_bio_queue    a process asks: runs in its context, before requests are made of it
 *   block_split        the operation is cut in two: the second half is the same process's
 *   block_rq_issue     a request goes to the driver: *Init. Often by a worker of the kernel, when
 *                      requests were plugged, requeued or flushed: the asking process counts
 *   block_rq_requeue   the driver gives it back: the next issue continues this one
 *   block_rq_complete  some or all of it is done, in the context of whoever was interrupted
 *
 * A request is known by its address (records of our BPF programs) or by device, sector and
 * operation. It becomes one Read, Write or Flush when all of it is done; discards and other
 * commands become tracetop's event DiskCommand, and errors one beside the record.
 *
 * perf tracepoints lose completions on idle processors without a report. A request whose completion
 * is not seen for a long time becomes a record too, with the time 0, "not measured", and an event
 * DiskUnseen: leaving out its bytes would be the larger error. Such a record is late by that
 * time. */
#include "collectors/linux/translate/to_disk.h"

#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/proc/proc.h"
#include "collectors/linux/translate/disk_asker.h"
#include "collectors/linux/translate/disk_request.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/model/fact.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, WAYS = 4 };

/* Of requests under way: the deepest queues of a machine hold some thousand. */
enum { REQUEST_SETS = 4096, FEW_SETS = 512, SETS_PART = 64 /* of the ring of events */ };

/* A completion by BPF comes; one by perf may have been lost, and the disk of a laptop may have
 * to spin up. */
static const int64_t PATIENCE_NS = 30000000000, PERF_PATIENCE_NS = 5000000000;

struct disk_figures disk_figures(const struct translator *t)
{
    return disk_of(t)->figures;
}

/* ---- what a request is ------------------------------------------------------------------- */

struct letters {
    enum operation operation;
    bool flushes_first, is_metadata, is_ahead, is_sync;
};

static enum operation operation_of(char letter)
{
    switch (letter) {
    case 'R':
        return OPERATION_READ;
    case 'W':
        return OPERATION_WRITE;
    case 'F':
        return OPERATION_FLUSH;
    case 'D':
        return OPERATION_DISCARD;
    default:
        return OPERATION_OTHER;
    }
}

/* An F in front of the operation's letter: flush the cache first. Behind it: F through the cache
 * to the medium (which ETW has no flag for), A ahead of what is read, S somebody waits, M the
 * file system's own. */
static struct letters read_letters(const struct sample *s, unsigned field)
{
    char text[16];
    const size_t length = sample_text(s, field, text, sizeof text);
    struct letters l = {.operation = OPERATION_OTHER};
    if (!length)
        return l;
    l.flushes_first = text[0] == 'F' && text[1] && strchr("RWDFNZ", text[1]);
    l.operation = operation_of(text[l.flushes_first]);
    const char *const more = text + l.flushes_first + 1;
    l.is_metadata = strchr(more, 'M') != NULL;
    l.is_ahead = strchr(more, 'A') != NULL;
    l.is_sync = strchr(more, 'S') != NULL;
    return l;
}

/* ---- who asked ---------------------------------------------------------------------- */

enum { ASK_DEV, ASK_SECTOR, ASK_COUNT, ASK_LETTERS };

static void take_question(struct translator *t, const struct sample *s)
{
    struct disk_requests *const d = disk_of(t);
    const struct letters l = read_letters(s, ASK_LETTERS);
    struct asker a = {.time = s->time,
                      .dev = sample_u32(s, ASK_DEV),
                      .pid = s->pid,
                      .tid = s->tid,
                      .sector = sample_u64(s, ASK_SECTOR),
                      .operation = (uint8_t)l.operation};
    if (sample_u32(s, ASK_COUNT))
        askers_put(&d->askers, &a);
    if (l.flushes_first || l.operation == OPERATION_FLUSH) {
        a.sector = 0;
        a.operation = OPERATION_FLUSH;
        askers_put(&d->askers, &a);
    }
}

enum { SPLIT_DEV, SPLIT_SECTOR, SPLIT_NEW, SPLIT_LETTERS };

static void take_split(struct translator *t, const struct sample *s)
{
    struct disk_requests *const d = disk_of(t);
    const enum operation operation = read_letters(s, SPLIT_LETTERS).operation;
    const struct asker *const of =
        askers_find(&d->askers, sample_u32(s, SPLIT_DEV), sample_u64(s, SPLIT_SECTOR), operation);
    struct asker rest = of ? *of
                           : (struct asker){.dev = sample_u32(s, SPLIT_DEV),
                                            .pid = s->pid,
                                            .tid = s->tid,
                                            .operation = (uint8_t)operation};
    rest.time = s->time;
    rest.sector = sample_u64(s, SPLIT_NEW);
    askers_put(&d->askers, &rest);
}

/* ---- requests -------------------------------------------------------------------------------- */

static uint64_t place_key(uint32_t dev, uint64_t sector, enum operation operation)
{
    return hash_mix(hash_mix((uint64_t)dev << 3 | operation) ^ sector) | 1;
}

static struct disk_request *requests_at(const struct disk_requests *d, uint64_t key)
{
    return &d->requests[(hash_mix(key) >> 32) % d->sets * WAYS];
}

static bool is_same(const struct disk_request *r, const struct disk_request *like)
{
    return r->key == like->key && r->is_bpf == like->is_bpf &&
           (r->is_bpf ||
            (r->dev == like->dev && r->sector == like->sector && r->operation == like->operation));
}

static struct disk_request *find_request(const struct disk_requests *d,
                                         const struct disk_request *like)
{
    struct disk_request *const set = requests_at(d, like->key);
    for (unsigned i = 0; i < WAYS; i++)
        if (is_same(&set[i], like))
            return &set[i];
    return NULL;
}

/* Where a program could be loaded for the ends of requests only, their issues went by place. */
static struct disk_request *find_known(const struct disk_requests *d,
                                       const struct disk_request *like)
{
    struct disk_request *const r = find_request(d, like);
    if (r || !like->is_bpf)
        return r;
    struct disk_request by_place = *like;
    by_place.is_bpf = false;
    by_place.key = place_key(like->dev, like->sector, like->operation);
    return find_request(d, &by_place);
}

/* A free place for this key; where there is none, the oldest is given up. */
static struct disk_request *request_place(struct translator *t, uint64_t key)
{
    struct disk_requests *const d = disk_of(t);
    struct disk_request *const set = requests_at(d, key), *oldest = set;
    for (unsigned i = 0; i < WAYS; i++) {
        if (!set[i].key)
            return &set[i];
        if (set[i].start < oldest->start)
            oldest = &set[i];
    }
    d->figures.pushed_out++;
    disk_give_up(t, oldest, t->time > oldest->start ? t->time : oldest->start);
    return oldest;
}

static void set_owner(struct disk_requests *d, const struct sample *s, struct disk_request *r)
{
    const bool is_flush = r->operation == OPERATION_FLUSH;
    struct asker *const a = askers_find(&d->askers, r->dev, is_flush ? 0 : r->sector, r->operation);
    r->pid = a ? a->pid : s->pid;
    r->tid = a ? a->tid : s->tid;
    if (a)
        a->time = 0; /* a request of its own was made of it */
}

enum { RQ_DEV, RQ_SECTOR, RQ_COUNT, RQ_BYTES, RQ_PRIORITY, RQ_LETTERS, RQ_ADDRESS, RQ_FILE_DEV, RQ_INODE };

/* What the record says of a request: enough to find it again. */
static struct disk_request describe(const struct sample *s, unsigned address)
{
    const uint64_t NO_PLACE = UINT64_MAX; /* a flush is issued for sector 0, and ends so */
    const struct letters l = read_letters(s, RQ_LETTERS);
    struct disk_request r = {.dev = sample_u32(s, RQ_DEV),
                             .sector = sample_u64(s, RQ_SECTOR),
                             .operation = (uint8_t)l.operation,
                             .is_metadata = l.is_metadata,
                             .is_ahead = l.is_ahead,
                             .is_sync = l.is_sync,
                             .priority = (uint16_t)sample_u32(s, RQ_PRIORITY),
                             .start = s->time,
                             .cpu = s->cpu,
                             .is_bpf = sample_has(s, address)};
    if (r.sector == NO_PLACE)
        r.sector = 0;
    r.offset = r.sector * SECTOR;
    r.key = r.is_bpf ? sample_u64(s, address) | 1 : place_key(r.dev, r.sector, l.operation);
    return r;
}

/* Whose bytes they are; the helper says what the file is called. Again after a while: it may be
 * another by then. */
static uint64_t file_of(struct translator *t, const struct sample *s, const struct disk_request *r)
{
    static const int64_t ASK_AGAIN_NS = 2000000000;
    const uint64_t dev = sample_u64(s, RQ_FILE_DEV), inode = sample_u64(s, RQ_INODE);
    if (!sample_has(s, RQ_INODE) || !inode)
        return 0;
    const uint64_t key = linux_file_key(dev, inode);
    struct disk_asked *const asked = &disk_of(t)->asked[(hash_mix(key) >> 32) % ASKED];
    if (!t->helper || (asked->file == key && s->time - asked->time < ASK_AGAIN_NS))
        return key;
    const struct help question = {.kind = HELP_INODE,
                                  .domain = DOMAIN_DISK,
                                  .pid = r->pid,
                                  .fd = (int32_t)dev,
                                  .key = inode,
                                  .time = s->time};
    if (helper_ask(t->helper, &question))
        *asked = (struct disk_asked){key, s->time};
    return key;
}

static void take_issue(struct translator *t, const struct sample *s)
{
    struct disk_requests *const d = disk_of(t);
    struct disk_request r = describe(s, RQ_ADDRESS);
    const uint32_t count = sample_u32(s, RQ_COUNT);
    r.bytes = sample_has(s, RQ_BYTES) ? sample_u32(s, RQ_BYTES) : count * SECTOR;
    struct disk_request *known = find_request(d, &r);
    if (known && known->is_requeued) {
        known->is_requeued = false;
        known->bytes = known->done + r.bytes; /* others may have been merged into it meanwhile */
        d->figures.requeued++;
        return;
    }
    if (known) { /* another one: a queue's flushes even have the same address, and no place */
        known->cpu = s->cpu; /* or readers, by time and processor, may have the next one before it */
        disk_give_up(t, known, s->time);
    }
    set_owner(d, s, &r);
    r.irp = r.is_bpf ? sample_u64(s, RQ_ADDRESS) : ++d->irps << 4;
    r.file = file_of(t, s, &r);
    known = request_place(t, r.key);
    *known = r;
    d->figures.issued++;
    d->figures.outstanding++;
    disk_report_issue(t, s, known);
}

static void take_requeue(struct translator *t, const struct sample *s)
{
    const struct disk_request like = describe(s, RQ_ADDRESS);
    struct disk_request *const r = find_known(disk_of(t), &like);
    if (r)
        r->is_requeued = true;
}

/* The request is done, or a part: the rest is known by its new place from here on. */
static void advance(struct translator *t, struct disk_request *r, uint32_t bytes)
{
    struct disk_request rest = *r;
    rest.done += bytes;
    rest.sector += bytes / SECTOR;
    if (!rest.is_bpf)
        rest.key = place_key(rest.dev, rest.sector, rest.operation);
    r->key = 0;
    *request_place(t, rest.key) = rest;
    disk_of(t)->figures.partial++;
}

/* Issued before we began, or its issue was lost: the disk did it all the same. */
static void take_stray(struct translator *t, const struct sample *s, struct disk_request *r,
                       uint32_t bytes)
{
    struct disk_requests *const d = disk_of(t);
    const bool is_end_of_flush = !bytes && r->operation != OPERATION_FLUSH;
    if (is_end_of_flush) /* an empty write with a flush first: the flush was the request */
        return;
    d->figures.strays++;
    t->unpaired++;
    r->pid = r->tid = EVENT_NO_ID;
    r->bytes = bytes;
    r->irp = r->is_bpf ? r->key & ~1ull : ++d->irps << 4;
    disk_report_end(t, r, bytes, s->cpu, s->time, 0);
}

enum { DONE_ERROR = RQ_BYTES };

static void take_completion(struct translator *t, const struct sample *s)
{
    struct disk_requests *const d = disk_of(t);
    struct disk_request like = describe(s, RQ_ADDRESS);
    const uint32_t bytes = sample_u32(s, RQ_COUNT) * SECTOR;
    like.error = (int32_t)sample_i64(s, DONE_ERROR);
    struct disk_request *const r = find_known(d, &like);
    if (!r) {
        take_stray(t, s, &like, bytes);
        return;
    }
    if (like.error)
        r->error = like.error;
    const bool has_parts = r->operation != OPERATION_OTHER; /* commands have bytes, no sectors */
    if (has_parts && bytes && r->done + bytes < r->bytes) {
        advance(t, r, bytes);
        return;
    }
    const int64_t response = s->time - r->start;
    d->figures.completed++;
    d->figures.outstanding--;
    disk_report_end(t, r, r->bytes, s->cpu, s->time, response > 0 ? (uint64_t)response : 1);
    r->key = 0;
}

/* ---- the domain ------------------------------------------------------------------------------ */

/* What the helper will list: requests may end before its list comes. */
static void list_disks(struct askers *a)
{
    struct proc p;
    struct proc_disk *disks = NULL;
    if (!proc_open(&p, "/", NULL))
        return;
    const size_t count = proc_disks(&p, &disks);
    for (size_t i = 0; i < count; i++)
        askers_learn_disk(a, (uint32_t)disks[i].dev, (uint32_t)i);
    free(disks);
    proc_close(&p);
}

static void start(struct translator *t)
{
    struct disk_requests *const d = mem_new(1, sizeof *d);
    d->sets = translator_places(t, WAYS * sizeof *d->requests, SETS_PART, FEW_SETS, REQUEST_SETS);
    d->requests = mem_new((size_t)d->sets * WAYS, sizeof *d->requests);
    askers_init(&d->askers);
    list_disks(&d->askers);
    t->state[DOMAIN_DISK] = d;
}

static void stop(struct translator *t)
{
    struct disk_requests *const d = disk_of(t);
    if (!d)
        return;
    free(d->requests);
    askers_fini(&d->askers);
    free(d);
    t->state[DOMAIN_DISK] = NULL;
}

static size_t held_bytes(const struct translator *t)
{
    const struct disk_requests *const d = disk_of(t);
    return d ? (size_t)d->sets * WAYS * sizeof *d->requests + askers_bytes() : 0;
}

/* Those issued longer ago than that; nothing where none is outstanding. */
static void give_up_older(struct translator *t, int64_t now, int64_t by_bpf, int64_t by_perf)
{
    struct disk_requests *const d = disk_of(t);
    if (!d->figures.outstanding)
        return;
    for (size_t i = 0; i < (size_t)d->sets * WAYS; i++) {
        struct disk_request *const r = &d->requests[i];
        if (r->key && now - r->start > (r->is_bpf ? by_bpf : by_perf))
            disk_give_up(t, r, now);
    }
}

static void tick(struct translator *t, int64_t now)
{
    give_up_older(t, now, PATIENCE_NS, PERF_PATIENCE_NS);
}

/* What is under way at the end was asked for all the same. */
static void finish(struct translator *t, int64_t now)
{
    give_up_older(t, now, -1, -1);
}

static void take_reply(struct translator *t, const struct reply *m)
{
    if (m->kind == HELP_RUNDOWN && m->dev)
        askers_learn_disk(&disk_of(t)->askers, (uint32_t)m->dev, (uint32_t)m->key);
}

static const struct linux_event events[] = {
    {.group = "block",
     .name = "block_bio_queue",
     .fields = {"dev", "sector", "nr_sector", "rwbs"},
     .translate = take_question,
     .classes = 1u << FACT_DISK,
     .serves = "processes behind kernel workers' disk requests"},
    {.group = "block",
     .name = "block_split",
     .fields = {"dev", "sector", "new_sector", "rwbs"},
     .translate = take_split,
     .classes = 1u << FACT_DISK,
     .serves = "processes behind parts of large disk requests"},
    {.group = "block",
     .name = "block_rq_issue",
     .fields = {"dev", "sector", "nr_sector", "?bytes", "?ioprio", "rwbs", "?request", "?file_dev",
                "?inode"},
     .translate = take_issue,
     .program = "block_rq_issue",
     .prefers_bpf = true,
     .classes = 1u << FACT_DISK,
     .serves = "disk operations"},
    {.group = "block",
     .name = "block_rq_requeue",
     .fields = {"dev", "sector", "nr_sector", "?bytes", "?ioprio", "rwbs", "?request"},
     .translate = take_requeue,
     .program = "block_rq_requeue",
     .prefers_bpf = true,
     .classes = 1u << FACT_DISK,
     .serves = "retried disk operations"},
    {.group = "block",
     .name = "block_rq_complete",
     .fields = {"dev", "sector", "nr_sector", "?error", "?ioprio", "rwbs", "?request"},
     .translate = take_completion,
     .program = "block_rq_complete",
     .prefers_bpf = true,
     .classes = 1u << FACT_DISK,
     .serves = "disk latency"},
};

const struct linux_domain domain_disk = {
    .id = "disk",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .start = start,
    .bytes = held_bytes,
    .stop = stop,
    .tick = tick,
    .reply = take_reply,
    .finish = finish,
};
