/* For builds without libbpf or without a compiler for BPF: perf tracepoints serve alone. */
#include "collectors/linux/bpf/bpf.h"

struct bpf *bpf_open(struct bpf_functions *functions, struct err *err)
{
    (void)functions;
    fail(err, "this tracetop was built without BPF (needs libbpf and clang)");
    return NULL;
}

void bpf_close(struct bpf *b)
{
    (void)b;
}

struct bpf_source *bpf_find(struct bpf *b, const char *program, struct err *err)
{
    (void)b, (void)program;
    fail(err, "this program was built without BPF");
    return NULL;
}

/* There is no source to call the rest with. */
bool bpf_layout(const struct bpf_source *s, const struct linux_event *e, struct sample_layout *out,
                struct err *err)
{
    (void)s, (void)e, (void)out;
    return fail(err, "this program was built without BPF");
}

bool bpf_connect(struct bpf_source *s, unsigned cpu, int fd, struct err *err)
{
    (void)s, (void)cpu, (void)fd;
    return fail(err, "this program was built without BPF");
}

void bpf_disconnect(struct bpf_source *s, unsigned cpu)
{
    (void)s, (void)cpu;
}

bool bpf_switch(struct bpf_source *s, bool is_on, struct err *err)
{
    (void)s, (void)is_on;
    return fail(err, "this program was built without BPF");
}

bool bpf_is_on(const struct bpf_source *s)
{
    (void)s;
    return false;
}

bool bpf_stands_in(const struct bpf_source *s)
{
    (void)s;
    return false;
}

uint64_t bpf_fired(const struct bpf_source *s, unsigned cpu)
{
    (void)s, (void)cpu;
    return 0;
}

uint64_t bpf_deep_left(const struct bpf_source *s)
{
    (void)s;
    return 0;
}

uint64_t bpf_missed(const struct bpf_source *s)
{
    (void)s;
    return 0;
}

bool bpf_scope_follow(struct bpf *b, const char *name, bool has_children)
{
    (void)b, (void)name, (void)has_children;
    return false;
}

void bpf_scope_add(struct bpf *b, uint32_t pid)
{
    (void)b, (void)pid;
}

bool bpf_scope_choose(struct bpf *b)
{
    (void)b;
    return false;
}

bool bpf_scope_put_behind(struct bpf *b, const char *chooser, int fd)
{
    (void)b, (void)chooser, (void)fd;
    return false;
}

uint64_t bpf_scope_left_out(const struct bpf *b, const char *chooser, unsigned cpu)
{
    (void)b, (void)chooser, (void)cpu;
    return 0;
}

uint64_t bpf_function_calls(const struct bpf *b, uint32_t number)
{
    (void)b, (void)number;
    return 0;
}

void bpf_functions_again(struct bpf *b)
{
    (void)b;
}
