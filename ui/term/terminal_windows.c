/* The terminal on Windows: the console, spoken to in the sequences that it understands since
 * Windows 10, or a pipe to a terminal emulator (mintty without a pseudo-console).
 *
 * Out: curses writes into a pipe of ours, and one thread carries that to the console: curses
 * never touches the console, and one that is stalled (somebody marks text in it) stops only
 * that thread until the pipe is full.
 * In: one thread reads the console's records and turns them into the bytes that a terminal
 * would send (console_keys_windows.c), or reads the pipe. */
#include "ui/term/terminal.h"

#include "src/base/mem.h"
#include "ui/term/console_keys_windows.h"
#include "ui/term/console_windows.h"

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Headers of older compilers lack these. */
enum {
    OUT_PROCESSED = 0x1,
    OUT_WRAP = 0x2,
    OUT_SEQUENCES = 0x4,
    OUT_NO_AUTO_RETURN = 0x8,
    IN_WINDOW = 0x8,
    IN_MOUSE = 0x10,
    IN_QUICK_EDIT = 0x40,
    IN_EXTENDED = 0x80,
};

enum {
    PIPE_BYTES = 1 << 20,
    KEY_BYTES = 1 << 16, /* more than anybody types between two looks */
    DRAIN_MS = 2000,     /* for a console that does not take what is left */
};

static struct {
    HANDLE in, out;  /* the program's standard handles */
    bool is_console; /* else pipes */
    DWORD in_mode, out_mode;

    HANDLE to;            /* what the bytes go to: `out`, but for tests */
    FILE *writes, *reads; /* curses' */
    struct os_thread *writer, *reader;
    HANDLE written;       /* an event: the writer has ended */
    HANDLE stop;          /* an event: the reader shall end */
    _Atomic bool is_lost; /* the output takes nothing any more */

    struct os_wakeup *wake;
    CRITICAL_SECTION lock; /* of what follows: the reader puts, the main thread takes */
    uint8_t keys[KEY_BYTES];
    size_t key_count;
    bool is_resized, has_ended;

    CRITICAL_SECTION mode_lock; /* whoever sets modes: a crash may come from any thread */
    _Atomic bool is_armed;
    _Atomic bool is_rescued; /* the program is about to die: nothing is sent, no mode set */
    char rescue[256];
    LPTOP_LEVEL_EXCEPTION_FILTER before;
    void (*before_abort)(int);
    int columns, rows; /* as the last look found them */
} terminal;

/* ---- what it is ------------------------------------------------------------------------- */

bool terminal_is_utf8(void)
{
    return true; /* os_start() has set the code page */
}

/* The console shows any color since Windows 10 1703, and TERM is about others. */
struct color_hints terminal_hints(void)
{
    DWORD mode;
    const bool is_console = GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode) != 0;
    const char *const term = getenv("TERM"), *const colors = getenv("COLORTERM");
    return (struct color_hints){
        .no_color = getenv("NO_COLOR"),
        .term = term ? term : "console",
        .colorterm = colors       ? colors
                     : is_console ? "truecolor"
                                  : NULL,
        .colors = 256,
    };
}

FILE *terminal_output(void)
{
    return terminal.writes;
}

FILE *terminal_input(void)
{
    return terminal.reads;
}

/* The first is compiled into our ncurses (src/windows/terminal.ti); others know Microsoft's. */
const char *const *terminal_types(void)
{
    static const char *const types[] = {"tracetop-console", "ms-terminal", "xterm-256color", NULL};
    return types;
}

/* curses' own measure: the C library has none. */
int _nc_wcwidth(wchar_t character);

int terminal_cells(wchar_t character)
{
    return _nc_wcwidth(character);
}

bool terminal_can_stop(void)
{
    return false;
}

void terminal_stop(void)
{
}

/* ---- out ---------------------------------------------------------------------------------- */

