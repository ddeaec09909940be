#include "src/symbol/elf_file.h"

#include "src/base/mem.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LOADS = 64,                /* segments; linkers make some four */
    SECTION_MOST = 512 << 20,  /* bytes of a table of symbols or names */
    PACKED_MOST = 32 << 20,    /* of .gnu_debugdata … */
    UNPACKED_MOST = 256 << 20, /* … and of what is in it */
    UNWIND_MOST = 128 << 20,   /* of .eh_frame: that of the largest programs has some 30 MB */
};

struct load {
    uint64_t offset, bytes, address;
};

struct elf_file {
    Elf *elf;
    Dwarf *dwarf; /* begun when it is asked for; NULL: not yet, or there is none */
    bool has_tried_dwarf;
    int descriptor; /* -1: in memory */
    void *memory;
    struct load loads[LOADS];
    unsigned load_count;
    char link[256];
};

/* ---- opening ---------------------------------------------------------------------------- */

static void read_loads(struct elf_file *f)
{
    size_t count = 0;
    if (elf_getphdrnum(f->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < 1024 && f->load_count < LOADS; i++) {
        GElf_Phdr h;
        if (gelf_getphdr(f->elf, (int)i, &h) && h.p_type == PT_LOAD)
            f->loads[f->load_count++] = (struct load){h.p_offset, h.p_filesz, h.p_vaddr};
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
        const struct load *const l = &f->loads[i];
        if (offset - l->offset < l->bytes && offset >= l->offset) {
            *address = offset - l->offset + l->address;
            return true;
        }
    }
    return false;
}

bool elf_file_offset(const struct elf_file *f, uint64_t address, uint64_t *offset)
{
    for (unsigned i = 0; i < f->load_count; i++) {
        const struct load *const l = &f->loads[i];
        if (address >= l->address && address - l->address < l->bytes) {
            *offset = address - l->address + l->offset;
            return true;
        }
    }
    return false;
}

/* ---- sections ------------------------------------------------------------------------------ */

/* The bytes of a section; NULL where it has none in the file, or too many. */
static Elf_Data *data_of(Elf_Scn *section, uint64_t most)
{
    GElf_Shdr h;
    if (!section || !gelf_getshdr(section, &h) || h.sh_type == SHT_NOBITS || h.sh_size > most)
        return NULL;
    Elf_Data *const d = elf_rawdata(section, NULL);
    return d && d->d_buf ? d : NULL;
}

static Elf_Scn *section_named(Elf *elf, const char *name)
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

static Elf_Scn *section_of_type(Elf *elf, uint32_t type)
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
static bool add_symbols(Elf *elf, uint32_t type, struct symbol_table *t)
{
    Elf_Scn *const section = section_of_type(elf, type);
    GElf_Shdr h;
    if (!section || !gelf_getshdr(section, &h) || h.sh_size > SECTION_MOST)
        return false;
    Elf_Data *const symbols = elf_getdata(section, NULL);
    const Elf_Data *const names = data_of(elf_getscn(elf, h.sh_link), SECTION_MOST);
    if (!symbols || !names || !h.sh_entsize)
        return false;
    const size_t before = t->count;
    const size_t count = symbols->d_size / h.sh_entsize;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Sym s;
        if (!gelf_getsym(symbols, (int)i, &s))
            break;
        if (!is_function(&s) || s.st_name >= names->d_size)
            continue;
        const char *const name = (const char *)names->d_buf + s.st_name;
        symbol_table_add(t, s.st_value, s.st_size, name, strnlen(name, names->d_size - s.st_name));
    }
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

static void take_functions(Elf *elf, uint32_t type, elf_take_function *take, void *to)
{
    Elf_Scn *const section = section_of_type(elf, type);
    GElf_Shdr h;
    if (!section || !gelf_getshdr(section, &h) || h.sh_size > SECTION_MOST || !h.sh_entsize)
        return;
    Elf_Data *const symbols = elf_getdata(section, NULL);
    const Elf_Data *const names = data_of(elf_getscn(elf, h.sh_link), SECTION_MOST);
    const size_t count = symbols && names ? symbols->d_size / h.sh_entsize : 0;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Sym s;
        if (!gelf_getsym(symbols, (int)i, &s))
            break;
        const unsigned kind = GELF_ST_TYPE(s.st_info);
        if (!is_function(&s) || kind == STT_NOTYPE || s.st_name >= names->d_size)
            continue;
        const char *const name = (const char *)names->d_buf + s.st_name;
        const struct elf_function f = {name, s.st_value, s.st_size, kind == STT_GNU_IFUNC};
        if (*name && memchr(name, '\0', names->d_size - s.st_name))
            take(to, &f);
    }
}

