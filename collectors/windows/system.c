#include "collectors/windows/system.h"

#include "src/base/clock.h"
#include "src/os/os.h"

#include <string.h>

static const WCHAR system_key[] = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
static const WCHAR processor_key[] = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";

static bool read_number(const WCHAR *key, const WCHAR *value, DWORD type, void *out, DWORD bytes)
{
    DWORD got = bytes;
    return RegGetValueW(HKEY_LOCAL_MACHINE, key, value, type | RRF_SUBKEY_WOW6464KEY, NULL, out,
                        &got) == ERROR_SUCCESS &&
           got == bytes;
}

struct system_version system_version(void)
{
    LONG(WINAPI * version)(OSVERSIONINFOW *) = NULL;
    OSVERSIONINFOW v = {.dwOSVersionInfoSize = sizeof v};
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    if (ntdll)
        version = (LONG(WINAPI *)(OSVERSIONINFOW *))(void (*)(void))GetProcAddress(ntdll,
                                                                                   "RtlGetVersion");
    if (!version || version(&v) != 0)
        return (struct system_version){.build = 0};
    return (struct system_version){v.dwBuildNumber,
                                   (v.dwMajorVersion & 0xff) | (v.dwMinorVersion & 0xff) << 8};
}

uint32_t system_mhz(void)
{
    DWORD mhz = 0;
    return read_number(processor_key, L"~MHz", RRF_RT_REG_DWORD, &mhz, sizeof mhz) ? mhz : 0;
}

int64_t system_boot(void)
{
    enum { NS_PER_MS = 1000000 };
    return os_wall_now() - (int64_t)GetTickCount64() * NS_PER_MS;
}

WCHAR *system_text(const WCHAR *value, WCHAR out[SYSTEM_TEXT])
{
    DWORD bytes = SYSTEM_TEXT * sizeof *out;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, system_key, value, RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY,
                     NULL, out, &bytes) != ERROR_SUCCESS)
        out[0] = L'\0';
    return out;
}

/* As FILETIME since Windows 10, before that in seconds since 1970. */
int64_t system_installed(void)
{
    enum { TICKS_PER_S = 10000000 };
    int64_t ticks;
    DWORD seconds;
    if (read_number(system_key, L"InstallTime", RRF_RT_REG_QWORD, &ticks, sizeof ticks))
        return ticks;
    if (read_number(system_key, L"InstallDate", RRF_RT_REG_DWORD, &seconds, sizeof seconds))
        return (int64_t)seconds * TICKS_PER_S + FILETIME_UNIX_EPOCH;
    return 0;
}
