#include "src/os/words_windows.h"

#include "src/base/mem.h"

#include <stdio.h>

const char *os_reason(DWORD error, char *buffer, int bytes)
{
    wchar_t wide[256];
    DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                  error, 0, wide, sizeof wide / sizeof *wide, NULL);
    while (length > 0 && wide[length - 1] <= L' ')
        length--;
    const int used =
        WideCharToMultiByte(CP_UTF8, 0, wide, (int)length, buffer, bytes - 1, NULL, NULL);
    if (used > 0)
        buffer[used] = '\0';
    else
        snprintf(buffer, (size_t)bytes, "error %lu", error);
    return buffer;
}

wchar_t *os_wide(const char *text)
{
    const int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (units <= 0)
        return NULL;
    wchar_t *wide = mem_new((size_t)units, sizeof *wide);
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, units);
    return wide;
}
