/* Names of what runs here: the kernel's, and of programs that are made for it: by whatever part of
 * them has the names, and only if they are the ones that ran. */
#include "tests/test.h"

#include "src/os/os.h"
#include "src/symbol/build_id.h"
#include "src/symbol/elf_file.h"
#include "src/symbol/jit.h"
#include "src/symbol/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/prctl.h>
#include <unistd.h>

static void settle(struct symbols *s)
{
    const int64_t until = os_now() + PATIENCE_NS;
    for (;;) {
        symbols_take(s);
        const struct symbol_figures f = symbols_figures(s);
        if (f.asked == f.answered)
            return;
        assert_true(os_now() < until);
        os_sleep(1000000);
    }
}

/* Address of a name, as the system's own list has it; 0 where it hides them. */
static uint64_t kernel_address(const char *name)
{
    char line[512], found[512];
    unsigned long long address = 0, at;
    FILE *const f = fopen("/proc/kallsyms", "r");
    while (f && !address && fgets(line, sizeof line, f))
        if (sscanf(line, "%llx %*c %511s", &at, found) == 2 && strcmp(found, name) == 0)
            address = at;
    if (f)
        fclose(f);
    return address;
}

static void the_kernel_has_names(void **state)
{
    (void)state;
    const uint64_t base = kernel_address("_stext"), end = kernel_address("_etext");
    const uint64_t read = kernel_address("vfs_read");
    if (!base || !read || end <= base)
        skip_for("/proc/kallsyms has no addresses: this takes root");
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image image = {.system = SYMBOL_OF_KERNEL,
                                 .path = "[kernel.kallsyms]",
                                 .is_live = true,
                                 .base = base,
                                 .size = end - base};
    const uint32_t i = symbols_image(s, &image);
    image.base += 0x200000; /* it lay elsewhere */
    const uint32_t moved = symbols_image(s, &image);
    image.base = base;
    image.is_live = false; /* some trace's kernel */
    const uint32_t foreign = symbols_image(s, &image);
    image.build_bytes = 20; /* a build id of zeros */
    const uint32_t other = symbols_image(s, &image);
    symbols_at(s, i, read - base + 1);
    symbols_at(s, moved, read - base + 1);
    symbols_at(s, foreign, read - base + 1);
    symbols_at(s, other, read - base + 1);
    settle(s);
    const struct symbol is = symbols_at(s, i, read - base + 1);
    assert_int_equal(is.state, SYMBOL_FOUND);
    assert_string_equal(symbols_name(s, is.name), "vfs_read");
    assert_int_equal(is.start, read - base);
    assert_string_equal(symbols_origin(s, i).from, "/proc/kallsyms");
    assert_int_equal(symbols_at(s, moved, read - base + 1).state, SYMBOL_NONE);
    assert_non_null(strstr(symbols_origin(s, moved).why, "lies elsewhere"));
    assert_int_equal(symbols_at(s, foreign, read - base + 1).state, SYMBOL_NONE);
    assert_non_null(strstr(symbols_origin(s, foreign).why, "does not record the build id"));
    assert_int_equal(symbols_at(s, other, read - base + 1).state, SYMBOL_NONE);
    assert_int_not_equal(symbols_origin(s, other).why[0], '\0');
    symbols_free(s);
}

/* The name of a module may be a trace's: no path comes of it. A pipe has no writer, and whoever
 * opens it waits. */
