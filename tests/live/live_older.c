/* Kernels of other years: their types are named differently, and events of today are missing. This
 * kernel's own description of its types is shown to the collector with names taken out of it,
 * in a mount namespace of its own; then what other live tests say must hold all the same, by BPF
 * programs, since that is where perf loses events.
 *
 *     sock_send_length, sock_recv_length   not before 6.3
 *     enum req_op                          had another name before 6.0
 *     the helper task_pt_regs              not before 5.15
 */
#include "tests/live/program.h"
#include "tests/test.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char types[] = "/sys/kernel/btf/vmlinux";
static const char *const missing[] = {
    "btf_trace_sock_send_length",
    "btf_trace_sock_recv_length",
    "req_op",
    "BPF_FUNC_task_pt_regs",
};

static char program[600];

static int find_program(void **state)
{
    (void)state;
    return live_program(program, sizeof program) ? 0 : -1;
}

static char *read_types(size_t *bytes)
{
    FILE *const f = fopen(types, "re");
    struct stat s;
    char *const all = f && fstat(fileno(f), &s) == 0 ? malloc((size_t)s.st_size) : NULL;
    *bytes = all ? fread(all, 1, (size_t)s.st_size, f) : 0;
    if (f)
        fclose(f);
    return all;
}

/* Names stand whole between NULs; how many there were. */
static unsigned take_out(char *all, size_t bytes, const char *name)
{
    const size_t length = strlen(name) + 1;
    unsigned count = 0;
    for (char *at = all + 1; (at = memmem(at, bytes - (size_t)(at - all), name, length)); at++) {
        if (at[-1] != '\0')
            continue;
        *at = '-';
        count++;
    }
    return count;
}

/* A file that has the types without those; the caller unlinks it. */
static void write_older(char *path)
{
    size_t bytes;
    char *const all = read_types(&bytes);
    if (geteuid() != 0 || !bytes) {
        free(all);
        print_message("skipped: this takes root, and a kernel that describes its types\n");
        skip();
    }
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (!take_out(all, bytes, missing[i]))
            print_message("this kernel has no %s anyway\n", missing[i]);
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, all, bytes) == (ssize_t)bytes);
    close(fd);
    free(all);
}

static void show_older(const char *path)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(path, types, NULL, MS_BIND, NULL) != 0)
        _exit(126);
}

/* Runs it on the older kernel, with its output into `out` (NULL: into ours). */
static int run_older(const char *command, char *out, size_t room)
{
    char path[] = "/tmp/live-older-XXXXXX";
    int pipes[2], status;
    write_older(path);
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (out)
            dup2(pipes[1], 1);
        close(pipes[0]);
        close(pipes[1]);
        show_older(path);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    size_t used = 0;
    for (ssize_t n; out && (n = read(pipes[0], out + used, room - 1 - used)) > 0;)
        used += (size_t)n;
    if (out)
        out[used] = '\0';
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void events_come_by_bpf_all_the_same(void **state)
{
    (void)state;
    static const char *const events[] = {
        "sched:sched_switch",    "sched:sched_waking",    "block:block_rq_issue",
        "sock:sock_send_length", "sock:sock_recv_length", "block:block_rq_complete",
    };
    static char text[1 << 16];
    char command[1024];
    snprintf(command, sizeof command, "exec %s doctor", program);
    run_older(command, text, sizeof text);
    if (!strstr(text, "/sys/kernel/btf/vmlinux") || strstr(text, "built without BPF")) {
        print_message("skipped: no BPF here\n");
        skip();
    }
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const char *const line = strstr(text, events[i]);
        assert_non_null(line);
        const size_t name = strlen(events[i]), length = strcspn(line, "\n");
        print_message("%.*s\n", (int)length, line);
        assert_memory_equal(line + name + strspn(line + name, " "), "BPF ", 4);
    }
    assert_non_null(strstr(text, "bytes sent (no such event before Linux 6.3"));
}

/* The test beside this one, as far as it looks at BPF programs: perf needs no types. */
static void holds(const char *test)
{
    char command[1024], self[600];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    *(strrchr(self, '/') + 1) = '\0';
    snprintf(command, sizeof command, "TRACETOP_SOURCE=bpf exec %s%s", self, test);
    assert_int_equal(run_older(command, NULL, 0), 0);
}

static void bytes_of_sockets_are_exact(void **state)
{
    (void)state;
    holds("live_network");
}

static void switches_wakings_and_disks_are_complete(void **state)
{
    (void)state;
    holds("live_sources");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_by_bpf_all_the_same),
        cmocka_unit_test(bytes_of_sockets_are_exact),
        cmocka_unit_test(switches_wakings_and_disks_are_complete),
    };
    return cmocka_run_group_tests(tests, find_program, NULL);
}
