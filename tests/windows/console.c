/* The console is left as it was found, however the program ends; and a terminal that gives it
 * pipes is one. Runs the program under test with this program's own console, which must be a
 * real one (a pane of a terminal multiplexer under Wine).
 *
 * usage: console.exe TRACETOP-TEST.EXE */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static const char *program;

/* ---- what there is to be left ---------------------------------------------------------- */

struct console_state {
    DWORD in, out;
    UINT code_page;
};

static struct console_state look(void)
{
    struct console_state s = {0};
    GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &s.in);
    GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &s.out);
    s.code_page = GetConsoleOutputCP();
    return s;
}

static void expect_same(const struct console_state *before, const char *what)
{
    const struct console_state after = look();
    if (memcmp(before, &after, sizeof after) != 0)
        fail_msg("%s: expected modes %lx %lx and code page %u, found %lx %lx %u", what, before->in,
                 before->out, before->code_page, after.in, after.out, after.code_page);
}

static HANDLE start(const char *arguments, HANDLE in, HANDLE out)
{
    char line[1024];
    STARTUPINFOA how = {.cb = sizeof how};
    PROCESS_INFORMATION p;
    snprintf(line, sizeof line, "\"%s\" %s", program, arguments);
    if (in) {
        how.dwFlags = STARTF_USESTDHANDLES;
        how.hStdInput = in;
        how.hStdOutput = how.hStdError = out;
    }
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &how, &p))
        fail_msg("cannot start %s: error %lu", line, GetLastError());
    CloseHandle(p.hThread);
    return p.hProcess;
}

static void end(HANDLE process, DWORD expected, const char *what)
{
    enum { PATIENCE_MS = 20000 };
    DWORD status = 0;
    const bool is_over = WaitForSingleObject(process, PATIENCE_MS) == WAIT_OBJECT_0;
    GetExitCodeProcess(process, &status);
    if (!is_over)
        TerminateProcess(process, 99);
    CloseHandle(process);
    if (!is_over || status != expected)
        fail_msg("%s: expected status %lx, found %s%lx", what, expected,
                 is_over ? "" : "the program still running, ", status);
}

/* The program has taken the console over when its input says so. */
static void wait_for_screen(const struct console_state *before)
{
    enum { STEP_MS = 25, PATIENCE_MS = 240000 };
    for (const DWORD begun = GetTickCount(); GetTickCount() - begun < PATIENCE_MS;) {
        const struct console_state now = look();
        if (now.in != before->in && now.out != before->out && now.code_page == 65001)
            return;
        Sleep(STEP_MS);
    }
    fail_msg("the program has not taken the console over");
}

static void press(WORD key, WCHAR unit, DWORD state)
{
    INPUT_RECORD r[2] = {{.EventType = KEY_EVENT}, {.EventType = KEY_EVENT}};
    DWORD done;
    for (int i = 0; i < 2; i++) {
        r[i].Event.KeyEvent.bKeyDown = i == 0;
        r[i].Event.KeyEvent.wRepeatCount = 1;
        r[i].Event.KeyEvent.wVirtualKeyCode = key;
        r[i].Event.KeyEvent.uChar.UnicodeChar = unit;
        r[i].Event.KeyEvent.dwControlKeyState = state;
    }
    WriteConsoleInputW(GetStdHandle(STD_INPUT_HANDLE), r, 2, &done);
}

/* ---- ways to end ------------------------------------------------------------------------- */

static void by_key(HANDLE process)
{
    (void)process;
    press('Q', 'q', 0);
}

static void by_control_c(HANDLE process)
{
    (void)process;
    press('C', 3, LEFT_CTRL_PRESSED);
}

/* By the system's handlers, as a window that closes; of the events Wine knows only this one. */
static void by_event(HANDLE process)
{
    (void)process;
    assert_true(GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0));
}

/* A thread that runs where there is nothing: an access violation nobody handles. */
static void by_crash(HANDLE process)
{
    LPTHREAD_START_ROUTINE nowhere = NULL;
    const uintptr_t place = 0x10;
    memcpy(&nowhere, &place, sizeof nowhere);
    CloseHandle(CreateRemoteThread(process, NULL, 0, nowhere, NULL, 0, NULL));
}

static BOOL WINAPI ignore(DWORD kind)
{
    return kind == CTRL_BREAK_EVENT || kind == CTRL_C_EVENT;
}

static void the_console_is_left_as_it_was(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*by)(HANDLE process);
        DWORD status;
    } rows[] = {
        {"q", by_key, 0},
        {"C-c", by_control_c, 0},
        {"event", by_event, 130},
        {"crash", by_crash, EXCEPTION_ACCESS_VIOLATION},
    };
    static const char *const arguments[] = {"--source demo -q", "--source demo -q --color 256",
                                            "--source demo -q --no-mouse"};
    SetConsoleCtrlHandler(ignore, TRUE);
    SetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), 0x1 | 0x2 | 0x4 | 0x40 | 0x80);
    SetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), 0x1 | 0x2);
    SetConsoleOutputCP(437);
    const struct console_state before = look();
    assert_int_equal(before.code_page, 437);
    for (size_t a = 0; a < sizeof arguments / sizeof *arguments; a++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char what[128];
            snprintf(what, sizeof what, "%s, ended by %s", arguments[a], rows[i].name);
            const HANDLE process = start(arguments[a], NULL, NULL);
            wait_for_screen(&before);
            rows[i].by(process);
            end(process, rows[i].status, what);
            expect_same(&before, what);
        }
    }
}

