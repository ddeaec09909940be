/* Which code lies where in which process, and the unwind tables of that code: what the unwinder's
 * thread knows. Files are opened the first time somebody runs through them; each is proved to be
 * the one that is mapped. Bounded: the processes go that were not met for longest, and tables that
 * rest. */
#ifndef COLLECTORS_LINUX_UNWIND_MAPS_H
#define COLLECTORS_LINUX_UNWIND_MAPS_H

#include "collectors/linux/proc/proc.h"
#include "src/symbol/unwind.h"

struct unwind_maps;

/* NULL where /proc cannot be read. The tables of all programs take so many bytes at most. A new one
 * takes the place of those that were not used for some seconds; where too few rest, it is not kept, and
 * read again after some seconds, or never if it is larger than all room. Its code has no rules
 * meanwhile: reading tables again and again would cost more than it gives. */
struct unwind_maps *unwind_maps_new(size_t tables_most);
void unwind_maps_free(struct unwind_maps *m); /* NULL is fine */

struct unwind_mapping {
    uint32_t pid;
    uint64_t base, size, offset;
    uint64_t dev, inode;
    const uint8_t *build; /* its build id, or NULL */
    size_t build_bytes;
    const char *path;
    size_t path_bytes;
};

/* News, in their order. Of a process that has not been asked about yet, only its exec is noted: the
 * rest is read when it is asked about. */
void unwind_maps_add(struct unwind_maps *m, const struct unwind_mapping *n);
void unwind_maps_exec(struct unwind_maps *m, uint32_t pid);
void unwind_maps_exit(struct unwind_maps *m, uint32_t pid);

/* Whose stack comes next; false where nothing is known of it any more. `now` grows. */
bool unwind_maps_choose(struct unwind_maps *m, uint32_t pid, int64_t now);
size_t unwind_maps_bytes(const struct unwind_maps *m);
unwind_find unwind_maps_find; /* its `arg` is the struct unwind_maps */

#endif