static void a_module_is_no_path(void **state)
{
    (void)state;
    char folder[] = "/tmp/tracetop-module-XXXXXX", path[64], note[96];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/notes", folder);
    snprintf(note, sizeof note, "%s/.note.gnu.build-id", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mkfifo(note, 0600), 0);
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(inotify_add_watch(watch, note, IN_OPEN) >= 0);
    char up[128], image_path[160];
    snprintf(up, sizeof up, "../..%s", folder);
    struct build_id id;
    assert_false(build_id_of_kernel(up, &id));
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    snprintf(image_path, sizeof image_path, "[%s]", up);
    const struct symbol_image image = {.system = SYMBOL_OF_KERNEL,
                                       .path = image_path,
                                       .base = 0x1000,
                                       .size = 0x1000,
                                       .build_bytes = 20};
    const uint32_t i = symbols_image(s, &image);
    symbols_at(s, i, 1);
    settle(s);
    assert_int_equal(symbols_at(s, i, 1).state, SYMBOL_NONE);
    assert_non_null(strstr(symbols_origin(s, i).why, "no name of the kernel or of a module"));
    symbols_free(s);
    char events[4096];
    assert_true(read(watch, events, sizeof events) < 0);
    close(watch);
    unlink(note);
    rmdir(path);
    rmdir(folder);
    static const struct {
        const char *name;
        bool is_module;
    } rows[] = {{"xfs", true}, {"nf_nat-2", true}, {"a/b", false}, {"..", false}, {"", false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        assert_int_equal(build_id_is_module(rows[r].name, strlen(rows[r].name)), rows[r].is_module);
}

/* ---- programs ------------------------------------------------------------------------------ */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tracetop-symbols-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Runs a command in the folder; false when it fails. */
static bool run(const char *command)
{
    char line[2048];
    snprintf(line, sizeof line, "cd %s && { %s; } >log 2>&1", folder, command);
    return system(line) == 0;
}

static const char source[] =
    "cat > prog.c <<'EOF'\n"
    "volatile int sink;\n"
    "static inline __attribute__((always_inline)) void inner(int n) { sink += n; }\n"
    "static __attribute__((noinline)) void hidden(int n) { inner(n); sink++; }\n"
    "__attribute__((noinline)) void shown(int n) { hidden(n); sink++; }\n"
    "int main(int c, char **v) { (void)v; shown(c); return 0; }\n"
    "EOF\n"
    "cc -O1 -g -fno-omit-frame-pointer -Wl,--build-id=sha1 -rdynamic -o full prog.c";

static bool has_program(void)
{
    static int made;
    if (!made)
        made = run("command -v objcopy && command -v nm && command -v readelf") && run(source) &&
                       run("nm full > names && readelf -lW full > segments")
                   ? 1
                   : -1;
    return made > 0;
}

static void needs_program(void)
{
    if (!has_program())
        skip_for("no cc, objcopy, nm and readelf (packages gcc, binutils)");
}

static const char *in_folder(const char *name)
{
    static char paths[64][128];
    static unsigned count;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(paths[i], path) == 0)
            return paths[i];
    assert_true(count < 64);
    return memcpy(paths[count++], path, sizeof path);
}

/* The offset in the file of a name, as nm and readelf have it. */
static uint64_t offset_of(const char *name)
{
    char line[512], found[256], kind;
    unsigned long long address = 0, at, where, memory, size;
    FILE *f = fopen(in_folder("names"), "r");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%llx %c %255s", &at, &kind, found) == 3 && strcmp(found, name) == 0)
            address = at;
    fclose(f);
    assert_true(address != 0);
    uint64_t offset = 0;
    f = fopen(in_folder("segments"), "r");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, " LOAD %llx %llx %*x %llx", &where, &memory, &size) == 3 &&
            address - memory < size && address >= memory)
            offset = address - memory + where;
    fclose(f);
    assert_true(offset != 0);
    return offset;
}

static struct symbol_image image_of(const char *path)
{
    struct symbol_image i = {.system = SYMBOL_OF_ELF, .path = path};
    struct build_id id;
    const int fd = open(in_folder("full"), O_RDONLY);
    assert_true(build_id_of_file(fd, &id));
    close(fd);
    memcpy(i.build, id.bytes, id.count);
    i.build_bytes = (uint8_t)id.count;
    return i;
}

/* What the program's function `name` is called, asking the file at `path`; "-" for no name. */
static const char *name_in(struct symbols *s, const struct symbol_image *image, const char *name)
{
    const uint32_t i = symbols_image(s, image);
    const uint64_t at = offset_of(name) + 1;
    symbols_at(s, i, at);
    settle(s);
    const struct symbol found = symbols_at(s, i, at);
    assert_int_not_equal(found.state, SYMBOL_ASKED);
    if (found.state == SYMBOL_FOUND)
        assert_int_equal(found.start, at - 1);
    return found.state == SYMBOL_FOUND ? symbols_name(s, found.name) : "-";
}

static const char *why(struct symbols *s, const struct symbol_image *image)
{
    return symbols_origin(s, symbols_image(s, image)).why;
}

