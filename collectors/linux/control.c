/* Control: opens and closes kernel events as the owner wants, keeps the accounts of what they
 * fired, follows processors that come and go. Its own thread, because opening and closing
 * events waits for the kernel. */
#include "collectors/linux/accounts.h"
#include "collectors/linux/rings.h"

#include "src/collect/coverage.h"
#include "src/model/fact.h"
#include "src/os/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- slots: one event on one processor ------------------------------------------------------- */

/* The program that leaves out whoever is in no scope, and what it recorded itself, with the user's
 * stack. Not where all threads have events of their own: these know no processor. */
static void put_chooser(struct linux_live *l, const struct row *r, struct sample_slot *s,
                        uint32_t cpu)
{
    const char *const chooser = r->event->chooser;
    const bool has_deep = r->event->goes_deep && s->source.has_chain && l->translator.unwinds;
    s->has_chooser = chooser && !r->bpf && !l->perf.pid &&
                     (has_deep || scope_is_requested(&l->options.scope)) &&
                     bpf_scope_put_behind(l->bpf, chooser, s->fd);
    if (s->has_chooser)
        s->bpf_before = bpf_scope_left_out(l->bpf, chooser, cpu);
}

/* Into the processor's ring, and for BPF behind the program. */
static bool lead_slot(struct linux_live *l, const struct row *r, struct sample_slot *s,
                      uint32_t cpu, const struct live_ring *ring, struct err *err)
{
    if (!perf_redirect(s->fd, ring->owner, err))
        return false;
    put_chooser(l, r, s, cpu);
    if (r->bpf)
        s->bpf_before = bpf_fired(r->bpf, cpu);
    return (!r->bpf || bpf_connect(r->bpf, cpu, s->fd, err)) && accounts_read(l, s);
}

static bool open_slot(struct linux_live *l, const struct row *r, struct sample_slot *s,
                      uint32_t cpu, const struct live_ring *ring, struct err *err)
{
    const struct linux_event *const e = r->event;
    const struct perf_request request = {
        .type = r->type,
        .config = r->config,
        .period = 1,
        .frequency = e->period,
        .has_chain = s->source.has_chain,
        .has_raw = s->source.has_raw,
        .is_urgent = e->is_urgent,
        .stack_bytes = s->source.has_stack ? e->stack_bytes : 0,
    };
    s->fd = perf_open(&l->perf, &request, (int)cpu, &l->error, err);
    if (s->fd < 0)
        return false;
    if ((e->filter && !perf_filter(s->fd, e->filter, err)) || !lead_slot(l, r, s, cpu, ring, err)) {
        perf_close(s->fd);
        s->fd = -1;
        return false;
    }
    s->id = s->counts.id;
    s->ring = (uint32_t)(ring - l->rings);
    s->recent = s->received_at_look = s->received_at_reading = 0;
    s->is_checked = false;
    s->undelivered = s->missing = 0;
    atomic_store_explicit(&s->received, 0, memory_order_relaxed);
    atomic_store_explicit(&s->received_then, 0, memory_order_relaxed);
    atomic_store_explicit(&s->check_at, INT64_MAX, memory_order_relaxed);
    ids_add(l, s->id, (uint32_t)(s - l->slots));
    fd_group_open(&s->fd_group, &l->perf, &l->user_threads, &request, (int)cpu, ring->owner);
    for (uint32_t i = 0; i < s->fd_group.count; i++)
        ids_add(l, s->fd_group.ids[i], (uint32_t)(s - l->slots));
    s->state = SLOT_ON;
    return true;
}

/* A disconnected program counts no more, once it has come to its end. */
static void disable_slot(const struct row *r, struct sample_slot *s, uint32_t cpu)
{
    perf_disable(s->fd);
    fd_group_disable(&s->fd_group);
    if (r->bpf)
        bpf_disconnect(r->bpf, cpu);
    s->disabled_at = os_now();
    s->state = SLOT_CLOSING;
}

/* Descriptors that are let go together. */
struct going {
    int fds[PERF_LET_GO];
    size_t count;
};

static void let_go(struct going *g)
{
    perf_let_go(g->fds, g->count);
    g->count = 0;
}

static void add_going(struct going *g, int fd)
{
    if (g->count == PERF_LET_GO)
        let_go(g);
    g->fds[g->count++] = fd;
}

/* What was disabled and drained. */
static void close_slot(struct linux_live *l, struct sample_slot *s, struct going *g)
{
    accounts_close(l, s);
    ids_remove(l, s->id);
    for (uint32_t i = 0; i < s->fd_group.count; i++)
        ids_remove(l, s->fd_group.ids[i]);
    fd_group_close(&s->fd_group);
    add_going(g, s->fd);
    s->fd = -1;
    s->state = SLOT_OFF;
}

