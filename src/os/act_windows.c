/* What is done to processes and files because somebody asked for it, on Windows. See src/os/os.h. */
#include "src/os/os.h"
#include "src/os/program_windows.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <shellapi.h>

/* FILETIME counts 100 ns since 1601. */
static int64_t since_1970(FILETIME t)
{
    const int64_t units = (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);
    return (units - 116444736000000000) * 100;
}

bool os_terminate(uint32_t pid, int64_t alive_ns, struct err *err)
{
    enum { SYSTEM_PID = 4 };
    FILETIME begun, ended, kernel, user;
    if (pid <= SYSTEM_PID || pid == GetCurrentProcessId())
        return fail(err, "cannot terminate process %u: the system needs it, or it is tracetop",
                    pid);
    const HANDLE process =
        OpenProcess(PROCESS_TERMINATE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (!process)
        return fail(err, "process %u cannot be opened: error %lu", pid, GetLastError());
    /* The handle stays the process's own, whoever gets its id later. */
    bool is_well = GetProcessTimes(process, &begun, &ended, &kernel, &user)
                   && since_1970(begun) <= alive_ns;
    if (!is_well)
        fail(err, "process %u has exited; its id now belongs to another process", pid);
    else if (!TerminateProcess(process, 1))
        is_well = fail(err, "process %u: error %lu", pid, GetLastError());
    CloseHandle(process);
    return is_well;
}

bool os_show_folder(const char *path, struct err *err)
{
    enum { UNITS = 4096 };
    WCHAR wide[UNITS];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, UNITS))
        return fail(err, "'%.200s' is not a path", path);
    if (!path_is_on_disk(wide))
        return fail(err, "'%.200s' is not a folder on a disk of this machine; it was not opened",
                    path);
    const DWORD kind = GetFileAttributesW(wide);
    if (kind == INVALID_FILE_ATTRIBUTES)
        return fail(err, "'%.200s' does not exist", path);
    if (!(kind & FILE_ATTRIBUTE_DIRECTORY)) { /* the folder: what lies in it is not run */
        size_t end = 0;
        for (size_t i = 0; wide[i]; i++)
            if (wide[i] == L'\\')
                end = i;
        wide[end] = L'\0';
    }
    const INT_PTR answer = (INT_PTR)ShellExecuteW(NULL, L"explore", wide, NULL, NULL, SW_SHOWNORMAL);
    return answer > 32 || fail(err, "%.200s cannot be shown: error %ld", path, (long)answer);
}
