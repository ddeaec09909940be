/* Where symbols of Windows' files are looked for: the syntax of _NT_SYMBOL_PATH, of which only
 * folders count here; servers are the business of server.h. Elements are separated by ';':
 *
 *   DIR                          name.pdb in it, or a store (below)
 *   srv*DIR*…, cache*DIR         stores; what begins with "http" is passed over
 *   symsrv*name.dll*DIR*…        likewise
 *
 * A store: DIR/name.pdb/<GUID><age>/name.pdb and DIR/name.dll/<time stamp><size>/name.dll. */
#ifndef SRC_SYMBOL_STORE_H
#define SRC_SYMBOL_STORE_H

#include "src/symbol/pe.h"
#include "src/symbol/symbol.h"

#include <stdbool.h>

enum { STORE_PATH = 4096, STORE_KEY = 64 };

/* What stands behind the last '\\', '/' or ':' of a path. */
const char *store_name(const char *path);

/* <GUID><age> of the image's PDB: the name of its folder in a store. */
void store_pdb_key(const struct symbol_image *i, char out[STORE_KEY]);

/* Whether a name is that of a file everywhere: of no device of Windows, and read as it stands. */
bool store_is_file_name(const char *name);

/* Calls for every file that may be the one until it says yes; true then. The name is what comes
 * behind the last '\\' or '/' of `name`, as it stands and in lower case. */
typedef bool store_visit(void *to, const char *path);
bool store_each_pdb(const char *search, const struct symbol_image *i, store_visit *visit, void *to);
bool store_each_image(const char *search, const struct symbol_image *i, store_visit *visit,
                      void *to);

/* Opens a file that was looked for; false silently where there is none, with a sentence where it may
 * not be read. */
bool store_open(struct blob *b, const char *path, struct err *why);

/* Reads a file that may be the image's: false with a sentence when it cannot be read or is another
 * build (both time stamp and size, or GUID and age of the PDB, must be the same), and silently
 * when there is none. pe_fini() when true. */
bool store_read_image(const struct symbol_image *i, const char *path, struct pe *out,
                      struct err *why);

#endif
