/* Builds of modules, from events. Windows has the time stamp and size in the image's own event, and
 * the GUID and age of its PDB in records that a merge adds (ImageId). Linux has the build id in the
 * Mapping event behind an image. */
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/event/tracetop_provider.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

enum { BUILDS = 1 << 16 };

static uint64_t hash_of(const struct build *b)
{
    const uint64_t numbers[] = {b->device, b->inode, b->stamp, b->image_size, b->pdb_age};
    uint64_t hash = hash_bytes(3, numbers, sizeof numbers);
    hash = hash_bytes(hash, b->id, b->id_bytes);
    hash = hash_bytes(hash, &b->pdb_guid, sizeof b->pdb_guid);
    return b->pdb ? hash_bytes(hash, b->pdb, strlen(b->pdb)) : hash;
}

static bool same_build(const struct build *a, const struct build *b)
{
    return a->device == b->device && a->inode == b->inode && a->stamp == b->stamp &&
           a->image_size == b->image_size && a->pdb_age == b->pdb_age &&
           a->id_bytes == b->id_bytes && memcmp(a->id, b->id, a->id_bytes) == 0 &&
           guid_equal(&a->pdb_guid, &b->pdb_guid) &&
           strcmp(a->pdb ? a->pdb : "", b->pdb ? b->pdb : "") == 0;
}

static void forget_build(void *thing, void *arg)
{
    struct build *const b = thing;
    struct model *const m = arg;
    const uint64_t hash = hash_of(b);
    if (map_get(&m->build_of, hash) == b->number)
        map_remove(&m->build_of, hash);
    model_unname(m, &b->pdb);
}

static enum generation_use use_of_build(const void *thing, const void *m)
{
    (void)thing, (void)m;
    return GENERATION_UNUSED;
}

void model_builds_init(struct model *m)
{
    generation_init(&m->builds, sizeof(struct build), BUILDS, use_of_build);
    map_init(&m->build_of);
}

void model_builds_fini(struct model *m)
{
    for (uint32_t place = 0; place < m->builds.end; place++) {
        struct build *const b = generation_place(&m->builds, place);
        if (b)
            free(b->pdb);
    }
    generation_fini(&m->builds);
    map_fini(&m->build_of);
}

static uint32_t number_of(struct model *m, const struct build *wanted)
{
    const uint64_t hash = hash_of(wanted);
    const struct build *const known = generation_at(&m->builds, map_get(&m->build_of, hash));
    if (known && same_build(known, wanted))
        return known->number;
    struct build *const b = generation_add(&m->builds, forget_build, m);
    const uint32_t number = b->number;
    *b = *wanted;
    b->number = number;
    b->pdb = NULL;
    model_rename(m, &b->pdb, wanted->pdb);
    map_put(&m->build_of, hash, number);
    return number;
}

/* Several events may each have a part; the later one counts. */
static void add_to(struct build *b, const struct build *more)
{
    static const struct guid none;
    if (more->id_bytes) {
        memcpy(b->id, more->id, sizeof b->id);
        b->id_bytes = more->id_bytes;
    }
    if (more->inode) {
        b->device = more->device;
        b->inode = more->inode;
    }
    if (more->stamp)
        b->stamp = more->stamp;
    if (more->image_size)
        b->image_size = more->image_size;
    if (!guid_equal(&more->pdb_guid, &none)) {
        b->pdb_guid = more->pdb_guid;
        b->pdb_age = more->pdb_age;
        b->pdb = more->pdb;
    }
}

void model_image_built(struct model *m, uint32_t image, const struct build *more)
{
    struct image *const i = generation_at(&m->images, image);
    if (!i)
        return;
    const struct build *const known = generation_at(&m->builds, i->build);
    struct build now = known ? *known : (struct build){0};
    add_to(&now, more);
    char *const pdb = now.pdb ? mem_string(now.pdb) : NULL; /* adding may let `known` go */
    now.pdb = pdb;
    const uint32_t build = number_of(m, &now);
    free(pdb);
    m->builds_learned += build != i->build;
    i->build = build;
}

/* ---- Linux: behind an image ---------------------------------------------------------------- */

static uint8_t digit(char c)
{
    return (uint8_t)(c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16);
}

