/* A program in the background on Windows. See src/os/background.h for the promises. */
#include "src/os/background.h"

#include "src/base/mem.h"
#include "src/os/child_windows.h"
#include "src/os/file_windows.h"
#include "src/os/words_windows.h"

#include <aclapi.h>
#include <fcntl.h>
#include <io.h>
#include <sddl.h>
#include <shlobj.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t FILETIME_1970 = 116444736000000000;

/* As the system knows it: the environment is the caller's, and a service may have another one. */
void background_folder(char *out, size_t room)
{
    wchar_t data[MAX_PATH];
    char folder[1024];
    out[0] = '\0';
    if (SHGetFolderPathW(NULL, CSIDL_COMMON_APPDATA, NULL, 0, data) == S_OK &&
        WideCharToMultiByte(CP_UTF8, 0, data, -1, folder, sizeof folder, NULL, NULL) > 0)
        snprintf(out, room, "%s\\tracetop", folder);
}

void background_system_folder(char *out, size_t room)
{
    background_folder(out, room);
}

/* ---- files ----------------------------------------------------------------------------------- */

static HANDLE open_file(const char *path, DWORD access, DWORD share, DWORD creation)
{
    wchar_t *const wide = os_wide(path);
    const HANDLE h =
        wide ? CreateFileW(wide, access, share, NULL, creation, FILE_FLAG_OPEN_REPARSE_POINT, NULL)
             : INVALID_HANDLE_VALUE;
    const DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return h;
}

static const DWORD SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

uint32_t background_holder(const char *path)
{
    char text[16] = "";
    DWORD bytes = 0;
    HANDLE h = open_file(path, GENERIC_WRITE, SHARE_ALL, OPEN_EXISTING);
    if (h != INVALID_HANDLE_VALUE) {
        CloseHandle(h);
        return 0;
    }
    if (GetLastError() != ERROR_SHARING_VIOLATION)
        return 0;
    h = open_file(path, GENERIC_READ, SHARE_ALL, OPEN_EXISTING);
    if (h == INVALID_HANDLE_VALUE)
        return 0;
    ReadFile(h, text, sizeof text - 1, &bytes, NULL);
    CloseHandle(h);
    return (uint32_t)strtoul(text, NULL, 10);
}

/* Others may read it, and so see who it is, but not write. */
struct os_file *background_hold(const char *path, uint32_t *holder, struct err *err)
{
    char text[256], number[16];
    DWORD bytes;
    const HANDLE h = open_file(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, OPEN_ALWAYS);
    *holder = 0;
    if (h == INVALID_HANDLE_VALUE) {
        const DWORD error = GetLastError();
        *holder = background_holder(path);
        fail(err, "cannot lock '%.700s': %s", path, os_reason(error, text, sizeof text));
        return NULL;
    }
    snprintf(number, sizeof number, "%u\n", os_process_id());
    SetEndOfFile(h);
    WriteFile(h, number, (DWORD)strlen(number), &bytes, NULL);
    return file_of_handle(h, path);
}

bool background_file(const char *path, uint64_t *bytes, int64_t *written_ns)
{
    WIN32_FILE_ATTRIBUTE_DATA d;
    wchar_t *const wide = os_wide(path);
    const bool is_there =
        wide && GetFileAttributesExW(wide, GetFileExInfoStandard, &d) &&
        !(d.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT));
    free(wide);
    if (!is_there)
        return false;
    const uint64_t ticks =
        (uint64_t)d.ftLastWriteTime.dwHighDateTime << 32 | d.ftLastWriteTime.dwLowDateTime;
    *bytes = (uint64_t)d.nFileSizeHigh << 32 | d.nFileSizeLow;
    *written_ns = (int64_t)(ticks - FILETIME_1970) * 100;
    return true;
}

uint64_t background_room(const char *folder)
{
    ULARGE_INTEGER room;
    wchar_t *const wide = os_wide(folder);
    const bool is_known = wide && GetDiskFreeSpaceExW(wide, &room, NULL, NULL);
    free(wide);
    return is_known ? room.QuadPart : UINT64_MAX;
}

void background_share(const char *path)
{
    (void)path;
}

/* ---- whose a folder is ----------------------------------------------------------------------- */

/* The user of this process, or one who commands it anyway. */
static bool is_trusted(PSID owner)
{
    union {
        TOKEN_USER user;
        uint8_t room[256];
    } own;
    HANDLE token;
    DWORD bytes = 0;
    if (IsWellKnownSid(owner, WinBuiltinAdministratorsSid) ||
        IsWellKnownSid(owner, WinLocalSystemSid))
        return true;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    const bool is_known = GetTokenInformation(token, TokenUser, &own, sizeof own, &bytes);
    CloseHandle(token);
    return is_known && EqualSid(owner, own.user.User.Sid);
}

