#include "collectors/windows/watchdog.h"

#include "src/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* The command line: this word and two handles, hexadecimal. */
#define WORD L"--watchdog"
enum { WORDS = 4, PATH_UNITS = 32768 };

static HANDLE shared; /* inherited by the watchdog alone; NULL: there is none */

void *watchdog_memory(size_t bytes)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    shared = CreateFileMappingW(INVALID_HANDLE_VALUE, &inherited, PAGE_READWRITE, 0, (DWORD)bytes,
                                NULL);
    void *const at = shared ? MapViewOfFile(shared, FILE_MAP_ALL_ACCESS, 0, 0, bytes) : NULL;
    if (at)
        return at;
    if (shared)
        CloseHandle(shared);
    shared = NULL;
    return mem_new(bytes, 1);
}

/* ---- the side that is watched ---------------------------------------------------------------- */

/* It inherits these two handles and nothing else, such as the files and pipes of the program. */
static LPPROC_THREAD_ATTRIBUTE_LIST list_handles(HANDLE *handles, size_t bytes)
{
    SIZE_T room = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &room);
    const LPPROC_THREAD_ATTRIBUTE_LIST list = mem_new(room ? room : 1, 1);
    if (InitializeProcThreadAttributeList(list, 1, 0, &room) &&
        UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles, bytes, NULL,
                                  NULL))
        return list;
    free(list);
    return NULL;
}

/* Out of the job of whoever started us, if that is permitted: a job's end is an end, too. */
static bool create(wchar_t *path, wchar_t *line, LPPROC_THREAD_ATTRIBUTE_LIST list)
{
    static const DWORD jobs[] = {CREATE_BREAKAWAY_FROM_JOB, 0};
    STARTUPINFOEXW how = {.StartupInfo.cb = sizeof how, .lpAttributeList = list};
    PROCESS_INFORMATION p;
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (CreateProcessW(path, line, NULL, NULL, TRUE,
                           EXTENDED_STARTUPINFO_PRESENT | DETACHED_PROCESS |
                               CREATE_NEW_PROCESS_GROUP | jobs[i],
                           NULL, NULL, &how.StartupInfo, &p)) {
            CloseHandle(p.hThread);
            CloseHandle(p.hProcess);
            return true;
        }
    return false;
}

void watchdog_start(void)
{
    HANDLE handles[2] = {NULL, shared};
    wchar_t line[64];
    wchar_t *const path = mem_new(PATH_UNITS, sizeof *path);
    const DWORD units = GetModuleFileNameW(NULL, path, PATH_UNITS);
    const HANDLE self = GetCurrentProcess();
    if (shared && units && units < PATH_UNITS &&
        DuplicateHandle(self, self, self, &handles[0], SYNCHRONIZE, TRUE, 0)) {
        const LPPROC_THREAD_ATTRIBUTE_LIST list = list_handles(handles, sizeof handles);
        swprintf(line, sizeof line / sizeof *line, L"tracetop " WORD L" %llx %llx",
                 (unsigned long long)(uintptr_t)handles[0],
                 (unsigned long long)(uintptr_t)handles[1]);
        if (list) {
            create(path, line, list);
            DeleteProcThreadAttributeList(list);
            free(list);
        }
        CloseHandle(handles[0]);
    }
    /* No other program that is started later may inherit it. */
    if (shared)
        SetHandleInformation(shared, HANDLE_FLAG_INHERIT, 0);
    free(path);
}

/* ---- the watchdog ---------------------------------------------------------------------------- */

static HANDLE handle_of(const char *text)
{
    return (HANDLE)(uintptr_t)strtoull(text, NULL, 16);
}

bool watchdog_run(int argc, char **argv, size_t bytes, void **memory)
{
    /* Behind the program, which has 0x280: at a log-off it is still there when that one is gone. */
    enum { LAST_TO_END = 0x100 };
    *memory = NULL;
    if (argc != WORDS || strcmp(argv[1], "--watchdog") != 0)
        return false;
    SetProcessShutdownParameters(LAST_TO_END, SHUTDOWN_NORETRY);
    const HANDLE program = handle_of(argv[2]), mapping = handle_of(argv[3]);
    void *const at = MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, bytes);
    if (at && WaitForSingleObject(program, INFINITE) == WAIT_OBJECT_0)
        *memory = at;
    return true;
}
