/* What the platform file promises in src/os/os.h, by Windows' means. */
#include "tests/test.h"

#include "src/base/message.h"
#include "src/os/elevate_windows.h"
#include "src/os/os.h"
#include "src/os/pty_windows.h"

#include <stdio.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

/* A folder whose name needs more than any code page. */
struct fixture {
    char folder[256], path[320];
    wchar_t wide[MAX_PATH];
};

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    wchar_t temporary[MAX_PATH - 64];
    GetTempPathW(MAX_PATH - 64, temporary);
    swprintf(x->wide, MAX_PATH, L"%lsö日\xd83d\xde00-%lu-%lu", temporary, GetCurrentProcessId(),
             GetTickCount());
    if (!CreateDirectoryW(x->wide, NULL))
        return -1;
    WideCharToMultiByte(CP_UTF8, 0, x->wide, -1, x->folder, sizeof x->folder, NULL, NULL);
    snprintf(x->path, sizeof x->path, "%s\\é file", x->folder);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    os_remove(x->path);
    const int failed = RemoveDirectoryW(x->wide) ? 0 : -1;
    free(x);
    return failed;
}

static void a_file_reads_back(void **state)
{
    const struct fixture *const x = *state;
    struct err err;
    struct os_file *f = os_create(x->path, &err);
    assert_non_null(f);
    assert_true(os_write_at(f, "hello", 5, 0, &err));
    assert_true(os_write_at(f, "!", 1, 9, &err)); /* a hole between */
    assert_int_equal(os_size(f), 10);
    assert_true(os_sync(f, &err));
    os_close(f);
    assert_null(os_create(x->path, &err)); /* never overwrites */
    assert_non_null(strstr(err.text, x->path));

    f = os_open(x->path, &err);
    assert_non_null(f);
    char data[16];
    memset(data, 'x', sizeof data);
    assert_int_equal(os_read_at(f, data, sizeof data, 0, &err), 10);
    assert_memory_equal(data, "hello\0\0\0\0!xxxxxx", 16);
    assert_int_equal(os_read_at(f, data, 1, 10, &err), 0);
    assert_int_equal(os_read_at(f, data, 1, UINT64_MAX, &err), 0);
    assert_false(os_write_at(f, "a", 1, 0, &err)); /* opened for reading */
    assert_non_null(strstr(err.text, "offset 0"));
    FILE *const stream = os_stream(f, &err);
    assert_non_null(stream);
    assert_int_equal(fread(data, 1, 5, stream), 5);
    assert_memory_equal(data, "hello", 5);
    fclose(stream);
    os_close(f);
    os_close(NULL);
}

static void a_file_is_cut_moved_and_removed(void **state)
{
    const struct fixture *const x = *state;
    struct err err;
    char other[360];
    snprintf(other, sizeof other, "%s\\日本", x->folder);
    struct os_file *const f = os_create(x->path, &err);
    assert_non_null(f);
    assert_true(os_write_at(f, "hello", 5, 0, &err));
    os_truncate(f, 9);
    assert_int_equal(os_size(f), 5); /* it only cuts */
    assert_true(os_lengthen(f, 7, &err));
    assert_int_equal(os_size(f), 7);
    assert_true(os_lengthen(f, 3, &err)); /* it is longer already */
    assert_int_equal(os_size(f), 7);
    os_truncate(f, 2);
    assert_int_equal(os_size(f), 2);
    os_close(f);
    assert_true(os_move(x->path, other, false, &err));
    assert_int_equal(os_path_kind(x->path), OS_NOTHING);
    os_close(os_create(x->path, &err));
    assert_false(os_move(other, x->path, false, &err)); /* it is taken */
    assert_non_null(strstr(err.text, x->path));
    assert_true(os_move(other, x->path, true, &err));
    struct os_file *const again = os_open(x->path, &err);
    assert_int_equal(os_size(again), 2);
    os_close(again);
    os_remove(x->path);
    os_remove(x->path); /* gone already is as good */
    assert_int_equal(os_path_kind(x->path), OS_NOTHING);
}

static void what_is_no_file_is_refused(void **state)
{
    const struct fixture *const x = *state;
    struct err err;
    assert_null(os_open(x->path, &err));
    assert_non_null(strstr(err.text, x->path));
    assert_null(os_open(x->folder, &err));
    assert_non_null(strstr(err.text, "a directory"));
    assert_int_equal(os_path_kind(x->folder), OS_DIRECTORY);
    assert_null(os_open("NUL", &err));      /* a device */
    assert_null(os_open("\xff\xfe", &err)); /* no UTF-8 */
    assert_true(err.text[0]);
}

