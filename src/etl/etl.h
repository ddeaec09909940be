/* Reading `.etl` files: portable, bounded, independent of Windows.
 *
 * Three floors. buffer.c: pure functions from spans to buffers and records.
 * file.c: one file (plain, or .zst by streaming into an unnamed file), read
 * buffer by buffer with os_read_at (scan.c), memory independent of its size. reader.c:
 * one or more files merged into one timeline over all processors.
 *
 * Damage costs the damaged buffer only: it is counted, described in a sentence
 * (file, offset, expected, found) and reading goes on. */
#ifndef SRC_ETL_ETL_H
#define SRC_ETL_ETL_H

#include "src/base/clock.h"
#include "src/base/err.h"
#include "src/event/event.h"

enum { ETL_CPUS_MOST = 2048 }; /* Windows supports no more, and a buffer names no higher one */

/* A count that no log has. */
struct etl_refused {
    const char *name; /* NULL: none was refused */
    uint32_t found, most;
};

/* Bits of LogFileMode: how a log was written. */
enum {
    ETL_MODE_SEQUENTIAL = 0x1,
    ETL_MODE_CIRCULAR = 0x2,
    ETL_MODE_APPEND = 0x4,
    ETL_MODE_NEWFILE = 0x8,
    ETL_MODE_PREALLOCATE = 0x20,
    ETL_MODE_BUFFERING = 0x400,
    ETL_MODE_KBYTES = 0x2000,
    ETL_MODE_COMPRESSED = 0x04000000,
};

/* TRACE_LOGFILE_HEADER, read by the layout of its own record (32 or 64 bit). */
struct etl_header {
    uint32_t buffer_bytes, version, build, cpus, timer_resolution, maximum_size, mode;
    uint32_t buffers_written, start_buffers, pointer, events_lost, cpu_mhz, clock_type,
        buffers_lost;
    int64_t start, end, boot; /* FILETIME */
    int64_t frequency;
    int64_t ts; /* raw timestamp of the header record: pairs with start */
    int32_t bias_minutes;
    struct etl_refused refused; /* the first count beyond its limit; such counts are 0, unknown */
    char logger[260], file[520]; /* UTF-8, unsanitized */
};

/* Was it recorded on Linux? The build is its LINUX_VERSION_CODE then; those of Windows fit 16 bits.
 */
static inline bool etl_header_is_of_linux(const struct etl_header *h)
{
    return h->build > UINT16_MAX;
}

/* What happened while reading; only grows. */
struct etl_tally {
    uint64_t events, payload_bytes; /* delivered */
    uint64_t buffers;               /* buffers whose header was good, header buffer included */
    uint64_t bytes;                 /* bytes of the file that were read */
    uint64_t damaged_buffers;       /* skipped wholly or in part */
    uint64_t skipped_bytes;
    uint64_t passed_buffers; /* of a type that holds no events (context-swap, reference time …) */
    uint64_t late_events;    /* order over a processor broken inside a buffer (reader only) */
    uint64_t missing_buffers; /* the header counts more than the file holds */
    bool never_stopped;       /* EndTime 0 or BuffersWritten short: whole up to its last buffer */
};

/* Was everything read that the file should hold? Otherwise exit status 6. */
static inline bool etl_is_whole(const struct etl_tally *t)
{
    return !t->damaged_buffers && !t->skipped_bytes && !t->missing_buffers;
}

struct etl_file;

/* Opens and reads the header buffer. The sentence says what is wrong with what is
 * not an .etl (empty, directory, too short, wrong magic …). `name` may end in .zst. */
struct etl_file *etl_open(const char *name, struct err *err);
/* The same, but a .zst is unpacked only until `is_given_up` says so: NULL with a sentence then. */
struct etl_file *etl_open_until(const char *name, bool (*is_given_up)(void *of), void *of,
                                struct err *err);
/* The same file from its beginning, whatever is under its name by now; a .zst is not unpacked
 * again. Each is closed apart. */
struct etl_file *etl_open_again(const struct etl_file *f, struct err *err);
/* Nothing more is read from this one: frees what reading took. For etl_open_again(). */
void etl_rest(struct etl_file *f);
void etl_close(struct etl_file *f); /* NULL is fine */
const char *etl_name(const struct etl_file *f);
const struct etl_header *etl_header(const struct etl_file *f);
struct trace_clock etl_clock(const struct etl_file *f);
const struct etl_tally *etl_tally(const struct etl_file *f);

/* The sentences about damage and oddities (a log never stopped) so far, oldest
 * first; at most 16 are kept, the tally counts all. NULL beyond the last. */
const char *etl_sentence(const struct etl_file *f, unsigned index);

enum etl_answer { ETL_EVENT, ETL_END, ETL_FAILED };

/* The next event in *file order*, as fast as the bytes come; good until the next
 * call. ETL_FAILED only for errors of the system (read failed), with a sentence. */
enum etl_answer etl_next(struct etl_file *f, struct event *out, struct err *err);

/* The same for up to `room` events at once (`*count` of them with ETL_EVENT), all from
 * one buffer, all good until the next call. */
enum etl_answer etl_next_many(struct etl_file *f, struct event *out, size_t room, size_t *count,
                              struct err *err);

/* ---- several files, time order ------------------------------------------------ */

struct etl_reader;

/* Opens all or none; event.source is the index of the file. */
struct etl_reader *etl_reader_open(const char *const *names, size_t count, struct err *err);
/* The same of files that are open, by etl_open_again(). */
struct etl_reader *etl_reader_open_again(struct etl_file *const *files, size_t count,
                                         struct err *err);
void etl_reader_close(struct etl_reader *r);
size_t etl_reader_files(const struct etl_reader *r);
struct etl_file *etl_reader_file(struct etl_reader *r, size_t index);

/* The next event in time order over all files and processors (ties: lower file,
 * lower processor, file order); good until the next call. */
enum etl_answer etl_reader_next(struct etl_reader *r, struct event *out, struct err *err);

/* Back to the first event: the same events come in the same order once more. What damage is met
 * again is counted again. */
void etl_reader_rewind(struct etl_reader *r);

/* A compressed log that somebody writes, from its beginning on; an unfinished buffer at its end is
 * none yet. Other logs change inside of their buffers as they grow: refused with a sentence. */
struct etl_reader *etl_reader_open_growing(const char *name, struct err *err);
/* Looks for buffers that came since then, whose events follow in their places in time, and reads
 * the log header again. `is_final`: nobody writes any more, and what is unfinished at the end is
 * damage. False for errors of the system. */
bool etl_reader_grow(struct etl_reader *r, bool is_final, struct err *err);
/* The event that came last comes once more, behind older ones that were found since. */
void etl_reader_put_back(struct etl_reader *r);
/* When the newest buffer begins, as a raw time. */
int64_t etl_reader_newest(const struct etl_reader *r);

/* Bytes of all files consumed and in total, for progress. */
void etl_reader_progress(const struct etl_reader *r, uint64_t *done, uint64_t *total);

#endif
