/* Compressed traces: only zst.c calls libzstd. */
#ifndef SRC_OS_ZST_H
#define SRC_OS_ZST_H

#include "src/base/err.h"
#include "src/os/os.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A trace is never bigger than this when unpacked: it would fill the disk first. */
#define ZST_MOST (64LL << 30)

/* Does the file start like a zstd stream? */
bool zst_is(struct os_file *f);

/* The first `bytes` that it unpacks to, or what comes before damage: how many; -1: no memory. */
int64_t zst_head(struct os_file *from, void *to, size_t bytes);

/* Asked many times a second while a file is unpacked; true ends that. */
struct zst_stop {
    bool (*is_given_up)(void *of);
    void *of;
};

/* Unpacks all of `from` (called `name` in sentences) into a file without a name,
 * at most `most` bytes: more is left, and is damage. NULL with a sentence when nothing useful came
 * out, or when `stop` (may be NULL) says so. A stream
 * that is cut or damaged gives what came before, and the sentence is in `damage`
 * (else empty): the caller says so and goes on. */
struct os_file *zst_unpack(struct os_file *from, const char *name, int64_t most,
                           const struct zst_stop *stop, struct err *damage, struct err *err);

/* Packs all of `from` into `to`, which is empty; the same bytes give the same stream. False
 * with a sentence when a file fails, or when `stop` (may be NULL) has become true. */
bool zst_pack(struct os_file *from, struct os_file *to, const _Atomic bool *stop, struct err *err);

#endif
