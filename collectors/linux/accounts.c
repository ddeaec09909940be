/* For every event and processor: fired = received + lost + undelivered.
 *
 *   fired     the kernel's own count, less what a program behind it has left out (-p), or that
 *             of the BPF program
 *   lost      for want of room in the ring, counted by the kernel event by event (6.0 and later;
 *             before that only its LOST records do, ring by ring)
 *   undelivered
 *             the rest: some kernels count tracepoints in interrupts of idle processors and never
 *             deliver them; and events that came while their own BPF program ran, which
 *             kernels count by program
 *
 * Where another program listens to page faults as well, some kernels give our record the id of
 * another event (see drain.c, adopt()): that event has one too many, and the one that fired lacks
 * it. Both cancel out in the sum: such a record was delivered.
 *
 * While events flow, what has fired by the moment of reading must be compared with what had
 * been received of that time: the collector notes that when it passes the moment (check_at).
 * An event that was counted just before, and whose record is stamped or written just after, is
 * missing then, too; so only events that two checks in a row miss count. All is exact when the slot
 * is closed. */
#include "collectors/linux/accounts.h"
#include "collectors/linux/unwind/unwinder.h"

#include <inttypes.h>

static uint64_t load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Events by frequency count something else than their samples. */
static bool is_counted(const struct sample_slot *s)
{
    return s->source.event->period == 0;
}

static bool can_report_lost(const struct linux_live *l)
{
    return !(l->perf.lacks & PERF_NO_LOST);
}

bool accounts_read(const struct linux_live *l, struct sample_slot *s)
{
    const uint32_t index = (uint32_t)(s - l->slots) / VARIANTS;
    const struct row *const r = &l->rows[index / l->cpu_count];
    /* First what fired, then what of it was lost: what happens between the two must not look as
     * if it had fired and gone. */
    const uint64_t now = r->bpf ? bpf_fired(r->bpf, index % l->cpu_count) : 0;
    if (!perf_read(&l->perf, s->fd, &s->counts))
        return false;
    fd_group_count(&s->fd_group, &l->perf, &s->counts);
    if (s->has_chooser) {
        const uint64_t out =
            bpf_scope_left_out(l->bpf, r->event->chooser, index % l->cpu_count) - s->bpf_before;
        s->counts.fired = s->counts.fired > out ? s->counts.fired - out : 0;
    }
    if (r->bpf) /* a count that could not be read is 0 */
        s->counts.fired = now > s->bpf_before ? now - s->bpf_before : 0;
    return true;
}

/* ---- one slot ----------------------------------------------------------------------------- */

static uint64_t missing(const struct sample_slot *s, uint64_t received)
{
    const uint64_t had = received + s->counts.lost;
    return s->counts.fired > had ? s->counts.fired - had : 0;
}

static void raise_undelivered(struct sample_slot *s, uint64_t received)
{
    const uint64_t now = missing(s, received), sure = now < s->missing ? now : s->missing;
    s->missing = now;
    if (sure > s->undelivered)
        s->undelivered = sure;
}

/* An upper bound of the samples that had come by the moment of the last reading: later ones count
 * too where the collector had passed the moment already. */
static void settle(const struct linux_live *l, struct sample_slot *s)
{
    const int64_t moment = atomic_load_explicit(&s->check_at, memory_order_acquire);
    if (moment == INT64_MAX)
        raise_undelivered(s, load(&s->received_then));
    else if (atomic_load_explicit(&l->drained, memory_order_acquire) > moment)
        raise_undelivered(s, load(&s->received)); /* nothing younger came */
    atomic_store_explicit(&s->check_at, INT64_MAX, memory_order_relaxed);
}

static void begin_check(const struct linux_live *l, struct sample_slot *s)
{
    const uint64_t before = s->counts.fired;
    if (!accounts_read(l, s))
        return;
    s->recent = s->counts.fired - before;
    s->is_checked = true;
    atomic_store_explicit(&s->check_at, os_now(), memory_order_release);
}

/* Reading a count asks the processor that it counts on, and would wake one that rests: where
 * little was received since the last look, every fifth look is enough to find what is undelivered,
 * and where nothing was since the last reading, every twentieth. */
