/* The translator: kernel records in, ETW kernel records out, in time order. One thread, the
 * collector's; tables are bounded and allocated at the start, a miss is counted. Nothing here
 * opens a file or waits: that is the helper's (helper.h).
 *
 * Each subject is a *domain*: one file to_<subject>.c with the kernel events it reads and how
 * they become ETW records; domains.c holds the table. Mapping: collectors/linux/README.md. */
#ifndef COLLECTORS_LINUX_TRANSLATE_TRANSLATE_H
#define COLLECTORS_LINUX_TRANSLATE_TRANSLATE_H

#include "collectors/feed.h"
#include "collectors/linux/kernel/sample.h"
#include "src/base/guid.h"
#include "src/base/payload_writer.h"
#include "src/event/event.h"

#include <stdatomic.h>

struct gauge_touched;
struct helper;
struct reasons;
struct unwinder;
struct reply;
struct scope;
struct tracefs;

struct linux_domain {
    const char *id;
    const struct linux_event *events; /* NULL for domains that live off the side band */
    size_t event_count;
    /* In their place: those of this run, which stay as long as the translator. NULL: `events`. */
    const struct linux_event *(*events_of_run)(const struct translator *t, size_t *count);
    /* Side-band records (PERF_RECORD_FORK, COMM, EXIT, MMAP2 …) come to every domain. */
    void (*side_band)(struct translator *t, const struct sample *s);
    void (*start)(struct translator *t);             /* makes its state; may allocate */
    /* Told which classes are to carry stacks, some times a second and from before start() on, by
     * a thread that may read files and wait: control's. */
    void (*prepare)(struct translator *t, uint32_t stacks);
    void (*stop)(struct translator *t);              /* frees it */
    size_t (*bytes)(const struct translator *t);     /* that its tables take; NULL: few */
    void (*tick)(struct translator *t, int64_t now); /* about once a second, between records */
    void (*reply)(struct translator *t, const struct reply *m); /* an answer of the helper */
    void (*finish)(struct translator *t, int64_t now); /* everything was taken: last records */
};

enum linux_domain_id {
    DOMAIN_STACK, /* first: the others hand it their stacks */
    DOMAIN_TASK,
    DOMAIN_IMAGE,
    DOMAIN_SWITCH,
    DOMAIN_FAULT,
    DOMAIN_DISK,
    DOMAIN_NETWORK,
    DOMAIN_FILE,
    DOMAIN_INTERRUPT,
    DOMAIN_CALL,
    DOMAIN_PROFILE,
    DOMAIN_GAUGE,
    DOMAIN_TRACEPOINT,
    DOMAIN_FUNCTION,
    DOMAINS,
};
extern const struct linux_domain *const linux_domains[DOMAINS];

enum { RECORD_ROOM = 60 * 1024 };

struct translator {
    struct feed *feed;
    struct helper *helper;   /* NULL in tests of single domains */
    struct gauge_touched *touched; /* the helper's; NULL likewise */
    struct unwinder *unwinder; /* NULL: users' stacks are taken as the kernel walks them … */
    bool unwinds;              /* … which is known before there is one */
    bool tells_last;           /* a thread's end comes with whether its process ends, too … */
    bool tells_exec;           /* … and an exec with its path: known from the start */
    const struct tracefs *tracefs; /* for the domains' start(); NULL where it cannot be read */
    const struct scope *scope;     /* scope_has(): what domains report; NULL: everything */
    const struct tracepoints *tracepoints; /* that were asked for; NULL: none */
    const struct functions *functions;     /* likewise */
    void *state[DOMAINS];
    /* What is known of the kernel's functions, from before the first stack on; made by the stack
     * domain's prepare(). NULL: no stacks are wanted, or the kernel hides its addresses. */
    _Atomic(struct reasons *) reasons;
    bool has_tried_reasons;
    uint32_t self;           /* our own process … */
    char self_name[16];      /* … and its name; "" where it is not known … */
    uint32_t self_uid;       /* … and, where the name is known, its effective user … */
    const char *self_command; /* … and its command line, which lasts until the domains have started;
                               * NULL: not known */
    uint8_t source;
    int64_t time;            /* up to here kernel records have been taken: what comes from elsewhere
                              * (reply) is put at this time, so that records stay in order */
    int64_t awaited_since;   /* of the oldest record that waits for a reply; 0: none does. While
                              * one waits, rings and replies are polled more often */
    bool has_need;           /* an event's is_needed() has come to say yes: control is to look */
    uint64_t unpaired;       /* joins whose other half never came or was pushed out */
    struct payload_writer payload_writer; /* the record being written */
    struct record_head head; /* its head */
    uint64_t room[RECORD_ROOM / sizeof(uint64_t)];
};

/* Places for things of `size` bytes, from `least` to `most` (powers of two): as many as fit into one
 * of `parts` parts of the ring of events. `most` where there is no ring. */
uint32_t translator_places(const struct translator *t, size_t size, unsigned parts, uint32_t least,
                           uint32_t most);

/* ---- writing a record ------------------------------------------------------------------ */

/* Begins an ETW kernel record: hook = group << 8 | type. With HEADER_SYSTEM it carries pid and
 * tid; HEADER_PERFINFO has no place for them. Which of them a class has on Windows does not
 * bind us: where the payload names no thread, HEADER_SYSTEM makes attribution exact. */
struct payload_writer *record_begin(struct translator *t, enum header_kind header, unsigned hook,
                                    unsigned version, uint32_t pid, uint32_t tid, unsigned cpu,
                                    int64_t time);

/* The same for a sample's own processor, thread and time. */
struct payload_writer *record_begin_at(struct translator *t, enum header_kind header, unsigned hook,
                                       unsigned version, const struct sample *s);

/* Begins a self-describing (TraceLogging) event of tracetop_provider
 * (src/event/tracetop_provider.h): what Linux knows and ETW's kernel classes have no field for.
 * `fields` as in src/event/tracetop_write.h; the payload follows in their order. */
struct payload_writer *record_begin_tracetop(struct translator *t, const char *event,
                                             const char *fields, uint32_t pid, uint32_t tid,
                                             unsigned cpu, int64_t time);

/* Begins an event that describes itself, from its header and description as
 * described_write_begin() made them; process, thread and time are the sample's. */
struct payload_writer *record_begin_described(struct translator *t, const uint8_t *made,
                                              size_t bytes, const struct sample *s);

/* Begins a record of a class that is none of the kernel's, as Windows' tools for merging add
 * them. It names no process and no thread. */
struct payload_writer *record_begin_class(struct translator *t, const struct guid *class,
                                          unsigned opcode, unsigned cpu, int64_t time);

/* Puts it into the rings; a full ring is a counted loss. */
void record_end(struct translator *t);

/* The stack of a sample as a StackWalk record that belongs to the record just ended (same
 * processor and `time`); nothing where the sample has none. */
void stack_put(struct translator *t, const struct sample *s, uint32_t pid, uint32_t tid,
               int64_t time);

#endif
