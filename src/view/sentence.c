#include "src/view/sentence.h"

#include "src/base/bytes.h"
#include "src/base/scale.h"
#include "src/event/decode/names.h"
#include "src/event/manifest_table.h"
#include "src/event/message.h"
#include "src/event/status.h"
#include "src/table/getters.h"

#include <stdio.h>
#include <string.h>

/* What is asked about; what it takes a search to know is looked for once. */
struct asked {
    struct view *v;
    const struct fact *fact;
    const struct decoded_event *e;
    struct row_context x;
    const struct fact *ready, *left; /* of switches: see find_wait() */
    bool has_searched;
};

/* Puts a text, NUL-terminated; false where it is not known. */
typedef bool fact_text(struct asked *a, char *out, size_t room);

static bool put(char *out, size_t room, const char *text)
{
    if (!text)
        return false;
    snprintf(out, room, "%s", text);
    return true;
}

static bool put_time(char *out, size_t room, int64_t ns)
{
    return ns >= 0 && scale_time((double)ns, out, room) > 0;
}

static const struct decoded *field_named(const struct asked *a, const char *name)
{
    for (unsigned i = 0; i < a->e->count; i++)
        if (a->e->fields[i].is_present && strcmp(a->e->fields[i].field->name, name) == 0)
            return &a->e->fields[i];
    return NULL;
}

/* ---- processes and threads ---------------------------------------------------------------------- */

enum { IDLE_TID = 0 }; /* it never waits */

/* "chrome.exe (1234)" */
static bool put_process(struct asked *a, uint32_t number, char *out, size_t room)
{
    char label[32];
    const struct process *const p = model_process_at(a->v->model, number);
    if (!p)
        return false;
    if (!p->name || *p->name == '(') /* which says its id, and "(idle)" */
        return put(out, room, process_label(&a->x, number, label, sizeof label));
    snprintf(out, room, "%s (%u)", p->name, p->pid);
    return true;
}

/* A thread by its process, "chrome.exe (1234)": the id is the thread's. */
static bool put_thread(struct asked *a, uint32_t number, char *out, size_t room)
{
    char label[32];
    const struct thread *const t = generation_at(&a->v->model->threads, number);
    const struct process *const p = t ? model_process_at(a->v->model, t->process) : NULL;
    if (!t)
        return false;
    if (t->tid == IDLE_TID)
        return put(out, room, "idle");
    if (p)
        snprintf(out, room, "%s (%u)", process_label(&a->x, t->process, label, sizeof label),
                 t->tid);
    else
        snprintf(out, room, "thread %u", t->tid);
    return true;
}

static uint32_t process_number(const struct asked *a)
{
    return model_process_of(a->v->model, a->fact);
}

static bool text_process(struct asked *a, char *out, size_t room)
{
    return put_process(a, process_number(a), out, room);
}

static bool text_thread(struct asked *a, char *out, size_t room)
{
    return put_thread(a, a->fact->thread, out, room);
}

/* The process that had the id of the parent when the child began; 0: none is known. */
static uint32_t parent_then(const struct model *m, const struct process *child)
{
    const int64_t begun = child->start_ns ? child->start_ns : child->first_ns;
    uint32_t best = 0;
    int64_t best_ns = INT64_MIN;
    for (uint32_t i = 0; i < m->processes.end; i++) {
        const struct process *const p = generation_place(&m->processes, i);
        if (!p || p->pid != child->parent_pid || p->source != child->source || p == child)
            continue;
        if ((p->start_ns && p->start_ns > begun) || (p->end_ns && p->end_ns < begun) ||
            p->first_ns < best_ns)
            continue;
        best = p->number;
        best_ns = p->first_ns;
    }
    return best;
}

static bool text_parent(struct asked *a, char *out, size_t room)
{
    const struct model *const m = a->v->model;
    const struct process *const p = model_process_at(m, process_number(a));
    if (!p || !p->has_parent)
        return false;
    const uint32_t parent = model_parent_of(m, p->number);
    if (put_process(a, parent ? parent : parent_then(m, p), out, room))
        return true;
    snprintf(out, room, "%u", p->parent_pid);
    return p->parent_pid != 0;
}

