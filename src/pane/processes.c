/* Processes: everything counted by the process it belongs to. */
#include "src/pane/helpers.h"

#include <inttypes.h>
#include <stdio.h>

/* Reads, writes, sends and receives, of disks and networks. */
#define MOVES                                       \
    .classes = BIT(FACT_DISK) | BIT(FACT_NETWORK),  \
    .ops = OP(OP_READ) | OP(OP_WRITE) | OP(OP_SEND) | OP(OP_RECEIVE)

static const struct measure process_measures[] = {
    {.id = "run", .kind = MEASURE_BYTES, .classes = BIT(FACT_SWITCH)},
    {.id = "sampled", .kind = MEASURE_BYTES, .classes = BIT(FACT_SAMPLE)},
    {.id = "samples", .kind = MEASURE_COUNT, .classes = BIT(FACT_SAMPLE)},
    {.id = "switches", .kind = MEASURE_COUNT, .classes = BIT(FACT_SWITCH), .ops = OP(OP_END)},
    {.id = "ready", .kind = MEASURE_LATENCY, .classes = BIT(FACT_SWITCH)},
    {.id = "disk_read", .kind = MEASURE_BYTES, .classes = BIT(FACT_DISK), .ops = OP(OP_READ)},
    {.id = "disk_write", .kind = MEASURE_BYTES, .classes = BIT(FACT_DISK), .ops = OP(OP_WRITE)},
    {.id = "net_receive",
     .kind = MEASURE_BYTES,
     .classes = BIT(FACT_NETWORK),
     .ops = OP(OP_RECEIVE)},
    {.id = "net_send", .kind = MEASURE_BYTES, .classes = BIT(FACT_NETWORK), .ops = OP(OP_SEND)},
    {.id = "moves", .kind = MEASURE_COUNT, MOVES},
    {.id = "moved", .kind = MEASURE_BYTES, MOVES},
    {.id = "registry", .kind = MEASURE_COUNT, .classes = BIT(FACT_REGISTRY)},
    {.id = "hard_faults", .kind = MEASURE_COUNT, .classes = BIT(FACT_FAULT), .ops = OP(OP_HARD)},
    {.id = "faults",
     .kind = MEASURE_COUNT,
     .classes = BIT(FACT_FAULT),
     .ops = OP(OP_TRANSITION) | OP(OP_ZERO) | OP(OP_COPY) | OP(OP_GUARD) | OP(OP_SOFT)},
    {.id = "file_ops",
     .kind = MEASURE_COUNT,
     .classes = BIT(FACT_FILE),
     .ops = ~(OP(OP_END) | OP(OP_NONE))},
    {.id = "calls", .kind = MEASURE_COUNT, .classes = BIT(FACT_SYSCALL), .ops = OP(OP_START)},
    {.id = "alloc", .kind = MEASURE_BYTES, .classes = BIT(FACT_MEMORY), .ops = OP(OP_ALLOC)},
    MEMORY_MEASURE,
    {.id = "events", .kind = MEASURE_COUNT, .classes = ~0u, .ops = ~OP(OP_SLICE)},
};

static const struct process *process_of(const struct table_row *r, const struct row_context *x)
{
    return model_process_at(x->model, row_process(x, r));
}

static struct value get_tid(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    const struct thread *t = generation_at(&x->model->threads, r->key.a);
    return t ? value_number(c->type, t->tid) : value_absent();
}

static struct value get_command(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct process *p = process_of(r, x);
    return value_text(x, c->type, p ? p->command : NULL);
}

static struct value get_threads(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct process *p = process_of(r, x);
    const struct memory_reading *const reading = p ? memory_history_at(p->memory, x->now_ns) : NULL;
    if (p && p->threads)
        return value_number(c->type, p->threads);
    const bool is_read = reading && reading->threads != UINT32_MAX;
    return is_read ? value_number(c->type, reading->threads) : value_absent();
}

static struct value get_parent(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    const struct process *p = process_of(r, x);
    return p && p->has_parent ? value_number(c->type, p->parent_pid) : value_absent();
}

static struct value get_session(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct process *p = process_of(r, x);
    return p && p->has_session ? value_number(c->type, p->session) : value_absent();
}

/* Accounts of the system by name; of others, names are known to their machine only. */
static struct value get_user(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const struct process *p = process_of(r, x);
    return value_text(x, c->type, p ? process_user(p) : NULL);
}

static struct value get_services(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const struct process *p = process_of(r, x);
    return value_text(x, c->type, p ? p->services : NULL);
}

static struct value get_start(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    const struct process *p = process_of(r, x);
    if (!p || !p->start_ns)
        return value_absent();
    return (struct value){.type = c->type, .ns = p->start_ns};
}

