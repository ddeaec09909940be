/* The registry of distinct kinds of events. What can be looked up once per kind
 * (layout, field places, names, fact builder) is, so that an event costs one hash probe. */
#include "src/base/mem.h"
#include "src/event/manifest/pieces.h"
#include "src/event/schema_system.h"
#include "src/event/tracelogging.h"
#include "src/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds come from bytes nobody vouches for; a fact has 16 bits for its kind. */
enum { KINDS_MAX = 65535 };

const char *kind_provider(const struct kind *k)
{
    return k->class_name[0] ? k->class_name : k->guid_text;
}

const char *kind_event(const struct kind *k, char *room)
{
    if (k->event_name[0])
        return k->event_name;
    if (k->header == HEADER_CLASSIC || k->header == HEADER_INSTANCE)
        snprintf(room, KIND_TEXT, "opcode %u", k->opcode);
    else
        snprintf(room, KIND_TEXT, "id %u", k->id);
    return room;
}

static struct load_place place_of(unsigned offset, unsigned width)
{
    struct load_place p = {
        .offset = (uint16_t)offset, .wide_end = UINT16_MAX, .width = (uint8_t)width};
    if (width && width <= sizeof(uint64_t)) {
        p.shift = (uint8_t)(64 - 8 * width);
        if (offset + sizeof(uint64_t) < UINT16_MAX)
            p.wide_end = (uint16_t)(offset + sizeof(uint64_t));
    }
    return p;
}

static void clear_places(struct kind *k)
{
    for (unsigned i = 0; i < 2 * FACT_BUILDER_FIELDS; i++)
        k->places[i / FACT_BUILDER_FIELDS][i % FACT_BUILDER_FIELDS] = place_of(0, 0);
}

void model_kinds_init(struct model *m)
{
    m->kind_room = 64;
    m->kinds = mem_new(m->kind_room, sizeof *m->kinds);
    clear_places(&m->kinds[0]);
    hash_index_init(&m->kind_index, m->kind_room);
    m->kinds[0].class_name = "";
    m->kinds[0].event_name = "(other)";
    m->kind_count = 1;
    m->schemas = schemas_new();
}

void model_kinds_fini(struct model *m)
{
    for (uint32_t i = 0; i < m->kind_count; i++)
        free(m->kinds[i].schema_names);
    schemas_free(m->schemas);
    free(m->kinds);
    hash_index_fini(&m->kind_index);
}

/* Self-describing events differ by their description as well, for most of them have no id. */
static uint32_t description_of(const struct event *e)
{
    return header_is_kernel(e->kind) || !e->extended ? 0 : tracelogging_hash(e);
}

static uint32_t kind_hash(uint64_t name, const struct guid *provider, uint32_t tracelogging)
{
    if (!header_is_kernel((enum header_kind)(name >> 40))) {
        uint64_t a, b;
        memcpy(&a, provider->b, sizeof a);
        memcpy(&b, provider->b + sizeof a, sizeof b);
        name = hash_mix(name ^ a) ^ b ^ tracelogging;
    }
    return (uint32_t)(hash_mix(name) >> 16);
}

static uint64_t hash_of_kind(const void *kinds, uint32_t number)
{
    const struct kind *const k = (const struct kind *)kinds + number;
    return kind_hash(k->name, &k->provider, k->tracelogging);
}

static unsigned width_of(enum field_type type, unsigned pointer)
{
    switch (type) {
    case FIELD_U8:
    case FIELD_I8:
    case FIELD_HEX8:
        return 1;
    case FIELD_U16:
    case FIELD_I16:
    case FIELD_PORT:
    case FIELD_HEX16:
        return 2;
    case FIELD_U32:
    case FIELD_I32:
    case FIELD_IPV4:
    case FIELD_HEX32:
    case FIELD_BOOL32:
        return 4;
    case FIELD_U64:
    case FIELD_I64:
    case FIELD_HEX64:
    case FIELD_F64:
    case FIELD_FILETIME:
        return 8;
    case FIELD_POINTER:
    case FIELD_SIZE:
        return pointer;
    case FIELD_IPV6:
        return 16;
    default:
        return 0;
    }
}

