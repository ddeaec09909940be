/* How the program starts on Windows: UTF-16 at the edge, UTF-8 inside; and how a command that
 * prints ends when nobody reads on. See src/os/os.h for the promises. */
#include "src/base/mem.h"
#include "src/os/os.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

/* ---- text ---------------------------------------------------------------------- */

/* What the console showed text as before; 0 = it was not changed. Exits and the console's
 * handler get no argument. */
static _Atomic UINT code_page_before;

static void restore_code_page(void)
{
    const UINT before = atomic_exchange(&code_page_before, 0);
    if (before)
        SetConsoleOutputCP(before);
}

/* Ctrl-C before anybody else asked to hear of it: the system ends the program then. */
static BOOL WINAPI restore_and_go(DWORD kind)
{
    (void)kind;
    restore_code_page();
    return FALSE;
}

/* A crash leaves it as it was, too; abort() is no exception. */
static LPTOP_LEVEL_EXCEPTION_FILTER filter_before;

static LONG WINAPI restore_and_crash(EXCEPTION_POINTERS *what)
{
    restore_code_page();
    return filter_before ? filter_before(what) : EXCEPTION_CONTINUE_SEARCH;
}

static void restore_and_abort(int signal)
{
    (void)signal;
    restore_code_page();
}

static void begin_streams(void)
{
    enum { PRINTED_BYTES = 1 << 16 };
    DWORD mode;
    for (int stream = 0; stream <= 2; stream++)
        _setmode(stream, _O_BINARY);
    /* A console would get each byte by a call of its own. Whoever prints while time goes by
     * flushes; messages do, too. */
    setvbuf(stdout, NULL, _IOFBF, PRINTED_BYTES);
    if (!GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode) &&
        !GetConsoleMode(GetStdHandle(STD_ERROR_HANDLE), &mode))
        return;
    atomic_store(&code_page_before, GetConsoleOutputCP());
    SetConsoleOutputCP(CP_UTF8);
    atexit(restore_code_page);
    SetConsoleCtrlHandler(restore_and_go, TRUE);
    filter_before = SetUnhandledExceptionFilter(restore_and_crash);
    signal(SIGABRT, restore_and_abort);
}

/* UTF-16 that is none (lone halves of characters) becomes U+FFFD: such a file is not found
 * under another's name. */
static char *narrow(const wchar_t *wide)
{
    const int bytes = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *const text = mem_new((size_t)(bytes > 0 ? bytes : 1), 1);
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, bytes, NULL, NULL);
    return text;
}

void os_start(int *argc, char ***argv)
{
    int count = 0;
    /* Libraries that libraries load (dbghelp: symsrv) come from there, too, and not from the
     * folder of the program or the current one, where anybody may have put them. */
    SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
    wchar_t **const wide = CommandLineToArgvW(GetCommandLineW(), &count);
    begin_streams();
    if (!wide)
        return;
    char **const words = mem_new((size_t)count + 1, sizeof *words);
    for (int i = 0; i < count; i++)
        words[i] = narrow(wide[i]);
    LocalFree(wide);
    *argc = count;
    *argv = words;
}

/* ---- a reader that leaves ------------------------------------------------------------- */

/* There is no signal for it here: a thread carries what is printed to its reader, and the
 * program ends when that takes no more. Exits get no argument: hence file scope. */
static struct {
    HANDLE from, to;
    struct os_thread *thread;
} carrier;

static bool carry(const char *bytes, DWORD count)
{
    while (count > 0) {
        DWORD done = 0;
        if (!WriteFile(carrier.to, bytes, count, &done, NULL))
            return false;
        bytes += done;
        count -= done;
    }
    return true;
}

static void carry_on(void *arg)
{
    (void)arg;
    static char bytes[1 << 16];
    DWORD got;
    while (ReadFile(carrier.from, bytes, sizeof bytes, &got, NULL) && got > 0)
        if (!carry(bytes, got))
            _Exit(0);
}

/* What was printed arrives before the program ends. */
static void finish_carrying(void)
{
    fflush(stdout);
    _close(1);
    os_thread_join(carrier.thread);
}

void os_signals_quiet_pipe(void)
{
    enum { PIPE_BYTES = 1 << 16 };
    const HANDLE out = (HANDLE)_get_osfhandle(1);
    HANDLE to;
    if (GetFileType(out) != FILE_TYPE_PIPE ||
        !DuplicateHandle(GetCurrentProcess(), out, GetCurrentProcess(), &carrier.to, 0, FALSE,
                         DUPLICATE_SAME_ACCESS) ||
        !CreatePipe(&carrier.from, &to, NULL, PIPE_BYTES))
        return;
    const int descriptor = _open_osfhandle((intptr_t)to, _O_BINARY);
    if (descriptor < 0 || _dup2(descriptor, 1) != 0)
        return;
    _close(descriptor);
    carrier.thread = os_thread_start("output", carry_on, NULL);
    atexit(finish_carrying);
}
