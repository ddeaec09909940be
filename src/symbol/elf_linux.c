/* Names of programs and libraries: of the file that ran, of its separate debug file, of the
 * symbols packed into it. The file is looked for where the process has it (which finds deleted
 * ones and those of other mount namespaces), by its path, and by its build id; each one must show
 * that it is the one that ran.
 *
 * Debug files: by build id, then by the name that the file itself gives, in the usual places and
 * in those of --symbols. A folder DIR there is looked through as DIR/.build-id/ab/cdef….debug,
 * DIR/path/of/the/file and DIR/file. */
#include "src/base/mem.h"
#include "src/os/foreign_file_linux.h"
#include "src/os/rights.h"
#include "src/symbol/demangle.h"
#include "src/symbol/elf_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 + 256 };

struct opened {
    struct symbol_table names; /* by address */
    struct elf_file *file;     /* the one that ran; let go, it keeps its segments */
    struct elf_file *lines;    /* that again, or its debug file, when lines are asked for */
    const struct symbol_image *image;
    char search[PATH_ROOM];
    bool has_tried_lines;
};

static bool claims(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_ELF && i->path[0] == '/';
}

/* ---- the right file ------------------------------------------------------------------------ */

static bool is_build(int fd, const uint8_t *build, size_t bytes, const char *path, struct err *why)
{
    struct build_id found;
    char wanted[64], is[64] = "none";
    build_id_of_file(fd, &found);
    if (found.count == bytes && memcmp(found.bytes, build, bytes) == 0)
        return true;
    build_id_text(build, bytes, wanted);
    if (found.count)
        build_id_text(found.bytes, found.count, is);
    return fail(why, "%s: expected build id %s, found %s: it is not the file that ran", path,
                wanted, is);
}

/* Devices as the kernel writes them: major << 20 | minor. */
static bool is_inode(int fd, const struct symbol_image *i, const char *path, struct err *why)
{
    struct stat s;
    if (fstat(fd, &s) == 0 && s.st_ino == i->inode &&
        ((uint64_t)major(s.st_dev) << 20 | minor(s.st_dev)) == i->dev)
        return true;
    return fail(why,
                "%s: expected inode %llu, found another: the file was replaced after it was "
                "loaded",
                path, (unsigned long long)i->inode);
}

static bool is_right(int fd, const struct symbol_image *i, const char *path, struct err *why)
{
    if (i->build_bytes)
        return is_build(fd, i->build, i->build_bytes, path, why);
    if (i->is_live && i->inode)
        return is_inode(fd, i, path, why);
    return fail(why, "%s: the trace does not record its build id", path);
}

/* What was found so far, and the first thing that was wrong. */
struct hunt {
    const struct symbol_image *image;
    int fd;
    char path[PATH_ROOM];
    struct err *why;
};

/* The file at `fd`, which was opened as `path`; true when it is the one. */
static bool try_file(struct hunt *h, const char *path, int fd, struct err err)
{
    const bool is_there = fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
    if (fd >= 0 && is_right(fd, h->image, path, &err)) {
        h->fd = fd;
        snprintf(h->path, sizeof h->path, "%s", path);
        h->why->text[0] = '\0';
        return true;
    }
    if (fd >= 0)
        close(fd);
    /* A file that is another one, or may not be read, says more than a place where there is none. */
    if (!h->why->text[0] || is_there)
        *h->why = err;
    return false;
}

/* Tries one more place; true when it is the one. */
static bool try_path(struct hunt *h, const char *path)
{
    struct err err = {""};
    const int fd = foreign_file_open("", "", path, h->image->is_live, &err);
    return try_file(h, path, fd, err);
}

static bool try_link(struct hunt *h, const char *path)
{
    struct err err = {""};
    const int fd = foreign_file_open_link(path, &err);
    return try_file(h, path, fd, err);
}

/* As the process sees it: its root is where absolute links begin. */
static bool try_below(struct hunt *h, const char *root, const char *path)
{
    char at[PATH_ROOM];
    struct err err = {""};
    if (snprintf(at, sizeof at, "%s%s", root, path) >= PATH_ROOM)
        return false;
    const int fd = foreign_file_open(root, "", path, true, &err);
    return try_file(h, at, fd, err);
}

static bool try_in(struct hunt *h, const char *folder, const char *path)
{
    char at[PATH_ROOM];
    struct err err = {""};
    if (snprintf(at, sizeof at, "%s%s", folder, path) >= PATH_ROOM)
        return false;
    const int fd = foreign_file_open("", folder, path, h->image->is_live, &err);
    return try_file(h, at, fd, err);
}

/* "/.build-id/ab/cdef…", and then `suffix`. */
static bool build_path(const struct symbol_image *i, const char *suffix, char *out, size_t room)
{
    char id[2 * SYMBOL_BUILD_MAX + 1];
    if (i->build_bytes < 2)
        return false;
    build_id_text(i->build, i->build_bytes, id);
    return snprintf(out, room, "/.build-id/%.2s/%s%s", id, id + 2, suffix) < (int)room;
}

