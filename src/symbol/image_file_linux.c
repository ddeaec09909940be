#include "src/symbol/image_file.h"

#include "src/os/os.h"

#include <stdio.h>

bool image_file_path(const char *path, char *out, size_t room)
{
    return path[0] == '/' && os_path_kind(path) == OS_REGULAR &&
           snprintf(out, room, "%s", path) < (int)room;
}
