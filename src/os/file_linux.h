/* Open files and their descriptors, for code that uses the system's calls itself. */
#ifndef SRC_OS_FILE_LINUX_H
#define SRC_OS_FILE_LINUX_H

#include "src/os/os.h"

/* Takes over a descriptor; the name is for messages. */
struct os_file *os_file_of(int descriptor, const char *name);

/* It stays the file's. */
int os_file_descriptor(const struct os_file *f);

#endif
