/* Getters: the values of fields about facts and about what facts name. */
#include "src/field/inside.h"
#include "src/event/provider_names.h"
#include "src/field/put.h"

#include "src/event/decode/names.h"
#include "src/event/status.h"
#include "src/model/model.h"
#include "src/table/getters.h"

#include <stdio.h>

/* Bytes of texts that are made. */
enum { NAME = 32, END = 80, ROUTINE = 512, PATH = FIELD_ROOM };

/* ---- the fact itself --------------------------------------------------------------------------- */

bool field_get_time(const struct fact *f, uint64_t *out)
{
    return *out = (uint64_t)f->time, true;
}

bool field_get_cpu(const struct fact *f, uint64_t *out)
{
    return *out = f->cpu, true;
}

bool field_get_class(const struct fact *f, uint64_t *out)
{
    return *out = f->class, true;
}

/* A completion is of the operation that it ends. */
bool field_get_op(const struct fact *f, uint64_t *out)
{
    return *out = f->class == FACT_FILE && f->op == OP_END ? f->place : f->op, *out != OP_NONE;
}

bool field_get_fault(const struct fact *f, uint64_t *out)
{
    return *out = f->op, true;
}

/* A disk operation has it with its end; what begins refers to that one (fact.h). */
bool field_get_size(const struct fact *f, uint64_t *out)
{
    return *out = f->value, f->class != FACT_DISK || f->op != OP_START;
}

bool field_get_latency(const struct fact *f, uint64_t *out)
{
    return *out = f->latency, f->flags & FACT_HAS_LATENCY;
}

bool field_get_wait(const struct fact *f, uint64_t *out)
{
    return *out = f->value, f->flags & FACT_HAS_LATENCY;
}

bool field_get_disk(const struct fact *f, uint64_t *out)
{
    return *out = f->place, true;
}

bool field_get_priority(const struct fact *f, uint64_t *out)
{
    return *out = f->flags >> FACT_PRIORITY_SHIFT, *out != 0;
}

bool field_get_state(const struct fact *f, uint64_t *out)
{
    return *out = f->place >> 8 & 0xff, true;
}

bool field_get_old_priority(const struct fact *f, uint64_t *out)
{
    return *out = f->status - 1, f->status != 0;
}

/* As ids of rows of views, where 0 means unknown: what counts from 0 stands one higher. */
static uint32_t number_of(const struct fact *f, field_number *get, uint32_t first)
{
    uint64_t number;
    return get(f, &number) ? (uint32_t)number + first : 0;
}

uint32_t field_cell_disk(const struct fact *f)
{
    return number_of(f, field_get_disk, 1);
}

uint32_t field_cell_cpu(const struct fact *f)
{
    return number_of(f, field_get_cpu, 1);
}

uint32_t field_cell_op(const struct fact *f)
{
    return number_of(f, field_get_op, 0);
}

uint32_t field_cell_reason(const struct fact *f)
{
    return f->class == FACT_READY ? f->place : 0;
}

void field_get_retransmit(const struct field_subject *s, struct field_values *out)
{
    field_put_flag(out, s->fact->op == OP_RETRANSMIT);
}

/* All words: the call's, and of the reason KWAIT_REASON's and Linux's. */
void field_get_reason(const struct field_subject *s, struct field_values *out)
{
    const struct fact *const f = s->fact;
    const unsigned reason = f->class == FACT_SWITCH ? f->place & 0xff : wait_reason(f->place);
    if (f->class != FACT_SWITCH && !f->place)
        return;
    if (f->class != FACT_SWITCH)
        field_put_text(out, wait_name(f->place));
    field_put_text(out, name_wait_reason(reason));
    field_put_text(out, name_wait_reason_linux(reason));
}

void field_get_counter(const struct field_subject *s, struct field_values *out)
{
    const char *const name =
        model_counter_name(s->model, s->fact->place, field_put_room(out, NAME), NAME);
    if (name)
        field_put_text(out, name);
}

/* Its number and its names; where that is not one name, what is shown, too. */
void field_get_status(const struct field_subject *s, struct field_values *out)
{
    const struct fact *const f = s->fact;
    const char *name;
    unsigned names = 0;
    const bool is_network = f->class == FACT_NETWORK && f->op == OP_FAIL && f->status;
    if (f->op != OP_END && f->class != FACT_REGISTRY && !is_network)
        return;
    field_put_number(out, status_number(f->status));
    for (; (name = status_name(f->status, names)) != NULL; names++)
        field_put_text(out, name);
    if (names == 1)
        return;
    char *const shown = field_put_room(out, STATUS_TEXT);
    status_format(f->status, shown);
    field_put_text(out, shown);
}

