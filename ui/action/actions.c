/* What keys do, by id: the one table of the functions that ui/config/keymap.c names. */
#include "ui/action/action.h"

#define ACTION_ROW(id, name) [ACT_##id] = action_##name,
static action_function *const functions[ACTION_COUNT] = {ACTIONS(ACTION_ROW)
                                                             STRIP_ACTIONS(ACTION_ROW)};

action_function *action_of(enum action action)
{
    return functions[action];
}
