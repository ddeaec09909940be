/* Disk: completed operations of the disks themselves, by disk and process; and by the file
 * they were for. Both count and show the same. */
#include "src/pane/helpers.h"

#define MOVES     (OP(OP_READ) | OP(OP_WRITE))
#define COMPLETED (OP(OP_READ) | OP(OP_WRITE) | OP(OP_FLUSH))

static struct row_key disk_key(const struct fact *f, uint32_t process)
{
    return (struct row_key){.a = f->place + 1, .b = process};
}

static struct row_key file_key(const struct fact *f, uint32_t process)
{
    (void)process;
    return (struct row_key){.a = f->entity, .b = f->place + 1};
}

static bool is_sequential(const struct fact *f)
{
    return f->flags & FACT_SEQUENTIAL;
}

/* Ten milliseconds: what an arm needs to get anywhere. */
static bool is_slow(const struct fact *f)
{
    return f->flags & FACT_HAS_LATENCY && f->latency >= 10000000;
}

/* 0 is left out of the count, so priorities stand one higher. */
static uint32_t priority_of(const struct fact *f)
{
    return (f->flags >> FACT_PRIORITY_SHIFT) + 1u;
}

static const struct measure disk_measures[] = {
    {.id = "reads", .kind = MEASURE_COUNT, .classes = BIT(FACT_DISK), .ops = OP(OP_READ)},
    {.id = "writes", .kind = MEASURE_COUNT, .classes = BIT(FACT_DISK), .ops = OP(OP_WRITE)},
    {.id = "flushes", .kind = MEASURE_COUNT, .classes = BIT(FACT_DISK), .ops = OP(OP_FLUSH)},
    {.id = "read", .kind = MEASURE_BYTES, .classes = BIT(FACT_DISK), .ops = OP(OP_READ)},
    {.id = "write", .kind = MEASURE_BYTES, .classes = BIT(FACT_DISK), .ops = OP(OP_WRITE)},
    {.id = "latency", .kind = MEASURE_HISTOGRAM, .classes = BIT(FACT_DISK), .ops = COMPLETED},
    {.id = "waiting", .kind = MEASURE_LATENCY, .classes = BIT(FACT_DISK), .ops = COMPLETED},
    {.id = "service", .kind = MEASURE_STATUS, .classes = BIT(FACT_DISK), .ops = COMPLETED},
    {.id = "ops", .kind = MEASURE_COUNT, .classes = BIT(FACT_DISK), .ops = COMPLETED},
    {.id = "moves", .kind = MEASURE_COUNT, .classes = BIT(FACT_DISK), .ops = MOVES},
    {.id = "sequential",
     .kind = MEASURE_COUNT,
     .classes = BIT(FACT_DISK),
     .ops = MOVES,
     .where = is_sequential},
    {.id = "slow",
     .kind = MEASURE_COUNT,
     .classes = BIT(FACT_DISK),
     .ops = COMPLETED,
     .where = is_slow},
    {.id = "priority",
     .kind = MEASURE_MOST,
     .classes = BIT(FACT_DISK),
     .ops = COMPLETED,
     .of = priority_of},
    {.id = "file",
     .kind = MEASURE_MOST,
     .classes = BIT(FACT_DISK),
     .ops = COMPLETED,
     .of = fact_entity,
     .by_bytes = true},
};

static struct value get_disk(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    (void)x;
    return r->key.a == ROW_OTHERS ? value_absent() : value_number(c->type, r->key.a - 1);
}

static struct value get_file_disk(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    (void)x;
    return r->key.a == ROW_OTHERS ? value_absent() : value_number(c->type, r->key.b - 1);
}

/* Disks of several sources may have one number: the row's process or file knows which it is. */
static source_id disk_source(const struct table_row *r, const struct row_context *x)
{
    const struct process *const p =
        x->table->pane->process_part ? model_process_at(x->model, row_process(x, r)) : NULL;
    const struct file *const f =
        x->table->pane->process_part ? NULL : model_file_at(x->model, r->key.a);
    return p ? p->source : f ? f->source : 0;
}

