/* Control: opens and closes kernel events as the owner wants, keeps the accounts of what they
 * fired, follows processors that come and go. Its own thread, because opening and closing
 * events waits for the kernel. */
#include "collectors/linux/live.h"

#include "src/fact.h"
#include "src/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    RING_MOST = 64 << 20, /* bytes of one ring, however much is lost */
    RING_FIRST = 4 << 20, /* 2.7 million events a second fit */
    RING_SHARE = 32,      /* all rings together: at most this part of the machine's memory */
};

void live_say(struct live *l, const char *format, ...)
{
    const unsigned to_say = atomic_load_explicit(&l->to_say, memory_order_relaxed);
    if (to_say - atomic_load_explicit(&l->said, memory_order_acquire) == LIVE_SAYINGS)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(l->sayings[to_say % LIVE_SAYINGS], NOTICE_BYTES, format, args);
    va_end(args);
    atomic_store_explicit(&l->to_say, to_say + 1, memory_order_release);
}

/* ---- processors ------------------------------------------------------------------------------ */

/* Marks the processors of a list such as "0-3,6"; the highest + 1. */
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

/* ---- rings --------------------------------------------------------------------------------------
 */

static uint32_t ring_of(uint32_t cpu, unsigned which)
{
    return cpu * RINGS_PER_CPU + which;
}

static int ring_state(const struct live *l, uint32_t ring)
{
    return atomic_load_explicit(&l->rings[ring].state, memory_order_acquire);
}

/* The ring in use of a processor; NULL where it has none. */
static struct live_ring *ring_in_use(const struct live *l, uint32_t cpu)
{
    for (unsigned i = 0; i < RINGS_PER_CPU; i++)
        if (ring_state(l, ring_of(cpu, i)) == RING_READY)
            return &l->rings[ring_of(cpu, i)];
    return NULL;
}

static bool open_owner(struct live *l, struct live_ring *r, uint32_t cpu, struct err *err)
{
    const struct perf_wish owner = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .period = 1,
        .watermark = (uint32_t)(l->ring_bytes / 4),
        .is_owner = true,
    };
    int error;
    r->owner = perf_open(&l->perf, &owner, (int)cpu, &error, err);
    if (r->owner < 0)
        return errno = error, false;
    const size_t least =
        l->ring_bytes < PERF_MAP_LEAST ? (size_t)l->ring_bytes : (size_t)PERF_MAP_LEAST;
    if (perf_map(r->owner, (size_t)l->ring_bytes, least, &r->map, err))
        return true;
    perf_close(r->owner);
    r->owner = -1;
    return false;
}

static bool open_side_band(struct live *l, struct live_ring *r, uint32_t cpu, struct err *err)
{
    const struct perf_wish wish = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .period = 1,
        .is_side_band = true,
    };
    int error;
    r->side_band = perf_open(&l->perf, &wish, (int)cpu, &error, err);
    if (r->side_band < 0)
        return errno = error, false;
    return perf_redirect(r->side_band, r->owner, err);
}

static void drop_ring(struct live_ring *r)
{
    perf_close(r->owner);
    perf_close(r->side_band);
    r->owner = r->side_band = -1;
    perf_unmap(&r->map);
}

static void show_ring(struct live *l, uint32_t index, uint32_t cpu)
{
    struct live_ring *const r = &l->rings[index];
    struct stream *const s = &l->streams[index];
    perf_map_ring(&r->map, &s->ring);
    s->cpu = (uint16_t)cpu;
    r->head_then = 0;
    if (r->map.bytes > l->figures.kernel_bytes)
        l->figures.kernel_bytes = r->map.bytes;
    struct epoll_event ready = {.events = EPOLLIN, .data.fd = r->owner};
    epoll_ctl(l->epoll, EPOLL_CTL_ADD, r->owner, &ready);
    atomic_store_explicit(&r->state, RING_READY, memory_order_release);
}

