#include "src/draft.h"

#include "src/mem.h"

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

static void forget(struct draft *d)
{
    os_close(d->file);
    free(d->path);
    free(d->temporary);
    *d = (struct draft){.path = NULL};
}

bool draft_open(struct draft *d, const char *path, bool replace, struct err *err)
{
    *d = (struct draft){.replace = replace};
    if (!replace && os_path_kind(path) != OS_NOTHING)
        return fail(err, "%s exists already; --force overwrites it", path);
    if (os_path_kind(path) == OS_DIRECTORY)
        return fail(err, "%s: a name for a file was expected, a directory found", path);
    d->path = mem_string(path);
    d->temporary = joined(path, ".partial");
    if (os_path_kind(d->temporary) != OS_NOTHING)
        fail(
            err,
            "%s is there: somebody is writing %s, or was killed doing so, and a recording is whole "
            "up to its last buffer; give that file another name, or remove it",
            d->temporary, path);
    else
        d->file = os_create(d->temporary, err);
    if (d->file)
        return true;
    forget(d);
    return false;
}

/* Closes the file; the place where it is then, to be freed. */
static char *close_file(struct draft *d)
{
    char *const place = os_place(d->file);
    os_close(d->file); /* Windows neither moves nor removes an open file */
    d->file = NULL;
    return place;
}

/* Adds to the sentence what became of a file that stays without its name. */
static void tell_place(const char *place, struct err *err)
{
    if (!err)
        return;
    const struct err why = *err;
    if (os_path_kind(place) == OS_NOTHING)
        fail(err, "%.500s; the file was removed in the meantime", why.text);
    else
        fail(err, "%.400s; it is there as %s", why.text, place);
}

bool draft_keep(struct draft *d, struct err *err)
{
    const bool is_written = os_sync(d->file, err);
    char *const place = close_file(d);
    const bool is_named = (is_written || d->stays) &&
                          os_move(d->temporary, d->path, d->replace, is_written ? err : NULL);
    if (!is_named && d->stays)
        tell_place(place, err);
    else if (!is_named)
        os_remove(place);
    free(place);
    forget(d);
    return is_written && is_named;
}

void draft_drop(struct draft *d)
{
    if (!d->temporary)
        return;
    char *const place = close_file(d);
    os_remove(place);
    free(place);
    forget(d);
}

void draft_abandon(const struct draft *d)
{
    if (d->temporary)
        os_remove(d->temporary);
}
