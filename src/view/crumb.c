/* Crumbs: which facts belong to each, what it is called, and the filter that says the same. */
#include "src/os/os.h"
#include "src/pane/user_view.h"
#include "src/view/crumb.h"
#include "src/view/group.h"
#include "src/view/inside.h"
#include "src/view/names.h"
#include "src/view/stacks.h"
#include "src/view/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_process(uint32_t wanted, uint32_t process)
{
    return wanted ? process == wanted : !process || process & FACT_BY_THREAD;
}

static bool is_disk_operation(const struct fact *f)
{
    return f->class == FACT_DISK && (f->op == OP_READ || f->op == OP_WRITE || f->op == OP_FLUSH);
}

static bool is_about_file(const struct fact *f)
{
    return f->class == FACT_DISK || f->class == FACT_FILE || f->class == FACT_FAULT
           || f->class == FACT_NAME;
}

uint32_t view_image_of(const struct view *v, const struct fact *f, uint32_t process)
{
    if (f->class != FACT_SAMPLE && f->class != FACT_PMC)
        return f->class == FACT_IMAGE ? f->entity : 0;
    const struct process *p = model_process_at(v->model, process);
    return p && f->latency ? model_image_at(v->model, p->source, process, f->latency, f->time) : 0;
}

static bool is_file(const struct view *v, const struct crumb *c, const struct fact *f)
{
    const struct model *m = v->model;
    return f->entity == c->key.a
           || (m->merges && model_file_one(m, f->entity) == model_file_one(m, c->key.a));
}

/* What the user view counted in that row. */
static bool is_of_row(struct view *v, const struct crumb *c, const struct fact *f, uint32_t process)
{
    const struct pane *const p = c->of;
    if (!p || !p->user_view || !(p->classes >> f->class & 1))
        return false;
    struct row_key key, wanted = c->key;
    if (!view_key(v, p, f, process, &key))
        return false;
    if (p->has_files && v->model->merges) {
        key.a = model_file_one(v->model, key.a);
        wanted.a = model_file_one(v->model, wanted.a);
    }
    const struct row_context x = {
        .model = v->model, .dictionary = v->live->dictionary, .callbacks = &v->side_callbacks};
    return names_are_one(&x, p, key, wanted) && view_pane_passes(v, p, f, process);
}

/* ---- a row of the table for each kind ------------------------------------------------------- */

/* What the functions of a kind get to decide whether a fact belongs to a crumb. */
struct crumb_test {
    struct view *v;
    unsigned number; /* of the crumb */
    const struct crumb *c;
    const struct fact *f;
    uint32_t process; /* the fact's */
};

static bool process_passes(const struct crumb_test *t)
{
    return is_process(t->c->key.a, t->process);
}

static bool disk_process_passes(const struct crumb_test *t)
{
    return is_disk_operation(t->f) && t->f->place + 1 == t->c->key.a &&
           is_process(t->c->key.b, t->process);
}

/* With a disk in key.b: what that disk did for the file. */
static bool file_passes(const struct crumb_test *t)
{
    const uint32_t disk = t->c->key.b;
    return (disk ? is_disk_operation(t->f) && t->f->place + 1 == disk : is_about_file(t->f)) &&
           is_file(t->v, t->c, t->f);
}

static bool key_passes(const struct crumb_test *t)
{
    return t->f->class == FACT_REGISTRY && is_file(t->v, t->c, t->f) &&
           is_process(t->c->key.b, t->process);
}

static bool connection_passes(const struct crumb_test *t)
{
    return t->f->class == FACT_NETWORK && t->f->entity == t->c->key.a &&
           is_process(t->c->key.b, t->process);
}

static bool image_passes(const struct crumb_test *t)
{
    return is_process(t->c->key.b, t->process) &&
           view_image_of(t->v, t->f, t->process) == t->c->key.a;
}

static bool routine_passes(const struct crumb_test *t)
{
    return (t->f->class == FACT_DPC || t->f->class == FACT_ISR) && t->f->entity == t->c->key.a;
}

static bool call_passes(const struct crumb_test *t)
{
    return t->f->class == FACT_SYSCALL && t->f->entity == t->c->key.a;
}

static bool thread_passes(const struct crumb_test *t)
{
    return t->f->thread == t->c->key.a;
}

