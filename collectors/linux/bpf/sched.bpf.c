/* Threads: switched, woken, ended. */
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

struct out_wake {
    RECORD_HEAD;
    char comm[16];
    __s32 pid, prio, target_cpu;
    __u32 padding;
};

struct out_switch {
    RECORD_HEAD;
    char prev_comm[16];
    __s32 prev_pid, prev_prio;
    __s64 prev_state;
    char next_comm[16];
    __s32 next_pid;
    __s16 next_prio;
    __u16 prev_file; /* which kind of file that call reads or writes: of the mode of its inode */
    __s64 prev_call; /* the system call the thread is in; negative: see NO_CALL and others */
};

struct out_exit {
    RECORD_HEAD;
    char comm[16];
    __s32 pid, prio;
    __s32 exit_code; /* of the process, as wait(2) has it: status << 8 | signal */
    __u8 group_dead;
    __u8 padding[3];
};

OUTPUT(sched_waking, out_wake);
OUTPUT(sched_wakeup_new, out_wake);
OUTPUT(sched_switch, out_switch);
OUTPUT(sched_process_exit, out_exit);
OUTPUT_DEEP(sched_waking, out_wake);
OUTPUT_DEEP(sched_switch, out_switch);

#define put_comm(to, task) bpf_probe_read_kernel(to, sizeof(to), (task)->comm)

/* ---- where a thread entered the kernel --------------------------------------------- */

/* x86 needs nobody to tell where they are, since the size of its stacks is known. */
static __always_inline _Bool has_registers(void)
{
    const struct pt_regs___arm64 *const arm = (const void *)0;
    return bpf_core_enum_value_exists(enum bpf_func_id___known, BPF_FUNC_task_pt_regs) ||
           !bpf_core_field_exists(arm->syscallno);
}

/* Before 5.15: the very top of its stack, which an address sanitizer doubles. */
static __always_inline const struct pt_regs *registers_at(const void *stack)
{
    enum { STACK_BYTES = 16384 };
    const struct task_struct___kasan *const kasan = (const void *)0;
    const __u64 bytes = bpf_core_field_exists(kasan->kasan_depth) ? 2 * STACK_BYTES : STACK_BYTES;
    return (const void *)((const char *)stack + bytes - bpf_core_type_size(struct pt_regs));
}

/* The registers it came with, at the very top of its stack. */
static __always_inline const struct pt_regs *registers(struct task_struct *t)
{
    if (bpf_core_enum_value_exists(enum bpf_func_id___known, BPF_FUNC_task_pt_regs))
        return (const struct pt_regs *)bpf_task_pt_regs(t);
    return registers_at(t->stack);
}

