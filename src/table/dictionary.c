#include "src/table/dictionary.h"

#include "src/base/hash.h"
#include "src/base/hash_index.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t hash; /* of the whole text */
    size_t bytes;  /* of the whole text */
    size_t at;     /* what is kept of it */
};

struct dictionary {
    struct entry *entries; /* from 1 on */
    uint32_t count, room;
    uint32_t before; /* numbers that were given to what is forgotten */
    struct hash_index index;
    char *texts;
    size_t used, text_room;
    bool is_full;
};

struct dictionary *dictionary_new(void)
{
    struct dictionary *const d = mem_new(1, sizeof *d);
    d->count = 1;
    hash_index_init(&d->index, 64);
    return d;
}

void dictionary_free(struct dictionary *d)
{
    if (!d)
        return;
    hash_index_fini(&d->index);
    free(d->entries);
    free(d->texts);
    free(d);
}

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
    return ((const struct entry *)entries)[number].hash;
}

static size_t kept_of(size_t bytes)
{
    return bytes < DICTIONARY_TEXT ? bytes : DICTIONARY_TEXT;
}

static bool is_text(const struct dictionary *d, const struct entry *e, uint64_t hash,
                    const char *text, size_t bytes)
{
    return e->hash == hash && e->bytes == bytes &&
           memcmp(d->texts + e->at, text, kept_of(bytes)) == 0;
}

static void grow(struct dictionary *d, size_t kept)
{
    if (d->count >= d->room) {
        d->room = d->room ? d->room * 2 : 64;
        d->entries = mem_grow(d->entries, d->room, sizeof *d->entries);
    }
    if (d->used + kept + 1 > d->text_room) {
        d->text_room = 2 * (d->text_room + kept + 1);
        d->texts = mem_grow(d->texts, d->text_room, 1);
    }
}

static uint32_t add(struct dictionary *d, uint32_t place, uint64_t hash, const char *text,
                    size_t bytes)
{
    const size_t kept = kept_of(bytes);
    if (d->count > DICTIONARY_TEXTS || d->used + kept >= DICTIONARY_BYTES) {
        d->is_full = true;
        return DICTIONARY_OTHERS;
    }
    grow(d, kept);
    d->entries[d->count] = (struct entry){.hash = hash, .bytes = bytes, .at = d->used};
    memcpy(d->texts + d->used, text, kept);
    d->texts[d->used + kept] = '\0';
    d->used += kept + 1;
    hash_index_put(&d->index, place, d->count, hash_of_entry, d->entries);
    return d->before + d->count++;
}

uint32_t dictionary_number(struct dictionary *d, const char *text, size_t bytes)
{
    const uint64_t hash = hash_mix(hash_bytes(HASH_START, text, bytes));
    uint32_t at = hash_index_first(&d->index, hash);
    for (uint32_t number; (number = d->index.numbers[at]); at = hash_index_next(&d->index, at))
        if (is_text(d, &d->entries[number], hash, text, bytes))
            return d->before + number;
    return add(d, at, hash, text, bytes);
}

const char *dictionary_text(const struct dictionary *d, uint32_t number)
{
    if (number == DICTIONARY_OTHERS)
        return "(others)";
    return number > d->before && number - d->before < d->count
               ? d->texts + d->entries[number - d->before].at
               : NULL;
}

bool dictionary_is_full(const struct dictionary *d)
{
    return d->is_full;
}

/* Numbers begin anew before they would reach what stands for others. */
void dictionary_forget(struct dictionary *d)
{
    const uint32_t end = d->before + d->count;
    d->before = end > DICTIONARY_OTHERS - 2 * DICTIONARY_TEXTS ? 0 : end;
    d->count = 1;
    d->used = 0;
    d->is_full = false;
    hash_index_clear(&d->index);
}

size_t dictionary_bytes(const struct dictionary *d)
{
    return d->room * sizeof *d->entries + d->text_room + hash_index_bytes(&d->index);
}