static bool text_command(struct asked *a, char *out, size_t room)
{
    const struct process *const p = model_process_at(a->v->model, process_number(a));
    return put(out, room, p ? p->command : NULL);
}

static bool text_lifetime(struct asked *a, char *out, size_t room)
{
    const struct process *const p = model_process_at(a->v->model, process_number(a));
    const bool is_known = p && p->start_ns && a->fact->op == OP_END && a->fact->time >= p->start_ns;
    return is_known && put_time(out, room, a->fact->time - p->start_ns);
}

/* ---- the scheduler ------------------------------------------------------------------------------ */

/* Of a switch: the event that made the coming thread ready, and the switch by which it had left its
 * processor. Both lie before it, the first mostly close by. */
static void find_wait(struct asked *a)
{
    enum { MOST = 8192 }; /* facts, half a MiB */
    const struct facts *const s = &view_scanned(a->v)->facts;
    uint64_t number;
    const struct thread *const t = a->fact->class == FACT_SWITCH
                                       ? generation_at(&a->v->model->threads, a->fact->entity)
                                       : NULL;
    if (a->has_searched || !t || t->tid == IDLE_TID || !facts_number(s, a->fact, &number))
        return;
    a->has_searched = true;
    const uint64_t first = number - s->first > MOST ? number - MOST : s->first;
    while (number > first && !a->left) {
        const struct fact *const f = facts_at(s, --number);
        if (f->thread != a->fact->entity || f->time > a->fact->time)
            continue;
        if (f->class == FACT_READY && !a->ready)
            a->ready = f;
        else if (f->class == FACT_SWITCH)
            a->left = f;
        if (a->ready && a->ready->flags & FACT_HAS_LATENCY)
            return;
    }
}

static const struct fact *ready_of(struct asked *a)
{
    find_wait(a);
    return a->fact->class == FACT_READY ? a->fact : a->ready;
}

static bool was_waiting(const struct fact *left)
{
    enum { WAITING = 5 };
    return (left->place >> 8 & 0xff) == WAITING;
}

static bool text_old(struct asked *a, char *out, size_t room)
{
    return a->fact->class == FACT_SWITCH && put_thread(a, a->fact->thread, out, room);
}

static bool text_new(struct asked *a, char *out, size_t room)
{
    return a->fact->class == FACT_SWITCH && put_thread(a, a->fact->entity, out, room);
}

static bool text_waited(struct asked *a, char *out, size_t room)
{
    const struct fact *const r = ready_of(a);
    return r && r->flags & FACT_HAS_LATENCY && put_time(out, room, (int64_t)r->latency);
}

/* Where the time it became ready is unknown. */
static bool text_off(struct asked *a, char *out, size_t room)
{
    return !ready_of(a) && a->left && was_waiting(a->left) &&
           put_time(out, room, a->fact->time - a->left->time);
}

static bool text_why(struct asked *a, char *out, size_t room)
{
    const struct fact *const r = ready_of(a);
    if (!(r && r->place) && !a->left)
        return false;
    const uint32_t left = a->left ? wait_place(a->left->place & 0xff, 0, a->e->is_linux) : 0;
    return put(out, room, wait_name(r && r->place ? r->place : left));
}

/* From the moment that it could have run: it was made ready, or had to leave its processor. */
static bool text_readied(struct asked *a, char *out, size_t room)
{
    const struct fact *const r = ready_of(a);
    if (r)
        return put_time(out, room, a->fact->time - r->time);
    return a->left && !was_waiting(a->left) && put_time(out, room, a->fact->time - a->left->time);
}

static bool text_waker(struct asked *a, char *out, size_t room)
{
    const struct fact *const r = ready_of(a);
    return r && put_thread(a, r->entity, out, room);
}

/* ---- files, keys, code --------------------------------------------------------------------------- */

