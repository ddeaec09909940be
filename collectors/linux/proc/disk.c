/* Disks and their partitions. */
#include "collectors/linux/proc/proc.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISKS_MAX = 4096, SECTOR = 512 }; /* sizes in /sys/block count sectors of 512 */

struct disks {
    struct proc *p;
    struct proc_disk *all;
    size_t count, room;
};

/* "254:0" of a file named dev. */
static bool read_dev(struct proc *p, const char *path, uint64_t *dev)
{
    char text[64], *end;
    if (proc_read(p, path, text, sizeof text) <= 0)
        return false;
    const unsigned long major = strtoul(text, &end, 10);
    if (end == text || *end != ':')
        return false;
    *dev = linux_dev((uint32_t)major, (uint32_t)strtoul(end + 1, NULL, 10));
    return true;
}

/* Without blanks and line ends behind it; false where there is no such file. */
static bool read_word(struct proc *p, const char *base, const char *file, char *out, size_t room)
{
    char path[160];
    const uint64_t gone = p->gone;
    snprintf(path, sizeof path, "%s/%s", base, file);
    int64_t bytes = proc_read(p, path, out, room);
    while (bytes > 0 && (out[bytes - 1] == '\n' || out[bytes - 1] == ' '))
        out[--bytes] = '\0';
    p->gone = gone; /* virtual ones have no model, others no file */
    return bytes > 0;
}

/* Where what it shows lies: a path's end says more than its beginning. */
static void put_path(struct proc_disk *d, const char *path)
{
    enum { MOST = 80 };
    const size_t bytes = strlen(path);
    const char *tail = bytes > MOST ? path + bytes - MOST : path;
    while (tail != path && ((unsigned char)*tail & 0xc0) == 0x80)
        tail++;
    snprintf(d->model, sizeof d->model, "%s%s", tail == path ? "" : "/…", tail);
}

/* What kind of disk it is; of a loop, the file; of a mapped one, its name. */
static void read_model(struct proc *p, struct proc_disk *d, const char *base)
{
    char path[PROC_PATH], name[256];
    if (read_word(p, base, "loop/backing_file", path, sizeof path)) {
        put_path(d, path);
    } else if (read_word(p, base, "dm/name", name, sizeof name)) {
        snprintf(path, sizeof path, "/dev/mapper/%s", name);
        put_path(d, path);
    } else {
        read_word(p, base, "device/model", d->model, sizeof d->model);
    }
}

static bool count_partition(void *to, const struct proc_partition *part)
{
    (void)part;
    ++*(uint32_t *)to;
    return true;
}

static bool take_disk(void *to, const char *name)
{
    struct disks *const s = to;
    struct proc_disk d = {.sector = SECTOR};
    char base[96], path[160], cache[32];
    uint64_t number;
    if (strlen(name) >= sizeof d.name || s->count == DISKS_MAX)
        return true;
    strcpy(d.name, name);
    snprintf(base, sizeof base, "sys/block/%s", name);
    snprintf(path, sizeof path, "%s/size", base);
    if (!proc_number(s->p, path, &d.bytes) || d.bytes == 0)
        return true; /* a drive without a disk, a loop that is not set up */
    d.bytes *= SECTOR;
    snprintf(path, sizeof path, "%s/dev", base);
    if (!read_dev(s->p, path, &d.dev))
        return true;
    snprintf(path, sizeof path, "%s/queue/logical_block_size", base);
    if (proc_number(s->p, path, &number) && number && number <= UINT32_MAX)
        d.sector = (uint32_t)number;
    snprintf(path, sizeof path, "%s/queue/write_cache", base);
    if (proc_read(s->p, path, cache, sizeof cache) > 0)
        d.is_write_cached = strncmp(cache, "write back", 10) == 0;
    read_model(s->p, &d, base);
    proc_partitions(s->p, &d, count_partition, &d.partitions);
    if (s->count == s->room) {
        s->room = s->room ? s->room * 2 : 16;
        s->all = mem_grow(s->all, s->room, sizeof *s->all);
    }
    s->all[s->count++] = d;
    return true;
}

static int by_dev(const void *a, const void *b)
{
    const struct proc_disk *const x = a, *const y = b;
    return x->dev < y->dev ? -1 : x->dev > y->dev;
}

size_t proc_disks(struct proc *p, struct proc_disk **out)
{
    struct disks s = {.p = p};
    proc_list(p, "sys/block", take_disk, &s);
    if (s.count)
        qsort(s.all, s.count, sizeof *s.all, by_dev);
    *out = s.all;
    return s.count;
}

struct partitions {
    struct proc *p;
    const struct proc_disk *disk;
    proc_partition *partition;
    void *to;
};

/* Partitions are folders in the disk's that begin with its name. */
static bool take_partition(void *to, const char *name)
{
    const struct partitions *const s = to;
    const size_t length = strlen(s->disk->name);
    struct proc_partition part = {0};
    if (strncmp(name, s->disk->name, length) != 0 || strlen(name) >= sizeof part.name)
        return true;
    strcpy(part.name, name);
    char path[192];
    uint64_t number;
    snprintf(path, sizeof path, "sys/block/%s/%s/partition", s->disk->name, name);
    if (!proc_number(s->p, path, &number))
        return true;
    part.number = (uint32_t)number;
    snprintf(path, sizeof path, "sys/block/%s/%s/dev", s->disk->name, name);
    read_dev(s->p, path, &part.dev);
    snprintf(path, sizeof path, "sys/block/%s/%s/start", s->disk->name, name);
    proc_number(s->p, path, &part.start);
    snprintf(path, sizeof path, "sys/block/%s/%s/size", s->disk->name, name);
    proc_number(s->p, path, &part.bytes);
    part.start *= SECTOR;
    part.bytes *= SECTOR;
    return s->partition(s->to, &part);
}

void proc_partitions(struct proc *p, const struct proc_disk *d, proc_partition *partition, void *to)
{
    char path[96];
    struct partitions s = {p, d, partition, to};
    snprintf(path, sizeof path, "sys/block/%s", d->name);
    proc_list(p, path, take_partition, &s);
}
