/* Threads in a system call: what the end of the call needs to know of its beginning. Also paths of
 * calls: a call and its path come one after the other, in either order. Bounded; the collector's
 * thread only. */
#ifndef COLLECTORS_LINUX_TRANSLATE_RUNNING_CALLS_H
#define COLLECTORS_LINUX_TRANSLATE_RUNNING_CALLS_H

#include "collectors/linux/translate/file_queue.h"

/* One half of what a call does: a descriptor or a path, and the event about it. */
struct call_part {
    uint64_t irp; /* 0: no event */
    uint32_t lookup;
    int32_t fd;
    bool moves; /* reads or writes where the descriptor stands */
};

struct running_call {
    uint32_t tid, pid;
    int64_t since_ns;
    uint16_t call;            /* index + 1; 0 = free */
    struct call_part part[2]; /* the second: KIND_COPY writes, descriptors that are made */
    uint64_t argument;        /* flags of an open, command of fcntl … */
    uint64_t argument2;
};

struct reported_path {
    uint32_t tid;
    int64_t time;
    size_t bytes;
    char text[FILE_PATH];
};

struct running_calls;

struct running_calls *running_calls_new(void);
void running_calls_free(struct running_calls *r);
size_t running_calls_bytes(void);
void running_calls_clear(struct running_calls *r);

/* The call that the thread is in, or NULL. */
struct running_call *running_find(struct running_calls *r, uint32_t tid);
/* The thread enters a call. One whose end was not seen, or will not be known, gives way and is
 * counted in *pushed_out. */
struct running_call *running_begin(struct running_calls *r, const struct sample *s, unsigned call,
                                   uint64_t *pushed_out);

/* The parts of a path: the path itself and, where it is relative, the names of its folder, the
 * innermost first, each with its NUL; one NUL for the root, none where the folder is not known. */
struct path_parts {
    const char *path, *folder;
    size_t path_bytes, folder_bytes;
};

/* Keeps the path of a call that the thread enters now, whole where its folder is known. */
struct reported_path *path_report(struct running_calls *r, const struct sample *s,
                                  const struct path_parts *parts);
/* Takes the path for the call that the thread enters now; or NULL. */
const struct reported_path *path_take(struct running_calls *r, const struct sample *s);
/* Are the two of one call? */
bool path_belongs(const struct running_call *c, const struct sample *s);

#endif
