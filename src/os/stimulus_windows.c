#include "src/os/stimulus_parts.h"

#include "src/os/os.h"

#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <windows.h>

#include <stddef.h>
#include <wchar.h>

static bool refuse(struct err *err, const char *call, unsigned long error)
{
    return fail(err, "%s failed (%lu)", call, error);
}

/* By its full path: no folder is searched. */
static bool start_process(struct stimulus_ids *ids, struct err *err)
{
    static const wchar_t NAME[] = L"\\cmd.exe";
    wchar_t program[MAX_PATH + sizeof NAME];
    wchar_t words[] = L"cmd.exe /d /c exit";
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION made;
    const UINT units = GetSystemDirectoryW(program, MAX_PATH);
    if (!units || units >= MAX_PATH)
        return refuse(err, "GetSystemDirectory()", GetLastError());
    wcscpy(program + units, NAME);
    if (!CreateProcessW(program, words, NULL, NULL, FALSE, CREATE_NO_WINDOW, NULL, NULL, &start,
                        &made))
        return refuse(err, "starting cmd.exe", GetLastError());
    ids->child = made.dwProcessId;
    enum { PATIENCE_MS = 10000 };
    const bool has_ended = WaitForSingleObject(made.hProcess, PATIENCE_MS) == WAIT_OBJECT_0;
    CloseHandle(made.hThread);
    CloseHandle(made.hProcess);
    return has_ended || fail(err, "cmd.exe did not end within 10 s");
}

static DWORD WINAPI rest(void *unused)
{
    (void)unused;
    os_sleep(STIMULUS_SLEEP_NS);
    return 0;
}

static bool start_thread(struct stimulus_ids *ids, struct err *err)
{
    const HANDLE thread = CreateThread(NULL, 0, rest, NULL, 0, NULL);
    (void)ids;
    if (!thread)
        return refuse(err, "CreateThread()", GetLastError());
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return true;
}

/* It goes with its handle, whatever happens. */
static HANDLE make_file(DWORD flags, struct err *err)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    const DWORD units = GetTempPathW(MAX_PATH, folder);
    if (!units || units > MAX_PATH || !GetTempFileNameW(folder, L"ttp", 0, path)) {
        refuse(err, "GetTempFileName()", GetLastError());
        return INVALID_HANDLE_VALUE;
    }
    const HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                                    FILE_FLAG_DELETE_ON_CLOSE | flags, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        refuse(err, "creating a temporary file", GetLastError());
        DeleteFileW(path);
    }
    return file;
}

static bool use_file(struct stimulus_ids *ids, struct err *err)
{
    char bytes[PAGE] = {0};
    DWORD written, read;
    (void)ids;
    const HANDLE file = make_file(FILE_ATTRIBUTE_NORMAL, err);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    const bool is_good = (WriteFile(file, bytes, sizeof bytes, &written, NULL) &&
                          SetFilePointer(file, 0, NULL, FILE_BEGIN) == 0 &&
                          ReadFile(file, bytes, sizeof bytes, &read, NULL)) ||
                         refuse(err, "writing and reading a file", GetLastError());
    CloseHandle(file);
    return is_good;
}

static bool write_through(struct stimulus_ids *ids, struct err *err)
{
    static const char bytes[BLOCK];
    DWORD written;
    (void)ids;
    const HANDLE file = make_file(FILE_FLAG_WRITE_THROUGH, err);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    const bool is_good =
        (WriteFile(file, bytes, sizeof bytes, &written, NULL) && FlushFileBuffers(file)) ||
        refuse(err, "writing a file through to its disk", GetLastError());
    CloseHandle(file);
    return is_good;
}

static bool use_registry(struct stimulus_ids *ids, struct err *err)
{
    static const wchar_t NAME[] = L"Software\\tracetop-selftest";
    HKEY key;
    DWORD value = 1, bytes = sizeof value;
    (void)ids;
    LONG error = RegCreateKeyExW(HKEY_CURRENT_USER, NAME, 0, NULL, REG_OPTION_VOLATILE,
                                 KEY_ALL_ACCESS, NULL, &key, NULL);
    if (error)
        return refuse(err, "RegCreateKeyEx()", (unsigned long)error);
    error = RegSetValueExW(key, L"value", 0, REG_DWORD, (const BYTE *)&value, sizeof value);
    error = error ? error : RegQueryValueExW(key, L"value", NULL, NULL, (BYTE *)&value, &bytes);
    RegCloseKey(key);
    RegDeleteKeyW(HKEY_CURRENT_USER, NAME);
    return !error || refuse(err, "RegSetValueEx()", (unsigned long)error);
}

