/* The collector's thread: the kernel's rings in, ETW records out. */
#include "collectors/linux/live.h"
#include "collectors/linux/translate/machine_record.h"
#include "collectors/linux/translate/stack.h"
#include "collectors/linux/unwind/unwinder.h"
#include "src/model/fact.h"
#include "src/os/priority_boost.h"
#include "src/os/rights.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>

static void count(_Atomic uint64_t *counter, uint64_t by)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by,
                          memory_order_relaxed);
}

/* ---- one record ----------------------------------------------------------------------------- */

/* Control wants to know how many had come by a certain moment. It may give up waiting and ask
 * for a later one meanwhile: then that one stays, and the next record answers it. */
static void count_received(struct sample_slot *s, int64_t time)
{
    const uint64_t before = atomic_load_explicit(&s->received, memory_order_relaxed);
    int64_t moment = atomic_load_explicit(&s->check_at, memory_order_acquire);
    if (time > moment) {
        atomic_store_explicit(&s->received_then, before, memory_order_relaxed);
        atomic_compare_exchange_strong_explicit(&s->check_at, &moment, INT64_MAX,
                                                memory_order_release, memory_order_relaxed);
    }
    atomic_store_explicit(&s->received, before + 1, memory_order_relaxed);
}

static void note_loss(struct linux_live *l, const struct sample *s)
{
    enum { LOST_AT = 8 };
    if (s->type == PERF_RECORD_LOST)
        count(&l->lost_records, side_band_u64(s, LOST_AT));
    else if (s->type == PERF_RECORD_LOST_SAMPLES)
        count(&l->lost_records, side_band_u64(s, 0));
    else if (s->type == PERF_RECORD_THROTTLE)
        count(&l->throttled, 1);
}

static void take_side_band(struct linux_live *l, const struct sample *s)
{
    note_loss(l, s);
    scope_side_band(&l->scope, s);
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->side_band)
            linux_domains[d]->side_band(&l->translator, s);
}

static void skip(struct linux_live *l, _Atomic uint64_t *counter, size_t bytes)
{
    struct collector_loss *const loss = &l->collector->loss;
    count(counter, 1);
    count(&loss->skipped, 1);
    count(&loss->skipped_bytes, bytes);
}

/* Where somebody else listens to page faults too, kernels (6.18 among them) give both records
 * the id of the newer listener. What comes into our ring is ours all the same, and faults are
 * the only records without a raw part whose id can be unknown; that they were hard ones
 * cannot be seen any more. The record may also be longer than what is written into it: the kernel
 * adds the size of what only the other listener asked for (a call chain, registers) and writes
 * nothing there, so whatever stood in the ring before follows behind the fault. */
static const struct sample_source *find_adopted(const void *live, uint64_t id)
{
    const struct linux_live *const l = live;
    (void)id;
    return &slot_of(l, l->soft_fault_row, l->adopting_cpu, l->adopting_variant)->source;
}

/* What stood in the ring before is no call chain: those begin with a marker. */
static bool has_call_chain(const struct sample *s)
{
    return s->chain_count && s->chain[0] >= PERF_CONTEXT_MAX;
}

static bool parse_adopted(struct linux_live *l, const struct stream *st, unsigned variant,
                          struct sample *s, const struct sample_source **source)
{
    l->adopting_cpu = st->cpu;
    l->adopting_variant = (uint8_t)variant;
    return sample_parse(st->record, st->bytes, s, source, find_adopted, l) == SAMPLE_EVENT;
}

static bool adopt(struct linux_live *l, const struct stream *st, struct sample *s,
                  const struct sample_source **source)
{
    const uint32_t with_stacks =
        atomic_load_explicit(&l->collector->active_stacks, memory_order_relaxed);
    if (st->cpu >= l->cpu_count || s->type != PERF_RECORD_SAMPLE || st->bytes < SAMPLE_BARE ||
        l->soft_fault_row == l->row_count)
        return false;
    const bool has_chain = with_stacks >> FACT_FAULT & 1 && parse_adopted(l, st, 1, s, source) &&
                           has_call_chain(s);
    if (!has_chain && !parse_adopted(l, st, 0, s, source))
        return false;
    s->time = st->time; /* its own is of the other's clock */
    if (!l->has_adopted)
        feed_notice(&l->feed, "another program traces page faults, too: this kernel mixes up their "
                              "numbers, and hard faults may count as soft ones meanwhile");
    l->has_adopted = true;
    return true;
}

