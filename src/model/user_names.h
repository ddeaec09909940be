/* What the users of Linux machines are called. A process's records have its user's number; a record
 * of its own (Owner) has the name, and is not there for every process: what is started while the
 * first list of processes is still being read has its parent's number alone. So names are kept by
 * number, and given to whoever has none. */
#ifndef SRC_MODEL_USER_NAMES_H
#define SRC_MODEL_USER_NAMES_H

#include "src/model/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number in the security identifier of a Unix user, S-1-22-1-NUMBER by Samba's usage. False: it
 * is another's, or NULL. */
bool user_names_uid(const char *sid, uint32_t *uid);

/* The user with this number is called so: `p`, which the record is about, and all those who
 * had the number and no name until now. "" = the system has no name for it. */
void user_names_learn(struct model *m, struct process *p, uint32_t uid, const char *name);

/* Gives a process whose user is known by number the name that is known by now. */
void user_names_apply(struct model *m, struct process *p);

void user_names_fini(struct model *m);
size_t user_names_bytes(const struct model *m);

#endif
