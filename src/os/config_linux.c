/* Where a user's configuration and caches are on Linux. See src/os/os.h for the promises. */
#include "src/os/environment_linux.h"
#include "src/os/folder.h"
#include "src/os/os.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below what the variable names, or else below the user's own folder. */
static void users_folder(const char *variable, const char *usual, char *out, size_t room)
{
    const char *const reported = getenv(variable), *const home = environment_had("HOME");
    out[0] = '\0';
    if (reported && reported[0] == '/') /* a path that is not from the root on is to be ignored */
        snprintf(out, room, "%s/tracetop", reported);
    else if (home && home[0] == '/')
        snprintf(out, room, "%s/%s/tracetop", home, usual);
}

void os_config_folder(char *out, size_t room)
{
    users_folder("XDG_CONFIG_HOME", ".config", out, room);
}

void os_cache_folder(char *out, size_t room)
{
    users_folder("XDG_CACHE_HOME", ".cache", out, room);
}

void os_default_folder(char *out, size_t room)
{
    snprintf(out, room, ".");
}

bool os_make_folders(const char *path, struct err *err)
{
    char part[4096];
    const size_t bytes = strlen(path);
    if (bytes >= sizeof part)
        return fail(err, "cannot make the folder '%.200s…': its path is too long", path);
    for (size_t i = 1; i <= bytes; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return fail(err, "cannot make the folder '%.700s': %s", part, strerror(errno));
    }
    return os_path_kind(path) == OS_DIRECTORY ||
           fail(err, "cannot make the folder '%.700s': something else is there", path);
}

size_t os_folder_names(const char *folder, const char *ending, char (*out)[OS_NAME_ROOM],
                       size_t room)
{
    DIR *const dir = opendir(folder);
    size_t count = 0;
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir))
        folder_take_name(d->d_name, ending, out, room, &count);
    if (dir)
        closedir(dir);
    folder_sort_names(out, count);
    return count;
}
