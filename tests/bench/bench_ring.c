/* The ring at product sizes: records of 64 to 256 bytes from one thread to another,
 * the ring full of history, a recorder copying the newest at its pace and somebody
 * looking back, both with pins. Beside it, in the same run and over as much memory:
 *
 *   floor  one thread's memcpy of the same records to the same places. No ring can
 *          be faster; the target is within twice of it.
 *   ck     ConcurrencyKit's ck_ring carrying the same bytes, in the two ways it can:
 *          slots of 256 bytes, and pointers to records in a buffer beside it. Its
 *          best case: nobody else reads, nothing has to stay readable.
 *
 * The consumers look at every line of every record (in the first, unmeasured round at
 * every word) and what they saw is checked. Each figure is the median of many short
 * rounds; the candidates take turns, so that a busy moment of the machine does not
 * fall on one of them. Two busy threads need two idle processors: on a machine that
 * does something else, believe the fastest rounds. Exit status 1: a target is missed. */
#include "src/os/os.h"
#include "src/ring/ring.h"

#include <ck_ring.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ROUNDS = 21,
    KINDS = 4096, /* different records; 640 KiB: as if just received */
    SMALLEST = 64,
    LARGEST = 256,
    RECORDS = 2 * 1000 * 1000, /* per round: 320 MB, a lap of the largest ring */
};

/* ---- the load -------------------------------------------------------------------- */

struct load {
    uint8_t *bytes; /* KINDS records; each may be read to LARGEST */
    uint32_t at[KINDS];
    unsigned stride; /* the consumers look at every so manieth word */
    uint64_t sum;    /* of those words in RECORDS records */
};

static const struct record_head *load_record(const struct load *l, uint64_t i)
{
    return (const struct record_head *)(l->bytes + l->at[i % KINDS]);
}

static uint64_t look(const struct load *l, const void *record, size_t bytes)
{
    const uint64_t *const words = record;
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes / 8; i += l->stride)
        sum += words[i];
    return sum;
}

static void load_stride(struct load *l, unsigned stride)
{
    l->stride = stride;
    l->sum = 0;
    for (uint64_t i = 0; i < RECORDS; i++)
        l->sum += look(l, load_record(l, i), load_record(l, i)->bytes);
}

static struct load *load_new(void)
{
    struct load *const l = calloc(1, sizeof *l);
    l->bytes = calloc(KINDS + 1, LARGEST);
    uint64_t seed = 7;
    uint32_t at = 0;
    for (unsigned i = 0; i < KINDS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint32_t bytes =
            SMALLEST + (uint32_t)(seed >> 40) % ((LARGEST - SMALLEST) / 8 + 1) * 8;
        memset(l->bytes + at, (int)(seed >> 33), bytes);
        const struct record_head head = {.bytes = bytes, .ts = i};
        memcpy(l->bytes + at, &head, sizeof head);
        l->at[i] = at;
        at += bytes;
    }
    return l;
}

/* ---- the candidates ---------------------------------------------------------------- */

struct candidate {
    const char *name;
    void *(*make)(size_t bytes);
    void (*produce)(void *c, const struct load *l);
    uint64_t (*consume)(void *c, const struct load *l);
    void (*end)(void *c);
};

static void relax(void)
{
    __builtin_ia32_pause();
}

/* The floor has no consumer. */
struct floor {
    uint8_t *memory;
    size_t bytes;
};

static void *floor_make(size_t bytes)
{
    struct floor *const f = calloc(1, sizeof *f);
    *f = (struct floor){calloc(1, bytes + LARGEST), bytes};
    return f;
}

static void floor_produce(void *c, const struct load *l)
{
    struct floor *const f = c;
    size_t at = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        const struct record_head *const record = load_record(l, i);
        memcpy(f->memory + at, record, record->bytes);
        at += record->bytes;
        at = at < f->bytes ? at : 0;
    }
}

static void floor_end(void *c)
{
    struct floor *const f = c;
    free(f->memory);
    free(f);
}

static void *ring_make(size_t bytes)
{
    return ring_new(bytes, RING_SEGMENT);
}

static void ring_produce(void *c, const struct load *l)
{
    struct ring *const r = c;
    for (uint64_t i = 0; i < RECORDS; i++) {
        const struct record_head *const record = load_record(l, i);
        while (!ring_put(r, record, record + 1))
            relax();
    }
}

static uint64_t ring_consume(void *c, const struct load *l)
{
    struct ring *const r = c;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        const struct record_head *record;
        while (!(record = ring_peek(r, NULL)))
            relax();
        sum += look(l, record, record->bytes);
        ring_release(r);
    }
    return sum;
}

static void ring_end(void *c)
{
    ring_free(c);
}

