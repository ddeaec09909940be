/* Devices: \Device\HarddiskVolume3 is C:, \Device\Mup is where shares lie. */
#include "collectors/windows/state.h"

#include <stdio.h>

enum { UNITS = 512, OPCODE_VOLUME_MAPPING = 35 };

/* SysConfigEx: the class in which merge tools write these. */
static const struct guid sys_config_ex = {{0x91, 0xee, 0x79, 0x9b, 0xfd, 0xb5, 0xc0, 0x41, 0xa2,
                                           0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0}};

static void put_wide(struct payload_writer *p, const WCHAR *text)
{
    put_bytes(p, text, wcslen(text) * sizeof *text);
    put_u16(p, 0);
}

static bool report(struct state *s, const WCHAR *device, const WCHAR *drive)
{
    struct payload_writer *const p =
        writer_begin_class(&s->writer, &sys_config_ex, OPCODE_VOLUME_MAPPING);
    put_wide(p, device);
    put_wide(p, drive);
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

void state_volumes(struct state *s)
{
    enum { LETTERS = 26 };
    WCHAR volume[UNITS];
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
