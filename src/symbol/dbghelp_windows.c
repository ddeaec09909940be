/* Names by the system's own library for them, dbghelp, which reads every kind of symbols that
 * Windows' compilers have made and asks the symbol servers that the user's path names.
 *
 * - It comes from System32 or not at all, and so does symsrv.dll, which it needs for servers and
 *   which Windows itself does not have there: os_start() sees to that. A library that the path
 *   names itself (symsrv*LIBRARY*…) is passed over.
 * - Nothing is fetched over a network unless the path has a server. Paths inside of files are
 *   not followed (they may point anywhere), nor are modules on shares opened.
 * - The module must be the one that ran: the file by time stamp and size or by its PDB's GUID and
 *   age; the PDB by these. dbghelp gets an option to take no other, and its choice is checked.
 * - It serves one thread at a time: the worker's; a lock keeps several workers apart. Each image
 *   is a session of dbghelp of its own and holds nothing else, so closing it gives all back.
 * - It waits for a server as long as SERVER_NS, and no longer than the worker itself. */
#include "src/base/text.h"
#include "src/symbol/backends.h"
#include "src/symbol/image_file.h"
#include "src/symbol/pe.h"
#include "src/symbol/store.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <dbghelp.h>

/* By the documentation; the headers at hand lack some of it. */
#define DBGHELP_FUNCTIONS(F)                                                                       \
    F(DWORD, SymSetOptions, (DWORD))                                                               \
    F(BOOL, SymInitializeW, (HANDLE, PCWSTR, BOOL))                                                \
    F(BOOL, SymCleanup, (HANDLE))                                                                  \
    F(DWORD64, SymLoadModuleExW,                                                                   \
      (HANDLE, HANDLE, PCWSTR, PCWSTR, DWORD64, DWORD, PMODLOAD_DATA, DWORD))                      \
    F(BOOL, SymGetModuleInfoW64, (HANDLE, DWORD64, PIMAGEHLP_MODULEW64))                           \
    F(BOOL, SymFindFileInPathW,                                                                    \
      (HANDLE, PCWSTR, PCWSTR, PVOID, DWORD, DWORD, DWORD, PWSTR, PFINDFILEINPATHCALLBACKW,        \
       PVOID))                                                                                     \
    F(BOOL, SymRegisterCallbackW64, (HANDLE, PSYMBOL_REGISTERED_CALLBACK64, ULONG64))              \
    F(BOOL, SymFromAddrW, (HANDLE, DWORD64, PDWORD64, PSYMBOL_INFOW))                              \
    F(BOOL, SymGetLineFromAddrW64, (HANDLE, DWORD64, PDWORD, PIMAGEHLP_LINEW64))                   \
    F(DWORD, SymAddrIncludeInlineTrace, (HANDLE, DWORD64))                                         \
    F(BOOL, SymQueryInlineTrace, (HANDLE, DWORD64, DWORD, DWORD64, DWORD64, LPDWORD, LPDWORD))     \
    F(BOOL, SymFromInlineContextW, (HANDLE, DWORD64, ULONG, PDWORD64, PSYMBOL_INFOW))              \
    F(BOOL, SymGetLineFromInlineContextW,                                                          \
      (HANDLE, DWORD64, ULONG, DWORD64, PDWORD, PIMAGEHLP_LINEW64))

struct dbghelp {
    SRWLOCK lock;
    INIT_ONCE once;
#define MEMBER(type, name, parameters) type(WINAPI *name) parameters;
    DBGHELP_FUNCTIONS(MEMBER)
#undef MEMBER
    bool is_usable;
};

static struct dbghelp d = {.lock = SRWLOCK_INIT, .once = INIT_ONCE_STATIC_INIT};

/* Where each image lies in its own session; offsets are relative to it. */
static const DWORD64 BASE = 0x10000000;
static const int64_t SERVER_NS = 60ll * 1000000000;

enum { NAME_UNITS = 1024, SIZE_UNKNOWN = 64 << 20, OPENED_LEAST = 1 << 16 };

struct module {
    int64_t until; /* os_now(): a server's answer is waited for no longer */
    const _Atomic bool *stop;
    DWORD64 base;
    bool is_on;
};

static const struct guid no_guid;

/* ---- the library ------------------------------------------------------------------------- */

