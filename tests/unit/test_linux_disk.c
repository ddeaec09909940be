/* Requests to disks from the kernel's events: their processes, their times, and requests that are
 * requeued, split, merged, done in parts or never completed. */
#include "tests/made_sample.h"

#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/translate/to_disk.h"

enum { READ = 0x010a, WRITE, READ_INIT, WRITE_INIT, FLUSH, FLUSH_INIT };
enum { DISK = 1999 << 20, PARTITION = DISK | 1, WORKER = 33 }; /* no disk of this machine */
#define N(v) ((uint64_t)(v))

static void at(struct sample_maker *m, int64_t time, uint32_t pid)
{
    m->time = time;
    m->pid = m->tid = pid;
}

static void ask(struct sample_maker *m, uint64_t dev, uint64_t sector, uint64_t count,
                const char *rwbs)
{
    made_send(m, made_event(m, "block_bio_queue"), "dev", dev, "sector", sector, "nr_sector", count,
              "\"rwbs", rwbs, NULL);
}

static void send_request(struct sample_maker *m, const char *what, uint64_t sector, uint64_t count,
                         const char *rwbs, int64_t error)
{
    const struct linux_event *const e = made_event(m, what);
    const bool is_issue = strcmp(what, "block_rq_issue") == 0;
    const bool is_back = strcmp(what, "block_rq_requeue") == 0;
    const uint64_t best_effort = 2 << 13;
    if (is_issue)
        made_send(m, e, "dev", N(DISK), "sector", sector, "nr_sector", count, "bytes", count * 512,
                  "ioprio", best_effort, "\"rwbs", rwbs, NULL);
    else if (is_back)
        made_send(m, e, "dev", N(DISK), "sector", sector, "nr_sector", count, "\"rwbs", rwbs, NULL);
    else
        made_send(m, e, "dev", N(DISK), "sector", sector, "nr_sector", count, "error", N(error),
                  "ioprio", best_effort, "\"rwbs", rwbs, NULL);
}

static void issue(struct sample_maker *m, uint64_t sector, uint64_t count, const char *rwbs)
{
    send_request(m, "block_rq_issue", sector, count, rwbs, 0);
}

static void complete(struct sample_maker *m, uint64_t sector, uint64_t count, const char *rwbs)
{
    send_request(m, "block_rq_complete", sector, count, rwbs, 0);
}

static void expect_transfer(struct sample_maker *m, uint16_t hook, uint32_t tid, uint32_t bytes,
                            uint64_t offset, uint64_t response)
{
    const struct came c = made_next(m, hook);
    assert_int_equal(c.version, 3);
    assert_int_equal(c.bytes, 52);
    assert_int_equal(c.tid, tid);
    assert_int_equal(c.pid, tid);
    assert_int_equal(load_u32(c.payload + 48), tid);
    assert_int_equal(load_u32(c.payload + 8), bytes);
    assert_int_equal(load_u64(c.payload + 16), offset);
    assert_int_equal(load_u64(c.payload + 40), response);
}

static void expect_init(struct sample_maker *m, uint16_t hook, uint32_t tid)
{
    const struct came c = made_next(m, hook);
    assert_int_equal(c.bytes, 12);
    assert_int_equal(c.tid, tid);
    assert_int_equal(load_u32(c.payload + 8), tid);
}

/* ---- as it should be ----------------------------------------------------------------------- */

static void a_read_is_whose_it_was(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    m->domain->reply(&m->translator, &(struct reply){.kind = HELP_RUNDOWN, .dev = DISK, .key = 2});
    at(m, 1000, 700);
    ask(m, DISK, 64, 8, "RM");
    at(m, 1100, WORKER);
    issue(m, 64, 8, "RM");
    at(m, 5100, 0); /* whoever is interrupted */
    complete(m, 64, 8, "RM");
    struct came c = made_next(m, READ_INIT);
    const uint64_t irp = load_u64(c.payload);
    assert_int_equal(c.tid, 700);
    assert_int_equal(c.time, 1100);
    assert_true(made_take(m, &c));
    assert_int_equal(c.hook, READ);
    assert_int_equal(load_u32(c.payload), 2);                    /* the disk's number */
    assert_int_equal(load_u32(c.payload + 4), 0x102 | 3u << 17); /* read, paging, normal */
    assert_int_equal(load_u32(c.payload + 8), 4096);
    assert_int_equal(load_u64(c.payload + 16), 64 * 512);
    assert_int_equal(load_u64(c.payload + 32), irp);
    assert_int_equal(load_u64(c.payload + 40), 4000);
    assert_int_equal(load_u32(c.payload + 48), 700);
    made_nothing(m);
    assert_int_equal(m->translator.unpaired, 0);
    made_free(m);
}

