/* Sessions that others have, as the test requests. */
#include "tests/etw/fake.h"

#include <wchar.h>

enum { MODE_SYSTEM = 0x02000000 };

static struct fake_session *make_foreign(const WCHAR *name, ULONG mode, ULONG flags)
{
    static const GUID none = {0};
    return session_make_foreign(&none, name, mode, flags);
}

/* One that nobody can read live. */
static void make_filed(const WCHAR *name)
{
    enum { SEQUENTIAL = 1 };
    struct fake_session *const s = make_foreign(name, 0, 0);
    if (!s)
        return;
    s->p.LogFileMode = SEQUENTIAL;
    table_open()[s->index].mode = SEQUENTIAL;
}

void sessions_make_others(void)
{
    enum { USUAL = 0x00010717 }; /* processes to switches, disks, their names, network */
    static bool are_made;
    WCHAR name[FAKE_NAME];
    if (are_made)
        return;
    are_made = true;
    for (unsigned i = 0; i < play.sessions; i++) {
        swprintf(name, FAKE_NAME, L"Other %u", i + 1);
        make_foreign(name, 0, 0);
    }
    for (unsigned i = 0; i < play.system_sessions; i++) {
        swprintf(name, FAKE_NAME, L"Other Kernel %u", i + 1);
        make_foreign(name, MODE_SYSTEM, 0);
    }
    if (play.same) { /* as ours is called */
        swprintf(name, FAKE_NAME, L"tracetop-kernel-%lu", GetCurrentProcessId());
        make_foreign(name, MODE_SYSTEM, 0);
    }
    if (play.filed[0])
        make_filed(play.filed);
    if (play.reserved) {
        session_make_foreign(&kernel_guid, kernel_logger, MODE_SYSTEM, 0);
        session_make_foreign(&context_guid, L"Circular Kernel Context Logger", MODE_SYSTEM, 0);
    }
    if (!play.held[0])
        return;
    struct fake_session *const held = make_foreign(play.held, MODE_SYSTEM, USUAL);
    if (held)
        held->providers[held->provider_count++] =
            (struct enabled){.provider = fake_provider, .level = TRACE_LEVEL_INFORMATION};
}
