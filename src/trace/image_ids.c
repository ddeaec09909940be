#include "src/trace/image_ids.h"

#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/base/text.h"
#include "src/event/decode.h"
#include "src/event/decode/classes.h"
#include "src/os/os.h"
#include "src/symbol/image_file.h"
#include "src/symbol/pe.h"

#include <stdlib.h>
#include <string.h>

enum {
    HOOK_IMAGE_LOAD = 0x030a, /* in the group of processes, as the kernel has it */
    HOOK_IMAGE_DCSTART = 0x1403,
    HOOK_IMAGE_DCEND = 0x1404,
    FILES_MOST = 1 << 14, /* that are remembered */
    PATH_ROOM = 1024,
    NAME_MOST = 255, /* characters of a file's name */
};

#define TIME_MOST 10000000000ll /* ns, for all files */

/* One file, and what it is; without `is_read` it is not to be asked again. */
struct file_id {
    char *path;
    uint32_t stamp; /* of the event */
    bool is_read;
    uint32_t image_size, pdb_age;
    struct guid pdb_guid;
    char *pdb;
};

struct image_ids {
    struct map numbers; /* hash of path and stamp → 1 + place in `files` */
    struct file_id *files;
    uint32_t count, room;
    int64_t took; /* ns */
    uint64_t left_out;
};

struct image_ids *image_ids_new(void)
{
    struct image_ids *const ids = mem_new(1, sizeof *ids);
    map_init(&ids->numbers);
    return ids;
}

void image_ids_free(struct image_ids *ids)
{
    if (!ids)
        return;
    for (uint32_t i = 0; i < ids->count; i++) {
        free(ids->files[i].path);
        free(ids->files[i].pdb);
    }
    free(ids->files);
    map_fini(&ids->numbers);
    free(ids);
}

uint64_t image_ids_left_out(const struct image_ids *ids)
{
    return ids ? ids->left_out : 0;
}

bool image_ids_is_image(const struct record_head *head, const uint8_t *record)
{
    enum { SYSTEM64_MOST = 4, PERFINFO32 = 16, PERFINFO64 = 17, TYPE_AT = 2, HOOK_AT = 6 };
    if (head->form != RECORD_ETW || head->bytes < sizeof *head + HOOK_AT + 2 ||
        (record[TYPE_AT] > SYSTEM64_MOST && record[TYPE_AT] != PERFINFO32 &&
         record[TYPE_AT] != PERFINFO64))
        return false;
    const unsigned hook = load_u16(record + HOOK_AT);
    return hook == HOOK_IMAGE_LOAD || hook == HOOK_IMAGE_DCSTART || hook == HOOK_IMAGE_DCEND;
}

/* ---- files --------------------------------------------------------------------------------- */

static void read_file(struct file_id *f)
{
    char place[PATH_ROOM + 64];
    struct blob blob;
    struct pe pe;
    if (!image_file_path(f->path, place, sizeof place) || !blob_open(&blob, place, NULL))
        return;
    if (pe_read_identity(&pe, &blob, NULL) && (!f->stamp || pe.stamp == f->stamp)) {
        f->is_read = true;
        f->stamp = pe.stamp;
        f->image_size = pe.image_size;
        f->pdb_guid = pe.pdb_guid;
        f->pdb_age = pe.pdb_age;
        f->pdb = mem_string(pe.pdb);
    }
    blob_close(&blob);
}

static struct file_id *add_file(struct image_ids *ids, uint64_t hash, const char *path,
                                uint32_t stamp)
{
    if (ids->count == ids->room) {
        ids->room = ids->room ? ids->room * 2 : 64;
        ids->files = mem_grow(ids->files, ids->room, sizeof *ids->files);
    }
    struct file_id *const f = &ids->files[ids->count++];
    *f = (struct file_id){.path = mem_string(path), .stamp = stamp};
    map_put(&ids->numbers, hash, ids->count);
    return f;
}

/* NULL: nothing is known of it. */
static const struct file_id *file_of(struct image_ids *ids, const char *path, uint32_t stamp)
{
    const uint64_t hash = hash_bytes(stamp, path, strlen(path));
    const uint32_t number = map_get(&ids->numbers, hash);
    if (number)
        return strcmp(ids->files[number - 1].path, path) == 0 ? &ids->files[number - 1] : NULL;
    if (ids->took > TIME_MOST || ids->count == FILES_MOST) {
        ids->left_out++;
        return NULL;
    }
    const int64_t began = os_now();
    struct file_id *const f = add_file(ids, hash, path, stamp);
    read_file(f);
    ids->took += os_now() - began;
    return f;
}