static bool is_drained(const struct linux_live *l, int64_t time)
{
    return atomic_load_explicit(&l->drained, memory_order_acquire) > time;
}

/* True when nothing is left that waits for its end. */
static bool close_drained(struct linux_live *l)
{
    bool is_all = true;
    struct going going = {.count = 0};
    for (uint32_t i = 0; i < l->slot_count; i++) {
        struct sample_slot *const s = &l->slots[i];
        if (s->state != SLOT_CLOSING)
            continue;
        if (is_drained(l, s->disabled_at + LIVE_GRACE))
            close_slot(l, s, &going);
        else
            is_all = false;
    }
    let_go(&going);
    return is_all;
}

/* ---- rows: on and off ------------------------------------------------------------------------ */

static void close_row(struct linux_live *l, uint32_t row, unsigned variant)
{
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
        struct sample_slot *const s = slot_of(l, row, cpu, variant);
        if (s->state == SLOT_ON)
            disable_slot(&l->rows[row], s, cpu);
    }
    l->rows[row].is_on[variant] = false;
}

/* Not while an earlier opening is being closed; of a program, neither that of the other
 * variant: the two share its count. */
static bool can_open(const struct linux_live *l, uint32_t row, unsigned variant)
{
    const bool is_shared = l->rows[row].bpf != NULL;
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        for (unsigned v = 0; v < VARIANTS; v++)
            if ((v == variant || is_shared) && slot_of(l, row, cpu, v)->state == SLOT_CLOSING)
                return false;
    return true;
}

/* The slots of processors that came later are opened where the others are on already. */
static bool open_slots(struct linux_live *l, uint32_t row, unsigned variant, struct err *err)
{
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
        const struct live_ring *const ring = ring_in_use(l, cpu);
        struct sample_slot *const s = slot_of(l, row, cpu, variant);
        if (!ring || s->state != SLOT_OFF || open_slot(l, &l->rows[row], s, cpu, ring, err))
            continue;
        if (l->error != ENODEV) /* that processor is just going */
            return false;
    }
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++) {
        const struct sample_slot *const s = slot_of(l, row, cpu, variant);
        if (s->state != SLOT_ON)
            continue;
        perf_enable(s->fd);
        fd_group_enable(&s->fd_group);
    }
    return true;
}

static bool open_row(struct linux_live *l, uint32_t row, unsigned variant, struct err *err)
{
    struct row *const r = &l->rows[row];
    if (open_slots(l, row, variant, err) && (!r->bpf || bpf_switch(r->bpf, true, err)))
        return r->is_on[variant] = r->is_proven = true;
    close_row(l, row, variant);
    return false;
}

static void event_name(const struct linux_event *e, char *out, size_t room)
{
    if (e->group)
        snprintf(out, room, "%s:%s", e->group, e->name);
    else if (e->needs_bpf)
        snprintf(out, room, "the BPF program %s", e->program);
    else
        snprintf(out, room, "the kernel's software event %" PRIu64, e->perf_config);
}

/* Where there is no tracefs at all, one sentence has said so for all events that need it. */
static bool is_known_to_be_missing(const struct linux_live *l, const struct row *r)
{
    return l->has_reported_rights && r->event->group && !l->tracefs.path[0] &&
           !r->event->program;
}

/* Again with the next beat where there was no room for the sentence. */
static void report_missing(struct linux_live *l, struct row *r, const char *why)
{
    if (r->is_reported || is_known_to_be_missing(l, r))
        return;
    char name[128];
    event_name(r->event, name, sizeof name);
    r->is_reported = message_write(&l->messages, "%s is unavailable (%s): no %s", name, why,
                                   r->event->serves ? r->event->serves : "such event");
    l->is_unsettled |= !r->is_reported;
}

/* The classes whose stacks the event has. */
static uint32_t stack_classes(const struct linux_event *e)
{
    return e->is_asked_for ? 1u << FACT_OTHER : e->classes;
}

static bool is_wanted(const struct linux_live *l, const struct row *r, uint32_t classes,
                      uint32_t stacks)
{
    const struct linux_event *const e = r->event;
    if (e->with_stacks && !(e->classes & classes & stacks))
        return false;
    return (!e->classes || e->classes & classes) && (!e->is_needed || e->is_needed(&l->translator));
}

/* Switches off what is not wanted of a row. A change from one variant to the other overlaps in
 * neither: the first is disabled before the second is enabled. */