static bool open_ring(struct live *l, uint32_t cpu, struct err *err)
{
    const uint32_t index = ring_of(cpu, 0);
    struct live_ring *const r = &l->rings[index];
    if (!open_owner(l, r, cpu, err))
        return false;
    if (!open_side_band(l, r, cpu, err)) {
        const int error = errno;
        drop_ring(r);
        return errno = error, false;
    }
    show_ring(l, index, cpu);
    perf_enable(r->owner);
    perf_enable(r->side_band);
    return true;
}

/* ---- slots: one event on one processor ----------------------------------------------------------
 */

/* What the kernel has counted of a slot: for perf events how often they fired, for BPF what the
 * program has counted on that processor since. */
static bool read_counts(const struct live *l, struct slot *s)
{
    const uint32_t index = (uint32_t)(s - l->slots) / VARIANTS;
    const struct row *const r = &l->rows[index / l->cpu_count];
    if (!perf_read(&l->perf, s->fd, &s->counts))
        return false;
    if (r->bpf)
        s->counts.fired =
            (s->state == SLOT_CLOSING ? s->bpf_after : bpf_fired(r->bpf, index % l->cpu_count)) -
            s->bpf_before;
    return true;
}

/* Into the processor's ring, and for BPF behind the program. */
static bool lead_slot(struct live *l, const struct row *r, struct slot *s, uint32_t cpu,
                      const struct live_ring *ring, struct err *err)
{
    if (!perf_redirect(s->fd, ring->owner, err))
        return false;
    if (r->bpf)
        s->bpf_before = bpf_fired(r->bpf, cpu);
    return (!r->bpf || bpf_connect(r->bpf, cpu, s->fd, err)) && read_counts(l, s);
}

static bool open_slot(struct live *l, const struct row *r, struct slot *s, uint32_t cpu,
                      const struct live_ring *ring, struct err *err)
{
    const struct linux_event *const e = r->event;
    const struct perf_wish wish = {
        .type = r->type,
        .config = r->config,
        .period = 1,
        .frequency = e->period,
        .has_chain = s->source.has_chain,
        .has_raw = s->source.has_raw,
    };
    int error;
    s->fd = perf_open(&l->perf, &wish, (int)cpu, &error, err);
    if (s->fd < 0)
        return false;
    if (!lead_slot(l, r, s, cpu, ring, err)) {
        perf_close(s->fd);
        s->fd = -1;
        return false;
    }
    s->id = s->counts.id;
    s->silent = 0;
    atomic_store_explicit(&s->received, 0, memory_order_relaxed);
    atomic_store_explicit(&s->received_then, 0, memory_order_relaxed);
    atomic_store_explicit(&s->check_at, INT64_MAX, memory_order_relaxed);
    ids_add(l, s->id, (uint32_t)(s - l->slots));
    s->state = SLOT_ON;
    return true;
}

/* A program's output is disconnected at once: the other variant may come after it. */
static void disable_slot(const struct row *r, struct slot *s, uint32_t cpu)
{
    perf_disable(s->fd);
    if (r->bpf) {
        bpf_disconnect(r->bpf, cpu);
        s->bpf_after = bpf_fired(r->bpf, cpu);
    }
    s->disabled_at = os_now();
    s->state = SLOT_CLOSING;
}

static uint64_t received(const struct slot *s)
{
    return atomic_load_explicit(&s->received, memory_order_relaxed);
}

/* Events by frequency count something else than their samples. */
static bool is_counted(const struct slot *s)
{
    return s->source.event->period == 0;
}

/* What was disabled and drained: the account is exact and goes to the closed ones. */
static void close_slot(struct live *l, struct slot *s)
{
    read_counts(l, s);
    struct live_figures *const f = &l->closed;
    if (is_counted(s)) {
        const uint64_t had = received(s) + s->counts.lost;
        s->silent = s->counts.fired > had ? s->counts.fired - had : 0;
        f->fired += s->counts.fired;
        f->received += received(s);
        f->lost += s->counts.lost;
        f->silent += s->silent;
    } else {
        f->other_lost += s->counts.lost;
    }
    ids_remove(l, s->id);
    perf_close(s->fd);
    s->fd = -1;
    s->state = SLOT_OFF;
}

static bool is_drained(const struct live *l, int64_t time)
{
    return atomic_load_explicit(&l->drained, memory_order_acquire) > time;
}

