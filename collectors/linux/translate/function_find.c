/* Finding functions in the symbol tables of programs and libraries. */
#include "collectors/linux/translate/function.h"

#include "collectors/linux/proc/proc.h"
#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/base/text.h"
#include "src/os/foreign_file_linux.h"
#include "src/symbol/demangle.h"
#include "src/symbol/elf_file.h"
#include "src/symbol/function_exit.h"
#include "src/symbol/symbol.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ------------------------------------------------------------------------------------ */

/* A name without a folder: a program of the search path, else a library where the system has them.
 */
static bool look_for(const char *name, char *out, size_t room)
{
    static const char libraries[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                                    "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
                                    "/lib64:/usr/lib64:/usr/local/lib:/lib:/usr/lib";
    const char *const path = getenv("PATH");
    const char *const lists[] = {path ? path : "", libraries};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *at = lists[i]; *at; at += *at == ':') {
            const size_t bytes = strcspn(at, ":");
            if (*at == '/' && snprintf(out, room, "%.*s/%s", (int)bytes, at, name) < (int)room &&
                access(out, R_OK) == 0)
                return true;
            at += bytes;
        }
    return false;
}

/* With the user's own rights: it is the user who names it. */
static int open_file(const struct function_request *r, char *path, size_t room, struct err *err)
{
    char found[sizeof r->file];
    if (!strchr(r->file, '/') && !look_for(r->file, found, sizeof found)) {
        fail(err, "%.200s: no such program in the search path, and no such library", r->file);
        return -1;
    }
    char *const real = realpath(strchr(r->file, '/') ? r->file : found, NULL);
    if (!real) {
        fail(err, "%.200s: %s", r->file, strerror(errno));
        return -1;
    }
    snprintf(path, room, "%s", real);
    free(real);
    return foreign_file_open("", "", path, true, err);
}

/* The mapping of a process whose file is called so. */
struct module_search {
    const struct function_request *request;
    struct symbol_image image;
    char path[PROC_PATH];
    bool is_found;
};

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool look_at_mapping(void *to, const struct proc_mapping *m)
{
    struct module_search *const s = to;
    if (m->path[0] != '/' || m->path_bytes >= sizeof s->path ||
        !text_is_like(s->request->file, last_part(m->path), false))
        return true;
    snprintf(s->path, sizeof s->path, "%s", m->path);
    s->image = (struct symbol_image){.system = SYMBOL_OF_ELF,
                                     .is_live = true,
                                     .path = s->path,
                                     .pid = s->request->pid,
                                     .base = m->base,
                                     .size = m->size,
                                     .file_offset = m->offset,
                                     .dev = m->dev,
                                     .inode = m->inode};
    s->is_found = true;
    return false;
}

static int open_module(const struct function_request *r, char *path, size_t room, struct err *err)
{
    struct module_search s = {.request = r};
    struct proc proc;
    if (!proc_open(&proc, "/", err))
        return -1;
    const bool is_read = proc_mappings(&proc, r->pid, look_at_mapping, &s);
    proc_close(&proc);
    if (!is_read || !s.is_found) {
        fail(err,
             is_read ? "process %u has no file '%.200s'" : "the files of process %u cannot be read",
             r->pid, r->file);
        return -1;
    }
    snprintf(path, room, "%s", s.path);
    return elf_file_find(&s.image, err);
}

/* ---- signatures ------------------------------------------------------------------------------- */

static bool is_plain(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return *name != '\0';
}

/* False for what is in no general register. */
static bool type_of(const struct elf_parameter *p, uint8_t *type)
{
    static const uint8_t unsigned_types[] = {
        [1] = FUNCTION_U8, [2] = FUNCTION_U16, [4] = FUNCTION_U32, [8] = FUNCTION_U64};
    static const uint8_t signed_types[] = {
        [1] = FUNCTION_I8, [2] = FUNCTION_I16, [4] = FUNCTION_I32, [8] = FUNCTION_I64};
    switch (p->value) {
    case ELF_VALUE_UNSIGNED:
        return (*type = unsigned_types[p->bytes]), true;
    case ELF_VALUE_SIGNED:
        return (*type = signed_types[p->bytes]), true;
    case ELF_VALUE_ADDRESS:
        return (*type = FUNCTION_HEX64), true;
    case ELF_VALUE_TEXT:
        return (*type = FUNCTION_OF_TEXT), true;
    default:
        return false;
    }
}

