/* Where a user's configuration is on Windows. See src/os.h for the promises. */
#include "src/mem.h"
#include "src/os.h"

#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static bool to_utf8(const wchar_t *wide, char *out, size_t room)
{
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)room, NULL, NULL) > 0;
}

void os_config_folder(char *out, size_t room)
{
    const wchar_t *const said = _wgetenv(L"APPDATA");
    char folder[1024];
    out[0] = '\0';
    if (said && *said && to_utf8(said, folder, sizeof folder))
        snprintf(out, room, "%s\\tracetop", folder);
}

static bool make_folder(const char *path)
{
    wchar_t wide[4096];
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
                               sizeof wide / sizeof *wide) > 0 &&
           CreateDirectoryW(wide, NULL);
}

/* Drives and shares in front are there or cannot be made: what counts is that all of it is there
 * in the end. */
bool os_make_folders(const char *path, struct err *err)
{
    char part[4096];
    const size_t bytes = strlen(path);
    DWORD error = ERROR_SUCCESS;
    if (bytes >= sizeof part)
        return fail(err, "cannot make the folder '%.200s...': its path is too long", path);
    for (size_t i = 1; i <= bytes; i++) {
        if (path[i] != '/' && path[i] != '\\' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (!make_folder(part))
            error = GetLastError();
    }
    return os_path_kind(path) == OS_DIRECTORY ||
           fail(err, "cannot make the folder '%.700s': error %lu", path, error);
}
