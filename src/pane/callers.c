/* Callers: system calls by the process that makes them. */
#include "src/pane/helpers.h"

#define ENTERED .classes = BIT(FACT_SYSCALL), .ops = OP(OP_START)
#define RETURNED .classes = BIT(FACT_SYSCALL), .ops = OP(OP_END)

static const struct measure callers_measures[] = {
    {.id = "calls", .kind = MEASURE_COUNT, ENTERED},
    {.id = "call", .kind = MEASURE_MOST, ENTERED, .of = fact_entity},
    {.id = "time", .kind = MEASURE_LATENCY, RETURNED},
    {.id = "latency", .kind = MEASURE_HISTOGRAM, RETURNED},
    {.id = "errors", .kind = MEASURE_COUNT, RETURNED, .where = fact_failed},
    {.id = "status", .kind = MEASURE_MOST, RETURNED, .where = fact_failed, .of = fact_status},
};

static struct value get_call(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    char room[512];
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    const char *name =
        most ? model_routine_label(x->model, most, r->last_ns, room, sizeof room) : NULL;
    return value_text(x, c->type, name);
}

static const struct column callers_columns[] = {
    {"pid", "PID", "", "Process that calls", VALUE_ID, SHOWN_ID, 7, 0, NULL, NULL, get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, SHOWN_TEXT | COLUMN_GROWS, 18, 0,
     NULL, NULL, get_name},
    {"calls", "CALLS/S", "per_s", "Calls made per second", VALUE_RATE, SHOWN_SUM, 8, 0, "calls",
     NULL, get_rate},
    {"time", "TIME ms/s", "ns_per_s", "Time from call to return, waits included, per second",
     VALUE_TIME_RATE, SHOWN_SUM, 9, 0, "time", NULL, get_rate},
    OPS_COLUMN("Calls made", "calls", NULL),
    TIME_COLUMN("Time from call to return, waits included", "time", NULL, get_sum_time),
    {"avg", "AVG", "ns", "Mean time of a call", VALUE_TIME, SHOWN, 7, 1, "latency", NULL,
     get_average},
    {"p99", "P99", "ns", "99th percentile of call times", VALUE_TIME, SHOWN, 7, 1, "latency", NULL,
     get_p99},
    {"max", "MAX", "ns", "Longest call", VALUE_TIME, SHOWN, 7, 2, "latency", NULL, get_max},
    {"errors", "ERR/S", "per_s", "Calls that failed per second", VALUE_RATE, SHOWN_SUM, 7, 1,
     "errors", NULL, get_rate},
    {"call", "CALL", "", "Call made most", VALUE_TEXT, SHOWN_TEXT, 24, 2, "call", NULL, get_call},
    {"status", "STATUS", "", "Status of most failures", VALUE_TEXT, COLUMN_SEARCHABLE, 22, 7,
     "status", NULL, get_most_status},
    TREND_COLUMN("calls", NULL, get_trend),
    SHARE_COLUMN,
};

const struct pane pane_callers = {
    .id = "callers",
    .title = "Callers",
    .help = "System calls by process; Enter shows the events of one",
    .cost = "very high",
    .view = PANE_TABLE,
    .classes = BIT(FACT_SYSCALL),
    .key = key_process_alone,
    .process_part = PART_A,
    .measures = callers_measures,
    .measure_count = sizeof callers_measures / sizeof *callers_measures,
    .columns = callers_columns,
    .column_count = sizeof callers_columns / sizeof *callers_columns,
    .sort = "calls",
    .sort_else = "time",
    .drill = "events",
    .crumb = CRUMB_PROCESS,
};
