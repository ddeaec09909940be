/* Functions and probes that a file has, with their arguments. */
#include "src/symbol/elf_inside.h"

#include "src/base/bytes.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool elf_file_offset(const struct elf_file *f, uint64_t address, uint64_t *offset)
{
    for (unsigned i = 0; i < f->load_count; i++) {
        const struct elf_load *const l = &f->loads[i];
        if (address >= l->address && address - l->address < l->bytes) {
            *offset = address - l->address + l->offset;
            return true;
        }
    }
    return false;
}

/* ---- functions ------------------------------------------------------------------------------- */

struct taker {
    elf_take_function *take;
    void *to;
};

static void take_function(void *to, const GElf_Sym *s, const char *name, size_t most)
{
    const struct taker *const t = to;
    const unsigned kind = GELF_ST_TYPE(s->st_info);
    const struct elf_function f = {name, s->st_value, s->st_size, kind == STT_GNU_IFUNC};
    if (kind != STT_NOTYPE && *name && memchr(name, '\0', most))
        t->take(t->to, &f);
}

void elf_file_functions(struct elf_file *f, elf_take_function *take, void *to)
{
    struct taker t = {take, to};
    elf_each_function(f->elf, SHT_SYMTAB, take_function, &t);
    elf_each_function(f->elf, SHT_DYNSYM, take_function, &t);
}

bool elf_file_is_go(struct elf_file *f)
{
    return elf_section_named(f->elf, ".gopclntab") || elf_section_named(f->elf, ".note.go.buildid");
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

/* ---- probes that programs were built with ------------------------------------------------------ */

enum { NOTE_OF_PROBE = 3, NOTES_MOST = 64 << 20 };

/* Address of the probe, of a section at the time of linking, and of a counter; then three texts. */
static bool read_probe(const uint8_t *at, size_t bytes, uint64_t base, struct elf_probe *out)
{
    enum { HEAD = 3 * sizeof(uint64_t) };
    const char *texts[3], *text = (const char *)at + HEAD;
    if (bytes < HEAD)
        return false;
    for (size_t i = 0, left = bytes - HEAD; i < 3; i++) {
        const char *const end = memchr(text, '\0', left);
        if (!end)
            return false;
        texts[i] = text;
        left -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    const uint64_t moved = base ? base - load_u64(at + 8) : 0, counter = load_u64(at + 16);
    *out = (struct elf_probe){.provider = texts[0],
                              .name = texts[1],
                              .arguments = texts[2],
                              .address = load_u64(at) + moved,
                              .counter = counter ? counter + moved : 0};
    return true;
}

void elf_file_probes(struct elf_file *f, elf_take_probe *take, void *to)
{
    Elf_Scn *const section = elf_section_named(f->elf, ".note.stapsdt");
    Elf_Data *const notes = elf_data_of(section, NOTES_MOST) ? elf_getdata(section, NULL) : NULL;
    Elf_Scn *const base_section = elf_section_named(f->elf, ".stapsdt.base");
    GElf_Shdr base = {0};
    GElf_Ehdr e;
    if (!notes || !gelf_getehdr(f->elf, &e) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
        (base_section && !gelf_getshdr(base_section, &base)))
        return;
    size_t at = 0, name, text;
    GElf_Nhdr n;
    while (at < notes->d_size && (at = gelf_getnote(notes, at, &n, &name, &text)) > 0) {
        const uint8_t *const bytes = notes->d_buf;
        struct elf_probe p;
        if (n.n_type == NOTE_OF_PROBE && n.n_namesz == 8 &&
            memcmp(bytes + name, "stapsdt", 8) == 0 &&
            read_probe(bytes + text, n.n_descsz, base.sh_addr, &p))
            take(to, &p);
    }
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
    const char *const name = dwarf_diename(of);
    snprintf(out->name, sizeof out->name, "%s", name ? name : "");
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
    Dwarf *const d = elf_dwarf_of(f);
    Dwarf_Die unit, scopes[ELF_SCOPES];
    Dwarf_Attribute a;
    memset(out, 0, sizeof *out);
    if (!d || !elf_unit_of(d, address, &unit) || !elf_scopes_at(&unit, address, scopes) ||
        dwarf_tag(&scopes[0]) != DW_TAG_subprogram)
        return false;
    read_parameters(&scopes[0], out);
    out->result.value = ELF_VALUE_NONE;
    if (dwarf_attr_integrate(&scopes[0], DW_AT_type, &a))
        read_value(&scopes[0], &out->result);
    return true;
}
