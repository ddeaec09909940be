/* All that is known of one event, as labels and texts, and its JSON. */
#include "src/view/event_details.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/event/account.h"
#include "src/event/line.h"
#include "src/event/manifest/pieces.h"
#include "src/event/message.h"
#include "src/view/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct decoded_event view_decode_event(const struct view *v, const struct fact *f,
                                       const struct event *e, struct schema *schema,
                                       struct decoded *fields)
{
    schema_find(v->model->schemas, view_source_of(f, e), e, schema);
    return (struct decoded_event){
        .event = e,
        .schema = schema,
        .fields = fields,
        .count = schema->layout ? decode_fields(schema->layout, e, fields, DECODE_FIELDS) : 0,
        .is_linux = view_is_of_linux(v, f, e),
    };
}

/* Since the first event, from which ranges count, too. */
static void describe_since(struct view *v, struct frame_maker *maker, const struct fact *f)
{
    char text[48];
    const int64_t since = clock_minus(f->time, view_dataset(v)->first_ns);
    snprintf(text, sizeof text, "%+.7f s", (double)since / 1e9);
    maker_field(maker, "Since start", text);
}

/* When and what it was, and whose: also of what is overwritten. */
static void describe_head(struct view *v, struct frame_maker *maker, const struct fact *f)
{
    const struct kind *const k = &v->model->kinds[f->kind];
    const uint32_t number = model_process_of(v->model, f);
    const struct process *const p = model_process_at(v->model, number);
    const struct thread *const t = generation_at(&v->model->threads, f->thread);
    const struct row_context x = {.model = v->model};
    char text[512], room[KIND_TEXT], ids[64] = "", time[CLOCK_TEXT];
    maker_field(maker, "Time", "");
    maker->fields[maker->frame.field_count - 1].text =
        (struct value){.type = VALUE_INSTANT, .ns = f->time};
    maker_field(maker, "Time (UTC)", clock_format_iso(f->time, time));
    describe_since(v, maker, f);
    maker_field(maker, "Provider", kind_provider(k));
    snprintf(text, sizeof text, "%s, version %u", kind_event(k, room), k->version);
    maker_field(maker, "Event", text);
    if (p && p->name)
        snprintf(ids, sizeof ids, " %u", p->pid);
    if (t)
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), ", thread %u", t->tid);
    snprintf(text, sizeof text, "%s%s, on processor %u",
             number ? process_label(&x, number, room, sizeof room) : "(nobody)", ids, f->cpu);
    maker_field(maker, "By", text);
    if (p && p->command)
        maker_field(maker, "Command line", p->command);
}

/* Its own line; files and keys by their whole names, whatever the list shows. */
static void describe_line(struct view *v, struct frame_maker *maker, const struct fact *f,
                          const struct decoded_event *d)
{
    struct row_context x = {.model = v->model, .paths = PATHS_FULL};
    char *const text = v->cache->text;
    char path[FIELD_ROOM];
    const struct file *const file = fact_file(v->model, f);
    const bool is_message = *d->schema->message && !sentence_template(d->event);
    if (!is_message && view_sentence(v, f, d, text, SENTENCE_ROOM))
        maker_field(maker, "Summary", text);
    if (file && file->name)
        maker_field(maker, f->class == FACT_REGISTRY ? "Key" : "Path",
                    path_shown(&x, file->source, file->name, path, sizeof path));
}