static BOOL CALLBACK load(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    enum {
        OPTIONS = SYMOPT_UNDNAME | SYMOPT_LOAD_LINES | SYMOPT_OMAP_FIND_NEAREST |
                  SYMOPT_IGNORE_CVREC | SYMOPT_FAIL_CRITICAL_ERRORS | SYMOPT_EXACT_SYMBOLS |
                  SYMOPT_IGNORE_NT_SYMPATH | SYMOPT_AUTO_PUBLICS | SYMOPT_NO_PROMPTS |
                  SYMOPT_DISABLE_SYMSRV_AUTODETECT
    };
    (void)once, (void)parameter, (void)context;
    const HMODULE library = LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        return TRUE;
#define FIND(type, name, parameters)                                                               \
    d.name = (type(WINAPI *) parameters)(void (*)(void))GetProcAddress(library, #name);
    DBGHELP_FUNCTIONS(FIND)
#undef FIND
    d.is_usable = d.SymSetOptions && d.SymInitializeW && d.SymCleanup && d.SymLoadModuleExW &&
                  d.SymGetModuleInfoW64 && d.SymFromAddrW;
    if (d.is_usable)
        d.SymSetOptions(OPTIONS);
    return TRUE;
}

static bool is_usable(void)
{
    InitOnceExecuteOnce(&d.once, load, NULL, NULL);
    return d.is_usable;
}

/* Asked while files are looked for and fetched: TRUE gives up. */
static BOOL CALLBACK look_up(HANDLE process, ULONG action, ULONG64 data, ULONG64 context)
{
    const struct module *const m = (const void *)(uintptr_t)context;
    (void)process, (void)data;
    return action == CBA_DEFERRED_SYMBOL_LOAD_CANCEL &&
           (atomic_load_explicit(m->stop, memory_order_relaxed) || os_now() > m->until);
}

/* ---- text and paths ---------------------------------------------------------------------- */

static bool widen(const char *text, WCHAR *out, int units)
{
    return MultiByteToWideChar(CP_UTF8, 0, text, -1, out, units) > 0;
}

static void narrow(const WCHAR *wide, char *out, int room)
{
    const int most = (room - 1) / 3; /* of what no unit makes more */
    const int units = (int)wcsnlen(wide, (size_t)most);
    const int used = WideCharToMultiByte(CP_UTF8, 0, wide, units, out, room - 1, NULL, NULL);
    out[used > 0 ? used : 0] = '\0';
}

/* The user's path without elements that name a library to load, and whether it has a server. */
struct search {
    WCHAR path[STORE_PATH];
    bool has_server;
};

/* Up to the first web server: those are asked by download.c, when the user wants it. */
static size_t before_server(const char *element, size_t bytes)
{
    static const char *const servers[] = {"*http:", "*https:"};
    for (size_t at = 0; at < bytes; at++)
        for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
            const size_t length = strlen(servers[i]);
            if (bytes - at >= length && text_compare(element + at, length, servers[i], length) == 0)
                return at;
        }
    return bytes;
}

/* "srv" and the like, without a folder behind it: it would be the name of a folder. */
static bool is_bare(const char *element, size_t bytes)
{
    static const char *const words[] = {"srv", "cache", "symsrv*symsrv.dll"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_compare(element, bytes, words[i], strlen(words[i])) == 0)
            return true;
    return bytes > 4 && text_compare(element, 4, "http", 4) == 0;
}

static void add_element(char *out, size_t *used, const char *element, size_t all)
{
    const size_t bytes = before_server(element, all);
    static const char ours[] = "symsrv*symsrv.dll*";
    enum { OURS = sizeof ours - 1 };
    const bool names_library = bytes >= 7 && text_compare(element, 7, ours, 7) == 0;
    const bool is_ours = bytes >= OURS && text_compare(element, OURS, ours, OURS) == 0;
    if (!bytes || is_bare(element, bytes) || (names_library && !is_ours) ||
        bytes + 2 > STORE_PATH - *used)
        return;
    *used += (size_t)snprintf(out + *used, STORE_PATH - *used, "%s%.*s", *used ? ";" : "",
                              (int)bytes, element);
}

static void make_search(struct search *s, const char *path)
{
    char plain[STORE_PATH] = "";
    size_t used = 0;
    for (const char *at = path; *at;) {
        const size_t bytes = strcspn(at, ";");
        add_element(plain, &used, at, bytes);
        at += bytes + (at[bytes] == ';');
    }
    s->has_server = strstr(plain, "*\\\\") != NULL;
    /* An empty path would be the current folder, which may be anybody's. */
    if (!used || !widen(plain, s->path, STORE_PATH))
        GetSystemDirectoryW(s->path, STORE_PATH);
}

static const char *name_of(const char *path)
{
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (*c == '\\' || *c == '/' || *c == ':')
            name = c + 1;
    return name;
}

/* ---- which file ----------------------------------------------------------------------------- */

struct hunt {
    const struct symbol_image *image;
    char path[STORE_PATH];
    struct err *why;
};

static bool try_image(void *to, const char *path)
{
    struct hunt *const h = to;
    struct pe p;
    if (!store_read_image(h->image, path, &p, h->why))
        return false;
    snprintf(h->path, sizeof h->path, "%s", path);
    pe_fini(&p);
    return true;
}

