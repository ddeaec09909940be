/* Inside the capture filter: what is looked up beforehand for every layout of a kernel event. */
#ifndef SRC_COLLECT_CAPTURE_PLAN_H
#define SRC_COLLECT_CAPTURE_PLAN_H

#include "src/event/decode.h"
#include "src/filter/filter.h"

enum carried {
    AT_PID,
    AT_TID,
    AT_NEW_TID,
    AT_SIZE,
    AT_OFFSET,
    AT_DISK,
    AT_FLAGS,
    AT_VA,
    AT_REASON,
    AT_STATE,
    AT_OLD_PRIORITY,
    AT_NEW_PRIORITY,
    AT_VECTOR,
    AT_LOCAL_PORT,
    AT_REMOTE_PORT,
    AT_LOCAL,
    AT_REMOTE,
    AT_IRP,
    AT_TIME,
    CARRIED,
};

struct spot {
    uint16_t at;
    uint8_t width;  /* 0: the layout has it not */
    bool is_turned; /* network order */
};

struct layout_plan {
    const struct payload_layout *layout;
    struct filter_found names;     /* of terms that all events of the layout decide alike */
    struct spot spots[2][CARRIED]; /* [0] 4-byte, [1] 8-byte pointers */
};

enum fate { FATE_MATCHED, FATE_PASSES, FATE_STACK, FATE_END };

struct hook_plan {
    struct layout_plan *layouts;
    uint8_t layout_count;
    uint8_t class, op, fate;
    struct filter_found names; /* of events without a layout */
};

enum { PLAN_GROUPS = 0x1f, PLAN_HOOKS = PLAN_GROUPS * 256, REASONS = 64 };

struct plan {
    struct filter filter;
    struct hook_plan hooks[PLAN_HOOKS];
    struct filter_found reasons[REASONS];
};

/* What the model makes of a hook's events (capture_hook.c: its `kind` and the decoders' are two). */
struct hook_class {
    uint8_t class, op;
};
struct hook_class hook_class(uint16_t hook);

struct plan *plan_new(const char *text, struct err *err); /* NULL with a sentence */
void plan_free(struct plan *p);

/* Of events that are none of the kernel's: what names and numbers of their kind decide. */
struct filter_found plan_names(const struct plan *p, const struct event *e, struct hook_class made);

#endif
