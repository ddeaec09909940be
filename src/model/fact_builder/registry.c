/* The registry: keys are files of a namespace of their own. */
#include "src/model/fact_builder/helpers.h"

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
