/* Which file a descriptor of a process means: a bounded table (process, descriptor) → opening,
 * kept by what system calls do to descriptors. The collector's thread only.
 *
 * An entry holds until its descriptor is closed, by whatever way: close, dup2 onto it, exec
 * (when it is marked so), the end of the process. A child finds its parent's entries until it
 * has its own. */
#ifndef COLLECTORS_LINUX_TRANSLATE_OPEN_FILES_H
#define COLLECTORS_LINUX_TRANSLATE_OPEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OFFSET_UNKNOWN UINT64_MAX

enum open_state {
    OPEN_ASKED, /* what it is, the helper is looking up */
    OPEN_FILE,  /* something with a path */
    OPEN_OTHER, /* a socket, a pipe …: no file */
    OPEN_GONE,  /* nobody knows any more */
};

enum { CLOEXEC_UNKNOWN, CLOEXEC_NO, CLOEXEC_YES };

struct open_file {
    uint32_t pid; /* 0: a free place */
    int32_t fd;
    uint64_t object;  /* FileObject: stands for this opening, never 0 */
    uint64_t key;     /* FileKey; 0 = not known */
    uint64_t offset;  /* where the next read or write begins, or OFFSET_UNKNOWN */
    int64_t since_ns; /* when the descriptor was made or first met */
    int64_t used_ns;  /* by an operation; set by the caller */
    uint32_t lookup; /* OPEN_ASKED: the caller's */
    uint8_t state;   /* enum open_state */
    uint8_t cloexec;
};

struct open_files;

struct open_files *open_files_new(void);
void open_files_free(struct open_files *o);
/* Forgets all: what happened meanwhile was not seen. */
void open_files_clear(struct open_files *o);

/* A number for an opening whose descriptor is not known yet. */
uint64_t open_files_object(struct open_files *o, uint32_t pid);

/* The entry of a descriptor as it is at `time`, its parent's copied where it has none of its
 * own; NULL where nothing is known. Pointers are good until the next call that adds. */
struct open_file *open_files_find(struct open_files *o, uint32_t pid, int32_t fd, int64_t time);
/* A fresh entry in state OPEN_GONE, in the place of what was there. */
struct open_file *open_files_add(struct open_files *o, uint32_t pid, int32_t fd, int64_t time);
void open_files_remove(struct open_files *o, uint32_t pid, int32_t fd);

/* What processes do to all their descriptors. */
void open_files_fork(struct open_files *o, uint32_t pid, uint32_t parent, int64_t time);
void open_files_exec(struct open_files *o, uint32_t pid, int64_t time);
void open_files_exit(struct open_files *o, uint32_t pid, int64_t time);
/* Those from `first` on are closed, or (`marks`) marked to be closed by exec. */
void open_files_close_from(struct open_files *o, uint32_t pid, int32_t first, bool marks,
                           int64_t time);

size_t open_files_bytes(const struct open_files *o);

/* Entries that lost their place to newer ones though they held. */
uint64_t open_files_pushed_out(const struct open_files *o);

#endif