/* Calls for each folder to look in besides until it says yes: those of the search path (of
 * "srv*DIR" the folder), then the system's. */
static bool each_folder(const char *search, bool (*visit)(void *to, const char *folder), void *to)
{
    char folder[PATH_ROOM];
    for (const char *at = search; *at;) {
        const size_t bytes = strcspn(at, ";");
        const bool is_server = bytes > 4 && strncmp(at, "srv*", 4) == 0;
        const char *const from = is_server ? at + 4 : at;
        const size_t length = is_server ? strcspn(from, "*;") : bytes;
        if (length && length < sizeof folder) {
            memcpy(folder, from, length);
            folder[length] = '\0';
            if (visit(to, folder))
                return true;
        }
        at += bytes + (at[bytes] == ';');
    }
    return visit(to, "/usr/lib/debug");
}

static const char *plain_path(const struct symbol_image *i, char *room)
{
    static const char deleted[] = " (deleted)";
    const size_t bytes = strlen(i->path), end = sizeof deleted - 1;
    snprintf(room, PATH_ROOM, "%s", i->path);
    if (bytes > end && bytes < PATH_ROOM && strcmp(i->path + bytes - end, deleted) == 0)
        room[bytes - end] = '\0';
    return room;
}

static bool try_folder(void *to, const char *folder)
{
    struct hunt *const h = to;
    char at[256], plain[PATH_ROOM];
    const char *const path = plain_path(h->image, plain);
    return (build_path(h->image, "", at, sizeof at) && try_in(h, folder, at)) ||
           try_in(h, folder, path) || try_in(h, folder, strrchr(path, '/'));
}

/* Where the process itself has it. What is not to be had that way (it takes rights, or the
 * process has ended) needs no word: the other places may do. */
static bool try_in_process(struct hunt *h)
{
    const struct symbol_image *const i = h->image;
    char at[128], plain[PATH_ROOM];
    struct err *const why = h->why;
    struct err unsaid = {""};
    h->why = &unsaid;
    snprintf(at, sizeof at, "/proc/%u/map_files/%llx-%llx", i->pid, (unsigned long long)i->base,
             (unsigned long long)(i->base + i->size));
    bool is_found = try_link(h, at);
    snprintf(at, sizeof at, "/proc/%u/exe", i->pid);
    is_found = is_found || try_link(h, at);
    h->why = why;
    snprintf(at, sizeof at, "/proc/%u/root", i->pid);
    return is_found || try_below(h, at, plain_path(i, plain));
}

/* The file that the kernel says was loaded, whosever it is. */
static bool try_where_it_ran(struct hunt *h)
{
    const struct symbol_image *const i = h->image;
    char plain[PATH_ROOM];
    const uint64_t before = os_rights_raise(i->is_live ? OS_MAY_READ | OS_MAY_LOOK_IN : 0);
    const bool is_found = (i->is_live && i->pid && try_in_process(h)) || try_path(h, plain_path(i, plain));
    os_rights_return(before);
    return is_found;
}

/* Folders that the user names, and debug files, are read with the user's own rights. */
static bool find_file(struct hunt *h, const char *search)
{
    return try_where_it_ran(h) || each_folder(search, try_folder, h);
}

int elf_file_find(const struct symbol_image *i, struct err *why)
{
    struct err unsaid = {""};
    struct hunt h = {.image = i, .fd = -1, .why = why ? why : &unsaid};
    return find_file(&h, "") ? h.fd : -1;
}

/* ---- debug files ----------------------------------------------------------------------------- */

struct debug_hunt {
    const struct symbol_image *image;
    const char *link; /* NULL: none */
    uint32_t checksum;
    int fd;
    char path[PATH_ROOM];
};

