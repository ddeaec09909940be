/* Programs that are started by other means than os_spawn(). */
#ifndef SRC_OS_CHILD_WINDOWS_H
#define SRC_OS_CHILD_WINDOWS_H

#include "src/os/os.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* The words as one line that programs take apart again (UTF-8); free() it. */
char *child_line(const char *const *argv);

/* Takes over what CreateProcessW() gave; such a child is in no job. */
struct os_child *child_of(const PROCESS_INFORMATION *p);

#endif
