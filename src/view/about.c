/* What is asked for beside rows, as fields: accounts and sessions; marks, gaps and losses; all that
 * is known of one process. */
#include "src/base/mem.h"
#include "src/table/row_order.h"
#include "src/view/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counted {
    char name[128];
    unsigned count;
};

enum { COUNTED_MAX = 512 };

static void count(struct counted *all, unsigned *used, const char *name)
{
    unsigned i = 0;
    while (i < *used && strcmp(all[i].name, name) != 0)
        i++;
    if (i == COUNTED_MAX)
        return;
    if (i == *used)
        snprintf(all[(*used)++].name, sizeof all[0].name, "%.127s", name);
    all[i].count++;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct counted *)a)->name, ((const struct counted *)b)->name);
}

/* Accounts first, then sessions, each with the number of its processes. */
static void fill_users(const struct view *v, struct frame_maker *maker)
{
    struct counted *const all = mem_new(COUNTED_MAX, sizeof *all);
    char text[160];
    for (unsigned round = 0; round < 2; round++) {
        unsigned used = 0;
        for (uint32_t i = 0; i < v->model->processes.end; i++) {
            const struct process *const p = generation_place(&v->model->processes, i);
            if (!p || (round ? !p->has_session : !p->user))
                continue;
            snprintf(text, sizeof text, "session %u", p->session);
            count(all, &used, round ? text : process_user(p));
        }
        qsort(all, used, sizeof *all, by_name);
        for (unsigned i = 0; i < used; i++) {
            snprintf(text, sizeof text, "%u %s", all[i].count,
                     all[i].count == 1 ? "process" : "processes");
            maker_field(maker, all[i].name, text);
            all[i].count = 0;
        }
        memset(all, 0, COUNTED_MAX * sizeof *all);
    }
    free(all);
}

/* ---- marks and gaps ---------------------------------------------------------------------- */

static void put_instant(struct frame_maker *maker, int64_t ns, const char *text)
{
    maker_field(maker, "", text);
    maker->fields[maker->frame.field_count - 1].name =
        (struct value){.type = VALUE_INSTANT, .ns = ns};
}

/* Marks by their texts; stretches without any event, at their ends; and moments when losses
 * were noticed. All in order of time. */
static void fill_marks(struct view *v, struct frame_maker *maker)
{
    enum { MOST = 4096 };
    const struct dataset *const w = view_dataset(v);
    char text[400];
    int64_t newest = 0;
    unsigned loss = 0;
    const struct loss_note *const notes = v->losses ? v->losses->notes : NULL;
    const unsigned losses = v->losses ? v->losses->count : 0;
    for (uint64_t i = w->facts.first; i < w->facts.end && maker->frame.field_count < MOST; i++) {
        const struct fact *const f = facts_at(&w->facts, i);
        for (; loss < losses && notes[loss].time <= f->time; loss++) {
            snprintf(text, sizeof text, "loss of %llu", (unsigned long long)notes[loss].count);
            if (notes[loss].time >= newest)
                put_instant(maker, notes[loss].time, text);
        }
        if (newest && f->time - newest >= v->interval_ns) {
            snprintf(text, sizeof text, "gap of %.3f s without an event",
                     (double)(f->time - newest) / 1e9);
            put_instant(maker, f->time, text);
        }
        newest = f->time > newest ? f->time : newest;
        char name[2048];
        if (f->class != FACT_MARK)
            continue;
        view_event_text(v, f, name, sizeof name);
        snprintf(text, sizeof text, "mark %.380s", name);
        put_instant(maker, f->time, text);
    }
    for (; loss < losses; loss++) {
        snprintf(text, sizeof text, "loss of %llu", (unsigned long long)notes[loss].count);
        put_instant(maker, notes[loss].time, text);
    }
}

/* ---- a process ------------------------------------------------------------------------------ */

static void put(struct frame_maker *maker, const char *name, const char *text)
{
    if (text && *text)
        maker_field(maker, name, text);
}

