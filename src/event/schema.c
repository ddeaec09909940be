/* Finding the schema of an event: in its own description, the trace, manifests, built-in layouts,
 * the system. */
#include "src/event/schema.h"

#include "src/base/mem.h"
#include "src/event/decode/classes.h"
#include "src/event/manifest_table.h"
#include "src/event/schema_file.h"
#include "src/event/schema_info.h"
#include "src/event/schema_system.h"
#include "src/os/os.h"

#include <stdlib.h>

enum { ASKED_MOST = 1 << 14 }; /* questions to the system */

/* Most of its answers take a tenth of a millisecond, about classes perhaps a second. Who asks
 * waits, and does so no longer than this in all. */
static const int64_t ASKED_NS = 3 * 1000000000ll, USUAL_NS = 20 * 1000000;

const char *schema_origin_name(enum schema_origin origin)
{
    static const char *const names[] = {"none",     "built in", "TraceLogging", "trace",
                                        "manifest", "TDH",      "TDH, pending"};
    return names[origin];
}

void schemas_never_wait(struct schemas *s)
{
    s->never_waits = true;
}

/* ---- TraceLogging --------------------------------------------------------------------------- */

static void answer_tracelogging(const struct tracelogging *t, struct schema *out)
{
    *out = (struct schema){.origin = SCHEMA_TRACELOGGING,
                           .layout = &t->layout,
                           .provider = t->provider,
                           .event = t->event,
                           .message = "",
                           .file = "",
                           .is_transient = true};
}

/* Fields and the provider's name; everything else points into the copy of the description. */
static bool keep_tracelogging(struct schemas *s, struct schema_entry *x, const char *provider)
{
    struct tracelogging *const t = &s->tracelogging;
    if (!tracelogging_read_description(x->description, x->description_bytes, t))
        return false;
    const size_t fields = t->layout.field_count * sizeof *t->fields;
    const size_t name = strlen(provider) + 1;
    if (!schemas_reserve(s, fields + name))
        return false;
    x->fields = mem_new(fields + name, 1);
    char *const provider_copy = (char *)x->fields + fields;
    memcpy(x->fields, t->fields, fields);
    memcpy(provider_copy, provider, name);
    x->layout = (struct payload_layout){.fields = x->fields, .field_count = t->layout.field_count};
    answer_tracelogging(t, &x->schema);
    x->schema.layout = &x->layout;
    x->schema.provider = provider_copy;
    x->schema.is_transient = false;
    return true;
}

static bool find_tracelogging(struct schemas *s, const struct event *e,
                              const struct tracelogging_description *description,
                              struct schema *out)
{
    const struct schema_key k = {.provider = &e->provider, .description = *description};
    uint32_t at;
    struct schema_entry *x = schema_entry_find(s, &k, &at);
    if (!x && !tracelogging_read(e, &s->tracelogging))
        return false;
    if (!x) {
        const char *const provider = s->tracelogging.provider;
        const bool has_room = schemas_reserve(s, description->bytes);
        x = has_room ? schema_entry_add(s, &k, at) : NULL;
        if (x && !keep_tracelogging(s, x, provider))
            x = NULL;
    }
    if (x && x->schema.origin != SCHEMA_NONE) {
        *out = x->schema;
        return true;
    }
    if (!tracelogging_read(e, &s->tracelogging))
        return false;
    answer_tracelogging(&s->tracelogging, out);
    return true;
}

/* ---- built-in layouts of manifests --------------------------------------------------------------- */

/* Reads every variant of the layout into a list that `first` begins; it stays without a schema
 * where the table has none. */
static void read_built_in(struct schemas *s, struct schema_entry *first, const struct event *e)
{
    struct schema_entry **next = &first->next_variant, *x = first;
    for (unsigned i = 0; manifest_table_read(e, i, &s->info); i++) {
        if (i && !schemas_reserve(s, sizeof *x))
            return;
        if (i) {
            x = *next = mem_new(1, sizeof *x);
            *x = (struct schema_entry){.provider = first->provider, .source = BUILT_IN};
            next = &x->next_variant;
        }
        if (!schema_keep_info(s, x, &s->info, SCHEMA_BUILT_IN))
            return;
    }
}

/* The first variant that consumes the payload exactly, else the first that leaves trailing bytes.
 * Where the payload is too short for all: the first variant, whose last fields are missing, or no
 * layout when these are of a lower version. */
