/* A session: one collector, its rings and the engine over them, started and stopped in
 * the right order. What the full screen and `top` have in common. */
#ifndef SRC_COMMAND_SESSION_H
#define SRC_COMMAND_SESSION_H

#include "src/collect/collector.h"
#include "src/command/command.h"
#include "src/engine/engine.h"

#include <stdint.h>
#include <stdio.h>

struct session_options {
    const struct collector_kind *kind;
    struct collector_options collector;
    uint64_t ring_bytes; /* hot ring; 0 = by ring_ns, or else by the machine's memory */
    int64_t ring_ns;     /* history wanted: see session_ring_bytes() */
    size_t facts;        /* kept; 0: as the engine does */
    const char *capture; /* which events are stored (src/collect/capture.h); NULL or "": all */
    const char *pushed;  /* what of that the collector's scope does already; or NULL */
    int64_t interval_ns;
    int64_t names_ns;    /* see struct engine_options */
    int64_t origin_ns;   /* an instant at which an interval begins; 0: the first event's */
    bool has_no_engine;  /* the caller reads the rings; then interval, names, symbols, triggers and
                          * frames have no meaning */
    bool has_symbols;        /* stacks with names … */
    const char *symbol_path; /* … from here, too; see struct engine_options */
    struct symbol_downloads downloads;
    const char *const *triggers; /* see struct engine_options */
    size_t trigger_count;
    const char *const *spans; /* see struct engine_options */
    size_t span_count;
    const struct request *only;     /* see struct engine_options; NULL = any */
    struct os_wakeup *frame_wakeup; /* see struct engine_options */
    /* Gets the status to end with where the session cannot be started: EXIT_PRIVILEGE where rights
     * are missing, what the collector says, else EXIT_ERROR. NULL: not asked for. */
    enum exit_status *refusal;
};

struct session {
    struct collector collector;
    struct collector *collectors[1]; /* what the engine is given */
    struct ring *hot, *slow;
    struct engine *engine; /* NULL: the caller reads the rings */
    int64_t start_ns; /* when it began to collect, ns since 1970 */
    struct engine_figures figures; /* as of session_stop() */
};

/* The bytes for --ring TIME. A ring cannot grow while it is in use, and the event rate is not known
 * before: so it has room for a busy machine (demo: for its rate), up to an eighth of the memory.
 * The status line shows how many seconds it really holds. Pages that were never written cost
 * nothing. */
uint64_t session_ring_bytes(const struct session_options *o);

/* What --ring is where it is not given: a part of the memory, and no more than suffices. */
uint64_t session_ring_default(void);

/* How many facts a live session with such a ring keeps. */
size_t session_facts_default(uint64_t ring_bytes);

/* The bytes that a live session with such a ring takes at most, as doctor shows them. */
struct session_memory {
    uint64_t ring;      /* with the slow ring */
    uint64_t window;    /* the kept facts */
    uint64_t tables;    /* rows, processes, files, names, stacks, symbols, … */
    uint64_t collector; /* its tables, its queues, symbol files and unwind tables */
    uint64_t program;   /* code, libraries, free heap */
    uint64_t all;       /* of the above */
    uint64_t frozen;    /* and so much more while the picture is frozen */
};
struct session_memory session_memory(uint64_t ring_bytes);

/* Rings, collector, engine. NULL with a sentence, and nothing is left running. */
struct session *session_start(const struct session_options *o, struct err *err);

/* Nothing more is collected, and what was lost is known to the event; the engine goes on with what
 * there is. */
void session_stop_collecting(struct session *s);

/* For a program that is at its end but for threads: it ends within seconds, whatever they wait
 * for. */
void session_leave_soon(void);

/* Has everything come to the ring that happened until then (ns since 1970)? */
bool session_has_all(const struct session *s, int64_t until);

/* Collector, engine, rings; the figures stay until session_free(). Without an engine they are losses
 * alone: what was read is known to the caller. */
void session_stop(struct session *s);
void session_free(struct session *s); /* NULL is fine */

/* What the session is, on a page: its source, since when it collects, events and losses by cause. Any
 * thread, while the session runs. */
void session_info(const struct session *s, FILE *out);

/* The share of events that never reached the model, in percent. */
double session_loss_percent(const struct session *s);

/* The exit status: LOST above the limit (percent; negative = none), else the collector's. */
int session_status(const struct session *s, double fail_on_loss);

/* What the collector has to say so far, such as which events it may not read. */
void session_notices(const struct session *s, FILE *to);

/* The sentence about losses, for standard error; nothing when nothing was lost and the collector
 * has nothing to say. With the events that were analyzed, unless the caller counts others: a
 * recording names those that its file holds. */
void session_summary(const struct session *s, bool counts_events, FILE *to);

#endif