static bool kind_passes(const struct crumb_test *t)
{
    return t->f->kind + 1u == t->c->key.a;
}

static bool group_passes(const struct crumb_test *t)
{
    const uint32_t connection = t->f->class == FACT_NETWORK ? t->f->entity : 0;
    return group_has(t->v->model, t->c->key, (struct group_member){t->process, connection});
}

static bool row_passes(const struct crumb_test *t)
{
    return is_of_row(t->v, t->c, t->f, t->process);
}

static bool folder_passes(const struct crumb_test *t)
{
    const bool has_path = is_about_file(t->f) || t->f->class == FACT_REGISTRY;
    return has_path && t->f->entity && view_folder_passes(t->v, t->number, t->f);
}

static bool frame_passes(const struct crumb_test *t)
{
    return view_frame_filter_passes(t->v, t->number, t->f);
}

#define BIT(class) (1u << (class))

enum { CRUMB_TEXT = 4200 };

/* What they get to name a crumb, and write the texts of it in. */
struct crumb_text {
    const struct view *v;
    unsigned number;
    const struct crumb *c;
    struct row_context *x;
    char name[CRUMB_TEXT];
    char term[CRUMB_TEXT + 64];    /* the same as a filter for this trace; "" = there is none … */
    char lasting[CRUMB_TEXT + 64]; /* … and for others: without numbers of processes and threads */
    bool lacks_filter;             /* no filter says it */
    bool is_wider;                 /* the second lets more pass than the crumb */
};

/* What the pane of the row counts and has no value there. */
static void add_unknown(char *out, size_t room, const char *field, const struct pane *of)
{
    const struct field_def *const def = field_def_find(field, strlen(field));
    const uint32_t counted = of    ? of->classes
                             : def ? def->classes & ~BIT(FACT_IMAGE)
                                   : 0,
                   classes = (counted & FACT_EVENTS) == FACT_EVENTS ? 0 : counted;
    const char *before = " class=";
    size_t used = strlen(out);
    used += (size_t)snprintf(out + used, room - used, "%s!%s=*", used ? " " : "", field);
    for (const struct field_word *w = field_class_words; w->word && used < room; w++)
        if (classes >> w->number & 1) {
            used += (size_t)snprintf(out + used, room - used, "%s%s", before, w->word);
            before = ",";
        }
}

/* Appends FIELD="TEXT"; for an unknown value, that the field has none. False where no filter can
 * express it: other labels, and texts with a quote, which would end there. */
static bool add_term(const struct crumb_text *t, char *out, size_t room, const char *field,
                     const char *text)
{
    const size_t used = strlen(out);
    if (!text || !text[0] || strcmp(text, "(unknown)") == 0)
        add_unknown(out, room, field, t->c->of);
    else if (text[0] != '(' && !strchr(text, '"'))
        snprintf(out + used, room - used, "%s%s=\"%s\"", used ? " " : "", field, text);
    else
        return false;
    return true;
}

static void add_number(char *out, size_t room, const char *field, uint32_t number)
{
    const size_t used = strlen(out);
    snprintf(out + used, room - used, "%s%s=%u", used ? " " : "", field, number);
}

/* A part of them would be another filter. */
static void no_terms(struct crumb_text *t)
{
    t->lacks_filter = true;
    t->term[0] = t->lasting[0] = '\0';
}

static void both_terms(struct crumb_text *t, const char *field, const char *text)
{
    if (!add_term(t, t->term, sizeof t->term, field, text) ||
        !add_term(t, t->lasting, sizeof t->lasting, field, text))
        no_terms(t);
}

/* Numbers belong to one trace; only the idle process has the same one everywhere. */
static void process_terms(struct crumb_text *t, uint32_t process)
{
    const struct process *const p = model_process_at(t->v->model, process);
    if (!p) {
        both_terms(t, "pid", NULL);
        return;
    }
    add_number(t->term, sizeof t->term, "pid", p->pid);
    if (!p->pid)
        add_number(t->lasting, sizeof t->lasting, "pid", 0);
    else
        t->is_wider |= !p->name || !add_term(t, t->lasting, sizeof t->lasting, "proc", p->name);
}

