/* Files: what programs asked of the file systems, by file and, behind a file, by process; DISK%
 * says how much of it reached a disk. */
#include "src/pane/helpers.h"

static bool counts_read(const struct fact *f)
{
    return f->op == OP_READ || (f->flags & FACT_MOVED && f->place == OP_READ);
}

static bool counts_write(const struct fact *f)
{
    return f->op == OP_WRITE || (f->flags & FACT_MOVED && f->place == OP_WRITE);
}

#define ASKED (~(OP(OP_NONE) | OP(OP_START) | OP(OP_END) | OP(OP_RUNDOWN)))

/* clang-format off */
#define WORK_MEASURES \
    {.id = "ops", .kind = MEASURE_COUNT, .classes = BIT(FACT_FILE), .ops = ASKED}, \
    {.id = "opens", .kind = MEASURE_COUNT, .classes = BIT(FACT_FILE), .ops = OP(OP_OPEN)}, \
    {.id = "read", \
     .kind = MEASURE_BYTES, \
     .classes = BIT(FACT_FILE), \
     .ops = OP(OP_READ) | OP(OP_END), \
     .where = counts_read}, \
    {.id = "write", \
     .kind = MEASURE_BYTES, \
     .classes = BIT(FACT_FILE), \
     .ops = OP(OP_WRITE) | OP(OP_END), \
     .where = counts_write}, \
    {.id = "enums", .kind = MEASURE_COUNT, .classes = BIT(FACT_FILE), .ops = OP(OP_ENUM)}, \
    {.id = "renames", .kind = MEASURE_COUNT, .classes = BIT(FACT_FILE), .ops = OP(OP_RENAME)}, \
    {.id = "deletes", .kind = MEASURE_COUNT, .classes = BIT(FACT_FILE), .ops = OP(OP_DELETE)}, \
    {.id = "latency", .kind = MEASURE_HISTOGRAM, .classes = BIT(FACT_FILE), .ops = OP(OP_END)}, \
    {.id = "errors", \
     .kind = MEASURE_COUNT, \
     .classes = BIT(FACT_FILE), \
     .ops = OP(OP_END), \
     .where = fact_failed}, \
    {.id = "status", \
     .kind = MEASURE_MOST, \
     .classes = BIT(FACT_FILE), \
     .ops = OP(OP_END), \
     .where = fact_failed, \
     .of = fact_status}, \
    {.id = "disk", \
     .kind = MEASURE_BYTES, \
     .classes = BIT(FACT_DISK), \
     .ops = OP(OP_READ) | OP(OP_WRITE)}
/* clang-format on */

static const struct measure files_measures[] = {
    WORK_MEASURES,
    {.id = "user", .kind = MEASURE_MOST, .classes = BIT(FACT_FILE), .ops = ASKED, .of = fact_process},
};

static const struct measure users_measures[] = {
    WORK_MEASURES,
    {.id = "file",
     .kind = MEASURE_MOST,
     .classes = BIT(FACT_FILE),
     .ops = ASKED,
     .of = fact_entity},
};

/* Bytes asked for that reached a disk, percent. Read-ahead and write-back move more than that, and
 * what is more was not asked for. */
static struct value get_disk_share(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const uint64_t asked = row_tally(x, r, table_measure(x->table, "read")) +
                           row_tally(x, r, table_measure(x->table, "write"));
    const uint64_t disk = row_tally(x, r, column_measure(x, c, 0));
    const uint64_t reached = disk < asked ? disk : asked;
    return asked ? value_rate(c->type, (double)reached / (double)asked * 100) : value_absent();
}

static struct value get_first(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    (void)x;
    return r->first_ns ? (struct value){.type = c->type, .ns = r->first_ns} : value_absent();
}