/* The value; of a number that has a name, both. */
static void describe_field(struct view *v, struct frame_maker *maker, const struct decoded *d,
                           bool is_linux)
{
    char *const text = v->cache->text;
    const size_t room = sizeof v->cache->text;
    char name[DECODE_NAME];
    size_t bytes;
    const size_t used = d->is_present ? decode_show(d, is_linux, text, room) : 0;
    if (!d->is_present)
        snprintf(text, room, "(missing)");
    else if ((d->field->type == FIELD_GUID || account_of_field(d)) &&
             (bytes = sentence_value(d, is_linux, name, sizeof name)) != used)
        snprintf(text + used, room - used, " (%.*s)", (int)bytes, name);
    else if (d->field->map && !d->is_list && decode_value_name(d, name, sizeof name))
        snprintf(text + used, room - used,
                 d->field->map->is_bits || d->field->type == FIELD_HEX32 ? " (0x%llx)" : " (%llu)",
                 (unsigned long long)d->number &
                     (d->bytes < 8 ? (1ull << 8 * d->bytes) - 1 : ~0ull));
    maker_field(maker, d->field->name, text);
}

/* The innermost frame first. */
static void describe_stack(struct view *v, struct frame_maker *maker, const struct fact *f)
{
    uint64_t frames[2 * STACK_FRAMES];
    char text[1024];
    const struct stack *const s = generation_at(&v->model->stack_store.stacks, f->stack);
    const unsigned count = s ? model_stack_frames(v->model, s, frames) : 0;
    if (!count)
        return;
    maker_field(maker, "", "");
    for (unsigned i = 0; i < count; i++) {
        const struct site site = site_of(&v->sites, v->model, s, frames, i);
        maker_field(maker, i ? "" : "Stack",
                    site_text(&v->sites, v->model, &site, text, sizeof text));
    }
}

/* Where the schema is from, and the version of a built-in one that is older than the event. */
static void describe_schema(struct frame_maker *maker, const struct schema *s,
                            const struct event *e)
{
    char text[512];
    const char *const origin = schema_origin_name(s->origin);
    if (e->kind == HEADER_MANIFEST && s->layout && s->layout->version != e->version &&
        s->origin == SCHEMA_BUILT_IN)
        snprintf(text, sizeof text, "%s, version %u (the event: version %u)", origin,
                 s->layout->version, e->version);
    else if (*s->file)
        snprintf(text, sizeof text, "%s %.400s", origin, s->file);
    else
        snprintf(text, sizeof text, "%s", origin);
    maker_field(maker, "Schema", text);
}

/* What became of the manifest that this is a piece of. */
static void describe_piece(struct view *v, struct frame_maker *maker, const struct fact *f,
                           const struct event *e)
{
    char text[256];
    schema_describe_piece(v->model->schemas, view_source_of(f, e), e, text, sizeof text);
    maker_field(maker, "State", text);
}

/* "3 (Warning)", or the number alone; of a number 0 without a name nothing. */
static void describe_number(struct frame_maker *maker, const char *label, unsigned number,
                            const char *name)
{
    char text[300];
    if (!number && !*name)
        return;
    snprintf(text, sizeof text, *name ? "%u (%s)" : "%u", number, name);
    maker_field(maker, label, text);
}

/* Numbers of the header and their names, which only manifest events have. */
static void describe_names(struct frame_maker *maker, const struct schema *s, const struct event *e)
{
    char keywords[PROVIDER_KEYWORDS], text[PROVIDER_KEYWORDS + 32];
    if (e->kind != HEADER_MANIFEST)
        return;
    describe_number(maker, "Level", e->level, provider_level_name(s->names, e));
    describe_number(maker, "Task", e->task, provider_task_name(s->names, e));
    describe_number(maker, "Opcode", e->opcode, provider_opcode_name(s->names, e));
    describe_number(maker, "Channel", e->channel, provider_channel_name(s->names, e));
    if (!e->keyword)
        return;
    provider_keyword_names(s->names, e, keywords);
    const int hex = snprintf(text, sizeof text, "0x%" PRIx64, e->keyword);
    if (strcmp(text, keywords) != 0)
        snprintf(text + hex, sizeof text - (size_t)hex, " (%s)", keywords);
    maker_field(maker, "Keywords", text);
}

