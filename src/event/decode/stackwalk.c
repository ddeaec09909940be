/* StackWalk: the stack of an earlier event of the same time and thread, whole or by key.
 * The MOF lists 32 frames to say that it is an array. */
#include "src/event/decode/table.h"

static const struct field stack_v2[] = {
    U64("EventTimeStamp", 0, 0),
    PID("StackProcess", FIELD_U32, 8, 8),
    TID("StackThread", FIELD_U32, 12, 12),
    REST_OF("Stack", FIELD_POINTER, 16, 16),
};

static const struct field key_create_v2[] = {
    POINTER("Key", 0, 0),
    REST_OF("Stack", FIELD_POINTER, 4, 8),
};

static const struct field stack_key_kernel_v2[] = {
    U64("EventTimeStamp", 0, 0),
    PID("StackProcess", FIELD_U32, 8, 8),
    TID("StackThread", FIELD_U32, 12, 12),
    POINTER("StackKey", 16, 16),
};

static const struct payload_layout stack[] = {
    LAYOUT(2, stack_v2),
};

static const struct payload_layout key_create[] = {
    LAYOUT(2, key_create_v2),
};

static const struct payload_layout stack_key_kernel[] = {
    LAYOUT(2, stack_key_kernel_v2),
};

static const struct event_type kinds[] = {
    [0x20] = KIND_AS("Stack", stack, "stack of {thread|.StackThread}"),
    [0x22] = KIND_AS("KeyCreate", key_create, "stack of key {.Key} begins"),
    [0x23] = KIND_AS("KeyDelete", key_create, "stack of key {.Key}, which ends"),
    [0x24] = KIND_AS("KeyRundown", key_create, "stack of key {.Key}, in use"),
    [0x25] = KIND_AS("StackKeyKernel", stack_key_kernel, "kernel stack of {thread|.StackThread}"),
    [0x26] = KIND_AS("StackKeyUser", stack_key_kernel, "user stack of {thread|.StackThread}"),
};

const struct event_class decode_stack_walk = {
    .name = "StackWalk",
    KINDS(kinds),
};
