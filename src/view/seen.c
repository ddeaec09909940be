/* Names of fields of payloads that filters and columns can ask for here: of the kinds of events that
 * were seen. "Field" first; behind a provider or an event those of it alone. */
#include "src/base/hash.h"
#include "src/base/hash_index.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/event/provider_names.h"
#include "src/filter/filter.h"
#include "src/view/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What traces name can be as many, and as long, as they like. */
enum { NAMES = 4096, FIELDS_READ = 1 << 18 };

struct seen_name {
    char text[SEEN_MAX];
    uint64_t events;
    const struct kind *kind; /* counted last, once whatever the name stands for in it */
};

struct seen {
    const char *begin; /* what names begin with */
    struct seen_name *names; /* from 1 on */
    uint32_t count;
    struct hash_index index;
    uint32_t left; /* fields that are still read */
};

/* Case does not matter. */
static bool begins(const char *text, const char *with)
{
    for (; *with; text++, with++)
        if (text_lower(*text) != text_lower(*with))
            return false;
    return true;
}

static uint64_t hash_of_text(const char *text)
{
    return hash_bytes(HASH_START, text, strlen(text));
}

static uint64_t hash_of_name(const void *names, uint32_t number)
{
    return hash_of_text(((const struct seen_name *)names)[number].text);
}

static void count(struct seen_name *n, const struct kind *k)
{
    n->events += n->kind == k ? 0 : k->events;
    n->kind = k;
}

static void add(struct seen *s, const char *text, const struct kind *k)
{
    uint32_t at = hash_index_first(&s->index, hash_of_text(text));
    for (uint32_t number; (number = s->index.numbers[at]); at = hash_index_next(&s->index, at))
        if (strcmp(s->names[number].text, text) == 0) {
            count(&s->names[number], k);
            return;
        }
    if (s->count == NAMES)
        return;
    struct seen_name *const n = &s->names[s->count];
    snprintf(n->text, sizeof n->text, "%s", text);
    count(n, k);
    hash_index_put(&s->index, at, s->count++, hash_of_name, s->names);
}

/* A name that does not fit, or that no filter would read, is not offered. */
static bool put_field(const char *owner, const char *field, char out[SEEN_MAX])
{
    const int used = snprintf(out, SEEN_MAX, "%s.%s", owner, field);
    return used > 0 && used < SEEN_MAX && *field && !strchr(field, '.') && filter_reads_name(out);
}

/* The kind's fields behind the owner, "" = any. */
static void add_fields(struct seen *s, const struct kind *k, const char *owner)
{
    char text[SEEN_MAX];
    const struct payload_layout *const l = k->named_layout;
    for (unsigned i = 0; l && i < l->field_count && s->left; i++, s->left--)
        if (put_field(owner, l->fields[i].name, text) &&
            (begins(text, s->begin) || (*text == '.' && begins(text + 1, s->begin))))
            add(s, text, k);
}

/* A provider, an event, or one of the other: itself on the way there, then its fields. */
static bool add_owner(struct seen *s, const struct kind *k, const char *owner)
{
    char text[SEEN_MAX];
    const int used = snprintf(text, sizeof text, "%s.", owner);
    if (!*s->begin || !*owner || used >= (int)sizeof text || !filter_reads_name(owner))
        return false;
    if (begins(s->begin, text)) {
        add_fields(s, k, owner);
        return true;
    }
    if (begins(text, s->begin))
        add(s, text, k);
    return false;
}

/* An event is "Task/Opcode", and each of the two will do. */
static void add_events(struct seen *s, const struct kind *k, const char *provider)
{
    char owner[2 * SEEN_MAX];
    const char *const name = k->event_name, *const opcode = strchr(name, '/');
    const char *const point = *provider ? "." : "";
    const int task = opcode ? (int)(opcode - name) : (int)strlen(name);
    if (!*name || task >= SEEN_MAX)
        return;
    snprintf(owner, sizeof owner, "%s%s%.*s", provider, point, task, name);
    add_owner(s, k, owner);
    if (!opcode || !opcode[1])
        return;
    snprintf(owner, sizeof owner, "%s%s%.*s", provider, point, SEEN_MAX, opcode + 1);
    add_owner(s, k, owner);
}

/* What all of Microsoft's begin with is offered only where it was typed. */
static void add_kind(struct seen *s, const struct kind *k)
{
    const char *provider = k->class_name;
    const char *const name = provider_short_name(provider);
    if (strlen(provider) >= SEEN_MAX)
        return;
    const bool is_typed =
        (*s->begin && begins(provider, s->begin)) || provider_short_name(s->begin) != s->begin;
    if (!is_typed)
        provider = name;
    add_fields(s, k, "");
    if (add_owner(s, k, provider))
        add_events(s, k, provider);
    add_events(s, k, "");
}

static int most_events_first(const void *a, const void *b)
{
    const struct seen_name *const x = a, *const y = b;
    if (x->events != y->events)
        return x->events < y->events ? 1 : -1;
    return strcmp(x->text, y->text);
}

/* Could a filter ask for ".Field" without its point? Looked up in all built-in layouts. */
static bool is_known(const char *name)
{
    const size_t bytes = strlen(name + 1);
    return *name == '.' && !field_def_find(name + 1, bytes) && field_is_of_payload(name + 1, bytes);
}

void view_fill_seen(const struct view *v, struct frame_maker *maker)
{
    struct seen s = {.begin = v->request.seen, .count = 1, .left = FIELDS_READ};
    char text[32];
    s.names = mem_new(NAMES, sizeof *s.names);
    hash_index_init(&s.index, 64);
    for (uint32_t i = 1; i < v->model->kind_count && s.left; i++)
        add_kind(&s, &v->model->kinds[i]);
    qsort(s.names + 1, s.count - 1, sizeof *s.names, most_events_first);
    for (uint32_t i = 1; i < s.count && i <= SEEN_NAMES; i++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)s.names[i].events);
        maker_field(maker, s.names[i].text + (*s.begin != '.' && is_known(s.names[i].text)), text);
    }
    hash_index_fini(&s.index);
    free(s.names);
}
