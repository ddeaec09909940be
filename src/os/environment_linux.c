#include "src/os/environment_linux.h"

#include "src/base/mem.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names that stay; one that ends in '*' stands for all that begin so. */
static const char *const allowed[] = {
    "COLORTERM",
    "DISPLAY",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "SUDO_*",
    "TERM",
    "TMPDIR",
    "TRACETOP_CONFIG",
    "TZ",
    "USER",
    "WAYLAND_DISPLAY",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "_NT_SYMBOL_PATH",
    "DEBUGINFOD_URLS",
    /* Proxies, for downloads: names of machines. */
    "ALL_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
};

enum { ALLOWED = sizeof allowed / sizeof *allowed };

static char **whole; /* as it was; NULL: nothing was cut */

static bool is_allowed(const char *entry)
{
    for (size_t i = 0; i < ALLOWED; i++) {
        const size_t bytes = strcspn(allowed[i], "*");
        const bool is_beginning = allowed[i][bytes] == '*';
        if (strncmp(entry, allowed[i], bytes) == 0 && (is_beginning || entry[bytes] == '='))
            return true;
    }
    return false;
}

/* A terminal's type is a name in the system's folders, not a path. */
static bool is_path_of_terminal(const char *entry)
{
    return strncmp(entry, "TERM=", 5) == 0 && (strchr(entry, '/') || entry[5] == '.');
}

static size_t count(char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

void environment_cut(void)
{
    const size_t all = count(environ);
    char **const kept = mem_new(all + 1, sizeof *kept);
    size_t used = 0;
    enum { MORE = 3 }; /* room for environment_become() */
    whole = mem_new(all + MORE + 1, sizeof *whole);
    for (size_t i = 0; i < all; i++) {
        whole[i] = environ[i];
        if (is_allowed(environ[i]) && !is_path_of_terminal(environ[i]))
            kept[used++] = environ[i];
    }
    environ = kept;
}

/* Its place in `whole`, or the end's. */
static size_t place_of(const char *name)
{
    const size_t bytes = strlen(name);
    size_t i = 0;
    while (whole[i] && (strncmp(whole[i], name, bytes) != 0 || whole[i][bytes] != '='))
        i++;
    return i;
}

const char *environment_had(const char *name)
{
    if (!whole)
        return getenv(name);
    const char *const entry = whole[place_of(name)];
    return entry ? entry + strlen(name) + 1 : NULL;
}

static void put(const char *name, const char *value)
{
    const size_t room = strlen(name) + strlen(value) + 2;
    char *const entry = mem_new(room, 1);
    snprintf(entry, room, "%s=%s", name, value);
    whole[place_of(name)] = entry;
}

void environment_become(const struct passwd *user)
{
    if (!whole)
        return;
    put("HOME", user ? user->pw_dir : "/");
    if (!user)
        return;
    put("USER", user->pw_name);
    put("LOGNAME", user->pw_name);
}

char **environment_of_children(void)
{
    return whole ? whole : environ;
}
