/* Cached files on Windows. See src/os/cache_file.h for the promises. Folders below the cache are
 * checked when they are used: reparse points (links, mounts) are refused. */
#include "src/os/cache_file.h"

#include "src/base/mem.h"
#include "src/os/cache_name.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { ROOM = 4096, DEEP = 4 };

struct cache_file {
    struct os_file *file;
    char path[ROOM], temporary[ROOM];
};

static bool to_wide(const char *path, wchar_t *out)
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, ROOM) > 0;
}

static bool is_plain_folder(const char *path)
{
    wchar_t wide[ROOM];
    const DWORD what = to_wide(path, wide) ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    return what != INVALID_FILE_ATTRIBUTES && (what & FILE_ATTRIBUTE_DIRECTORY) &&
           !(what & FILE_ATTRIBUTE_REPARSE_POINT);
}

/* The folders of `path` from `from` on; what is behind its last '/' is the file's name. */
static bool make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        wchar_t wide[ROOM];
        *slash = '\0';
        if (to_wide(path, wide))
            CreateDirectoryW(wide, NULL);
        const bool is_there = is_plain_folder(path);
        *slash = '/';
        if (!is_there)
            return false;
    }
    return true;
}

static bool is_old(const FILETIME *now, const FILETIME *written)
{
    static const int64_t A_SECOND = 10000000;
    const int64_t a = (int64_t)now->dwHighDateTime << 32 | now->dwLowDateTime;
    const int64_t b = (int64_t)written->dwHighDateTime << 32 | written->dwLowDateTime;
    return (a - b) / A_SECOND > CACHE_LEFTOVER_S;
}

/* What killed programs left behind: nobody has written it for a day. */
static void remove_leftovers(const char *folder, int bytes)
{
    wchar_t pattern[ROOM];
    char path[ROOM];
    WIN32_FIND_DATAW found;
    FILETIME now;
    snprintf(path, ROOM, "%.*s/.tracetop-*.partial", bytes, folder);
    const HANDLE h =
        to_wide(path, pattern) ? FindFirstFileW(pattern, &found) : INVALID_HANDLE_VALUE;
    if (h == INVALID_HANDLE_VALUE)
        return;
    GetSystemTimeAsFileTime(&now);
    do {
        char name[ROOM];
        if (is_old(&now, &found.ftLastWriteTime) &&
            !(found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
            WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, name, ROOM, NULL, NULL) > 0 &&
            cache_file_is_unfinished(name) &&
            snprintf(path, ROOM, "%.*s/%s", bytes, folder, name) < ROOM)
            os_remove(path);
    } while (FindNextFileW(h, &found));
    FindClose(h);
}

static struct os_file *create(struct cache_file *c, const char *cache, const char *below,
                              struct err *err)
{
    static _Atomic unsigned next;
    if (snprintf(c->path, ROOM, "%s/%s", cache, below) >= ROOM - 64)
        return fail(err, "cannot write in the cache '%.700s': the path is too long", cache), NULL;
    if (!os_make_folders(cache, err))
        return NULL;
    if (!make_folders(c->path, strlen(cache) + 1))
        return fail(err,
                    "cannot write '%.200s' in the cache '%.400s': a link or a file is in its way",
                    below, cache),
               NULL;
    const int folder = (int)(strrchr(c->path, '/') - c->path);
    remove_leftovers(c->path, folder);
    snprintf(c->temporary, ROOM, "%.*s/" CACHE_UNFINISHED, folder, c->path, GetCurrentProcessId(),
             atomic_fetch_add(&next, 1));
    return os_create(c->temporary, err);
}

struct cache_file *cache_file_new(const char *cache, const char *below, struct err *err)
{
    struct cache_file *const c = mem_new(1, sizeof *c);
    c->file = create(c, cache, below, err);
    if (c->file)
        return c;
    free(c);
    return NULL;
}

struct os_file *cache_file_opened(const struct cache_file *c)
{
    return c->file;
}

bool cache_file_keep(struct cache_file *c, struct err *err)
{
    os_close(c->file); /* an open file is not moved */
    const bool is_moved = os_move(c->temporary, c->path, true, err);
    if (!is_moved)
        os_remove(c->temporary);
    free(c);
    return is_moved;
}

void cache_file_drop(struct cache_file *c)
{
    if (!c)
        return;
    os_close(c->file);
    os_remove(c->temporary);
    free(c);
}

static void add_use(const wchar_t *folder, unsigned level, struct cache_use *use)
{
    wchar_t path[ROOM];
    WIN32_FIND_DATAW found;
    if (_snwprintf(path, ROOM, L"%ls\\*", folder) < 0)
        return;
    const HANDLE h = FindFirstFileW(path, &found);
    if (h == INVALID_HANDLE_VALUE)
        return;
    do {
        const bool is_folder = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
        if (wcscmp(found.cFileName, L".") == 0 || wcscmp(found.cFileName, L"..") == 0 ||
            (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
            continue;
        if (!is_folder) {
            use->files++;
            use->bytes += (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow;
        } else if (level < DEEP &&
                   _snwprintf(path, ROOM, L"%ls\\%ls", folder, found.cFileName) > 0) {
            add_use(path, level + 1, use);
        }
    } while (FindNextFileW(h, &found));
    FindClose(h);
}

struct cache_use cache_use(const char *cache)
{
    wchar_t folder[ROOM];
    struct cache_use use = {0};
    if (to_wide(cache, folder))
        add_use(folder, 0, &use);
    return use;
}
