/* Names of files and registry keys that were open before the session began. Windows lists them when
 * the group mask of a session that logs them is cleared, keys also when they are switched on; some
 * versions list files on request of a provider, and others only when a session stops. So these are
 * tried in turn, and what came is counted, until names have come. Control's thread; the last step,
 * a session of its own, waits and is the thread "etw state"'s (rundown.c). */
#include "collectors/windows/live.h"

#include "src/model/fact.h"

const struct names_row names_rows[NAME_KINDS] = {
    [NAMES_FILES] = {1u << FACT_DISK | 1u << FACT_FILE, EVENT_TRACE_FLAG_DISK_FILE_IO,
                     "files that were open before"},
    [NAMES_KEYS] = {1u << FACT_REGISTRY, EVENT_TRACE_FLAG_REGISTRY,
                    "registry keys that were open before"},
};

enum { WAIT_MS = 1500 }; /* for names: flushed after 200 ms where we may, else after a second */
enum { IDLE, LISTED_AT_START, CLEARED, REQUESTED, SESSION, DONE };

/* The kernel's rundown on request; the keyword is that of open files. */
static const GUID rundown = {
    0x3b9c9951, 0x3480, 0x4220, {0x93, 0x77, 0x9c, 0x8e, 0x51, 0x84, 0xf5, 0xcd}};
enum { RUNDOWN_FILES = 0x10, LEVEL_ALL = 255 };

static bool request_files(const struct windows_live *l, ULONG code)
{
    const ULONGLONG keywords = code == EVENT_CONTROL_CODE_ENABLE_PROVIDER ? RUNDOWN_FILES : 0;
    return etw_api()->EnableTraceEx2 &&
           etw_api()->EnableTraceEx2(l->kernel.session.handle, &rundown, code, LEVEL_ALL, keywords,
                                     0, 0, NULL) == ERROR_SUCCESS;
}

static uint64_t listed(const struct windows_live *l, unsigned kind)
{
    return atomic_load_explicit(&l->kernel.consumer.names[kind], memory_order_relaxed);
}

/* Takes a step. False where it is not to be had. */
static bool take(struct windows_live *l, unsigned kind, unsigned step)
{
    switch (step) {
    case LISTED_AT_START:
        return kind == NAMES_KEYS;
    case CLEARED:
        return switch_clear(l);
    case REQUESTED:
        return kind == NAMES_FILES && request_files(l, EVENT_CONTROL_CODE_ENABLE_PROVIDER);
    default:
        atomic_fetch_or(&l->names_missing, 1u << kind);
        return true;
    }
}

static void advance(struct windows_live *l, unsigned kind, int64_t now)
{
    struct names *const n = &l->names[kind];
    do
        n->step++;
    while (n->step < SESSION && !take(l, kind, n->step));
    if (n->step == SESSION)
        take(l, kind, SESSION);
    n->until = now + WAIT_MS * LIVE_MS;
}

static void look(struct windows_live *l, unsigned kind, int64_t now)
{
    struct names *const n = &l->names[kind];
    const uint32_t active = atomic_load_explicit(&l->collector->active, memory_order_relaxed);
    if (n->step >= SESSION || (n->step == IDLE && !(active & names_rows[kind].classes)))
        return;
    const bool have_come = n->step != IDLE && listed(l, kind) > 0;
    if (n->step != IDLE && !have_come && now < n->until)
        return;
    if (n->step == REQUESTED)
        request_files(l, EVENT_CONTROL_CODE_DISABLE_PROVIDER);
    if (have_come)
        n->step = DONE;
    else
        advance(l, kind, now);
}

void names_look(struct windows_live *l, int64_t now)
{
    if (l->kernel.is_attached || !l->kernel.consumer.thread || !l->has_applied)
        return;
    for (unsigned kind = 0; kind < NAME_KINDS; kind++)
        look(l, kind, now);
}
