/* Collectors: where events come from. A collector runs on threads of its own and
 * fills rings; it never calls into the engine. A live collector never waits: a
 * full ring is a counted loss. A replaying collector waits, so a file loses
 * nothing. collectors/collectors.c holds the table. */
#ifndef SRC_COLLECT_COLLECTOR_H
#define SRC_COLLECT_COLLECTOR_H

#include "src/base/clock.h"
#include "src/base/err.h"
#include "src/base/notices.h"
#include "src/collect/capture.h"
#include "src/ring/ring.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLASS_BITS = 32 }; /* of masks of enum fact_class */

/* What one source (a file, a machine, a clock) is; immutable once published. */
struct source {
    char name[256]; /* file name or "synthetic seed 7"; sanitize before showing */
    struct trace_clock clock;
    int64_t start_ns, end_ns;  /* span where it is known beforehand (files), else 0 */
    uint32_t cpus;
    uint32_t build;            /* OS build (Linux: as in LINUX_VERSION_CODE), 0 unknown */
    uint32_t version; /* of Windows as headers have it: major, minor, log format; 0 unknown */
    uint32_t timer_resolution; /* 100 ns, 0 unknown */
    uint32_t mhz;              /* of its processors, 0 unknown */
    int64_t boot_ns;           /* when it was started, 0 unknown */
    int32_t bias_minutes;      /* of its time zone then: UTC = local time + this */
    uint8_t pointer;           /* of the machine, 4 or 8 */
    bool is_synthetic;
    bool is_linux;             /* it has no registry, and fork and exec instead of Start */
    uint64_t events_lost, buffers_lost; /* what the source's own header reports */
};

/* Loss by cause, counted by the collector; every counter only grows. */
struct collector_loss {
    _Atomic uint64_t kernel;   /* k: events the system lost before they reached us */
    _Atomic uint64_t buffers;  /* r: whole (real-time or file) buffers lost or unreadable */
    _Atomic uint64_t skipped;  /* d: bytes or records that could not be read as events */
    _Atomic uint64_t skipped_bytes;
    _Atomic bool is_unknown; /* the system no longer reports its losses: k and r do not change */
    /* Parts of `kernel`, by cause, where the system counts them separately. */
    _Atomic uint64_t undelivered; /* counted by the system, never delivered */
    _Atomic uint64_t throttled; /* times that the system paused sampling */
    _Atomic uint64_t lost;      /* for want of room in the system's buffers, of `made` */
    _Atomic uint64_t intake;    /* events for which there was no room on their way to the ring */
    /* Live: the events that the system says it made, and those of them that came. made =
     * received + lost + undelivered; about a second old while it runs, exact after the end. */
    _Atomic uint64_t made, received;
    _Atomic uint64_t unpaired;  /* operations whose begin or end was not seen; no loss of events */
};

/* What a live collector watches; empty: everything. */
struct collector_scope {
    const uint32_t *pids;
    size_t pid_count;
    const char *name;       /* pattern for process names, with * and ?; NULL = any */
    bool has_children;      /* and what those processes start */
};

/* One line of what `tracetop doctor` finds out. */
struct diagnostic {
    char subject[64]; /* "sched:sched_switch", "privileges" … */
    char state[16];   /* "BPF", "perf", "off", "missing", "ok" … */
    char why[256];    /* a sentence; may be empty */
    char loses[256];  /* where it is bad: what the user does not see; empty: `why` says it */
    char fix[4352];   /* the one command that changes it; may be empty (it may hold a path) */
    bool is_bad;      /* rights are missing: what the system itself lacks is not bad */
};

/* What a collector's own tables hold. */
enum collector_part {
    COLLECTOR_MAILBOX,        /* answers about what was there before */
    COLLECTOR_UNWIND_QUEUE,   /* copies of stacks, and what came of them */
    COLLECTOR_UNWIND_TABLES,
    COLLECTOR_TABLES,         /* threads, files, sockets and requests, to translate events */
    COLLECTOR_PARTS,
};

struct os_wakeup;

/* Shared by the collector's threads, the engine and the ui. Rings are made by the
 * caller of `start` and owned by it; everything else is the collector's to write. */
