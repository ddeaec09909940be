#include "src/collect/capture_names.h"

#include "src/base/map.h"
#include "src/event/decode.h"
#include "src/event/tracetop_provider.h"

#include <string.h>

enum { PLACES = 8, NAME_BYTES = 512 };

void names_init(struct capture_names *n, const struct filter *f)
{
    for (unsigned i = 0; i < f->term_count; i++)
        if (f->terms[i].by == BY_PROC)
            n->terms |= 1ull << i;
    filter_look_text(f, n->terms, "(idle)", strlen("(idle)"), &n->idle);
    filter_look_text(f, n->terms, "(unknown)", strlen("(unknown)"), &n->unknown);
}

/* ---- the table ------------------------------------------------------------------------------ */

static uint32_t home_of(uint8_t source, uint32_t pid)
{
    return (uint32_t)(hash_mix((uint64_t)source << 32 | pid) >> 40);
}

static const struct capture_name *find(const struct capture_names *n, uint8_t source, uint32_t pid)
{
    for (uint32_t i = 0, home = home_of(source, pid); i < PLACES; i++) {
        const struct capture_name *const at = &n->at[(home + i) & (CAPTURE_NAMES - 1)];
        if (at->is_known && at->pid == pid && at->source == source)
            return at;
    }
    return NULL;
}

/* Its own place, a free one, one of those who ended, or else the first. */
static struct capture_name *place_of(struct capture_names *n, uint8_t source, uint32_t pid)
{
    const struct capture_name *const known = find(n, source, pid);
    if (known)
        return &n->at[known - n->at];
    const uint32_t home = home_of(source, pid);
    struct capture_name *best = &n->at[home & (CAPTURE_NAMES - 1)];
    for (uint32_t i = 0; i < PLACES && best->is_known; i++) {
        struct capture_name *const at = &n->at[(home + i) & (CAPTURE_NAMES - 1)];
        if (!at->is_known || (at->has_ended && !best->has_ended))
            best = at;
    }
    return best;
}

void names_learn(struct capture_names *n, const struct filter *f, uint8_t source, uint32_t pid,
                 const char *name)
{
    if (!n->terms || !*name)
        return;
    struct capture_name *const at = place_of(n, source, pid);
    *at = (struct capture_name){.pid = pid, .source = source, .is_known = true};
    filter_look_text(f, n->terms, name, strlen(name), &at->found);
}

const struct filter_found *names_find(const struct capture_names *n, uint8_t source, uint32_t pid)
{
    if (pid == 0 || pid == EVENT_NO_ID)
        return pid == 0 ? &n->idle : &n->unknown;
    const struct capture_name *const at = find(n, source, pid);
    return at ? &at->found : NULL;
}

/* ---- records -------------------------------------------------------------------------------- */

static void end(struct capture_names *n, uint8_t source, uint32_t pid)
{
    const struct capture_name *const known = find(n, source, pid);
    if (known)
        n->at[known - n->at].has_ended = true;
}

void names_learn_kernel(struct capture_names *n, const struct filter *f, const struct event *e)
{
    enum { PROCESS_END = 0x0302 };
    const struct payload_layout *const l = n->terms ? decode_layout(e) : NULL;
    char name[NAME_BYTES] = "";
    uint32_t pid = EVENT_NO_ID;
    for (unsigned i = 0; l && i < l->field_count; i++) {
        struct decoded d;
        const char *const field = l->fields[i].name;
        const bool is_pid = strcmp(field, "ProcessId") == 0;
        if ((!is_pid && strcmp(field, "ImageFileName") != 0) || !decode_field(l, e, i, &d))
            continue;
        if (is_pid)
            pid = (uint32_t)d.number;
        else
            decode_format(&d, name, sizeof name);
    }
    if (pid == EVENT_NO_ID)
        return;
    names_learn(n, f, e->source, pid, name);
    if (decode_hook(e) == PROCESS_END)
        end(n, e->source, pid);
}

void names_learn_tracetop(struct capture_names *n, const struct filter *f, const struct event *e)
{
    static const char *const tellers[] = {"Exec", "Rename", "Command"};
    const char *const event = n->terms ? tracetop_event_name(e) : NULL;
    for (size_t i = 0; event && i < sizeof tellers / sizeof *tellers; i++) {
        uint64_t pid;
        const char *name;
        if (strcmp(event, tellers[i]) == 0 && tracetop_event_number(e, "pid", &pid) &&
            pid <= UINT32_MAX && tracetop_event_text(e, "name", &name))
            names_learn(n, f, e->source, (uint32_t)pid, name);
    }
}
