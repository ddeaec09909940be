/* Rows of views: what facts are counted by, and how that is shown. */
#include "src/field/inside.h"

#include "src/base/clock.h"
#include "src/event/status.h"
#include "src/model/model.h"
#include "src/table/getters.h"

#include <stdio.h>

/* 0 means unknown, and kinds count from 0. */
uint32_t field_cell_kind(const struct fact *f)
{
    return f->kind + 1u;
}

/* A thread by its process: many have no name of their own. */
const char *field_cell_thread_text(const struct row_context *x, uint32_t id, char *room,
                                   size_t bytes)
{
    const struct thread *const t = generation_at(&x->model->threads, id);
    char name[64];
    if (!t)
        return id ? "(forgotten)" : "(no thread)";
    snprintf(room, bytes, "%s %u", process_label(x, t->process, name, sizeof name), t->tid);
    return room;
}

const char *field_cell_process_text(const struct row_context *x, uint32_t id, char *room,
                                    size_t bytes)
{
    return process_label(x, id, room, bytes);
}

const char *field_cell_user_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct process *const p = model_process_at(x->model, id);
    (void)room, (void)bytes;
    return p && p->user ? process_user(p) : NULL;
}

const char *field_cell_provider_text(const struct row_context *x, uint32_t id, char *room,
                                     size_t bytes)
{
    (void)room, (void)bytes;
    return id && id <= x->model->kind_count ? kind_provider(&x->model->kinds[id - 1]) : NULL;
}

const char *field_cell_stack_text(const struct row_context *x, uint32_t id, char *room,
                                  size_t bytes)
{
    size_t used = 0;
    for (unsigned i = 0; used + 1 < bytes; i++) {
        char frame[256];
        if (!field_frame_text(x, id, i, frame, sizeof frame))
            break;
        used += (size_t)snprintf(room + used, bytes - used, "%s%s", i ? " < " : "", frame);
    }
    return used ? room : "(no stack)";
}

const char *field_frame_text(const struct row_context *x, uint32_t id, unsigned index, char *room,
                             size_t bytes)
{
    uint64_t frames[2 * STACK_FRAMES];
    const struct stack *const s = generation_at(&x->model->stack_store.stacks, id);
    const unsigned count = s ? model_stack_frames(x->model, s, frames) : 0;
    if (index >= count)
        return NULL;
    if (x->callbacks)
        return x->callbacks->frame(x->callbacks->of, s, frames, index, room, bytes);
    snprintf(room, bytes, "0x%llx", (unsigned long long)frames[index]);
    return room;
}

const char *field_cell_minus_one(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    (void)x;
    return id ? snprintf(room, bytes, "%u", id - 1), room : NULL;
}

const char *field_cell_event_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    char event[KIND_TEXT];
    if (!id || id > x->model->kind_count)
        return NULL;
    const struct kind *const k = &x->model->kinds[id - 1];
    snprintf(room, bytes, "%s/%s", kind_provider(k), kind_event(k, event)); /* as filters take it */
    return room;
}

const char *field_cell_op_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    (void)x, (void)room, (void)bytes;
    for (const struct field_word *w = field_op_words; w->word; w++)
        if (w->number == id)
            return w->word;
    return NULL;
}

const char *field_cell_status_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    (void)x;
    char text[STATUS_TEXT];
    if (!id)
        return "success";
    status_format(id, text);
    return snprintf(room, bytes, "%s", text), room;
}

const char *field_cell_remote_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct connection *const c = generation_at(&x->model->connections, id);
    return c ? model_connection_address(c, true, room, bytes) : NULL;
}

const char *field_cell_counter_text(const struct row_context *x, uint32_t id, char *room,
                                    size_t bytes)
{
    return model_counter_name(x->model, id, room, bytes);
}

const char *field_cell_reason_text(const struct row_context *x, uint32_t id, char *room,
                                   size_t bytes)
{
    (void)x;
    return id ? wait_text(id, room, bytes) : NULL;
}

const char *field_cell_end_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct connection *const c = generation_at(&x->model->connections, id);
    return c ? model_connection_end(c, true, room, bytes) : NULL;
}

/* The first value that the getter has of an id; false where it has none. */
static bool first_value(const struct field_def *field, const struct row_context *x, uint32_t id,
                        struct field_values *out)
{
    const struct field_subject s = {.model = x->model, .id = id, .now_ns = x->now_ns};
    out->count = 0;
    out->used = 0;
    field->get(&s, out);
    return out->count > 0;
}

const char *field_cell_text_of(const struct field_def *field, const struct row_context *x,
                               uint32_t id, char *room, size_t bytes)
{
    const struct field_cell *const c = field->cell;
    struct field_values values;
    if (c->number && c->type == VALUE_INSTANT)
        return clock_format_iso((int64_t)c->number(x, id, c->argument), room);
    if (c->number)
        return snprintf(room, bytes, "%llu", (unsigned long long)c->number(x, id, c->argument)),
               room;
    if (c->text_with)
        return c->text_with(x, id, c->argument, room, bytes);
    if (c->text)
        return c->text(x, id, room, bytes);
    if (!first_value(field, x, id, &values))
        return NULL;
    if (values.of[0].kind == FIELD_TEXT)
        snprintf(room, bytes, "%s", values.of[0].text);
    else
        snprintf(room, bytes, "%llu", (unsigned long long)values.of[0].number);
    return room;
}

struct value field_cell_value(const struct field_def *field, struct row_context *x, uint32_t id)
{
    char room[512];
    uint64_t number = 0;
    if (id == ROW_OTHERS)
        return field->cell->type == VALUE_ID || field->cell->number
                   ? value_absent()
                   : value_text(x, VALUE_TEXT, "(others)");
    if (field->cell->number)
        return value_number((enum value_type)field->cell->type,
                            field->cell->number(x, id, field->cell->argument));
    if (field->cell->type == VALUE_PATH)
        return value_file(x, id);
    const char *const text = field_cell_text_of(field, x, id, room, sizeof room);
    if (field->cell->type != VALUE_ID)
        return value_text(x, VALUE_TEXT, text ? text : "(unknown)");
    for (const char *at = text; at && *at; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return text ? value_number(VALUE_ID, number) : value_absent();
}
