/* What the program's memory holds: a table of parts, each with who knows its bytes. What is in none
 * of them (the program itself, libraries, free places of the heap) is the rest of the process. */
#include "src/engine/inside.h"

#include "src/table/dictionary.h"

enum which_ring { RING_HOT, RING_SLOW };

static const struct ring *ring_of(const struct collector *c, unsigned which)
{
    return which == RING_SLOW ? c->slow : c->hot;
}

static uint64_t of_rings(const struct engine *e, unsigned which)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        sum += ring_held(ring_of(e->collectors[i], which));
    return sum;
}

static uint64_t most_of_rings(const struct engine *e, unsigned which)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct ring *const r = ring_of(e->collectors[i], which);
        sum += r ? ring_capacity(r) : 0;
    }
    return sum;
}

static uint64_t of_facts(const struct engine *e, unsigned unused)
{
    (void)unused;
    return facts_bytes(&e->dataset.facts) + facts_bytes(&e->dataset.slices);
}

static uint64_t most_of_facts(const struct engine *e, unsigned unused)
{
    (void)unused;
    return (e->dataset.facts.kept + e->dataset.slices.kept) * FACT_CHUNK * sizeof(struct fact);
}

static uint64_t of_rows(const struct engine *e, unsigned unused)
{
    (void)unused;
    uint64_t sum = 0;
    for (unsigned i = 0; i < e->dataset.table_count; i++)
        sum += table_bytes(&e->dataset.tables[i]);
    return sum;
}

static uint64_t of_gauges(const struct engine *e, unsigned unused)
{
    (void)unused;
    return e->dataset.gauges ? gauge_history_bytes(e->dataset.gauges) : 0;
}

static uint64_t of_history(const struct engine *e, unsigned unused)
{
    (void)unused;
    return e->dataset.history ? interval_history_bytes(e->dataset.history) : 0;
}

static uint64_t most_of_history(const struct engine *e, unsigned unused)
{
    (void)unused;
    return e->dataset.history ? interval_history_most(e->dataset.history) : 0;
}

static uint64_t of_views(const struct engine *e, unsigned unused)
{
    (void)unused;
    uint64_t sum = dictionary_bytes(e->dataset.dictionary);
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        sum += view_bytes(e->viewports[i].view);
    return sum;
}

static uint64_t of_frozen(const struct engine *e, unsigned unused)
{
    (void)unused;
    return frozen_snapshot_bytes(e->frozen_snapshot);
}

static uint64_t of_charts(const struct engine *e, unsigned unused)
{
    (void)unused;
    uint64_t sum = 0;
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        sum += view_chart_bytes(e->viewports[i].view);
    return sum;
}

static uint64_t of_model(const struct engine *e, unsigned part)
{
    return model_part_bytes(&e->model, part);
}

static uint64_t most_of_model(const struct engine *e, unsigned part)
{
    return model_part_most(&e->model, part);
}

static uint64_t of_symbols(const struct engine *e, unsigned unused)
{
    (void)unused;
    return e->symbols ? symbols_bytes(e->symbols) : 0;
}

static uint64_t of_open_files(const struct engine *e, unsigned unused)
{
    (void)unused;
    return e->symbols ? symbols_open_bytes(e->symbols) : 0;
}

static uint64_t of_collector(const struct engine *e, unsigned part)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        sum += atomic_load_explicit(&e->collectors[i]->held[part], memory_order_relaxed);
    return sum;
}

static uint64_t of_timeline(const struct engine *e, unsigned unused)
{
    (void)unused;
    return e->timeline ? timeline_bytes(e->timeline) : 0;
}

/* In proportion where the window is small. */
size_t engine_history_bytes(const struct engine *e)
{
    static const size_t MOST = 32 << 20;
    const size_t part = e->options.facts * sizeof(struct fact) / 4;
    return part < MOST ? part : MOST;
}

static const struct part {
    const char *name, *what;
    uint64_t (*bytes)(const struct engine *e, unsigned argument);
    unsigned argument;
    uint64_t (*most)(const struct engine *e, unsigned argument); /* NULL: not stated */
} parts[] = {
    {"ring", "Records of all events; --ring sets its size", of_rings, RING_HOT, most_of_rings},
    {"slow ring", "Records that name things, kept longer; a sixteenth of the ring", of_rings,
     RING_SLOW, most_of_rings},
    {"window", "Events kept for filters, ranges and drill-down", of_facts, 0, most_of_facts},
    {"rows", "Rows of all tables, with their histograms", of_rows, 0, NULL},
    {"gauges", "Figures of the machine, by interval", of_gauges, 0, NULL},
    {"history", "Sums of rows, by interval, of the last hours", of_history, 0, most_of_history},
    {"views", "Rows under filters and ranges, and lists of events", of_views, 0, NULL},
    {"frozen", "A copy of the ring, while the screen is frozen", of_frozen, 0, NULL},
    {"charts", "Charts on the screen", of_charts, 0, NULL},
    {"time strip", "Figures of the machine over all the recorded time", of_timeline, 0,
     of_timeline},
    {"names", "Names, paths and command lines", of_model, MODEL_NAMES, most_of_model},
    {"processes", "Running processes, and exited ones still referred to", of_model, MODEL_PROCESSES,
     most_of_model},
    {"threads", "Running threads, and exited ones still referred to", of_model, MODEL_THREADS,
     most_of_model},
    {"files", "Files and registry keys", of_model, MODEL_FILES, most_of_model},
    {"connections", "Network connections", of_model, MODEL_CONNECTIONS, most_of_model},
    {"modules", "Modules of processes, and generated code", of_model, MODEL_MODULES, most_of_model},
    {"stacks", "Distinct stacks and their frames", of_model, MODEL_STACKS, most_of_model},
    {"other lists", "Kinds of event, routines and the like", of_model, MODEL_OTHER, NULL},
    {"symbols", "Names of functions and their files", of_symbols, 0, NULL},
    {"symbol files", "Symbol tables of recently used files", of_open_files, 0, NULL},
    {"mailbox", "Replies with the lists of processes and modules", of_collector, COLLECTOR_MAILBOX,
     NULL},
    {"unwind queue", "Copies of stacks waiting to be unwound", of_collector, COLLECTOR_UNWIND_QUEUE,
     NULL},
    {"unwind tables", "Unwind tables of running programs", of_collector, COLLECTOR_UNWIND_TABLES,
     NULL},
    {"collector", "Threads, open files, sockets and requests that the collector knows",
     of_collector, COLLECTOR_TABLES, NULL},
};
_Static_assert(sizeof parts / sizeof *parts <= FOOTPRINT_PARTS, "a frame has room for all parts");

void engine_look_at_footprint(struct engine *e)
{
    struct frame_footprint *const f = &e->footprint;
    f->count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        f->parts[f->count++] = (struct footprint_part){
            parts[i].name, parts[i].what, parts[i].bytes(e, parts[i].argument),
            parts[i].most ? parts[i].most(e, parts[i].argument) : 0};
    f->resident = os_memory_resident();
}