/* Hexadecimal digits, two a byte; what is no build id is none. */
static void read_id(const char *text, struct build *b)
{
    const size_t digits = strlen(text);
    if (digits % 2 || digits / 2 > BUILD_ID_MAX)
        return;
    for (size_t n = 0; n < digits / 2; n++) {
        const uint8_t high = digit(text[2 * n]), low = digit(text[2 * n + 1]);
        if (high > 15 || low > 15) {
            b->id_bytes = 0;
            return;
        }
        b->id[n] = (uint8_t)(high << 4 | low);
        b->id_bytes = (uint8_t)(n + 1);
    }
}

void make_mapping(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    uint64_t pid, base, loaded;
    const char *text;
    struct build b = {0};
    if (!tracetop_event_number(e, "pid", &pid) || !tracetop_event_number(e, "base", &base))
        return;
    f->process = model_process(m, m->source, (uint32_t)pid, f->time);
    f->thread = 0;
    const uint32_t image = model_image_based(m, m->source, f->process, base, f->time);
    struct image *const i = generation_at(&m->images, image);
    if (!i)
        return;
    tracetop_event_number(e, "offset", &i->file_offset);
    tracetop_event_number(e, "device", &b.device);
    tracetop_event_number(e, "inode", &b.inode);
    if (tracetop_event_text(e, "build", &text))
        read_id(text, &b);
    if (b.id_bytes || b.inode)
        model_image_built(m, image, &b);
    if (i->from_ns == INT64_MIN && tracetop_event_number(e, "loaded", &loaded) && loaded &&
        loaded <= INT64_MAX && (int64_t)loaded <= f->time)
        i->from_ns = (int64_t)loaded;
}

/* ---- Windows: what a merge adds -------------------------------------------------------------- */

enum { ID_BASE, ID_PROCESS, ID_STAMP, ID_SIZE, ID_AGE };

static uint32_t image_named(struct model *m, const struct event *e, const struct kind *k,
                            struct fact *f)
{
    uint64_t base, pid;
    if (!kind_load(k, e, ID_BASE, &base) || !kind_load(k, e, ID_PROCESS, &pid))
        return 0;
    enum { SYSTEM_PID = 4 };
    f->process = model_process(m, m->source, pid ? (uint32_t)pid : SYSTEM_PID, f->time);
    f->thread = 0;
    return model_image_based(m, m->source, f->process, model_address(e, base), f->time);
}

static void make_image_id(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    uint64_t stamp, size;
    const uint32_t image = image_named(m, e, k, f);
    kind_load(k, e, ID_STAMP, &stamp);
    kind_load(k, e, ID_SIZE, &size);
    if (image)
        model_image_built(m, image,
                          &(struct build){.stamp = (uint32_t)stamp, .image_size = (uint32_t)size});
}

static void make_pdb_id(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    enum { PATH_ROOM = 1024 };
    char pdb[PATH_ROOM];
    uint64_t age;
    const uint32_t image = image_named(m, e, k, f);
    /* Behind base and process id, see src/event/decode/merged.c. */
    const size_t at = (size_t)e->pointer + 4;
    if (!image || !kind_load(k, e, ID_AGE, &age) || e->payload_bytes < at + sizeof(struct guid))
        return;
    struct build b = {.pdb_age = (uint32_t)age, .pdb = pdb};
    memcpy(&b.pdb_guid, e->payload + at, sizeof b.pdb_guid);
    kind_text(k, e, "PdbName", pdb, sizeof pdb);
    model_image_built(m, image, &b);
}

const struct fact_builder *fact_builder_of_build(const struct event *e)
{
    enum { INFO = 0, DBG_ID_RSDS = 0x24 };
    static const struct guid image_id = {{0xd7, 0x75, 0xe6, 0xb3, 0x54, 0x25, 0x18, 0x4f, 0x83,
                                          0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde}};
    static const struct fact_builder info = {0,
                                       0,
                                       FACT_NAME,
                                       OP_RUNDOWN,
                                       make_image_id,
                                       {"ImageBase", "ProcessId", "TimeDateStamp", "ImageSize"}};
    static const struct fact_builder rsds = {
        0,          0,           FACT_NAME,
        OP_RUNDOWN, make_pdb_id, {"ImageBase", "ProcessId", "Guid", "Guid", "Age"}};
    if (header_is_kernel(e->kind) || !guid_equal(&e->provider, &image_id))
        return NULL;
    return e->opcode == INFO ? &info : e->opcode == DBG_ID_RSDS ? &rsds : NULL;
}