static bool text_path(struct asked *a, char *out, size_t room)
{
    char path[FIELD_ROOM];
    const struct model *const m = a->v->model;
    const struct file *const f = fact_file(m, a->fact);
    const struct process *const p =
        a->fact->class == FACT_IMAGE ? model_process_at(m, process_number(a)) : NULL;
    return f && f->name &&
           put(out, room, path_shown(&a->x, p ? p->source : f->source, f->name, path, sizeof path));
}

static bool text_key(struct asked *a, char *out, size_t room)
{
    return a->fact->class == FACT_REGISTRY && text_path(a, out, room);
}

/* Events of keys have the name below a key that was open already, or the whole one. */
static bool text_subkey(struct asked *a, char *out, size_t room)
{
    char name[1024] = "";
    if (!text_key(a, out, room))
        return false;
    const struct decoded *const d = field_named(a, "KeyName");
    if (d)
        decode_format(d, name, sizeof name);
    const size_t used = strlen(out);
    if (*name && strcmp(name, out) != 0 && *name != '\\')
        snprintf(out + used, room - used, "\\%s", name);
    return true;
}

/* By the disposition, the highest byte of CreateOptions. */
static bool text_opening(struct asked *a, char *out, size_t room)
{
    static const char *const words[] = {"supersede",      "open",      "create",
                                        "open or create", "overwrite", "overwrite or create"};
    const struct decoded *const d = field_named(a, "CreateOptions");
    const unsigned disposition = d ? d->number >> 24 & 0xff : UINT8_MAX;
    return disposition < sizeof words / sizeof *words && put(out, room, words[disposition]);
}

/* Bytes that a file operation read or wrote, as its end says. */
static bool text_moved(struct asked *a, char *out, size_t room)
{
    const struct fact *const f = a->fact;
    const bool moves =
        f->class == FACT_FILE && f->op == OP_END && (f->place == OP_READ || f->place == OP_WRITE);
    return moves && !(f->flags & FACT_FAILED) && scale_bytes((double)f->value, out, room) > 0;
}

static bool text_function(struct asked *a, char *out, size_t room)
{
    uint64_t frames[2 * STACK_FRAMES];
    const struct model *const m = a->v->model;
    const struct fact *const f = a->fact;
    if (f->class != FACT_SAMPLE && f->class != FACT_PMC)
        return false;
    const struct stack *const s = generation_at(&m->stack_store.stacks, f->stack);
    if (s && model_stack_frames(m, s, frames) && frames[0] == f->latency) {
        const struct site site = site_of(&a->v->sites, m, s, frames, 0);
        site_text(&a->v->sites, m, &site, out, room);
        return true;
    }
    const struct image *const i =
        generation_at(&m->images, view_image_of(a->v, f, process_number(a)));
    const char *const module = i ? model_module_name(m, i) : NULL;
    if (!module || f->latency < i->base)
        return false;
    snprintf(out, room, "%s!+0x%llx", module, (unsigned long long)(f->latency - i->base));
    return true;
}

/* "ntdll.dll!TpCallbackIndependent", "ntdll.dll!+0x1c3f1": code of the event's process. */
static bool put_code(struct asked *a, uint64_t address, char *out, size_t room)
{
    const struct model *const m = a->v->model;
    const struct process *const p = model_process_at(m, process_number(a));
    if (!p || !address)
        return false;
    const struct stack like = {.source = p->source, .process = p->number, .time = a->fact->time};
    const struct site site = site_of(&a->v->sites, m, &like, &address, 0);
    if (!site.module && !site.function)
        return false;
    site_text(&a->v->sites, m, &site, out, room);
    return true;
}

static bool text_code(struct asked *a, char *out, size_t room)
{
    const struct decoded *const d = field_named(a, "ProgramCounter");
    return d && put_code(a, d->number, out, room);
}

static bool text_entry(struct asked *a, char *out, size_t room)
{
    const struct decoded *const d = field_named(a, "Win32StartAddr");
    return d && put_code(a, d->number, out, room);
}

/* "1.00 ms", and of counters "65536 events": the field is in units of 100 ns, or events. */
static bool put_interval(const struct asked *a, const char *name, char *out, size_t room)
{
    const struct decoded *const source = field_named(a, "Source"), *const d = field_named(a, name);
    if (!source || !d)
        return false;
    if (source->number)
        return snprintf(out, room, "%llu events", (unsigned long long)d->number), true;
    return put_time(out, room, (int64_t)d->number * 100);
}

