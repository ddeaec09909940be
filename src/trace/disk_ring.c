#include "src/trace/disk_ring.h"

#include "src/base/mem.h"
#include "src/base/scale.h"
#include "src/base/text.h"
#include "src/etl/log.h"
#include "src/filter/range.h"
#include "src/os/atomic_file.h"
#include "src/os/background.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILES_MOST = 4096, /* in the folder; more are not seen */
    PARTS = 16,        /* that a ring has, about */
    PATH_ROOM = 4096,
};

static const uint64_t MIB = 1 << 20;
const uint64_t DISK_RING_LEAST = 32 << 20;
/* What is written of a file between the moment when it begins and the next look. */
static const uint64_t SLACK = 2 << 20;
static const uint64_t FILE_LEAST = 8 << 20, FILE_MOST = 256 << 20;
static const int64_t SECOND = 1000000000, HOUR = 3600 * SECOND, FILE_LEAST_NS = 10 * SECOND;
static const char STEM[] = "ring", NAME[] = "ring.etl", ENDING[] = ".etl",
                  PARTIAL[] = ATOMIC_FILE_ENDING;
static const char LOCK[] = "lock";

struct disk_ring {
    char *folder, *base;
    struct disk_ring_limits limits;
    uint64_t file_least, file_most;
    struct os_file *lock;
};

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const size_t length = strlen(name);
    return length && length < DISK_RING_NAME && strspn(name, allowed) == length && name[0] != '.' &&
           name[0] != '-';
}

bool disk_ring_folder(const char *name, char *out, size_t room, struct err *err)
{
    char all[PATH_ROOM / 2];
    if (!is_name(name))
        return fail(err,
                    "'%.100s' cannot be the name of a recorder: expected letters, digits, '-', '_' "
                    "and '.', %d at most",
                    name, DISK_RING_NAME - 1);
    background_folder(all, sizeof all);
    if (!all[0])
        return fail(err, "there is no folder for the recorder's files: give one with --folder");
    snprintf(out, room, "%s/%s", all, name);
    return true;
}

static bool has_files(const char *folder)
{
    struct disk_ring_file *files;
    const size_t count = disk_ring_list(folder, &files);
    free(files);
    return count > 0;
}

bool disk_ring_find(const char *name, char *out, size_t room, struct err *err)
{
    char all[PATH_ROOM / 2], folder[PATH_ROOM];
    if (!disk_ring_folder(name, out, room, err))
        return false;
    background_system_folder(all, sizeof all);
    snprintf(folder, sizeof folder, "%s/%s", all, name);
    if (!has_files(out) && has_files(folder))
        snprintf(out, room, "%s", folder);
    return true;
}

