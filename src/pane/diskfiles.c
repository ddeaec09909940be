/* Files on disk: completed disk operations by the file they were for. */
#include "src/pane/kit.h"

#define COMPLETED (OP(OP_READ) | OP(OP_WRITE) | OP(OP_FLUSH))

static struct row_key file_key(const struct fact *f, uint32_t process)
{
    (void)process;
    return (struct row_key){.a = f->entity, .b = f->place + 1};
}

static const struct measure file_measures[] = {
    {.id = "reads", .kind = MEASURE_COUNT, .classes = BIT(FACT_DISK), .ops = OP(OP_READ)},
    {.id = "writes", .kind = MEASURE_COUNT, .classes = BIT(FACT_DISK), .ops = OP(OP_WRITE)},
    {.id = "read", .kind = MEASURE_BYTES, .classes = BIT(FACT_DISK), .ops = OP(OP_READ)},
    {.id = "write", .kind = MEASURE_BYTES, .classes = BIT(FACT_DISK), .ops = OP(OP_WRITE)},
    {.id = "latency", .kind = MEASURE_HISTOGRAM, .classes = BIT(FACT_DISK), .ops = COMPLETED},
    {.id = "service", .kind = MEASURE_STATUS, .classes = BIT(FACT_DISK), .ops = COMPLETED},
};

static struct value get_disk(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    (void)x;
    return r->key.a == ROW_OTHERS ? value_absent() : value_number(c->type, r->key.b - 1);
}

static const struct column file_columns[] = {
    {"path", "PATH", "", "The file, as the kernel names it", VALUE_PATH,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS, 40, 0, NULL, NULL, get_path},
    {"disk", "DISK", "", "Number of the physical disk", VALUE_ID, SHOWN | COLUMN_SEARCHABLE, 4, 1,
     NULL, NULL, get_disk},
    {"reads", "R/S", "per_s", "Reads completed per second", VALUE_RATE, SHOWN_SUM, 6, 1, "reads",
     NULL, get_rate},
    {"writes", "W/S", "per_s", "Writes completed per second", VALUE_RATE, SHOWN_SUM, 6, 1, "writes",
     NULL, get_rate},
    {"read", "READ B/s", "bytes_per_s", "Bytes read", VALUE_BYTE_RATE, SHOWN_SUM, 8, 0, "read",
     NULL, get_rate},
    {"write", "WRITE B/s", "bytes_per_s", "Bytes written", VALUE_BYTE_RATE, SHOWN_SUM, 9, 0,
     "write", NULL, get_rate},
    {"total", "TOTAL B/s", "bytes_per_s", "Bytes read and written", VALUE_BYTE_RATE, SHOWN_SUM, 9,
     2, "read", "write", get_rate},
    {"avg", "AVG", "ns", "Mean time from start to completion", VALUE_TIME, SHOWN, 7, 2, "latency",
     NULL, get_average},
    {"p99", "P99", "ns", "99 of 100 operations took no longer", VALUE_TIME, SHOWN, 7, 2, "latency",
     NULL, get_p99},
    {"max", "MAX", "ns", "Longest operation", VALUE_TIME, SHOWN, 7, 3, "latency", NULL, get_max},
    {"busy", "BUSY%", "percent", "Part of the time the disk served this file", VALUE_PERCENT,
     COLUMN_RIGHT, 6, 4, "service", NULL, get_busy},
    {"share", "SHARE", "percent", "Its largest part in any sum of the header", VALUE_PERCENT,
     COLUMN_RIGHT, 6, 7, NULL, NULL, get_share},
};

const struct pane pane_diskfiles = {
    .id = "diskfiles",
    .title = "Files on disk",
    .help = "Disk operations by file; Enter shows the events of one",
    .cost = "low",
    .view = PANE_TABLE,
    .classes = BIT(FACT_DISK),
    .key = file_key,
    .measures = file_measures,
    .measure_count = sizeof file_measures / sizeof *file_measures,
    .columns = file_columns,
    .column_count = sizeof file_columns / sizeof *file_columns,
    .tree = "path",
    .sort = "total",
    .drill = "events",
    .crumb = CRUMB_FILE,
};
