#include "collectors/windows/etw_api.h"

ULONG etw_system_build(void)
{
    LONG(WINAPI * version)(OSVERSIONINFOW *) = NULL;
    OSVERSIONINFOW v = {.dwOSVersionInfoSize = sizeof v};
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    if (ntdll)
        version = (LONG(WINAPI *)(OSVERSIONINFOW *))(void (*)(void))GetProcAddress(ntdll,
                                                                                   "RtlGetVersion");
    return version && version(&v) == 0 ? v.dwBuildNumber : 0;
}
