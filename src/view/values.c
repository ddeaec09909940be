#include "src/view/values.h"

#include "src/base/mem.h"
#include "src/field/field.h"
#include "src/pane/panes.h"
#include "src/table/dictionary.h"

#include <stdlib.h>
#include <string.h>

enum { PANES = CRUMBS_MAX + 1 }; /* of the pane and of those that rows were opened of */

/* Which of a pane's fields events of a kind can have, by the layout that said so. */
struct kind_fields {
    const struct payload_layout *layout;
    uint8_t fields;
    bool is_known;
};

struct pane_kinds {
    const struct pane *pane; /* NULL: none yet */
    uint64_t made;           /* its number */
    struct kind_fields *of;  /* by number of the kind */
    uint32_t count;
};

struct value_kinds {
    struct pane_kinds of[PANES];
    unsigned next; /* to make room: those of panes that nobody asks for any more */
    struct field_values room;
};

/* ---- which records are read ---------------------------------------------------------------------- */

static struct pane_kinds *kinds_of(struct value_kinds *s, const struct pane *p)
{
    unsigned i = 0;
    while (i < PANES && s->of[i].pane && s->of[i].pane != p)
        i++;
    return &s->of[i < PANES ? i : s->next++ % PANES];
}

static struct kind_fields *kind_of(struct view *v, const struct pane *p, uint32_t kind)
{
    if (!v->value_kinds)
        v->value_kinds = mem_new(1, sizeof *v->value_kinds);
    struct pane_kinds *const k = kinds_of(v->value_kinds, p);
    if (k->pane != p || k->made != p->made) {
        k->pane = p;
        k->made = p->made;
        k->count = 0;
    }
    if (kind >= k->count) {
        const uint32_t count = v->model->kind_count > kind ? v->model->kind_count : kind + 1;
        k->of = mem_grow(k->of, count, sizeof *k->of);
        memset(k->of + k->count, 0, (count - k->count) * sizeof *k->of);
        k->count = count;
    }
    return &k->of[kind];
}

/* Where the layout is in the event itself, any field may be there. */
static uint8_t fields_of(const struct pane *p, const struct kind *k)
{
    uint8_t fields = 0;
    if (!k->named_layout)
        return k->tracelogging ? UINT8_MAX : 0;
    for (unsigned i = 0; i < p->field_count; i++)
        fields |= (uint8_t)(field_is_in_layout(p->fields[i], k->named_layout) << i);
    return fields;
}

/* A schema may come after its events. */
static uint8_t known_fields(struct view *v, const struct pane *p, uint32_t kind)
{
    const struct kind *const k = &v->model->kinds[kind];
    struct kind_fields *const known = kind_of(v, p, kind);
    if (!known->is_known || known->layout != k->named_layout)
        *known = (struct kind_fields){k->named_layout, fields_of(p, k), true};
    return known->fields;
}

/* ---- values -------------------------------------------------------------------------------------- */

static bool number_of(const struct field_value *v, struct fixed *out)
{
    if (v->kind == FIELD_NUMBER)
        *out = fixed_of_whole(v->number);
    return v->kind == FIELD_NUMBER || (v->kind == FIELD_REAL && fixed_of_real(v->real, out));
}

/* The text comes first, then the forms in which it may be asked for. */
static void take_values(struct view *v, const struct pane *p, const struct field_values *from,
                        unsigned field, struct fact_values *out)
{
    const struct field_value *const text = &from->of[0];
    if (!from->count || text->kind != FIELD_TEXT)
        return;
    out->has |= 1u << field;
    if (p->text_fields >> field & 1)
        out->texts[field] = dictionary_number(v->live->dictionary, text->text, text->bytes);
    for (unsigned i = 1; i < from->count; i++)
        if (number_of(&from->of[i], &out->numbers[field]))
            out->has_number |= 1u << field;
}

bool view_values(struct view *v, const struct pane *p, const struct fact *f,
                 struct fact_values *out)
{
    const uint8_t fields = f->op == OP_SLICE ? 0 : known_fields(v, p, f->kind);
    struct field_record record = {.is_read = false};
    struct field_subject s = {
        .model = v->model, .fact = f, .callbacks = &v->callbacks, .record = &record};
    out->has = out->has_number = 0;
    if ((fields & p->key_fields) != p->key_fields)
        return false;
    for (unsigned i = 0; i < p->field_count; i++) {
        struct field_values *const values = &v->value_kinds->room;
        if (!(fields >> i & 1))
            continue;
        values->count = 0;
        values->used = 0;
        s.payload = p->fields[i];
        field_payload.get(&s, values);
        take_values(v, p, values, i, out);
    }
    return (out->has & p->key_fields) == p->key_fields;
}

bool view_key(struct view *v, const struct pane *p, const struct fact *f, uint32_t process,
              struct row_key *out)
{
    struct fact_values values;
    if (p->field_count && !view_values(v, p, f, &values))
        return false;
    *out = pane_key(p, f, process, p->field_count ? &values : NULL);
    return true;
}

static bool has_row_crumbs(const struct request *r)
{
    for (unsigned i = 0; i < r->crumb_count; i++)
        if (r->crumbs[i].kind == CRUMB_ROW)
            return true;
    return false;
}

/* Other views may show a text that is forgotten: they say so. */
void view_values_start(struct view *v)
{
    if (v->request.pane->field_count && !has_row_crumbs(&v->request) &&
        dictionary_is_full(v->live->dictionary))
        dictionary_forget(v->live->dictionary);
}

void view_values_free(struct view *v)
{
    for (unsigned i = 0; v->value_kinds && i < PANES; i++)
        free(v->value_kinds->of[i].of);
    free(v->value_kinds);
    v->value_kinds = NULL;
}