void elf_file_functions(struct elf_file *f, elf_take_function *take, void *to)
{
    take_functions(f->elf, SHT_SYMTAB, take, to);
    take_functions(f->elf, SHT_DYNSYM, take, to);
}

bool elf_file_is_go(struct elf_file *f)
{
    return section_named(f->elf, ".gopclntab") || section_named(f->elf, ".note.go.buildid");
}

bool elf_file_is_x86_64(struct elf_file *f)
{
    GElf_Ehdr e;
    return gelf_getehdr(f->elf, &e) && e.e_machine == EM_X86_64 &&
           e.e_ident[EI_CLASS] == ELFCLASS64;
}

size_t elf_file_code(const struct elf_file *f, uint64_t address, uint8_t *out, size_t bytes)
{
    uint64_t offset;
    if (f->descriptor < 0 || !elf_file_offset(f, address, &offset) || offset > INT64_MAX)
        return 0;
    const ssize_t got = pread(f->descriptor, out, bytes, (off_t)offset);
    return got > 0 ? (size_t)got : 0;
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
    const Elf_Data *const packed = data_of(section_named(f->elf, ".gnu_debugdata"), PACKED_MOST);
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
    Elf_Scn *const section = section_named(f->elf, ".eh_frame");
    const Elf_Data *const d = data_of(section, UNWIND_MOST);
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
    const Elf_Data *const d = data_of(section_named(f->elf, ".gnu_debuglink"), 4096);
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

static Dwarf *dwarf_of(struct elf_file *f)
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
        Elf_Scn *const s = section_named(f->elf, names[i]);
        if (s && gelf_getshdr(s, &h) && h.sh_type != SHT_NOBITS && h.sh_size)
            return true;
    }
    return false;
}

/* The unit that an address is of: by the index, which not every compiler writes, else by asking
 * each of them. */
static bool unit_of(Dwarf *d, uint64_t address, Dwarf_Die *unit)
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

enum { SCOPES = 128 };

/* The scopes around an address, the outermost first; how many. Each is within the one before it:
 * what code was inlined into. (dwarf_getscopes() loses memory in files that lack an inlined
 * function's origin.) */
static unsigned scopes_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die *out)
{
    unsigned used = 0;
    Dwarf_Die *around = unit;
    while (used < SCOPES && scope_within(around, address, &out[used]))
        around = &out[used++];
    return used;
}

unsigned elf_file_places(struct elf_file *f, uint64_t address, struct symbol_place *out)
{
    Dwarf *const d = dwarf_of(f);
    Dwarf_Die unit, scopes[SCOPES];
    if (!d || !unit_of(d, address, &unit))
        return 0;
    memset(out, 0, SYMBOL_INLINED * sizeof *out);
    Dwarf_Line *const line = dwarf_getsrc_die(&unit, address);
    int number = 0;
    if (line && dwarf_lineno(line, &number) == 0)
        out[0].line = (uint32_t)number;
    if (line)
        put(out[0].file, sizeof out[0].file, dwarf_linesrc(line, NULL, NULL));
    unsigned used = 0;
    for (unsigned left = scopes_at(&unit, address, scopes); left && used < SYMBOL_INLINED; left--) {
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

/* ---- arguments -------------------------------------------------------------------------------- */

/* The type behind names, qualifiers and references to it; false where there is none. `is_const`:
 * one of them says so. */
static bool plain_type(Dwarf_Die *of, Dwarf_Die *out, bool *is_const)
{
    enum { DEEPEST = 32 };
    Dwarf_Attribute a;
    *is_const = false;
    if (!dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &a), out))
        return false;
    for (unsigned i = 0; i < DEEPEST; i++) {
        const int tag = dwarf_tag(out);
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
            tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type)
            return true;
        *is_const |= tag == DW_TAG_const_type;
        Dwarf_Die next;
        if (!dwarf_formref_die(dwarf_attr(out, DW_AT_type, &a), &next))
            return false;
        *out = next;
    }
    return false;
}