/* Builds without elfutils name no programs. */
static void needs_elf(void)
{
    if (!elf_file_is_built_in())
        skip_for("built without elfutils (package libdw-dev)");
}

static void programs_have_names(void **state)
{
    (void)state;
    needs_elf();
    needs_program();
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    const struct symbol_image image = image_of(in_folder("full"));
    assert_string_equal(name_in(s, &image, "hidden"), "hidden");
    assert_string_equal(name_in(s, &image, "shown"), "shown");
    const uint32_t i = symbols_image(s, &image);
    assert_string_equal(symbols_origin(s, i).from, in_folder("full"));
    assert_string_equal(symbols_origin(s, i).why, "");
    /* Outside of any function there is no name, and none outside of the file. */
    symbols_at(s, i, 1);
    symbols_at(s, i, UINT64_MAX);
    settle(s);
    assert_int_equal(symbols_at(s, i, 1).state, SYMBOL_NONE);
    assert_int_equal(symbols_at(s, i, UINT64_MAX).state, SYMBOL_NONE);
    symbols_free(s);
}

static void lines_and_inlined_functions_are_reported(void **state)
{
    (void)state;
    needs_elf();
    needs_program();
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    const struct symbol_image image = image_of(in_folder("full"));
    struct symbol_line lines[SYMBOL_INLINED];
    enum symbol_state is;
    unsigned count = 0;
    bool was_inlined = false;
    const uint32_t i = symbols_image(s, &image);
    for (unsigned at = 0; at < 24; at++) { /* the inlined part is somewhere in it */
        const int64_t until = os_now() + PATIENCE_NS;
        while (count = symbols_lines(s, i, offset_of("hidden") + at, lines, &is),
               is == SYMBOL_ASKED && os_now() < until) {
            symbols_take(s);
            os_sleep(100000);
        }
        if (count == 2) {
            was_inlined = true;
            assert_string_equal(lines[0].function, "inner");
            assert_int_equal(lines[0].line, 2);
            assert_string_equal(lines[1].function, "hidden");
            assert_int_equal(lines[1].line, 3);
            assert_non_null(strstr(lines[1].file, "prog.c"));
        } else if (count == 1) {
            assert_string_equal(lines[0].function, "hidden");
            assert_int_equal(lines[0].line, 3);
        }
    }
    assert_true(was_inlined);
    symbols_free(s);
}

static void another_build_has_no_names(void **state)
{
    (void)state;
    needs_program();
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image image = image_of(in_folder("full"));
    image.build[0] ^= 1;
    assert_string_equal(name_in(s, &image, "shown"), "-");
    assert_non_null(strstr(why(s, &image), "expected build id"));
    image.build_bytes = 0;
    assert_string_equal(name_in(s, &image, "shown"), "-");
    assert_non_null(strstr(why(s, &image), "does not record its build id"));
    image = image_of("/no/such/file");
    assert_string_equal(name_in(s, &image, "shown"), "-");
    assert_non_null(strstr(why(s, &image), "/no/such/file"));
    /* A pipe must not be waited for. */
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    image = image_of(in_folder("pipe"));
    assert_string_equal(name_in(s, &image, "shown"), "-");
    symbols_free(s);
}

static void inodes_identify_files_without_build_id(void **state)
{
    (void)state;
    needs_elf();
    needs_program();
    struct stat st;
    assert_int_equal(stat(in_folder("full"), &st), 0);
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image image = {.system = SYMBOL_OF_ELF,
                                 .path = in_folder("full"),
                                 .is_live = true,
                                 .inode = st.st_ino,
                                 .dev = (uint64_t)((st.st_dev >> 8) & 0xfff) << 20 |
                                        (st.st_dev & 0xff)};
    assert_string_equal(name_in(s, &image, "shown"), "shown");
    image.inode++;
    assert_string_equal(name_in(s, &image, "shown"), "-");
    assert_non_null(strstr(why(s, &image), "replaced"));
    symbols_free(s);
}

/* "/.build-id/ab/cdef….debug" below the folder. */
static void build_id_folder(char *out, size_t room)
{
    const struct symbol_image image = image_of("");
    const int used = snprintf(out, room, "debug/.build-id/%02x", image.build[0]);
    char *at = out + used;
    char command[512];
    snprintf(command, sizeof command, "mkdir -p %s", out);
    assert_true(run(command));
    *at++ = '/';
    for (unsigned i = 1; i < image.build_bytes; i++, at += 2)
        sprintf(at, "%02x", image.build[i]);
}