/* Arguments up to the first that may take several registers, or none. */
static void take_signature(const struct elf_signature *from, struct function_signature *out)
{
    uint8_t place = 0;
    *out = (struct function_signature){.result.name = "result"};
    if (from->result.value == ELF_VALUE_OTHER)
        return; /* its address may come before the arguments */
    out->has_result = type_of(&from->result, &out->result.type);
    for (unsigned i = 0; i < from->count && place < FUNCTION_ARGUMENTS; i++) {
        const struct elf_parameter *const p = &from->of[i];
        struct function_value *const v = &out->arguments[out->count];
        if (p->value == ELF_VALUE_REAL)
            continue;
        if (!type_of(p, &v->type))
            return;
        if (is_plain(p->name))
            snprintf(v->name, sizeof v->name, "%s", p->name);
        else
            snprintf(v->name, sizeof v->name, "arg%u", i);
        v->place = place++;
        out->count++;
    }
}

/* Where nothing is known: the registers, numbered from 0 as everywhere in tracing. */
static void take_registers(struct function_signature *out)
{
    *out = (struct function_signature){
        .count = FUNCTION_ARGUMENTS, .has_result = true, .result = {"result", FUNCTION_HEX64, 0}};
    for (uint8_t i = 0; i < FUNCTION_ARGUMENTS; i++) {
        out->arguments[i] = (struct function_value){.type = FUNCTION_HEX64, .place = i};
        snprintf(out->arguments[i].name, sizeof out->arguments[i].name, "arg%u", i);
    }
}

/* Go hands arguments over in an order of its own: none are known there. */
static void find_signature(const struct function_request *r, struct elf_file *elf,
                           const char *symbol, struct function *f)
{
    struct elf_signature signature;
    const bool is_changed = strchr(symbol, '.') != NULL; /* by the compiler: foo.isra.0 */
    if (r->has_signature)
        f->signature = r->signature;
    else if (elf_file_is_go(elf))
        f->signature = (struct function_signature){.count = 0};
    else if (!is_changed && elf_file_has_lines(elf) &&
             elf_file_signature(elf, f->address, &signature))
        take_signature(&signature, &f->signature);
    else
        take_registers(&f->signature);
}

/* ---- one request ------------------------------------------------------------------------------ */

struct search {
    struct functions *to;
    const struct function_request *request;
    struct elf_file *elf;
    const char *path;
    int file; /* for attaching */
    size_t found, choosers, left_out;
    const struct elf_function *symbol; /* at hand */
    uint32_t number;                   /* of what was added last */
    uint8_t *code;                     /* room for it */
    struct rare_part {
        char *name;
        struct function_part part;
    } * rare;
    size_t rare_count, rare_room;
};

#define RARE ".cold"

static bool fits(const struct search *s, const char *symbol, char *name)
{
    const char *const pattern = s->request->pattern;
    if (strstr(symbol, RARE))
        return false; /* no call begins with it */
    demangle(symbol, name, FUNCTION_NAME);
    if (text_is_like(pattern, symbol, false) || text_is_like(pattern, name, false))
        return true;
    char plain[FUNCTION_NAME];
    snprintf(plain, sizeof plain, "%s", name);
    char *const open = strchr(plain, '(');
    if (!open || open == plain)
        return false;
    *open = '\0';
    return text_is_like(pattern, plain, false);
}

static bool is_same(int a, int b)
{
    struct stat one, other;
    return a == b || (fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
                      one.st_ino == other.st_ino);
}