static struct value device(const struct column *c, const struct table_row *r, struct row_context *x,
                           uint32_t disk)
{
    char room[DISK_LABEL];
    if (r->key.a == ROW_OTHERS || !disk)
        return value_absent();
    return value_text(x, c->type,
                      model_disk_label(x->model, disk_source(r, x), disk - 1, room, sizeof room));
}

static struct value get_device(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    return device(c, r, x, r->key.a);
}

static struct value get_file_device(const struct column *c, const struct table_row *r,
                                    struct row_context *x)
{
    return device(c, r, x, r->key.b);
}

static struct value get_priority(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    static const char *const names[] = {"-", "very low", "low", "normal", "high", "critical"};
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    const uint32_t count = sizeof names / sizeof *names;
    return most && most <= count ? value_text(x, c->type, names[most - 1]) : value_absent();
}

/* Mean size of an operation that moves bytes. */
static struct value get_size(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const uint64_t count = row_tally(x, r, table_measure(x->table, "reads")) +
                           row_tally(x, r, table_measure(x->table, "writes"));
    const uint64_t bytes = row_tally(x, r, table_measure(x->table, "read")) +
                           row_tally(x, r, table_measure(x->table, "write"));
    return count ? value_number(c->type, bytes / count) : value_absent();
}

/* The rows are a table: a line each, as far as it goes. */
/* clang-format off */
#define OPERATION_COLUMNS \
    {"reads", "R/S", "per_s", "Reads completed per second", VALUE_RATE, SHOWN_SUM, 6, 1, "reads", \
     NULL, get_rate}, \
    {"writes", "W/S", "per_s", "Writes completed per second", VALUE_RATE, SHOWN_SUM, 6, 1, "writes", \
     NULL, get_rate}, \
    {"read", "READ B/s", "bytes_per_s", "Bytes read", VALUE_BYTE_RATE, SHOWN_SUM, 8, 0, "read", \
     NULL, get_rate}, \
    {"write", "WRITE B/s", "bytes_per_s", "Bytes written", VALUE_BYTE_RATE, SHOWN_SUM, 9, 0, \
     "write", NULL, get_rate}, \
    {"total", "TOTAL B/s", "bytes_per_s", "Bytes read and written", VALUE_BYTE_RATE, SHOWN_SUM, 9, \
     2, "read", "write", get_rate}, \
    {"avg", "AVG", "ns", "Mean time from start to completion", VALUE_TIME, SHOWN, 7, 2, "latency", \
     NULL, get_average}, \
    {"p99", "P99", "ns", "99th percentile of latencies", VALUE_TIME, SHOWN, 7, 1, "latency", \
     NULL, get_p99}, \
    {"max", "MAX", "ns", "Longest operation", VALUE_TIME, SHOWN, 7, 2, "latency", NULL, get_max}, \
    SUM_COLUMN("ops", "OPS", "", "Reads, writes and flushes completed", VALUE_COUNT, 7, "ops", NULL, \
               get_sum_count), \
    BYTES_COLUMN("Bytes read and written", "read", "write"), \
    TIME_COLUMN("Time that the disk served this row", "service", NULL, get_sum_time)
#define MORE_COLUMNS \
    {"flushes", "FLUSH/S", "per_s", "Flushes per second", VALUE_RATE, SUM, 7, 7, "flushes", NULL, \
     get_rate}, \
    {"size", "SIZE-AVG", "bytes", "Mean bytes per read or write", VALUE_BYTES, NUMBER, 8, 7, NULL, \
     NULL, get_size}, \
    {"seq", "SEQ%", "percent", "Operations that start where the previous one on the disk ended", \
     VALUE_PERCENT, NUMBER, 5, 7, "sequential", "moves", get_ratio}, \
    {"slow", "SLOW/S", "per_s", "Operations that took 10 ms or longer, per second", VALUE_RATE, SUM, \
     6, 7, "slow", NULL, get_rate}, \
    {"p50", "P50", "ns", "Median latency", VALUE_TIME, NUMBER, 7, 7, \
     "latency", NULL, get_p50}, \
    {"p90", "P90", "ns", "90th percentile of latencies", VALUE_TIME, NUMBER, 7, 7, "latency", \
     NULL, get_p90}, \
    TREND_COLUMN("read", "write", get_trend), \
    SHARE_COLUMN
