/* The vocabulary of the layout tables, for the files of this folder and src/event/decode.c.
 *
 * A class file lists, from the bottom up: the class (name, GUID), its kinds by type,
 * the layouts of a kind by version, the fields of a layout. Offsets are written out for
 * 32- and 64-bit pointers, so that a row is its own picture of the payload; the unit
 * test adds up the sizes and compares. */
#ifndef SRC_EVENT_DECODE_TABLE_H
#define SRC_EVENT_DECODE_TABLE_H

#include "src/event/decode.h"

/* One type of event of a class: its versions, oldest first. */
struct event_type {
    const char *name; /* NULL: no such type is known */
    const struct payload_layout *layouts;
    uint8_t layout_count;
    const char *sentence; /* template of what happened (src/event/sentence.h); NULL: none */
};

struct event_class {
    const char *name;
    struct guid guid; /* of classes without a kernel group; event_class_guid() has the others */
    const struct event_type *kinds; /* indexed by type */
    uint16_t kind_count;
};

/* The kind of an event and its class, or NULL where the tables have neither. */
const struct event_type *decode_kind(const struct event *e, const struct event_class **class);

/* Every class, for checks that walk the tables. NULL beyond the last. */
const struct event_class *decode_class(unsigned index);
const struct guid *decode_class_guid(unsigned index);

/* ---- rows: fields ------------------------------------------------------------- */

#define AFTER -1, -1 /* in place of the two offsets: right behind a variable field */

#define FIELD_ROW(name, type, count, at32, at64)                                                   \
    {                                                                                              \
        name, type, count, at32, at64, 0, 0, 0, 0, 0, false, NULL                                  \
    }

#define U8(name, ...)      FIELD_SCALAR(name, FIELD_U8, __VA_ARGS__)
#define I8(name, ...)      FIELD_SCALAR(name, FIELD_I8, __VA_ARGS__)
#define U16(name, ...)     FIELD_SCALAR(name, FIELD_U16, __VA_ARGS__)
#define I16(name, ...)     FIELD_SCALAR(name, FIELD_I16, __VA_ARGS__)
#define U32(name, ...)     FIELD_SCALAR(name, FIELD_U32, __VA_ARGS__)
#define I32(name, ...)     FIELD_SCALAR(name, FIELD_I32, __VA_ARGS__)
#define U64(name, ...)     FIELD_SCALAR(name, FIELD_U64, __VA_ARGS__)
#define I64(name, ...)     FIELD_SCALAR(name, FIELD_I64, __VA_ARGS__)
#define POINTER(name, ...) FIELD_SCALAR(name, FIELD_POINTER, __VA_ARGS__)
#define SIZE(name, ...)    FIELD_SCALAR(name, FIELD_SIZE, __VA_ARGS__)
#define GUID(name, ...)    FIELD_SCALAR(name, FIELD_GUID, __VA_ARGS__)
#define IPV4(name, ...)    FIELD_SCALAR(name, FIELD_IPV4, __VA_ARGS__)
#define IPV6(name, ...)    FIELD_SCALAR(name, FIELD_IPV6, __VA_ARGS__)
#define PORT(name, ...)    FIELD_SCALAR(name, FIELD_PORT, __VA_ARGS__)
#define ASTR(name, ...)    FIELD_SCALAR(name, FIELD_ASTR, __VA_ARGS__)
#define WSTR(name, ...)    FIELD_SCALAR(name, FIELD_WSTR, __VA_ARGS__)
#define SID(name, ...)     FIELD_SCALAR(name, FIELD_SID, __VA_ARGS__)

#define WCHARS(name, units, ...) FIELD_MANY(name, FIELD_WCHARS, units, __VA_ARGS__)
#define BYTES(name, bytes, ...)  FIELD_MANY(name, FIELD_BYTES, bytes, __VA_ARGS__)

/* As many as fit into the rest of the payload. */
#define REST_OF(name, type, ...) FIELD_MANY(name, type, 0, __VA_ARGS__)

/* As many as an earlier field says; `by` is the index of that field. */
#define COUNTED(name, type, by, ...) FIELD_COUNTED(name, type, by, __VA_ARGS__)

