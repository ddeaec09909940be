/* The lists of a manifest, and connecting what refers to each other by name. */
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/event/manifest/inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------- */

struct block {
    struct block *next;
    size_t used, room;
    char at[];
};

void *manifest_grow(struct manifest *m, void *at, uint32_t count, uint32_t *room, size_t size)
{
    enum { FIRST = 8 };
    if (count < *room)
        return at;
    const uint32_t wanted = *room ? *room * 2 : FIRST;
    at = mem_grow(at, wanted, size);
    memset((char *)at + count * size, 0, (wanted - count) * size);
    m->bytes += (wanted - *room) * size;
    *room = wanted;
    return at;
}

const char *manifest_text_of(struct manifest *m, const char *text, size_t bytes)
{
    enum { BLOCK = 1 << 12 };
    if (!bytes)
        return "";
    bytes = bytes < MANIFEST_TEXT ? bytes : MANIFEST_TEXT;
    struct block *b = m->texts;
    if (!b || b->room - b->used < bytes + 1) {
        const size_t room = bytes < BLOCK ? BLOCK : bytes + 1;
        b = mem_new(1, sizeof *b + room);
        *b = (struct block){.next = m->texts, .room = room};
        m->texts = b;
        m->bytes += sizeof *b + room;
    }
    char *const copy = b->at + b->used;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    b->used += bytes + 1;
    return copy;
}

const char *manifest_text(struct manifest *m, const char *text)
{
    return text ? manifest_text_of(m, text, strlen(text)) : "";
}

struct manifest *manifest_new(void)
{
    struct manifest *const m = mem_new(1, sizeof *m);
    m->bytes = sizeof *m;
    return m;
}