/* The kernel issues a flush for sector 0 and completes it for none. */
static void flushes_have_no_place(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 1000, 700);
    issue(m, 0, 0, "FF");
    at(m, 5000, 0);
    complete(m, UINT64_MAX, 0, "FF");
    const struct came init = made_next(m, FLUSH_INIT), c = made_next(m, FLUSH);
    assert_int_equal(load_u64(c.payload + 8), 4000);
    assert_int_equal(load_u64(c.payload + 16), load_u64(init.payload));
    made_nothing(m);
    assert_int_equal(m->translator.unpaired, 0);
    made_free(m);
}

/* Letters behind the operation: waited for, ahead, the file system's; an F there or in front is
 * neither. */
static void letters_become_flags(void **state)
{
    (void)state;
    static const struct {
        const char *letters;
        uint32_t flags;
    } rows[] = {{"R", 0x100},  {"RA", 0x102},  {"RSM", 0x106},   {"RAM", 0x102}, {"W", 0x200},
                {"WS", 0x204}, {"WFS", 0x204}, {"FWFSM", 0x206}, {"WSA", 0x206}, {"WM", 0x202}};
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_read = rows[i].flags & 0x100;
        at(m, 1000 * (int64_t)i + 10, 700);
        ask(m, DISK, 64 * (i + 1), 8, rows[i].letters);
        issue(m, 64 * (i + 1), 8, rows[i].letters);
        at(m, 1000 * (int64_t)i + 20, 0);
        complete(m, 64 * (i + 1), 8, rows[i].letters);
        made_next(m, is_read ? READ_INIT : WRITE_INIT);
        const struct came c = made_next(m, is_read ? READ : WRITE);
        if ((load_u32(c.payload + 4) & 0x1ffff) != rows[i].flags)
            fail_msg("%s: %#x", rows[i].letters, load_u32(c.payload + 4));
    }
    made_nothing(m);
    made_free(m);
}

/* Requests name the disk, those who ask its partition. */
static void partitions_are_their_disk(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    m->domain->reply(&m->translator, &(struct reply){.kind = HELP_RUNDOWN, .dev = DISK});
    const uint64_t other = 1998 << 20;
    m->domain->reply(&m->translator, &(struct reply){.kind = HELP_RUNDOWN, .dev = other, .key = 1});
    at(m, 10, 700);
    ask(m, PARTITION, 2048, 8, "W");
    at(m, 11, 800);
    ask(m, other, 2048, 8, "W"); /* a disk that we know and that this is not */
    at(m, 20, WORKER);
    issue(m, 2048, 8, "W");
    expect_init(m, WRITE_INIT, 700);
    made_free(m);
}

/* An empty write that flushes first: the kernel makes a flush of it, by a worker, and ends the
 * write itself without having issued it. */
static void flushes_are_asked_for_by_empty_writes(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 100, 700);
    ask(m, DISK, 0, 0, "FWS");
    at(m, 200, WORKER);
    issue(m, 0, 0, "FF");
    at(m, 900, 0);
    complete(m, 0, 0, "FF");
    complete(m, 0, 0, "FWS");
    expect_init(m, FLUSH_INIT, 700);
    const struct came c = made_next(m, FLUSH);
    assert_int_equal(c.bytes, 28);
    assert_int_equal(load_u64(c.payload + 8), 700);
    assert_int_equal(load_u32(c.payload + 24), 700);
    made_nothing(m);
    assert_int_equal(m->translator.unpaired, 0);
    made_free(m);
}

static void discards_are_distinguished(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 100, 700);
    issue(m, 4096, 1024, "DS");
    at(m, 300, 0);
    complete(m, 4096, 1024, "DS");
    const struct came c = made_next_tracetop(m, "DiskCommand");
    assert_int_equal(c.pid, 700);
    assert_string_equal((const char *)c.payload + 4, "discard");
    made_nothing(m);
    made_free(m);
}

