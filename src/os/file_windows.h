/* Open files and their handles, for code that uses the system's calls itself. */
#ifndef SRC_OS_FILE_WINDOWS_H
#define SRC_OS_FILE_WINDOWS_H

#include "src/os/os.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Takes over a handle; the name is for messages. */
struct os_file *file_of_handle(HANDLE handle, const char *name);

#endif