/* Under another name, or by another request. */
static bool is_known(const struct search *s, uint64_t offset)
{
    const struct bpf_functions *const b = &s->to->bpf;
    for (size_t i = 0; i < b->count; i++)
        if (b->of[i].offset == offset && b->of[i].process == s->request->pid &&
            is_same(b->of[i].file, s->file))
            return true;
    return false;
}

/* Of the machine, as the kernel's struct pt_regs has them. */
static void choose_registers(struct bpf_function *out)
{
#ifdef __aarch64__
    static const uint8_t places[FUNCTION_ARGUMENTS] = {0, 1, 2, 3, 4, 5};
#else
    static const uint8_t places[FUNCTION_ARGUMENTS] = {14, 13, 12, 11, 9, 8};
#endif
    for (unsigned i = 0; i < FUNCTION_ARGUMENTS; i++)
        out->arguments[i] =
            (struct bpf_argument){.from = FUNCTION_FROM_REGISTER, .place = places[i]};
}

static void choose_texts(const struct function_signature *of, struct bpf_function *out)
{
    unsigned count = 0;
    for (unsigned i = 0; i < of->count && count < FUNCTION_TEXTS; i++)
        if (of->arguments[i].type == FUNCTION_OF_TEXT)
            out->texts[count++] = (uint8_t)(of->arguments[i].place + 1);
    out->result_is_text = of->has_result && of->result.type == FUNCTION_OF_TEXT;
}

/* ---- ends of calls ---------------------------------------------------------------------------- */

enum { ENDS_MOST = 1 << 16 };

static void take_end(void *to, const struct function_exit *e)
{
    struct search *const s = to;
    struct functions *const f = s->to;
    uint64_t offset;
    if (!elf_file_offset(s->elf, e->address, &offset) || f->bpf.end_count == ENDS_MOST)
        return;
    if (f->bpf.end_count == f->end_room) {
        f->end_room = f->end_room ? 2 * f->end_room : 64;
        f->bpf.ends = mem_grow(f->bpf.ends, f->end_room, sizeof *f->bpf.ends);
    }
    f->bpf.ends[f->bpf.end_count++] = (struct bpf_function_end){
        .offset = offset,
        .function = s->number,
        .before = (int32_t)(s->symbol->address - e->address),
        .behind = (int32_t)(s->symbol->address + s->symbol->bytes - e->address),
        .kind = e->kind,
        .condition = e->condition,
        .place = e->place,
    };
}

static bool read_ends(struct search *s, struct function_part part, struct function_part other)
{
    return part.bytes <= FUNCTION_CODE_MOST &&
           elf_file_code(s->elf, part.address, s->code, part.bytes) == part.bytes &&
           function_exits(s->code, part, other, take_end, s);
}

/* Compilers put what a function rarely does elsewhere, as FUNCTION.cold. */
static struct function_part rare_part(const struct search *s)
{
    const size_t bytes = strlen(s->symbol->name);
    for (size_t i = 0; i < s->rare_count; i++)
        if (strncmp(s->rare[i].name, s->symbol->name, bytes) == 0 &&
            strncmp(s->rare[i].name + bytes, RARE, sizeof RARE - 1) == 0)
            return s->rare[i].part;
    return (struct function_part){0, 0};
}

static void find_ends(struct search *s, struct function *f)
{
    const size_t before = s->to->bpf.end_count;
    const struct function_part part = {f->address, s->symbol->bytes}, rare = rare_part(s);
    if (s->request->is_entry_only)
        return;
    const bool is_sure = elf_file_is_x86_64(s->elf) && read_ends(s, part, rare) &&
                         (!rare.bytes || read_ends(s, rare, part));
    if (!is_sure) {
        s->to->bpf.end_count = before;
        s->to->entries_only++;
    }
    f->has_ends = s->to->bpf.end_count > before;
}

