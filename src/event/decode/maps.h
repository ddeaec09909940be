/* Names of numbers and bits that kernel events carry. */
#ifndef SRC_EVENT_DECODE_MAPS_H
#define SRC_EVENT_DECODE_MAPS_H

#include "src/event/decode.h"

extern const struct value_map map_irp_flags, map_create_options, map_file_attributes,
    map_share_access, map_information_class, map_wait_reason, map_wait_mode, map_thread_state,
    map_adjust_reason, map_ready_flags, map_allocation_flags, map_process_flags, map_address_family,
    map_connection_failure, map_profile_source, map_major_function, map_log_file_mode;

#endif