/* ---- cut and joined -------------------------------------------------------------------------- */

/* The kernel's own sequence for one read of 1 MiB + 16 sectors from a disk that takes 2032. */
static void parts_of_a_split_are_the_askers(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    const struct linux_event *const split = made_event(m, "block_split");
    at(m, 10, 700);
    ask(m, DISK, 10000, 5000, "RS");
    made_send(m, split, "dev", N(DISK), "sector", N(10000), "new_sector", N(12032), "\"rwbs", "RS",
              NULL);
    issue(m, 10000, 2032, "RS");
    made_send(m, split, "dev", N(DISK), "sector", N(12032), "new_sector", N(14064), "\"rwbs", "RS",
              NULL);
    at(m, 20, WORKER);
    issue(m, 12032, 2032, "RS");
    issue(m, 14064, 936, "RS");
    for (unsigned i = 0; i < 3; i++)
        expect_init(m, READ_INIT, 700);
    at(m, 120, 0);
    complete(m, 14064, 936, "RS");
    complete(m, 10000, 2032, "RS");
    complete(m, 12032, 2032, "RS");
    expect_transfer(m, READ, 700, 936 * 512, 14064 * 512, 100);
    expect_transfer(m, READ, 700, 2032 * 512, 10000 * 512, 110);
    expect_transfer(m, READ, 700, 2032 * 512, 12032 * 512, 100);
    made_nothing(m);
    made_free(m);
}

/* One behind the other: the request is that of the first. */
static void merged_requests_are_one(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 10, 700);
    ask(m, DISK, 100, 8, "W");
    at(m, 11, 800);
    ask(m, DISK, 108, 8, "W");
    at(m, 20, WORKER);
    issue(m, 100, 16, "W");
    at(m, 50, 0);
    complete(m, 100, 16, "W");
    expect_init(m, WRITE_INIT, 700);
    expect_transfer(m, WRITE, 700, 16 * 512, 100 * 512, 30);
    made_nothing(m);
    made_free(m);
}

/* ---- given back, done in parts --------------------------------------------------------------- */

static void requeued_requests_keep_their_start(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 1000, 700);
    issue(m, 100, 8, "R");
    at(m, 1010, 700);
    send_request(m, "block_rq_requeue", 100, 8, "R", 0);
    at(m, 1500, WORKER);
    issue(m, 100, 8, "R");
    at(m, 2000, 0);
    complete(m, 100, 8, "R");
    expect_init(m, READ_INIT, 700);
    expect_transfer(m, READ, 700, 4096, 100 * 512, 1000);
    made_nothing(m);
    assert_int_equal(disk_figures(&m->translator).requeued, 1);
    assert_int_equal(m->translator.unpaired, 0);
    made_free(m);
}

static void parts_add_up_to_one_record(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 1000, 700);
    issue(m, 100, 24, "R");
    at(m, 1100, 0);
    complete(m, 100, 8, "R");
    at(m, 1200, 0);
    complete(m, 108, 8, "R");
    made_next(m, READ_INIT);
    made_nothing(m);
    at(m, 1300, 0);
    complete(m, 116, 8, "R");
    expect_transfer(m, READ, 700, 24 * 512, 100 * 512, 300);
    made_nothing(m);
    assert_int_equal(disk_figures(&m->translator).outstanding, 0);
    made_free(m);
}

static void errors_stand_beside_the_record(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 1000, 700);
    issue(m, 100, 8, "W");
    at(m, 1100, 0);
    send_request(m, "block_rq_complete", 100, 8, "W", -5);
    expect_init(m, WRITE_INIT, 700);
    expect_transfer(m, WRITE, 700, 4096, 100 * 512, 100);
    const struct came c = made_next_tracetop(m, "DiskError");
    assert_int_equal(load_u32(c.payload + 28), 5);
    made_nothing(m);
    made_free(m);
}

/* ---- lost ------------------------------------------------------------------------------------ */