static const struct schema_entry *best_variant(const struct schema_entry *first,
                                               const struct event *e)
{
    const bool is_own_version = first->layout.version == e->version;
    if (first->schema.origin == SCHEMA_NONE)
        return NULL;
    if (is_own_version && !first->next_variant)
        return first;
    const struct schema_entry *best = is_own_version ? first : NULL;
    enum decode_fit best_fit = FIT_NONE;
    for (const struct schema_entry *x = first; x && best_fit < FIT_EXACT; x = x->next_variant) {
        const enum decode_fit fit = x->schema.layout ? decode_fit(x->schema.layout, e) : FIT_NONE;
        if (fit > best_fit) {
            best = x;
            best_fit = fit;
        }
    }
    return best;
}

static bool find_built_in(struct schemas *s, const struct event *e, struct schema *out)
{
    const struct schema_key k = schema_key_of(e, BUILT_IN);
    uint32_t at;
    struct schema_entry *x = schema_entry_find(s, &k, &at);
    if (!x && (x = schema_entry_add(s, &k, at)))
        read_built_in(s, x, e);
    const struct schema_entry *const best = x ? best_variant(x, e) : NULL;
    if (best)
        *out = best->schema;
    return best != NULL;
}

/* ---- manifests ------------------------------------------------------------------------------------ */

/* The event's schema in that manifest, which has `source` in place of a source. */
static bool find_in_manifest(struct schemas *s, const struct manifest *m, uint32_t source,
                             enum schema_origin origin, const struct event *e, struct schema *out)
{
    const struct schema_key k = schema_key_of(e, source);
    uint32_t at;
    struct schema_entry *x = schema_entry_find(s, &k, &at);
    if (!x && (x = schema_entry_add(s, &k, at)) &&
        manifest_event_info(m, &e->provider, e->id, e->version, &s->blob) &&
        event_info_read(s->blob.at, s->blob.bytes, &s->info))
        schema_keep_info(s, x, &s->info, origin);
    if (!x || x->schema.origin == SCHEMA_NONE)
        return false;
    *out = x->schema;
    return true;
}

static bool find_in_pieces(struct schemas *s, uint32_t source, const struct event *e,
                           struct schema *out)
{
    for (uint32_t i = 0; i < s->manifest_count; i++) {
        const struct schema_manifest *const m = s->manifests[i];
        if (m->source == source && m->manifest && guid_equal(&m->provider, &e->provider) &&
            find_in_manifest(s, m->manifest, MANIFEST_FIRST + i, SCHEMA_TRACE, e, out))
            return true;
    }
    return false;
}

static bool find_in_files(struct schemas *s, const struct event *e, struct schema *out)
{
    const struct schema_file *f;
    for (unsigned i = 0; (f = schema_file_at(i)); i++)
        if (manifest_provider(f->manifest, &e->provider) &&
            find_in_manifest(s, f->manifest, FILE_FIRST + i, SCHEMA_MANIFEST, e, out)) {
            out->file = f->name;
            return true;
        }
    return false;
}

/* ---- the system --------------------------------------------------------------------------------- */

/* Asks; time beyond what an answer usually takes counts against the patience of `s`. */
static enum system_answer ask_system(struct schemas *s, const struct event *e)
{
    const int64_t left = s->never_waits ? 0 : ASKED_NS - s->asked_ns;
    const int64_t began = os_now();
    const enum system_answer answer = schema_system_event(e, left, &s->blob);
    const int64_t took = os_now() - began;
    s->asked_ns += took > USUAL_NS ? took : 0;
    return answer;
}

static bool find_in_system(struct schemas *s, const struct event *e, struct schema *out)
{
    if (!schema_system_is_there())
        return false;
    const struct schema_key k = schema_key_of(e, OF_SYSTEM);
    uint32_t at;
    struct schema_entry *x = schema_entry_find(s, &k, &at);
    if (!x && s->asked == ASKED_MOST) {
        s->dropped++;
        return false;
    }
    const enum system_answer answer = x ? SYSTEM_UNKNOWN : ask_system(s, e);
    if (answer == SYSTEM_PENDING) {
        s->dropped += !s->never_waits;
        out->origin = SCHEMA_PENDING;
        return false;
    }
    if (!x && (x = schema_entry_add(s, &k, at))) {
        s->asked++;
        if (answer == SYSTEM_KNOWN && event_info_read(s->blob.at, s->blob.bytes, &s->info))
            schema_keep_info(s, x, &s->info, SCHEMA_SYSTEM);
    }
    if (!x || x->schema.origin == SCHEMA_NONE)
        return false;
    *out = x->schema;
    return true;
}

/* ---- finding ---------------------------------------------------------------------------------- */

