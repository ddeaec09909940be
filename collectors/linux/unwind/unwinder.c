#include "collectors/linux/unwind/unwinder.h"

#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/unwind/maps.h"
#include "src/base/mem.h"
#include "src/event/event.h"
#include "src/os/os.h"
#include "src/ring/ring.h"
#include "src/symbol/elf_file.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

enum {
    QUEUE_LEAST = 2 << 20, QUEUE_MOST = 16 << 20, /* a thousand copies of 16 KiB */
    TABLES_LEAST = 3 << 20, TABLES_MOST = 16 << 20,
    QUEUE_PART = 10, /* of the ring of events */
    TABLES_PART = 4, TABLES_BEYOND = 16 << 20, /* of what the ring has more than that */
    ANSWER_PART = 4,  /* of the questions: these are the larger ones by far */
    PATH_MOST = 4096,
};

/* Kinds of records in the queue. */
enum { ASK_STACK = 0x80, ASK_MAP, ASK_EXEC, ASK_EXIT, ANSWER };

struct question {
    uint64_t ticket;
    int64_t time;
    uint64_t registers[SAMPLE_REGISTERS];
    uint32_t pid, tid;
    uint32_t chain_count, stack_bytes; /* they follow */
    uint16_t cpu;
};

struct answer {
    uint64_t ticket;
    int64_t time;
    uint32_t pid, tid;
    uint16_t cpu, count; /* frames follow */
    uint32_t padding;
};

struct map_news {
    uint64_t base, size, offset, dev, inode;
    uint32_t pid;
    uint16_t path_bytes;
    uint8_t build_bytes, build[20];
};

/* The collector puts questions and takes answers; the worker the other way round. A worker that
 * rests says so before it looks a last time, and who asks looks at that after the question: one of
 * the two sees the other. */
struct unwinder {
    struct ring *questions, *answers;
    uint64_t much; /* waits: see is_urgent() */
    struct unwind_maps *maps;
    struct os_wakeup *wakeup;
    struct os_thread *thread;
    _Atomic bool is_stopping, is_resting;
    _Atomic uint64_t asked, rooted, cut, kept, over, refused, ns, answered, table_bytes;
    bool must_release;                                       /* the answer that was taken last */
    uint64_t pending[(65536 + sizeof(struct question)) / 8]; /* the question being written */
    uint64_t reply[(sizeof(struct answer) + 8 * UNWOUND_MOST) / 8];
    /* The worker's: */
    int64_t window;     /* when this second of its budget began */
    uint64_t window_ns; /* processor time by then */
};

