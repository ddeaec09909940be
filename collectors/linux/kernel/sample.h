/* One record of a kernel ring, read in place: a PERF_RECORD_* of perf_event_open(2). Values are the
 * running kernel's; every pointer is into the ring (or the bounce buffer of a record that wraps)
 * and good until the next record is taken.
 *
 * All events of a ring ask for the same sample_type, so that one parse order serves:
 * IDENTIFIER, IP, TID, TIME, ADDR, CPU, then CALLCHAIN where it was asked for, then RAW, then the
 * user's registers and the top of the stack. */
#ifndef COLLECTORS_LINUX_KERNEL_SAMPLE_H
#define COLLECTORS_LINUX_KERNEL_SAMPLE_H

#include "src/base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a record holds, and all that any event here asks for (CALLCHAIN, RAW where they make
 * sense). Records of the side band end with TID, TIME, CPU, IDENTIFIER: 32 bytes. */
#define SAMPLE_TYPE_BASE                                                                           \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU)

/* The user's registers that a sample carries where stacks are unwound (x86-64): all but the
 * segments that the kernel refuses, in the kernel's order. */
enum { SAMPLE_REGISTER_MASK = 0xff0fff, SAMPLE_REGISTERS = 20 };

struct translator;
struct sample;

enum { LINUX_FIELDS = 16 };

/* Where a field lies in the raw part: as the running kernel's format file says, or, for
 * records of our own BPF programs, as their struct does. */
struct field_place {
    uint16_t offset;
    uint8_t size;     /* bytes; 0 = this kernel has no such field */
    bool is_signed;
    bool is_data_loc; /* u32 at `offset`: low half where, high half how long */
};

struct sample_layout {
    uint16_t bytes; /* of the fixed part */
    bool is_bpf;    /* written by a program of ours */
    struct field_place fields[LINUX_FIELDS];
};

/* One kernel event that a domain reads: a row of the domain's table. */
struct linux_event {
    const char *group, *name; /* tracepoint; NULL, NULL: perf_type and config say it */
    uint32_t perf_type;
    uint64_t perf_config;
    uint64_t period; /* 0: every event; else of so many per second (frequency) */
    /* Names of the fields the domain reads, by its own numbering. A leading '?' marks one that some
     * kernels lack: see sample_has(). A missing one of the others disables the event. */
    const char *fields[LINUX_FIELDS];
    void (*translate)(struct translator *t, const struct sample *s);
    const char *program; /* BPF program (collectors/linux/bpf/) that can stand in, or NULL */
    /* perf loses it silently on idle processors (collectors/linux/README.md), or lacks a field. */
    bool prefers_bpf;
    bool needs_bpf;      /* has no other source */
    uint32_t classes;    /* bits of enum fact_class that want it on; 0: always on */
    /* NULL: on while its classes are wanted. Else only while this says yes as well: for events
     * that teach what was there before and are dear afterwards. Asked after translator.has_need
     * was set and some times a second while it says yes, by another thread than the collector's,
     * from before the domain's start on. */
    bool (*is_needed)(const struct translator *t);
    bool is_urgent;      /* its samples wake the collector at once */
    bool with_stacks; /* on only where stacks are wanted of its classes */
    /* Of the user's stack, copied along with a call chain so that it can be unwound; 0: none. */
    uint16_t stack_bytes;
    uint8_t other_thread; /* 1 + the field of a thread it is about as well (-p); 0: none */
    const char *chooser; /* BPF program that leaves out others' samples (-p, -n), or NULL */
    bool goes_deep;      /* … and that records some itself: of CHOOSER_deep */
    bool is_asked_for;   /* by name (-e): always on, and with stacks where FACT_OTHER has them */
    const char *filter;  /* of the kernel, of its fields; NULL: all pass */
    const char *serves;  /* "disk latency": what is missing without it, for sentences */
};