static void compile_field(struct kind *k, const struct payload_layout *l, unsigned i,
                          const char *name)
{
    for (unsigned wide = 0; wide < 2; wide++) {
        unsigned offset;
        enum field_type type;
        const unsigned pointer = wide ? 8 : 4;
        if (layout_place(l, name, pointer, &offset, &type) && offset < UINT16_MAX)
            k->places[wide][i] = place_of(offset, width_of(type, pointer));
    }
}

/* The fields of the fact builder; without one, those that say whose event it is. */
static void compile(struct kind *k, const struct payload_layout *l, const struct fact_builder *r)
{
    if (r && r->make) {
        k->make = r->make;
        for (unsigned i = 0; i < FACT_BUILDER_FIELDS && r->fields[i]; i++)
            compile_field(k, l, i, r->fields[i]);
        for (unsigned wide = 0; wide < 2; wide++) {
            const struct load_place first = k->places[wide][0];
            k->least[wide] = first.width ? (uint16_t)(first.offset + first.width) : 0;
        }
        return;
    }
    for (unsigned i = 0; i < l->field_count; i++)
        if (l->fields[i].role == FIELD_IS_PID || l->fields[i].role == FIELD_IS_TID) {
            k->make = make_owned;
            compile_field(k, l, l->fields[i].role == FIELD_IS_TID, l->fields[i].name);
        }
}

/* Gives the kind the names of the event's schema. True when they differ from those it had. */
static bool name_by_schema(const struct model *m, struct kind *k, const struct event *e)
{
    enum { LONGEST = 255 };
    struct schema schema;
    if (decode_layout(e))
        return false;
    const bool is_known = schema_find(m->schemas, m->source, e, &schema);
    k->is_pending = schema.origin == SCHEMA_PENDING;
    if (!is_known)
        return false;
    if (schema.layout && !schema.is_transient)
        k->named_layout = schema.layout;
    const size_t provider = strnlen(schema.provider, LONGEST);
    const size_t event = strnlen(schema.event, LONGEST);
    char *const names = mem_new(provider + event + 2, 1);
    memcpy(names, schema.provider, provider);
    memcpy(names + provider + 1, schema.event, event);
    const char *const event_name = names + provider + 1;
    const bool is_new = strcmp(names, k->class_name) != 0 || strcmp(event_name, k->event_name) != 0;
    free(k->schema_names);
    k->schema_names = names;
    k->class_name = names;
    k->event_name = event_name;
    return is_new;
}

/* The number of a kind that is there, else 0, and where it belongs in the index. */
static uint32_t kind_find(const struct model *m, const struct event *e, uint32_t tracelogging,
                          uint32_t *at)
{
    const uint64_t name = model_kind_name(e);
    const struct hash_index *const x = &m->kind_index;
    *at = hash_index_first(x, kind_hash(name, &e->provider, tracelogging));
    for (uint32_t number; (number = x->numbers[*at]); *at = hash_index_next(x, *at)) {
        const struct kind *k = &m->kinds[number];
        if (k->name == name && k->tracelogging == tracelogging &&
            (header_is_kernel(e->kind) || guid_equal(&k->provider, &e->provider)))
            return number;
    }
    return 0;
}

/* An event of the kind, without its record. */
static struct event event_like(const struct kind *k)
{
    return (struct event){.kind = k->header,
                          .provider = k->provider,
                          .id = k->id,
                          .version = k->version,
                          .opcode = k->opcode};
}

/* The kind was met before: does what is known now name it? */
static void name_again(struct model *m, struct kind *k, const struct event *like)
{
    const bool has_name = name_by_schema(m, k, like);
    m->late_names += has_name;
    m->late_kinds += has_name;
}

void model_kinds_look(struct model *m)
{
    const uint32_t answers = schema_system_answers();
    if (answers == m->answers_seen)
        return;
    m->answers_seen = answers;
    for (uint32_t i = 1; i < m->kind_count; i++) {
        const struct event e = event_like(&m->kinds[i]);
        if (m->kinds[i].is_pending)
            name_again(m, &m->kinds[i], &e);
    }
}

/* A manifest names all kinds of its provider. There are few manifests, and each is met once. */
static void name_kinds_of(struct model *m, const struct guid *provider)
{
    for (uint32_t i = 1; i < m->kind_count; i++) {
        struct kind *const k = &m->kinds[i];
        const struct event e = event_like(k);
        if (k->header == HEADER_MANIFEST && !k->tracelogging && guid_equal(&k->provider, provider))
            name_again(m, k, &e);
    }
}

