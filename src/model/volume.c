/* Paths as people write them. The kernel names devices. A trace may have the drive letter or share
 * of a device (VolumeMapping, added when it is merged), at its end as well as at its beginning: so
 * files keep the names they came with, and get their drive whenever they are shown. Where only the
 * list of logical disks is there, and it has one drive, that drive is the volume that the system's
 * modules lie on. */
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine has some dozens; more would make every path slow to show. */
enum { VOLUMES = 256, PATH_ROOM = 1024 };

struct volume {
    source_id source;
    char *device, *drive; /* "\Device\HarddiskVolume3\", "C:\" */
    size_t device_bytes;
};

struct volumes {
    struct volume all[VOLUMES];
    unsigned count;
};

static const char DISK_VOLUME[] = "\\Device\\HarddiskVolume";

/* ---- learning ------------------------------------------------------------------------ */

/* Does the path begin so? Case does not matter. */
static bool begins_with(const char *path, const char *start)
{
    for (; *start; path++, start++)
        if (text_lower(*path) != text_lower(*start))
            return false;
    return true;
}

static void set_volume(struct model *m, const char *device, const char *drive)
{
    if (!m->volumes)
        m->volumes = mem_new(1, sizeof *m->volumes);
    struct volumes *const v = m->volumes;
    for (unsigned i = 0; i < v->count; i++)
        if (v->all[i].source == m->source && strcmp(v->all[i].device, device) == 0)
            return;
    if (!device[0] || v->count == VOLUMES)
        return;
    v->all[v->count++] = (struct volume){.source = m->source,
                                         .device = mem_string(device),
                                         .drive = mem_string(drive),
                                         .device_bytes = strlen(device)};
    m->late_names++;
}

static void make_volume(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    (void)f;
    char device[PATH_ROOM], drive[PATH_ROOM];
    set_volume(m, kind_text(k, e, "NtPath", device, sizeof device),
               kind_text(k, e, "DosPath", drive, sizeof drive));
}

const struct fact_builder *fact_builder_of_volume(const struct event *e)
{
    enum { VOLUME_MAPPING = 35 };
    static const struct fact_builder fact_builder = {0,       0,           FACT_OTHER,
                                                     OP_NONE, make_volume, {NULL}};
    const char *class_name, *event_name;
    decode_name(e, &class_name, &event_name);
    return e->opcode == VOLUME_MAPPING && strcmp(event_name, "VolumeMapping") == 0 ? &fact_builder
                                                                                   : NULL;
}

void model_volume_hint(struct model *m, source_id source, const char *image)
{
    static const char SYSTEM[] = "\\Windows\\System32\\";
    struct model_source *const s = &m->sources[source];
    char *end;
    if (s->system_volume || !begins_with(image, DISK_VOLUME))
        return;
    const unsigned long number = strtoul(image + sizeof DISK_VOLUME - 1, &end, 10);
    if (number == 0 || number > UINT16_MAX || !begins_with(end, SYSTEM))
        return;
    s->system_volume = (uint16_t)number;
    m->late_names++;
}

void model_volumes_fini(struct model *m)
{
    for (unsigned i = 0; m->volumes && i < m->volumes->count; i++) {
        free(m->volumes->all[i].device);
        free(m->volumes->all[i].drive);
    }
    free(m->volumes);
    m->volumes = NULL;
}

/* ---- telling --------------------------------------------------------------------------- */

/* The volume itself has no separator behind its name, nor need the name in the mapping:
 * HarddiskVolume30 does not lie on HarddiskVolume3. */
static bool is_on(const char *path, const struct volume *v)
{
    const size_t bytes = v->device_bytes - 1;
    if (begins_with(path, v->device)) {
        const char next = path[v->device_bytes];
        return v->device[bytes] == '\\' || !next || next == '\\';
    }
    return v->device[bytes] == '\\' && strlen(path) == bytes && strncmp(path, v->device, bytes) == 0;
}

static const struct volume *volume_of(const struct model *m, source_id source, const char *path)
{
    const struct volume *longest = NULL;
    for (unsigned i = 0; m->volumes && i < m->volumes->count; i++) {
        const struct volume *v = &m->volumes->all[i];
        if (v->source == source && is_on(path, v)
            && (!longest || v->device_bytes > longest->device_bytes))
            longest = v;
    }
    return longest;
}

/* 'C' where there is one drive and the path lies on the system's volume; else 0. */
static char sole_drive(const struct model_source *s, const char *path, const char **rest)
{
    const bool is_one = s->drives && !(s->drives & (s->drives - 1));
    if (!is_one || !s->system_volume || !begins_with(path, DISK_VOLUME))
        return 0;
    char *end;
    const unsigned long number = strtoul(path + sizeof DISK_VOLUME - 1, &end, 10);
    if (number != s->system_volume || (*end && *end != '\\'))
        return 0;
    *rest = end;
    char drive = 'A';
    for (uint32_t bits = s->drives; bits > 1; bits >>= 1)
        drive++;
    return drive;
}

const char *model_path(const struct model *m, const struct file *f, char *room, size_t bytes)
{
    return f ? model_path_of(m, f->source, f->name, room, bytes) : NULL;
}

const char *model_path_of(const struct model *m, source_id source, const char *name, char *room,
                          size_t bytes)
{
    if (!name || name[0] != '\\' || source >= m->source_count)
        return name;
    const struct volume *v = volume_of(m, source, name);
    const char *rest = "";
    if (v) {
        const size_t whole = strlen(name), skip = whole < v->device_bytes ? whole : v->device_bytes;
        snprintf(room, bytes, "%s%s", v->drive, name + skip);
        return room;
    }
    const char drive = sole_drive(&m->sources[source], name, &rest);
    if (!drive)
        return name;
    snprintf(room, bytes, "%c:%s", drive, rest);
    return room;
}
