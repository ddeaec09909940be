/* Records that the state thread writes itself, as the kernel would have logged them, or of our
 * own provider where the kernel has none. */
#ifndef COLLECTORS_WINDOWS_WRITER_H
#define COLLECTORS_WINDOWS_WRITER_H

#include "collectors/intake.h"

#include "src/base/guid.h"
#include "src/base/payload_writer.h"

#include <stdatomic.h>
#include <stdbool.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

struct writer {
    struct intake *intake;
    const _Atomic bool *is_stopping;
    int64_t time; /* raw, of all records of one listing */
    struct payload_writer payload_writer;
    uint64_t room[8192]; /* 64 KiB: no record is larger */
};

/* A kernel record without a process and a thread; the payload is the caller's to write. */
struct payload_writer *writer_begin(struct writer *w, unsigned hook, unsigned version);

/* An EVENT_TRACE_HEADER record of a class that is none of the kernel's. */
struct payload_writer *writer_begin_class(struct writer *w, const struct guid *class,
                                          unsigned opcode);

/* An event of tracetop's provider (src/event/tracetop_provider.h) about a process; `fields` as
 * tracetop_write_begin(). */
struct payload_writer *writer_begin_tracetop(struct writer *w, const char *event,
                                             const char *fields, uint32_t pid);

/* UTF-16 with its end. */
void writer_put_wide(struct payload_writer *p, const WCHAR *text);

/* Hands it on, waiting for room; false when the collector is to stop. */
bool writer_end(struct writer *w);

#endif
