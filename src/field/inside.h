/* What the registry's rows refer to. Included by src/field/ only. */
#ifndef SRC_FIELD_INSIDE_H
#define SRC_FIELD_INSIDE_H

#include "src/field/field.h"

extern const struct field_word field_fault_words[], field_priority_words[], field_state_words[],
    field_protocol_words[], field_direction_words[], field_kind_words[];

typedef uint32_t field_cell_of(const struct fact *f);
typedef const char *field_cell_text(const struct row_context *x, uint32_t id, char *room,
                                    size_t bytes);

field_cell_of field_cell_cpu, field_cell_disk, field_cell_kind, field_cell_op, field_cell_reason;
field_cell_text field_cell_process_text, field_cell_provider_text, field_cell_stack_text,
    field_cell_user_text, field_cell_end_text, field_cell_event_text, field_cell_minus_one,
    field_cell_op_text, field_cell_remote_text, field_cell_status_text, field_cell_thread_text;

field_number field_get_class, field_get_cpu, field_get_disk, field_get_fault, field_get_latency,
    field_get_old_priority, field_get_op, field_get_priority, field_get_size, field_get_state,
    field_get_time, field_get_wait;

field_get field_get_address, field_get_age, field_get_command, field_get_connection,
    field_get_direction, field_get_dt, field_get_event, field_get_event_path, field_get_event_id,
    field_get_exited, field_get_hostname, field_get_url, field_get_frame, field_get_function,
    field_get_keyword, field_get_kind, field_get_level, field_get_local, field_get_local_port,
    field_get_message, field_get_module, field_get_new_priority, field_get_offset, field_get_opcode,
    field_get_opcode_names, field_get_path, field_get_payload, field_get_pid, field_get_port,
    field_get_ppid, field_get_process, field_get_protocol, field_get_provider, field_get_reason,
    field_get_remote, field_get_remote_port, field_get_retransmit, field_get_routine,
    field_get_service, field_get_session, field_get_failed, field_get_status, field_get_tag,
    field_get_task, field_get_thread, field_get_tid, field_get_user, field_get_va, field_get_value,
    field_get_vector, field_get_version, field_get_waker;

/* What a frame of a stack is called, innermost first; NULL: it has none. */
const char *field_frame_text(const struct row_context *x, uint32_t id, unsigned index, char *room,
                             size_t bytes);

field_get field_get_rss, field_get_memory, field_get_private, field_get_shared, field_get_swap,
    field_get_files;
field_get field_get_counter;
field_cell_text field_cell_counter_text, field_cell_reason_text;

#endif
