/* Paths as the calls that take them got them: a tracepoint has only their address, and behind
 * the call the file may be gone. Where a path is relative, the names of the folder that it is
 * relative to follow, the innermost first: its process may be gone as soon. */
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

/* ALL: of path and folder, a power of two. */
enum { PATH_BYTES = 1024, ALL = 2048, FOLDER_BYTES = 256, DEPTH = 24, CALLS = 512 };

/* As raw_syscalls:sys_enter has it, and the path; no folder where it is not relative, or its
 * folder is too deep to be told. */
struct out_path {
    RECORD_HEAD;
    __s64 id;
    __u64 args[6];
    data_loc path, folder;
    char text[ALL + FOLDER_BYTES];
};

OUTPUT(sys_enter_path, out_path);

/* By number of the call: which argument is the path, counted from 1, and in the upper half which
 * is the descriptor of the folder; 0: none. The loader fills it. */
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

/* ---- the folder ------------------------------------------------------------------------------ */

enum { AT_FDCWD = -100 };

/* Where the way up has come to, and where it ends for this process. */
struct way {
    struct path at, root;
};

static __always_inline _Bool is_folder_found(struct way *w, __s32 fd)
{
    const struct task_struct *const task = (const void *)bpf_get_current_task();
    const struct fs_struct *const fs = BPF_CORE_READ(task, fs);
    struct path *const at = &w->at;
    BPF_CORE_READ_INTO(&w->root.mnt, fs, root.mnt);
    BPF_CORE_READ_INTO(&w->root.dentry, fs, root.dentry);
    if (fd == AT_FDCWD) {
        BPF_CORE_READ_INTO(&at->mnt, fs, pwd.mnt);
        BPF_CORE_READ_INTO(&at->dentry, fs, pwd.dentry);
    } else {
        const struct file *const file = file_of_descriptor(fd);
        if (!file)
            return 0;
        BPF_CORE_READ_INTO(&at->mnt, file, f_path.mnt);
        BPF_CORE_READ_INTO(&at->dentry, file, f_path.dentry);
    }
    return at->mnt && at->dentry;
}

/* One name toward the root, or over the edge of a file system: 1 when there is more, 0 at the
 * root, -1 where the way cannot be told. */
static __always_inline int step_up(struct way *w, struct out_path *o, __u32 *used)
{
    struct path *const at = &w->at;
    if (at->dentry == w->root.dentry && at->mnt == w->root.mnt)
        return 0;
    struct dentry *const parent = BPF_CORE_READ(at->dentry, d_parent);
    if (at->dentry == BPF_CORE_READ(at->mnt, mnt_root)) {
        const struct mount *const mount =
            (const void *)((const char *)at->mnt - bpf_core_field_offset(struct mount, mnt));
        struct mount *const outer = BPF_CORE_READ(mount, mnt_parent);
        if (outer == mount)
            return 0;
        at->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
        at->mnt = (struct vfsmount *)((char *)outer + bpf_core_field_offset(struct mount, mnt));
        return 1;
    }
    if (parent == at->dentry)
        return -1; /* out of reach: unmounted lazily, or in no folder at all */
    __u32 where = *used;
    barrier_var(where);
    if (where >= ALL)
        return -1;
    const long bytes = bpf_probe_read_kernel_str(o->text + where, FOLDER_BYTES,
                                                 BPF_CORE_READ(at->dentry, d_name.name));
    if (bytes <= 1)
        return -1;
    *used = where + (__u32)bytes;
    at->dentry = parent;
    return 1;
}

/* Appends the folder's names behind the path; how many bytes there are then. */
static __always_inline __u32 report_folder(struct out_path *o, __u32 used, __s32 fd)
{
    struct way way = {{NULL, NULL}, {NULL, NULL}};
    __u32 end = used;
    if (!is_folder_found(&way, fd))
        return used;
    int more = 1;
    for (int i = 0; i < DEPTH && more == 1; i++)
        more = step_up(&way, o, &end);
    if (more != 0 || end >= ALL)
        return used;
    if (end == used && end < ALL) /* the root itself: a NUL tells it from nothing */
        o->text[end++] = '\0';
    return end;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter_path__2, struct pt_regs *regs, long id)
{
    const __u32 call = (__u32)id;
    const __u8 *const argument = bpf_map_lookup_elem(&path_arguments, &call);
    if (!argument || is_compat() || !is_in_scope())
        return 0;
    __u32 which = (*argument & 15) - 1u, holder = *argument >> 4;
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
    __u32 used = kept;
    o->path = offsetof(struct out_path, text) | kept << 16;
    if (kept > 1 && o->text[0] != '/')
        used = report_folder(o, kept, holder ? (__s32)o->args[(holder - 1) & 3] : AT_FDCWD);
    barrier_var(used);
    if (used > ALL)
        return 0;
    o->folder = (offsetof(struct out_path, text) + kept) | (used - kept) << 16;
    return emit(ctx, sys_enter_path, o, offsetof(struct out_path, text) + used);
}
