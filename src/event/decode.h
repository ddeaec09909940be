/* Decoding payloads by tables: one row per layout (class, types, version, fields),
 * in src/event/decode/<class>.c; src/event/decode.c holds the list and the interpreter. From
 * Microsoft's kernel MOF classes. Tolerant: a longer payload is trailing bytes
 * nobody named, a shorter one lacks its last fields, a newer version uses the
 * newest layout known below it. No code per event. */
#ifndef SRC_EVENT_DECODE_H
#define SRC_EVENT_DECODE_H

#include "src/event/event.h"

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
    FIELD_HEX32, FIELD_HEX64, /* numbers that are read as bits or addresses */
    /* Types that no kernel class has. */
    FIELD_HEX8, FIELD_HEX16,
    FIELD_BOOL8, FIELD_BOOL32,
    FIELD_F32, FIELD_F64,
    FIELD_FILETIME, FIELD_SYSTEMTIME,
    FIELD_CHAR8, FIELD_CHAR16, /* one character; several are one text */
    FIELD_NULL,     /* no bytes */
    FIELD_ACHARS,   /* count 8-bit characters, NUL-padded */
    FIELD_BARE_SID, /* a SID without TOKEN_USER before it */
    FIELD_COUNTED_ASTR, FIELD_COUNTED_WSTR, FIELD_COUNTED_BYTES, /* u16 length in bytes, then these */
    FIELD_STRUCT,   /* the `members` fields that follow, as often as there are elements */
    FIELD_UNKNOWN,  /* a type we do not know, whose number is `count`: bytes up to where the fields
                       of fixed size behind it must begin, or the rest */
};

enum field_role {
    FIELD_PLAIN,
    FIELD_IS_PID,            /* the process the event belongs to */
    FIELD_IS_TID,            /* the thread it belongs to */
    FIELD_IS_STATUS,         /* NTSTATUS (src/event/status.h) */
    FIELD_IS_ADDRESS,        /* bytes: an IPv4 or IPv6 address */
    FIELD_IS_SOCKET_ADDRESS, /* bytes: a sockaddr */
    FIELD_IS_PADDED, /* bytes: `count` of them, of which no more than `counted_by` says are used */
    FIELD_IS_FILETIME, /* an integer: 100 ns since 1601 */
    FIELD_IS_UTC,      /* a SYSTEMTIME in UTC */
};

/* Names of numbers: one of them, or those of the bits that are set. */
struct value_name {
    uint32_t value;
    const char *name;
};

struct value_map {
    const struct value_name *entries; /* by value */
    uint32_t count;                   /* 0 until they are known */
    bool is_bits;
    bool keeps_number; /* JSON has the number, and its name beside it */
    /* Bits that together hold a number of their own, and the names of that; 0 = there are none. */
    uint32_t part_mask;
    const struct value_map *part;
    /* Where the upper 16 bits are those of low_of, the lower ones may have a name; NULL = no. */
    const struct value_map *low;
    uint32_t low_of;
};

struct field {
    const char *name;
    uint8_t type;        /* enum field_type */
    uint16_t count;      /* array elements or string units; 1 for scalars; 0 = counted or the rest */
    int16_t offset32;    /* where fixed, for both pointer sizes; -1 behind a variable field */
    int16_t offset64;
    uint8_t counted_by;  /* 1 + index of the field that says how many elements; 0 = none does */
    uint8_t role;        /* enum field_role */
    uint8_t stride32;    /* from element to element in a repeated structure, for both pointer */
    uint8_t stride64;    /* sizes; 0 = elements lie side by side */
    uint8_t members;     /* of a structure: how many fields behind it are its own, nested ones too */
    bool has_prefix;     /* the number of elements stands before the first, as a u16 */
    const struct value_map *map; /* names of its numbers, or NULL */
};

/* The payload of one version of an event; kinds that look alike share it. */
struct payload_layout {
    const char *event_name; /* this version's own name where it had another; else NULL */
    const struct field *fields;
    uint16_t field_count;
    uint8_t version;
};

/* The layout for an event, or NULL when none is known. Kernel events by hook and
 * version; classic events by class GUID, type and version (user-made re-logs of
 * kernel classes, and the records merge tools add). Constant time. */
const struct payload_layout *decode_layout(const struct event *e);

/* The kernel hook (group << 8 | type) an event stands for: its own, or that of the class
 * and type where a classic event bears the GUID of a kernel class. */
enum { DECODE_NO_HOOK = 0xffff };
uint16_t decode_hook(const struct event *e);

/* Has a layout of a kernel class a field of that name, whatever its case? */
bool decode_has_field(const char *name, size_t bytes);

/* Names for an event of any kind, never NULL: "DiskIo" / "Read"; where nothing is
 * known, class is "" and name is "". */
void decode_name(const struct event *e, const char **class_name, const char **event_name);

/* The process and thread in the event's payload. For kernel classes they go before the ids of the
 * header, which are of the logging thread or missing. EVENT_NO_ID for one that the payload does not
 * have; false when it has neither. */
