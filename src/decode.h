/* Decoding payloads by tables: one row per layout (class, types, version, fields),
 * in src/decode/<class>.c; src/decode.c holds the list and the interpreter. From
 * Microsoft's kernel MOF classes. Tolerant: a longer payload is trailing bytes
 * nobody named, a shorter one lacks its last fields, a newer version uses the
 * newest layout known below it. No code per event. */
#ifndef SRC_DECODE_H
#define SRC_DECODE_H

#include "src/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type {
    FIELD_U8, FIELD_I8, FIELD_U16, FIELD_I16, FIELD_U32, FIELD_I32, FIELD_U64, FIELD_I64,
    FIELD_POINTER, /* 4 or 8 bytes by the event's own header */
    FIELD_SIZE,    /* likewise */
    FIELD_GUID, FIELD_IPV4, FIELD_IPV6,
    FIELD_PORT,    /* u16, network order */
    FIELD_ASTR,    /* NUL-terminated 8-bit string */
    FIELD_WSTR,    /* NUL-terminated UTF-16 */
    FIELD_SID,     /* ETW SID blob */
    FIELD_WCHARS,  /* count UTF-16 units, NUL-padded */
    FIELD_BYTES,   /* count bytes; count 0 = the rest */
};

struct field {
    const char *name;
    uint8_t type;        /* enum field_type */
    uint16_t count;      /* array elements or string units; 1 for scalars; 0 = the rest */
    int16_t offset32;    /* where fixed, for both pointer sizes; -1 behind a variable field */
    int16_t offset64;
};

struct layout {
    const char *class_name; /* "DiskIo" */
    const char *event_name; /* "Read" */
    const struct field *fields;
    uint16_t field_count;
    uint16_t hook;          /* group << 8 | type */
    uint8_t version;
};

/* The layout for an event, or NULL when none is known. Kernel events by hook and
 * version; classic events by class GUID, type and version (user-made re-logs of
 * kernel classes, and the records merge tools add). Constant time. */
const struct layout *decode_layout(const struct event *e);

/* Names for an event of any kind, never NULL: "DiskIo" / "Read"; where nothing is
 * known, class is "" and name is "". */
void decode_name(const struct event *e, const char **class_name, const char **event_name);

/* One decoded field: a typed look into the payload. */
struct decoded {
    const struct field *field;
    bool is_present;      /* false: the payload ends before it */
    uint64_t number;      /* integers, pointers, ports (host order); sign-extended where signed */
    const uint8_t *data;  /* first byte in the payload */
    size_t bytes;         /* bytes of the value; strings without their NUL */
};

/* Decodes up to `room` fields in order; returns how many the layout has (≤ room). */
unsigned decode_fields(const struct layout *l, const struct event *e, struct decoded *out,
                       unsigned room);

/* Where the field lies in a payload of that pointer size, for readers that look up
 * once and load often; false when there is no such field at a fixed place. */
bool layout_place(const struct layout *l, const char *name, unsigned pointer, unsigned *offset,
                  enum field_type *type);

/* Text of one value, NUL-terminated, cut at `room`: integers decimal (signed where
 * the type is), pointers and sizes 0x hex, addresses dotted / RFC 5952, SIDs S-1-…,
 * GUIDs as text, byte arrays as hex, lists with commas; strings as UTF-8 with
 * ill-formed parts replaced (not sanitised for a terminal). Returns the length. */
size_t decode_format(const struct decoded *d, char *out, size_t room);

#endif
