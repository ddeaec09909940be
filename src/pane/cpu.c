/* CPU: context switches by thread, and how long threads waited and stood ready. */
#include "src/base/scale.h"
#include "src/model/wait.h"
#include "src/pane/helpers.h"

#include <stdio.h>

/* A switch away from a thread that could have gone on. */
static bool is_preempted(const struct fact *f)
{
    enum { READY = 1, STANDBY = 3, DEFERRED_READY = 7 };
    const uint32_t state = f->place >> 8 & 0xff;
    return state == READY || state == STANDBY || state == DEFERRED_READY;
}

static bool has_migrated(const struct fact *f)
{
    return f->flags & FACT_MIGRATED;
}

/* The lowest priority is the highest of these. */
enum { PRIORITIES = 32 };

static uint32_t depth_of(const struct fact *f)
{
    return f->status && f->status <= PRIORITIES ? PRIORITIES + 1 - f->status : 0;
}

static uint32_t ideal_of(const struct fact *f)
{
    return (f->place >> 16 & 0xff) + 1;
}

/* Only idle processors go to sleep. */
static uint32_t c_state_of(const struct fact *f)
{
    return f->place >> 24;
}

/* The latest of them is the largest: microseconds, and below them the processor. */
enum { CPU_BITS = 13 };

static uint64_t processor_at(const struct fact *f)
{
    enum { MICROSECOND_BITS = 10 };
    return (uint64_t)f->time >> MICROSECOND_BITS << CPU_BITS | (f->cpu & ((1u << CPU_BITS) - 1));
}

#define TIME_SLICES .classes = BIT(FACT_SWITCH), .ops = OP(OP_END)

/* Reasons and priorities stand one higher in facts, for 0 is left out. */
static const struct measure cpu_measures[] = {
    {.id = "switches", .kind = MEASURE_COUNT, TIME_SLICES},
    {.id = "run", .kind = MEASURE_BYTES, .classes = BIT(FACT_SWITCH)},
    {.id = "ready", .kind = MEASURE_HISTOGRAM, TIME_SLICES},
    {.id = "ready_sum", .kind = MEASURE_LATENCY, TIME_SLICES},
    {.id = "preempted", .kind = MEASURE_COUNT, TIME_SLICES, .where = is_preempted},
    {.id = "migrated", .kind = MEASURE_COUNT, TIME_SLICES, .where = has_migrated},
    {.id = "high", .kind = MEASURE_MAX, TIME_SLICES, .of = fact_status},
    {.id = "low", .kind = MEASURE_MAX, TIME_SLICES, .of = depth_of},
    {.id = "processor", .kind = MEASURE_LARGE, TIME_SLICES, .large = processor_at},
    {.id = "ideal", .kind = MEASURE_MOST, TIME_SLICES, .of = ideal_of},
    {.id = "c_state", .kind = MEASURE_MOST, TIME_SLICES, .of = c_state_of},
    {.id = "sampled", .kind = MEASURE_BYTES, .classes = BIT(FACT_SAMPLE)},
    {.id = "samples", .kind = MEASURE_COUNT, .classes = BIT(FACT_SAMPLE)},
    {.id = "counted", .kind = MEASURE_BYTES, .classes = BIT(FACT_PMC)},
    {.id = "counter",
     .kind = MEASURE_MOST,
     .classes = BIT(FACT_PMC),
     .of = fact_place,
     .by_bytes = true},
    {.id = "waits", .kind = MEASURE_HISTOGRAM, .classes = BIT(FACT_READY)},
    {.id = "wait", .kind = MEASURE_BYTES, .classes = BIT(FACT_READY)},
    {.id = "wakes", .kind = MEASURE_COUNT, .classes = BIT(FACT_READY)},
    {.id = "reason",
     .kind = MEASURE_MOST,
     .classes = BIT(FACT_READY),
     .of = fact_place,
     .by_bytes = true},
    {.id = "waker", .kind = MEASURE_MOST, .classes = BIT(FACT_READY), .of = fact_entity},
};

static const struct thread *thread_of(const struct table_row *r, const struct row_context *x)
{
    return generation_at(&x->model->threads, r->key.a);
}

static struct value get_thread_name(const struct column *c, const struct table_row *r,
                                    struct row_context *x)
{
    const struct thread *const t = thread_of(r, x);
    return value_text(x, c->type, t ? t->name : NULL);
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
    struct row_context since_reset = *x;
    since_reset.span = SPAN_TOTAL;
    const uint64_t last = row_tally(&since_reset, r, column_measure(x, c, 0));
    const struct thread *const t = thread_of(r, x);
    return last && t && t->tid ? value_number(c->type, last & ((1u << CPU_BITS) - 1))
                               : value_absent(); /* idle threads have the same number everywhere */
}

