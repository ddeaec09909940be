#include "src/view/waiting.h"

#include "src/base/mem.h"
#include "src/model/wait.h"
#include "src/view/inside.h"

/* The process that the view is of; 0: it is not of a single one. */
static uint32_t process_of(const struct request *r)
{
    for (unsigned i = 0; i < r->crumb_count; i++)
        if (r->crumbs[i].kind == CRUMB_PROCESS)
            return r->crumbs[i].key.a;
    return 0;
}

static void add_row(struct row_list *l, struct row_key key)
{
    l->rows = mem_grow(l->rows, l->count + 1, sizeof *l->rows);
    l->rows[l->count++] = row_list_make(l, key);
}

void view_add_waiting(const struct view *v, const struct row_context *x, struct row_list *l)
{
    const struct model *const m = x->model;
    const uint32_t process = v->request.pane->lists_waiting ? process_of(&v->request) : 0;
    if (!process)
        return;
    struct row_order met = {0};
    for (size_t i = 0; i < l->count; i++)
        row_order_add(&met, l->rows[i]->key);
    for (uint32_t place = 0; place < m->threads.places; place++) {
        const struct thread *const t = generation_place(&m->threads, place);
        const struct row_key key = {.a = t ? t->number : 0, .b = process};
        if (t && t->process == process && !row_order_rank(&met, key) &&
            model_wait_at(m, t, x->now_ns).state != WAIT_NOT_SEEN)
            add_row(l, key);
    }
    row_order_clear(&met);
}
