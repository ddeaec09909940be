/* What the synthetic machine says it did, counted again by somebody who only reads its
 * records: parsed by event_parse(), fields found by the decoder's tables, names of
 * processes and threads learned from the events. Two programs, one truth. */
#include "tests/test.h"

#include "collectors/synthetic/synthetic.h"
#include "src/base/mem.h"
#include "src/event/decode.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 256 * 1024, IDS = 1 << 20, IRPS = 1 << 18, NONE = -1 };

/* What is known of a thread or processor from the records so far. */
struct known {
    int32_t process; /* row, or NONE */
    int64_t ready_at, preempted_at;
};

struct processor {
    uint32_t tid;
    int64_t switched_at;
};

struct recount {
    struct synthetic_process *rows;
    size_t count, room;
    struct known *threads; /* by thread id */
    int64_t *irps;         /* by a hash of the IRP's address: when it started */
    int32_t *pids;         /* process id to row */
    struct processor cpus[64];
    struct synthetic_disk disks[SYNTHETIC_DISKS];
    uint64_t hooks[0x10000];
    uint64_t records, bytes, unknown, leftover;
};

/* ---- one record ---------------------------------------------------------------------- */

struct look {
    const struct event *e;
    unsigned count;
    struct decoded fields[DECODE_FIELDS];
};

static uint64_t number(const struct look *l, const char *name)
{
    for (unsigned i = 0; i < l->count; i++)
        if (strcmp(l->fields[i].field->name, name) == 0) {
            assert_true(l->fields[i].is_present);
            return l->fields[i].number;
        }
    print_error("hook 0x%04x: no field %s\n", l->e->id, name);
    assert_true(false);
    return 0;
}

static struct synthetic_process *row_of_thread(struct recount *r, uint64_t tid)
{
    assert_true(tid < IDS);
    const int32_t row = r->threads[tid].process;
    assert_true(row >= 0);
    return &r->rows[row];
}

static struct synthetic_process *row_of_process(struct recount *r, uint64_t pid)
{
    assert_true(pid < IDS && r->pids[pid] >= 0);
    return &r->rows[r->pids[pid]];
}

static struct synthetic_process *row_of_cpu(struct recount *r, const struct event *e)
{
    return row_of_thread(r, r->cpus[e->cpu].tid);
}

/* ---- what each class means ------------------------------------------------------------- */

static void on_process(struct recount *r, const struct look *l)
{
    const uint64_t pid = number(l, "ProcessId");
    if (l->e->opcode == 2) {
        row_of_process(r, pid)->end = l->e->ts;
        return;
    }
    if (r->count == r->room) {
        r->room += 1024;
        r->rows = mem_grow(r->rows, r->room, sizeof *r->rows);
    }
    r->rows[r->count] = (struct synthetic_process){
        .pid = (uint32_t)pid,
        .key = number(l, "UniqueProcessKey"),
        .start = l->e->opcode == 1 ? l->e->ts : 0,
    };
    r->pids[pid] = (int32_t)r->count++;
}

static void on_thread(struct recount *r, const struct look *l)
{
    const uint64_t tid = number(l, "TThreadId");
    assert_true(tid < IDS);
    if (l->e->opcode != 2)
        r->threads[tid].process = r->pids[number(l, "ProcessId")];
}

static void on_switch(struct recount *r, const struct look *l)
{
    struct processor *c = &r->cpus[l->e->cpu];
    const uint64_t to = number(l, "NewThreadId"), from = number(l, "OldThreadId");
    assert_int_equal(from, c->tid);
    if (c->switched_at)
        row_of_thread(r, from)->run += l->e->ts - c->switched_at;
    *c = (struct processor){.tid = (uint32_t)to, .switched_at = l->e->ts};
    struct synthetic_process *p = row_of_thread(r, to);
    p->switches++;
    if (r->threads[to].ready_at)
        p->ready += l->e->ts - r->threads[to].ready_at;
    if (r->threads[to].preempted_at)
        p->preempted += l->e->ts - r->threads[to].preempted_at;
    r->threads[to].ready_at = r->threads[to].preempted_at = 0;
    r->threads[from].preempted_at = number(l, "OldThreadState") == 1 ? l->e->ts : 0;
}

static void on_ready(struct recount *r, const struct look *l)
{
    const uint64_t tid = number(l, "TThreadId");
    row_of_thread(r, tid)->readies++;
    r->threads[tid].ready_at = l->e->ts;
}

