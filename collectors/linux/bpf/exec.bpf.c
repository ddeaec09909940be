/* Programs as they begin: the path that exec was given, and the arguments, which /proc has only as
 * long as the process lives. */
#include "collectors/linux/bpf/output.h"

/* A path that is longer is cut; of more arguments the beginning is told. Powers of two. */
enum { EXEC_PATH_BYTES = 1024, EXEC_ARGUMENT_BYTES = 2048 };

struct out_exec {
    RECORD_HEAD;
    __s32 pid, old_pid;
    data_loc filename, arguments; /* each argument with its NUL */
    __u32 argument_bytes;         /* of all of them */
    __u32 padding;
    char text[EXEC_PATH_BYTES + EXEC_ARGUMENT_BYTES];
};

OUTPUT(sched_process_exec, out_exec);

/* Too large for a program's stack; it is not interrupted by itself (see path.bpf.c). */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct out_exec);
} exec_room SEC(".maps");

/* Appends them behind the path; how many bytes they are, 0 where they cannot be read. */
static __always_inline __u32 put_arguments(struct out_exec *o, __u32 used,
                                           const struct mm_struct *mm)
{
    const unsigned long from = BPF_CORE_READ(mm, arg_start), to = BPF_CORE_READ(mm, arg_end);
    o->argument_bytes = to > from ? (__u32)(to - from) : 0;
    __u32 bytes = o->argument_bytes;
    if (bytes > EXEC_ARGUMENT_BYTES)
        bytes = EXEC_ARGUMENT_BYTES;
    barrier_var(bytes);
    barrier_var(used);
    if (!bytes || bytes > EXEC_ARGUMENT_BYTES || used > EXEC_PATH_BYTES)
        return 0;
    return bpf_probe_read_user(o->text + used, bytes, (const void *)from) == 0 ? bytes : 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec__3, struct task_struct *t, int old_pid,
             const struct linux_binprm *program)
{
    const __u32 zero = 0;
    struct out_exec *const o = bpf_map_lookup_elem(&exec_room, &zero);
    if (!o)
        return 0;
    record_begin(o);
    o->pid = t->pid;
    o->old_pid = old_pid;
    const long bytes =
        bpf_probe_read_kernel_str(o->text, EXEC_PATH_BYTES, BPF_CORE_READ(program, filename));
    __u32 used = bytes > 0 ? (__u32)bytes : 0;
    barrier_var(used);
    if (used > EXEC_PATH_BYTES)
        return 0;
    __u32 arguments = put_arguments(o, used, BPF_CORE_READ(t, mm));
    o->filename = offsetof(struct out_exec, text) | used << 16;
    o->arguments = (offsetof(struct out_exec, text) + used) | arguments << 16;
    barrier_var(arguments);
    if (arguments > EXEC_ARGUMENT_BYTES)
        return 0;
    return emit(ctx, sched_process_exec, o, offsetof(struct out_exec, text) + used + arguments);
}