static void stripped_programs_have_what_is_left(void **state)
{
    (void)state;
    needs_elf();
    needs_program();
    assert_true(run("objcopy --strip-all full bare"));
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    const struct symbol_image image = image_of(in_folder("bare"));
    assert_string_equal(name_in(s, &image, "hidden"), "-"); /* never that of its neighbor */
    assert_string_equal(name_in(s, &image, "shown"), "shown");
    symbols_free(s);
}

static void packed_symbols_are_read(void **state)
{
    (void)state;
    needs_elf();
    needs_program();
    if (!run("command -v xz"))
        skip_for("no xz (package xz-utils)");
    assert_true(run("objcopy --only-keep-debug --strip-debug full mini && xz -f mini &&"
                    "objcopy --strip-all full packed &&"
                    "objcopy --add-section .gnu_debugdata=mini.xz packed &&"
                    "head -c 100 mini.xz > cut.xz && objcopy --strip-all full broken &&"
                    "objcopy --add-section .gnu_debugdata=cut.xz broken"));
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image image = image_of(in_folder("packed"));
    assert_string_equal(name_in(s, &image, "hidden"), "hidden");
    image = image_of(in_folder("broken"));
    assert_string_equal(name_in(s, &image, "hidden"), "-");
    assert_non_null(strstr(why(s, &image), "gnu_debugdata"));
    assert_string_equal(name_in(s, &image, "shown"), "shown");
    symbols_free(s);
}

static void debug_files_are_found(void **state)
{
    (void)state;
    needs_elf();
    char at[256], command[1024], search[512];
    needs_program();
    build_id_folder(at, sizeof at);
    snprintf(command, sizeof command,
             "objcopy --only-keep-debug full %s.debug && objcopy --strip-all full apart &&"
             "mkdir -p linked/.debug && objcopy --only-keep-debug full linked/.debug/l.debug &&"
             "objcopy --strip-all full linked/prog && cd linked &&"
             "objcopy --add-gnu-debuglink=.debug/l.debug prog",
             at);
    assert_true(run(command));
    snprintf(search, sizeof search, "/nowhere;srv*%s/cache*;%s/debug", folder, folder);
    struct symbols *s = symbols_new(&(struct symbol_options){.path = search});
    struct symbol_image image = image_of(in_folder("apart"));
    assert_string_equal(name_in(s, &image, "hidden"), "hidden");
    assert_non_null(strstr(symbols_origin(s, symbols_image(s, &image)).from, ".debug"));
    struct symbol_line lines[SYMBOL_INLINED];
    enum symbol_state is;
    while (symbols_lines(s, symbols_image(s, &image), offset_of("hidden"), lines, &is),
           is == SYMBOL_ASKED)
        symbols_take(s);
    assert_int_equal(is, SYMBOL_FOUND);
    symbols_free(s);
    s = symbols_new(&(struct symbol_options){0});
    image = image_of(in_folder("linked/prog"));
    assert_string_equal(name_in(s, &image, "hidden"), "hidden");
    symbols_free(s);
    /* The program itself may lie there, too, under its build id. */
    snprintf(command, sizeof command, "cp full %s", at);
    assert_true(run(command));
    s = symbols_new(&(struct symbol_options){.path = search});
    image = image_of("/gone/prog (deleted)");
    assert_string_equal(name_in(s, &image, "hidden"), "hidden");
    /* Of another build of the same name there is none. */
    image = image_of(in_folder("apart"));
    image.build[19] ^= 1;
    assert_string_equal(name_in(s, &image, "hidden"), "-");
    symbols_free(s);
}

static void wait_for_exec(pid_t pid, const char *name)
{
    char link[64], runs[256] = "/";
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    while (strcmp(strrchr(runs, '/') + 1, name) != 0) {
        const ssize_t bytes = readlink(link, runs, sizeof runs - 1);
        assert_true(bytes > 0);
        runs[bytes] = '\0';
        os_sleep(1000000);
    }
}

