#include "collectors/linux/kernel/perf_opener.h"

#include "src/os/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
    struct perf_event_attr event;
    int32_t pid, cpu;
};

static int opener = -1; /* a socket to it; written before there are threads */
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

/* ---- messages --------------------------------------------------------------------------------- */

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

/* With a descriptor, where it is none below 0. */
static bool send_message(int socket, const void *data, size_t bytes, int fd)
{
    union control control = {.room = ""};
    struct iovec part = {(void *)(uintptr_t)data, bytes};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control.room;
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    }
    return sendmsg(socket, &m, MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* False where the other side has gone, or sent something else. */
static bool take_message(int socket, void *data, size_t bytes, int *fd)
{
    union control control = {.room = ""};
    struct iovec part = {data, bytes};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control.room};
    ssize_t got;
    *fd = -1;
    while ((got = recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    const struct cmsghdr *const head = CMSG_FIRSTHDR(&m);
    if (got > 0 && head && head->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(head), sizeof *fd);
    return got == (ssize_t)bytes;
}

/* ---- the process that opens --------------------------------------------------------------------- */

static int open_event(const struct perf_event_attr *a, int pid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_with_file(struct perf_event_attr a, int pid, int cpu, int file)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file >= 0)
        a.config1 = (uint64_t)(uintptr_t)path;
    return open_event(&a, pid, cpu);
}

static void serve(int socket)
{
    struct request r;
    int file;
    while (take_message(socket, &r, sizeof r, &file)) {
        const int fd = open_with_file(r.event, r.pid, r.cpu, file);
        const int32_t error = fd < 0 ? errno : 0;
        const bool is_sent = send_message(socket, &error, sizeof error, fd);
        if (fd >= 0)
            close(fd);
        if (file >= 0)
            close(file);
        if (!is_sent)
            return;
    }
}

#if defined __x86_64__
#define OWN_MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_MACHINE AUDIT_ARCH_AARCH64
#endif

/* From here on anything else ends it. */
static bool forbid_the_rest(void)
{
#ifdef OWN_MACHINE
#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_recvmsg),
        ALLOW(SYS_sendmsg),
        ALLOW(SYS_perf_event_open),
        ALLOW(SYS_close),
        ALLOW(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
    return false;
#endif
}

/* No file, no terminal, no signal but the last. */
static void let_go_of_all(int *socket)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_NAME, "tracetop-opener");
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    *socket = dup2(*socket, 3);
    const long files = sysconf(_SC_OPEN_MAX);
    if (syscall(SYS_close_range, 4u, ~0u, 0u) != 0)
        for (int fd = 4; fd < files; fd++)
            close(fd);
}

static void be_opener(int socket)
{
    let_go_of_all(&socket);
    os_rights_raise(OS_MAY_TRACE | OS_MAY_MOUNT);
    if (forbid_the_rest())
        serve(socket);
    _exit(0);
}

/* ---- this process ------------------------------------------------------------------------------- */

static bool can_open(unsigned rights)
{
    const struct perf_event_attr a = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_DUMMY, .disabled = 1};
    const int cpu = sched_getcpu();
    const uint64_t before = os_rights_raise(rights);
    const int fd = open_event(&a, -1, cpu < 0 ? 0 : cpu);
    os_rights_return(before);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool start(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    const pid_t between = fork();
    if (between == 0) {
        /* Its parent ends at once, so that no wait() of this process returns for it. */
        if (fork() == 0) {
            close(pair[0]);
            be_opener(pair[1]);
        }
        _exit(0);
    }
    close(pair[1]);
    opener = pair[0];
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        ;
    return between > 0;
}

bool perf_opener_start(bool is_tested)
{
    const bool is_needed = !can_open(OS_MAY_TRACE) && can_open(OS_MAY_TRACE | OS_MAY_MOUNT);
    return (is_tested || is_needed) && opener < 0 && start();
}

static int ask(const struct request *r, int file)
{
    int fd = -1;
    int32_t error = EACCES;
    while (atomic_flag_test_and_set(&is_busy))
        sched_yield();
    if (send_message(opener, r, sizeof *r, file) &&
        !take_message(opener, &error, sizeof error, &fd))
        error = EACCES;
    atomic_flag_clear(&is_busy);
    if (fd < 0)
        errno = error;
    return fd;
}

int perf_opener_open(const struct perf_event_attr *a, int pid, int cpu, int file)
{
    const struct request r = {.event = *a, .pid = pid, .cpu = cpu};
    if (opener >= 0)
        return ask(&r, file);
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    const int fd = open_with_file(*a, pid, cpu, file);
    os_rights_return(before);
    return fd;
}