/* True when nothing is left that waits for its end. */
static bool close_drained(struct live *l)
{
    bool is_all = true;
    for (uint32_t i = 0; i < l->slot_count; i++) {
        struct slot *const s = &l->slots[i];
        if (s->state != SLOT_CLOSING)
            continue;
        if (is_drained(l, s->disabled_at))
            close_slot(l, s);
        else
            is_all = false;
    }
    return is_all;
}

/* ---- rows: on and off
 * ------------------------------------------------------------------------------ */

static void close_row(struct live *l, uint32_t row, unsigned variant)
{
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
        struct slot *const s = slot_of(l, row, cpu, variant);
        if (s->state == SLOT_ON)
            disable_slot(&l->rows[row], s, cpu);
    }
    l->rows[row].is_on[variant] = false;
}

/* Not while an earlier opening of the same is being closed. */
static bool can_open(const struct live *l, uint32_t row, unsigned variant)
{
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        if (slot_of(l, row, cpu, variant)->state == SLOT_CLOSING)
            return false;
    return true;
}

static void enable_row(struct live *l, uint32_t row, unsigned variant)
{
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
        const struct slot *const s = slot_of(l, row, cpu, variant);
        if (s->state == SLOT_ON)
            perf_enable(s->fd);
    }
}

static bool open_row(struct live *l, uint32_t row, unsigned variant, struct err *err)
{
    struct row *const r = &l->rows[row];
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
        const struct live_ring *const ring = ring_in_use(l, cpu);
        struct slot *const s = slot_of(l, row, cpu, variant);
        if (!ring || s->state != SLOT_OFF || open_slot(l, r, s, cpu, ring, err))
            continue;
        close_row(l, row, variant);
        return false;
    }
    r->is_on[variant] = true;
    enable_row(l, row, variant);
    if (!r->bpf || bpf_switch(r->bpf, true, err))
        return r->is_proven = true;
    close_row(l, row, variant);
    return false;
}

static void event_name(const struct linux_event *e, char *out, size_t room)
{
    if (e->group)
        snprintf(out, room, "%s:%s", e->group, e->name);
    else
        snprintf(out, room, "the kernel's software event %" PRIu64, e->perf_config);
}

static void say_missing(struct live *l, struct row *r, const char *why)
{
    if (r->is_said)
        return;
    char name[128];
    event_name(r->event, name, sizeof name);
    live_say(l, "%s is not to be had (%s): without it there is no %s", name, why,
             r->event->serves ? r->event->serves : "such event");
    r->is_said = true;
}

static bool is_wanted(const struct live *l, const struct row *r, uint32_t classes)
{
    const struct linux_event *const e = r->event;
    return (!e->classes || e->classes & classes) && (!e->is_needed || e->is_needed(&l->translator));
}

/* Switches one row as wanted; a change from one variant to the other overlaps in neither: the
 * first is disabled before the second is enabled. */
static void follow_row(struct live *l, uint32_t row, uint32_t wanted, uint32_t stacks)
{
    struct row *const r = &l->rows[row];
    const bool is_on = is_wanted(l, r, wanted);
    const unsigned variant = is_on && r->event->classes & stacks ? 1 : 0;
    for (unsigned v = 0; v < VARIANTS; v++)
        if (r->is_on[v] && (!is_on || v != variant))
            close_row(l, row, v);
    if (!is_on && r->bpf)
        bpf_switch(r->bpf, false, NULL);
    if (!is_on || r->is_on[variant] || !can_open(l, row, variant))
        return;
    struct err err = {"this kernel does not have it"};
    if (r->is_missing) {
        say_missing(l, r, r->why.text[0] ? r->why.text : err.text);
        return;
    }
    if (open_row(l, row, variant, &err))
        return;
    if (r->bpf && !r->is_proven && row_use_perf(l, row))
        return; /* with the next beat */
    r->is_missing = true;
    say_missing(l, r, err.text);
}

