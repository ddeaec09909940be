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

static const struct payload_layout alpc_send_message[] = {
    LAYOUT(2, alpc_send_message_v2),
};

static const struct payload_layout alpc_wait_for_new_message[] = {
    LAYOUT(2, alpc_wait_for_new_message_v2),
};

static const struct payload_layout alpc_unwait[] = {
    LAYOUT(2, alpc_unwait_v2),
};

static const struct event_type kinds[] = {
    [0x21] = KIND_AS("ALPC-Send-Message", alpc_send_message, "ALPC send message {.MessageID}"),
    [0x22] =
        KIND_AS("ALPC-Receive-Message", alpc_send_message, "ALPC receive message {.MessageID}"),
    [0x23] = KIND_AS("ALPC-Wait-For-Reply", alpc_send_message,
                     "ALPC wait for the reply to {.MessageID}"),
    [0x24] = KIND_AS("ALPC-Wait-For-New-Message", alpc_wait_for_new_message,
                     "ALPC wait for a message[ at {.PortName}]"),
    [0x25] = KIND_AS("ALPC-Unwait", alpc_unwait, "ALPC wait ended[: {.Status:failed}]"),
    [0x26] = NAME("ALPC_CONNECT_REQUEST"),
    [0x27] = NAME("ALPC_CONNECT_SUCCESS"),
    [0x28] = NAME("ALPC_CONNECT_FAIL"),
    [0x29] = NAME("ALPC_CLOSE_PORT"),
};

const struct event_class decode_alpc = {
    .name = "ALPC",
    KINDS(kinds),
};