/* The sender does not wait: what the sockets' buffers do not take goes with the next round. */
static bool pass(SOCKET from, SOCKET to, struct err *err)
{
    static char bytes[STREAM];
    u_long does_not_wait = 1;
    int sent = 0, read = 0;
    ioctlsocket(from, FIONBIO, (u_long *)&does_not_wait);
    while (read < STREAM) {
        const int out = sent < STREAM ? send(from, bytes, STREAM - sent, 0) : 0;
        sent += out > 0 ? out : 0;
        const int in = recv(to, bytes, sizeof bytes, 0);
        if (in <= 0)
            return refuse(err, "receiving on a TCP connection", (unsigned long)WSAGetLastError());
        read += in;
    }
    return true;
}

static bool connect_itself(struct err *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct sockaddr *const name = (struct sockaddr *)(void *)&address;
    int bytes = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const SOCKET listener = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP),
                 client = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    SOCKET server = INVALID_SOCKET;
    const bool is_connected = listener != INVALID_SOCKET && client != INVALID_SOCKET &&
                              bind(listener, name, bytes) == 0 && listen(listener, 1) == 0 &&
                              getsockname(listener, name, &bytes) == 0 &&
                              connect(client, name, bytes) == 0 &&
                              (server = accept(listener, NULL, NULL)) != INVALID_SOCKET;
    const bool is_good = is_connected ? pass(client, server, err)
                                      : refuse(err, "a TCP connection of the loopback interface",
                                               (unsigned long)WSAGetLastError());
    const SOCKET all[] = {server, client, listener};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] != INVALID_SOCKET)
            closesocket(all[i]);
    return is_good;
}

static bool use_network(struct stimulus_ids *ids, struct err *err)
{
    enum { VERSION_2_2 = 0x0202 };
    WSADATA data;
    (void)ids;
    const int error = WSAStartup(VERSION_2_2, &data);
    if (error)
        return refuse(err, "WSAStartup()", (unsigned long)error);
    const bool is_good = connect_itself(err);
    WSACleanup();
    return is_good;
}

static void *map(struct err *err)
{
    void *const pages =
        VirtualAlloc(NULL, (size_t)PAGES * PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!pages)
        refuse(err, "VirtualAlloc()", GetLastError());
    return pages;
}

static bool use_memory(struct stimulus_ids *ids, struct err *err)
{
    void *const pages = map(err);
    (void)ids;
    return pages &&
           (VirtualFree(pages, 0, MEM_RELEASE) || refuse(err, "VirtualFree()", GetLastError()));
}

static bool touch_pages(struct stimulus_ids *ids, struct err *err)
{
    volatile char *const pages = map(err);
    (void)ids;
    if (!pages)
        return false;
    for (size_t i = 0; i < PAGES; i++)
        pages[i * PAGE] = 1;
    VirtualFree((void *)pages, 0, MEM_RELEASE);
    return true;
}

/* Each is answered by the kernel. */
static bool call_system(struct stimulus_ids *ids, struct err *err)
{
    DWORD handles;
    (void)ids;
    for (unsigned i = 0; i < CALLS; i++)
        if (!GetProcessHandleCount(GetCurrentProcess(), &handles))
            return refuse(err, "GetProcessHandleCount()", GetLastError());
    return true;
}

bool stimulus_exists(enum stimulus s)
{
    return s < STIMULI;
}

void stimulus_ids(struct stimulus_ids *ids)
{
    *ids = (struct stimulus_ids){.pid = GetCurrentProcessId(), .tid = GetCurrentThreadId()};
}

bool stimulus_run(enum stimulus s, struct stimulus_ids *ids, struct err *err)
{
    static bool (*const runs[STIMULI])(struct stimulus_ids *, struct err *) = {
        [STIMULUS_PROCESS] = start_process, [STIMULUS_THREAD] = start_thread,
        [STIMULUS_FILE] = use_file,         [STIMULUS_DISK] = write_through,
        [STIMULUS_REGISTRY] = use_registry, [STIMULUS_NETWORK] = use_network,
        [STIMULUS_MEMORY] = use_memory,     [STIMULUS_FAULT] = touch_pages,
        [STIMULUS_SWITCH] = stimulus_sleep, [STIMULUS_SAMPLE] = stimulus_calculate,
        [STIMULUS_SYSCALL] = call_system,
    };
    stimulus_ids(ids);
    return runs[s](ids, err);
}