struct collector {
    const struct collector_kind *kind;
    struct ring *hot;    /* all events; one producer: the collector's thread */
    struct ring *slow;   /* rare events once more, kept longer; same producer */
    struct source sources[SOURCE_MAX];
    _Atomic unsigned source_count; /* sources below this are complete; release/acquire */
    struct collector_loss loss;
    struct capture_slot capture; /* which events are stored; the owner's */
    struct collector_scope watched; /* live: whom it watches. Written before start() returns; the
                                     * collector's */
    _Atomic bool stop;        /* set by the owner: finish soon */
    _Atomic int speed;        /* replay: 1, 2, 4 … ×; 0 = as fast as possible; live: ignored */
    _Atomic bool paused;      /* replay only */
    /* Live: bits of enum fact_class. `wanted` (with stacks: `wanted_stacks`) is the owner's and
     * may change at any time; the collector follows within a tenth of a second and says in
     * `active` what is on, in `refused` what it cannot have (a notice says why). `request` is
     * signaled with each change (the owner's, and stays longer than the collector); without it the
     * collector looks some times a second. */
    _Atomic uint32_t wanted, wanted_stacks;
    _Atomic uint32_t active, active_stacks, refused;
    _Atomic int64_t switched_ns[CLASS_BITS]; /* when the class went on or off last, ns since 1970 */
    /* Live: stacks of users are copied to be unwound (for who has no frame pointers), which takes so
     * many percent of a processor at most; 0: they are not. And how many were not, there being too
     * many at once: these go as far as frame pointers lead. */
    _Atomic uint32_t unwind_percent;
    _Atomic uint64_t stacks_short;
    /* Live: since when records are held back whose names are being looked up, as the ring's time
     * (wall clock, ns); 0: none are. Until they come, "completed" is not true of them. */
    _Atomic int64_t held_since;
    struct os_wakeup *request;
    _Atomic uint64_t held[COLLECTOR_PARTS]; /* bytes, about a second old */
    /* Live: the names of what was there before are on their way: a first table without them would
     * be full of records of unknown processes. Cleared when they are in the ring, and complete. */
    _Atomic bool is_naming;
    /* Live: when the engine reads events next, as os_now(). The collector puts events into the ring
     * by then, not much earlier. In the past or 0: not known. */
    _Atomic int64_t due;
    /* Live: rung by the collector when a good part of its hot ring waits to be read: who reads may
     * rest until then. The reader's, set when it begins, and stays longer than the collector runs;
     * NULL: nobody rests. */
    _Atomic(struct os_wakeup *) reader;
    _Atomic int64_t progress; /* replay: bytes or events done … */
    _Atomic int64_t progress_end; /* … of how many; 0 unknown */
    struct notices notices; /* sentences for the user */
    /* 0, or 6 when bytes were skipped … (src/README.md, Exit status). Live, of a start that failed:
     * the status to end with; 0: 3 where rights are missing, else 1. */
    _Atomic int exit_status;
    /* Live: the right or mount that is missing, and the command that changes it; "": none. Written
     * before start() returns. */
    char lack_why[256], lack_fix[NOTICE_BYTES];
    void *state;              /* the collector's own */
};

/* Linux: where events come from; auto takes the better of what there is. */
enum kernel_source { KERNEL_AUTO, KERNEL_PERF, KERNEL_BPF };