struct sample {
    uint32_t type;  /* PERF_RECORD_* */
    uint16_t misc;  /* PERF_RECORD_MISC_* */
    uint16_t cpu;   /* of the ring */
    uint32_t pid, tid;
    int64_t time;   /* CLOCK_MONOTONIC, ns */
    uint64_t ip, addr;
    const struct linux_event *event; /* NULL for the side band (fork, comm, exit, mmap …) */
    const struct sample_layout *layout; /* of `event` */
    const uint8_t *raw;              /* tracepoint or BPF record */
    const uint64_t *chain;           /* call chain with its context markers; unaligned no */
    const uint8_t *body;             /* side band: behind the perf header … */
    uint32_t raw_bytes, chain_count;
    const uint8_t *registers;        /* SAMPLE_REGISTERS of the user's, 8 bytes each; or NULL */
    const uint8_t *stack;            /* what lies at the user's stack pointer; or NULL */
    uint32_t stack_bytes;
    uint32_t body_bytes;             /* … up to the sample_id at its end */
};

/* ---- parsing ------------------------------------------------------------------------- */

/* What an event's id says of its samples. */
struct sample_source {
    const struct linux_event *event;
    const struct sample_layout *layout; /* of RAW, where it has one */
    bool has_chain, has_raw, has_stack;
    uint32_t slot;               /* the collector's own number of it */
};

enum { SAMPLE_BARE = 56 }; /* bytes of a sample with neither call chain nor raw part */

enum sample_parsed {
    SAMPLE_EVENT,     /* of an event: source and fields are set */
    SAMPLE_SIDE_BAND, /* fork, exit, comm, mmap, lost, throttle …: body is set */
    SAMPLE_UNKNOWN_ID,  /* of an id that nobody opened, or of an unknown type */
    SAMPLE_BAD,       /* does not hold what its type says */
};

/* Parses a whole record (its size is what its header says and at least 8). `find` returns the
 * source of an id, or NULL; *source is its result. Any bytes are safe. */
enum sample_parsed sample_parse(const uint8_t *record, size_t bytes, struct sample *out,
                                const struct sample_source **source,
                                const struct sample_source *(*find)(const void *arg, uint64_t id),
                                const void *arg);

/* The time of a record, for merging; 0 where it has none. */
int64_t sample_time(const uint8_t *record, size_t bytes);

/* The two numbers of PERF_RECORD_LOST, and of THROTTLE/UNTHROTTLE the id. */
uint64_t side_band_u64(const struct sample *s, size_t at); /* of `body`; 0 beyond its end */

/* ---- fields of `raw`; all are safe whatever the record claims ------------------------ */

static inline bool sample_has(const struct sample *s, unsigned field)
{
    const struct field_place *const p = &s->layout->fields[field];
    return p->size && (uint32_t)p->offset + p->size <= s->raw_bytes;
}

/* A field of one or two bytes, which are rare; 0 for an array. */
uint64_t sample_small(const struct field_place *p, const uint8_t *at);

/* Zero-extended, or sign-extended where the kernel says signed; 0 where it is missing. */
static inline uint64_t sample_u64(const struct sample *s, unsigned field)
{
    if (!sample_has(s, field))
        return 0;
    const struct field_place *const p = &s->layout->fields[field];
    const uint8_t *const at = s->raw + p->offset;
    if (p->size == 8)
        return load_u64(at);
    if (p->size == 4)
        return p->is_signed ? (uint64_t)(int64_t)(int32_t)load_u32(at) : load_u32(at);
    return sample_small(p, at);
}

static inline uint32_t sample_u32(const struct sample *s, unsigned field)
{
    return (uint32_t)sample_u64(s, field);
}

static inline int64_t sample_i64(const struct sample *s, unsigned field)
{
    return (int64_t)sample_u64(s, field);
}

/* The bytes of an array or __data_loc field; NULL with *bytes 0 where they are missing or lie
 * outside the record. */
const uint8_t *sample_bytes(const struct sample *s, unsigned field, size_t *bytes);

/* A text field up to its NUL, cut to room - 1; returns its length. Any bytes come through. */
size_t sample_text(const struct sample *s, unsigned field, char *out, size_t room);

#endif
