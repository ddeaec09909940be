/* Layouts of events that the system knows, from TDH: those of providers that are installed on this
 * machine. Called by whoever decodes or writes files, never by a thread that collects. */
#include "collectors/collectors.h"
#include "collectors/windows/etw_session.h"

#include "src/base/mem.h"

#include <string.h>

enum {
    FIRST = 8192,   /* bytes: most answers are shorter */
    MOST = 1 << 20, /* longer answers are none */
    TRIES = 4,      /* the answer may grow between two calls */
    MAP_NAME = 256, /* UTF-16 units */
};

/* What TDH looks at: which event it is. The payload, which anybody may have written, stays here. */
static EVENT_RECORD record_of(const struct event *e)
{
    const bool is_classic = e->kind == HEADER_CLASSIC;
    EVENT_RECORD r = {
        .EventHeader = {.Size = sizeof r.EventHeader,
                        .Flags = (USHORT)((e->pointer == 4 ? EVENT_HEADER_FLAG_32_BIT_HEADER
                                                           : EVENT_HEADER_FLAG_64_BIT_HEADER) |
                                          (is_classic ? EVENT_HEADER_FLAG_CLASSIC_HEADER : 0)),
                        .EventDescriptor = {.Id = is_classic ? 0 : e->id,
                                            .Version = (UCHAR)e->version,
                                            .Channel = e->channel,
                                            .Level = e->level,
                                            .Opcode = e->opcode,
                                            .Task = e->task,
                                            .Keyword = e->keyword}}};
    memcpy(&r.EventHeader.ProviderId, &e->provider, sizeof r.EventHeader.ProviderId);
    return r;
}

static void make_room(struct manifest_blob *b, size_t bytes)
{
    if (b->room < bytes) {
        b->at = mem_grow(b->at, bytes, 1);
        b->room = bytes;
    }
}

static bool get_event(const struct event *e, struct manifest_blob *out)
{
    EVENT_RECORD r = record_of(e);
    ULONG bytes = FIRST, code = ERROR_INSUFFICIENT_BUFFER;
    if (!etw_api()->TdhGetEventInformation)
        return false;
    for (int i = 0; i < TRIES && code == ERROR_INSUFFICIENT_BUFFER && bytes <= MOST; i++) {
        make_room(out, bytes);
        bytes = (ULONG)out->room;
        code = etw_api()->TdhGetEventInformation(&r, 0, NULL, (PTRACE_EVENT_INFO)(void *)out->at,
                                                 &bytes);
    }
    out->bytes = bytes;
    return code == ERROR_SUCCESS && bytes <= out->room;
}

/* A trace has the map behind its provider's GUID. */
static bool get_map(const struct event *e, const char *name, struct manifest_blob *out)
{
    enum { HEAD = sizeof e->provider };
    EVENT_RECORD r = record_of(e);
    WCHAR wide[MAP_NAME];
    ULONG bytes = FIRST, code = ERROR_INSUFFICIENT_BUFFER;
    if (!etw_api()->TdhGetEventMapInformation || !utf16_of(name, wide, MAP_NAME))
        return false;
    for (int i = 0; i < TRIES && code == ERROR_INSUFFICIENT_BUFFER && bytes <= MOST; i++) {
        make_room(out, HEAD + bytes);
        bytes = (ULONG)(out->room - HEAD);
        code = etw_api()->TdhGetEventMapInformation(
            &r, wide, (PEVENT_MAP_INFO)(void *)(out->at + HEAD), &bytes);
    }
    if (code != ERROR_SUCCESS || bytes > out->room - HEAD)
        return false;
    memcpy(out->at, e->provider.b, HEAD);
    out->bytes = HEAD + bytes;
    return true;
}

const struct schema_system *system_schemas(void)
{
    static const struct schema_system tdh = {get_event, get_map};
    return &tdh;
}
