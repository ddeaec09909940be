/* Images: which module lay where in whose memory, and when. Each process has a space of its own,
 * and the kernel of each source has one for all. A space is a list in order of base addresses;
 * images that had the same range one after the other differ by their times. An image that is only
 * known from a rundown has no beginning: it counts as loaded all the time, except while another
 * image is known to have been there. */
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

/* A process with more images than this loses its oldest ones that are gone. Large
 * programs have some hundreds, a kernel some three hundred. */
enum { SPACE_IMAGES = 4096 };

/* At most so many images that overlap one address are compared. */
enum { NEIGHBORS = 512 };

static uint64_t owner_of(source_id source, uint32_t process, uint64_t address)
{
    const uint64_t KERNEL = 1ull << 32;
    return is_kernel_address(address) ? KERNEL | source : process;
}

static struct image_space *space_at(const struct model *m, uint64_t owner)
{
    const uint32_t index = map_get(&m->image_spaces, owner);
    return index ? &m->spaces[index - 1] : NULL;
}

static struct image_space *space_open(struct model *m, uint64_t owner)
{
    struct image_space *known = space_at(m, owner);
    if (known)
        return known;
    uint32_t index = m->free_space;
    if (index) {
        m->free_space = m->spaces[index - 1].next_free;
    } else {
        if (m->space_count == m->space_room) {
            m->space_room = m->space_room ? m->space_room * 2 : 64;
            m->spaces = mem_grow(m->spaces, m->space_room, sizeof *m->spaces);
        }
        index = ++m->space_count;
    }
    m->spaces[index - 1] = (struct image_space){ .owner = owner };
    map_put(&m->image_spaces, owner, index);
    return &m->spaces[index - 1];
}

static void space_close(struct model *m, struct image_space *s)
{
    const uint32_t index = (uint32_t)(s - m->spaces) + 1;
    map_remove(&m->image_spaces, s->owner);
    m->epoch_changes++;
    free(s->numbers);
    *s = (struct image_space){ .next_free = m->free_space };
    m->free_space = index;
}

