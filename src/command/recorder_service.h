/* A recorder that starts with the machine: a service of Windows, a unit of systemd. Each prints,
 * and gives the status to leave with. Main thread. */
#ifndef SRC_COMMAND_RECORDER_SERVICE_H
#define SRC_COMMAND_RECORDER_SERVICE_H

#include "src/command/option.h"
#include "src/os/service.h"

/* Of the recorder with this name. */
const char *recorder_service_name(const char *name, char out[SERVICE_NAME]);

/* `recorder install`: `words` are those of `recorder run` (NULL-terminated). */
int recorder_install(const char *name, const struct options *o, const char *const *words);
int recorder_remove(const char *name);

int recorder_unit(void);

#endif
