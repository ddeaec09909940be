/* The names in a folder, for os_folder_names() on each system. */
#ifndef SRC_OS_FOLDER_H
#define SRC_OS_FOLDER_H

#include "src/os/os.h"

/* Takes the name if it ends so and there is room. */
void folder_take_name(const char *name, const char *ending, char (*out)[OS_NAME_ROOM], size_t room,
                      size_t *count);
void folder_sort_names(char (*names)[OS_NAME_ROOM], size_t count);

#endif
