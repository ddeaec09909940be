/* Kinds of events: provider, id, version, opcode, and where their fields lie. */
#ifndef SRC_MODEL_KIND_H
#define SRC_MODEL_KIND_H

#include "src/base/bytes.h"
#include "src/event/decode.h"
#include "src/model/fact_builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A field of a rare event, by name; false when it is not there. */
bool kind_field(const struct kind *k, const struct event *e, const char *name, struct decoded *out);

/* A number of a rare event, by name, wherever it lies; false when it is not there. */
bool kind_number(const struct kind *k, const struct event *e, const char *name, uint64_t *out);

/* A string field of a rare event, by name; empty when it is not there. Returns `out`. */
const char *kind_text(const struct kind *k, const struct event *e, const char *name, char *out,
                      size_t room);

/* Where a field lies in payloads of one pointer size; width 0: not at a fixed place. An
 * integer is loaded by eight bytes, of which all but its own are shifted out, where the payload
 * reaches to `wide_end`; what cannot be loaded at all has an end that no payload reaches. */
struct load_place {
    uint16_t offset, wide_end;
    uint8_t width, shift;
};

/* A distinct kind of event: provider, id, opcode, version and header kind. */
struct kind {
    struct guid provider;
    uint64_t name;          /* id, version, opcode and header in one */
    uint16_t id, version;
    uint8_t opcode, header; /* header: enum header_kind */
    uint8_t class, op;
    uint8_t recorded_by; /* enum recorded_by */
    bool is_pending;     /* the system has been asked for its names */
    make_fact *make;
    struct load_place places[2][FACT_BUILDER_FIELDS]; /* [0] 4-byte, [1] 8-byte pointers */
    uint16_t
        least[2]; /* bytes up to the end of the fact builder's first field; 0 = there is none */
    const struct payload_layout *layout; /* of its payload; NULL = not known */
    const struct payload_layout
        *named_layout; /* … or by its schema, which may not fit every record: for the
                        * names of its fields; NULL = not known */
    const char *class_name, *event_name;   /* never NULL */
    char *schema_names; /* what those two point into, where they are of a schema (event/schema.h) */
    uint32_t tracelogging; /* … and their description (tracelogging_hash) */
    char guid_text[GUID_TEXT];
    uint64_t events, bytes;
    int64_t first_ns, last_ns; /* of its events, if there are any */
};

/* Names of an event's kind; never empty. `room` holds KIND_TEXT bytes. */
enum { KIND_TEXT = 32 };
const char *kind_provider(const struct kind *k);
const char *kind_event(const struct kind *k, char *room);

enum { RECENT_KINDS = 32 };

/* A kind of kernel event; index 0: nothing stands here. */
struct recent_kind {
    uint64_t name; /* model_kind_name() */
    uint16_t index;
};

void model_kinds_init(struct model *m);
void model_kinds_fini(struct model *m);

/* Names the kinds that the system has answered about since. */
void model_kinds_look(struct model *m);

/* Index of the event's kind; 0 when the registry is full. */
uint16_t model_kind_look_up(struct model *m, const struct event *e);

/* Level, task and keywords may differ between events of one kind; these may not. */
static inline uint64_t model_kind_name(const struct event *e)
{
    return (uint64_t)e->id | (uint64_t)e->version << 16 | (uint64_t)e->opcode << 32 |
           (uint64_t)e->kind << 40;
}

/* Loads field `i` of the kind's fact builder; false when the payload has it not. */
bool kind_load_slowly(struct load_place p, const struct event *e, uint64_t *out);
static inline bool kind_load(const struct kind *k, const struct event *e, unsigned i, uint64_t *out)
{
    const struct load_place *p = &k->places[e->pointer == 8][i];
    if (p->wide_end > e->payload_bytes)
        return kind_load_slowly(*p, e, out);
    *out = load_u64(e->payload + p->offset) << p->shift >> p->shift;
    return true;
}

/* The bytes of field `i`, which must take `width`; NULL when the payload has it not. */
static inline const uint8_t *kind_bytes(const struct kind *k, const struct event *e, unsigned i,
                                        unsigned width)
{
    const struct load_place p = k->places[e->pointer == 8][i];
    return p.width == width && p.offset + width <= e->payload_bytes ? e->payload + p.offset : NULL;
}

#endif