static bool find_in_trace(struct schemas *s, uint32_t source, const struct event *e,
                          struct schema *out)
{
    const struct schema_key k = schema_key_of(e, source);
    uint32_t at;
    const struct schema_entry *const x = schema_entry_find(s, &k, &at);
    if (x)
        *out = x->schema;
    else
        schema_entry_add(s, &k, at);
    return x && x->schema.origin != SCHEMA_NONE;
}

/* Pieces have the provider's name as soon as a manifest is known that has it. */
static bool answer_piece(const struct schemas *s, uint32_t source, const struct event *e,
                         struct schema *out)
{
    const struct schema_file *f;
    const char *name = NULL;
    for (uint32_t i = 0; !name && i < s->manifest_count; i++)
        if (s->manifests[i]->source == source && s->manifests[i]->manifest)
            name = manifest_provider(s->manifests[i]->manifest, &e->provider);
    for (unsigned i = 0; !name && (f = schema_file_at(i)); i++)
        name = manifest_provider(f->manifest, &e->provider);
    *out = (struct schema){.origin = SCHEMA_BUILT_IN,
                           .layout = &manifest_piece_layout,
                           .provider = name ? name : "",
                           .event = "ManifestData",
                           .message = "",
                           .file = ""};
    return true;
}

bool schema_find(struct schemas *s, uint32_t source, const struct event *e, struct schema *out)
{
    struct tracelogging_description description;
    *out = (struct schema){
        .layout = decode_layout(e), .provider = "", .event = "", .message = "", .file = ""};
    if (out->layout) {
        out->origin = SCHEMA_BUILT_IN;
        decode_name(e, &out->provider, &out->event);
        return true;
    }
    if (e->kind == HEADER_CLASSIC)
        return find_in_trace(s, source, e, out) || find_built_in(s, e, out) ||
               find_in_system(s, e, out);
    if (e->kind != HEADER_MANIFEST)
        return false;
    if (tracelogging_describe(e, &description))
        return find_tracelogging(s, e, &description, out);
    if (manifest_is_piece(e))
        return answer_piece(s, source, e, out);
    return find_in_trace(s, source, e, out) || find_in_pieces(s, source, e, out) ||
           find_in_files(s, e, out) || find_built_in(s, e, out) || find_in_system(s, e, out);
}

/* ---- describing ---------------------------------------------------------------------------------- */

bool schema_has_outside(void)
{
    return schema_system_is_there() || schema_file_at(0);
}

/* The file that the schema is of; NULL: none. */
static const struct schema_file *file_of(const struct schema *schema)
{
    const struct schema_file *f = NULL;
    if (schema->origin == SCHEMA_MANIFEST)
        for (unsigned i = 0; (f = schema_file_at(i)) && f->name != schema->file; i++)
            continue;
    return f;
}

/* Has the field a map that none before it has? */
static bool is_first_with_map(const struct event_info *info, unsigned field)
{
    for (unsigned i = 0; i < field; i++)
        if (strcmp(info->maps[i], info->maps[field]) == 0)
            return false;
    return info->maps[field][0] != '\0';
}

static bool export_maps(struct schemas *s, const struct schema_file *f, const struct event *e,
                        schema_payload take, void *state)
{
    for (unsigned i = 0; i < s->info.field_count; i++) {
        const char *const name = s->info.maps[i];
        if (!is_first_with_map(&s->info, i))
            continue;
        const bool is_there = f ? manifest_map_info(f->manifest, &e->provider, name, &s->blob)
                                : schema_system_map(e, name, &s->blob);
        if (is_there && !take(state, EVENT_MAP_INFO, s->blob.at, s->blob.bytes))
            return false;
    }
    return true;
}

bool schema_export(struct schemas *s, uint32_t source, const struct event *e, schema_payload take,
                   void *state)
{
    struct schema schema;
    struct manifest_blob info = {NULL, 0, 0};
    if (!schema_find(s, source, e, &schema))
        return true;
    const struct schema_file *const f = file_of(&schema);
    if (!f && schema.origin != SCHEMA_SYSTEM)
        return true;
    const bool is_there =
        f ? manifest_event_info(f->manifest, &e->provider, e->id, e->version, &info)
          : schema_system_event(e, 0, &info) == SYSTEM_KNOWN;
    const bool is_done =
        !is_there || !event_info_read(info.at, info.bytes, &s->info) ||
        (export_maps(s, f, e, take, state) && take(state, EVENT_INFO, info.at, info.bytes));
    free(info.at);
    return is_done;
}

bool schema_has_field(const char *name, size_t bytes)
{
    const struct schema_file *f;
    for (unsigned i = 0; (f = schema_file_at(i)); i++)
        if (manifest_has_field(f->manifest, name, bytes))
            return true;
    return decode_has_field(name, bytes) || manifest_table_has_field(name, bytes);
}
