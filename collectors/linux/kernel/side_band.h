/* Side-band records as perf_event_open(2) draws them, behind the perf header. The texts at
 * their ends are padded with NULs to a multiple of 8. */
#ifndef COLLECTORS_LINUX_KERNEL_SIDE_BAND_H
#define COLLECTORS_LINUX_KERNEL_SIDE_BAND_H

#include "collectors/linux/kernel/sample.h"
#include "src/base/bytes.h"

struct some_text {
    const char *at; /* any bytes; may be NULL with 0 */
    size_t bytes;
};

/*  FORK, EXIT              COMM               MMAP2
 *   0 u32 pid  u32 ppid     0 u32 pid u32 tid   0 u32 pid u32 tid
 *   8 u32 tid  u32 ptid     8 name …            8 u64 address
 *  16 u64 time                                 16 u64 length
 *                                              24 u64 offset in the file
 *                                              32 u32 major, u32 minor, u64 inode, u64 generation
 *                                                 or u8 size, 3 bytes, u8 build_id[20]
 *                                              56 u32 protection, u32 flags
 *                                              64 name … */
struct band_task {
    uint32_t pid, ppid, tid, ptid;
};

struct band_comm {
    uint32_t pid, tid;
    struct some_text name;
};

struct band_map {
    uint32_t pid, tid;
    uint64_t base, size, offset;
    uint64_t dev, inode;      /* 0, 0 with a build id */
    const uint8_t *build_id;  /* NULL: none */
    size_t build_id_bytes;
    uint32_t protection;
    struct some_text name;
};

/* False when the record is shorter than its kind. */
bool band_task(const struct sample *s, struct band_task *out);
bool band_comm(const struct sample *s, struct band_comm *out);
bool band_map(const struct sample *s, struct band_map *out);

#endif