static void unnamed_files_leave_nothing(void **state)
{
    const struct fixture *const x = *state;
    struct err err;
    wchar_t before[MAX_PATH];
    GetEnvironmentVariableW(L"TMP", before, MAX_PATH);
    SetEnvironmentVariableW(L"TMP", x->wide);
    struct os_file *const f = os_open_unnamed(&err);
    SetEnvironmentVariableW(L"TMP", before);
    assert_non_null(f);
    char data[3];
    assert_true(os_write_at(f, "abc", 3, 0, &err));
    assert_int_equal(os_read_at(f, data, 3, 0, &err), 3);
    assert_memory_equal(data, "abc", 3);
    os_close(f); /* tear_down() finds the folder empty */
}

static void clocks_move(void **state)
{
    (void)state;
    const int64_t now = os_now(), cpu = os_cpu_time();
    os_sleep(2000000);
    os_sleep(-1);
    assert_true(os_now() - now >= 2000000);
    assert_true(os_wall_now() > 1600000000LL * 1000000000);
    assert_true(os_cpu_time() >= cpu);
    assert_true(os_memory() > 1024 * 1024);
    assert_true(os_processors() >= 1);
    char name[64];
    os_machine_name(name, sizeof name);
    assert_true(name[0]);
    uint8_t *const pages = os_pages(OS_LARGE_PAGE);
    assert_non_null(pages);
    assert_true(pages[0] == 0 && pages[OS_LARGE_PAGE - 1] == 0);
    os_pages_free(pages, OS_LARGE_PAGE);
}

static const char *const words[] = {"plain",       "two words", "",     "quo\"te",
                                    "back\\slash", "end\\",     "\\\"", "a\\\\\"b c\\\\",
                                    "日本",        "%PATH%",    "^&|"};

/* What a started program gets as its words is what it was given, however it is written. */
static void words_arrive_as_they_are(void **state)
{
    (void)state;
    wchar_t self[MAX_PATH];
    char program[MAX_PATH * 3];
    GetModuleFileNameW(NULL, self, MAX_PATH);
    WideCharToMultiByte(CP_UTF8, 0, self, -1, program, sizeof program, NULL, NULL);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct err err = {""};
        const char *const argv[] = {program, "--word", words[i], "\\", NULL};
        char expected[16];
        snprintf(expected, sizeof expected, "%zu", i);
        SetEnvironmentVariableA("TEST_WORD", expected);
        struct os_child *const c = os_spawn(argv, &err);
        if (!c)
            fail_msg("%s", err.text);
        int status = -1;
        const int64_t begun = os_now();
        while (!os_child_ended(c, &status) && os_now() - begun < PATIENCE_NS)
            os_sleep(5000000);
        if (status != 42)
            fail_msg("word %zu did not arrive: %d", i, status);
        os_child_free(c);
    }
}

/* The started side of words_arrive_as_they_are(). */
static int is_word(int argc, char **argv)
{
    const char *const which = getenv("TEST_WORD");
    return argc == 4 && which && strcmp(argv[2], words[atoi(which)]) == 0 &&
           strcmp(argv[3], "\\") == 0;
}

static void a_program_that_is_not_there_is_reported(void **state)
{
    (void)state;
    struct err err = {""};
    const char *const argv[] = {"C:\\no\\such program.exe", NULL};
    assert_null(os_spawn(argv, &err));
    assert_non_null(strstr(err.text, "no\\such program.exe"));
}

static void pipes_of_terminals_are_known_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_terminal;
    } rows[] = {
        {"msys-1888ae32e00d56aa-pty0-to-master", true},
        {"cygwin-e022582115c10879-pty4-from-master", true},
        {"msys-1888ae32e00d56aa-pty0-to-slave", false},
        {"xmsys-1888ae32e00d56aa-pty0-to-master", false},
        {"tracetop-1-in", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[128];
        snprintf(path, sizeof path, "\\\\.\\pipe\\%s", rows[i].name);
        const HANDLE pipe =
            CreateNamedPipeA(path, PIPE_ACCESS_INBOUND, PIPE_TYPE_BYTE, 1, 64, 64, 0, NULL);
        assert_true(pipe != INVALID_HANDLE_VALUE);
        if (pty_is(pipe) != rows[i].is_terminal)
            fail_msg("%s", rows[i].name);
        CloseHandle(pipe);
    }
    assert_false(pty_is(INVALID_HANDLE_VALUE));
    int columns = 1, rows_found = 2;
    assert_false(os_terminal_size(-1, &columns, &rows_found));
    assert_true(columns == 1 && rows_found == 2);
}

/* ---- what is printed ----------------------------------------------------------------------- */

/* Before the program starts: it prints to a device, as a console is one. */
static void print_to_device(void)
{
    _dup2(_open("NUL", _O_WRONLY | _O_BINARY), 1);
}

