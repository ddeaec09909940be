/* Where programs and folders lie on Windows: what the system itself would find in the current
 * folder, which may be anybody's, is not found here. Any thread. */
#ifndef SRC_OS_PROGRAM_WINDOWS_H
#define SRC_OS_PROGRAM_WINDOWS_H

#include <stdbool.h>
#include <wchar.h>

/* The path of one of Windows' own programs, in the system's folder; free() it. */
wchar_t *program_of_system(const wchar_t *name);

/* The path of a program by the name that a user gave (UTF-8): as it stands where it names a folder,
 * else in the folders of PATH that are whole paths; ".exe" may be left out. free() it; NULL where
 * there is none. */
wchar_t *program_find(const char *name);

/* Whether a path begins at the root of a drive of this machine that is a disk: of no device, of no
 * server, and relative to nothing. The path itself is not opened. */
bool path_is_on_disk(const wchar_t *path);

#endif
