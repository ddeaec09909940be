/* The platform calls on Linux. See src/os/os.h for the promises. */
#include "src/base/mem.h"
#include "src/os/memory_linux.h"
#include "src/os/os.h"
#include "src/os/priority_linux.h"
#include "src/os/reason_linux.h"
#include "src/os/rights.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000LL

/* ---- time and machine ------------------------------------------------------- */

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

int64_t os_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint32_t os_process_id(void)
{
    return (uint32_t)getpid();
}

int64_t os_wall_now(void)
{
    return read_clock(CLOCK_REALTIME);
}

int os_zone_bias(void)
{
    const time_t now = time(NULL);
    struct tm local;
    return localtime_r(&now, &local) ? (int)(-local.tm_gmtoff / 60) : 0;
}

int64_t os_cpu_time(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS), .tv_nsec = (long)(ns % NS)};
}

void os_sleep(int64_t ns)
{
    struct timespec left = timespec_of(ns > 0 ? ns : 0);
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

uint64_t os_memory(void)
{
    const uint64_t installed = os_memory_installed(), limit = os_memory_limit("");
    return limit < installed ? limit : installed;
}

uint64_t os_memory_installed(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

uint64_t os_memory_resident(void)
{
    unsigned long long pages = 0;
    FILE *const f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%*u %llu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void os_machine_name(char *out, size_t room)
{
    if (room == 0 || gethostname(out, room) != 0 || !*out)
        snprintf(out, room, "machine");
    else
        out[room - 1] = '\0';
}

unsigned os_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    const long count = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than cpu_set_t holds */
    return count > 0 ? (unsigned)count : 1;
}

void *os_pages(size_t bytes)
{
    /* More than wanted, so that a part of it begins at a large page; the rest goes back. */
    const size_t all = bytes + OS_LARGE_PAGE;
    char *const from = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (from == MAP_FAILED)
        return NULL;
    const size_t before = (size_t)(-(uintptr_t)from % OS_LARGE_PAGE);
    if (before)
        munmap(from, before);
    munmap(from + before + bytes, OS_LARGE_PAGE - before);
    madvise(from + before, bytes, MADV_HUGEPAGE); /* a hint: without it, all works the same */
    return from + before;
}

void os_heap_tidy(void)
{
    /* Lists for a frame leave no holes between small pieces that stay. */
    enum { LARGE = 32 << 10 };
    mallopt(M_MMAP_THRESHOLD, LARGE); /* without this it grows with the blocks freed */
}

void os_heap_trim(void)
{
    malloc_trim(0);
}

void os_pages_free(void *pages, size_t bytes)
{
    if (pages)
        munmap(pages, bytes);
}

/* ---- threads ---------------------------------------------------------------- */

struct os_thread {
    pthread_t id;
    void (*run)(void *);
    void *arg;
    char name[16]; /* the kernel's limit */
};

static void *thread_main(void *arg)
{
    struct os_thread *t = arg;
    pthread_setname_np(pthread_self(), t->name);
    os_thread_boost(false); /* it is its starter's */
    t->run(t->arg);
    return NULL;
}

struct os_thread *os_thread_start(const char *name, void (*run)(void *), void *arg)
{
    struct os_thread *t = mem_new(1, sizeof *t);
    t->run = run;
    t->arg = arg;
    snprintf(t->name, sizeof t->name, "%s", name);

    /* Signals are the main thread's: the new thread starts with all of them
     * blocked. Faults stay deliverable, a blocked one would end in silence. */
    sigset_t all, before;
    sigfillset(&all);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&t->id, NULL, thread_main, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        char text[128];
        fprintf(stderr, "tracetop: cannot start the thread '%s': %s\n", name,
                os_reason(error, text, sizeof text));
        exit(1);
    }
    return t;
}

bool os_thread_boost_other(struct os_thread *t)
{
    const struct sched_param p = {.sched_priority = OS_BOOST_PRIORITY};
    const uint64_t before = os_rights_raise(OS_MAY_HURRY);
    const bool is_done = pthread_setschedparam(t->id, SCHED_RR, &p) == 0;
    os_rights_return(before);
    return is_done;
}

void os_thread_join(struct os_thread *t)
{
    pthread_join(t->id, NULL);
    free(t);
}

bool os_thread_join_within(struct os_thread *t, int64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until = timespec_of(until.tv_sec * NS + until.tv_nsec + ns);
    if (pthread_timedjoin_np(t->id, NULL, &until) != 0)
        return false;
    free(t);
    return true;
}

/* ---- wakeups ---------------------------------------------------------------- */

struct os_wakeup {
    int descriptor;
};

struct os_wakeup *os_wakeup_new(void)
{
    struct os_wakeup *b = mem_new(1, sizeof *b);
    b->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (b->descriptor < 0) {
        char text[128];
        fprintf(stderr, "tracetop: cannot create an event descriptor: %s\n",
                os_reason(errno, text, sizeof text));
        exit(1);
    }
    return b;
}

/* Async-signal-safe. A full counter means that the wakeup is signaled already. */
static void ring_descriptor(int descriptor)
{
    const uint64_t one = 1;
    ssize_t put;
    do
        put = write(descriptor, &one, sizeof one);
    while (put < 0 && errno == EINTR);
}

void os_wakeup_signal(struct os_wakeup *b)
{
    ring_descriptor(b->descriptor);
}

static bool wakeup_take(struct os_wakeup *b)
{
    uint64_t count;
    return read(b->descriptor, &count, sizeof count) == (ssize_t)sizeof count;
}

bool os_wakeup_wait(struct os_wakeup *b, int64_t timeout_ns)
{
    if (timeout_ns == 0)
        return wakeup_take(b);
    /* A deadline, so that interruptions do not stretch the wait; far ones are cut
     * at some 146 years. */
    const int64_t start = os_now();
    const int64_t deadline = timeout_ns > INT64_MAX / 2 ? INT64_MAX : start + timeout_ns;
    for (;;) {
        /* Waits first and looks afterwards: one call where nobody rings. */
        const int64_t left = timeout_ns < 0 ? 0 : deadline - os_now();
        const struct timespec t = timespec_of(left > 0 ? left : 0);
        struct pollfd p = {.fd = b->descriptor, .events = POLLIN};
        const int found = ppoll(&p, 1, timeout_ns < 0 ? NULL : &t, NULL);
        if (found > 0 && wakeup_take(b))
            return true;
        if (timeout_ns >= 0 && (found == 0 || deadline <= os_now()))
            return false;
    }
}

int os_wakeup_descriptor(struct os_wakeup *b)
{
    return b->descriptor;
}

/* ---- terminal and signals ---------------------------------------------------- */

bool os_is_terminal(int descriptor)
{
    return isatty(descriptor) == 1;
}

bool os_terminal_size(int descriptor, int *columns, int *rows)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}