/* clang-format on */

#define DEVICE_HELP                                                                                \
    "Name of the disk: vda, loop0 with its file, PhysicalDrive0 with its drive letters"

static const struct column disk_columns[] = {
    {"device", "DISK", "", DEVICE_HELP, VALUE_TEXT, SHOWN_TEXT | COLUMN_FITS, 17, 0, NULL, NULL,
     get_device},
    {"pid", "PID", "", "Process whose thread issued the operation", VALUE_ID,
     SHOWN | COLUMN_SEARCHABLE, 7, 0, NULL, NULL, get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE, 18, 0, NULL, NULL, get_name},
    OPERATION_COLUMNS,
    {"busy", "BUSY%", "percent",
     "Part of the time the disk served this row's operations that completed", VALUE_PERCENT,
     SHOWN | COLUMN_ALARMS, 6, 3, "service", NULL, get_busy},
    {"depth", "QD", "", "Mean number of operations outstanding", VALUE_RATE, SHOWN_SUM, 5, 4,
     "waiting", NULL, get_depth},
    {"priority", "PRI", "", "I/O priority of most operations", VALUE_TEXT, COLUMN_DEFAULT, 8, 5,
     "priority", NULL, get_priority},
    {"file", "FILE", "", "File with most bytes", VALUE_PATH,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS, 24, 2, "file", NULL, get_most_path},
    MORE_COLUMNS,
    {"disk", "DISK-NO", "", "Number of the physical disk", VALUE_ID, NUMBER | COLUMN_SEARCHABLE, 7,
     7, NULL, NULL, get_disk},
};

static const struct column file_columns[] = {
    {"path", "PATH", "", "Path of the file", VALUE_PATH,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS, 40, 0, NULL, NULL, get_path},
    {"device", "DISK", "", DEVICE_HELP, VALUE_TEXT, SHOWN_TEXT | COLUMN_FITS, 17, 1, NULL, NULL,
     get_file_device},
    OPERATION_COLUMNS,
    {"busy", "BUSY%", "percent",
     "Part of the time the disk served this file's operations that completed", VALUE_PERCENT,
     COLUMN_RIGHT | COLUMN_ALARMS, 6, 4, "service", NULL, get_busy},
    MORE_COLUMNS,
    {"disk", "DISK-NO", "", "Number of the physical disk", VALUE_ID, NUMBER | COLUMN_SEARCHABLE, 7,
     7, NULL, NULL, get_file_disk},
};

const struct pane pane_disk = {
    .id = "disk",
    .title = "Disk",
    .help = "Operations of the physical disks; Enter shows the files of a process on a disk",
    .cost = "low",
    .digit = '3',
    .view = PANE_TABLE,
    .classes = BIT(FACT_DISK),
    .key = disk_key,
    .process_part = PART_B,
    .measures = disk_measures,
    .measure_count = sizeof disk_measures / sizeof *disk_measures,
    .stacks = "bytes",
    .columns = disk_columns,
    .column_count = sizeof disk_columns / sizeof *disk_columns,
    .sort = "total",
    .drill = "diskfiles",
    .crumb = CRUMB_DISK_PROCESS,
};

const struct pane pane_diskfiles = {
    .id = "diskfiles",
    .title = "Files on disk",
    .help = "Disk operations by file; Enter shows the events of one",
    .cost = "low",
    .view = PANE_TABLE,
    .classes = BIT(FACT_DISK),
    .key = file_key,
    .measures = disk_measures,
    .measure_count = sizeof disk_measures / sizeof *disk_measures,
    .stacks = "bytes",
    .columns = file_columns,
    .column_count = sizeof file_columns / sizeof *file_columns,
    .tree = "path",
    .sort = "total",
    .drill = "events",
    .crumb = CRUMB_FILE,
};
