/* What threads of the synthetic machine do at the end of a burst: one function per work item,
 * each ending in go_on(), block() or leave(); roles[] says how likely each is.
 *
 * The stall. Every twenty seconds or so the antivirus turns to the disk that also holds
 * the database's log (ACT_SCAN reads it in large pieces without a pause), and one
 * request to that disk hangs for over a second. The log writer waits for it, everyone
 * who commits waits for the log writer, the database's answers stop: threads of
 * sqlservr.exe wait for a user request, readied by LogWriter, which was readied by the
 * completion of a slow write to ledger1.ldf on disk 1, behind MsMpEng.exe's reads. */
#include "collectors/synthetic/machine.h"

#include "collectors/synthetic/workload_inside.h"

enum {
    STATUS_OK = 0,
    IRP_READ = 0x60900,
    IRP_WRITE = 0x60a00,
    IRP_PAGING = 0x60043,
    COMPILERS_EACH = 40, /* compiled files to each link */
};

#define TIMED_OUT 0x102u
#define NOT_FOUND 0xc0000034u

/* Every file operation has an IRP of its own while it lasts; a thread's are used again in
 * turn, and it never has so many under way. */
static uint64_t irp_of(const struct synthetic *s, struct demo_thread *t)
{
    enum { TURNS = 64 };
    const unsigned turn = t->operations++ % TURNS;
    return 0xffff9b8f60000000u + ((uint64_t)thread_index(s, t) * TURNS + turn) * 0x200;
}

/* Waits for a sibling, or wakes one that waits; nobody waits for ever. */
static void work_wait(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct demo_process *p = process_of(s, t);
    if (p->waiters != NOBODY && prng_chance(&s->prng, 600)) {
        struct demo_thread *other = &s->threads[p->waiters];
        p->waiters = other->next;
        other->next = NOBODY;
        ready(s, other, cpu, false);
        go_on(s, cpu, t);
        return;
    }
    t->next = p->waiters;
    p->waiters = thread_index(s, t);
    sleep_for(s, cpu, t, pause_of(s, 4 * (int64_t)roles[t->role].pause_us), WAIT_USER);
}

/* ---- files ----------------------------------------------------------------------- */

static void learn_name(struct synthetic *s, unsigned cpu, struct demo_file *f)
{
    if (s->o.late_rundown || f->is_named)
        return;
    log_file_name(s, cpu, KIND_FILE_NAME, f);
    f->is_named = true;
}

/* A new FILE_OBJECT; the file comes into being where it was not there. */
static void open_file(struct synthetic *s, unsigned cpu, struct demo_thread *t, uint16_t index)
{
    struct demo_file *f = &s->files[index];
    const uint64_t irp = irp_of(s, t);
    t->object = 0xffff9b8f80000070u + (uint64_t)prng_below(&s->prng, 1 << 16) * 0x180;
    const uint32_t disposition = f->is_there ? 1u : 5u; /* open; overwrite if it is there */
    log_file_open(s, cpu, t, irp, f, disposition << 24 | 0x60);
    pass(s, prng_between(&s->prng, 20, 400));
    if (!f->is_there)
        log_file_name(s, cpu, KIND_FILE_CREATED, f);
    f->is_named |= !f->is_there;
    f->is_there = true;
    log_file_done(s, cpu, irp, disposition, STATUS_OK);
    t->file = index;
}

static void close_file(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    if (t->file == NOBODY)
        return;
    const struct demo_file *f = &s->files[t->file];
    const uint64_t irp = irp_of(s, t);
    log_file_simple(s, cpu, KIND_FILE_CLEANUP, t, irp, f);
    log_file_done(s, cpu, irp, 0, STATUS_OK);
    log_file_simple(s, cpu, KIND_FILE_CLOSE, t, irp, f);
    log_file_done(s, cpu, irp, 0, STATUS_OK);
    t->file = NOBODY;
}

/* The thread's open file, if it is of that family; else another one, opened. */
static struct demo_file *file_for(struct synthetic *s, unsigned cpu, struct demo_thread *t,
                                  unsigned family)
{
    if (t->file == NOBODY || s->files[t->file].family != family) {
        close_file(s, cpu, t);
        open_file(s, cpu, t, file_pick(s, family));
    }
    return &s->files[t->file];
}

