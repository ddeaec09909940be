#include "src/os/folder.h"

#include <stdlib.h>
#include <string.h>

void folder_take_name(const char *name, const char *ending, char (*out)[OS_NAME_ROOM], size_t room,
                      size_t *count)
{
    const size_t bytes = strlen(name), end = strlen(ending);
    if (bytes > end && bytes < OS_NAME_ROOM && strcmp(name + bytes - end, ending) == 0 &&
        *count < room)
        memcpy(out[(*count)++], name, bytes + 1);
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

void folder_sort_names(char (*names)[OS_NAME_ROOM], size_t count)
{
    if (count)
        qsort(names, count, sizeof *names, compare);
}
