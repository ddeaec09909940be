#include "src/collect/capture_plan.h"

#include "src/base/mem.h"
#include "src/event/decode/names.h"
#include "src/event/decode/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a record carries ------------------------------------------------------------------ */

static const char *why_not(enum field_by by)
{
    switch (by) {
    case BY_LATENCY:
    case BY_WAIT:
    case BY_READY:
    case BY_DT:
    case BY_AGE:
    case BY_EXITED:
    case BY_STATUS:
        return "it combines two events, and this filter checks one at a time; store both "
               "(class=…), and filter the display (F4)";
    case BY_STACK:
    case BY_MODULE:
        return "stacks come after their events";
    case BY_TIME:
        return "it cannot match future events; -r selects a part of a trace";
    case BY_TAG:
        return "rows are tagged, not events";
    case BY_PAYLOAD:
    case BY_MESSAGE:
        return "payloads are decoded for display only; filter the display (F4)";
    case BY_TEXT:
        return "a bare word searches names, which come from other events";
    default:
        return "it comes from other events than the stored one";
    }
}

/* Where in the filter the term's field stands: at the first such word with an operator, or a flag. */
static size_t place_of(const char *text, const struct filter_term *t)
{
    const struct field_def *const field = t->field;
    if (t->payload)
        return (size_t)(strstr(text, t->payload) - text);
    const size_t bytes = strlen(text);
    for (size_t at = 0; at < bytes; at++) {
        size_t end = at;
        while (text[end] >= 'a' && text[end] <= 'z')
            end++;
        const bool is_word = end > at && (text[end] == '\0' || strchr(" )|=<>:~!", text[end]));
        const bool is_used = field->type == TYPE_FLAG || !strchr(" )|", text[end]);
        if (is_word && is_used && field_def_find(text + at, end - at) == field)
            return at;
        at = end > at ? end - 1 : at;
    }
    return 0;
}

/* The sentence first: where it is said there may be room for its beginning alone. */
static bool refuse(struct err *err, const char *text, size_t at, const char *why)
{
    return fail(err, "%s (capture filter '%.200s', at %zu)", why, text, at);
}

/* The first word that stands alone, as far as it has no quotes; empty where there is none such. */
static size_t lone_word(const char *text, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t at = strspn(text, " ()|!"), end; text[at]; at = end + strspn(text + end, " ()|!")) {
        const size_t bytes = strcspn(text + at, " ()|");
        end = at + bytes;
        snprintf(out, room, "%.*s", (int)bytes, text + at);
        const bool is_plain = !strpbrk(out, "=<>:~\"'^$/&");
        const bool is_sign = strcmp(out, "and") == 0 || strcmp(out, "or") == 0 ||
                             strcmp(out, "not") == 0 || field_def_find(out, strlen(out));
        if (is_plain && !is_sign)
            return at;
    }
    out[0] = '\0';
    return 0;
}

/* What a word may have meant, and how that is written. */
static bool refuse_word(struct err *err, const char *text)
{
    char word[48], why[256];
    const size_t at = lone_word(text, word, sizeof word);
    if (!word[0])
        snprintf(word, sizeof word, "WORD");
    snprintf(why, sizeof why, "write proc:%s, event:%s or provider:%s: %s", word, word, word,
             why_not(BY_TEXT));
    return refuse(err, text, at, why);
}

/* Names of what records hold as a number come from elsewhere. */
static bool takes_texts(const struct filter_term *t)
{
    return t->type != TYPE_ADDRESS && !filter_has_names(t);
}

static bool has_texts(const struct filter *f, const struct filter_term *t)
{
    for (unsigned k = t->first; k < (unsigned)t->first + t->count; k++)
        if (f->values[k].pattern)
            return true;
    return false;
}

