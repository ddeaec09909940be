/* The process that opens events for one that may not (collectors/linux/kernel/perf_opener.h): what
 * it does, what it cannot, and that it ends. As root; skips otherwise. */
#include "tests/test.h"

#include "collectors/linux/kernel/perf_opener.h"
#include "src/os/rights_linux.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A software event of the whole system. */
static struct perf_event_attr event(void)
{
    return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(struct perf_event_attr),
                                    .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
                                    .sample_period = 1,
                                    .disabled = 1};
}

static void read_text(const char *path, char *out, size_t room)
{
    FILE *const f = fopen(path, "re");
    const size_t bytes = f ? fread(out, 1, room - 1, f) : 0;
    out[bytes] = '\0';
    if (f)
        fclose(f);
}

/* The newest of such processes; 0: there is none. */
static int newest_opener(void)
{
    int newest = 0;
    DIR *const d = opendir("/proc");
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[300], comm[32];
        snprintf(path, sizeof path, "/proc/%s/comm", e->d_name);
        read_text(path, comm, sizeof comm);
        if (strcmp(comm, "tracetop-opener\n") == 0 && atoi(e->d_name) > newest)
            newest = atoi(e->d_name);
    }
    closedir(d);
    return newest;
}

static void check(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "not so: %s (%s)\n", what, strerror(errno));
    _exit(1);
}

static unsigned files_of(int pid)
{
    char path[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *const d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

/* Says which process the opener is, and stays until the pipe ends. */
static void be_without_rights(int say, int wait_for)
{
    struct perf_event_attr a = event();
    char path[64], status[4096], byte;
    os_rights_start();
    check(perf_opener_start(true), "the opener starts");
    int opener = 0;
    for (int i = 0; i < 500 && !(opener = newest_opener()); i++)
        usleep(10000);
    int fd = perf_opener_open(&a, -1, 0, -1);
    check(fd >= 0, "an event is opened"); /* and so the filter is in force */
    close(fd);
    check(files_of(opener) <= 4, "it has no file but its socket");
    snprintf(path, sizeof path, "/proc/%d/status", opener);
    read_text(path, status, sizeof status);
    check(strstr(status, "\nSeccomp:\t2\n") != NULL, "it is under a filter");
    os_rights_drop();
    check(os_rights_permitted() == 0, "nothing is permitted");
    check(syscall(SYS_perf_event_open, &a, -1, 0, -1, 0) < 0, "events are refused");
    for (int i = 0; i < 1000; i++) {
        fd = perf_opener_open(&a, -1, 0, -1);
        check(fd >= 0, "events are opened");
        close(fd);
    }
    a.type = 0x7fff;
    errno = 0;
    check(perf_opener_open(&a, -1, 0, -1) < 0 && (errno == ENOENT || errno == EINVAL),
          "the kernel's reason arrives");
    a = event();
    check(perf_opener_open(&a, -1, 1 << 20, -1) < 0, "a processor that is none is refused");
    check(write(say, &opener, sizeof opener) == sizeof opener, "it can be said");
    check(read(wait_for, &byte, 1) >= 0, "the end is waited for");
    _exit(0);
}

static void it_opens_events_and_ends_with_us(void **state)
{
    (void)state;
    int said[2], go[2], opener = 0, status;
    if (geteuid() != 0 || !(os_rights_permitted() >> CAP_SYS_ADMIN & 1)) {
        print_message("not root: skipped\n");
        skip();
    }
    const struct perf_event_attr a = event();
    const int can = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, 0);
    if (can < 0) {
        print_message("events cannot be opened here: skipped\n");
        skip();
    }
    close(can);
    assert_int_equal(pipe(said), 0);
    assert_int_equal(pipe(go), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(go[1]);
        be_without_rights(said[1], go[0]);
    }
    close(said[1]);
    assert_int_equal(read(said[0], &opener, sizeof opener), sizeof opener);
    assert_true(opener > 1);
    assert_int_equal(kill(opener, 0), 0);
    close(go[1]);
    close(go[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    char path[64], comm[32] = "x";
    snprintf(path, sizeof path, "/proc/%d/comm", opener);
    for (int i = 0; i < 500 && comm[0]; i++) {
        usleep(10000);
        read_text(path, comm, sizeof comm);
    }
    assert_string_equal(comm, "");
    close(said[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_opens_events_and_ends_with_us)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
