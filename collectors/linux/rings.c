#include "collectors/linux/rings.h"

#include "src/base/mem.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    RING_MOST = 64 << 20, /* bytes of one ring, however much is lost */
    RING_FIRST = 4 << 20, /* 2.7 million events a second fit */
    RING_SHARE = 32,      /* all rings at first: at most this part of the machine's memory … */
    RING_SHARE_MOST = 8,  /* … and when they have grown */
    WATERMARK_PART = 4,   /* each such part of a ring that is written wakes the collector */
    CPUS_MOST = 8192,     /* the most that Linux can be built for */
};

/* ---- processors ------------------------------------------------------------------------ */

/* Marks the processors of a list such as "0-3,6"; the highest + 1, 0 where it cannot be read. */
static uint32_t read_cpus(const char *file, bool *is_there, uint32_t room)
{
    char path[128], text[4096];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", file);
    FILE *const f = fopen(path, "re");
    const size_t bytes = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[bytes] = '\0';
    uint32_t end = 0;
    for (char *at = text; *at >= '0' && *at <= '9';) {
        const unsigned long first = strtoul(at, &at, 10);
        const unsigned long last = *at == '-' ? strtoul(at + 1, &at, 10) : first;
        for (unsigned long cpu = first; cpu <= last && cpu < room; cpu++) {
            if (is_there)
                is_there[cpu] = true;
            end = (uint32_t)cpu + 1;
        }
        at += *at == ',';
    }
    return end;
}

/* Where the system does not say which are online, all are. */
static void read_online(const struct linux_live *l, bool *is_online)
{
    memset(is_online, 0, l->cpu_count * sizeof *is_online);
    if (!read_cpus("online", is_online, l->cpu_count))
        memset(is_online, 1, l->cpu_count * sizeof *is_online);
}

static uint32_t count_online(const struct linux_live *l)
{
    uint32_t count = 0;
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        count += l->is_online[cpu];
    return count ? count : 1;
}

/* ---- one ring ------------------------------------------------------------------------------- */

static uint32_t ring_of(uint32_t cpu, unsigned which)
{
    return cpu * RINGS_PER_CPU + which;
}

static int state_of(const struct linux_live *l, uint32_t ring)
{
    return atomic_load_explicit(&l->rings[ring].state, memory_order_acquire);
}

static int index_in(const struct linux_live *l, uint32_t cpu, int state)
{
    for (unsigned i = 0; i < RINGS_PER_CPU; i++)
        if (state_of(l, ring_of(cpu, i)) == state)
            return (int)ring_of(cpu, i);
    return -1;
}

struct live_ring *ring_in_use(const struct linux_live *l, uint32_t cpu)
{
    const int index = index_in(l, cpu, RING_READY);
    return index < 0 ? NULL : &l->rings[index];
}

static bool open_owner(struct linux_live *l, struct live_ring *r, uint32_t cpu, struct err *err)
{
    const struct perf_request owner = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .period = 1,
        .watermark = (uint32_t)(l->ring_bytes / WATERMARK_PART),
    };
    r->owner = perf_open(&l->perf, &owner, (int)cpu, &l->error, err);
    if (r->owner < 0)
        return false;
    const size_t least =
        l->ring_bytes < PERF_MAP_LEAST ? (size_t)l->ring_bytes : (size_t)PERF_MAP_LEAST;
    if (perf_map(r->owner, (size_t)l->ring_bytes, least, &r->map, err))
        return true;
    perf_close(r->owner);
    r->owner = -1;
    return false;
}

/* Not the owner's own: a larger ring takes the side band over without a gap. */
static bool open_side_band(struct linux_live *l, struct live_ring *r, uint32_t cpu, struct err *err)
{
    const struct perf_request request = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .period = 1,
        .is_side_band = true,
    };
    r->side_band = perf_open(&l->perf, &request, (int)cpu, &l->error, err);
    if (r->side_band < 0 || !perf_redirect(r->side_band, r->owner, err))
        return false;
    fd_group_open(&r->side_bands, &l->perf, &l->user_threads, &request, (int)cpu, r->owner);
    return true;
}

