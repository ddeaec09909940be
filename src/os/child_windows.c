/* Programs that are started, on Windows. See src/os/os.h for the promises. */
#include "src/os/child_windows.h"

#include "src/base/mem.h"
#include "src/os/elevate_windows.h"
#include "src/os/os.h"
#include "src/os/program_windows.h"
#include "src/os/words_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shellapi.h>

struct os_child {
    HANDLE process, job;
    DWORD pid;
};

/* One argument as CommandLineToArgvW reads it: quoted, backslashes before quotes doubled. */
static size_t quote(const char *argument, char *out)
{
    size_t used = 0;
    out[used++] = '"';
    for (const char *c = argument;; c++) {
        size_t slashes = 0;
        while (*c == '\\')
            slashes++, c++;
        const bool before_quote = *c == '"' || *c == '\0';
        for (size_t i = 0; i < slashes * (before_quote ? 2 : 1); i++)
            out[used++] = '\\';
        if (!*c)
            break;
        if (*c == '"')
            out[used++] = '\\';
        out[used++] = *c;
    }
    out[used++] = '"';
    return used;
}

/* Suspended until it is in a job of its own, so that all it starts ends with it. */
static bool begin_child(struct os_child *c, const wchar_t *program, wchar_t *line)
{
    STARTUPINFOW how = {.cb = sizeof how};
    PROCESS_INFORMATION p;
    if (!CreateProcessW(program, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &how, &p))
        return false;
    c->job = CreateJobObjectW(NULL, NULL);
    AssignProcessToJobObject(c->job, p.hProcess);
    ResumeThread(p.hThread);
    CloseHandle(p.hThread);
    c->process = p.hProcess;
    c->pid = p.dwProcessId;
    return true;
}

/* What stands behind the program's name on the command line, as it was typed. */
static const wchar_t *arguments(void)
{
    const wchar_t *at = GetCommandLineW();
    const wchar_t end = *at == L'"' ? L'"' : L' ';
    at += *at == L'"';
    while (*at && *at != end)
        at++;
    at += *at != 0;
    while (*at == L' ')
        at++;
    return at;
}

bool elevate_by(elevate_ask ask, struct err *err)
{
    enum { UNITS = 32768 };
    char text[256];
    wchar_t *const program = mem_new(UNITS, sizeof *program);
    wchar_t *const folder = mem_new(UNITS, sizeof *folder);
    /* Relative names on the command line mean what they mean here. */
    const DWORD folder_units = GetCurrentDirectoryW(UNITS, folder);
    SHELLEXECUTEINFOW how = {.cbSize = sizeof how,
                             .fMask = SEE_MASK_NOASYNC | SEE_MASK_FLAG_NO_UI,
                             .lpVerb = L"runas",
                             .lpFile = program,
                             .lpParameters = arguments(),
                             .lpDirectory = folder_units < UNITS && folder[0] ? folder : NULL,
                             .nShow = SW_SHOWNORMAL};
    const bool is_started = GetModuleFileNameW(NULL, program, UNITS) && ask(&how);
    const DWORD error = GetLastError();
    free(folder);
    free(program);
    if (is_started)
        return true;
    if (error == ERROR_CANCELLED)
        return fail(err, "elevation was canceled");
    return fail(err, "cannot start it with more rights: %s", os_reason(error, text, sizeof text));
}

bool os_elevate(struct err *err)
{
    return elevate_by(ShellExecuteExW, err);
}

/* Starts the program of that path, which is freed (NULL: it was not found), with such a line;
 * `name` for the sentence where that fails. */
static struct os_child *spawn_line(wchar_t *program, const char *line, const char *name,
                                   struct err *err)
{
    wchar_t *const wide = program ? os_wide(line) : NULL;
    struct os_child *c = mem_new(1, sizeof *c);
    char text[256];
    if (!wide || !begin_child(c, program, wide)) {
        fail(err, "cannot start '%.500s': %s", name, os_reason(GetLastError(), text, sizeof text));
        free(c);
        c = NULL;
    }
    free(wide);
    free(program);
    return c;
}

struct os_child *os_spawn_quietly(const char *commands, struct err *err)
{
    /* With /s everything between the first and the last quote is the command. The shell does not
     * look into the current folder for programs where that variable is set. */
    static const char form[] = "cmd.exe /d /s /c \"set NoDefaultCurrentDirectoryInExePath=1&"
                               "(%s) <NUL >NUL 2>&1\"";
    const size_t room = sizeof form + strlen(commands);
    char *const line = mem_new(room, 1);
    snprintf(line, room, form, commands);
    struct os_child *const c = spawn_line(program_of_system(L"cmd.exe"), line, commands, err);
    free(line);
    return c;
}

char *child_line(const char *const *argv)
{
    size_t room = 1;
    for (const char *const *a = argv; *a; a++)
        room += 2 * strlen(*a) + 3;
    char *const line = mem_new(room, 1);
    size_t used = 0;
    for (const char *const *a = argv; *a; a++) {
        if (used)
            line[used++] = ' ';
        used += quote(*a, line + used);
    }
    return line;
}

struct os_child *child_of(const PROCESS_INFORMATION *p)
{
    struct os_child *const c = mem_new(1, sizeof *c);
    c->process = p->hProcess;
    c->pid = p->dwProcessId;
    CloseHandle(p->hThread);
    return c;
}

struct os_child *os_spawn(const char *const *argv, struct err *err)
{
    char *const line = child_line(argv);
    struct os_child *const c = spawn_line(program_find(argv[0]), line, argv[0], err);
    free(line);
    return c;
}

bool os_child_ended(struct os_child *c, int *status)
{
    DWORD code = 0;
    if (WaitForSingleObject(c->process, 0) != WAIT_OBJECT_0)
        return false;
    GetExitCodeProcess(c->process, &code);
    *status = (int)(code & 0xff);
    return true;
}

void os_child_end(struct os_child *c)
{
    if (c->job)
        TerminateJobObject(c->job, 1);
    else
        TerminateProcess(c->process, 1);
}

void os_child_free(struct os_child *c)
{
    if (!c)
        return;
    if (c->job)
        CloseHandle(c->job);
    CloseHandle(c->process);
    free(c);
}

uint32_t os_child_pid(const struct os_child *c)
{
    return c->pid;
}
