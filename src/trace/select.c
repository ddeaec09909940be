#include "src/trace/select.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/suggest.h"
#include "src/event/decode.h"
#include "src/event/provider_names.h"
#include "src/filter/fact.h"
#include "src/model/fact_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 128 * 1024, OWNER_NAME = 32 };

struct select {
    struct filter filter;
    struct select_names names;
    uint64_t name_terms; /* terms about files and keys, and any text: bits by index */
    char text[TEXT_ROOM];
};

static bool refuse(struct err *err, const char *filter, const char *field)
{
    char ids[300] = "";
    for (const struct field_def *f = field_defs; f->id; f++)
        if (f->record & FIELD_CUT)
            suggest_list(ids, sizeof ids, f->id);
    return fail(
        err,
        "filter '%.200s': '%s' is not stored in records; filter by %s, or a field of the payload",
        filter, field, ids);
}

static uint64_t terms_by(const struct select *s, enum field_by by)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < s->filter.term_count; i++)
        if (s->filter.terms[i].by == by)
            bits |= 1ull << i;
    return bits;
}

struct select *select_new(const char *filter, const struct select_names *names,
                          const struct filter_span *span, struct err *err)
{
    struct filter_error why;
    struct select *const s = mem_new(1, sizeof *s);
    bool ok = filter_init(&s->filter, filter, NULL, span, &why);
    if (!ok)
        filter_fail(err, filter, &why);
    for (unsigned i = 0; i < s->filter.term_count && ok; i++)
        if (!(s->filter.terms[i].field->record & FIELD_CUT))
            ok = refuse(err, filter, s->filter.terms[i].field->id);
    if (ok) {
        s->names = *names;
        s->name_terms = s->filter.texts | terms_by(s, BY_PATH) | terms_by(s, BY_KEY);
        return s;
    }
    select_free(s);
    return NULL;
}

void select_free(struct select *s)
{
    if (!s)
        return;
    filter_fini(&s->filter);
    free(s);
}

const struct filter *select_filter(const struct select *s)
{
    return &s->filter;
}

static void text_is(const struct select *s, uint64_t which, const char *text,
                    struct filter_found *o)
{
    filter_look_text(&s->filter, which, text, text ? strlen(text) : 0, o);
}

static void number_is(const struct select *s, enum field_by by, uint64_t number,
                      struct filter_found *o)
{
    for (unsigned i = 0; i < s->filter.term_count; i++)
        if (s->filter.terms[i].by == by)
            filter_look_number(&s->filter, i, number, o);
}

/* Class and name; for events without, what numbers them. */
static void look_at_kind(const struct select *s, const struct event *e, const struct schema *schema,
                         struct filter_found *o)
{
    const char *class_name = schema->provider, *event_name = schema->event;
    const struct guid *const class =
        header_is_kernel((enum header_kind)e->kind) ? event_class_guid(e->id) : NULL;
    char guid[GUID_TEXT], number[32];
    guid_format(class ? class : &e->provider, guid);
    if (!schema->layout)
        decode_name(e, &class_name, &event_name);
    if (!*class_name)
        class_name = guid;
    if (!*event_name) {
        const bool is_classic = e->kind == HEADER_CLASSIC || e->kind == HEADER_INSTANCE;
        snprintf(number, sizeof number, is_classic ? "opcode %u" : "id %u",
                 is_classic ? e->opcode : e->id);
        event_name = number;
    }
    const uint64_t provider = terms_by(s, BY_PROVIDER), paths = terms_by(s, BY_EVENT_PATH);
    text_is(s, s->filter.texts | provider, class_name, o);
    text_is(s, provider, guid, o);
    text_is(s, provider, provider_short_name(class_name), o);
    text_is(s, s->filter.texts | terms_by(s, BY_EVENT) | paths, event_name, o);
    if (paths) {
        char path[FIELD_ROOM];
        snprintf(path, sizeof path, "%s/%s", class_name, event_name);
        text_is(s, paths, path, o);
    }
    number_is(s, BY_EVENT_ID, e->id, o);
    number_is(s, BY_OPCODE, e->opcode, o);
    number_is(s, BY_VERSION, e->version, o);
}

/* What panes call who has no name. */
static const char *owner_name(const struct owner *owner, char room[OWNER_NAME])
{
    enum { IDLE_PID = 0, SYSTEM_PID = 4 };
    if (owner->name)
        return owner->name;
    if (owner->pid == SYSTEM_PID || owner->pid == IDLE_PID)
        return owner->pid ? "System" : "(idle)";
    snprintf(room, OWNER_NAME, "pid %u", owner->pid);
    return room;
}

static void look_at_owner(const struct select *s, const struct owner *owner,
                          struct filter_found *o)
{
    char pid[16], name[OWNER_NAME];
    if (owner->tid != EVENT_NO_ID)
        number_is(s, BY_TID, owner->tid, o);
    if (owner->pid == EVENT_NO_ID)
        return;
    snprintf(pid, sizeof pid, "%u", owner->pid);
    number_is(s, BY_PID, owner->pid, o);
    text_is(s, s->filter.texts, pid, o);
    text_is(s, s->filter.texts | terms_by(s, BY_PROC), owner_name(owner, name), o);
    if (owner->pid == 0)
        text_is(s, s->filter.texts | terms_by(s, BY_PROC), "(idle)", o); /* as panes call it */
}

