/* Payload fields that a query or filter asks for, and that no event here has. Any name with a point
 * may be one, so that a misspelled one is known only by what was seen. */
#include "src/base/suggest.h"
#include "src/event/provider_names.h"
#include "src/view/inside.h"

#include <stdio.h>
#include <string.h>

/* What traces have can be much: fields that are read for one name. */
enum { FIELDS_READ = 1 << 18 };

struct nearest {
    struct suggestion field, owner; /* owner: a provider or an event */
    bool has_owner;
};

/* False: the kind has the field, or may have it. */
static bool lacks(const struct kind *k, const char *name, struct nearest *near, unsigned *read)
{
    const struct payload_layout *const l = k->named_layout;
    if (!field_payload_is_of(name, k->class_name, k->event_name))
        return true;
    near->has_owner = true;
    if (!l)
        return !k->tracelogging && !k->is_pending;
    if (field_is_in_layout(name, l))
        return false;
    *read += l->field_count;
    for (unsigned i = 0; i < l->field_count && *read < FIELDS_READ; i++)
        suggest(&near->field, field_payload_name(name), l->fields[i].name);
    return true;
}

static void suggest_owner(struct suggestion *s, const struct kind *k, const char *owner)
{
    suggest(s, owner, provider_short_name(k->class_name));
    suggest(s, owner, k->event_name);
}

/* "frame" is no field, and frame(N) a function. */
static const char *function_of(const char *name)
{
    const char *usage;
    const size_t bytes = strlen(name);
    for (unsigned i = 0; (usage = field_function_usage(i)); i++)
        if (strncmp(usage, name, bytes) == 0 && usage[bytes] == '(')
            return usage;
    return NULL;
}

void view_unknown_payload(const struct view *v, const char *name, char out[FRAME_REMARK])
{
    const struct model *const m = v->model;
    struct nearest near = {.has_owner = false};
    char owner[64];
    unsigned read = 0;
    const char *const field = field_payload_name(name);
    snprintf(owner, sizeof owner, "%.*s", field > name ? (int)(field - name) - 1 : 0, name);
    if (m->kind_count <= 1)
        return;
    for (uint32_t i = 1; i < m->kind_count; i++)
        if (!lacks(&m->kinds[i], name, &near, &read) || read >= FIELDS_READ)
            return;
    for (uint32_t i = 1; i < m->kind_count && !near.has_owner; i++)
        suggest_owner(&near.owner, &m->kinds[i], owner);
    const char *const function = function_of(name), *const best = function ? function
                                                                  : near.has_owner
                                                                      ? near.field.name
                                                                      : near.owner.name;
    const char *const what = near.has_owner ? "no event here has a payload field"
                                            : "no provider or event here is called";
    snprintf(out, FRAME_REMARK, "%s '%.60s'%s%.60s%s", what, near.has_owner ? name : owner,
             best ? "; did you mean " : "", best ? best : "", best ? "?" : "");
}
