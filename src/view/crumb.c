/* Crumbs: what each lets through, and what it is called. */
#include "src/pane/panes.h"
#include "src/pane/user_view.h"
#include "src/view/group.h"
#include "src/view/inside.h"
#include "src/view/names.h"
#include "src/view/stacks.h"
#include "src/view/values.h"

#include <stdio.h>
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
    if (f->class != FACT_SAMPLE)
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
    const struct pane *const p = c->of < pane_count() ? panes[c->of] : NULL;
    if (!p || !p->user_view || !(p->classes >> f->class & 1))
        return false;
    struct row_key key, wanted = c->key;
    if (!view_key(v, p, f, process, &key))
        return false;
    if (p->has_files && v->model->merges) {
        key.a = model_file_one(v->model, key.a);
        wanted.a = model_file_one(v->model, wanted.a);
    }
    return names_are_one(v->model, p, key, wanted) && view_pane_passes(v, p, f, process);
}

static bool crumb_passes(struct view *v, const struct crumb *c, const struct fact *f,
                         uint32_t process)
{
    switch ((enum crumb_kind)c->kind) {
    case CRUMB_PROCESS:
        return is_process(c->key.a, process);
    case CRUMB_DISK_PROCESS:
        return is_disk_operation(f) && f->place + 1 == c->key.a && is_process(c->key.b, process);
    case CRUMB_FILE: /* with a disk in key.b: what that disk did for it */
        if (c->key.b)
            return is_disk_operation(f) && f->place + 1 == c->key.b && is_file(v, c, f);
        return is_about_file(f) && is_file(v, c, f);
    case CRUMB_CONNECTION:
        return f->class == FACT_NETWORK && f->entity == c->key.a
               && is_process(c->key.b, process);
    case CRUMB_KEY:
        return f->class == FACT_REGISTRY && is_file(v, c, f) && is_process(c->key.b, process);
    case CRUMB_IMAGE:
        return is_process(c->key.b, process) && view_image_of(v, f, process) == c->key.a;
    case CRUMB_ROUTINE:
        return (f->class == FACT_DPC || f->class == FACT_ISR) && f->entity == c->key.a;
    case CRUMB_CALL:
        return f->class == FACT_SYSCALL && f->entity == c->key.a;
    case CRUMB_THREAD:
        return f->thread == c->key.a;
    case CRUMB_KIND:
        return f->kind + 1u == c->key.a;
    case CRUMB_GROUP:
        return group_has(v->model, c->key, process);
    case CRUMB_ROW:
        return is_of_row(v, c, f, process);
    case CRUMB_FOLDER:
    case CRUMB_FRAME: /* see view_fact_passes() */
    case CRUMB_NONE:
        break;
    }
    return true;
}

/* Idle, System and what it starts (Registry, Memory Compression, smss); on Linux kthreadd and
 * its threads. Modules of the kernel, and so drivers, stand under them. */
bool view_is_system(const struct view *v, struct row_key key)
{
    const struct process *const p = model_process_at(v->model, key_process(v->request.pane, key));
    if (!p)
        return false;
    const uint32_t root = v->model->sources[p->source].is_linux ? 2 : 4;
    return p->pid == 0 || p->pid == root || (p->has_parent && p->parent_pid == root);
}