/* An IRP is under way from its beginning to its end, and only once at a time. */
static int64_t *irp(struct recount *r, uint64_t address)
{
    /* The machine's lie 512 bytes apart or more, those of disks in the upper half. */
    return &r->irps[(address >> 9 & (IRPS / 2 - 1)) | (address >> 28 & 1) * (IRPS / 2)];
}

static void irp_begin(struct recount *r, const struct look *l, const char *field)
{
    int64_t *since = irp(r, number(l, field));
    assert_int_equal(*since, 0);
    *since = l->e->ts;
}

static int64_t irp_end(struct recount *r, const struct look *l, const char *field)
{
    int64_t *since = irp(r, number(l, field));
    const int64_t ticks = l->e->ts - *since;
    assert_true(*since);
    *since = 0;
    return ticks;
}

static void on_disk_init(struct recount *r, const struct look *l)
{
    irp_begin(r, l, "Irp");
}

static void on_file_end(struct recount *r, const struct look *l)
{
    irp_end(r, l, "IrpPtr");
}

static void on_disk(struct recount *r, const struct look *l)
{
    struct synthetic_disk *d = &r->disks[number(l, "DiskNumber")];
    struct synthetic_process *p = row_of_thread(r, number(l, "IssuingThreadId"));
    const int64_t ticks = (int64_t)number(l, "HighResResponseTime");
    assert_int_equal(irp_end(r, l, "Irp"), ticks);
    d->response += ticks;
    p->disk_ticks += ticks;
    if (l->e->opcode == 14) {
        d->flushes++;
        return;
    }
    const uint64_t bytes = number(l, "TransferSize");
    if (l->e->opcode == 11) {
        d->writes++;
        p->disk_writes++;
        d->written_bytes += bytes;
        p->disk_written_bytes += bytes;
    } else {
        d->reads++;
        p->disk_reads++;
        d->read_bytes += bytes;
        p->disk_read_bytes += bytes;
    }
}

static void on_file(struct recount *r, const struct look *l)
{
    irp_begin(r, l, "IrpPtr");
    struct synthetic_process *p = row_of_thread(r, number(l, "TTID"));
    if (l->e->opcode == 64) {
        p->file_opens++;
    } else if (l->e->opcode == 67) {
        p->file_reads++;
        p->file_read_bytes += number(l, "IoSize");
    } else if (l->e->opcode == 68) {
        p->file_writes++;
        p->file_written_bytes += number(l, "IoSize");
    }
}

static void on_send(struct recount *r, const struct look *l)
{
    struct synthetic_process *p = row_of_process(r, number(l, "PID"));
    p->sends++;
    p->sent_bytes += number(l, "size");
}

static void on_receive(struct recount *r, const struct look *l)
{
    struct synthetic_process *p = row_of_process(r, number(l, "PID"));
    p->receives++;
    p->received_bytes += number(l, "size");
}

static void on_registry(struct recount *r, const struct look *l)
{
    row_of_process(r, l->e->pid)->registry++;
}

static void on_soft_fault(struct recount *r, const struct look *l)
{
    row_of_cpu(r, l->e)->soft_faults++;
}

static void on_allocate(struct recount *r, const struct look *l)
{
    row_of_process(r, number(l, "ProcessId"))->allocated_bytes += number(l, "RegionSize");
}

static void on_free(struct recount *r, const struct look *l)
{
    row_of_process(r, number(l, "ProcessId"))->freed_bytes += number(l, "RegionSize");
}

static void on_hard_fault(struct recount *r, const struct look *l)
{
    struct synthetic_process *p = row_of_thread(r, number(l, "TThreadId"));
    p->hard_faults++;
    p->hard_fault_bytes += number(l, "ByteCount");
}

static void on_sample(struct recount *r, const struct look *l)
{
    assert_int_equal(number(l, "ThreadId"), r->cpus[l->e->cpu].tid);
    row_of_cpu(r, l->e)->samples++;
}

static void on_stack(struct recount *r, const struct look *l)
{
    struct synthetic_process *p = row_of_thread(r, number(l, "StackThread"));
    assert_int_equal(number(l, "StackProcess"), p->pid);
    assert_int_equal(number(l, "EventTimeStamp") + 1, l->e->ts);
    p->stacks++;
}