static bool put(HANDLE to, const char *bytes, DWORD count)
{
    while (count > 0) {
        DWORD done = 0;
        if (!WriteFile(to, bytes, count, &done, NULL) || done == 0)
            return false;
        bytes += done;
        count -= done;
    }
    return true;
}

/* Ends when the pipe is closed at the other end. What cannot be written is read all the same:
 * curses must not wait for ever. */
static void write_out(void *arg)
{
    const HANDLE from = arg;
    static char bytes[1 << 16];
    DWORD got;
    while (ReadFile(from, bytes, sizeof bytes, &got, NULL) && got > 0)
        if (!atomic_load(&terminal.is_lost) && !atomic_load(&terminal.is_rescued) &&
            !put(terminal.to, bytes, got)) {
            atomic_store(&terminal.is_lost, true);
            os_wakeup_signal(terminal.wake);
        }
    CloseHandle(from);
    SetEvent(terminal.written);
}

void terminal_send(const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, terminal.writes);
    fflush(terminal.writes);
}

static bool open_output(struct err *err)
{
    HANDLE ends[2];
    if (!CreatePipe(&ends[0], &ends[1], NULL, PIPE_BYTES))
        return fail(err, "no pipe for the screen: error %lu", GetLastError());
    terminal.writes = _fdopen(_open_osfhandle((intptr_t)ends[1], _O_BINARY), "wb");
    terminal.reads = fopen("NUL", "rb");
    terminal.written = CreateEventW(NULL, TRUE, FALSE, NULL);
    terminal.to = console_output();
    if (!terminal.writes || !terminal.reads || !terminal.written ||
        terminal.to == INVALID_HANDLE_VALUE)
        return fail(err, "the screen cannot be written: error %lu", GetLastError());
    terminal.writer = os_thread_start("screen", write_out, ends[0]);
    return true;
}

/* After all that was sent has arrived, if it does. */
static void close_output(void)
{
    if (!terminal.writer)
        return;
    fclose(terminal.writes);
    fclose(terminal.reads);
    if (WaitForSingleObject(terminal.written, DRAIN_MS) == WAIT_OBJECT_0)
        os_thread_join(terminal.writer);
    terminal.writer = NULL; /* one that hangs goes with the program */
}

/* ---- in ----------------------------------------------------------------------------------- */

static void add_keys(const uint8_t *bytes, size_t count, bool is_resized)
{
    EnterCriticalSection(&terminal.lock);
    if (count <= KEY_BYTES - terminal.key_count) {
        memcpy(terminal.keys + terminal.key_count, bytes, count);
        terminal.key_count += count;
    }
    terminal.is_resized |= is_resized;
    LeaveCriticalSection(&terminal.lock);
    os_wakeup_signal(terminal.wake);
}

static void end_keys(void)
{
    EnterCriticalSection(&terminal.lock);
    terminal.has_ended = true;
    LeaveCriticalSection(&terminal.lock);
    os_wakeup_signal(terminal.wake);
}

/* Mouse positions are in the buffer; the window is a part of it. */
static void find_window(struct console_keys *k)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(terminal.out, &info))
        return;
    k->left = info.srWindow.Left;
    k->top = info.srWindow.Top;
}

static bool read_records(struct console_keys *k)
{
    enum { RECORDS = 64 };
    INPUT_RECORD records[RECORDS];
    uint8_t bytes[CONSOLE_KEY_ROOM];
    DWORD count = 0;
    /* Somebody else may have taken what there was; reading would wait then, and not for `stop`. */
    if (!GetNumberOfConsoleInputEvents(terminal.in, &count))
        return false;
    if (count == 0)
        return true;
    if (!ReadConsoleInputW(terminal.in, records, RECORDS, &count))
        return false;
    for (DWORD i = 0; i < count && i < RECORDS; i++) {
        if (records[i].EventType == MOUSE_EVENT)
            find_window(k);
        const size_t made = console_keys_bytes(k, &records[i], bytes);
        if (made > 0 || k->was_resized)
            add_keys(bytes, made, k->was_resized);
        k->was_resized = false;
    }
    return true;
}