static void leave_row(struct linux_live *l, uint32_t row, uint32_t wanted, uint32_t stacks)
{
    const struct row *const r = &l->rows[row];
    const bool is_on = is_wanted(l, r, wanted, stacks);
    const unsigned variant = is_on && stack_classes(r->event) & stacks ? 1 : 0;
    for (unsigned v = 0; v < VARIANTS; v++)
        if (r->is_on[v] && (!is_on || v != variant))
            close_row(l, row, v);
    if (!is_on && r->bpf)
        bpf_switch(r->bpf, false, NULL);
}

static void follow_row(struct linux_live *l, uint32_t row, uint32_t wanted, uint32_t stacks)
{
    struct row *const r = &l->rows[row];
    const unsigned variant = stack_classes(r->event) & stacks ? 1 : 0;
    if (!is_wanted(l, r, wanted, stacks) || r->is_on[variant])
        return;
    if (!can_open(l, row, variant)) {
        l->is_unsettled = true;
        return;
    }
    struct err err = {"this kernel does not have it"};
    if (r->is_missing) {
        report_missing(l, r, r->why.text[0] ? r->why.text : err.text);
        return;
    }
    if (open_row(l, row, variant, &err))
        return;
    if (r->bpf && !r->is_proven && row_use_perf(l, row)) {
        l->is_unsettled = true;
        return;
    }
    r->is_missing = true;
    report_missing(l, r, err.text);
}

static void report_what_is_on(struct linux_live *l, uint32_t wanted, uint32_t stacks)
{
    enum { ALWAYS = 1 << FACT_PROCESS | 1 << FACT_THREAD | 1 << FACT_IMAGE };
    uint32_t active = ALWAYS, active_stacks = 0, known = 0;
    for (uint32_t i = 0; i < l->row_count; i++) {
        const struct row *const r = &l->rows[i];
        known |= r->event->classes;
        if (r->is_on[0] || r->is_on[1])
            active |= r->event->is_asked_for ? 1u << FACT_OTHER : r->event->classes & wanted;
        if (r->is_on[1])
            active_stacks |= stack_classes(r->event) & stacks;
    }
    struct collector *const c = l->collector;
    const uint32_t before = atomic_load_explicit(&c->active, memory_order_relaxed);
    coverage_switch(c, active);
    if (active & ~before & 1u << FACT_SWITCH) {
        visit_end(l->visit);
        l->visit = visit_start();
    }
    atomic_store_explicit(&c->active_stacks, active_stacks, memory_order_relaxed);
    atomic_store_explicit(&c->refused, wanted & known & ~active, memory_order_relaxed);
}

static void follow_requests(struct linux_live *l)
{
    const struct collector *const c = l->collector;
    const uint32_t wanted = atomic_load_explicit(&c->wanted, memory_order_relaxed);
    const uint32_t stacks = atomic_load_explicit(&c->wanted_stacks, memory_order_relaxed);
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->prepare)
            linux_domains[d]->prepare(&l->translator, stacks & wanted);
    l->is_unsettled = false;
    /* A domain's table has beginnings before ends: off the other way round, or ends come whose
     * beginnings nobody saw. */
    for (uint32_t i = l->row_count; i-- > 0;)
        leave_row(l, i, wanted, stacks);
    for (uint32_t i = 0; i < l->row_count; i++) {
        const struct row *const r = &l->rows[i];
        follow_row(l, i, wanted, stacks);
        l->is_unsettled |= r->event->is_needed && (r->is_on[0] || r->is_on[1]);
    }
    report_what_is_on(l, wanted, stacks);
}

/* ---- losses and processors ---------------------------------------------------------------- */

static void report_full(struct linux_live *l, uint64_t lost, const char *what)
{
    if (!l->has_reported_full)
        l->has_reported_full =
            message_write(&l->messages,
                          "the kernel's buffers (%" PRIu64 " KiB per processor) were full: %" PRIu64
                          " events lost; %s",
                          l->ring_bytes / 1024, lost, what);
}

/* Larger rings where events were lost, or where half a second of nobody looking would lose
 * some. What the user asked for stays. */
static void retune(struct linux_live *l)
{
    const uint64_t lost = l->figures.lost + l->figures.other_lost + l->figures.side_band_lost;
    const uint64_t records = l->figures.lost_records, all = lost > records ? lost : records;
    const uint64_t news = all - l->lost_then, written = rings_most_written(l);
    const bool is_ending = atomic_load(&l->is_stopping);
    if (!news && written / 2 < l->ring_bytes)
        return;
    if (!is_ending && rings_are_moving(l))
        return; /* larger ones are on their way; what is lost until then is reported after that */
    l->lost_then = all;
    struct err why;
    fail(&why, is_ending ? "larger ones (--buffers) lose less" : "they have the size of --buffers");
    const uint64_t before = l->ring_bytes;
    const bool may_grow = !l->options.kernel_bytes && !is_ending;
    const bool is_larger = may_grow && rings_grow(l, &why);
    if (news && is_larger)
        message_write(&l->messages,
                 "the kernel's buffers were full: %" PRIu64 " events lost so far; they have "
                 "%" PRIu64 " KiB per processor now, not %" PRIu64,
                 all, l->ring_bytes / 1024, before / 1024);
    else if (news)
        report_full(l, all, why.text);
}

