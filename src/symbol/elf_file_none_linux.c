#include "src/symbol/elf_file.h"

#include <unistd.h>

struct elf_file *elf_file_open(int descriptor, const char *path, struct err *why)
{
    close(descriptor);
    fail(why, "%s: this tracetop was built without elfutils, which reads names of functions", path);
    return NULL;
}

struct elf_file *elf_file_in_memory(const void *bytes, size_t count, const char *name,
                                    struct err *why)
{
    (void)bytes, (void)count;
    fail(why, "%s: this tracetop was built without elfutils, which reads names of functions", name);
    return NULL;
}

void elf_file_close(struct elf_file *f)
{
    (void)f;
}

bool elf_file_is_built_in(void)
{
    return false;
}

void elf_file_let_go(struct elf_file *f)
{
    (void)f;
}

bool elf_file_address(const struct elf_file *f, uint64_t offset, uint64_t *address)
{
    (void)f, (void)offset, (void)address;
    return false;
}

bool elf_file_offset(const struct elf_file *f, uint64_t address, uint64_t *offset)
{
    (void)f, (void)address, (void)offset;
    return false;
}

void elf_file_functions(struct elf_file *f, elf_take_function *take, void *to)
{
    (void)f, (void)take, (void)to;
}

void elf_file_probes(struct elf_file *f, elf_take_probe *take, void *to)
{
    (void)f, (void)take, (void)to;
}

bool elf_file_is_go(struct elf_file *f)
{
    (void)f;
    return false;
}

bool elf_file_is_x86_64(struct elf_file *f)
{
    (void)f;
    return false;
}

size_t elf_file_code(const struct elf_file *f, uint64_t address, uint8_t *out, size_t bytes)
{
    (void)f, (void)address, (void)out, (void)bytes;
    return 0;
}

bool elf_file_signature(struct elf_file *f, uint64_t address, struct elf_signature *out)
{
    (void)f, (void)address, (void)out;
    return false;
}

bool elf_file_symtab(struct elf_file *f, struct symbol_table *t)
{
    (void)f, (void)t;
    return false;
}

bool elf_file_dynsym(struct elf_file *f, struct symbol_table *t)
{
    (void)f, (void)t;
    return false;
}

bool elf_file_packed(struct elf_file *f, struct symbol_table *t, struct err *why)
{
    (void)f, (void)t, (void)why;
    return false;
}

uint8_t *elf_file_unwind(struct elf_file *f, size_t *count, uint64_t *address)
{
    (void)f, (void)count, (void)address;
    return NULL;
}

const char *elf_file_debug_link(struct elf_file *f, uint32_t *checksum)
{
    (void)f, (void)checksum;
    return NULL;
}

bool elf_file_has_lines(struct elf_file *f)
{
    (void)f;
    return false;
}

unsigned elf_file_places(struct elf_file *f, uint64_t address, struct symbol_place *out)
{
    (void)f, (void)address, (void)out;
    return 0;
}
