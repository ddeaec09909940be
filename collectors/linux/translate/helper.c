/* The helper's thread, its queue and its mailbox.
 *
 * The queue: one producer (the collector's thread), one consumer (the helper). `head` counts
 * questions put, `tail` those taken; both run free. The release store of `head` in
 * helper_ask() pairs with the acquire load in take_question(), and that of `tail` there with
 * the acquire load in helper_ask(). The helper says that it rests before it looks a last time,
 * and who asks looks at that after putting the question: one of the two sees the other, so the
 * wakeup need only be signaled for one that rests. The mailbox is a ring of src/ring/ring.h the other way round. */
#include "collectors/linux/translate/helper.h"

#include "collectors/linux/translate/job.h"
#include "src/base/mem.h"
#include "src/os/os.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* A process that starts others as fast as it can makes some thousand questions a second, and
 * an answer takes some 20 us. */
enum { QUEUE = 4096 };

struct helper {
    struct job job;
    struct help queue[QUEUE];
    _Atomic uint32_t head, tail;
    _Atomic bool is_resting;
    _Atomic uint64_t answered, gone;
    uint64_t asked, dropped; /* the collector's thread alone, as the next */
    bool has_named;
    _Atomic bool has_kernel;
    struct os_wakeup *wakeup;
    struct os_thread *thread;
};

/* ---- the helper's thread ------------------------------------------------------------ */

static void answer(struct job *e, const struct help *question)
{
    static void (*const jobs[HELP_KINDS])(struct job *, const struct help *) = {
        [HELP_RUNDOWN] = job_rundown, [HELP_PROCESS] = job_process, [HELP_FD] = job_fd,
        [HELP_INODE] = job_inode,     [HELP_SOCKETS] = job_sockets, [HELP_GAUGES] = job_gauges,
        [HELP_DISK] = job_disk,       [HELP_MACHINE] = job_machine,
    };
    if (question->kind < HELP_KINDS)
        jobs[question->kind](e, question);
    e->answered++;
}

static bool take_question(struct helper *h, struct help *out)
{
    const uint32_t tail = atomic_load_explicit(&h->tail, memory_order_relaxed);
    if (atomic_load_explicit(&h->head, memory_order_acquire) == tail)
        return false;
    *out = h->queue[tail % QUEUE];
    atomic_store_explicit(&h->tail, tail + 1, memory_order_release);
    return true;
}

static bool has_question(const struct helper *h)
{
    return atomic_load_explicit(&h->head, memory_order_relaxed)
           != atomic_load_explicit(&h->tail, memory_order_relaxed);
}

static void answer_next(struct helper *h, const struct help *question)
{
    answer(&h->job, question);
    atomic_store_explicit(&h->gone, h->job.gone, memory_order_relaxed);
    atomic_store_explicit(&h->answered, h->job.answered, memory_order_release);
}

_Static_assert(offsetof(struct helper, job) == 0, "a job is its helper's");

/* Another walk, and what reads the system's sockets anew, which the walk is looking up. */
static bool has_to_wait(const struct helper *h)
{
    const uint32_t tail = atomic_load_explicit(&h->tail, memory_order_relaxed);
    if (atomic_load_explicit(&h->head, memory_order_acquire) == tail)
        return false;
    const uint8_t kind = h->queue[tail % QUEUE].kind;
    return kind == HELP_RUNDOWN || kind == HELP_SOCKETS;
}

/* A few at a time, or the walk would not come to its end. */
static void answer_waiting(struct job *e)
{
    enum { FEW = 64 };
    struct helper *const h = (struct helper *)(void *)e;
    struct help question;
    for (unsigned i = 0; i < FEW && !job_is_stopped(e) && !has_to_wait(h); i++)
        if (take_question(h, &question))
            answer_next(h, &question);
        else
            return;
}

static void rest(struct helper *h)
{
    atomic_store_explicit(&h->is_resting, true, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (!has_question(h))
        os_wakeup_wait(h->wakeup, -1);
    atomic_store_explicit(&h->is_resting, false, memory_order_relaxed);
}

static void run(void *arg)
{
    struct helper *const h = arg;
    struct help question;
    while (!job_is_stopped(&h->job)) {
        while (!job_is_stopped(&h->job) && take_question(h, &question))
            answer_next(h, &question);
        rest(h);
    }
}

/* ---- the collector's thread ---------------------------------------------------------- */

struct helper *helper_start_at(struct translator *t, const char *root, struct err *err)
{
    struct helper *const h = mem_new(1, sizeof *h);
    if (!job_init(&h->job, t, root, err)) {
        free(h);
        return NULL;
    }
    h->job.answer_waiting = answer_waiting;
    h->wakeup = os_wakeup_new();
    h->thread = os_thread_start("tracetop-proc", run, h);
    return h;
}

struct helper *helper_start(struct translator *t)
{
    struct err err;
    struct helper *const h = helper_start_at(t, "/", &err);
    if (!h)
        feed_notice(t->feed, "names and command lines of earlier processes are missing: %s",
                    err.text);
    return h;
}

void helper_stop(struct helper *h)
{
    if (!h)
        return;
    atomic_store_explicit(&h->job.collector.stop, true, memory_order_relaxed);
    os_wakeup_signal(h->wakeup);
    os_thread_join(h->thread);
    os_wakeup_free(h->wakeup);
    job_gauges_free(h->job.gauges);
    job_fini(&h->job);
    free(h);
}

bool helper_ask(struct helper *h, const struct help *question)
{
    const uint32_t head = atomic_load_explicit(&h->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&h->tail, memory_order_acquire) == QUEUE) {
        h->dropped++;
        return false;
    }
    h->queue[head % QUEUE] = *question;
    atomic_store_explicit(&h->head, head + 1, memory_order_release);
    h->asked++;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&h->is_resting, memory_order_relaxed) &&
        atomic_exchange_explicit(&h->is_resting, false, memory_order_relaxed))
        os_wakeup_signal(h->wakeup); /* a counter of the system's: never waits */
    return true;
}

bool helper_has_named(const struct helper *h)
{
    return h->has_named;
}

void helper_name(struct helper *h)
{
    h->has_named = true;
}

bool helper_has_kernel(const struct helper *h)
{
    return atomic_load_explicit(&h->has_kernel, memory_order_acquire);
}

void helper_list_kernel(struct helper *h)
{
    atomic_store_explicit(&h->has_kernel, true, memory_order_release);
}

struct gauge_touched *helper_touched(struct helper *h)
{
    return h ? &h->job.touched : NULL;
}

struct ring *helper_mailbox(struct helper *h)
{
    return h->job.collector.hot;
}

bool helper_is_busy(const struct helper *h)
{
    return atomic_load_explicit(&h->answered, memory_order_acquire) != h->asked;
}

struct helper_figures helper_figures(const struct helper *h)
{
    return (struct helper_figures){
        .asked = h->asked,
        .dropped = h->dropped,
        .answered = atomic_load_explicit(&h->answered, memory_order_relaxed),
        .gone = atomic_load_explicit(&h->gone, memory_order_relaxed),
    };
}

size_t helper_mailbox_bytes(const struct helper *h)
{
    return h ? ring_held(h->job.collector.hot) : 0;
}
