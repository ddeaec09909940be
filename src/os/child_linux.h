/* Programs that are started with other files than ours. */
#ifndef SRC_OS_CHILD_LINUX_H
#define SRC_OS_CHILD_LINUX_H

#include "src/os/os.h"

#include <spawn.h>

/* As os_spawn(), a program by its path or name with such words. With `files` it gets these, and a
 * session of its own. */
struct os_child *os_spawn_with(const char *program, const char *const *argv,
                               const posix_spawn_file_actions_t *files, struct err *err);

#endif
