/* The scope follows who comes: what collectors/linux/bpf/process_scope.c does by the records of the side band,
 * done where it happens, so that the first system call of a child is recorded.
 *
 * A pattern for names becomes a machine of as many states as it has characters, a bit each: a
 * character of the name moves on those states whose character it fits, and stars stay. */
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

enum { CHARACTERS = 256, NAME_BYTES = 16, SHARES_MEMORY_AND_ID = 0x00010000 /* CLONE_THREAD */ };

/* The states that a character moves on. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, CHARACTERS);
    __type(key, __u32);
    __type(value, __u64);
} scope_moves SEC(".maps");

/* The states that are stars, and the last one. */
struct pattern {
    __u64 stars, end;
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct pattern);
} scope_pattern SEC(".maps");

static __always_inline _Bool is_match(const char *name)
{
    const __u32 zero = 0;
    const struct pattern *const p = bpf_map_lookup_elem(&scope_pattern, &zero);
    if (!p)
        return 0;
    __u64 states = 1 | (p->stars & 1) << 1; /* a star may stand for nothing */
#pragma unroll
    for (int i = 0; i < NAME_BYTES - 1; i++) {
        const __u32 character = (__u8)name[i];
        if (!character)
            break;
        const __u64 *const moves = bpf_map_lookup_elem(&scope_moves, &character);
        if (!moves)
            return 0;
        states = (states & *moves) << 1 | (states & p->stars);
        states |= (states & p->stars) << 1;
    }
    return (states & p->end) != 0;
}

static __always_inline void put(__u32 *flags, __u32 process, _Bool is_in)
{
    const __u8 one = 1;
    if (!is_in)
        bpf_map_delete_elem(&scope_processes, &process);
    else if (bpf_map_update_elem(&scope_processes, &process, &one, BPF_ANY) != 0)
        *flags &= ~(__u32)SCOPE_CHOOSES;
}

/* A child has its parent's name until it takes another. */
SEC("tp_btf/task_newtask")
int BPF_PROG(scope_births__2, struct task_struct *t, unsigned long clone_flags)
{
    __u32 *const flags = scope_of_all();
    if (!flags || clone_flags & SHARES_MEMORY_AND_ID)
        return 0;
    const __u32 parent = bpf_get_current_pid_tgid() >> 32;
    const _Bool is_heir = *flags & (SCOPE_HAS_CHILDREN | SCOPE_HAS_NAME);
    put(flags, (__u32)t->tgid, is_heir && bpf_map_lookup_elem(&scope_processes, &parent));
    return 0;
}

/* By running another program, or by itself. A process is called what its first thread is. */
SEC("tp_btf/task_rename")
int BPF_PROG(scope_names__2, struct task_struct *t, const char *comm)
{
    __u32 *const flags = scope_of_all();
    const __u32 process = (__u32)t->tgid;
    if (!flags || !(*flags & SCOPE_HAS_NAME) || t->pid != t->tgid)
        return 0;
    if (*flags & SCOPE_HAS_CHILDREN && bpf_map_lookup_elem(&scope_processes, &process))
        return 0;
    char name[NAME_BYTES] = {0};
    bpf_probe_read_kernel_str(name, sizeof name, comm);
    put(flags, process, is_match(name));
    return 0;
}

/* ---- samples of the kernel's own counters ----------------------------------------------- */

/* What the event counted and this left out, by processor. */
#define LEFT_OUT(name)                                                                             \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                   \
        __uint(max_entries, 1);                                                                    \
        __type(key, __u32);                                                                        \
        __type(value, __u64);                                                                      \
    } name##_fired SEC(".maps")

static __always_inline int leave_out(void *fired)
{
    count_one(fired);
    return 0;
}

LEFT_OUT(scope_samples);
SEC("perf_event")
int scope_samples__0(void *ctx)
{
    return is_in_scope() ? 1 : leave_out(&scope_samples_fired);
}

/* The kernel's own sample of a fault has its address, thread and time. */
struct out_fault {
    RECORD_HEAD;
    __u64 address;
};

/* A fault whose record took the copy of the user's stack along is left out itself. */
#define FAULTS(name)                                                                               \
    LEFT_OUT(name);                                                                                \
    OUTPUT_DEEP(name, out_fault);                                                                  \
    SEC("perf_event")                                                                              \
    int name##__0(struct bpf_perf_event_data *ctx)                                                 \
    {                                                                                              \
        if (!is_in_scope())                                                                        \
            return leave_out(&name##_fired);                                                       \
        if (!may_go_deep(&name##_deep_on, &name##_deep_budget, &name##_deep_left))                 \
            return 1;                                                                              \
        struct out_fault o = {0};                                                                  \
        record_begin(&o);                                                                          \
        o.address = ctx->addr;                                                                     \
        const long status =                                                                        \
            bpf_perf_event_output(ctx, &name##_deep_out, BPF_F_CURRENT_CPU, &o, sizeof o);         \
        if (status != 0)                                                                           \
            return 1;                                                                              \
        leave_out(&name##_deep_fired);                                                             \
        return leave_out(&name##_fired);                                                           \
    }

FAULTS(scope_soft_faults)
FAULTS(scope_hard_faults)