/* The same place is asked for again, and nobody gave it back: its end was lost. */
static void lost_completions_are_reported(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    m->cpu = 1;
    at(m, 1000, 700);
    issue(m, 100, 8, "R");
    m->cpu = 0;
    at(m, 9000, 800);
    issue(m, 100, 8, "R");
    at(m, 9500, 0);
    complete(m, 100, 8, "R");
    expect_init(m, READ_INIT, 700);
    expect_transfer(m, READ, 700, 4096, 100 * 512, 0); /* not measured */
    const struct came c = made_next_tracetop(m, "DiskUnseen");
    assert_int_equal(load_u64(c.payload + 28), 8000);
    assert_int_equal(c.cpu, 0); /* of the next request: files order equal times by processor */
    expect_init(m, READ_INIT, 800);
    expect_transfer(m, READ, 800, 4096, 100 * 512, 500);
    made_nothing(m);
    assert_int_equal(disk_figures(&m->translator).unseen, 1);
    assert_int_equal(m->translator.unpaired, 1);
    made_free(m);
}

static void requests_time_out(void **state)
{
    (void)state;
    static const int64_t S = 1000000000;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, S, 700);
    issue(m, 100, 8, "W");
    m->domain->tick(&m->translator, 5 * S);
    made_next(m, WRITE_INIT);
    made_nothing(m);
    m->domain->tick(&m->translator, 7 * S);
    expect_transfer(m, WRITE, 700, 4096, 100 * 512, 0);
    made_next_tracetop(m, "DiskUnseen");
    m->domain->tick(&m->translator, 20 * S);
    made_nothing(m);
    assert_int_equal(m->translator.unpaired, 1);
    assert_int_equal(disk_figures(&m->translator).outstanding, 0);
    made_free(m);
}

static void what_is_under_way_at_the_end_is_reported(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 1000, 700);
    issue(m, 100, 8, "W");
    m->domain->finish(&m->translator, 1500);
    expect_init(m, WRITE_INIT, 700);
    expect_transfer(m, WRITE, 700, 4096, 100 * 512, 0);
    made_next_tracetop(m, "DiskUnseen");
    made_nothing(m);
    assert_int_equal(disk_figures(&m->translator).unseen, 1);
    made_free(m);
}

/* Under way when we began: the disk did it, nobody knows for whom. */
static void strays_are_nobodys(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 1000, 700);
    complete(m, 100, 8, "R");
    const struct came c = made_next(m, READ);
    assert_int_equal(c.version, 2);
    assert_int_equal(c.bytes, 48);
    assert_int_equal(c.tid, EVENT_NO_ID);
    assert_int_equal(load_u32(c.payload + 8), 4096);
    assert_int_equal(load_u64(c.payload + 40), 0);
    made_nothing(m);
    assert_int_equal(m->translator.unpaired, 1);
    made_free(m);
}

/* More at once than there is room for: each is reported in the end, once. */
/* Under -p: by who asked, whoever issues and whoever is interrupted; nobody's not at all. */
static void only_requests_of_the_scope_are_reported(void **state)
{
    (void)state;
    const uint32_t pids[] = {700};
    struct scope scope;
    scope_init(&scope, &(struct collector_scope){.pids = pids, .pid_count = 1}, "/nowhere",
               NULL);
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    m->translator.scope = &scope;
    at(m, 10, 700);
    ask(m, DISK, 64, 8, "R");
    at(m, 11, 800);
    ask(m, DISK, 128, 8, "R");
    ask(m, DISK, 256, 8, "D");
    at(m, 20, 700);
    issue(m, 128, 8, "R");
    issue(m, 256, 8, "D");
    issue(m, 512, 8, "R"); /* his: nobody else asked */
    at(m, 30, WORKER);
    issue(m, 64, 8, "R");
    at(m, 40, 700);
    complete(m, 128, 8, "R");
    complete(m, 256, 8, "D");
    complete(m, 999, 8, "R"); /* nobody's */
    at(m, 50, 0);
    complete(m, 64, 8, "R");
    expect_init(m, READ_INIT, 700);
    expect_init(m, READ_INIT, 700);
    expect_transfer(m, READ, 700, 4096, 64 * 512, 20);
    at(m, 60, 800);
    issue(m, 1024, 8, "W"); /* another's, and never seen again */
    m->domain->finish(&m->translator, 70);
    expect_transfer(m, READ, 700, 4096, 512 * 512, 0);
    made_next_tracetop(m, "DiskUnseen");
    made_nothing(m);
    made_free(m);
    scope_fini(&scope);
}