/* What of that much is still here after it was printed: it goes where nothing went yet. */
static int64_t kept_of(size_t bytes, bool with_message)
{
    struct err err;
    struct os_file *const f = os_open_unnamed(&err);
    FILE *const file = os_stream(f, &err), *const out = os_output();
    for (size_t i = 0; i < bytes; i++)
        fputc('x', out);
    if (with_message)
        message_print(stderr, "what was printed stands before this");
    _dup2(_fileno(file), 1);
    const int64_t kept = os_output_error(out) == 0 ? os_size(f) : -1;
    fclose(file);
    os_close(f);
    print_to_device();
    return kept;
}

/* The started side of what_is_printed_goes_in_large_pieces(). */
static int print_there(void)
{
    enum { NOT_WHOLE = 1, BEHIND_MESSAGE, WELL = 42, MANY = 60000 };
    return kept_of(MANY, false) != MANY ? NOT_WHOLE : kept_of(MANY, true) ? BEHIND_MESSAGE : WELL;
}

/* A console gets 64 KiB at a time, not a call for each byte; messages come behind what was printed
 * before them. */
static void what_is_printed_goes_in_large_pieces(void **state)
{
    (void)state;
    wchar_t self[MAX_PATH];
    char program[MAX_PATH * 3];
    struct err err = {""};
    GetModuleFileNameW(NULL, self, MAX_PATH);
    WideCharToMultiByte(CP_UTF8, 0, self, -1, program, sizeof program, NULL, NULL);
    const char *const argv[] = {program, "--print", NULL};
    struct os_child *const c = os_spawn(argv, &err);
    if (!c)
        fail_msg("%s", err.text);
    int status = -1;
    const int64_t begun = os_now();
    while (!os_child_ended(c, &status) && os_now() - begun < PATIENCE_NS)
        os_sleep(5000000);
    os_child_free(c);
    assert_int_equal(status, 42);
}

/* ---- more rights -------------------------------------------------------------------------- */

static BOOL WINAPI say_yes(SHELLEXECUTEINFOW *how)
{
    WCHAR program[MAX_PATH], folder[MAX_PATH];
    const WCHAR *const behind = wcsstr(GetCommandLineW(), L".exe");
    GetModuleFileNameW(NULL, program, MAX_PATH);
    GetCurrentDirectoryW(MAX_PATH, folder);
    assert_int_equal(how->cbSize, sizeof *how);
    assert_true(wcscmp(how->lpVerb, L"runas") == 0);
    assert_true(wcscmp(how->lpFile, program) == 0);
    assert_true(wcscmp(how->lpDirectory, folder) == 0);
    assert_int_equal(how->nShow, SW_SHOWNORMAL);
    assert_true(how->fMask & SEE_MASK_FLAG_NO_UI);
    assert_non_null(behind); /* the arguments as they were typed, without the program's name */
    const WCHAR *arguments = behind + 4 + (behind[4] == L'"');
    arguments += wcsspn(arguments, L" ");
    assert_true(wcscmp(how->lpParameters, arguments) == 0);
    return TRUE;
}

static BOOL WINAPI say_no(SHELLEXECUTEINFOW *how)
{
    (void)how;
    SetLastError(ERROR_CANCELLED);
    return FALSE;
}

static BOOL WINAPI say_nothing(SHELLEXECUTEINFOW *how)
{
    (void)how;
    SetLastError(ERROR_FILE_NOT_FOUND);
    return FALSE;
}

static void the_user_is_asked_for_rights(void **state)
{
    (void)state;
    struct err err = {""};
    assert_true(elevate_by(say_yes, &err));
    assert_string_equal(err.text, "");
    assert_false(elevate_by(say_no, &err));
    assert_non_null(strstr(err.text, "elevation was canceled"));
    assert_false(elevate_by(say_nothing, &err));
    assert_non_null(strstr(err.text, "cannot start it with more rights: "));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_reads_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_is_cut_moved_and_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unnamed_files_leave_nothing, set_up, tear_down),
        cmocka_unit_test(clocks_move),
        cmocka_unit_test(words_arrive_as_they_are),
        cmocka_unit_test(a_program_that_is_not_there_is_reported),
        cmocka_unit_test(pipes_of_terminals_are_known_by_name),
        cmocka_unit_test(what_is_printed_goes_in_large_pieces),
        cmocka_unit_test(the_user_is_asked_for_rights),
    };
    const bool prints = argc > 1 && strcmp(argv[1], "--print") == 0;
    if (prints)
        print_to_device();
    os_start(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "--word") == 0)
        return is_word(argc, argv) ? 42 : 1;
    if (prints)
        return print_there();
    return cmocka_run_group_tests_name("os on Windows", tests, NULL, NULL);
}
