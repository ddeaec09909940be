#include "collectors/linux/translate/disk_asker.h"

#include "src/base/map.h"
#include "src/base/mem.h"

#include <stdlib.h>

enum { SETS = 2048, WAYS = 4, DEVICES = 1024 };

void askers_init(struct askers *a)
{
    *a = (struct askers){
        .all = mem_new((size_t)SETS * WAYS, sizeof *a->all),
        .devices = mem_new(DEVICES, sizeof *a->devices),
    };
}

size_t askers_bytes(void)
{
    return (size_t)SETS * WAYS * sizeof(struct asker) + DEVICES * sizeof(struct device);
}

void askers_fini(struct askers *a)
{
    free(a->all);
    free(a->devices);
}

/* ---- disk numbers ---------------------------------------------------------------------------- */

static struct device *device_place(const struct askers *a, uint32_t dev)
{
    uint32_t at = (uint32_t)(hash_mix(dev) >> 32) % DEVICES;
    while (a->devices[at].dev && a->devices[at].dev != dev)
        at = (at + 1) % DEVICES;
    return &a->devices[at];
}

uint32_t askers_disk(struct askers *a, uint32_t dev)
{
    enum { UNLISTED_FROM = 4096, NOBODY = 65535 };
    struct device *const known = device_place(a, dev);
    if (known->dev)
        return known->number;
    if (!dev || a->device_count >= DEVICES * 3 / 4)
        return NOBODY;
    a->device_count++;
    *known = (struct device){.dev = dev, .number = UNLISTED_FROM + a->unlisted++};
    return known->number;
}

void askers_learn_disk(struct askers *a, uint32_t dev, uint32_t number)
{
    struct device *const place = device_place(a, dev);
    if (!dev || (!place->dev && a->device_count >= DEVICES * 3 / 4))
        return;
    a->device_count += !place->dev;
    *place = (struct device){.dev = dev, .number = number, .is_known = true};
}

/* ---- who asked ------------------------------------------------------------------------ */

static struct asker *set_at(const struct askers *a, uint64_t sector, enum operation operation)
{
    const uint64_t hash = hash_mix(sector << 3 ^ operation);
    return &a->all[(hash >> 32) % SETS * WAYS];
}

void askers_put(struct askers *a, const struct asker *now)
{
    struct asker *const set = set_at(a, now->sector, now->operation);
    struct asker *place = set;
    for (unsigned i = 0; i < WAYS; i++) {
        const bool is_it = set[i].time && set[i].sector == now->sector && set[i].dev == now->dev &&
                           set[i].operation == now->operation;
        if (is_it) {
            place = &set[i];
            break;
        }
        if (set[i].time < place->time)
            place = &set[i];
    }
    *place = *now;
}

struct asker *askers_find(const struct askers *a, uint32_t dev, uint64_t sector,
                          enum operation operation)
{
    struct asker *const set = set_at(a, sector, operation), *other = NULL;
    for (unsigned i = 0; i < WAYS; i++) {
        if (!set[i].time || set[i].sector != sector || set[i].operation != operation)
            continue;
        if (set[i].dev == dev)
            return &set[i];
        if (!device_place(a, set[i].dev)->is_known && (!other || set[i].time > other->time))
            other = &set[i];
    }
    return other;
}
