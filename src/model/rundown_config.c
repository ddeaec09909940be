/* The records that describe the machine, kept for a rundown. See rundown.h. */
#include "src/base/mem.h"
#include "src/event/tracetop_provider.h"
#include "src/model/rundown.h"
#include "src/model/rundown_append.h"
#include "src/ring/ring.h"

#include <stdlib.h>
#include <string.h>

enum { CONFIG_MOST = 4 << 20 }; /* bytes */

void rundown_append(uint8_t **bytes, size_t *used, size_t *room, const struct record_head *head,
                    const void *record)
{
    const size_t padded = ring_padded(head->bytes);
    if (*used + padded > *room) {
        *room = (*used + padded) * 2;
        *bytes = mem_grow(*bytes, *room, 1);
    }
    uint8_t *const to = *bytes + *used;
    memcpy(to, head, sizeof *head);
    memcpy(to + sizeof *head, record, head->bytes - sizeof *head);
    memset(to + head->bytes, 0, padded - head->bytes);
    *used += padded;
}

static bool is_config_hook(uint16_t hook)
{
    const unsigned group = hook >> 8, type = hook & 0xff;
    return group == 0x0b ||                                   /* SystemConfig */
           (group == 0x0f && type >= 0x48 && type <= 0x4c) || /* PerfInfo intervals */
           hook == 0x1421 || hook == 0x1422;                  /* KernelBase, HypercallPage */
}

/* Volume mappings, build and trace information that merge tools add. */
static bool is_config_class(const struct guid *g)
{
    static const struct guid merged = {{0x91, 0xee, 0x79, 0x9b, 0xfd, 0xb5, 0xc0, 0x41, 0xa2, 0x43,
                                        0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0}};
    return memcmp(g, &merged, sizeof merged) == 0;
}

bool model_rundown_is_config(const struct event *e)
{
    if (header_is_kernel((enum header_kind)e->kind))
        return is_config_hook(e->id);
    return e->kind == HEADER_MANIFEST ? tracetop_event_is_configuration(e)
                                      : e->kind == HEADER_CLASSIC && is_config_class(&e->provider);
}

/* Is this very record there already, its time aside? Machines repeat their configuration at
 * the end of a session. */
static bool config_has(const struct model_rundown_config *c, const struct record_head *head,
                       const uint8_t *record)
{
    enum { TIME = 16, TIME_END = 24 }; /* of SYSTEM and EVENT_TRACE_HEADER */
    const size_t body = head->bytes - sizeof *head;
    for (size_t at = 0; at < c->used;) {
        struct record_head other;
        memcpy(&other, c->bytes + at, sizeof other);
        const uint8_t *const it = c->bytes + at + sizeof other;
        if (other.bytes == head->bytes && other.source == head->source && body >= TIME_END &&
            memcmp(it, record, 8) == 0 &&
            memcmp(it + TIME_END, record + TIME_END, body - TIME_END) == 0)
            return true;
        at += ring_padded(other.bytes);
    }
    return false;
}

bool model_rundown_config_keep(struct model_rundown_config *c, const struct record_head *head,
                               const void *record)
{
    if (config_has(c, head, record))
        return false;
    if (c->used + ring_padded(head->bytes) > CONFIG_MOST) {
        c->dropped++;
        return false;
    }
    rundown_append(&c->bytes, &c->used, &c->room, head, record);
    return true;
}

void model_rundown_config_free(struct model_rundown_config *c)
{
    free(c->bytes);
    *c = (struct model_rundown_config){0};
}
