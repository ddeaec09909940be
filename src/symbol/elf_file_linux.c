#include "src/symbol/elf_inside.h"

#include "src/base/mem.h"

#include <dwarf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PACKED_MOST = 32 << 20,    /* of .gnu_debugdata … */
    UNPACKED_MOST = 256 << 20, /* … and of what is in it */
    UNWIND_MOST = 128 << 20,   /* of .eh_frame: that of the largest programs has some 30 MB */
};

/* ---- opening ---------------------------------------------------------------------------- */

static void read_loads(struct elf_file *f)
{
    size_t count = 0;
    if (elf_getphdrnum(f->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < 1024 && f->load_count < ELF_LOADS; i++) {
        GElf_Phdr h;
        if (gelf_getphdr(f->elf, (int)i, &h) && h.p_type == PT_LOAD)
            f->loads[f->load_count++] = (struct elf_load){h.p_offset, h.p_filesz, h.p_vaddr};
    }
}

static struct elf_file *finish(struct elf_file *f, const char *path, struct err *why)
{
    GElf_Ehdr h;
    if (f->elf && elf_kind(f->elf) == ELF_K_ELF && gelf_getehdr(f->elf, &h)) {
        read_loads(f);
        return f;
    }
    fail(why, "%s: expected an ELF file, found none (%s)", path,
         f->elf ? "another kind of file" : elf_errmsg(-1));
    elf_file_close(f);
    return NULL;
}

struct elf_file *elf_file_open(int descriptor, const char *path, struct err *why)
{
    struct elf_file *const f = mem_new(1, sizeof *f);
    elf_version(EV_CURRENT);
    f->descriptor = descriptor;
    f->elf = elf_begin(descriptor, ELF_C_READ, NULL);
    return finish(f, path, why);
}

/* Takes the memory. */
static struct elf_file *open_memory(void *memory, size_t count, const char *name, struct err *why)
{
    struct elf_file *const f = mem_new(1, sizeof *f);
    elf_version(EV_CURRENT);
    f->descriptor = -1;
    f->memory = memory;
    f->elf = elf_memory(memory, count);
    return finish(f, name, why);
}

struct elf_file *elf_file_in_memory(const void *bytes, size_t count, const char *name,
                                    struct err *why)
{
    return open_memory(mem_copy(bytes, count), count, name, why);
}

bool elf_file_is_built_in(void)
{
    return true;
}

void elf_file_let_go(struct elf_file *f)
{
    if (f->dwarf)
        dwarf_end(f->dwarf);
    if (f->elf)
        elf_end(f->elf);
    if (f->descriptor >= 0)
        close(f->descriptor);
    free(f->memory);
    f->dwarf = NULL;
    f->elf = NULL;
    f->descriptor = -1;
    f->memory = NULL;
}

void elf_file_close(struct elf_file *f)
{
    if (!f)
        return;
    elf_file_let_go(f);
    free(f);
}

bool elf_file_address(const struct elf_file *f, uint64_t offset, uint64_t *address)
{
    for (unsigned i = 0; i < f->load_count; i++) {
        const struct elf_load *const l = &f->loads[i];
        if (offset - l->offset < l->bytes && offset >= l->offset) {
            *address = offset - l->offset + l->address;
            return true;
        }
    }
    return false;
}

/* ---- sections ------------------------------------------------------------------------------ */

/* The bytes of a section; NULL where it has none in the file, or too many. */
Elf_Data *elf_data_of(Elf_Scn *section, uint64_t most)
{
    GElf_Shdr h;
    if (!section || !gelf_getshdr(section, &h) || h.sh_type == SHT_NOBITS || h.sh_size > most)
        return NULL;
    Elf_Data *const d = elf_rawdata(section, NULL);
    return d && d->d_buf ? d : NULL;
}

Elf_Scn *elf_section_named(Elf *elf, const char *name)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
        GElf_Shdr h;
        const char *const its = gelf_getshdr(s, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        if (its && strcmp(its, name) == 0)
            return s;
    }
    return NULL;
}

Elf_Scn *elf_section_of_type(Elf *elf, uint32_t type)
{
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
        GElf_Shdr h;
        if (gelf_getshdr(s, &h) && h.sh_type == type)
            return s;
    }
    return NULL;
}