static enum elf_value value_of_base(Dwarf_Die *type)
{
    Dwarf_Attribute a;
    Dwarf_Word encoding = 0;
    dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &a), &encoding);
    switch (encoding) {
    case DW_ATE_signed:
    case DW_ATE_signed_char:
        return ELF_VALUE_SIGNED;
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_boolean:
    case DW_ATE_UTF:
        return ELF_VALUE_UNSIGNED;
    case DW_ATE_float:
        return ELF_VALUE_REAL;
    default:
        return ELF_VALUE_OTHER;
    }
}

static bool leads_to_text(Dwarf_Die *pointer)
{
    Dwarf_Die to;
    bool is_const;
    const char *const name =
        plain_type(pointer, &to, &is_const) && is_const && dwarf_tag(&to) == DW_TAG_base_type
            ? dwarf_diename(&to)
            : NULL;
    return name && strcmp(name, "char") == 0;
}

static void read_value(Dwarf_Die *of, struct elf_parameter *out)
{
    Dwarf_Die type;
    bool is_const;
    put(out->name, sizeof out->name, dwarf_diename(of));
    out->value = ELF_VALUE_OTHER;
    if (!plain_type(of, &type, &is_const))
        return;
    const int bytes = dwarf_bytesize(&type);
    out->bytes = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? (uint8_t)bytes : 0;
    switch (dwarf_tag(&type)) {
    case DW_TAG_base_type:
        out->value = value_of_base(&type);
        break;
    case DW_TAG_enumeration_type:
        out->value = ELF_VALUE_SIGNED;
        break;
    case DW_TAG_pointer_type:
        out->value = leads_to_text(&type) ? ELF_VALUE_TEXT : ELF_VALUE_ADDRESS;
        out->bytes = sizeof(uint64_t);
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        out->value = ELF_VALUE_ADDRESS;
        out->bytes = sizeof(uint64_t);
        break;
    }
    if (!out->bytes && out->value != ELF_VALUE_REAL)
        out->value = ELF_VALUE_OTHER;
}

static void read_parameters(Dwarf_Die *function, struct elf_signature *out)
{
    enum { MOST = 1 << 16 }; /* a damaged file's entries may follow each other in a circle */
    Dwarf_Die child;
    int status = dwarf_child(function, &child);
    for (unsigned i = 0; i < MOST && status == 0 && out->count < ELF_PARAMETERS; i++) {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter)
            read_value(&child, &out->of[out->count++]);
        status = dwarf_siblingof(&child, &child);
    }
}

bool elf_file_signature(struct elf_file *f, uint64_t address, struct elf_signature *out)
{
    Dwarf *const d = dwarf_of(f);
    Dwarf_Die unit, scopes[SCOPES];
    Dwarf_Attribute a;
    memset(out, 0, sizeof *out);
    if (!d || !unit_of(d, address, &unit) || !scopes_at(&unit, address, scopes) ||
        dwarf_tag(&scopes[0]) != DW_TAG_subprogram)
        return false;
    read_parameters(&scopes[0], out);
    out->result.value = ELF_VALUE_NONE;
    if (dwarf_attr_integrate(&scopes[0], DW_AT_type, &a))
        read_value(&scopes[0], &out->result);
    return true;
}
