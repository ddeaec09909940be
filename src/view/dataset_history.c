/* What a dataset keeps of its intervals, and ranges that are answered from that. */
#include "src/pane/panes.h"
#include "src/table/row_find.h"
#include "src/view/chart.h"
#include "src/view/inside.h"

#include <string.h>

/* ---- keeping -------------------------------------------------------------------------------- */

static uint64_t running(const struct table *t, const struct table_row *r, const char *measure)
{
    const int number = table_measure(t, measure);
    const bool is_running = r && number >= 0 && r->interval == t->interval;
    return is_running ? row_tallies(t, r, AGE_CURRENT)[t->measures[number].index] : 0;
}

/* As count_machine() in scan.c counts facts. */
static struct machine_sums machine_of(const struct dataset *w, const struct model *m)
{
    const struct table *const t = &w->tables[pane_index(pane_find("processes"))];
    const struct table_row *const unseen = table_find(t, (struct row_key){0});
    struct machine_sums sums = {.run = running(t, t->all, "run"),
                                .idle_run = running(t, unseen, "run"),
                                .sampled = running(t, t->all, "sampled"),
                                .read = running(t, t->all, "disk_read"),
                                .written = running(t, t->all, "disk_write")};
    for (uint32_t s = 0; s < m->source_count; s++) {
        const uint32_t process = map_get(&m->process_now, (uint64_t)s << 32);
        const struct table_row *const idle =
            process ? table_find(t, (struct row_key){.a = process}) : NULL;
        sums.idle_run += running(t, idle, "run");
        sums.idle_sampled += running(t, idle, "sampled");
    }
    return sums;
}

void dataset_keep_running(struct dataset *w, const struct model *m, int64_t to)
{
    const struct history_span span = {w->running_ns - 1, to - 1};
    if (!w->history || span.to <= span.from)
        return;
    dataset_flush(w);
    const struct machine_sums machine = machine_of(w, m);
    interval_history_keep(w->history, w->tables, w->table_count, &machine, &span);
    w->running_ns = to;
}

/* ---- asking ------------------------------------------------------------------------------------ */

/* The place in the list of a pane whose rows are those of a table that is kept; or none. */
static bool find_table(const struct dataset *w, const struct pane *p, unsigned *place)
{
    *place = pane_index(p);
    return *place < w->table_count && panes[*place] && panes[*place]->measures == p->measures &&
           interval_history_has(p) && interval_history_has(panes[*place]);
}

bool view_reads_history(const struct view *v)
{
    const struct request *const r = &v->request;
    const struct dataset *const w = view_dataset(v);
    struct history_span span;
    unsigned place;
    const bool is_past =
        request_has_range(r) && w->facts.first && r->from_ns + 1 < facts_earliest(&w->facts);
    return is_past && w->history && !r->crumb_count && !request_has_base(r) && !v->can_reread &&
           !filter_has(&v->filter, LEVEL_FACT) && !chart_is_scanned(r) &&
           find_table(w, r->pane, &place) && interval_history_span(w->history, &span) &&
           span.from < facts_earliest(&w->facts) && r->to_ns > span.from;
}

void view_read_history(struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    struct history_span span = {v->request.from_ns, v->request.to_ns};
    unsigned place;
    const unsigned found =
        find_table(w, v->request.pane, &place)
            ? interval_history_add(w->history, place, &v->narrowed, &v->machine, &span)
            : 0;
    if (!found)
        return;
    v->history_parts = found - 1;
    table_step(&v->narrowed, 2, span.to); /* all rows are at rest */
    table_fold_forgotten(&v->narrowed);
    v->history = span;
    v->is_of_history = v->is_whole = true;
    v->scan_next = w->facts.end;
    v->slice_next = w->slices.end;
}
