/* Names of Windows' modules by their PDBs, and by what they export themselves where the file is
 * at hand. Each must be the very one: GUID and age of the PDB, time stamp and size of the file. */
#include "src/base/mem.h"
#include "src/symbol/pdb.h"
#include "src/symbol/pe.h"
#include "src/symbol/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct guid none;

/* ---- PDBs ------------------------------------------------------------------------------- */

struct pdb_hunt {
    const struct symbol_image *image;
    struct pdb *found;
    char path[STORE_PATH];
    struct err *why;
};

static bool is_right_pdb(const struct pdb_hunt *h, const struct blob *b, const char *path)
{
    struct guid guid;
    uint32_t age = 0;
    struct err err;
    char wanted[GUID_TEXT], is[GUID_TEXT];
    if (!pdb_identify(b, &guid, &age, &err))
        return fail(h->why, "%s: %.700s", path, err.text);
    if (guid_equal(&guid, &h->image->pdb_guid) && age == h->image->pdb_age)
        return true;
    return fail(h->why, "%s: expected the PDB %s, age %u, found %s, age %u", path,
                guid_format(&h->image->pdb_guid, wanted), h->image->pdb_age, guid_format(&guid, is),
                age);
}

static bool try_pdb(void *to, const char *path)
{
    struct pdb_hunt *const h = to;
    struct blob b;
    struct err err;
    if (!store_open(&b, path, h->why))
        return false;
    if (is_right_pdb(h, &b, path)) {
        h->found = mem_new(1, sizeof *h->found);
        if (pdb_read(h->found, &b, &err)) {
            snprintf(h->path, sizeof h->path, "%s", path);
        } else {
            fail(h->why, "%s: %.700s", path, err.text);
            free(h->found);
            h->found = NULL;
        }
    }
    blob_close(&b);
    return h->found != NULL;
}

static bool claims_pdb(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_WINDOWS && !guid_equal(&i->pdb_guid, &none) && i->pdb[0];
}

static void *open_pdb(const struct symbol_search *s, const struct symbol_image *i, char *from,
                      size_t *bytes, struct err *why)
{
    struct pdb_hunt h = {.image = i, .why = why};
    symbol_lacks(s, SYMBOL_LACKS_PDB);
    if (!store_each_pdb(s->path, i, try_pdb, &h)) {
        if (!why->text[0])
            fail(why,
                 s->path[0] ? "%.300s is in none of the folders of --symbols or "
                              "_NT_SYMBOL_PATH"
                            : "%.300s: not found; name its folder by --symbols or "
                              "_NT_SYMBOL_PATH",
                 i->pdb);
        return NULL;
    }
    symbol_lacks(s, SYMBOL_LACKS_NOTHING);
    why->text[0] = '\0';
    snprintf(from, SYMBOL_NAME_MAX, "%.1000s", h.path);
    *bytes = symbol_table_bytes(&h.found->sure) + symbol_table_bytes(&h.found->near) +
             h.found->moved_count * sizeof *h.found->moved;
    return h.found;
}

static bool find_pdb(void *opened, uint64_t offset, struct symbol_found *out)
{
    return pdb_find(opened, offset, out);
}

static void close_pdb(void *opened)
{
    pdb_fini(opened);
    free(opened);
}

const struct symbol_backend symbol_pdb = {
    .id = "pdb",
    .claims = claims_pdb,
    .open = open_pdb,
    .find = find_pdb,
    .close = close_pdb,
};

/* ---- PE files -------------------------------------------------------------------------------- */

struct pe_hunt {
    const struct symbol_image *image;
    struct pe *found;
    char path[STORE_PATH];
    struct err *why;
};

static bool try_pe(void *to, const char *path)
{
    struct pe_hunt *const h = to;
    struct pe p;
    if (!store_read_image(h->image, path, &p, h->why))
        return false;
    h->found = mem_copy(&p, sizeof p);
    snprintf(h->path, sizeof h->path, "%s", path);
    return true;
}

static bool claims_pe(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_WINDOWS && i->path[0];
}

static void *open_pe(const struct symbol_search *s, const struct symbol_image *i, char *from,
                     size_t *bytes, struct err *why)
{
    struct pe_hunt h = {.image = i, .why = why};
    if (!store_each_image(s->path, i, try_pe, &h)) {
        if (!why->text[0] && !claims_pdb(i))
            fail(why, "the trace does not say which PDB it has, and the file itself is in none "
                      "of the folders of --symbols or _NT_SYMBOL_PATH");
        return NULL;
    }
    why->text[0] = '\0';
    snprintf(from, SYMBOL_NAME_MAX, "%.1000s", h.path);
    *bytes = symbol_table_bytes(&h.found->exports);
    return h.found;
}

static bool find_pe(void *opened, uint64_t offset, struct symbol_found *out)
{
    const struct pe *const p = opened;
    return symbol_table_find(&p->exports, offset, out);
}

static void close_pe(void *opened)
{
    pe_fini(opened);
    free(opened);
}

const struct symbol_backend symbol_pe = {
    .id = "exports",
    .claims = claims_pe,
    .open = open_pe,
    .find = find_pe,
    .close = close_pe,
};
