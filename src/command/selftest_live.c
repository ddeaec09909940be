/* The way that every live command takes: the collector, its ring, and the events that come out. */
#include "src/command/selftest.h"

#include "src/base/notices.h"
#include "src/command/session.h"
#include "src/engine/watch.h"
#include "src/event/event.h"
#include "src/model/fact.h"
#include "src/os/os.h"

#include <stdlib.h>

static const char PROBE[] = "collector";
static const int64_t STEP_NS = 20 * 1000000, READY_NS = 5000000000, ARRIVE_NS = 3000000000;

struct trial {
    struct session *session;
    struct selftest_watch *watch; /* NULL: what comes is of no interest */
    struct attribution *owners;
    const struct check_taker *taker;
};

static bool is_stopped(const struct trial *t)
{
    return atomic_load(t->taker->stop);
}

static void take(struct trial *t)
{
    const struct record_head *head;
    uint64_t position;
    struct event e;
    while ((head = ring_peek(t->session->hot, &position))) {
        const bool is_event = head->source < SOURCE_MAX && event_of_record(head, &e) == EVENT_OK;
        if (is_event && t->watch)
            selftest_watch_put(t->watch, &e);
        else if (is_event)
            attribution_learn(t->owners, &e);
        ring_release(t->session->hot);
    }
    ring_release_all(t->session->slow);
}

/* Takes what comes until everything that happened by now is there; false: not within that time. */
static bool catch_up(struct trial *t, int64_t patience_ns)
{
    const int64_t until = os_wall_now(), end = os_now() + patience_ns;
    bool has_all = false;
    while (!has_all && os_now() < end && !is_stopped(t)) {
        has_all = session_has_all(t->session, until);
        take(t);
        if (!has_all)
            os_sleep(STEP_NS);
    }
    return has_all;
}

static uint32_t active(const struct trial *t)
{
    return atomic_load_explicit(&t->session->collector.active, memory_order_acquire);
}

/* Until each class is on or refused, and the names of what was there before are in the ring. */
static void wait_ready(struct trial *t, uint32_t wanted)
{
    struct collector *const c = &t->session->collector;
    const int64_t end = os_now() + READY_NS;
    while (os_now() < end && !is_stopped(t)) {
        const uint32_t known = active(t) | atomic_load_explicit(&c->refused, memory_order_acquire);
        if ((known & wanted) == wanted && !atomic_load(&c->is_naming))
            return;
        take(t);
        os_sleep(STEP_NS);
    }
}

static void conclude(struct trial *t, struct check *c, const struct stimulus_ids *ids,
                     int64_t began_wall, int64_t began)
{
    const struct trace_clock *const clock = &t->session->collector.sources[0].clock;
    const struct selftest_seen seen = selftest_watch_seen(t->watch, ids);
    selftest_conclude(c, t->watch, &seen);
    if (!seen.own)
        return;
    check_figure(c, "first_event", "us",
                 (trace_clock_ns(clock, seen.first_ts) - began_wall) / 1000);
    check_figure(c, "first_arrival", "us", (seen.first_arrival - began) / 1000);
}

static void try_stimulus(struct trial *t, enum stimulus s, struct check *c)
{
    struct selftest_watch *const w = calloc(1, sizeof *w);
    struct stimulus_ids ids;
    struct err err = {""};
    if (!w)
        abort();
    catch_up(t, ARRIVE_NS); /* what was before is none of its events */
    w->stimulus = s;
    w->owners = t->owners;
    const int64_t began_wall = os_wall_now(), began = os_now();
    atomic_store(&w->since, trace_clock_raw(&t->session->collector.sources[0].clock, began_wall));
    t->watch = w;
    if (!stimulus_run(s, &ids, &err)) {
        c->state = CHECK_FAILED;
        check_because(c, "%.300s", err.text);
    } else {
        w->self = ids; /* nothing of it was taken yet */
        const bool has_all = catch_up(t, ARRIVE_NS);
        conclude(t, c, &ids, began_wall, began);
        if (!has_all && c->state == CHECK_NOT_SEEN)
            check_because(c, "the events of that time had not all come after 3 s");
    }
    t->watch = NULL;
    free(w);
}

static void try_all(struct trial *t)
{
    for (unsigned s = 0; s < STIMULI && !is_stopped(t); s++) {
        const struct selftest_stimulus *const about = &selftest_stimuli[s];
        struct check c = check_new(PROBE, CHECK_REFUSED, "%s", about->name);
        if (!stimulus_exists((enum stimulus)s)) {
            c.state = CHECK_SKIPPED;
            check_because(&c, "this system has no such events");
        } else if (active(t) >> about->class & 1) {
            try_stimulus(t, (enum stimulus)s, &c);
        } else {
            check_because(&c, "the collector cannot have this class; 'tracetop doctor' says why");
        }
        t->taker->put(t->taker->to, &c);
    }
}

static void report_notices(const struct trial *t)
{
    const struct notices *const n = &t->session->collector.notices;
    char text[NOTICE_BYTES];
    const uint64_t count = notices_count(n);
    for (uint64_t i = notices_oldest(count); i < count; i++) {
        if (!notices_read(n, i, text))
            continue;
        struct check c = check_new(PROBE, CHECK_MEASURED, "notice");
        check_because(&c, "%.300s", text);
        t->taker->put(t->taker->to, &c);
    }
}

static void report_loss(const struct trial *t)
{
    const struct collector_loss *const l = &t->session->collector.loss;
    struct check c = check_new(PROBE, CHECK_MEASURED, "loss");
    check_figure(&c, "kernel", "", (int64_t)atomic_load(&l->kernel));
    check_figure(&c, "buffers", "", (int64_t)atomic_load(&l->buffers));
    check_figure(&c, "undecoded", "", (int64_t)atomic_load(&l->skipped));
    check_figure(&c, "known", "", !atomic_load(&l->is_unknown));
    t->taker->put(t->taker->to, &c);
}

void selftest_live(const struct collector_kind *live, const struct check_taker *taker)
{
    enum exit_status refusal;
    struct session_options o = {.kind = live, .has_no_engine = true, .refusal = &refusal};
    struct err err = {""};
    for (unsigned s = 0; s < STIMULI; s++)
        if (stimulus_exists((enum stimulus)s))
            o.collector.wanted |= 1u << selftest_stimuli[s].class;
    o.collector.wanted_stacks = o.collector.wanted;
    struct trial t = {.taker = taker, .session = session_start(&o, &err)};
    if (!t.session) {
        struct check c =
            check_new(PROBE, refusal == EXIT_PRIVILEGE ? CHECK_REFUSED : CHECK_FAILED, "session");
        check_because(&c, "%.300s", err.text);
        taker->put(taker->to, &c);
        return;
    }
    t.owners = attribution_new_live();
    wait_ready(&t, o.collector.wanted);
    try_all(&t);
    session_stop(t.session);
    report_notices(&t);
    report_loss(&t);
    session_free(t.session);
    attribution_free(t.owners);
}