static void tell_what_is_on(struct live *l, uint32_t wanted, uint32_t stacks)
{
    enum { ALWAYS = 1 << FACT_PROCESS | 1 << FACT_THREAD | 1 << FACT_IMAGE };
    uint32_t active = ALWAYS, active_stacks = 0, known = 0;
    for (uint32_t i = 0; i < l->row_count; i++) {
        const struct row *const r = &l->rows[i];
        known |= r->event->classes;
        if (r->is_on[0] || r->is_on[1])
            active |= r->event->classes & wanted;
        if (r->is_on[1])
            active_stacks |= r->event->classes & stacks;
    }
    struct collector *const c = l->collector;
    atomic_store_explicit(&c->active, active, memory_order_relaxed);
    atomic_store_explicit(&c->active_stacks, active_stacks, memory_order_relaxed);
    atomic_store_explicit(&c->refused, wanted & known & ~active, memory_order_relaxed);
}

static void follow_wishes(struct live *l)
{
    const struct collector *const c = l->collector;
    const uint32_t wanted = atomic_load_explicit(&c->wanted, memory_order_relaxed);
    const uint32_t stacks = atomic_load_explicit(&c->wanted_stacks, memory_order_relaxed);
    for (uint32_t i = 0; i < l->row_count; i++)
        follow_row(l, i, wanted, stacks);
    tell_what_is_on(l, wanted, stacks);
}

/* ---- accounts
 * ---------------------------------------------------------------------------------------- */

/* How many samples had come by the moment of the last reading, as far as one can tell: what
 * came later counts too where the collector had passed the moment already. Never too few. */
static void settle_check(struct slot *s)
{
    const bool is_open = atomic_load_explicit(&s->check_at, memory_order_acquire) != INT64_MAX;
    const uint64_t had =
        (is_open ? received(s) : atomic_load_explicit(&s->received_then, memory_order_relaxed)) +
        s->counts.lost;
    if (s->counts.fired > had && s->counts.fired - had > s->silent)
        s->silent = s->counts.fired - had;
    atomic_store_explicit(&s->check_at, INT64_MAX, memory_order_relaxed);
}

static void begin_check(struct live *l, struct slot *s)
{
    if (!read_counts(l, s))
        return;
    atomic_store_explicit(&s->check_at, os_now(), memory_order_release);
}

static uint64_t load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void raise_to(_Atomic uint64_t *counter, uint64_t value)
{
    if (value > load(counter))
        atomic_store_explicit(counter, value, memory_order_relaxed);
}

static uint64_t side_band_lost(const struct live *l)
{
    uint64_t lost = l->closed.side_band_lost;
    for (uint32_t i = 0; i < RINGS_PER_CPU * l->cpu_count; i++) {
        struct perf_counts counts;
        if (l->rings[i].side_band >= 0 && perf_read(&l->perf, l->rings[i].side_band, &counts))
            lost += counts.lost;
    }
    return lost;
}

/* Sums what is open and what was closed. */
static void sum_up(struct live *l)
{
    struct live_figures f = l->closed;
    f.kernel_bytes = l->figures.kernel_bytes;
    f.retuned = l->figures.retuned;
    for (uint32_t i = 0; i < l->slot_count; i++) {
        const struct slot *const s = &l->slots[i];
        if (s->state == SLOT_OFF)
            continue;
        if (!is_counted(s)) {
            f.other_lost += s->counts.lost;
            continue;
        }
        f.lost += s->counts.lost;
        f.fired += s->counts.fired;
        f.received += received(s);
        f.silent += s->silent;
    }
    f.side_band_lost = side_band_lost(l);
    f.lost_records = load(&l->lost_records);
    f.strangers = load(&l->strangers);
    f.bad = load(&l->bad);
    f.damaged = load(&l->damaged);
    f.late = load(&l->late);
    f.throttled = load(&l->throttled);
    f.records = load(&l->records);
    l->figures = f;
}

/* What the kernel counts as lost, event by event, or (before 6.0) what its records say. */
static void tell_losses(struct live *l)
{
    struct collector_loss *const loss = &l->collector->loss;
    const struct live_figures *const f = &l->figures;
    const uint64_t counted = f->lost + f->other_lost + f->side_band_lost;
    const uint64_t lost = counted > f->lost_records ? counted : f->lost_records;
    raise_to(&loss->made, f->fired);
    raise_to(&loss->received, f->received);
    raise_to(&loss->lost, f->lost);
    raise_to(&loss->silent, f->silent);
    raise_to(&loss->throttled, f->throttled);
    raise_to(&loss->kernel, lost + f->silent);
}

