/* Calls of functions → events that describe themselves. What does not change is laid out once for
 * each function. A return belongs to the entry with the same thread, function and place on the
 * stack: so recursion is no problem. A function that is left by longjmp() costs nothing but its
 * return, as the next call at that place takes the entry's place. */
#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/translate/function.h"
#include "collectors/linux/translate/translate.h"

#include "src/base/mem.h"
#include "src/event/function_event.h"
#include "src/event/tracetop_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEMPLATE_ROOM = 2048,
    SETS = 1 << 14, /* of the table of entries; a power of two */
    WAYS = 4,       /* entries of a set: the oldest gives way */
};

/* Header and description of an event. */
struct made {
    uint8_t *bytes;
    uint16_t count;
};

struct shape {
    struct made entry;
    /* Returns: [1] with a result, where the function itself returned and has one; [][1] with a
     * duration, where the entry was seen. */
    struct made end[2][2];
};

/* A call that has not returned; time 0: free. */
struct open_call {
    uint64_t place;
    int64_t time;
    uint32_t tid, function;
};

struct state {
    struct shape *of; /* by number of the function */
    size_t count;
    struct open_call (*open)[WAYS]; /* [SETS] */
};

/* ---- shapes ----------------------------------------------------------------------------------- */

static struct made make(const struct function *f, const char *end, const char *fields)
{
    uint8_t room[TEMPLATE_ROOM];
    char event[FUNCTION_NAME + 16];
    snprintf(event, sizeof event, "%s%s", f->name, end);
    const struct event_description d = {function_provider(f->file), f->file, event, fields};
    struct payload_writer w = {room, room, room + sizeof room};
    described_write_begin(&w, &d, 0, 0, 0);
    const size_t count = (size_t)(w.at - w.start);
    return (struct made){mem_copy(room, count), (uint16_t)count};
}

static void add_field(char *fields, size_t room, const char *name, const char *type)
{
    const size_t used = strlen(fields);
    snprintf(fields + used, room - used, "%s%s:%s", used ? "," : "", name, type);
}

static struct made make_end(const struct function *f, bool has_result, bool has_duration)
{
    char fields[64] = "";
    const struct function_value *const result = &f->signature.result;
    if (has_result)
        add_field(fields, sizeof fields, result->name, function_type_words[result->type]);
    if (has_duration)
        add_field(fields, sizeof fields, FUNCTION_DURATION, "u64");
    return make(f, "/return", fields);
}

static struct shape shape_of(const struct function *f)
{
    char fields[TEMPLATE_ROOM / 4] = "";
    const struct function_signature *const s = &f->signature;
    struct shape shape = {.entry.count = 0};
    for (unsigned i = 0; i < s->count; i++)
        add_field(fields, sizeof fields, s->arguments[i].name,
                  function_type_words[s->arguments[i].type]);
    shape.entry = make(f, f->is_probe ? "" : "/entry", fields);
    for (unsigned i = 0; f->has_ends && i < 4; i++)
        shape.end[i >> 1][i & 1] = make_end(f, s->has_result && i >> 1, i & 1);
    return shape;
}

static void start(struct translator *t)
{
    const struct functions *const f = t->functions;
    if (!f)
        return;
    struct state *const s = mem_new(1, sizeof *s);
    s->count = f->bpf.count;
    s->of = mem_new(s->count, sizeof *s->of);
    s->open = mem_new(SETS, sizeof *s->open);
    for (size_t i = 0; i < s->count; i++)
        s->of[i] = shape_of(&f->of[i]);
    t->state[DOMAIN_FUNCTION] = s;
}

static void stop(struct translator *t)
{
    struct state *const s = t->state[DOMAIN_FUNCTION];
    for (size_t i = 0; s && i < s->count; i++) {
        free(s->of[i].entry.bytes);
        for (unsigned k = 0; k < 4; k++)
            free(s->of[i].end[k >> 1][k & 1].bytes);
    }
    if (s) {
        free(s->of);
        free(s->open);
    }
    free(s);
    t->state[DOMAIN_FUNCTION] = NULL;
}

static size_t bytes(const struct translator *t)
{
    return t->functions ? SETS * sizeof(struct open_call[WAYS]) : 0;
}

/* ---- entries and returns ---------------------------------------------------------------------- */

static struct open_call *set_of(const struct state *s, const struct open_call *c)
{
    uint64_t hash = c->place ^ (uint64_t)c->tid << 32 ^ (uint64_t)c->function << 48;
    hash *= 0x9e3779b97f4a7c15u;
    return s->open[hash >> 32 & (SETS - 1)];
}

static bool is_same_call(const struct open_call *a, const struct open_call *b)
{
    return a->time && a->place == b->place && a->tid == b->tid && a->function == b->function;
}

/* In the place of the same, else of a free one, else of the oldest. */
static void begin_call(const struct state *s, const struct open_call *c)
{
    struct open_call *const set = set_of(s, c), *to = set;
    for (unsigned i = 0; i < WAYS; i++) {
        if (is_same_call(&set[i], c)) {
            to = &set[i];
            break;
        }
        if (set[i].time < to->time)
            to = &set[i];
    }
    *to = *c;
}

