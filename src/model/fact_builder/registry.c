/* The registry: keys are files of a namespace of their own. */
#include "src/model/fact_builder/helpers.h"

#include <stdio.h>
#include <string.h>

void make_registry(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    const uint64_t handle = field(k, e, 0);
    f->entity = model_file(m, source_of(m), NAMESPACE_KEY, handle);
    if (!handle) { /* the name is a whole path then */
        char path[NAME_ROOM];
        kind_text(k, e, "KeyName", path, sizeof path);
        f->entity = model_file_called(m, source_of(m), NAMESPACE_KEY, path);
    }
    model_set_status(m, f, field(k, e, 1));
    set_latency_since(m, e, f, field(k, e, 2));
}

void make_key_name(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    const uint64_t handle = field(k, e, 0);
    char name[NAME_ROOM];
    kind_text(k, e, "KeyName", name, sizeof name);
    f->entity = model_file_named(m, source_of(m), NAMESPACE_KEY, handle, name);
    if (f->op == OP_DELETE)
        model_file_gone(m, source_of(m), NAMESPACE_KEY, handle);
}

/* ---- Microsoft-Windows-Kernel-Registry ----------------------------------------------------------- */

enum { KEY_OBJECT, KEY_STATUS, KEY_BASE };

static bool is_whole(const char *path)
{
    return *path == '\\';
}

/* The path of the key that is opened: the name below an open key, whose name is there or known, or
 * a whole one. "" where only a part of it is known. */
static void put_opened_path(struct model *m, const struct event *e, const struct kind *k,
                            char path[NAME_ROOM])
{
    char name[NAME_ROOM];
    kind_text(k, e, "RelativeName", name, sizeof name);
    kind_text(k, e, "BaseName", path, NAME_ROOM);
    if (is_whole(name)) {
        snprintf(path, NAME_ROOM, "%s", name);
        return;
    }
    const struct file *const base =
        model_file_at(m, model_file_known(m, source_of(m), NAMESPACE_KEY, field(k, e, KEY_BASE)));
    if (!is_whole(path))
        snprintf(path, NAME_ROOM, "%s", base && base->name ? base->name : "");
    const size_t used = strlen(path), more = strlen(name);
    if (!used || !more || used + 1 + more >= NAME_ROOM)
        return;
    path[used] = '\\';
    memcpy(path + used + 1, name, more + 1);
}

void make_registry_open(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    const uint64_t object = field(k, e, KEY_OBJECT);
    char path[NAME_ROOM];
    put_opened_path(m, e, k, path);
    model_set_status(m, f, field(k, e, KEY_STATUS));
    const bool is_open = object && !(f->flags & FACT_FAILED);
    if (is_open && *path)
        f->entity = model_file_named(m, source_of(m), NAMESPACE_KEY, object, path);
    else if (is_open)
        f->entity = model_file(m, source_of(m), NAMESPACE_KEY, object);
    else
        f->entity = model_file_called(m, source_of(m), NAMESPACE_KEY, path);
}

void make_registry_key(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    const uint64_t object = field(k, e, KEY_OBJECT);
    char path[NAME_ROOM];
    kind_text(k, e, "KeyName", path, sizeof path);
    if (object && is_whole(path))
        f->entity = model_file_named(m, source_of(m), NAMESPACE_KEY, object, path);
    else
        f->entity = model_file(m, source_of(m), NAMESPACE_KEY, object);
    model_set_status(m, f, field(k, e, KEY_STATUS));
    if (f->op == OP_CLOSE && object)
        model_file_gone(m, source_of(m), NAMESPACE_KEY, object);
}
