/* Fields of what a process has of memory and files, as it was read last
 * (src/model/memory_history.h). */
#include "src/field/inside.h"
#include "src/field/put.h"
#include "src/model/model.h"

static const struct memory_reading *reading_of(const struct field_subject *s)
{
    return model_process_reading(s->model, s->id, s->now_ns);
}

static void put_bytes_of(uint64_t bytes, struct field_values *out)
{
    if (bytes != READING_UNKNOWN)
        field_put_number(out, bytes);
}

void field_get_rss(const struct field_subject *s, struct field_values *out)
{
    const struct memory_reading *const r = reading_of(s);
    put_bytes_of(r ? r->rss : READING_UNKNOWN, out);
}

void field_get_memory(const struct field_subject *s, struct field_values *out)
{
    const struct memory_reading *const r = reading_of(s);
    const double total = s->model->gauges.values[GAUGE_MEMORY_TOTAL];
    if (r && r->rss != READING_UNKNOWN && total > 0)
        field_put_value(out, FIELD_REAL)->real = (double)r->rss / total * 100;
}

void field_get_private(const struct field_subject *s, struct field_values *out)
{
    const struct memory_reading *const r = reading_of(s);
    put_bytes_of(r ? r->own : READING_UNKNOWN, out);
}

void field_get_shared(const struct field_subject *s, struct field_values *out)
{
    const struct memory_reading *const r = reading_of(s);
    put_bytes_of(r ? r->shared : READING_UNKNOWN, out);
}

void field_get_swap(const struct field_subject *s, struct field_values *out)
{
    const struct memory_reading *const r = reading_of(s);
    put_bytes_of(r ? r->swap : READING_UNKNOWN, out);
}

void field_get_files(const struct field_subject *s, struct field_values *out)
{
    const struct memory_reading *const r = reading_of(s);
    if (r && r->files != UINT32_MAX)
        field_put_number(out, r->files);
}
