/* Downloads of symbol files, for who starts them and who shows them. */
#ifndef SRC_SYMBOL_DOWNLOAD_OPTIONS_H
#define SRC_SYMBOL_DOWNLOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct notices;

/* Which servers are asked for symbol files that are not here. All zero: none is. */
struct symbol_downloads {
    const char *const *servers; /* server.h; what cannot be read is left out */
    size_t server_count;
    bool asks_path;    /* the servers that `path` names, too: the user named them, and not the
                          environment */
    const char *cache; /* the folder for them, where files of earlier runs are found in any case;
                        * "": the user's; NULL: none */
    struct notices *notices; /* for the user; may be NULL */
    uint64_t most_bytes;     /* of one file; 0: what is usual */
    int64_t quiet_ns; /* a server that sends nothing for so long has failed; 0: what is usual */
};

/* What is being downloaded; `title` is "" when nothing is. */
struct symbol_progress {
    char title[64];
    uint64_t done, of; /* bytes; of 0: not known */
    unsigned waiting;  /* files, behind this one */
};

/* The folder where downloaded files are kept unless a server has one of its own; "": there is none.
 */
void symbol_cache_folder(char *out, size_t room);

#endif
