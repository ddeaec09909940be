/* Disks of a source: what is remembered of their operations, and what they are called. A session
 * describes its disks (SystemConfig/PhyDisk, LogDisk) at its beginning or end, so names may come
 * after the operations. */
#ifndef SRC_MODEL_DISK_H
#define SRC_MODEL_DISK_H

#include "src/model/types.h"

#include <stddef.h>
#include <stdint.h>

struct model;

/* Room for a name: a longer one is cut. */
enum { DISK_NAME = 96, DISK_LABEL = 2 * DISK_NAME /* of what is shown */ };

struct disk_state {
    int64_t completed_ns; /* the newest completion */
    uint64_t next;        /* the offset behind the newest operation */
    uint32_t drives;      /* letters of its logical disks, 'A' = 1 */
    char name[DISK_NAME]; /* as the record has it, UTF-8; "" = not known */
};

/* Of the current source. Never NULL: all numbers beyond a bound share one. */
struct disk_state *model_disk(struct model *m, uint32_t number);

/* What people call a disk, in `room`: "vda", "loop0 /srv/image.iso", "PhysicalDrive0 C:"; where the
 * session did not describe it, "disk 0". */
const char *model_disk_label(const struct model *m, source_id source, uint32_t number, char *room,
                             size_t bytes);

#endif