static void process_text(struct crumb_text *t, uint32_t process, const char *before)
{
    char room[64];
    const struct process *const p = model_process_at(t->v->model, process);
    const char *const label = process_label(t->x, process, room, sizeof room);
    snprintf(t->name, sizeof t->name, p && p->name ? "%s%s %u" : "%s%s", before, label,
             p ? p->pid : 0);
    process_terms(t, process);
}

static void name_process(struct crumb_text *t)
{
    process_text(t, t->c->key.a, "");
}

static void name_disk_process(struct crumb_text *t)
{
    char label[DISK_LABEL], disk[DISK_LABEL + 8];
    const struct process *const p = model_process_at(t->v->model, t->c->key.b);
    snprintf(
        disk, sizeof disk, "%s · ",
        model_disk_label(t->v->model, p ? p->source : 0, t->c->key.a - 1, label, sizeof label));
    add_number(t->term, sizeof t->term, "disk", t->c->key.a - 1);
    add_number(t->lasting, sizeof t->lasting, "disk", t->c->key.a - 1);
    process_text(t, t->c->key.b, disk);
}

static void name_path(struct crumb_text *t, const char *field)
{
    const struct file *const f = model_file_at(t->v->model, t->c->key.a);
    const char *const path = model_path(t->v->model, f, t->name, sizeof t->name);
    if (path != t->name)
        snprintf(t->name, sizeof t->name, "%s", path ? path : "(unknown)");
    both_terms(t, field, t->name);
}

static void name_file(struct crumb_text *t)
{
    if (t->c->key.b) {
        add_number(t->term, sizeof t->term, "disk", t->c->key.b - 1);
        add_number(t->lasting, sizeof t->lasting, "disk", t->c->key.b - 1);
    }
    name_path(t, "path");
}

static void name_key(struct crumb_text *t)
{
    name_path(t, "key");
    if (t->c->key.b)
        process_terms(t, t->c->key.b);
}

static void name_connection(struct crumb_text *t)
{
    const struct connection *const n = generation_at(&t->v->model->connections, t->c->key.a);
    if (n)
        model_connection_end(n, true, t->name, sizeof t->name);
    else
        snprintf(t->name, sizeof t->name, "(none)");
}

static void name_image(struct crumb_text *t)
{
    const struct image *const image = generation_at(&t->v->model->images, t->c->key.a);
    const char *const module = model_module_name(t->v->model, image);
    snprintf(t->name, sizeof t->name, "%s", module ? module : "(unknown)");
}

static void routine_text(struct crumb_text *t, const char *field)
{
    char room[512];
    const char *const label =
        model_routine_label(t->v->model, t->c->key.a, t->x->now_ns, room, sizeof room);
    snprintf(t->name, sizeof t->name, "%s", label);
    both_terms(t, field, label);
}

static void name_routine(struct crumb_text *t)
{
    routine_text(t, "routine");
}

static void name_call(struct crumb_text *t)
{
    routine_text(t, "call");
}

static void name_thread(struct crumb_text *t)
{
    const struct thread *const thread = generation_at(&t->v->model->threads, t->c->key.a);
    const struct process *const p = thread ? model_process_at(t->v->model, thread->process) : NULL;
    snprintf(t->name, sizeof t->name, "thread %u", thread ? thread->tid : 0);
    t->is_wider = true;
    if (thread)
        add_number(t->term, sizeof t->term, "tid", thread->tid);
    if (p)
        process_terms(t, p->number);
}

static void name_kind(struct crumb_text *t)
{
    const struct model *const m = t->v->model;
    const bool is_known = t->c->key.a && t->c->key.a <= m->kind_count;
    const struct kind *const k = &m->kinds[is_known ? t->c->key.a - 1 : 0];
    char room[KIND_TEXT];
    const char *const event = kind_event(k, room);
    snprintf(t->name, sizeof t->name, "%s %s", kind_provider(k), event);
    both_terms(t, "provider", kind_provider(k));
    both_terms(t, "event", event);
}

static void name_group(struct crumb_text *t)
{
    char room[64];
    snprintf(t->name, sizeof t->name, "%s",
             group_name_of_key(t->v->model, t->c->key, room, sizeof room));
}