/* A program that was deleted, and another one put in its place, while it runs. */
static void deleted_programs_keep_their_names(void **state)
{
    (void)state;
    needs_elf();
    needs_program();
    assert_true(run("cat > wait.c <<'EOF'\n#include <unistd.h>\n"
                    "__attribute__((noinline)) int waits(void) { return pause(); }\n"
                    "int main(void) { return waits(); }\nEOF\n"
                    "cc -O1 -Wl,--build-id=sha1 -o wait wait.c && nm wait > names.w &&"
                    "readelf -lW wait > segments.w"));
    struct build_id id;
    int fd = open(in_folder("wait"), O_RDONLY);
    assert_true(build_id_of_file(fd, &id));
    close(fd);
    const pid_t pid = fork();
    if (pid == 0) {
        execl(in_folder("wait"), "wait", (char *)NULL);
        _exit(127);
    }
    wait_for_exec(pid, "wait");
    assert_true(run("cp wait kept && rm wait && cp full wait"));
    struct symbol_image image = {.system = SYMBOL_OF_ELF, .is_live = true, .pid = (uint32_t)pid};
    char path[128];
    snprintf(path, sizeof path, "%s (deleted)", in_folder("wait"));
    image.path = path;
    memcpy(image.build, id.bytes, id.count);
    image.build_bytes = (uint8_t)id.count;
    assert_true(
        run("mv names names.f; mv segments segments.f; mv names.w names; mv segments.w segments"));
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    assert_string_equal(name_in(s, &image, "waits"), "waits");
    assert_true(run("mv names.f names; mv segments.f segments"));
    symbols_free(s);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* ---- code made by programs ----------------------------------------------------------------- */

static void perf_maps_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "1000 10 first\n0x2000 20 second one\r\nnonsense\n3000 0 empty\n"
        "1000 20 again\nffffffffffffffff 10 over\n4000 8\n12345678901234567 8 x\n"
        "5000 8 last";
    struct symbol_table t = {0};
    const struct jit_lines l = symbol_jit_read(&t, text, sizeof text - 1);
    assert_int_equal(l.lines, 9);
    assert_int_equal(l.bad, 5);
    symbol_table_finish(&t);
    struct symbol_found found;
    assert_true(symbol_table_find(&t, 0x101f, &found));
    assert_string_equal(found.name, "again");
    assert_true(symbol_table_find(&t, 0x2001, &found));
    assert_string_equal(found.name, "second one");
    assert_true(symbol_table_find(&t, 0x5007, &found));
    assert_string_equal(found.name, "last");
    symbol_table_fini(&t);
}

enum { MADE = 4096, MADE_AT = 0x10000, MADE_BYTES = 16, MADE_NAME = 1000 };

static void made_name(char *out, unsigned round, unsigned n)
{
    memset(out, 'a' + (int)(round % 26), MADE_NAME);
    snprintf(out, 16, "made_%04u_%04u", round, n);
    out[strlen(out)] = '_';
    out[MADE_NAME] = '\0';
}

static pid_t start_sleeper(void)
{
    const pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    return pid;
}

static void write_made(pid_t pid, char *path, size_t room, unsigned round)
{
    char name[MADE_NAME + 1];
    snprintf(path, room, "/tmp/perf-%d.map", (int)pid);
    unlink(path);
    FILE *const f = fopen(path, "we");
    assert_non_null(f);
    for (unsigned n = 0; n < MADE; n++) {
        made_name(name, round, n);
        fprintf(f, "%x %x %s\n", MADE_AT + n * MADE_BYTES, MADE_BYTES, name);
    }
    assert_int_equal(fclose(f), 0);
}

static unsigned count_right(struct symbols *s, uint32_t image, unsigned round, unsigned every)
{
    unsigned right = 0;
    char name[MADE_NAME + 1];
    for (unsigned n = 0; n < MADE; n += every)
        symbols_at(s, image, MADE_AT + n * MADE_BYTES);
    settle(s);
    for (unsigned n = 0; n < MADE; n += every) {
        made_name(name, round, n);
        const struct symbol is = symbols_at(s, image, MADE_AT + n * MADE_BYTES);
        right += is.state == SYMBOL_FOUND && strcmp(symbols_name(s, is.name), name) == 0;
    }
    return right;
}

