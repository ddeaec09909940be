/* Files on Windows 10 and later. See src/os/os.h for the promises. */
#include "src/os/file_windows.h"

#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/os/words_windows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <io.h>

static bool fail_path(struct err *err, const char *what, const char *path, DWORD error)
{
    char text[256];
    return fail(err, "cannot %s '%.700s': %s", what, path, os_reason(error, text, sizeof text));
}

static bool fail_at(struct err *err, const char *what, const char *path, uint64_t offset,
                    DWORD error)
{
    char text[256];
    return fail(err, "cannot %s '%.700s' at offset %llu: %s", what, path,
                (unsigned long long)offset, os_reason(error, text, sizeof text));
}

/* ---- files ------------------------------------------------------------------ */

FILE *os_output(void)
{
    return stdout;
}

int os_output_error(FILE *output)
{
    errno = 0;
    const bool is_bad = fflush(output) != 0 || ferror(output);
    return is_bad ? errno ? errno : EIO : 0;
}

struct os_file {
    HANDLE handle;
    char *name; /* for sentences */
};

struct os_file *file_of_handle(HANDLE handle, const char *name)
{
    struct os_file *f = mem_new(1, sizeof *f);
    f->handle = handle;
    f->name = mem_string(name);
    return f;
}

/* CreateFileW by a UTF-8 path; the sentence is written on failure. */
static HANDLE open_path(const char *path, DWORD access, DWORD share, DWORD creation, DWORD flags,
                        const char *what, struct err *err)
{
    wchar_t *wide = os_wide(path);
    const HANDLE handle =
        wide ? CreateFileW(wide, access, share, NULL, creation, flags, NULL) : INVALID_HANDLE_VALUE;
    if (handle == INVALID_HANDLE_VALUE)
        fail_path(err, what, path, GetLastError());
    free(wide);
    return handle;
}

enum os_kind os_path_kind(const char *path)
{
    wchar_t *wide = os_wide(path);
    const DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    const DWORD error = GetLastError();
    free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION ? OS_CLOSED
                                                                                : OS_NOTHING;
    if (attributes & FILE_ATTRIBUTE_DIRECTORY)
        return OS_DIRECTORY;
    return attributes & FILE_ATTRIBUTE_DEVICE ? OS_OTHER : OS_REGULAR;
}

bool os_path_is_null(const char *path)
{
    return _stricmp(path, "NUL") == 0;
}

struct os_file *os_open(const char *path, struct err *err)
{
    if (os_path_kind(path) == OS_DIRECTORY) {
        fail(err, "cannot open '%.700s': expected a regular file, found a directory", path);
        return NULL;
    }
    /* Whoever records into the file may go on doing so, rename it or delete it. */
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle =
        open_path(path, GENERIC_READ, share, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, "open", err);
    if (handle == INVALID_HANDLE_VALUE)
        return NULL;
    if (GetFileType(handle) == FILE_TYPE_DISK)
        return file_of_handle(handle, path);
    CloseHandle(handle);
    fail(err, "cannot open '%.700s': expected a regular file, found a pipe or device", path);
    return NULL;
}

struct os_file *os_open_unnamed(struct err *err)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    if (!GetTempPathW(MAX_PATH + 1, folder) || !GetTempFileNameW(folder, L"ttp", 0, name)) {
        fail_path(err, "create a temporary file in", "the folder TMP names", GetLastError());
        return NULL;
    }
    const HANDLE handle =
        CreateFileW(name, GENERIC_READ | GENERIC_WRITE | DELETE, 0, NULL, CREATE_ALWAYS,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        fail_path(err, "create a temporary file in", "the folder TMP names", GetLastError());
        return NULL;
    }
    return file_of_handle(handle, "temporary file");
}

struct os_file *os_create(const char *path, struct err *err)
{
    /* Who may read it is inherited from the folder, as for every file here. */
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle = open_path(path, GENERIC_READ | GENERIC_WRITE, share, CREATE_NEW,
                                    FILE_ATTRIBUTE_NORMAL, "create", err);
    return handle == INVALID_HANDLE_VALUE ? NULL : file_of_handle(handle, path);
}

FILE *os_stream(struct os_file *f, struct err *err)
{
    HANDLE copy;
    const HANDLE self = GetCurrentProcess();
    if (!DuplicateHandle(self, f->handle, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
        fail_path(err, "write", f->name, GetLastError());
        return NULL;
    }
    const int descriptor = _open_osfhandle((intptr_t)copy, _O_RDWR | _O_BINARY);
    if (descriptor >= 0)
        _lseeki64(descriptor, 0, SEEK_SET); /* both share one place */
    FILE *const stream = descriptor < 0 ? NULL : _fdopen(descriptor, "r+b");
    if (stream)
        return stream;
    fail_path(err, "write", f->name, ERROR_TOO_MANY_OPEN_FILES);
    if (descriptor < 0)
        CloseHandle(copy);
    else
        _close(descriptor);
    return NULL;
}

FILE *os_log(const char *path, struct err *err)
{
    const enum os_kind kind = os_path_kind(path);
    if (kind == OS_DIRECTORY || kind == OS_OTHER) {
        fail(err, "cannot write '%.700s': expected a regular file, found a folder or device", path);
        return NULL;
    }
    wchar_t *const wide = os_wide(path);
    FILE *const log = wide ? _wfopen(wide, L"a") : NULL;
    if (!log)
        fail_path(err, "write", path, GetLastError());
    free(wide);
    return log;
}

/* An open file of ours keeps its name: others may not take it. */
bool os_has_name(struct os_file *f, const char *path)
{
    (void)f;
    (void)path;
    return true;
}

void os_truncate(struct os_file *f, uint64_t bytes)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)bytes};
    if (os_size(f) > (int64_t)bytes)
        SetFileInformationByHandle(f->handle, FileEndOfFileInfo, &end, sizeof end);
}

