#include "src/view/record.h"

#include "src/base/mem.h"
#include "src/ring/ring.h"
#include "src/view/inside.h"

#include <stdlib.h>

struct view_cache *view_cache_new(void)
{
    return mem_new(1, sizeof(struct view_cache));
}

void view_cache_free(struct view_cache *c)
{
    if (c) {
        free(c->line);
        free(c->value);
    }
    free(c);
}

bool view_record(struct view *v, const struct fact *f, struct event *out)
{
    if (f->ring > v->collector_count || f->flags & FACT_NO_RECORD)
        return false;
    uint8_t *const to = v->cache->record;
    const size_t room = sizeof v->cache->record;
    size_t bytes =
        v->is_frozen && !v->scanned
            ? window_fetch((*v->frozen_snapshot)->windows[f->ring], f->position, to, room)
            : 0;
    if (!bytes)
        bytes = ring_fetch(view_ring(v, f->ring), PIN_ENGINE, f->position, to, room);
    if (bytes < sizeof(struct record_head) || bytes > sizeof v->cache->record)
        return false;
    const struct record_head *head = (const struct record_head *)(const void *)v->cache->record;
    return head->form == RECORD_ETW && head->bytes <= bytes &&
           event_of_record(head, out) == EVENT_OK;
}

bool view_is_of_linux(const struct view *v, const struct fact *f, const struct event *e)
{
    const uint32_t source = view_source_of(f, e);
    return source < v->model->source_count && v->model->sources[source].is_linux;
}

struct row_key view_event_key(uint64_t number)
{
    return (struct row_key){.a = (uint32_t)number, .b = (uint32_t)(number >> 32)};
}

bool view_event_text(struct view *v, const struct fact *f, char *out, size_t room)
{
    struct event e;
    struct schema schema;
    struct decoded fields[DECODE_FIELDS];
    out[0] = '\0';
    if (!view_record(v, f, &e) ||
        !schema_find(v->model->schemas, view_source_of(f, &e), &e, &schema))
        return false;
    const unsigned count = decode_fields(schema.layout, &e, fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count && !*out; i++)
        if (fields[i].is_present)
            decode_format(&fields[i], out, room);
    return out[0] != '\0';
}
