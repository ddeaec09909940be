/* Files with names that may not be read: no name, and a sentence that says which file and why. Asked
 * as somebody whom the files do not belong to. */
#include "tests/test.h"

#include "src/os/os.h"
#include "src/symbol/build_id.h"
#include "src/symbol/symbol.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOMEBODY = 12345 };

static char folder[] = "/tmp/tracetop-denied-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chmod(folder, 0777) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Runs the question as somebody without rights; what it answers is written to `said`. */
static void ask_as_somebody(void (*ask)(char *said, size_t room), char *said, size_t room)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        char text[1024] = "";
        if (geteuid() == 0 && (setresgid(SOMEBODY, SOMEBODY, SOMEBODY) != 0 ||
                               setresuid(SOMEBODY, SOMEBODY, SOMEBODY) != 0))
            _exit(1);
        prctl(PR_SET_DUMPABLE, 1);
        ask(text, sizeof text);
        _exit(write(ends[1], text, strlen(text)) < 0);
    }
    close(ends[1]);
    ssize_t bytes;
    size_t used = 0;
    while (used < room - 1 && (bytes = read(ends[0], said + used, room - 1 - used)) > 0)
        used += (size_t)bytes;
    said[used] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* "NAME: why there is none"; NAME is "-" where there is none. */
static void look_up(const char *search, const struct symbol_image *image, uint64_t offset, char *said,
                    size_t room)
{
    struct symbols *const s = symbols_new(&(struct symbol_options){.path = search});
    const uint32_t i = symbols_image(s, image);
    const int64_t until = os_now() + PATIENCE_NS;
    symbols_at(s, i, offset);
    do {
        symbols_take(s);
        os_sleep(1000000);
    } while (symbols_figures(s).asked != symbols_figures(s).answered && os_now() < until);
    const struct symbol symbol = symbols_at(s, i, offset);
    snprintf(said, room, "%s: %s", symbol.name ? symbols_name(s, symbol.name) : "-",
             symbols_origin(s, i).why);
    symbols_free(s);
}

static void expect(const char *said, const char *file)
{
    if (strncmp(said, "-: ", 3) != 0 || !strstr(said, file) || !strstr(said, "ermission denied"))
        fail_msg("%s: %s", file, said);
}

/* ---- programs ------------------------------------------------------------------------------ */

static void program_path(char *out, size_t room)
{
    snprintf(out, room, "%s/program", folder);
}

static bool copy_self(const char *path)
{
    char command[512];
    snprintf(command, sizeof command, "cp /proc/%d/exe %s && chmod 0600 %s", (int)getpid(), path,
             path);
    return system(command) == 0;
}

static struct build_id own_build; /* of this very program */

static void ask_program(char *said, size_t room)
{
    char path[128];
    program_path(path, sizeof path);
    struct symbol_image image = {.system = SYMBOL_OF_ELF, .path = path};
    memcpy(image.build, own_build.bytes, own_build.count);
    image.build_bytes = (uint8_t)own_build.count;
    look_up("", &image, 0x1000, said, room);
}

static void programs_that_may_not_be_read_have_no_names(void **state)
{
    (void)state;
    char path[128], said[2048];
    const int fd = open("/proc/self/exe", O_RDONLY);
    program_path(path, sizeof path);
    if (!build_id_of_file(fd, &own_build) || !own_build.count)
        memset(own_build.bytes, 7, own_build.count = 20);
    close(fd);
    assert_true(copy_self(path));
    if (geteuid() != 0)
        assert_int_equal(chmod(path, 0), 0);
    ask_as_somebody(ask_program, said, sizeof said);
    expect(said, path);
}

/* ---- code made by programs ------------------------------------------------------------------ */

static void map_path(char *out, size_t room, int pid)
{
    snprintf(out, room, "/tmp/perf-%d.map", pid);
}

static void ask_map(char *said, size_t room)
{
    char path[64];
    map_path(path, sizeof path, (int)getpid());
    FILE *const f = fopen(path, "w");
    if (!f)
        _exit(2);
    fputs("1000 10 made\n", f);
    fclose(f);
    chmod(path, 0);
    const struct symbol_image image = {
        .system = SYMBOL_OF_JIT, .path = "", .is_live = true, .pid = (uint32_t)getpid()};
    look_up("", &image, 0x1008, said, room);
    unlink(path);
}

static void maps_that_may_not_be_read_have_no_names(void **state)
{
    (void)state;
    char said[2048];
    ask_as_somebody(ask_map, said, sizeof said);
    expect(said, "/tmp/perf-");
}

/* ---- of Windows ------------------------------------------------------------------------------ */

static void ask_pdb(char *said, size_t room)
{
    const struct symbol_image image = {.system = SYMBOL_OF_WINDOWS,
                                       .path = "",
                                       .stamp = 1,
                                       .image_size = 4096,
                                       .pdb_guid = {{1}},
                                       .pdb_age = 1,
                                       .pdb = "C:\\build\\secret.pdb"};
    look_up(folder, &image, 0x10, said, room);
}

static void pdbs_that_may_not_be_read_have_no_names(void **state)
{
    (void)state;
    char path[128], said[2048];
    snprintf(path, sizeof path, "%s/secret.pdb", folder);
    FILE *const f = fopen(path, "w");
    assert_non_null(f);
    fputs("Microsoft C/C++ MSF 7.00", f);
    fclose(f);
    assert_int_equal(chmod(path, geteuid() == 0 ? 0600 : 0), 0);
    ask_as_somebody(ask_pdb, said, sizeof said);
    expect(said, "secret.pdb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_that_may_not_be_read_have_no_names),
        cmocka_unit_test(maps_that_may_not_be_read_have_no_names),
        cmocka_unit_test(pdbs_that_may_not_be_read_have_no_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
