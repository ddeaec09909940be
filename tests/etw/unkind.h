/* What Windows is said to do and a kind stand-in would not: switches, each with a name and a
 * sentence (unkind.c). All are off until a test selects some: "unkind=NAME,NAME" in
 * TRACETOP_TEST_ETW_PLAY. A new one is a value here, a row in unkind.c, and an `if (unkind(…))`
 * where the stand-in does it; tests/windows/unkind.c runs each against every scene. Read once when
 * the library is loaded; any thread afterwards. */
#ifndef TESTS_ETW_UNKIND_H
#define TESTS_ETW_UNKIND_H

#include <stdbool.h>

enum unkind_switch {
    UNKIND_OPEN_TAKES_ANY,
    UNKIND_STOP_IS_SLOW,
    UNKIND_STOP_TOGETHER,
    UNKIND_SCRAMBLES,
    UNKIND_DISORDER,
    UNKIND_LOSES_BUFFERS,
    UNKIND_CALLS_AFTER_CLOSE,
    UNKIND_TDH_FAILS,
    UNKIND_TDH_IS_SLOW,
    UNKIND_TDH_IS_ABSENT,
    UNKIND_NO_COUNTERS,
    UNKIND_WATCHDOG_DIES,
    UNKIND_NO_FILE_KEYWORD,
    UNKIND_NO_START_LISTS,
    UNKIND_NO_NAMES_ON_STOP,
    UNKIND_NO_NAMES_ON_CLEAR,
    UNKIND_NO_NAMES_PROVIDER,
    UNKIND_SIX_SLOTS,
    UNKIND_ZERO_KEYWORDS,
    UNKIND_FORGETS_FLAGS,
    UNKIND_DISK_FIRST,
    UNKIND_SWITCHES,
};

bool unkind(enum unkind_switch which);

/* Its name, and what it does. */
const char *unkind_name(enum unkind_switch which);
const char *unkind_sentence(enum unkind_switch which);

/* Switches on what a list of names, separated by commas, selects; the list is changed. False where
 * a name is unknown: *unknown is it. */
bool unkind_select(char *names, const char **unknown);

#endif
