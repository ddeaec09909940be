#include "src/symbol/download_name.h"

#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/symbol/build_id.h"
#include "src/symbol/pdb.h"
#include "src/symbol/store.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 100 }; /* bytes of a PDB's name */

/* ---- names -------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static void escape(const char *name, char *out)
{
    for (; *name; name++)
        out += sprintf(out, is_plain(*name) ? "%c" : "%%%02X", (unsigned char)*name);
    *out = '\0';
}

/* A file's name and nothing else, that ends in ".pdb". */
static bool is_pdb_name(const char *name)
{
    const size_t bytes = strlen(name);
    return bytes > 4 && bytes <= NAME_MOST && name[0] != '.' && store_is_file_name(name) &&
           text_compare(name + bytes - 4, 4, ".pdb", 4) == 0;
}

static bool name_pdb(const struct symbol_image *i, struct download_name *out, struct err *why)
{
    char key[STORE_KEY], escaped[3 * NAME_MOST + 1];
    const char *const name = store_name(i->pdb);
    if (!is_pdb_name(name))
        return fail(why, "'%.100s' is not the name of a PDB file; it is not requested from servers",
                    name);
    escape(name, escaped);
    store_pdb_key(i, key);
    snprintf(out->url, sizeof out->url, "%s/%s/%s", escaped, key, escaped);
    snprintf(out->path, sizeof out->path, "%.100s/%s/%.100s", name, key, name);
    snprintf(out->title, sizeof out->title, "%.100s", name);
    return true;
}

static bool name_elf(bool is_debug, const struct symbol_image *i, struct download_name *out,
                     struct err *why)
{
    char id[2 * SYMBOL_BUILD_MAX + 1];
    enum { LEAST = 8 }; /* shorter ones are made up */
    if (i->build_bytes < LEAST || i->build_bytes > SYMBOL_BUILD_MAX)
        return fail(why, "%.300s has no build id, which servers need", i->path);
    build_id_text(i->build, i->build_bytes, id);
    snprintf(out->url, sizeof out->url, "buildid/%s/%s", id, is_debug ? "debuginfo" : "executable");
    snprintf(out->path, sizeof out->path, ".build-id/%.2s/%s%s", id, id + 2,
             is_debug ? ".debug" : "");
    snprintf(out->title, sizeof out->title, "%.100s%s", store_name(i->path),
             is_debug ? ".debug" : "");
    return true;
}

bool download_name(enum symbol_lack lack, const struct symbol_image *i, struct download_name *out,
                   struct err *why)
{
    switch (lack) {
    case SYMBOL_LACKS_PDB:
        return name_pdb(i, out, why);
    case SYMBOL_LACKS_PROGRAM:
        return name_elf(false, i, out, why);
    case SYMBOL_LACKS_DEBUG_FILE:
        return name_elf(true, i, out, why);
    default:
        return fail(why, "nothing is missing");
    }
}

/* ---- what came ------------------------------------------------------------------------------ */

static bool is_right_pdb(const struct symbol_image *i, const struct blob *b, struct err *why)
{
    char wanted[GUID_TEXT], is[GUID_TEXT];
    struct guid guid;
    uint32_t age;
    if (!pdb_identify(b, &guid, &age, why))
        return false;
    if (!guid_equal(&guid, &i->pdb_guid) || age != i->pdb_age)
        return fail(why, "expected the PDB %s, age %u, found %s, age %u",
                    guid_format(&i->pdb_guid, wanted), i->pdb_age, guid_format(&guid, is), age);
    return pdb_is_whole(b, why);
}

/* The section headers stand at the end. */
static bool is_whole_elf(const struct blob *b, struct err *why)
{
    uint8_t head[64];
    if (!blob_read(b, head, sizeof head, 0))
        return fail(why, "expected an ELF file, found %llu bytes", (unsigned long long)b->bytes);
    const bool is_wide = head[4] == 2;
    const uint64_t table = is_wide ? load_u64(head + 40) : load_u32(head + 32);
    const uint64_t bytes =
        (uint64_t)load_u16(head + (is_wide ? 58 : 46)) * load_u16(head + (is_wide ? 60 : 48));
    return (table <= b->bytes && bytes <= b->bytes - table) ||
           fail(why, "expected section headers up to byte %llu, found the end of the file at %llu",
                (unsigned long long)(table + bytes), (unsigned long long)b->bytes);
}

static bool is_right_elf(const struct symbol_image *i, struct blob *b, struct err *why)
{
    struct build_id id;
    if (!build_id_of_blob(b, &id))
        return fail(why, "expected an ELF file with a build id, found none");
    if (id.count != i->build_bytes || memcmp(id.bytes, i->build, id.count) != 0)
        return fail(why, "expected another build id: it is not the file that ran");
    return is_whole_elf(b, why);
}

bool download_is_right(enum symbol_lack lack, const struct symbol_image *i, struct blob *b,
                       struct err *why)
{
    return lack == SYMBOL_LACKS_PDB ? is_right_pdb(i, b, why) : is_right_elf(i, b, why);
}