/* FOLDER/NAME, and what follows; free() it. */
static char *path_of(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *const path = mem_new(room, 1);
    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

uint32_t disk_ring_writer(const char *folder)
{
    char *const path = path_of(folder, LOCK);
    const uint32_t holder = background_holder(path);
    free(path);
    return holder;
}

/* "ring-0012.etl" and "ring-0012.etl.partial" are 12; 0: it is none of ours. */
static unsigned number_of(const char *name, bool *is_partial)
{
    char *end;
    if (strncmp(name, STEM, sizeof STEM - 1) != 0 || name[sizeof STEM - 1] != '-')
        return 0;
    const char *const digits = name + sizeof STEM;
    const unsigned long number = *digits >= '0' && *digits <= '9' ? strtoul(digits, &end, 10) : 0;
    if (!number || number > INT32_MAX || strncmp(end, ENDING, sizeof ENDING - 1) != 0)
        return 0;
    end += sizeof ENDING - 1;
    *is_partial = strcmp(end, PARTIAL) == 0;
    return *is_partial || !*end ? (unsigned)number : 0;
}

char *disk_ring_path(const char *folder, const struct disk_ring_file *f)
{
    char *const base = path_of(folder, NAME);
    char *const whole = etl_log_name(base, ETL_LOG_ROTATE, f->number);
    free(base);
    if (!f->is_partial)
        return whole;
    const size_t room = strlen(whole) + sizeof PARTIAL;
    char *const partial = mem_new(room, 1);
    snprintf(partial, room, "%s%s", whole, PARTIAL);
    free(whole);
    return partial;
}

static int by_number(const void *a, const void *b)
{
    const struct disk_ring_file *const x = a, *const y = b;
    return x->number != y->number ? x->number < y->number ? -1 : 1 : y->is_partial - x->is_partial;
}

size_t disk_ring_list(const char *folder, struct disk_ring_file **files)
{
    char(*const names)[OS_NAME_ROOM] = mem_new(FILES_MOST, sizeof *names);
    const size_t named = os_folder_names(folder, "", names, FILES_MOST);
    struct disk_ring_file *const list = mem_new(named + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < named; i++) {
        struct disk_ring_file f = {.number = number_of(names[i], &f.is_partial)};
        char *const path = f.number ? disk_ring_path(folder, &f) : NULL;
        if (path && background_file(path, &f.bytes, &f.written_ns))
            list[count++] = f;
        free(path);
    }
    free(names);
    qsort(list, count, sizeof *list, by_number);
    *files = list;
    return count;
}

/* Time in which something was written: whoever was off for longer than a file takes was off. */
const char *disk_ring_sentence(const char *folder, char *out, size_t room)
{
    struct disk_ring_file *files;
    char size[32], number[TEXT_COUNT], span[32];
    uint64_t bytes = 0;
    int64_t ns = 0;
    const size_t count = disk_ring_list(folder, &files);
    for (size_t i = 0; i < count; i++) {
        const int64_t passed = i ? files[i].written_ns - files[i - 1].written_ns : 0;
        bytes += files[i].bytes;
        ns += passed > 0 && passed <= HOUR ? passed : 0;
    }
    free(files);
    scale_bytes((double)bytes, size, sizeof size);
    scale_time((double)ns, span, sizeof span);
    snprintf(out, room, "%s, %s", text_count(number, count, "file"), size);
    if (count > 1)
        snprintf(out + strlen(out), room - strlen(out), ", %s", span);
    return out;
}

size_t disk_ring_first_of(const struct disk_ring_file *files, size_t count, const char *range)
{
    struct range r;
    const int64_t last = files[count - 1].written_ns;
    if (!range || !range_read(range, &r, NULL))
        return 0;
    const bool is_distance = r.from.form == RANGE_BEFORE_END;
    if (!is_distance && r.from.form != RANGE_INSTANT)
        return 0;
    /* What is written then may be some seconds older. */
    const int64_t from = (is_distance ? last - r.from.ns : r.from.ns) - 5 * SECOND;
    size_t first = 0;
    while (first + 1 < count && files[first].written_ns < from)
        first++;
    return first;
}

/* ---- keeping --------------------------------------------------------------------------------- */

uint64_t disk_ring_file_bytes(const struct disk_ring *d)
{
    const uint64_t part = d->limits.bytes ? d->limits.bytes / PARTS : FILE_MOST;
    const uint64_t most = part > d->file_most ? d->file_most : part;
    return most < d->file_least ? d->file_least : most;
}

void disk_ring_need(struct disk_ring *d, uint64_t bytes)
{
    d->file_least = bytes > d->file_least ? bytes : d->file_least;
}

int64_t disk_ring_file_ns(const struct disk_ring *d)
{
    const int64_t part = d->limits.ns ? d->limits.ns / PARTS : HOUR;
    return part < FILE_LEAST_NS ? FILE_LEAST_NS : part > HOUR ? HOUR : part;
}

const char *disk_ring_folder_of(const struct disk_ring *d)
{
    return d->folder;
}

const char *disk_ring_base(const struct disk_ring *d)
{
    return d->base;
}

unsigned disk_ring_next(const struct disk_ring *d)
{
    struct disk_ring_file *files;
    const size_t count = disk_ring_list(d->folder, &files);
    const unsigned next = count ? files[count - 1].number + 1 : 1;
    free(files);
    return next;
}

/* By who holds the folder: nobody writes these any more. One whose name is taken stays as it is. */
static void name_partial(const struct disk_ring *d)
{
    struct disk_ring_file *files;
    const size_t count = disk_ring_list(d->folder, &files);
    for (size_t i = 0; i < count; i++) {
        struct disk_ring_file whole = files[i];
        whole.is_partial = false;
        char *const from = disk_ring_path(d->folder, &files[i]);
        char *const to = disk_ring_path(d->folder, &whole);
        if (files[i].is_partial)
            os_move(from, to, false, NULL);
        free(from);
        free(to);
    }
    free(files);
}

/* A part of what the disk has for the ring: the file that is being written is never removed for
 * room. */
static uint64_t file_most(const char *folder)
{
    struct disk_ring_file *files;
    uint64_t room = background_room(folder);
    const size_t count = disk_ring_list(folder, &files);
    for (size_t i = 0; i < count && room < UINT64_MAX / 2; i++)
        room += files[i].bytes;
    free(files);
    return room / PARTS > FILE_MOST ? FILE_MOST : room / PARTS;
}

struct disk_ring *disk_ring_open(const char *folder, const struct disk_ring_limits *limits,
                                 struct err *err)
{
    uint32_t holder;
    struct err why;
    if (limits->bytes && limits->bytes < DISK_RING_LEAST)
        return fail(err, "a recorder needs %u MB or more on disk",
                    (unsigned)(DISK_RING_LEAST / MIB)),
               NULL;
    if (!os_make_folders(folder, err))
        return NULL;
    if (!background_guard(folder, err))
        return NULL;
    background_share(folder);
    char *const path = path_of(folder, LOCK);
    struct os_file *const lock = background_hold(path, &holder, &why);
    free(path);
    if (!lock && holder)
        return fail(err, "process %u records into '%.700s' already", holder, folder), NULL;
    if (!lock)
        return fail(err, "%s", why.text), NULL;
    struct disk_ring *const d = mem_new(1, sizeof *d);
    *d = (struct disk_ring){.folder = mem_string(folder),
                            .base = path_of(folder, NAME),
                            .limits = *limits,
                            .file_least = FILE_LEAST,
                            .file_most = file_most(folder),
                            .lock = lock};
    name_partial(d);
    return d;
}

void disk_ring_close(struct disk_ring *d)
{
    if (!d)
        return;
    os_close(d->lock);
    free(d->folder);
    free(d->base);
    free(d);
}

struct disk_ring_limits disk_ring_limits_of(const struct disk_ring_limits *given)
{
    struct disk_ring_limits limits = *given;
    if (!limits.bytes && !limits.ns)
        limits.bytes = 1ull << 30;
    return limits;
}

void disk_ring_limit(struct disk_ring *d, const struct disk_ring_limits *limits)
{
    d->limits = *limits;
}

/* The time that a file covers, at most: what passed between its writing and that of the one before,
 * but not while nothing was recorded. Clocks that were set do not count. */
static int64_t covered(const struct disk_ring *d, const struct disk_ring_file *files, size_t i)
{
    const int64_t most = disk_ring_file_ns(d);
    const int64_t passed = i ? files[i].written_ns - files[i - 1].written_ns : most;
    return passed < 0 || passed > most ? most : passed;
}

/* How many of the oldest are beyond the limits. The newest is being written, and may become as
 * large as a file can. */
static size_t beyond(const struct disk_ring *d, const struct disk_ring_file *files, size_t count)
{
    const struct disk_ring_limits *const most = &d->limits;
    uint64_t bytes = disk_ring_file_bytes(d) + SLACK;
    int64_t ns = 0;
    size_t i = count - 1;
    for (; i > 0; i--) {
        bytes += files[i - 1].bytes;
        if ((most->bytes && bytes > most->bytes) || (most->ns && ns >= most->ns))
            break;
        ns += covered(d, files, i - 1);
    }
    return i;
}

static void remove_file(const struct disk_ring *d, const struct disk_ring_file *f)
{
    char *const path = disk_ring_path(d->folder, f);
    os_remove(path);
    free(path);
}

unsigned disk_ring_tidy(struct disk_ring *d)
{
    struct disk_ring_file *files;
    unsigned for_room = 0;
    const size_t count = disk_ring_list(d->folder, &files);
    const size_t old = count ? beyond(d, files, count) : 0;
    for (size_t i = 0; i < old; i++)
        remove_file(d, &files[i]);
    const uint64_t reserve = 2 * d->file_least;
    for (size_t i = old; i + 1 < count && background_room(d->folder) < reserve; i++, for_room++)
        remove_file(d, &files[i]);
    if (count) {
        char *const newest = disk_ring_path(d->folder, &files[count - 1]);
        background_share(newest);
        free(newest);
    }
    free(files);
    return for_room;
}
