#include "src/mem.h"
#include "src/view.h"

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
    while (panes[i] && panes[i] != p)
        i++;
    return i;
}

void world_init(struct world *w, size_t facts)
{
    enum { SLICES = 65536 }; /* 8 processors: two hours of whole seconds */
    *w = (struct world){0};
    facts_init(&w->facts, facts);
    facts_init(&w->slices, SLICES);
    w->table_count = pane_count();
    w->tables = mem_new(w->table_count, sizeof *w->tables);
    for (unsigned i = 0; i < w->table_count; i++)
        table_init(&w->tables[i], panes[i]);
}

void world_fini(struct world *w)
{
    facts_fini(&w->facts);
    facts_fini(&w->slices);
    for (unsigned i = 0; i < w->table_count; i++)
        table_fini(&w->tables[i]);
    free(w->tables);
    *w = (struct world){0};
}

void world_feed(struct world *w, const struct fact *f, uint32_t process)
{
    for (unsigned i = 0; i < w->table_count; i++)
        if (w->tables[i].of_class_count[f->class] && !w->tables[i].pane->is_scanned)
            table_feed(&w->tables[i], f, process);
}

uint64_t world_sum(const struct world *w, const struct row_context *x, const char *pane,
                   const char *measure)
{
    struct row_context of = *x;
    of.table = &w->tables[pane_index(pane_find(pane))];
    return row_tally(&of, of.table->all, table_measure(of.table, measure));
}

struct world world_freeze(const struct world *w)
{
    struct world copy = *w;
    copy.facts = facts_share(&w->facts);
    copy.slices = facts_share(&w->slices);
    copy.tables = mem_new(w->table_count, sizeof *copy.tables);
    for (unsigned i = 0; i < w->table_count; i++)
        copy.tables[i] = table_copy(&w->tables[i]);
    return copy;
}