void manifest_free(struct manifest *m)
{
    if (!m)
        return;
    for (struct block *b = m->texts, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    for (unsigned i = 0; i < MANIFEST_KINDS; i++)
        free(m->names[i].at);
    free(m->providers.at);
    free(m->maps.at);
    free(m->entries.at);
    free(m->templates.at);
    free(m->items.at);
    free(m->events.at);
    free(m->strings.at);
    free(m);
}

void manifest_wrong(struct manifest *m, uint32_t line, const char *format, ...)
{
    if (m->mistakes < MANIFEST_SENTENCES) {
        enum { ROOM = sizeof m->sentences[0] };
        char *const to = m->sentences[m->mistakes];
        const size_t used = line ? (size_t)snprintf(to, ROOM, "line %u: ", (unsigned)line) : 0;
        va_list args;
        va_start(args, format);
        vsnprintf(to + used, ROOM - used, format, args);
        va_end(args);
    }
    m->mistakes++;
}

/* ---- finding by name ------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
    const struct manifest_key *const x = a, *const y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

/* The first element of that name among sorted ones; `end` when there is none. */
static uint32_t find(const void *list, uint32_t first, uint32_t end, size_t size, const char *name)
{
    uint32_t low = first, high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct manifest_key *const k =
            (const void *)((const char *)list + (size_t)middle * size);
        if (strcmp(k->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end)
        return end;
    const struct manifest_key *const k = (const void *)((const char *)list + (size_t)low * size);
    return strcmp(k->name, name) == 0 ? low : end;
}

#define FIND(list, first, end, name) find((list).at, first, end, sizeof *(list).at, name)

static void sort(void *list, uint32_t first, uint32_t end, size_t size)
{
    if (end > first)
        qsort((char *)list + (size_t)first * size, end - first, size, by_key);
}

#define SORT(list, first, end) sort((list).at, first, end, sizeof *(list).at)

const struct manifest_value_map *
manifest_map_of(const struct manifest *m, const struct manifest_provider *p, const char *name)
{
    const uint32_t at = FIND(m->maps, p->map_first, p->map_end, name);
    return at < p->map_end ? &m->maps.at[at] : NULL;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* The text that "$(string.ID)" stands for; anything else that begins like a reference is empty. */
static const char *resolve_text(const struct manifest *m, const char *text)
{
    static const char prefix[] = "$(string.";
    const size_t head = sizeof prefix - 1, length = strlen(text);
    char id[1024];
    if (strncmp(text, "$(", 2) != 0)
        return text;
    if (strncmp(text, prefix, head) != 0 || text[length - 1] != ')' || length - head > sizeof id)
        return "";
    memcpy(id, text + head, length - head - 1);
    id[length - head - 1] = '\0';
    const uint32_t at = FIND(m->strings, 0, m->strings.count, id);
    return at < m->strings.count ? m->strings.at[at].text : "";
}

/* ---- names of tasks, opcodes, … --------------------------------------------------------------- */

/* Names that every manifest has. */
static const struct standard_name {
    const char *name;
    uint64_t value;
} standard_names[MANIFEST_KINDS][18] = {
    [MANIFEST_TASK] = {{"win:None", 0}},
    [MANIFEST_OPCODE] = {{"win:Info", 0},
                         {"win:Start", 1},
                         {"win:Stop", 2},
                         {"win:DC_Start", 3},
                         {"win:DC_Stop", 4},
                         {"win:Extension", 5},
                         {"win:Reply", 6},
                         {"win:Resume", 7},
                         {"win:Suspend", 8},
                         {"win:Send", 9},
                         {"win:Receive", 240}},
    [MANIFEST_KEYWORD] = {{"win:AnyKeyword", 0},
                          {"win:ResponseTime", 1ull << 48},
                          {"win:WDIContext", 1ull << 49},
                          {"win:WDIDiag", 1ull << 50},
                          {"win:SQM", 1ull << 51},
                          {"win:AuditFailure", 1ull << 52},
                          {"win:AuditSuccess", 1ull << 53},
                          {"win:CorrelationHint", 1ull << 54},
                          {"win:EventlogClassic", 1ull << 55}},
    [MANIFEST_LEVEL] = {{"win:LogAlways", 0},
                        {"win:Critical", 1},
                        {"win:Error", 2},
                        {"win:Warning", 3},
                        {"win:Informational", 4},
                        {"win:Verbose", 5}},
    [MANIFEST_CHANNEL] = {{"TraceClassic", 0},
                          {"System", 8},
                          {"Application", 9},
                          {"Security", 10},
                          {"TraceLogging", 11},
                          {"ProviderMetadata", 12}},
};

static const char *const kind_names[MANIFEST_KINDS] = {"task", "opcode", "keyword", "level",
                                                       "channel"};

static bool find_standard(enum manifest_kind kind, const char *name, struct manifest_name *out)
{
    for (const struct standard_name *s = standard_names[kind]; s->name; s++)
        if (strcmp(s->name, name) == 0) {
            *out = (struct manifest_name){.shown = s->name, .value = s->value};
            return true;
        }
    return false;
}

/* Opcodes of the task go before those of all tasks. */
static bool find_name(const struct manifest *m, const struct manifest_provider *p,
                      enum manifest_kind kind, const char *name, int64_t task,
                      struct manifest_name *out)
{
    enum { EQUAL_NAMES = 256 }; /* of opcodes: each task may have its own */
    const uint32_t first = FIND(m->names[kind], p->name_first[kind], p->name_end[kind], name);
    const uint32_t most = p->name_end[kind] - first;
    const uint32_t end = first + (most < EQUAL_NAMES ? most : EQUAL_NAMES);
    const struct manifest_name *found = NULL;
    for (uint32_t i = first; i < end; i++) {
        const struct manifest_name *const n = &m->names[kind].at[i];
        if (strcmp(n->key.name, name) != 0)
            break;
        if (n->task == task || (n->task == MANIFEST_NONE && !found))
            found = n;
        if (n->task == task)
            break;
    }
    if (found)
        *out = *found;
    return found || find_standard(kind, name, out);
}

static void resolve_name(struct manifest *m, struct manifest_event *e, enum manifest_kind kind)
{
    struct manifest_name found;
    const char *const name = e->names[kind];
    if (!*name)
        return;
    if (find_name(m, &m->providers.at[e->owner], kind, name, (int64_t)e->values[MANIFEST_TASK],
                  &found)) {
        e->names[kind] = found.shown;
        e->values[kind] = found.value;
        return;
    }
    manifest_wrong(m, e->line, "event %u: %s '%.100s' is not defined", e->id, kind_names[kind],
                   name);
    e->names[kind] = "";
}

static void resolve_keywords(struct manifest *m, struct manifest_event *e)
{
    static const char spaces[] = " \t\r\n";
    char name[256];
    struct manifest_name found;
    const char *at = e->names[MANIFEST_KEYWORD];
    for (size_t length; at += strspn(at, spaces), (length = strcspn(at, spaces)); at += length) {
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 at);
        if (find_name(m, &m->providers.at[e->owner], MANIFEST_KEYWORD, name, MANIFEST_NONE, &found))
            e->values[MANIFEST_KEYWORD] |= found.value;
        else
            manifest_wrong(m, e->line, "event %u: keyword '%.100s' is not defined", e->id, name);
    }
}

/* ---- templates and events ------------------------------------------------------------------- */

/* The item that a count or length refers to: an earlier one, of the same structure or of none. */
static int32_t earlier_item(const struct manifest_item *items, uint32_t index, const char *name)
{
    bool is_same = items[index].is_member;
    for (uint32_t i = index; i-- > 0;) {
        is_same = is_same && items[i].is_member;
        if (!items[i].is_structure && (!items[i].is_member || is_same) &&
            strcmp(items[i].name, name) == 0)
            return (int32_t)i;
    }
    return MANIFEST_NONE;
}

static int32_t resolve_reference(struct manifest *m, const struct manifest_template *t,
                                 uint32_t index, const char *name, const char *what)
{
    const struct manifest_item *const items = m->items.at + t->first;
    if (!*name)
        return MANIFEST_NONE;
    const int32_t found = earlier_item(items, index, name);
    if (found == MANIFEST_NONE)
        manifest_wrong(m, items[index].line,
                       "template '%.60s': %s of '%.60s': no data '%.60s' before it", t->key.name,
                       what, items[index].name, name);
    return found;
}

/* An item whose size is not known becomes one of no known type. */
static void resolve_template(struct manifest *m, const struct manifest_template *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        struct manifest_item *const item = &m->items.at[t->first + i];
        item->counted_by = resolve_reference(m, t, i, item->count_name, "count");
        item->length_by = resolve_reference(m, t, i, item->length_name, "length");
        if ((*item->count_name && item->counted_by < 0) ||
            (*item->length_name && item->length_by < 0))
            item->in = MANIFEST_BAD_TYPE;
    }
}

static void resolve_event(struct manifest *m, struct manifest_event *e)
{
    const struct manifest_provider *const p = &m->providers.at[e->owner];
    const uint32_t end = p->template_end;
    resolve_name(m, e, MANIFEST_TASK); /* opcodes depend on it */
    resolve_name(m, e, MANIFEST_OPCODE);
    resolve_name(m, e, MANIFEST_LEVEL);
    resolve_name(m, e, MANIFEST_CHANNEL);
    resolve_keywords(m, e);
    e->message = resolve_text(m, e->message);
    e->template = MANIFEST_NONE;
    if (!*e->template_name)
        return;
    const uint32_t at = FIND(m->templates, p->template_first, end, e->template_name);
    if (at < end) {
        e->template = (int32_t)at;
        return;
    }
    manifest_wrong(m, e->line, "event %u: template '%.100s' is not defined", e->id,
                   e->template_name);
    e->is_bad = true;
}

static int by_identity(const void *a, const void *b)
{
    const struct manifest_event *const x = a, *const y = b;
    const int order = memcmp(x->provider.b, y->provider.b, sizeof x->provider.b);
    if (order)
        return order;
    const uint32_t x_number = (uint32_t)x->id << 8 | x->version,
                   y_number = (uint32_t)y->id << 8 | y->version;
    if (x_number != y_number)
        return x_number < y_number ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* The first of equal events counts; bad ones count for nothing. */
static void sort_events(struct manifest *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->events.count; i++)
        if (!m->events.at[i].is_bad)
            m->events.at[kept++] = m->events.at[i];
    m->events.count = kept;
    if (kept)
        qsort(m->events.at, kept, sizeof *m->events.at, by_identity);
}

static void sort_provider(struct manifest *m, const struct manifest_provider *p)
{
    for (unsigned kind = 0; kind < MANIFEST_KINDS; kind++)
        SORT(m->names[kind], p->name_first[kind], p->name_end[kind]);
    SORT(m->maps, p->map_first, p->map_end);
    if (!m->is_compiled) /* else events have their numbers */
        SORT(m->templates, p->template_first, p->template_end);
}

bool manifest_finish(struct manifest *m, struct err *err)
{
    SORT(m->strings, 0, m->strings.count);
    for (uint32_t i = 0; i < m->entries.count; i++) {
        struct manifest_map_entry *const x = &m->entries.at[i];
        x->text = resolve_text(m, x->text);
        x->text = *x->text ? x->text : x->symbol;
    }
    for (uint32_t i = 0; i < m->providers.count; i++)
        sort_provider(m, &m->providers.at[i]);
    for (uint32_t i = 0; i < m->templates.count; i++)
        resolve_template(m, &m->templates.at[i]);
    for (uint32_t i = 0; !m->is_compiled && i < m->events.count; i++)
        resolve_event(m, &m->events.at[i]);
    sort_events(m);
    if (m->events.count)
        return true;
    return m->mistakes ? fail(err, "no event is defined; %s", m->sentences[0])
                       : fail(err, "no event is defined");
}

/* The first event that is not before that one; NULL behind the last of the provider. */
static const struct manifest_event *
first_event(const struct manifest *m, const struct guid *provider, uint16_t id, uint8_t version)
{
    const struct manifest_event key = {.provider = *provider, .id = id, .version = version};
    uint32_t low = 0, high = m->events.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (by_identity(&m->events.at[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct manifest_event *const e = low < m->events.count ? &m->events.at[low] : NULL;
    return e && guid_equal(&e->provider, provider) ? e : NULL;
}

const struct manifest_event *manifest_event_of(const struct manifest *m,
                                               const struct guid *provider, uint16_t id,
                                               uint16_t version)
{
    const struct manifest_event *const e = first_event(m, provider, id, (uint8_t)version);
    return e && e->id == id && e->version == version ? e : NULL;
}

/* ---- answers -------------------------------------------------------------------------------- */

size_t manifest_bytes(const struct manifest *m)
{
    return m->bytes;
}

uint32_t manifest_event_count(const struct manifest *m)
{
    return m->events.count;
}

uint32_t manifest_mistakes(const struct manifest *m)
{
    return m->mistakes;
}

const char *manifest_sentence(const struct manifest *m, uint32_t index)
{
    return m->sentences[index];
}

const char *manifest_provider(const struct manifest *m, const struct guid *provider)
{
    const struct manifest_event *const e = first_event(m, provider, 0, 0);
    return e ? m->providers.at[e->owner].name : NULL;
}

bool manifest_has_field(const struct manifest *m, const char *name, size_t bytes)
{
    for (uint32_t i = 0; i < m->items.count; i++) {
        const char *const is = m->items.at[i].name;
        if (text_compare(name, bytes, is, strlen(is)) == 0)
            return true;
    }
    return false;
}
