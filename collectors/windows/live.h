/* The live collector of Windows: its state, and how its threads share it.
 *
 *   etw        consumer.c  one per session; copies events into an intake, nothing else
 *   collector  drain.c     takes the intakes in the order of time, feeds the rings
 *   control    control.c   switches classes, asks for what was lost, restarts, retunes
 *   state      state.c     lists what exists when we begin; writes records into an intake
 *
 * Late events. ETW delivers a processor's events when its buffer is full or flushed, so those
 * of an idle processor come later than those of a busy one. Control has buffers flushed five
 * times a second; what came is held for two such spans and then released in order. Where we
 * may not flush (a session of somebody else) it is two seconds: twice the flush timer. */
#ifndef COLLECTORS_WINDOWS_LIVE_H
#define COLLECTORS_WINDOWS_LIVE_H

#include "collectors/feed.h"
#include "collectors/intake.h"
#include "collectors/messages.h"
#include "collectors/windows/consumer.h"
#include "collectors/windows/etw_session.h"
#include "collectors/windows/provider.h"
#include "collectors/windows/sampling.h"
#include "collectors/windows/scope.h"

#include "src/collect/collector.h"
#include "src/os/os.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LIVE_MS 1000000ll
enum { LIVE_BEAT_MS = 100, LIVE_FLUSH_MS = 200, LIVE_LATE_MS = 2000 };

enum intake_id { INTAKE_KERNEL, INTAKE_EVENTS, INTAKE_STATE, INTAKE_RUNDOWN, INTAKES };
_Static_assert((int)INTAKES <= (int)ORDER_INTAKES, "an order holds them all");

/* One session that we read, and what it takes to have it again when it goes. */
struct read_session {
    struct etw_session session; /* ours; not when attached */
    struct consumer consumer;
    bool is_attached; /* somebody else's */
    bool is_wanted;   /* it is to run */
    bool can_flush;
    bool is_full; /* it can have no more buffers */
    uint32_t most_buffers, buffer_kb;
    uint64_t lost_events, lost_buffers;               /* by all sessions of this part so far … */
    uint64_t lost_events_before, lost_buffers_before; /* … and by those that have ended */
    uint64_t retuned_at;                              /* losses as of the last change of buffers */
    unsigned unanswered;                              /* queries in a row that returned no loss */
    bool reported_unknown;
    int64_t retry_at, back_off, gone_at, began_at; /* os_now(), ns */
};

/* How far the search for names of what was open before is; control's. */
struct names {
    unsigned step;
    int64_t until; /* os_now(), ns: names of this step are waited for */
};

enum gap { GAP_NONE, GAP_STOPPED, GAP_NAMES };

struct windows_live {
    struct collector *collector;
    struct collector_options options;
    struct feed feed; /* drain's */
    struct trace_clock clock;
    unsigned processors;
    struct intake *intakes[INTAKES]; /* NULL: not needed */
    struct order *order;             /* drain's */
    struct scope *scope;             /* likewise; NULL: everything */
    int64_t ahead, newest;           /* likewise: how much the sessions' clock is ahead of ours, raw;
                                      * time of the last record */
    struct read_session kernel, events;
    struct live_provider *providers;
    size_t provider_count;

    struct os_thread *drain_thread, *control_thread, *state_thread;
    struct os_wakeup *drain_wakeup, *control_wakeup;
    _Atomic bool is_stopping; /* control is to end the sessions */
    _Atomic bool is_over;     /* all sessions have ended: what is in the intakes is all */
    _Atomic int64_t window;   /* ns that events are held */

    /* Control's. */
    uint32_t classes, stacks; /* that are on */
    bool uses_providers;      /* System providers instead of EnableFlags, which are refused */
    ULONG masks[ETW_GROUP_MASKS]; /* that the session has, where they are set by flags */
    struct names names[NAME_KINDS];
    _Atomic unsigned names_missing; /* bit per kind: state's thread is to list them */
    bool has_applied;         /* classes and stacks are what the session has */
    int64_t next_flush, next_look;
    uint32_t reported_refused;
    struct sampling sampling;
    bool counts; /* samples by counters are on */
    bool reported_no_stacks;

    struct messages messages;  /* of control and state */
    _Atomic int wants_gap;     /* enum gap: a gap in the events is to be marked */
    _Atomic uint32_t interval; /* of sampling, 100 ns: to be reported; 0 = it was */
};

/* ---- drain.c ------------------------------------------------------------------------------ */

void drain_run(void *live);

/* ---- control.c ---------------------------------------------------------------------------- */

/* Starts the sessions and their consumers. False with a sentence, nothing left running. */
bool control_open(struct windows_live *l, enum session_trouble *trouble, struct err *err);
void control_run(void *live);

/* ---- switch.c ----------------------------------------------------------------------------- */

/* Makes the kernel session log what is wanted; says what it cannot. */
void switch_classes(struct windows_live *l);

/* Clears the group mask of the kernel's session and sets it again. False where it has none, or it
 * cannot be cleared. */
bool switch_clear(struct windows_live *l);

/* Enables the providers of -e in the session for events. */
void switch_providers(struct windows_live *l);

/* ---- names.c ------------------------------------------------------------------------------ */

struct names_row {
    uint32_t classes, flags; /* that make use of the names; EnableFlags that list them */
    const char *what;
};

extern const struct names_row names_rows[NAME_KINDS];

/* Has names listed of what was open before, once they are wanted. */
void names_look(struct windows_live *l, int64_t now);

/* ---- loss.c ------------------------------------------------------------------------------- */

/* Asks what was lost; more buffers where some was. */
void loss_look(struct windows_live *l, struct read_session *p);
void loss_close(struct read_session *p); /* its session has ended: the next counts from 0 */
void loss_publish(struct windows_live *l);

/* ---- state.c ------------------------------------------------------------------------------ */

void state_run(void *live);

/* ---- doctor.c ----------------------------------------------------------------------------- */

void live_examine(void (*report)(void *to, const struct diagnostic *f), void *to);
bool live_is_permitted(void);

#endif
