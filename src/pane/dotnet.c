/* .NET: collections, pauses, heap, allocations, compiled methods, exceptions, locks and the thread
 * pool, by process and runtime. */
#include "src/pane/helpers.h"

#include <stdio.h>

static struct row_key dotnet_key(const struct fact *f, uint32_t process)
{
    return (struct row_key){.a = process, .b = f->place};
}

/* ---- what facts have --------------------------------------------------------------------------- */

enum { GENERATION_0 = 1, GENERATION_1, GENERATION_2, STARVATION = 1 + 6 };

static bool is_generation_0(const struct fact *f)
{
    return f->status == GENERATION_0;
}

static bool is_generation_1(const struct fact *f)
{
    return f->status == GENERATION_1;
}

static bool is_generation_2(const struct fact *f)
{
    return f->status == GENERATION_2;
}

static bool is_background(const struct fact *f)
{
    return f->flags & FACT_BACKGROUND;
}

static bool is_starvation(const struct fact *f)
{
    return f->status == STARVATION;
}

/* Sizes are KiB + 1, as those in the fact itself. */
static uint32_t heap_kib(const struct fact *f)
{
    const uint64_t kib = f->value >> 10;
    return kib < UINT32_MAX ? (uint32_t)kib + 1 : UINT32_MAX;
}

static uint32_t large_kib(const struct fact *f)
{
    return (uint32_t)(f->latency >> 32);
}

static uint32_t old_kib(const struct fact *f)
{
    return (uint32_t)f->latency;
}

static uint32_t threads_of(const struct fact *f)
{
    return f->value < UINT32_MAX ? (uint32_t)f->value : UINT32_MAX;
}

/* ---- measures ----------------------------------------------------------------------------------- */

#define DOTNET(...) .classes = BIT(FACT_DOTNET), .ops = __VA_ARGS__
#define COLLECTIONS DOTNET(OP(OP_GC))

static const struct measure dotnet_measures[] = {
    {.id = "gcs", .kind = MEASURE_COUNT, COLLECTIONS},
    {.id = "gen0", .kind = MEASURE_COUNT, COLLECTIONS, .where = is_generation_0},
    {.id = "gen1", .kind = MEASURE_COUNT, COLLECTIONS, .where = is_generation_1},
    {.id = "gen2", .kind = MEASURE_COUNT, COLLECTIONS, .where = is_generation_2},
    {.id = "background", .kind = MEASURE_COUNT, COLLECTIONS, .where = is_background},
    {.id = "pauses", .kind = MEASURE_HISTOGRAM, DOTNET(OP(OP_PAUSE))},
    {.id = "paused", .kind = MEASURE_LATENCY, DOTNET(OP(OP_PAUSE))},
    {.id = "suspends", .kind = MEASURE_HISTOGRAM, DOTNET(OP(OP_SUSPEND))},
    {.id = "heap", .kind = MEASURE_LAST, DOTNET(OP(OP_HEAP)), .of = heap_kib},
    {.id = "heap0", .kind = MEASURE_LAST, DOTNET(OP(OP_HEAP)), .of = fact_status},
    {.id = "heap1", .kind = MEASURE_LAST, DOTNET(OP(OP_HEAP)), .of = fact_entity},
    {.id = "heap2", .kind = MEASURE_LAST, DOTNET(OP(OP_HEAP)), .of = old_kib},
    {.id = "large", .kind = MEASURE_LAST, DOTNET(OP(OP_HEAP)), .of = large_kib},
    {.id = "alloc", .kind = MEASURE_BYTES, DOTNET(OP(OP_ALLOC))},
    {.id = "alloc_type",
     .kind = MEASURE_MOST,
     DOTNET(OP(OP_ALLOC)),
     .of = fact_entity,
     .by_bytes = true},
    {.id = "methods", .kind = MEASURE_COUNT, DOTNET(OP(OP_JIT))},
    {.id = "jit", .kind = MEASURE_HISTOGRAM, DOTNET(OP(OP_JIT))},
    {.id = "jit_time", .kind = MEASURE_LATENCY, DOTNET(OP(OP_JIT))},
    {.id = "exceptions", .kind = MEASURE_COUNT, DOTNET(OP(OP_THROW))},
    {.id = "exception", .kind = MEASURE_MOST, DOTNET(OP(OP_THROW)), .of = fact_entity},
    {.id = "waits", .kind = MEASURE_COUNT, DOTNET(OP(OP_CONTEND))},
    {.id = "waited", .kind = MEASURE_LATENCY, DOTNET(OP(OP_CONTEND))},
    {.id = "pool", .kind = MEASURE_LAST, DOTNET(OP(OP_POOL)), .of = threads_of},
    {.id = "starved", .kind = MEASURE_COUNT, DOTNET(OP(OP_POOL)), .where = is_starvation},
    {.id = "loads", .kind = MEASURE_COUNT, DOTNET(OP(OP_LOAD))},
};