/* Programs that make code come and go until the room for names has been full many times: those of
 * the last one are as right as those of the first, and so are those that come again, whose texts
 * have made room since. */
static void names_stay_right_when_the_room_is_full_many_times(void **state)
{
    (void)state;
    enum { ROUNDS = 4 * (SYMBOL_TEXT / (MADE * MADE_NAME)), EVERY = 64 };
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    char first_path[64], path[64];
    const pid_t first = start_sleeper();
    write_made(first, first_path, sizeof first_path, 0);
    struct symbol_image image = {
        .system = SYMBOL_OF_JIT, .path = "", .is_live = true, .pid = (uint32_t)first, .process = 1};
    const uint32_t kept = symbols_image(s, &image);
    unsigned right = count_right(s, kept, 0, 1);
    bool all_right = right == MADE;
    for (unsigned round = 1; round <= ROUNDS && all_right; round++) {
        const pid_t pid = start_sleeper();
        write_made(pid, path, sizeof path, round);
        image.pid = (uint32_t)pid;
        image.process = round + 1;
        right = count_right(s, symbols_image(s, &image), round, 1);
        all_right = right == MADE;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        unlink(path);
        if (!all_right)
            print_error("round %u of %d: %u of %d names are right\n", round, ROUNDS, right, MADE);
    }
    const unsigned again = all_right ? count_right(s, kept, 0, EVERY) : 0;
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    unlink(first_path);
    assert_true(all_right);
    assert_int_equal(again, MADE / EVERY);
    assert_true(symbols_bytes(s) < 2 * (size_t)SYMBOL_TEXT);
    symbols_free(s);
}

/* Is there a name at 0x1008 of the code that the process made? */
static bool has_name(pid_t pid)
{
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    const struct symbol_image image = {
        .system = SYMBOL_OF_JIT, .path = "", .is_live = true, .pid = (uint32_t)pid};
    const uint32_t i = symbols_image(s, &image);
    symbols_at(s, i, 0x1008);
    settle(s);
    const bool has = symbols_at(s, i, 0x1008).name != 0;
    symbols_free(s);
    return has;
}

static void perf_maps_belong_to_the_process(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    unlink(path);
    struct symbols *s = symbols_new(&(struct symbol_options){0});
    const struct symbol_image image = {
        .system = SYMBOL_OF_JIT, .path = "", .is_live = true, .pid = (uint32_t)getpid()};
    uint32_t i = symbols_image(s, &image);
    symbols_at(s, i, 0x1000);
    settle(s);
    assert_int_equal(symbols_at(s, i, 0x1000).state, SYMBOL_ASKED); /* it may come */
    assert_non_null(strstr(symbols_origin(s, i).why, path));
    symbols_at(s, i, 0x1008);
    settle(s);
    FILE *const f = fopen(path, "w");
    fputs("1000 10 made\n", f);
    fclose(f);
    const int64_t until = os_now() + PATIENCE_NS;
    while (symbols_at(s, i, 0x1008).state != SYMBOL_FOUND && os_now() < until) {
        symbols_take(s);
        os_sleep(10000000);
    }
    assert_string_equal(symbols_name(s, symbols_at(s, i, 0x1008).name), "made");
    symbols_free(s);
    if (geteuid() == 0) { /* somebody else's is refused */
        assert_int_equal(chown(path, 12345, 12345), 0);
        s = symbols_new(&(struct symbol_options){0});
        i = symbols_image(s, &image);
        symbols_at(s, i, 0x1008);
        settle(s);
        assert_int_equal(symbols_at(s, i, 0x1008).name, 0);
        assert_non_null(strstr(symbols_origin(s, i).why, "user 12345"));
        symbols_free(s);
    }
    /* Nor is a link followed, even to a map of this user. */
    char linked[80];
    snprintf(linked, sizeof linked, "%s.linked", path);
    assert_int_equal(rename(path, linked), 0);
    assert_true(geteuid() != 0 || chown(linked, getuid(), getgid()) == 0);
    assert_int_equal(symlink(linked, path), 0);
    const bool is_followed = has_name(getpid());
    unlink(path);
    assert_int_equal(rename(linked, path), 0);
    const bool is_good = has_name(getpid());
    unlink(path);
    assert_false(is_followed);
    assert_true(is_good);
}

