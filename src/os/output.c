#include "src/os/output.h"

#include <errno.h>
#include <string.h>

bool output_open(struct output *o, const char *path, bool force, struct err *err)
{
    *o = (struct output){.file = os_output()};
    if (!path)
        return true;
    o->file = NULL;
    if (!atomic_file_open(&o->atomic_file, path, force, err))
        return false;
    o->file = os_stream(o->atomic_file.file, err);
    if (o->file)
        return true;
    atomic_file_discard(&o->atomic_file);
    return false;
}

bool output_arrived(struct err *err)
{
    const int error = os_output_error(os_output());
    return !error || error == EPIPE ||
           fail(err, "standard output cannot be written: %s", strerror(error));
}

static bool close_file(struct output *o, bool keep, struct err *err)
{
    const bool failed = ferror(o->file) != 0;
    const bool closed = fclose(o->file) == 0;
    const int error = errno;
    if (keep && !failed && closed)
        return atomic_file_commit(&o->atomic_file, err);
    if (keep)
        fail(err, "%s cannot be written: %s", o->atomic_file.path, strerror(error));
    atomic_file_discard(&o->atomic_file);
    return !keep;
}

bool output_close(struct output *o, bool keep, struct err *err)
{
    if (!o->file)
        return true;
    const bool good = o->atomic_file.path ? close_file(o, keep, err) : output_arrived(err);
    *o = (struct output){.file = NULL};
    return good;
}

void output_abandon(const struct output *o)
{
    atomic_file_abandon(&o->atomic_file);
}