static void count(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* ---- the worker ---------------------------------------------------------------------------- */

static uint64_t own_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool has_budget(struct unwinder *u)
{
    enum { WINDOW = 1000000000, MOST = WINDOW / 100 * UNWIND_SHARE };
    const int64_t now = os_now();
    const uint64_t used = own_ns();
    atomic_store_explicit(&u->ns, used, memory_order_relaxed);
    if (now - u->window >= WINDOW) {
        u->window = now;
        atomic_store_explicit(&u->table_bytes, unwind_maps_bytes(u->maps), memory_order_relaxed);
        u->window_ns = used;
    }
    return used - u->window_ns < MOST;
}

/* The kernel's order of registers, by their numbers in DWARF. */
static void set_registers(struct unwind_state *s, const uint64_t *from)
{
    /* ax bx cx dx si di bp sp ip flags cs ss r8 … r15 */
    static const uint8_t places[UNWIND_REGISTERS] = {0,  3,  2,  1,  4,  5,  6,  7, 12,
                                                     13, 14, 15, 16, 17, 18, 19, 8};
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
        s->registers[i] = from[places[i]];
    s->known = (1u << UNWIND_REGISTERS) - 1;
}

/* The frames of the program's own copy of a stack; fewer than the kernel's chain has are none. */
static unsigned walk(struct unwinder *u, const struct question *q, const uint8_t *stack,
                     uint64_t *out)
{
    struct unwind_state s = {.stack = stack, .stack_bytes = q->stack_bytes};
    enum unwind_end end;
    set_registers(&s, q->registers);
    s.stack_at = s.registers[UNWIND_SP];
    if (!unwind_maps_choose(u->maps, q->pid, os_now()))
        return 0;
    const unsigned frames = unwind(&s, unwind_maps_find, u->maps, out, UNWOUND_MOST, &end);
    if (end == UNWIND_AT_ROOT)
        count(&u->rooted);
    else if (end == UNWIND_CUT && frames >= q->chain_count)
        count(&u->cut);
    return end == UNWIND_AT_ROOT || frames >= q->chain_count ? frames : 0;
}

static void answer(struct unwinder *u, const uint8_t *body)
{
    struct question q;
    struct answer *const a = (struct answer *)u->reply;
    uint64_t *const frames = u->reply + sizeof *a / 8;
    memcpy(&q, body, sizeof q);
    const uint8_t *const chain = body + sizeof q, *const stack = chain + 8 * (size_t)q.chain_count;
    unsigned found = 0;
    if (has_budget(u))
        found = walk(u, &q, stack, frames);
    else
        count(&u->over);
    if (!found) {
        found = q.chain_count < UNWOUND_MOST ? q.chain_count : UNWOUND_MOST;
        memcpy(frames, chain, 8 * (size_t)found);
        count(&u->kept);
    }
    *a = (struct answer){q.ticket, q.time, q.pid, q.tid, q.cpu, (uint16_t)found, 0};
    const struct record_head head = {.form = ANSWER,
                                     .bytes = (uint32_t)(sizeof head + sizeof *a + 8 * found)};
    while (!ring_has_room(u->answers, head.bytes) && !atomic_load(&u->is_stopping))
        os_sleep(1000000); /* the collector takes them soon */
    ring_put(u->answers, &head, a);
}

static void learn_map(struct unwinder *u, const uint8_t *body)
{
    struct map_news n;
    memcpy(&n, body, sizeof n);
    const struct unwind_mapping m = {.pid = n.pid,
                                     .base = n.base,
                                     .size = n.size,
                                     .offset = n.offset,
                                     .dev = n.dev,
                                     .inode = n.inode,
                                     .build = n.build_bytes ? n.build : NULL,
                                     .build_bytes = n.build_bytes,
                                     .path = (const char *)body + sizeof n,
                                     .path_bytes = n.path_bytes};
    unwind_maps_add(u->maps, &m);
}

static bool work(struct unwinder *u)
{
    uint64_t position;
    const struct record_head *const head = ring_peek(u->questions, &position);
    if (!head)
        return false;
    const uint8_t *const body = (const uint8_t *)(head + 1);
    if (head->form == ASK_STACK)
        answer(u, body);
    else if (head->form == ASK_MAP)
        learn_map(u, body);
    else if (head->form == ASK_EXEC)
        unwind_maps_exec(u->maps, load_u32(body));
    else
        unwind_maps_exit(u->maps, load_u32(body));
    if (head->form == ASK_STACK)
        atomic_fetch_add_explicit(&u->answered, 1, memory_order_release);
    ring_release(u->questions);
    return true;
}

static void run(void *unwinder)
{
    struct unwinder *const u = unwinder;
    while (!atomic_load_explicit(&u->is_stopping, memory_order_relaxed)) {
        if (work(u))
            continue;
        atomic_store_explicit(&u->is_resting, true, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        if (!work(u))
            os_wakeup_wait(u->wakeup, -1);
        atomic_store_explicit(&u->is_resting, false, memory_order_relaxed);
    }
}

/* ---- the collector ------------------------------------------------------------------------- */

/* Maps, and who begins or ends, wait until somebody asks about a stack, or until there is much of
 * them: nobody is woken for each program that starts. */
static bool is_urgent(struct unwinder *u, uint8_t form)
{
    return form == ASK_STACK || ring_backlog(u->questions, u->much) > u->much;
}

static bool put(struct unwinder *u, uint8_t form, const void *body, size_t bytes)
{
    const struct record_head head = {.form = form, .bytes = (uint32_t)(sizeof head + bytes)};
    if (!ring_has_room(u->questions, head.bytes) || !ring_put(u->questions, &head, body))
        return false;
    if (!is_urgent(u, form))
        return true;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&u->is_resting, memory_order_relaxed) &&
        atomic_exchange_explicit(&u->is_resting, false, memory_order_relaxed))
        os_wakeup_signal(u->wakeup);
    return true;
}

/* The user's part of the kernel's chain. */
static uint32_t copy_chain(const struct sample *s, uint64_t *out)
{
    uint32_t found = 0;
    bool is_user = false;
    for (uint32_t i = 0; i < s->chain_count && found < UNWOUND_MOST; i++) {
        if (s->chain[i] >= PERF_CONTEXT_MAX)
            is_user = s->chain[i] == (uint64_t)PERF_CONTEXT_USER;
        else if (is_user)
            out[found++] = s->chain[i];
    }
    return found;
}

bool unwinder_ask(struct unwinder *u, const struct sample *s, uint64_t ticket)
{
    if (!u || !s->registers || !s->stack || s->stack_bytes < 8)
        return false;
    struct question *const q = (struct question *)u->pending;
    uint64_t *const chain = u->pending + sizeof *q / 8;
    *q = (struct question){
        .ticket = ticket, .time = s->time, .pid = s->pid, .tid = s->tid, .cpu = s->cpu};
    memcpy(q->registers, s->registers, sizeof q->registers);
    q->chain_count = copy_chain(s, chain);
    const size_t before = sizeof *q + 8 * (size_t)q->chain_count;
    const size_t room = sizeof u->pending - before;
    q->stack_bytes = s->stack_bytes < room ? s->stack_bytes : (uint32_t)room;
    memcpy((uint8_t *)u->pending + before, s->stack, q->stack_bytes);
    if (!put(u, ASK_STACK, q, before + q->stack_bytes)) {
        count(&u->refused);
        return false;
    }
    count(&u->asked);
    return true;
}

