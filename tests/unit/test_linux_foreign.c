/* Files that somebody else names or made: nothing is opened that is no regular file, nothing is
 * unpacked beyond what its head allows. */
#include "tests/made_log.h"
#include "tests/test.h"

#include "src/etl/etl.h"
#include "src/os/foreign_file_linux.h"
#include "src/os/os.h"
#include "src/symbol/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zstd.h>

/* ---- compressed files ------------------------------------------------------------------------ */

static struct log_maker packed(const struct log_maker *m)
{
    struct log_maker z = {.room = ZSTD_compressBound(m->size)};
    z.bytes = malloc(z.room);
    z.size = ZSTD_compress(z.bytes, z.room, m->bytes, m->size, 3);
    return z;
}

/* Unnamed files are seen by nobody else: what they take is limited instead. */
static rlim_t set_file_limit(rlim_t bytes)
{
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    const rlim_t was = r.rlim_cur;
    r.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
    return was;
}

static char *open_within(struct log_maker *z, rlim_t bytes, struct err *err)
{
    char *const name = made_write(z, z->size);
    void (*const before)(int) = signal(SIGXFSZ, SIG_IGN);
    const rlim_t was = set_file_limit(bytes);
    struct etl_file *const f = etl_open(name, err);
    set_file_limit(was);
    signal(SIGXFSZ, before);
    char *const said = f && etl_sentence(f, 0) ? strdup(etl_sentence(f, 0)) : NULL;
    etl_close(f);
    made_unlink(name);
    return said;
}

/* What is no trace is refused by its first bytes: a bomb of 64 MiB writes less than 1 MiB. */
static void no_trace_is_not_unpacked(void **state)
{
    (void)state;
    struct log_maker zeros = {.size = 64 << 20};
    zeros.bytes = calloc(1, zeros.size);
    struct log_maker z = packed(&zeros);
    struct err err = {""};
    free(open_within(&z, 1 << 20, &err));
    assert_non_null(strstr(err.text, "not an .etl file"));
    made_free(&z);
    made_free(&zeros);
}

/* A header that counts two buffers, and 384 MiB of zeros behind them. */
static void bound_by_the_header(void **state)
{
    (void)state;
    enum { PIECE = 16 << 20, PIECES = 24 };
    struct log_maker m = made_log(MADE_BUFFER, 2);
    made_buffer(&m, 0, 0);
    made_perfinfo(&m, MADE_START_RAW + 1, 0xf2e, 16);
    struct log_maker z = packed(&m);
    struct log_maker zeros = {.size = PIECE};
    zeros.bytes = calloc(1, zeros.size);
    struct log_maker more = packed(&zeros);
    z.bytes = realloc(z.bytes, z.size + more.size * PIECES);
    for (unsigned i = 0; i < PIECES; i++, z.size += more.size)
        memcpy(z.bytes + z.size, more.bytes, more.size);
    struct err err = {""};
    char *const said = open_within(&z, (rlim_t)100 << 20, &err);
    assert_string_equal(err.text, "");
    assert_non_null(said);
    assert_non_null(strstr(said, "that its trace header allows"));
    free(said);
    made_free(&more);
    made_free(&zeros);
    made_free(&z);
    made_free(&m);
}

/* ---- paths ----------------------------------------------------------------------------------- */

struct fixture {
    char folder[64];
};

static int set_up(void **state)
{
    static struct fixture f;
    char line[512];
    strcpy(f.folder, "/tmp/tracetop-foreign-XXXXXX");
    if (!mkdtemp(f.folder))
        return -1;
    snprintf(line, sizeof line,
             "cd %s && mkdir dir && echo file >file && mkfifo fifo && ln -s file link && "
             "ln -s $PWD/dir/../file absolute && ln -s loop loop && ln -s dir here && "
             "echo inner >dir/inner && mknod null c 1 3 2>/dev/null || true",
             f.folder);
    *state = &f;
    return system(line);
}

static int tear_down(void **state)
{
    const struct fixture *const f = *state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", f->folder);
    return system(line);
}

