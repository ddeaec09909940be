/* DPC/ISR: what interrupts and deferred calls (on Linux: softirqs) cost, by routine. */
#include "src/pane/helpers.h"

/* A deferred call ought to be done within 100 µs; above 500 µs sound breaks up. */
static bool is_over(const struct fact *f)
{
    return f->latency > 100000;
}

static bool is_far_over(const struct fact *f)
{
    return f->latency > 500000;
}

/* Processors share CPU_GROUPS groups, round robin. */
enum { CPU_GROUPS = 16 };

#define ON(group)                                                                            \
    static bool is_on_##group(const struct fact *f)                                          \
    {                                                                                        \
        return f->cpu % CPU_GROUPS == group;                                                 \
    }
ON(0) ON(1) ON(2) ON(3) ON(4) ON(5) ON(6) ON(7)
ON(8) ON(9) ON(10) ON(11) ON(12) ON(13) ON(14) ON(15)

#define ROUTINES .classes = BIT(FACT_DPC) | BIT(FACT_ISR)
#define TIME_ON(group)                                                                       \
    { .id = "cpu" #group, .kind = MEASURE_LATENCY, ROUTINES, .where = is_on_##group }

enum { FIRST_GROUP = 5 };

static const struct measure interrupts_measures[] = {
    { .id = "count", .kind = MEASURE_COUNT, ROUTINES },
    { .id = "time", .kind = MEASURE_LATENCY, ROUTINES },
    { .id = "latency", .kind = MEASURE_HISTOGRAM, ROUTINES },
    { .id = "over", .kind = MEASURE_COUNT, ROUTINES, .where = is_over },
    { .id = "far_over", .kind = MEASURE_COUNT, ROUTINES, .where = is_far_over },
    [FIRST_GROUP] =
    TIME_ON(0), TIME_ON(1), TIME_ON(2), TIME_ON(3), TIME_ON(4), TIME_ON(5), TIME_ON(6),
    TIME_ON(7), TIME_ON(8), TIME_ON(9), TIME_ON(10), TIME_ON(11), TIME_ON(12), TIME_ON(13),
    TIME_ON(14), TIME_ON(15),
};

static const struct routine *routine_of(const struct table_row *r, const struct row_context *x)
{
    return generation_at(&x->model->routines, r->key.a);
}

static struct value get_kind(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    static const char *const names[ROUTINE_KINDS] = {
        [ROUTINE_ISR] = "ISR",           [ROUTINE_DPC] = "DPC",
        [ROUTINE_TIMER] = "timer",       [ROUTINE_THREADED] = "threaded",
        [ROUTINE_IO_TIMER] = "IO timer", [ROUTINE_CALL] = "call",
    };
    const struct routine *of = routine_of(r, x);
    return value_text(x, c->type, of ? names[of->kind] : NULL);
}

static struct value get_vector(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    const struct routine *of = routine_of(r, x);
    return of && of->kind == ROUTINE_ISR ? value_number(c->type, of->vector) : value_absent();
}

/* Percent of the machine. */
static struct value get_machine_share(const struct column *c, const struct table_row *r,
                                      struct row_context *x)
{
    struct value v = get_busy(c, r, x);
    v.number /= x->cpus ? x->cpus : 1;
    return v;
}

/* A digit per processor: its part of the time, 9 on the busiest, '.' where it did not run. */
static struct value get_cpus(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    char text[CPU_GROUPS + 1] = "";
    const unsigned groups = x->cpus && x->cpus < CPU_GROUPS ? x->cpus : CPU_GROUPS;
    uint64_t most = 0;
    for (unsigned i = 0; i < groups; i++) {
        const uint64_t here = row_tally(x, r, FIRST_GROUP + (int)i);
        most = here > most ? here : most;
    }
    for (unsigned i = 0; most && i < groups; i++) {
        const uint64_t here = row_tally(x, r, FIRST_GROUP + (int)i);
        text[i] = here ? (char)('0' + (int)((double)here / (double)most * 9)) : '.';
    }
    return value_text(x, c->type, most ? text : NULL);
}

static const struct column interrupts_columns[] = {
    {"kind", "KIND", "", "ISR, or deferred: DPC (softirq), timer, threaded", VALUE_TEXT, SHOWN_TEXT,
     8, 0, NULL, NULL, get_kind},
    {"routine", "ROUTINE", "", "Its name, or module and offset", VALUE_TEXT, LONG_TEXT, 30, 0, NULL,
     NULL, get_routine},
    {"count", "COUNT/S", "per_s", "Times it ran per second", VALUE_RATE, SHOWN_SUM, 7, 0, "count",
     NULL, get_rate},
    {"time", "TIME ms/s", "ns_per_s", "Time spent in it, per second", VALUE_TIME_RATE, SHOWN_SUM, 9,
     0, "time", NULL, get_rate},
    {"cpu", "CPU%", "percent", "Time in it, percent of the machine", VALUE_PERCENT,
     SHOWN_SUM | COLUMN_ALARMS, 6, 2, "time", NULL, get_machine_share},
    OPS_COLUMN("Times it ran", "count", NULL),
    TIME_COLUMN("Time in it", "time", NULL, get_sum_time),
    {"avg", "AVG", "ns", "Mean time of a run", VALUE_TIME, SHOWN, 7, 1, "latency", NULL,
     get_average},
    {"p99", "P99", "ns", "99th percentile of run times", VALUE_TIME, SHOWN, 7, 1, "latency", NULL,
     get_p99},
    {"max", "MAX", "ns", "Longest run", VALUE_TIME, SHOWN, 7, 1, "latency", NULL, get_max},
    {"cpus", "ON CPU 0-15", "",
     "Its time by processor, a digit each: 9 busiest, . none (16 again 0)", VALUE_TEXT,
     COLUMN_DEFAULT, 16, 3, "time", NULL, get_cpus},
    {"vector", "VECTOR", "", "Number of the interrupt", VALUE_ID, NUMBER, 6, 7, NULL, NULL,
     get_vector},
    {"over", "OVER/S", "per_s", "Runs of more than 100 µs per second", VALUE_RATE, SUM, 7, 7,
     "over", NULL, get_rate},
    {"far_over", "FAR/S", "per_s", "Runs of more than 500 µs per second", VALUE_RATE, SUM, 7, 7,
     "far_over", NULL, get_rate},
    {"last", "LAST", "", "When it ran last", VALUE_INSTANT, NUMBER, 12, 7, NULL, NULL, get_last},
    TREND_COLUMN("time", NULL, get_trend),
    SHARE_COLUMN,
};

const struct pane pane_interrupts = {
    .id = "interrupts",
    .title = "DPC/ISR",
    .help = "Interrupts and deferred calls by routine; Enter shows the events of one",
    .cost = "medium to high",
    .digit = '8',
    .view = PANE_TABLE,
    .classes = BIT(FACT_DPC) | BIT(FACT_ISR),
    .key = key_entity,
    .measures = interrupts_measures,
    .measure_count = sizeof interrupts_measures / sizeof *interrupts_measures,
    .columns = interrupts_columns,
    .column_count = sizeof interrupts_columns / sizeof *interrupts_columns,
    .sort = "time",
    .drill = "events",
    .crumb = CRUMB_ROUTINE,
};