static struct function *add(struct search *s, const char *provider, const char *name,
                            uint64_t offset)
{
    struct functions *const to = s->to;
    const size_t number = to->bpf.count++;
    struct function *const f = &to->of[number];
    *f = (struct function){.file = mem_string(provider), .name = mem_string(name)};
    if (strlen(f->file) >= FUNCTION_FILE)
        f->file[FUNCTION_FILE - 1] = '\0';
    if (strlen(f->name) >= FUNCTION_NAME)
        f->name[FUNCTION_NAME - 1] = '\0';
    to->bpf.of[number] =
        (struct bpf_function){.file = s->file, .offset = offset, .process = s->request->pid};
    s->number = (uint32_t)number;
    s->found++;
    return f;
}

static void add_function(struct search *s, const struct elf_function *symbol, const char *name,
                         uint64_t offset)
{
    struct function *const f = add(s, last_part(s->path), name, offset);
    struct bpf_function *const to = &s->to->bpf.of[s->number];
    f->address = symbol->address;
    find_signature(s->request, s->elf, symbol->name, f);
    choose_registers(to);
    choose_texts(&f->signature, to);
    s->symbol = symbol;
    find_ends(s, f);
}

/* What a signature names takes its types from there, and its places from the file. */
static void find_types(const struct function_request *r, struct function_signature *of)
{
    const unsigned count = of->count;
    for (unsigned i = 0; r->has_signature && i < r->signature.count && i < count; i++) {
        const uint8_t place = of->arguments[i].place;
        of->arguments[i] = r->signature.arguments[i];
        of->arguments[i].place = place;
    }
}

static void look_at_probe(void *to, const struct elf_probe *p)
{
    struct search *const s = to;
    uint64_t offset, counter = 0;
    if (!text_is_like(s->request->pattern, p->name, false) || !*p->name ||
        !elf_file_offset(s->elf, p->address, &offset) ||
        (p->counter && !elf_file_offset(s->elf, p->counter, &counter)) || is_known(s, offset))
        return;
    if (s->to->bpf.count == FUNCTIONS_MOST) {
        s->left_out++;
        return;
    }
    struct function *const f = add(s, *p->provider ? p->provider : "usdt", p->name, offset);
    struct bpf_function *const out = &s->to->bpf.of[s->number];
    f->is_probe = true;
    out->counter = counter;
    if (elf_file_is_x86_64(s->elf))
        function_probe_read(p->arguments, &f->signature, out->arguments);
    find_types(s->request, &f->signature);
    choose_texts(&f->signature, out);
}

static void look_at(void *to, const struct elf_function *symbol)
{
    struct search *const s = to;
    char name[FUNCTION_NAME];
    uint64_t offset;
    if (!fits(s, symbol->name, name) || !elf_file_offset(s->elf, symbol->address, &offset))
        return;
    if (symbol->is_chooser) {
        s->choosers++;
        return;
    }
    if (is_known(s, offset))
        s->found++;
    else if (s->to->bpf.count == FUNCTIONS_MOST)
        s->left_out++;
    else
        add_function(s, symbol, name, offset);
}

static void take_rare(void *to, const struct elf_function *symbol)
{
    struct search *const s = to;
    if (!strstr(symbol->name, RARE))
        return;
    if (s->rare_count == s->rare_room) {
        s->rare_room = s->rare_room ? 2 * s->rare_room : 64;
        s->rare = mem_grow(s->rare, s->rare_room, sizeof *s->rare);
    }
    s->rare[s->rare_count++] =
        (struct rare_part){mem_string(symbol->name), {symbol->address, symbol->bytes}};
}

static void search_symbols(struct search *s)
{
    if (s->request->is_probe) {
        elf_file_probes(s->elf, look_at_probe, s);
        return;
    }
    s->code = mem_new(FUNCTION_CODE_MOST, 1);
    elf_file_functions(s->elf, take_rare, s);
    elf_file_functions(s->elf, look_at, s);
    for (size_t i = 0; i < s->rare_count; i++)
        free(s->rare[i].name);
    free(s->rare);
    free(s->code);
}