static bool may_be_used(const struct filter *f, const char *text, struct err *err)
{
    char why[256];
    for (unsigned i = 0; i < f->term_count; i++) {
        const struct filter_term *const t = &f->terms[i];
        const enum field_by by = (enum field_by)t->by;
        const char *const name = t->payload ? t->payload : t->field->id;
        if (by == BY_TEXT)
            return refuse_word(err, text);
        const size_t at = place_of(text, t);
        snprintf(why, sizeof why, "'%s' cannot be used here: %s", name, why_not(by));
        if (!(t->field->record & FIELD_CAPTURE))
            return refuse(err, text, at, why);
        if (!takes_texts(t) && has_texts(f, t)) {
            snprintf(why, sizeof why, "'%s' takes %s", name,
                     t->type == TYPE_ADDRESS ? "addresses here, as 10.0.0.0/8"
                                             : "numbers here: names are not in the records");
            return refuse(err, text, at, why);
        }
    }
    return true;
}

/* ---- places ---------------------------------------------------------------------------------- */

static const struct {
    uint8_t carried;
    const char *name;
} places[] = {
    {AT_SIZE, "TransferSize"},
    {AT_SIZE, "IoSize"},
    {AT_SIZE, "size"},
    {AT_SIZE, "ByteCount"},
    {AT_SIZE, "RegionSize"},
    {AT_OFFSET, "ByteOffset"},
    {AT_OFFSET, "Offset"},
    {AT_OFFSET, "ReadOffset"},
    {AT_DISK, "DiskNumber"},
    {AT_FLAGS, "IrpFlags"},
    {AT_VA, "VirtualAddress"},
    {AT_REASON, "OldThreadWaitReason"},
    {AT_STATE, "OldThreadState"},
    {AT_OLD_PRIORITY, "OldThreadPriority"},
    {AT_NEW_PRIORITY, "NewThreadPriority"},
    {AT_VECTOR, "Vector"},
    {AT_LOCAL_PORT, "sport"},
    {AT_REMOTE_PORT, "dport"},
    {AT_LOCAL, "saddr"},
    {AT_REMOTE, "daddr"},
    {AT_IRP, "IrpPtr"},
    {AT_TIME, "EventTimeStamp"},
    {AT_NEW_TID, "NewThreadId"},
};

static uint8_t width_of(enum field_type type, unsigned pointer)
{
    static const uint8_t widths[] = {
        [FIELD_U8] = 1,   [FIELD_I8] = 1,    [FIELD_U16] = 2,  [FIELD_I16] = 2,  [FIELD_U32] = 4,
        [FIELD_I32] = 4,  [FIELD_U64] = 8,   [FIELD_I64] = 8,  [FIELD_IPV4] = 4, [FIELD_IPV6] = 16,
        [FIELD_PORT] = 2, [FIELD_HEX32] = 4, [FIELD_HEX64] = 8};
    if (type == FIELD_POINTER || type == FIELD_SIZE)
        return (uint8_t)pointer;
    return (size_t)type < sizeof widths ? widths[type] : 0;
}

static struct spot spot_of(const struct payload_layout *l, const char *name, unsigned pointer)
{
    unsigned at;
    enum field_type type;
    if (!layout_place(l, name, pointer, &at, &type) || at > UINT16_MAX)
        return (struct spot){0};
    return (struct spot){(uint16_t)at, width_of(type, pointer), type == FIELD_PORT};
}

static void find_spots(struct layout_plan *p, uint16_t hook)
{
    enum { SWITCH = 0x0524 };
    const struct payload_layout *const l = p->layout;
    for (unsigned wide = 0; wide < 2; wide++) {
        struct spot *const spots = p->spots[wide];
        const unsigned pointer = wide ? 8 : 4;
        for (size_t i = 0; i < TABLE_COUNT(places); i++)
            if (!spots[places[i].carried].width)
                spots[places[i].carried] = spot_of(l, places[i].name, pointer);
        for (unsigned i = 0; i < l->field_count; i++)
            if (l->fields[i].role == FIELD_IS_PID)
                spots[AT_PID] = spot_of(l, l->fields[i].name, pointer);
            else if (l->fields[i].role == FIELD_IS_TID)
                spots[AT_TID] = spot_of(l, l->fields[i].name, pointer);
        if (hook == SWITCH)
            spots[AT_TID] = spot_of(l, "OldThreadId", pointer);
    }
}