static void take_record(struct linux_live *l, const struct stream *st)
{
    struct sample s;
    const struct sample_source *source;
    enum sample_parsed parsed = sample_parse(st->record, st->bytes, &s, &source, ids_find, l);
    if (parsed == SAMPLE_UNKNOWN_ID && adopt(l, st, &s, &source))
        parsed = SAMPLE_EVENT;
    if (source) {
        count_received(&l->slots[source->slot], s.time);
        if (source->event->is_urgent)
            count(&l->rings[st - l->streams].urgent, 1);
    }
    switch (parsed) {
    case SAMPLE_EVENT:
        if (scope_takes(&l->scope, &s))
            s.event->translate(&l->translator, &s);
        break;
    case SAMPLE_SIDE_BAND:
        take_side_band(l, &s);
        break;
    case SAMPLE_UNKNOWN_ID:
        skip(l, &l->unknown_ids, st->bytes);
        break;
    case SAMPLE_BAD:
        skip(l, &l->bad, st->bytes);
        break;
    }
}

/* ---- a pass ---------------------------------------------------------------------------------- */

/* What had to be given up is a loss like any other: a part of a buffer that cannot be read. */
static void count_damage(struct linux_live *l, struct kernel_ring *r)
{
    struct collector_loss *const loss = &l->collector->loss;
    if (!r->damaged)
        return;
    count(&l->damaged, r->damaged);
    count(&loss->buffers, r->damaged);
    count(&loss->skipped_bytes, r->damaged_bytes);
    r->damaged = r->damaged_bytes = 0;
}

/* Rings that control has made take part; those that it leaves go when they are empty. */
static void follow_rings(struct linux_live *l)
{
    for (size_t i = 0; i < l->merge.stream_count; i++) {
        struct stream *const s = &l->streams[i];
        const int state = atomic_load_explicit(&l->rings[i].state, memory_order_acquire);
        if (state > RING_NONE && state < RING_LEFT && !s->is_on) {
            s->is_on = true;
            s->time = 0;
        } else if (state == RING_LEAVING && kernel_ring_waiting(&s->ring) == 0) {
            kernel_ring_release(&s->ring);
            s->is_on = false;
            atomic_store_explicit(&l->rings[i].state, RING_LEFT, memory_order_release);
        }
    }
}