enum { SELDOM = 5, RARELY = 20, LITTLE = 2000 };

static bool is_seldom(const struct linux_live *l)
{
    return l->looks % SELDOM == 0;
}

static bool is_to_be_read(const struct linux_live *l, const struct sample_slot *s,
                          uint64_t received)
{
    return received - s->received_at_look >= LITTLE || l->looks % RARELY == 0 ||
           (is_seldom(l) && received != s->received_at_reading);
}

static void look_at_slot(struct linux_live *l, struct sample_slot *s)
{
    const uint64_t received = load(&s->received);
    if (s->is_checked)
        settle(l, s);
    s->is_checked = false;
    s->recent = 0;
    if (is_to_be_read(l, s, received)) {
        begin_check(l, s);
        s->received_at_reading = received;
    }
    s->received_at_look = received;
}

static void add(struct live_figures *f, const struct sample_slot *s)
{
    if (!is_counted(s)) {
        f->other_lost += s->counts.lost;
        return;
    }
    const uint64_t had = load(&s->received) + s->counts.lost;
    f->strayed += had > s->counts.fired ? had - s->counts.fired : 0;
    f->fired += s->counts.fired;
    f->received += load(&s->received);
    f->lost += s->counts.lost;
    f->undelivered += s->undelivered;
}

void accounts_close(struct linux_live *l, struct sample_slot *s)
{
    accounts_read(l, s);
    s->undelivered = missing(s, load(&s->received));
    add(&l->closed, s);
    if (s->undelivered > l->most_undelivered) {
        l->most_undelivered = s->undelivered;
        l->most_undelivered_event = s->source.event;
    }
}

/* ---- the sum ------------------------------------------------------------------------------- */

static uint64_t side_band_lost(const struct linux_live *l)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < RINGS_PER_CPU * l->cpu_count; i++) {
        struct perf_counts counts;
        if (l->rings[i].side_band < 0 || !perf_read(&l->perf, l->rings[i].side_band, &counts))
            continue;
        fd_group_count(&l->rings[i].side_bands, &l->perf, &counts);
        lost += counts.lost;
    }
    return lost;
}

/* Of one that is on: what came since its count was read has fired, too. */
static void add_running(struct live_figures *f, const struct sample_slot *s)
{
    const uint64_t before = f->fired, strayed = f->strayed;
    add(f, s);
    f->strayed = strayed;
    const uint64_t had = load(&s->received) + s->counts.lost + s->undelivered;
    if (is_counted(s) && f->fired - before < had)
        f->fired = before + had;
}

/* A record that came as another event's is missing where it fired, and too many where it came. */
static void take_out_strayed(struct live_figures *f)
{
    const uint64_t known = f->strayed < f->undelivered ? f->strayed : f->undelivered;
    f->undelivered -= known;
    f->fired += f->strayed - known;
    f->strayed = 0;
}

static void sum_up(struct linux_live *l)
{
    struct live_figures f = l->closed;
    for (uint32_t i = 0; i < l->slot_count; i++)
        if (l->slots[i].state != SLOT_OFF)
            add_running(&f, &l->slots[i]);
    take_out_strayed(&f);
    for (uint32_t i = 0; i < l->row_count; i++) {
        f.fired += l->rows[i].missed;
        f.undelivered += l->rows[i].missed;
    }
    f.side_band_lost += l->side_band_lost;
    f.lost_records = load(&l->lost_records);
    f.unknown_ids = load(&l->unknown_ids);
    f.bad = load(&l->bad);
    f.damaged = load(&l->damaged);
    f.late = load(&l->late);
    f.throttled = load(&l->throttled);
    f.records = load(&l->records);
    if (!can_report_lost(l)) { /* what is missing is lost as far as the records say so */
        f.lost = f.lost_records < f.undelivered ? f.lost_records : f.undelivered;
        f.undelivered -= f.lost;
    }
    l->figures = f;
}

/* The last check is exact, even if it is less than an earlier one. */
static void report_one(_Atomic uint64_t *counter, uint64_t value, bool is_last)
{
    if (is_last || value > load(counter))
        atomic_store_explicit(counter, value, memory_order_relaxed);
}

