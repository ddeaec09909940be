#include "tests/etw/unkind.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *what;
} rows[UNKIND_SWITCHES] = {
    [UNKIND_OPEN_TAKES_ANY] = {"open-takes-any",
                               "OpenTrace takes any name; ProcessTrace answers 4201"},
    [UNKIND_STOP_IS_SLOW] = {"stop-is-slow",
                             "ProcessTrace holds the last buffers back and returns late after "
                             "STOP: slow=TIME, as a rule 600ms"},
    [UNKIND_STOP_TOGETHER] = {"stop-together",
                              "STOP returns only when all sessions of the process are being "
                              "stopped, or after 20 s"},
    [UNKIND_SCRAMBLES] = {"scrambles",
                          "ControlTrace leaves offsets, flags and clock of the properties "
                          "unfit for another call"},
    [UNKIND_DISORDER] = {"disorder", "one buffer in eight comes 600 ms behind the others"},
    [UNKIND_LOSES_BUFFERS] = {"loses-buffers", "one full buffer in three is lost"},
    [UNKIND_CALLS_AFTER_CLOSE] = {"calls-after-close",
                                  "events go on being delivered for 300 ms after CloseTrace"},
    [UNKIND_TDH_FAILS] = {"tdh-fails", "TDH answers 1168 to every question"},
    [UNKIND_TDH_IS_SLOW] = {"tdh-is-slow", "TDH takes 200 ms for every answer"},
    [UNKIND_TDH_IS_ABSENT] = {"tdh-is-absent", "there is no tdh.dll"},
    [UNKIND_NO_COUNTERS] = {"no-counters", "the list of sampling sources is not supported"},
    [UNKIND_WATCHDOG_DIES] = {"watchdog-dies", "the watchdog is killed as soon as it starts"},
    [UNKIND_NO_FILE_KEYWORD] = {"no-file-keyword",
                                "keyword 0x400 of the provider of I/O is taken and does nothing"},
    [UNKIND_NO_START_LISTS] = {"no-start-lists", "the kernel lists nothing when it is enabled"},
    [UNKIND_NO_NAMES_ON_STOP] = {"no-names-on-stop",
                                 "STOP lists no open files and no registry keys"},
    [UNKIND_NO_NAMES_ON_CLEAR] = {"no-names-on-clear",
                                  "clearing the group mask lists no open files and no keys"},
    [UNKIND_NO_NAMES_PROVIDER] = {"no-names-provider",
                                  "the provider of the kernel's rundown is taken and silent"},
    [UNKIND_SIX_SLOTS] = {"six-slots", "two of the eight kernel sessions are kept for Windows"},
    [UNKIND_ZERO_KEYWORDS] = {"zero-keywords",
                              "a classic provider that is enabled with keywords 0 is silent"},
    [UNKIND_FORGETS_FLAGS] = {"forgets-flags",
                              "QUERY answers EnableFlags 0; UPDATE replaces the whole group mask "
                              "by its EnableFlags"},
    [UNKIND_DISK_FIRST] = {"disk-first", "DISK_FILE_IO brings nothing without DISK_IO"},
};

static bool is_on[UNKIND_SWITCHES];

bool unkind(enum unkind_switch which)
{
    return is_on[which];
}

const char *unkind_name(enum unkind_switch which)
{
    return rows[which].name;
}

const char *unkind_sentence(enum unkind_switch which)
{
    return rows[which].what;
}

static bool select_one(const char *name)
{
    for (unsigned i = 0; i < UNKIND_SWITCHES; i++)
        if (strcmp(rows[i].name, name) == 0)
            return is_on[i] = true;
    return false;
}

bool unkind_select(char *names, const char **unknown)
{
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        *unknown = name;
        if (!select_one(name))
            return false;
    }
    return true;
}
