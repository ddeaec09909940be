/* Paths as the calls that take them got them: a tracepoint has only their address, and behind
 * the call the file may be gone. */
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

enum { PATH_BYTES = 1024, CALLS = 512 };

/* As raw_syscalls:sys_enter has it, and the path. */
struct out_path {
    RECORD_HEAD;
    __s64 id;
    __u64 args[6];
    data_loc path;
    char text[PATH_BYTES + 4];
};

OUTPUT(sys_enter_path, out_path);

/* By number of the call: which argument is the path, counted from 1. The loader fills it. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, CALLS);
    __type(key, __u32);
    __type(value, __u8);
} path_arguments SEC(".maps");

/* Too large for a program's stack; a thread that enters a call is not interrupted by another
 * one that does, as long as it stays on its processor: raw tracepoints see to that. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct out_path);
} path_room SEC(".maps");

static __always_inline void read_arguments(__u64 *to, const struct pt_regs *regs)
{
    const struct pt_regs___arm64 *const arm = (const void *)regs;
    if (bpf_core_field_exists(arm->orig_x0)) {
        BPF_CORE_READ_INTO((__u64(*)[6])to, arm, regs);
        to[0] = BPF_CORE_READ(arm, orig_x0);
        return;
    }
    to[0] = BPF_CORE_READ(regs, di);
    to[1] = BPF_CORE_READ(regs, si);
    to[2] = BPF_CORE_READ(regs, dx);
    to[3] = BPF_CORE_READ(regs, r10);
    to[4] = BPF_CORE_READ(regs, r8);
    to[5] = BPF_CORE_READ(regs, r9);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter_path__2, struct pt_regs *regs, long id)
{
    const __u32 call = (__u32)id;
    const __u8 *const argument = bpf_map_lookup_elem(&path_arguments, &call);
    if (!argument || is_compat() || !is_in_scope())
        return 0;
    __u32 which = *argument - 1u;
    barrier_var(which); /* the verifier wants to see the very value that was compared */
    if (which >= 6)
        return 0;
    const __u32 zero = 0;
    struct out_path *const o = bpf_map_lookup_elem(&path_room, &zero);
    if (!o)
        return 0;
    record_begin(o);
    o->id = id;
    read_arguments(o->args, regs);
    const long bytes = bpf_probe_read_user_str(o->text, PATH_BYTES, (const void *)o->args[which]);
    __u32 kept = bytes > 0 ? (__u32)bytes : 0; /* not in memory right now: no path */
    barrier_var(kept);
    if (kept > PATH_BYTES)
        return 0;
    o->path = offsetof(struct out_path, text) | kept << 16;
    return emit(ctx, sys_enter_path, o, offsetof(struct out_path, text) + kept);
}
