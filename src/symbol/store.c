#include "src/symbol/store.h"

#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/os/os.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 256 };

struct wanted {
    char name[NAME_ROOM], lower[NAME_ROOM];
    char key[STORE_KEY]; /* of the store; "": it cannot be there */
    store_visit *visit;
    void *to;
};

/* Names that mean a device on Windows, whatever stands behind their first dot, and names that it
 * would change or read as something else. */
static bool is_device_name(const char *name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"};
    size_t stem = strcspn(name, ".");
    while (stem && name[stem - 1] == ' ')
        stem--;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (text_compare(name, stem, devices[i], strlen(devices[i])) == 0)
            return true;
    const bool is_port = stem > 3 && (text_compare(name, 3, "com", 3) == 0 ||
                                      text_compare(name, 3, "lpt", 3) == 0);
    const bool is_super = stem == 5 && name[3] == '\xc2' && strchr("\xb9\xb2\xb3", name[4]);
    return is_port && ((stem == 4 && name[3] >= '0' && name[3] <= '9') || is_super);
}

bool store_is_file_name(const char *name)
{
    const size_t bytes = strlen(name);
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)name[i] < 0x20 || strchr("<>\"|?*", name[i]))
            return false;
    return bytes && name[bytes - 1] != '.' && name[bytes - 1] != ' ' && !is_device_name(name);
}

const char *store_name(const char *path)
{
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (*c == '\\' || *c == '/' || *c == ':')
            name = c + 1;
    return name;
}

/* Only a plain name: it comes from a trace and becomes part of a path. */
static bool set_name(struct wanted *w, const char *path)
{
    const char *const name = store_name(path);
    const size_t bytes = strlen(name);
    if (!bytes || bytes >= NAME_ROOM || !store_is_file_name(name))
        return false;
    for (size_t i = 0; i <= bytes; i++) {
        w->name[i] = name[i];
        w->lower[i] = text_lower(name[i]);
    }
    return true;
}

static bool try_at(const struct wanted *w, const char *folder, const char *name)
{
    char path[STORE_PATH];
    if (w->key[0] &&
        snprintf(path, sizeof path, "%s/%s/%s/%s", folder, name, w->key, name) < STORE_PATH &&
        w->visit(w->to, path))
        return true;
    return snprintf(path, sizeof path, "%s/%s", folder, name) < STORE_PATH && w->visit(w->to, path);
}

static bool try_folder(const struct wanted *w, const char *folder, size_t bytes)
{
    char plain[STORE_PATH];
    if (!bytes || bytes >= sizeof plain || (bytes > 4 && memcmp(folder, "http", 4) == 0))
        return false;
    memcpy(plain, folder, bytes);
    plain[bytes] = '\0';
    return try_at(w, plain, w->name) ||
           (strcmp(w->name, w->lower) != 0 && try_at(w, plain, w->lower));
}

/* How many parts of "word*part*part" come before the first folder; 0: it is a folder itself. */
static unsigned parts_before(const char *element, size_t bytes)
{
    static const struct {
        const char *word;
        unsigned parts;
    } words[] = {{"srv*", 1}, {"cache*", 1}, {"symsrv*", 2}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i].word);
        if (bytes >= length && text_compare(element, length, words[i].word, length) == 0)
            return words[i].parts;
    }
    return 0;
}

static bool try_element(const struct wanted *w, const char *element, size_t bytes)
{
    unsigned skip = parts_before(element, bytes);
    if (!skip)
        return try_folder(w, element, bytes);
    for (size_t at = 0; at <= bytes;) {
        const char *const star = memchr(element + at, '*', bytes - at);
        const size_t end = star ? (size_t)(star - element) : bytes;
        if (skip)
            skip--;
        else if (try_folder(w, element + at, end - at))
            return true;
        at = end + 1;
    }
    return false;
}

static bool try_all(const struct wanted *w, const char *search)
{
    for (const char *at = search; *at;) {
        const size_t bytes = strcspn(at, ";");
        if (try_element(w, at, bytes))
            return true;
        at += bytes + (at[bytes] == ';');
    }
    return false;
}

void store_pdb_key(const struct symbol_image *i, char out[STORE_KEY])
{
    const uint8_t *const g = i->pdb_guid.b;
    int used = snprintf(out, STORE_KEY, "%08X%04X%04X", (unsigned)load_u32(g),
                        (unsigned)load_u16(g + 4), (unsigned)load_u16(g + 6));
    for (unsigned n = 8; n < 16; n++)
        used += snprintf(out + used, STORE_KEY - (size_t)used, "%02X", g[n]);
    snprintf(out + used, STORE_KEY - (size_t)used, "%X", i->pdb_age);
}

bool store_each_pdb(const char *search, const struct symbol_image *i, store_visit *visit, void *to)
{
    struct wanted w = {.visit = visit, .to = to};
    if (!set_name(&w, i->pdb))
        return false;
    store_pdb_key(i, w.key);
    return try_all(&w, search);
}

bool store_each_image(const char *search, const struct symbol_image *i, store_visit *visit,
                      void *to)
{
    struct wanted w = {.visit = visit, .to = to};
    if (!set_name(&w, i->path))
        return false;
    if (i->stamp && i->image_size)
        snprintf(w.key, sizeof w.key, "%08X%x", i->stamp, i->image_size);
    return try_all(&w, search);
}

static bool is_of_image(const struct symbol_image *i, const struct pe *p)
{
    static const struct guid none;
    return (i->stamp && i->stamp == p->stamp && i->image_size == p->image_size) ||
           (!guid_equal(&i->pdb_guid, &none) && guid_equal(&i->pdb_guid, &p->pdb_guid) &&
            i->pdb_age == p->pdb_age);
}

bool store_open(struct blob *b, const char *path, struct err *why)
{
    struct err err;
    if (blob_open(b, path, &err))
        return true;
    if (os_path_kind(path) == OS_REGULAR)
        *why = err;
    return false;
}

bool store_read_image(const struct symbol_image *i, const char *path, struct pe *out,
                      struct err *why)
{
    struct blob b;
    struct err err;
    if (!store_open(&b, path, why))
        return false;
    const bool is_read = pe_read(out, &b, &err);
    blob_close(&b);
    if (!is_read)
        return fail(why, "%s: %.700s", path, err.text);
    if (is_of_image(i, out))
        return true;
    fail(why, "%s: expected time stamp %08x and size 0x%x, found %08x and 0x%x", path, i->stamp,
         i->image_size, out->stamp, out->image_size);
    pe_fini(out);
    return false;
}