static void read_console(void *arg)
{
    (void)arg;
    struct console_keys keys = {0};
    const HANDLE wait[2] = {terminal.stop, terminal.in};
    while (WaitForMultipleObjects(2, wait, FALSE, INFINITE) == WAIT_OBJECT_0 + 1)
        if (!read_records(&keys))
            break;
    end_keys();
}

static void read_pipe(void *arg)
{
    (void)arg;
    uint8_t bytes[4096];
    DWORD got = 0;
    while (ReadFile(terminal.in, bytes, sizeof bytes, &got, NULL) && got > 0)
        add_keys(bytes, got, false);
    end_keys();
}

static void open_input(void)
{
    terminal.key_count = 0;
    terminal.is_resized = terminal.has_ended = false;
    terminal.stop = CreateEventW(NULL, TRUE, FALSE, NULL);
    terminal.reader = os_thread_start("keys", terminal.is_console ? read_console : read_pipe, NULL);
}

/* A thread that reads a pipe cannot be asked to end: it goes with the program. */
static void close_input(void)
{
    if (!terminal.reader)
        return;
    SetEvent(terminal.stop);
    if (terminal.is_console)
        os_thread_join(terminal.reader);
    terminal.reader = NULL;
}

/* ---- modes: given back whatever happens --------------------------------------------------- */

/* The code page is os_start()'s. */
static void give_modes_back(void)
{
    if (!terminal.is_console)
        return;
    SetConsoleMode(terminal.in, terminal.in_mode);
    SetConsoleMode(terminal.out, terminal.out_mode);
}

static void rescue_now(void)
{
    if (!atomic_exchange(&terminal.is_armed, false))
        return;
    enum { TRIES = 100 };
    int tries = 0;
    while (!TryEnterCriticalSection(&terminal.mode_lock) && tries++ < TRIES)
        Sleep(1);
    atomic_store(&terminal.is_rescued, true);
    put(terminal.to, terminal.rescue, (DWORD)strlen(terminal.rescue));
    give_modes_back();
    if (tries <= TRIES)
        LeaveCriticalSection(&terminal.mode_lock);
}

static LONG WINAPI crashed(EXCEPTION_POINTERS *what)
{
    rescue_now();
    return terminal.before ? terminal.before(what) : EXCEPTION_CONTINUE_SEARCH;
}

/* abort() raises no exception. */
static void aborted(int signal)
{
    rescue_now();
    if (terminal.before_abort != SIG_DFL && terminal.before_abort != SIG_ERR)
        terminal.before_abort(signal);
}

/* Before the modes are taken: nothing may come between. */
static void arm(void)
{
    static bool is_reported;
    terminal.rescue[0] = '\0';
    atomic_store(&terminal.is_armed, true);
    terminal.before = SetUnhandledExceptionFilter(crashed);
    terminal.before_abort = signal(SIGABRT, aborted);
    if (!is_reported)
        atexit(rescue_now);
    is_reported = true;
}

void terminal_take(const char *rescue)
{
    snprintf(terminal.rescue, sizeof terminal.rescue, "%s", rescue);
}

/* Without reports the mouse marks text, if it did so before. */
const char *terminal_mouse(bool on)
{
    if (!terminal.is_console)
        return on ? MOUSE_ON : MOUSE_OFF;
    EnterCriticalSection(&terminal.mode_lock);
    if (!atomic_load(&terminal.is_rescued))
        SetConsoleMode(terminal.in, IN_EXTENDED | IN_WINDOW |
                                        (on ? (DWORD)IN_MOUSE : terminal.in_mode & IN_QUICK_EDIT));
    LeaveCriticalSection(&terminal.mode_lock);
    return "";
}

