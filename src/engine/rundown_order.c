/* An order lies on the stack of who waits for it. Its hands: the worker's until it is pushed
 * onto `given`, the engine's until `is_done` is stored (release), the worker's again. Closing
 * stores `is_closed` before it takes what was given, and who gives looks at it afterwards
 * (both seq_cst): an order is seen by one of them at least. */
#include "src/engine/rundown_order.h"

struct rundown_order {
    struct rundown_order *next;
    unsigned collector;
    int64_t at_ns;
    bool is_end;
    struct model_rundown *rundown;
    bool is_for_counts; /* in place of a rundown */
    struct provider_count *counts;
    size_t count;
    struct os_wakeup *wakeup;
    _Atomic bool is_done;
};

static void finish(struct rundown_order *r)
{
    struct os_wakeup *const wakeup = r->wakeup;
    atomic_store_explicit(&r->is_done, true, memory_order_release);
    os_wakeup_signal(wakeup);
}

/* Takes all orders that nobody has begun, oldest first. */
static void take(struct rundown_orders *o)
{
    struct rundown_order *newest = atomic_exchange(&o->given, NULL), *oldest = NULL;
    while (newest) {
        struct rundown_order *const next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    struct rundown_order **end = &o->taken;
    while (*end)
        end = &(*end)->next;
    *end = oldest;
}

static void refuse_all(struct rundown_orders *o)
{
    take(o);
    while (o->taken) {
        struct rundown_order *const r = o->taken;
        o->taken = r->next;
        model_rundown_free(r->rundown);
        r->rundown = NULL;
        finish(r);
    }
}

/* Gives the order and waits until it is done, or refused. */
static void wait_for(struct rundown_orders *o, struct os_wakeup *engine, struct rundown_order *r)
{
    r->wakeup = os_wakeup_new();
    r->next = atomic_load(&o->given);
    while (!atomic_compare_exchange_weak(&o->given, &r->next, r))
        ;
    os_wakeup_signal(engine);
    /* The engine may have gone between its last look and ours: then nobody else will. */
    if (atomic_load(&o->is_closed)) {
        struct rundown_order *given = atomic_exchange(&o->given, NULL);
        while (given) {
            struct rundown_order *const next = given->next;
            finish(given);
            given = next;
        }
    }
    /* The ring itself is waited for: the thread that signals it is then done with the wakeup, too.
     */
    while (!os_wakeup_wait(r->wakeup, -1) ||
           !atomic_load_explicit(&r->is_done, memory_order_acquire))
        ;
    os_wakeup_free(r->wakeup);
}

struct model_rundown *rundown_order(struct rundown_orders *o, struct os_wakeup *engine,
                                    unsigned collector, int64_t *at_ns, bool is_end)
{
    struct rundown_order r = {.collector = collector, .at_ns = *at_ns, .is_end = is_end};
    wait_for(o, engine, &r);
    *at_ns = r.at_ns;
    return r.rundown;
}

struct provider_count *provider_order(struct rundown_orders *o, struct os_wakeup *engine,
                                      size_t *count)
{
    struct rundown_order r = {.is_for_counts = true};
    wait_for(o, engine, &r);
    *count = r.count;
    return r.counts;
}

/* True when it goes on. */
static bool work_on(struct rundown_orders *o, struct rundown_order *r, const struct model *m,
                    int64_t newest_ns, int64_t deadline)
{
    if (r->is_for_counts) {
        r->counts = model_provider_counts(m, &r->count);
        return false;
    }
    if (!r->rundown) {
        if (!r->at_ns)
            r->at_ns = newest_ns;
        const struct model_rundown_options options = {.model = m,
                                                      .config = &o->config,
                                                      .collector = r->collector,
                                                      .at_ns = r->at_ns,
                                                      .is_end = r->is_end};
        r->rundown = model_rundown_new(&options);
    }
    return model_rundown_work(r->rundown, deadline);
}

bool rundown_orders_work(struct rundown_orders *o, const struct model *m, int64_t newest_ns,
                         int64_t deadline)
{
    if (atomic_load_explicit(&o->given, memory_order_relaxed))
        take(o);
    struct rundown_order *const r = o->taken;
    if (!r)
        return false;
    if (!work_on(o, r, m, newest_ns, deadline)) {
        o->taken = r->next;
        finish(r);
    }
    return true;
}

void rundown_orders_close(struct rundown_orders *o)
{
    atomic_store(&o->is_closed, true);
    refuse_all(o);
    model_rundown_config_free(&o->config);
}
