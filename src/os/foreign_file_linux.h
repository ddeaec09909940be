/* Files that somebody else names: a trace, or a process that is watched. Nothing is opened before
 * it is known to be a regular file on a disk: opening a device can start something (a watchdog), a
 * path can make the system mount something or wait for another machine. */
#ifndef SRC_OS_FOREIGN_FILE_LINUX_H
#define SRC_OS_FOREIGN_FILE_LINUX_H

#include "src/base/err.h"

#include <stdbool.h>

/* Opens `path`, absolute and without "..", for reading. `root`: the folder that absolute links
 * begin at ("" = the system's own). `folder`: where the path begins, named by the user ("" = the
 * root). Refused: what is not a regular file, paths that begin with "//", automounts, and network
 * file systems unless the folder is the user's or `is_live`: a process runs from there already. -1
 * with a message, and errno says whether there is such a file. */
int foreign_file_open(const char *root, const char *folder, const char *path, bool is_live,
                      struct err *why);

/* The same for a link of /proc that leads to a file in use. */
int foreign_file_open_link(const char *link, struct err *why);

#endif
