/* What a symbol file is called on a server and in a cache. The names come from traces: what is not
 * plainly the name of such a file has neither. */
#ifndef SRC_SYMBOL_DOWNLOAD_NAME_H
#define SRC_SYMBOL_DOWNLOAD_NAME_H

#include "src/base/err.h"
#include "src/os/blob.h"
#include "src/symbol/backend.h"

#include <stdbool.h>

enum { DOWNLOAD_NAME = 720 };

struct download_name {
    char url[DOWNLOAD_NAME];   /* behind the server's; all but A-Z a-z 0-9 - _ . / is escaped */
    char path[DOWNLOAD_NAME];  /* below the cache, in a layout that the readers of symbols know */
    char title[DOWNLOAD_NAME]; /* for people */
};

/* False with a message: nothing may be asked for. */
bool download_name(enum symbol_lack lack, const struct symbol_image *i, struct download_name *out,
                   struct err *why);

/* Whether the file is complete, and the one of exactly this build. */
bool download_is_right(enum symbol_lack lack, const struct symbol_image *i, struct blob *b,
                       struct err *why);

#endif
