/* Cached files on Linux. See src/os/cache_file.h for the promises. */
#include "src/os/cache_file.h"

#include "src/base/mem.h"
#include "src/os/cache_name.h"
#include "src/os/file_linux.h"
#include "src/os/reason_linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_ROOM = 256, DEEP = 4, HOW_FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

struct cache_file {
    int folder;
    struct os_file *file;
    char name[NAME_ROOM], temporary[NAME_ROOM];
};

static bool fail_in(struct err *err, const char *cache, const char *below, int error)
{
    char text[128];
    return fail(err, "cannot write '%.200s' in the cache '%.400s': %s", below, cache,
                error == ELOOP || error == ENOTDIR ? "a link or a file is in its way"
                                                   : os_reason(error, text, sizeof text));
}

/* The folder that the last part lies in; *name: that part. -1, and errno, on failure. */
static int make_folder(const char *cache, const char *below, const char **name)
{
    char part[NAME_ROOM];
    int at = open(cache, HOW_FOLDER);
    for (const char *slash; at >= 0 && (slash = strchr(below, '/')) != NULL; below = slash + 1) {
        const size_t bytes = (size_t)(slash - below);
        int next = -1;
        errno = ENAMETOOLONG;
        if (bytes < sizeof part) {
            memcpy(part, below, bytes);
            part[bytes] = '\0';
            if (mkdirat(at, part, 0700) == 0 || errno == EEXIST)
                next = openat(at, part, HOW_FOLDER | O_NOFOLLOW);
        }
        const int error = errno;
        close(at);
        errno = error;
        at = next;
    }
    *name = below;
    return at;
}

/* What killed programs left behind: nobody has written it for a day. */
static void remove_leftovers(int folder)
{
    const int again = openat(folder, ".", HOW_FOLDER);
    DIR *const dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir) {
        if (again >= 0)
            close(again);
        return;
    }
    for (const struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        struct stat info;
        if (cache_file_is_unfinished(d->d_name) &&
            fstatat(folder, d->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
            time(NULL) - info.st_mtime > CACHE_LEFTOVER_S)
            unlinkat(folder, d->d_name, 0);
    }
    closedir(dir);
}

/* A name that nobody has: a killed program may have left one behind. */
static int create(struct cache_file *c)
{
    enum { HOW = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, TRIES = 100 };
    static _Atomic unsigned next;
    int descriptor = -1;
    errno = EEXIST;
    for (int i = 0; i < TRIES && descriptor < 0 && errno == EEXIST; i++) {
        snprintf(c->temporary, sizeof c->temporary, CACHE_UNFINISHED, (unsigned long)getpid(),
                 atomic_fetch_add(&next, 1));
        descriptor = openat(c->folder, c->temporary, HOW, 0600);
    }
    return descriptor;
}

struct cache_file *cache_file_new(const char *cache, const char *below, struct err *err)
{
    const char *name;
    if (!os_make_folders(cache, err))
        return NULL;
    const int folder = make_folder(cache, below, &name);
    if (folder < 0) {
        fail_in(err, cache, below, errno);
        return NULL;
    }
    struct cache_file *const c = mem_new(1, sizeof *c);
    c->folder = folder;
    remove_leftovers(folder);
    snprintf(c->name, sizeof c->name, "%s", name);
    const int descriptor = create(c);
    if (descriptor >= 0) {
        c->file = os_file_of(descriptor, c->name);
        return c;
    }
    fail_in(err, cache, below, errno);
    close(folder);
    free(c);
    return NULL;
}

struct os_file *cache_file_opened(const struct cache_file *c)
{
    return c->file;
}

static void close_all(struct cache_file *c)
{
    os_close(c->file);
    close(c->folder);
    free(c);
}

bool cache_file_keep(struct cache_file *c, struct err *err)
{
    char text[128];
    const bool is_moved = renameat(c->folder, c->temporary, c->folder, c->name) == 0;
    if (!is_moved) {
        fail(err, "cannot give the downloaded file the name '%.200s': %s", c->name,
             os_reason(errno, text, sizeof text));
        unlinkat(c->folder, c->temporary, 0);
    }
    close_all(c);
    return is_moved;
}

void cache_file_drop(struct cache_file *c)
{
    if (!c)
        return;
    unlinkat(c->folder, c->temporary, 0);
    close_all(c);
}

static void add_use(int folder, unsigned level, struct cache_use *use)
{
    DIR *const dir = fdopendir(folder);
    if (!dir) {
        close(folder);
        return;
    }
    for (const struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        struct stat info;
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
            fstatat(folder, d->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(info.st_mode)) {
            use->files++;
            use->bytes += (uint64_t)info.st_size;
        }
        const int below = S_ISDIR(info.st_mode) && level < DEEP
                              ? openat(folder, d->d_name, HOW_FOLDER | O_NOFOLLOW)
                              : -1;
        if (below >= 0)
            add_use(below, level + 1, use);
    }
    closedir(dir);
}

struct cache_use cache_use(const char *cache)
{
    struct cache_use use = {0};
    const int folder = open(cache, HOW_FOLDER);
    if (folder >= 0)
        add_use(folder, 0, &use);
    return use;
}