/* The field's part of the row's key: a number, or a text. */
static void part_term(struct crumb_text *t, const char *field, const char *text)
{
    const bool is_number = text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10;
    if (!is_number)
        both_terms(t, field, text);
    else if (text[0]) {
        add_number(t->term, sizeof t->term, field, (uint32_t)strtoul(text, NULL, 10));
        add_number(t->lasting, sizeof t->lasting, field, (uint32_t)strtoul(text, NULL, 10));
    }
}

/* What the pane itself leaves out, the filter leaves out, too. */
static void where_term(char *out, size_t room, const char *where)
{
    const size_t used = strlen(out);
    if (used && where)
        snprintf(out + used, room - used, " (%s)", where);
}

static void name_row(struct crumb_text *t)
{
    const struct pane *const of = t->c->of;
    const struct user_view *const d = of ? of->user_view : NULL;
    char text[512];
    bool is_asked = true;
    if (!d)
        return;
    user_view_label(d, t->c->key, t->x, t->name, sizeof t->name);
    for (unsigned i = 0; i < user_view_columns(d); i++) {
        const char *const field = user_view_part(d, i, t->c->key, t->x, text, sizeof text);
        if (field && strchr(field, '(')) { /* no filter has functions */
            no_terms(t);
            return;
        }
        if (field && !*field)
            process_terms(t, key_process(of, t->c->key));
        else if (field && strcmp(field, USER_VIEW_NO_FIELD) == 0)
            is_asked = false;
        else if (field)
            part_term(t, field, text);
    }
    if (!is_asked) {
        no_terms(t);
        return;
    }
    where_term(t->term, sizeof t->term, of->where);
    where_term(t->lasting, sizeof t->lasting, of->where);
}

static void name_frame(struct crumb_text *t)
{
    snprintf(t->name, sizeof t->name, "%s", view_frame_filter_name(t->v, t->number));
}

static void name_folder(struct crumb_text *t)
{
    snprintf(t->name, sizeof t->name, "%s", view_folder_name(t->v, t->number));
}

static const struct crumb_row {
    bool (*passes)(const struct crumb_test *t); /* does the fact belong to it? NULL: all do */
    void (*name)(struct crumb_text *t);         /* its name on screen, and as filters */
    bool is_path;                               /* the name is a path */
    uint32_t classes; /* operations that its call trees are made of; 0 = it stands for no kind */
} crumb_rows[] = {
    // clang-format off
    [CRUMB_NONE]         = { NULL,                NULL,              false, 0 },
    [CRUMB_PROCESS]      = { process_passes,      name_process,      false, 0 },
    [CRUMB_DISK_PROCESS] = { disk_process_passes, name_disk_process, false, BIT(FACT_DISK) },
    [CRUMB_FILE]         = { file_passes,         name_file,         true,  BIT(FACT_DISK) | BIT(FACT_FILE) },
    [CRUMB_THREAD]       = { thread_passes,       name_thread,       false, 0 },
    [CRUMB_KIND]         = { kind_passes,         name_kind,         false, 0 },
    [CRUMB_KEY]          = { key_passes,          name_key,          true,  BIT(FACT_REGISTRY) },
    [CRUMB_CONNECTION]   = { connection_passes,   name_connection,   false, BIT(FACT_NETWORK) },
    [CRUMB_IMAGE]        = { image_passes,        name_image,        false, 0 },
    [CRUMB_FOLDER]       = { folder_passes,       name_folder,       true,  0 },
    [CRUMB_FRAME]        = { frame_passes,        name_frame,        false, 0 },
    [CRUMB_ROUTINE]      = { routine_passes,      name_routine,      false, 0 },
    [CRUMB_CALL]         = { call_passes,         name_call,         false, BIT(FACT_SYSCALL) },
    [CRUMB_GROUP]        = { group_passes,        name_group,        false, 0 },
    [CRUMB_ROW]          = { row_passes,          name_row,          false, 0 },
    // clang-format on
};

static const struct crumb_row *row_of(const struct crumb *c)
{
    return &crumb_rows[c->kind < sizeof crumb_rows / sizeof *crumb_rows ? c->kind : CRUMB_NONE];
}

uint32_t crumb_classes(const struct crumb *c)
{
    return row_of(c)->classes;
}

/* Idle, System and what it starts (Registry, Memory Compression, smss); on Linux kthreadd and
 * its threads. Modules of the kernel, and so drivers, stand under them. */
