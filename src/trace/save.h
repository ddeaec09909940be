/* Saving: events of a running session into an `.etl` file, with what makes it a trace of its
 * own (configuration and rundown in front, rundown behind, losses in the header). Under a
 * temporary name until it is complete; never over a file that exists unless that was asked
 * for. A log that goes on in another file (src/etl/log.h) does so with rundowns at either side.
 * Schemas from outside the trace go into each file that needs them (schema_records.h), and which
 * PDB belongs to an image of this machine (image_ids.h).
 * One thread. */
#ifndef SRC_TRACE_SAVE_H
#define SRC_TRACE_SAVE_H

#include "src/collect/collector.h"
#include "src/etl/log.h"

struct model_rundown;
struct schema_records;
struct image_ids;

struct save_options {
    const char *path;
    bool replace;
    const struct collector *collector; /* whose events are saved; its first source's clock
                                        * becomes the file's */
    enum etl_log_mode mode;
    uint64_t most_bytes; /* of a file; 0 = no bound (sequential only) */
    unsigned files_most; /* rotate: the oldest go; 0 = all stay */
    unsigned first_number; /* rotate: of the first file; 0 = 1 */
    int64_t most_ns;       /* rotate: the time that a file covers at most; 0 = no bound */
    bool is_compressed;  /* not circular */
    bool is_stream;      /* long, and not read soon; see struct etl_write_options */
    int64_t until_ns;    /* the end of its range (ns since 1970); 0: there is none */
    bool keeps_part;     /* when writing fails, what was written before is worth its name */
    /* Rotate: what was alive where one file ends and the next begins (ns since 1970); the save
     * frees it. NULL: nothing is known. */
    struct model_rundown *(*rundown)(void *state, int64_t at_ns, bool is_end);
    void *state;
};

struct save {
    struct save_options o;
    struct etl_log *log;
    struct trace_clock clock;
    bool is_begun; /* the file in the making says when it began */
    uint8_t *scratch;               /* a record on its way to another clock, or with a schema */
    struct schema_records *schemas; /* NULL: there are none from outside */
    struct image_ids *images;       /* NULL: there are no files of images */
    bool is_ending;                 /* schemas go into this file, whatever its size */
    struct record_head last;        /* of the record that was appended last */
    uint64_t events;           /* saved, rundowns not counted */
    int64_t first_ns, last_ns; /* of those; 0 = none */
    int64_t file_ns;           /* the first in the current file; 0 = none yet */
    uint64_t lost;             /* lost events, as the file reports them */
    uint64_t unidentified;     /* images whose files there was no time for (image_ids.h) */
    int64_t from_ns;           /* see save_from() */
    struct err err;            /* the first thing that went wrong */
    bool has_failed;
};

/* Creates the file and its header. False with a sentence; then nothing is left behind. The
 * save stays where it is until it has ended. */
bool save_open(struct save *s, const struct save_options *o, struct err *err);

/* The least `most_bytes`: each processor has a buffer of its own, which ends a file as full as it
 * is then, and a file must be large enough that this is its lesser half. */
uint64_t save_least_bytes(const struct collector *c);

/* Is there room for it? Only sequential files with a bound are ever full. */
bool save_has_room(const struct save *s, const struct record_head *head);

/* Events before this (ns since 1970) are left out by the caller: so are the stacks, which come
 * later, of such events. */
void save_from(struct save *s, int64_t ns);

/* A record as a ring holds it, and when it was (ns since 1970; 0: not known). What fails is
 * remembered in s->err; later records are left out then. */
void save_put(struct save *s, const struct record_head *head, const void *record, int64_t ns);
/* The same of a record that gets another time, `ns`. */
void save_put_at(struct save *s, const struct record_head *head, const void *record, int64_t ns);

/* The same for all records of a rundown; those in front are kept by circular files, and the
 * others leave as much room for the end. */
void save_rundown(struct save *s, const struct model_rundown *r, bool is_in_front);

/* A record of the engine's marks, whose time counts ns since 1970. */
void save_mark(struct save *s, const struct record_head *head, const void *record);

/* Losses that no record reports. */
void save_lost(struct save *s, uint64_t events);

/* What was put so far is in the hands of the system from here on, with the schemas that it needs
 * where there is room for them now; the others follow at the end. */
void save_flush(struct save *s);

/* Completes the file and gives it its name. False with a sentence, and the unfinished file is
 * gone, unless its part is kept: then it says where. Ends the save in any case; its counts stay
 * readable. */
bool save_finish(struct save *s, struct etl_written *written, struct err *err);

/* Removes what there is. */
void save_drop(struct save *s);

#endif
