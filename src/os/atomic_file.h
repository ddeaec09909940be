/* A file in the making: written under another name in the same folder, and moved to its
 * own when it is complete. Whatever goes wrong before leaves nothing behind and what had
 * the name untouched. */
#ifndef SRC_OS_ATOMIC_FILE_H
#define SRC_OS_ATOMIC_FILE_H

#include "src/os/os.h"

#define ATOMIC_FILE_ENDING ".partial"

/* The bytes of the path that an unfinished file gets when it is complete; 0: it is no such path. */
size_t atomic_file_final_length(const char *path);

struct atomic_file {
    char *path, *temporary; /* NULL: there is none */
    struct os_file *file;   /* empty, to be written; this struct's */
    bool replace;
    bool stays; /* set by the owner: what is written cannot be made again, so without its name
                 * it stays where it is */
};

/* Creates the temporary file, "PATH.partial". An existing PATH is refused at once unless
 * `replace`; one that comes up in the meantime is refused at the end. What a killed program
 * left under the temporary name is never touched: the sentence says that it is there. */
bool atomic_file_open(struct atomic_file *d, const char *path, bool replace, struct err *err);

/* Everything is written: gives the file its name. When that fails the file is removed,
 * or stays and the sentence says where. Frees what `d` owns in any case. */
bool atomic_file_commit(struct atomic_file *d, struct err *err);

/* Removes it; nothing happens where there is none. */
void atomic_file_discard(struct atomic_file *d);

/* For a program that leaves at once while another thread may still be writing: removes
 * the unfinished file, frees nothing. */
void atomic_file_abandon(const struct atomic_file *d);

#endif
