#include "src/os/foreign_file_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS = 40 }; /* followed in a path, as the kernel has it */

/* Not in every <linux/magic.h>. */
enum {
    CEPH = 0x00c36400,
    CIFS = (int)0xff534d42,
    SMB2 = (int)0xfe534d42,
    V9FS = 0x01021997,
    FUSE = 0x65735546
};

static const struct {
    int type;
    const char *name;
} remote[] = {{NFS_SUPER_MAGIC, "NFS"},
              {SMB_SUPER_MAGIC, "SMB"},
              {CIFS, "CIFS"},
              {SMB2, "SMB"},
              {AFS_SUPER_MAGIC, "AFS"},
              {CODA_SUPER_MAGIC, "Coda"},
              {CEPH, "Ceph"},
              {NCP_SUPER_MAGIC, "NCP"},
              {V9FS, "9P"},
              {FUSE, "FUSE"}};

static int failed(const char *path, int error, struct err *why)
{
    fail(why, "%s: %s", path, strerror(error));
    errno = error;
    return -1;
}

static int refused(const char *path, const char *found, struct err *why)
{
    fail(why, "%s: expected a file on a local disk, found %s", path, found);
    errno = EACCES;
    return -1;
}

/* The root of a container without rights may be FUSE (fuse-overlayfs): whoever runs here lives on
 * it. */
static bool is_roots_own(int at, int root)
{
    struct stat here, there;
    return fstat(at, &here) == 0 && fstat(root, &there) == 0 && here.st_dev == there.st_dev;
}

/* NULL, or what `at` (opened with O_PATH) lies on that is not to be touched. */
static const char *bad_place(int at, int root, bool is_live)
{
    struct statfs s;
    if (fstatfs(at, &s) != 0)
        return "a file system that does not answer";
    if ((int)s.f_type == AUTOFS_SUPER_MAGIC)
        return "an automount";
    for (size_t i = 0; !is_live && i < sizeof remote / sizeof *remote; i++)
        if ((int)s.f_type == remote[i].type && !((int)s.f_type == FUSE && is_roots_own(at, root)))
            return remote[i].name;
    return NULL;
}

/* What is open by place only becomes readable when it is a regular file. Takes `at`. */
static int open_regular(int at, const char *path, struct err *why)
{
    struct stat s;
    char self[64];
    int fd = -1;
    snprintf(self, sizeof self, "/proc/self/fd/%d", at);
    if (fstat(at, &s) != 0)
        failed(path, errno, why);
    else if (!S_ISREG(s.st_mode))
        refused(path, "something else", why);
    else if ((fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0)
        failed(path, errno, why);
    const int error = errno;
    close(at);
    errno = error;
    return fd;
}

/* A path on its way: how far it was opened, and what is left of it. */
struct walk {
    int root, at;
    unsigned links;
    char rest[2 * PATH_MAX];
};

static void step_to(struct walk *w, int next)
{
    if (w->at != w->root)
        close(w->at);
    w->at = next;
}

/* The link's text comes before what is left. Absolute ones begin at the root again. */
static bool follow(struct walk *w, int link)
{
    char text[PATH_MAX], rest[2 * PATH_MAX];
    const ssize_t bytes = readlinkat(link, "", text, sizeof text - 1);
    if (bytes <= 0 || ++w->links > LINKS) {
        errno = bytes < 0 ? errno : ELOOP;
        return false;
    }
    text[bytes] = '\0';
    if (snprintf(rest, sizeof rest, "%s/%s", text, w->rest) >= (int)sizeof rest) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(w->rest, rest, sizeof rest);
    if (text[0] == '/')
        step_to(w, w->root);
    return true;
}

/* Takes the next name off the front; false at the end. */
static bool next_name(struct walk *w, char *name)
{
    const char *const from = w->rest + strspn(w->rest, "/");
    const size_t bytes = strcspn(from, "/");
    if (!bytes || bytes > NAME_MAX)
        return false;
    memcpy(name, from, bytes);
    name[bytes] = '\0';
    memmove(w->rest, from + bytes, strlen(from + bytes) + 1);
    return true;
}

static bool is_at_root(const struct walk *w)
{
    struct stat here, root;
    return fstat(w->at, &here) != 0 || fstat(w->root, &root) != 0 ||
           (here.st_dev == root.st_dev && here.st_ino == root.st_ino);
}

/* One name further; false with a sentence. */
static bool step(struct walk *w, const char *name, const char *path, bool is_live, struct err *why)
{
    if (strcmp(name, ".") == 0 || (strcmp(name, "..") == 0 && is_at_root(w)))
        return true;
    const int next = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
        return failed(path, errno, why) == 0;
    const char *const bad = bad_place(next, w->root, is_live);
    struct stat s;
    if (bad || fstat(next, &s) != 0) {
        close(next);
        return refused(path, bad ? bad : "nothing", why) == 0;
    }
    if (!S_ISLNK(s.st_mode)) {
        step_to(w, next);
        return true;
    }
    const bool is_followed = follow(w, next);
    const int error = errno;
    close(next);
    return is_followed || failed(path, error, why) == 0;
}

static bool goes_up(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/..")) != NULL; at += 3)
        if (!at[3] || at[3] == '/')
            return true;
    return false;
}

int foreign_file_open(const char *root, const char *folder, const char *path, bool is_live,
                      struct err *why)
{
    char name[NAME_MAX + 1];
    struct walk w = {.root = -1};
    if (path[0] != '/' || path[1] == '/')
        return refused(path, path[0] ? "a network path" : "nothing", why);
    if (goes_up(path))
        return refused(path, "a path that goes up", why);
    if (snprintf(w.rest, sizeof w.rest, "%s", path) >= PATH_MAX)
        return failed(path, ENAMETOOLONG, why);
    w.root = w.at = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (w.root < 0)
        return failed(path, errno, why);
    is_live |= *folder != '\0';
    bool is_good = true;
    if (*folder) {
        const int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        is_good = at >= 0 || failed(folder, errno, why) == 0;
        w.at = at >= 0 ? at : w.at;
    }
    while (is_good && next_name(&w, name))
        is_good = step(&w, name, path, is_live, why);
    if (is_good && w.rest[strspn(w.rest, "/")]) /* a name that is too long */
        is_good = failed(path, ENAMETOOLONG, why) == 0;
    const int fd = is_good && w.at != w.root ? open_regular(w.at, path, why) : -1;
    const int error = fd < 0 && is_good && w.at == w.root ? EISDIR : errno;
    if (!is_good)
        step_to(&w, w.root);
    close(w.root);
    errno = error;
    return fd;
}

int foreign_file_open_link(const char *link, struct err *why)
{
    const int at = open(link, O_PATH | O_CLOEXEC);
    return at < 0 ? failed(link, errno, why) : open_regular(at, link, why);
}
