#include "collectors/linux/kernel/perf.h"

#include "collectors/linux/kernel/perf_opener.h"
#include "collectors/linux/kernel/sample.h"
#include "src/base/mem.h"
#include "src/os/rights.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- opening -------------------------------------------------------------------------- */

static void set_side_band(const struct perf *p, struct perf_event_attr *a)
{
    a->comm = a->task = a->mmap = 1;
    a->mmap2 = a->comm_exec = !(p->lacks & PERF_NO_EXEC);
    a->ksymbol = !(p->lacks & PERF_NO_KSYMBOL);
    a->build_id = a->mmap2 && !(p->lacks & PERF_NO_BUILD_ID);
}

static struct perf_event_attr attr_of(const struct perf *p, const struct perf_request *w)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = w->type,
        .config = w->config,
        .sample_type = SAMPLE_TYPE_BASE | (w->has_chain ? (unsigned)PERF_SAMPLE_CALLCHAIN : 0) |
                       (w->has_raw ? (unsigned)PERF_SAMPLE_RAW : 0) |
                       (w->stack_bytes ? (unsigned)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
                                       : 0),
        .sample_regs_user = w->stack_bytes ? SAMPLE_REGISTER_MASK : 0,
        .sample_stack_user = w->stack_bytes,
        .read_format = PERF_FORMAT_ID | (p->lacks & PERF_NO_LOST ? 0 : (unsigned)PERF_FORMAT_LOST),
        .disabled = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = !w->is_urgent,
        .wakeup_watermark = w->is_urgent ? 1 : w->watermark, /* or events, without a watermark */
        /* Of one process: without rights, so not in the kernel, and with what it starts. */
        .inherit = p->pid && !w->watermark,
        .exclude_kernel = w->exclude_kernel || p->pid,
        .exclude_callchain_kernel = w->has_chain && (w->exclude_kernel || p->pid),
        .sample_max_stack = w->has_chain ? p->max_stack : 0,
    };
    if (w->frequency) {
        a.freq = 1;
        a.sample_freq = w->frequency;
    } else {
        a.sample_period = w->period;
    }
    if (w->is_side_band)
        set_side_band(p, &a);
    return a;
}

static int open_once(const struct perf *p, const struct perf_request *w, int cpu)
{
    const struct perf_event_attr a = attr_of(p, w);
    return perf_opener_open(&a, p->pid ? (int)p->pid : -1, cpu, -1);
}

/* E2BIG: the attr is longer than the kernel's and not all zero there; EINVAL: a flag or a
 * format that it does not know, or something else. Newest first. */
static int open_leaving_out(struct perf *p, const struct perf_request *w, int cpu)
{
    static const uint32_t newest_first[] = {PERF_NO_LOST, PERF_NO_BUILD_ID, PERF_NO_KSYMBOL,
                                            PERF_NO_EXEC};
    const uint32_t before = p->lacks;
    int fd = open_once(p, w, cpu);
    for (size_t i = 0; fd < 0 && (errno == EINVAL || errno == E2BIG) && i < 4; i++) {
        if (p->lacks & newest_first[i])
            continue;
        p->lacks |= newest_first[i];
        fd = open_once(p, w, cpu);
    }
    if (fd < 0)
        p->lacks = before; /* that was not why */
    return fd;
}

static const char *reason(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "not permitted";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "not in this kernel or not on this processor";
    case ENOSYS:
        return "this kernel has no performance events";
    case EMFILE:
    case ENFILE:
        return "out of file descriptors; raise ulimit -n";
    default:
        return strerror(error);
    }
}

int perf_open(struct perf *p, const struct perf_request *w, int cpu, int *error, struct err *err)
{
    const int fd = open_leaving_out(p, w, cpu);
    *error = fd < 0 ? errno : 0;
    if (fd < 0)
        fail(err, "%s", reason(*error));
    return fd;
}

void perf_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* A message that takes these descriptors along. */
static bool send_descriptors(int socket, const int *fds, size_t count)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE((PERF_LET_GO + 1) * sizeof *fds)];
    } control = {.room = ""};
    char nothing = 0;
    struct iovec data = {&nothing, 1};
    const struct msghdr message = {.msg_iov = &data,
                                   .msg_iovlen = 1,
                                   .msg_control = &control,
                                   .msg_controllen = CMSG_SPACE(count * sizeof *fds)};
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(count * sizeof *fds);
    memcpy(CMSG_DATA(&control.head), fds, count * sizeof *fds);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

