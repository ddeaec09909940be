/* The live collector's own state, and how its threads share it.
 *
 *   collector  drain.c    empties the kernel's rings in time order, translates, feeds; never waits
 *                         but for the rings, opens nothing
 *   control    control.c  opens, switches and closes kernel events as `wanted` says, counts what
 *                         they fired, follows processors that come and go
 *   helper     helper.c   whatever reads files for the translators
 *
 * What control opens it publishes before it enables it (an id's slot, a ring's state: release),
 * so the collector meets no record that it does not know. What control closes it first
 * disables; then it waits until the collector has drained past that moment. */
#ifndef COLLECTORS_LINUX_LIVE_H
#define COLLECTORS_LINUX_LIVE_H

#include "collectors/linux/bpf/bpf.h"
#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/kernel/machine.h"
#include "collectors/linux/kernel/merge.h"
#include "collectors/linux/kernel/perf.h"
#include "collectors/linux/kernel/tracefs.h"
#include "collectors/linux/kernel/user_threads.h"
#include "collectors/linux/kernel/visit.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/translate.h"
#include "collectors/messages.h"

#include "src/os/os.h"

#include <stdatomic.h>

enum {
    LIVE_TICK = 500000000,   /* ns: the longest the collector sleeps … */
    LIVE_STACKS = 100000000, /* … where events bring copies of stacks, which fill queues … */
    LIVE_SOON = 3000000,     /* … where records are about to be there, or wait for answers … */
    LIVE_HELP = 20000000,    /* … and where answers are on their way */
    LIVE_BEAT = 80000000,    /* ns between two checks of control while something is under way, or
                              * of the wanted classes where changes do not wake it */
    LIVE_SECOND = 1000000000,
    /* What an interrupted writer on another processor may be late with its record: records
     * younger than this stay in the kernel's rings until the next pass. */
    LIVE_SLACK = 1000000,
    /* What is being written while its event is disabled may be late by more, where the machine is
     * somebody's guest: nothing is closed earlier than this. */
    LIVE_GRACE = 20000000,
    LIVE_FUTURE = LIVE_SECOND, /* behind a pass's end: what claims to be later has no time */
    VARIANTS = 2,              /* without and with call chains */
    RINGS_PER_CPU = 2,         /* the ring in use, and one that is being left */
};

/* One kernel event that some domain reads. */
struct row {
    const struct linux_event *event;
    struct sample_layout layout;
    struct bpf_source *bpf; /* whose records these are; NULL: perf's own */
    uint64_t config;
    uint32_t type;   /* PERF_TYPE_* */
    bool is_missing; /* this kernel or these rights do not give it */
    bool is_reported; /* … and the user knows */
    bool is_no_call;  /* this kernel lacks the system call that it is about: nothing is missing */
    bool is_on[VARIANTS];
    bool is_proven; /* was on once: its source stays */
    uint64_t missed; /* BPF: events kept from its program, as last read */
    struct err why; /* what is against it, or against its other source; may be empty */
};

enum slot_state { SLOT_OFF, SLOT_ON, SLOT_CLOSING };

/* A row on one processor, with or without call chains: one descriptor. */
struct sample_slot {
    struct sample_source source; /* constant */
    /* The collector's: samples of this opening; and how many of them were not later than
     * `check_at` (INT64_MAX: nothing to check), which control sets. */
    _Atomic uint64_t received;
    _Atomic int64_t check_at;
    _Atomic uint64_t received_then;
    /* Control's. */
    int fd;
    uint8_t state; /* enum slot_state */
    uint32_t ring;   /* of rings[]: where its records go */
    uint64_t recent; /* fired between the last two looks */
    uint64_t received_at_look, received_at_reading;
    bool is_checked; /* the last look began a check, which the next one settles */
    uint64_t id;
    int64_t disabled_at;
    struct perf_counts counts; /* as last read */
    uint64_t missing;          /* as of the last look: undelivered, or just on its way */
    uint64_t bpf_before;       /* BPF: what its program had counted at the opening … */
    bool has_chooser;          /* … or the one behind it had left out */
    uint64_t undelivered;      /* fired and never handed over, of this opening */
    struct fd_group fd_group;  /* without rights: of our user's other threads */
};

