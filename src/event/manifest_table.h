/* Built-in layouts of manifest events and of some classic ones: src/event/manifest_table.tsv, which
 * the build puts into the program as text. One layout is read at a time; nothing is kept. The names
 * and maps of fields are as in EventInfo records; a map's name is its number within the provider.
 * src/event/schema.h asks; nobody else needs this. */
#ifndef SRC_EVENT_MANIFEST_TABLE_H
#define SRC_EVENT_MANIFEST_TABLE_H

#include "src/event/event_info.h"

/* One text for each provider, sorted by GUID. */
extern const char *const manifest_table[];
extern const unsigned manifest_table_count;

/* Where a name of fields stands first, in the text of the provider of that index. Each name once,
 * sorted as text_compare() compares. */
struct manifest_field_name {
    uint32_t provider : 10, at : 22;
};
extern const struct manifest_field_name manifest_names[];
extern const unsigned manifest_name_count;

/* Reads the variant (the first is 0) of the event's layout: of its own version, else of the nearest
 * lower one that the table has; `out->version` is that one. False where there is none. Manifests do
 * not always raise the version when they change the fields: these are the variants. */
bool manifest_table_read(const struct event *e, unsigned variant, struct event_info *out);

/* Has any layout a field of that name, whatever its case? */
bool manifest_table_has_field(const char *name, size_t bytes);

/* The provider's name, which does not end with a NUL; "" where the table lacks the provider. */
const char *manifest_table_provider(const struct guid *provider, size_t *bytes);

/* A map that a field of the event's provider has. */
struct manifest_map {
    bool is_bits;
    uint32_t count;    /* of entries, sorted by number */
    size_t text_bytes; /* no less than their texts take, each with its NUL */
    const char *at;    /* the entry that is read next */
};
bool manifest_table_map(const struct guid *provider, const char *name, struct manifest_map *out);

/* The next of `count` entries: returns its number, and puts its text into `room`. */
uint32_t manifest_map_entry(struct manifest_map *m, char room[EVENT_INFO_NAME]);

#endif