/* Of a wait that has not ended: what it is for and how long it has lasted, or at least. */
static struct value present_reason(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const struct thread *const t = thread_of(r, x);
    const struct wait_now w =
        t ? model_wait_at(x->model, t, x->now_ns) : (struct wait_now){.state = WAIT_NOT_SEEN};
    char name[32], lasted[16], text[64];
    if (w.state == WAIT_NOT_SEEN)
        return value_absent();
    scale_time((double)(x->now_ns - w.ns), lasted, sizeof lasted);
    snprintf(text, sizeof text, "%s %s%s",
             w.state == WAIT_READY ? "ready" : wait_text(w.place, name, sizeof name),
             w.is_longer ? ">" : "", lasted);
    return value_text(x, c->type, text);
}

static struct value get_reason(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    const struct value present =
        row_tally(x, r, column_measure(x, c, 1)) ? value_absent() : present_reason(c, r, x);
    if (!most || present.type != VALUE_ABSENT)
        return present;
    char name[32], text[64];
    const unsigned percent = row_most_percent(x, r, column_measure(x, c, 0), column_measure(x, c, 1));
    snprintf(text, sizeof text, "%s %u%%", wait_text(most, name, sizeof name), percent);
    return value_text(x, c->type, text);
}

/* The dominant one of what stands one higher than it is. */
static struct value get_one_less(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    return most ? value_number(c->type, most - 1) : value_absent();
}

/* Only of idle threads: the processor slept in their time slices. */
static struct value get_c_state(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct thread *t = thread_of(r, x);
    return t && t->tid == 0 ? get_one_less(c, r, x) : value_absent();
}

static struct value get_start_address(const struct column *c, const struct table_row *r,
                                      struct row_context *x)
{
    const struct thread *t = thread_of(r, x);
    return t && t->start ? value_number(c->type, t->start) : value_absent();
}

static struct value get_start_module(const struct column *c, const struct table_row *r,
                                     struct row_context *x)
{
    const struct thread *t = thread_of(r, x);
    if (!t || !t->start)
        return value_absent();
    /* A thread may start before the event of its first module. */
    uint32_t image = model_image_at(x->model, t->source, t->process, t->start, t->first_ns);
    if (!image)
        image = model_image_at(x->model, t->source, t->process, t->start, r->last_ns);
    return value_text(x, c->type,
                      model_module_name(x->model, generation_at(&x->model->images, image)));
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
    const struct thread *t =
        generation_at(&x->model->threads, row_most(x, r, column_measure(x, c, 0)));
    if (!t)
        return value_absent();
    char room[32], text[300];
    snprintf(text, sizeof text, "%.250s %u", process_label(x, t->process, room, sizeof room),
             t->tid);
    return value_text(x, c->type, text);
}

static struct value get_counter(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    char room[32];
    return value_text(
        x, c->type,
        model_counter_name(x->model, row_most(x, r, column_measure(x, c, 0)), room, sizeof room));
}

static struct value get_quantum(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const uint64_t ns = row_tally(x, r, column_measure(x, c, 0));
    const uint64_t slices = row_tally(x, r, column_measure(x, c, 1));
    if (!slices)
        return value_absent();
    return (struct value){.type = c->type, .ns = (int64_t)(ns / slices)};
}