static struct value get_age(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    const struct process *p = process_of(r, x);
    if (!p || !p->start_ns)
        return value_absent();
    const int64_t until = p->end_ns && p->end_ns < x->now_ns ? p->end_ns : x->now_ns;
    return (struct value){.type = c->type, .ns = until - p->start_ns};
}

/* Of one that has ended: its own number, the signal, or the system's status. */
static struct value get_exit(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    enum { NOT_REPORTED = 0x103 };
    const struct process *p = process_of(r, x);
    if (!p || !p->end_ns || p->end_ns > x->now_ns || p->exit_status == NOT_REPORTED)
        return value_absent();
    char text[STATUS_TEXT];
    status_exit((uint32_t)p->exit_status, x->model->sources[p->source].is_linux, text);
    return value_text(x, c->type, text);
}

/* Where both did, the one whose event came first. */
static struct value get_recorded_by(const struct column *c, const struct table_row *r,
                                    struct row_context *x)
{
    const struct process *p = process_of(r, x);
    const uint8_t flags = p ? p->flags : 0;
    if (!(flags & (LIFETIME_STARTED | LIFETIME_ENDED)) || x->model->sources[p->source].is_linux)
        return value_absent();
    const bool is_of_provider =
        flags & (flags & LIFETIME_STARTED ? LIFETIME_STARTED_BY_PROVIDER : LIFETIME_ENDED_BY_PROVIDER);
    return value_text(x, c->type, is_of_provider ? "Kernel-Process" : "kernel logger");
}

/* What both panes show alike. The rows are a table: a line each, as far as it goes. */
/* clang-format off */
#define CPU_COLUMN \
    {"cpu", "CPU%", "percent_of_machine", \
     "Processor time, percent of the machine: from context switches, else (~) from samples", \
     VALUE_PERCENT, SHOWN_SUM | COLUMN_ALARMS, 6, 0, "run", "sampled", get_cpu}
#define ACTIVITY_COLUMNS \
    {"csw", "CSW/S", "per_s", "Context switches to its threads, per second", VALUE_RATE, SHOWN_SUM, 7, 2, \
     "switches", NULL, get_rate}, \
    {"ready", "READY ms/s", "ns_per_s", \
     "Ready time of its threads, per second", VALUE_TIME_RATE, SHOWN_SUM, 10, \
     2, "ready", NULL, get_rate}, \
    {"disk_read", "DSK-R B/s", "bytes_per_s", "Bytes read from disks, by the issuing thread", \
     VALUE_BYTE_RATE, SHOWN_SUM, 9, 1, "disk_read", NULL, get_rate}, \
    {"disk_write", "DSK-W B/s", "bytes_per_s", "Bytes written to disks, by the issuing thread", \
     VALUE_BYTE_RATE, SHOWN_SUM, 9, 1, "disk_write", NULL, get_rate}, \
    {"net_recv", "NET-R B/s", "bytes_per_s", "TCP and UDP payload received", VALUE_BYTE_RATE, \
     SHOWN_SUM, 9, 3, "net_receive", NULL, get_rate}, \
    {"net_send", "NET-S B/s", "bytes_per_s", "TCP and UDP payload sent", VALUE_BYTE_RATE, SHOWN_SUM, \
     9, 3, "net_send", NULL, get_rate}, \
    {"registry", "REG/S", "per_s", "Registry operations per second", VALUE_RATE, SHOWN_SUM, 6, 4, \
     "registry", NULL, get_rate}, \
    {"hard_faults", "HFLT/S", "per_s", "Hard page faults per second", VALUE_RATE, SHOWN_SUM, 6, 4, \
     "hard_faults", NULL, get_rate}, \
    TIME_COLUMN("Processor time: from context switches, else (~) from samples", "run", "sampled", \
                get_sum_cpu), \
    OPS_COLUMN("Reads and writes of disks, sends and receives of networks", "moves", NULL), \
    BYTES_COLUMN("Bytes of disks and networks, read, written, sent and received", "moved", NULL)
#define MORE_COLUMNS \
    {"events", "EVT/S", "per_s", "Events of all kinds per second", VALUE_RATE, SUM, 7, 7, "events", \
     NULL, get_rate}, \
    {"samples", "SAMPLES", "", "Profile samples", VALUE_COUNT, SUM, 7, 7, "samples", NULL, \
     get_count}, \
    {"file_ops", "FIO/S", "per_s", "File operations per second", VALUE_RATE, SUM, 7, 7, "file_ops", \
     NULL, get_rate}, \
    {"faults", "FLT/S", "per_s", "Soft page faults per second", VALUE_RATE, SUM, 7, 7, "faults", \
     NULL, get_rate}, \
    {"calls", "SYS/S", "per_s", "System calls per second", VALUE_RATE, SUM, 7, 7, "calls", NULL, \
     get_rate}, \
    {"alloc", "ALLOC B/s", "bytes_per_s", "Virtual memory reserved or committed", VALUE_BYTE_RATE, \
     SUM, 9, 7, "alloc", NULL, get_rate}, \
    {"cpu_time", "CPUTIME", "ns", "Processor time from context switches", VALUE_TIME, SUM, 8, 7, \
     "run", NULL, get_count}