/* A datagram that was received says d* for our end. */
static void turn_ends(struct layout_plan *p)
{
    for (unsigned wide = 0; wide < 2; wide++) {
        struct spot *const s = p->spots[wide];
        const struct spot address = s[AT_LOCAL], port = s[AT_LOCAL_PORT];
        s[AT_LOCAL] = s[AT_REMOTE];
        s[AT_LOCAL_PORT] = s[AT_REMOTE_PORT];
        s[AT_REMOTE] = address;
        s[AT_REMOTE_PORT] = port;
    }
}

/* ---- what all events of a kind decide alike -------------------------------------------------- */

static void look_at_text(const struct filter *f, unsigned i, const char *text,
                         struct filter_found *o)
{
    filter_look_text(f, 1ull << i, text, text ? strlen(text) : 0, o);
}

static void look_at_op(const struct filter *f, unsigned i, const struct hook_plan *h,
                       struct filter_found *o)
{
    switch ((enum field_by)f->terms[i].by) {
    case BY_CLASS:
        filter_look_number(f, i, h->class, o);
        break;
    case BY_OP:
    case BY_FAULT:
        filter_look_number(f, i, h->op, o);
        break;
    case BY_RETRANSMIT:
        filter_look_flag(i, h->op == OP_RETRANSMIT, o);
        break;
    default:
        break;
    }
}

struct kind_names {
    const char *provider, *guid, *event;
    uint16_t id;
    uint8_t opcode;
};

static void look_at_kind(const struct filter *f, unsigned i, const struct kind_names *k,
                         struct filter_found *o)
{
    char path[FIELD_ROOM];
    switch ((enum field_by)f->terms[i].by) {
    case BY_PROVIDER:
        look_at_text(f, i, k->provider, o);
        look_at_text(f, i, k->guid, o);
        break;
    case BY_EVENT:
        look_at_text(f, i, k->event, o);
        break;
    case BY_EVENT_PATH:
        snprintf(path, sizeof path, "%s/%s", k->provider, k->event);
        look_at_text(f, i, k->event, o);
        look_at_text(f, i, path, o);
        break;
    case BY_EVENT_ID:
        filter_look_number(f, i, k->id, o);
        break;
    case BY_OPCODE:
        filter_look_number(f, i, k->opcode, o);
        break;
    default:
        break;
    }
}

static struct filter_found names_of(const struct plan *p, const struct hook_plan *h,
                                    const struct kind_names *k)
{
    struct filter_found found = {0, 0};
    for (unsigned i = 0; i < p->filter.term_count; i++) {
        look_at_op(&p->filter, i, h, &found);
        look_at_kind(&p->filter, i, k, &found);
    }
    return found;
}

static void look_at_protocol(const struct plan *p, struct layout_plan *l, bool is_udp)
{
    const bool is_v6 = l->spots[1][AT_LOCAL].width == 16;
    for (unsigned i = 0; i < p->filter.term_count; i++)
        if (p->filter.terms[i].by == BY_PROTOCOL) {
            filter_look_number(&p->filter, i, is_udp, &l->names);
            filter_look_number(&p->filter, i, is_udp + 2u * is_v6, &l->names);
        }
}

struct filter_found plan_names(const struct plan *p, const struct event *e, struct hook_class made)
{
    const struct hook_plan other = {.class = made.class, .op = made.op};
    const char *class_name, *event_name;
    char guid[GUID_TEXT], number[32];
    decode_name(e, &class_name, &event_name);
    guid_format(&e->provider, guid);
    const bool is_classic = e->kind == HEADER_CLASSIC || e->kind == HEADER_INSTANCE;
    snprintf(number, sizeof number, is_classic ? "opcode %u" : "id %u",
             is_classic ? e->opcode : e->id);
    const struct kind_names names = {.provider = *class_name ? class_name : guid,
                                     .guid = guid,
                                     .event = *event_name ? event_name : number,
                                     .id = e->id,
                                     .opcode = e->opcode};
    return names_of(p, &other, &names);
}

/* ---- hooks ----------------------------------------------------------------------------------- */

