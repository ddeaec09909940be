#include "src/symbol/site.h"

#include "src/base/text.h"

#include <stdio.h>
#include <string.h>

/* Numbers of functions that a runtime named; all others are of struct symbols. */
static const uint32_t OF_RUNTIME = 1u << 31;

void sites_init(struct sites *s, struct symbols *symbols)
{
    s->symbols = symbols;
    map_init(&s->images);
    map_init(&s->modules);
}

void sites_fini(struct sites *s)
{
    map_fini(&s->images);
    map_fini(&s->modules);
}

/* ---- which file ------------------------------------------------------------------------------ */

static const char *path_of(const struct model *m, const struct image *i)
{
    const struct file *const f = i ? model_file_at(m, i->module) : NULL;
    return f && f->name ? f->name : "";
}

/* Code that no file holds: a process made it itself. */
static bool is_made(const char *path)
{
    static const char *const names[] = {
        "//anon", "[heap]", "[anon", "/memfd:", "/SYSV", "/dev/zero", "anon_inode:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return true;
    return !path[0];
}

static enum symbol_system system_of(const struct model *m, const struct stack *stack,
                                    uint64_t address, const char *path)
{
    if (!m->sources[stack->source].is_linux)
        return SYMBOL_OF_WINDOWS;
    if (is_kernel_address(address))
        return SYMBOL_OF_KERNEL;
    if (strcmp(path, "[vdso]") == 0)
        return SYMBOL_OF_VDSO;
    return is_made(path) ? SYMBOL_OF_JIT : SYMBOL_OF_ELF;
}

static struct symbol_image describe(const struct model *m, const struct stack *stack,
                                    const struct image *i, uint64_t address)
{
    const struct process *const p = model_process_at(m, stack->process);
    const struct build *const b = i ? generation_at(&m->builds, i->build) : NULL;
    struct symbol_image s = {
        .path = path_of(m, i),
        .is_live = m->sources[stack->source].is_live,
        .pid = p ? p->pid : 0,
        .process = p ? p->number : 0,
    };
    s.system = (uint8_t)system_of(m, stack, address, s.path);
    if (s.system == SYMBOL_OF_JIT) {
        s.path = "";
        return s;
    }
    if (i) {
        s.base = i->base;
        s.size = i->size;
        s.file_offset = i->file_offset;
        s.image_size = (uint32_t)(i->size < UINT32_MAX ? i->size : 0);
    }
    if (b) {
        memcpy(s.build, b->id, sizeof s.build);
        s.build_bytes = b->id_bytes;
        s.dev = b->device;
        s.inode = b->inode;
        s.stamp = b->stamp;
        s.image_size = b->image_size ? b->image_size : s.image_size;
        s.pdb_guid = b->pdb_guid;
        s.pdb_age = b->pdb_age;
        s.pdb = b->pdb;
    }
    if (s.system != SYMBOL_OF_WINDOWS)
        s.image_size = 0;
    return s;
}

/* What was found out once can be found out again: images come and go for as long as we look. */
static void bound(struct map *m)
{
    enum { MOST = 1 << 16 };
    if (m->count < MOST)
        return;
    map_fini(m);
    map_init(m);
}

/* Code that was compiled at run time belongs to its process, all else to its image and build. */
static uint32_t symbols_of(struct sites *s, const struct model *m, const struct stack *stack,
                           const struct image *i, uint64_t address)
{
    static const uint64_t OF_PROCESS = 1ull << 63;
    if (!s->symbols)
        return 0;
    const bool is_jit = system_of(m, stack, address, path_of(m, i)) == SYMBOL_OF_JIT;
    if (!i && !is_jit)
        return 0;
    const uint64_t key =
        is_jit ? OF_PROCESS | stack->process : (uint64_t)i->build << 32 | i->number;
    const uint32_t known = map_get(&s->images, key);
    if (known && symbols_has_image(s->symbols, known))
        return known;
    bound(&s->images);
    const struct symbol_image image = describe(m, stack, i, address);
    const uint32_t number = symbols_image(s->symbols, &image);
    map_put(&s->images, key, number);
    return number;
}

/* ---- what it means ------------------------------------------------------------------------- */

/* Where in its file an address lies. */
static uint64_t offset_in(const struct image *i, uint64_t address)
{
    return address - i->base + i->file_offset;
}

static bool is_kernel_itself(const char *name)
{
    static const char *const names[] = {"[kernel.kallsyms]", "ntoskrnl.exe", "ntkrnlmp.exe",
                                        "ntkrnlpa.exe",      "ntkrpamp.exe", "hal.dll"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (text_compare(name, strlen(name), names[i], strlen(names[i])) == 0)
            return true;
    return !name;
}

/* Managed code that was compiled when it was installed. */
static bool is_compiled_ahead(const char *name)
{
    static const char *const ends[] = {".ni.dll", ".ni.exe"};
    const size_t bytes = name ? strlen(name) : 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (bytes > 7 && text_compare(name + bytes - 7, 7, ends[i], 7) == 0)
            return true;
    return false;
}

/* Asked for every frame of every stack: of each module it is found out once. */
static enum site_mode mode_of(struct sites *s, const struct model *m, const struct image *i,
                              uint64_t address)
{
    const bool is_kernel = is_kernel_address(address);
    if (!i || !i->module)
        return is_kernel ? SITE_KERNEL : SITE_USER;
    const uint64_t key = (uint64_t)is_kernel << 32 | i->module;
    const uint32_t known = map_get(&s->modules, key);
    if (known)
        return (enum site_mode)(known - 1);
    bound(&s->modules);
    const char *const name = model_module_name(m, i);
    const enum site_mode mode = is_kernel ? is_kernel_itself(name) ? SITE_KERNEL : SITE_DRIVER
                                : is_compiled_ahead(name) ? SITE_MANAGED
                                                          : SITE_USER;
    map_put(&s->modules, key, mode + 1u);
    return mode;
}

/* What a runtime says about its code goes before all else. */
static bool is_managed(const struct model *m, const struct stack *stack, uint64_t address,
                       struct site *site)
{
    const struct model_method method =
        is_kernel_address(address) ? (struct model_method){0}
                                   : model_method_at(m, stack->process, address, stack->time);
    if (!method.name)
        return false;
    site->function = OF_RUNTIME | method.name;
    site->mode = SITE_MANAGED;
    site->state = SYMBOL_FOUND;
    if (!site->module)
        site->module = method.module;
    return true;
}

struct site site_of(struct sites *s, const struct model *m, const struct stack *stack,
                    const uint64_t *frames, unsigned index)
{
    const uint64_t address = frames[index];
    /* Where the kernel's part ends, the address is the program's own again. */
    const bool is_exact =
        index == 0 || (is_kernel_address(frames[index - 1]) && !is_kernel_address(address));
    const uint64_t looked_up = address - (is_exact || !address ? 0 : 1);
    const uint32_t number =
        model_image_at(m, stack->source, stack->process, looked_up, stack->time);
    const struct image *const i = generation_at(&m->images, number);
    struct site site = {
        .image = i ? number : 0,
        .build = i ? i->build : 0,
        .module = i ? i->module : 0,
        .mode = (uint8_t)mode_of(s, m, i, address),
        .state = SYMBOL_NONE,
    };
    site.at = site.module ? offset_in(i, address) : address;
    if (is_managed(m, stack, looked_up, &site))
        return site;
    const uint32_t of = symbols_of(s, m, stack, i, address);
    if (!of)
        return site;
    const bool has_file = i && system_of(m, stack, address, path_of(m, i)) != SYMBOL_OF_JIT;
    const struct symbol symbol =
        symbols_at(s->symbols, of, has_file ? offset_in(i, looked_up) : looked_up);
    site.state = (uint8_t)symbol.state;
    site.function = symbol.name;
    return site;
}

uint32_t site_symbols(struct sites *s, const struct model *m, const struct stack *stack,
                      const struct site *site, uint64_t address, uint64_t *offset)
{
    const struct image *const i = generation_at(&m->images, site->image);
    const bool has_file = i && system_of(m, stack, address, path_of(m, i)) != SYMBOL_OF_JIT;
    *offset = has_file ? offset_in(i, address) : address;
    return symbols_of(s, m, stack, i, address);
}

const char *site_function(const struct sites *s, const struct model *m, uint32_t function)
{
    if (function & OF_RUNTIME)
        return model_method_name(m, function & ~OF_RUNTIME);
    return s->symbols ? symbols_name(s->symbols, function) : "";
}

const char *site_letter(enum site_mode mode)
{
    static const char *const letters[SITE_MODES] = {
        [SITE_KERNEL] = "k", [SITE_USER] = "u", [SITE_MANAGED] = "m", [SITE_DRIVER] = "d"};
    return letters[mode];
}

char *site_text(const struct sites *s, const struct model *m, const struct site *site, char *out,
                size_t room)
{
    const struct image like = {.module = site->module};
    const char *const module = model_module_name(m, &like);
    const char *const function = site_function(s, m, site->function);
    if (function[0])
        snprintf(out, room, "%s%s%s", module ? module : "", module ? "!" : "", function);
    else
        snprintf(out, room, module ? "%s!+0x%llx" : "%s0x%llx", module ? module : "",
                 (unsigned long long)site->at);
    return out;
}
