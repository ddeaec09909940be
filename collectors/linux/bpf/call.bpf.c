/* System calls: cheaper than by their tracepoints, of those in scope only, and with the word
 * that tells whose numbers they are. */
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

/* ---- what a call is about: for the programs of the files behind this one, too --------------- */

/* The arguments as they were given; at the end of a call they are still there. */
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

/* The number of the call that the thread entered the kernel with; negative: none. */
static __always_inline __s64 number_of_call(const struct pt_regs *regs)
{
    const struct pt_regs___arm64 *const arm = (const void *)regs;
    return bpf_core_field_exists(arm->syscallno) ? (__s64)BPF_CORE_READ(arm, syscallno)
                                                 : (__s64)BPF_CORE_READ(regs, orig_ax);
}

/* The opening behind a descriptor of the thread that runs, or NULL. */
static __always_inline const struct file *file_of_descriptor(__s32 fd)
{
    const struct task_struct *const task = (const void *)bpf_get_current_task();
    const struct fdtable *const table = BPF_CORE_READ(task, files, fdt);
    const struct file *file = NULL;
    if (fd < 0 || (__u32)fd >= BPF_CORE_READ(table, max_fds))
        return NULL;
    bpf_probe_read_kernel(&file, sizeof file, BPF_CORE_READ(table, fd) + fd);
    return file;
}

/* ---- enter and exit --------------------------------------------------------------------------- */

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
    record_begin(&o);
    o.id = number_of_call(regs);
    return emit(ctx, sys_exit, &o, sizeof o);
}