/* An EventInfo record mostly comes behind the events that it is about; until then they have
 * built-in names or none. */
static void learn_schema(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    (void)k;
    (void)f;
    struct event about;
    uint32_t at;
    if (!schema_learn(m->schemas, m->source, e, &about))
        return;
    if (manifest_is_piece(&about)) {
        name_kinds_of(m, &about.provider);
        return;
    }
    const uint32_t number = kind_find(m, &about, 0, &at);
    if (number)
        name_again(m, &m->kinds[number], &about);
}

static const struct fact_builder *fact_builder_of_schema(const struct event *e)
{
    static const struct fact_builder fact_builder = {0,     0, FACT_OTHER, OP_NONE, learn_schema,
                                                     {NULL}};
    return schema_is_about(e) ? &fact_builder : NULL;
}

/* Of classes that kinds of both sorts have. */
static enum recorded_by recorded_by(const struct kind *k, bool is_of_provider)
{
    if (!((RECORDED_ONCE | 1u << FACT_PROCESS) >> k->class & 1))
        return RECORDED_BY_NONE;
    if (is_of_provider)
        return RECORDED_BY_PROVIDER;
    return k->header == HEADER_MANIFEST ? RECORDED_BY_NONE : RECORDED_BY_KERNEL_LOGGER;
}

static uint16_t kind_add(struct model *m, const struct event *e, uint32_t tracelogging,
                         uint32_t place)
{
    if (m->kind_count == m->kind_room) {
        m->kind_room *= 2;
        m->kinds = mem_grow(m->kinds, m->kind_room, sizeof *m->kinds);
    }
    const uint16_t index = (uint16_t)m->kind_count++;
    struct kind *k = &m->kinds[index];
    *k = (struct kind){
        .provider = header_is_kernel(e->kind) ? *event_class_guid(e->id) : e->provider,
        .name = model_kind_name(e),
        .id = e->id,
        .version = e->version,
        .opcode = e->opcode,
        .header = e->kind,
        .tracelogging = tracelogging,
    };
    clear_places(k);
    decode_name(e, &k->class_name, &k->event_name);
    name_by_schema(m, k, e);
    guid_format(&k->provider, k->guid_text);
    const struct payload_layout *l = decode_layout(e);
    const uint16_t hook = decode_hook(e);
    const struct fact_builder *r =
        hook != DECODE_NO_HOOK ? fact_builder_find(hook) : fact_builder_of_tracetop(e);
    if (!r && l)
        r = fact_builder_of_volume(e);
    if (!r && l)
        r = fact_builder_of_build(e);
    if (!r)
        r = fact_builder_of_schema(e);
    if (!r && tracelogging)
        r = fact_builder_of_function(e);
    const struct fact_builder *const of_manifest = r ? NULL : fact_builder_of_manifest(e);
    struct schema schema;
    if (of_manifest) {
        r = of_manifest;
        l = schema_find(m->schemas, m->source, e, &schema) ? schema.layout : NULL;
    }
    if (r) {
        k->class = r->class;
        k->op = r->op;
    }
    if (!fact_builder_is_beside(e))
        k->recorded_by = (uint8_t)recorded_by(k, of_manifest != NULL);
    k->layout = l;
    k->named_layout = l ? l : k->named_layout;
    if (l) /* nothing to read without a layout */
        compile(k, l, r);
    else if ((tracelogging || of_manifest || schema_is_about(e)) &&
             r) /* they read their payload themselves */
        k->make = r->make;
    hash_index_put(&m->kind_index, place, index, hash_of_kind, m->kinds);
    return index;
}

uint16_t model_kind_look_up(struct model *m, const struct event *e)
{
    const uint32_t tracelogging = description_of(e);
    uint32_t at;
    const uint32_t number = kind_find(m, e, tracelogging, &at);
    if (number)
        return (uint16_t)number;
    if (m->kind_count > KINDS_MAX) {
        m->tally.kinds_dropped++;
        return 0;
    }
    return kind_add(m, e, tracelogging, at);
}