enum ring_state { RING_NONE, RING_READY, RING_MOVING, RING_LEAVING, RING_LEFT };

/* A ring of the kernel's; streams[] has the reader's side under the same index. */
struct live_ring {
    _Atomic int state; /* enum ring_state; control: NONE → READY (→ MOVING) → LEAVING; collector: LEFT */
    struct perf_map map;
    int owner, side_band; /* descriptors */
    struct fd_group side_bands; /* without rights: of our user's other threads */
    /* The collector's: times that this ring woke it, and records in it that wake by themselves. */
    _Atomic uint64_t wakes, urgent;
    uint64_t head_then;   /* bytes written as of the last look: for the rate */
    uint64_t wakes_then, urgent_then; /* likewise */
};

/* What became of the events of everything that was opened; a second old, exact at the end. */
struct live_figures {
    uint64_t fired, received, lost,
        undelivered;  /* of events the kernel counts: fired = the others' sum */
    uint64_t strayed; /* received as another event than the one that fired: a part of `undelivered`
                       * until sum_up() takes it out */
    uint64_t side_band_lost, other_lost; /* … of events that are samples by the clock */
    uint64_t lost_records;               /* sum of PERF_RECORD_LOST */
    uint64_t unknown_ids, bad; /* records nobody opened, or that do not hold what they say */
    uint64_t damaged;        /* times that a ring had to be given up to its head */
    uint64_t late;           /* records that came after their time had been passed */
    uint64_t throttled;
    uint64_t records; /* taken from the rings, of any type */
};

struct id_entry {
    _Atomic uint64_t id; /* 0: free, never used; 1: free again */
    uint32_t slot;
};

struct linux_live {
    struct collector *collector;
    struct collector_options options;
    struct feed feed;
    struct translator translator;
    struct trace_clock clock;
    struct machine machine;
    struct visit *visit;    /* control's; NULL: nobody has gone */
    struct scope scope;     /* the collector's, once it runs */
    struct tracefs tracefs; /* path empty: none */
    struct perf perf;       /* control's, once it runs */
    struct bpf *bpf;        /* likewise; NULL: none */
    struct err no_bpf;      /* why there is none */
    struct functions *functions; /* that were asked for; NULL: none */
    int64_t functions_looked;    /* at how often they are called: os_now(); 0: not yet */
    struct err no_tracefs;  /* likewise */
    bool has_reported_rights; /* what rights and mounts leave out, and what helps */
    int error;              /* errno of the last perf_open() */
    struct user_threads user_threads; /* without rights: whom we may watch */

    struct row *rows;
    struct sample_slot *slots; /* slot_of() */
    struct id_entry *ids;
    uint32_t row_count, cpu_count, slot_count, id_mask; /* cpu_count: highest possible + 1 */
    uint32_t soft_fault_row; /* of minor faults by perf; row_count: there is none */
    uint16_t adopting_cpu;   /* drain's, like the next two: see adopt() */
    uint8_t adopting_variant;
    bool has_adopted;
    bool *is_online;

    struct live_ring *rings; /* RINGS_PER_CPU of each processor */
    struct stream *streams;
    struct merge merge;
    int epoll;
    int nudge; /* in epoll: wakes the collector to its end */
    bool was_rung; /* the collector's: the rings woke it, and it may have come too early */

    struct os_thread *collector_thread, *control_thread;
    struct os_wakeup *wakeup;          /* wakes control */
    bool is_unsettled;                 /* control's: something wanted is to be tried again */
    _Atomic bool is_stopping, is_over; /* control is to close all; has closed all */
    _Atomic int64_t drained; /* everything up to here (CLOCK_MONOTONIC) has been translated */

