/* Texts of the system's calls, which are UTF-16. */
#include "collectors/windows/etw_session.h"

const char *utf8_of(const WCHAR *wide, char *out, size_t room)
{
    int units = (int)wcsnlen(wide, ETW_NAME_UNITS);
    /* At most three bytes a unit: what could not fit is cut before it is converted. */
    const int most = (int)(room / 3);
    units = units < most ? units : most;
    const int used = WideCharToMultiByte(CP_UTF8, 0, wide, units, out, (int)room - 1, NULL, NULL);
    out[used > 0 ? used : 0] = '\0';
    return out;
}

bool utf16_of(const char *text, WCHAR *out, size_t units)
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, (int)units) > 0;
}
