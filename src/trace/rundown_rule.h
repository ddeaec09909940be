/* What a record reports of a process, thread, image and so on: it begins or ends, was there all
 * along, or something about it is new; and which thing it is. */
#ifndef SRC_TRACE_RUNDOWN_RULE_H
#define SRC_TRACE_RUNDOWN_RULE_H

#include "src/trace/rundown.h"

enum rundown_opcode {
    OPCODE_BEGIN,
    OPCODE_END,
    OPCODE_START, /* rundown */
    OPCODE_STOP,  /* rundown */
    OPCODE_UPDATE,
};

enum update_kind {
    UPDATE_NONE,
    UPDATE_COMMAND, /* name and program by now, and whose child */
    UPDATE_EXEC,    /* name and program */
    UPDATE_RENAME,  /* name */
    UPDATE_OWNER,
    UPDATE_LIFETIME, /* not kept: since when */
    UPDATE_MAPPING,
    UPDATE_THREAD,
    UPDATE_KINDS,
};

struct rundown_rule {
    uint16_t hook;
    uint8_t class, sign, update;
};

/* NULL: nothing of the kind. */
const struct rundown_rule *rundown_rule_of(const struct event *e);

/* The key (pid, tid, address …) of the thing that a record of this class is about, and what else it
 * takes to tell it from others. False: the record lacks them. */
bool rundown_key_of(const struct event *e, enum rundown_class class, uint64_t *key, uint64_t *more);

/* The number in that field of a built-in layout. */
bool rundown_field_of(const struct event *e, const char *name, uint64_t *out);

#endif