struct collector_options {
    const char *const *files; /* etl */
    size_t file_count;
    const char *folder;       /* recorder: of its ring on disk */
    int speed;                /* see struct collector */
    uint64_t seed;            /* synthetic */
    uint64_t events;          /* synthetic: stop after so many; 0 = endless */
    uint64_t rate;            /* synthetic: events per second of real time; 0 = as fast as possible */
    int64_t start_ns;         /* synthetic: first event's time; 0 = now */
    unsigned hostile;         /* synthetic: of 1000 names, how many are made to hurt terminals */
    uint32_t wanted, wanted_stacks; /* live: bits of enum fact_class to begin with */
    struct collector_scope scope;   /* live */
    uint8_t kernel_source;    /* live: enum kernel_source */
    bool boosts_priority;     /* live: the caller's thread and those it starts go ahead of what
                               * they watch, where that is permitted */
    bool no_unwinding;        /* live: users' stacks as far as frame pointers lead */
    uint64_t kernel_bytes;    /* live: the system's buffers per processor; 0 = by rate */
    /* ETW: */
    uint64_t buffer_count;    /* so many buffers of kernel_bytes each; 0: see there */
    const char *session_name; /* of our sessions; NULL = "tracetop" */
    const char *attach;       /* read this session, which is somebody else's; NULL = our own */
    bool stops_existing;      /* a session of our name that runs already is stopped */
    uint32_t kernel_flags;    /* EnableFlags of the kernel besides those of wanted classes */
    int64_t sample_ns;        /* between samples of a processor; 0: as the machine is set */
    const char *const *counters; /* of processors, NAME[:COUNT]: samples by these, too */
    size_t counter_count;
    const char *const *enable; /* PROVIDER[:KEYWORDS[:LEVEL]] … */
    size_t enable_count;
};

/* Who takes the description of a machine: its records, good until the call returns, and sentences
 * about what could not be read. */
struct collector_description {
    void (*event)(void *to, const struct event *e);
    void (*sentence)(void *to, const char *sentence);
    void *to;
    const _Atomic bool *stop; /* ends it early when it becomes true; NULL: never */
    const struct collector *running; /* of that kind, whose machine is meant; NULL: none is */
};

struct collector_kind {
    const char *id;   /* "etl", "synthetic" … */
    const char *title; /* for people: "trace files", "demo" … */
    const char *help;
    bool is_live;     /* live collectors lose; replays wait */
    bool calls_reader; /* see there */
    /* Once, before the program gives up rights (src/os/rights.h): what only they can set, such as
     * limits; NULL: nothing. */
    void (*prepare)(void);
    /* Whether this process was started by another one of ours as a helper for this kind, and by now
     * has done what it was started for. Before the command line is read; NULL: there are none. */
    bool (*help_out)(int argc, char **argv);
    /* Opens what there is to open (errors come back here, as a sentence), publishes
     * what is known of its sources, starts its thread(s). */
    bool (*start)(struct collector *c, const struct collector_options *o, struct err *err);
    /* Asks, joins, frees `state`; safe after a failed start. Owner's thread. */
    void (*stop)(struct collector *c);
    /* Live: the time that an event would get which happens now, ns since 1970. Any thread, after
     * start(). NULL: time passes otherwise than on this machine. */
    int64_t (*now)(const struct collector *c);
    /* Live: passes the mark, a line of src/event/mark.h, on to where the events come from, whence
     * it comes back as one of them. Any one thread, between start() and stop(). NULL: the engine
     * makes the mark itself. */
    void (*mark)(struct collector *c, const char *line);
    /* Of recordings; NULL where nothing can be read twice. hold() keeps what a started collector
     * reads, also after its stop(), until let_go(). start_again(), once that collector has put its
     * last record, makes another one put the same records in the same order, from the first on, as
     * fast as they are taken; one at a time. */
    void *(*hold)(struct collector *c);
    void (*start_again)(struct collector *c, void *held);
    void (*let_go)(void *held);
    /* Whether this process has the rights to collect anything; NULL: no rights are needed. */
    bool (*is_permitted)(void);
    /* Tries what can be collected on this machine, reports line by line, and undoes all of it;
     * NULL: nothing to examine. */
    void (*examine)(void (*report)(void *to, const struct diagnostic *f), void *to);
    /* Live: what the system's own interface answers, beyond what examine() tries: a table of probes
     * (selftest.h) that ends with a row without a name. NULL: none. */
    const struct selftest_probe *probes;
    /* Live: the hardware configuration of this machine, as the records that a recording of it has.
     * Needs no start(). Calls back in the caller's thread. NULL: recordings alone have it. */
    bool (*describe)(const struct collector_description *d, struct err *err);
};

/* A collector that asks the machine itself, as against one that reads or makes up. */
static inline bool collector_is_live(const struct collector *c)
{
    return c->kind && c->kind->is_live;
}

/* The table, NULL-terminated (collectors/collectors.c; main.c introduces it). */
extern const struct collector_kind *const collector_kinds[];

#endif
