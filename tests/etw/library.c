/* The library's begin and end. */
#include "tests/etw/fake.h"

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved);

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved)
{
    (void)self, (void)reserved;
    if (reason == DLL_PROCESS_ATTACH) {
        InitializeCriticalSection(&running);
        InitializeCriticalSection(&state);
        play_read();
        if (unkind(UNKIND_WATCHDOG_DIES) && play_is_watchdog())
            TerminateProcess(GetCurrentProcess(), 0);
    }
    if (reason == DLL_PROCESS_DETACH && !play_is_watchdog())
        report_write();
    return TRUE;
}
