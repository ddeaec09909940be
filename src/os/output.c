#include "src/os/output.h"

#include <errno.h>
#include <string.h>

bool output_open(struct output *o, const char *path, bool force, struct err *err)
{
    *o = (struct output){.file = os_output()};
    if (!path)
        return true;
    o->file = NULL;
    if (!draft_open(&o->draft, path, force, err))
        return false;
    o->file = os_stream(o->draft.file, err);
    if (o->file)
        return true;
    draft_drop(&o->draft);
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
        return draft_keep(&o->draft, err);
    if (keep)
        fail(err, "%s cannot be written: %s", o->draft.path, strerror(error));
    draft_drop(&o->draft);
    return !keep;
}

bool output_close(struct output *o, bool keep, struct err *err)
{
    if (!o->file)
        return true;
    const bool good = o->draft.path ? close_file(o, keep, err) : output_arrived(err);
    *o = (struct output){.file = NULL};
    return good;
}

void output_abandon(const struct output *o)
{
    draft_abandon(&o->draft);
}
