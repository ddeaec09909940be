/* The test program's screen: bytes go to the file that TRACETOP_TEST_OUTPUT names, such as the
 * pseudo-terminal of a pane (Z:\dev\pts\3); else where they go in the shipped program. */
#include "ui/term/console_windows.h"

HANDLE console_output(void)
{
    wchar_t name[MAX_PATH];
    const DWORD length = GetEnvironmentVariableW(L"TRACETOP_TEST_OUTPUT", name, MAX_PATH);
    if (length == 0 || length >= MAX_PATH)
        return GetStdHandle(STD_OUTPUT_HANDLE);
    return CreateFileW(name, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                       0, NULL);
}
