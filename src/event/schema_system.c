/* Questions are in a table that only grows: a place is taken by exchange, and what is in it stays
 * until the system is set anew. Whoever puts one in, queues it; the thread answers them in that
 * order. An answer is complete before its state says so (release, acquire). Nothing is locked: who
 * asks never waits for the thread, which may be waiting for the system. */
#include "src/event/schema_system.h"

#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/event/event_info.h"
#include "src/os/os.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUESTIONS_MOST = 1 << 14,
    PLACES = 2 * QUESTIONS_MOST,
    WAITING_MOST = 1 << 10, /* questions that no answer has come to yet */
    BYTES_MOST = 32 << 20,  /* of all answers */
};

static const int64_t END_NS = 2000000000; /* for a question under way */

struct named_map {
    char name[EVENT_INFO_NAME];
    uint8_t *blob;
    size_t bytes;
};

struct question {
    struct event about; /* without records */
    _Atomic int state;  /* enum system_answer */
    uint8_t *info;
    size_t info_bytes;
    struct named_map *maps;
    unsigned map_count;
};

struct asked {
    const struct schema_system *system;
    _Atomic(struct question *) places[PLACES];
    _Atomic(struct question *) queue[QUESTIONS_MOST];
    _Atomic uint32_t given, answered;
    _Atomic bool is_started, is_closed;
    struct os_thread *thread;
    struct os_wakeup *wakeup;
    struct asked *left; /* the next one whose thread hangs */
    /* The thread's: */
    size_t bytes; /* of answers */
    struct manifest_blob blob;
    struct event_info info;
};

static struct asked *asked; /* NULL: there is no system */
static struct asked *left;  /* those whose threads hang */

bool schema_system_is_there(void)
{
    return asked != NULL;
}

