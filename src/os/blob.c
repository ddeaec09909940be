#include "src/os/blob.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

bool blob_open(struct blob *b, const char *path, struct err *err)
{
    *b = (struct blob){0};
    const enum os_kind kind = os_path_kind(path);
    if (kind != OS_REGULAR)
        return fail(err, "cannot open '%.700s': %s", path,
                    kind == OS_NOTHING ? "no such file" : "not a regular file");
    b->file = os_open(path, err);
    if (!b->file)
        return false;
    const int64_t size = os_size(b->file);
    b->bytes = size > 0 ? (uint64_t)size : 0;
    return true;
}

struct blob blob_of(const void *memory, size_t bytes)
{
    return (struct blob){.memory = memory, .bytes = bytes};
}

void blob_close(struct blob *b)
{
    os_close(b->file);
    *b = (struct blob){0};
}

bool blob_read(const struct blob *b, void *to, size_t bytes, uint64_t offset)
{
    if (offset > b->bytes || bytes > b->bytes - offset)
        return false;
    if (b->file)
        return os_read_at(b->file, to, bytes, offset, NULL) == (int64_t)bytes;
    memcpy(to, b->memory + offset, bytes);
    return true;
}

uint8_t *blob_copy(const struct blob *b, uint64_t bytes, uint64_t offset, size_t most)
{
    if (bytes > most || offset > b->bytes || bytes > b->bytes - offset)
        return NULL;
    uint8_t *const to = mem_try((size_t)bytes + 1, 1);
    if (to && blob_read(b, to, (size_t)bytes, offset))
        return to;
    free(to);
    return NULL;
}
