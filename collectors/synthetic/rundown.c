/* Lists of what exists: configuration at the start, then (or, with a late rundown, at
 * the end) every process, thread, image, registry key and file name. One step logs one
 * slot of one list, so that no step is long. */
#include "collectors/synthetic/machine.h"

struct list {
    unsigned slots;
    void (*log)(struct synthetic *s, unsigned slot, bool is_end);
};

static void list_masks(struct synthetic *s, unsigned slot, bool is_end)
{
    (void)slot, (void)is_end;
    log_masks(s, KIND_MASKS);
}

static void list_config(struct synthetic *s, unsigned slot, bool is_end)
{
    (void)is_end;
    if (slot < SYNTHETIC_DISKS)
        log_disk_config(s, slot);
    else if (slot == SYNTHETIC_DISKS)
        log_cpu_config(s);
    else
        log_interval(s);
}

static void list_begin(struct synthetic *s, unsigned slot, bool is_end)
{
    (void)slot, (void)is_end;
    log_masks(s, KIND_RUNDOWN_BEGIN);
}

static void list_process(struct synthetic *s, unsigned slot, bool is_end)
{
    const struct demo_process *p = &s->processes[slot];
    if (p->is_used)
        log_process(s, 0, is_end ? KIND_PROCESS_DCEND : KIND_PROCESS_DCSTART, p);
}

static void list_thread(struct synthetic *s, unsigned slot, bool is_end)
{
    const struct demo_thread *t = &s->threads[slot];
    if (t->state != THREAD_FREE)
        log_thread(s, 0, is_end ? KIND_THREAD_DCEND : KIND_THREAD_DCSTART, t);
}

static void list_kernel_image(struct synthetic *s, unsigned slot, bool is_end)
{
    if (slot >= kernel_image_count)
        return;
    const struct demo_image *m = &kernel_images[slot];
    log_image(s, 0, is_end ? KIND_KERNEL_IMAGE_DCEND : KIND_KERNEL_IMAGE_DCSTART, 0, m->base,
              m->bytes, m->stamp, m->path);
}

static void list_images(struct synthetic *s, unsigned slot, bool is_end)
{
    const struct demo_process *p = &s->processes[slot];
    if (p->is_used)
        log_images(s, 0, is_end ? KIND_IMAGE_DCEND : KIND_IMAGE_DCSTART, p);
}

static void list_key(struct synthetic *s, unsigned slot, bool is_end)
{
    if (slot >= registry_key_count || (is_end && !(s->kcb_named >> slot & 1)))
        return;
    log_key(s, 0, is_end ? KIND_KCB_RUNDOWN_END : KIND_KCB_RUNDOWN_BEGIN, slot);
    s->kcb_named |= (uint64_t)1 << slot;
}

static void list_file(struct synthetic *s, unsigned slot, bool is_end)
{
    (void)is_end;
    struct demo_file *f = &s->files[slot];
    if (f->family != FAMILY_NONE && f->is_there)
        log_file_name(s, 0, KIND_FILE_RUNDOWN, f);
}

static void list_end(struct synthetic *s, unsigned slot, bool is_end)
{
    (void)slot, (void)is_end;
    log_mark(s, KIND_RUNDOWN_END);
}

enum { SOME = 64 }; /* more than any table of images or keys has rows */

static const struct list at_start[] = {
    {1, list_masks},
    {SYNTHETIC_DISKS + 2, list_config},
    {1, list_begin},
    {PROCESS_SLOTS, list_process},
    {THREAD_SLOTS, list_thread},
    {SOME, list_kernel_image},
    {PROCESS_SLOTS, list_images},
    {SOME, list_key},
    {1, list_end},
};

static const struct list late_start[] = {
    {1, list_masks},
    {SYNTHETIC_DISKS + 2, list_config},
};

static const struct list at_end[] = {
    {1, list_begin},
    {PROCESS_SLOTS, list_process},
    {THREAD_SLOTS, list_thread},
    {SOME, list_kernel_image},
    {PROCESS_SLOTS, list_images},
    {SOME, list_key},
    {FILE_SLOTS, list_file},
    {1, list_end},
};

#define LISTS(x) x, sizeof x / sizeof *x

static bool step(struct synthetic *s, const struct list *lists, size_t count, bool is_end)
{
    if (s->list == count)
        return false;
    lists[s->list].log(s, s->list_slot, is_end);
    if (++s->list_slot == lists[s->list].slots) {
        s->list_slot = 0;
        s->list++;
    }
    return true;
}

bool rundown_step(struct synthetic *s)
{
    if (s->stage == STAGE_END_LISTS)
        return step(s, LISTS(at_end), true);
    return s->o.late_rundown ? step(s, LISTS(late_start), false) : step(s, LISTS(at_start), false);
}
