/* Getters of fields: each row of the registry has one, of either type, and whoever wants a field's
 * values calls it. The filter looks at them, views show them. */
#ifndef SRC_FIELD_GET_H
#define SRC_FIELD_GET_H

#include "src/event/event.h"
#include "src/model/fact.h"

struct model;
struct schema;
struct stack;

/* What a fact does not hold itself: who keeps the window answers. All of them may say that they
 * do not know (any more); NULL callbacks know nothing. */
struct fact_callbacks {
    void *of;
    bool (*record)(void *of, const struct fact *f, struct event *out); /* good until the next */
    /* What its payload holds; false where that is not known. Sets *out in any case. */
    bool (*schema)(void *of, const struct fact *f, const struct event *e, struct schema *out);
    bool (*is_linux)(void *of, const struct fact *f, const struct event *e); /* is it of Linux? */
    bool (*since)(void *of, const struct fact *f, uint64_t *ns); /* the one before of its thread */
    bool (*is_tagged)(void *of, const struct fact *f);
    /* What a frame of a stack is called, "module!function" as far as it is known by now. */
    char *(*frame)(void *of, const struct stack *s, const uint64_t *frames, unsigned index,
                   char *out, size_t room);
};

/* The record of a fact: read when the first field needs it. */
struct field_record {
    struct event event;
    bool is_read, is_missing;
};

/* What is asked about. A getter reads only what its group needs (enum field_group). */
struct field_subject {
    const struct model *model;
    const struct fact *fact;       /* GROUP_FACT, GROUP_CALLBACK */
    uint32_t id;                   /* of the process, thread, kind, file, connection or routine */
    int64_t now_ns;                /* ages end, and names hold, at this time */
    const char *module, *function; /* GROUP_STACK: of one frame; NULL = not known */
    const struct fact_callbacks *callbacks; /* GROUP_CALLBACK */
    struct field_record *record;            /* likewise: room for the fact's record */
    const char *payload;                    /* BY_PAYLOAD: the name of the field */
};

enum field_value_kind {
    FIELD_NUMBER,
    FIELD_BITS, /* a number of which each bit means something */
    FIELD_FLAG,
    FIELD_REAL,
    FIELD_TEXT,
    FIELD_ADDRESS,
};

struct field_value {
    uint8_t kind; /* enum field_value_kind */
    bool is_v6;
    union {
        uint64_t number;
        double real;
        const char *text;       /* in the model, in `room`, or constant */
        const uint8_t *address; /* 4 or 16 bytes */
    };
    size_t bytes; /* of the text */
};

/* The values of a field: none where it is not known, several where a thing has several names,
 * forms or ends; the first is the one to show. */
enum { FIELD_VALUES = 72 /* a keyword has 64 bits */, FIELD_ROOM = 4096 };
struct field_values {
    unsigned count;
    struct field_value of[FIELD_VALUES];
    size_t used; /* of the room */
    char room[FIELD_ROOM];
};

/* Adds the values to *out. */
typedef void field_get(const struct field_subject *s, struct field_values *out);

/* Of a field that is one number of the fact itself, read for every fact: false where it has none.
 */
typedef bool field_number(const struct fact *f, uint64_t *out);

#endif