static uint64_t lost_in_all(const struct live_figures *f)
{
    const uint64_t counted = f->lost + f->other_lost + f->side_band_lost;
    return counted > f->lost_records ? counted : f->lost_records;
}

static void report(struct linux_live *l, bool is_last)
{
    struct collector_loss *const loss = &l->collector->loss;
    const struct live_figures *const f = &l->figures;
    report_one(&loss->made, f->fired, is_last);
    report_one(&loss->received, f->received, is_last);
    report_one(&loss->lost, f->lost, is_last);
    report_one(&loss->undelivered, f->undelivered, is_last);
    report_one(&loss->throttled, f->throttled, is_last);
    report_one(&loss->kernel, lost_in_all(f) + f->undelivered, is_last);
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* Of one event on one processor; of a BPF program's misses, on all of them. */
static void find_most_undelivered(struct linux_live *l)
{
    for (uint32_t i = 0; i < l->row_count; i++)
        if (l->rows[i].missed > l->most_undelivered) {
            l->most_undelivered = l->rows[i].missed;
            l->most_undelivered_event = l->rows[i].event;
        }
    for (uint32_t i = 0; i < l->slot_count; i++) {
        const struct sample_slot *const s = &l->slots[i];
        if (s->state == SLOT_OFF || s->undelivered <= l->most_undelivered)
            continue;
        l->most_undelivered = s->undelivered;
        l->most_undelivered_event = s->source.event;
    }
}

/* Once: where the numbers go on growing, the status line shows it. */
static void report_undelivered(struct linux_live *l)
{
    enum { WORTH_REPORTING = 10 };
    if (l->has_reported_undelivered || l->figures.undelivered < WORTH_REPORTING)
        return;
    find_most_undelivered(l);
    const struct linux_event *const e = l->most_undelivered_event;
    if (!e)
        return;
    l->has_reported_undelivered =
        message_write(&l->messages,
                      "the kernel counted but never delivered %" PRIu64
                      " events, mostly %s: this happens in interrupts; they count as lost",
                      l->figures.undelivered, e->name ? e->name : "software events");
}

static void report_throttled(struct linux_live *l)
{
    if (l->has_reported_throttled || !l->figures.throttled)
        return;
    l->has_reported_throttled = message_write(
        &l->messages,
        "the kernel paused an event that came too often: there are gaps in the samples");
}

static void read_missed(struct linux_live *l)
{
    for (uint32_t i = 0; i < l->row_count; i++)
        if (l->rows[i].bpf && l->rows[i].is_proven)
            l->rows[i].missed = bpf_missed(l->rows[i].bpf);
}

/* Copies that were beyond the budget, and what the unwinder could not do of those that were not. */
static void count_short(struct linux_live *l)
{
    uint64_t sum = 0;
    if (!l->translator.unwinder)
        return;
    for (uint32_t i = 0; i < l->row_count; i++)
        if (l->rows[i].bpf && l->rows[i].is_proven && l->rows[i].event->stack_bytes)
            sum += bpf_deep_left(l->rows[i].bpf);
    const struct unwinder_figures f = unwinder_figures(l->translator.unwinder);
    atomic_store_explicit(&l->collector->stacks_short, sum + f.over + f.refused,
                          memory_order_relaxed);
}

/* What is counted for all events of a kind, and costs as much to read. */
static void look_at_rest(struct linux_live *l)
{
    read_missed(l);
    count_short(l);
    l->side_band_lost = side_band_lost(l);
}

void accounts_look(struct linux_live *l, bool is_last)
{
    const uint64_t records = load(&l->records);
    const bool came_many = records - l->records_at_look >= (uint64_t)LITTLE * l->cpu_count;
    if (is_last || l->has_dropped || came_many || is_seldom(l))
        look_at_rest(l);
    l->records_at_look = records;
    l->has_dropped = false;
    for (uint32_t i = 0; !is_last && i < l->slot_count; i++)
        if (l->slots[i].state == SLOT_ON && is_counted(&l->slots[i]))
            look_at_slot(l, &l->slots[i]);
    l->looks++;
    sum_up(l);
    report(l, is_last);
    report_undelivered(l);
    report_throttled(l);
}
