/* What the files that call elfutils share: elf_file_linux.c and elf_function_linux.c. */
#ifndef SRC_SYMBOL_ELF_INSIDE_H
#define SRC_SYMBOL_ELF_INSIDE_H

#include "src/symbol/elf_file.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>

enum {
    ELF_LOADS = 64,               /* segments; linkers make some four */
    ELF_SECTION_MOST = 512 << 20, /* bytes of a table of symbols or names */
    ELF_SCOPES = 128,
};

struct elf_load {
    uint64_t offset, bytes, address;
};

struct elf_file {
    Elf *elf;
    Dwarf *dwarf; /* begun when it is asked for; NULL: not yet, or there is none */
    bool has_tried_dwarf;
    int descriptor; /* -1: in memory */
    void *memory;
    struct elf_load loads[ELF_LOADS];
    unsigned load_count;
    char link[256];
};

/* The bytes of a section; NULL where it has none in the file, or too many. */
Elf_Data *elf_data_of(Elf_Scn *section, uint64_t most);
Elf_Scn *elf_section_named(Elf *elf, const char *name);
Elf_Scn *elf_section_of_type(Elf *elf, uint32_t type);

/* Each function of a symbol table; its name ends with a NUL or after `most` bytes. */
typedef void elf_visit_function(void *to, const GElf_Sym *s, const char *name, size_t most);
void elf_each_function(Elf *elf, uint32_t type, elf_visit_function *visit, void *to);

/* NULL: it has no debug information. */
Dwarf *elf_dwarf_of(struct elf_file *f);
bool elf_unit_of(Dwarf *d, uint64_t address, Dwarf_Die *unit);
/* The scopes around an address, the outermost first; how many. */
unsigned elf_scopes_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die *out);

#endif
