/* Files: operations, bytes, names and times of a program whose doings are known. */
#include "tests/live/harness.h"

#include "src/base/bytes.h"
#include "src/os/os.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CREATE = 0x0440,
    CLOSE = 0x0442,
    READ,
    WRITE,
    DELETE = 0x0446,
    RENAME,
    FLUSH = 0x0449,
    END = 0x044c
};

/* Watches a child that has stopped itself, and those it starts, and lets it go on: what others do
 * meanwhile fills no buffers. */
static struct live_run *begin(pid_t child)
{
    const uint32_t pids[] = {(uint32_t)child};
    int status;
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    struct live_run *const r = live_begin(
        &(struct live_request){.classes = 1u << FACT_FILE, .scope = {pids, 1, NULL, true}});
    kill(child, SIGCONT);
    return r;
}

/* Without BPF everybody's events fill the buffers, and busy machines lose some, which is counted;
 * then there is nothing to be checked here. */
static void end(struct live_run *r)
{
    if (!r->is_over)
        live_end(r);
    const struct collector_loss *const loss = &r->session->collector.loss;
    const uint64_t lost = atomic_load(&loss->kernel), skipped = atomic_load(&loss->skipped);
    if (!lost && !skipped)
        return;
    print_message("skipped: %" PRIu64 " events were lost meanwhile, %" PRIu64 " not read\n", lost,
                  skipped);
    live_free(r);
    skip();
}

struct of_process {
    uint16_t hook;
    uint32_t pid;
};

static bool is_of_process(const struct event *e, void *arg)
{
    const struct of_process *const w = arg;
    return e->id == w->hook && e->pid == w->pid;
}

static uint64_t count(const struct live_run *r, uint16_t hook, pid_t pid)
{
    struct of_process w = {hook, (uint32_t)pid};
    return live_count(r, is_of_process, &w);
}

static void wait_for(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void make_folder(char out[64])
{
    snprintf(out, 64, "/tmp/tracetop-live-XXXXXX");
    assert_non_null(mkdtemp(out));
}

static const char *path_in(const char *folder, const char *name, int number, char out[128])
{
    snprintf(out, 128, "%s/%s%d", folder, name, number);
    return out;
}

#define MUST(what)                                                                                 \
    do {                                                                                           \
        if (!(what))                                                                               \
            _exit(__LINE__ % 250 + 1);                                                             \
    } while (0)

/* ---- files that stay open ------------------------------------------------------------------- */

enum { FILES = 12, PIECES = 10, PIECE = 1000, PAUSE = 400000 };

/* Writes, reads back piece by piece up to the end, flushes, waits, closes. */
static void use(const char *path, int number)
{
    char room[64 * 1024] = {0};
    const size_t piece = (size_t)(PIECE + number);
    const int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    MUST(fd >= 0);
    for (int i = 0; i < PIECES; i++)
        MUST(write(fd, room, piece) == (ssize_t)piece);
    MUST(fsync(fd) == 0);
    MUST(pread(fd, room, piece, 0) == (ssize_t)piece);
    MUST(lseek(fd, 0, SEEK_SET) == 0);
    size_t bytes = 0;
    for (ssize_t n; (n = read(fd, room, sizeof room)) > 0;)
        bytes += (size_t)n;
    MUST(bytes == PIECES * piece);
    struct iovec parts[2] = {{room, 300}, {room, 33}};
    MUST(writev(fd, parts, 2) == 333);
    MUST(lseek(fd, 0, SEEK_SET) == 0 && readv(fd, parts, 2) == 333);
    usleep(PAUSE / FILES);
    MUST(close(fd) == 0);
}

static void known_files(void **state)
{
    (void)state;
    if (!live_has_bpf()) {
        print_message("skipped: without BPF, files that are closed at once stay unnamed\n");
        skip();
    }
    char folder[64], path[128];
    make_folder(folder);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody may be there to wake it */
        raise(SIGSTOP);
        for (int i = 0; i < FILES; i++)
            use(path_in(folder, "known", i, path), i);
        MUST(open("/tmp/tracetop-live-nothing/here", O_RDONLY) < 0);
        _exit(0);
    }
    struct live_run *const r = begin(child);
    wait_for(child);
    end(r);
    for (int i = 0; i < FILES; i++) {
        path_in(folder, "known", i, path);
        const double all = (double)PIECES * (PIECE + i), more = PIECE + i;
        /* Reads: one at a place, two up to the end (the second finds nothing), one in parts. */
        const struct {
            const char *column;
            double expected;
        } rows[] = {{"opens", 1},
                    {"write", all + 333},
                    {"read", all + more + 333},
                    {"ops", PIECES + 8.0},
                    {"errors", 0}};
        for (size_t c = 0; c < sizeof rows / sizeof *rows; c++) {
            const double seen = live_number_named(r, "files", "path", path, rows[c].column);
            if (seen < rows[c].expected - 0.5 || seen > rows[c].expected + 0.5)
                fail_msg("%s: %s is %.0f, expected %.0f", path, rows[c].column, seen,
                         rows[c].expected);
        }
        assert_true(live_number_named(r, "files", "path", path, "max") > 0);
        unlink(path);
    }
    assert_int_equal(count(r, CREATE, child), FILES + 1);
    assert_int_equal(count(r, FLUSH, child), FILES);
    live_free(r);
    rmdir(folder);
}

/* ---- files that are gone at once ------------------------------------------------------------- */

enum { SHORT = 1000, BYTES = 77 };

struct sum {
    uint32_t pid;
    uint64_t bytes;
};

