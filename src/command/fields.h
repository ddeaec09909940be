/* `tracetop fields`: the columns of all panes by their stable ids. */
#ifndef SRC_COMMAND_FIELDS_H
#define SRC_COMMAND_FIELDS_H

#include "src/base/json_out.h"
#include "src/field/field.h"
#include "src/table/pane.h"

#include <stdio.h>

/* Tab-separated with a header line: pane, id, type, unit, title, help. One pane, or all
 * where `only` is NULL. */
void fields_print(const struct pane *only, FILE *to);

/* The same as one object, with the aggregates of queries (fields_json.c). */
void fields_print_json(const struct pane *only, FILE *to);

/* One field as an object; false, and nothing written, where it does not fit. */
bool fields_json_field(const struct field_def *f, struct json_out *to);
void fields_json_aggregates(struct json_out *to); /* a list */

/* What a field is called by its type, and the unit of its numbers, or "". */
const char *fields_type(const struct field_def *f);
const char *fields_unit(const struct field_def *f);

/* The pane that was meant, or NULL with a sentence that suggests one. */
const struct pane *fields_pane(const char *id, struct err *err);

#endif
