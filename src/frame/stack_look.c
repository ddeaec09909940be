#include "src/frame/stack_look.h"

#include "src/base/suggest.h"

#include <string.h>

#define BIT(class) (1u << (class))

enum {
    WAITS = BIT(FACT_SWITCH) | BIT(FACT_READY),
    MOVES = BIT(FACT_DISK) | BIT(FACT_FILE) | BIT(FACT_NETWORK),
};

const struct stack_metric_kind stack_metrics[STACK_METRICS] = {
    [METRIC_OPERATIONS] = {.id = "operations",
                           .title = "EVENTS",
                           .unit = "count",
                           .help = "Events of any kind, each once",
                           .type = VALUE_COUNT,
                           .classes = ~BIT(FACT_STACK), /* walks are about other events */
                           .cost = "about a microsecond an event",
                           .has_copies = true},
    [METRIC_SAMPLES] = {.id = "samples",
                        .title = "SAMPLES",
                        .unit = "count",
                        .help = "Samples of running code",
                        .type = VALUE_COUNT,
                        .classes = BIT(FACT_SAMPLE),
                        .request = {BIT(FACT_SAMPLE), BIT(FACT_SAMPLE)},
                        .cost = "about 0.1% of each processor",
                        .has_copies = true},
    [METRIC_RUNNING] = {.id = "running",
                        .title = "RUNNING",
                        .unit = "ns",
                        .help = "Time on processors, from samples",
                        .type = VALUE_TIME,
                        .classes = BIT(FACT_SAMPLE),
                        .request = {BIT(FACT_SAMPLE), BIT(FACT_SAMPLE)},
                        .cost = "about 0.1% of each processor",
                        .has_copies = true},
    [METRIC_WAITING] = {.id = "waiting",
                        .title = "WAITING",
                        .unit = "ns",
                        .help = "Time off processors, by the stack that waited",
                        .type = VALUE_TIME,
                        .classes = WAITS,
                        .request = {WAITS, BIT(FACT_SWITCH)},
                        .cost = "1 to 2 microseconds a context switch",
                        .has_copies = true},
    [METRIC_WAKING] = {.id = "waited",
                       .old_id = "waking",
                       .title = "WAITED",
                       .unit = "ns",
                       .help = "Time off processors, by the stack that ended the wait",
                       .type = VALUE_TIME,
                       .classes = BIT(FACT_READY),
                       .request = {WAITS, BIT(FACT_READY)},
                       .cost = "1 to 2 microseconds a wake-up",
                       .has_copies = true},
    [METRIC_READY] = {.id = "ready",
                      .title = "READY",
                      .unit = "ns",
                      .help = "Time able to run and not running",
                      .type = VALUE_TIME,
                      .classes = BIT(FACT_SWITCH),
                      .request = {WAITS, BIT(FACT_SWITCH)},
                      .cost = "1 to 2 microseconds a context switch",
                      .has_copies = true},
    [METRIC_BYTES] = {.id = "bytes",
                      .title = "BYTES",
                      .unit = "bytes",
                      .help = "Bytes requested of files and disks, sent and received",
                      .type = VALUE_BYTES,
                      .classes = MOVES,
                      .request = {BIT(FACT_DISK) | BIT(FACT_NETWORK),
                                  BIT(FACT_DISK) | BIT(FACT_NETWORK)},
                      .cost = "about a microsecond an operation"},
    [METRIC_FAULTS] = {.id = "faults",
                       .title = "FAULTS",
                       .unit = "count",
                       .help = "Page faults",
                       .type = VALUE_COUNT,
                       .classes = BIT(FACT_FAULT),
                       .request = {BIT(FACT_FAULT), BIT(FACT_FAULT)},
                       .cost = "about a microsecond a fault",
                       .has_copies = true},
    [METRIC_ALLOCATIONS] = {.id = "allocations",
                            .title = "ALLOCATED",
                            .unit = "bytes",
                            .help = "Requested address space",
                            .type = VALUE_BYTES,
                            .classes = BIT(FACT_MEMORY),
                            .request = {BIT(FACT_MEMORY), BIT(FACT_MEMORY)},
                            .cost = "about a microsecond an allocation"},
    [METRIC_COUNTED] = {.id = "counted",
                        .title = "COUNTED",
                        .unit = "count",
                        .help = "Events of processor counters, from samples; of one: counter=NAME",
                        .type = VALUE_COUNT,
                        .classes = BIT(FACT_PMC),
                        .request = {BIT(FACT_SAMPLE), BIT(FACT_SAMPLE)},
                        .cost = "about 0.1% of each processor"},
    [METRIC_IO] = {.id = "io",
                   .title = "I/O TIME",
                   .unit = "ns",
                   .help = "Time that disk operations took, by the stack that issued them",
                   .type = VALUE_TIME,
                   .classes = BIT(FACT_DISK),
                   .request = {BIT(FACT_DISK), BIT(FACT_DISK)},
                   .cost = "about a microsecond an operation"},
    [METRIC_WALL] = {.id = "wall",
                     .title = "WALL",
                     .unit = "ns",
                     .help = "Time running (samples), ready and waiting (switches), by state",
                     .type = VALUE_TIME,
                     .classes = WAITS | BIT(FACT_SAMPLE),
                     .request = {WAITS | BIT(FACT_SAMPLE), BIT(FACT_SWITCH) | BIT(FACT_SAMPLE)},
                     .cost = "1 to 2 microseconds a context switch",
                     .has_copies = true},
};

enum stack_metric stack_metric_find(const char *id)
{
    const size_t bytes = strlen(id);
    unsigned found = STACK_METRICS;
    for (unsigned i = 0; i < STACK_METRICS; i++) {
        const char *const old_id = stack_metrics[i].old_id;
        if (strcmp(stack_metrics[i].id, id) == 0 || (old_id && strcmp(old_id, id) == 0))
            return (enum stack_metric)i;
        if (!bytes || strncmp(stack_metrics[i].id, id, bytes) != 0)
            continue;
        if (found != STACK_METRICS)
            return STACK_METRICS;
        found = i;
    }
    return (enum stack_metric)found;
}

bool stack_metric_read(const char *id, enum stack_metric *out, struct err *err)
{
    char known[256] = "";
    *out = stack_metric_find(id);
    for (unsigned i = 0; i < STACK_METRICS; i++)
        suggest_list(known, sizeof known, stack_metrics[i].id);
    return *out != STACK_METRICS || fail(err, "expected one of %s, found '%.40s'", known, id);
}

static bool same_key(const struct row_key *a, const struct row_key *b)
{
    return row_key_equal(*a, *b);
}

bool stack_look_counts_alike(const struct stack_look *a, const struct stack_look *b)
{
    if (a->metric != b->metric || a->shape != b->shape || a->fold != b->fold ||
        a->term_count != b->term_count || !same_key(&a->focus, &b->focus))
        return false;
    for (unsigned i = 0; i < a->term_count && i < STACK_TERMS; i++)
        if (!same_key(&a->terms[i].key, &b->terms[i].key) || a->terms[i].drops != b->terms[i].drops)
            return false;
    return true;
}