void field_get_failed(const struct field_subject *s, struct field_values *out)
{
    const struct fact *const f = s->fact; /* the kernel's failures of connections have no status */
    field_put_flag(out, f->flags & FACT_FAILED || (f->class == FACT_NETWORK && f->op == OP_FAIL));
}

/* ---- processes and threads ----------------------------------------------------------------------- */

/* Who is not known has no name. */
static void put_process(const struct field_subject *s, uint32_t process, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, process);
    if (!p)
        return;
    const struct row_context x = {.model = s->model};
    field_put_text(out, process_label(&x, process, field_put_room(out, NAME), NAME));
    if (p->pid == 0)
        field_put_text(out, "Idle"); /* "(idle)" in panes, "Idle" in records */
}

void field_get_process(const struct field_subject *s, struct field_values *out)
{
    put_process(s, s->id, out);
}

void field_get_pid(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    if (p)
        field_put_number(out, p->pid);
}

void field_get_ppid(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    if (p && p->has_parent)
        field_put_number(out, p->parent_pid);
}

void field_get_command(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    field_put_text(out, p ? p->command : NULL);
}

/* SYSTEM, too, not only S-1-5-18. */
void field_get_user(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    field_put_text(out, p ? process_user(p) : NULL);
    field_put_text(out, p ? p->user : NULL);
}

void field_get_service(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    field_put_text(out, p ? p->services : NULL);
}

void field_get_session(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    if (p && p->has_session)
        field_put_number(out, p->session);
}

static bool has_ended(const struct process *p, int64_t now_ns)
{
    return p->flags & LIFETIME_ENDED && p->end_ns <= now_ns;
}

void field_get_exited(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    if (p)
        field_put_flag(out, has_ended(p, s->now_ns));
}

/* Of a process that has ended, the age is since then: `exited age<5s` ended just now. */
void field_get_age(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    if (!p)
        return;
    const int64_t started = p->start_ns ? p->start_ns : p->first_ns;
    const int64_t since = has_ended(p, s->now_ns) ? p->end_ns : started;
    field_put_number(out, s->now_ns > since ? (uint64_t)(s->now_ns - since) : 0);
}

void field_get_tid(const struct field_subject *s, struct field_values *out)
{
    const struct thread *const t = generation_at(&s->model->threads, s->id);
    if (t)
        field_put_number(out, t->tid);
}

void field_get_thread(const struct field_subject *s, struct field_values *out)
{
    const struct thread *const t = generation_at(&s->model->threads, s->id);
    field_put_text(out, t ? t->name : NULL);
}

void field_get_waker(const struct field_subject *s, struct field_values *out)
{
    const struct thread *const t = generation_at(&s->model->threads, s->fact->entity);
    if (t)
        put_process(s, t->process, out);
}

/* ---- kinds ------------------------------------------------------------------------------------------ */

void field_get_provider(const struct field_subject *s, struct field_values *out)
{
    const struct kind *const k = &s->model->kinds[s->id];
    const char *const name = kind_provider(k);
    field_put_text(out, name);
    field_put_text(out, k->guid_text);
    if (name && provider_short_name(name) != name)
        field_put_text(out, provider_short_name(name));
}

void field_get_event(const struct field_subject *s, struct field_values *out)
{
    field_put_text(out, kind_event(&s->model->kinds[s->id], field_put_room(out, KIND_TEXT)));
}

void field_get_event_path(const struct field_subject *s, struct field_values *out)
{
    char event[KIND_TEXT], path[FIELD_ROOM];
    const struct kind *const k = &s->model->kinds[s->id];
    field_get_event(s, out);
    snprintf(path, sizeof path, "%s/%s", kind_provider(k), kind_event(k, event));
    field_put_text(out, path);
}

void field_get_event_id(const struct field_subject *s, struct field_values *out)
{
    field_put_number(out, s->model->kinds[s->id].id);
}

void field_get_opcode(const struct field_subject *s, struct field_values *out)
{
    field_put_number(out, s->model->kinds[s->id].opcode);
}

void field_get_version(const struct field_subject *s, struct field_values *out)
{
    field_put_number(out, s->model->kinds[s->id].version);
}

/* ---- files and keys ----------------------------------------------------------------------------------- */

/* As the system writes the name, and with its drive. */
void field_get_path(const struct field_subject *s, struct field_values *out)
{
    const struct file *const f = model_file_at(s->model, s->id);
    if (!f)
        return;
    const char *const path = model_path(s->model, f, field_put_room(out, PATH), PATH);
    field_put_text(out, f->name);
    if (path != f->name)
        field_put_text(out, path);
}