static bool is_end(const struct event *e, void *arg)
{
    struct sum *const s = arg;
    if (e->id != END || e->pid != s->pid)
        return false;
    s->bytes += load_u64(e->payload + 8);
    return true;
}

static void short_lived_files(void **state)
{
    (void)state;
    char folder[64], path[128];
    make_folder(folder);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody may be there to wake it */
        raise(SIGSTOP);
        static const char room[BYTES];
        for (int i = 0; i < SHORT; i++) {
            const int fd = open(path_in(folder, "short", i, path), O_CREAT | O_WRONLY, 0600);
            MUST(fd >= 0 && write(fd, room, sizeof room) == BYTES && close(fd) == 0);
            MUST(unlink(path) == 0);
        }
        _exit(0);
    }
    struct live_run *const r = begin(child);
    wait_for(child);
    end(r);
    struct sum ends = {.pid = (uint32_t)child};
    assert_int_equal(count(r, CREATE, child), SHORT);
    assert_int_equal(count(r, WRITE, child), SHORT);
    assert_int_equal(count(r, CLOSE, child), SHORT);
    assert_int_equal(count(r, DELETE, child), SHORT);
    assert_int_equal(live_count(r, is_end, &ends), 4 * SHORT);
    assert_int_equal(ends.bytes, SHORT * BYTES + SHORT); /* an open says 1 */
    unsigned named = 0;
    for (int i = 0; i < SHORT; i++)
        named += live_number_named(r, "files", "path", path_in(folder, "short", i, path), "write") >
                 BYTES - 0.5;
    print_message("%u of %d files have their name and their bytes\n", named, SHORT);
    live_free(r);
    rmdir(folder);
}

/* ---- paths that begin somewhere ------------------------------------------------------------------ */

/* What is only asked about, never opened, has its path from the call alone: from the folder of the
 * process, a descriptor, and the root. Needs BPF. */
static void relative_paths_are_whole(void **state)
{
    (void)state;
    if (!live_has_bpf()) {
        print_message("skipped: without BPF, paths of what is not opened are not reported\n");
        skip();
    }
    char folder[64], at_folder[128], at_fd[128];
    make_folder(folder);
    snprintf(at_folder, sizeof at_folder, "%s/here/asked", folder);
    snprintf(at_fd, sizeof at_fd, "%s/beside", folder);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody may be there to wake it */
        raise(SIGSTOP);
        struct stat about;
        /* On the stack: a text that the process has not touched is not in memory yet when the call
         * begins, and its path is not known then. */
        char here[] = "here", asked[] = "./asked", beside[] = "beside", root[] = "asked-at-the-root";
        const int fd = open(folder, O_RDONLY | O_DIRECTORY);
        MUST(fd >= 0 && mkdirat(fd, here, 0700) == 0 && chdir(folder) == 0 && chdir(here) == 0);
        MUST(stat(asked, &about) != 0 && fstatat(fd, beside, &about, 0) != 0);
        MUST(chdir("/") == 0 && stat(root, &about) != 0);
        MUST(unlinkat(fd, here, AT_REMOVEDIR) == 0);
        _exit(0);
    }
    struct live_run *const r = begin(child);
    wait_for(child);
    end(r);
    assert_true(live_number_named(r, "files", "path", at_folder, "ops") > 0);
    assert_true(live_number_named(r, "files", "path", at_fd, "ops") > 0);
    assert_true(live_number_named(r, "files", "path", "/asked-at-the-root", "ops") > 0);
    live_free(r);
    rmdir(folder);
}

/* ---- descriptors that change hands ----------------------------------------------------------- */

/* Says that it is done, and keeps its descriptors open until it is ended: whoever looks them up may
 * come late. */
static _Noreturn void be_done(int to)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    MUST(write(to, "", 1) == 1);
    for (;;)
        pause();
}

/* Through a copy, in a child that inherited it, and from one file to another. */
static void descriptors_are_followed(void **state)
{
    (void)state;
    char folder[64], a[128], b[128];
    make_folder(folder);
    path_in(folder, "from", 1, a);
    path_in(folder, "to", 1, b);
    int done[2], half[2];
    char c;
    assert_int_equal(pipe(done) | pipe(half), 0);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody may be there to wake it */
        raise(SIGSTOP);
        static const char room[5000];
        const int from = open(a, O_CREAT | O_RDWR, 0600), to = open(b, O_CREAT | O_RDWR, 0600);
        MUST(from >= 0 && to >= 0);
        MUST(dup2(from, 100) == 100 && write(100, room, 1000) == 1000);
        const int copy = dup(from);
        MUST(write(copy, room, 200) == 200 && close(copy) == 0);
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            MUST(write(from, room, 30) == 30);
            be_done(half[1]);
        }
        MUST(read(half[0], &c, 1) == 1);
        off_t at = 0;
        MUST(sendfile(to, from, &at, 700) == 700);
        be_done(done[1]);
    }
    struct live_run *const r = begin(child);
    close(done[1]); /* or it would be waited for, whatever became of the child */
    assert_int_equal(read(done[0], &c, 1), 1);
    live_end(r);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    end(r);
    assert_in_range(live_number_named(r, "files", "path", a, "write") + 0.5, 1230, 1231);
    assert_in_range(live_number_named(r, "files", "path", a, "read") + 0.5, 700, 701);
    assert_in_range(live_number_named(r, "files", "path", b, "write") + 0.5, 700, 701);
    live_free(r);
    unlink(a);
    unlink(b);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_files),
        cmocka_unit_test(short_lived_files),
        cmocka_unit_test(relative_paths_are_whole),
        cmocka_unit_test(descriptors_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
