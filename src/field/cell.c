/* Rows of views: what facts are counted by, and how that is shown. */
#include "src/field/inside.h"

#include "src/event/status.h"
#include "src/model/model.h"
#include "src/table/getters.h"

#include <stdio.h>

uint32_t field_cell_process(const struct fact *f)
{
    return f->process;
}

uint32_t field_cell_thread(const struct fact *f)
{
    return f->thread;
}

uint32_t field_cell_entity(const struct fact *f)
{
    return f->entity;
}

/* 0 means unknown: what counts from 0 stands one higher. */
uint32_t field_cell_disk(const struct fact *f)
{
    return f->place + 1;
}

uint32_t field_cell_cpu(const struct fact *f)
{
    return f->cpu + 1u;
}

uint32_t field_cell_kind(const struct fact *f)
{
    return f->kind + 1u;
}

uint32_t field_cell_op(const struct fact *f)
{
    return f->class == FACT_FILE && f->op == OP_END ? f->place : f->op;
}

uint32_t field_cell_status(const struct fact *f)
{
    return f->status;
}

uint32_t field_cell_remote(const struct fact *f)
{
    return f->place;
}

const char *field_cell_process_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    return process_label(x, id, room, bytes);
}

const char *field_cell_pid_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct process *const p = model_process_at(x->model, id);
    return p ? snprintf(room, bytes, "%u", p->pid), room : NULL;
}

const char *field_cell_tid_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct thread *const t = generation_at(&x->model->threads, id);
    return t ? snprintf(room, bytes, "%u", t->tid), room : NULL;
}

/* A thread by its process: many have no name of their own. */
const char *field_cell_thread_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct thread *const t = generation_at(&x->model->threads, id);
    char name[64];
    if (!t)
        return id ? "(forgotten)" : "(no thread)";
    snprintf(room, bytes, "%s %u", process_label(x, t->process, name, sizeof name), t->tid);
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
    snprintf(room, bytes, "%s %s", kind_provider(k), kind_event(k, event));
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

const char *field_cell_routine_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    return model_routine_label(x->model, id, x->now_ns, room, bytes);
}

const char *field_cell_remote_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct connection *const c = generation_at(&x->model->connections, id);
    return c ? model_connection_address(c, true, room, bytes) : NULL;
}

const char *field_cell_end_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct connection *const c = generation_at(&x->model->connections, id);
    return c ? model_connection_end(c, true, room, bytes) : NULL;
}

struct value field_cell_value(const struct field_def *field, struct row_context *x, uint32_t id)
{
    char room[512];
    uint64_t number = 0;
    if (id == ROW_OTHERS)
        return field->cell->type == VALUE_ID ? value_absent() : value_text(x, VALUE_TEXT, "(others)");
    if (!field->cell->text) {
        const struct file *const f = model_file_at(x->model, id);
        return f && f->name ? value_path(x, f->source, f->name)
                            : value_text(x, VALUE_TEXT, "(unknown)");
    }
    const char *const text = field->cell->text(x, id, room, sizeof room);
    if (field->cell->type != VALUE_ID)
        return value_text(x, VALUE_TEXT, text ? text : "(unknown)");
    for (const char *at = text; at && *at; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return text ? value_number(VALUE_ID, number) : value_absent();
}
