/* Stacks: which event each belongs to, and paths that share their outer frames. */
#ifndef SRC_MODEL_STACK_H
#define SRC_MODEL_STACK_H

#include "src/base/hash_index.h"
#include "src/base/map.h"
#include "src/model/fact.h"
#include "src/model/stack_memo.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Short-lived joins: the newest of each place wins, what was pushed out stays
 * unmatched and is counted when its partner comes. */
enum { STACK_SLOTS = 1 << 15, IRP_SLOTS = 1 << 13 };

/* An event whose stack may come. */
struct stack_slot {
    int64_t ts;      /* raw */
    uint64_t number; /* of its fact + 1; 0 = free */
    uint32_t thread; /* that a walk would name; 0 = not known */
    source_id source;
    bool is_kernel;
};

/* One frame of paths that share all frames outside of it. */
struct call {
    uint64_t address;
    uint32_t parent; /* outside: the caller; 0 = outermost */
    uint32_t stack; /* newest one whose user part, or for want of it whose kernel part, ends here */
};

/* Kernel and user part of a stack, see stack.c; 0 = not there. */
struct stack_parts {
    uint32_t kernel, user;
};

struct stack {
    uint32_t number;
    struct stack_parts parts;
    uint32_t process; /* in which the user addresses lie */
    uint32_t epoch;   /* of its images: equal addresses, other modules */
    source_id source;
    int64_t time;     /* of an event that had it */
};

struct stack_key {
    uint32_t number;
    uint32_t path;  /* 0: not known yet */
    uint64_t name;  /* key and source */
    int64_t until;  /* raw time when it ended; INT64_MAX = it lives */
};

/* An event whose stack came with one part and an id that the other part will bear, too. */
struct stack_match {
    uint64_t id;
    uint64_t number; /* of its fact + 1; 0 = free */
    source_id source;
};

/* A fact that got (more of) its stack after it was made. */
struct stack_update {
    uint64_t number;
    uint32_t old, now; /* its stack before and after */
};

enum { STACK_MATCHES = 1 << 12 };
enum { STACK_FRAMES = 256, STACK_UPDATES = 1 << 16, STACKS_EXPECTED = 16 };

/* The epoch of a process's images, as of so many changes of any. */
struct epoch_note {
    uint64_t changes;
    uint32_t process, epoch;
    source_id source;
};

enum { EPOCH_NOTES = 256 };

struct stack_store {
    struct epoch_note epochs[EPOCH_NOTES]; /* by process */
    struct call *calls;
    uint32_t call_count, call_room;
    struct hash_index call_index; /* of calls by parent and address */
    struct stack_memo *memo;      /* of paths that came before */
    struct generation_table keys, stacks;
    struct map key_now, stack_now;
    struct stack_slot *slots;     /* buckets of two, by time */
    struct stack_slot expected[STACKS_EXPECTED]; /* not in their buckets yet, oldest first */
    unsigned expected_count;
    struct stack_match *matches; /* by id: events whose other part may come with another */
    uint32_t call_most;
    struct stack_update *updates; /* the newest `update_places` of … */
    uint64_t update_count;        /* … so many */
    uint32_t update_places;
    uint64_t learned; /* grows when a key's frames become known late */
};

struct irp_slot {
    uint64_t irp;
    int64_t time;
    uint32_t source_used; /* source + 1; 0 = free */
    uint32_t process, thread, entity;
    uint64_t number; /* of its fact + 1; 0 = it has none */
    uint8_t op;
};

void model_stacks_init(struct model *m, size_t facts); /* 0: how many is not known */
void model_stacks_fini(struct model *m);

/* A StackWalk event about another event. */
struct stack_walk {
    int64_t ts;               /* raw time of that one */
    uint32_t process, thread; /* numbers */
    uint64_t key;             /* instead of frames; 0 = none */
};

void model_stack_walked(struct model *m, const struct event *e, source_id source,
                        const struct stack_walk *w);
/* A stack of the fact with that number + 1, from `bytes` of frames; 0: of none that is known. */
void model_stack_follows(struct model *m, source_id source, uint64_t number, const uint8_t *frames,
                         size_t bytes, unsigned pointer);
/* What a key means: the event's payload is the key, then frames. */
void model_stack_defined(struct model *m, const struct event *e, source_id source, uint64_t key);
/* The newest fact is of this event, and its stack may come. `owner`: thread of the header. */
void model_stack_expect(struct model *m, const struct event *e, source_id source,
                        const struct fact *f, uint32_t owner);
/* The stacks in the event's extended items become the fact's. */
void model_stack_inline(struct model *m, const struct event *e, source_id source, struct fact *f);

/* May so many more events with stacks take the place of older ones? Those that the oldest facts
 * have are forgotten first. */
static inline bool model_stacks_may_go(const struct stack_store *s, unsigned events)
{
    return s->call_most - s->call_count <= (events + 2) * STACK_FRAMES;
}

/* Frames of a stack, innermost first; how many. 0: the frames of its key are not known. */
unsigned model_stack_frames(const struct model *m, const struct stack *s,
                            uint64_t out[2 * STACK_FRAMES]);

#endif
