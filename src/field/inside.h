/* What the registry's rows refer to. Included by src/field/ only. */
#ifndef SRC_FIELD_INSIDE_H
#define SRC_FIELD_INSIDE_H

#include "src/field/field.h"

extern const struct field_word field_fault_words[], field_level_words[], field_priority_words[],
    field_state_words[], field_protocol_words[], field_direction_words[], field_kind_words[];

typedef uint32_t field_cell_of(const struct fact *f);
typedef const char *field_cell_text(const struct row_context *x, uint32_t id, char *room,
                                    size_t bytes);

field_cell_of field_cell_cpu, field_cell_disk, field_cell_entity, field_cell_kind, field_cell_op,
    field_cell_process, field_cell_remote, field_cell_status, field_cell_thread;
field_cell_text field_cell_end_text, field_cell_event_text, field_cell_minus_one,
    field_cell_op_text, field_cell_pid_text, field_cell_process_text, field_cell_remote_text,
    field_cell_routine_text, field_cell_status_text, field_cell_thread_text, field_cell_tid_text;

#endif
