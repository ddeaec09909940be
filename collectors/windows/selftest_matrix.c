/* Ways of enabling the kernel's events × classes. A cell is "seen" where events of its stimulus
 * came. */
#include "collectors/windows/selftest.h"

#include "collectors/windows/classes.h"
#include "collectors/windows/privilege.h"

#include "src/base/mem.h"
#include "src/collect/capture_plan.h"
#include "src/model/fact.h"

#include <stdlib.h>
#include <string.h>

static const int64_t MS = 1000000, STEP_NS = 50 * MS, ARRIVE_NS = 1500 * MS;

struct way {
    const char *name;
    bool by_flags; /* at StartTrace */
    ULONG (*enable)(const struct etw_trial *t, uint32_t class);
};

static ULONG enable_nothing(const struct etw_trial *t, uint32_t class)
{
    (void)t, (void)class;
    return ERROR_SUCCESS;
}

static ULONG enable_information(const struct etw_trial *t, uint32_t class)
{
    ULONG masks[ETW_GROUP_MASKS] = {classes_flags(class, class)};
    if (!etw_api()->TraceSetInformation)
        return ERROR_CALL_NOT_IMPLEMENTED;
    const int64_t began = os_now();
    const ULONG result = etw_api()->TraceSetInformation(t->handle, TraceSystemTraceEnableFlagsInfo,
                                                        masks, sizeof masks);
    trial_called(t, "TraceSetInformation FLAGS", began, result);
    return result;
}

static ULONG enable_providers(const struct etw_trial *t, uint32_t class)
{
    enum { LEVEL_INFORMATION = 4 };
    ULONG worst = ERROR_SUCCESS;
    if (!etw_api()->EnableTraceEx2)
        return ERROR_CALL_NOT_IMPLEMENTED;
    for (unsigned i = 0; i < SYSTEM_PROVIDERS; i++) {
        const uint64_t keywords = classes_keywords(i, class, class);
        const int64_t began = os_now();
        if (!keywords)
            continue;
        const ULONG result = etw_api()->EnableTraceEx2(t->handle, classes_provider(i),
                                                       EVENT_CONTROL_CODE_ENABLE_PROVIDER,
                                                       LEVEL_INFORMATION, keywords, 0, 0, NULL);
        trial_called(t, "EnableTraceEx2", began, result);
        worst = worst ? worst : result;
    }
    return worst;
}

static const struct way ways[] = {
    {"flags", true, enable_nothing},
    {"information", false, enable_information},
    {"providers", false, enable_providers},
};

void trial_enable_stacks(const struct etw_trial *t, uint32_t classes)
{
    struct etw_classic_id ids[ETW_CLASSIC_IDS];
    const unsigned count = classes_stack_ids(classes, ids);
    if (!etw_api()->TraceSetInformation || !count)
        return;
    const int64_t began = os_now();
    const ULONG result = etw_api()->TraceSetInformation(t->handle, TraceStackTracingInfo, ids,
                                                        count * (ULONG)sizeof *ids);
    trial_called(t, "TraceSetInformation STACKS", began, result);
}

static void take(void *watch, const struct event *e, const EVENT_RECORD *r)
{
    (void)r;
    selftest_watch_put(watch, e);
}

/* Until one of its own may have come, or that time is over. */
static void wait_for(struct etw_trial *t, struct selftest_watch *w)
{
    const int64_t end = os_now() + ARRIVE_NS;
    while (os_now() < end && !atomic_load(t->taker->stop) && !atomic_load(&w->count)) {
        trial_flush(t, false);
        os_sleep(STEP_NS);
    }
}

struct cell {
    struct stimulus_ids ids;
    struct err err;
    bool has_run;
    int64_t since, began;
};

static void run_stimulus(struct etw_trial *t, struct selftest_watch *w, struct cell *cell)
{
    cell->began = os_now();
    cell->has_run = stimulus_run(w->stimulus, &cell->ids, &cell->err);
    if (cell->has_run)
        wait_for(t, w);
}

static void conclude(const struct etw_trial *t, const struct selftest_watch *w,
                     const struct cell *cell, struct check *c)
{
    const struct selftest_seen seen = selftest_watch_seen(w, &cell->ids);
    if (!cell->has_run) {
        c->state = CHECK_FAILED;
        check_because(c, "%.300s", cell->err.text);
        return;
    }
    selftest_conclude(c, w, &seen);
    if (seen.own) {
        check_figure(c, "first_event", "us", trial_microseconds(seen.first_ts - atomic_load(&w->since)));
        check_figure(c, "first_arrival", "us", (seen.first_arrival - cell->began) / 1000);
    }
    check_figure(c, "lost", "", t->last.p.EventsLost);
    check_figure(c, "buffers_lost", "", t->last.p.RealTimeBuffersLost);
}