#define LAST_COLUMNS TREND_COLUMN("run", "sampled", get_larger_trend), SHARE_COLUMN
/* clang-format on */

static const struct column process_columns[] = {
    {"pid", "PID", "", "Process id", VALUE_ID, SHOWN | COLUMN_SEARCHABLE, 7, 0, NULL, NULL,
     get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE, 18, 0, NULL, NULL, get_name},
    {"service", "SERVICE", "", "Windows' services that run in it", VALUE_TEXT,
     COLUMN_SEARCHABLE | COLUMN_OF_SERVICES, 16, 7, NULL, NULL, get_services},
    CPU_COLUMN,
    RSS_COLUMNS(3, 4),
    ACTIVITY_COLUMNS,
    {"threads", "THR", "", "Threads alive now", VALUE_COUNT, SHOWN, 4, 5, NULL, NULL, get_threads},
    {"cmd", "CMD", "", "Command line", VALUE_TEXT,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS, 20, 1, NULL, NULL, get_command},
    MORE_COLUMNS,
    MORE_MEMORY_COLUMNS(NUMBER, 7),
    {"ppid", "PPID", "", "Process id of the creator", VALUE_ID, NUMBER, 7, 7, NULL, NULL,
     get_parent},
    {"user", "USER", "", "Account, or its security identifier", VALUE_TEXT, COLUMN_SEARCHABLE, 16,
     7, NULL, NULL, get_user},
    {"session", "SESS", "", "Session id", VALUE_ID, NUMBER, 4, 7, NULL, NULL, get_session},
    {"start", "START", "", "Start time, if recorded", VALUE_INSTANT, NUMBER, 12, 7, NULL, NULL,
     get_start},
    {"age", "AGE", "ns", "Time since it was started", VALUE_TIME, NUMBER, 7, 7, NULL, NULL,
     get_age},
    {"exit", "EXIT", "", "Exit code, or the signal that ended it", VALUE_TEXT, COLUMN_SEARCHABLE,
     10, 8, NULL, NULL, get_exit},
    {"recorded_by", "RECORDED BY", "",
     "Source of its start and end: kernel logger or Kernel-Process", VALUE_TEXT, COLUMN_SEARCHABLE,
     14, 8, NULL, NULL, get_recorded_by},
    LAST_COLUMNS,
};

static const struct column thread_columns[] = {
    {"pid", "PID", "", "Process id", VALUE_ID, SHOWN | COLUMN_SEARCHABLE, 7, 0, NULL, NULL,
     get_pid},
    {"tid", "TID", "", "Thread id; 0 is a processor's idle thread", VALUE_ID, SHOWN_ID, 7, 0, NULL,
     NULL, get_tid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE, 18, 0, NULL, NULL, get_name},
    CPU_COLUMN,
    ACTIVITY_COLUMNS,
    {"cmd", "CMD", "", "Command line", VALUE_TEXT,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS, 20, 1, NULL, NULL, get_command},
    MORE_COLUMNS,
    LAST_COLUMNS,
};

const struct pane pane_processes = {
    .id = "processes",
    .title = "Processes",
    .help = "Processes by activity; Enter shows the threads of one",
    .cost = "low",
    .digit = '1',
    .view = PANE_TABLE,
    .classes = ~0u,
    .watched = BIT(FACT_PROCESS) | BIT(FACT_THREAD) | BIT(FACT_IMAGE),
    .key = key_process_alone,
    .process_part = PART_A,
    .measures = process_measures,
    .measure_count = sizeof process_measures / sizeof *process_measures,
    .stacks = "samples",
    .columns = process_columns,
    .column_count = sizeof process_columns / sizeof *process_columns,
    .tree = "name",
    .sort = "cpu",
    .sort_else = "events",
    .drill = "cpu",
    .threads = "threads",
    .crumb = CRUMB_PROCESS,
};

const struct pane pane_threads = {
    .id = "threads",
    .title = "Threads",
    .help = "Threads by the measures of processes; Enter shows the events of one",
    .cost = "low",
    .view = PANE_TABLE,
    .classes = ~0u,
    .watched = BIT(FACT_PROCESS) | BIT(FACT_THREAD) | BIT(FACT_IMAGE),
    .key = key_thread_process,
    .process_part = PART_B,
    .measures = process_measures,
    .measure_count = sizeof process_measures / sizeof *process_measures,
    .stacks = "samples",
    .columns = thread_columns,
    .column_count = sizeof thread_columns / sizeof *thread_columns,
    .sort = "cpu",
    .drill = "events",
    .threads = "processes",
    .is_scanned = true, /* one more count of every event would cost more than it is worth */
    .crumb = CRUMB_THREAD,
};