/* The owner, administrators and the system, for all that is in it. */
static void keep_others_out(HANDLE h)
{
    static const wchar_t access[] = L"D:P(A;OICI;FA;;;OW)(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)";
    PSECURITY_DESCRIPTOR made = NULL;
    PACL list = NULL;
    BOOL is_there = FALSE, is_default;
    if (ConvertStringSecurityDescriptorToSecurityDescriptorW(access, SDDL_REVISION_1, &made,
                                                             NULL) &&
        GetSecurityDescriptorDacl(made, &is_there, &list, &is_default) && is_there)
        SetSecurityInfo(h, SE_FILE_OBJECT,
                        DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION, NULL, NULL,
                        list, NULL);
    LocalFree(made);
}

static bool guard_one(const char *folder, bool is_usual, struct err *err)
{
    BY_HANDLE_FILE_INFORMATION info;
    PSECURITY_DESCRIPTOR found = NULL;
    PSID owner = NULL;
    wchar_t *const wide = os_wide(folder);
    const DWORD access = READ_CONTROL | FILE_READ_ATTRIBUTES | (is_usual ? WRITE_DAC : 0);
    const HANDLE h =
        wide ? CreateFileW(wide, access, SHARE_ALL, NULL, OPEN_EXISTING,
                           FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL)
             : INVALID_HANDLE_VALUE;
    free(wide);
    const bool is_folder = h != INVALID_HANDLE_VALUE && GetFileInformationByHandle(h, &info) &&
                           !(info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT);
    const bool is_ours = is_folder &&
                         GetSecurityInfo(h, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner,
                                         NULL, NULL, NULL, &found) == ERROR_SUCCESS &&
                         is_trusted(owner);
    if (is_ours && is_usual)
        keep_others_out(h);
    LocalFree(found);
    if (h != INVALID_HANDLE_VALUE)
        CloseHandle(h);
    return is_ours || fail(err,
                           "'%.700s' is a link or belongs to another user, who could misuse it; "
                           "remove it, or choose another folder by --folder",
                           folder);
}

bool background_guard(const char *folder, struct err *err)
{
    char usual[1200];
    background_folder(usual, sizeof usual);
    const size_t bytes = strlen(usual);
    const bool is_usual = bytes && strncmp(folder, usual, bytes) == 0;
    return (!is_usual || guard_one(usual, true, err)) && guard_one(folder, is_usual, err);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* NULL where the system has no pipe. */
static HANDLE pipe_of(HANDLE *to_read)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE to_write;
    if (!CreatePipe(to_read, &to_write, &inherited, 0))
        return NULL;
    SetHandleInformation(*to_read, HANDLE_FLAG_INHERIT, 0);
    return to_write;
}

void background_program(char *out, size_t room)
{
    enum { UNITS = 32768 };
    wchar_t *const program = mem_new(UNITS, sizeof *program);
    out[0] = '\0';
    if (!GetModuleFileNameW(NULL, program, UNITS) ||
        WideCharToMultiByte(CP_UTF8, 0, program, -1, out, (int)room, NULL, NULL) <= 0)
        snprintf(out, room, "tracetop.exe");
    free(program);
}

static bool start(wchar_t *line, HANDLE errors, PROCESS_INFORMATION *p)
{
    enum { UNITS = 32768 };
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    const HANDLE nowhere = CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, SHARE_ALL, &inherited,
                                       OPEN_EXISTING, 0, NULL);
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = nowhere,
                        .hStdOutput = nowhere,
                        .hStdError = errors};
    wchar_t *const program = mem_new(UNITS, sizeof *program);
    const bool is_started =
        GetModuleFileNameW(NULL, program, UNITS) &&
        CreateProcessW(program, line, NULL, NULL, TRUE, DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
                       NULL, NULL, &how, p);
    const DWORD error = GetLastError();
    free(program);
    CloseHandle(nowhere);
    SetLastError(error);
    return is_started;
}

struct os_child *background_start(const char *const *words, FILE **messages, struct err *err)
{
    char text[256];
    const char *argv[256] = {"tracetop"};
    size_t count = 1;
    HANDLE to_read = NULL;
    PROCESS_INFORMATION p;
    for (; *words && count < sizeof argv / sizeof *argv - 1; words++)
        argv[count++] = *words;
    if (*words)
        return fail(err, "too many words on the command line"), NULL;
    char *const line = child_line(argv);
    wchar_t *const wide = os_wide(line);
    const HANDLE errors = pipe_of(&to_read);
    const bool is_started = wide && errors && start(wide, errors, &p);
    const DWORD error = GetLastError();
    free(line);
    free(wide);
    if (errors)
        CloseHandle(errors);
    if (!is_started) {
        if (to_read)
            CloseHandle(to_read);
        fail(err, "cannot start the recorder: %s", os_reason(error, text, sizeof text));
        return NULL;
    }
    *messages = _fdopen(_open_osfhandle((intptr_t)to_read, _O_RDONLY | _O_TEXT), "r");
    return child_of(&p);
}

void background_detach(void)
{
    fflush(stderr);
    if (!freopen("NUL", "w", stderr))
        SetLastError(0); /* nobody can be messages */
}

void background_notify(const char *state)
{
    (void)state;
}
