/* Of all programs of the object; the kernel gives its tracing helpers to this licence. */
#include "collectors/linux/bpf/kernel.h"

const char licence[] SEC("license") = "Dual MIT/GPL";
