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
