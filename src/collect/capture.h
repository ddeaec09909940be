/* The capture filter: which events are stored at all (`-F EXPR`, `:capture EXPR`). It uses the
 * filter language, limited to the fields in the record itself. It runs between a collector and its
 * rings, so it neither locks nor allocates, and reads numbers at offsets that were found when it
 * was compiled.
 *
 * Some events always pass: processes, threads, images, names, connections, configuration, marks,
 * definitions of stacks. A stack passes with its event, the end of a file operation with its start,
 * and a context switch when either of its threads matches.
 *
 * The process of an event is the one in the record, or else that of the thread on the processor.
 * Threads, their processes and their names are learned from all records that go by. A process
 * without a name yet passes, since it may match later. */
#ifndef SRC_COLLECT_CAPTURE_H
#define SRC_COLLECT_CAPTURE_H

#include "src/base/err.h"
#include "src/event/event.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CAPTURE_TEXT = 256 };

struct capture;
struct model;

/* How one is getting on; the thread that asks writes them. */
struct capture_figures {
    _Atomic uint64_t kept, left_out; /* records, those that always pass among the kept */
};

/* NULL with a sentence (what was expected, where; which field no record carries, and why). */
struct capture *capture_new(const char *text, struct err *err);
void capture_free(struct capture *c); /* NULL is fine */

const char *capture_text(const struct capture *c);
const struct capture_figures *capture_figures(const struct capture *c);

/* Takes over who is there: for one that begins in the middle. Before the first record. */
void capture_learn(struct capture *c, const struct model *m);

/* Is the record to be stored? Records of a source in their order; one thread. `always`: it is,
 * whatever the filter says. */
bool capture_takes(struct capture *c, const struct event *e, bool always);

/* What of a filter can choose processes where they are watched; 0 / "" where there is nothing. The
 * filter itself is asked about what comes from there all the same. */
struct capture_scope {
    uint32_t pids[64];
    unsigned pid_count;
    char name[64];  /* a pattern with * and ? */
    char reported[128]; /* in words, for people */
};

/* Words that all must hold: pid=…, proc=…. */
void capture_scope_of(const char *text, struct capture_scope *out);

/* ---- where a collector's owner puts it ------------------------------------------------------ */

/* The one that holds and those before it, until nobody asks them any more. */
struct capture_slot {
    _Atomic(struct capture *) wanted; /* NULL: everything is stored */
    _Atomic(struct capture *) asked;  /* by the thread that feeds the rings */
    struct capture *retired[8];
    const char
        *pushed; /* what of it chose processes where they are watched, at the start; or NULL */
};

/* Owner's thread (one): from now on this one, or none; takes it over. False where too many are
 * still in use, and then it has not been. */
bool capture_set(struct capture_slot *d, struct capture *c);
void capture_slot_fini(struct capture_slot *d); /* nobody feeds any more */

/* Feeding thread: is the record to be left out? */
bool capture_leaves_out(struct capture_slot *d, const struct record_head *head, const void *record,
                        bool always);

#endif
