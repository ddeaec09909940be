#include "src/output.h"

#include "src/mem.h"
#include "src/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Opened by os_create first, which refuses what is there and lets nobody else read it. */
static FILE *open_temporary(const char *path, struct err *err)
{
    struct os_file *const fresh = os_create(path, err);
    if (!fresh)
        return NULL;
    os_close(fresh);
    FILE *const f = fopen(path, "r+b");
    if (!f)
        fail(err, "%s: cannot be written: %s", path, strerror(errno));
    return f;
}

bool output_open(struct output *o, const char *path, bool force, struct err *err)
{
    *o = (struct output){.file = stdout};
    if (!path)
        return true;
    if (!force && os_path_kind(path) != OS_NOTHING)
        return fail(err, "%s exists already; --force overwrites it", path);
    const size_t bytes = strlen(path);
    o->path = mem_string(path);
    o->temporary = mem_new(bytes + sizeof ".partial", 1);
    memcpy(o->temporary, path, bytes);
    memcpy(o->temporary + bytes, ".partial", sizeof ".partial");
    o->file = open_temporary(o->temporary, err);
    if (o->file)
        return true;
    free(o->path);
    free(o->temporary);
    *o = (struct output){NULL, NULL, NULL};
    return false;
}

static bool close_standard(FILE *file, struct err *err)
{
    errno = 0;
    const bool failed = fflush(file) != 0 || ferror(file);
    if (failed && errno && errno != EPIPE)
        return fail(err, "standard output cannot be written: %s", strerror(errno));
    return true;
}

/* rename() replaces on POSIX but refuses on Windows, hence the second attempt. */
static bool move_into_place(const struct output *o, struct err *err)
{
    if (rename(o->temporary, o->path) == 0)
        return true;
    remove(o->path);
    if (rename(o->temporary, o->path) == 0)
        return true;
    return fail(err, "%s cannot be renamed to %s: %s", o->temporary, o->path, strerror(errno));
}

static bool close_file(const struct output *o, bool keep, struct err *err)
{
    const bool failed = ferror(o->file) != 0;
    const bool closed = fclose(o->file) == 0;
    if (keep && !failed && closed)
        return move_into_place(o, err);
    const int error = errno;
    remove(o->temporary);
    return !keep || fail(err, "%s cannot be written: %s", o->path, strerror(error));
}

bool output_close(struct output *o, bool keep, struct err *err)
{
    if (!o->file)
        return true;
    const bool good = o->path ? close_file(o, keep, err) : close_standard(o->file, err);
    free(o->path);
    free(o->temporary);
    *o = (struct output){NULL, NULL, NULL};
    return good;
}

void output_abandon(const struct output *o)
{
    if (o->temporary)
        remove(o->temporary);
}
