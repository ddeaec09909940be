/* Whose processes are. See collectors/linux/proc/proc.h. */
#include "collectors/linux/proc/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool proc_owner(struct proc *p, uint32_t pid, uint32_t *uid)
{
    static const char head[] = "\nUid:"; /* real, effective, saved, of file systems */
    char path[64], text[2048], *end;
    snprintf(path, sizeof path, "proc/%u/status", pid);
    if (proc_read(p, path, text, sizeof text) <= 0)
        return false;
    const char *const line = strstr(text, head);
    if (!line)
        return false;
    strtoul(line + sizeof head - 1, &end, 10);
    const char *const effective = end;
    *uid = (uint32_t)strtoul(effective, &end, 10);
    return end != effective;
}

/* name:password:uid:… */
static bool take_line(void *to, char *line, size_t length)
{
    struct proc_users *const u = to;
    (void)length;
    char *const name_end = strchr(line, ':');
    char *const id = name_end ? strchr(name_end + 1, ':') : NULL;
    char *end;
    if (!id || name_end == line)
        return true;
    const unsigned long uid = strtoul(id + 1, &end, 10);
    if (end == id + 1 || *end != ':' || uid > UINT32_MAX)
        return true;
    *name_end = '\0';
    u->all[u->count].uid = (uint32_t)uid;
    snprintf(u->all[u->count].name, PROC_USER_NAME, "%.*s", PROC_USER_NAME - 1, line);
    return ++u->count < PROC_USERS;
}

void proc_users_read(struct proc *p, struct proc_users *out)
{
    out->count = 0;
    proc_lines(p, "etc/passwd", take_line, out);
}

const char *proc_user_name(const struct proc_users *u, uint32_t uid)
{
    for (size_t i = 0; i < u->count; i++)
        if (u->all[i].uid == uid)
            return u->all[i].name;
    return "";
}
