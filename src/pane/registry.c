/* Registry: operations by key and process. */
#include "src/pane/helpers.h"

static bool was_not_found(const struct fact *f)
{
    enum { NO_SUCH_OBJECT = 0x34, NO_SUCH_PATH = 0x3a }; /* of 0xc0000000 */
    return f->status == (0xc0000000u | NO_SUCH_OBJECT) || f->status == (0xc0000000u | NO_SUCH_PATH);
}

/* Only a rundown has the full path of a key that was opened before the recording. */
static struct value get_partial(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    static const char root[] = "\\REGISTRY\\";
    const struct file *f = model_file_at(x->model, r->key.a);
    if (r->key.a == ROW_OTHERS)
        return value_absent();
    const bool is_whole = f && f->name && strncasecmp(f->name, root, sizeof root - 1) == 0;
    return is_whole ? value_absent() : value_text(x, c->type, f && f->name ? "part" : "none");
}

#define KEYS .classes = BIT(FACT_REGISTRY)

static const struct measure registry_measures[] = {
    {.id = "ops", .kind = MEASURE_COUNT, KEYS},
    {.id = "queries", .kind = MEASURE_COUNT, KEYS, .ops = OP(OP_QUERY)},
    {.id = "sets", .kind = MEASURE_COUNT, KEYS, .ops = OP(OP_SET)},
    {.id = "enums", .kind = MEASURE_COUNT, KEYS, .ops = OP(OP_ENUM)},
    {.id = "opens", .kind = MEASURE_COUNT, KEYS, .ops = OP(OP_OPEN) | OP(OP_CREATE)},
    {.id = "deletes", .kind = MEASURE_COUNT, KEYS, .ops = OP(OP_DELETE)},
    {.id = "failed", .kind = MEASURE_COUNT, KEYS, .where = fact_failed},
    {.id = "not_found", .kind = MEASURE_COUNT, KEYS, .where = was_not_found},
    {.id = "latency", .kind = MEASURE_HISTOGRAM, KEYS},
    {.id = "status", .kind = MEASURE_MOST, KEYS, .where = fact_failed, .of = fact_status},
};

static const struct column registry_columns[] = {
    {"key", "KEY", "", "The key, with the known part of its path", VALUE_PATH, LONG_TEXT, 40, 0,
     NULL, NULL, get_path},
    {"pid", "PID", "", "Process that requested it", VALUE_ID, SHOWN_ID, 7, 1, NULL, NULL, get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, SHOWN_TEXT, 18, 0, NULL, NULL,
     get_name},
    {"ops", "OPS/S", "per_s", "Operations per second", VALUE_RATE, SHOWN_SUM, 7, 0, "ops", NULL,
     get_rate},
    {"queries", "QUERY/S", "per_s", "Queries of keys and values per second", VALUE_RATE, SHOWN_SUM,
     7, 1, "queries", NULL, get_rate},
    {"sets", "SET/S", "per_s", "Values and information set per second", VALUE_RATE, SHOWN_SUM, 6, 1,
     "sets", NULL, get_rate},
    {"enums", "ENUM/S", "per_s", "Enumerations per second", VALUE_RATE, SHOWN_SUM, 6, 2, "enums",
     NULL, get_rate},
    {"opens", "OPEN/S", "per_s", "Keys opened or created per second", VALUE_RATE, SHOWN_SUM, 6, 2,
     "opens", NULL, get_rate},
    OPS_COLUMN("Operations", "ops", NULL),
    TIME_COLUMN("Time in operations", "latency", NULL, get_sum_time),
    {"fail", "FAIL%", "percent", "Operations that failed, percent of all", VALUE_PERCENT,
     SHOWN | COLUMN_ALARMS, 6, 2, "failed", "ops", get_ratio},
    {"p99", "P99", "ns", "99th percentile of latencies", VALUE_TIME, SHOWN, 7, 2, "latency", NULL,
     get_p99},
    {"status", "STATUS", "", "Status of most failures", VALUE_TEXT, SHOWN_TEXT, 22, 3, "status",
     NULL, get_most_status},
    {"avg", "AVG", "ns", "Mean time of an operation", VALUE_TIME, NUMBER, 7, 7, "latency", NULL,
     get_average},
    {"max", "MAX", "ns", "Longest operation", VALUE_TIME, NUMBER, 7, 7, "latency", NULL, get_max},
    {"deletes", "DELETE/S", "per_s", "Keys and values deleted per second", VALUE_RATE, SUM, 8, 7,
     "deletes", NULL, get_rate},
    {"not_found", "NOTFOUND%", "percent", "Operations on missing keys or values, percent of all",
     VALUE_PERCENT, NUMBER, 9, 7, "not_found", "ops", get_ratio},
    {"partial", "PARTIAL", "", "Known part of an incomplete path", VALUE_TEXT, COLUMN_SEARCHABLE, 7,
     7, NULL, NULL, get_partial},
    TREND_COLUMN("ops", NULL, get_trend),
    SHARE_COLUMN,
};

const struct pane pane_registry = {
    .id = "registry",
    .title = "Registry",
    .help = "Registry operations by key and process; Enter shows the events of a key",
    .cost = "high",
    .digit = '6',
    .view = PANE_TABLE,
    .classes = BIT(FACT_REGISTRY),
    .key = key_entity_process,
    .process_part = PART_B,
    .measures = registry_measures,
    .measure_count = sizeof registry_measures / sizeof *registry_measures,
    .columns = registry_columns,
    .column_count = sizeof registry_columns / sizeof *registry_columns,
    .tree = "key",
    .not_on_linux = "this system has no registry: Linux keeps its configuration in files",
    .sort = "ops",
    .drill = "events",
    .crumb = CRUMB_KEY,
};
