/* Names of files, as records: each once in a while, for readers forget those of files that nobody
 * uses. The collector's thread only. */
#ifndef COLLECTORS_LINUX_TRANSLATE_FILE_NAMES_H
#define COLLECTORS_LINUX_TRANSLATE_FILE_NAMES_H

#include "collectors/linux/translate/translate.h"

struct file_names;

struct file_names *file_names_new(void);
void file_names_free(struct file_names *n);
size_t file_names_bytes(void); /* memory that one takes */

/* Records the name of a key at this time; false where that was done not long ago. */
bool file_names_put(struct file_names *n, struct translator *t, uint64_t key, const char *path,
                    int64_t time);

/* Of a path; never 0. */
uint64_t file_path_hash(const char *path, size_t bytes);

#endif
