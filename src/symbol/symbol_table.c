#include "src/symbol/symbol_table.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The largest programs have some 2 million functions, with 200 MB of names. */
enum { ENTRIES = 8 << 20, TEXT = 512 << 20 };

/* Symbols lie within others only where assembly is written by hand: not deep. */
enum { NESTED = 16 };

void symbol_table_add(struct symbol_table *t, uint64_t start, uint64_t size, const char *name,
                      size_t bytes)
{
    if (!bytes)
        return;
    if (bytes >= SYMBOL_NAME_MAX)
        bytes = SYMBOL_NAME_MAX - 1;
    if (t->count == ENTRIES || bytes + 1 > TEXT - t->text_bytes) {
        t->dropped++;
        return;
    }
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 1024;
        t->entries = mem_grow(t->entries, t->room, sizeof *t->entries);
    }
    while (bytes + 1 > t->text_room - t->text_bytes) {
        t->text_room = t->text_room ? t->text_room * 2 : 32 << 10;
        t->text = mem_grow(t->text, t->text_room, 1);
    }
    t->entries[t->count++] = (struct symbol_entry){
        start, (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX), (uint32_t)t->text_bytes};
    memcpy(t->text + t->text_bytes, name, bytes);
    t->text[t->text_bytes + bytes] = '\0';
    t->text_bytes += bytes + 1;
}

static int by_start(const void *a, const void *b)
{
    const struct symbol_entry *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (!x->size != !y->size)
        return x->size ? -1 : 1;
    return x->name < y->name ? -1 : 1; /* texts lie in the order they were added */
}

void symbol_table_finish(struct symbol_table *t)
{
    if (!t->count)
        return;
    qsort(t->entries, t->count, sizeof *t->entries, by_start);
    size_t kept = 1;
    for (size_t i = 1; i < t->count; i++)
        if (t->entries[i].start != t->entries[kept - 1].start)
            t->entries[kept++] = t->entries[i];
    t->count = t->room = kept;
    t->text_room = t->text_bytes;
    t->entries = mem_grow(t->entries, t->room, sizeof *t->entries);
    t->text = mem_grow(t->text, t->text_room, 1);
}

static bool covers(const struct symbol_table *t, size_t i, uint64_t address, uint64_t *size)
{
    const struct symbol_entry *const e = &t->entries[i];
    const uint64_t next = i + 1 < t->count ? t->entries[i + 1].start : t->end;
    *size = e->size ? e->size : t->end > e->start ? (next < t->end ? next : t->end) - e->start : 0;
    return address - e->start < *size;
}

bool symbol_table_find(const struct symbol_table *t, uint64_t address, struct symbol_found *out)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->entries[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t looked = 0; low > 0 && looked < NESTED; looked++) {
        uint64_t size;
        if (!covers(t, --low, address, &size))
            continue;
        const struct symbol_entry *const e = &t->entries[low];
        out->start = e->start;
        out->size = size;
        strcpy(out->name, t->text + e->name); /* shorter than SYMBOL_NAME_MAX */
        return true;
    }
    return false;
}

size_t symbol_table_bytes(const struct symbol_table *t)
{
    return t->room * sizeof *t->entries + t->text_room;
}

void symbol_table_fini(struct symbol_table *t)
{
    free(t->entries);
    free(t->text);
    *t = (struct symbol_table){0};
}
