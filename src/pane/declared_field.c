/* What rows of declared views can be made of. */
#include "src/pane/declared.h"

#include "src/event/status.h"
#include "src/filter/fact.h"
#include "src/filter/filter.h"
#include "src/table/table.h"

#include <stdio.h>
#include <string.h>

#define BIT(class_) (1u << (class_))

static uint32_t process_of(const struct fact *f)
{
    return f->process;
}

static uint32_t thread_of(const struct fact *f)
{
    return f->thread;
}

static uint32_t entity_of(const struct fact *f)
{
    return f->entity;
}

/* 0 means unknown: what counts from 0 stands one higher. */
static uint32_t disk_of(const struct fact *f)
{
    return f->place + 1;
}

static uint32_t cpu_of(const struct fact *f)
{
    return f->cpu + 1u;
}

static uint32_t kind_of(const struct fact *f)
{
    return f->kind + 1u;
}

static uint32_t op_of(const struct fact *f)
{
    return f->class == FACT_FILE && f->op == OP_END ? f->place : f->op;
}

static uint32_t status_of(const struct fact *f)
{
    return f->status;
}

static uint32_t remote_of(const struct fact *f)
{
    return f->place;
}

static const char *process_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    return process_label(x, id, room, bytes);
}

static const char *pid_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct process *const p = model_process_at(x->model, id);
    return p ? snprintf(room, bytes, "%u", p->pid), room : NULL;
}

static const char *tid_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct thread *const t = generation_at(&x->model->threads, id);
    return t ? snprintf(room, bytes, "%u", t->tid), room : NULL;
}

/* A thread by its process: many have no name of their own. */
static const char *thread_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct thread *const t = generation_at(&x->model->threads, id);
    char name[64];
    if (!t)
        return id ? "(forgotten)" : "(no thread)";
    snprintf(room, bytes, "%s %u", process_label(x, t->process, name, sizeof name), t->tid);
    return room;
}

static const char *minus_one(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    (void)x;
    return id ? snprintf(room, bytes, "%u", id - 1), room : NULL;
}

static const char *event_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    char event[KIND_TEXT];
    if (!id || id > x->model->kind_count)
        return NULL;
    const struct kind *const k = &x->model->kinds[id - 1];
    snprintf(room, bytes, "%s %s", kind_provider(k), kind_event(k, event));
    return room;
}

static const char *op_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    (void)x, (void)room, (void)bytes;
    const struct filter_field *const field = filter_field_by(BY_OP);
    for (const struct filter_word *w = field->words; w && w->word; w++)
        if (w->number == id)
            return w->word;
    return NULL;
}

static const char *status_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    (void)x;
    char text[STATUS_TEXT];
    if (!id)
        return "success";
    status_format(id, text);
    return snprintf(room, bytes, "%s", text), room;
}

static const char *routine_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    return model_routine_label(x->model, id, x->now_ns, room, bytes);
}

static const char *remote_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct connection *const c = generation_at(&x->model->connections, id);
    return c ? model_connection_address(c, true, room, bytes) : NULL;
}

static const char *end_text(const struct row_context *x, uint32_t id, char *room, size_t bytes)
{
    const struct connection *const c = generation_at(&x->model->connections, id);
    return c ? model_connection_end(c, true, room, bytes) : NULL;
}

#define FILES (BIT(FACT_DISK) | BIT(FACT_FILE) | BIT(FACT_FAULT))

const struct declared_field declared_fields[] = {
    {"proc", "name of the process", 0, VALUE_TEXT, 18, true, process_of, process_text},
    {"pid", "id of the process", 0, VALUE_ID, 7, true, process_of, pid_text},
    {"tid", "id of the thread", 0, VALUE_ID, 7, false, thread_of, tid_text},
    {"thread", "process and id of the thread", 0, VALUE_TEXT, 24, false, thread_of, thread_text},
    {"cpu", "processor", 0, VALUE_ID, 4, false, cpu_of, minus_one},
    {"event", "provider and event", 0, VALUE_TEXT, 28, false, kind_of, event_text},
    {"op", "operation: read, open, connect …", 0, VALUE_TEXT, 10, false, op_of, op_text},
    {"path", "file", FILES, VALUE_PATH, 40, false, entity_of, NULL},
    {"key", "registry key", BIT(FACT_REGISTRY), VALUE_PATH, 40, false, entity_of, NULL},
    {"status", "how it ended", BIT(FACT_FILE) | BIT(FACT_REGISTRY) | BIT(FACT_SYSCALL), VALUE_TEXT,
     20, false, status_of, status_text},
    {"disk", "number of the disk", BIT(FACT_DISK), VALUE_ID, 4, false, disk_of, minus_one},
    {"raddr", "remote address", BIT(FACT_NETWORK), VALUE_TEXT, 24, false, remote_of, remote_text},
    {"connid", "connection, by its remote end", BIT(FACT_NETWORK), VALUE_TEXT, 24, false, entity_of,
     end_text},
    {"waker", "thread that made another ready", BIT(FACT_READY), VALUE_TEXT, 24, false, entity_of,
     thread_text},
    {"routine", "routine of an interrupt or deferred call", BIT(FACT_DPC) | BIT(FACT_ISR),
     VALUE_TEXT, 32, false, entity_of, routine_text},
    {"call", "system call", BIT(FACT_SYSCALL), VALUE_TEXT, 24, false, entity_of, routine_text},
    {NULL, NULL, 0, 0, 0, false, NULL, NULL},
};

const struct declared_field *declared_field_find(const char *id)
{
    for (const struct declared_field *f = declared_fields; f->id; f++)
        if (strcmp(f->id, id) == 0)
            return f;
    return NULL;
}

struct value declared_value(const struct declared_field *field, struct row_context *x, uint32_t id)
{
    char room[512];
    uint64_t number = 0;
    if (id == ROW_OTHERS)
        return field->type == VALUE_ID ? value_absent() : value_text(x, VALUE_TEXT, "(others)");
    if (!field->text) {
        const struct file *const f = model_file_at(x->model, id);
        return f && f->name ? value_path(x, f->source, f->name)
                            : value_text(x, VALUE_TEXT, "(unknown)");
    }
    const char *const text = field->text(x, id, room, sizeof room);
    if (field->type != VALUE_ID)
        return value_text(x, VALUE_TEXT, text ? text : "(unknown)");
    for (const char *at = text; at && *at; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return text ? value_number(VALUE_ID, number) : value_absent();
}