bool decode_owner(const struct event *e, uint32_t *pid, uint32_t *tid);

enum { DECODE_FIELDS = 128 }; /* no layout has more fields, members of structures included */

/* One decoded field: a typed look into the payload. */
struct decoded {
    const struct field *field;
    bool is_present;      /* false: the payload ends before it */
    bool is_list;         /* `elements` values in a row */
    bool is_member;       /* of the structure before it, which shows it */
    uint8_t pointer;      /* bytes of a pointer in this payload */
    uint8_t index;        /* of the field in its layout */
    uint32_t elements;    /* whole ones that are there; 1 for scalars and strings */
    uint64_t number;      /* integers, pointers, ports (host order); sign-extended where signed */
    const uint8_t *data;  /* first byte of the value in the payload; of a SID its revision */
    size_t bytes;         /* bytes of the value; strings without their NUL; lists from the first
                             element to the end of the last */
    size_t end;           /* offset in the payload where the field ends */
    struct decoded *members; /* of a structure: its fields, of the element that was decoded last */
};

/* Decodes up to `room` fields in order; returns how many the layout has (≤ room). The work is
 * bounded by the payload and the layout, whatever they claim. `out` must stay where it is while
 * structures are read. */
unsigned decode_fields(const struct payload_layout *l, const struct event *e, struct decoded *out,
                       unsigned room);

/* How well a layout fits a payload, from worst to best: fields are missing, bytes are left over, or
 * it ends where the payload does. */
enum decode_fit { FIT_NONE, FIT_TRAILING, FIT_EXACT };
enum decode_fit decode_fit(const struct payload_layout *l, const struct event *e);

/* Bytes of a pointer in the payload of a classic event of a kernel class, whose header says 32
 * bits: 8 where the payload fits its layout in no other way. Programs of 32 bits log records of a
 * 64-bit kernel again behind headers of their own. */
uint8_t decode_pointer(const struct event *e);

/* Decodes one field alone, where it stands at a fixed place; else all up to it. False when
 * the payload has it not, and for structures and their members. */
bool decode_field(const struct payload_layout *l, const struct event *e, unsigned index,
                  struct decoded *out);

/* One element of a list as a scalar or string of its own; the cursor starts at 0.
 * False behind the last. */
bool decode_element(const struct decoded *list, size_t *cursor, struct decoded *out);

/* The same for a list of structures: decodes the next element into `members`. */
bool decode_structure(const struct decoded *list, size_t *cursor);

/* The name of a number by the field's map, of bits with | between them and what is left in hex.
 * Returns its length, 0 where the map has no name for it; what does not fit into `room` is left
 * out. */
enum { DECODE_NAME = 1024 };
size_t decode_value_name(const struct decoded *d, char *out, size_t room);

/* Likewise, of those bits alone that have names of their own. */
size_t decode_part_name(const struct decoded *d, char *out, size_t room);

/* Is it shown as text: a string, characters, or the words about an unknown type? */
bool decode_is_text(const struct decoded *d);

/* Where the field lies in a payload of that pointer size, for readers that look up
 * once and load often; false when there is no such field at a fixed place. */
bool layout_place(const struct payload_layout *l, const char *name, unsigned pointer,
                  unsigned *offset, enum field_type *type);

/* Sets the offsets of the first fields, up to the first one of variable size, which are -1 where
 * somebody else described the payload. */
void layout_fix_offsets(struct field *fields, unsigned count);

/* Text of one value, NUL-terminated, cut at `room`: integers decimal (signed where
 * the type is), pointers, sizes and bits 0x hex, addresses dotted / RFC 5952, SIDs S-1-…,
 * GUIDs as text, byte arrays as hex, lists with commas; strings as UTF-8 with
 * ill-formed parts replaced, 8-bit ones that are not UTF-8 taken as Latin-1 (not
 * sanitized for a terminal); structures as {name=value name=value}. Returns the length. */
size_t decode_format(const struct decoded *d, char *out, size_t room);

/* Is it a list of integers that have no names? Then this is the text of them with commas between,
 * each within double quotes if so wanted. */
bool decode_is_numbers(const struct decoded *d);
size_t decode_format_numbers(const struct decoded *d, bool quotes, char *out, size_t room);

/* The same for somebody who reads it: a status is named, as the system calls it that the trace is
 * from. */
size_t decode_show(const struct decoded *d, bool is_linux, char *out, size_t room);

/* Is it an integer that stands for a time since 1970? What is shown of it is the time. */
bool decode_is_time(const struct decoded *d);

/* Is it an IPv4 or IPv6 address, perhaps within a socket's? Then its 4 or 16 bytes, else NULL. */
const uint8_t *decode_address(const struct decoded *d, bool *is_v6);

/* Is it a status other than success? Then this is it, marked with its system (src/event/status.h). */
bool decode_status(const struct decoded *d, bool is_linux, uint32_t *marked);

#endif
