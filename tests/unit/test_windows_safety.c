/* What the program refuses on Windows, as it may run with all rights: programs and libraries that
 * somebody left in the current folder, names that lead to devices or servers, files among those of
 * the system. */
#include "tests/test.h"

#include "src/os/instance_endpoint.h"
#include "src/os/os.h"
#include "src/trace/snapshot.h"

#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <shlobj.h>

enum {
    LEFT = 99,
    ASKED = 7
}; /* status of a program that lies in the current folder; of what was asked */

/* The current folder is one of its own, with this program in it under other names. */
struct fixture {
    wchar_t before[MAX_PATH], folder[MAX_PATH];
};

static const wchar_t *const planted[] = {L"cmd.exe", L"planted.exe"};

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    wchar_t self[MAX_PATH], temporary[MAX_PATH - 64], path[MAX_PATH + 32];
    GetModuleFileNameW(NULL, self, MAX_PATH);
    GetCurrentDirectoryW(MAX_PATH, x->before);
    GetTempPathW(MAX_PATH - 64, temporary);
    swprintf(x->folder, MAX_PATH, L"%lssafety-%lu-%lu", temporary, GetCurrentProcessId(),
             GetTickCount());
    bool is_well = CreateDirectoryW(x->folder, NULL) && SetCurrentDirectoryW(x->folder);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        swprintf(path, MAX_PATH + 32, L"%ls\\%ls", x->folder, planted[i]);
        is_well = is_well && CopyFileW(self, path, TRUE);
    }
    SetEnvironmentVariableA("TEST_PLANTED", "1");
    *state = x;
    return is_well ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    wchar_t path[MAX_PATH + 32];
    SetEnvironmentVariableA("TEST_PLANTED", NULL);
    SetCurrentDirectoryW(x->before);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        swprintf(path, MAX_PATH + 32, L"%ls\\%ls", x->folder, planted[i]);
        DeleteFileW(path);
    }
    const int failed = RemoveDirectoryW(x->folder) ? 0 : -1;
    free(x);
    return failed;
}

static int status_of(struct os_child *c)
{
    int status = -1;
    const int64_t begun = os_now();
    while (!os_child_ended(c, &status) && os_now() - begun < PATIENCE_NS)
        os_sleep(5000000);
    os_child_free(c);
    return status;
}

static void the_shell_is_the_systems(void **state)
{
    (void)state;
    struct err err = {""};
    struct os_child *const c = os_spawn_quietly("exit 7", &err);
    if (!c)
        fail_msg("%s", err.text);
    assert_int_equal(status_of(c), ASKED);
}

static void programs_are_not_looked_for_in_the_current_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"planted", "planted.exe"};
    for (size_t i = 0; i < 2; i++) {
        const char *const argv[] = {names[i], NULL};
        struct err err = {""};
        struct os_child *const c = os_spawn(argv, &err);
        if (c)
            fail_msg("%s was started: status %d", names[i], status_of(c));
        assert_non_null(strstr(err.text, names[i]));
    }
}

static void programs_are_found_by_their_folder_and_in_path(void **state)
{
    const struct fixture *const x = *state;
    static const char *const names[] = {".\\planted.exe", ".\\planted", "./planted", "planted"};
    enum { UNITS = 32767 };
    wchar_t *const before = calloc(UNITS, sizeof *before), *const path =
                                                               calloc(UNITS, sizeof *path);
    GetEnvironmentVariableW(L"PATH", before, UNITS);
    swprintf(path, UNITS, L".;\"%ls\";%ls", x->folder, before);
    SetEnvironmentVariableW(L"PATH", path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const argv[] = {names[i], "word", NULL};
        struct err err = {""};
        struct os_child *const c = os_spawn(argv, &err);
        if (!c)
            fail_msg("%s", err.text);
        const int status = status_of(c);
        if (status != LEFT)
            fail_msg("%s ended with %d", names[i], status);
    }
    /* The current folder in PATH is the current folder all the same. */
    swprintf(path, UNITS, L".;;%ls", before);
    SetEnvironmentVariableW(L"PATH", path);
    const char *const argv[] = {"planted", NULL};
    struct err err = {""};
    struct os_child *const c = os_spawn(argv, &err);
    SetEnvironmentVariableW(L"PATH", before);
    free(before);
    free(path);
    assert_null(c);
}

