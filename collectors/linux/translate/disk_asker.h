/* Whose a request to a disk is, and which disk that is: bounded tables of the disk domain. */
#ifndef COLLECTORS_LINUX_TRANSLATE_DISK_ASKER_H
#define COLLECTORS_LINUX_TRANSLATE_DISK_ASKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation {
    OPERATION_READ,
    OPERATION_WRITE,
    OPERATION_FLUSH,
    OPERATION_DISCARD,
    OPERATION_OTHER,
};

/* Who asked for what begins at a sector. */
struct asker {
    int64_t time; /* 0 = free */
    uint64_t sector;
    uint32_t dev, pid, tid;
    uint8_t operation;
};

struct device {
    uint32_t dev, number;
    bool is_known; /* a whole disk, listed by the helper */
};

struct askers {
    struct asker *all;
    struct device *devices; /* open addressing */
    uint32_t device_count, unlisted;
};

void askers_init(struct askers *a);
void askers_fini(struct askers *a);
size_t askers_bytes(void);

/* The newest one for its place; the oldest of some others goes when there is no room: a request
 * is made at once, or what was asked for was joined to another. */
void askers_put(struct askers *a, const struct asker *now);

/* Who asked for what begins there, or NULL. Requests name the whole disk, askers maybe its
 * partition, with the disk's sectors: an asker on a device that is no disk known to us will do
 * where there is none on this one. Set its time to 0 to take it out. */
struct asker *askers_find(const struct askers *a, uint32_t dev, uint64_t sector,
                          enum operation operation);

/* What records call a disk. Those that nobody listed (plugged in later) are numbered from 4096
 * on, 65535 is one too many. */
uint32_t askers_disk(struct askers *a, uint32_t dev);
void askers_learn_disk(struct askers *a, uint32_t dev, uint32_t number);

#endif
