/* The servers that symbol files are downloaded from, as the user names them:
 *
 *   https://…, http://…   PDBs in a symbol server's layout, ELF files in debuginfod's
 *   srv*DIR*https://…     PDBs; they are kept in DIR. Without DIR, in the program's cache
 *   env                   the servers that _NT_SYMBOL_PATH and DEBUGINFOD_URLS name
 *
 * Several stand behind each other, separated by blanks or ';'. A symbol path (store.h) has them,
 * too. */
#ifndef SRC_SYMBOL_SERVER_H
#define SRC_SYMBOL_SERVER_H

#include "src/base/err.h"
#include "src/symbol/symbol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER_URL = 512, SERVER_FOLDER = 1024, SERVERS = 16 };

struct symbol_server {
    char url[SERVER_URL];       /* without a '/' at its end */
    char folder[SERVER_FOLDER]; /* where its files are kept; "": the program's cache */
    bool is_for_pdbs;           /* it is not asked for anything else */
    /* The thread's that downloads: after a failure it is left alone for a while. */
    unsigned failures;
    int64_t alone_until; /* os_now() */
};

struct symbol_servers {
    struct symbol_server list[SERVERS];
    size_t count;
};

/* Adds what the text names; false with a message where it cannot be read. Repeated servers, and
 * any beyond SERVERS, are left out. */
bool symbol_servers_add(struct symbol_servers *s, const char *text, struct err *err);

/* Adds the servers of a symbol path; what else it has is passed over. */
void symbol_servers_add_path(struct symbol_servers *s, const char *path);

/* Those that the options name, and the folder for files of servers without one of their own ("":
 * there is none). */
void symbol_servers_of(const struct symbol_options *o, struct symbol_servers *out);
void symbol_downloads_cache(const struct symbol_options *o, char out[SERVER_FOLDER]);

#endif