static bool text_interval(struct asked *a, char *out, size_t room)
{
    return put_interval(a, "NewInterval", out, room);
}

static bool text_old_interval(struct asked *a, char *out, size_t room)
{
    return put_interval(a, "OldInterval", out, room);
}

/* Of the image that lies, or lay last, where the event says. */
static bool text_module(struct asked *a, char *out, size_t room)
{
    const struct model *const m = a->v->model;
    const struct process *const p = model_process_at(m, process_number(a));
    const struct decoded *const d = field_named(a, "ImageBase");
    if (!p || !d)
        return false;
    const uint32_t number = model_image_based(m, p->source, p->number, d->number, a->fact->time);
    const struct image *const i = generation_at(&m->images, number);
    return i && put(out, room, model_module_name(m, i));
}

/* "Microsoft-Windows-PktMon, event 65": what an EventInfo record is about. */
static bool text_described(struct asked *a, char *out, size_t room)
{
    enum { PROVIDER = 0, ID = 32 };
    const struct event *const e = a->e->event;
    char text[GUID_TEXT];
    struct guid g;
    size_t bytes;
    if (e->payload_bytes < ID + 2)
        return false;
    memcpy(g.b, e->payload + PROVIDER, sizeof g);
    const char *const name = manifest_table_provider(&g, &bytes);
    snprintf(out, room, "%.*s, event %u", bytes ? (int)bytes : GUID_TEXT,
             bytes ? name : guid_format(&g, text), load_u16(e->payload + ID));
    return true;
}

/* The other end, by what a query of a name found. */
static bool text_host(struct asked *a, char *out, size_t room)
{
    const struct model *const m = a->v->model;
    const struct connection *const c =
        a->fact->class == FACT_NETWORK ? generation_at(&m->connections, a->fact->entity) : NULL;
    return c && put(out, room, model_host(m, c->ends.remote, c->ends.is_v6));
}

/* The word of filters for it. */
static bool text_operation(struct asked *a, char *out, size_t room)
{
    const struct field_def *const op = field_def_find("op", 2);
    uint64_t number;
    if (!op->number(a->fact, &number) || number == OP_OTHER)
        return false;
    for (const struct field_word *w = op->words; w && w->word; w++)
        if (w->number == number)
            return put(out, room, w->word);
    return false;
}

/* ---- how it ended ------------------------------------------------------------------------------- */

static bool has_result(const struct fact *f)
{
    return f->class == FACT_REGISTRY || (f->class == FACT_NETWORK && f->op == OP_FAIL) ||
           ((f->class == FACT_FILE || f->class == FACT_SYSCALL) && f->op == OP_END);
}

static bool text_status(struct asked *a, char *out, size_t room)
{
    char text[STATUS_TEXT];
    if (!has_result(a->fact) || !a->fact->status)
        return false;
    status_format(a->fact->status, text);
    return put(out, room, text);
}

static bool text_result(struct asked *a, char *out, size_t room)
{
    return text_status(a, out, room) || (has_result(a->fact) && put(out, room, "success"));
}

static bool text_latency(struct asked *a, char *out, size_t room)
{
    return a->fact->flags & FACT_HAS_LATENCY && put_time(out, room, (int64_t)a->fact->latency);
}

/* ---- the table ---------------------------------------------------------------------------------- */

/* Facts that are no field of the registry (src/field/field.h), or that read otherwise in a
 * sentence. All other names are fields. */
static const struct {
    const char *name;
    fact_text *text;
} facts[] = {
    {"cmd", text_command},
    {"code", text_code},
    {"described", text_described},
    {"entry", text_entry},
    {"function", text_function},
    {"host", text_host},
    {"interval", text_interval},
    {"key", text_key},
    {"lat", text_latency},
    {"lifetime", text_lifetime},
    {"module", text_module},
    {"moved", text_moved},
    {"new", text_new},
    {"off", text_off},
    {"old", text_old},
    {"old_interval", text_old_interval},
    {"opening", text_opening},
    {"operation", text_operation},
    {"parent", text_parent},
    {"path", text_path},
    {"process", text_process},
    {"readied", text_readied},
    {"result", text_result},
    {"status", text_status},
    {"subkey", text_subkey},
    {"thread", text_thread},
    {"waited", text_waited},
    {"waker", text_waker},
    {"why", text_why},
};

