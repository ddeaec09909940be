#include "collectors/linux/translate/file_names.h"

#include "collectors/linux/translate/file_queue.h"
#include "src/base/hash.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 1 << 15, WAYS = 4 }; /* keys whose names were recorded; older ones are again */

/* After so long a name is recorded again. */
static const int64_t NAMED_NS = 10000000000;

struct file_names {
    struct name {
        uint64_t key, path; /* path: its hash */
        int64_t time;
    } names[NAMES];
};

struct file_names *file_names_new(void)
{
    return mem_new(1, sizeof(struct file_names));
}

void file_names_free(struct file_names *n)
{
    free(n);
}

size_t file_names_bytes(void)
{
    return sizeof(struct file_names);
}

uint64_t file_path_hash(const char *path, size_t bytes)
{
    return hash_bytes(HASH_START, path, bytes) | 1;
}

static struct name *name_place(struct file_names *n, uint64_t key)
{
    struct name *const b = n->names + (hash_mix(key) >> 32 & (NAMES / WAYS - 1)) * WAYS;
    struct name *oldest = b;
    for (unsigned i = 0; i < WAYS; i++) {
        if (b[i].key == key)
            return &b[i];
        if (b[i].time < oldest->time)
            oldest = &b[i];
    }
    return oldest;
}

/* Behind the last name of a file that was deleted the kernel writes this. */
static size_t undeleted(const char *path, size_t bytes)
{
    static const char mark[] = " (deleted)";
    const size_t length = sizeof mark - 1;
    const bool is_deleted = bytes > length && memcmp(path + bytes - length, mark, length) == 0;
    return is_deleted ? bytes - length : bytes;
}

bool file_names_put(struct file_names *names, struct translator *t, uint64_t key, const char *path,
                    int64_t time)
{
    const size_t bytes = strlen(path);
    if (!key || !bytes)
        return false;
    struct name *const n = name_place(names, key);
    const uint64_t now = file_path_hash(path, bytes);
    const uint64_t before = file_path_hash(path, undeleted(path, bytes));
    const bool is_same = n->key == key && (n->path == now || n->path == before);
    if (is_same && time - n->time < NAMED_NS)
        return false;
    n->time = time;
    n->key = key;
    n->path = now;
    struct payload_writer *const p =
        record_begin(t, HEADER_PERFINFO, 0x0400 | FILE_NAME, 2, 0, 0, 0, time);
    put_u64(p, key);
    put_utf16(p, path, bytes);
    record_end(t);
    return true;
}