/* The rows are a table: a line each, as far as it goes. */
/* clang-format off */
#define WORK_COLUMNS \
    {"ops", "OPS/S", "per_s", "Operations per second", VALUE_RATE, SHOWN_SUM, 7, 0, "ops", NULL, \
     get_rate}, \
    {"opens", "OPEN/S", "per_s", "Opens per second", VALUE_RATE, SHOWN_SUM, 7, 2, "opens", NULL, \
     get_rate}, \
    {"read", "READ B/s", "bytes_per_s", "Bytes requested to be read (Linux: bytes read)", \
     VALUE_BYTE_RATE, SHOWN_SUM, 8, 0, "read", NULL, get_rate}, \
    {"write", "WRITE B/s", "bytes_per_s", "Bytes requested to be written (Linux: bytes written)", \
     VALUE_BYTE_RATE, SHOWN_SUM, 9, 0, "write", NULL, get_rate}, \
    {"avg", "AVG", "ns", "Mean time from request to completion", VALUE_TIME, SHOWN, 7, 2, "latency", \
     NULL, get_average}, \
    {"p99", "P99", "ns", "99th percentile of latencies", VALUE_TIME, SHOWN, 7, 1, "latency", \
     NULL, get_p99}, \
    {"errors", "ERR/S", "per_s", "Operations that failed, per second", VALUE_RATE, SHOWN_SUM, 6, 3, \
     "errors", NULL, get_rate}, \
    {"disk_share", "DISK%", "percent", "Bytes that reached a disk, percent of requested bytes; at most 100", \
     VALUE_PERCENT, SHOWN, 6, 4, "disk", NULL, get_disk_share}, \
    {"disk", "DISK B/s", "bytes_per_s", "Bytes read from and written to disks", VALUE_BYTE_RATE, SUM, 8, 6, \
     "disk", NULL, get_rate}, \
    OPS_COLUMN("Operations", "ops", NULL), \
    BYTES_COLUMN("Bytes requested to be read and written (Linux: bytes moved)", "read", "write"), \
    TIME_COLUMN("Time from requests to completions", "latency", NULL, get_sum_time), \
    {"max", "MAX", "ns", "Longest operation", VALUE_TIME, NUMBER, 7, 7, "latency", NULL, get_max}, \
    {"p50", "P50", "ns", "Median latency", VALUE_TIME, NUMBER, 7, 7, \
     "latency", NULL, get_p50}, \
    {"enums", "DIRENUM/S", "per_s", "Directory listings per second", VALUE_RATE, SUM, 9, 7, "enums", \
     NULL, get_rate}, \
    {"renames", "RENAME/S", "per_s", "Renames per second", VALUE_RATE, SUM, 8, 7, "renames", NULL, \
     get_rate}, \
    {"deletes", "DELETE/S", "per_s", "Deletes per second", VALUE_RATE, SUM, 8, 7, "deletes", NULL, \
     get_rate}, \
    {"status", "STATUS", "", "Status of most failures", VALUE_TEXT, COLUMN_SEARCHABLE, 20, 7, \
     "status", NULL, get_most_status}
/* clang-format on */

static const struct column files_columns[] = {
    {"path", "PATH", "", "Path of the file", VALUE_PATH, LONG_TEXT, 40, 0, NULL, NULL, get_path},
    {"name", "NAME", "", "Process with most operations on it", VALUE_TEXT, SHOWN_TEXT, 18, 1,
     "user", NULL, get_most_process},
    WORK_COLUMNS,
    {"first", "FIRST", "", "First operation seen", VALUE_INSTANT, NUMBER, 12, 7, NULL, NULL,
     get_first},
    {"last", "LAST", "", "Last operation seen", VALUE_INSTANT, NUMBER, 12, 7, NULL, NULL, get_last},
    TREND_COLUMN("ops", NULL, get_trend),
    SHARE_COLUMN,
};

static const struct column users_columns[] = {
    {"pid", "PID", "", "Process that requests", VALUE_ID, SHOWN_ID, 7, 0, NULL, NULL, get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, SHOWN_TEXT | COLUMN_GROWS, 18, 0,
     NULL, NULL, get_name},
    WORK_COLUMNS,
    {"file", "FILE", "", "File with most operations", VALUE_PATH, LONG_TEXT, 30, 6, "file", NULL,
     get_most_path},
    SHARE_COLUMN,
};

const struct pane pane_files = {
    .id = "files",
    .title = "Files",
    .help = "File operations by file; Enter shows the processes that use it",
    .cost = "high",
    .digit = '4',
    .view = PANE_TABLE,
    .classes = BIT(FACT_FILE) | BIT(FACT_DISK),
    .key = key_entity,
    .measures = files_measures,
    .measure_count = sizeof files_measures / sizeof *files_measures,
    .stacks = "bytes",
    .columns = files_columns,
    .column_count = sizeof files_columns / sizeof *files_columns,
    .tree = "path",
    .sort = "ops",
    .sort_else = "disk",
    .drill = "fileusers",
    .crumb = CRUMB_FILE,
};

const struct pane pane_fileusers = {
    .id = "fileusers",
    .title = "Users of files",
    .help = "File operations by process; Enter shows the events of one",
    .cost = "high",
    .view = PANE_TABLE,
    .classes = BIT(FACT_FILE) | BIT(FACT_DISK),
    .key = key_process_alone,
    .process_part = PART_A,
    .measures = users_measures,
    .measure_count = sizeof users_measures / sizeof *users_measures,
    .stacks = "bytes",
    .columns = users_columns,
    .column_count = sizeof users_columns / sizeof *users_columns,
    .sort = "ops",
    .sort_else = "disk",
    .drill = "events",
    .is_scanned = true, /* asked for from a file, and then counted anew anyway */
    .crumb = CRUMB_PROCESS,
};
