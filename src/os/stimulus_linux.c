#include "src/os/stimulus_parts.h"

#include "src/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool refuse(struct err *err, const char *call)
{
    return fail(err, "%s failed: %s", call, strerror(errno));
}

static bool start_process(struct stimulus_ids *ids, struct err *err)
{
    char program[] = "/bin/true";
    char *const words[] = {program, NULL};
    pid_t child;
    const int error = posix_spawn(&child, program, NULL, NULL, words, NULL);
    if (error)
        return fail(err, "cannot start %s: %s", program, strerror(error));
    ids->child = (uint32_t)child;
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return refuse(err, "waitpid()");
    return true;
}

static void *rest(void *unused)
{
    os_sleep(STIMULUS_SLEEP_NS);
    return unused;
}

static bool start_thread(struct stimulus_ids *ids, struct err *err)
{
    pthread_t thread;
    (void)ids;
    const int error = pthread_create(&thread, NULL, rest, NULL);
    if (error)
        return fail(err, "pthread_create() failed: %s", strerror(error));
    pthread_join(thread, NULL);
    return true;
}

static int make_file(char *path, size_t room, struct err *err)
{
    const char *const folder = getenv("TMPDIR");
    snprintf(path, room, "%s/tracetop-selftest-XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        fail(err, "cannot create a file in the folder of temporary files ('%.300s'): %s", path,
             strerror(errno));
    return file;
}

static bool use_file(struct stimulus_ids *ids, struct err *err)
{
    char path[512], bytes[PAGE] = {0};
    (void)ids;
    const int file = make_file(path, sizeof path, err);
    if (file < 0)
        return false;
    const bool is_done = write(file, bytes, sizeof bytes) == sizeof bytes &&
                         pread(file, bytes, sizeof bytes, 0) == sizeof bytes;
    const bool is_good = is_done || refuse(err, "writing and reading a file");
    close(file);
    unlink(path);
    return is_good;
}

static bool write_through(struct stimulus_ids *ids, struct err *err)
{
    static const char bytes[BLOCK];
    char path[512];
    (void)ids;
    const int file = make_file(path, sizeof path, err);
    if (file < 0)
        return false;
    const bool is_good = (write(file, bytes, sizeof bytes) == sizeof bytes && fsync(file) == 0) ||
                         refuse(err, "writing a file through to its disk");
    close(file);
    unlink(path);
    return is_good;
}

static bool use_registry(struct stimulus_ids *ids, struct err *err)
{
    (void)ids;
    return fail(err, "Linux has no registry");
}

/* What is sent fits into the buffers of the sockets: one thread does for both ends. */
static bool pass(int from, int to, struct err *err)
{
    static char bytes[STREAM];
    size_t sent = 0, read = 0;
    while (read < STREAM) {
        const ssize_t out =
            sent < STREAM ? send(from, bytes, STREAM - sent, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
        sent += out > 0 ? (size_t)out : 0;
        const ssize_t in = recv(to, bytes, sizeof bytes, 0);
        if (in <= 0)
            return refuse(err, "receiving on a TCP connection");
        read += (size_t)in;
    }
    return true;
}

static bool use_network(struct stimulus_ids *ids, struct err *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t bytes = sizeof address;
    struct sockaddr *const name = (struct sockaddr *)(void *)&address;
    (void)ids;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
              client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int server = -1;
    bool is_good = listener >= 0 && client >= 0 && bind(listener, name, bytes) == 0 &&
                   listen(listener, 1) == 0 && getsockname(listener, name, &bytes) == 0 &&
                   connect(client, name, bytes) == 0 &&
                   (server = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;
    is_good = is_good ? pass(client, server, err)
                      : refuse(err, "a TCP connection of the loopback interface");
    const int all[] = {server, client, listener};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    return is_good;
}

static void *map(struct err *err)
{
    void *const pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        refuse(err, "mmap()");
    return pages == MAP_FAILED ? NULL : pages;
}

static bool use_memory(struct stimulus_ids *ids, struct err *err)
{
    void *const pages = map(err);
    (void)ids;
    return pages && (munmap(pages, (size_t)PAGES * PAGE) == 0 || refuse(err, "munmap()"));
}

/* Ordinary pages: a large one would be a single fault. */
static bool touch_pages(struct stimulus_ids *ids, struct err *err)
{
    volatile char *const pages = map(err);
    (void)ids;
    if (!pages)
        return false;
    madvise((void *)pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        pages[i * PAGE] = 1;
    munmap((void *)pages, (size_t)PAGES * PAGE);
    return true;
}

static bool call_system(struct stimulus_ids *ids, struct err *err)
{
    (void)ids, (void)err;
    for (unsigned i = 0; i < CALLS; i++)
        syscall(SYS_getppid);
    return true;
}

bool stimulus_exists(enum stimulus s)
{
    return s != STIMULUS_REGISTRY && s != STIMULUS_MEMORY;
}

void stimulus_ids(struct stimulus_ids *ids)
{
    *ids = (struct stimulus_ids){.pid = (uint32_t)getpid(), .tid = (uint32_t)syscall(SYS_gettid)};
}

typedef bool stimulus_function(struct stimulus_ids *ids, struct err *err);

/* The child's end: what it has to say, or nothing. */
static void run_apart(stimulus_function *run, int to)
{
    struct stimulus_ids ids;
    struct err err = {""};
    stimulus_ids(&ids);
    run(&ids, &err);
    const ssize_t written = write(to, err.text, strlen(err.text));
    _exit(written < 0);
}

/* The live collector leaves out what its own process does: so a child does it. */
static bool run_in_child(stimulus_function *run, struct stimulus_ids *ids, struct err *err)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return refuse(err, "pipe2()");
    const pid_t child = fork();
    if (child == 0)
        run_apart(run, ends[1]);
    close(ends[1]);
    ssize_t bytes = 0;
    if (child > 0) {
        ids->pid = ids->tid = (uint32_t)child;
        while ((bytes = read(ends[0], err->text, sizeof err->text - 1)) < 0 && errno == EINTR)
            ;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    if (child < 0)
        return refuse(err, "fork()");
    err->text[bytes > 0 ? bytes : 0] = '\0';
    if (!bytes && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return fail(err, "the process that made the activity did not end well");
    return bytes == 0;
}

bool stimulus_run(enum stimulus s, struct stimulus_ids *ids, struct err *err)
{
    static stimulus_function *const runs[STIMULI] = {
        [STIMULUS_PROCESS] = start_process, [STIMULUS_THREAD] = start_thread,
        [STIMULUS_FILE] = use_file,         [STIMULUS_DISK] = write_through,
        [STIMULUS_REGISTRY] = use_registry, [STIMULUS_NETWORK] = use_network,
        [STIMULUS_MEMORY] = use_memory,     [STIMULUS_FAULT] = touch_pages,
        [STIMULUS_SWITCH] = stimulus_sleep, [STIMULUS_SAMPLE] = stimulus_calculate,
        [STIMULUS_SYSCALL] = call_system,
    };
    stimulus_ids(ids);
    return s == STIMULUS_PROCESS ? start_process(ids, err) : run_in_child(runs[s], ids, err);
}
