/* Writing `.etl` files: buffers and records as an ordinary Windows session leaves them.
 *
 * A writer has one buffer for each processor that logged something. Records go in verbatim; a
 * full buffer goes to the file in one write. The file can be read from its first moment on:
 * the log header is written when the writer is opened and only completed at the end (end
 * time, counts, losses), so a program that is killed leaves a log that "was never stopped" and
 * is whole up to its last buffer. What was written is in the hands of the system: it outlives
 * the program, not the machine.
 *
 * One thread at a time. Nothing is allocated for an event; a processor's buffer is when its
 * first event comes. */
#ifndef SRC_ETL_WRITE_H
#define SRC_ETL_WRITE_H

#include "src/etl/etl.h"
#include "src/os/os.h"

enum {
    ETL_WRITE_BUFFER = 64 * 1024,       /* what Windows takes by default */
    ETL_WRITE_BUFFER_FULL = 128 * 1024, /* holds every record: their size has 16 bits */
    ETL_WRITE_BUFFER_LEAST = 1024,
    ETL_WRITE_BUFFER_MOST = 16 * 1024 * 1024,
    ETL_WRITE_CPUS = 2048, /* a buffer's processor index has 11 bits */
    ETL_WRITE_HEADER_ROOM = 32 + 280 + 2 * (260 + 520),
};

/* Makes the record of a log header from the fields of `h`: cpus, build, clock_type, frequency, ts
 * with its start, boot, timer_resolution (0: as most machines have it), cpu_mhz (0: not known, and
 * never written: some readers divide by it), bias_minutes, version (the system's, not that of its
 * log format; 0: Windows 10), pointer (4: SYSTEM32; else 8 and SYSTEM64), the two names. Counts and
 * sizes are the writer's. `out` has ETL_WRITE_HEADER_ROOM bytes; returns the record's size. */
uint32_t etl_log_header(const struct etl_header *h, uint32_t pid, uint32_t tid, uint8_t *out);

struct etl_write_options {
    const char *name;      /* for sentences */
    const uint8_t *header; /* the log header's record: of etl_log_header(), or another log's */
    uint32_t header_bytes;
    uint16_t header_cpu;
    uint32_t buffer_bytes; /* a multiple of 8; 0 = ETL_WRITE_BUFFER */
    uint64_t most_bytes;   /* 0: the file grows; else it is circular and keeps the newest: at
                              this size (or a little below) the oldest buffers are overwritten */
    bool is_compressed; /* buffers are packed (Xpress), each takes what it needs and is whole when
                           it is flushed; not of a circular file */
    bool is_numbered;   /* the file is one of several that a log goes on in */
    bool is_stream;     /* much will come, and nobody reads it soon: full buffers go on to the
                           medium and out of the system's cache */
};

/* What went in so far. Whatever was not kept is counted. The header's BuffersWritten says how many
 * the file holds: that is what readers walk through. */
struct etl_written {
    uint64_t events;  /* appended, the log header included */
    uint64_t buffers; /* written, the header's included, overwritten ones as well */
    uint64_t bytes;   /* of the file */
    uint64_t lost_events, lost_buffers; /* of the header */
    uint64_t overwritten_buffers;       /* of a circular file */
    uint64_t overwritten_events;
};

struct etl_write;

/* Writes the log header into `file`, which is empty and stays the caller's. NULL with a
 * sentence when the header is none, the sizes do not go together, or writing fails. */
struct etl_write *etl_write_new(struct os_file *file, const struct etl_write_options *o,
                                struct err *err);

/* The log began at `ts`, which is `start` as FILETIME; else its header says when. */
void etl_write_begin(struct etl_write *w, int64_t ts, int64_t start);

/* Appends what `head` and the on-disk record behind it say: RECORD_ETW into the buffer of its
 * processor (those of one processor come in order of time), RECORD_LOST into the counts.
 * False with a sentence, and nothing is appended: the file cannot be written now, the record
 * is longer than any buffer, or its processor is no number that a buffer can bear. The writer
 * can be used further. */
bool etl_write_append(struct etl_write *w, const struct record_head *head, const void *record,
                      struct err *err);

/* Bytes of the file, finished, if this record were appended as well; of a compressed one, the
 * most it may have then. */
uint64_t etl_write_size_with(const struct etl_write *w, const struct record_head *head);

/* The longest record that a buffer holds. */
uint32_t etl_write_record_most(const struct etl_write *w);

/* Brings everything appended so far to the file, and the counts into its header. Buffers
 * that are not full go on filling in their place: flushing often costs writes, not bytes.
 * Compressed ones end there, and pack less well where they are small. */
bool etl_write_flush(struct etl_write *w, struct err *err);

/* Flushes; what is written by then is never overwritten by a circular file (rundown,
 * configuration). False also when nothing would be left for what follows. */
bool etl_write_keep(struct etl_write *w, struct err *err);

/* Flushes and completes the header: the log counts as stopped. `end` is its FILETIME; the
 * last event's where that is later. Nothing can be appended behind it. False when the file
 * does not take all of it: what it does not is counted as lost, in the header as well, and
 * the log is whole up to its last buffer. */
bool etl_write_finish(struct etl_write *w, int64_t end, struct err *err);

struct etl_written etl_write_count(const struct etl_write *w);

/* Frees the writer, writes nothing; NULL is fine. */
void etl_write_free(struct etl_write *w);

#endif
