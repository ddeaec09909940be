/* Devices: \Device\HarddiskVolume3 is C:, \Device\Mup is where shares lie. */
#include "collectors/windows/state.h"

#include "src/event/decode/classes.h"

#include <stdio.h>

enum { UNITS = 512, OPCODE_VOLUME_MAPPING = 35 };

static bool report(struct state *s, const WCHAR *device, const WCHAR *drive)
{
    struct payload_writer *const p =
        writer_begin_class(&s->writer, &decode_sys_config_ex.guid, OPCODE_VOLUME_MAPPING);
    writer_put_wide(p, device);
    writer_put_wide(p, drive);
    return writer_end(&s->writer);
}

/* Drives that stand for folders (subst) or shares are no devices of their own. */
static bool report_drive(struct state *s, WCHAR letter)
{
    WCHAR name[] = {letter, L':', 0}, drive[] = {letter, L':', L'\\', 0}, device[UNITS];
    const DWORD units = QueryDosDeviceW(name, device, UNITS - 2);
    if (!units || wcsncmp(device, L"\\Device\\", 8) != 0)
        return true;
    wcscat(device, L"\\");
    return report(s, device, drive);
}

/* Volumes that are mounted in a folder: "\\?\Volume{…}\" without its end is a device's name. */
static bool report_mounted(struct state *s, WCHAR *volume)
{
    WCHAR paths[UNITS], device[UNITS];
    DWORD units;
    if (!GetVolumePathNamesForVolumeNameW(volume, paths, UNITS, &units) || !paths[0] ||
        wcslen(paths) <= 3)
        return true; /* nowhere, or on a drive */
    const size_t length = wcslen(volume);
    if (length < 5 || volume[length - 1] != L'\\')
        return true;
    volume[length - 1] = 0;
    const bool is_known = QueryDosDeviceW(volume + 4, device, UNITS - 2) != 0;
    volume[length - 1] = L'\\';
    if (!is_known)
        return true;
    wcscat(device, L"\\");
    return report(s, device, paths);
}

/* Prefixes of the kernel's paths that are no devices. */
static bool report_prefixes(struct state *s)
{
    WCHAR windows[UNITS];
    const UINT units = GetSystemWindowsDirectoryW(windows, UNITS - 1);
    if (!report(s, L"\\??\\", L""))
        return false;
    if (!units || units >= UNITS - 1)
        return true;
    wcscat(windows, L"\\");
    return report(s, L"\\SystemRoot\\", windows);
}

void state_volumes(struct state *s)
{
    enum { LETTERS = 26 };
    WCHAR volume[UNITS];
    if (!report_prefixes(s))
        return;
    const DWORD drives = GetLogicalDrives();
    for (int i = 0; i < LETTERS; i++)
        if (drives >> i & 1 && !report_drive(s, (WCHAR)(L'A' + i)))
            return;
    const HANDLE list = FindFirstVolumeW(volume, UNITS);
    if (list != INVALID_HANDLE_VALUE) {
        while (report_mounted(s, volume) && FindNextVolumeW(list, volume, UNITS))
            ;
        FindVolumeClose(list);
    }
    report(s, L"\\Device\\Mup\\", L"\\\\");
}