/* Not waited for any more before it loses its memory: from then on it would never be quiet. */
static void drop(const struct linux_live *l, struct live_ring *r)
{
    if (r->owner >= 0)
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, r->owner, NULL);
    perf_close(r->owner);
    perf_close(r->side_band);
    fd_group_close(&r->side_bands);
    r->owner = r->side_band = -1;
    perf_unmap(&r->map);
    atomic_store_explicit(&r->state, RING_NONE, memory_order_relaxed);
}

static void show(struct linux_live *l, uint32_t index, uint32_t cpu)
{
    struct live_ring *const r = &l->rings[index];
    struct stream *const s = &l->streams[index];
    perf_map_ring(&r->map, &s->ring);
    s->cpu = (uint16_t)cpu;
    r->head_then = 0;
    r->wakes_then = r->urgent_then = 0;
    atomic_store_explicit(&r->wakes, 0, memory_order_relaxed);
    atomic_store_explicit(&r->urgent, 0, memory_order_relaxed);
    if (r->map.bytes > l->largest)
        l->largest = r->map.bytes;
    struct epoll_event ready = {.events = EPOLLIN, .data.u32 = index};
    epoll_ctl(l->epoll, EPOLL_CTL_ADD, r->owner, &ready);
    perf_enable(r->owner);
    atomic_store_explicit(&r->state, RING_READY, memory_order_release);
}

static bool open_ring(struct linux_live *l, uint32_t cpu, struct err *err)
{
    const int index = index_in(l, cpu, RING_NONE);
    if (index < 0)
        return fail(err, "its last ring is not empty yet");
    struct live_ring *const r = &l->rings[index];
    if (!open_owner(l, r, cpu, err))
        return false;
    if (!open_side_band(l, r, cpu, err)) {
        drop(l, r);
        return false;
    }
    show(l, (uint32_t)index, cpu);
    perf_enable(r->side_band);
    fd_group_enable(&r->side_bands);
    return true;
}

static void leave(struct linux_live *l, uint32_t cpu)
{
    for (unsigned i = 0; i < RINGS_PER_CPU; i++) {
        struct live_ring *const r = &l->rings[ring_of(cpu, i)];
        const int state = state_of(l, ring_of(cpu, i));
        if (state == RING_READY || state == RING_MOVING)
            atomic_store_explicit(&r->state, RING_LEAVING, memory_order_release);
    }
}

void rings_drop_left(struct linux_live *l)
{
    for (uint32_t i = 0; i < RINGS_PER_CPU * l->cpu_count; i++) {
        struct live_ring *const r = &l->rings[i];
        if (state_of(l, i) != RING_LEFT)
            continue;
        struct perf_counts counts;
        if (r->side_band >= 0 && perf_read(&l->perf, r->side_band, &counts)) {
            fd_group_count(&r->side_bands, &l->perf, &counts);
            l->closed.side_band_lost += counts.lost;
            l->has_dropped = true;
        }
        drop(l, r);
    }
}

/* ---- all rings ------------------------------------------------------------------------------- */

static uint64_t power_of_two(uint64_t least)
{
    uint64_t bytes = 4096;
    while (bytes < least && bytes < RING_MOST)
        bytes *= 2;
    return bytes;
}

/* Of one ring: as asked for, or what usually suffices and what the machine can spare. */
static uint64_t first_bytes(const struct linux_live *l)
{
    if (l->options.kernel_bytes)
        return power_of_two(l->options.kernel_bytes);
    const uint64_t share = os_memory() / RING_SHARE / count_online(l);
    uint64_t bytes = RING_FIRST;
    while (bytes > share && bytes > PERF_MAP_LEAST)
        bytes /= 2;
    return bytes;
}

static void make_places(struct linux_live *l)
{
    l->cpu_count = read_cpus("possible", NULL, CPUS_MOST);
    if (!l->cpu_count)
        l->cpu_count = os_processors();
    l->is_online = mem_new(l->cpu_count, sizeof *l->is_online);
    const size_t rings = RINGS_PER_CPU * (size_t)l->cpu_count;
    l->rings = mem_new(rings, sizeof *l->rings);
    l->streams = mem_new(rings, sizeof *l->streams);
    l->merge = (struct merge){
        .streams = l->streams,
        .stream_count = rings,
        .due.items = mem_new(rings, sizeof *l->merge.due.items),
    };
    for (size_t i = 0; i < rings; i++)
        l->rings[i].owner = l->rings[i].side_band = -1;
}

