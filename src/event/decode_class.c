/* The list of classes, and the layout of an event.
 *
 * A kernel hook is group << 8 | type: the group picks the class, the type its kind, and
 * a kind has at most six versions, so a look-up is three loads and a short scan. Classic
 * events name their class by GUID instead. */
#include "src/event/decode.h"

#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/event/decode/classes.h"
#include "src/event/decode/table.h"

#include <string.h>

/* Kernel classes by group. */
static const struct event_class *const groups[] = {
    [0x00] = &decode_event_trace_event,
    [0x01] = &decode_disk_io,
    [0x02] = &decode_page_fault,
    [0x03] = &decode_process,
    [0x04] = &decode_file_io,
    [0x05] = &decode_thread,
    [0x06] = &decode_tcp_ip,
    [0x07] = &decode_job,
    [0x08] = &decode_udp_ip,
    [0x09] = &decode_registry,
    [0x0a] = &decode_dbg_print,
    [0x0b] = &decode_system_config,
    [0x0c] = &decode_last_branch,
    [0x0d] = &decode_wnf,
    [0x0e] = &decode_pool,
    [0x0f] = &decode_perf_info,
    [0x10] = &decode_heap,
    [0x11] = &decode_object,
    [0x12] = &decode_power,
    [0x13] = &decode_mod_bound,
    [0x14] = &decode_image,
    [0x15] = &decode_dpc,
    [0x16] = &decode_cc,
    [0x17] = &decode_crit_sec,
    [0x18] = &decode_stack_walk,
    [0x19] = &decode_ums,
    [0x1a] = &decode_alpc,
    [0x1b] = &decode_split_io,
    [0x1c] = &decode_thread_pool,
    [0x1d] = &decode_hypervisor,
    [0x1e] = &decode_hypervisor_x,
    /* no group: classic events only */
    &decode_lost_event,
    &decode_image_id,
    &decode_sys_config_ex,
    &decode_win_sat,
    &decode_event_metadata,
};

enum { GROUPS = 0x1f, HOOK_IMAGE_LOAD = 0x030a };

const struct event_class *decode_class(unsigned index)
{
    return index < TABLE_COUNT(groups) ? groups[index] : NULL;
}

static const struct event_class *class_of_hook(uint16_t hook)
{
    if (hook == HOOK_IMAGE_LOAD)
        return &decode_image;
    return hook >> 8 < GROUPS ? groups[hook >> 8] : NULL;
}

const struct guid *decode_class_guid(unsigned index)
{
    return index < GROUPS ? event_class_guid((uint16_t)(index << 8)) : &groups[index]->guid;
}

/* The first group of a class's GUID chooses the one GUID to compare with. If two classes get the
 * same place, this does not compile: choose another factor. */
#define PLACE(first)     ((uint32_t)(first)*0x3cd2edf7u >> 26)
#define AT(index, first) [PLACE(first)] = (index) + 1

static const uint8_t places[64] = {
    AT(0, 0x68fdd900),  AT(1, 0x3d6fa8d4),  AT(2, 0x3d6fa8d3),  AT(3, 0x3d6fa8d0),
    AT(4, 0x90cbdc39),  AT(5, 0x3d6fa8d1),  AT(6, 0x9a280ac0),  AT(7, 0x3282fc76),
    AT(8, 0xbf3a50c5),  AT(9, 0xae53722e),  AT(10, 0x13976d09), AT(11, 0x01853a65),
    AT(12, 0x99134383), AT(13, 0x42695762), AT(14, 0x0268a8b6), AT(15, 0xce1dbfb4),
    AT(16, 0x222962ab), AT(17, 0x89497f50), AT(18, 0xe43445e0), AT(19, 0xa9152f00),
    AT(20, 0x2cb15d1d), AT(21, 0xb2d14872), AT(22, 0x7687a439), AT(23, 0x3ac66736),
    AT(24, 0xdef2fe46), AT(25, 0x9aec974b), AT(26, 0x45d8cccd), AT(27, 0xd837ca92),
    AT(28, 0xc861d0e2), AT(29, 0x7f2a405c), AT(30, 0x2ce9a149), AT(31, 0x6a399ae0),
    AT(32, 0xb3e675d7), AT(33, 0x9b79ee91), AT(34, 0xed54dff8), AT(35, 0xbbccf6c1),
};
#undef AT

/* The index of the class, or that behind the last one. */
static unsigned class_of_guid(const struct guid *g)
{
    const unsigned next = places[PLACE(load_u32(g->b))];
    return next && guid_equal(decode_class_guid(next - 1), g) ? next - 1
                                                              : (unsigned)TABLE_COUNT(groups);
}

const struct event_type *decode_kind(const struct event *e, const struct event_class **class)
{
    *class = NULL;
    if (header_is_kernel(e->kind))
        *class = class_of_hook(e->id);
    else if (e->kind == HEADER_CLASSIC || e->kind == HEADER_INSTANCE)
        *class = decode_class(class_of_guid(&e->provider));
    if (!*class || e->opcode >= (*class)->kind_count)
        return NULL;
    const struct event_type *k = &(*class)->kinds[e->opcode];
    return k->name ? k : NULL;
}

static const struct payload_layout *newest_up_to(const struct event_type *k, unsigned version)
{
    for (unsigned i = k->layout_count; i-- > 0;)
        if (k->layouts[i].version <= version)
            return &k->layouts[i];
    return NULL;
}

static bool has_field(const struct event_type *k, const char *name, size_t bytes)
{
    for (unsigned i = 0; i < k->layout_count; i++)
        for (unsigned n = 0; n < k->layouts[i].field_count; n++) {
            const char *const is = k->layouts[i].fields[n].name;
            if (text_compare(name, bytes, is, strlen(is)) == 0)
                return true;
        }
    return false;
}

bool decode_has_field(const char *name, size_t bytes)
{
    for (unsigned i = 0; i < TABLE_COUNT(groups); i++)
        for (unsigned k = 0; k < groups[i]->kind_count; k++)
            if (has_field(&groups[i]->kinds[k], name, bytes))
                return true;
    return false;
}

const struct payload_layout *decode_layout(const struct event *e)
{
    const struct event_class *class;
    const struct event_type *k = decode_kind(e, &class);
    return k ? newest_up_to(k, e->version) : NULL;
}

uint16_t decode_hook(const struct event *e)
{
    if (header_is_kernel(e->kind))
        return e->id;
    if (e->kind != HEADER_CLASSIC && e->kind != HEADER_INSTANCE)
        return DECODE_NO_HOOK;
    const unsigned group = class_of_guid(&e->provider);
    if (group >= GROUPS || e->opcode >= groups[group]->kind_count ||
        !groups[group]->kinds[e->opcode].name)
        return DECODE_NO_HOOK;
    if (groups[group] == &decode_image && e->opcode == (HOOK_IMAGE_LOAD & 0xff))
        return HOOK_IMAGE_LOAD;
    return (uint16_t)(group << 8 | e->opcode);
}

void decode_name(const struct event *e, const char **class_name, const char **event_name)
{
    const struct event_class *class;
    const struct event_type *k = decode_kind(e, &class);
    const struct payload_layout *l = k ? newest_up_to(k, e->version) : NULL;
    *class_name = class ? class->name : "";
    *event_name = l && l->event_name ? l->event_name : k ? k->name : "";
}