/* How many images of the space begin at or below an address. */
static uint32_t count_below(const struct model *m, const struct image_space *s, uint64_t address)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const struct image *i = generation_at(&m->images, s->numbers[middle]);
        if (i && i->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void space_remove(struct model *m, struct image_space *s, uint32_t number)
{
    uint32_t at = 0;
    while (at < s->count && s->numbers[at] != number)
        at++;
    if (at == s->count)
        return;
    s->count--;
    memmove(s->numbers + at, s->numbers + at + 1, (s->count - at) * sizeof *s->numbers);
    if (!s->count)
        space_close(m, s);
}

/* A module is remembered for as long as one of its images is in somebody's memory. */
static void count_of_module(struct model *m, const struct image *i, int more)
{
    struct file *const module = generation_at(&m->files, i->module);
    if (module && !(i->flags & LIFETIME_ENDED))
        module->images += (uint32_t)more;
}

/* May go when room is needed; its Unload may still come. */
static void image_over(struct model *m, struct image *i)
{
    count_of_module(m, i, -1);
    i->flags |= LIFETIME_ENDED;
}

static void forget_image(void *thing, void *arg)
{
    struct image *i = thing;
    struct model *m = arg;
    struct image_space *s = space_at(m, i->owner);
    m->tally.early_images += i->until_ns != INT64_MAX && model_is_kept(m, i->until_ns);
    image_over(m, i);
    if (s)
        space_remove(m, s, i->number);
}

/* Makes room in a full space: the oldest image that is gone, or else the oldest. */
static void space_shrink(struct model *m, struct image_space *s)
{
    uint32_t oldest = 0, oldest_gone = 0;
    for (uint32_t n = 0; n < s->count; n++) {
        const uint32_t number = s->numbers[n];
        const struct image *i = generation_at(&m->images, number);
        oldest = !oldest || number < oldest ? number : oldest;
        if (i->flags & LIFETIME_ENDED && (!oldest_gone || number < oldest_gone))
            oldest_gone = number;
    }
    struct image *i = generation_at(&m->images, oldest_gone ? oldest_gone : oldest);
    image_over(m, i); /* still in its generation table, for rows that name it */
    space_remove(m, s, i->number);
    m->tally.images_dropped++;
}

static bool overlaps(const struct image *i, uint64_t base, uint64_t size)
{
    return base < i->base ? i->base - base < size : base - i->base < i->size;
}

static void image_end(struct model *m, struct image *i, int64_t time)
{
    i->until_ns = time;
    image_over(m, i);
}

/* Whatever else is still in the range has gone unsaid. */
static void clear_range(struct model *m, struct image_space *s, const struct image *now,
                        int64_t time)
{
    const uint64_t last = now->base + (now->size ? now->size - 1 : 0);
    uint32_t n = count_below(m, s, last >= now->base ? last : UINT64_MAX);
    for (uint32_t looked = 0; n > 0 && looked < NEIGHBORS; looked++) {
        struct image *i = generation_at(&m->images, s->numbers[--n]);
        if (i && i->base < now->base && now->base - i->base >= s->largest)
            break; /* nor does any that begins further below reach so far */
        if (!i || i == now || !overlaps(i, now->base, now->size ? now->size : 1))
            continue;
        s->epoch++;
        m->epoch_changes++;
        if (i->until_ns == INT64_MAX)
            image_end(m, i, time);
    }
}

static struct image *image_add(struct model *m, source_id source, uint32_t process,
                               const struct image_event *e)
{
    struct image *i = generation_add(&m->images, forget_image, m);
    i->owner = owner_of(source, process, e->base);
    i->process = process;
    i->base = e->base;
    i->is_narrow = e->is_narrow;
    i->size = e->size;
    i->from_ns = INT64_MIN;
    i->until_ns = INT64_MAX;
    struct image_space *s = space_open(m, i->owner);
    if (s->count == SPACE_IMAGES)
        space_shrink(m, s);
    if (s->count == s->room) {
        s->room = s->room ? s->room * 2 : 8;
        s->numbers = mem_grow(s->numbers, s->room, sizeof *s->numbers);
    }
    const uint32_t at = count_below(m, s, e->base);
    memmove(s->numbers + at + 1, s->numbers + at, (s->count - at) * sizeof *s->numbers);
    s->numbers[at] = i->number;
    s->count++;
    s->largest = i->size > s->largest ? i->size : s->largest;
    m->images_learned++;
    return i;
}

uint32_t model_module(struct model *m, const char *path)
{
    const uint64_t hash = hash_bytes(HASH_START, path, strlen(path));
    return model_file_named(m, 0, NAMESPACE_MODULE, hash >> 16 | 1, path);
}

/* The image at this base that is still there. */
static struct image *image_now(const struct model *m, source_id source, uint32_t process,
                               uint64_t base)
{
    const struct image_space *s = space_at(m, owner_of(source, process, base));
    uint32_t n = s ? count_below(m, s, base) : 0;
    for (uint32_t looked = 0; n > 0 && looked < NEIGHBORS; looked++) {
        struct image *i = generation_at(&m->images, s->numbers[--n]);
        if (!i || i->base != base)
            break;
        if (i->until_ns == INT64_MAX)
            return i;
    }
    return NULL;
}

uint32_t model_image(struct model *m, source_id source, uint32_t process,
                     const struct image_event *e)
{
    const uint32_t module = e->path && *e->path ? model_module(m, e->path) : 0;
    struct image *i = image_now(m, source, process, e->base);
    const bool is_other = i && module && i->module && i->module != module;
    const bool is_again = e->op == OP_START; /* what was there has gone unsaid */
    if (!i || is_other || is_again) {
        i = image_add(m, source, process, e);
        if (e->op == OP_START)
            i->from_ns = e->time;
        if (e->op != OP_END)
            clear_range(m, space_at(m, i->owner), i, e->time);
    }
    if (!i->module && module) {
        i->module = module;
        count_of_module(m, i, 1);
        m->images_learned++;
    }
    if (e->op == OP_END)
        image_end(m, i, e->time);
    return i->number;
}

uint32_t model_image_based(const struct model *m, source_id source, uint32_t process,
                           uint64_t base, int64_t time)
{
    const struct image_space *s = space_at(m, owner_of(source, process, base));
    const struct image *found = NULL;
    uint32_t n = s ? count_below(m, s, base) : 0;
    for (uint32_t looked = 0; n > 0 && looked < NEIGHBORS; looked++) {
        const struct image *i = generation_at(&m->images, s->numbers[--n]);
        if (!i || i->base != base)
            break;
        const bool is_here = i->from_ns <= time && time <= i->until_ns;
        const bool was_here = found && found->from_ns <= time && time <= found->until_ns;
        if (!found || (is_here && !was_here) || (is_here == was_here && i->from_ns > found->from_ns))
            found = i;
    }
    return found ? found->number : 0;
}

void model_images_end(struct model *m, uint32_t process)
{
    const struct image_space *s = space_at(m, process);
    for (uint32_t n = 0; s && n < s->count; n++) {
        struct image *i = generation_at(&m->images, s->numbers[n]);
        if (i)
            image_over(m, i);
    }
}

const uint32_t *model_images(const struct model *m, uint32_t process, uint32_t *count)
{
    const struct image_space *s = space_at(m, process);
    *count = s ? s->count : 0;
    return s ? s->numbers : NULL;
}

/* Among images that had the address at that time the one that came last. */
static uint32_t image_in(const struct model *m, source_id source, uint32_t process,
                         uint64_t address, int64_t time)
{
    const struct image_space *s = space_at(m, owner_of(source, process, address));
    const struct image *found = NULL;
    uint32_t n = s ? count_below(m, s, address) : 0;
    for (uint32_t looked = 0; n > 0 && looked < NEIGHBORS; looked++) {
        const struct image *i = generation_at(&m->images, s->numbers[--n]);
        const bool is_here = i && address - i->base < i->size && i->from_ns <= time
                             && time < i->until_ns;
        if (is_here && (!found || i->from_ns > found->from_ns))
            found = i;
    }
    return found ? found->number : 0;
}

/* A fork has the images that its parent had when it was born, until it calls exec. */
uint32_t model_image_at(const struct model *m, source_id source, uint32_t process,
                        uint64_t address, int64_t time)
{
    enum { ANCESTORS = 16 };
    for (unsigned i = 0; i < ANCESTORS; i++) {
        const uint32_t found = image_in(m, source, process, address, time);
        const struct process *const p = model_process_at(m, process);
        if (found || is_kernel_address(address) || !p || !p->forked
            || (p->exec_ns && time >= p->exec_ns))
            return found;
        process = p->forked;
        time = p->start_ns;
    }
    return 0;
}

uint32_t model_image_epoch(const struct model *m, source_id source, uint32_t process)
{
    const struct image_space *s = space_at(m, process);
    const struct image_space *kernel = space_at(m, owner_of(source, process, UINT64_MAX));
    const struct process *const p = model_process_at(m, process);
    return (s ? s->epoch : 0) + (p ? p->execs << 8 : 0) + (kernel ? kernel->epoch << 16 : 0);
}

const char *model_module_name(const struct model *m, const struct image *i)
{
    const struct file *f = i ? model_file_at(m, i->module) : NULL;
    if (!f || !f->name)
        return NULL;
    const char *name = f->name;
    for (const char *c = f->name; *c; c++)
        if ((*c == '\\' || *c == '/') && c[1])
            name = c + 1;
    return name;
}

void model_images_fini(struct model *m)
{
    for (uint32_t n = 0; n < m->space_count; n++)
        free(m->spaces[n].numbers);
    free(m->spaces);
    map_fini(&m->image_spaces);
    generation_fini(&m->images);
}
