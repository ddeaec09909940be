/* The object with our BPF programs (bpf/), compiled and embedded by the Makefile. */
#ifndef COLLECTORS_LINUX_BPF_OBJECT_H
#define COLLECTORS_LINUX_BPF_OBJECT_H

#include <stddef.h>

extern const unsigned char bpf_object_bytes[];
extern const size_t bpf_object_size;

#endif