bool rings_open(struct linux_live *l, struct err *err)
{
    make_places(l);
    read_online(l, l->is_online);
    l->ring_bytes = first_bytes(l);
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        if (l->is_online[cpu] && !open_ring(l, cpu, err))
            return false;
    return true;
}

void rings_close(struct linux_live *l)
{
    for (uint32_t i = 0; l->rings && i < RINGS_PER_CPU * l->cpu_count; i++)
        drop(l, &l->rings[i]);
    free(l->is_online);
    free(l->rings);
    free(l->streams);
    free(l->merge.due.items);
}

bool rings_follow_cpus(struct linux_live *l)
{
    bool is_online[CPUS_MOST], has_changed = false;
    read_online(l, is_online);
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
        if (l->is_online[cpu] == is_online[cpu])
            continue;
        /* One whose old ring is not empty yet gets its new one at the next look. */
        if (is_online[cpu] && !open_ring(l, cpu, NULL))
            continue;
        if (!is_online[cpu])
            leave(l, cpu);
        l->is_online[cpu] = is_online[cpu];
        has_changed = true;
    }
    return has_changed;
}

/* ---- larger rings ---------------------------------------------------------------------------- */

static bool is_busy(const struct linux_live *l, const struct sample_slot *s)
{
    enum { SHARE = 64 }; /* of all that fires on its processor */
    uint64_t all = 0;
    const uint32_t cpu = (uint32_t)(s - l->slots) / VARIANTS % l->cpu_count;
    for (uint32_t row = 0; row < l->row_count; row++)
        for (unsigned v = 0; v < VARIANTS; v++)
            all += slot_of(l, row, cpu, v)->recent;
    return s->recent * SHARE > all;
}

/* One event of this processor that still writes into the old ring. */
static struct sample_slot *find_left(const struct linux_live *l, uint32_t cpu, uint32_t old,
                                     bool only_busy)
{
    for (uint32_t row = 0; row < l->row_count; row++)
        for (unsigned v = 0; v < VARIANTS; v++) {
            struct sample_slot *const s = slot_of(l, row, cpu, v);
            if (s->state == SLOT_ON && s->ring == old && (!only_busy || is_busy(l, s)))
                return s;
        }
    return NULL;
}

/* False when it is time for something else, or an event stays where it is. */
static bool move_some(struct linux_live *l, uint32_t cpu, uint32_t old, bool only_busy,
                      int64_t deadline)
{
    const struct live_ring *const to = ring_in_use(l, cpu);
    for (struct sample_slot *s; (s = find_left(l, cpu, old, only_busy));) {
        if (atomic_load_explicit(&l->is_stopping, memory_order_relaxed) || os_now() > deadline)
            return false;
        if (!perf_redirect(s->fd, to->owner, NULL) ||
            !fd_group_redirect(&s->fd_group, to->owner, NULL))
            return false;
        s->ring = (uint32_t)(to - l->rings);
    }
    return true;
}

/* What could not be redirected goes on writing into the old ring, so that one stays. */
void rings_move(struct linux_live *l)
{
    enum { TURN = 200000000, PASSES = 2 };
    const int64_t deadline = os_now() + TURN;
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
            const int old = index_in(l, cpu, RING_MOVING);
            if (old < 0 || !move_some(l, cpu, (uint32_t)old, pass == 0, deadline) || pass == 0)
                continue;
            atomic_store_explicit(&l->rings[old].state, RING_LEAVING, memory_order_release);
        }
}

bool rings_are_moving(const struct linux_live *l)
{
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        if (index_in(l, cpu, RING_MOVING) >= 0)
            return true;
    return false;
}

bool rings_are_settled(const struct linux_live *l)
{
    for (size_t i = 0; i < l->merge.stream_count; i++) {
        const int state = atomic_load_explicit(&l->rings[i].state, memory_order_relaxed);
        if (state != RING_NONE && state != RING_READY)
            return false;
    }
    return true;
}

