/* The kernel's names: /proc/kallsyms, for its own text and for its modules. An image of the kernel
 * is known by its address (_stext, or one from /proc/modules). It is the running kernel when it was
 * recorded live, or when its build id and its address are the running kernel's. All addresses are 0
 * where the system hides them (kptr_restrict). */
#include "src/base/mem.h"
#include "src/os/rights_linux.h"
#include "src/symbol/build_id.h"
#include "src/symbol/symbol_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool claims(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_KERNEL;
}

/* "[kernel.kallsyms]" → no module, "[xfs]" → "xfs". */
static bool module_of(const char *path, char *out, size_t room)
{
    if (strcmp(path, "[kernel.kallsyms]") == 0) {
        out[0] = '\0';
        return true;
    }
    const size_t bytes = strlen(path);
    if (bytes < 3 || path[0] != '[' || path[bytes - 1] != ']' || bytes - 2 >= room ||
        !build_id_is_module(path + 1, bytes - 2))
        return false;
    memcpy(out, path + 1, bytes - 2);
    out[bytes - 2] = '\0';
    return true;
}

/* Is it the kernel (or module) that runs here now? */
static bool is_running_here(const struct symbol_image *i, const char *module, struct err *why)
{
    struct build_id here;
    if (i->is_live)
        return true;
    if (!i->build_bytes)
        return fail(why, "the trace does not record the build id of its kernel");
    if (!build_id_of_kernel(module, &here))
        return fail(why, "%s: the system does not report its build id", i->path);
    if (here.count != i->build_bytes || memcmp(here.bytes, i->build, here.count) != 0)
        return fail(why, "another build of %s runs here than the one in the trace", i->path);
    return true;
}

/* "ffffffff81000000 T _stext" or "ffffffffc0a01000 t xfs_init\t[xfs]". */
static bool take_line(const char *line, const char *module, uint64_t *address, const char **name,
                      size_t *bytes)
{
    char *rest;
    *address = strtoull(line, &rest, 16);
    if (rest == line || *rest != ' ' || !rest[1] || rest[2] != ' ')
        return false;
    if (!strchr("tTwW", rest[1]))
        return false;
    *name = rest + 3;
    *bytes = strcspn(*name, "\t\n");
    const char *const of = strchr(*name, '[');
    if (!of || (*name)[*bytes] != '\t')
        return !module[0];
    const size_t length = strcspn(of + 1, "]");
    return module[0] && strlen(module) == length && memcmp(of + 1, module, length) == 0;
}

/* Its code lies in two parts, one of which runs only while it starts. */
static bool begins_text(const char *name, size_t bytes)
{
    return (bytes == 6 && memcmp(name, "_stext", 6) == 0) ||
           (bytes == 10 && memcmp(name, "_sinittext", 10) == 0);
}

static bool read_names(const struct symbol_search *s, const struct symbol_image *i,
                       const char *module, struct symbol_table *t, struct err *why)
{
    FILE *const f = os_rights_kernel_names();
    if (!f)
        return fail(why, "/proc/kallsyms: %s", strerror(errno));
    char line[1024];
    uint64_t seen = 0, zero = 0;
    bool is_there = module[0] != '\0';
    uint64_t text = 0;
    while (!symbol_is_stopped(s) && fgets(line, sizeof line, f)) {
        uint64_t address;
        const char *name;
        size_t bytes;
        if (!take_line(line, module, &address, &name, &bytes))
            continue;
        seen++;
        zero += !address;
        if (begins_text(name, bytes)) {
            text = text ? text : address;
            is_there |= address == i->base;
        }
        if (address - i->base < i->size)
            symbol_table_add(t, address - i->base, 0, name, bytes);
    }
    fclose(f);
    if (seen && zero == seen)
        return fail(why, "the kernel hides its addresses from this user: run as root, with "
                         "kernel.kptr_restrict at 0 or 1");
    if (!is_there)
        return fail(why,
                    "the kernel lies elsewhere now (it was started anew since): its code "
                    "begins at 0x%llx, in the trace at 0x%llx",
                    (unsigned long long)text, (unsigned long long)i->base);
    return t->count || fail(why, "/proc/kallsyms has no name in %s", i->path);
}

static void *open_kernel(const struct symbol_search *s, const struct symbol_image *i, char *from,
                         size_t *bytes, struct err *why)
{
    char module[256];
    if (!module_of(i->path, module, sizeof module)) {
        fail(why, "%s: no name of the kernel or of a module", i->path);
        return NULL;
    }
    struct symbol_table *const t = mem_new(1, sizeof *t);
    if (!is_running_here(i, module, why) || !read_names(s, i, module, t, why)) {
        symbol_table_fini(t);
        free(t);
        return NULL;
    }
    t->end = i->size;
    symbol_table_finish(t);
    snprintf(from, SYMBOL_NAME_MAX, "/proc/kallsyms");
    *bytes = symbol_table_bytes(t);
    return t;
}

static bool find(void *opened, uint64_t offset, struct symbol_found *out)
{
    return symbol_table_find(opened, offset, out);
}

static void close_kernel(void *opened)
{
    symbol_table_fini(opened);
    free(opened);
}

const struct symbol_backend symbol_kernel = {
    .id = "kernel",
    .claims = claims,
    .open = open_kernel,
    .find = find,
    .close = close_kernel,
};