/* What is needed to make sense of the rest, and is rare. */
static enum fate fate_of(uint16_t hook, unsigned class)
{
    static const uint32_t state = 1u << FACT_PROCESS | 1u << FACT_THREAD | 1u << FACT_IMAGE |
                                  1u << FACT_NAME | 1u << FACT_MARK;
    static const uint16_t others[] = {0x060c, 0x060d, 0x060f, 0x0610, 0x061c, 0x061d,
                                      0x061f, 0x0620, 0x0f48, 0x0f49, 0x0f4a, 0x0f4b,
                                      0x0f4c, 0x1822, 0x1823, 0x1824};
    enum { HEADER = 0x00, PROCESSES = 0x03, CONFIG = 0x0b, IMAGES = 0x14 };
    const unsigned group = hook >> 8;
    if (hook == 0x1820 || hook == 0x1825 || hook == 0x1826)
        return FATE_STACK;
    if (hook == 0x044c)
        return FATE_END;
    bool passes = group == HEADER || group == PROCESSES || group == CONFIG || group == IMAGES ||
                  (state >> class & 1);
    for (size_t i = 0; i < TABLE_COUNT(others); i++)
        passes |= others[i] == hook;
    return passes ? FATE_PASSES : FATE_MATCHED;
}

static void plan_hook(struct plan *p, const struct event_class *class, uint16_t hook)
{
    enum { UDP = 8, TCP = 6 };
    struct hook_plan *const h = &p->hooks[hook];
    const struct event_type *const k =
        class && (hook & 0xff) < class->kind_count ? &class->kinds[hook & 0xff] : NULL;
    const struct hook_class made = hook_class(hook);
    char guid[GUID_TEXT], number[32];
    guid_format(event_class_guid(hook), guid);
    snprintf(number, sizeof number, "id %u", hook);
    const char *const name = k && k->name ? k->name : number;
    struct kind_names names = {.provider = class && *class->name ? class->name : guid,
                               .guid = guid,
                               .event = name,
                               .id = hook,
                               .opcode = hook & 0xff};
    h->class = made.class;
    h->op = made.op;
    h->fate = (uint8_t)fate_of(hook, made.class);
    h->names = names_of(p, h, &names);
    h->layout_count = k && k->name ? k->layout_count : 0;
    h->layouts = h->layout_count ? mem_new(h->layout_count, sizeof *h->layouts) : NULL;
    for (unsigned i = 0; i < h->layout_count; i++) {
        struct layout_plan *const l = &h->layouts[i];
        l->layout = &k->layouts[i];
        names.event = l->layout->event_name ? l->layout->event_name : name;
        find_spots(l, hook);
        if (hook >> 8 == UDP && h->op == OP_RECEIVE)
            turn_ends(l);
        l->names = names_of(p, h, &names);
        if (hook >> 8 == UDP || hook >> 8 == TCP)
            look_at_protocol(p, l, hook >> 8 == UDP);
    }
}

static void plan_hooks(struct plan *p)
{
    enum { IMAGE_LOAD = 0x030a, IMAGES = 0x14 };
    for (unsigned hook = 0; hook < PLAN_HOOKS; hook++)
        plan_hook(p, decode_class(hook == IMAGE_LOAD ? IMAGES : hook >> 8), (uint16_t)hook);
    for (unsigned reason = 0; reason < REASONS; reason++)
        for (unsigned i = 0; i < p->filter.term_count; i++)
            if (p->filter.terms[i].by == BY_REASON)
                look_at_text(&p->filter, i, name_wait_reason(reason), &p->reasons[reason]);
}

struct plan *plan_new(const char *text, struct err *err)
{
    struct plan *const p = mem_new(1, sizeof *p);
    static const struct filter_span somewhere = {1, INT64_MAX}; /* times are refused below */
    struct filter_error why;
    if (!filter_init(&p->filter, text, NULL, &somewhere, &why))
        refuse(err, text, why.at, why.text);
    else if (!p->filter.term_count)
        fail(err, "a capture filter takes a condition, such as class=disk size>=64K");
    else if (may_be_used(&p->filter, text, err)) {
        plan_hooks(p);
        return p;
    }
    plan_free(p);
    return NULL;
}

void plan_free(struct plan *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < PLAN_HOOKS; i++)
        free(p->hooks[i].layouts);
    filter_fini(&p->filter);
    free(p);
}
