/* What the files of the platform on Windows share about words: the system's, and for the system. */
#ifndef SRC_OS_WORDS_WINDOWS_H
#define SRC_OS_WORDS_WINDOWS_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* The system's words for an error, in UTF-8, without the line end they come with; in `buffer`. */
const char *os_reason(DWORD error, char *buffer, int bytes);

/* UTF-8 to what the W calls take, on the heap; NULL (ERROR_NO_UNICODE_TRANSLATION) when
 * the text is no UTF-8. */
wchar_t *os_wide(const char *text);

#endif
