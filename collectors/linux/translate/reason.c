#include "collectors/linux/translate/reason.h"

#include "src/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* ---- system calls ------------------------------------------------------------------------ */

/* Numbers differ from architecture to architecture, and some have not all of them. */
static const struct {
    int call;
    uint8_t reason;
} calls[] = {
    {SYS_futex, REASON_ALERT},           {SYS_nanosleep, REASON_DELAY},
    {SYS_clock_nanosleep, REASON_DELAY}, {SYS_ppoll, REASON_USER_REQUEST},
    {SYS_pselect6, REASON_USER_REQUEST}, {SYS_epoll_pwait, REASON_USER_REQUEST},
    {SYS_wait4, REASON_USER_REQUEST},    {SYS_waitid, REASON_USER_REQUEST},
#ifdef SYS_futex_waitv
    {SYS_futex_waitv, REASON_ALERT},
#endif
};

enum wait_reason reason_of_call(int64_t call)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].call == call)
            return calls[i].reason;
    return call == -1 ? REASON_QUEUE : REASON_UNKNOWN; /* only the kernel's own threads */
}

bool reason_is_yield(int64_t call)
{
    return call == SYS_sched_yield;
}

/* ---- functions ------------------------------------------------------------------------------ */

enum { TRACER = 253, PASS = 254 };

/* Names drift between kernels: patterns, the first that matches; '*' stands for any rest. */
static const struct {
    const char *pattern;
    uint8_t reason;
} functions[] = {
    {"__schedule*", PASS},
    {"schedule*", PASS},
    {"preempt_schedule*", PASS},
    {"io_schedule*", PASS},
    {"do_nanosleep", PASS},
    {"bpf_trace_run*", TRACER},
    {"__bpf_trace_*", TRACER},
    {"__traceiter_*", TRACER},
    {"perf_*", PASS},
    {"__perf_*", PASS},
    {"__bpf_*", PASS},
    {"bpf_*", PASS},
    {"trace_*", PASS},
    {"futex_*", REASON_ALERT},
    {"__futex_*", REASON_ALERT},
    {"hrtimer_nanosleep", REASON_DELAY},
    {"common_nsleep*", REASON_DELAY},
    {"msleep*", REASON_DELAY},
    {"usleep_range*", REASON_DELAY},
    {"poll_schedule_timeout*", REASON_USER_REQUEST},
    {"do_sys_poll", REASON_USER_REQUEST},
    {"do_poll*", REASON_USER_REQUEST},
    {"do_select", REASON_USER_REQUEST},
    {"ep_poll", REASON_USER_REQUEST},
    {"do_epoll_wait", REASON_USER_REQUEST},
    {"pipe_read", REASON_RECEIVE},
    {"anon_pipe_read", REASON_RECEIVE},
    {"unix_stream_read*", REASON_RECEIVE},
    {"unix_stream_recv*", REASON_RECEIVE},
    {"unix_stream_data_wait*", REASON_RECEIVE},
    {"unix_dgram_recv*", REASON_RECEIVE},
    {"__skb_wait_for_more_packets", REASON_RECEIVE},
    {"pipe_write", REASON_REPLY},
    {"anon_pipe_write", REASON_REPLY},
    {"unix_stream_send*", REASON_REPLY},
    {"unix_dgram_send*", REASON_REPLY},
    {"unix_wait_for_peer", REASON_REPLY},
    {"sock_alloc_send*", REASON_REPLY},
    {"wait_woken", REASON_USER_REQUEST},
    {"sk_wait_data", REASON_USER_REQUEST},
    {"tcp_recvmsg*", REASON_USER_REQUEST},
    {"inet_csk_accept", REASON_USER_REQUEST},
    {"folio_wait_*", REASON_PAGE_IN},
    {"filemap_*", REASON_PAGE_IN},
    {"__filemap_*", REASON_PAGE_IN},
    {"__folio_lock*", REASON_PAGE_IN},
    {"__lock_page*", REASON_PAGE_IN},
    {"swap_*", REASON_PAGE_IN},
    {"submit_bio_wait", REASON_EXECUTIVE},
    {"blk_*", REASON_EXECUTIVE},
    {"jbd2_*", REASON_EXECUTIVE},
    {"wbt_wait", REASON_EXECUTIVE},
    {"mutex_lock*", REASON_MUTEX},
    {"__mutex_*", REASON_MUTEX},
    {"rt_mutex_*", REASON_MUTEX},
    {"rwsem_*", REASON_RESOURCE},
    {"down_*", REASON_RESOURCE},
    {"__down_*", REASON_RESOURCE},
    {"do_wait", REASON_USER_REQUEST},
    {"__do_wait", REASON_USER_REQUEST},
    {"wait_for_vfork_done", REASON_USER_REQUEST},
    {"__wait_for_common", REASON_USER_REQUEST},
    {"wait_for_completion*", REASON_USER_REQUEST},
    {"worker_thread", REASON_QUEUE},
    {"rcu_*", REASON_QUEUE},
    {"kthread*", REASON_QUEUE},
    {"kswapd*", REASON_QUEUE},
    {"kcompactd*", REASON_QUEUE},
    {"smpboot_thread_fn", REASON_QUEUE},
    {"rescuer_thread", REASON_QUEUE},
    {"mem_cgroup_handle_over_high", REASON_FREE_PAGE},
    {"throttle_direct_reclaim*", REASON_FREE_PAGE},
    {"balance_dirty_pages*", REASON_FREE_PAGE},
    {"throttle_cfs_rq*", REASON_RATE_CONTROL},
    {"do_task_dead", REASON_TERMINATED},
};

