#include "src/command/fields.h"

#include "src/base/show.h"
#include "src/base/suggest.h"
#include "src/export/answer.h"
#include "src/filter/filter.h"
#include "src/pane/panes.h"

#include <string.h>

static void print_pane(const struct pane *p, FILE *to)
{
    for (const struct column *c = p->columns; c < p->columns + p->column_count; c++)
        show(to, "%s\t%s\t%s\t%s\t%s\t%s\n", p->id, c->id, answer_type(c->type),
             c->unit ? c->unit : "", c->title, c->help);
}

/* Which events can have the field: their classes, as the filter itself names them. */
static void print_events(const struct field_def *f, FILE *to)
{
    const struct field_word *classes = field_def_by(BY_CLASS)->words;
    const char *between = " (of ";
    for (; f->classes && classes->word; classes++)
        if (f->classes >> classes->number & 1) {
            show(to, "%s%s", between, classes->word);
            between = ", ";
        }
    fputs(f->classes ? ")\n" : "\n", to);
}

const char *fields_type(const struct field_def *f)
{
    static const char *const types[FIELD_DEF_TYPES] = {
        [TYPE_TEXT] = "text",       [TYPE_NUMBER] = "count",    [TYPE_TIME] = "time",
        [TYPE_SIZE] = "bytes",      [TYPE_PERCENT] = "percent", [TYPE_RATE] = "rate",
        [TYPE_INSTANT] = "instant", [TYPE_ADDRESS] = "address", [TYPE_WORD] = "word",
        [TYPE_FLAG] = "flag",       [TYPE_ANY] = "any",
    };
    return types[f->type];
}

const char *fields_unit(const struct field_def *f)
{
    static const char *const units[FIELD_DEF_TYPES] = {
        [TYPE_TIME] = "ns", [TYPE_SIZE] = "bytes", [TYPE_PERCENT] = "%", [TYPE_RATE] = "per s"};
    return units[f->type] ? units[f->type] : "";
}

/* Those of the filter language, which every pane takes. */
static void print_filter(FILE *to)
{
    for (const struct field_def *f = field_defs; f->id; f++) {
        show(to, "filter\t%s\t%s\t%s\t%s\t%s", f->id, fields_type(f), fields_unit(f),
             f->aliases ? f->aliases : "", f->help);
        print_events(f, to);
    }
    show(to, "filter\t%s\t\t\t\t%s\n", field_payload.id, field_payload.help);
}

void fields_print(const struct pane *only, FILE *to)
{
    fputs("pane\tid\ttype\tunit\ttitle\thelp\n", to);
    for (const struct pane *const *p = panes; *p; p++)
        if (!only || *p == only)
            print_pane(*p, to);
    if (!only)
        print_filter(to);
}

const struct pane *fields_pane(const char *id, struct err *err)
{
    const struct pane *const found = pane_find(id);
    if (found)
        return found;
    struct suggestion best = {NULL, 0};
    for (const struct pane *const *p = panes; *p; p++)
        suggest(&best, id, (*p)->id);
    if (best.name)
        fail(err, "there is no pane '%s'; did you mean '%s'?", id, best.name);
    else
        fail(err, "there is no pane '%s'; tracetop fields lists them", id);
    return NULL;
}