static void look_at_counts(struct live *l)
{
    for (uint32_t i = 0; i < l->slot_count; i++)
        if (l->slots[i].state == SLOT_ON && is_counted(&l->slots[i])) {
            settle_check(&l->slots[i]);
            begin_check(l, &l->slots[i]);
        }
    sum_up(l);
    tell_losses(l);
}

/* ---- beginning
 * -------------------------------------------------------------------------------------------- */

static uint64_t power_of_two(uint64_t least)
{
    uint64_t bytes = 4096;
    while (bytes < least && bytes < RING_MOST)
        bytes *= 2;
    return bytes;
}

/* Of one ring: as asked for, or what usually suffices and what the machine can spare. */
static uint64_t ring_bytes_of(const struct live *l, uint32_t online)
{
    if (l->options.kernel_bytes)
        return power_of_two(l->options.kernel_bytes);
    const uint64_t share = os_memory() / RING_SHARE / (online ? online : 1);
    uint64_t bytes = RING_FIRST;
    while (bytes > share && bytes > PERF_MAP_LEAST)
        bytes /= 2;
    return bytes;
}

static void make_cpus(struct live *l)
{
    enum { CPUS_MOST = 8192 };
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
        .heap = mem_new(rings, sizeof *l->merge.heap),
    };
    for (size_t i = 0; i < rings; i++)
        l->rings[i].owner = l->rings[i].side_band = -1;
}

static bool open_rings(struct live *l, struct err *err)
{
    const uint32_t end = read_cpus("online", l->is_online, l->cpu_count);
    uint32_t online = 0;
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        online += l->is_online[cpu] |= !end; /* no such file: all */
    l->ring_bytes = ring_bytes_of(l, online);
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        if (l->is_online[cpu] && !open_ring(l, cpu, err))
            return false;
    return true;
}

bool control_open(struct live *l, struct err *err)
{
    perf_raise_limits();
    make_cpus(l);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    rows_init(l);
    struct err why = {""};
    if (!open_rings(l, &why))
        return fail(err, "the kernel's events cannot be opened: %s", why.text);
    follow_wishes(l);
    return true;
}

/* ---- the end
 * -------------------------------------------------------------------------------------------------
 */

static void close_all(struct live *l)
{
    for (uint32_t i = 0; i < l->row_count; i++)
        for (unsigned v = 0; v < VARIANTS; v++)
            close_row(l, i, v);
    for (uint32_t i = 0; i < RINGS_PER_CPU * l->cpu_count; i++)
        if (l->rings[i].side_band >= 0)
            perf_disable(l->rings[i].side_band);
    while (!close_drained(l))
        os_bell_wait(l->bell, 1000000);
}

void control_close(struct live *l)
{
    for (uint32_t i = 0; i < l->slot_count; i++)
        perf_close(l->slots[i].fd);
    for (uint32_t i = 0; l->rings && i < RINGS_PER_CPU * l->cpu_count; i++)
        drop_ring(&l->rings[i]);
    if (l->epoll >= 0)
        close(l->epoll);
    rows_fini(l);
    free(l->is_online);
    free(l->rings);
    free(l->streams);
    free(l->merge.heap);
}

/* ---- the thread
 * -------------------------------------------------------------------------------------------------
 */

void control_run(void *live)
{
    struct live *const l = live;
    while (!atomic_load_explicit(&l->is_stopping, memory_order_acquire)) {
        os_bell_wait(l->bell, LIVE_BEAT);
        follow_wishes(l);
        close_drained(l);
        const int64_t now = os_now();
        if (now >= l->next_look) {
            look_at_counts(l);
            l->next_look = now + LIVE_SECOND;
        }
    }
    close_all(l);
    sum_up(l);
    tell_losses(l);
    atomic_store_explicit(&l->is_over, true, memory_order_release);
}