/* Whoever closes the last event of a tracepoint waits until no processor is within it, for each
 * tracepoint anew: 50 ms each where nothing happens, a second and more where much does. But a
 * socket that nobody has, with a message that holds the socket itself and the events, is found
 * by the kernel's collection of such circles, which closes them on a thread of its own. Where
 * that is refused, or the kernel collects at once (before 6.8), we wait as anybody does. */
void perf_let_go(const int *fds, size_t count)
{
    int pair[2], all[PERF_LET_GO + 1];
    if (!count)
        return;
    if (count <= PERF_LET_GO && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) == 0) {
        memcpy(all, fds, count * sizeof *fds);
        all[count] = pair[1];
        send_descriptors(pair[0], all, count + 1);
        close(pair[1]);
        for (size_t i = 0; i < count; i++)
            close(fds[i]);
        close(pair[0]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}

/* Descriptors: an event of each kind on each processor, and for the program itself (rings, BPF,
 * what /proc is read with) as many as it is seen to have, twice. */
static rlim_t files_needed(void)
{
    enum { PER_PROCESSOR = 48, OWN = 192 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return OWN + PER_PROCESSOR * (rlim_t)(processors > 0 ? processors : 1);
}

/* Before 5.11 BPF programs and maps count as locked memory; who loads them raises the limit as far
 * as this one. */
static void permit_locking(void)
{
    struct rlimit locked;
    if (getrlimit(RLIMIT_MEMLOCK, &locked) != 0)
        return;
    locked.rlim_max = RLIM_INFINITY;
    setrlimit(RLIMIT_MEMLOCK, &locked);
}

void perf_raise_limits(void)
{
    permit_locking();
    struct rlimit files;
    const rlim_t needed = files_needed();
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    const struct rlimit more = {.rlim_cur = needed, .rlim_max = needed};
    if (files.rlim_max < needed && setrlimit(RLIMIT_NOFILE, &more) == 0)
        return; /* root may */
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

/* ---- switching and counting --------------------------------------------------------------- */

bool perf_redirect(int fd, int owner, struct err *err)
{
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner) == 0 || fail(err, "%s", strerror(errno));
}

bool perf_filter(int fd, const char *text, struct err *err)
{
    return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text) == 0 ||
           fail(err, "the kernel refuses the filter '%.200s': %s", text,
                errno == EINVAL ? "it is no filter, or names a field that the event lacks"
                                : strerror(errno));
}

bool perf_enable(int fd)
{
    return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

bool perf_disable(int fd)
{
    return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0;
}

bool perf_read(const struct perf *p, int fd, struct perf_counts *out)
{
    uint64_t values[3] = {0}; /* value, id, [lost] */
    const size_t bytes = (p->lacks & PERF_NO_LOST ? 2 : 3) * sizeof *values;
    if (read(fd, values, bytes) != (ssize_t)bytes)
        return false;
    *out = (struct perf_counts){.fired = values[0], .id = values[1], .lost = values[2]};
    return true;
}

/* ---- rings --------------------------------------------------------------------------------- */

static void *try_map(int fd, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uint64_t before = os_rights_raise(OS_MAY_LOCK);
    void *const base = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    os_rights_return(before);
    return base;
}

bool perf_map(int fd, size_t bytes, size_t least, struct perf_map *out, struct err *err)
{
    *out = (struct perf_map){0};
    for (; bytes >= least; bytes /= 2) {
        void *const base = try_map(fd, bytes);
        if (base != MAP_FAILED) {
            *out = (struct perf_map){.base = base, .bytes = bytes};
            out->bounce = mem_new(KERNEL_RECORD_MAX, 1);
            return true;
        }
        /* EPERM: more than kernel.perf_event_mlock_kb allows; ENOMEM: there is no memory. */
        if (errno != EPERM && errno != ENOMEM)
            break;
    }
    return fail(err, "the kernel cannot allocate a ring of %zu KiB: %s", least / 1024,
                errno == EPERM ? "so much memory may not be locked (ulimit -l, sysctl "
                                 "kernel.perf_event_mlock_kb, or CAP_IPC_LOCK)"
                               : strerror(errno));
}

void perf_unmap(struct perf_map *m)
{
    if (!m->base)
        return;
    munmap(m->base, (size_t)sysconf(_SC_PAGESIZE) + m->bytes);
    free(m->bounce);
    *m = (struct perf_map){0};
}

void perf_map_ring(const struct perf_map *m, struct kernel_ring *out)
{
    struct perf_event_mmap_page *const page = m->base;
    const uint8_t *const data = (const uint8_t *)m->base + sysconf(_SC_PAGESIZE);
    kernel_ring_init(out, data, m->bytes, (const uint64_t *)(void *)&page->data_head,
                     (uint64_t *)(void *)&page->data_tail, m->bounce);
}
