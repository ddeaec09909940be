/* The environment of a program that has more rights than its user: cut to names that no library
 * takes a path from. TERMINFO, TERMINFO_DIRS, the folder of terminal types in HOME, COLUMNS and
 * all that nobody here reads are gone; programs that are started get it as it was. */
#ifndef SRC_OS_ENVIRONMENT_LINUX_H
#define SRC_OS_ENVIRONMENT_LINUX_H

#include <pwd.h>

/* Once, while there is one thread. */
void environment_cut(void);

/* The value of a name before the cut; NULL. */
const char *environment_had(const char *name);

/* Whose program this is now, for programs that are started: HOME, USER and LOGNAME; NULL: a user
 * whom the system does not know. */
void environment_become(const struct passwd *user);

/* For programs that are started. */
char **environment_of_children(void);

#endif
