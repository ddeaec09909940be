/* What /proc and /sys say, read on the helper's thread: processes and threads, mappings,
 * descriptors, sockets, disks. All reading starts at one directory, "/" in the program and a
 * made tree in tests. Names and paths are the bytes that the kernel gives; nothing here trusts
 * their form. What cannot be read is counted, not an error: processes end while they are read, and
 * those of others may be closed to us. */
#ifndef COLLECTORS_LINUX_PROC_PROC_H
#define COLLECTORS_LINUX_PROC_PROC_H

#include "collectors/linux/kernel/file_key.h"
#include "src/base/err.h"
#include "src/base/map.h"
#include "src/os/rights.h"
#include "src/symbol/build_id.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROC_COMM = 64,    /* the kernel's own names are up to 15 bytes, those of its workers longer */
    PROC_PATH = 4096,  /* as long as a path can be */
    PROC_LINE = 8192,  /* of a table: a path and what stands before it; longer ones are left out */
};

/* Raised for each file that is opened: processes of others, who may be hidden, and kallsyms. */
enum { PROC_RIGHTS = OS_MAY_READ | OS_MAY_LOOK_IN | OS_MAY_SEE_ADDRESSES };

struct proc {
    int root;            /* the directory */
    uint64_t gone;       /* had ended when they were read */
    uint64_t refused;    /* what others own */
    char *buffer;        /* for lines */
};

bool proc_open(struct proc *p, const char *root, struct err *err);
void proc_close(struct proc *p);

/* ---- files ------------------------------------------------------------------------ */

/* The first `room` - 1 bytes of a file, NUL-terminated; how many, -1 when it cannot be read. */
int64_t proc_read(struct proc *p, const char *path, char *out, size_t room);

/* The same of a file of /proc that is read again and again: opened once, read from its beginning.
 * All zero at first; `path` is the same each time. */
struct proc_kept {
    int fd; /* 0: not open */
};
int64_t proc_read_kept(struct proc *p, struct proc_kept *f, const char *path, char *out,
                       size_t room);
void proc_kept_close(struct proc_kept *f); /* one that is not open is fine */

/* A number from a file of one line; false when there is none. */
bool proc_number(struct proc *p, const char *path, uint64_t *out);

/* Every line without its line feed, NUL-terminated and the callee's to change, until it says
 * false. False when the file cannot be read. */
typedef bool proc_line(void *to, char *line, size_t length);
bool proc_lines(struct proc *p, const char *path, proc_line *line, void *to);

/* Every entry of a directory but "." and "..", until the callee says false. */
typedef bool proc_entry(void *to, const char *name);
bool proc_list(struct proc *p, const char *path, proc_entry *entry, void *to);

/* Where a link leads, NUL-terminated; its length, -1 when it cannot be read. */
int64_t proc_link(struct proc *p, const char *path, char *out, size_t room);

/* ---- processes and threads -------------------------------------------------------- */

struct proc_task {
    uint32_t pid, tid;
    uint32_t parent, session;
    uint32_t threads;
    bool has_ended;         /* and only waits for its parent to ask how */
    bool is_kernel;         /* a thread of the kernel: no memory, command line or descriptors */
    uint8_t comm_bytes;
    char comm[PROC_COMM];   /* any bytes but NUL */
};

/* The text of a stat file; false when it is none. */
bool proc_parse_stat(const char *text, size_t bytes, struct proc_task *out);

/* A process (its first thread). */
bool proc_task(struct proc *p, uint32_t pid, struct proc_task *out);

/* The effective user of the process, as ps shows it. False when it has ended. */
bool proc_owner(struct proc *p, uint32_t pid, uint32_t *uid);

/* Names of users, of the system's own list (/etc/passwd): no other service is asked, which might
 * wait for a network. */
enum { PROC_USERS = 256, PROC_USER_NAME = 33 };
struct proc_users {
    struct {
        uint32_t uid;
        char name[PROC_USER_NAME];
    } all[PROC_USERS];
    size_t count;
};
void proc_users_read(struct proc *p, struct proc_users *out); /* afresh */
const char *proc_user_name(const struct proc_users *u, uint32_t uid); /* "": nobody's there */

/* All processes that are there, in the kernel's order; `out` is the caller's to free. */
size_t proc_pids(struct proc *p, uint32_t **out);

/* Its threads but the first, as long as the callee says true; comm alone is read. */
typedef bool proc_thread(void *to, const struct proc_task *t);
bool proc_threads(struct proc *p, const struct proc_task *process, proc_thread *thread, void *to);

/* The number of the system call that a thread waits in; and, if the call's first argument is a
 * descriptor, the kind of its file (S_IFMT), else 0. False if it waits in no call, or if the kernel
 * refuses to tell. */