static bool is_function(const GElf_Sym *s)
{
    const unsigned type = GELF_ST_TYPE(s->st_info);
    return s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS && s->st_size &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Symbols with a size only: what has none covers nothing. */
void elf_each_function(Elf *elf, uint32_t type, elf_visit_function *visit, void *to)
{
    Elf_Scn *const section = elf_section_of_type(elf, type);
    GElf_Shdr h;
    if (!section || !gelf_getshdr(section, &h) || h.sh_size > ELF_SECTION_MOST || !h.sh_entsize)
        return;
    Elf_Data *const symbols = elf_getdata(section, NULL);
    const Elf_Data *const names = elf_data_of(elf_getscn(elf, h.sh_link), ELF_SECTION_MOST);
    const size_t count = symbols && names ? symbols->d_size / h.sh_entsize : 0;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Sym s;
        if (!gelf_getsym(symbols, (int)i, &s))
            break;
        if (is_function(&s) && s.st_name < names->d_size)
            visit(to, &s, (const char *)names->d_buf + s.st_name, names->d_size - s.st_name);
    }
}

static void add_symbol(void *to, const GElf_Sym *s, const char *name, size_t most)
{
    symbol_table_add(to, s->st_value, s->st_size, name, strnlen(name, most));
}

static bool add_symbols(Elf *elf, uint32_t type, struct symbol_table *t)
{
    const size_t before = t->count;
    elf_each_function(elf, type, add_symbol, t);
    return t->count > before;
}

bool elf_file_symtab(struct elf_file *f, struct symbol_table *t)
{
    return add_symbols(f->elf, SHT_SYMTAB, t);
}

bool elf_file_dynsym(struct elf_file *f, struct symbol_table *t)
{
    return add_symbols(f->elf, SHT_DYNSYM, t);
}

/* ---- packed symbols ------------------------------------------------------------------------ */

/* Unpacks, into memory that grows as long as there is more; NULL with a sentence. */
static uint8_t *unpack(const Elf_Data *packed, size_t *bytes, struct err *why)
{
    lzma_stream s = LZMA_STREAM_INIT;
    size_t room = packed->d_size * 4 + 4096;
    uint8_t *out = NULL;
    lzma_ret status = lzma_stream_decoder(&s, UNPACKED_MOST, 0);
    s.next_in = packed->d_buf;
    s.avail_in = packed->d_size;
    for (size_t used = 0; status == LZMA_OK && room <= UNPACKED_MOST; room *= 2) {
        out = mem_grow(out, room, 1);
        s.next_out = out + used;
        s.avail_out = room - used;
        status = lzma_code(&s, LZMA_FINISH);
        used = room - s.avail_out;
        *bytes = used;
        if (s.avail_out)
            break; /* it is not room that it lacks */
    }
    lzma_end(&s);
    if (status == LZMA_STREAM_END)
        return out;
    free(out);
    fail(why, ".gnu_debugdata: expected xz data of at most %d MiB, found otherwise (error %d)",
         UNPACKED_MOST >> 20, (int)status);
    return NULL;
}

bool elf_file_packed(struct elf_file *f, struct symbol_table *t, struct err *why)
{
    const Elf_Data *const packed =
        elf_data_of(elf_section_named(f->elf, ".gnu_debugdata"), PACKED_MOST);
    size_t bytes = 0;
    uint8_t *const memory = packed ? unpack(packed, &bytes, why) : NULL;
    struct elf_file *const inner =
        memory ? open_memory(memory, bytes, ".gnu_debugdata", why) : NULL;
    const bool has_any = inner && add_symbols(inner->elf, SHT_SYMTAB, t);
    elf_file_close(inner);
    return has_any;
}

uint8_t *elf_file_unwind(struct elf_file *f, size_t *count, uint64_t *address)
{
    Elf_Scn *const section = elf_section_named(f->elf, ".eh_frame");
    const Elf_Data *const d = elf_data_of(section, UNWIND_MOST);
    GElf_Shdr h;
    GElf_Ehdr e;
    if (!d || !d->d_size || !gelf_getshdr(section, &h) || !gelf_getehdr(f->elf, &e) ||
        e.e_machine != EM_X86_64 || e.e_ident[EI_CLASS] != ELFCLASS64)
        return NULL;
    *count = d->d_size;
    *address = h.sh_addr;
    return mem_copy(d->d_buf, d->d_size);
}

