/* A search through rows in their order, and its answer. */
#include "src/view/find.h"

void seek_ask(struct view *v)
{
    if (v->sought.sequence != v->request.sequence)
        v->sought.sequence = 0;
}

bool seek_begin(const struct view *v, struct seeking *s)
{
    const struct request *const r = &v->request;
    *s = (struct seeking){.is_forward = r->seek != SEEK_PREVIOUS, .is_here = r->seek == SEEK_HERE};
    return r->seek && finder_looks(v) && !v->sought.sequence && view_is_complete(v);
}

void seek_start(struct seeking *s, uint64_t rank)
{
    s->has_start = true;
    s->start = rank;
}

/* Of those found: the next one in the direction, and for who comes to the end the first and
 * the last of all. Rows may come in any order. */
void seek_row(struct seeking *s, uint64_t rank, struct row_key key)
{
    if (!s->count || rank < s->first) {
        s->first = rank;
        s->first_key = key;
    }
    if (!s->count || rank > s->last) {
        s->last = rank;
        s->last_key = key;
    }
    s->count++;
    const bool is_ahead = !s->has_start      ? true
                          : rank == s->start ? s->is_here
                          : s->is_forward    ? rank > s->start
                                             : rank < s->start;
    const bool is_nearer = !s->has_best || (s->is_forward ? rank < s->best : rank > s->best);
    if (is_ahead && is_nearer) {
        s->at = s->count;
        s->has_best = true;
        s->best = rank;
        s->best_key = key;
    }
}

void seek_end(struct view *v, struct seeking *s)
{
    struct sought *const f = &v->sought;
    if (!s->has_best && s->count) {
        s->best_key = s->is_forward ? s->first_key : s->last_key;
        s->at = s->is_forward ? 1 : s->count;
    }
    f->sequence = v->request.sequence;
    f->has_found = s->count > 0;
    f->found = s->best_key;
    f->count = s->count;
    f->percent = s->percent;
    f->at = s->is_in_order ? s->at : 0;
    if (!f->has_found)
        return;
    v->request.has_anchor = true;
    v->request.anchor = f->found;
    v->request.anchor_line = (int)(v->request.rows / 2);
}

static bool is_answered(const struct view *v)
{
    return v->request.seek && v->sought.sequence == v->request.sequence;
}

bool seek_has_found(const struct view *v)
{
    return is_answered(v) && v->sought.has_found;
}

void seek_report(const struct view *v, struct frame *to)
{
    const struct sought *const f = &v->sought;
    to->is_sought = is_answered(v);
    to->has_found = seek_has_found(v);
    to->found = f->found;
    to->found_count = f->count;
    to->found_at = f->at;
    to->found_percent = f->percent;
}
