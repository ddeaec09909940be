/* EventInfo records of merged traces: TRACE_EVENT_INFO blobs, each the layout of one kind of
 * manifest or classic events, and EVENT_MAP_INFO blobs, the names of numbers. The system's answers
 * (src/event/schema_system.h) have that form as well. Anybody may have written them.
 * src/event/schema.h asks; nobody else needs this. */
#ifndef SRC_EVENT_EVENT_INFO_H
#define SRC_EVENT_EVENT_INFO_H

#include "src/event/decode.h"

/* Names are cut to so many bytes, with their NUL. */
enum { EVENT_INFO_NAME = 256, EVENT_INFO_KEYWORDS = 4096, EVENT_INFO_MESSAGE = 16384 };

struct event_info {
    struct guid provider; /* of classic events the class */
    bool is_classic;      /* events differ by opcode; `id` is 0 then */
    uint16_t id, task;
    uint8_t version, opcode, level, channel;
    uint64_t keyword;
    char provider_name[EVENT_INFO_NAME], event_name[2 * EVENT_INFO_NAME];
    /* Names of the numbers above, "" where there is none. */
    char level_name[EVENT_INFO_NAME], channel_name[EVENT_INFO_NAME];
    char task_name[EVENT_INFO_NAME], opcode_name[EVENT_INFO_NAME];
    /* Of the keyword's bits below 56, from the lowest: each with its NUL. */
    char keyword_names[EVENT_INFO_KEYWORDS];
    unsigned keyword_name_count;
    char message[EVENT_INFO_MESSAGE]; /* with %1 … %99 */
    unsigned field_count;
    struct field fields[DECODE_FIELDS]; /* their names and maps are in these: */
    char names[DECODE_FIELDS][EVENT_INFO_NAME], maps[DECODE_FIELDS][EVENT_INFO_NAME];
};

/* False for what is no layout of manifest or classic events. Properties beyond DECODE_FIELDS, and
 * everything behind one that is bad, are left out: their bytes are trailing bytes. */
bool event_info_read(const uint8_t *blob, size_t bytes, struct event_info *out);

struct event_map {
    struct guid provider;
    char name[EVENT_INFO_NAME];
    bool is_bits;
    uint32_t count;         /* of entries, of which the blob holds the whole table */
    const uint8_t *entries; /* 8 bytes each */
    const uint8_t *info;    /* offsets of texts start here … */
    size_t info_bytes;      /* … and stay within this */
};

/* False for what is no map from numbers to texts. Good as long as the blob is. */
bool event_map_read(const uint8_t *blob, size_t bytes, struct event_map *out);

/* The number of an entry, and its text into `room`, which is empty where the blob has none. */
uint32_t event_map_entry(const struct event_map *m, uint32_t index, char room[EVENT_INFO_NAME]);

#endif
