/* Lists of events: rows are facts, what is said of them comes from the records in the rings. */
#include "src/base/hex.h"
#include "src/field/field.h"
#include "src/view/event_details.h"
#include "src/view/find.h"
#include "src/view/inside.h"
#include "src/view/record.h"

#include <stdio.h>
#include <string.h>

/* ---- records --------------------------------------------------------------------------- */

static struct value entity_path(const struct view *v, struct row_context *x, const struct fact *f,
                                uint32_t process)
{
    const struct file *file = fact_file(v->model, f);
    const struct process *p = f->class == FACT_IMAGE ? model_process_at(v->model, process) : NULL;
    return file ? value_path(x, p ? p->source : file->source, file->name) : value_absent();
}

/* The bytes of a payload that nothing is known about: as many as a row of a screen has room for, or
 * all of them. */
static size_t put_bytes(const struct event *e, bool is_whole, char *out, size_t room)
{
    enum { ON_SCREENS = 24 };
    static const char more[] = "…";
    const uint32_t bytes = e->payload_bytes;
    const size_t wanted = !is_whole && bytes > ON_SCREENS ? ON_SCREENS : bytes,
                 fit = room > sizeof more ? (room - sizeof more) / 2 : 0;
    const size_t used = 2 * (wanted < fit ? wanted : fit);
    hex_put(out, e->payload, used / 2);
    return used + (size_t)snprintf(out + used, room - used, "%s", used < 2 * bytes ? more : "");
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
 * event's name, if no column has it; but not of a message among other fields, and no mere number.
 */
static size_t put_own_text(struct view *v, const struct fact *f, const struct sentence_items *items,
                           bool has_more, char *out, const struct decoded **of)
{
    const struct decoded *const d = sentence_text(items);
    const struct kind *const k = &v->model->kinds[f->kind];
    const bool is_named = v->request.names_events && !(d && (items->count > 1 || !*k->event_name));
    const size_t used = is_named ? put_event(k, has_more, out) : 0;
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
    const struct decoded_event d = view_decode_event(v, f, e, &schema, fields);
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
        used += put_bytes(e, v->request.whole_payloads, text + used, room - used);
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

/* Searches all of the list: a match on a name is cached, so each takes a few ns. */
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
    to->has_searched = v->request.neighbor && n->sequence == v->request.sequence;
    to->has_neighbor = to->has_searched && n->has_found;
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
    view_describe_event(v, maker, facts_at(&w->facts, anchor));
}

void view_fill_events(struct view *v, struct frame_maker *maker)
{
    const struct dataset *w = view_dataset(v);
    const struct request *r = &v->request;
    if (v->is_scanning) /* the history may have moved since the last slice */
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
