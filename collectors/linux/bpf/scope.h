/* Whose events are recorded (-p, -n, -c). Programs for what a thread does itself ask is_in_scope()
 * first; scope.bpf.c follows who comes. */
#ifndef COLLECTORS_LINUX_BPF_SCOPE_H
#define COLLECTORS_LINUX_BPF_SCOPE_H

#include "collectors/linux/bpf/kernel.h"

enum scope_flag {
    SCOPE_CHOOSES = 1, /* else everybody is in scope */
    SCOPE_HAS_CHILDREN = 2,
    SCOPE_HAS_NAME = 4,
};

enum { SCOPE_PROCESSES = 32768 };

/* By process id. What finds no place ends the choosing: too much rather than too little. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, SCOPE_PROCESSES);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u8));
} scope_processes SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
} scope_flags SEC(".maps");

static __always_inline __u32 *scope_of_all(void)
{
    const __u32 zero = 0;
    return bpf_map_lookup_elem(&scope_flags, &zero);
}

static __always_inline _Bool has_scope(__u32 process)
{
    const __u32 *const flags = scope_of_all();
    return !flags || !(*flags & SCOPE_CHOOSES) || bpf_map_lookup_elem(&scope_processes, &process);
}

static __always_inline _Bool is_in_scope(void)
{
    return has_scope(bpf_get_current_pid_tgid() >> 32);
}

#endif