/* What the crumb with this number lets through for want of an id: by path. */
static bool names_pass(struct view *v, unsigned crumb, const struct fact *f)
{
    if (v->request.crumbs[crumb].kind == CRUMB_FRAME)
        return view_frame_filter_passes(v, crumb, f);
    if (v->request.crumbs[crumb].kind != CRUMB_FOLDER)
        return true;
    const bool has_path = is_about_file(f) || f->class == FACT_REGISTRY;
    return has_path && f->entity && view_folder_passes(v, crumb, f);
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

bool view_fact_passes(struct view *v, const struct fact *f, uint32_t process)
{
    struct fact of;
    if (goes_by_stack(&v->request) && (f->class == FACT_SWITCH || f->class == FACT_READY)) {
        of = view_fact_of_stack(f);
        process = model_process_of(v->model, &of);
        f = &of;
    }
    for (unsigned i = 0; i < v->request.crumb_count; i++)
        if (!crumb_passes(v, &v->request.crumbs[i], f, process) || !names_pass(v, i, f))
            return false;
    return true;
}

void view_fill_crumbs(struct view *v, struct frame_maker *maker, struct row_context *x)
{
    for (unsigned i = 0; i < v->request.crumb_count; i++) {
        const struct crumb *c = &v->request.crumbs[i];
        char name[64], text[4200];
        const uint32_t process = c->kind == CRUMB_DISK_PROCESS ? c->key.b : c->key.a;
        const struct process *p = model_process_at(v->model, process);
        const char *label = process_label(x, process, name, sizeof name);
        const struct file *f = model_file_at(v->model, c->key.a);
        const struct thread *t = generation_at(&v->model->threads, c->key.a);
        const char *shown;
        switch ((enum crumb_kind)c->kind) {
        case CRUMB_PROCESS:
            snprintf(text, sizeof text, p && p->name ? "%s %u" : "%s", label, p ? p->pid : 0);
            break;
        case CRUMB_DISK_PROCESS:
            snprintf(text, sizeof text, p && p->name ? "disk %u · %s %u" : "disk %u · %s",
                     c->key.a - 1, label, p ? p->pid : 0);
            break;
        case CRUMB_FILE:
        case CRUMB_KEY:
            shown = model_path(v->model, f, text, sizeof text);
            if (shown != text)
                snprintf(text, sizeof text, "%s", shown ? shown : "(unknown)");
            break;
        case CRUMB_CONNECTION: {
            const struct connection *n = generation_at(&v->model->connections, c->key.a);
            if (n)
                model_connection_end(n, true, text, sizeof text);
            else
                snprintf(text, sizeof text, "(none)");
            break;
        }
        case CRUMB_IMAGE: {
            const struct image *image = generation_at(&v->model->images, c->key.a);
            const char *module = model_module_name(v->model, image);
            snprintf(text, sizeof text, "%s", module ? module : "(unknown)");
            break;
        }
        case CRUMB_ROUTINE:
        case CRUMB_CALL: {
            char room[512];
            snprintf(text, sizeof text, "%s",
                     model_routine_label(v->model, c->key.a, x->now_ns, room, sizeof room));
            break;
        }
        case CRUMB_GROUP: {
            char room[64];
            snprintf(text, sizeof text, "%s",
                     group_name_of_key(v->model, c->key, room, sizeof room));
            break;
        }
        case CRUMB_ROW: {
            const struct pane *const of = c->of < pane_count() ? panes[c->of] : NULL;
            text[0] = '\0';
            if (of && of->user_view)
                user_view_label(of->user_view, c->key, x, text, sizeof text);
            break;
        }
        case CRUMB_FRAME:
            snprintf(text, sizeof text, "%s", view_frame_filter_name(v, i));
            break;
        case CRUMB_FOLDER:
            snprintf(text, sizeof text, "%s", view_folder_name(v, i));
            break;
        case CRUMB_THREAD:
            snprintf(text, sizeof text, "thread %u", t ? t->tid : 0);
            break;
        case CRUMB_KIND: {
            const bool is_known = c->key.a && c->key.a <= v->model->kind_count;
            const struct kind *k = &v->model->kinds[is_known ? c->key.a - 1 : 0];
            char room[KIND_TEXT];
            snprintf(text, sizeof text, "%s %s", kind_provider(k), kind_event(k, room));
            break;
        }
        case CRUMB_NONE:
            text[0] = '\0';
            break;
        }
        const bool is_path =
            c->kind == CRUMB_FILE || c->kind == CRUMB_KEY || c->kind == CRUMB_FOLDER;
        maker->frame.crumb_names[i] =
            maker_text(maker, is_path ? VALUE_PATH : VALUE_TEXT, text, strlen(text));
    }
    maker->frame.crumb_count = v->request.crumb_count;
}
