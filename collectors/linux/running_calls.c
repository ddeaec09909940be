#include "collectors/linux/running_calls.h"

#include "src/map.h"
#include "src/mem.h"

#include <stdlib.h>
#include <string.h>

/* By bucket: who is in a call for longest gives way. */
enum { CALLS = 1 << 13, WAYS = 4 };

enum { PATHS = 64 };
static const int64_t PATH_NS = 1000000; /* between a path and its call */

struct running_calls {
    struct running_call *calls;
    struct told_path *paths;
    unsigned next_path; /* 0: none was ever told */
};

struct running_calls *running_calls_new(void)
{
    struct running_calls *r = mem_new(1, sizeof *r);
    r->calls = mem_new(CALLS, sizeof *r->calls);
    r->paths = mem_new(PATHS, sizeof *r->paths);
    return r;
}

void running_calls_free(struct running_calls *r)
{
    if (!r)
        return;
    free(r->calls);
    free(r->paths);
    free(r);
}

void running_calls_clear(struct running_calls *r)
{
    memset(r->calls, 0, CALLS * sizeof *r->calls);
}

static struct running_call *bucket(struct running_calls *r, uint32_t tid)
{
    return r->calls + (hash_mix(tid) >> 32 & (CALLS / WAYS - 1)) * WAYS;
}

struct running_call *running_find(struct running_calls *r, uint32_t tid)
{
    struct running_call *const b = bucket(r, tid);
    for (unsigned i = 0; i < WAYS; i++)
        if (b[i].call && b[i].tid == tid)
            return &b[i];
    return NULL;
}

struct running_call *running_begin(struct running_calls *r, const struct sample *s, unsigned call,
                                   uint64_t *pushed_out)
{
    struct running_call *c = running_find(r, s->tid);
    if (!c) {
        struct running_call *const b = bucket(r, s->tid);
        c = b;
        for (unsigned i = 0; i < WAYS && c->call; i++)
            if (!b[i].call || b[i].since_ns < c->since_ns)
                c = &b[i];
    }
    *pushed_out += c->call != 0;
    *c = (struct running_call){
        .tid = s->tid, .pid = s->pid, .since_ns = s->time, .call = (uint16_t)(call + 1)};
    c->part[0].fd = c->part[1].fd = -1;
    return c;
}

/* "./a" and "a" are one file. */
static size_t without_here(const char **text, size_t bytes)
{
    size_t length = strnlen(*text, bytes);
    while (length > 2 && (*text)[0] == '.' && (*text)[1] == '/') {
        *text += 2;
        length -= 2;
        while (length > 1 && (*text)[0] == '/') {
            (*text)++;
            length--;
        }
    }
    return length;
}

struct told_path *path_tell(struct running_calls *r, const struct sample *s, const char *text,
                            size_t bytes)
{
    struct told_path *const p = &r->paths[r->next_path++ & (PATHS - 1)];
    const size_t length = without_here(&text, bytes);
    /* Relative to what, is not known. */
    const size_t prefix = length && text[0] != '/' ? sizeof "…/" - 1 : 0;
    const size_t kept = length < sizeof p->text - prefix ? length : sizeof p->text - prefix - 1;
    memcpy(p->text, "…/", prefix);
    memcpy(p->text + prefix, text, kept);
    p->text[prefix + kept] = '\0';
    p->bytes = length ? prefix + kept : 0;
    p->time = s->time;
    p->tid = s->tid;
    return p;
}

const struct told_path *path_take(struct running_calls *r, const struct sample *s)
{
    for (unsigned i = 0; r->next_path && i < PATHS; i++) {
        struct told_path *const p = &r->paths[(r->next_path - 1 - i) & (PATHS - 1)];
        if (p->tid != s->tid || s->time - p->time > PATH_NS)
            continue;
        p->tid = 0;
        return p;
    }
    return NULL;
}

bool path_belongs(const struct running_call *c, const struct sample *s)
{
    return s->time - c->since_ns <= PATH_NS && c->part[0].lookup;
}