/* Commands that print leave the code page, too. */
static void printing_leaves_the_code_page(void **state)
{
    (void)state;
    SetConsoleOutputCP(437);
    const struct console_state before = look();
    end(start("keys", NULL, NULL), 0, "keys");
    expect_same(&before, "keys");
}

/* ---- a terminal that gives pipes --------------------------------------------------------- */

struct pipes {
    HANDLE to_program, from_program; /* ours */
    HANDLE in, out;                  /* the program's */
};

static void open_pipe(const char *name, DWORD direction, HANDLE *ours, HANDLE *theirs)
{
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
    const bool is_input = direction == PIPE_ACCESS_OUTBOUND;
    *ours = CreateNamedPipeA(name, direction, PIPE_TYPE_BYTE, 1, 1 << 16, 1 << 16, 0, NULL);
    *theirs = CreateFileA(name, is_input ? GENERIC_READ : GENERIC_WRITE, 0, &inherit, OPEN_EXISTING,
                          0, NULL);
    assert_true(*ours != INVALID_HANDLE_VALUE && *theirs != INVALID_HANDLE_VALUE);
}

/* Reads until a text has come, and takes what was before it. */
static void read_until(HANDLE from, const char *text)
{
    enum { ROOM = 1 << 20, PATIENCE_MS = 20000 };
    static char seen[ROOM];
    static size_t used;
    const size_t length = strlen(text);
    const DWORD begun = GetTickCount();
    while (GetTickCount() - begun < PATIENCE_MS) {
        for (size_t i = 0; i + length <= used; i++) {
            if (memcmp(seen + i, text, length) == 0) {
                used -= i + length;
                memmove(seen, seen + i + length, used);
                return;
            }
        }
        DWORD ready = 0, got = 0;
        if (used == ROOM || !PeekNamedPipe(from, NULL, 0, NULL, &ready, NULL))
            break;
        if (ready == 0)
            Sleep(10);
        else if (!ReadFile(from, seen + used, (DWORD)(ROOM - used), &got, NULL))
            break;
        used += got;
    }
    for (size_t i = 0; i < used; i++)
        seen[i] = seen[i] == '\033' ? '^' : seen[i];
    fail_msg("expected %s, found %.*s", text + (*text == '\033'), (int)(used < 400 ? used : 400),
             seen);
}

static void say(HANDLE to, const char *bytes)
{
    DWORD done;
    assert_true(WriteFile(to, bytes, (DWORD)strlen(bytes), &done, NULL));
}

static void a_terminal_of_pipes_is_one(void **state)
{
    (void)state;
    struct pipes p;
    SetEnvironmentVariableA("TRACETOP_TEST_OUTPUT", NULL); /* it is to use its pipes */
    open_pipe("\\\\.\\pipe\\msys-0123456789abcdef-pty7-from-master", PIPE_ACCESS_OUTBOUND,
              &p.to_program, &p.in);
    open_pipe("\\\\.\\pipe\\msys-0123456789abcdef-pty7-to-master", PIPE_ACCESS_INBOUND,
              &p.from_program, &p.out);
    const HANDLE process = start("--source demo -q --color 256", p.in, p.out);
    CloseHandle(p.in);
    CloseHandle(p.out);
    read_until(p.from_program, "\033[?1049h");
    read_until(p.from_program, "\033[?1000h");
    read_until(p.from_program, "\033[18t"); /* how large are you? */
    say(p.to_program, "\033[8;31;99t");
    read_until(p.from_program, "\033[1;31r");
    say(p.to_program, "\033[Bq");
    read_until(p.from_program, "\033[?1000l");
    read_until(p.from_program, "\033[?1049l");
    end(process, 0, "pipes");
    CloseHandle(p.to_program);
    CloseHandle(p.from_program);
}

/* Pipes of anybody else are none. */
static void other_pipes_are_no_terminal(void **state)
{
    (void)state;
    struct pipes p;
    open_pipe("\\\\.\\pipe\\tracetop-test-in", PIPE_ACCESS_OUTBOUND, &p.to_program, &p.in);
    open_pipe("\\\\.\\pipe\\tracetop-test-out", PIPE_ACCESS_INBOUND, &p.from_program, &p.out);
    const HANDLE process = start("--source demo -q", p.in, p.out);
    CloseHandle(p.in);
    CloseHandle(p.out);
    read_until(p.from_program, "is not a terminal");
    end(process, 2, "other pipes");
    CloseHandle(p.to_program);
    CloseHandle(p.from_program);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_console_is_left_as_it_was),
        cmocka_unit_test(printing_leaves_the_code_page),
        cmocka_unit_test(a_terminal_of_pipes_is_one),
        cmocka_unit_test(other_pipes_are_no_terminal),
    };
    DWORD mode;
    if (argc != 2 || !GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode)) {
        fprintf(stderr, "console: expected a program to test, and a console\n");
        return 2;
    }
    program = argv[1];
    if (argc > 1 && getenv("TRACETOP_TEST_LOG"))
        freopen(getenv("TRACETOP_TEST_LOG"), "wb", stderr);
    return cmocka_run_group_tests_name("console", tests, NULL, NULL);
}
