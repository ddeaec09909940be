/* `tracetop fields --json`: what queries and filters can ask for. */
#include "src/command/fields.h"

#include "src/export/answer.h"
#include "src/field/field.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"

#include <string.h>

/* The classes of events that can have it; none listed: all. */
static void put_classes(const struct field_def *f, struct json_out *to)
{
    const char *between = "";
    json_out_put(to, ",\"classes\":[");
    for (const struct field_word *w = field_class_words; f->classes && w->word; w++)
        if (f->classes >> w->number & 1) {
            json_out_put(to, "%s\"%s\"", between, w->word);
            between = ",";
        }
    json_out_put(to, "]");
}

/* What it takes to ask for a field: the kept fact, a name that the model knows, the event's record,
 * its stack. */
static const char *cost_of(const struct field_def *f)
{
    switch ((enum field_group)f->group) {
    case GROUP_FACT:
        return "fact";
    case GROUP_STACK:
        return "stack";
    case GROUP_CALLBACK:
        return "record";
    default:
        return "name";
    }
}

bool fields_json_field(const struct field_def *f, struct json_out *to)
{
    const size_t before = to->used;
    json_out_put(to, "{\"id\":\"%s\",\"type\":\"%s\",\"unit\":\"%s\",\"cost\":\"%s\",\"is_key\":%s",
                 f->id, fields_type(f), fields_unit(f), cost_of(f), f->cell ? "true" : "false");
    if (f->aliases)
        json_out_member(to, "aliases", f->aliases);
    put_classes(f, to);
    json_out_member(to, "help", f->help);
    json_out_put(to, "}");
    if (to->is_full)
        json_out_rewind(to, before);
    return to->used > before;
}

void fields_json_aggregates(struct json_out *to)
{
    const char *units[QUERY_OFS], *id;
    json_out_put(to, "[");
    for (unsigned i = 0; (id = query_aggregate_at(i, units)); i++) {
        const char *const error = query_aggregate_error(id);
        const char *between = "";
        json_out_put(to, "%s{\"id\":\"%s\",\"of\":{", i ? "," : "", id);
        for (unsigned k = 0; k < QUERY_OFS; k++)
            if (units[k]) {
                json_out_put(to, "%s\"%s\":\"%s\"", between, query_ofs[k], units[k]);
                between = ",";
            }
        json_out_put(to, "},\"exact\":%s", error ? "false" : "true");
        if (error)
            json_out_member(to, "error", error);
        json_out_put(to, "}");
    }
    json_out_put(to, "]");
}

static void put_pane(const struct pane *p, struct json_out *to)
{
    json_out_put(to, "{\"id\":\"%s\"", p->id);
    json_out_member(to, "title", p->title);
    json_out_member(to, "help", p->help);
    json_out_put(to, ",\"columns\":[");
    for (size_t i = 0; i < p->column_count; i++) {
        const struct column *const c = &p->columns[i];
        json_out_put(to, "%s{\"id\":\"%s\",\"type\":\"%s\"", i ? "," : "", c->id,
                     answer_type(c->type));
        json_out_member(to, "unit", c->unit ? c->unit : "");
        json_out_member(to, "title", c->title);
        json_out_member(to, "help", c->help);
        json_out_put(to, "}");
    }
    json_out_put(to, "]}");
}

void fields_print_json(const struct pane *only, FILE *to)
{
    struct json_out out = {.most = SIZE_MAX / 2};
    json_out_put(&out, "{\"schema\":\"tracetop.fields.1\"");
    if (!only) {
        json_out_put(&out, ",\"fields\":[");
        for (const struct field_def *f = field_defs; f->id; f++) {
            json_out_put(&out, f == field_defs ? "" : ",");
            fields_json_field(f, &out);
        }
        json_out_put(&out, "],\"aggregates\":");
        fields_json_aggregates(&out);
    }
    json_out_put(&out, ",\"panes\":[");
    const char *between = "";
    for (const struct pane *const *p = panes; *p; p++)
        if (!only || *p == only) {
            json_out_put(&out, "%s", between);
            put_pane(*p, &out);
            between = ",";
        }
    json_out_put(&out, "]}\n");
    fputs(out.text, to);
    json_out_free(&out);
}
