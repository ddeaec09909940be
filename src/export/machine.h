/* `tracetop machine`: the computer that a trace was recorded on, or the one that runs this program, as
 * its hardware configuration events (SystemConfig, and tracetop's own of Linux) describe it. */
#ifndef SRC_EXPORT_MACHINE_H
#define SRC_EXPORT_MACHINE_H

#include "src/collect/collector.h"
#include "src/event/event.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- the page: one thread at a time ------------------------------------------------- */

struct machine_page;
struct machine_page *machine_page_new(void);
void machine_page_free(struct machine_page *p); /* NULL is fine */

/* Takes what the event says, each row once; false where it says nothing about the machine. Rows of a
 * section are bounded, further ones are counted. */
bool machine_page_take(struct machine_page *p, const struct event *e);
void machine_page_text(const struct machine_page *p, FILE *out);

/* ---- the command -------------------------------------------------------------------- */

struct machine_options {
    const char *const *files;
    size_t file_count;                    /* 0: this machine, */
    const struct collector_kind *system;  /* … as its live collector describes it … */
    const struct collector *running;      /* … or this one that runs; NULL: none does */
    bool is_json;
    const _Atomic bool *stop; /* NULL: never */
};

/* Reads all files; their records are put together, and equal ones are shown once. The page goes to
 * `out`, as text or as JSON; sentences about loss and damage, and about what could not be read, to
 * `err`. The exit status as of stats_run(), and 1 where no file has such records or the system is not
 * described. */
int machine_run(const struct machine_options *o, FILE *out, FILE *err);

#endif
