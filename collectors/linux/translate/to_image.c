/* Images: executable mappings of processes. The side band reports when one comes (MMAP2), not when
 * it goes: a process that calls exec or ends loses all, and a new mapping takes the place of those
 * that it overlaps. A table remembers the images of each process, so that their UnLoad can be
 * reported; a fork inherits its parent's without events (task_record.h). */
#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/task.h"
#include "collectors/linux/translate/task_record.h"
#include "src/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A large program has some hundred images. With no room left, the oldest places are reused: their
 * images get no UnLoad; the next image at the same addresses ends them all the same. */
enum { PLACES = 1 << 16, HEADS = 1 << 14 };

struct place {
    uint64_t base, size;
    uint32_t pid;
    uint32_t next; /* index + 1, of the same head or of the free ones */
};

struct images {
    uint32_t heads[HEADS]; /* by pid; index + 1 */
    uint32_t free, used;   /* index + 1; places that were ever taken */
    uint32_t next;         /* to be given up */
    struct place places[PLACES];
};

static void report_unload(struct translator *t, const struct sample *s, const struct place *p)
{
    const struct record_from from = {s->pid, s->tid, s->cpu, s->time};
    const struct image_record r = {.pid = p->pid, .base = p->base, .size = p->size};
    put_image(t, HOOK_IMAGE_UNLOAD, &from, &r);
}

static bool overlaps(const struct place *p, uint64_t base, uint64_t size)
{
    return base < p->base ? p->base - base < size : base - p->base < p->size;
}

/* Removes the process's images in this range, and reports each. */
static void unload(struct translator *t, const struct sample *s, uint32_t pid, uint64_t base,
                   uint64_t size)
{
    struct images *const all = t->state[DOMAIN_IMAGE];
    for (uint32_t *link = &all->heads[pid % HEADS]; *link;) {
        const uint32_t index = *link;
        struct place *const p = &all->places[index - 1];
        if (p->pid != pid || !overlaps(p, base, size)) {
            link = &p->next;
            continue;
        }
        report_unload(t, s, p);
        *link = p->next;
        p->next = all->free;
        all->free = index;
    }
}

/* The index + 1 of a place that is taken from whoever has it. */
static uint32_t give_up_place(struct images *all)
{
    const uint32_t index = all->next++ % PLACES + 1;
    struct place *const p = &all->places[index - 1];
    uint32_t *link = &all->heads[p->pid % HEADS];
    while (*link != index)
        link = &all->places[*link - 1].next;
    *link = p->next;
    return index;
}

static void remember(struct translator *t, uint32_t pid, uint64_t base, uint64_t size)
{
    struct images *const all = t->state[DOMAIN_IMAGE];
    uint32_t index = all->free;
    if (index)
        all->free = all->places[index - 1].next;
    else
        index = all->used < PLACES ? ++all->used : give_up_place(all);
    uint32_t *const head = &all->heads[pid % HEADS];
    all->places[index - 1] = (struct place){base, size, pid, *head};
    *head = index;
}

void image_met(struct translator *t, uint32_t pid, uint64_t base, uint64_t size)
{
    const struct images *const all = t->state[DOMAIN_IMAGE];
    if (!all || !size)
        return;
    for (uint32_t index = all->heads[pid % HEADS]; index; index = all->places[index - 1].next) {
        const struct place *const p = &all->places[index - 1];
        if (p->pid == pid && overlaps(p, base, size))
            return;
    }
    remember(t, pid, base, size);
}

static void take_map(struct translator *t, const struct sample *s)
{
    enum { EXECUTABLE = 4 };
    static const uint32_t KERNEL = UINT32_MAX;
    struct band_map m;
    if (!band_map(s, &m) || !m.size)
        return;
    const uint32_t pid = m.pid == KERNEL ? 0 : m.pid;
    unload(t, s, pid, m.base, m.size);
    if (!(m.protection & EXECUTABLE))
        return;
    remember(t, pid, m.base, m.size);
    const struct record_from from = {pid, pid ? m.tid : 0, s->cpu, s->time};
    const struct image_record r = {
        .pid = pid,
        .base = m.base,
        .size = m.size,
        .path = m.name,
        .offset = m.offset,
        .dev = m.dev,
        .inode = m.inode,
        .build_id = m.build_id,
        .build_id_bytes = m.build_id_bytes,
    };
    put_image(t, HOOK_IMAGE_LOAD, &from, &r);
}

/* Its memory is gone before it has ended or runs another program. */
static void image_side_band(struct translator *t, const struct sample *s)
{
    struct band_comm c;
    struct band_task x;
    if (s->type == PERF_RECORD_MMAP2)
        take_map(t, s);
    else if (s->type == PERF_RECORD_COMM && s->misc & PERF_RECORD_MISC_COMM_EXEC) {
        if (band_comm(s, &c))
            unload(t, s, c.pid, 0, UINT64_MAX);
    } else if (s->type == PERF_RECORD_EXIT) {
        if (band_task(s, &x) && task_has_ended(t, x.pid))
            unload(t, s, x.pid, 0, UINT64_MAX);
    }
}

static void image_start(struct translator *t)
{
    t->state[DOMAIN_IMAGE] = mem_new(1, sizeof(struct images));
}

static void image_stop(struct translator *t)
{
    free(t->state[DOMAIN_IMAGE]);
    t->state[DOMAIN_IMAGE] = NULL;
}

static size_t image_bytes(const struct translator *t)
{
    const struct images *const all = t->state[DOMAIN_IMAGE];
    return all ? sizeof all->heads + all->used * sizeof *all->places : 0;
}

const struct linux_domain domain_image = {
    .id = "image",
    .side_band = image_side_band,
    .start = image_start,
    .stop = image_stop,
    .bytes = image_bytes,
};
