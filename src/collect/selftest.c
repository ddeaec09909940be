#include "src/collect/selftest.h"

#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/collect/capture_plan.h"
#include "src/model/fact.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- checks ---------------------------------------------------------------------------------- */

const char *const check_state_names[CHECK_STATES] = {
    [CHECK_MEASURED] = "measured", [CHECK_SEEN] = "seen",     [CHECK_NOT_SEEN] = "not seen",
    [CHECK_REFUSED] = "refused",   [CHECK_FAILED] = "failed", [CHECK_SKIPPED] = "skipped",
};

struct check check_new(const char *probe, enum check_state state, const char *subject, ...)
{
    struct check c = {.probe = probe, .state = state};
    va_list args;
    va_start(args, subject);
    vsnprintf(c.subject, sizeof c.subject, subject, args);
    va_end(args);
    return c;
}

void check_because(struct check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
}

void check_figure(struct check *c, const char *name, const char *unit, int64_t value)
{
    if (c->figure_count < CHECK_FIGURES)
        c->figures[c->figure_count++] = (struct check_figure){name, unit, value};
}

/* ---- events of a stimulus -------------------------------------------------------------------- */

const struct selftest_stimulus selftest_stimuli[STIMULI] = {
    [STIMULUS_PROCESS] = {"process", FACT_PROCESS, true, true},
    [STIMULUS_THREAD] = {"thread", FACT_THREAD, true, false},
    [STIMULUS_FILE] = {"file", FACT_FILE, false, false},
    [STIMULUS_DISK] = {"disk", FACT_DISK, true, false},
    [STIMULUS_REGISTRY] = {"registry", FACT_REGISTRY, false, false},
    [STIMULUS_NETWORK] = {"tcp", FACT_NETWORK, true, false},
    [STIMULUS_MEMORY] = {"memory", FACT_MEMORY, false, false},
    [STIMULUS_FAULT] = {"fault", FACT_FAULT, false, false},
    [STIMULUS_SWITCH] = {"switch", FACT_SWITCH, false, false},
    [STIMULUS_SAMPLE] = {"sample", FACT_SAMPLE, false, false},
    [STIMULUS_SYSCALL] = {"syscall", FACT_SYSCALL, false, false},
};

enum { HOOK_STACK = 0x1820, STACK_HEAD = 16 };

static void put_stack(struct selftest_watch *w, const struct event *e)
{
    if (e->payload_bytes < STACK_HEAD || load_u32(e->payload + 8) != w->self.pid)
        return;
    w->stacks++;
    if (w->stack_count < WATCH_KEPT)
        w->stack_ts[w->stack_count++] = (int64_t)load_u64(e->payload);
}

/* Switches of other threads, too: the owner of a switch is the thread that it switches to. */
static bool may_be_own(const struct selftest_watch *w, const struct owner *o)
{
    const struct selftest_stimulus *const s = &selftest_stimuli[w->stimulus];
    return s->by_child || (o->pid == w->self.pid && (s->by_process || o->tid == w->self.tid)) ||
           (w->stimulus == STIMULUS_SWITCH && o->tid == w->self.tid);
}

static void keep(struct selftest_watch *w, const struct event *e, const struct owner *o)
{
    const unsigned at = atomic_load_explicit(&w->count, memory_order_relaxed);
    if (at == WATCH_KEPT) {
        w->unkept++;
        return;
    }
    w->kept[at].pid = o->pid;
    w->kept[at].tid = o->tid;
    w->kept[at].ts = e->ts;
    w->kept[at].arrival = os_now();
    atomic_store_explicit(&w->count, at + 1, memory_order_release);
}

void selftest_watch_put(struct selftest_watch *w, const struct event *e)
{
    w->all++;
    attribution_learn(w->owners, e);
    const struct owner owner = attribution_of(w->owners, e);
    if (!header_is_kernel((enum header_kind)e->kind))
        return;
    if (e->id == HOOK_STACK) {
        put_stack(w, e);
        return;
    }
    const struct hook_class made = hook_class(e->id);
    if (made.class != selftest_stimuli[w->stimulus].class)
        return;
    w->of_class++;
    if (made.op == OP_RUNDOWN)
        w->rundown++;
    else if (!may_be_own(w, &owner))
        w->others++;
    else if (e->ts < atomic_load_explicit(&w->since, memory_order_relaxed))
        w->before++;
    else
        keep(w, e, &owner);
}

static bool has_stack(const struct selftest_watch *w, int64_t ts)
{
    unsigned i = 0;
    while (i < w->stack_count && w->stack_ts[i] != ts)
        i++;
    return i < w->stack_count;
}

struct selftest_seen selftest_watch_seen(const struct selftest_watch *w,
                                         const struct stimulus_ids *ids)
{
    struct selftest_seen seen = {0};
    const unsigned count = atomic_load_explicit(&w->count, memory_order_acquire);
    const int64_t since = atomic_load_explicit(&w->since, memory_order_relaxed);
    const bool by_child = selftest_stimuli[w->stimulus].by_child;
    for (unsigned i = 0; i < count; i++) {
        if (w->kept[i].ts < since || (by_child && w->kept[i].pid != ids->child))
            continue;
        if (!seen.own || w->kept[i].ts < seen.first_ts)
            seen.first_ts = w->kept[i].ts;
        if (!seen.own)
            seen.first_arrival = w->kept[i].arrival;
        seen.own++;
        seen.with_stack += has_stack(w, w->kept[i].ts);
    }
    return seen;
}

void selftest_conclude(struct check *c, const struct selftest_watch *w,
                       const struct selftest_seen *seen)
{
    enum { PERCENT = 100 };
    char class[TEXT_COUNT];
    c->state = seen->own ? CHECK_SEEN : CHECK_NOT_SEEN;
    if (!seen->own && w->of_class)
        check_because(c, "%s of the class came, none of the stimulus",
                      text_count(class, w->of_class, "event"));
    else if (!seen->own)
        check_because(c, "no event of the class came; %s of other classes did",
                      text_count(class, w->all, "event"));
    check_figure(c, "own", "", (int64_t)seen->own);
    check_figure(c, "of_class", "", (int64_t)w->of_class);
    check_figure(c, "rundown", "", (int64_t)w->rundown);
    check_figure(c, "events", "", (int64_t)w->all);
    if (seen->own)
        check_figure(c, "with_stack", "%", (int64_t)(seen->with_stack * PERCENT / seen->own));
    if (w->unkept)
        check_figure(c, "unkept", "", (int64_t)w->unkept);
}
