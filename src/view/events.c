/* Lists of events: rows are facts, their details come from the records in the rings. */
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/event/line.h"
#include "src/event/manifest/pieces.h"
#include "src/event/message.h"
#include "src/field/field.h"
#include "src/view/find.h"
#include "src/view/inside.h"
#include "src/view/record.h"
#include "src/view/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- records --------------------------------------------------------------------------- */

static struct value entity_path(const struct view *v, struct row_context *x, const struct fact *f,
                                uint32_t process)
{
    const struct file *file = fact_file(v->model, f);
    const struct process *p = f->class == FACT_IMAGE ? model_process_at(v->model, process) : NULL;
    return file ? value_path(x, p ? p->source : file->source, file->name) : value_absent();
}

enum { HEX_BYTES = 24, SENTENCE_ROOM = 16 << 10 };

/* The bytes of a payload that nothing is known about. */
static size_t put_bytes(const struct event *e, char *out, size_t room)
{
    size_t used = 0;
    const uint32_t count = e->payload_bytes < HEX_BYTES ? e->payload_bytes : HEX_BYTES;
    for (uint32_t i = 0; i < count && used + 3 < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%02x", e->payload[i]);
    return used +
           (size_t)snprintf(out + used, room - used, "%s", count < e->payload_bytes ? "…" : "");
}

/* Decodes into `fields`, which has room for DECODE_FIELDS. */
static struct decoded_event decode_event(const struct view *v, const struct fact *f,
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

/* "DCStart" or "event id 17", and ": " where more follows. */
static size_t put_event(const struct kind *k, bool has_more, char *out)
{
    char room[KIND_TEXT];
    const int bytes = snprintf(out, SENTENCE_ROOM, "%s%s%s", *k->event_name ? "" : "event ",
                               kind_event(k, room), has_more ? ": " : "");
    return (size_t)bytes < SENTENCE_ROOM ? (size_t)bytes : SENTENCE_ROOM - 1;
}

/* A text of the event's own, as what happened; `of` becomes its field. In front of it stands the
 * event's name, if no column has it; but not of a message among other fields. */
static size_t put_own_text(struct view *v, const struct fact *f, const struct sentence_items *items,
                           bool has_more, char *out, const struct decoded **of)
{
    const struct decoded *const d = sentence_text(items);
    const bool is_named = v->request.names_events && !(d && items->count > 1);
    const size_t used = is_named ? put_event(&v->model->kinds[f->kind], has_more, out) : 0;
    const size_t bytes = d ? decode_show(d, items->is_linux, out + used, SENTENCE_ROOM) : 0;
    *of = bytes ? d : NULL;
    return used + bytes;
}

/* What happened, then the fields as recorded; where nothing says what happened, the fields that say
 * most come first. */
static struct value detail(struct view *v, struct frame_maker *maker, const struct fact *f,
                           const struct event *e)
{
    static const char between[] = "  " EVENT_FIELDS_SIGN " ";
    char *const text = v->cache->text;
    const size_t room = sizeof v->cache->text;
    struct decoded fields[DECODE_FIELDS];
    struct schema schema;
    const struct decoded_event d = decode_event(v, f, e, &schema, fields);
    const struct sentence_items items = {
        .fields = d.fields, .count = d.count, .is_linux = d.is_linux};
    const struct decoded *own = NULL;
    const size_t sentence = view_sentence(v, f, &d, text, SENTENCE_ROOM);
    const size_t before =
        sentence ? sentence : put_own_text(v, f, &items, e->payload_bytes > 0, text, &own);
    const bool has_sentence = sentence || own;
    size_t used = before;
    if (has_sentence) {
        memcpy(text + used, between, sizeof between);
        used += sizeof between - 1;
    }
    const size_t others =
        sentence_fields(&items, has_sentence ? SENTENCE_AS_RECORDED : SENTENCE_BEST_FIRST, own,
                        text + used, room - used);
    used = others ? used + others : before;
    if (!d.count && !has_sentence)
        used += put_bytes(e, text + used, room - used);
    return maker_text(maker, VALUE_TEXT, text, used);
}

/* ---- rows --------------------------------------------------------------------------------- */

static struct value plain(struct frame_maker *maker, const char *text)
{
    return maker_text(maker, VALUE_TEXT, text, strlen(text));
}

enum cell {
    TIME,
    DELTA,
    CPU,
    PID,
    TID,
    NAME,
    PROVIDER,
    EVENT,
    LEVEL,
    DETAIL,
    ID,
    OPCODE,
    VERSION,
    SIZE,
    PATH,
    KEYWORD,
    ACTIVITY,
    STACK
};

/* What only some headers say. */
static void fill_header(struct frame_maker *maker, const struct event *e, struct value *cells)
{
    struct guid activity;
    char text[GUID_TEXT];
    if (e->keyword)
        cells[KEYWORD] = value_number(VALUE_HEX, e->keyword);
    if (!e->activity)
        return;
    memcpy(&activity, e->activity, sizeof activity);
    cells[ACTIVITY] = plain(maker, guid_format(&activity, text));
}

static struct value frames_of(const struct view *v, const struct fact *f)
{
    uint64_t frames[2 * STACK_FRAMES];
    const struct stack *s = generation_at(&v->model->stack_store.stacks, f->stack);
    return s ? value_number(VALUE_COUNT, model_stack_frames(v->model, s, frames)) : value_absent();
}

/* Whole numbers that stand for nothing else. */
static bool is_number(const struct decoded *d)
{
    switch ((enum field_type)d->field->type) {
    case FIELD_U8:
    case FIELD_U16:
    case FIELD_U32:
    case FIELD_U64:
    case FIELD_SIZE:
    case FIELD_PORT:
        return !d->field->map && !d->is_list && !d->members;
    default:
        return false;
    }
}

/* What the record has under the names of such columns; absent where it lacks the field. */
static void fill_payload(struct view *v, struct frame_maker *maker, const struct fact *f,
                         const struct event *e, struct value *cells)
{
    const struct pane *const p = v->request.pane;
    char *const text = v->cache->text;
    struct schema schema;
    struct decoded d;
    for (size_t i = STACK + 1; i < p->column_count; i++) {
        const bool is_there = p->columns[i].flags & COLUMN_OF_PAYLOAD &&
                              schema_find(v->model->schemas, view_source_of(f, e), e, &schema) &&
                              schema.layout && field_decode(p->columns[i].id, &schema, e, &d);
        if (is_there && is_number(&d))
            cells[i] = value_number(VALUE_ID, d.number);
        else if (is_there)
            cells[i] = maker_text(maker, VALUE_TEXT, text,
                                  decode_show(&d, view_is_of_linux(v, f, e), text,
                                              sizeof v->cache->text));
    }
}

static void fill_record(struct view *v, struct frame_maker *maker, const struct fact *f,
                        struct value *cells)
{
    struct event e;
    if (view_record(v, f, &e)) {
        cells[DETAIL] = detail(v, maker, f, &e);
        cells[SIZE] = value_number(VALUE_BYTES, e.payload_bytes);
        if (!header_is_kernel(e.kind))
            cells[LEVEL] = value_number(VALUE_ID, e.level);
        fill_header(maker, &e, cells);
        fill_payload(v, maker, f, &e, cells);
    } else {
        cells[DETAIL] = plain(maker, "(overwritten)");
    }
}

static void fill_event(struct view *v, struct frame_maker *maker, const struct fact *f,
                       const struct fact *before, struct value *cells)
{
    const struct kind *k = &v->model->kinds[f->kind];
    struct row_context x = {.model = v->model, .texts = &maker->texts, .paths = v->request.paths};
    const uint32_t number = model_process_of(v->model, f);
    const struct process *p = model_process_at(v->model, number);
    const struct thread *t = generation_at(&v->model->threads, f->thread);
    char room[32], kind_room[KIND_TEXT];
    cells[TIME] = (struct value){.type = VALUE_INSTANT, .ns = f->time};
    if (before)
        cells[DELTA] = (struct value){.type = VALUE_TIME, .ns = f->time - before->time};
    cells[CPU] = value_number(VALUE_ID, f->cpu);
    if (p)
        cells[PID] = value_number(VALUE_ID, p->pid);
    if (t)
        cells[TID] = value_number(VALUE_ID, t->tid);
    cells[NAME] =
        number ? plain(maker, process_label(&x, number, room, sizeof room)) : value_absent();
    cells[PROVIDER] = plain(maker, kind_provider(k));
    cells[EVENT] = plain(maker, kind_event(k, kind_room));
    cells[ID] = value_number(VALUE_ID, k->id);
    cells[OPCODE] = value_number(VALUE_ID, k->opcode);
    cells[VERSION] = value_number(VALUE_ID, k->version);
    cells[PATH] = entity_path(v, &x, f, number);
    cells[STACK] = frames_of(v, f);
    fill_record(v, maker, f, cells);
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
    else if (d->field->type == FIELD_GUID &&
             (bytes = sentence_value(d, is_linux, name, sizeof name)) != used)
        snprintf(text + used, room - used, " (%.*s)", (int)bytes, name);
    else if (d->field->map && !d->is_list && decode_value_name(d, name, sizeof name))
        snprintf(text + used, room - used, d->field->map->is_bits || d->field->type == FIELD_HEX32 ? " (0x%llx)" : " (%llu)",
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
    snprintf(text, sizeof text, "0x%" PRIx64 " (%s)", e->keyword, keywords);
    maker_field(maker, "Keywords", text);
}

static void describe_message(struct view *v, struct frame_maker *maker, const struct schema *s,
                             const struct decoded *fields, unsigned count, bool is_linux)
{
    char *const text = v->cache->text;
    if (!message_tells(s->message))
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
    struct line line = {
        .at = c->line, .value = c->value, .names_source = f->ring < v->collector_count &&
                                             v->collectors[f->ring]->source_count > 1};
    const struct line_event e = {
        .event = d->event,
        .layout = has_schema ? s.layout : NULL,
        .class_name = has_schema ? s.provider : NULL,
        .event_name = has_schema ? s.event : NULL,
        .message = has_schema ? s.message : NULL,
        .names = has_schema ? s.names : NULL,
        .is_transient = true,
        .owner = {p ? p->pid : EVENT_NO_ID, t ? t->tid : EVENT_NO_ID, recorded_name(p, d->is_linux)},
        .ns = f->time,
        .is_linux = d->is_linux,
    };
    line_jsonl(&line, &e);
    const size_t bytes = (size_t)(line.at - c->line) - 1; /* without its end-of-line character */
    maker->frame.json = maker_text(maker, VALUE_TEXT, c->line, bytes);
}

static void describe_event(struct view *v, struct frame_maker *maker, const struct fact *f)
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
    const struct decoded_event d = decode_event(v, f, &e, &schema, fields);
    const struct layout *const l = schema.layout;
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

/* ---- the window ------------------------------------------------------------------------------ */

static uint64_t number_of(struct row_key key)
{
    return (uint64_t)key.b << 32 | key.a;
}

static uint64_t nth(const struct view *v, const struct dataset *w, uint64_t i)
{
    return v->is_scanning ? v->index.numbers[v->index.first + i] : w->facts.first + i;
}

/* How many of the list come before `number`. */
static uint64_t rank_of(const struct view *v, const struct dataset *w, uint64_t number,
                        uint64_t count)
{
    if (!v->is_scanning)
        return number < w->facts.first ? 0 : number - w->facts.first;
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (nth(v, w, middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All of the list is looked at: a cached_match on a name is kept, so that it is a few ns each. */
static void seek(struct view *v, const struct dataset *w, uint64_t count)
{
    struct seeking s;
    if (!seek_begin(v, &s))
        return;
    if (v->request.has_anchor)
        seek_start(&s, rank_of(v, w, number_of(v->request.anchor), count));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number = nth(v, w, i);
        if (finder_event(v, facts_at(&w->facts, number)) & ROW_FOUND)
            seek_row(&s, i, view_event_key(number));
    }
    seek_end(v, &s);
}

/* ---- the event whose details are shown, and its neighbors ------------------------------------- */

static bool is_kept(const struct dataset *w, uint64_t number)
{
    return number >= w->facts.first && number < w->facts.end;
}

static void remember(struct view *v, const struct dataset *w, uint64_t number)
{
    const struct fact *const f = facts_at(&w->facts, number);
    v->described =
        (struct described){.is_known = true, .number = number, .thread = f->thread, .kind = f->kind};
}

static bool is_same_kind(const struct model *m, uint16_t one, uint16_t other)
{
    const struct kind *const a = &m->kinds[one], *const b = &m->kinds[other];
    return one == other || (a->id == b->id && a->opcode == b->opcode && a->header == b->header &&
                            a->tracelogging == b->tracelogging &&
                            guid_equal(&a->provider, &b->provider));
}

static bool is_neighbor(const struct view *v, const struct fact *f)
{
    switch ((enum neighbor)v->request.neighbor) {
    case NEIGHBOR_THREAD:
        return f->thread == v->described.thread;
    case NEIGHBOR_KIND:
        return is_same_kind(v->model, f->kind, v->described.kind);
    case NEIGHBOR_NONE:
    case NEIGHBOR_ANY:
        break;
    }
    return true;
}

/* The anchor may have left the history since its details were shown: then all that is kept lies
 * behind it. */
static bool knows_anchor(struct view *v, const struct dataset *w, uint64_t anchor)
{
    if (is_kept(w, anchor))
        remember(v, w, anchor);
    const bool is_known = v->described.is_known && v->described.number == anchor;
    return v->request.neighbor == NEIGHBOR_ANY ||
           (is_known && (v->request.neighbor != NEIGHBOR_THREAD || v->described.thread));
}

/* Where there is none, the whole list is searched, at two comparisons an event. */
static void find_neighbor(struct view *v, const struct dataset *w, uint64_t count)
{
    struct request *const r = &v->request;
    struct neighboring *const n = &v->neighboring;
    const uint64_t anchor = number_of(r->anchor);
    if (r->neighbor && n->sequence == r->sequence && n->has_found)
        r->anchor = n->found; /* it was asked for once more */
    if (!r->neighbor || !r->has_anchor || n->sequence == r->sequence || !view_is_complete(v))
        return;
    *n = (struct neighboring){.sequence = r->sequence, .skips = !is_kept(w, anchor)};
    if (!knows_anchor(v, w, anchor)) {
        n->is_unknown = true;
        return;
    }
    uint64_t at = rank_of(v, w, anchor, count);
    if (!r->is_backward && at < count && nth(v, w, at) == anchor)
        at++;
    for (; !n->has_found && (r->is_backward ? at > 0 : at < count); at += !r->is_backward) {
        at -= r->is_backward;
        const uint64_t number = nth(v, w, at);
        n->has_found = is_neighbor(v, facts_at(&w->facts, number));
        n->found = view_event_key(number);
    }
    if (!n->has_found)
        return;
    r->anchor = n->found;
    r->anchor_line = (int)(r->rows / 2);
}

static void report_neighbor(const struct view *v, struct frame *to)
{
    const struct neighboring *const n = &v->neighboring;
    to->has_looked = v->request.neighbor && n->sequence == v->request.sequence;
    to->has_neighbor = to->has_looked && n->has_found;
    to->neighbor = n->found;
    to->neighbor_skips = n->skips;
    to->neighbor_is_unknown = n->is_unknown;
}

/* What the fields are of, and the fields: those of an event that is no longer kept are gone. */
static void describe_anchor(struct view *v, struct frame_maker *maker, const struct dataset *w)
{
    const uint64_t anchor = number_of(v->request.anchor);
    if (!v->request.detail || !v->request.has_anchor)
        return;
    maker->frame.has_detail = true;
    maker->frame.detail_of = v->request.anchor;
    maker->frame.detail_is_gone = !is_kept(w, anchor);
    if (maker->frame.detail_is_gone) {
        maker_field(maker, "(gone)", "the event has left the history; a larger --ring keeps more");
        return;
    }
    remember(v, w, anchor);
    describe_event(v, maker, facts_at(&w->facts, anchor));
}

void view_fill_events(struct view *v, struct frame_maker *maker)
{
    const struct dataset *w = view_dataset(v);
    const struct request *r = &v->request;
    if (v->is_scanning) /* the kept window may have moved since the last slice */
        while (v->index.first < v->index.end && v->index.numbers[v->index.first] < w->facts.first)
            v->index.first++;
    const uint64_t count =
        v->is_scanning ? v->index.end - v->index.first : w->facts.end - w->facts.first;
    seek(v, w, count);
    find_neighbor(v, w, count);
    const unsigned rows = (unsigned)(r->rows < count ? r->rows : count);
    uint64_t first = r->first < count - rows ? r->first : count - rows;
    if (r->follow_tail && !r->seek) {
        first = count - rows;
    } else if (r->has_anchor) {
        const uint64_t rank = rank_of(v, w, number_of(r->anchor), count);
        const uint64_t line = r->anchor_line > 0 ? (uint64_t)r->anchor_line : 0;
        first = rank > line ? rank - line : 0;
        first = first < count ? first : count - (rows ? 1 : 0);
    }
    const uint64_t left = count - first;
    const unsigned shown = (unsigned)(left < r->rows ? left : r->rows);
    const size_t columns = r->pane->column_count;
    maker_init(maker, shown, columns);
    maker->frame.anchor_row = -1;
    for (unsigned i = 0; i < shown; i++) {
        const uint64_t number = nth(v, w, first + i);
        const struct fact *before =
            first + i ? facts_at(&w->facts, nth(v, w, first + i - 1)) : NULL;
        fill_event(v, maker, facts_at(&w->facts, number), before, maker->cells + i * columns);
        maker->rows[i].key = view_event_key(number);
        maker->rows[i].rule = view_rule_of_fact(v, facts_at(&w->facts, number));
        if (finder_is_on(v))
            maker->rows[i].flags |= (uint8_t)finder_event(v, facts_at(&w->facts, number));
        if (r->has_anchor && row_key_equal(view_event_key(number), r->anchor))
            maker->frame.anchor_row = (int)i;
    }
    report_neighbor(v, &maker->frame);
    describe_anchor(v, maker, w);
    maker->frame.first = first;
    maker->frame.shown = count;
    const uint64_t others = w->facts.end - w->facts.first - count; /* some may have gone since */
    maker->frame.hidden = v->index.hidden < others ? v->index.hidden : others;
    maker->frame.row_count = shown;
}
