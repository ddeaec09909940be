#include "src/model/disk.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/model/model.h"

#include <stdio.h>
#include <string.h>

enum { DISKS = 1024 }; /* all higher numbers share one entry, which has no name */

struct disk_state *model_disk(struct model *m, uint32_t number)
{
    struct model_source *const s = &m->sources[m->source];
    uint32_t index = map_get(&s->disks, number);
    if (!index) {
        index = s->disks.count < DISKS ? s->disks.count + 1 : DISKS;
        if (s->disks.count < DISKS) {
            map_put(&s->disks, number, index);
            s->disk_states = mem_grow(s->disk_states, index, sizeof *s->disk_states);
            s->disk_states[index - 1] =
                (struct disk_state){.completed_ns = INT64_MIN / 2, .next = UINT64_MAX};
        }
    }
    return &s->disk_states[index - 1];
}

/* ---- learning ------------------------------------------------------------------------------ */

static bool is_shared(const struct model_source *s, const struct disk_state *d)
{
    return d == &s->disk_states[DISKS - 1];
}

void make_physical_disk(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    enum { NUMBER };
    uint64_t number;
    char name[DISK_NAME];
    (void)f;
    if (!kind_load(k, e, NUMBER, &number))
        return;
    kind_text(k, e, "Manufacturer", name, sizeof name);
    struct disk_state *const d = model_disk(m, (uint32_t)number);
    if (is_shared(&m->sources[m->source], d) || !name[0])
        return;
    memcpy(d->name, name, sizeof name);
    m->late_names++;
}

void make_logical_disk(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { TYPE, NUMBER, PARTITION = 1 };
    (void)f;
    char letter[16];
    uint64_t type, number;
    kind_text(k, e, "DriveLetterString", letter, sizeof letter);
    const char drive = text_lower(letter[0]);
    if (!kind_load(k, e, TYPE, &type) || type != PARTITION || letter[1] != ':' || drive < 'a' ||
        drive > 'z')
        return;
    m->sources[m->source].drives |= 1u << (drive - 'a');
    if (kind_load(k, e, NUMBER, &number))
        model_disk(m, (uint32_t)number)->drives |= 1u << (drive - 'a');
    m->late_names++;
}

/* ---- telling ------------------------------------------------------------------------------- */

/* The record has the device and, behind it, its model or, of a loop, the file that it shows. */
static const char *label_linux(const struct disk_state *d, char *room, size_t bytes)
{
    const size_t device = strcspn(d->name, " ");
    const bool has_path = d->name[device] && d->name[device + 1] == '/';
    snprintf(room, bytes, "%.*s", has_path ? (int)sizeof d->name : (int)device, d->name);
    return room;
}

static const char *label_windows(uint32_t number, uint32_t drives, char *room, size_t bytes)
{
    int used = snprintf(room, bytes, "PhysicalDrive%u", number);
    for (unsigned i = 0; i < 26 && used > 0 && (size_t)used < bytes; i++)
        if (drives >> i & 1)
            used += snprintf(room + used, bytes - (size_t)used, " %c:", 'A' + i);
    return room;
}

const char *model_disk_label(const struct model *m, source_id source, uint32_t number, char *room,
                             size_t bytes)
{
    const struct model_source *const s = source < m->source_count ? &m->sources[source] : NULL;
    const uint32_t index = s ? map_get(&s->disks, number) : 0;
    const struct disk_state *const d = index && index < DISKS ? &s->disk_states[index - 1] : NULL;
    if (d && s->is_linux && d->name[0])
        return label_linux(d, room, bytes);
    if (d && !s->is_linux && (d->name[0] || d->drives))
        return label_windows(number, d->drives, room, bytes);
    snprintf(room, bytes, "disk %u", number);
    return room;
}
