#include "src/model/user_names.h"

#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all sources together. A trace may claim more; those stay numbers where no record names them.
 */
enum { USERS = 4096 };

#define UNIX_USER_SID "S-1-22-1-"

struct user_names {
    struct map number_of; /* source and uid → index + 1 */
    char *names[USERS];
    unsigned count;
};

bool user_names_uid(const char *sid, uint32_t *uid)
{
    static const char unix_user[] = UNIX_USER_SID;
    if (!sid || strncmp(sid, unix_user, sizeof unix_user - 1) != 0)
        return false;
    *uid = (uint32_t)strtoul(sid + sizeof unix_user - 1, NULL, 10);
    return true;
}

/* The place of a user's name, made if it is new; NULL: there is no more room. */
static char **name_place(struct model *m, source_id source, uint32_t uid)
{
    if (!m->user_names) {
        m->user_names = mem_new(1, sizeof *m->user_names);
        map_init(&m->user_names->number_of);
    }
    struct user_names *const u = m->user_names;
    const uint64_t key = model_id_key(source, uid);
    uint32_t number = map_get(&u->number_of, key);
    if (!number && u->count < USERS) {
        number = ++u->count;
        map_put(&u->number_of, key, number);
    }
    return number ? &u->names[number - 1] : NULL;
}

/* Each user costs one walk over the processes, when its name is met first. */
static void name_processes(struct model *m, source_id source, uint32_t uid, const char *name)
{
    for (uint32_t i = 0; i < m->processes.end; i++) {
        struct process *const p = generation_place(&m->processes, i);
        uint32_t of;
        if (p && p->source == source && !p->account && user_names_uid(p->user, &of) && of == uid)
            model_rename(m, &p->account, name);
    }
}

void user_names_learn(struct model *m, struct process *p, uint32_t uid, const char *name)
{
    char sid[sizeof UNIX_USER_SID + 10];
    snprintf(sid, sizeof sid, UNIX_USER_SID "%" PRIu32, uid);
    model_rename(m, &p->user, sid);
    if (!*name) {
        model_unname(m, &p->account); /* that of another */
        return;
    }
    model_rename(m, &p->account, name);
    char **const known = name_place(m, p->source, uid);
    const bool is_first = known && !*known;
    if (known)
        model_rename(m, known, name);
    if (is_first)
        name_processes(m, p->source, uid, name);
}

void user_names_apply(struct model *m, struct process *p)
{
    uint32_t uid;
    if (p->account || !m->user_names || !user_names_uid(p->user, &uid))
        return;
    const uint32_t number = map_get(&m->user_names->number_of, model_id_key(p->source, uid));
    if (number)
        model_rename(m, &p->account, m->user_names->names[number - 1]);
}

void user_names_fini(struct model *m)
{
    struct user_names *const u = m->user_names;
    if (!u)
        return;
    for (unsigned i = 0; i < u->count; i++)
        free(u->names[i]);
    map_fini(&u->number_of);
    free(u);
    m->user_names = NULL;
}

size_t user_names_bytes(const struct model *m)
{
    return m->user_names ? sizeof *m->user_names + map_bytes(&m->user_names->number_of) : 0;
}