static void put_count(struct frame_maker *maker, const char *name, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    maker_field(maker, name, text);
}

static void put_time(struct frame_maker *maker, const char *name, int64_t ns)
{
    maker_field(maker, name, "");
    if (ns)
        maker->fields[maker->frame.field_count - 1].text =
            (struct value){.type = VALUE_INSTANT, .ns = ns};
}

/* "services.exe 548, wininit.exe 528": who started it, and who that. */
static void put_ancestors(const struct view *v, struct frame_maker *maker, const struct process *p)
{
    enum { GENERATIONS = 8 };
    char text[600] = "";
    size_t used = 0;
    for (unsigned i = 0; i < GENERATIONS && p && p->has_parent; i++) {
        const struct process *const parent =
            model_process_at(v->model, model_parent_of(v->model, p->number));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.40s %u", i ? ", by " : "",
                                 parent && parent->name ? parent->name : "pid", p->parent_pid);
        p = parent;
        if (used + 64 > sizeof text)
            break;
    }
    put(maker, "Started by", text);
}

enum { LISTED = 200 }; /* of each kind of thing: a page or a few */

static void put_threads(const struct view *v, struct frame_maker *maker, uint32_t number)
{
    char text[300];
    unsigned count = 0;
    for (uint32_t i = 0; i < v->model->threads.end && count < LISTED; i++) {
        const struct thread *const t = generation_place(&v->model->threads, i);
        if (!t || t->process != number)
            continue;
        snprintf(text, sizeof text, "%u%s%.200s%s", t->tid, t->name ? " " : "",
                 t->name ? t->name : "", t->flags & LIFETIME_ENDED ? ", ended" : "");
        maker_field(maker, count++ ? "" : "Threads", text);
    }
}

static void put_children(const struct view *v, struct frame_maker *maker, uint32_t number)
{
    char text[300];
    unsigned count = 0;
    for (uint32_t i = 0; i < v->model->processes.end && count < LISTED; i++) {
        const struct process *const c = generation_place(&v->model->processes, i);
        if (!c || c->number == number || model_parent_of(v->model, c->number) != number)
            continue;
        snprintf(text, sizeof text, "%.200s %u%s", c->name ? c->name : "pid", c->pid,
                 c->flags & LIFETIME_ENDED ? ", ended" : "");
        maker_field(maker, count++ ? "" : "Started", text);
    }
}

static void put_modules(const struct view *v, struct frame_maker *maker, uint32_t number)
{
    char path[4200], text[4300];
    unsigned count = 0;
    for (uint32_t i = 0; i < v->model->images.end && count < LISTED; i++) {
        const struct image *const m = generation_place(&v->model->images, i);
        if (!m || m->process != number)
            continue;
        const char *const name =
            model_path(v->model, model_file_at(v->model, m->module), path, sizeof path);
        snprintf(text, sizeof text, "%#llx %s", (unsigned long long)m->base,
                 name ? name : "(unknown)");
        maker_field(maker, count++ ? "" : "Modules", text);
    }
}

static void put_connections(const struct view *v, struct frame_maker *maker, uint32_t number)
{
    char local[80], remote[80], text[200];
    unsigned count = 0;
    for (uint32_t i = 0; i < v->model->connections.end && count < LISTED; i++) {
        const struct connection *const n = generation_place(&v->model->connections, i);
        if (!n || n->process != number)
            continue;
        model_connection_end(n, false, local, sizeof local);
        model_connection_end(n, true, remote, sizeof remote);
        snprintf(text, sizeof text, "%s %s to %s%s", n->ends.is_udp ? "UDP" : "TCP", local, remote,
                 n->closed_ns ? ", closed" : "");
        maker_field(maker, count++ ? "" : "Connections", text);
    }
}

/* Files or keys that its events in the history are about, those used most first. */
struct used_thing {
    uint32_t entity;
    uint64_t events;
};

