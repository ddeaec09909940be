#include "src/model/provider_count.h"

#include "src/base/mem.h"
#include "src/model/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_guid(const void *left, const void *right)
{
    const struct provider_count *const a = left, *const b = right;
    const int order = memcmp(&a->guid, &b->guid, sizeof a->guid);
    return order ? order : strcmp(b->name, a->name); /* named ones before those without */
}

static int by_events(const void *left, const void *right)
{
    const struct provider_count *const a = left, *const b = right;
    if (a->events != b->events)
        return a->events < b->events ? 1 : -1;
    return memcmp(&a->guid, &b->guid, sizeof a->guid);
}

static struct provider_count count_of(const struct kind *k)
{
    struct provider_count c = {.guid = k->provider,
                               .events = k->events,
                               .bytes = k->bytes,
                               .first_ns = k->first_ns,
                               .last_ns = k->last_ns};
    snprintf(c.name, sizeof c.name, "%s", k->class_name);
    return c;
}

static void add(struct provider_count *sum, const struct provider_count *c)
{
    sum->events += c->events;
    sum->bytes += c->bytes;
    sum->first_ns = c->first_ns < sum->first_ns ? c->first_ns : sum->first_ns;
    sum->last_ns = c->last_ns > sum->last_ns ? c->last_ns : sum->last_ns;
}

/* Of each provider one, from those of its kinds side by side. */
static size_t merge(struct provider_count *all, size_t kinds)
{
    size_t count = 0;
    for (size_t i = 0; i < kinds; i++)
        if (count && guid_equal(&all[count - 1].guid, &all[i].guid))
            add(&all[count - 1], &all[i]);
        else
            all[count++] = all[i];
    return count;
}

struct provider_count *model_provider_counts(const struct model *m, size_t *count)
{
    struct provider_count *const all = mem_new(m->kind_count, sizeof *all);
    size_t kinds = 0;
    for (uint32_t i = 0; i < m->kind_count; i++)
        if (m->kinds[i].events)
            all[kinds++] = count_of(&m->kinds[i]);
    qsort(all, kinds, sizeof *all, by_guid);
    *count = merge(all, kinds);
    for (size_t i = 0; i < *count; i++)
        if (!all[i].name[0])
            guid_format(&all[i].guid, all[i].name);
    qsort(all, *count, sizeof *all, by_events);
    return all;
}