static bool find_image(struct hunt *h, const struct symbol_search *s)
{
    char path[STORE_PATH];
    return (h->image->is_live && image_file_path(h->image->path, path, sizeof path) &&
            try_image(h, path)) ||
           store_each_image(s->path, h->image, try_image, h);
}

/* Without the file itself the PDB does, which dbghelp finds by GUID and age, on servers, too. */
static bool find_pdb(const struct module *m, const struct symbol_image *i, const struct search *s,
                     WCHAR *out)
{
    WCHAR name[MAX_PATH];
    GUID guid;
    if (guid_equal(&i->pdb_guid, &no_guid) || !d.SymFindFileInPathW ||
        !widen(name_of(i->pdb), name, MAX_PATH) || !name[0])
        return false;
    memcpy(&guid, &i->pdb_guid, sizeof guid);
    return d.SymFindFileInPathW((HANDLE)m, s->path, name, &guid, i->pdb_age, 0, SSRVOPT_GUIDPTR,
                                out, NULL, NULL);
}

/* ---- opening ------------------------------------------------------------------------------- */

static bool is_of_image(const struct symbol_image *i, const IMAGEHLP_MODULEW64 *info)
{
    const bool is_symbols = info->SymType != SymNone && info->SymType != SymExport &&
                            info->SymType != SymDeferred && info->SymType != SymVirtual;
    return is_symbols && !info->PdbUnmatched && !info->DbgUnmatched &&
           (guid_equal(&i->pdb_guid, &no_guid) ||
            memcmp(&i->pdb_guid, &info->PdbSig70, sizeof info->PdbSig70) == 0);
}

static size_t bytes_of(const WCHAR *path)
{
    WIN32_FILE_ATTRIBUTE_DATA a;
    if (!path[0] || !GetFileAttributesExW(path, GetFileExInfoStandard, &a))
        return OPENED_LEAST;
    const size_t bytes = (size_t)a.nFileSizeHigh << 32 | a.nFileSizeLow;
    return bytes > OPENED_LEAST ? bytes : OPENED_LEAST;
}

static bool refuse(const struct symbol_image *i, const struct search *s, struct err *why)
{
    if (why->text[0])
        return false;
    if (s->has_server && !GetModuleHandleW(L"symsrv.dll"))
        return fail(
            why,
            "%.300s: the symbol path names a share as a server, which dbghelp asks only where "
            "symsrv.dll of the debugging tools lies in System32",
            name_of(i->path));
    return fail(why, "%.300s: dbghelp finds no symbols of exactly this build", name_of(i->path));
}

static bool load_module(struct module *m, const struct symbol_search *s,
                        const struct symbol_image *i, char *from, size_t *bytes, struct err *why)
{
    struct hunt h = {.image = i, .why = why};
    struct search search;
    WCHAR path[STORE_PATH] = L"";
    IMAGEHLP_MODULEW64 info = {.SizeOfStruct = sizeof info};
    make_search(&search, s->path);
    if (!d.SymInitializeW(m, search.path, FALSE))
        return fail(why, "dbghelp does not start: error %lu", GetLastError());
    m->is_on = true;
    if (d.SymRegisterCallbackW64)
        d.SymRegisterCallbackW64(m, look_up, (uintptr_t)m);
    if (find_image(&h, s) ? !widen(h.path, path, STORE_PATH) : !find_pdb(m, i, &search, path))
        return refuse(i, &search, why);
    m->base = d.SymLoadModuleExW(m, NULL, path, NULL, BASE,
                                 i->image_size ? i->image_size : SIZE_UNKNOWN, NULL, 0);
    if (!m->base || !d.SymGetModuleInfoW64(m, m->base, &info) || !is_of_image(i, &info))
        return refuse(i, &search, why);
    why->text[0] = '\0';
    symbol_lacks(s, SYMBOL_LACKS_NOTHING);
    narrow(info.LoadedPdbName[0] ? info.LoadedPdbName : info.LoadedImageName, from,
           SYMBOL_NAME_MAX);
    *bytes = bytes_of(info.LoadedPdbName);
    return true;
}

static void close_module(void *opened)
{
    struct module *const m = opened;
    AcquireSRWLockExclusive(&d.lock);
    if (m->is_on)
        d.SymCleanup(m);
    ReleaseSRWLockExclusive(&d.lock);
    free(m);
}

static bool claims(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_WINDOWS && i->path[0] &&
           (i->stamp || !guid_equal(&i->pdb_guid, &no_guid));
}

static void *open_module(const struct symbol_search *s, const struct symbol_image *i, char *from,
                         size_t *bytes, struct err *why)
{
    if (!is_usable()) {
        fail(why, "this system's dbghelp.dll cannot be used");
        return NULL;
    }
    struct module *const m = mem_new(1, sizeof *m);
    *m = (struct module){.until = os_now() + SERVER_NS, .stop = s->stop};
    AcquireSRWLockExclusive(&d.lock);
    const bool is_loaded = load_module(m, s, i, from, bytes, why);
    ReleaseSRWLockExclusive(&d.lock);
    if (is_loaded)
        return m;
    close_module(m);
    return NULL;
}

