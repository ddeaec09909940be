/* What is known about one frame of a call tree: where its name comes from, its file and line, the
 * functions that were inlined there; or why it has no name. */

#include "src/view/inside.h"
#include "src/view/stacks.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 2048 };

static void put(struct frame_maker *maker, const char *name, const char *text)
{
    if (text && text[0])
        maker_field(maker, name, text);
}

static void put_build(struct frame_maker *maker, const struct build *b)
{
    static const struct guid none;
    char text[TEXT_ROOM], guid[GUID_TEXT];
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < b->id_bytes && i < BUILD_ID_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%02x", b->id[i]);
    put(maker, "Build id", text);
    if (b->stamp) {
        snprintf(text, sizeof text, "%08X%x", b->stamp, b->image_size);
        put(maker, "Id at symbol servers", text);
    }
    if (!guid_equal(&b->pdb_guid, &none)) {
        snprintf(text, sizeof text, "%.1000s, %s, age %u", b->pdb ? b->pdb : "",
                 guid_format(&b->pdb_guid, guid), b->pdb_age);
        put(maker, "PDB", text);
    }
}

static void put_place(struct frame_maker *maker, const struct symbol_line *l, bool is_inlined)
{
    char text[TEXT_ROOM];
    const char *const within = l->function[0] ? l->function : "?";
    if (l->line)
        snprintf(text, sizeof text, "%s at %s:%u", within, l->file[0] ? l->file : "?", l->line);
    else
        snprintf(text, sizeof text, "%s", within);
    put(maker, is_inlined ? "Inlined" : "Line", text);
}

static void put_lines(struct view *v, struct frame_maker *maker, uint32_t of, uint64_t offset)
{
    struct symbol_line lines[SYMBOL_INLINED];
    enum symbol_state state;
    const unsigned count = symbols_lines(v->sites.symbols, of, offset, lines, &state);
    for (unsigned i = 0; i < count; i++)
        put_place(maker, &lines[i], i + 1 < count);
    put(maker, "Line", state == SYMBOL_ASKED ? "searching" : "");
}

static void put_symbols(struct view *v, struct frame_maker *maker, const struct stack *s,
                        const struct site *site, uint64_t address)
{
    uint64_t offset;
    const uint32_t of = site_symbols(&v->sites, v->model, s, site, address, &offset);
    if (!of) {
        put(maker, "No name",
            site->function     ? ""
            : v->sites.symbols ? "no known image had this address at that time"
                               : "symbols are switched off (--no-symbols)");
        return;
    }
    const struct symbol_origin origin = symbols_origin(v->sites.symbols, of);
    put(maker, "Names from", site->mode == SITE_MANAGED ? "" : origin.from);
    put(maker, site->function ? "But" : "No name", origin.why);
    if (site->state == SYMBOL_ASKED)
        put(maker, "No name", "searching");
    else if (!site->function && !origin.why[0])
        put(maker, "No name", "no function covers this address");
    put_lines(v, maker, of, offset);
}

void view_fill_site(struct view *v, struct frame_maker *maker, struct row_key key)
{
    static const char *const codes[SITE_MODES] = {[SITE_KERNEL] = "kernel",
                                                  [SITE_USER] = "program",
                                                  [SITE_MANAGED] = "managed",
                                                  [SITE_DRIVER] = "driver or module"};
    uint64_t frames[2 * STACK_FRAMES];
    uint32_t stack;
    unsigned index;
    char text[TEXT_ROOM];
    const struct model *const m = v->model;
    const struct stack *const s = frame_filters_find(v, key, &stack, &index)
                                      ? generation_at(&m->stack_store.stacks, stack)
                                      : NULL;
    const unsigned count = s ? model_stack_frames(m, s, frames) : 0;
    if (!count || index >= count)
        return;
    const struct site site = site_of(&v->sites, m, s, frames, index);
    const struct image *const image = generation_at(&m->images, site.image);
    const struct build *const build = image ? generation_at(&m->builds, image->build) : NULL;
    const struct file *const file = model_file_at(m, site.module);
    put(maker, "Frame", site_text(&v->sites, m, &site, text, sizeof text));
    put(maker, "Code", codes[site.mode]);
    put(maker, "Module", file ? file->name : NULL);
    snprintf(text, sizeof text, "0x%llx%s", (unsigned long long)frames[index],
             index ? ", where the call returns to" : "");
    put(maker, "Address", text);
    if (site.module) {
        snprintf(text, sizeof text, "+0x%llx", (unsigned long long)site.at);
        put(maker, "In the module", text);
    }
    if (build)
        put_build(maker, build);
    put_symbols(v, maker, s, &site, frames[index] - (index && frames[index] ? 1 : 0));
}