static void floods_lose_no_request(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    struct came c;
    uint64_t reported = 0, inits = 0, bytes = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        at(m, (int64_t)(1000 + i), 700);
        issue(m, 8 * i, 8, "R");
        while (made_take(m, &c)) {
            inits += c.hook == READ_INIT;
            reported += c.hook == READ;
            bytes += c.hook == READ ? load_u32(c.payload + 8) : 0;
        }
    }
    assert_int_equal(inits, MANY);
    assert_int_equal(reported, disk_figures(&m->translator).pushed_out);
    assert_true(reported > 0);
    while (disk_figures(&m->translator).outstanding) {
        const uint64_t before = disk_figures(&m->translator).outstanding;
        for (uint64_t i = 0; i < MANY; i++) {
            complete(m, 8 * i, 8, "R");
            while (made_take(m, &c)) {
                const bool is_known = c.hook == READ && c.version == 3;
                reported += is_known;
                bytes += is_known ? load_u32(c.payload + 8) : 0;
            }
        }
        assert_true(disk_figures(&m->translator).outstanding < before);
    }
    assert_int_equal(reported, MANY);
    assert_int_equal(bytes, (uint64_t)MANY * 4096);
    made_free(m);
}

/* ---- by address ------------------------------------------------------------------------------ */

static void send_by_address(struct sample_maker *m, const char *what, uint64_t address,
                            uint64_t sector, uint64_t count, const char *rwbs)
{
    const struct linux_event *const e = made_event(m, what);
    const char *const third = strcmp(what, "block_rq_complete") == 0 ? "error" : "bytes";
    m->by_bpf = true;
    made_send(m, e, "dev", N(DISK), "sector", sector, "nr_sector", count, third,
              *third == 'b' ? count * 512 : 0, "\"rwbs", rwbs, "request", address, NULL);
}

/* Two at the same place at once, one requeued, one done in parts: the address distinguishes
 * them. */
static void requests_differ_by_address(void **state)
{
    (void)state;
    enum { A = 0x1000, B = 0x2000 };
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 100, 700);
    send_by_address(m, "block_rq_issue", A, 64, 16, "R");
    at(m, 110, 800);
    send_by_address(m, "block_rq_issue", B, 64, 16, "R");
    at(m, 115, 700);
    send_by_address(m, "block_rq_requeue", A, 64, 16, "R");
    at(m, 120, WORKER);
    send_by_address(m, "block_rq_issue", A, 64, 16, "R");
    at(m, 200, 0);
    send_by_address(m, "block_rq_complete", B, 64, 8, "R");
    at(m, 300, 0);
    send_by_address(m, "block_rq_complete", A, 64, 16, "R");
    at(m, 400, 0);
    send_by_address(m, "block_rq_complete", B, 72, 8, "R");
    expect_init(m, READ_INIT, 700);
    expect_init(m, READ_INIT, 800);
    expect_transfer(m, READ, 700, 16 * 512, 64 * 512, 200);
    expect_transfer(m, READ, 800, 16 * 512, 64 * 512, 290);
    made_nothing(m);
    assert_int_equal(disk_figures(&m->translator).requeued, 1);
    assert_int_equal(m->translator.unpaired, 0);
    made_free(m);
}

/* A queue has one request for all of its flushes: where the end of one was not seen, the next one
 * is another, although nothing distinguishes them. */
static void flushes_at_one_address_are_all_counted(void **state)
{
    (void)state;
    enum { ADDRESS = 0x1000, FLUSHES = 3 };
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    for (int i = 1; i <= FLUSHES; i++) {
        at(m, i * 100, 700);
        send_by_address(m, "block_rq_issue", ADDRESS, 0, 0, "F");
        if (i != 2) {
            at(m, i * 100 + 50, 0);
            send_by_address(m, "block_rq_complete", ADDRESS, 0, 0, "F");
        }
    }
    for (int i = 1; i <= FLUSHES; i++) {
        made_next(m, FLUSH_INIT);
        assert_int_equal(load_u64(made_next(m, FLUSH).payload + 8), i == 2 ? 0 : 50);
        if (i == 2)
            made_next_tracetop(m, "DiskUnseen");
    }
    made_nothing(m);
    assert_int_equal(disk_figures(&m->translator).requeued, 0);
    assert_int_equal(disk_figures(&m->translator).unseen, 1);
    made_free(m);
}