uint64_t drain_pass(struct linux_live *l, int64_t until)
{
    uint64_t records = 0;
    follow_rings(l);
    merge_begin(&l->merge, until, until == INT64_MAX ? until : until + LIVE_FUTURE);
    int64_t passed = atomic_load_explicit(&l->drained, memory_order_relaxed);
    for (const struct stream *s; (s = merge_next(&l->merge)); records++) {
        if (s->time < passed)
            count(&l->late, 1);
        take_record(l, s);
        merge_take(&l->merge);
    }
    merge_end(&l->merge);
    for (size_t i = 0; i < l->merge.stream_count; i++)
        count_damage(l, &l->streams[i].ring);
    count(&l->records, records);
    if (until > passed && until != INT64_MAX)
        passed = until;
    atomic_store_explicit(&l->drained, passed, memory_order_release);
    return records;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* The longest time until the next pass: short after a ring woke us, or while others wait for
 * replies; else until the engine reads again, for nobody sees a delay before. */
static int64_t pause_of(const struct linux_live *l, bool is_helped)
{
    if (l->translator.awaited_since || l->was_rung)
        return LIVE_SOON;
    const bool has_stacks =
        atomic_load_explicit(&l->collector->wanted_stacks, memory_order_relaxed) != 0;
    const int64_t longest = is_helped ? LIVE_HELP : has_stacks ? LIVE_STACKS : LIVE_TICK;
    const int64_t due = atomic_load_explicit(&l->collector->due, memory_order_relaxed);
    const int64_t left = due - os_now();
    return left > 0 && left < longest ? left : longest;
}

static void wait_for_rings(struct linux_live *l, int64_t pause)
{
    enum { EVENTS = 64, STEP = 2000000, MS = 1000000 };
    struct epoll_event events[EVENTS];
    if (atomic_load_explicit(&l->is_stopping, memory_order_relaxed)) {
        os_sleep(STEP); /* control waits for us */
        return;
    }
    const int ready = epoll_wait(l->epoll, events, EVENTS, (int)((pause + MS - 1) / MS));
    l->was_rung = ready > 0;
    for (int i = 0; i < ready; i++)
        if (events[i].data.u32 < l->merge.stream_count)
            count(&l->rings[events[i].data.u32].wakes, 1);
}

static size_t table_bytes(const struct translator *t)
{
    size_t sum = 0;
    for (unsigned d = 0; d < DOMAINS; d++)
        sum += linux_domains[d] && linux_domains[d]->bytes ? linux_domains[d]->bytes(t) : 0;
    return sum;
}

static void report_memory(struct linux_live *l)
{
    const struct translator *const t = &l->translator;
    const size_t held[COLLECTOR_PARTS] = {
        [COLLECTOR_MAILBOX] = helper_mailbox_bytes(t->helper),
        [COLLECTOR_UNWIND_QUEUE] = unwinder_queue_bytes(t->unwinder),
        [COLLECTOR_UNWIND_TABLES] = unwinder_table_bytes(t->unwinder),
        [COLLECTOR_TABLES] = table_bytes(t),
    };
    for (unsigned i = 0; i < COLLECTOR_PARTS; i++)
        atomic_store_explicit(&l->collector->held[i], held[i], memory_order_relaxed);
}

static void tick(struct linux_live *l, int64_t now)
{
    report_memory(l);
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->tick)
            linux_domains[d]->tick(&l->translator, now);
    atomic_store_explicit(&l->collector->loss.unpaired, l->translator.unpaired,
                          memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void report_lost(struct linux_live *l)
{
    const struct collector_loss *const loss = &l->collector->loss;
    const struct record_lost all = {.events = load(&loss->kernel) + load(&loss->skipped),
                                    .buffers = load(&loss->buffers)};
    feed_report_lost(&l->feed, l->translator.time, &all);
}

static void finish(struct linux_live *l, int64_t now)
{
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->finish)
            linux_domains[d]->finish(&l->translator, now);
}

static void ask_for_rundown(struct linux_live *l)
{
    const struct help all = {.kind = HELP_RUNDOWN, .time = os_now()};
    if (l->translator.helper)
        helper_ask(l->translator.helper, &all);
}

/* Whoever reads rests while little comes, longer than it takes to fill the ring in a storm. */
static void call_reader(struct linux_live *l)
{
    enum { PART = 8 };
    struct ring *const hot = l->collector->hot;
    const uint64_t much = ring_capacity(hot) / PART;
    struct os_wakeup *const reader =
        atomic_load_explicit(&l->collector->reader, memory_order_acquire);
    if (reader && ring_backlog(hot, much) > much)
        os_wakeup_signal(reader);
}

static void report_control(struct linux_live *l)
{
    if (l->translator.has_need)
        os_wakeup_signal(l->wakeup);
    l->translator.has_need = false;
}

/* True while there is more to come. */
static bool take_help(struct linux_live *l)
{
    struct helper *const h = l->translator.helper;
    if (!h)
        return false;
    const bool is_busy = helper_is_busy(h); /* before: what it answers now is not missed */
    return helper_take(h, &l->translator) || is_busy;
}

/* Before feed_complete(), which says nothing about these. */
static void report_held(struct linux_live *l)
{
    const int64_t since = l->translator.awaited_since;
    atomic_store_explicit(&l->collector->held_since, since ? trace_clock_ns(&l->clock, since) : 0,
                          memory_order_release);
}

/* Behind feed_complete(): whoever sees this finds the names. */
static void report_named(struct linux_live *l)
{
    _Atomic bool *const is_naming = &l->collector->is_naming;
    if (l->translator.helper && helper_has_named(l->translator.helper) &&
        atomic_load_explicit(is_naming, memory_order_relaxed))
        atomic_store_explicit(is_naming, false, memory_order_release);
}

void live_hurry(enum live_nice nice)
{
    const uint64_t before = os_rights_raise(OS_MAY_HURRY);
    setpriority(PRIO_PROCESS, 0, nice);
    os_rights_return(before);
}

void drain_run(void *live)
{
    struct linux_live *const l = live;
    struct priority_boost priority_boost = {.percent = BOOST_COLLECTOR};
    live_hurry(NICE_RINGS);
    machine_put(&l->translator, &l->machine, os_now());
    ask_for_rundown(l);
    for (int64_t next_tick = os_now();;) {
        /* Before the pass: what control closed by then, this pass empties. */
        const bool is_over = atomic_load_explicit(&l->is_over, memory_order_acquire);
        priority_boost_update(&priority_boost);
        const int64_t now = os_now(), until = now - LIVE_SLACK;
        drain_pass(l, is_over ? INT64_MAX : until);
        l->translator.time = is_over ? now : until;
        const bool is_unwinding = stack_take_unwound(&l->translator);
        const bool is_helped = take_help(l) || is_unwinding;
        if (is_over)
            finish(l, now);
        if (now >= next_tick || is_over) {
            tick(l, now);
            next_tick = now + LIVE_SECOND;
        }
        report_lost(l);
        report_control(l);
        messages_pass_on(&l->messages, &l->feed);
        report_held(l);
        feed_complete(&l->feed, trace_clock_ns(&l->clock, until));
        call_reader(l);
        report_named(l);
        if (is_over)
            break;
        wait_for_rings(l, pause_of(l, is_helped));
    }
    feed_finish(&l->feed);
}