/* A library that lies there is none. */
static void libraries_come_from_the_system(void **state)
{
    const struct fixture *const x = *state;
    wchar_t system[MAX_PATH], from[MAX_PATH + 32], to[MAX_PATH + 32];
    GetSystemDirectoryW(system, MAX_PATH);
    swprintf(from, MAX_PATH + 32, L"%ls\\version.dll", system);
    swprintf(to, MAX_PATH + 32, L"%ls\\planted.dll", x->folder);
    assert_true(CopyFileW(from, to, TRUE));
    const HMODULE found = LoadLibraryW(L"planted.dll");
    if (found)
        FreeLibrary(found);
    DeleteFileW(to);
    assert_null(found);
}

/* A path of a trace says where to look; a look at a server is a call with the user's name. */
static void folders_of_servers_and_devices_are_not_shown(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "\\\\server\\share\\file",
        "//server/share/file",
        "\\\\?\\UNC\\server\\share\\file",
        "\\\\.\\pipe\\name",
        "\\??\\UNC\\server\\x",
        "\\Device\\Mup\\server\\share\\x",
        "\\\\?\\GLOBALROOT\\x",
        "UNC\\server",
        "\\/server\\share",
        "NUL",
        "C:relative",
        "",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct err err = {""};
        assert_false(os_show_folder(paths[i], &err));
        if (!strstr(err.text, "not a folder on a disk of this machine"))
            fail_msg("%s: %s", paths[i], err.text);
    }
    struct err err = {""};
    assert_false(os_show_folder("C:\\no such folder\\file", &err));
    assert_non_null(strstr(err.text, "does not exist"));
}

/* The pipe of a monitor with more rights can be seen, but not opened. */
static void a_monitor_with_more_rights_says_what_to_do(void **state)
{
    (void)state;
    char name[64];
    struct err err = {""};
    snprintf(name, sizeof name, "\\\\.\\pipe\\tracetop-%lu", GetCurrentProcessId());
    const HANDLE pipe =
        CreateNamedPipeA(name, PIPE_ACCESS_OUTBOUND, PIPE_TYPE_MESSAGE, 1, 64, 64, 0, NULL);
    assert_true(pipe != INVALID_HANDLE_VALUE);
    struct instance_endpoint *const d =
        instance_endpoint_dial((uint32_t)GetCurrentProcessId(), &err);
    CloseHandle(pipe);
    assert_null(d);
    assert_non_null(strstr(err.text, "more rights"));
    assert_non_null(strstr(err.text, "as administrator, too"));
}

/* An elevated prompt begins in System32, where no trace belongs. */
static void traces_do_not_lie_in_the_systems_folders(void **state)
{
    const struct fixture *const x = *state;
    wchar_t system[MAX_PATH], documents[MAX_PATH];
    char expected[3 * MAX_PATH], name[1024];
    GetSystemDirectoryW(system, MAX_PATH);
    assert_int_equal(SHGetFolderPathW(NULL, CSIDL_PERSONAL | CSIDL_FLAG_CREATE, NULL, 0, documents),
                     S_OK);
    WideCharToMultiByte(CP_UTF8, 0, documents, -1, expected, sizeof expected, NULL, NULL);
    SetCurrentDirectoryW(system);
    snapshot_name("", NULL, name, sizeof name);
    SetCurrentDirectoryW(x->folder);
    if (strncmp(name, expected, strlen(expected)) != 0)
        fail_msg("expected it in %s, found %s", expected, name);
    snapshot_name("", NULL, name, sizeof name);
    assert_memory_equal(name, "./tracetop-", 11);
    snapshot_name("C:\\windows\\chosen", NULL, name, sizeof name); /* whoever says so means it */
    assert_memory_equal(name, "C:\\windows\\chosen/", 18);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_shell_is_the_systems, set_up, tear_down),
        cmocka_unit_test_setup_teardown(programs_are_not_looked_for_in_the_current_folder, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(programs_are_found_by_their_folder_and_in_path, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(libraries_come_from_the_system, set_up, tear_down),
        cmocka_unit_test(folders_of_servers_and_devices_are_not_shown),
        cmocka_unit_test(a_monitor_with_more_rights_says_what_to_do),
        cmocka_unit_test_setup_teardown(traces_do_not_lie_in_the_systems_folders, set_up,
                                        tear_down),
    };
    if (getenv("TEST_PLANTED"))
        return LEFT;
    os_start(&argc, &argv);
    return cmocka_run_group_tests_name("safety on Windows", tests, NULL, NULL);
}
