/* Programs as the live symbolizer reads them: ELF with its symbols, packed symbols, DWARF lines and
 * unwinding table. Any bytes are read within bounds, and reading ends. */
#include "src/symbol/backend.h"
#include "src/symbol/demangle.h"
#include "src/symbol/elf_file.h"
#include "src/symbol/function_exit.h"
#include "src/symbol/unwind.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_names(struct elf_file *f)
{
    struct symbol_table t = {0};
    struct symbol_found found;
    struct err why = {""};
    char out[SYMBOL_NAME_MAX];
    elf_file_symtab(f, &t);
    elf_file_dynsym(f, &t);
    elf_file_packed(f, &t, &why);
    symbol_table_finish(&t);
    for (uint64_t at = 0; at < 0x8000; at += 0x71)
        if (symbol_table_find(&t, at, &found))
            demangle(found.name, out, sizeof out);
    symbol_table_fini(&t);
}

static void read_unwinding(struct elf_file *f)
{
    size_t count;
    uint64_t address;
    struct unwind_rule rule;
    uint8_t *const bytes = elf_file_unwind(f, &count, &address);
    struct unwind_table *const t = bytes ? unwind_table_new(bytes, count, address) : NULL;
    for (uint64_t at = 0; t && at < 0x8000; at += 0x71)
        unwind_table_find(t, at, &rule);
    if (t)
        unwind_table_free(t);
}

static void read_lines(struct elf_file *f)
{
    struct symbol_place places[SYMBOL_INLINED];
    if (!elf_file_has_lines(f))
        return;
    for (uint64_t at = 0x1000; at < 0x1400; at += 0x33)
        if (elf_file_places(f, at, places) > SYMBOL_INLINED)
            abort();
}

struct some {
    struct elf_file *file;
    unsigned left; /* functions whose debug information is read */
};

static void take_function(void *to, const struct elf_function *f)
{
    struct elf_signature signature;
    struct some *const s = to;
    if (s->left && s->left-- && elf_file_signature(s->file, f->address, &signature) &&
        signature.count > ELF_PARAMETERS)
        abort();
}

static void take_exit(void *to, const struct function_exit *e)
{
    const struct function_part *const of = to;
    if (e->address - of->address >= of->bytes)
        abort();
}

static void take_probe(void *to, const struct elf_probe *p)
{
    unsigned *const bytes = to;
    *bytes += (unsigned)(strlen(p->provider) + strlen(p->name) + strlen(p->arguments));
}

/* The file's bytes serve as code, too. */
static void read_functions(struct elf_file *f, const uint8_t *data, size_t size)
{
    struct some some = {f, 16};
    struct function_part part = {0x1000, size < 4096 ? size : 4096};
    uint64_t offset;
    elf_file_functions(f, take_function, &some);
    elf_file_probes(f, take_probe, &some.left);
    elf_file_is_go(f);
    elf_file_is_x86_64(f);
    for (uint64_t at = 0; at < 0x8000; at += 0x371)
        elf_file_offset(f, at, &offset);
    function_exits(data, part, (struct function_part){0, 0}, take_exit, &part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err why = {""};
    uint32_t checksum;
    uint64_t address;
    struct elf_file *const f = size ? elf_file_in_memory(data, size, "fuzz", &why) : NULL;
    if (!f)
        return 0;
    read_names(f);
    read_unwinding(f);
    read_lines(f);
    read_functions(f, data, size);
    elf_file_debug_link(f, &checksum);
    for (uint64_t at = 0; at < 0x8000; at += 0x171)
        elf_file_address(f, at, &address);
    elf_file_close(f);
    return 0;
}