/* One member of a repeated structure, whose size is the stride for both pointer sizes. */
#define BY(index) (index) + 1
#define REST      0
#define COLUMN(name, type, by, at32, at64, stride32, stride64)                                     \
    {                                                                                              \
        name, type, 0, at32, at64, by, FIELD_PLAIN, stride32, stride64, 0, false, NULL             \
    }

/* The process or thread that the event belongs to (see decode_owner). */
#define PID(name, type, at32, at64)                                                                \
    {                                                                                              \
        name, type, 1, at32, at64, 0, FIELD_IS_PID, 0, 0, 0, false, NULL                           \
    }
#define TID(name, type, at32, at64)                                                                \
    {                                                                                              \
        name, type, 1, at32, at64, 0, FIELD_IS_TID, 0, 0, 0, false, NULL                           \
    }

/* How the operation ended (src/event/status.h). */
#define STATUS(name, type, at32, at64)                                                             \
    {                                                                                              \
        name, type, 1, at32, at64, 0, FIELD_IS_STATUS, 0, 0, 0, false, NULL                        \
    }

/* In a place of so many bytes, as many as an earlier field says; `by` is the index of that field.
 */
#define PADDED(name, bytes, by, at32, at64)                                                        \
    {                                                                                              \
        name, FIELD_BYTES, bytes, at32, at64, (by) + 1, FIELD_IS_PADDED, 0, 0, 0, false, NULL      \
    }

/* A time that is a number everywhere else: 100 ns since 1601. */
#define FILETIME(name, ...) FIELD_FILETIME_ROW(name, __VA_ARGS__)
#define FIELD_FILETIME_ROW(name, at32, at64)                                                       \
    {                                                                                              \
        name, FIELD_U64, 1, at32, at64, 0, FIELD_IS_FILETIME, 0, 0, 0, false, NULL                 \
    }

/* A number that has names (src/event/decode/maps.h). */
#define NAMED(name, type, map, at32, at64)                                                         \
    {                                                                                              \
        name, type, 1, at32, at64, 0, FIELD_PLAIN, 0, 0, 0, false, &(map)                          \
    }

/* Two steps, so that AFTER becomes two arguments before they are counted. */
#define FIELD_SCALAR(name, type, ...)      FIELD_ROW(name, type, 1, __VA_ARGS__)
#define FIELD_MANY(name, type, count, ...) FIELD_ROW(name, type, count, __VA_ARGS__)
#define FIELD_COUNTED(name, type, by, ...) FIELD_COUNTED_ROW(name, type, by, __VA_ARGS__)
#define FIELD_COUNTED_ROW(name, type, by, at32, at64)                                              \
    {                                                                                              \
        name, type, 0, at32, at64, (by) + 1, FIELD_PLAIN, 0, 0, 0, false, NULL                     \
    }

/* ---- rows: layouts, kinds, classes ---------------------------------------------- */

#define TABLE_COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define LAYOUT(version, fields) LAYOUT_NAMED(version, fields, NULL)
#define LAYOUT_NAMED(version, fields, name)                                                        \
    {                                                                                              \
        name, fields, TABLE_COUNT(fields), version                                                 \
    }
#define EMPTY(version)                                                                             \
    {                                                                                              \
        NULL, NULL, 0, version                                                                     \
    } /* an event without payload */

#define KIND(name, layouts) KIND_AS(name, layouts, NULL)
#define KIND_AS(name, layouts, sentence)                                                           \
    {                                                                                              \
        name, layouts, TABLE_COUNT(layouts), sentence                                              \
    }
#define NAME(name)                                                                                 \
    {                                                                                              \
        name, NULL, 0, NULL                                                                        \
    } /* the payload is not known */
#define KINDS(table) .kinds = table, .kind_count = TABLE_COUNT(table)

#define GUID_OF(a, b, c, ...)                                                                      \
    {                                                                                              \
        {                                                                                          \
            (a) & 0xff, (a) >> 8 & 0xff, (a) >> 16 & 0xff, (a) >> 24 & 0xff, (b)&0xff,             \
                (b) >> 8 & 0xff, (c)&0xff, (c) >> 8 & 0xff, __VA_ARGS__                            \
        }                                                                                          \
    }

#endif