static __always_inline const struct pt_regs *own_registers(const struct task_struct *self)
{
    if (bpf_core_enum_value_exists(enum bpf_func_id___known, BPF_FUNC_task_pt_regs))
        return (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
    return registers_at(BPF_CORE_READ(self, stack));
}

/* The system call those registers ask for. -1 where an interrupt or a fault brought it. */
static __always_inline __s64 call_in(const struct pt_regs *regs)
{
    const __s64 call = number_of_call(regs);
    return call >= 0 && call < 0x10000 ? call : -1;
}

/* ---- interrupts -------------------------------------------------------------------- */

enum { IN_INTERRUPT = 0x08 };

/* Is what runs here an interrupt, or what runs behind one? arm64 has a count. x86 keeps its count
 * where a program reaches it on some kernels only, but the stack tells: interrupts have one of
 * their own, unless they came while the thread was in user mode; then the thread's registers
 * show no call. `ctx` lies on the stack that is in use. */
static __always_inline _Bool is_interrupt(const void *ctx, const struct task_struct *self)
{
    const struct task_struct___arm64 *const arm = (const void *)self;
    if (bpf_core_field_exists(arm->thread_info.preempt.count))
        return (BPF_CORE_READ(arm, thread_info.preempt.count) & 0x00ff0100) != 0;
    if (!BPF_CORE_READ(self, pid))
        return 1; /* the idle task wakes nobody on its own account, whatever stack it lends */
    const struct pt_regs *const regs = own_registers(self);
    if ((__u64)ctx < (__u64)BPF_CORE_READ(self, stack) || (__u64)ctx >= (__u64)regs)
        return 1;
    return !(BPF_CORE_READ(self, flags) & THREAD_OF_KERNEL) && call_in(regs) < 0;
}

/* ---- waking ------------------------------------------------------------------------ */

static __always_inline __s32 processor(struct task_struct *t)
{
    const struct task_struct___before_5_16 *const old = (const void *)t;
    if (bpf_core_field_exists(t->thread_info.cpu))
        return (__s32)BPF_CORE_READ(t, thread_info.cpu);
    return (__s32)BPF_CORE_READ(old, cpu);
}

static __always_inline void describe_wake(void *ctx, struct out_wake *o, struct task_struct *t)
{
    record_begin(o);
    if (is_interrupt(ctx, (const void *)bpf_get_current_task()))
        o->common_flags = IN_INTERRUPT;
    put_comm(o->comm, t);
    o->pid = t->pid;
    o->prio = t->prio;
    o->target_cpu = processor(t);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking__1, struct task_struct *t)
{
    struct out_wake o = {0};
    describe_wake(ctx, &o, t);
    const struct task_struct *const self = (const void *)bpf_get_current_task();
    const _Bool by_user = !o.common_flags && !(BPF_CORE_READ(self, flags) & THREAD_OF_KERNEL);
    return emit_deep(ctx, sched_waking, &o, sizeof o,
                     by_user && (is_in_scope() || has_scope((__u32)t->tgid)));
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new__1, struct task_struct *t)
{
    struct out_wake o = {0};
    describe_wake(ctx, &o, t);
    return emit(ctx, sched_wakeup_new, &o, sizeof o);
}

/* ---- switching --------------------------------------------------------------------- */

enum {
    STATE_UNINTERRUPTIBLE = 0x2,
    STATE_NOLOAD = 0x400,
    STATE_RT_LOCK = 0x1000,
    STATE_FROZEN = 0x8000,
    REPORT_IDLE = 0x80,
    REPORT_PREEMPTED = 0x100,
};

/* What the tracepoint prints for a task's state: the highest of the bits it tells apart. */
static __always_inline __s64 reported(_Bool is_preempted, __u32 state)
{
    if (is_preempted)
        return REPORT_PREEMPTED;
    if ((state & (STATE_UNINTERRUPTIBLE | STATE_NOLOAD)) == (STATE_UNINTERRUPTIBLE | STATE_NOLOAD))
        return REPORT_IDLE;
    if (state & (STATE_RT_LOCK | STATE_FROZEN))
        state |= STATE_UNINTERRUPTIBLE;
#pragma unroll
    for (__u32 bit = 0x40; bit; bit >>= 1)
        if (state & bit)
            return bit;
    return 0;
}

/* As collectors/linux/translate/wait_calls.h has them. */
enum { OF_KERNEL = -1, NO_CALL = -2, OF_32_BITS = -3 };

/* The system call a thread that leaves the processor is in. Its registers are those with which
 * it entered the kernel: interrupts and faults leave a negative number there. */
static __always_inline __s64 call_of(struct task_struct *t)
{
    if (t->flags & THREAD_OF_KERNEL || !has_registers())
        return OF_KERNEL;
    if (is_compat())
        return OF_32_BITS;
    const __s64 call = call_in(registers(t));
    return call < 0 ? NO_CALL : call;
}

/* read, write, readv, writev */
static __always_inline _Bool is_by_descriptor(__s64 call)
{
    const struct pt_regs___arm64 *const arm = (const void *)0;
    if (bpf_core_field_exists(arm->syscallno))
        return call >= 63 && call <= 66;
    return call == 0 || call == 1 || call == 19 || call == 20;
}

static __always_inline __u16 file_of(struct task_struct *t)
{
    enum { KIND = 0170000 };
    const struct pt_regs *const regs = registers(t);
    const struct pt_regs___arm64 *const arm = (const void *)regs;
    const __u64 fd =
        bpf_core_field_exists(arm->orig_x0) ? BPF_CORE_READ(arm, orig_x0) : BPF_CORE_READ(regs, di);
    const struct file *const file = file_of_descriptor((__s32)fd);
    return file ? BPF_CORE_READ(file, f_inode, i_mode) & KIND : 0;
}

static __always_inline int switched(void *ctx, _Bool is_preempted, struct task_struct *prev,
                                    struct task_struct *next, __u32 state)
{
    struct out_switch o = {0};
    record_begin(&o);
    put_comm(o.prev_comm, prev);
    o.prev_pid = prev->pid;
    o.prev_prio = prev->prio;
    o.prev_state = reported(is_preempted, state);
    put_comm(o.next_comm, next);
    o.next_pid = next->pid;
    o.next_prio = (__s16)next->prio;
    o.prev_call = call_of(prev);
    if (o.prev_state && !is_preempted && is_by_descriptor(o.prev_call))
        o.prev_file = file_of(prev);
    const _Bool by_user = !(prev->flags & THREAD_OF_KERNEL) && is_in_scope();
    return emit_deep(ctx, sched_switch, &o, sizeof o, by_user);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch__4, _Bool is_preempted, struct task_struct *prev,
             struct task_struct *next, unsigned int state)
{
    return switched(ctx, is_preempted, prev, next, state);
}

/* Until 5.18. */
SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch__3, _Bool is_preempted, struct task_struct *prev,
             struct task_struct *next)
{
    const struct task_struct___before_5_14 *const old = (const void *)prev;
    __u32 state = 0;
    if (bpf_core_field_exists(old->state))
        state = (__u32)BPF_CORE_READ(old, state);
    else
        state = BPF_CORE_READ(prev, __state);
    return switched(ctx, is_preempted, prev, next, state);
}

/* ---- ending ------------------------------------------------------------------------ */

/* What its parent is told: of all threads at once, else that of the first one, whichever of them
 * was the last to go. */
static __always_inline __s32 code_of(const struct task_struct *t)
{
    if (BPF_CORE_READ(t, signal, flags) & ENDS_AS_A_WHOLE)
        return BPF_CORE_READ(t, signal, group_exit_code);
    return BPF_CORE_READ(t, group_leader, exit_code);
}

static __always_inline int ended(void *ctx, struct task_struct *t, _Bool group_dead)
{
    struct out_exit o = {0};
    record_begin(&o);
    put_comm(o.comm, t);
    o.pid = t->pid;
    o.prio = t->prio;
    o.exit_code = code_of(t);
    o.group_dead = group_dead;
    return emit(ctx, sched_process_exit, &o, sizeof o);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit__2, struct task_struct *t, _Bool group_dead)
{
    return ended(ctx, t, group_dead);
}

/* Kernels that do not say it have counted the thread out already. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit__1, struct task_struct *t)
{
    return ended(ctx, t, BPF_CORE_READ(t, signal, live.counter) == 0);
}
