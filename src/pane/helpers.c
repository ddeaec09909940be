#include "src/pane/helpers.h"

#include "src/event/status.h"

#include <stdio.h>

struct value get_pid(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct process *p = model_process_at(x->model, row_process(x, r));
    return p ? value_number(c->type, p->pid) : value_absent();
}

struct value get_name(const struct column *c, const struct table_row *r, struct row_context *x)
{
    char room[32];
    return value_text(x, c->type, process_label(x, row_process(x, r), room, sizeof room));
}

static const struct memory_reading *reading_of(const struct table_row *r,
                                               const struct row_context *x)
{
    return model_process_reading(x->model, row_process(x, r), x->now_ns);
}

static struct value bytes_or_absent(const struct column *c, uint64_t bytes)
{
    return bytes == READING_UNKNOWN ? value_absent() : value_number(c->type, bytes);
}

struct value get_rss(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct memory_reading *const m = reading_of(r, x);
    return bytes_or_absent(c, m ? m->rss : READING_UNKNOWN);
}

struct value get_memory_percent(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct memory_reading *const m = reading_of(r, x);
    const double total = x->model->gauges.values[GAUGE_MEMORY_TOTAL];
    return m && total > 0 ? value_rate(c->type, (double)m->rss / total * 100) : value_absent();
}

struct value get_private(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct memory_reading *const m = reading_of(r, x);
    return bytes_or_absent(c, m ? m->own : READING_UNKNOWN);
}

struct value get_shared(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct memory_reading *const m = reading_of(r, x);
    return bytes_or_absent(c, m ? m->shared : READING_UNKNOWN);
}

struct value get_swap(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct memory_reading *const m = reading_of(r, x);
    return bytes_or_absent(c, m ? m->swap : READING_UNKNOWN);
}

struct value get_files(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct memory_reading *const m = reading_of(r, x);
    return m && m->files != UINT32_MAX ? value_number(c->type, m->files) : value_absent();
}

struct value get_path(const struct column *c, const struct table_row *r, struct row_context *x)
{
    (void)c;
    return r->key.a == ROW_OTHERS ? value_text(x, VALUE_TEXT, "(others)") : value_file(x, r->key.a);
}

struct value get_routine(const struct column *c, const struct table_row *r, struct row_context *x)
{
    if (r->key.a == ROW_OTHERS)
        return value_text(x, VALUE_TEXT, "(others)");
    char room[512];
    return value_text(x, c->type,
                      model_routine_label(x->model, r->key.a, r->last_ns, room, sizeof room));
}

struct value get_most_path(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct file *f = model_file_at(x->model, row_most(x, r, column_measure(x, c, 0)));
    return f ? value_path(x, f->source, f->name) : value_absent();
}

struct value get_most_process(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    char room[32];
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    return value_text(x, c->type, most ? process_label(x, most, room, sizeof room) : NULL);
}

struct value get_most_status(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const uint32_t most = row_most(x, r, column_measure(x, c, 0));
    char text[STATUS_TEXT];
    if (!most)
        return value_absent();
    status_format(most, text);
    return value_text(x, c->type, text);
}

struct value get_ratio(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const uint64_t some = row_tally(x, r, column_measure(x, c, 0));
    const uint64_t all = row_tally(x, r, column_measure(x, c, 1));
    return all ? value_rate(c->type, (double)some / (double)all * 100) : value_absent();
}

struct value get_last(const struct column *c, const struct table_row *r, struct row_context *x)
{
    (void)x;
    const bool is_known = r->last_ns && r->last_ns != INT64_MAX;
    return is_known ? (struct value){.type = c->type, .ns = r->last_ns} : value_absent();
}

bool fact_failed(const struct fact *f)
{
    return f->flags & FACT_FAILED;
}

struct row_key key_process_alone(const struct fact *f, uint32_t process)
{
    (void)f;
    /* Set as a whole: for a literal compilers store the parts and load them in halves that
     * do not fit, which stalls, and this is run for every event there is. */
    const uint64_t a_and_b = process;
    struct row_key key = {0};
    memcpy(&key, &a_and_b, sizeof a_and_b);
    return key;
}

struct row_key key_entity(const struct fact *f, uint32_t process)
{
    (void)process;
    return (struct row_key){.a = f->entity};
}

struct row_key key_entity_process(const struct fact *f, uint32_t process)
{
    return (struct row_key){.a = f->entity, .b = process};
}

struct row_key key_thread_process(const struct fact *f, uint32_t process)
{
    return (struct row_key){.a = f->thread, .b = process};
}
