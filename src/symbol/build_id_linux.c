/* Build ids of open files and of the kernel that runs here. */
#include "src/symbol/build_id.h"

#include "src/os/foreign_file_linux.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool read_descriptor(void *from, void *to, size_t bytes, uint64_t offset)
{
    const int *const descriptor = from;
    return offset <= INT64_MAX && pread(*descriptor, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

bool build_id_of_file(int descriptor, struct build_id *out)
{
    return build_id_find(read_descriptor, &descriptor, out);
}

bool build_id_is_module(const char *name, size_t bytes)
{
    enum { NAME_MOST = 255 };
    return bytes && bytes <= NAME_MOST && name[0] != '.' && !memchr(name, '/', bytes);
}

bool build_id_of_kernel(const char *module, struct build_id *out)
{
    uint8_t notes[4096];
    char path[512] = "/sys/kernel/notes";
    out->count = 0;
    if (module[0] && !build_id_is_module(module, strlen(module)))
        return false;
    if (module[0])
        snprintf(path, sizeof path, "/sys/module/%s/notes/.note.gnu.build-id", module);
    const int descriptor = foreign_file_open("", "", path, true, NULL);
    const ssize_t got = descriptor < 0 ? -1 : read(descriptor, notes, sizeof notes);
    if (descriptor >= 0)
        close(descriptor);
    return got > 0 && build_id_in_notes(notes, (size_t)got, out);
}
