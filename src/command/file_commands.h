/* Commands over trace files that need no engine: their options, for the functions of
 * src/export/. Each is a batch_command (batch.h). */
#ifndef SRC_COMMAND_FILE_COMMANDS_H
#define SRC_COMMAND_FILE_COMMANDS_H

#include "src/command/batch.h"

int command_stats(struct batch *b);
int command_info(struct batch *b);
int command_machine(struct batch *b);
int command_cut(struct batch *b);
int command_providers(struct batch *b); /* of files, of which there are some */
int command_dump(struct batch *b); /* without files: live */

#endif