static bool is_system(const struct view *v, const struct process *p)
{
    const uint32_t root = v->model->sources[p->source].is_linux ? 2 : 4;
    return p->pid == 0 || p->pid == root || (p->has_parent && p->parent_pid == root);
}

/* A recording may have had another process with our id. */
static bool is_self(const struct view *v, const struct process *p)
{
    return v->model->sources[p->source].is_live && p->pid == os_process_id();
}

bool view_is_unwatched(const struct view *v, struct row_key key)
{
    const struct pane *const pane = v->request.pane;
    if (!v->model->has_watched || !pane_is_of_processes(pane) || key_is_others(key))
        return false;
    const struct process *const p = model_process_at(v->model, key_process(pane, key));
    return !p || !model_watches(v->model, p);
}

bool view_picks_rows(const struct view *v)
{
    return filter_has(&v->filter, LEVEL_ROW) || v->request.hides ||
           (v->model->has_watched && pane_is_of_processes(v->request.pane));
}

bool view_hides(const struct view *v, struct row_key key)
{
    const unsigned hides = v->request.hides;
    const struct process *const p =
        hides ? model_process_at(v->model, key_process(v->request.pane, key)) : NULL;
    return p && ((hides & HIDE_SYSTEM && is_system(v, p)) || (hides & HIDE_SELF && is_self(v, p)));
}

struct fact view_fact_of_stack(const struct fact *f)
{
    struct fact of = *f;
    if (f->class != FACT_SWITCH && f->class != FACT_READY)
        return of;
    if (f->entity) {
        of.thread = f->entity;
        of.process = 0;
    } else {
        of.stack = 0;
    }
    return of;
}

static bool goes_by_stack(const struct request *r)
{
    for (unsigned i = 0; i < r->crumb_count; i++)
        if (r->crumbs[i].kind == CRUMB_FRAME)
            return true;
    return false;
}

/* The crumb that an event of the pane got to: where there is no row, the last of them is why. */
static void note_passed(struct view *v, const struct fact *f, unsigned count)
{
    if (v->request.pane->classes >> f->class & 1 && count + 1 > v->crumbs_passed)
        v->crumbs_passed = count + 1;
}

bool view_fact_passes(struct view *v, const struct fact *f, uint32_t process)
{
    struct fact of;
    if (goes_by_stack(&v->request) && (f->class == FACT_SWITCH || f->class == FACT_READY)) {
        of = view_fact_of_stack(f);
        process = model_process_of(v->model, &of);
        f = &of;
    }
    for (unsigned i = 0; i < v->request.crumb_count; i++) {
        const struct crumb_test t = {v, i, &v->request.crumbs[i], f, process};
        const struct crumb_row *const row = row_of(t.c);
        if (row->passes && !row->passes(&t)) {
            note_passed(v, f, i);
            return false;
        }
    }
    return true;
}

static struct value crumb_value(struct frame_maker *maker, enum value_type type, const char *text)
{
    return text[0] ? maker_text(maker, type, text, strlen(text)) : value_absent();
}

void view_fill_crumbs(struct view *v, struct frame_maker *maker, struct row_context *x)
{
    for (unsigned i = 0; i < v->request.crumb_count; i++) {
        struct crumb_text t;
        t.v = v, t.number = i, t.c = &v->request.crumbs[i], t.x = x;
        t.name[0] = t.term[0] = t.lasting[0] = '\0';
        const struct crumb_row *const row = row_of(t.c);
        t.lacks_filter = t.is_wider = false;
        if (row->name)
            row->name(&t);
        if (t.lacks_filter)
            no_terms(&t);
        maker->frame.crumbs[i] = (struct frame_crumb){
            .name =
                maker_text(maker, row->is_path ? VALUE_PATH : VALUE_TEXT, t.name, strlen(t.name)),
            .term = crumb_value(maker, VALUE_TEXT, t.term),
            .lasting = crumb_value(maker, VALUE_TEXT, t.lasting),
            .is_wider = t.is_wider || !t.lasting[0],
        };
    }
    maker->frame.crumb_count = v->request.crumb_count;
    maker->frame.emptied_by = (uint8_t)v->crumbs_passed;
}