/* What is on goes off where a processor went, and on where one came. */
static void follow_cpus(struct linux_live *l)
{
    if (!rings_follow_cpus(l))
        return;
    for (uint32_t row = 0; row < l->row_count; row++)
        for (unsigned v = 0; v < VARIANTS; v++) {
            for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
                if (!l->is_online[cpu] && slot_of(l, row, cpu, v)->state == SLOT_ON)
                    disable_slot(&l->rows[row], slot_of(l, row, cpu, v), cpu);
            if (l->rows[row].is_on[v])
                open_slots(l, row, v, NULL);
        }
}

static void look_around(struct linux_live *l)
{
    const uint64_t before = os_rights_raise(OS_MAY_TRACE); /* once for many short calls */
    accounts_look(l, false);
    functions_look(l);
    rings_renew(l);
    retune(l);
    follow_cpus(l);
    os_rights_return(before);
}

/* ---- beginning and end --------------------------------------------------------------------- */

/* Descriptors kept aside while events are opened: where there are too few of them, events are
 * missing, with a sentence, and not the threads, files and wakeups of the program. */
enum { ASIDE = 24 };

static void put_aside(int from, int *aside)
{
    for (unsigned i = 0; i < ASIDE; i++)
        aside[i] = fcntl(from, F_DUPFD_CLOEXEC, 0);
}

static void give_back(const int *aside)
{
    for (unsigned i = 0; i < ASIDE; i++)
        if (aside[i] >= 0)
            close(aside[i]);
}

bool control_open(struct linux_live *l, struct err *err)
{
    int aside[ASIDE];
    perf_raise_limits();
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->nudge = eventfd(0, EFD_CLOEXEC);
    struct epoll_event nudged = {.events = EPOLLIN, .data.u32 = UINT32_MAX}; /* no ring's index */
    if (l->epoll < 0 || l->nudge < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->nudge, &nudged) != 0)
        return fail(err, "the kernel's events cannot be waited for: %s", strerror(errno));
    put_aside(l->epoll, aside);
    struct err why = {""};
    const bool is_open = rings_open(l, &why);
    if (is_open)
        rows_init(l);
    give_back(aside);
    return is_open || fail(err, "the kernel's events cannot be opened: %s", why.text);
}

void control_begin(struct linux_live *l)
{
    int aside[ASIDE];
    put_aside(l->epoll, aside);
    follow_requests(l);
    functions_report(l);
    give_back(aside);
}

static void close_all(struct linux_live *l)
{
    for (uint32_t i = l->row_count; i-- > 0;)
        for (unsigned v = 0; v < VARIANTS; v++)
            close_row(l, i, v);
    rings_disable_side_band(l);
    while (!close_drained(l))
        os_wakeup_wait(l->wakeup, 1000000);
}

void control_close(struct linux_live *l)
{
    struct going going = {.count = 0};
    for (uint32_t i = 0; i < l->slot_count; i++) {
        fd_group_close(&l->slots[i].fd_group);
        if (l->slots[i].fd >= 0)
            add_going(&going, l->slots[i].fd);
    }
    let_go(&going);
    rings_close(l);
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->nudge >= 0)
        close(l->nudge);
    rows_fini(l);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Until the next look at the counts, unless something is under way or requests come unannounced. */
static int64_t pause_of(const struct linux_live *l, bool is_closed)
{
    const int64_t left = l->next_look - os_now();
    if (!is_closed || l->is_unsettled || !l->collector->request || !rings_are_settled(l))
        return LIVE_BEAT;
    return left > 0 ? left : 0;
}

void control_run(void *live)
{
    struct linux_live *const l = live;
    bool is_closed = false;
    while (!atomic_load_explicit(&l->is_stopping, memory_order_acquire)) {
        os_wakeup_wait(l->wakeup, pause_of(l, is_closed));
        follow_requests(l);
        const int64_t now = os_now();
        if (now >= l->next_look) {
            look_around(l);
            l->next_look = now + LIVE_SECOND;
        }
        rings_move(l);
        rings_drop_left(l);
        is_closed = close_drained(l);
    }
    close_all(l);
    accounts_look(l, true);
    retune(l);
    atomic_store_explicit(&l->is_over, true, memory_order_release);
}