/* ck_ring with a buffer of slots; both kinds share the counters' struct. */
struct slot {
    _Alignas(8) uint8_t bytes[LARGEST];
};
CK_RING_PROTOTYPE(slot, slot)

struct ck {
    ck_ring_t ring;
    struct slot *slots;
    ck_ring_buffer_t *pointers;
    uint8_t *memory;
    size_t bytes;
};

static void *ck_slots_make(size_t bytes)
{
    struct ck *const k = aligned_alloc(128, (sizeof *k + 127) / 128 * 128);
    k->slots = calloc(bytes / LARGEST, LARGEST);
    k->pointers = NULL;
    k->memory = NULL;
    ck_ring_init(&k->ring, (unsigned)(bytes / LARGEST));
    return k;
}

static void ck_slots_produce(void *c, const struct load *l)
{
    struct ck *const k = c;
    for (uint64_t i = 0; i < RECORDS; i++) {
        const struct record_head *const record = load_record(l, i);
        struct slot *to;
        while (!(to = ck_ring_enqueue_reserve_spsc_slot(&k->ring, k->slots)))
            relax();
        memcpy(to, record, record->bytes);
        ck_ring_enqueue_commit_spsc(&k->ring);
    }
}

static uint64_t ck_slots_consume(void *c, const struct load *l)
{
    struct ck *const k = c;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        struct slot slot;
        while (!ck_ring_dequeue_spsc_slot(&k->ring, k->slots, &slot))
            relax();
        sum += look(l, &slot, ((const struct record_head *)&slot)->bytes);
    }
    return sum;
}

/* As many pointers as records of the largest size fit, so that none is overwritten. */
static void *ck_pointers_make(size_t bytes)
{
    struct ck *const k = aligned_alloc(128, (sizeof *k + 127) / 128 * 128);
    k->slots = NULL;
    k->pointers = calloc(bytes / LARGEST, sizeof *k->pointers);
    k->memory = calloc(1, bytes + 4 * LARGEST);
    k->bytes = bytes + 3 * LARGEST;
    ck_ring_init(&k->ring, (unsigned)(bytes / LARGEST));
    return k;
}

static void ck_pointers_produce(void *c, const struct load *l)
{
    struct ck *const k = c;
    size_t at = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        const struct record_head *const record = load_record(l, i);
        memcpy(k->memory + at, record, record->bytes);
        while (!ck_ring_enqueue_spsc(&k->ring, k->pointers, k->memory + at))
            relax();
        at += record->bytes;
        at = at < k->bytes ? at : 0;
    }
}

static uint64_t ck_pointers_consume(void *c, const struct load *l)
{
    struct ck *const k = c;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        void *record;
        while (!ck_ring_dequeue_spsc(&k->ring, k->pointers, &record))
            relax();
        sum += look(l, record, ((const struct record_head *)record)->bytes);
    }
    return sum;
}

static void ck_end(void *c)
{
    struct ck *const k = c;
    free(k->slots);
    free(k->pointers);
    free(k->memory);
    free(k);
}

static const struct candidate candidates[] = {
    {"memcpy floor", floor_make, floor_produce, NULL, floor_end},
    {"ring", ring_make, ring_produce, ring_consume, ring_end},
    {"ck_ring, slots", ck_slots_make, ck_slots_produce, ck_slots_consume, ck_end},
    {"ck_ring, pointers", ck_pointers_make, ck_pointers_produce, ck_pointers_consume, ck_end},
};
enum { CANDIDATES = sizeof candidates / sizeof *candidates, FLOOR = 0, RING = 1 };

/* ---- those who look back ------------------------------------------------------------- */

struct readers {
    struct ring *ring;
    _Atomic bool stop;
    uint64_t recorded, looked; /* bytes */
};

enum { STEP = 1 << 20 };

/* Copies up to `most` bytes from `from` on, in steps, moving the pin up behind each. */
static uint64_t copy_steps(struct ring *r, unsigned slot, uint64_t from, void *to, size_t most)
{
    uint64_t at = ring_pin(r, slot, from);
    size_t copied = 0, bytes;
    while (copied < most && (bytes = ring_copy(r, &at, to, STEP)) != 0) {
        copied += bytes;
        ring_pin_move(r, slot, at);
    }
    ring_unpin(r, slot);
    return copied;
}

/* Every 10 ms the newest 2 MiB, 200 MB/s: more than a disk takes for long. */
static void *record(void *arg)
{
    struct readers *const s = arg;
    void *const to = malloc(STEP);
    while (!atomic_load(&s->stop)) {
        const uint64_t head = ring_figures(s->ring).head;
        const uint64_t from = head > 2 * STEP ? head - 2 * STEP : 0;
        s->recorded += copy_steps(s->ring, 0, from / RING_SEGMENT * RING_SEGMENT, to, 2 * STEP);
        os_sleep(10 * 1000000);
    }
    free(to);
    return NULL;
}

