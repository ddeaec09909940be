/* The scope: whose events the programs keep. See bpf.h. */
#include "collectors/linux/bpf/bpf.h"
#include "collectors/linux/bpf/bpf_inside.h"
#include "collectors/linux/kernel/machine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>

/* As in bpf/scope.h and bpf/scope.bpf.c. */
enum { SCOPE_CHOOSES = 1, SCOPE_HAS_CHILDREN = 2, SCOPE_HAS_NAME = 4, CHARACTERS = 256 };

struct scope_pattern {
    uint64_t stars, end;
};

static bool put(const struct bpf *b, const char *map, uint32_t key, const void *value)
{
    const struct bpf_map *const m = bpf_object__find_map_by_name(b->object, map);
    return m && bpf_update(m, &key, value);
}

/* Stars one behind the other are one. */
static unsigned collapse(const char *name, char out[64])
{
    unsigned length = 0;
    for (; *name && length < 63; name++)
        if (*name != '*' || !length || out[length - 1] != '*')
            out[length++] = *name;
    out[length] = '\0';
    return length;
}

static bool put_pattern(const struct bpf *b, const char *name)
{
    char pattern[64];
    const unsigned length = collapse(name, pattern);
    struct scope_pattern p = {.end = 1ull << length};
    uint64_t moves[CHARACTERS] = {0};
    for (unsigned i = 0; i < length; i++) {
        const uint64_t bit = 1ull << i;
        p.stars |= pattern[i] == '*' ? bit : 0;
        for (unsigned c = 1; c < CHARACTERS; c++)
            moves[c] |= pattern[i] == '?' || (uint8_t)pattern[i] == c ? bit : 0;
    }
    for (uint32_t c = 0; c < CHARACTERS; c++) {
        moves[c] &= ~p.stars; /* a star is a character of its own in no name that it fits */
        if (!put(b, "scope_moves", c, &moves[c]))
            return false;
    }
    return put(b, "scope_pattern", 0, &p);
}

bool bpf_scope_follow(struct bpf *b, const char *name, bool has_children)
{
    const uint32_t flags = (has_children ? SCOPE_HAS_CHILDREN : 0u) | (*name ? SCOPE_HAS_NAME : 0u);
    struct bpf_source *const births = b ? bpf_find_loaded(b, "scope_births") : NULL;
    struct bpf_source *const names = b ? bpf_find_loaded(b, "scope_names") : NULL;
    if (!births || !names || machine_ids() != MACHINE_IDS_FIRST ||
        !put(b, "scope_flags", 0, &flags) || (*name && !put_pattern(b, name)))
        return false;
    return bpf_attach(births, NULL) && (!*name || bpf_attach(names, NULL));
}

void bpf_scope_add(struct bpf *b, uint32_t pid)
{
    const uint8_t one = 1;
    if (b && !put(b, "scope_processes", pid, &one))
        b->has_lost_scope = true;
}

bool bpf_scope_choose(struct bpf *b)
{
    const struct bpf_map *const m = bpf_object__find_map_by_name(b->object, "scope_flags");
    const uint32_t zero = 0;
    uint32_t flags;
    if (b->has_lost_scope || !m || !bpf_look_up(m, &zero, &flags))
        return false;
    flags |= SCOPE_CHOOSES;
    return put(b, "scope_flags", 0, &flags);
}

bool bpf_scope_put_behind(struct bpf *b, const char *chooser, int fd)
{
    const struct bpf_source *const s = b ? bpf_find_loaded(b, chooser) : NULL;
    return s && ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(s->program)) == 0;
}

uint64_t bpf_scope_left_out(const struct bpf *b, const char *chooser, unsigned cpu)
{
    for (const struct bpf_source *s = b->sources; s < b->sources + b->count; s++)
        if (!s->is_left_out && !s->is_spare && strcmp(s->name, chooser) == 0)
            return bpf_fired(s, cpu);
    return 0;
}