/* Signal handlers get no argument, so this is the one state outside a struct: the
 * requests seen, and whom to wake (-1 = nobody). Both are lock-free, which makes
 * them safe in a handler; whoever takes the requests has been woken by the
 * descriptor's write, or is about to be. */
static atomic_uint signals_seen;
static atomic_int signals_wake = -1;

static const struct {
    int number;
    unsigned request;
} signal_table[] = {
    {SIGINT, OS_INTERRUPTED}, {SIGQUIT, OS_TERMINATED}, {SIGTERM, OS_TERMINATED},
    {SIGHUP, OS_TERMINATED},  {SIGWINCH, OS_RESIZED},   {SIGCONT, OS_RESUMED},
};

static void on_signal(int number)
{
    const int saved = errno;
    for (size_t i = 0; i < sizeof signal_table / sizeof *signal_table; i++)
        if (signal_table[i].number == number)
            atomic_fetch_or(&signals_seen, signal_table[i].request);
    const int descriptor = atomic_load(&signals_wake);
    if (descriptor >= 0)
        ring_descriptor(descriptor);
    errno = saved;
}

void os_signals_install(struct os_wakeup *b)
{
    atomic_store(&signals_wake, b->descriptor);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signal_table / sizeof *signal_table; i++)
        sigaction(signal_table[i].number, &action, NULL);
    /* A limit on the size of files is a write that fails, and not the program's end. */
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL);
}

unsigned os_signals_take(void)
{
    return atomic_exchange(&signals_seen, 0);
}

static void on_broken_pipe(int number)
{
    (void)number;
    _exit(0);
}

void os_signals_quiet_pipe(void)
{
    struct sigaction action = {.sa_handler = on_broken_pipe};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}

void os_wakeup_free(struct os_wakeup *b)
{
    if (!b)
        return;
    int mine = b->descriptor; /* a later signal must not write to somebody else's descriptor */
    atomic_compare_exchange_strong(&signals_wake, &mine, -1);
    close(b->descriptor);
    free(b);
}
