/* A file in the making: written under another name in the same folder, and moved to its
 * own when it is complete. Whatever goes wrong before leaves nothing behind and what had
 * the name untouched. */
#ifndef SRC_OS_DRAFT_H
#define SRC_OS_DRAFT_H

#include "src/os/os.h"

struct draft {
    char *path, *temporary; /* NULL: there is none */
    struct os_file *file;   /* empty, to be written; the draft's */
    bool replace;
    bool stays; /* set by the owner: what is written cannot be made again, so without its name
                 * it stays where it is */
};

/* Creates the temporary file, "PATH.partial". An existing PATH is refused at once unless
 * `replace`; one that comes up in the meantime is refused at the end. What a killed program
 * left under the temporary name is never touched: the sentence says that it is there. */
bool draft_open(struct draft *d, const char *path, bool replace, struct err *err);

/* Everything is written: gives the file its name. When that fails the file is removed,
 * or stays and the sentence says where. Ends the draft in any case. */
bool draft_keep(struct draft *d, struct err *err);

/* Removes it; nothing happens where there is none. */
void draft_drop(struct draft *d);

/* For a program that leaves at once while another thread may still be writing: removes
 * the unfinished file, frees nothing. */
void draft_abandon(const struct draft *d);

#endif
