/* Mappings of processes and of the kernel. */
#include "collectors/linux/proc/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hexadecimal up to `end`, which is passed; false when it is not there. */
static bool take_hex(const char **at, char end, uint64_t *out)
{
    char *stop;
    *out = strtoull(*at, &stop, 16);
    if (stop == *at || *stop != end)
        return false;
    *at = stop + 1;
    return true;
}

/* The system writes a line feed within a path as "\012", and nothing else so. */
static size_t unescape(char *path)
{
    char *to = path;
    for (const char *from = path; *from; to++) {
        const bool is_feed = strncmp(from, "\\012", 4) == 0;
        *to = is_feed ? '\n' : *from;
        from += is_feed ? 4 : 1;
    }
    *to = '\0';
    return (size_t)(to - path);
}

/* "55d0c0000000-55d0c0002000 r-xp 00002000 fe:00 247498       /usr/bin/head" */
bool proc_parse_mapping(char *line, size_t length, struct proc_mapping *out)
{
    const char *at = line;
    uint64_t end, major, minor;
    *out = (struct proc_mapping){0};
    if (!take_hex(&at, '-', &out->base) || !take_hex(&at, ' ', &end) || end <= out->base)
        return false;
    if (length - (size_t)(at - line) < 5 || at[2] != 'x')
        return false;
    at += 5;
    if (!take_hex(&at, ' ', &out->offset) || !take_hex(&at, ':', &major) ||
        !take_hex(&at, ' ', &minor))
        return false;
    char *rest;
    out->inode = strtoull(at, &rest, 10);
    if (rest == at)
        return false;
    rest += strspn(rest, " ");
    out->size = end - out->base;
    out->dev = linux_dev((uint32_t)major, (uint32_t)minor);
    out->path = *rest ? rest : "//anon";
    out->path_bytes = *rest ? unescape(rest) : strlen(out->path);
    return true;
}

struct taker {
    proc_mapping *mapping;
    void *to;
};

static bool take_mapping(void *to, char *line, size_t length)
{
    const struct taker *const t = to;
    struct proc_mapping m;
    return !proc_parse_mapping(line, length, &m) || t->mapping(t->to, &m);
}

bool proc_mappings(struct proc *p, uint32_t pid, proc_mapping *mapping, void *to)
{
    char path[64];
    struct taker t = {mapping, to};
    snprintf(path, sizeof path, "proc/%u/maps", pid);
    return proc_lines(p, path, take_mapping, &t);
}

/* ---- the kernel ------------------------------------------------------------------- */

/* The kernel's code: what runs, and what runs only while it starts. */
enum { TEXT, START_TEXT, TEXTS };

struct text_ranges {
    struct {
        uint64_t start, end;
        bool has_start, has_end;
    } of[TEXTS];
};

/* "ffffffff81000000 T _stext" */
static bool take_symbol(void *to, char *line, size_t length)
{
    static const char *const starts[TEXTS] = {"_stext", "_sinittext"};
    static const char *const ends[TEXTS] = {"_etext", "_einittext"};
    struct text_ranges *const r = to;
    const char *at = line;
    uint64_t address;
    unsigned missing = 0;
    (void)length;
    if (!take_hex(&at, ' ', &address) || !at[0] || at[1] != ' ')
        return true;
    for (unsigned i = 0; i < TEXTS; i++) {
        if (strcmp(at + 2, starts[i]) == 0) {
            r->of[i].start = address;
            r->of[i].has_start = true;
        } else if (strcmp(at + 2, ends[i]) == 0) {
            r->of[i].end = address;
            r->of[i].has_end = true;
        }
        missing += !r->of[i].has_start || !r->of[i].has_end;
    }
    return missing > 0;
}

struct modules {
    struct taker taker;
    bool hidden;
};

/* "xfs 1900544 1 libcrc32c, Live 0xffffffffc0a00000 (E)": name, size … and where. */
static bool take_module(void *to, char *line, size_t length)
{
    struct modules *const m = to;
    (void)length;
    char *const name_end = strchr(line, ' ');
    const char *const address = strstr(line, " 0x");
    if (!name_end || !address || address < name_end)
        return true;
    struct proc_mapping mapping = {
        .base = strtoull(address + 1, NULL, 16),
        .size = strtoull(name_end + 1, NULL, 10),
    };
    m->hidden |= mapping.base == 0;
    if (!mapping.base || !mapping.size)
        return true;
    char path[256];
    const int bytes = snprintf(path, sizeof path, "[%.*s]", (int)(name_end - line), line);
    mapping.path = path;
    mapping.path_bytes = bytes < (int)sizeof path ? (size_t)bytes : sizeof path - 1;
    return m->taker.mapping(m->taker.to, &mapping);
}

bool proc_kernel(struct proc *p, proc_mapping *mapping, void *to, bool *hidden)
{
    static const char name[] = "[kernel.kallsyms]";
    struct text_ranges r = {0};
    struct modules m = {.taker = {mapping, to}};
    proc_lines(p, "proc/kallsyms", take_symbol, &r);
    m.hidden = r.of[TEXT].has_start && !r.of[TEXT].start;
    for (unsigned i = 0; i < TEXTS; i++) {
        const struct proc_mapping text = {.base = r.of[i].start,
                                          .size = r.of[i].end - r.of[i].start,
                                          .path = name,
                                          .path_bytes = sizeof name - 1};
        if (text.base && r.of[i].end > text.base)
            mapping(to, &text);
    }
    const uint64_t gone = p->gone;
    proc_lines(p, "proc/modules", take_module, &m);
    p->gone = gone; /* a kernel may have none, and then not even the list */
    *hidden = m.hidden;
    return r.of[TEXT].start && r.of[TEXT].end > r.of[TEXT].start;
}
