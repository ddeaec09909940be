/* Memory: page faults by kind, what hard faults read and cost, and allocations. */
#include "src/pane/helpers.h"

#define FAULTS(op) .classes = BIT(FACT_FAULT), .ops = OP(op)
#define SPACE(op)  .classes = BIT(FACT_MEMORY), .ops = OP(op)

static const struct measure memory_measures[] = {
    {.id = "hard", .kind = MEASURE_COUNT, FAULTS(OP_HARD)},
    {.id = "hard_bytes", .kind = MEASURE_BYTES, FAULTS(OP_HARD)},
    {.id = "latency", .kind = MEASURE_HISTOGRAM, FAULTS(OP_HARD)},
    {.id = "file", .kind = MEASURE_MOST, FAULTS(OP_HARD), .of = fact_entity, .by_bytes = true},
    {.id = "zero", .kind = MEASURE_COUNT, FAULTS(OP_ZERO)},
    {.id = "transition", .kind = MEASURE_COUNT, FAULTS(OP_TRANSITION)},
    {.id = "copy", .kind = MEASURE_COUNT, FAULTS(OP_COPY)},
    {.id = "guard", .kind = MEASURE_COUNT, FAULTS(OP_GUARD)},
    {.id = "violation", .kind = MEASURE_COUNT, FAULTS(OP_VIOLATION)},
    {.id = "soft",
     .kind = MEASURE_COUNT,
     FAULTS(OP_ZERO) | OP(OP_TRANSITION) | OP(OP_COPY) | OP(OP_GUARD) | OP(OP_SOFT)},
    {.id = "alloc", .kind = MEASURE_BYTES, SPACE(OP_ALLOC)},
    {.id = "free", .kind = MEASURE_BYTES, SPACE(OP_FREE)},
    MEMORY_MEASURE,
    {.id = "images", .kind = MEASURE_COUNT, .classes = BIT(FACT_IMAGE), .ops = OP(OP_START)},
};

/* Allocated less freed since the reset, whatever span the other columns show. */
static struct value get_net(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    struct row_context since_reset = *x;
    since_reset.span = SPAN_TOTAL;
    const uint64_t alloc = row_tally(&since_reset, r, column_measure(x, c, 0));
    const uint64_t freed = row_tally(&since_reset, r, column_measure(x, c, 1));
    return value_rate(c->type, (double)alloc - (double)freed);
}

static const struct column memory_columns[] = {
    {"pid", "PID", "", "Process id", VALUE_ID, SHOWN_ID, 7, 0, NULL, NULL, get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, SHOWN_TEXT, 18, 0, NULL, NULL,
     get_name},
    RSS_COLUMNS(1, 2),
    {"hard", "HARD/S", "per_s", "Hard faults (read from a disk) per second", VALUE_RATE, SHOWN_SUM,
     7, 0, "hard", NULL, get_rate},
    {"hard_bytes", "HARD B/s", "bytes_per_s", "Bytes that hard faults read", VALUE_BYTE_RATE,
     SHOWN_SUM, 8, 1, "hard_bytes", NULL, get_rate},
    {"p99", "HARD-P99", "ns", "99th percentile of hard fault times", VALUE_TIME, SHOWN, 8, 1,
     "latency", NULL, get_p99},
    {"zero", "ZERO/S", "per_s", "Demand-zero faults per second", VALUE_RATE, SHOWN_SUM, 7, 2,
     "zero", NULL, get_rate},
    {"transition", "TRANS/S", "per_s", "Transition faults (page still in memory) per second",
     VALUE_RATE, SHOWN_SUM, 7, 2, "transition", NULL, get_rate},
    {"copy", "COW/S", "per_s", "Copy-on-write faults per second", VALUE_RATE, SHOWN_SUM, 6, 3,
     "copy", NULL, get_rate},
    {"guard", "GUARD/S", "per_s", "Guard page faults (growing stacks) per second", VALUE_RATE,
     SHOWN_SUM, 7, 4, "guard", NULL, get_rate},
    {"alloc", "ALLOC B/s", "bytes_per_s", "Virtual memory reserved or committed", VALUE_BYTE_RATE,
     SHOWN_SUM, 9, 3, "alloc", NULL, get_rate},
    {"free", "FREE B/s", "bytes_per_s", "Virtual memory released or decommitted", VALUE_BYTE_RATE,
     SHOWN_SUM, 9, 4, "free", NULL, get_rate},
    MORE_MEMORY_COLUMNS(SHOWN, 4),
    OPS_COLUMN("Page faults, hard ones and those that need no disk", "hard", "soft"),
    BYTES_COLUMN("Bytes that hard faults read", "hard_bytes", NULL),
    TIME_COLUMN("Time in hard faults", "latency", NULL, get_sum_time),
    {"net", "NET B", "bytes", "Allocated less freed since the reset", VALUE_BYTE_RATE, SHOWN, 8, 5,
     "alloc", "free", get_net},
    {"file", "FILE", "", "File that hard faults read most from", VALUE_PATH, LONG_TEXT, 24, 4,
     "file", NULL, get_most_path},
    {"avg", "HARD-AVG", "ns", "Mean time of a hard fault", VALUE_TIME, NUMBER, 8, 7, "latency",
     NULL, get_average},
    {"max", "HARD-MAX", "ns", "Longest hard fault", VALUE_TIME, NUMBER, 8, 7, "latency", NULL,
     get_max},
    {"soft", "SOFT/S", "per_s", "Faults that need no disk, of all kinds, per second", VALUE_RATE,
     SUM, 7, 7, "soft", NULL, get_rate},
    {"violation", "AV/S", "per_s", "Access violations per second", VALUE_RATE, SUM, 6, 7,
     "violation", NULL, get_rate},
    {"images", "IMGLOAD/S", "per_s", "Images loaded per second", VALUE_RATE, SUM, 9, 7, "images",
     NULL, get_rate},
    TREND_COLUMN("hard", NULL, get_trend),
    SHARE_COLUMN,
};

const struct pane pane_memory = {
    .id = "memory",
    .title = "Memory and page faults",
    .help = "Page faults and allocations by process; Enter shows the events of one",
    .cost = "low; high with soft faults",
    .digit = '7',
    .view = PANE_TABLE,
    .classes = BIT(FACT_FAULT) | BIT(FACT_MEMORY) | BIT(FACT_IMAGE),
    .watched = BIT(FACT_FAULT) | BIT(FACT_MEMORY), /* which has the kinds of faults, too */
    .key = key_process_alone,
    .process_part = PART_A,
    .measures = memory_measures,
    .measure_count = sizeof memory_measures / sizeof *memory_measures,
    .stacks = "faults",
    .columns = memory_columns,
    .column_count = sizeof memory_columns / sizeof *memory_columns,
    .sort = "hard",
    .sort_then = "soft", /* most machines have no hard faults for minutes */
    .drill = "events",
    .crumb = CRUMB_PROCESS,
};