bool proc_waiting_call(struct proc *p, uint32_t pid, uint32_t tid, int64_t *call, unsigned *file);

/* Its arguments with spaces between; their length, 0 where it has none or has changed into
 * nothing readable. Arguments beyond `room` are cut, and "…" says so. */
size_t proc_command(struct proc *p, uint32_t pid, char *out, size_t room);

/* ---- memory (maps.c) ---------------------------------------------------------- */

struct proc_mapping {
    uint64_t base, size, offset;
    uint64_t dev, inode;    /* dev as the kernel's events write it */
    const char *path;       /* "[vdso]", "//anon …", "/usr/bin/x (deleted)"; "//anon" for none */
    size_t path_bytes;
};

typedef bool proc_mapping(void *to, const struct proc_mapping *m);

/* One line of a maps file, which is changed; false when it is none or not executable. */
bool proc_parse_mapping(char *line, size_t length, struct proc_mapping *out);
bool proc_mappings(struct proc *p, uint32_t pid, proc_mapping *mapping, void *to);

/* The kernel's own code and its modules. `hidden`: the system gives no addresses away. */
bool proc_kernel(struct proc *p, proc_mapping *mapping, void *to, bool *hidden);

/* ---- builds (build.c) ---------------------------------------------------------- */

/* Build ids of files that were read, by device and inode: the last PROC_BUILDS of them. */
enum { PROC_BUILDS = 1 << 14 };
struct proc_builds {
    struct map known; /* → index + 1 */
    struct proc_build {
        uint64_t key;
        struct build_id id;
    } *builds;
    uint32_t count, room;
    uint32_t oldest; /* where all are taken */
};
void proc_builds_init(struct proc_builds *b);
void proc_builds_fini(struct proc_builds *b);
/* Of what a process has mapped, and of the kernel or a module of it ("[xfs]"); count 0 where
 * it has none or it cannot be read. */
void proc_build_id(struct proc *p, struct proc_builds *b, uint32_t pid,
                   const struct proc_mapping *m, struct build_id *out);
void proc_kernel_build_id(struct proc *p, const char *path, struct build_id *out);

/* ---- descriptors and sockets (fd.c) ------------------------------------------- */

struct proc_socket {
    uint64_t inode;
    uint8_t local[16], remote[16];    /* network order; IPv4 in the first four */
    uint16_t local_port, remote_port; /* host order */
    uint8_t family, protocol;
};

/* The sockets of TCP and UDP, by inode. */
struct proc_sockets {
    struct proc_socket *all;
    uint32_t count, room;
    struct map by_inode;    /* → index + 1 */
};

void proc_sockets_init(struct proc_sockets *s);
void proc_sockets_fini(struct proc_sockets *s);
/* Reads what `directory` ("proc/net", "proc/12/net") lists. */
void proc_sockets_read(struct proc *p, struct proc_sockets *s, const char *directory);
const struct proc_socket *proc_socket(const struct proc_sockets *s, uint64_t inode);
/* One line of tcp, tcp6, udp, udp6; false for headings and sockets that nobody holds. */
bool proc_parse_socket(const char *line, struct proc_socket *out);

struct proc_fd {
    int fd;
    bool is_file;           /* something with a path */
    uint64_t dev, inode;    /* of a file; inode alone of a socket */
    uint64_t socket;        /* inode of a socket, else 0 */
    const char *path;       /* what the link says, "socket:[12]" and the like included */
    size_t path_bytes;
};

typedef bool proc_descriptor(void *to, const struct proc_fd *f);
bool proc_descriptors(struct proc *p, uint32_t pid, proc_descriptor *descriptor, void *to);
/* One descriptor; false when it is closed. `path` has room for PROC_PATH bytes. */
bool proc_descriptor_of(struct proc *p, uint32_t pid, int fd, struct proc_fd *out, char *path);

/* The network namespace of a process (an inode number), 0 where it is unknown. */
uint64_t proc_network(struct proc *p, uint32_t pid);

/* ---- disks (disk.c) ------------------------------------------------------------ */

struct proc_disk {
    char name[64], model[128];
    uint64_t dev;           /* as the kernel's events write it */
    uint64_t bytes;
    uint32_t sector;        /* bytes of one */
    uint32_t partitions;
    bool is_write_cached;
};

struct proc_partition {
    char name[64];
    uint32_t number;
    uint64_t dev; /* as the kernel's events write it; 0: unknown */
    uint64_t start, bytes;
};

/* Disks that have a size, in order of their device numbers; `out` is the caller's to free. */
size_t proc_disks(struct proc *p, struct proc_disk **out);
typedef bool proc_partition(void *to, const struct proc_partition *part);
void proc_partitions(struct proc *p, const struct proc_disk *d, proc_partition *partition,
                     void *to);

#endif
