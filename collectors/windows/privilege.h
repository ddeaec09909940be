/* What this process may do with ETW, and privileges switched on only while they are needed. */
#ifndef COLLECTORS_WINDOWS_PRIVILEGE_H
#define COLLECTORS_WINDOWS_PRIVILEGE_H

#include <stdbool.h>
#include <wchar.h>

enum etw_access {
    SITUATION_ELEVATED, /* everything */
    SITUATION_LOG_USER, /* Performance Log Users: sessions with providers, no kernel events */
    SITUATION_NOBODY,   /* neither */
};

enum etw_access privilege_situation(void);

/* Switches a privilege of the process's token on or off; false where the token lacks it. */
bool privilege_switch(const wchar_t *name, bool is_on);

/* Around calls that sample the processors; each begin has its end. */
void privilege_profile_begin(void);
void privilege_profile_end(void);

/* Is the user an administrator whose console is not elevated? Then elevating is possible. */
bool privilege_can_elevate(void);

#endif
