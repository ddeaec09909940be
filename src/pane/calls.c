/* System calls: how often which is made, how long it takes and how it ends. */
#include "src/pane/helpers.h"

#define ENTERED .classes = BIT(FACT_SYSCALL), .ops = OP(OP_START)
#define RETURNED .classes = BIT(FACT_SYSCALL), .ops = OP(OP_END)

static const struct measure calls_measures[] = {
    { .id = "calls", .kind = MEASURE_COUNT, ENTERED },
    { .id = "caller", .kind = MEASURE_MOST, ENTERED, .of = fact_process },
    { .id = "time", .kind = MEASURE_LATENCY, RETURNED },
    { .id = "latency", .kind = MEASURE_HISTOGRAM, RETURNED },
    { .id = "errors", .kind = MEASURE_COUNT, RETURNED, .where = fact_failed },
    { .id = "status", .kind = MEASURE_MOST, RETURNED, .where = fact_failed, .of = fact_status },
};

static const struct column calls_columns[] = {
    {"call", "CALL", "", "Name of the call, or module and offset of its code", VALUE_TEXT,
     LONG_TEXT, 30, 0, NULL, NULL, get_routine},
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
    {"errors", "ERR/S", "per_s", "Calls that failed per second", VALUE_RATE, SHOWN_SUM, 7, 1,
     "errors", NULL, get_rate},
    {"name", "NAME", "", "Process that made most of the calls", VALUE_TEXT, SHOWN_TEXT, 18, 2,
     "caller", NULL, get_most_process},
    {"max", "MAX", "ns", "Longest call", VALUE_TIME, NUMBER, 7, 7, "latency", NULL, get_max},
    {"status", "STATUS", "", "Status of most failures", VALUE_TEXT, COLUMN_SEARCHABLE, 22, 7,
     "status", NULL, get_most_status},
    {"returns", "RET/S", "per_s", "Returns whose call was seen, per second", VALUE_RATE, SUM, 8, 7,
     "latency", NULL, get_rate},
    TREND_COLUMN("calls", NULL, get_trend),
    SHARE_COLUMN,
};

const struct pane pane_calls = {
    .id = "calls",
    .title = "System calls",
    .help = "System calls by time and failures; Enter shows the processes that make one",
    .cost = "very high",
    .digit = '9',
    .view = PANE_TABLE,
    .classes = BIT(FACT_SYSCALL),
    .key = key_entity,
    .measures = calls_measures,
    .measure_count = sizeof calls_measures / sizeof *calls_measures,
    .columns = calls_columns,
    .column_count = sizeof calls_columns / sizeof *calls_columns,
    .sort = "calls",
    .sort_else = "time",
    .drill = "callers",
    .crumb = CRUMB_CALL,
};