const char *elf_file_debug_link(struct elf_file *f, uint32_t *checksum)
{
    const Elf_Data *const d = elf_data_of(elf_section_named(f->elf, ".gnu_debuglink"), 4096);
    if (!d)
        return NULL;
    const size_t bytes = strnlen(d->d_buf, d->d_size), at = (bytes + 4) & ~(size_t)3;
    if (!bytes || bytes >= sizeof f->link || at + 4 > d->d_size || memchr(d->d_buf, '/', bytes))
        return NULL;
    memcpy(f->link, d->d_buf, bytes + 1);
    memcpy(checksum, (const char *)d->d_buf + at, 4);
    return f->link;
}

/* ---- lines ----------------------------------------------------------------------------------- */

Dwarf *elf_dwarf_of(struct elf_file *f)
{
    if (!f->has_tried_dwarf)
        f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
    f->has_tried_dwarf = true;
    return f->dwarf;
}

bool elf_file_has_lines(struct elf_file *f)
{
    const char *const names[] = {".debug_info", ".zdebug_info"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        GElf_Shdr h;
        Elf_Scn *const s = elf_section_named(f->elf, names[i]);
        if (s && gelf_getshdr(s, &h) && h.sh_type != SHT_NOBITS && h.sh_size)
            return true;
    }
    return false;
}

/* The unit that an address is of: by the index, which not every compiler writes, else by asking
 * each of them. */
bool elf_unit_of(Dwarf *d, uint64_t address, Dwarf_Die *unit)
{
    enum { UNITS = 1 << 17 };
    if (dwarf_addrdie(d, address, unit))
        return true;
    Dwarf_CU *cu = NULL;
    for (unsigned i = 0; i < UNITS && dwarf_get_units(d, cu, &cu, NULL, NULL, unit, NULL) == 0; i++)
        if (dwarf_haspc(unit, address) > 0)
            return true;
    return false;
}

static void put(char *out, size_t room, const char *text)
{
    snprintf(out, room, "%s", text ? text : "");
}

/* Where the function that was inlined here was called. */
static void place_of_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct symbol_place *out)
{
    Dwarf_Attribute a;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &a), &file) == 0 &&
        dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
        put(out->file, sizeof out->file, dwarf_filesrc(files, file, NULL, NULL));
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &a), &line) == 0)
        out->line = (uint32_t)line;
}

/* Entries that have code, and entries within. */
static bool is_scope(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return true;
    default:
        return false;
    }
}

static bool scope_within(Dwarf_Die *around, uint64_t address, Dwarf_Die *out)
{
    enum { MOST = 1 << 20 }; /* a damaged file's entries may follow each other in a circle */
    int status = dwarf_child(around, out);
    for (unsigned i = 0; i < MOST && status == 0; i++) {
        if (is_scope(out) && dwarf_haspc(out, address) > 0)
            return true;
        status = dwarf_siblingof(out, out);
    }
    return false;
}

/* The scopes around an address, the outermost first; how many. Each is within the one before it:
 * what code was inlined into. (dwarf_getscopes() loses memory in files that lack an inlined
 * function's origin.) */
unsigned elf_scopes_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die *out)
{
    unsigned used = 0;
    Dwarf_Die *around = unit;
    while (used < ELF_SCOPES && scope_within(around, address, &out[used]))
        around = &out[used++];
    return used;
}

unsigned elf_file_places(struct elf_file *f, uint64_t address, struct symbol_place *out)
{
    Dwarf *const d = elf_dwarf_of(f);
    Dwarf_Die unit, scopes[ELF_SCOPES];
    if (!d || !elf_unit_of(d, address, &unit))
        return 0;
    memset(out, 0, SYMBOL_INLINED * sizeof *out);
    Dwarf_Line *const line = dwarf_getsrc_die(&unit, address);
    int number = 0;
    if (line && dwarf_lineno(line, &number) == 0)
        out[0].line = (uint32_t)number;
    if (line)
        put(out[0].file, sizeof out[0].file, dwarf_linesrc(line, NULL, NULL));
    unsigned used = 0;
    for (unsigned left = elf_scopes_at(&unit, address, scopes); left && used < SYMBOL_INLINED;
         left--) {
        Dwarf_Die *const scope = &scopes[left - 1];
        const int tag = dwarf_tag(scope);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        put(out[used].function, sizeof out[used].function, dwarf_diename(scope));
        used++;
        if (tag == DW_TAG_subprogram)
            break;
        if (used < SYMBOL_INLINED)
            place_of_call(&unit, scope, &out[used]);
    }
    return used ? used : out[0].line != 0;
}
