/* Files that the program keeps for itself, below a folder of the user: each in folders of its own,
 * whose names may come from elsewhere. A file is written under another name, which no other program
 * has, and gets its own when it is complete and was checked. Below the cache no link is followed.
 * One file per platform. */
#ifndef SRC_OS_CACHE_FILE_H
#define SRC_OS_CACHE_FILE_H

#include "src/os/os.h"

#include <stdbool.h>
#include <stdint.h>

struct cache_file;

/* `below`: parts separated by '/', none of them "", "." or ".."; the folders are made. NULL with a
 * message. */
struct cache_file *cache_file_new(const char *cache, const char *below, struct err *err);

/* To be written and read; the cache_file's. */
struct os_file *cache_file_opened(const struct cache_file *c);

/* Gives the file its name, in place of what has it; frees. */
bool cache_file_keep(struct cache_file *c, struct err *err);

/* Removes it; frees. NULL is fine. */
void cache_file_drop(struct cache_file *c);

/* What lies in a cache: files and their bytes, some levels deep; links are not followed. */
struct cache_use {
    uint64_t files, bytes;
};
struct cache_use cache_use(const char *cache);

#endif