/* ---- records ----------------------------------------------------------------------------- */

struct image_event {
    uint64_t base, size, pid, stamp;
    char path[PATH_ROOM];
};

static bool read_image(const struct event *e, struct image_event *out)
{
    static const char *const names[] = {"ImageBase", "ImageSize", "ProcessId", "TimeDateStamp"};
    const struct payload_layout *const l = decode_layout(e);
    struct decoded fields[DECODE_FIELDS];
    uint64_t *const numbers[] = {&out->base, &out->size, &out->pid, &out->stamp};
    const unsigned count = l ? decode_fields(l, e, fields, DECODE_FIELDS) : 0;
    *out = (struct image_event){.base = 0};
    for (unsigned i = 0; i < count; i++) {
        const struct decoded *const d = &fields[i];
        for (unsigned n = 0; d->is_present && n < sizeof names / sizeof *names; n++)
            if (strcmp(d->field->name, names[n]) == 0)
                *numbers[n] = d->number;
        if (d->is_present && strcmp(d->field->name, "FileName") == 0)
            decode_format(d, out->path, sizeof out->path);
    }
    return out->base && out->path[0];
}

static const char *name_of(const char *path)
{
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (*c == '\\' || *c == '/')
            name = c + 1;
    return name;
}

static struct payload_writer begin(uint8_t *room, unsigned opcode, const struct record_head *head,
                                   uint64_t pid)
{
    enum { FULL_HEADER64 = 20, MARK = 0xc0, VERSION = 2 };
    struct payload_writer p = {room, room, room + IMAGE_ID_ROOM};
    put_u16(&p, 0); /* size: when it is known */
    put_u8(&p, FULL_HEADER64);
    put_u8(&p, MARK);
    put_u8(&p, opcode);
    put_u8(&p, 0); /* level */
    put_u16(&p, VERSION);
    put_u32(&p, EVENT_NO_ID);
    put_u32(&p, (uint32_t)pid);
    put_u64(&p, (uint64_t)head->ts);
    put_bytes(&p, &decode_image_id.guid, sizeof decode_image_id.guid);
    put_u64(&p, 0); /* processor times */
    return p;
}

static void end(struct image_id_records *out, const struct payload_writer *p,
                const struct record_head *head)
{
    const uint16_t bytes = (uint16_t)(p->at - p->start);
    store_u16(p->start, bytes);
    out->heads[out->count] = *head;
    out->heads[out->count++].bytes = (uint32_t)sizeof *head + bytes;
}

static void put_info(struct image_id_records *out, const struct record_head *head,
                     const struct image_event *i, const struct file_id *f)
{
    enum { INFO = 0 };
    const char *const name = name_of(i->path);
    struct payload_writer p = begin(out->records[out->count], INFO, head, i->pid);
    put_u64(&p, i->base);
    put_u64(&p, f->image_size);
    put_u32(&p, (uint32_t)i->pid);
    put_u32(&p, f->stamp);
    put_utf16(&p, name, strnlen(name, NAME_MOST));
    end(out, &p, head);
}

static void put_pdb(struct image_id_records *out, const struct record_head *head,
                    const struct image_event *i, const struct file_id *f)
{
    enum { NONE = 0x20, RSDS = 0x24 };
    static const struct guid none;
    const bool has_pdb = !guid_equal(&f->pdb_guid, &none);
    struct payload_writer p = begin(out->records[out->count], has_pdb ? RSDS : NONE, head, i->pid);
    put_u64(&p, i->base);
    put_u32(&p, (uint32_t)i->pid);
    if (has_pdb) {
        put_bytes(&p, &f->pdb_guid, sizeof f->pdb_guid);
        put_u32(&p, f->pdb_age);
        put_text(&p, f->pdb, strlen(f->pdb));
    }
    end(out, &p, head);
}

void image_ids_of(struct image_ids *ids, const struct record_head *head, const uint8_t *record,
                  struct image_id_records *out)
{
    struct event e;
    struct image_event i;
    out->count = 0;
    if (!image_ids_is_image(head, record) ||
        event_parse(record, head->bytes - sizeof *head, &e) != EVENT_OK || !read_image(&e, &i))
        return;
    const struct file_id *const f = file_of(ids, i.path, (uint32_t)i.stamp);
    if (!f || !f->is_read)
        return;
    put_info(out, head, &i, f);
    put_pdb(out, head, &i, f);
}
