/* The tables of the BPF programs. */
#include "collectors/linux/bpf/bpf_inside.h"

#include "src/os/rights.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

bool bpf_update(const struct bpf_map *m, const void *key, const void *value)
{
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    const bool is_done = bpf_map_update_elem(bpf_map__fd(m), key, value, BPF_ANY) == 0;
    os_rights_return(before);
    return is_done;
}

bool bpf_look_up(const struct bpf_map *m, const void *key, void *value)
{
    const uint64_t before = os_rights_raise(OS_MAY_TRACE);
    const bool is_done = bpf_map_lookup_elem(bpf_map__fd(m), key, value) == 0;
    os_rights_return(before);
    return is_done;
}