bool os_lengthen(struct os_file *f, uint64_t bytes, struct err *err)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)bytes};
    return os_size(f) >= (int64_t)bytes ||
           SetFileInformationByHandle(f->handle, FileEndOfFileInfo, &end, sizeof end) ||
           fail_path(err, "write", f->name, GetLastError());
}

bool os_sync(struct os_file *f, struct err *err)
{
    return FlushFileBuffers(f->handle) || fail_path(err, "write", f->name, GetLastError());
}

/* Windows writes behind by itself and has no word for the rest. */
void os_write_out(struct os_file *f, uint64_t offset, uint64_t bytes)
{
    (void)f, (void)offset, (void)bytes;
}

void os_let_go(struct os_file *f, uint64_t offset, uint64_t bytes)
{
    (void)f, (void)offset, (void)bytes;
}

bool os_move(const char *from, const char *to, bool replace, struct err *err)
{
    wchar_t *const wide_from = os_wide(from), *const wide_to = os_wide(to);
    const bool moved = wide_from && wide_to &&
                       MoveFileExW(wide_from, wide_to, replace ? MOVEFILE_REPLACE_EXISTING : 0);
    const DWORD error = GetLastError();
    free(wide_from);
    free(wide_to);
    return moved || fail_path(err, "give the finished file the name", to, error);
}

void os_remove(const char *path)
{
    wchar_t *const wide = os_wide(path);
    if (wide)
        DeleteFileW(wide);
    free(wide);
}

char *os_place(struct os_file *f)
{
    return mem_string(f->name); /* a folder with an open file in it cannot be moved */
}

char *os_full_path(const char *path)
{
    wchar_t *const wide = os_wide(path), full[4096];
    const DWORD room = sizeof full / sizeof *full;
    const DWORD length = wide ? GetFullPathNameW(wide, room, full, NULL) : 0;
    free(wide);
    const int bytes = length && length < room
                          ? WideCharToMultiByte(CP_UTF8, 0, full, -1, NULL, 0, NULL, NULL)
                          : 0;
    if (bytes <= 0)
        return mem_string(path);
    char *const text = mem_new((size_t)bytes, 1);
    WideCharToMultiByte(CP_UTF8, 0, full, -1, text, bytes, NULL, NULL);
    return text;
}

struct os_file *os_open_again(const struct os_file *f, struct err *err)
{
    HANDLE handle;
    const HANDLE self = GetCurrentProcess();
    if (!DuplicateHandle(self, f->handle, self, &handle, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
        fail_path(err, "open", f->name, GetLastError());
        return NULL;
    }
    return file_of_handle(handle, f->name);
}

void os_close(struct os_file *f)
{
    if (!f)
        return;
    CloseHandle(f->handle);
    free(f->name);
    free(f);
}

int64_t os_size(struct os_file *f)
{
    LARGE_INTEGER size;
    return GetFileSizeEx(f->handle, &size) ? size.QuadPart : -1;
}

static OVERLAPPED place(uint64_t offset)
{
    OVERLAPPED o = {0};
    o.Offset = (DWORD)offset;
    o.OffsetHigh = (DWORD)(offset >> 32);
    return o;
}

/* One call moves at most this much; the calls count in 32 bits. */
static DWORD portion(size_t bytes)
{
    return bytes < 1u << 30 ? (DWORD)bytes : 1u << 30;
}

int64_t os_read_at(struct os_file *f, void *to, size_t bytes, uint64_t offset, struct err *err)
{
    if (offset > INT64_MAX)
        return 0; /* no file reaches there */
    size_t done = 0;
    while (done < bytes) {
        OVERLAPPED at = place(offset + done);
        DWORD got = 0;
        if (!ReadFile(f->handle, (char *)to + done, portion(bytes - done), &got, &at)) {
            if (GetLastError() == ERROR_HANDLE_EOF)
                break;
            fail_at(err, "read", f->name, offset + done, GetLastError());
            return -1;
        }
        if (got == 0)
            break;
        done += got;
    }
    return (int64_t)done;
}

bool os_write_at(struct os_file *f, const void *from, size_t bytes, uint64_t offset,
                 struct err *err)
{
    if (offset > INT64_MAX)
        return fail_at(err, "write", f->name, offset, ERROR_INVALID_PARAMETER);
    size_t done = 0;
    while (done < bytes) {
        OVERLAPPED at = place(offset + done);
        DWORD put = 0;
        if (!WriteFile(f->handle, (const char *)from + done, portion(bytes - done), &put, &at))
            return fail_at(err, "write", f->name, offset + done, GetLastError());
        if (put == 0)
            return fail_at(err, "write", f->name, offset + done, ERROR_DISK_FULL);
        done += put;
    }
    return true;
}

int64_t os_input_read(void *to, size_t room, int64_t timeout_ns)
{
    (void)timeout_ns;
    DWORD got = 0;
    const DWORD most = room < INT32_MAX ? (DWORD)room : INT32_MAX;
    return ReadFile(GetStdHandle(STD_INPUT_HANDLE), to, most, &got, NULL) ? (int64_t)got : 0;
}
