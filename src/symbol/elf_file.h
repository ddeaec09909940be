/* ELF files and their DWARF. Only elf_file_linux.c and elf_function_linux.c call elfutils;
 * elf_file_none_linux.c replaces them in a build without elfutils. Files are read, never mapped: a
 * file that shrinks meanwhile must not end the program. One thread. */
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

/* The other way round. */
bool elf_file_offset(const struct elf_file *f, uint64_t address, uint64_t *offset);

/* Each function of .symtab and .dynsym, under each of its names, with NUL at the end. */
struct elf_function {
    const char *name;
    uint64_t address, bytes;
    bool is_chooser; /* it is called once and returns the function that is used (IFUNC) */
};
typedef void elf_take_function(void *to, const struct elf_function *f);
void elf_file_functions(struct elf_file *f, elf_take_function *take, void *to);

/* Probes that a program was built with (USDT): a place in its code, with words that say where their
 * arguments are ("-4@%edi 8@-16(%rbp)"), and a counter that is above 0 while somebody watches; 0:
 * none. */
struct elf_probe {
    const char *provider, *name, *arguments;
    uint64_t address, counter;
};
typedef void elf_take_probe(void *to, const struct elf_probe *p);
void elf_file_probes(struct elf_file *f, elf_take_probe *take, void *to);

/* Made by Go's compiler, which hands arguments over in its own way. */
bool elf_file_is_go(struct elf_file *f);

/* Is it of this machine's kind, x86-64? */
bool elf_file_is_x86_64(struct elf_file *f);

/* Reads what the file has at an address; how many bytes. Not of a file in memory. */
size_t elf_file_code(const struct elf_file *f, uint64_t address, uint8_t *out, size_t bytes);

/* What a function's debug information says of its arguments. */
enum elf_value {
    ELF_VALUE_NONE, /* returns nothing */
    ELF_VALUE_UNSIGNED,
    ELF_VALUE_SIGNED,
    ELF_VALUE_ADDRESS,
    ELF_VALUE_TEXT,  /* address of characters that do not change */
    ELF_VALUE_REAL,  /* in registers of its own kind */
    ELF_VALUE_OTHER, /* a structure, or not known */
};
enum { ELF_PARAMETERS = 16 };
struct elf_signature {
    struct elf_parameter {
        char name[32];
        uint8_t value, bytes; /* value: enum elf_value */
    } of[ELF_PARAMETERS], result;
    unsigned count;
};
/* Of the function at an address; false where the file does not say. */
bool elf_file_signature(struct elf_file *f, uint64_t address, struct elf_signature *out);

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
