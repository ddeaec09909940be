/* A kernel's path begins with a device, with "\\SystemRoot\\", with "\\??\\" and a drive, or with a
 * folder of the drive that the system is on. */
#include "src/symbol/image_file.h"

#include "src/base/text.h"
#include "src/symbol/store.h"

#include <stdio.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static bool begins_with(const char *text, const char *start)
{
    const size_t bytes = strlen(start);
    return strlen(text) >= bytes && text_compare(text, bytes, start, bytes) == 0;
}

static const char *name_of(const char *path)
{
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (*c == '\\' || *c == '/' || *c == ':')
            name = c + 1;
    return name;
}

static bool windows_folder(char *out, int room)
{
    WCHAR wide[MAX_PATH];
    const UINT units = GetSystemWindowsDirectoryW(wide, MAX_PATH);
    return units && units < MAX_PATH &&
           WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, room, NULL, NULL) > 0;
}

bool image_file_path(const char *path, char *out, size_t room)
{
    char windows[3 * MAX_PATH];
    if (!store_is_file_name(name_of(path)))
        return false;
    if (begins_with(path, "\\??\\"))
        path += 4;
    if (path[0] && path[1] == ':' && path[2] == '\\') {
        const WCHAR root[] = {(unsigned char)path[0], L':', L'\\', L'\0'};
        return GetDriveTypeW(root) != DRIVE_REMOTE && snprintf(out, room, "%s", path) < (int)room;
    }
    if (begins_with(path, "\\Device\\HarddiskVolume"))
        return snprintf(out, room, "\\\\?\\GLOBALROOT%s", path) < (int)room;
    if (!windows_folder(windows, sizeof windows))
        return false;
    if (begins_with(path, "\\SystemRoot\\"))
        return snprintf(out, room, "%s%s", windows, path + 11) < (int)room;
    /* "\Windows\System32\…": of the drive that the system is on. */
    return path[0] == '\\' && path[1] != '\\' && !begins_with(path, "\\Device\\") &&
           snprintf(out, room, "%.2s%s", windows, path) < (int)room;
}
