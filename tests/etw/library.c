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
    }
    if (reason == DLL_PROCESS_DETACH)
        report_write();
    return TRUE;
}
