/* Terminal emulators that give programs pipes: those of Cygwin and MSYS (mintty), whose
 * pseudo-terminals are pipes with names that say so. */
#ifndef SRC_OS_PTY_WINDOWS_H
#define SRC_OS_PTY_WINDOWS_H

#include <stdbool.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Whether such a terminal is at the other end. */
bool pty_is(HANDLE pipe);

#endif