static void work_open(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    close_file(s, cpu, t);
    const uint16_t index = file_pick(s, roles[t->role].reads);
    if (t->role == ROLE_COMPILER && prng_chance(&s->prng, 400)) {
        /* Looking for a header in one folder after the other. */
        t->object = 0xffff9b8f80000070u;
        const uint64_t irp = irp_of(s, t);
        log_file_open(s, cpu, t, irp, &s->files[index], 1u << 24 | 0x60);
        pass(s, prng_between(&s->prng, 20, 100));
        log_file_done(s, cpu, irp, 0, NOT_FOUND);
    } else {
        open_file(s, cpu, t, index);
    }
    go_on(s, cpu, t);
}

static void work_close(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    close_file(s, cpu, t);
    go_on(s, cpu, t);
}

static uint32_t whole_sectors(uint32_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

/* Where in a file the next transfer goes: on for those who copy, anywhere for others. */
static uint64_t offset_in(struct synthetic *s, struct demo_thread *t, const struct demo_file *f,
                          uint32_t bytes)
{
    const uint32_t pieces = f->bytes / (bytes + 1) + 1;
    if (t->role == ROLE_BACKUP || t->role == ROLE_LOGGER)
        return (uint64_t)(t->place++ % pieces) * bytes;
    return (uint64_t)prng_below(&s->prng, pieces) * bytes;
}

/* A file read or write that needs the disk: the thread waits for it, unless it is one of
 * those that keep several under way. */
static void transfer(struct synthetic *s, unsigned cpu, struct demo_thread *t,
                     const struct demo_file *f, enum io_kind kind, uint64_t offset, uint32_t bytes,
                     uint64_t irp)
{
    const uint32_t flags = kind == IO_READ ? IRP_READ : IRP_WRITE;
    struct io *io = io_submit(s, cpu, t, f, kind, offset, whole_sectors(bytes), flags);
    if (!io) {
        log_file_done(s, cpu, irp, bytes, STATUS_OK);
        go_on(s, cpu, t);
        return;
    }
    io->file_irp = irp;
    const bool is_ahead = t->role == ROLE_KERNEL && prng_chance(&s->prng, 700);
    io->is_waited = !is_ahead;
    if (is_ahead)
        go_on(s, cpu, t);
    else
        block(s, cpu, t, WAIT_EXECUTIVE);
}

static void work_read(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    const struct demo_role *role = &roles[t->role];
    struct demo_file *f = file_for(s, cpu, t, role->reads);
    learn_name(s, cpu, f);
    const uint32_t bytes =
        (uint32_t)prng_spread(&s->prng, role->read_bytes, t->role == ROLE_SERVER ? 0 : 8);
    const uint64_t offset = offset_in(s, t, f, bytes), irp = irp_of(s, t);
    log_file_transfer(s, cpu, KIND_FILE_READ, t, irp, f, offset, bytes);
    if (!prng_chance(&s->prng, role->cached * 10u)) {
        transfer(s, cpu, t, f, IO_READ, offset, bytes, irp);
        return;
    }
    pass(s, 10 + bytes / 8192);
    log_file_done(s, cpu, irp, bytes, STATUS_OK);
    go_on(s, cpu, t);
}

/* Writes go to the cache and later, by System, to the disk; databases and copiers wait. */
static void work_write(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    const struct demo_role *role = &roles[t->role];
    if (role->writes == FAMILY_NONE) {
        go_on(s, cpu, t);
        return;
    }
    struct demo_file *f = file_for(s, cpu, t, role->writes);
    learn_name(s, cpu, f);
    const uint32_t bytes = (uint32_t)prng_spread(&s->prng, role->write_bytes, 8);
    const uint64_t offset = offset_in(s, t, f, bytes), irp = irp_of(s, t);
    log_file_transfer(s, cpu, KIND_FILE_WRITE, t, irp, f, offset, bytes);
    if (t->role == ROLE_SERVER || t->role == ROLE_BACKUP || t->role == ROLE_KERNEL) {
        transfer(s, cpu, t, f, IO_WRITE, offset, bytes, irp);
        return;
    }
    pass(s, 15 + bytes / 8192);
    log_file_done(s, cpu, irp, bytes, STATUS_OK);
    go_on(s, cpu, t);
}

static void work_flush(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct demo_file *f = file_for(s, cpu, t, roles[t->role].writes);
    const uint64_t irp = irp_of(s, t);
    log_file_simple(s, cpu, KIND_FILE_FLUSH, t, irp, f);
    struct io *io = io_submit(s, cpu, t, f, IO_FLUSH, 0, 0, 0x60000);
    if (!io) {
        log_file_done(s, cpu, irp, 0, STATUS_OK);
        go_on(s, cpu, t);
        return;
    }
    io->file_irp = irp;
    block(s, cpu, t, WAIT_EXECUTIVE);
}

static void work_list(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    const struct demo_file *f = file_for(s, cpu, t, roles[t->role].reads);
    const uint64_t irp = irp_of(s, t);
    for (unsigned i = prng_between(&s->prng, 1, 3); i; i--) {
        log_file_enum(s, cpu, t, irp, f, 4096);
        pass(s, prng_between(&s->prng, 50, 300));
        log_file_done(s, cpu, irp, i > 1 ? 4016 : 0, i > 1 ? STATUS_OK : 0x80000006u);
    }
    go_on(s, cpu, t);
}

static void work_attribute(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    const struct demo_file *f = file_for(s, cpu, t, roles[t->role].reads);
    const uint64_t irp = irp_of(s, t);
    const bool sets = prng_chance(&s->prng, 120);
    log_file_info(s, cpu, sets ? KIND_FILE_SET : KIND_FILE_QUERY, t, irp, f, 0, sets ? 4 : 34);
    pass(s, prng_between(&s->prng, 10, 80));
    log_file_done(s, cpu, irp, sets ? 0 : 56, STATUS_OK);
    go_on(s, cpu, t);
}

/* Writers of documents and objects do so under another name, rename, delete the old. */
static void work_replace(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct demo_file *f = file_for(s, cpu, t, roles[t->role].writes);
    const uint64_t irp = irp_of(s, t);
    log_file_info(s, cpu, KIND_FILE_RENAME, t, irp, f, 0, 10);
    pass(s, prng_between(&s->prng, 100, 600));
    log_file_done(s, cpu, irp, 0, STATUS_OK);
    log_file_info(s, cpu, KIND_FILE_DELETE, t, irp, f, 1, 13);
    log_file_done(s, cpu, irp, 0, STATUS_OK);
    close_file(s, cpu, t);
    log_file_name(s, cpu, KIND_FILE_DELETED, f);
    f->is_there = f->is_named = false;
    go_on(s, cpu, t);
}

/* ---- registry --------------------------------------------------------------------- */

static uint64_t kcb_of(unsigned key)
{
    return 0xffffc00d01200000u + (uint64_t)key * 0x130;
}

void log_key(struct synthetic *s, unsigned cpu, enum demo_kind kind, unsigned key)
{
    log_registry(s, cpu, kind, 0, STATUS_OK, 0, kcb_of(key), registry_keys[key].path);
}

static void work_registry(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    static const uint8_t what[] = {KIND_VALUE_QUERY, KIND_VALUE_QUERY, KIND_VALUE_QUERY,
                                   KIND_KEY_ENUM, KIND_KEY_QUERY};
    const unsigned key = prng_below(&s->prng, registry_key_count);
    const struct registry_key *k = &registry_keys[key];
    if (!(s->kcb_named >> key & 1)) {
        log_key(s, cpu, KIND_KCB_CREATE, key);
        s->kcb_named |= (uint64_t)1 << key;
    }
    int64_t since = s->now;
    pass(s, prng_between(&s->prng, 5, 40));
    log_registry(s, cpu, KIND_KEY_OPEN, since, STATUS_OK, 0, kcb_of(key), k->path);
    for (unsigned i = prng_between(&s->prng, 1, 4); i; i--) {
        const enum demo_kind kind = what[prng_below(&s->prng, sizeof what)];
        const bool fails = prng_chance(&s->prng, 150);
        since = s->now;
        pass(s, prng_between(&s->prng, 3, 30));
        log_registry(s, cpu, kind, since, fails ? NOT_FOUND : STATUS_OK, i, kcb_of(key),
                     kind == KIND_VALUE_QUERY ? k->value : "");
    }
    since = s->now;
    log_registry(s, cpu, KIND_KEY_CLOSE, since, STATUS_OK, 0, kcb_of(key), "");
    if (prng_chance(&s->prng, 10)) {
        log_key(s, cpu, KIND_KCB_DELETE, key);
        s->kcb_named &= ~((uint64_t)1 << key);
    }
    if (prng_chance(&s->prng, 60)) {
        since = s->now;
        pass(s, 60);
        log_registry(s, cpu, KIND_KEY_CREATE, since, STATUS_OK, 0, 0, k->path);
        log_registry(s, cpu, prng_chance(&s->prng, 700) ? KIND_VALUE_SET : KIND_VALUE_DELETE,
                     s->now, STATUS_OK, 0, kcb_of(key), k->value);
    }
    go_on(s, cpu, t);
}

/* ---- memory, calls --------------------------------------------------------------------- */

static uint64_t address_of(struct synthetic *s, const struct demo_thread *t)
{
    return 0x000001a000000000u + (uint64_t)t->tid * 0x1000000 +
           (uint64_t)prng_below(&s->prng, 4096) * 0x1000;
}

static void work_touch(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    static const uint8_t faults[] = {KIND_FAULT_ZERO, KIND_FAULT_ZERO, KIND_FAULT_TRANSITION,
                                     KIND_FAULT_COPY};
    for (unsigned i = prng_between(&s->prng, 2, 9); i; i--) {
        const unsigned odd = prng_below(&s->prng, 400);
        const enum demo_kind kind = odd == 0   ? KIND_FAULT_GUARD
                                    : odd == 1 ? KIND_FAULT_VIOLATION
                                               : faults[prng_below(&s->prng, sizeof faults)];
        log_fault(s, cpu, kind, address_of(s, t), process_of(s, t)->base + 0x4410);
        pass(s, prng_between(&s->prng, 2, 12));
    }
    go_on(s, cpu, t);
}

static void work_page_in(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct demo_file *f = &s->files[file_pick(s, FAMILY_SYSTEM)];
    const uint64_t address = address_of(s, t);
    log_fault(s, cpu, KIND_FAULT_HARD, address, process_of(s, t)->base + 0x9c20);
    learn_name(s, cpu, f);
    const uint32_t bytes = 4096 * prng_between(&s->prng, 1, 16);
    const uint64_t offset = (uint64_t)prng_below(&s->prng, f->bytes / bytes + 1) * bytes;
    struct io *io = io_submit(s, cpu, t, f, IO_READ, offset, bytes, IRP_PAGING);
    if (!io) {
        go_on(s, cpu, t);
        return;
    }
    io->address = address;
    block(s, cpu, t, WAIT_PAGE_IN);
}

static void work_allocate(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    const uint64_t base = address_of(s, t) & ~(uint64_t)0xffff;
    const uint64_t bytes = 65536u * prng_between(&s->prng, 1, 32);
    log_memory(s, cpu, KIND_ALLOCATE, t, base, bytes, 0x3000);
    if (prng_chance(&s->prng, 700))
        log_memory(s, cpu, KIND_FREE, t, base, bytes, 0x8000);
    go_on(s, cpu, t);
}

static void work_call(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    for (unsigned i = prng_between(&s->prng, 1, 5); i; i--) {
        const uint32_t call = prng_below(&s->prng, 60);
        log_call_enter(s, cpu, kernel_images[0].base + 0x600000 + 0x940 * (uint64_t)call);
        pass(s, prng_between(&s->prng, 3, 60));
        const bool is_odd = prng_chance(&s->prng, 30);
        log_call_exit(s, cpu, !is_odd ? STATUS_OK : call % 2 ? TIMED_OUT : NOT_FOUND);
    }
    go_on(s, cpu, t);
}

/* ---- the database's log --------------------------------------------------------------------- */

static void work_commit(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    t->next = s->commits;
    s->commits = thread_index(s, t);
    struct demo_thread *logger = &s->threads[s->logger];
    if (logger->state == THREAD_WAITING && logger->reason == WAIT_QUEUE && !s->is_logging)
        ready(s, logger, cpu, false);
    block(s, cpu, t, WAIT_USER);
}

/* The log writer: after a write it wakes all whose commits that write held (those that
 * came later wait for the next one), then writes again or waits for commits. */
static void work_log(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    if (s->is_logging) {
        s->is_logging = false;
        uint16_t next;
        for (uint16_t at = s->committing; at != NOBODY; at = next) {
            next = s->threads[at].next;
            s->threads[at].next = NOBODY;
            ready(s, &s->threads[at], cpu, false);
        }
        s->committing = NOBODY;
    }
    if (s->commits == NOBODY) {
        block(s, cpu, t, WAIT_QUEUE);
        return;
    }
    s->committing = s->commits;
    s->commits = NOBODY;
    s->is_logging = true;
    struct demo_file *f = file_for(s, cpu, t, FAMILY_LOG);
    learn_name(s, cpu, f);
    const uint32_t bytes = (uint32_t)prng_spread(&s->prng, roles[ROLE_LOGGER].write_bytes, 8);
    const uint64_t offset = offset_in(s, t, f, bytes), irp = irp_of(s, t);
    log_file_transfer(s, cpu, KIND_FILE_WRITE, t, irp, f, offset, bytes);
    transfer(s, cpu, t, f, IO_WRITE, offset, bytes, irp);
}

/* ---- the antivirus --------------------------------------------------------------------------- */

enum { SCAN_TICKS = 18000000, HANG_TICKS = 12000000, SCANNED_DISK = 1 };

void episode(struct synthetic *s)
{
    s->scan_until = s->now + SCAN_TICKS;
    s->disks[SCANNED_DISK].hang_until = s->now + HANG_TICKS;
    s->totals.stalls++;
    agenda_set(s, CLOCK_EPISODE, s->now + TICKS_PER_MS * prng_between(&s->prng, 15000, 25000));
}

static void work_scan(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    const bool is_eager = s->now < s->scan_until;
    if (!is_eager && prng_chance(&s->prng, 600)) {
        work_sleep(s, cpu, t);
        return;
    }
    struct demo_file *f = file_for(s, cpu, t, FAMILY_DOCUMENT);
    learn_name(s, cpu, f);
    const uint32_t bytes = is_eager ? 1 << 20 : 1 << 16;
    const uint64_t offset = (uint64_t)(t->place++ % (f->bytes / bytes + 1)) * bytes,
                   irp = irp_of(s, t);
    log_file_transfer(s, cpu, KIND_FILE_READ, t, irp, f, offset, bytes);
    transfer(s, cpu, t, f, IO_READ, offset, bytes, irp);
}

/* ---- processes that come and go -------------------------------------------------------------- */

void log_images(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                const struct demo_process *p)
{
    char path[128] = "\\Device\\HarddiskVolume3\\tools\\";
    enum { FOLDER = sizeof "\\Device\\HarddiskVolume3\\tools\\" - 1 };
    process_image(p, path + FOLDER, sizeof path - FOLDER);
    if (p->images)
        log_image(s, cpu, kind, p->pid, p->base, 0x80000, 0x90000 + p->pid % 3, path);
    for (unsigned i = 0; i + 1 < p->images; i++)
        log_image(s, cpu, kind, p->pid, user_images[i].base, user_images[i].bytes,
                  user_images[i].stamp, user_images[i].path);
}

/* The build starts a compiler (or, now and then, a linker) while it may, else it waits
 * until one of them ends. */
static void work_build(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct demo_process *parent = process_of(s, t);
    if (s->now < s->build_from || parent->children > s->cpu_count / 3) {
        sleep_for(s, cpu, t, pause_of(s, roles[t->role].pause_us), WAIT_USER);
        return;
    }
    const bool links = ++s->built % COMPILERS_EACH == 0;
    if (links) /* nothing is compiled for a while then */
        s->build_from = s->now + prng_spread(&s->prng, 2 * TICKS_PER_SECOND, 8);
    const uint16_t index = process_new(s, links ? PROGRAM_LINKER : PROGRAM_COMPILER, parent->pid);
    if (index == NOBODY) {
        work_sleep(s, cpu, t);
        return;
    }
    struct demo_process *p = &s->processes[index];
    const uint16_t thread = thread_new(s, index, links ? ROLE_LINKER : ROLE_COMPILER);
    if (thread == NOBODY) {
        process_free(s, index);
        work_sleep(s, cpu, t);
        return;
    }
    p->waker = thread_index(s, t);
    parent->children++;
    log_process(s, cpu, KIND_PROCESS_START, p);
    pass(s, prng_between(&s->prng, 100, 400));
    log_thread(s, cpu, KIND_THREAD_START, &s->threads[thread]);
    s->threads[thread].is_new = true;
    ready(s, &s->threads[thread], cpu, false);
    go_on(s, cpu, t);
}

/* A new process maps its images before anything else. */
static void begin_process(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    t->is_new = false;
    log_images(s, cpu, KIND_IMAGE_LOAD, process_of(s, t));
    if (prng_chance(&s->prng, 100))
        log_thread_name(s, cpu, t);
    go_on(s, cpu, t);
}

static void end_process(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct demo_process *p = process_of(s, t);
    struct demo_thread *waker = &s->threads[p->waker];
    close_file(s, cpu, t);
    log_terminate(s, cpu, p);
    log_images(s, cpu, KIND_IMAGE_UNLOAD, p);
    log_counters(s, cpu, p);
    log_thread(s, cpu, KIND_THREAD_END, t);
    log_process(s, cpu, KIND_PROCESS_END, p);
    process_of(s, waker)->children--;
    if (waker->state == THREAD_WAITING && waker->reason == WAIT_USER)
        ready(s, waker, cpu, false);
    const uint16_t process = t->process;
    leave(s, cpu, t);
    process_free(s, process);
}

/* Part of a long computation: nothing to log. */
static void work_step(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    go_on(s, cpu, t);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static void (*const work_items[WORK_KINDS])(struct synthetic *, unsigned, struct demo_thread *) = {
    [WORK_SLEEP] = work_sleep,
    [WORK_WAIT] = work_wait,
    [WORK_OPEN] = work_open,
    [WORK_CLOSE] = work_close,
    [WORK_READ] = work_read,
    [WORK_WRITE] = work_write,
    [WORK_FLUSH] = work_flush,
    [WORK_LIST] = work_list,
    [WORK_ATTRIBUTE] = work_attribute,
    [WORK_REPLACE] = work_replace,
    [WORK_REGISTRY] = work_registry,
    [WORK_REQUEST] = work_request,
    [WORK_LISTEN] = work_listen,
    [WORK_LOOKUP] = work_lookup,
    [WORK_TOUCH] = work_touch,
    [WORK_PAGE_IN] = work_page_in,
    [WORK_ALLOCATE] = work_allocate,
    [WORK_CALL] = work_call,
    [WORK_BUILD] = work_build,
    [WORK_COMMIT] = work_commit,
    [WORK_LOG] = work_log,
    [WORK_SCAN] = work_scan,
    [WORK_STEP] = work_step,
};

void work(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct demo_process *p = process_of(s, t);
    if (t->is_new) {
        begin_process(s, cpu, t);
        return;
    }
    if (p->steps && --p->steps == 0) {
        end_process(s, cpu, t);
        return;
    }
    const struct demo_role *role = &roles[t->role];
    unsigned total = 0, i = 0;
    for (unsigned j = 0; j < ROLE_WORK_ITEMS; j++)
        total += role->work_items[j].weight;
    for (uint32_t roll = prng_below(&s->prng, total); roll >= role->work_items[i].weight; i++)
        roll -= role->work_items[i].weight;
    work_items[role->work_items[i].work](s, cpu, t);
}
