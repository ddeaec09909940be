/* System calls: cheaper than by their tracepoints, of those in scope only, and with the word
 * that tells whose numbers they are. */
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

struct out_call {
    RECORD_HEAD;
    __s64 id;
    __s64 ret;
    __u32 is_compat; /* the number is of the machine's 32-bit calls */
    __u32 padding;
};

OUTPUT(sys_enter, out_call);
OUTPUT(sys_exit, out_call);

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter__2, struct pt_regs *regs, long id)
{
    struct out_call o = {.id = id, .is_compat = is_compat()};
    if (!is_in_scope())
        return 0;
    record_begin(&o);
    return emit(ctx, sys_enter, &o, sizeof o);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit__2, struct pt_regs *regs, long ret)
{
    struct out_call o = {.ret = ret, .is_compat = is_compat()};
    if (!is_in_scope())
        return 0;
    const struct pt_regs___arm64 *const arm = (const void *)regs;
    record_begin(&o);
    o.id = bpf_core_field_exists(arm->syscallno) ? (__s64)BPF_CORE_READ(arm, syscallno)
                                                 : (__s64)BPF_CORE_READ(regs, orig_ax);
    return emit(ctx, sys_exit, &o, sizeof o);
}
