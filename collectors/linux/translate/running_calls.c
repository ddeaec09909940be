#include "collectors/linux/translate/running_calls.h"

#include "src/base/map.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* By bucket: who is in a call for longest gives way. */
enum { CALLS = 1 << 13, WAYS = 4 };

enum { PATHS = 64 };
static const int64_t PATH_NS = 1000000; /* between a path and its call */

struct running_calls {
    struct running_call *calls;
    struct reported_path *paths;
    unsigned next_path; /* 0: there was none yet */
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

size_t running_calls_bytes(void)
{
    return CALLS * sizeof(struct running_call) + PATHS * sizeof(struct reported_path);
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

/* "..", as a part of it: what that leads to, only the file system knows. */
static bool goes_up(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *const slash = memchr(text + at, '/', length - at);
        const size_t part = slash ? (size_t)(slash - text) - at : length - at;
        if (part == 2 && text[at] == '.' && text[at + 1] == '.')
            return true;
        at += part + 1;
    }
    return false;
}

/* Writes "/outer/inner/" from names that begin with the innermost, "/" from a single NUL; bytes, 0
 * when there is no room or a name is no name. */
static size_t write_folder(const char *names, size_t bytes, char *out, size_t room)
{
    size_t used = 1;
    if (!bytes || names[bytes - 1])
        return 0;
    for (size_t end = bytes > 1 ? bytes : 0; end > 0;) {
        size_t begin = end - 1;
        while (begin > 0 && names[begin - 1])
            begin--;
        const size_t length = end - 1 - begin;
        if (!length || memchr(names + begin, '/', length) || used + length + 1 >= room)
            return 0;
        memcpy(out + used, names + begin, length);
        used += length;
        out[used++] = '/';
        end = begin;
    }
    out[0] = '/';
    return used;
}

struct reported_path *path_report(struct running_calls *r, const struct sample *s,
                                  const struct path_parts *parts)
{
    static const char unknown[] = "…/";
    struct reported_path *const p = &r->paths[r->next_path++ & (PATHS - 1)];
    const char *text = parts->path;
    const size_t length = without_here(&text, parts->path_bytes), room = sizeof p->text;
    size_t prefix = 0;
    if (length && text[0] != '/') {
        if (parts->folder && !goes_up(text, length))
            prefix = write_folder(parts->folder, parts->folder_bytes, p->text, room / 2);
        if (!prefix) {
            prefix = sizeof unknown - 1;
            memcpy(p->text, unknown, prefix);
        }
    }
    const size_t kept = length < room - prefix ? length : room - prefix - 1;
    memcpy(p->text + prefix, text, kept);
    p->text[prefix + kept] = '\0';
    p->bytes = length ? prefix + kept : 0;
    p->time = s->time;
    p->tid = s->tid;
    return p;
}

const struct reported_path *path_take(struct running_calls *r, const struct sample *s)
{
    for (unsigned i = 0; r->next_path && i < PATHS; i++) {
        struct reported_path *const p = &r->paths[(r->next_path - 1 - i) & (PATHS - 1)];
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
