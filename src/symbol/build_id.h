/* Build ids of ELF files, without reading more of them than that takes. Any thread. */
#ifndef SRC_SYMBOL_BUILD_ID_H
#define SRC_SYMBOL_BUILD_ID_H

#include "src/os/blob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id {
    uint8_t bytes[20];
    size_t count; /* 0: there is none */
};

/* In hexadecimal: two characters a byte, and the NUL. */
void build_id_text(const uint8_t *bytes, size_t count, char *out);

/* Of an open file; false where it is no ELF file of this machine's order or has none. */
bool build_id_of_blob(struct blob *b, struct build_id *out);
bool build_id_of_file(int descriptor, struct build_id *out); /* Linux only */

/* Likewise; `read` gets all of the bytes, or answers false. */
typedef bool build_id_read(void *from, void *to, size_t bytes, uint64_t offset);
bool build_id_find(build_id_read *read, void *from, struct build_id *out);

/* Among notes as they lie in a file or in /sys. */
bool build_id_in_notes(const void *notes, size_t bytes, struct build_id *out);

/* Whether a module of a kernel may be called so: it is one name in a folder of /sys. */
bool build_id_is_module(const char *name, size_t bytes);

/* Of the kernel that runs here (module ""), or of one of its modules. The name may be a trace's. */
bool build_id_of_kernel(const char *module, struct build_id *out);

#endif
