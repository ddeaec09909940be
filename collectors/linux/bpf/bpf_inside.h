/* What the files of bpf.h share. */
#ifndef COLLECTORS_LINUX_BPF_BPF_INSIDE_H
#define COLLECTORS_LINUX_BPF_BPF_INSIDE_H

#include "collectors/linux/kernel/machine.h"
#include "src/base/err.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
    SOURCES_MAX = 64,     /* programs of the object, variants included */
    LOG_BYTES = 16 * 1024 /* the verifier's words; the last line is the reason */
};

struct bpf_source {
    struct bpf *owner;
    char name[48]; /* without the number of arguments */
    const char *tracepoint;
    unsigned arguments;
    bool is_left_out; /* not loaded: `why` */
    bool is_spare;    /* not loaded either: one at the event's own tracepoint is */
    char why[192];
    char *log; /* the verifier's; only while loading */
    struct bpf_program *program;
    struct bpf_map *out, *fired;
    struct bpf_link *link;               /* NULL: off */
    bool is_at_functions;                /* of programs: it has these links instead */
    int *links;
    size_t link_count;
    struct bpf_source *companion;        /* collects for this one: NAME_packet */
    struct bpf_map *deep_on, *deep_left; /* of a way of another's records: NAME_deep */
    bool is_deep_on;                     /* what deep_on says */
};

struct bpf {
    struct bpf_functions *functions; /* NULL: none; whoever opened it has them */
    bool has_many;                   /* links to many places at once … */
    uint32_t probe_type;             /* … else perf events of this type */
    struct bpf_object *object;
    struct btf *kernel; /* only while the programs are loaded: it takes 6 MB */
    unsigned cpus;
    bool has_lost_scope; /* somebody in scope found no place */
    bool preallocates;   /* all that its maps may ever need: some kernels want it so */
    uint64_t *counts;    /* by processor: what one look-up fills */
    struct bpf_source sources[SOURCES_MAX];
    size_t count;
};

struct bpf_source *bpf_find_loaded(struct bpf *b, const char *name);
/* The kernel may ask for rights with every call, where others may use no BPF at all. */
bool bpf_update(const struct bpf_map *m, const void *key, const void *value);
bool bpf_look_up(const struct bpf_map *m, const void *key, void *value);
bool bpf_attach(struct bpf_source *s, struct err *err);

/* ---- bpf_functions.c -------------------------------------------------------------------------- */

/* Before loading: false where the program is no business of functions. */
bool bpf_functions_prepare(struct bpf *b, struct bpf_source *s);
void bpf_functions_size(struct bpf *b);
void bpf_functions_report(const struct bpf *b); /* once loaded: what the programs are to know */
bool bpf_functions_attach(struct bpf_source *s, struct err *err);
void bpf_functions_detach(struct bpf_source *s);

#endif
