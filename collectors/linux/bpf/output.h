/* How our programs hand their records over: OUTPUT(name, layout) makes what belongs to an event,
 * emit() writes one record into the ring of the processor it runs on.
 *
 * Each record begins as a tracepoint's does, with our version where that has its type:
 *
 *    0 u16 version   2 u8 flags (0x08: in an interrupt; wakings only)   4 s32 thread
 *    8 fields of its own, named as the tracepoint's are
 *
 * The struct is the description: the collector finds its members by name in the type
 * information of the object. */
#ifndef COLLECTORS_LINUX_BPF_OUTPUT_H
#define COLLECTORS_LINUX_BPF_OUTPUT_H

#include "collectors/linux/bpf/kernel.h"

enum { RECORD_VERSION = 1 };

/* A text elsewhere in the record: its offset, in the upper half its bytes with the NUL. */
typedef __u32 data_loc;

#define RECORD_HEAD                                                                                \
    __u16 version;                                                                                 \
    __u8 common_flags, common_preempt_count;                                                       \
    __s32 common_pid

/* The event `name` has records of struct `layout`. NAME_out takes the events the records go to, by
 * processor; NAME_fired counts them, by processor. The pointer keeps the struct's description. */
#define OUTPUT(name, layout)                                                                       \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);                                               \
        __uint(key_size, sizeof(__u32));                                                           \
        __uint(value_size, sizeof(__u32));                                                         \
    } name##_out SEC(".maps");                                                                     \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                   \
        __uint(max_entries, 1);                                                                    \
        __type(key, __u32);                                                                        \
        __type(value, __u64);                                                                      \
    } name##_fired SEC(".maps");                                                                   \
    const struct layout *layout_##name

#define record_begin(r)                                                                            \
    do {                                                                                           \
        (r)->version = RECORD_VERSION;                                                             \
        (r)->common_pid = (__s32)bpf_get_current_pid_tgid();                                       \
    } while (0)

/* Counts in a table of one entry, on this processor. */
static __always_inline __u64 *counter_of(void *table)
{
    const __u32 zero = 0;
    return bpf_map_lookup_elem(table, &zero);
}

static __always_inline void count_one(void *table)
{
    __u64 *const count = counter_of(table);
    if (count)
        ++*count;
}

/* Does anybody listen to the event that a record was written to? */
static __always_inline _Bool is_heard(long status)
{
    return status != -NOT_HERE && status != -NOT_LISTENING;
}

/* A record nobody listens to has not fired: the counter agrees with what was received and what
 * the ring reports as lost. A program never runs inside itself, so the count needs no atomics. */
static __always_inline int emit_to(void *ctx, void *out, void *fired, void *record, __u64 bytes)
{
    if (is_heard(bpf_perf_event_output(ctx, out, BPF_F_CURRENT_CPU, record, bytes)))
        count_one(fired);
    return 0;
}

#define emit(ctx, name, record, bytes) emit_to(ctx, &name##_out, &name##_fired, record, bytes)

/* One of six arguments, counted from 1, in a way that the verifier can follow: no address depends
 * on the number. */
static __always_inline __u64 argument(const __u64 *arguments, __u32 which)
{
    __u64 found = 0;
#pragma unroll
    for (__u32 i = 0; i < 6; i++)
        found = which == i + 1 ? arguments[i] : found;
    return found;
}

/* ---- with a copy of the user's stack -------------------------------------------------------- */

/* The copies are large: so many at most in each tenth of a second on each processor. What goes
 * beyond is recorded without, and counted in NAME_deep_left. */
enum { DEEP_MOST = 200, DEEP_NS = 100000000 };

struct deep_budget {
    __u64 since, used;
};

/* A second way for the records of `name`, into events that copy the user's stack as well; on while
 * NAME_deep_on is not 0. It is the process that listens, whose own stacks nobody asks for. */
#define OUTPUT_DEEP(name, layout)                                                                  \
    OUTPUT(name##_deep, layout);                                                                   \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_ARRAY);                                                          \
        __uint(max_entries, 1);                                                                    \
        __type(key, __u32);                                                                        \
        __type(value, __u32);                                                                      \
    } name##_deep_on SEC(".maps");                                                                 \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                   \
        __uint(max_entries, 1);                                                                    \
        __type(key, __u32);                                                                        \
        __type(value, struct deep_budget);                                                         \
    } name##_deep_budget SEC(".maps");                                                             \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                   \
        __uint(max_entries, 1);                                                                    \
        __type(key, __u32);                                                                        \
        __type(value, __u64);                                                                      \
    } name##_deep_left SEC(".maps")

static __always_inline _Bool may_go_deep(void *on, void *budget, void *left)
{
    const __u32 zero = 0;
    const __u32 *const is_on = bpf_map_lookup_elem(on, &zero);
    if (!is_on || !*is_on || *is_on == (__u32)(bpf_get_current_pid_tgid() >> 32))
        return 0;
    struct deep_budget *const b = bpf_map_lookup_elem(budget, &zero);
    if (!b)
        return 0;
    const __u64 now = bpf_ktime_get_ns();
    if (now - b->since > DEEP_NS) {
        b->since = now;
        b->used = 0;
    }
    if (b->used++ < DEEP_MOST)
        return 1;
    count_one(left);
    return 0;
}

/* Either way, never both: the record with the stack is the event. `has_user`: there is a stack
 * of a user's to copy. */
#define emit_deep(ctx, name, record, bytes, has_user)                                              \
    ((has_user) && may_go_deep(&name##_deep_on, &name##_deep_budget, &name##_deep_left)            \
         ? emit_either(ctx, &name##_deep_out, &name##_deep_fired, &name##_out, &name##_fired,      \
                       record, bytes)                                                              \
         : emit(ctx, name, record, bytes))

static __always_inline int emit_either(void *ctx, void *deep, void *deep_fired, void *out,
                                       void *fired, void *record, __u64 bytes)
{
    if (!is_heard(bpf_perf_event_output(ctx, deep, BPF_F_CURRENT_CPU, record, bytes)))
        return emit_to(ctx, out, fired, record, bytes);
    count_one(deep_fired);
    return 0;
}

#endif
