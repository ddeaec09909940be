/* Mounted file systems. */
#include "collectors/linux/proc/hardware.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* "\040" is a blank; in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at; to++) {
        const bool is_escape = at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' &&
                               at[2] <= '7' && at[3] >= '0' && at[3] <= '7';
        const int code = is_escape ? (at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0') : *at;
        *to = (char)(code ? code : '?');
        at += is_escape ? 4 : 1;
    }
    *to = '\0';
}

static char *next_word(char **at)
{
    char *const word = *at + strspn(*at, " ");
    *at = word + strcspn(word, " ");
    if (**at)
        *(*at)++ = '\0';
    return word;
}

/* Cut where it is longer. */
static void take_text(char *out, size_t room, char *text)
{
    unescape(text);
    snprintf(out, room, "%.*s", (int)room - 1, text);
}

/* "36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw": see proc_pid_mountinfo(5). */
bool hardware_parse_mount(char *line, struct hardware_mount *out)
{
    char *at = line, *end;
    *out = (struct hardware_mount){.dev = 0};
    next_word(&at);
    next_word(&at);
    const char *const numbers = next_word(&at);
    const char *const root = next_word(&at);
    char *const path = next_word(&at);
    const unsigned long major = strtoul(numbers, &end, 10);
    if (end == numbers || *end != ':' || strcmp(root, "/") != 0 || *path != '/')
        return false;
    out->dev = linux_dev((uint32_t)major, (uint32_t)strtoul(end + 1, NULL, 10));
    const char *word = next_word(&at);
    while (*word && strcmp(word, "-") != 0)
        word = next_word(&at);
    if (!*word)
        return false;
    take_text(out->path, sizeof out->path, path);
    take_text(out->type, sizeof out->type, next_word(&at));
    take_text(out->source, sizeof out->source, next_word(&at));
    return true;
}

/* Served by a program or by another machine, which need not answer whoever looks below it. */
static bool may_hang(const struct hardware_mount *m)
{
    static const char *const types[] = {"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "afs", "autofs"};
    if (strncmp(m->type, "fuse", 4) == 0)
        return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(m->type, types[i]) == 0)
            return true;
    return false;
}

/* A program of a user may call itself a device; "fuseblk" has one. */
static bool is_on_disk(const struct hardware_mount *m)
{
    return strncmp(m->source, "/dev/", 5) == 0 && (!may_hang(m) || strcmp(m->type, "fuseblk") == 0);
}

static bool has_device(const struct hardware_mounts *m, uint64_t dev)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->all[i].dev == dev)
            return true;
    return false;
}

/* Those that may hang are kept, too: what lies below them is not asked. */
static bool take_mount(void *to, char *line, size_t length)
{
    (void)length;
    struct hardware_mounts *const s = to;
    struct hardware_mount m;
    if (!hardware_parse_mount(line, &m))
        return true;
    const bool is_wanted = may_hang(&m) || (is_on_disk(&m) && !has_device(s, m.dev));
    if (is_wanted && s->count == HARDWARE_MOUNTS)
        s->left_out++;
    else if (is_wanted)
        s->all[s->count++] = m;
    return true;
}

void hardware_mounts_read(struct proc *p, struct hardware_mounts *out)
{
    const uint64_t gone = p->gone;
    *out = (struct hardware_mounts){.all = mem_new(HARDWARE_MOUNTS, sizeof *out->all)};
    proc_lines(p, "proc/self/mountinfo", take_mount, out);
    p->gone = gone;
}

void hardware_mounts_fini(struct hardware_mounts *m)
{
    free(m->all);
    *m = (struct hardware_mounts){.all = NULL};
}

const struct hardware_mount *hardware_mount_of(const struct hardware_mounts *m, uint64_t dev,
                                               const char *name)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct hardware_mount *const one = &m->all[i];
        if (is_on_disk(one) && (one->dev == dev || strcmp(one->source + strlen("/dev/"), name) == 0))
            return one;
    }
    return NULL;
}

static bool is_below(const char *path, const char *above)
{
    const size_t length = above[1] ? strlen(above) : 0; /* "/" */
    return strncmp(path, above, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

void hardware_mount_measure(const struct hardware_mounts *m, struct hardware_mount *mount)
{
    struct statvfs s;
    if (m->left_out) /* who lies below whom is not known */
        return;
    for (size_t i = 0; i < m->count; i++)
        if (may_hang(&m->all[i]) && is_below(mount->path, m->all[i].path))
            return;
    if (statvfs(mount->path, &s) != 0)
        return;
    mount->cluster = s.f_frsize;
    mount->clusters = s.f_blocks;
    mount->free = s.f_bavail;
}
