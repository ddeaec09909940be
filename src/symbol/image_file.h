/* Where the file of an image of this machine is opened, by the path that the system's own events
 * have. Paths out of traces of others name files of other machines: they are not for this. */
#ifndef SRC_SYMBOL_IMAGE_FILE_H
#define SRC_SYMBOL_IMAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* False for shares and devices, for what has no file, and where there is no room. */
bool image_file_path(const char *path, char *out, size_t room);

#endif
