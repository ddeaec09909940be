/* Folders as crumbs: whether a thing's path leads through one. */
#include "src/view/folder.h"

#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/view/inside.h"

#include <stdlib.h>
#include <string.h>

/* Marks keys of folders: rows of paths leave that part of their key 0. */
static const uint32_t FOLDER = 0x80000000u;

/* ---- paths ------------------------------------------------------------------------- */

/* Ignores case: names come as programs wrote them. */
uint64_t folder_hash(uint64_t above, const char *part, size_t bytes)
{
    uint64_t h = above ^ 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < bytes; i++)
        h = hash_byte(h, (uint8_t)text_lower(part[i]));
    return hash_mix(h);
}

struct row_key folder_key(uint64_t hash)
{
    return (struct row_key){(uint32_t)(hash >> 32), (uint32_t)hash, FOLDER, 0};
}

char path_separator(const char *path, size_t bytes)
{
    return bytes && path[0] == '/' ? '/' : '\\';
}

size_t path_next_part(const char *path, size_t bytes, char separator, size_t *at)
{
    while (*at < bytes && path[*at] == separator)
        ++*at;
    const char *const end = *at < bytes ? memchr(path + *at, separator, bytes - *at) : NULL;
    return end ? (size_t)(end - path) - *at : bytes - *at;
}

/* ---- crumbs ------------------------------------------------------------------------- */

/* Cached matches of things by number, direct-mapped: a collision costs a second look. */
enum { CACHED_MATCHES = 8192 };

struct cached_match {
    uint32_t number;
    bool is_known, is_in;
};

struct folder {
    struct row_key key;
    struct cached_match match_cache[CACHED_MATCHES];
    char *path; /* of the folder, once something in it was met */
};

void view_folders_clear(struct view *v)
{
    for (unsigned i = 0; i < CRUMBS_MAX; i++) {
        if (v->folders[i])
            free(v->folders[i]->path);
        free(v->folders[i]);
        v->folders[i] = NULL;
    }
}

/* Bytes of the path that name the folder; 0 = the path leads elsewhere. */
static size_t bytes_inside(struct row_key key, const char *path)
{
    const size_t whole = strlen(path);
    const char separator = path_separator(path, whole);
    size_t at = 0, bytes;
    uint64_t hash = 0;
    while ((bytes = path_next_part(path, whole, separator, &at)) > 0) {
        hash = folder_hash(hash, path + at, bytes);
        at += bytes;
        if (row_key_equal(folder_key(hash), key))
            return at;
    }
    return 0;
}

bool view_folder_passes(struct view *v, unsigned crumb, const struct fact *f)
{
    struct folder **const place = &v->folders[crumb];
    if (!*place)
        *place = mem_new(1, sizeof **place);
    struct folder *const folder = *place;
    folder->key = v->request.crumbs[crumb].key;
    struct cached_match *known = &folder->match_cache[f->entity % CACHED_MATCHES];
    if (known->is_known && known->number == f->entity)
        return known->is_in;
    /* The tree may have been made of either kind of path. */
    char room[4096];
    const struct file *file = model_file_at(v->model, f->entity);
    const char *path = model_path(v->model, file, room, sizeof room);
    size_t bytes = path ? bytes_inside(folder->key, path) : 0;
    if (path && !bytes && path != file->name)
        bytes = bytes_inside(folder->key, path = file->name);
    *known = (struct cached_match){f->entity, true, bytes > 0};
    if (bytes && !folder->path) {
        folder->path = mem_copy(path, bytes + 1);
        folder->path[bytes] = '\0';
    }
    return bytes > 0;
}

const char *view_folder_name(const struct view *v, unsigned crumb)
{
    const struct folder *folder = v->folders[crumb];
    return folder && folder->path ? folder->path : "(folder)";
}