/* What the driver gave back is merged with its neighbor before it is issued again: one request. */
static void requeued_requests_may_grow(void **state)
{
    (void)state;
    enum { ADDRESS = 0x1000 };
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 100, 700);
    send_by_address(m, "block_rq_issue", ADDRESS, 64, 8, "R");
    at(m, 110, 700);
    send_by_address(m, "block_rq_requeue", ADDRESS, 64, 8, "R");
    at(m, 120, WORKER);
    send_by_address(m, "block_rq_issue", ADDRESS, 64, 24, "R");
    at(m, 200, 0);
    send_by_address(m, "block_rq_complete", ADDRESS, 64, 16, "R");
    at(m, 300, 0);
    send_by_address(m, "block_rq_complete", ADDRESS, 80, 8, "R");
    expect_init(m, READ_INIT, 700);
    expect_transfer(m, READ, 700, 24 * 512, 64 * 512, 200);
    made_nothing(m);
    assert_int_equal(m->translator.unpaired, 0);
    made_free(m);
}

/* Programs for the ends only: issues went by place. */
static void ends_by_address_find_issues_by_place(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    at(m, 100, 700);
    issue(m, 64, 8, "W");
    at(m, 400, 0);
    send_by_address(m, "block_rq_complete", 0x1000, 64, 8, "W");
    expect_init(m, WRITE_INIT, 700);
    expect_transfer(m, WRITE, 700, 4096, 64 * 512, 300);
    made_nothing(m);
    made_free(m);
}

/* A device nobody listed gets a number of its own, always the same; records that are cut short
 * harm nobody. */
static void unknown_devices_are_numbered(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_DISK);
    const struct linux_event *const e = made_event(m, "block_rq_complete");
    const uint64_t devices[] = {4000u << 20, 4001u << 20, 4000u << 20};
    uint32_t numbers[3];
    for (unsigned i = 0; i < 3; i++) {
        made_send(m, e, "dev", devices[i], "sector", N(1), "nr_sector", N(8), "\"rwbs", "R", NULL);
        numbers[i] = load_u32(made_next(m, READ).payload);
    }
    assert_int_equal(numbers[0], numbers[2]);
    assert_int_not_equal(numbers[0], numbers[1]);
    made_send(m, e, NULL);
    made_send(m, made_event(m, "block_rq_issue"), NULL);
    made_send(m, made_event(m, "block_bio_queue"), NULL);
    made_send(m, made_event(m, "block_split"), NULL);
    made_send(m, made_event(m, "block_rq_requeue"), NULL);
    made_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_is_whose_it_was),
        cmocka_unit_test(flushes_have_no_place),
        cmocka_unit_test(letters_become_flags),
        cmocka_unit_test(partitions_are_their_disk),
        cmocka_unit_test(flushes_are_asked_for_by_empty_writes),
        cmocka_unit_test(discards_are_distinguished),
        cmocka_unit_test(parts_of_a_split_are_the_askers),
        cmocka_unit_test(merged_requests_are_one),
        cmocka_unit_test(requeued_requests_keep_their_start),
        cmocka_unit_test(parts_add_up_to_one_record),
        cmocka_unit_test(errors_stand_beside_the_record),
        cmocka_unit_test(lost_completions_are_reported),
        cmocka_unit_test(requests_time_out),
        cmocka_unit_test(what_is_under_way_at_the_end_is_reported),
        cmocka_unit_test(strays_are_nobodys),
        cmocka_unit_test(only_requests_of_the_scope_are_reported),
        cmocka_unit_test(floods_lose_no_request),
        cmocka_unit_test(requests_differ_by_address),
        cmocka_unit_test(flushes_at_one_address_are_all_counted),
        cmocka_unit_test(requeued_requests_may_grow),
        cmocka_unit_test(ends_by_address_find_issues_by_place),
        cmocka_unit_test(unknown_devices_are_numbered),
    };
    return cmocka_run_group_tests_name("disks", tests, NULL, NULL);
}
