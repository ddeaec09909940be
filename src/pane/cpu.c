/* CPU: context switches by thread, and how long threads waited and stood ready. */
#include "src/decode/names.h"
#include "src/pane/kit.h"

#include <stdio.h>

static struct row_key cpu_key(const struct fact *f, uint32_t process)
{
    return (struct row_key){.a = f->thread, .b = process};
}

/* A switch away from a thread that could have gone on. */
static bool is_preempted(const struct fact *f)
{
    enum { READY = 1, STANDBY = 3, DEFERRED_READY = 7 };
    const uint32_t state = f->place >> 8;
    return state == READY || state == STANDBY || state == DEFERRED_READY;
}

static bool has_migrated(const struct fact *f)
{
    return f->flags & FACT_MIGRATED;
}

/* Both stand one higher, for 0 is left out. */
static uint32_t reason_of(const struct fact *f)
{
    return f->place;
}

static uint32_t priority_of(const struct fact *f)
{
    return f->status;
}

/* The lowest priority is the highest of these. */
enum { PRIORITIES = 32 };

static uint32_t depth_of(const struct fact *f)
{
    return f->status && f->status <= PRIORITIES ? PRIORITIES + 1 - f->status : 0;
}

static uint32_t waker_of(const struct fact *f)
{
    return f->entity;
}

#define STAYS .classes = BIT(FACT_SWITCH), .ops = OP(OP_END)

static const struct measure cpu_measures[] = {
    {.id = "switches", .kind = MEASURE_COUNT, STAYS},
    {.id = "run", .kind = MEASURE_BYTES, .classes = BIT(FACT_SWITCH)},
    {.id = "ready", .kind = MEASURE_HISTOGRAM, STAYS},
    {.id = "ready_sum", .kind = MEASURE_LATENCY, STAYS},
    {.id = "preempted", .kind = MEASURE_COUNT, STAYS, .where = is_preempted},
    {.id = "migrated", .kind = MEASURE_COUNT, STAYS, .where = has_migrated},
    {.id = "high", .kind = MEASURE_MAX, STAYS, .of = priority_of},
    {.id = "low", .kind = MEASURE_MAX, STAYS, .of = depth_of},
    {.id = "wait", .kind = MEASURE_BYTES, .classes = BIT(FACT_READY)},
    {.id = "wakes", .kind = MEASURE_COUNT, .classes = BIT(FACT_READY)},
    {.id = "reason",
     .kind = MEASURE_MOST,
     .classes = BIT(FACT_READY),
     .of = reason_of,
     .by_bytes = true},
    {.id = "waker", .kind = MEASURE_MOST, .classes = BIT(FACT_READY), .of = waker_of},
};

static const struct thread *thread_of(const struct table_row *r, const struct row_context *x)
{
    return shelf_at(&x->model->threads, r->key.a);
}

static struct value get_tid(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    const struct thread *t = thread_of(r, x);
    return t ? value_number(c->type, t->tid) : value_absent();
}

static struct value get_last_cpu(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const struct thread *t = thread_of(r, x);
    return t && t->has_run ? value_number(c->type, t->cpu) : value_absent();
}

static struct value get_reason(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    const char *name = most ? name_wait_reason(most - 1) : NULL;
    char number[24];
    if (most && !name) {
        snprintf(number, sizeof number, "reason %u", most - 1);
        name = number;
    }
    return value_text(x, c->type, name);
}

static struct value get_priority(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const uint64_t high = row_tally(x, r, column_measure(x, c, 0));
    const uint64_t depth = row_tally(x, r, column_measure(x, c, 1));
    if (!high || !depth)
        return value_absent();
    const unsigned top = (unsigned)high - 1, bottom = PRIORITIES - (unsigned)depth;
    char text[24];
    if (top == bottom)
        snprintf(text, sizeof text, "%u", top);
    else
        snprintf(text, sizeof text, "%u-%u", bottom, top);
    return value_text(x, c->type, text);
}

static struct value get_waker(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    const struct thread *t = shelf_at(&x->model->threads, row_most(x, r, column_measure(x, c, 0)));
    if (!t)
        return value_absent();
    char room[32], text[300];
    snprintf(text, sizeof text, "%.250s %u", process_label(x, t->process, room, sizeof room),
             t->tid);
    return value_text(x, c->type, text);
}

static struct value get_quantum(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const uint64_t ns = row_tally(x, r, column_measure(x, c, 0));
    const uint64_t stays = row_tally(x, r, column_measure(x, c, 1));
    if (!stays)
        return value_absent();
    return (struct value){.type = c->type, .ns = (int64_t)(ns / stays)};
}