/* ---- connections ------------------------------------------------------------------------------------------ */

static const struct connection *connection_of(const struct field_subject *s)
{
    return generation_at(&s->model->connections, s->id);
}

/* An address, and with its port as text, which patterns are compared with. */
static void put_end(const struct connection *c, bool is_remote, struct field_values *out)
{
    if (!c)
        return;
    struct field_value *const v = field_put_value(out, FIELD_ADDRESS);
    v->address = is_remote ? c->ends.remote : c->ends.local;
    v->is_v6 = c->ends.is_v6;
    field_put_text(out, model_connection_end(c, is_remote, field_put_room(out, END), END));
}

void field_get_hostname(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    const char *const name = c ? model_host(s->model, c->ends.remote, c->ends.is_v6) : NULL;
    if (name)
        field_put_text(out, name);
}

void field_get_url(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    if (c && c->url)
        field_put_text(out, c->url);
}

/* tcp is both of its versions. */
void field_get_protocol(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    if (!c)
        return;
    field_put_number(out, c->ends.is_udp);
    field_put_number(out, c->ends.is_udp + 2u * c->ends.is_v6);
}

void field_get_local(const struct field_subject *s, struct field_values *out)
{
    put_end(connection_of(s), false, out);
}

void field_get_remote(const struct field_subject *s, struct field_values *out)
{
    put_end(connection_of(s), true, out);
}

void field_get_address(const struct field_subject *s, struct field_values *out)
{
    field_get_local(s, out);
    field_get_remote(s, out);
}

void field_get_local_port(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    if (c)
        field_put_number(out, c->ends.local_port);
}

void field_get_remote_port(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    if (c)
        field_put_number(out, c->ends.remote_port);
}

void field_get_port(const struct field_subject *s, struct field_values *out)
{
    field_get_local_port(s, out);
    field_get_remote_port(s, out);
}

void field_get_direction(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    if (c && c->opened_by)
        field_put_number(out, c->opened_by == OP_ACCEPT);
}

void field_get_connection(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    if (c)
        field_put_number(out, c->number);
}

/* ---- routines ------------------------------------------------------------------------------------------------ */

void field_get_routine(const struct field_subject *s, struct field_values *out)
{
    if (generation_at(&s->model->routines, s->id))
        field_put_text(out, model_routine_label(s->model, s->id, s->now_ns,
                                                field_put_room(out, ROUTINE), ROUTINE));
}

void field_get_vector(const struct field_subject *s, struct field_values *out)
{
    const struct routine *const r = generation_at(&s->model->routines, s->id);
    if (r)
        field_put_number(out, r->vector);
}

void field_get_kind(const struct field_subject *s, struct field_values *out)
{
    const struct routine *const r = generation_at(&s->model->routines, s->id);
    if (r)
        field_put_number(out, r->kind);
}

/* ---- frames of stacks ---------------------------------------------------------------------------------------- */

void field_get_function(const struct field_subject *s, struct field_values *out)
{
    field_put_text(out, s->function);
}

void field_get_module(const struct field_subject *s, struct field_values *out)
{
    field_put_text(out, s->module);
}

void field_get_frame(const struct field_subject *s, struct field_values *out)
{
    field_get_module(s, out);
    field_get_function(s, out);
}

/* ---- any text ------------------------------------------------------------------------------------------------ */

static void get_process_texts(const struct field_subject *s, struct field_values *out)
{
    const struct process *const p = model_process_at(s->model, s->id);
    field_get_process(s, out);
    if (!p)
        return;
    char *const pid = field_put_room(out, NAME);
    snprintf(pid, NAME, "%u", p->pid);
    field_put_text(out, pid);
}

static void get_kind_texts(const struct field_subject *s, struct field_values *out)
{
    field_put_text(out, kind_provider(&s->model->kinds[s->id]));
    field_get_event(s, out);
}

static void get_connection_texts(const struct field_subject *s, struct field_values *out)
{
    const struct connection *const c = connection_of(s);
    for (unsigned is_remote = 0; c && is_remote < 2; is_remote++)
        field_put_text(out, model_connection_end(c, is_remote, field_put_room(out, END), END));
    field_get_url(s, out);
}

field_get *const field_texts[FIELD_GROUPS] = {
    [GROUP_PROCESS] = get_process_texts, [GROUP_KIND] = get_kind_texts,
    [GROUP_ENTITY] = field_get_path,     [GROUP_CONNECTION] = get_connection_texts,
    [GROUP_ROUTINE] = field_get_routine,
};
