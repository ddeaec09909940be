/* Gauges: once a second the helper reads what no event says (job_gauge.c). No kernel event belongs
 * to this domain; the side band tells it of processes that changed. */
#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/gauge.h"
#include "collectors/linux/translate/helper.h"
#include "src/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>

static void side_band(struct translator *t, const struct sample *s)
{
    if (s->type == PERF_RECORD_COMM || s->type == PERF_RECORD_FORK || s->type == PERF_RECORD_MMAP2)
        gauge_touch(t->touched, s->pid, true);
}

struct gauges {
    bool is_asked; /* and not answered yet: a helper with other work takes its time */
};

static void tick(struct translator *t, int64_t now)
{
    struct gauges *const g = t->state[DOMAIN_GAUGE];
    const struct help question = {.kind = HELP_GAUGES, .domain = DOMAIN_GAUGE, .time = now};
    if (t->helper && helper_has_named(t->helper) && !g->is_asked)
        g->is_asked = helper_ask(t->helper, &question);
}

static void reply(struct translator *t, const struct reply *m)
{
    struct gauges *const g = t->state[DOMAIN_GAUGE];
    g->is_asked &= m->kind != HELP_GAUGES;
}

static void start(struct translator *t)
{
    t->state[DOMAIN_GAUGE] = mem_new(1, sizeof(struct gauges));
}

static void stop(struct translator *t)
{
    free(t->state[DOMAIN_GAUGE]);
}

const struct linux_domain domain_gauge = {
    .id = "gauge",
    .side_band = side_band,
    .start = start,
    .stop = stop,
    .tick = tick,
    .reply = reply,
};
