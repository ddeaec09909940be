#include "collectors/linux/translate/open_files.h"

#include "src/base/map.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Buckets of so many places. What does not hold any more goes first; where all in a bucket do, the
 * table of files doubles, from some 200 KB up to 4 MB; then what was used longest ago goes. */
enum { WAYS = 8, FEW_FILES = 1 << 12, FILES = 1 << 16, LIFETIMES = 1 << 14 };

/* Parents are asked for what they had open at the fork, and theirs in turn. */
enum { GENERATIONS = 4 };

/* What a process did to all its descriptors, and when. */
struct lifetime {
    uint32_t pid, parent;
    int64_t used_ns;
    int64_t fork_ns;  /* 0 = was there before */
    int64_t exec_ns;  /* of its last exec; 0 = none */
    int64_t exit_ns;  /* 0 = runs, as far as is known */
    int64_t range_ns; /* of its last close_range() … */
    int64_t marks_ns; /* of the last one that marked */
    int32_t range_first, marks_first;
};

struct open_files {
    struct open_file *files;
    uint32_t room; /* for files */
    struct lifetime *lifetimes;
    uint64_t objects, pushed_out;
};

struct open_files *open_files_new(void)
{
    struct open_files *o = mem_new(1, sizeof *o);
    o->room = FEW_FILES;
    o->files = mem_new(o->room, sizeof *o->files);
    o->lifetimes = mem_new(LIFETIMES, sizeof *o->lifetimes);
    return o;
}

void open_files_free(struct open_files *o)
{
    if (!o)
        return;
    free(o->files);
    free(o->lifetimes);
    free(o);
}

void open_files_clear(struct open_files *o)
{
    memset(o->files, 0, o->room * sizeof *o->files);
}

size_t open_files_bytes(const struct open_files *o)
{
    return o->room * sizeof *o->files + LIFETIMES * sizeof *o->lifetimes;
}

uint64_t open_files_pushed_out(const struct open_files *o)
{
    return o->pushed_out;
}

/* ---- processes ---------------------------------------------------------------------- */

static struct lifetime *lifetime_bucket(struct open_files *o, uint32_t pid)
{
    return o->lifetimes + (hash_mix(pid) >> 32 & (LIFETIMES / WAYS - 1)) * WAYS;
}

static struct lifetime *lifetime_find(struct open_files *o, uint32_t pid)
{
    struct lifetime *const b = lifetime_bucket(o, pid);
    for (unsigned i = 0; i < WAYS; i++)
        if (b[i].pid == pid)
            return &b[i];
    return NULL;
}

static struct lifetime *lifetime_take(struct open_files *o, uint32_t pid, int64_t time)
{
    struct lifetime *known = lifetime_find(o, pid);
    if (!known) {
        struct lifetime *const b = lifetime_bucket(o, pid);
        known = b;
        for (unsigned i = 0; i < WAYS; i++)
            if (b[i].used_ns < known->used_ns)
                known = &b[i];
        *known = (struct lifetime){.pid = pid};
    }
    known->used_ns = time;
    return known;
}

void open_files_fork(struct open_files *o, uint32_t pid, uint32_t parent, int64_t time)
{
    struct lifetime *const l = lifetime_take(o, pid, time);
    *l = (struct lifetime){.pid = pid, .parent = parent, .used_ns = time, .fork_ns = time};
}

void open_files_exec(struct open_files *o, uint32_t pid, int64_t time)
{
    lifetime_take(o, pid, time)->exec_ns = time;
}

void open_files_exit(struct open_files *o, uint32_t pid, int64_t time)
{
    lifetime_take(o, pid, time)->exit_ns = time;
}

void open_files_close_from(struct open_files *o, uint32_t pid, int32_t first, bool marks,
                           int64_t time)
{
    struct lifetime *const l = lifetime_take(o, pid, time);
    if (marks) {
        l->marks_first = l->marks_ns && l->marks_first < first ? l->marks_first : first;
        l->marks_ns = time;
    } else {
        l->range_first = l->range_ns && l->range_first < first ? l->range_first : first;
        l->range_ns = time;
    }
}

/* Is the entry of `since` still valid? Where that is unknown, no: it is looked up again. */
static bool holds(const struct lifetime *l, const struct open_file *f)
{
    if (!l)
        return true;
    if (f->since_ns < l->fork_ns)
        return false; /* of another process that had this id */
    if (l->range_ns >= f->since_ns && f->fd >= l->range_first)
        return false;
    const bool is_marked = l->marks_ns >= f->since_ns && f->fd >= l->marks_first;
    return l->exec_ns < f->since_ns || (f->cloexec == CLOEXEC_NO && !is_marked);
}

/* ---- descriptors -------------------------------------------------------------------- */

