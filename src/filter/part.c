/* The parts of a filter that facts have to pass, in the order in which it costs least to look at
 * them: see struct filter_part. */
#include "src/filter/parse.h"

/* Is it terms put together by "or" alone, or one term? */
static bool is_any_of(const struct filter *f, uint8_t node)
{
    const struct filter_node *const n = &f->nodes[node];
    return n->kind == NODE_TERM || (n->kind == NODE_OR && is_any_of(f, n->a) && is_any_of(f, n->b));
}

void filter_part_add(struct filter *f, uint8_t node, uint64_t terms)
{
    const struct filter_node *const n = &f->nodes[node];
    f->parts[f->part_count++] = (struct filter_part){
        .terms = terms,
        .node = node,
        .is_any = is_any_of(f, node),
        .is_none = n->kind == NODE_NOT && is_any_of(f, n->a),
    };
}

static void sort_terms(struct filter *f)
{
    for (unsigned i = 0; i < f->term_count; i++) {
        const struct filter_term *const t = &f->terms[i];
        const uint32_t classes = t->field ? t->field->classes : 0;
        f->of_group[t->group] |= 1ull << i;
        for (unsigned c = 0; c < FACT_CLASSES; c++)
            if (!classes || classes >> c & 1)
                f->of_class[c] |= 1ull << i;
        if ((t->by >= BY_EXITED && t->by <= BY_FILES) || t->by == BY_TAG)
            f->moving |= 1ull << i;
    }
    f->texts = f->of_group[GROUP_TEXT];
}

/* What it costs to look at a part: names cost more than numbers, stacks more, and records most. */
static unsigned cost_of(const struct filter *f, const struct filter_part *p)
{
    static const uint8_t groups[] = {GROUP_FACT,   GROUP_KIND,       GROUP_PROCESS, GROUP_THREAD,
                                     GROUP_ENTITY, GROUP_CONNECTION, GROUP_ROUTINE, GROUP_TEXT,
                                     GROUP_STACK,  GROUP_CALLBACK};
    unsigned cost = 0;
    for (unsigned i = 0; i < sizeof groups; i++)
        cost = p->terms & f->of_group[groups[i]] ? i : cost;
    return cost;
}

static uint8_t looks_of(const struct filter *f, uint64_t terms)
{
    const uint64_t things = f->of_group[GROUP_ENTITY] | f->of_group[GROUP_CONNECTION] |
                            f->of_group[GROUP_ROUTINE] | f->texts;
    const uint64_t processes = f->texts | (f->of_group[GROUP_PROCESS] & ~f->moving);
    unsigned looks = 0;
    looks |= terms & f->of_group[GROUP_FACT] ? LOOK_FACT : 0;
    looks |= terms & (f->of_group[GROUP_KIND] | f->texts) ? LOOK_KIND : 0;
    looks |= terms & processes ? LOOK_PROCESS : 0;
    looks |= terms & f->moving & f->of_group[GROUP_PROCESS] ? LOOK_MOVING : 0;
    looks |= terms & f->of_group[GROUP_THREAD] ? LOOK_THREAD : 0;
    looks |= terms & things ? LOOK_THING : 0;
    looks |= terms & f->of_group[GROUP_STACK] ? LOOK_STACK : 0;
    looks |= terms & f->of_group[GROUP_CALLBACK] ? LOOK_CALLBACK : 0;
    return (uint8_t)looks;
}

static void sort_parts(struct filter *f)
{
    for (unsigned i = 0; i < f->part_count; i++)
        for (unsigned c = 0; c < FACT_CLASSES; c++)
            f->parts[i].looks[c] = looks_of(f, f->parts[i].terms & f->of_class[c]);
    for (unsigned i = 1; i < f->part_count; i++) {
        const struct filter_part part = f->parts[i];
        unsigned at = i;
        for (; at && cost_of(f, &f->parts[at - 1]) > cost_of(f, &part); at--)
            f->parts[at] = f->parts[at - 1];
        f->parts[at] = part;
    }
}

/* One stretch of time, and nothing else. */
static const struct filter_value *span_of(const struct filter *f, const struct filter_part *p)
{
    const struct filter_node *const n = &f->nodes[p->node];
    const struct filter_term *const t = &f->terms[n->a];
    const bool is_span = n->kind == NODE_TERM && t->by == BY_TIME && t->count == 1 &&
                         !t->is_presence && !(f->excluding >> n->a & 1);
    return is_span ? &f->values[t->first] : NULL;
}

bool filter_take_span(struct filter *f, struct filter_span *span)
{
    unsigned kept = 0;
    *span = (struct filter_span){0, INT64_MAX};
    for (unsigned i = 0; i < f->part_count; i++) {
        const struct filter_value *const v = span_of(f, &f->parts[i]);
        if (!v) {
            f->parts[kept++] = f->parts[i];
            continue;
        }
        if (v->low > (uint64_t)span->first_ns)
            span->first_ns = v->low < INT64_MAX ? (int64_t)v->low : INT64_MAX;
        if (v->high < (uint64_t)span->last_ns)
            span->last_ns = (int64_t)v->high;
    }
    const bool has_any = kept < f->part_count;
    f->part_count = kept;
    return has_any;
}

void filter_parts_end(struct filter *f)
{
    sort_terms(f);
    sort_parts(f);
}
