/* Descriptors of processes, and the sockets that some of them are. */
#include "collectors/linux/proc/proc.h"

#include "src/base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- sockets ---------------------------------------------------------------------- */

/* More than a machine has ports on a few hundred addresses; beyond, sockets stay nameless. */
enum { SOCKETS_MAX = 1 << 20 };

void proc_sockets_init(struct proc_sockets *s)
{
    *s = (struct proc_sockets){0};
    map_init(&s->by_inode);
}

void proc_sockets_fini(struct proc_sockets *s)
{
    free(s->all);
    map_fini(&s->by_inode);
}

const struct proc_socket *proc_socket(const struct proc_sockets *s, uint64_t inode)
{
    const uint32_t index = map_get(&s->by_inode, inode);
    return index ? &s->all[index - 1] : NULL;
}

/* "0100007F:1F90": words of the address as this machine loads them, then the port. */
static bool take_end(const char **at, uint8_t address[16], uint16_t *port, unsigned *words)
{
    const size_t digits = strspn(*at, "0123456789ABCDEFabcdef");
    if (digits != 8 && digits != 32)
        return false;
    *words = (unsigned)digits / 8;
    for (unsigned i = 0; i < *words; i++) {
        char word[9] = "";
        memcpy(word, *at + (size_t)i * 8, 8);
        const uint32_t value = (uint32_t)strtoul(word, NULL, 16);
        memcpy(address + (size_t)i * 4, &value, sizeof value);
    }
    char *end;
    if ((*at)[digits] != ':')
        return false;
    *port = (uint16_t)strtoul(*at + digits + 1, &end, 16);
    *at = end;
    return *end == ' ';
}

/* The columns of tcp, tcp6, udp and udp6 up to the inode are the same:
 * "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0
 * 12345" */
bool proc_parse_socket(const char *line, struct proc_socket *out)
{
    enum { BETWEEN = 6 }; /* state, queues, timer, retransmits, user, timeout */
    unsigned words, words_too;
    *out = (struct proc_socket){0};
    const char *at = strchr(line, ':');
    if (!at || at[1] != ' ')
        return false;
    at += 2;
    if (!take_end(&at, out->local, &out->local_port, &words))
        return false;
    at++;
    if (!take_end(&at, out->remote, &out->remote_port, &words_too) || words != words_too)
        return false;
    for (unsigned i = 0; i < BETWEEN; i++) {
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    out->family = words == 1 ? AF_INET : AF_INET6;
    out->inode = strtoull(at, NULL, 10);
    return out->inode != 0;
}

struct reading {
    struct proc_sockets *sockets;
    uint8_t protocol;
};

static bool take_socket(void *to, char *line, size_t length)
{
    const struct reading *const r = to;
    struct proc_sockets *const s = r->sockets;
    struct proc_socket one;
    (void)length;
    if (!proc_parse_socket(line, &one))
        return true;
    one.protocol = r->protocol;
    uint32_t index = map_get(&s->by_inode, one.inode);
    if (!index) {
        if (s->count == SOCKETS_MAX)
            return false;
        if (s->count == s->room) {
            s->room = s->room ? s->room * 2 : 64;
            s->all = mem_grow(s->all, s->room, sizeof *s->all);
        }
        index = ++s->count;
        map_put(&s->by_inode, one.inode, index);
    }
    s->all[index - 1] = one;
    return true;
}

void proc_sockets_read(struct proc *p, struct proc_sockets *s, const char *directory)
{
    static const struct {
        const char *name;
        uint8_t protocol;
    } tables[] = {
        {"tcp", IPPROTO_TCP}, {"tcp6", IPPROTO_TCP}, {"udp", IPPROTO_UDP}, {"udp6", IPPROTO_UDP}};
    const uint64_t gone = p->gone;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char path[96];
        struct reading r = {s, tables[i].protocol};
        snprintf(path, sizeof path, "%s/%s", directory, tables[i].name);
        proc_lines(p, path, take_socket, &r);
    }
    p->gone = gone; /* a kernel without IPv6 lacks two of them */
}

uint64_t proc_network(struct proc *p, uint32_t pid)
{
    char path[64], link[64];
    snprintf(path, sizeof path, "proc/%u/ns/net", pid);
    if (proc_link(p, path, link, sizeof link) < 0)
        return 0;
    const char *const number = strchr(link, '[');
    return number ? strtoull(number + 1, NULL, 10) : 0;
}

/* ---- descriptors ------------------------------------------------------------------ */

static uint64_t socket_inode(const char *path)
{
    static const char start[] = "socket:[";
    const size_t length = sizeof start - 1;
    return strncmp(path, start, length) == 0 ? strtoull(path + length, NULL, 10) : 0;
}

bool proc_descriptor_of(struct proc *p, uint32_t pid, int fd, struct proc_fd *out, char *path)
{
    char name[64];
    snprintf(name, sizeof name, "proc/%u/fd/%d", pid, fd);
    const int64_t bytes = proc_link(p, name, path, PROC_PATH);
    if (bytes < 0)
        return false;
    *out = (struct proc_fd){.fd = fd, .path = path, .path_bytes = (size_t)bytes};
    out->socket = out->inode = socket_inode(path);
    if (path[0] != '/') /* a socket, a pipe, something without a name */
        return true;
    /* As the system knows it by now: a file server that is away must not be waited for. */
    struct statx s;
    const uint64_t before = os_rights_raise(PROC_RIGHTS);
    const int failed =
        statx(p->root, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_INO, &s);
    os_rights_return(before);
    if (failed)
        return false;
    out->is_file = true;
    out->dev = linux_dev(s.stx_dev_major, s.stx_dev_minor);
    out->inode = s.stx_ino;
    return true;
}

struct descriptors {
    struct proc *p;
    proc_descriptor *descriptor;
    void *to;
    uint32_t pid;
    char path[PROC_PATH];
};

static bool take_descriptor(void *to, const char *name)
{
    struct descriptors *const d = to;
    struct proc_fd fd;
    char *end;
    const long number = strtol(name, &end, 10);
    if (end == name || *end || number < 0 || number > INT32_MAX)
        return true;
    if (!proc_descriptor_of(d->p, d->pid, (int)number, &fd, d->path))
        return true;
    return d->descriptor(d->to, &fd);
}

bool proc_descriptors(struct proc *p, uint32_t pid, proc_descriptor *descriptor, void *to)
{
    struct descriptors d = {.p = p, .descriptor = descriptor, .to = to, .pid = pid};
    char path[64];
    snprintf(path, sizeof path, "proc/%u/fd", pid);
    return proc_list(p, path, take_descriptor, &d);
}