/* Every 50 ms a look at 4 MiB of the oldest history. */
static void *look_back(void *arg)
{
    struct readers *const s = arg;
    void *const to = malloc(STEP);
    while (!atomic_load(&s->stop)) {
        s->looked += copy_steps(s->ring, 1, 0, to, 4 * STEP);
        os_sleep(50 * 1000000);
    }
    free(to);
    return NULL;
}

/* ---- measuring ------------------------------------------------------------------------- */

struct half {
    const struct candidate *kind;
    void *candidate;
    const struct load *load;
    int cpu;
    uint64_t sum;
};

static void stay_on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *consume(void *arg)
{
    struct half *const h = arg;
    stay_on(h->cpu);
    h->sum = h->kind->consume(h->candidate, h->load);
    return NULL;
}

static void *produce(void *arg)
{
    struct half *const h = arg;
    stay_on(h->cpu);
    h->kind->produce(h->candidate, h->load);
    return NULL;
}

/* One pass of all records from one thread to the other; ns per record. */
static double pass(const struct candidate *kind, void *candidate, const struct load *l)
{
    struct half from = {kind, candidate, l, 0, 0}, to = {kind, candidate, l, 1, 0};
    pthread_t producer, consumer;
    const int64_t start = os_now();
    if (kind->consume)
        pthread_create(&consumer, NULL, consume, &to);
    pthread_create(&producer, NULL, produce, &from);
    pthread_join(producer, NULL);
    if (kind->consume)
        pthread_join(consumer, NULL);
    const double ns = (double)(os_now() - start) / RECORDS;
    if (kind->consume && to.sum != l->sum) {
        printf("%s: other bytes came out than went in\n", kind->name);
        exit(1);
    }
    return ns;
}

/* The same with the recorder and the looker at work. */
static double pass_watched(void *ring, const struct candidate *kind, const struct load *l,
                           struct readers *s)
{
    pthread_t recorder, looker;
    atomic_store(&s->stop, false);
    pthread_create(&recorder, NULL, record, s);
    pthread_create(&looker, NULL, look_back, s);
    const double ns = pass(kind, ring, l);
    atomic_store(&s->stop, true);
    pthread_join(recorder, NULL);
    pthread_join(looker, NULL);
    return ns;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

/* One size of ring; true when the targets are met. */
static bool bench(struct load *l, size_t mib)
{
    void *made[CANDIDATES];
    double ns[CANDIDATES][ROUNDS];
    load_stride(l, 1);
    for (unsigned i = 0; i < CANDIDATES; i++) {
        made[i] = candidates[i].make(mib << 20);
        pass(&candidates[i], made[i], l); /* fills it with history, brings the pages */
    }
    load_stride(l, 8);
    struct readers s = {.ring = made[RING]};
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < CANDIDATES; i++)
            ns[i][round] = i == RING ? pass_watched(made[i], &candidates[i], l, &s)
                                     : pass(&candidates[i], made[i], l);
    double best_peer = 1e9;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        const double m = median(ns[i]);
        if (i > RING && m < best_peer)
            best_peer = m;
        printf("%4zu MiB  %-18s %6.1f ns/record  %.2f x floor", mib, candidates[i].name, m,
               m / ns[FLOOR][ROUNDS / 2]);
        printf("  (fastest %.1f, slowest %.1f)\n", ns[i][0], ns[i][ROUNDS - 1]);
    }
    const struct ring_figures f = ring_figures(made[RING]);
    const double floor = ns[FLOOR][ROUNDS / 2], ring = ns[RING][ROUNDS / 2];
    const bool is_met = ring <= 2 * floor && ring < best_peer;
    printf("%4zu MiB  ring %.1f ns; limit %.1f (2 x floor), best ck_ring %.1f: %s\n", mib, ring,
           2 * floor, best_peer, is_met ? "met" : "MISSED");
    printf("%4zu MiB  recorder copied %.0f MB, looker %.0f MB; ", mib, (double)s.recorded / 1e6,
           (double)s.looked / 1e6);
    printf("refused for a pin %llu times, retries included\n", (unsigned long long)f.pinned);
    for (unsigned i = 0; i < CANDIDATES; i++)
        candidates[i].end(made[i]);
    return is_met;
}

int main(void)
{
    struct load *const l = load_new();
    bool is_met = true;
    for (size_t mib = 64; mib <= 256; mib *= 4)
        is_met &= bench(l, mib);
    free(l->bytes);
    free(l);
    return is_met ? 0 : 1;
}
