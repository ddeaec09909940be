/* [vdso]: the code that the kernel gives every process. It is in no file, but this process has
 * it, too, and all 64-bit ones of a running kernel have the same. */
#include "src/base/mem.h"
#include "src/symbol/elf_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opened {
    struct symbol_table names;
};

static bool claims(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_VDSO;
}

/* Where it lies in this process. */
static bool find_own(uint64_t *base, uint64_t *size)
{
    char line[512];
    uint64_t end = 0;
    bool is_found = false;
    FILE *const f = fopen("/proc/self/maps", "re");
    while (f && !is_found && fgets(line, sizeof line, f))
        is_found = strstr(line, "[vdso]") &&
                   sscanf(line, "%" SCNx64 "-%" SCNx64, base, &end) == 2 && end > *base;
    if (f)
        fclose(f);
    *size = end - *base;
    return is_found;
}

struct elf_file *elf_file_of_vdso(uint64_t size, struct err *why)
{
    uint64_t base, own;
    if (find_own(&base, &own) && own == size)
        return elf_file_in_memory((const void *)(uintptr_t)base, (size_t)size, "[vdso]", why);
    fail(why, "[vdso]: it is that of another kernel, or of 32-bit programs");
    return NULL;
}

static void *open_vdso(const struct symbol_search *s, const struct symbol_image *i, char *from,
                       size_t *bytes, struct err *why)
{
    (void)s;
    const bool is_ours = i->is_live && i->base > UINT32_MAX;
    struct elf_file *const f = elf_file_of_vdso(is_ours ? i->size : 0, why);
    if (!f)
        return NULL;
    struct opened *const o = mem_new(1, sizeof *o);
    elf_file_dynsym(f, &o->names);
    symbol_table_finish(&o->names);
    elf_file_close(f);
    snprintf(from, SYMBOL_NAME_MAX, "[vdso] of the running kernel");
    *bytes = symbol_table_bytes(&o->names);
    return o;
}

/* It is loaded as it lies in its file: addresses are offsets. */
static bool find(void *opened, uint64_t offset, struct symbol_found *out)
{
    const struct opened *const o = opened;
    return symbol_table_find(&o->names, offset, out);
}

static void close_vdso(void *opened)
{
    struct opened *const o = opened;
    symbol_table_fini(&o->names);
    free(o);
}

const struct symbol_backend symbol_vdso = {
    .id = "vdso",
    .claims = claims,
    .open = open_vdso,
    .find = find,
    .close = close_vdso,
};
