/* Interrupts and what runs behind them. On an idle processor perf tracepoints lose these. */
#include "collectors/linux/bpf/output.h"

struct out_irq {
    RECORD_HEAD;
    __s32 irq;
    __s32 ret;
    char name[32];
};

struct out_softirq {
    RECORD_HEAD;
    __u32 vec;
    __u32 padding;
};

OUTPUT(irq_handler_entry, out_irq);
OUTPUT(irq_handler_exit, out_irq);
OUTPUT(softirq_entry, out_softirq);
OUTPUT(softirq_exit, out_softirq);

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_handler_entry__2, int irq, struct irqaction *action)
{
    struct out_irq o = {.irq = irq};
    record_begin(&o);
    bpf_probe_read_kernel_str(o.name, sizeof o.name, BPF_CORE_READ(action, name));
    return emit(ctx, irq_handler_entry, &o, sizeof o);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_handler_exit__3, int irq, struct irqaction *action, int ret)
{
    struct out_irq o = {.irq = irq, .ret = ret};
    record_begin(&o);
    return emit(ctx, irq_handler_exit, &o, sizeof o);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry__1, unsigned int vec)
{
    struct out_softirq o = {.vec = vec};
    record_begin(&o);
    return emit(ctx, softirq_entry, &o, sizeof o);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit__1, unsigned int vec)
{
    struct out_softirq o = {.vec = vec};
    record_begin(&o);
    return emit(ctx, softirq_exit, &o, sizeof o);
}