static bool is_text(const struct decoded *d)
{
    const unsigned type = d->field->type;
    return !d->is_member && (decode_is_text(d) || type == FIELD_SID || type == FIELD_BARE_SID);
}

/* Does the field name the file or key that the event is about? */
static bool is_name(const struct decoded *d)
{
    static const char *const names[] = {"FileName", "OpenPath", "ImageName", "ImageFileName",
                                        "KeyName"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(d->field->name, names[i]) == 0)
            return true;
    return false;
}

/* Compares the payload's texts: all with `any`, names with `named`. */
static void look_at_payload(struct select *s, const struct event *e, const struct payload_layout *l,
                            uint64_t any, uint64_t named, struct filter_found *o)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = l ? decode_fields(l, e, fields, DECODE_FIELDS) : 0;
    for (unsigned i = 0; i < count && fields[i].is_present; i++) {
        const uint64_t which = any | (is_name(&fields[i]) ? named : 0);
        if (!which || !is_text(&fields[i]))
            continue;
        const size_t bytes = decode_format(&fields[i], s->text, sizeof s->text);
        filter_look_text(&s->filter, which, s->text, bytes, o);
    }
}

/* What the event is about has its name in another record. */
static void look_at_link(struct select *s, const struct event *e, const struct payload_layout *l,
                         uint64_t which, int64_t ns, struct filter_found *o)
{
    static const struct {
        const char *field;
        enum rundown_class class;
    } links[] = {
        {"FileObject", RUNDOWN_FILE}, {"FileKey", RUNDOWN_FILE}, {"KeyHandle", RUNDOWN_KEY}};
    for (size_t i = 0; l && i < sizeof links / sizeof *links; i++) {
        unsigned at;
        enum field_type type;
        struct event name;
        if (!layout_place(l, links[i].field, e->pointer, &at, &type) || at > e->payload_bytes)
            continue;
        struct bytes b = bytes_of(e->payload + at, e->payload_bytes - at);
        const uint64_t object = bytes_pointer(&b, e->pointer);
        if (!b.bad && rundown_name(s->names.rundown, links[i].class, e->source, object, ns, &name))
            look_at_payload(s, &name, decode_layout(&name), which, which, o);
    }
}

/* What the panes would count it as. */
static unsigned class_of(const struct event *e)
{
    const uint16_t hook = decode_hook(e);
    const struct fact_builder *const b = hook != DECODE_NO_HOOK ? fact_builder_find(hook)
                                         : header_is_kernel((enum header_kind)e->kind)
                                             ? NULL
                                             : fact_builder_of_manifest(e);
    return b ? b->class : FACT_OTHER;
}

/* Text is looked for in every text of the payload; a path and a key have only events of their
 * classes, by the fields that name it. */
static void look_at_names(struct select *s, const struct event *e, const struct payload_layout *l,
                          int64_t ns, struct filter_found *o)
{
    const uint64_t has = s->filter.of_class[class_of(e)];
    const uint64_t named = (s->name_terms & ~s->filter.texts) & has;
    look_at_payload(s, e, l, s->filter.texts, named, o);
    look_at_link(s, e, decode_layout(e), s->filter.texts | named, ns, o);
}

/* ---- fields whose getters read the record ------------------------------------------------------- */

struct looked {
    const struct select *select;
    const struct schema *schema;
};

static bool schema_of(void *of, const struct fact *f, const struct event *e, struct schema *out)
{
    const struct looked *const l = of;
    (void)f, (void)e;
    *out = *l->schema;
    return out->layout != NULL;
}

static bool is_linux(void *of, const struct fact *f, const struct event *e)
{
    const struct looked *const l = of;
    (void)f;
    return l->select->names.is_linux && l->select->names.is_linux[e->source];
}

static void look_at_record(const struct select *s, const struct event *e,
                           const struct schema *schema, struct filter_found *o)
{
    struct looked looked = {s, schema};
    struct field_record record = {.event = *e, .is_read = true};
    const struct fact_callbacks callbacks = {
        .of = &looked, .schema = schema_of, .is_linux = is_linux};
    const struct field_subject subject = {.callbacks = &callbacks, .record = &record};
    filter_look_record(&s->filter, s->filter.of_group[GROUP_CALLBACK], &subject, o);
}

bool select_passes(struct select *s, const struct event *e, const struct owner *owner, int64_t ns)
{
    struct filter_found found = {0, 0};
    struct schema schema;
    schema_find(s->names.schemas, e->source, e, &schema);
    look_at_kind(s, e, &schema, &found);
    look_at_owner(s, owner, &found);
    if (s->name_terms)
        look_at_names(s, e, schema.layout, ns, &found);
    look_at_record(s, e, &schema, &found);
    number_is(s, BY_TIME, (uint64_t)ns, &found);
    number_is(s, BY_CPU, e->cpu, &found);
    return filter_decide(&s->filter, LEVEL_FACT, found);
}
