/* What a request needs beyond facts: stacks are half of the work, and few ask for them. */
#include "src/pane/panes.h"
#include "src/view/inside.h"

static bool filter_needs_stacks(const char *text, const struct pane *pane)
{
    struct filter f;
    const bool needs_them = filter_init(&f, text, pane, NULL, NULL) && f.of_group[GROUP_STACK];
    filter_fini(&f);
    return needs_them;
}

bool view_needs_stacks(const struct request *r)
{
    const struct pane *const p = r->pane;
    return p->view != PANE_TABLE || r->crumb_count || filter_needs_stacks(r->filter, p) ||
           filter_needs_stacks(r->find, p) || filter_needs_stacks(r->tag, p) ||
           (p->where && filter_needs_stacks(p->where, pane_find("events"))) || p->has_stacks;
}
