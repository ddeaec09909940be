/* Functions of programs and libraries, at their entry and where their calls end (-e u:…, -e p:…).
 * One program serves all entries and one all ends: a number says which it is.
 *
 * A thread can be taken off the processor between two instructions of these programs, and another
 * can run them there. So counters are added to atomically, and records are made on the stack. */
#include "collectors/linux/bpf/function_form.h"
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

/* As enum function_exit_kind. */
enum { FUNCTION_RETURNS, FUNCTION_BRANCHES, FUNCTION_BRANCHES_IF, FUNCTION_BRANCHES_BY };

/* By the function's number. Their size is set before they are loaded. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct function_form);
} function_forms SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct function_exit_form);
} function_exits SEC(".maps");

/* How often each was called, in scope or not. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} function_calls SEC(".maps");

/* `place`: the stack pointer at the entry, which is the same at the end of the call and says which
 * end belongs to which entry, however often the function calls itself. */
struct out_function_entry {
    RECORD_HEAD;
    __u64 function, place;
    __u64 arguments[FUNCTION_ARGUMENTS];
    char text0[FUNCTION_TEXT], text1[FUNCTION_TEXT], text2[FUNCTION_TEXT];
};

struct out_function_return {
    RECORD_HEAD;
    __u64 function, place;
    __u64 has_result, result;
    char text[FUNCTION_TEXT];
};

OUTPUT(function_entry, out_function_entry);
OUTPUT(function_return, out_function_return);

static __always_inline _Bool is_arm(const struct pt_regs *regs)
{
    return bpf_core_field_exists(((const struct pt_regs___arm64 *)(const void *)regs)->orig_x0);
}

static __always_inline __u64 read_register(const struct pt_regs *regs, __u32 place)
{
    __u64 value = 0;
    bpf_probe_read_kernel(&value, sizeof value, (const void *)regs + (place & 31) * sizeof value);
    return value;
}

static __always_inline __u64 read_argument(const struct function_argument_form *a,
                                           const struct pt_regs *regs)
{
    if (a->from == FUNCTION_FROM_REGISTER)
        return read_register(regs, a->place);
    if (a->from == FUNCTION_FROM_CONSTANT)
        return a->number;
    __u64 value = 0;
    __u32 bytes = a->bytes;
    if (a->from == FUNCTION_FROM_MEMORY && bytes && bytes <= sizeof value)
        bpf_probe_read_user(&value, bytes,
                            (const void *)(read_register(regs, a->place) + a->number));
    return value;
}

static __always_inline __u64 stack_pointer(const struct pt_regs *regs)
{
    const struct pt_regs___arm64 *const arm = (const void *)regs;
    return is_arm(regs) ? BPF_CORE_READ(arm, sp) : BPF_CORE_READ(regs, sp);
}

/* Does a call end here? Some jumps are not taken, or lead to another part of the function. */
static __always_inline _Bool is_condition(__u64 flags, __u32 condition)
{
    const _Bool carry = flags & 1, parity = flags & 1 << 2, zero = flags & 1 << 6,
                sign = flags & 1 << 7, overflow = flags & 1 << 11;
    const _Bool less = sign != overflow;
    const __u32 all = overflow | carry << 1 | zero << 2 | (carry | zero) << 3 | sign << 4 |
                      parity << 5 | less << 6 | (less | zero) << 7;
    return (all >> (condition >> 1 & 7) ^ condition) & 1;
}

static __always_inline _Bool ends_here(const struct function_exit_form *e,
                                       const struct pt_regs *regs)
{
    if (e->kind == FUNCTION_BRANCHES_IF)
        return is_condition(BPF_CORE_READ(regs, flags), e->condition);
    if (e->kind != FUNCTION_BRANCHES_BY)
        return 1;
    const __s64 way = (__s64)(read_register(regs, e->place) - BPF_CORE_READ(regs, ip));
    return way < e->before || way >= e->behind;
}

static __always_inline void read_text(char *to, const __u64 *arguments, __u32 number)
{
    if (number)
        bpf_probe_read_user_str(to, FUNCTION_TEXT, (const void *)argument(arguments, number));
}

static __always_inline const struct function_form *form_of(__u32 function)
{
    const struct function_form *const f = bpf_map_lookup_elem(&function_forms, &function);
    const __u32 process = bpf_get_current_pid_tgid() >> 32;
    return f && f->except != process && (!f->process || f->process == process) && is_in_scope()
               ? f
               : NULL;
}

/* As emit(), where another thread may count at the same time. */
static __always_inline int emit_shared(void *ctx, void *out, void *fired, void *record, __u64 bytes)
{
    const long status = bpf_perf_event_output(ctx, out, BPF_F_CURRENT_CPU, record, bytes);
    __u64 *const count = is_heard(status) ? counter_of(fired) : NULL;
    if (count)
        __sync_fetch_and_add(count, 1);
    return 0;
}

SEC("uprobe")
int function_entry__0(struct pt_regs *ctx)
{
    struct out_function_entry o = {0};
    const __u32 function = (__u32)bpf_get_attach_cookie(ctx);
    __u64 *const calls = bpf_map_lookup_elem(&function_calls, &function);
    if (calls)
        __sync_fetch_and_add(calls, 1);
    const struct function_form *const f = form_of(function);
    if (!f)
        return 0;
    record_begin(&o);
    o.function = function;
    o.place = stack_pointer(ctx);
#pragma unroll
    for (int i = 0; i < FUNCTION_ARGUMENTS; i++)
        o.arguments[i] = read_argument(&f->of[i], ctx);
    if (!f->texts[0])
        return emit_shared(ctx, &function_entry_out, &function_entry_fired, &o,
                           sizeof o - FUNCTION_TEXTS * FUNCTION_TEXT);
    read_text(o.text0, o.arguments, f->texts[0]);
    read_text(o.text1, o.arguments, f->texts[1]);
    read_text(o.text2, o.arguments, f->texts[2]);
    return emit_shared(ctx, &function_entry_out, &function_entry_fired, &o, sizeof o);
}

/* A function that another one returns for has no result of its own. */
SEC("uprobe")
int function_return__0(struct pt_regs *ctx)
{
    struct out_function_return o = {0};
    const __u32 number = (__u32)bpf_get_attach_cookie(ctx);
    const struct function_exit_form *const e = bpf_map_lookup_elem(&function_exits, &number);
    if (!e || !ends_here(e, ctx))
        return 0;
    const struct function_form *const f = form_of(e->function);
    if (!f)
        return 0;
    record_begin(&o);
    o.function = e->function;
    o.place = stack_pointer(ctx);
    o.has_result = e->kind == FUNCTION_RETURNS;
    o.result = BPF_CORE_READ(ctx, ax);
    if (!f->result_is_text || !o.has_result)
        return emit_shared(ctx, &function_return_out, &function_return_fired, &o,
                           sizeof o - FUNCTION_TEXT);
    bpf_probe_read_user_str(o.text, sizeof o.text, (const void *)o.result);
    return emit_shared(ctx, &function_return_out, &function_return_fired, &o, sizeof o);
}