/* CRC-32 as in .gnu_debuglink, of the whole file. */
static bool has_checksum(int fd, uint32_t wanted)
{
    uint32_t table[256], crc = 0xffffffffu;
    uint8_t bytes[32 << 10];
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (unsigned bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    off_t at = 0;
    for (ssize_t got; (got = pread(fd, bytes, sizeof bytes, at)) > 0; at += got)
        for (ssize_t i = 0; i < got; i++)
            crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
    return (crc ^ 0xffffffffu) == wanted;
}

/* With a build id that is what counts, else the checksum. */
static bool try_debug(struct debug_hunt *h, const char *folder, const char *middle,
                      const char *name)
{
    char path[PATH_ROOM];
    if (snprintf(path, sizeof path, "%s%s%s", folder, middle, name) >= PATH_ROOM)
        return false;
    /* Beside the file itself the folder is the trace's, and not the user's. */
    const size_t own = middle[0] == '/' ? strlen(folder) : 0;
    const int fd =
        foreign_file_open("", own ? folder : "", path + own, h->image->is_live, NULL);
    if (fd < 0)
        return false;
    const struct symbol_image *const i = h->image;
    const bool is_it = i->build_bytes ? is_build(fd, i->build, i->build_bytes, path, NULL)
                                      : h->link && has_checksum(fd, h->checksum);
    if (!is_it) {
        close(fd);
        return false;
    }
    h->fd = fd;
    snprintf(h->path, sizeof h->path, "%s", path);
    return true;
}

static bool try_debug_folder(void *to, const char *folder)
{
    struct debug_hunt *const h = to;
    char at[256], plain[PATH_ROOM];
    if (build_path(h->image, ".debug", at, sizeof at) && try_debug(h, folder, at, ""))
        return true;
    if (!h->link)
        return false;
    plain_path(h->image, plain);
    strrchr(plain, '/')[1] = '\0';
    return try_debug(h, folder, plain, h->link) || try_debug(h, folder, "/", h->link);
}

static struct elf_file *open_debug(const struct symbol_image *i, struct elf_file *file,
                                   const char *search, char *from)
{
    struct debug_hunt h = {.image = i, .fd = -1};
    char plain[PATH_ROOM];
    h.link = elf_file_debug_link(file, &h.checksum);
    plain_path(i, plain);
    strrchr(plain, '/')[1] = '\0';
    const bool is_found =
        each_folder(search, try_debug_folder, &h) ||
        (h.link && (try_debug(&h, plain, ".debug/", h.link) || try_debug(&h, plain, "", h.link)));
    if (!is_found)
        return NULL;
    snprintf(from, SYMBOL_NAME_MAX, "%.1000s", h.path);
    return elf_file_open(h.fd, h.path, NULL);
}

/* ---- the backend ----------------------------------------------------------------------------- */

static void read_names(struct opened *o, const struct symbol_search *s, char *from, struct err *why)
{
    struct symbol_table *const t = &o->names;
    if (!elf_file_symtab(o->file, t)) {
        char its[SYMBOL_NAME_MAX] = "";
        struct elf_file *const debug = open_debug(o->image, o->file, o->search, its);
        if (debug && elf_file_symtab(debug, t)) {
            memcpy(from, its, sizeof its);
        } else {
            symbol_lacks(s, SYMBOL_LACKS_DEBUG_FILE);
            elf_file_packed(o->file, t, why);
        }
        elf_file_close(debug);
    }
    elf_file_dynsym(o->file, t);
    symbol_table_finish(t);
    if (!t->count && !why->text[0])
        fail(why, "%s: no symbols (stripped), and no debug file", from);
}

static void *open_elf(const struct symbol_search *s, const struct symbol_image *i, char *from,
                      size_t *bytes, struct err *why)
{
    struct hunt h = {.image = i, .fd = -1, .why = why};
    if (!find_file(&h, s->path)) {
        symbol_lacks(s, SYMBOL_LACKS_PROGRAM);
        return NULL;
    }
    struct elf_file *const file = elf_file_open(h.fd, h.path, why);
    if (!file)
        return NULL;
    struct opened *const o = mem_new(1, sizeof *o);
    o->file = file;
    o->image = i;
    snprintf(o->search, sizeof o->search, "%s", s->path);
    snprintf(from, SYMBOL_NAME_MAX, "%.1000s", h.path);
    read_names(o, s, from, why);
    elf_file_let_go(o->file); /* a system has more images than a process may have files open */
    *bytes = symbol_table_bytes(&o->names) + sizeof *o;
    return o;
}

static bool find(void *opened, uint64_t offset, struct symbol_found *out)
{
    const struct opened *const o = opened;
    struct symbol_found found;
    uint64_t address;
    if (!elf_file_address(o->file, offset, &address) ||
        !symbol_table_find(&o->names, address, &found))
        return false;
    out->start = offset - (address - found.start);
    out->size = found.size;
    demangle(found.name, out->name, sizeof out->name);
    return true;
}

static struct elf_file *open_lines(const struct opened *o)
{
    struct err why = {""};
    char from[SYMBOL_NAME_MAX];
    struct hunt h = {.image = o->image, .fd = -1, .why = &why};
    struct elf_file *const file =
        find_file(&h, o->search) ? elf_file_open(h.fd, h.path, NULL) : NULL;
    if (!file || elf_file_has_lines(file))
        return file;
    struct elf_file *const debug = open_debug(o->image, file, o->search, from);
    elf_file_close(file);
    return debug;
}

static unsigned places(void *opened, uint64_t offset, struct symbol_place *out)
{
    struct opened *const o = opened;
    uint64_t address;
    if (!o->has_tried_lines)
        o->lines = open_lines(o);
    o->has_tried_lines = true;
    if (!o->lines || !elf_file_address(o->file, offset, &address))
        return 0;
    const unsigned count = elf_file_places(o->lines, address, out);
    for (unsigned i = 0; i < count; i++) {
        char plain[sizeof out[i].function];
        memcpy(plain, out[i].function, sizeof plain);
        demangle(plain, out[i].function, sizeof out[i].function);
    }
    return count;
}

static void close_elf(void *opened)
{
    struct opened *const o = opened;
    symbol_table_fini(&o->names);
    elf_file_close(o->lines);
    elf_file_close(o->file);
    free(o);
}

const struct symbol_backend symbol_elf = {
    .id = "elf",
    .claims = claims,
    .open = open_elf,
    .find = find,
    .places = places,
    .close = close_elf,
};
