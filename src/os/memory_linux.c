/* The memory that this process may use: the machine's, or less where a control group (v1 or v2)
 * of it, or of a group around it, has a limit. Read from files only, so that tests can lay them
 * out below a folder. */
#include "src/os/memory_linux.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, PLACE = 2 * LINE };

/* A mounted hierarchy that can limit memory, and this process's group in it. */
struct hierarchy {
    bool is_v2, is_mounted;
    char root[LINE], point[LINE]; /* the group that is mounted, and where */
    char group[LINE];             /* "" = the process is in none */
};

static bool has_word(const char *list, const char *word)
{
    const size_t bytes = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, bytes) == 0 && (!at[bytes] || at[bytes] == ','))
            return true;
    }
    return false;
}

/* mountinfo writes blanks and backslashes as \ooo. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at; to++) {
        unsigned c;
        if (at[0] == '\\' && sscanf(at + 1, "%3o", &c) == 1 && strspn(at + 1, "01234567") >= 3) {
            *to = (char)c;
            at += 4;
        } else {
            *to = *at++;
        }
    }
    *to = '\0';
}

/* "36 35 98:0 /root /point options … - type source superoptions" */
static void read_mount(const char *line, struct hierarchy *h)
{
    char root[LINE], point[LINE], type[64], super[LINE];
    const char *const rest = strstr(line, " - ");
    if (h->is_mounted || !rest || sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2 ||
        sscanf(rest + 3, "%63s %*s %4095s", type, super) != 2)
        return;
    if (h->is_v2 ? strcmp(type, "cgroup2") != 0
                 : strcmp(type, "cgroup") != 0 || !has_word(super, "memory"))
        return;
    h->is_mounted = true;
    memcpy(h->root, root, sizeof root);
    memcpy(h->point, point, sizeof point);
    unescape(h->root);
    unescape(h->point);
}

/* "4:memory:/group", or "0::/group" where there is one hierarchy. */
static void read_group(const char *line, struct hierarchy *h)
{
    char controllers[LINE] = "";
    const char *const first = strchr(line, ':');
    const char *const second = first ? strchr(first + 1, ':') : NULL;
    if (!second)
        return;
    snprintf(controllers, sizeof controllers, "%.*s", (int)(second - first - 1), first + 1);
    if (h->is_v2 ? !controllers[0] : has_word(controllers, "memory"))
        snprintf(h->group, sizeof h->group, "%.*s", (int)strcspn(second + 1, "\n"), second + 1);
}

static void read_lines(const char *prefix, const char *path, struct hierarchy *h,
                       void (*read)(const char *line, struct hierarchy *h))
{
    char at[PLACE], line[LINE];
    snprintf(at, sizeof at, "%s%s", prefix, path);
    FILE *const f = fopen(at, "re");
    while (f && fgets(line, sizeof line, f))
        read(line, h);
    if (f)
        fclose(f);
}

/* "max", and v1's number of pages that no machine has, are none: UINT64_MAX. */
static uint64_t read_limit(const char *folder, const char *name)
{
    char at[PLACE + 64], text[32] = "";
    uint64_t bytes;
    snprintf(at, sizeof at, "%s/%s", folder, name);
    FILE *const f = fopen(at, "re");
    const bool has_any = f && fgets(text, sizeof text, f) && sscanf(text, "%" SCNu64, &bytes) == 1;
    if (f)
        fclose(f);
    return has_any && bytes ? bytes : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The lowest limit of the group and of all groups around it, up to where it is mounted. */
static uint64_t lowest(const struct hierarchy *h, const char *prefix)
{
    char folder[3 * PLACE];
    /* In a cgroup namespace, the group's path starts at its root and may lie outside of the
     * mount. */
    const size_t root = strcmp(h->root, "/") == 0 ? 0 : strlen(h->root);
    const bool is_below = strncmp(h->group, h->root, root) == 0 &&
                          (!root || h->group[root] == '/' || !h->group[root]);
    const int point = snprintf(folder, sizeof folder, "%s%s", prefix, h->point);
    snprintf(folder + point, sizeof folder - (size_t)point, "%s", is_below ? h->group + root : "");
    uint64_t bytes = UINT64_MAX;
    for (;;) {
        bytes = least(bytes, read_limit(folder, h->is_v2 ? "memory.max" : "memory.limit_in_bytes"));
        if (h->is_v2)
            bytes = least(bytes, read_limit(folder, "memory.high"));
        char *const slash = strrchr(folder + point, '/');
        if (!slash)
            return bytes;
        *slash = '\0';
    }
}

uint64_t os_memory_limit(const char *prefix)
{
    uint64_t bytes = UINT64_MAX;
    for (int v2 = 0; v2 < 2; v2++) {
        struct hierarchy *const h = calloc(1, sizeof *h);
        if (!h)
            return bytes;
        h->is_v2 = v2;
        read_lines(prefix, "/proc/self/mountinfo", h, read_mount);
        read_lines(prefix, "/proc/self/cgroup", h, read_group);
        if (h->is_mounted && h->group[0])
            bytes = least(bytes, lowest(h, prefix));
        free(h);
    }
    return bytes;
}