/* ---- looking up ------------------------------------------------------------------------------ */

union symbol_room {
    SYMBOL_INFOW info;
    BYTE bytes[sizeof(SYMBOL_INFOW) + NAME_UNITS * sizeof(WCHAR)];
};

static SYMBOL_INFOW *prepare(union symbol_room *r)
{
    memset(&r->info, 0, sizeof r->info);
    r->info.SizeOfStruct = sizeof r->info;
    r->info.MaxNameLen = NAME_UNITS;
    return &r->info;
}

/* A symbol with a size names what it covers. One without is a public one, behind which others
 * may lie that have none: the name comes with the distance, which is true in any case. */
static bool find(void *opened, uint64_t offset, struct symbol_found *out)
{
    const struct module *const m = opened;
    union symbol_room room;
    SYMBOL_INFOW *const s = prepare(&room);
    DWORD64 behind = 0;
    AcquireSRWLockExclusive(&d.lock);
    const bool is_found = d.SymFromAddrW((HANDLE)m, m->base + offset, &behind, s);
    ReleaseSRWLockExclusive(&d.lock);
    if (!is_found || s->Address < m->base || s->Address > m->base + offset || !s->Name[0])
        return false;
    behind = m->base + offset - s->Address;
    if (s->Size && behind >= s->Size)
        return false;
    *out = (struct symbol_found){.start = s->Address - m->base, .size = s->Size};
    narrow(s->Name, out->name, SYMBOL_NAME_MAX - 20);
    const size_t used = strlen(out->name);
    if (!s->Size && behind)
        snprintf(out->name + used, sizeof out->name - used, "+0x%llx", (unsigned long long)behind);
    return true;
}

static void put_line(const IMAGEHLP_LINEW64 *line, struct symbol_place *out)
{
    if (line->FileName)
        narrow(line->FileName, out->file, sizeof out->file);
    out->line = line->LineNumber;
}

/* What an address stands for where functions were inlined: they, innermost first, and the
 * function itself, which has the last of the contexts. 0: nothing was. */
static unsigned inlined(const struct module *m, DWORD64 address, struct symbol_place *out)
{
    DWORD context = 0, index = 0, behind;
    DWORD64 distance;
    if (!d.SymAddrIncludeInlineTrace || !d.SymQueryInlineTrace || !d.SymFromInlineContextW ||
        !d.SymGetLineFromInlineContextW)
        return 0;
    const DWORD count = d.SymAddrIncludeInlineTrace((HANDLE)m, address);
    if (!count || !d.SymQueryInlineTrace((HANDLE)m, address, INLINE_FRAME_CONTEXT_INIT, address,
                                         address, &context, &index))
        return 0;
    unsigned used = 0;
    for (DWORD i = 0; i <= count && used < SYMBOL_INLINED; i++, context++) {
        union symbol_room room;
        IMAGEHLP_LINEW64 line = {.SizeOfStruct = sizeof line};
        if (!d.SymFromInlineContextW((HANDLE)m, address, context, &distance, prepare(&room)))
            break;
        narrow(room.info.Name, out[used].function, sizeof out[used].function);
        if (d.SymGetLineFromInlineContextW((HANDLE)m, address, context, 0, &behind, &line))
            put_line(&line, &out[used]);
        used++;
    }
    return used;
}

static bool alone(const struct module *m, DWORD64 address, struct symbol_place *out)
{
    union symbol_room room;
    DWORD64 distance;
    DWORD behind;
    IMAGEHLP_LINEW64 line = {.SizeOfStruct = sizeof line};
    if (!d.SymGetLineFromAddrW64 || !d.SymGetLineFromAddrW64((HANDLE)m, address, &behind, &line))
        return false;
    if (d.SymFromAddrW((HANDLE)m, address, &distance, prepare(&room)))
        narrow(room.info.Name, out->function, sizeof out->function);
    put_line(&line, out);
    return true;
}

static unsigned places(void *opened, uint64_t offset, struct symbol_place *out)
{
    const struct module *const m = opened;
    memset(out, 0, SYMBOL_INLINED * sizeof *out);
    AcquireSRWLockExclusive(&d.lock);
    const unsigned used = inlined(m, m->base + offset, out);
    const bool is_alone = !used && alone(m, m->base + offset, out);
    ReleaseSRWLockExclusive(&d.lock);
    return is_alone ? 1 : used;
}

const struct symbol_backend symbol_dbghelp = {
    .id = "dbghelp",
    .claims = claims,
    .open = open_module,
    .find = find,
    .places = places,
    .close = close_module,
};