static const struct column cpu_columns[] = {
    {"pid", "PID", "", "Process id", VALUE_ID, SHOWN_ID, 7, 0, NULL, NULL, get_pid},
    {"tid", "TID", "", "Thread id; 0 is a processor's idle thread", VALUE_ID, SHOWN_ID, 7, 0, NULL,
     NULL, get_tid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, SHOWN_TEXT, 18, 0, NULL, NULL,
     get_name},
    {"csw", "CSW/S", "per_s", "Times it ran, per second", VALUE_RATE, SHOWN_SUM, 7, 0, "switches",
     NULL, get_rate},
    {"run", "RUN ms/s", "ns_per_s", "Time on a processor, per second", VALUE_TIME_RATE, SHOWN_SUM,
     8, 0, "run", NULL, get_rate},
    {"ready", "READY ms/s", "ns_per_s", "Time runnable but not running, per second",
     VALUE_TIME_RATE, SHOWN_SUM, 10, 0, "ready_sum", NULL, get_rate},
    {"ready_p99", "RDY-P99", "ns", "99 of 100 times it stood ready no longer", VALUE_TIME, SHOWN, 7,
     1, "ready", NULL, get_p99},
    {"ready_max", "RDY-MAX", "ns", "Longest time it stood ready", VALUE_TIME, SHOWN, 7, 2, "ready",
     NULL, get_max},
    {"wait", "WAIT ms/s", "ns_per_s", "Time blocked before it was made ready, per second",
     VALUE_TIME_RATE, SHOWN_SUM, 9, 1, "wait", NULL, get_rate},
    {"reason", "REASON", "", "Why it waited longest in sum", VALUE_TEXT, SHOWN_TEXT, 14, 2,
     "reason", NULL, get_reason},
    {"preempt", "PREEMPT%", "percent", "Switches away while it could have gone on, percent of all",
     VALUE_PERCENT, SHOWN, 8, 4, "preempted", "switches", get_ratio},
    {"cpu", "CPU", "", "Processor it ran on last", VALUE_ID, SHOWN, 3, 4, NULL, NULL, get_last_cpu},
    {"mig", "MIG/S", "per_s", "Times it ran on another processor than before, per second",
     VALUE_RATE, SHOWN_SUM, 6, 4, "migrated", NULL, get_rate},
    {"prio", "PRIO", "", "Dynamic priority: lowest and highest when it was switched away",
     VALUE_TEXT, COLUMN_DEFAULT, 6, 5, "high", "low", get_priority},
    {"waker", "WAKER", "", "Thread that made it ready most often", VALUE_TEXT,
     COLUMN_DEFAULT | COLUMN_SEARCHABLE | COLUMN_GROWS, 18, 3, "waker", NULL, get_waker},
    {"ready_avg", "RDY-AVG", "ns", "Mean time it stood ready", VALUE_TIME, NUMBER, 7, 7, "ready",
     NULL, get_average},
    {"ready_p50", "RDY-P50", "ns", "Half of the times it stood ready no longer", VALUE_TIME, NUMBER,
     7, 7, "ready", NULL, get_p50},
    {"quantum", "QUANTUM-AVG", "ns", "Mean length of a stay on a processor", VALUE_TIME, NUMBER, 11,
     7, "run", "switches", get_quantum},
    {"wakes", "WAKE/S", "per_s", "Times it was made ready, per second", VALUE_RATE, SUM, 7, 7,
     "wakes", NULL, get_rate},
    {"share", "SHARE", "percent", "Its largest part in any sum of the header", VALUE_PERCENT,
     NUMBER, 6, 7, NULL, NULL, get_share},
};

const struct pane pane_cpu = {
    .id = "cpu",
    .title = "CPU and context switches",
    .help = "Threads by context switches, ready and wait time; Enter shows the events of one",
    .cost = "high",
    .digit = '2',
    .view = PANE_TABLE,
    .classes = BIT(FACT_SWITCH) | BIT(FACT_READY),
    .key = cpu_key,
    .process_part = PART_B,
    .measures = cpu_measures,
    .measure_count = sizeof cpu_measures / sizeof *cpu_measures,
    .columns = cpu_columns,
    .column_count = sizeof cpu_columns / sizeof *cpu_columns,
    .sort = "csw",
    .drill = "events",
    .crumb = CRUMB_THREAD,
};