static int open_at(const struct fixture *f, const char *name, bool is_live, struct err *err)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    *err = (struct err){""};
    return foreign_file_open("", "", path, is_live, err);
}

/* A mount of FUSE whose server nobody plays: who is another user than its owner is told its type.
 */
static void no_network_by_fuse(void **state)
{
    const struct fixture *const f = *state;
    const pid_t child = fork();
    if (child == 0) {
        char options[128], path[128];
        struct err err;
        const int server = open("/dev/fuse", O_RDWR | O_CLOEXEC);
        snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=1,group_id=1", server);
        snprintf(path, sizeof path, "%s/dir", f->folder);
        if (server < 0 || unshare(CLONE_NEWNS) != 0 ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("sshfs", path, "fuse", 0, options) != 0)
            _exit(77);
        alarm(20); /* who asks the server waits for ever */
        const bool is_refused = open_at(f, "dir/inner", false, &err) < 0;
        _exit(is_refused && strstr(err.text, "found FUSE") ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("FUSE cannot be mounted here: skipped\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The program's own files (os_open()) may be named by links that others made. */
static void links_open_no_device(void **state)
{
    const struct fixture *const f = *state;
    static const struct {
        const char *name, *why; /* NULL: it opens */
    } rows[] = {{"file", NULL},
                {"link", NULL},
                {"to-fifo", "a pipe, socket or device"},
                {"to-null", "a pipe, socket or device"},
                {"dir", "a directory"}};
    char line[256];
    snprintf(line, sizeof line, "cd %s && ln -s fifo to-fifo && ln -s /dev/null to-null",
             f->folder);
    assert_int_equal(system(line), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[128], events[4096];
        struct err err = {""};
        snprintf(path, sizeof path, "%s/%s", f->folder, rows[i].name);
        const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
        struct os_file *const file = os_open(path, &err);
        /* /dev/null is everybody's: others open it. */
        const bool is_seen = read(watch, events, sizeof events) > 0;
        close(watch);
        if ((file != NULL) != !rows[i].why || (rows[i].why && !strstr(err.text, rows[i].why)))
            fail_msg("%s: %s", rows[i].name, err.text);
        if (strcmp(rows[i].name, "to-null") != 0 && is_seen != !rows[i].why)
            fail_msg("%s: %s", rows[i].name, is_seen ? "was opened" : "was not opened");
        os_close(file);
    }
}

static void only_regular_files(void **state)
{
    const struct fixture *const f = *state;
    static const struct {
        const char *name, *why; /* NULL: it opens */
    } rows[] = {{"file", NULL},         {"link", NULL},       {"absolute", NULL},
                {"here/inner", NULL},   {"dir/./inner", NULL}, {"dir", "something else"},
                {"fifo", "something else"}, {"loop", "symbolic links"}, {"none", "No such file"},
                {"file/x", "Not a directory"}, {"dir/../file", "goes up"}, {"dir/..", "goes up"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        const int fd = open_at(f, rows[i].name, false, &err);
        if ((fd >= 0) != !rows[i].why || (rows[i].why && !strstr(err.text, rows[i].why)))
            fail_msg("%s: %d, %s", rows[i].name, fd, err.text);
        if (fd >= 0)
            close(fd);
    }
    struct err err;
    assert_int_equal(foreign_file_open("", "", "//server/share/file", false, &err), -1);
    assert_non_null(strstr(err.text, "network"));
    assert_int_equal(foreign_file_open("", "", "", false, &err), -1);
    assert_int_equal(foreign_file_open("", "", "file", false, &err), -1);
    assert_int_equal(foreign_file_open("", "", "/", false, &err), -1);
    assert_int_equal(foreign_file_open("", "", "/dev/null", false, &err), -1);
}

/* A device does something when it is opened, if only for a moment: here the system says whether. */
static void nothing_else_is_opened(void **state)
{
    const struct fixture *const f = *state;
    static const char *const names[] = {"fifo", "dir", "file"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128], events[4096];
        struct err err;
        snprintf(path, sizeof path, "%s/%s", f->folder, names[i]);
        const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
        const int fd = open_at(f, names[i], false, &err);
        const bool is_seen = read(watch, events, sizeof events) > 0;
        assert_int_equal(is_seen, strcmp(names[i], "file") == 0);
        if (fd >= 0)
            close(fd);
        close(watch);
    }
}

/* Below a root, absolute links begin there, and ".." of a link does not leave it. */
static void links_stay_below_the_root(void **state)
{
    const struct fixture *const f = *state;
    char line[256], text[16] = "";
    struct err err;
    snprintf(line, sizeof line,
             "cd %s && mkdir -p root/etc && echo here >root/etc/name && ln -s /etc/name root/abs && "
             "ln -s ../../../../etc/name root/up",
             f->folder);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "%s/root", f->folder);
    static const char *const names[] = {"/abs", "/up", "/etc/name"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int fd = foreign_file_open(line, "", names[i], true, &err);
        assert_true(fd >= 0);
        assert_int_equal(read(fd, text, sizeof text), 5);
        assert_memory_equal(text, "here\n", 5);
        close(fd);
    }
}

/* An automount, as autofs makes one: a look at it must not wake whoever mounts. */
static void automounts_are_left_alone(void **state)
{
    const struct fixture *const f = *state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        char options[128], path[128], message[4096];
        struct err err;
        snprintf(options, sizeof options, "fd=%d,pgrp=%d,minproto=5,maxproto=5,direct", pipes[1],
                 (int)getpgrp() + 100000);
        snprintf(path, sizeof path, "%s/dir", f->folder);
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("automount", path, "autofs", 0, options) != 0)
            _exit(77);
        fcntl(pipes[0], F_SETFL, O_NONBLOCK);
        alarm(20); /* who waits for the mount waits for ever */
        if (open_at(f, "dir/inner", false, &err) >= 0 || open_at(f, "here/inner", true, &err) >= 0)
            _exit(1);
        _exit(!strstr(err.text, "automount") ? 2 : read(pipes[0], message, sizeof message) > 0 ? 3 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    close(pipes[0]);
    close(pipes[1]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("skipped: autofs cannot be mounted here (needs root and the autofs module)\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* Names of Windows that mean devices are no files of a symbol store. */
static bool see(void *to, const char *path)
{
    (void)path;
    ++*(unsigned *)to;
    return false;
}

static void no_device_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_file;
    } rows[] = {{"ntdll.pdb", true},        {"C:\\x\\con.pdb", false}, {"NUL", false},
                {"com1.pdb", false},        {"lpt9", false},           {"\\\\server\\share\\a.pdb", true},
                {"console.pdb", true},      {"aux .pdb", false},       {"a.pdb.", false},
                {"a.pdb ", false},          {"com\xc2\xb9.pdb", false}, {"conin$", false},
                {"CONOUT$.pdb", false},     {"prn.tar.gz", false},     {"com0x.pdb", true},
                {"a\"b.pdb", false},        {"a\tb.pdb", false},       {"a?.pdb", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned seen = 0;
        struct symbol_image image = {.pdb = rows[i].name, .pdb_age = 1, .path = rows[i].name};
        image.pdb_guid.b[0] = 1;
        store_each_pdb("/symbols", &image, see, &seen);
        if ((seen > 0) != rows[i].is_file)
            fail_msg("%s: %u places", rows[i].name, seen);
        seen = 0;
        store_each_image("/symbols", &image, see, &seen);
        if ((seen > 0) != rows[i].is_file)
            fail_msg("%s: %u places of the image", rows[i].name, seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_trace_is_not_unpacked),  cmocka_unit_test(bound_by_the_header),
        cmocka_unit_test(only_regular_files),        cmocka_unit_test(nothing_else_is_opened),
        cmocka_unit_test(links_open_no_device),      cmocka_unit_test(no_network_by_fuse),
        cmocka_unit_test(links_stay_below_the_root), cmocka_unit_test(automounts_are_left_alone),
        cmocka_unit_test(no_device_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