static void disarm(void)
{
    if (!atomic_exchange(&terminal.is_armed, false))
        return;
    SetUnhandledExceptionFilter(terminal.before);
    signal(SIGABRT, terminal.before_abort);
}

static bool take_modes(struct err *err)
{
    const DWORD out = OUT_PROCESSED | OUT_WRAP | OUT_SEQUENCES | OUT_NO_AUTO_RETURN;
    EnterCriticalSection(&terminal.mode_lock);
    const bool is_taken = atomic_load(&terminal.is_rescued) || SetConsoleMode(terminal.out, out);
    if (!is_taken)
        SetConsoleMode(terminal.out, terminal.out_mode);
    LeaveCriticalSection(&terminal.mode_lock);
    if (!is_taken)
        return fail(err,
                    "this console does not support terminal sequences; those of Windows 10 and "
                    "later do (is \"legacy console\" on in its properties?); "
                    "\"tracetop top PANE\" prints tables");
    terminal_mouse(false);
    return true;
}

bool terminal_open(struct os_wakeup *wake, struct err *err)
{
    static bool has_lock;
    terminal.wake = wake;
    terminal.in = GetStdHandle(STD_INPUT_HANDLE);
    terminal.out = GetStdHandle(STD_OUTPUT_HANDLE);
    if (!has_lock) {
        InitializeCriticalSection(&terminal.lock);
        InitializeCriticalSection(&terminal.mode_lock);
    }
    has_lock = true;
    terminal.is_console = GetConsoleMode(terminal.out, &terminal.out_mode) != 0;
    if (terminal.is_console ? !GetConsoleMode(terminal.in, &terminal.in_mode) : !os_is_terminal(0))
        return fail(err, "standard input is not a terminal; --headless runs without one");
    if (!open_output(err))
        return false;
    arm();
    if (terminal.is_console && !take_modes(err)) {
        disarm();
        close_output();
        return false;
    }
    open_input();
    return true;
}

void terminal_give_back(void)
{
    close_input();
    close_output();
    disarm();
    give_modes_back();
}

/* ---- waiting ------------------------------------------------------------------------------ */

/* Some consoles do not report a new size; the check costs one call. */
static bool has_new_size(void)
{
    int columns = terminal.columns, rows = terminal.rows;
    if (!os_terminal_size(1, &columns, &rows))
        return false;
    const bool is_new = terminal.columns && (columns != terminal.columns || rows != terminal.rows);
    terminal.columns = columns;
    terminal.rows = rows;
    return is_new;
}

static unsigned events(void)
{
    EnterCriticalSection(&terminal.lock);
    const unsigned seen = (terminal.key_count ? TERMINAL_KEYS : 0u) |
                          (terminal.is_resized ? TERMINAL_RESIZED : 0u) |
                          (terminal.has_ended && !terminal.key_count ? TERMINAL_GONE : 0u);
    terminal.is_resized = false;
    LeaveCriticalSection(&terminal.lock);
    return seen;
}

unsigned terminal_wait(int milliseconds)
{
    unsigned seen = events();
    if (!seen) {
        os_wakeup_wait(terminal.wake, milliseconds < 0 ? -1 : milliseconds * 1000000LL);
        seen = events();
    }
    if (has_new_size())
        seen |= TERMINAL_RESIZED;
    return atomic_load(&terminal.is_lost) ? seen | TERMINAL_GONE : seen;
}

void terminal_ask_size(void)
{
    static int64_t last;
    const int64_t now = os_now();
    if (terminal.is_console || (last && now - last < 1000000000))
        return;
    last = now;
    terminal_send("\033[18t", 5);
}

size_t terminal_read(void *to, size_t room)
{
    EnterCriticalSection(&terminal.lock);
    const size_t count = terminal.key_count < room ? terminal.key_count : room;
    memcpy(to, terminal.keys, count);
    terminal.key_count -= count;
    memmove(terminal.keys, terminal.keys + count, terminal.key_count);
    LeaveCriticalSection(&terminal.lock);
    return count;
}