enum { FACTS = sizeof facts / sizeof *facts };

static fact_text *find(const char *name, size_t bytes)
{
    for (unsigned i = 0; i < FACTS; i++)
        if (strlen(facts[i].name) == bytes && memcmp(facts[i].name, name, bytes) == 0)
            return facts[i].text;
    return NULL;
}

bool view_sentence_knows(const char *name, size_t bytes)
{
    return find(name, bytes) || field_def_find(name, bytes);
}

/* ---- fields of the registry --------------------------------------------------------------------- */

static bool put_number(const struct field_def *d, uint64_t number, char *out, size_t room)
{
    if (d->type == TYPE_SIZE)
        return scale_bytes((double)number, out, room) > 0;
    if (d->type == TYPE_TIME)
        return put_time(out, room, (int64_t)number);
    for (const struct field_word *w = d->words; w && w->word; w++)
        if (w->number == number)
            return put(out, room, w->word);
    snprintf(out, room, "%llu", (unsigned long long)number);
    return d->type != TYPE_WORD;
}

static uint32_t subject_of(const struct asked *a, const struct field_def *d)
{
    switch ((enum field_group)d->group) {
    case GROUP_PROCESS:
        return process_number(a);
    case GROUP_THREAD:
        return a->fact->thread;
    case GROUP_KIND:
        return a->fact->kind;
    default:
        return a->fact->entity;
    }
}

/* The first text, else the first number. */
static bool put_values(const struct field_def *d, const struct field_values *all, char *out,
                       size_t room)
{
    for (unsigned i = 0; i < all->count; i++)
        if (all->of[i].kind == FIELD_TEXT && all->of[i].bytes) {
            snprintf(out, room, "%.*s", (int)all->of[i].bytes, all->of[i].text);
            return true;
        }
    return all->count && all->of[0].kind == FIELD_NUMBER &&
           put_number(d, all->of[0].number, out, room);
}

static bool put_field(struct asked *a, const struct field_def *d, char *out, size_t room)
{
    struct field_values values = {.count = 0};
    struct field_record record = {.event = *a->e->event, .is_read = true};
    const struct field_subject s = {
        .model = a->v->model,
        .fact = a->fact,
        .id = subject_of(a, d),
        .now_ns = a->fact->time,
        .callbacks = &a->v->side_callbacks,
        .record = &record,
    };
    uint64_t number;
    if (d->classes && !(d->classes >> a->fact->class & 1))
        return false;
    if (d->number)
        return d->number(a->fact, &number) && put_number(d, number, out, room);
    if (!d->get)
        return false;
    d->get(&s, &values);
    return put_values(d, &values, out, room);
}

/* ---- the line ----------------------------------------------------------------------------------- */

static bool fact(void *of, const char *name, size_t bytes, char *out, size_t room)
{
    fact_text *const text = find(name, bytes);
    const struct field_def *const d = text ? NULL : field_def_find(name, bytes);
    return text ? text(of, out, room) : d && put_field(of, d, out, room);
}

size_t view_sentence(struct view *v, const struct fact *f, const struct decoded_event *e, char *out,
                     size_t room)
{
    const char *const template = sentence_template(e->event);
    struct asked a = {
        .v = v,
        .fact = f,
        .e = e,
        .x = {.model = v->model, .paths = v->request.paths, .now_ns = f->time},
    };
    const struct sentence_items items = {
        .fields = e->fields, .count = e->count, .is_linux = e->is_linux, .of = &a, .fact = fact};
    const size_t bytes = template ? sentence_put(template, &items, out, room) : 0;
    return bytes || !message_has_words(e->schema->message)
               ? bytes
               : message_format(e->schema->message, e->fields, e->count, e->is_linux, out, room);
}