static int most_first(const void *a, const void *b)
{
    const struct used_thing *const x = a, *const y = b;
    if (x->events != y->events)
        return x->events > y->events ? -1 : 1;
    return (x->entity > y->entity) - (x->entity < y->entity);
}

static void put_things(const struct view *v, struct frame_maker *maker, uint32_t number,
                       const char *title, uint32_t classes)
{
    const struct dataset *const w = view_dataset(v);
    struct row_order met = {0};
    struct used_thing *all = NULL;
    size_t used = 0, room = 0;
    for (uint64_t i = w->facts.first; i < w->facts.end; i++) {
        const struct fact *const f = facts_at(&w->facts, i);
        if (!(classes >> f->class & 1) || !f->entity || model_process_of(v->model, f) != number)
            continue;
        const struct row_key key = {.a = model_file_one(v->model, f->entity)};
        uint32_t rank = row_order_rank(&met, key);
        if (!rank) {
            if (used == room)
                all = mem_grow(all, room = room ? 2 * room : 64, sizeof *all);
            all[used++] = (struct used_thing){key.a, 0};
            rank = row_order_add(&met, key);
        }
        all[rank - 1].events++;
    }
    if (used)
        qsort(all, used, sizeof *all, most_first);
    for (size_t i = 0, count = 0; i < used && count < LISTED; i++) {
        char path[4200], text[4300];
        const char *const name =
            model_path(v->model, model_file_at(v->model, all[i].entity), path, sizeof path);
        if (!name)
            continue;
        snprintf(text, sizeof text, "%llu events: %s", (unsigned long long)all[i].events, name);
        maker_field(maker, count++ ? "" : title, text);
    }
    free(all);
    row_order_clear(&met);
}

static void fill_process(const struct view *v, struct frame_maker *maker, struct row_context *x,
                         uint32_t number)
{
    const struct process *const p = model_process_at(v->model, number);
    char room[64], text[160];
    put(maker, "Name", process_label(x, number, room, sizeof room));
    if (!p)
        return;
    put_count(maker, "Process id", p->pid);
    put(maker, "Command line", p->command);
    put_ancestors(v, maker, p);
    if (p->user && process_user(p) != p->user)
        snprintf(text, sizeof text, "%s (%.100s)", process_user(p), p->user);
    else
        snprintf(text, sizeof text, "%.150s", p->user ? p->user : "");
    put(maker, "User", text);
    if (p->has_session)
        put_count(maker, "Session", p->session);
    if (p->start_ns)
        put_time(maker, "Begun at", p->start_ns);
    if (p->flags & LIFETIME_ENDED) {
        put_time(maker, "Ended at", p->end_ns);
        snprintf(text, sizeof text, "%d (%#x)", p->exit_status, (unsigned)p->exit_status);
        put(maker, "Exit status", text);
    }
    put_count(maker, "Threads alive", p->threads);
    put_children(v, maker, number);
    put_connections(v, maker, number);
    put_things(v, maker, number, "Files used",
               1u << FACT_FILE | 1u << FACT_DISK | 1u << FACT_FAULT);
    put_things(v, maker, number, "Keys used", 1u << FACT_REGISTRY);
    put_modules(v, maker, number);
    put_threads(v, maker, number);
}

void view_fill_about(struct view *v, struct frame_maker *maker, struct row_context *x)
{
    const struct request *const r = &v->request;
    maker->frame.about = r->about;
    if (r->about == ABOUT_USERS)
        fill_users(v, maker);
    if (r->about == ABOUT_MARKS)
        fill_marks(v, maker);
    if (r->about == ABOUT_SEEN)
        view_fill_seen(v, maker);
    if (r->about == ABOUT_ROW && r->pane->view == PANE_TABLE && r->has_anchor &&
        pane_is_of_processes(r->pane))
        fill_process(v, maker, x, key_process(r->pane, r->anchor));
}
