#include "src/event/schema_file.h"

#include "src/base/mem.h"
#include "src/os/os.h"

#include <stdlib.h>

enum { FILES_MOST = 64, BYTES_MOST = 256 << 20 };

static struct schema_file files[FILES_MOST];
static unsigned count;

/* NULL: it is taken as messages, or there is a sentence. */
static struct manifest *read_file(struct os_file *f, const char *path, bool *is_taken,
                                  struct err *err)
{
    struct err why;
    const int64_t size = os_size(f);
    if (size < 0 || size > BYTES_MOST) {
        fail(err, "cannot read '%.700s': expected a file of at most %d MiB", path,
             BYTES_MOST >> 20);
        return NULL;
    }
    uint8_t *const bytes = mem_try((size_t)size + 1, 1);
    if (!bytes) {
        fail(err, "cannot read '%.700s': no memory for %lld bytes", path, (long long)size);
        return NULL;
    }
    const int64_t got = os_read_at(f, bytes, (size_t)size, 0, err);
    struct manifest *const m = got < 0 ? NULL : manifest_read(bytes, (size_t)got, &why);
    *is_taken =
        m != NULL || (got >= 0 && count &&
                      manifest_take_messages(files[count - 1].manifest, bytes, (size_t)got));
    if (got >= 0 && !*is_taken)
        fail(err, "cannot use '%.500s' as a schema: %.400s", path, why.text);
    free(bytes);
    return m;
}

bool schema_file_add(const char *path, struct err *err)
{
    if (count == FILES_MOST)
        return fail(err, "cannot use '%.700s' as a schema: at most %d files are possible", path,
                    FILES_MOST);
    struct os_file *const f = os_open(path, err);
    if (!f)
        return false;
    bool is_taken = false;
    struct manifest *const m = read_file(f, path, &is_taken, err);
    os_close(f);
    if (m)
        files[count++] = (struct schema_file){mem_string(path), m};
    return is_taken;
}

const struct schema_file *schema_file_at(unsigned index)
{
    return index < count ? &files[index] : NULL;
}

void schema_files_clear(void)
{
    while (count) {
        struct schema_file *const f = &files[--count];
        free(f->name);
        manifest_free(f->manifest);
    }
}