static const struct {
    uint16_t first, last;
    void (*on)(struct recount *, const struct look *);
} meanings[] = {
    {0x0301, 0x0303, on_process},    {0x0501, 0x0503, on_thread},
    {0x0524, 0x0524, on_switch},     {0x0532, 0x0532, on_ready},
    {0x0262, 0x0262, on_allocate},   {0x0263, 0x0263, on_free},
    {0x010a, 0x010b, on_disk},       {0x010e, 0x010e, on_disk},
    {0x010c, 0x010d, on_disk_init},  {0x010f, 0x010f, on_disk_init},
    {0x0440, 0x044b, on_file},       {0x044c, 0x044c, on_file_end},
    {0x060a, 0x060a, on_send},       {0x061a, 0x061a, on_send},
    {0x080a, 0x080a, on_send},       {0x081a, 0x081a, on_send},
    {0x060b, 0x060b, on_receive},    {0x061b, 0x061b, on_receive},
    {0x080b, 0x080b, on_receive},    {0x081b, 0x081b, on_receive},
    {0x090a, 0x0915, on_registry},   {0x091b, 0x091d, on_registry},
    {0x020a, 0x020d, on_soft_fault}, {0x020f, 0x020f, on_soft_fault},
    {0x0220, 0x0220, on_hard_fault}, {0x0f2e, 0x0f2e, on_sample},
    {0x1820, 0x1820, on_stack},
};

/* Nothing is left behind the last field, but where current builds have more than the
 * tables: ExtraFlags of FileIo Read and Write. */
static bool is_all_read(const struct look *l)
{
    const size_t more = l->e->id == 0x0443 || l->e->id == 0x0444 ? 4 : 0;
    return l->fields[l->count - 1].end + more == l->e->payload_bytes;
}

static void count(void *arg, const struct record_head *head)
{
    struct recount *r = arg;
    struct look l;
    struct event e;
    assert_int_equal(event_of_record(head, &e), EVENT_OK);
    assert_int_equal(e.record_bytes + sizeof *head, head->bytes);
    assert_int_equal(e.ts, head->ts);
    assert_int_equal(e.pointer, 8);
    r->records++;
    r->bytes += e.record_bytes;
    r->hooks[e.id]++;
    const struct payload_layout *layout = decode_layout(&e);
    if (!layout) {
        r->unknown++;
        print_error("hook 0x%04x version %u: no layout\n", e.id, e.version);
        return;
    }
    l.e = &e;
    l.count = decode_fields(layout, &e, l.fields, DECODE_FIELDS);
    if (l.count && !is_all_read(&l)) {
        if (r->leftover++ < 5)
            print_error("hook 0x%04x: the layout does not end where the payload of %u bytes does\n",
                        e.id, (unsigned)e.payload_bytes);
    }
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (e.id >= meanings[i].first && e.id <= meanings[i].last)
            meanings[i].on(r, &l);
}

/* ---- the comparison ---------------------------------------------------------------------- */

static struct recount *recount_new(void)
{
    struct recount *r = mem_new(1, sizeof *r);
    r->threads = mem_new(IDS, sizeof *r->threads);
    r->pids = mem_new(IDS, sizeof *r->pids);
    r->irps = mem_new(IRPS, sizeof *r->irps);
    for (size_t i = 0; i < IDS; i++)
        r->threads[i].process = r->pids[i] = NONE;
    return r;
}

static void recount_free(struct recount *r)
{
    free(r->rows);
    free(r->threads);
    free(r->pids);
    free(r->irps);
    free(r);
}

static void compare(const struct recount *r, const struct synthetic_totals *t)
{
    assert_int_equal(r->unknown, 0);
    assert_int_equal(r->leftover, 0);
    assert_int_equal(r->records, t->records);
    assert_int_equal(r->bytes, t->bytes);
    uint64_t kinds[0x10000] = {0};
    for (size_t i = 0; i < synthetic_kind_count; i++)
        kinds[synthetic_kinds[i].hook] += t->kinds[i];
    assert_memory_equal(kinds, r->hooks, sizeof kinds);
    assert_memory_equal(t->disks, r->disks, sizeof t->disks);
    assert_int_equal(r->count, t->process_count);
    for (size_t i = 0; i < r->count; i++)
        if (memcmp(&r->rows[i], &t->processes[i], sizeof *r->rows) != 0) {
            const struct synthetic_process *a = &r->rows[i], *b = &t->processes[i];
            print_error("process %zu: pid %u and %u, run %lld and %lld, ready %lld and %lld\n", i,
                        a->pid, b->pid, (long long)a->run, (long long)b->run, (long long)a->ready,
                        (long long)b->ready);
            assert_memory_equal(a, b, sizeof *a);
        }
}

/* Every record of a machine, in order. */
static void play(struct synthetic *s, void (*each)(void *, const struct record_head *), void *arg)
{
    uint8_t *buffer = mem_new(ROOM, 1);
    size_t bytes;
    while ((bytes = synthetic_fill(s, buffer, ROOM, INT64_MAX)) != 0)
        for (size_t at = 0; at < bytes;) {
            const struct record_head *head = (const void *)(buffer + at);
            each(arg, head);
            at += (head->bytes + 7u) / 8 * 8;
        }
    free(buffer);
}