static const struct column cpu_columns[] = {
    {"pid", "PID", "", "Process id", VALUE_ID, SHOWN_ID | COLUMN_FITS, 7, 0, NULL, NULL, get_pid},
    {"tid", "TID", "", "Thread id; 0 is a processor's idle thread", VALUE_ID,
     SHOWN_ID | COLUMN_FITS, 7, 0, NULL, NULL, get_tid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, SHOWN_TEXT | COLUMN_FITS, 10, 0,
     NULL, NULL, get_name},
    {"thread", "THREAD", "", "The thread's own name", VALUE_TEXT, SHOWN_TEXT | COLUMN_FITS, 12, 2,
     NULL, NULL, get_thread_name},
    {"cpu_percent", "CPU%", "percent_of_machine",
     "Processor time, percent of the machine: from context switches, else (~) from samples",
     VALUE_PERCENT, SUM | COLUMN_ALARMS, 6, 5, "run", "sampled", get_cpu},
    {"csw", "CSW/S", "per_s", "Times it ran, per second", VALUE_RATE, SHOWN_SUM, 7, 0, "switches",
     NULL, get_rate},
    {"run", "RUN ms/s", "ns_per_s", "Time on a processor, per second", VALUE_TIME_RATE, SHOWN_SUM,
     8, 0, "run", NULL, get_rate},
    {"ready", "READY ms/s", "ns_per_s", "Time runnable but not running, per second",
     VALUE_TIME_RATE, SHOWN_SUM, 10, 0, "ready_sum", NULL, get_rate},
    {"ready_p99", "RDY-P99", "ns", "99th percentile of its ready time", VALUE_TIME, SHOWN, 7, 3,
     "ready", NULL, get_p99},
    {"ready_max", "RDY-MAX", "ns", "Longest ready time", VALUE_TIME, SHOWN, 7, 2, "ready", NULL,
     get_max},
    {"wait", "WAIT ms/s", "ns_per_s", "Time blocked before it was made ready, per second",
     VALUE_TIME_RATE, SHOWN_SUM, 9, 1, "wait", NULL, get_rate},
    {"reason", "REASON", "",
     "Main wait reason, and its share of the wait time; of a wait that goes on, its length (>: it "
     "began before the recording)",
     VALUE_TEXT, SHOWN_TEXT | COLUMN_FITS, 14, 1, "reason", "wait", get_reason},
    {"preempt", "PREEMPT%", "percent", "Preempted switches, percent of all switches", VALUE_PERCENT,
     SHOWN, 8, 4, "preempted", "switches", get_ratio},
    {"cpu", "CPU", "", "Processor it ran on last", VALUE_ID, SHOWN, 3, 2, "processor", NULL,
     get_last_cpu},
    {"mig", "MIG/S", "per_s", "Times it ran on another processor than before, per second",
     VALUE_RATE, SHOWN_SUM, 6, 4, "migrated", NULL, get_rate},
    {"prio", "PRIO", "", "Dynamic priority: lowest and highest when it was switched away",
     VALUE_TEXT, COLUMN_DEFAULT, 6, 5, "high", "low", get_priority},
    {"waker", "WAKER", "", "Thread that made it ready most often", VALUE_TEXT,
     SHOWN_TEXT | COLUMN_FITS, 12, 2, "waker", NULL, get_waker},
    TIME_COLUMN("Time on processors: from context switches, else (~) from samples", "run",
                "sampled", get_sum_cpu),
    OPS_COLUMN("Times it ran", "switches", NULL),
    {"ready_avg", "RDY-AVG", "ns", "Mean ready time", VALUE_TIME, NUMBER, 7, 7, "ready", NULL,
     get_average},
    {"ready_p50", "RDY-P50", "ns", "Median ready time", VALUE_TIME, NUMBER, 7, 7, "ready", NULL,
     get_p50},
    {"quantum", "QUANTUM-AVG", "ns", "Mean time slice on a processor", VALUE_TIME, NUMBER, 11, 7,
     "run", "switches", get_quantum},
    {"wait_avg", "WAIT-AVG", "ns", "Mean time of a wait", VALUE_TIME, NUMBER, 8, 7, "waits", NULL,
     get_average},
    {"wait_p50", "WAIT-P50", "ns", "Median wait", VALUE_TIME, NUMBER, 8, 7, "waits", NULL, get_p50},
    {"wait_p90", "WAIT-P90", "ns", "90th percentile of waits", VALUE_TIME, NUMBER, 8, 7, "waits",
     NULL, get_p90},
    {"wait_p99", "WAIT-P99", "ns", "99th percentile of waits", VALUE_TIME, NUMBER, 8, 7, "waits",
     NULL, get_p99},
    {"wait_max", "WAIT-MAX", "ns", "Longest wait that ended", VALUE_TIME, NUMBER, 8, 7, "waits",
     NULL, get_max},
    {"ideal", "IDEAL", "", "Processor that the system prefers for it", VALUE_ID, NUMBER, 5, 7,
     "ideal", NULL, get_one_less},
    {"cstate", "CSTATE", "", "Idle threads: most frequent sleep state of the processor", VALUE_ID,
     NUMBER, 6, 7, "c_state", NULL, get_c_state},
    {"samples", "SAMPLES", "", "Profile samples", VALUE_COUNT, SUM, 7, 6, "samples", NULL,
     get_count},
    {"module", "MODULE", "", "Module of its start address", VALUE_TEXT, COLUMN_SEARCHABLE, 16, 6,
     NULL, NULL, get_start_module},
    {"start", "STARTADDR", "", "Start address", VALUE_HEX, NUMBER, 18, 7, NULL, NULL,
     get_start_address},
    {"wakes", "WAKE/S", "per_s", "Wakeups per second", VALUE_RATE, SUM, 7, 7, "wakes", NULL,
     get_rate},
    {"pmc", "PMC/S", "per_s", "Events of processor counters per second, from samples", VALUE_RATE,
     SUM, 8, 7, "counted", NULL, get_rate},
    {"counter", "COUNTER", "", "Processor counter with most events", VALUE_TEXT, COLUMN_SEARCHABLE,
     20, 7, "counter", NULL, get_counter},
    TREND_COLUMN("switches", NULL, get_trend),
    SHARE_COLUMN,
};

const struct pane pane_cpu = {
    .id = "cpu",
    .title = "CPU and context switches",
    .help = "Threads by context switches, ready and wait time, or by samples; Enter shows events",
    .cost = "high",
    .digit = '2',
    .view = PANE_TABLE,
    .classes = BIT(FACT_SWITCH) | BIT(FACT_READY) | BIT(FACT_SAMPLE) | BIT(FACT_PMC),
    .watched = BIT(FACT_SWITCH) | BIT(FACT_READY),
    .key = key_thread_process,
    .process_part = PART_B,
    .measures = cpu_measures,
    .measure_count = sizeof cpu_measures / sizeof *cpu_measures,
    .stacks = "samples",
    .columns = cpu_columns,
    .column_count = sizeof cpu_columns / sizeof *cpu_columns,
    .sort = "csw",
    .sort_else = "cpu_percent",
    .lists_waiting = true,
    .drill = "events",
    .threads = "processes",
    .crumb = CRUMB_THREAD,
};
