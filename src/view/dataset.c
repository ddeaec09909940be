#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "src/table/dictionary.h"
#include "src/view/dataset.h"

#include <assert.h>
#include <stdlib.h>

unsigned pane_count(void)
{
    unsigned count = 0;
    while (panes[count])
        count++;
    return count;
}

unsigned pane_index(const struct pane *p)
{
    unsigned i = 0;
    while (panes[i] && panes[i] != (p->of ? p->of : p))
        i++;
    return i;
}

/* Panes that are counted as events come: the built-in ones, which are the first. */
enum { TABLES_MAX = 32 };

/* Facts wait here until there are enough of them to count together: each table then takes
 * its own, which keeps its rows, and the code that counts them, in the cache. */
struct dataset_batch {
    struct table_fact facts[TABLE_BATCH];
    unsigned count;
    uint8_t lists[TABLES_MAX][TABLE_BATCH]; /* by table: which facts it counts */
    uint8_t listed[TABLES_MAX];             /* how many */
    /* Which tables count facts of a class and op: a bit each. */
    uint32_t tables[FACT_CLASSES][OPS];
};

/* Bits of panes of which some facts are counted as events come; 0 for the others. */
static uint32_t bit_of(const struct pane *p)
{
    const unsigned i = pane_index(p);
    return i < TABLES_MAX && panes[i] && !panes[i]->is_scanned ? 1u << i : 0;
}

/* `which`: a bit per table. */
static struct dataset_batch *batch_new(const struct dataset *w, uint32_t which)
{
    struct dataset_batch *b = mem_new(1, sizeof *b);
    for (unsigned i = 0; i < w->table_count; i++) {
        const uint32_t bit = bit_of(panes[i]);
        assert(bit || panes[i]->is_scanned);
        for (unsigned class = 0; class < FACT_CLASSES; class ++)
            for (unsigned op = 0; op < OPS; op++)
                if (w->tables[i].of[class][op].count)
                    b->tables[class][op] |= which & bit;
    }
    return b;
}

void dataset_init_facts(struct dataset *w, size_t facts)
{
    enum { SLICES = 65536 }; /* 8 processors: two hours of whole seconds */
    *w = (struct dataset){0};
    facts_init(&w->facts, facts);
    facts_init(&w->slices, SLICES);
    w->batch = batch_new(w, ~0u);
}

void dataset_init(struct dataset *w, size_t facts)
{
    dataset_init_facts(w, facts);
    free(w->batch);
    w->table_count = pane_count();
    w->tables = mem_new(w->table_count, sizeof *w->tables);
    w->dictionary = dictionary_new();
    w->gauges = gauge_history_new();
    for (unsigned i = 0; i < w->table_count; i++)
        table_init(&w->tables[i], panes[i]);
    w->batch = batch_new(w, ~0u);
}

void dataset_count_only(struct dataset *w, const struct pane *p)
{
    /* Other panes ask that of the processes for time on processors. */
    enum { TIMES = 1u << FACT_SWITCH | 1u << FACT_SAMPLE };
    const uint32_t own = bit_of(p), processes = bit_of(pane_find("processes"));
    free(w->batch);
    w->batch = batch_new(w, own | processes);
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        for (unsigned op = 0; op < OPS && !(TIMES >> class & 1); op++)
            w->batch->tables[class][op] &= own;
}

void dataset_fini(struct dataset *w)
{
    facts_fini(&w->facts);
    facts_fini(&w->slices);
    for (unsigned i = 0; i < w->table_count; i++)
        table_fini(&w->tables[i]);
    dictionary_free(w->dictionary);
    gauge_history_free(w->gauges);
    interval_history_free(w->history);
    free(w->tables);
    free(w->batch);
    *w = (struct dataset){0};
}

void dataset_flush(struct dataset *w)
{
    struct dataset_batch *b = w->batch;
    for (unsigned i = 0; i < w->table_count && i < TABLES_MAX && b->count; i++) {
        table_feed_batch(&w->tables[i], b->facts, b->lists[i], b->listed[i]);
        b->listed[i] = 0;
    }
    b->count = 0;
}

