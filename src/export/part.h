/* What must be known of a trace before a part of it can be chosen: its ends, lifetimes of processes
 * and threads, and names. */
#ifndef SRC_EXPORT_PART_H
#define SRC_EXPORT_PART_H

#include "src/etl/etl.h"
#include "src/event/attribution.h"
#include "src/event/schema.h"
#include "src/trace/rundown.h"
#include "src/trace/select.h"
#include "src/trace/select_fact.h"

#include <stdatomic.h>
#include <stdio.h>

struct part_options {
    const char *const *files;
    size_t file_count;
    const char *range;        /* "A..B" (src/filter/range.h), or NULL */
    const char *filter;       /* "" or NULL: everything passes */
    bool wants_owners;        /* though there is no filter */
    bool may_ask_models; /* of fields that no record knows: part_has() is asked about all events */
    const _Atomic bool *stop; /* may be NULL */
    bool (*is_given_up)(void *of); /* asked while files are read; or NULL */
    void *of;
};

enum { SOURCES_MOST = 256 }; /* as many as an event can name */

struct trace_part {
    struct etl_file **files; /* as they were read the first time; NULL: they were not */
    size_t file_count;
    bool is_whole;    /* neither range nor filter: everything belongs to it */
    int64_t from, to; /* else: ns since 1970 UTC, both belong to it */
    bool is_linux[SOURCES_MOST]; /* by file: it was recorded there */
    struct schemas *schemas;     /* of all files, by their number, if it was asked for owners */
    struct attribution *owners;
    struct rundown *rundown; /* NULL for wholes */
    struct select *select;   /* NULL: everything passes, or … */
    struct fact_select *facts; /* … this one decides */
};

/* Reads the files, once or twice, or not at all. 0, or the exit status after a sentence to `err`.
 * part_fini() in either case. */
int part_init(struct trace_part *p, const struct part_options *o, FILE *err);
void part_fini(struct trace_part *p);

/* Opens a reader of the files. If part_init() has read them, they are not unpacked again. NULL with
 * a sentence on failure. */
struct etl_reader *part_reader(const struct trace_part *p, const char *const *files, size_t count,
                               struct err *err);

/* The same ends of a range alone: reads the files once for when they begin and end. Both ends belong to
 * it, ns since 1970 UTC. 0, or the exit status after a sentence to `err`. */
int part_range(const struct part_options *o, int64_t *from, int64_t *to, FILE *err);

/* Does the event lie in the part and pass its filter? In time order. */
bool part_has(const struct trace_part *p, const struct event *e, const struct owner *owner,
              const struct trace_clock *clock, int64_t ns);

/* After all events: what is to be said about the filter. */
void part_remarks(const struct trace_part *p, FILE *err);

#endif
