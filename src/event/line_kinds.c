#include "src/event/line_kinds.h"

#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/mem.h"

#include <stdlib.h>

/* Whatever the text depends on. Names are known by where they are and how many there are. */
struct key {
    const void *class_name, *event_name, *names;
    struct guid provider;
    uint64_t keyword;
    uint32_t name_count;
    uint16_t id, version, task, flags;
    uint8_t kind, opcode, level, channel;
};

enum { KINDS = 512, TEXT = 952 };

struct kept {
    struct key key;
    size_t bytes; /* 0: the place is free */
    char text[TEXT];
};

struct line_kinds {
    struct kept *last; /* the place of the last search; NULL: do not store there */
    struct key wanted;
    struct kept kept[KINDS];
};

struct line_kinds *line_kinds_new(void)
{
    return mem_new(1, sizeof(struct line_kinds));
}

void line_kinds_free(struct line_kinds *k)
{
    free(k);
}

static void set_key(struct key *k, const struct line_event *le)
{
    const struct event *const e = le->event;
    memset(k, 0, sizeof *k); /* what lies between members is compared, too */
    k->class_name = le->class_name;
    k->event_name = le->event_name;
    k->names = le->names;
    k->provider = e->provider;
    k->keyword = e->keyword;
    k->name_count = provider_names_count(le->names);
    k->id = e->id;
    k->version = e->version;
    k->task = e->task;
    k->flags = e->flags;
    k->kind = e->kind;
    k->opcode = e->opcode;
    k->level = e->level;
    k->channel = e->channel;
}

static struct kept *place_of(struct line_kinds *k)
{
    const struct key *const w = &k->wanted;
    const uint64_t numbers = (uint64_t)w->id << 24 | (uint32_t)w->opcode << 16 | w->version;
    const uint64_t provider = load_u64(w->provider.b);
    return &k->kept[hash_mix(hash_mix(provider ^ w->keyword) ^ numbers) >> 32 & (KINDS - 1)];
}

const char *line_kinds_find(struct line_kinds *k, const struct line_event *e, size_t *bytes)
{
    k->last = NULL;
    if (e->is_transient)
        return NULL;
    set_key(&k->wanted, e);
    struct kept *const place = place_of(k);
    *bytes = place->bytes;
    if (place->bytes && memcmp(&place->key, &k->wanted, sizeof k->wanted) == 0)
        return place->text;
    k->last = place;
    return NULL;
}

void line_kinds_put(struct line_kinds *k, const char *text, size_t bytes)
{
    if (!k->last || bytes > TEXT)
        return;
    k->last->key = k->wanted;
    k->last->bytes = bytes;
    memcpy(k->last->text, text, bytes);
}
