#include "src/os/pty_windows.h"

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* "\msys-1888ae32e00d56aa-pty0-to-master", or "\cygwin-…". */
bool pty_is(HANDLE pipe)
{
    enum { ROOM = 256 };
    union {
        FILE_NAME_INFO info;
        uint8_t bytes[sizeof(FILE_NAME_INFO) + ROOM * sizeof(wchar_t)];
    } found;
    if (GetFileType(pipe) != FILE_TYPE_PIPE ||
        !GetFileInformationByHandleEx(pipe, FileNameInfo, &found, sizeof found))
        return false;
    wchar_t name[ROOM];
    const size_t units = found.info.FileNameLength / sizeof *name;
    if (units >= ROOM)
        return false;
    wmemcpy(name, found.info.FileName, units);
    name[units] = L'\0';
    return (wcsncmp(name, L"\\msys-", 6) == 0 || wcsncmp(name, L"\\cygwin-", 8) == 0) &&
           wcsstr(name, L"-pty") && wcsstr(name, L"-master");
}
