/* Records and events.
 *
 * A *record* is what travels through rings: a small head, then the on-disk ETW
 * record verbatim (header, extended items, payload), so that writing a trace
 * gives back exactly what came in.
 *
 * An *event* is a parsed look at such a record: plain values and pointers into
 * the record's bytes, good as long as those bytes are. Formats: the header
 * types of SYSTEM_TRACE_HEADER, PERFINFO_TRACE_HEADER, EVENT_TRACE_HEADER,
 * EVENT_INSTANCE_HEADER, EVENT_HEADER and MESSAGE_TRACE_HEADER. */
#ifndef SRC_EVENT_EVENT_H
#define SRC_EVENT_EVENT_H

#include "src/base/guid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum header_kind {
    HEADER_SYSTEM,   /* SYSTEM_TRACE_HEADER, 32 bytes */
    HEADER_PERFINFO, /* PERFINFO_TRACE_HEADER, 16 bytes, no process or thread */
    HEADER_COMPACT,  /* SYSTEM_TRACE_HEADER without times, 24 bytes */
    HEADER_CLASSIC,  /* EVENT_TRACE_HEADER, 48 bytes */
    HEADER_INSTANCE, /* EVENT_INSTANCE_HEADER as filed, 72 bytes */
    HEADER_MANIFEST, /* EVENT_HEADER, 80 bytes and extended items */
    HEADER_MESSAGE,  /* MESSAGE_TRACE_HEADER (WPP), 8 bytes and optional fields */
    HEADER_KINDS,
};

/* "system", "perfinfo", … as `tracetop stats` prints them. */
const char *header_kind_name(enum header_kind kind);

static inline bool header_is_kernel(enum header_kind kind)
{
    return kind <= HEADER_COMPACT;
}

#define EVENT_NO_ID 0xffffffffu /* a process or thread id that the header does not carry */

/* Flags of EVENT_HEADER as they stand on disk. */
enum {
    EVENT_FLAG_EXTENDED = 0x0001,
    EVENT_FLAG_PRIVATE = 0x0002,
    EVENT_FLAG_STRING = 0x0004,
    EVENT_FLAG_NO_TIMES = 0x0010,
};

/* Option flag of WPP messages: the record carries a time. */
enum { EVENT_MESSAGE_TIME = 0x0008 };

/* Sources (a file, a machine, a clock) that one collector can have. */
enum { SOURCE_MAX = 64 };

struct event {
    int64_t ts;           /* raw, in the clock of its source; see event_has_time() */
    struct guid provider; /* classic: event class; kernel: see event_class_guid() */
    uint32_t pid, tid;    /* EVENT_NO_ID where the header carries none */
    uint16_t id;          /* event id; kernel: hook = group << 8 | type; message number; else 0 */
    uint16_t version;
    uint16_t task;
    uint16_t flags; /* EVENT_HEADER.Flags; WPP option flags; else 0 */
    uint16_t cpu;
    uint8_t kind;    /* enum header_kind */
    uint8_t type;    /* TRACE_HEADER_TYPE byte of the record (0 for messages) */
    uint8_t pointer; /* bytes of a pointer in this payload: 4 or 8 */
    uint8_t opcode;  /* opcode; kernel: type */
    uint8_t level, channel;
    uint8_t source;   /* which collector, file, machine and clock */
    uint8_t counters; /* PMC values before the payload, kernel headers only */
    uint64_t keyword;
    const uint8_t *activity; /* 16 bytes, or NULL */
    const uint8_t *extended; /* first extended item, or NULL */
    const uint8_t *pmc;      /* `counters` u64 values, or NULL */
    const uint8_t *payload;
    const uint8_t *record;   /* the on-disk record, from its header on */
    uint32_t extended_bytes; /* all extended items */
    uint32_t payload_bytes;
    uint32_t record_bytes; /* as the header's Size says, without padding */
};

/* The parts that decide its kind: header fields without times and without the ids of the logging
 * thread, and the payload. */
static inline struct event event_about(const struct event *e)
{
    return (struct event){.kind = e->kind,
                          .provider = e->provider,
                          .id = e->id,
                          .version = e->version,
                          .opcode = e->opcode,
                          .level = e->level,
                          .channel = e->channel,
                          .task = e->task,
                          .keyword = e->keyword,
                          .pointer = e->pointer,
                          .source = e->source};
}

/* Does the record describe the log itself? Those in front of a log, with its first buffer, may lie
 * hours before the first event and are no part of what it recorded. */
static inline bool event_describes_log(const struct event *e)
{
    return header_is_kernel((enum header_kind)e->kind) && e->id >> 8 == 0;
}

/* WPP messages may come without a time of their own: event_parse() leaves 0 and the
 * reader gives them the time of the event before them. */
static inline bool event_has_time(const struct event *e)
{
    return e->kind != HEADER_MESSAGE || e->flags & EVENT_MESSAGE_TIME;
}

/* The answer of event_parse. */
enum event_parsed {
    EVENT_OK,
    EVENT_BAD_MARKER, /* not a header type this format knows */
    EVENT_BAD_SIZE,   /* see record_bytes: smaller than the header, or beyond the span */
    EVENT_BAD_ITEMS,  /* extended items do not fit in the record, which itself is whole */
};

/* Parses the record that starts at `at`; reads at most `left` bytes, which must be readable. Fills
 * everything but cpu and source, which the buffer knows. Pure; any bytes are safe. The kernel
 * classes' provider is left zero: it is a table look-up that only some callers need. */
enum event_parsed event_parse(const uint8_t *at, size_t left, struct event *out);

/* The raw time of the record that starts at `at`, of which perhaps only the fixed
 * header is in the span; false where it has none or is no record. Pure. */
bool event_time(const uint8_t *at, size_t left, int64_t *ts);

/* GUID of the MOF class a kernel hook reports to (Image Load 0x030a reports to
 * Image), or all zeros where none is known. */
const struct guid *event_class_guid(uint16_t hook);

/* One extended item of an EVENT_HEADER record. */
struct event_item {
    uint16_t type; /* EVENT_HEADER_EXT_TYPE_*: 1 related activity … 18 stack key */
    uint16_t size;
    const uint8_t *data;
};

/* Steps through the extended items; *at starts at 0. False at the end. */
bool event_item_next(const struct event *e, uint32_t *at, struct event_item *out);

/* The related activity, 16 bytes, NULL where there is none; and the SID of the user who logged the
 * event, whose length follows from its own count. */
const uint8_t *event_related(const struct event *e);
const uint8_t *event_sid(const struct event *e, size_t *bytes);

/* Time of the thread in the kernel and in user mode, in ticks of the machine's timer; false where
 * the header carries none. */
bool event_times(const struct event *e, uint32_t *kernel, uint32_t *user);

/* ---- the record that travels ---------------------------------------------- */

enum record_form {
    RECORD_ETW,  /* an on-disk ETW record follows */
    RECORD_LOST, /* a struct record_lost follows: what the source knows it lost */
};

struct record_head {
    uint32_t bytes; /* the whole record: head + on-disk record, without padding */
    uint8_t form;   /* enum record_form */
    uint8_t source;
    uint16_t cpu;
    int64_t ts; /* raw timestamp (again, so that merging needs no parsing) */
};

struct record_lost {
    uint64_t events, buffers;
};

/* Parses the record behind a head (form RECORD_ETW) and sets cpu and source. */
enum event_parsed event_of_record(const struct record_head *head, struct event *out);

#endif