void dataset_feed(struct dataset *w, const struct fact *f, uint32_t process)
{
    struct dataset_batch *b = w->batch;
    const uint8_t number = (uint8_t)b->count;
    uint32_t tables = b->tables[f->class][f->op];
    if (!tables)
        return;
    b->facts[b->count++] = (struct table_fact){f, process};
    for (; tables; tables &= tables - 1) {
        const unsigned i = (unsigned)__builtin_ctz(tables);
        b->lists[i][b->listed[i]++] = number;
    }
    if (b->count == TABLE_BATCH)
        dataset_flush(w);
}

static size_t tables_bytes(const struct dataset *w, struct table **largest)
{
    size_t sum = 0, most = 0;
    for (unsigned i = 0; i < w->table_count; i++) {
        const size_t bytes = table_bytes(&w->tables[i]);
        sum += bytes;
        *largest = bytes >= most ? &w->tables[i] : *largest;
        most = bytes >= most ? bytes : most;
    }
    return sum;
}

/* Rows that rest, out of every table that counts, until little enough is left. */
static void fold_resting(struct dataset *w, size_t bytes)
{
    enum { SMALL = 16 }; /* a part of the whole so small does not matter */
    struct table *largest;
    for (bool has_any = true; has_any && tables_bytes(w, &largest) > bytes;) {
        has_any = false;
        for (unsigned i = 0; i < w->table_count && tables_bytes(w, &largest) > bytes; i++)
            if (table_bytes(&w->tables[i]) > bytes / SMALL)
                has_any |= table_fold(&w->tables[i], true);
    }
}

void dataset_trim(struct dataset *w, size_t bytes)
{
    static const size_t BEYOND = 64000000; /* that rows which do not rest may take */
    struct table *largest = NULL;
    size_t sum = tables_bytes(w, &largest);
    const size_t from = w->trimmed_bytes > bytes ? w->trimmed_bytes : bytes;
    if (sum <= from)
        return;
    for (unsigned i = 0; i < w->table_count; i++)
        table_rest(&w->tables[i]);
    fold_resting(w, bytes - bytes / 8); /* an eighth below, or it would be needed at once */
    while ((sum = tables_bytes(w, &largest)) > bytes + BEYOND && table_fold(largest, false))
        ;
    w->trimmed_bytes = sum + bytes / 16; /* rows that cannot go are not tried every time */
}

void dataset_forget(struct dataset *w, const struct model *m)
{
    enum { PART = 16 }; /* of what the model has room for */
    const struct generation_table *const p = &m->processes, *const f = &m->files;
    const uint64_t gone = p->evicted + p->recycled + f->evicted + f->recycled;
    if (gone - w->forgotten < p->places / PART)
        return;
    w->forgotten = gone;
    for (unsigned i = 0; i < w->table_count; i++)
        table_fold_forgotten(&w->tables[i]);
}

uint64_t dataset_sum(const struct dataset *w, const struct row_context *x, const char *pane,
                     const char *measure)
{
    struct row_context of = *x;
    of.table = &w->tables[pane_index(pane_find(pane))];
    return row_tally(&of, of.table->all, table_measure(of.table, measure));
}

struct dataset dataset_freeze(struct dataset *w)
{
    dataset_flush(w);
    struct dataset copy = *w;
    copy.batch = NULL; /* nothing is fed to it */
    copy.dictionary = NULL;
    copy.facts = facts_share(&w->facts);
    copy.slices = facts_share(&w->slices);
    copy.gauges = w->gauges ? gauge_history_copy(w->gauges) : NULL;
    copy.history = w->history ? interval_history_copy(w->history) : NULL;
    copy.tables = mem_new(w->table_count, sizeof *copy.tables);
    for (unsigned i = 0; i < w->table_count; i++)
        copy.tables[i] = table_share(&w->tables[i]);
    return copy;
}