static void recounted(const struct synthetic_options *o)
{
    struct recount *r = recount_new();
    struct synthetic *s = synthetic_new(o);
    play(s, count, r);
    compare(r, synthetic_totals(s));
    synthetic_free(s);
    recount_free(r);
}

static void totals_are_recounted(void **state)
{
    (void)state;
    const struct synthetic_options rows[] = {
        {.seed = 1, .events = 400000, .keep_totals = true},
        {.seed = 2, .events = 100000, .keep_totals = true, .rate = 400000},
        {.seed = 3, .events = 100000, .keep_totals = true, .cpus = 2, .hostile = 500},
        {.seed = 4, .events = 1000, .keep_totals = true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        recounted(&rows[i]);
}

/* ---- the stall ---------------------------------------------------------------------------- */

enum { SECOND = 10000000 };

/* What somebody would look for who asks why the database stood still. */
struct inquiry {
    uint32_t writer;    /* thread named LogWriter */
    int64_t slow_until; /* end of a write of its that took a second … */
    uint32_t current[64];
    int64_t waiting_since[1 << 16];
    unsigned slow_writes, freed, large_reads;
};

static bool is_named(const struct look *l, const char *ascii)
{
    const struct decoded *name = &l->fields[l->count - 1];
    if (name->bytes != 2 * strlen(ascii))
        return false;
    for (size_t i = 0; ascii[i]; i++)
        if (name->data[2 * i] != (uint8_t)ascii[i])
            return false;
    return true;
}

static void follow_switch(struct inquiry *q, const struct look *l)
{
    q->current[l->e->cpu] = (uint32_t)number(l, "NewThreadId");
    q->waiting_since[number(l, "OldThreadId") & 0xffff] = l->e->ts;
}

static void follow_ready(struct inquiry *q, const struct look *l)
{
    const int64_t since = q->waiting_since[number(l, "TThreadId") & 0xffff];
    if (q->writer && q->current[l->e->cpu] == q->writer && q->slow_until &&
        l->e->ts - q->slow_until < SECOND / 4 && l->e->ts - since > SECOND / 2)
        q->freed++;
}

static void follow_disk(struct inquiry *q, const struct look *l)
{
    const bool is_slow = number(l, "HighResResponseTime") > SECOND;
    if (number(l, "DiskNumber") != 1)
        return;
    if (l->e->opcode == 11 && is_slow && number(l, "IssuingThreadId") == q->writer) {
        q->slow_until = l->e->ts;
        q->slow_writes++;
    }
    q->large_reads += l->e->opcode == 10 && is_slow && number(l, "TransferSize") >= 1 << 20;
}

static void inquire(void *arg, const struct record_head *head)
{
    struct inquiry *q = arg;
    struct event e;
    struct look l;
    if (event_of_record(head, &e) != EVENT_OK || !decode_layout(&e))
        return;
    l.e = &e;
    l.count = decode_fields(decode_layout(&e), &e, l.fields, DECODE_FIELDS);
    if (e.id == 0x0503 && is_named(&l, "LogWriter"))
        q->writer = (uint32_t)number(&l, "TThreadId");
    else if (e.id == 0x0524)
        follow_switch(q, &l);
    else if (e.id == 0x0532)
        follow_ready(q, &l);
    else if (e.id == 0x010a || e.id == 0x010b)
        follow_disk(q, &l);
}

/* The database's threads wait for its log writer, which waits for a write to disk 1 that
 * takes over a second while somebody reads that disk in large pieces. */
static void stall_has_a_cause_to_find(void **state)
{
    (void)state;
    struct inquiry *q = mem_new(1, sizeof *q);
    const struct synthetic_options o = {.seed = 12, .events = 400000};
    struct synthetic *s = synthetic_new(&o);
    play(s, inquire, q);
    print_message("%u slow writes, %u threads freed, %u large reads\n", q->slow_writes, q->freed,
                  q->large_reads);
    assert_int_equal(synthetic_totals(s)->stalls, 1);
    assert_int_equal(q->slow_writes, 1);
    assert_true(q->freed >= 4);
    assert_true(q->large_reads >= 3);
    synthetic_free(s);
    free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_recounted),
        cmocka_unit_test(stall_has_a_cause_to_find),
    };
    return cmocka_run_group_tests_name("synthetic machine recounted", tests, NULL, NULL);
}