/* ---- cells ---------------------------------------------------------------------------------------- */

static struct value get_runtime(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct runtimes *const s = x->model->runtimes;
    const struct runtime *const known = s ? generation_at(&s->table, r->key.b) : NULL;
    char text[RUNTIME_VERSION + 16];
    if (!known)
        return value_absent();
    if (known->version[0])
        return value_text(x, c->type, known->version);
    snprintf(text, sizeof text, "instance %u", (unsigned)known->instance);
    return value_text(x, c->type, text);
}

/* The last of its kind; absent where there was none. */
static struct value get_last_kib(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const uint64_t kib = row_tally(x, r, column_measure(x, c, 0));
    return kib ? value_number(c->type, (kib - 1) << 10) : value_absent();
}

static struct value get_last_count(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const uint64_t count = row_tally(x, r, column_measure(x, c, 0));
    return count ? value_number(c->type, count) : value_absent();
}

static struct value get_most_name(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    return value_text(x, c->type, most ? model_method_name(x->model, most) : NULL);
}

/* clang-format off */
static const struct column dotnet_columns[] = {
    {"pid", "PID", "", "Process id", VALUE_ID, SHOWN_ID, 7, 0, NULL, NULL, get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, LONG_TEXT, 18, 0, NULL, NULL, get_name},
    {"gcs", "GC/S", "per_s", "Garbage collections per second", VALUE_RATE, SHOWN_SUM, 5, 1, "gcs", NULL, get_rate},
    {"gen0", "GEN0", "", "Collections of generation 0", VALUE_COUNT, SHOWN_SUM, 5, 0, "gen0", NULL, get_count},
    {"gen1", "GEN1", "", "Collections of generation 1", VALUE_COUNT, SHOWN_SUM, 5, 0, "gen1", NULL, get_count},
    {"gen2", "GEN2", "", "Collections of generation 2", VALUE_COUNT, SHOWN_SUM, 5, 0, "gen2", NULL, get_count},
    {"paused", "PAUSE%", "percent", "Time that all its threads were stopped for collections", VALUE_PERCENT,
     SHOWN_SUM | COLUMN_ALARMS, 6, 1, "paused", NULL, get_busy},
    OPS_COLUMN("Garbage collections", "gcs", NULL),
    TIME_COLUMN("Pauses for collections", "pauses", NULL, get_sum_time),
    BYTES_COLUMN("Bytes allocated", "alloc", NULL),
    {"p50", "P50", "ns", "Median pause, from suspending threads until they run", VALUE_TIME, SHOWN, 6, 3, "pauses",
     NULL, get_p50},
    {"p99", "P99", "ns", "99th percentile of pauses", VALUE_TIME, SHOWN, 6, 2, "pauses", NULL, get_p99},
    {"max", "MAX", "ns", "Longest pause", VALUE_TIME, SHOWN, 6, 1, "pauses", NULL, get_max},
    {"heap", "HEAP", "bytes", "Heap after the last collection, to 1 KiB", VALUE_BYTES, SHOWN, 6, 1, "heap", NULL,
     get_last_kib},
    {"alloc", "ALLOC B/s", "bytes_per_s", "Bytes allocated, by ticks of some 100 KiB", VALUE_BYTE_RATE, SHOWN_SUM,
     9, 1, "alloc", NULL, get_rate},
    {"methods", "JIT/S", "per_s", "Methods compiled per second", VALUE_RATE, SHOWN_SUM, 5, 2, "methods", NULL,
     get_rate},
    {"jit", "JIT%", "percent", "Time to compile methods, of one thread", VALUE_PERCENT, SHOWN_SUM, 5, 4, "jit_time",
     NULL, get_busy},
    {"exceptions", "EXC/S", "per_s", "Exceptions thrown per second", VALUE_RATE, SHOWN_SUM, 5, 1, "exceptions",
     NULL, get_rate},
    {"waits", "LOCK/S", "per_s", "Waits for contended locks per second", VALUE_RATE, SHOWN_SUM, 6, 3, "waits", NULL,
     get_rate},
    {"waited", "WAIT ms/s", "ns_per_s", "Time that threads waited for locks, per second", VALUE_TIME_RATE,
     SHOWN_SUM, 9, 4, "waited", NULL, get_rate},
    {"pool", "POOL", "", "Threads of the thread pool, as last reported", VALUE_COUNT, SHOWN, 4, 4, "pool", NULL,
     get_last_count},
    {"runtime", "RUNTIME", "", "The runtime and its version", VALUE_TEXT, SHOWN_TEXT, 16, 5, NULL, NULL,
     get_runtime},
    {"alloc_type", "TOP TYPE", "", "Type with most bytes allocated", VALUE_TEXT, SHOWN_TEXT, 24, 6, "alloc_type",
     NULL, get_most_name},
    {"exception", "TOP EXCEPTION", "", "Type thrown most often", VALUE_TEXT, SHOWN_TEXT, 24, 6, "exception", NULL,
     get_most_name},
    {"pauses", "PAUSES", "", "Pauses for collections", VALUE_COUNT, SUM, 6, 7, "pauses", NULL, get_count},
    {"starved", "STARVED", "", "Threads added to the pool because it was starved", VALUE_COUNT, SUM, 7, 7,
     "starved", NULL, get_count},
    {"background", "BGC", "", "Collections while threads ran", VALUE_COUNT, SUM, 5, 7, "background", NULL,
     get_count},
    {"suspend", "SUSPEND", "ns", "Longest time until all threads were stopped", VALUE_TIME, NUMBER, 7, 7, "suspends", NULL,
     get_max},
    {"heap0", "HEAP0", "bytes", "Generation 0 after the last collection", VALUE_BYTES, NUMBER, 6, 7, "heap0", NULL,
     get_last_kib},
    {"heap1", "HEAP1", "bytes", "Generation 1 after the last collection", VALUE_BYTES, NUMBER, 6, 7, "heap1", NULL,
     get_last_kib},
    {"heap2", "HEAP2", "bytes", "Generation 2 after the last collection", VALUE_BYTES, NUMBER, 6, 7, "heap2", NULL,
     get_last_kib},
    {"large", "LARGE", "bytes", "Large objects after the last collection", VALUE_BYTES, NUMBER, 6, 7, "large", NULL,
     get_last_kib},
    {"jit_max", "JITMAX", "ns", "Longest compilation of a method", VALUE_TIME, NUMBER, 6, 7, "jit", NULL, get_max},
    {"loads", "LOAD/S", "per_s", "Modules loaded per second", VALUE_RATE, SUM, 6, 7, "loads", NULL, get_rate},
    TREND_COLUMN("paused", NULL, get_trend),
    SHARE_COLUMN,
};
/* clang-format on */

const struct pane pane_dotnet = {
    .id = "dotnet",
    .title = ".NET",
    .help = ".NET runtimes: collections, pauses, heap, exceptions; Enter shows events of one",
    .cost = "high",
    .view = PANE_TABLE,
    .classes = BIT(FACT_DOTNET),
    .key = dotnet_key,
    .process_part = PART_A,
    .measures = dotnet_measures,
    .measure_count = sizeof dotnet_measures / sizeof *dotnet_measures,
    .columns = dotnet_columns,
    .column_count = sizeof dotnet_columns / sizeof *dotnet_columns,
    .tree = "name",
    .not_on_linux = "no .NET events on Linux: open a trace from Windows",
    .if_empty = "no .NET events: record Microsoft-Windows-DotNETRuntime",
    .sort = "gcs",
    .drill = "events",
    .crumb = CRUMB_PROCESS,
};