    _Atomic uint64_t records, lost_records, unknown_ids, bad, late, throttled, damaged;
    struct live_figures figures; /* control's; what was closed is in `closed` */
    struct live_figures closed;
    _Atomic uint64_t largest; /* bytes of the largest ring so far */
    _Atomic uint64_t retuned; /* times that rings were made larger */
    _Atomic uint64_t renewed; /* rings replaced because each record woke the collector */
    uint64_t ring_bytes;      /* of a new ring */
    int64_t next_look;        /* at the counts: os_now() */
    unsigned looks;
    uint64_t records_at_look; /* of `records` */
    uint64_t side_band_lost;  /* by the rings that are there, when last read … */
    bool has_dropped;         /* … and one of them has gone since */
    uint64_t lost_then;       /* as of the last look */
    uint64_t most_undelivered; /* of one event on one processor … */
    const struct linux_event *most_undelivered_event;
    bool has_reported_undelivered, has_reported_throttled, has_reported_full;

    struct messages messages; /* of control */
};

static inline struct sample_slot *slot_of(const struct linux_live *l, uint32_t row, uint32_t cpu,
                                          unsigned variant)
{
    return &l->slots[(row * l->cpu_count + cpu) * VARIANTS + variant];
}

/* ---- drain.c: the collector's thread --------------------------------------------------- */

/* This thread and those it starts from now on go ahead of what they watch, where that is
 * permitted: the collector must not be kept from the rings, nor the rest from their work. */
enum live_nice { NICE_RINGS = -10, NICE_REST = -5 };
void live_hurry(enum live_nice nice);

void drain_run(void *live);

/* Takes everything up to `until` out of the rings. Returns the records taken. */
uint64_t drain_pass(struct linux_live *l, int64_t until);

/* ---- control.c --------------------------------------------------------------------------- */

/* Opens the rings, and what is recorded in any case: who comes and goes. False with a sentence, all
 * closed again. */
bool control_open(struct linux_live *l, struct err *err);
/* Switches on what is wanted. The rings fill from here on: everything else is ready before, above all
 * whose events are chosen, and what empties them begins soon. What was there before is asked for
 * later, or what comes in between is missed. */
void control_begin(struct linux_live *l);
void control_run(void *live);
void control_close(struct linux_live *l); /* what is left, without accounts */

/* ---- functions.c ------------------------------------------------------------------------- */

/* Finds what was asked for; false with a sentence. */
bool functions_begin(struct linux_live *l, const char *const *names, size_t count, struct err *err);
/* Once the BPF programs are loaded: can they be watched here, if there are any? */
bool functions_are_possible(const struct linux_live *l, struct err *err);
void functions_report(struct linux_live *l); /* once they are attached */
void functions_look(struct linux_live *l);   /* once a second: gives up those called too often */

/* ---- doctor.c ---------------------------------------------------------------------------- */

void live_examine(void (*report)(void *to, const struct diagnostic *f), void *to);
bool live_is_permitted(void); /* events of our own processes at least */

/* ---- describe.c -------------------------------------------------------------------------- */

bool live_describe(const struct collector_description *d, struct err *err);
bool live_describe_at(const struct collector_description *d, const char *root, struct err *err);

/* ---- rows.c: kernel events and their ids -------------------------------------------------- */

void rows_init(struct linux_live *l);
void rows_fini(struct linux_live *l);

/* Is the tracepoint recorded now? `by_bpf`: by its BPF program, which knows more. */
bool row_is_on(const struct linux_live *l, const char *name, bool by_bpf);

/* Gives a row that cannot be had by BPF after all its other source, before it is ever opened.
 * False where it has none. */
bool row_use_perf(struct linux_live *l, uint32_t row);
const struct sample_source *ids_find(const void *live, uint64_t id);
void ids_add(struct linux_live *l, uint64_t id, uint32_t slot);
void ids_remove(struct linux_live *l, uint64_t id);

#endif
