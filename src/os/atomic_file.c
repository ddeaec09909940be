#include "src/os/atomic_file.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

static char *joined(const char *a, const char *b)
{
    const size_t first = strlen(a), second = strlen(b);
    char *const text = mem_new(first + second + 1, 1);
    memcpy(text, a, first);
    memcpy(text + first, b, second + 1);
    return text;
}

static void forget(struct atomic_file *d)
{
    os_close(d->file);
    free(d->path);
    free(d->temporary);
    *d = (struct atomic_file){.path = NULL};
}

/* May a file get this name? Where that cannot be seen, creating it will fail. */
static bool is_free(const char *path, bool replace, struct err *err)
{
    switch (os_path_kind(path)) {
    case OS_DIRECTORY:
        return fail(err, "%s: expected a name for a file, found a directory", path);
    case OS_OTHER:
        return fail(err, "%s: expected a name for a file, found a pipe, socket or device", path);
    case OS_REGULAR:
        return replace || fail(err, "%s already exists; --force overwrites it", path);
    default:
        return true;
    }
}

size_t atomic_file_final_length(const char *path)
{
    const size_t length = strlen(path), cut = sizeof ATOMIC_FILE_ENDING - 1;
    return length > cut && strcmp(path + length - cut, ATOMIC_FILE_ENDING) == 0 ? length - cut : 0;
}

bool atomic_file_open(struct atomic_file *d, const char *path, bool replace, struct err *err)
{
    *d = (struct atomic_file){.replace = replace};
    if (!is_free(path, replace, err))
        return false;
    d->path = mem_string(path);
    d->temporary = joined(path, ATOMIC_FILE_ENDING);
    const enum os_kind there = os_path_kind(d->temporary);
    if (there != OS_NOTHING && there != OS_CLOSED)
        fail(err,
             "%s exists: another program writes %s, or was killed; rename or remove the file (a "
             "trace in it is complete up to its last buffer)",
             d->temporary, path);
    else
        d->file = os_create(d->temporary, err);
    if (d->file)
        return true;
    forget(d);
    return false;
}

/* Closes the file; the place where it is then, to be freed. NULL: it has none any more, and what
 * has its name now is somebody else's. */
static char *close_file(struct atomic_file *d)
{
    char *place = os_place(d->file);
    if (!os_has_name(d->file, place)) {
        free(place);
        place = NULL;
    }
    os_close(d->file); /* Windows neither moves nor removes an open file */
    d->file = NULL;
    return place;
}

/* Adds to the sentence what became of a file that stays without its name. */
static void report_place(const char *place, struct err *err)
{
    if (!err)
        return;
    const struct err why = *err;
    if (!place)
        fail(err, "%.500s; the file was removed in the meantime", why.text);
    else
        fail(err, "%.400s; the data is in %s", why.text, place);
}

/* What lies there under the temporary name is what was written, and its name is free still. */
static bool may_be_named(const struct atomic_file *d, struct err *err)
{
    if (os_path_kind(d->temporary) != OS_NOTHING && !os_has_name(d->file, d->temporary))
        return fail(err, "%s was replaced by another file meanwhile", d->temporary);
    return !d->replace || is_free(d->path, true, err);
}

bool atomic_file_commit(struct atomic_file *d, struct err *err)
{
    const bool is_written = os_sync(d->file, err);
    struct err *const why = is_written ? err : NULL; /* the first thing that was wrong counts */
    const bool is_free_still = (is_written || d->stays) && may_be_named(d, why);
    char *const place = close_file(d);
    const bool is_named = is_free_still && os_move(d->temporary, d->path, d->replace, why);
    if (!is_named && d->stays)
        report_place(place, err);
    else if (!is_named && place)
        os_remove(place);
    free(place);
    forget(d);
    return is_written && is_named;
}

void atomic_file_discard(struct atomic_file *d)
{
    if (!d->temporary)
        return;
    char *const place = close_file(d);
    if (place)
        os_remove(place);
    free(place);
    forget(d);
}

void atomic_file_abandon(const struct atomic_file *d)
{
    if (d->temporary && os_has_name(d->file, d->temporary))
        os_remove(d->temporary);
}