static struct open_file *bucket(struct open_files *o, uint32_t pid, int32_t fd)
{
    const uint64_t hash = hash_mix((uint64_t)pid << 32 | (uint32_t)fd);
    return o->files + (hash >> 32 & (o->room / WAYS - 1)) * WAYS;
}

static struct open_file *find_own(struct open_files *o, uint32_t pid, int32_t fd)
{
    struct open_file *const b = bucket(o, pid, fd);
    for (unsigned i = 0; pid && i < WAYS; i++)
        if (b[i].pid == pid && b[i].fd == fd)
            return &b[i];
    return NULL;
}

/* Nobody will ask for it, but a child of a process that ended; that is looked up again. */
static bool is_over(struct open_files *o, const struct open_file *f)
{
    const struct lifetime *const l = lifetime_find(o, f->pid);
    return !f->pid || !holds(l, f) || (l && l->exit_ns >= f->since_ns);
}

static struct open_file *place_in(struct open_files *o, struct open_file *b)
{
    for (unsigned i = 0; i < WAYS; i++)
        if (!b[i].pid)
            return &b[i];
    for (unsigned i = 0; i < WAYS; i++)
        if (is_over(o, &b[i]))
            return &b[i];
    return NULL;
}

/* What is in a bucket goes to one of two. */
static bool double_room(struct open_files *o)
{
    struct open_file *const old = o->files;
    const uint32_t count = o->room;
    if (count >= FILES)
        return false;
    o->room *= 2;
    o->files = mem_new(o->room, sizeof *o->files);
    for (uint32_t i = 0; i < count; i++)
        for (struct open_file *to = bucket(o, old[i].pid, old[i].fd); old[i].pid; to++)
            if (!to->pid) {
                *to = old[i];
                break;
            }
    free(old);
    return true;
}

static struct open_file *place_for(struct open_files *o, uint32_t pid, int32_t fd)
{
    struct open_file *const known = find_own(o, pid, fd);
    if (known)
        return known;
    do {
        struct open_file *const found = place_in(o, bucket(o, pid, fd));
        if (found)
            return found;
    } while (double_room(o));
    struct open_file *const b = bucket(o, pid, fd), *oldest = b;
    for (unsigned i = 1; i < WAYS; i++)
        if (b[i].used_ns < oldest->used_ns)
            oldest = &b[i];
    o->pushed_out++;
    return oldest;
}

uint64_t open_files_object(struct open_files *o, uint32_t pid)
{
    return (hash_mix(++o->objects ^ (uint64_t)pid << 32) | 1) & INT64_MAX;
}

struct open_file *open_files_add(struct open_files *o, uint32_t pid, int32_t fd, int64_t time)
{
    struct open_file *const f = place_for(o, pid, fd);
    *f = (struct open_file){
        .pid = pid,
        .fd = fd,
        .object = open_files_object(o, pid),
        .offset = OFFSET_UNKNOWN,
        .since_ns = time,
        .used_ns = time,
        .state = OPEN_GONE,
    };
    return f;
}

void open_files_remove(struct open_files *o, uint32_t pid, int32_t fd)
{
    struct open_file *const f = find_own(o, pid, fd);
    if (f)
        f->pid = 0;
}

/* Did the child keep what it inherited? Where that is unknown, no. */
static bool keeps(const struct lifetime *l, const struct open_file *f)
{
    const bool is_marked = l->marks_ns && f->fd >= l->marks_first;
    return !(l->range_ns && f->fd >= l->range_first) &&
           (!l->exec_ns || (f->cloexec == CLOEXEC_NO && !is_marked));
}

/* What a forefather had there when the process was forked off, and has still. */
static const struct open_file *find_inherited(struct open_files *o, uint32_t pid, int32_t fd)
{
    const struct lifetime *l = lifetime_find(o, pid);
    for (unsigned i = 0; l && l->fork_ns && i < GENERATIONS; i++) {
        const struct open_file *const f = find_own(o, l->parent, fd);
        if (f && !keeps(l, f))
            return NULL;
        const struct lifetime *const parent = lifetime_find(o, l->parent);
        if (f && f->since_ns <= l->fork_ns && f->state != OPEN_ASKED && holds(parent, f))
            return f;
        l = parent;
    }
    return NULL;
}

struct open_file *open_files_find(struct open_files *o, uint32_t pid, int32_t fd, int64_t time)
{
    struct open_file *f = find_own(o, pid, fd);
    if (f && holds(lifetime_find(o, pid), f))
        return f;
    const struct open_file *const theirs = find_inherited(o, pid, fd);
    if (!theirs)
        return NULL;
    const struct open_file old = *theirs;
    f = open_files_add(o, pid, fd, time);
    f->key = old.key;
    f->state = old.state;
    f->cloexec = old.cloexec;
    return f;
}
