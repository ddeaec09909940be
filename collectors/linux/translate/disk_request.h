/* What the files about disks share. */
#ifndef COLLECTORS_LINUX_TRANSLATE_DISK_REQUEST_H
#define COLLECTORS_LINUX_TRANSLATE_DISK_REQUEST_H

#include "collectors/linux/proc/proc.h"
#include "collectors/linux/translate/disk_asker.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/to_disk.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/map.h"
#include "src/model/fact.h"

#include <string.h>

enum { ASKED = 1024 };

enum {
    HOOK_READ = 0x010a,
    HOOK_WRITE,
    HOOK_READ_INIT,
    HOOK_WRITE_INIT,
    HOOK_FLUSH,
    HOOK_FLUSH_INIT
};

struct disk_request {
    uint64_t key;    /* 0 = free */
    uint64_t sector; /* of what is still to be done */
    uint64_t offset; /* bytes: where it began */
    uint64_t irp;
    uint64_t file; /* whose bytes; 0 = not known */
    int64_t start;
    uint32_t dev, pid, tid;
    uint32_t bytes, done;
    int32_t error; /* the last one that a part of it ended with */
    uint16_t priority, cpu;
    uint8_t operation;
    bool is_metadata, is_ahead, is_sync, is_requeued, is_bpf;
};

/* Files whose names were asked for, by their keys, and when. */
struct disk_asked {
    uint64_t file;
    int64_t time;
};

struct disk_requests {
    struct disk_request *requests; /* sets × WAYS */
    uint32_t sets;
    struct disk_asked asked[ASKED];
    struct askers askers;
    uint64_t irps;
    struct disk_figures figures;
};

static inline struct disk_requests *disk_of(const struct translator *t)
{
    return t->state[DOMAIN_DISK];
}

void disk_report_issue(struct translator *t, const struct sample *s, const struct disk_request *r);
/* `response` in ns; 0 = not measured. */
void disk_report_end(struct translator *t, const struct disk_request *r, uint32_t bytes,
                     unsigned cpu, int64_t time, uint64_t response);
void disk_give_up(struct translator *t, struct disk_request *r, int64_t time);

#endif
