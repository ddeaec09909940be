/* How Windows is asked for all rights, with the shell's function for it as an argument: the tests
 * have one that asks nobody. */
#ifndef SRC_OS_ELEVATE_WINDOWS_H
#define SRC_OS_ELEVATE_WINDOWS_H

#include "src/base/err.h"

#include <stdbool.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <shellapi.h>

typedef BOOL(WINAPI *elevate_ask)(SHELLEXECUTEINFOW *);

/* os_elevate(), by this function; it fails as ShellExecuteExW does. */
bool elevate_by(elevate_ask ask, struct err *err);

#endif
