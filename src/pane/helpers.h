/* What the descriptors of panes share: short words for their tables, and getters
 * for the cells that many rows have. Included by src/pane/<id>.c only. */
#ifndef SRC_PANE_HELPERS_H
#define SRC_PANE_HELPERS_H

#include "src/table/getters.h"

#define BIT(class_) (1u << (class_))
#define OP(op_) (1ull << (op_))

/* Flags that go together, see enum column_flag. */
enum {
    NUMBER = COLUMN_RIGHT,
    SHOWN = COLUMN_RIGHT | COLUMN_DEFAULT,
    SUM = COLUMN_RIGHT | COLUMN_SUMS,
    SHOWN_SUM = COLUMN_RIGHT | COLUMN_DEFAULT | COLUMN_SUMS,
    SHOWN_TEXT = COLUMN_DEFAULT | COLUMN_SEARCHABLE,
    SHOWN_ID = COLUMN_RIGHT | COLUMN_DEFAULT | COLUMN_SEARCHABLE,
    LONG_TEXT = COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS,
};

/* What rates count, since the start or the last reset. One line of a table of columns each. */
#define SUM_COLUMN(id, title, unit, help, type, width, measure, measure2, get) \
    {id, title, unit, help ", since the start or the last reset", type, SUM | COLUMN_IS_SUM, width, \
     0, measure, measure2, get}
#define OPS_COLUMN(help, measure, measure2) \
    SUM_COLUMN("sum_ops", "OPS", "", help, VALUE_COUNT, 7, measure, measure2, get_sum_count)
#define BYTES_COLUMN(help, measure, measure2) \
    SUM_COLUMN("sum_bytes", "BYTES", "bytes", help, VALUE_BYTES, 8, measure, measure2, get_sum_count)
#define TIME_COLUMN(help, measure, measure2, get) \
    SUM_COLUMN("sum_time", "TIME", "ns", help, VALUE_TIME, 8, measure, measure2, get)

#define SHARE_COLUMN                                                                               \
    {                                                                                              \
        "share", "SHARE", "percent", "Largest of its percentages of column totals", VALUE_PERCENT, \
            NUMBER, 6, 7, NULL, NULL, get_share                                                    \
    }

/* What the row's process has of memory and files, by the last reading at the instant that is shown;
 * the measure is of the events that say so. MEMORY_MEASURE belongs to the pane's measures. */
column_get get_rss, get_memory_percent, get_private, get_shared, get_swap, get_files;
#define MEMORY_MEASURE                                                                             \
    {                                                                                              \
        .id = "readings", .kind = MEASURE_COUNT, .classes = BIT(FACT_PROCESS), .ops = OP(OP_QUERY) \
    }
#define RSS_COLUMNS(rank, rank_of_percent)                                                         \
    {"rss",       "RSS", "bytes", "Memory in RAM: resident set, of Windows the working set",       \
     VALUE_BYTES, SHOWN, 7,       rank,                                                            \
     "readings",  NULL,  get_rss},                                                                 \
    {                                                                                              \
        "mem", "MEM%", "percent", "The same in percent of the machine's memory", VALUE_PERCENT,    \
            SHOWN, 6, rank_of_percent, "readings", NULL, get_memory_percent                        \
    }
#define MORE_MEMORY_COLUMNS(flags, rank)                                                           \
    {"private",   "PRIVATE", "bytes",    "Memory of it alone; of Windows what it committed",       \
     VALUE_BYTES, flags,     7,          rank,                                                     \
     "readings",  NULL,      get_private},                                                         \
        {"shared",    "SHARED", "bytes",   "Memory in RAM of files, and shared with others",       \
         VALUE_BYTES, flags,    7,         rank,                                                   \
         "readings",  NULL,     get_shared},                                                       \
        {"swap",     "SWAP", "bytes", "Memory that is swapped out", VALUE_BYTES, flags, 7, rank,   \
         "readings", NULL,   get_swap},                                                            \
    {                                                                                              \
        "fds", "FDS", "", "Open files; of Windows handles", VALUE_COUNT, flags, 5, rank,           \
            "readings", NULL, get_files                                                            \
    }

/* The process that pane->process_part of the row's key names: its id and name. */
column_get get_pid, get_name;

/* The thing (file, key, connection …) that key.a names: its path. */
column_get get_path;

/* The routine or system call that key.a names: its name, or module and offset. */
column_get get_routine;

/* The thing that the column's MEASURE_MOST weighs heaviest: its path. */
column_get get_most_path;

/* Likewise: its process's name; its status by name. */
column_get get_most_process, get_most_status;

/* The column's first measure in percent of its second. */
column_get get_ratio;

/* When its last event was. */
column_get get_last;

/* For measures: whether it failed. */
bool fact_failed(const struct fact *f);

/* Keys of rows. */
struct row_key key_process_alone(const struct fact *f, uint32_t process),
    key_entity(const struct fact *f, uint32_t process),
    key_entity_process(const struct fact *f, uint32_t process),
    key_thread_process(const struct fact *f, uint32_t process);

#endif
