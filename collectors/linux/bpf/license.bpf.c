/* Of all programs of the object; the kernel gives its tracing helpers to this license. */
#include "collectors/linux/bpf/kernel.h"

const char object_license[] SEC("license") = "Dual MIT/GPL";
