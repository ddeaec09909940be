/* Folders: what the parts of a path name. A folder is known by the hash of the path up to it, and
 * so is the crumb that stands for all files or keys below it. Engine thread only. */
#ifndef SRC_VIEW_FOLDER_H
#define SRC_VIEW_FOLDER_H

#include "src/table/value.h"

#include <stddef.h>
#include <stdint.h>

/* The hash of a folder, from that of the folder above it (0 = the top) and its name. */
uint64_t folder_hash(uint64_t above, const char *part, size_t bytes);
struct row_key folder_key(uint64_t hash);

char path_separator(const char *path, size_t bytes);
/* The next part of the path at *at, without separators; 0 bytes = there is no more. */
size_t path_next_part(const char *path, size_t bytes, char separator, size_t *at);

#endif