static void put_refused(const struct check_taker *t, struct check *c)
{
    check_because(c, "the calls above were refused or failed");
    t->put(t->to, c);
}

static void try_cell(const struct selftest_probe *p, const struct check_taker *taker,
                     const struct way *way, enum stimulus s)
{
    const uint32_t class = 1u << selftest_stimuli[s].class;
    const struct trial_request request = {.is_kernel = true,
                                          .flags = way->by_flags ? classes_flags(class, class) : 0};
    struct selftest_watch *const w = mem_new(1, sizeof *w);
    struct check c = check_new(p->name, CHECK_FAILED, "%s %s", way->name, selftest_stimuli[s].name);
    struct cell cell = {.err = {""}};
    w->stimulus = s;
    w->owners = attribution_new_live();
    stimulus_ids(&w->self);
    atomic_store(&w->since, trial_ticks());
    struct etw_trial *const t = trial_start(p, taker, &request, c.subject, take, w);
    if (!t) {
        put_refused(taker, &c);
    } else {
        privilege_profile_begin();
        const ULONG error = way->enable(t, class);
        trial_enable_stacks(t, class);
        privilege_profile_end();
        atomic_store(&w->since, trial_ticks()); /* what was before is none of its events */
        if (!error)
            run_stimulus(t, w, &cell);
        if (!trial_stop(t))
            return; /* the reader goes on: what it writes stays */
        if (error)
            put_refused(taker, &c);
        else
            conclude(t, w, &cell, &c), taker->put(taker->to, &c);
        trial_free(t);
    }
    attribution_free(w->owners);
    free(w);
}

void selftest_matrix(const struct selftest_probe *p, const struct check_taker *t)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (unsigned s = 0; s < STIMULI && !atomic_load(t->stop); s++)
            try_cell(p, t, &ways[i], (enum stimulus)s);
}

/* ---- rundown --------------------------------------------------------------------------------- */

/* What a session lists of what existed before, when it starts and when it stops. */
struct rundown_count {
    uint64_t by_class[FACT_CLASSES], at_end;
    _Atomic bool is_ending;
};

static void count_rundown(void *counts, const struct event *e, const EVENT_RECORD *r)
{
    struct rundown_count *const n = counts;
    (void)r;
    if (!header_is_kernel((enum header_kind)e->kind))
        return;
    const struct hook_class made = hook_class(e->id);
    if (made.op != OP_RUNDOWN && made.class != FACT_NAME)
        return;
    n->by_class[made.class]++;
    n->at_end += atomic_load(&n->is_ending);
}

void selftest_rundown(const struct selftest_probe *p, const struct check_taker *taker)
{
    static const struct {
        const char *name;
        uint32_t flags;
        uint8_t class;
    } rows[] = {
        {"processes", EVENT_TRACE_FLAG_PROCESS, FACT_PROCESS},
        {"threads", EVENT_TRACE_FLAG_THREAD, FACT_THREAD},
        {"images", EVENT_TRACE_FLAG_IMAGE_LOAD, FACT_IMAGE},
        {"file names", EVENT_TRACE_FLAG_DISK_IO | EVENT_TRACE_FLAG_DISK_FILE_IO, FACT_NAME},
        {"registry keys", EVENT_TRACE_FLAG_REGISTRY, FACT_NAME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !atomic_load(taker->stop); i++) {
        struct rundown_count *const n = mem_new(1, sizeof *n);
        const struct trial_request request = {.is_kernel = true, .flags = rows[i].flags};
        struct etw_trial *const t = trial_start(p, taker, &request, rows[i].name, count_rundown, n);
        if (t) {
            os_sleep(2 * STEP_NS);
            trial_flush(t, true);
            os_sleep(2 * STEP_NS);
            atomic_store(&n->is_ending, true);
            if (!trial_stop(t))
                return;
            const uint64_t count = n->by_class[rows[i].class];
            struct check c =
                check_new(p->name, count ? CHECK_SEEN : CHECK_NOT_SEEN, "%s", rows[i].name);
            if (!count)
                check_because(&c, "the session listed none, neither at its start nor at its end");
            check_figure(&c, "listed", "", (int64_t)count);
            check_figure(&c, "at_end", "", (int64_t)n->at_end);
            taker->put(taker->to, &c);
            trial_free(t);
        }
        free(n);
    }
}