/* A process of another user in a file system of its own. */
static pid_t start_in(const char *root, uid_t user)
{
    int ready[2];
    char c;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (chroot(root) != 0 || chdir("/") != 0 || setgid(user) != 0 || setuid(user) != 0 ||
            write(ready[1], "r", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    close(ready[0]);
    return child;
}

static void put_map(const char *where, pid_t pid, uid_t user)
{
    char path[128];
    snprintf(path, sizeof path, "%s/perf-%d.map", where, (int)pid);
    FILE *const f = fopen(path, "w");
    assert_non_null(f);
    fputs("1000 10 made\n", f);
    fclose(f);
    assert_int_equal(chown(path, user, user), 0);
}

/* Its map is the file in its own file system, and its user's: one of root's is none, and a link
 * does not lead into ours. */
static void perf_maps_are_of_the_process_s_own_file_system(void **state)
{
    (void)state;
    enum { USER = 65533 };
    char root[64] = "/tmp/test_symbol.XXXXXX", tmp[96], elsewhere[96], command[128];
    if (geteuid() != 0) {
        print_message("skipped: only root can give a process a root of its own\n");
        skip();
    }
    assert_non_null(mkdtemp(root));
    snprintf(tmp, sizeof tmp, "%s/tmp", root);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", root);
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(chmod(root, 0755) | mkdir(tmp, 0755) | mkdir(elsewhere, 0755), 0);
    const pid_t pid = start_in(root, USER);
    put_map(tmp, pid, USER);
    const bool has_own = has_name(pid);
    put_map(tmp, pid, 0);
    const bool has_root_s = has_name(pid);
    put_map(elsewhere, pid, USER);
    char old[128];
    snprintf(old, sizeof old, "%s/old", root);
    assert_int_equal(rename(tmp, old) | symlink(elsewhere, tmp), 0);
    const bool has_ours = has_name(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(system(command), 0);
    assert_true(has_own);
    assert_false(has_root_s);
    assert_false(has_ours);
}

static void the_vdso_has_names(void **state)
{
    (void)state;
    needs_elf();
    char line[512];
    unsigned long long base = 0, end = 0;
    FILE *const f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "[vdso]"))
            sscanf(line, "%llx-%llx", &base, &end);
    fclose(f);
    if (!base)
        skip_for("this kernel maps no vdso");
    struct symbols *const s = symbols_new(&(struct symbol_options){0});
    struct symbol_image image = {.system = SYMBOL_OF_VDSO,
                                 .path = "[vdso]",
                                 .is_live = true,
                                 .base = base,
                                 .size = end - base};
    const uint32_t i = symbols_image(s, &image);
    image.is_live = false;
    const uint32_t foreign = symbols_image(s, &image);
    unsigned found = 0;
    for (uint64_t at = 0; at < end - base; at += 16)
        symbols_at(s, i, at);
    symbols_at(s, foreign, 0x800);
    settle(s);
    for (uint64_t at = 0; at < end - base; at += 16) {
        const struct symbol is = symbols_at(s, i, at);
        found += is.state == SYMBOL_FOUND && strstr(symbols_name(s, is.name), "clock_gettime");
    }
    assert_true(found > 0);
    assert_int_equal(symbols_at(s, foreign, 0x800).state, SYMBOL_NONE);
    symbols_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_has_names),
        cmocka_unit_test(a_module_is_no_path),
        cmocka_unit_test(programs_have_names),
        cmocka_unit_test(lines_and_inlined_functions_are_reported),
        cmocka_unit_test(another_build_has_no_names),
        cmocka_unit_test(inodes_identify_files_without_build_id),
        cmocka_unit_test(stripped_programs_have_what_is_left),
        cmocka_unit_test(packed_symbols_are_read),
        cmocka_unit_test(debug_files_are_found),
        cmocka_unit_test(deleted_programs_keep_their_names),
        cmocka_unit_test(perf_maps_are_read),
        cmocka_unit_test(names_stay_right_when_the_room_is_full_many_times),
        cmocka_unit_test(perf_maps_belong_to_the_process),
        cmocka_unit_test(perf_maps_are_of_the_process_s_own_file_system),
        cmocka_unit_test(the_vdso_has_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