/* When it began; 0: that is not known. */
static int64_t end_call(const struct state *s, const struct open_call *c)
{
    struct open_call *const set = set_of(s, c);
    for (unsigned i = 0; i < WAYS; i++)
        if (is_same_call(&set[i], c)) {
            const int64_t time = set[i].time;
            set[i].time = 0;
            return time;
        }
    return 0;
}

/* ---- records ---------------------------------------------------------------------------------- */

/* Fields of the programs' records. */
enum { FUNCTION, PLACE };
enum { ARGUMENTS = PLACE + 1, TEXT0, TEXT1, TEXT2 };
enum { HAS_RESULT = PLACE + 1, RESULT, RESULT_TEXT };

static void put_field_text(struct payload_writer *w, const struct sample *s, unsigned field)
{
    char text[FUNCTION_TEXT];
    const size_t length =
        field && sample_has(s, field) ? sample_text(s, field, text, sizeof text) : 0;
    put_bytes(w, text, length);
    put_u8(w, 0);
}

/* A text for which there was no place is empty. */
static void put_value(struct payload_writer *w, const struct sample *s,
                      const struct function_value *v, uint64_t number, unsigned text)
{
    if (v->type == FUNCTION_OF_TEXT)
        put_field_text(w, s, text);
    else
        put_bytes(w, &number, function_type_bytes(v->type));
}

static const struct shape *shape_at(const struct translator *t, const struct sample *s,
                                    struct open_call *call)
{
    const struct state *const state = t->state[DOMAIN_FUNCTION];
    const uint64_t number = sample_u64(s, FUNCTION);
    if (!state || number >= state->count || (t->scope && !scope_has(t->scope, s->tid)))
        return NULL;
    *call = (struct open_call){.place = sample_u64(s, PLACE),
                               .time = s->time,
                               .tid = s->tid,
                               .function = (uint32_t)number};
    return &state->of[number];
}

static void translate_entry(struct translator *t, const struct sample *s)
{
    struct open_call call;
    const struct shape *const shape = shape_at(t, s, &call);
    if (!shape)
        return;
    const struct function_signature *const of = &t->functions->of[call.function].signature;
    size_t count;
    const uint8_t *const values = sample_bytes(s, ARGUMENTS, &count);
    unsigned texts = 0;
    struct payload_writer *const w =
        record_begin_described(t, shape->entry.bytes, shape->entry.count, s);
    for (unsigned i = 0; i < of->count; i++) {
        const struct function_value *const v = &of->arguments[i];
        const size_t at = v->place * sizeof(uint64_t);
        const unsigned text =
            v->type == FUNCTION_OF_TEXT && texts < FUNCTION_TEXTS ? TEXT0 + texts++ : 0;
        put_value(w, s, v, at + sizeof(uint64_t) <= count ? load_u64(values + at) : 0, text);
    }
    record_end(t);
    stack_put(t, s, s->pid, s->tid, s->time);
    if (shape->end[0][0].bytes)
        begin_call(t->state[DOMAIN_FUNCTION], &call);
}

static void translate_return(struct translator *t, const struct sample *s)
{
    struct open_call call;
    const struct shape *const shape = shape_at(t, s, &call);
    if (!shape || !shape->end[0][0].bytes)
        return;
    const struct function_signature *const of = &t->functions->of[call.function].signature;
    const int64_t begun = end_call(t->state[DOMAIN_FUNCTION], &call);
    const bool returns = sample_u64(s, HAS_RESULT) != 0, has_result = returns && of->has_result;
    if (!begun && !returns)
        return; /* a jump that ends no call, as its place on the stack shows */
    const struct made *const made = &shape->end[has_result][begun != 0];
    struct payload_writer *const w = record_begin_described(t, made->bytes, made->count, s);
    if (has_result)
        put_value(w, s, &of->result, sample_u64(s, RESULT), RESULT_TEXT);
    if (begun)
        put_u64(w, (uint64_t)(s->time > begun ? s->time - begun : 0));
    else
        t->unpaired++;
    record_end(t);
    stack_put(t, s, s->pid, s->tid, s->time);
}

static const struct linux_event events[] = {
    {.program = "function_entry",
     .needs_bpf = true,
     .is_asked_for = true,
     .stack_bytes = 16384,
     .fields = {"function", "place", "arguments", "?text0", "?text1", "?text2"},
     .translate = translate_entry,
     .serves = "calls of functions"},
    {.program = "function_return",
     .needs_bpf = true,
     .is_asked_for = true,
     .stack_bytes = 16384,
     .fields = {"function", "place", "has_result", "result", "?text"},
     .translate = translate_return,
     .serves = "returns of functions"},
};

static const struct linux_event *events_of_run(const struct translator *t, size_t *count)
{
    *count = t->functions ? sizeof events / sizeof *events : 0;
    return events;
}

const struct linux_domain domain_function = {
    .id = "function", .events_of_run = events_of_run, .start = start, .stop = stop, .bytes = bytes};