static bool check_found(const struct search *s, struct err *err)
{
    const char *const file = last_part(s->path);
    if (s->left_out)
        return fail(
            err, "%zu functions are like '%.100s': at most %d can be watched; narrow the pattern",
            s->found + s->left_out, s->request->pattern, FUNCTIONS_MOST);
    if (!s->found && s->choosers)
        return fail(
            err,
            "%.100s has a variant for each kind of processor, and %.100s chooses one when it is "
            "loaded: name that one ('tracetop providers show u:%.100s:*%.100s*' lists them)",
            s->request->pattern, file, s->path, s->request->pattern);
    if (!s->found && s->request->is_probe)
        return fail(err,
                    "%.100s has no probe like '%.100s'; 'tracetop providers show usdt:%.200s:*' "
                    "lists its probes",
                    file, s->request->pattern, s->path);
    if (!s->found)
        return fail(err,
                    "%.100s has no function like '%.100s' in its symbols; 'tracetop providers show "
                    "u:%.200s:*' lists its functions",
                    file, s->request->pattern, s->path);
    return true;
}

/* Takes the descriptor. */
static bool search_file(struct functions *to, const struct function_request *r, const char *path,
                        int fd, struct err *err)
{
    const int kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    to->files = mem_grow(to->files, to->file_count + 1, sizeof *to->files);
    to->files[to->file_count++] = kept;
    struct elf_file *const elf = elf_file_open(fd, path, err);
    if (!elf || kept < 0) {
        elf_file_close(elf);
        return elf ? fail(err, "%.200s: %s", path, strerror(errno)) : false;
    }
    struct search s = {.to = to, .request = r, .elf = elf, .path = path, .file = kept};
    search_symbols(&s);
    elf_file_close(elf);
    return check_found(&s, err);
}

static bool find_one(struct functions *to, const char *text, struct err *err)
{
    struct function_request *const r = mem_new(1, sizeof *r);
    char path[PROC_PATH];
    bool is_found = function_request_read(text, r, err);
    if (is_found) {
        const int fd =
            r->pid ? open_module(r, path, sizeof path, err) : open_file(r, path, sizeof path, err);
        is_found = fd >= 0 && search_file(to, r, path, fd, err);
    }
    free(r);
    return is_found;
}

struct functions *functions_new(const char *const *names, size_t count, struct err *err)
{
    struct functions *const f = mem_new(1, sizeof *f);
    f->of = mem_new(FUNCTIONS_MOST, sizeof *f->of);
    f->bpf.of = mem_new(FUNCTIONS_MOST, sizeof *f->bpf.of);
    f->calls = mem_new(FUNCTIONS_MOST, sizeof *f->calls);
    for (size_t i = 0; i < count; i++)
        if (!find_one(f, names[i], err)) {
            functions_free(f);
            return NULL;
        }
    return f;
}

void functions_free(struct functions *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->bpf.count; i++) {
        free(f->of[i].file);
        free(f->of[i].name);
    }
    for (size_t i = 0; i < f->file_count; i++)
        if (f->files[i] >= 0)
            close(f->files[i]);
    free(f->files);
    free(f->bpf.ends);
    free(f->calls);
    free(f->bpf.of);
    free(f->of);
    free(f);
}

/* ---- listing ---------------------------------------------------------------------------------- */

bool functions_list(const char *name, FILE *to, struct err *err)
{
    struct functions *const f = functions_new(&name, 1, err);
    if (!f)
        return false;
    for (size_t i = 0; i < f->bpf.count; i++) {
        const struct function_signature *const s = &f->of[i].signature;
        show(to, "%s\n", f->of[i].name);
        for (unsigned k = 0; k < s->count; k++)
            show(to, "    %-9s %s\n", function_type_words[s->arguments[k].type],
                 s->arguments[k].name);
        if (s->has_result)
            show(to, "    %-9s %s\n", function_type_words[s->result.type], s->result.name);
    }
    functions_free(f);
    return true;
}
