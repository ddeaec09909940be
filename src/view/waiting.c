#include "src/view/waiting.h"

#include "src/base/mem.h"
#include "src/model/wait.h"
#include "src/view/inside.h"

#include <stdlib.h>

/* The process that the view is of; 0: it is not of a single one. */
static uint32_t process_of(const struct request *r)
{
    for (unsigned i = 0; i < r->crumb_count; i++)
        if (r->crumbs[i].kind == CRUMB_PROCESS)
            return r->crumbs[i].key.a;
    return 0;
}

void view_add_waiting(const struct view *v, const struct row_context *x, struct row_list *l)
{
    const struct model *const m = x->model;
    const uint32_t process = v->request.pane->lists_waiting ? process_of(&v->request) : 0;
    struct row_key *keys = NULL;
    unsigned count = 0, room = 0;
    for (uint32_t place = 0; process && place < m->threads.end; place++) {
        const struct thread *const t = generation_place(&m->threads, place);
        if (!t || t->process != process || model_wait_at(m, t, x->now_ns).state == WAIT_NOT_SEEN)
            continue;
        if (count == room)
            keys = mem_grow_zeroed(keys, &room, count + 1, sizeof *keys);
        keys[count++] = (struct row_key){.a = t->number, .b = process};
    }
    if (count)
        row_list_add_missing(l, keys, count);
    free(keys);
}
