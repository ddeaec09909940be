/* The processes that a live session is about (-p, -n, -c). Of everybody else it has only the
 * switches and wake-ups that have one of these on the other side: what they do besides, and
 * how long they run, is not known. So no time is counted for them, and panes do not list them.
 *
 * Of a live source the engine says it at the start; a trace has it in a record of tracetop's
 * provider. The engine's thread. */
#ifndef SRC_MODEL_WATCHED_H
#define SRC_MODEL_WATCHED_H

#include "src/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct process;
struct thread;

enum { WATCHED_PIDS = 1024, WATCHED_NAME = 64 };

/* Of one source; NULL there: everybody is watched. */
struct watched {
    uint32_t *pids; /* sorted */
    size_t count;
    char name[WATCHED_NAME]; /* pattern with * and ?; "" = none */
    bool has_children;       /* and what those processes start */
};

/* One more of the source's: a process (0: none) and a pattern ("" = none). What is beyond
 * WATCHED_PIDS is ignored. */
void model_watch(struct model *m, uint32_t source, uint32_t pid, const char *name,
                 bool has_children);
void model_watched_free(struct watched *w); /* NULL is fine */

/* Whether all is known of it; true of a process of a source without a choice. */
bool model_watches(const struct model *m, const struct process *p);

/* Is it of a process that is not watched, or not known in a source that has a choice? */
bool model_is_unwatched(const struct model *m, const struct thread *t);

/* "pid 17, 18 and children"; "" where no source has a choice. Returns `out`. */
char *model_watched_text(const struct model *m, char *out, size_t room);

#endif