static bool is_like(const char *name, const char *pattern)
{
    const size_t length = strcspn(pattern, "*");
    return strncmp(name, pattern, length) == 0 && (pattern[length] == '*' || !name[length]);
}

static uint8_t class_of(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (is_like(name, functions[i].pattern))
            return functions[i].reason;
    return REASON_UNKNOWN;
}

enum wait_reason reason_of_function(const char *name, bool *is_passed)
{
    const uint8_t class = class_of(name);
    *is_passed = class == PASS || class == TRACER;
    return *is_passed ? REASON_UNKNOWN : class;
}

/* ---- the kernel's functions by address ------------------------------------------------------- */

/* Where what is known changes; most of the kernel is one long stretch of UNKNOWN. */
struct mark {
    uint64_t address;
    uint8_t class;
};

struct reasons {
    struct mark *marks;
    size_t count;
};

static int by_address(const void *a, const void *b)
{
    const struct mark *const x = a, *const y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    /* Of several names for one function, the one that says something. */
    return (x->class == REASON_UNKNOWN) - (y->class == REASON_UNKNOWN);
}

static void squeeze(struct reasons *r)
{
    qsort(r->marks, r->count, sizeof *r->marks, by_address);
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (i && r->marks[i].address == r->marks[i - 1].address)
            continue;
        if (!kept || r->marks[kept - 1].class != r->marks[i].class)
            r->marks[kept++] = r->marks[i];
    }
    r->count = kept;
}

struct reasons *reasons_read(FILE *kallsyms)
{
    enum { SYMBOLS_MOST = 1 << 20 };
    struct reasons *const r = mem_new(1, sizeof *r);
    size_t room = 0;
    char line[1024], type, name[512];
    unsigned long long address;
    while (r->count < SYMBOLS_MOST && fgets(line, sizeof line, kallsyms)) {
        if (sscanf(line, "%llx %c %511s", &address, &type, name) != 3 || !address ||
            !strchr("tTwW", type))
            continue;
        if (r->count == room) {
            room = room ? 2 * room : 4096;
            r->marks = mem_grow(r->marks, room, sizeof *r->marks);
        }
        r->marks[r->count++] = (struct mark){address, class_of(name)};
    }
    if (r->count) {
        squeeze(r);
        r->marks = mem_grow(r->marks, r->count, sizeof *r->marks); /* some per cent are left */
        return r;
    }
    reasons_free(r);
    return NULL;
}

void reasons_free(struct reasons *r)
{
    if (!r)
        return;
    free(r->marks);
    free(r);
}

static uint8_t class_at(const struct reasons *r, uint64_t address)
{
    size_t low = 0, high = r->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (r->marks[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? r->marks[low - 1].class : (uint8_t)REASON_UNKNOWN;
}

/* The first frame that is not the scheduler's names the reason; where no row knows it, those
 * that called it may: a lock deep in a file system is not known, the read above it is. */
enum wait_reason reason_of_chain(const struct reasons *r, const uint64_t *chain, uint32_t count)
{
    enum { DEEP_ENOUGH = 12 };
    bool is_kernel = false;
    for (uint32_t i = 0, frames = 0; i < count && frames < DEEP_ENOUGH; i++) {
        if (chain[i] >= PERF_CONTEXT_MAX) {
            if (is_kernel)
                break;
            is_kernel = chain[i] == (uint64_t)PERF_CONTEXT_KERNEL;
        } else if (is_kernel) {
            const uint8_t class = class_at(r, frames++ ? chain[i] - 1 : chain[i]);
            if (class != PASS && class != TRACER && class != REASON_UNKNOWN)
                return class;
        }
    }
    return REASON_UNKNOWN;
}

/* The innermost is the BPF program itself, which is none of the kernel's functions. */
uint32_t reason_tracer_frames(const struct reasons *r, const uint64_t *frames, uint32_t count)
{
    enum { MOST = 6 };
    uint32_t leading = 0;
    for (uint32_t i = 1; i < count && i < MOST; i++)
        if (class_at(r, frames[i] - 1) == TRACER)
            leading = i + 1;
    return leading;
}