uint32_t schema_system_answers(void)
{
    return asked ? atomic_load_explicit(&asked->answered, memory_order_acquire) : 0;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* A copy of what is in the scratch; NULL where all answers together have no room for it. */
static uint8_t *keep(struct asked *a, size_t *bytes)
{
    if (a->blob.bytes > BYTES_MOST - a->bytes)
        return NULL;
    *bytes = a->blob.bytes;
    a->bytes += *bytes;
    return mem_copy(a->blob.at, *bytes);
}

static bool has_map(const struct question *q, const char *name)
{
    for (unsigned i = 0; i < q->map_count; i++)
        if (strcmp(q->maps[i].name, name) == 0)
            return true;
    return false;
}

/* Those of classes have another form. */
static void ask_for_maps(struct asked *a, struct question *q)
{
    if (q->about.kind == HEADER_CLASSIC || !event_info_read(q->info, q->info_bytes, &a->info))
        return;
    for (unsigned i = 0; i < a->info.field_count; i++) {
        const char *const name = a->info.maps[i];
        struct named_map m = {.blob = NULL};
        if (!*name || has_map(q, name) || !a->system->map(&q->about, name, &a->blob) ||
            !(m.blob = keep(a, &m.bytes)))
            continue;
        memcpy(m.name, name, sizeof m.name);
        q->maps = mem_grow(q->maps, q->map_count + 1, sizeof *q->maps);
        q->maps[q->map_count++] = m;
    }
}

static void answer(struct asked *a, struct question *q)
{
    if (a->system->event(&q->about, &a->blob))
        q->info = keep(a, &q->info_bytes);
    if (q->info)
        ask_for_maps(a, q);
    atomic_store_explicit(&q->state, q->info ? SYSTEM_KNOWN : SYSTEM_UNKNOWN, memory_order_release);
}

static void asked_free(struct asked *a)
{
    for (unsigned i = 0; i < PLACES; i++) {
        struct question *const q = atomic_load(&a->places[i]);
        for (unsigned m = 0; q && m < q->map_count; m++)
            free(q->maps[m].blob);
        if (q) {
            free(q->maps);
            free(q->info);
        }
        free(q);
    }
    os_wakeup_free(a->wakeup);
    free(a->blob.at);
    free(a);
}

static void run(void *arg)
{
    struct asked *const a = arg;
    uint32_t next = 0;
    while (!atomic_load(&a->is_closed)) {
        struct question *const q = next < QUESTIONS_MOST
                                       ? atomic_load_explicit(&a->queue[next], memory_order_acquire)
                                       : NULL;
        if (!q) {
            os_wakeup_wait(a->wakeup, -1);
            continue;
        }
        answer(a, q);
        atomic_store_explicit(&a->answered, ++next, memory_order_release);
    }
}

/* ---- asking ------------------------------------------------------------------------------------ */

static unsigned id_of(const struct event *e)
{
    return e->kind == HEADER_CLASSIC ? e->opcode : e->id;
}

static bool is_same(const struct event *a, const struct event *b)
{
    return a->kind == b->kind && a->version == b->version && id_of(a) == id_of(b) &&
           guid_equal(&a->provider, &b->provider);
}

static uint64_t hash_of(const struct event *e)
{
    const uint64_t rest = id_of(e) | (uint64_t)e->version << 16 | (uint64_t)e->kind << 32;
    return hash_mix(hash_mix(load_u64(e->provider.b) ^ rest) ^ load_u64(e->provider.b + 8));
}

static struct question *question_of(const struct event *e)
{
    struct question *const q = mem_new(1, sizeof *q);
    q->about = event_about(e);
    atomic_store(&q->state, SYSTEM_PENDING);
    return q;
}

static void start(struct asked *a)
{
    if (!atomic_exchange(&a->is_started, true))
        a->thread = os_thread_start("schemas", run, a);
}

static void give(struct asked *a, struct question *q)
{
    const uint32_t number = atomic_fetch_add(&a->given, 1);
    if (number < QUESTIONS_MOST)
        atomic_store_explicit(&a->queue[number], q, memory_order_release);
    else
        atomic_store(&q->state, SYSTEM_UNKNOWN);
    start(a);
    os_wakeup_signal(a->wakeup);
}

/* The question about that kind of events; NULL: it has not been put, and is not now. */
static struct question *find(struct asked *a, const struct event *e, bool may_give)
{
    struct question *made = NULL;
    const uint32_t given = atomic_load(&a->given), answered = atomic_load(&a->answered);
    may_give = may_give && given < QUESTIONS_MOST && given - answered < WAITING_MOST;
    for (uint64_t at = hash_of(e);; at++) {
        _Atomic(struct question *) *const place = &a->places[at & (PLACES - 1)];
        struct question *q = atomic_load_explicit(place, memory_order_acquire);
        if (!q && !may_give)
            return NULL;
        if (!q && !made)
            made = question_of(e);
        if (!q && atomic_compare_exchange_strong(place, &q, made)) {
            give(a, made);
            return made;
        }
        if (is_same(&q->about, e)) {
            free(made); /* somebody else was faster */
            return q;
        }
    }
}

static void copy(struct manifest_blob *out, const uint8_t *from, size_t bytes)
{
    if (out->room < bytes) {
        out->at = mem_grow(out->at, bytes, 1);
        out->room = bytes;
    }
    if (bytes)
        memcpy(out->at, from, bytes);
    out->bytes = bytes;
}

enum system_answer schema_system_event(const struct event *e, int64_t wait_ns,
                                       struct manifest_blob *out)
{
    static const int64_t SHORT_NS = 20000, LONG_NS = 1000000;
    const int64_t began = wait_ns > 0 ? os_now() : 0;
    const struct question *const q = asked ? find(asked, e, true) : NULL;
    if (!q)
        return asked && atomic_load(&asked->given) < QUESTIONS_MOST ? SYSTEM_PENDING
                                                                    : SYSTEM_UNKNOWN;
    int state;
    while ((state = atomic_load_explicit(&q->state, memory_order_acquire)) == SYSTEM_PENDING) {
        const int64_t waited = wait_ns > 0 ? os_now() - began : 0;
        if (waited >= wait_ns)
            break;
        os_sleep(waited < LONG_NS ? SHORT_NS : LONG_NS);
    }
    if (state == SYSTEM_KNOWN)
        copy(out, q->info, q->info_bytes);
    return (enum system_answer)state;
}

bool schema_system_map(const struct event *e, const char *name, struct manifest_blob *out)
{
    const struct question *const q = asked ? find(asked, e, false) : NULL;
    if (!q || atomic_load_explicit(&q->state, memory_order_acquire) != SYSTEM_KNOWN)
        return false;
    for (unsigned i = 0; i < q->map_count; i++)
        if (strcmp(q->maps[i].name, name) == 0) {
            copy(out, q->maps[i].blob, q->maps[i].bytes);
            return true;
        }
    return false;
}

/* ---- the system -------------------------------------------------------------------------------- */

/* What a thread that does not come back still uses, stays until it does. */
static void end(struct asked *a)
{
    atomic_store(&a->is_closed, true);
    os_wakeup_signal(a->wakeup);
    if (!atomic_load(&a->is_started) || os_thread_join_within(a->thread, END_NS)) {
        asked_free(a);
        return;
    }
    a->left = left;
    left = a;
}

/* Those whose threads may have come back. */
static void end_left(void)
{
    struct asked *again = left;
    left = NULL;
    while (again) {
        struct asked *const a = again;
        again = a->left;
        end(a);
    }
}

void schema_system_set(const struct schema_system *system)
{
    end_left();
    if (asked)
        end(asked);
    asked = NULL;
    if (!system)
        return;
    asked = mem_new(1, sizeof *asked);
    asked->system = system;
    asked->wakeup = os_wakeup_new();
}