static void describe_message(struct view *v, struct frame_maker *maker, const struct schema *s,
                             const struct decoded *fields, unsigned count, bool is_linux)
{
    char *const text = v->cache->text;
    if (!message_has_words(s->message))
        return;
    message_format(s->message, fields, count, is_linux, text, sizeof v->cache->text);
    maker_field(maker, "Message", text);
}

/* Bytes that the layout says nothing about. */
static void describe_trailing(struct frame_maker *maker, size_t at, const struct event *e)
{
    char text[64];
    snprintf(text, sizeof text, "%zu bytes from offset 0x%zx", e->payload_bytes - at, at);
    maker_field(maker, "(trailing bytes)", text);
}

/* The name as traces have it; that of the idle process is the model's own. */
static const char *recorded_name(const struct process *p, bool is_linux)
{
    return p && p->pid ? p->name : p && !is_linux ? "Idle" : NULL;
}

/* The object that `tracetop dump -O jsonl` prints. */
static void describe_json(struct view *v, struct frame_maker *maker, const struct fact *f,
                          const struct decoded_event *d)
{
    struct view_cache *const c = v->cache;
    struct schema s;
    const bool has_schema =
        schema_find(v->model->schemas, view_source_of(f, d->event), d->event, &s);
    const struct process *const p = model_process_at(v->model, model_process_of(v->model, f));
    const struct thread *const t = generation_at(&v->model->threads, f->thread);
    if (!c->line) {
        c->line = mem_new(LINE_ROOM, 1);
        c->value = mem_new(LINE_VALUE, 1);
    }
    struct line line = {.at = c->line,
                        .value = c->value,
                        .names_source = f->ring < v->collector_count &&
                                        v->collectors[f->ring]->source_count > 1};
    const struct line_event e = {
        .event = d->event,
        .layout = has_schema ? s.layout : NULL,
        .class_name = has_schema ? s.provider : NULL,
        .event_name = has_schema ? s.event : NULL,
        .message = has_schema ? s.message : NULL,
        .names = has_schema ? s.names : NULL,
        .is_transient = true,
        .owner = {p ? p->pid : EVENT_NO_ID, t ? t->tid : EVENT_NO_ID,
                  recorded_name(p, d->is_linux)},
        .ns = f->time,
        .is_linux = d->is_linux,
    };
    line_jsonl(&line, &e);
    const size_t bytes = (size_t)(line.at - c->line) - 1; /* without its end-of-line character */
    maker->frame.json = maker_text(maker, VALUE_TEXT, c->line, bytes);
}

void view_describe_event(struct view *v, struct frame_maker *maker, const struct fact *f)
{
    struct event e;
    const bool is_kept = view_record(v, f, &e);
    describe_head(v, maker, f);
    if (!is_kept) {
        maker_field(maker, "", "");
        maker_field(maker, "(overwritten)",
                    "its record was overwritten; a larger --ring keeps more");
        return;
    }
    struct decoded fields[DECODE_FIELDS];
    struct schema schema;
    const struct decoded_event d = view_decode_event(v, f, &e, &schema, fields);
    const struct payload_layout *const l = schema.layout;
    size_t end = 0;
    describe_line(v, maker, f, &d);
    describe_schema(maker, &schema, &e);
    if (manifest_is_piece(&e))
        describe_piece(v, maker, f, &e);
    describe_names(maker, &schema, &e);
    describe_message(v, maker, &schema, fields, d.count, d.is_linux);
    maker_field(maker, "", "");
    for (unsigned i = 0; i < d.count; i++) {
        if (fields[i].is_member)
            continue;
        if (fields[i].is_present && fields[i].end > end)
            end = fields[i].end;
        describe_field(v, maker, &fields[i], d.is_linux);
    }
    if (!l)
        maker_field(maker, "(no fields)", "unknown payload layout");
    else if (end < e.payload_bytes)
        describe_trailing(maker, end, &e);
    describe_stack(v, maker, f);
    maker_payload(maker, e.payload, e.payload_bytes);
    describe_json(v, maker, f, &d);
}