/* A fresh ring of at least so many bytes in place of the one in use. */
static bool replace(struct linux_live *l, uint32_t cpu, size_t least, struct err *err)
{
    const int index = index_in(l, cpu, RING_NONE), old = index_in(l, cpu, RING_READY);
    if (index < 0 || old < 0)
        return fail(err, "the last ones are not empty yet");
    struct live_ring *const r = &l->rings[index], *const before = &l->rings[old];
    if (!open_owner(l, r, cpu, err))
        return false;
    if (r->map.bytes < least) {
        drop(l, r);
        return fail(err, "the system gives no more");
    }
    r->side_band = before->side_band;
    r->side_bands = before->side_bands;
    before->side_band = -1;
    before->side_bands = (struct fd_group){0};
    show(l, (uint32_t)index, cpu);
    atomic_store_explicit(&before->state, RING_MOVING, memory_order_release);
    return perf_redirect(r->side_band, r->owner, err) &&
           fd_group_redirect(&r->side_bands, r->owner, err);
}

static bool grow(struct linux_live *l, uint32_t cpu, struct err *err)
{
    const struct live_ring *const r = ring_in_use(l, cpu);
    /* An earlier round may have come as far as this one before another failed. */
    if (r && r->map.bytes >= l->ring_bytes)
        return true;
    return replace(l, cpu, r ? r->map.bytes + 1 : 0, err);
}

bool rings_grow(struct linux_live *l, struct err *why)
{
    const uint64_t share = os_memory() / RING_SHARE_MOST / count_online(l);
    if (l->ring_bytes * 2 > RING_MOST || l->ring_bytes * 2 > share)
        return fail(why, "they are as large as this machine can spare");
    l->ring_bytes *= 2;
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        if (l->is_online[cpu] && !grow(l, cpu, why)) {
            l->ring_bytes /= 2;
            return false;
        }
    l->retuned++;
    return true;
}

/* ---- what rings did since the last look ------------------------------------------------------ */

static uint64_t head_of(const struct linux_live *l, uint32_t index)
{
    return __atomic_load_n(l->streams[index].ring.head, __ATOMIC_RELAXED);
}

/* A ring asks for one wake-up for each WATERMARK_PART of it that is written, and one for each
 * urgent record. But kernels lose track of it (seen on 6.18, once in some hours of load): each
 * record raises an interrupt and wakes us, which makes the next record, as if the mark lay ahead of
 * the ring's end for good. Half a processor's time is gone until the ring is freed. An interrupt
 * that writes between a record's reservation and its comparison with the mark may be the cause. */
static bool is_restless(const struct linux_live *l, uint32_t index)
{
    enum { MARGIN = 64 }; /* wake-ups of a second that harm nobody */
    const struct live_ring *const r = &l->rings[index];
    const uint64_t wakes = atomic_load_explicit(&r->wakes, memory_order_relaxed) - r->wakes_then;
    const uint64_t urgent = atomic_load_explicit(&r->urgent, memory_order_relaxed) - r->urgent_then;
    const uint64_t parts = (head_of(l, index) - r->head_then) / (r->map.bytes / WATERMARK_PART);
    return wakes > MARGIN && wakes / 2 > urgent + parts;
}

void rings_renew(struct linux_live *l)
{
    for (uint32_t i = 0; i < RINGS_PER_CPU * l->cpu_count; i++) {
        struct live_ring *const r = &l->rings[i];
        if (state_of(l, i) != RING_READY)
            continue;
        if (is_restless(l, i) && replace(l, i / RINGS_PER_CPU, r->map.bytes, NULL))
            l->renewed++;
        r->wakes_then = atomic_load_explicit(&r->wakes, memory_order_relaxed);
        r->urgent_then = atomic_load_explicit(&r->urgent, memory_order_relaxed);
    }
}

uint64_t rings_most_written(struct linux_live *l)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < RINGS_PER_CPU * l->cpu_count; i++) {
        struct live_ring *const r = &l->rings[i];
        if (state_of(l, i) != RING_READY)
            continue;
        const uint64_t head = head_of(l, i);
        if (head - r->head_then > most)
            most = head - r->head_then;
        r->head_then = head;
    }
    return most;
}

void rings_disable_side_band(struct linux_live *l)
{
    for (uint32_t i = 0; i < RINGS_PER_CPU * l->cpu_count; i++)
        if (l->rings[i].side_band >= 0) {
            perf_disable(l->rings[i].side_band);
            fd_group_disable(&l->rings[i].side_bands);
        }
}
