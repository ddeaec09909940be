/* ELF files and their DWARF. Only elf_file_linux.c calls elfutils; elf_file_none_linux.c replaces
 * it in a build without elfutils. Files are read, never mapped: a file that shrinks meanwhile must
 * not end the program. One thread. */
#ifndef SRC_SYMBOL_ELF_FILE_H
#define SRC_SYMBOL_ELF_FILE_H

#include "src/base/err.h"
#include "src/symbol/build_id.h"
#include "src/symbol/symbol_table.h"

struct elf_file;

/* False in builds without: then no file can be opened. */
bool elf_file_is_built_in(void);

/* Takes the descriptor, whatever happens. NULL with a sentence that begins with `path`. */
struct elf_file *elf_file_open(int descriptor, const char *path, struct err *why);
/* Of bytes in memory, which are copied. */
struct elf_file *elf_file_in_memory(const void *bytes, size_t count, const char *name,
                                    struct err *why);
void elf_file_close(struct elf_file *f); /* NULL is fine */

/* Closes the file behind it: from here on only the function below may be called. */
void elf_file_let_go(struct elf_file *f);

/* Where the loaded bytes of a file offset lie in memory; false for what is not loaded. */
bool elf_file_address(const struct elf_file *f, uint64_t offset, uint64_t *address);

/* Adds the functions by address: of .symtab, of .dynsym, of the symbols that are packed into
 * .gnu_debugdata. True when it had any. */
bool elf_file_symtab(struct elf_file *f, struct symbol_table *t);
bool elf_file_dynsym(struct elf_file *f, struct symbol_table *t);
bool elf_file_packed(struct elf_file *f, struct symbol_table *t, struct err *why);

/* The bytes of .eh_frame, the caller's to free, and where they are loaded; NULL: it has none. */
uint8_t *elf_file_unwind(struct elf_file *f, size_t *count, uint64_t *address);

/* The name and checksum of its separate debug file; NULL: it names none. */
const char *elf_file_debug_link(struct elf_file *f, uint32_t *checksum);

struct symbol_image;

/* A descriptor of the file that ran, wherever it is to be found (elf_linux.c); -1 with a
 * sentence where there is none that shows that it is the one. */
int elf_file_find(const struct symbol_image *i, struct err *why);

/* The code that the kernel gives every 64-bit process, where it is `size` bytes large
 * (vdso_linux.c). */
struct elf_file *elf_file_of_vdso(uint64_t size, struct err *why);

/* Whether it has line information. */
bool elf_file_has_lines(struct elf_file *f);
/* Up to SYMBOL_INLINED places of an address, innermost first; their number. */
unsigned elf_file_places(struct elf_file *f, uint64_t address, struct symbol_place *out);

#endif
