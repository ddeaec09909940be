/* Where a user's configuration and caches are on Windows. See src/os/os.h for the promises. */
#include "src/base/mem.h"
#include "src/os/folder.h"
#include "src/os/os.h"

#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <shlobj.h>

static bool to_utf8(const wchar_t *wide, char *out, size_t room)
{
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)room, NULL, NULL) > 0;
}

/* Below what the variable names. */
static void users_folder(const wchar_t *variable, char *out, size_t room)
{
    const wchar_t *const reported = _wgetenv(variable);
    char folder[1024];
    out[0] = '\0';
    if (reported && *reported && to_utf8(reported, folder, sizeof folder))
        snprintf(out, room, "%s\\tracetop", folder);
}

void os_config_folder(char *out, size_t room)
{
    users_folder(L"APPDATA", out, room);
}

void os_cache_folder(char *out, size_t room)
{
    users_folder(L"LOCALAPPDATA", out, room);
}

/* Whether a path is the folder or lies in it. */
static bool is_below(const wchar_t *path, const wchar_t *folder)
{
    const size_t units = wcslen(folder);
    return _wcsnicmp(path, folder, units) == 0 && (path[units] == L'\0' || path[units] == L'\\');
}

/* An elevated prompt begins in System32. */
void os_default_folder(char *out, size_t room)
{
    wchar_t current[4096], windows[MAX_PATH], documents[MAX_PATH];
    const DWORD units = GetCurrentDirectoryW(sizeof current / sizeof *current, current);
    const UINT windows_units = GetSystemWindowsDirectoryW(windows, MAX_PATH);
    const bool is_systems = units && units < sizeof current / sizeof *current && windows_units &&
                            windows_units < MAX_PATH && is_below(current, windows);
    if (!is_systems ||
        SHGetFolderPathW(NULL, CSIDL_PERSONAL | CSIDL_FLAG_CREATE, NULL, 0, documents) != S_OK ||
        !to_utf8(documents, out, room))
        snprintf(out, room, ".");
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

size_t os_folder_names(const char *folder, const char *ending, char (*out)[OS_NAME_ROOM],
                       size_t room)
{
    char pattern[1400], name[OS_NAME_ROOM * 3];
    wchar_t wide[1400];
    WIN32_FIND_DATAW found;
    size_t count = 0;
    snprintf(pattern, sizeof pattern, "%s\\*%s", folder, ending);
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, pattern, -1, wide,
                            sizeof wide / sizeof *wide) <= 0)
        return 0;
    const HANDLE h = FindFirstFileW(wide, &found);
    if (h == INVALID_HANDLE_VALUE)
        return 0;
    do {
        if (to_utf8(found.cFileName, name, sizeof name))
            folder_take_name(name, ending, out, room, &count);
    } while (FindNextFileW(h, &found));
    FindClose(h);
    folder_sort_names(out, count);
    return count;
}
