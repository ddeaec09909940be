/* What is left when the library is let go: TRACETOP_TEST_ETW_REPORT names the file. A program
 * that gave everything back leaves no session, no handle, no registration. */
#include "tests/etw/fake.h"

#include <stdio.h>
#include <string.h>

static volatile LONG64 figures[FIGURES];

void report_add(enum figure figure, int64_t count)
{
    InterlockedExchangeAdd64(&figures[figure], count);
}

/* By hook, and the times of the first switches of context; one consumer reads the kernel's session,
 * and nobody else writes here. */
enum { HOOK_SWITCH = 1316, SWITCHES = 16384 };
static unsigned hooks[FAKE_HOOKS];
static int64_t switches[SWITCHES];

void report_hook(unsigned hook, int64_t ts)
{
    if (hook == HOOK_SWITCH && hooks[hook] < SWITCHES)
        switches[hooks[hook]] = ts;
    if (hook < FAKE_HOOKS)
        hooks[hook]++;
}

static const char *const names[FIGURES] = {
    [FIGURE_DELIVERED] = "delivered",
    [FIGURE_LOST] = "lost",
    [FIGURE_BUFFERS_LOST] = "buffers lost",
    [FIGURE_LOST_EVENTS_SHOWN] = "lost events shown",
    [FIGURE_BURST_EVENTS] = "burst events",
    [FIGURE_BURST_NS] = "burst ns",
    [FIGURE_REGISTRATIONS] = "registrations left",
    [FIGURE_HANDLES] = "handles left",
    [FIGURE_RUNNING] = "consumers left",
    [FIGURE_DEAF] = "ended deaf",
    [FIGURE_STOPS_ALONE] = "stops alone",
};

enum { ROOM = 1 << 19, NAMES = 8192 };

static size_t write_all(char *to, size_t room)
{
    static WCHAR left[NAMES];
    static char narrow[NAMES];
    const unsigned count = sessions_left(left, NAMES);
    size_t used = (size_t)snprintf(to, room, "sessions left %u\n", count);
    if (WideCharToMultiByte(CP_UTF8, 0, left, -1, narrow, sizeof narrow, NULL, NULL))
        used += (size_t)snprintf(to + used, room - used, "%s", narrow);
    for (unsigned i = 0; i < FIGURES; i++)
        used +=
            (size_t)snprintf(to + used, room - used, "%s %lld\n", names[i], (long long)figures[i]);
    used += (size_t)snprintf(to + used, room - used, "others left %u\n", sessions_of_others());
    used += (size_t)snprintf(to + used, room - used, "sampling %s after %u changes\n",
                             inform_is_as_before() ? "as before" : "changed", inform_changes());
    for (unsigned i = 0; i < FAKE_HOOKS; i++)
        if (hooks[i])
            used += (size_t)snprintf(to + used, room - used, "hook %u %u\n", i, hooks[i]);
    for (unsigned i = 0; i < hooks[HOOK_SWITCH] && i < SWITCHES; i++)
        used += (size_t)snprintf(to + used, room - used, "switch %lld\n", (long long)switches[i]);
    return used + play_report(to + used, room - used);
}

void report_write(void)
{
    static char text[ROOM];
    WCHAR path[MAX_PATH];
    const DWORD units = GetEnvironmentVariableW(L"TRACETOP_TEST_ETW_REPORT", path, MAX_PATH);
    if (!units || units >= MAX_PATH)
        return;
    const HANDLE file =
        CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return;
    DWORD written;
    WriteFile(file, text, (DWORD)write_all(text, sizeof text), &written, NULL);
    CloseHandle(file);
}