static void report_map(struct unwinder *u, const struct sample *s)
{
    enum { EXECUTABLE = 4 };
    struct band_map m;
    struct {
        struct map_news news;
        char path[PATH_MOST];
    } out;
    if (!band_map(s, &m) || !(m.protection & EXECUTABLE) || m.pid == UINT32_MAX)
        return;
    const size_t bytes = m.name.bytes < PATH_MOST ? m.name.bytes : PATH_MOST;
    out.news = (struct map_news){.pid = m.pid,
                                 .base = m.base,
                                 .size = m.size,
                                 .offset = m.offset,
                                 .dev = m.dev,
                                 .inode = m.inode,
                                 .path_bytes = (uint16_t)bytes,
                                 .build_bytes = (uint8_t)m.build_id_bytes};
    if (m.build_id)
        memcpy(out.news.build, m.build_id, m.build_id_bytes);
    memcpy(out.path, m.name.at, bytes);
    put(u, ASK_MAP, &out, sizeof out.news + bytes);
}

void unwinder_side_band(struct unwinder *u, const struct sample *s)
{
    struct band_comm c;
    struct band_task x;
    if (s->type == PERF_RECORD_MMAP2)
        report_map(u, s);
    else if (s->type == PERF_RECORD_COMM && s->misc & PERF_RECORD_MISC_COMM_EXEC &&
             band_comm(s, &c))
        put(u, ASK_EXEC, &c.pid, sizeof c.pid);
    else if (s->type == PERF_RECORD_EXIT && band_task(s, &x) && x.pid == x.tid)
        put(u, ASK_EXIT, &x.pid, sizeof x.pid);
}

bool unwinder_take(struct unwinder *u, struct unwound *out)
{
    uint64_t position;
    if (u->must_release)
        ring_release(u->answers);
    const struct record_head *const head = ring_peek(u->answers, &position);
    u->must_release = head != NULL;
    if (!head)
        return false;
    const struct answer *const a = (const struct answer *)(head + 1);
    *out = (struct unwound){.ticket = a->ticket,
                            .time = a->time,
                            .pid = a->pid,
                            .tid = a->tid,
                            .cpu = a->cpu,
                            .count = a->count,
                            .frames = (const uint64_t *)(a + 1)};
    return true;
}

bool unwinder_is_busy(const struct unwinder *u)
{
    return atomic_load_explicit(&u->answered, memory_order_acquire) !=
           atomic_load_explicit(&u->asked, memory_order_relaxed);
}

void unwinder_wait(struct unwinder *u)
{
    enum { STEP = 1000000, LONGEST = 500 };
    for (unsigned i = 0; i < LONGEST && unwinder_is_busy(u); i++)
        os_sleep(STEP);
}

/* ---- beginning and end --------------------------------------------------------------------- */

bool unwinder_is_possible(void)
{
    struct utsname n;
    return elf_file_is_built_in() && uname(&n) == 0 && strcmp(n.machine, "x86_64") == 0;
}

static size_t part_of(size_t ring_bytes, size_t parts, size_t least, size_t most)
{
    const size_t part = ring_bytes / parts;
    return part < least ? least : part > most ? most : part;
}

struct unwinder *unwinder_start(size_t ring_bytes)
{
    enum { MUCH = 64 }; /* parts of the queue: some milliseconds of work, once */
    if (!unwinder_is_possible())
        return NULL;
    struct unwinder *const u = mem_new(1, sizeof *u);
    const size_t bytes = part_of(ring_bytes, QUEUE_PART, QUEUE_LEAST, QUEUE_MOST);
    u->much = bytes / MUCH;
    u->questions = ring_new(bytes, RING_SEGMENT);
    u->answers = ring_new(bytes / ANSWER_PART, RING_SEGMENT);
    const size_t beyond = ring_bytes > TABLES_BEYOND ? ring_bytes - TABLES_BEYOND : 0;
    u->maps = unwind_maps_new(part_of(beyond, TABLES_PART, TABLES_LEAST, TABLES_MOST));
    if (!u->questions || !u->answers || !u->maps) {
        unwinder_stop(u);
        return NULL;
    }
    u->wakeup = os_wakeup_new();
    u->thread = os_thread_start("unwinder", run, u);
    return u;
}

void unwinder_stop(struct unwinder *u)
{
    if (!u)
        return;
    atomic_store(&u->is_stopping, true);
    if (u->thread) {
        os_wakeup_signal(u->wakeup);
        os_thread_join(u->thread);
        os_wakeup_free(u->wakeup);
    }
    ring_free(u->questions);
    ring_free(u->answers);
    unwind_maps_free(u->maps);
    free(u);
}

static uint64_t now(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

struct unwinder_figures unwinder_figures(const struct unwinder *u)
{
    return (struct unwinder_figures){.asked = now(&u->asked),
                                     .rooted = now(&u->rooted),
                                     .cut = now(&u->cut),
                                     .kept = now(&u->kept),
                                     .over = now(&u->over),
                                     .refused = now(&u->refused),
                                     .ns = now(&u->ns)};
}

size_t unwinder_queue_bytes(const struct unwinder *u)
{
    return u ? ring_held(u->questions) + ring_held(u->answers) : 0;
}

size_t unwinder_table_bytes(const struct unwinder *u)
{
    return u ? now(&u->table_bytes) : 0;
}
