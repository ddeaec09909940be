/* ALPC: MessageID pairs a send with its receive across processes. */
#include "src/event/decode/table.h"

static const struct field alpc_send_message_v2[] = {
    U32("MessageID", 0, 0),
};

static const struct field alpc_wait_for_new_message_v2[] = {
    U32("IsServerPort", 0, 0),
    WSTR("PortName", 4, 4),
};

static const struct field alpc_unwait_v2[] = {
    STATUS("Status", FIELD_U32, 0, 0),
};

static const struct layout alpc_send_message[] = {
    LAYOUT(2, alpc_send_message_v2),
};

static const struct layout alpc_wait_for_new_message[] = {
    LAYOUT(2, alpc_wait_for_new_message_v2),
};

static const struct layout alpc_unwait[] = {
    LAYOUT(2, alpc_unwait_v2),
};

static const struct event_type kinds[] = {
    [0x21] = KIND("ALPC-Send-Message", alpc_send_message),
    [0x22] = KIND("ALPC-Receive-Message", alpc_send_message),
    [0x23] = KIND("ALPC-Wait-For-Reply", alpc_send_message),
    [0x24] = KIND("ALPC-Wait-For-New-Message", alpc_wait_for_new_message),
    [0x25] = KIND("ALPC-Unwait", alpc_unwait),
    [0x26] = NAME("ALPC_CONNECT_REQUEST"),
    [0x27] = NAME("ALPC_CONNECT_SUCCESS"),
    [0x28] = NAME("ALPC_CONNECT_FAIL"),
    [0x29] = NAME("ALPC_CLOSE_PORT"),
};

const struct event_class decode_alpc = {
    .name = "ALPC",
    KINDS(kinds),
};
