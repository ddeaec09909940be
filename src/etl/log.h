/* A recording in the making: an `.etl` file under a name, or several.
 *
 *   sequential   PATH grows until it is finished (or full, see etl_log_has_room())
 *   circular     PATH keeps the newest events within a size
 *   rotate       PATH "x.etl" goes on in x-0001.etl, x-0002.etl …, each a log of its own:
 *                with buffers numbered from 0, and a time at which it began
 *
 * Files have their names when they are complete (src/os/atomic_file.h). Until then they can be read
 * as "….partial", which is what a program that is killed leaves behind. One thread at a time;
 * nothing is allocated for an event. */
#ifndef SRC_ETL_LOG_H
#define SRC_ETL_LOG_H

#include "src/etl/write.h"

enum etl_log_mode { ETL_LOG_SEQUENTIAL, ETL_LOG_CIRCULAR, ETL_LOG_ROTATE };

struct etl_log;

struct etl_log_options {
    const char *path;
    bool force; /* what has the name may be replaced */
    enum etl_log_mode mode;
    uint64_t most_bytes;   /* of a file; 0 = no limit (sequential only) */
    unsigned files_most;   /* rotate: the oldest go; 0 = all stay */
    unsigned first_number; /* rotate: of the first file; 0 = 1 */
    bool is_compressed;    /* not circular */
    const uint8_t *header; /* as in struct etl_write_options; copied */
    uint32_t header_bytes, buffer_bytes;
    bool is_stream;        /* as in struct etl_write_options */
    bool is_whole_or_none; /* a file that cannot be completed is removed, not kept in part */
    /* Rotate: appends what a file ends with and what the next one begins with (who is alive,
     * how the machine is made), as the log's owner does for its first and last. May be NULL. */
    bool (*edge)(void *state, bool is_end, struct err *err);
    void *state;
};

/* The first file. NULL with a sentence, and nothing is left behind. */
struct etl_log *etl_log_new(const struct etl_log_options *o, struct err *err);

/* The file in the making began then (as etl_write_begin()). */
void etl_log_begin(struct etl_log *l, int64_t ts, int64_t start);

/* Is there room for this record, and for an end like the front that was kept? Only a
 * sequential log with a limit is ever full. */
bool etl_log_has_room(const struct etl_log *l, const struct record_head *head);

/* Does this record fit into the file that is being written: would appending it neither begin another
 * file nor exceed the limit? */
bool etl_log_stays(const struct etl_log *l, const struct record_head *head);

/* As the writer's (src/etl/write.h). Append may finish one file and begin the next. */
bool etl_log_append(struct etl_log *l, const struct record_head *head, const void *record,
                    struct err *err);
bool etl_log_flush(struct etl_log *l, struct err *err);

/* Rotate: ends the current file, whatever its size, and begins the next. */
bool etl_log_next(struct etl_log *l, struct err *err);

/* What was appended so far is the file's front: a circular log never overwrites it, the others
 * leave as much room for the end. False when it leaves too little for anything else. */
bool etl_log_keep(struct etl_log *l, struct err *err);

/* The log's end begins: what is appended from here on belongs to the file that is being written,
 * whatever its size. */
void etl_log_begin_end(struct etl_log *l);

/* Completes the (last) file, gives it its name and frees the log in any case. False when not
 * everything could be written: the file then has the rest, and the count of lost events. The error
 * is `before`, an earlier one (NULL: none), or the one from here, and says what became of the file.
 * `all` gets the sums of all files (NULL is fine). */
bool etl_log_finish(struct etl_log *l, int64_t end, const struct err *before,
                    struct etl_written *all, struct err *err);

/* Removes the file in the making and frees the log; files that are complete stay. NULL is
 * fine. */
void etl_log_drop(struct etl_log *l);

/* All files together; overwritten: also what went with the oldest files. */
struct etl_written etl_log_count(const struct etl_log *l);
unsigned etl_log_files(const struct etl_log *l); /* begun so far */

/* The name of a log's file by its number, from 1 on: where the log rotates "x.etl" with 3 is
 * "x-0003.etl", and "x%d.etl" is "x3.etl", as for Windows' own tools. free() it. */
char *etl_log_name(const char *path, enum etl_log_mode mode, unsigned number);

#endif
