/* Where the screen's bytes go: the one thing of the console that the program for the tests has
 * another file for (tests/etw/), as Wine's console does not interpret what terminals do. */
#ifndef UI_TERM_CONSOLE_WINDOWS_H
#define UI_TERM_CONSOLE_WINDOWS_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* A handle that takes the bytes; it stays open to the end of the program. */
HANDLE console_output(void);

#endif
