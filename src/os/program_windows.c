#include "src/os/program_windows.h"

#include "src/base/mem.h"
#include "src/os/words_windows.h"

#include <stdlib.h>

enum { UNITS = 32768 }; /* no path and no variable of the environment is longer */

wchar_t *program_of_system(const wchar_t *name)
{
    wchar_t *const path = mem_new(UNITS, sizeof *path);
    const UINT used = GetSystemDirectoryW(path, UNITS / 2);
    _snwprintf(path + used, UNITS / 2, L"\\%ls", name);
    return path;
}

/* "C:\…", or with the other slash. */
static bool has_drive(const wchar_t *path)
{
    const wchar_t letter = path[0] | 0x20;
    return letter >= L'a' && letter <= L'z' && path[1] == L':' &&
           (path[2] == L'\\' || path[2] == L'/');
}

bool path_is_on_disk(const wchar_t *path)
{
    if (!has_drive(path))
        return false;
    const wchar_t root[] = {path[0], L':', L'\\', L'\0'};
    return GetDriveTypeW(root) != DRIVE_REMOTE;
}

static bool is_file(const wchar_t *path)
{
    const DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* The file of this path, or the program of that name beside it. */
static bool complete(wchar_t *path)
{
    const size_t units = wcslen(path);
    const wchar_t *const dot = wcsrchr(path, L'.');
    const bool has_ending = dot && !wcspbrk(dot, L"\\/");
    if (has_ending && is_file(path))
        return true;
    if (units + sizeof ".exe" > UNITS)
        return false;
    wmemcpy(path + units, L".exe", sizeof ".exe");
    return is_file(path);
}

/* The next folder of PATH, without the quotes that may be around it; where the list goes on. */
static const wchar_t *next_folder(const wchar_t *at, wchar_t *out, size_t *units)
{
    bool is_quoted = false;
    *units = 0;
    for (; *at && (is_quoted || *at != L';'); at++) {
        if (*at == L'"')
            is_quoted = !is_quoted;
        else
            out[(*units)++] = *at;
    }
    out[*units] = L'\0';
    return at + (*at == L';');
}

/* Shares may be in PATH: whoever may change it is the user. */
static bool is_whole(const wchar_t *path)
{
    return has_drive(path) || (path[0] == L'\\' && path[1] == L'\\');
}

static bool find_in_path(const wchar_t *name, wchar_t *out)
{
    wchar_t *const list = mem_new(UNITS, sizeof *list);
    const DWORD used = GetEnvironmentVariableW(L"PATH", list, UNITS);
    const size_t room = wcslen(name) + 2;
    bool is_found = false;
    size_t units;
    for (const wchar_t *at = used < UNITS ? list : L""; *at && !is_found;) {
        at = next_folder(at, out, &units);
        if (!is_whole(out) || units + room > UNITS)
            continue;
        _snwprintf(out + units, UNITS - units, L"\\%ls", name);
        is_found = complete(out);
    }
    free(list);
    return is_found;
}

wchar_t *program_find(const char *name)
{
    wchar_t *const wide = os_wide(name);
    wchar_t *const path = mem_new(UNITS, sizeof *path);
    bool is_found = false;
    if (wide && wcspbrk(wide, L"\\/:")) {
        const DWORD used = GetFullPathNameW(wide, UNITS, path, NULL);
        is_found = used && used < UNITS && complete(path);
    } else if (wide && *wide) {
        is_found = find_in_path(wide, path);
    }
    free(wide);
    if (is_found)
        return path;
    free(path);
    SetLastError(ERROR_FILE_NOT_FOUND);
    return NULL;
}
