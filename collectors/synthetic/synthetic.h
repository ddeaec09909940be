/* The synthetic source: a small simulated machine (processors with a scheduler,
 * disks with queues, files, connections, processes with characters) that logs what
 * it does as the kernel of a current 64-bit Windows would, record by record, byte
 * for byte. Made for tests, benchmarks, pictures, and the demo where tracing is not
 * permitted.
 *
 * The generator itself (synthetic_new … synthetic_free) is pure: no threads, no
 * clock, no rings; the same options give the same bytes. What it logged it also
 * counted on the way, so that a test can compare sums that the pipeline never saw. */
#ifndef COLLECTORS_SYNTHETIC_SYNTHETIC_H
#define COLLECTORS_SYNTHETIC_SYNTHETIC_H

#include "src/collect/collector.h"
#include "src/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct synthetic_options {
    uint64_t seed;
    uint64_t events;   /* ETW records to make, lost ones included; 0 = endless */
    uint64_t rate;     /* events per second of the machine's time; 0 = its natural 45 000 */
    int64_t start_ns;  /* time of the first record, ns since 1970 */
    int64_t start_raw; /* the same on the machine's clock; 0 = it has been up for five hours */
    unsigned cpus;     /* 0 = by the rate */
    uint32_t ids_above; /* ids of processes and threads are greater than this; 0 = 400 */
    unsigned hostile;  /* of 1000 names, how many are made to hurt terminals and parsers */
    unsigned lose;     /* about one record in so many starts a run that gets lost; 0 = none */
    bool late_rundown; /* names of what runs come at the end only, as in merged traces */
    bool keep_totals;  /* keep every ended process in the totals (grows with the trace) */
    bool has_gauges;   /* also sample memory and the like, beside the `events` */
    uint8_t source;
};

/* One row per kind of record the machine logs: synthetic_kinds[]. */
struct synthetic_kind {
    const char *name; /* "DiskIo/Read", as the kernel's MOF classes call it */
    uint16_t hook;    /* group << 8 | type */
    uint8_t version;
    uint8_t header; /* HEADER_SYSTEM or HEADER_PERFINFO */
};

enum { SYNTHETIC_KINDS_MAX = 128, SYNTHETIC_DISKS = 3 };

extern const struct synthetic_kind synthetic_kinds[];
extern const size_t synthetic_kind_count; /* for tests */

/* What one lifetime of a process did, in the machine's ticks (100 ns) and bytes. A
 * time counts when both of its ends were logged: on the processor from CSwitch to
 * CSwitch there, ready from ReadyThread to CSwitch, preempted from the CSwitch that took
 * the processor away to the one that gave one back. */
struct synthetic_process {
    uint32_t pid;
    uint64_t key;       /* UniqueProcessKey */
    int64_t start, end; /* raw times of Process Start and End; 0 = not within the trace */
    int64_t run, ready, preempted;
    uint64_t switches, readies, samples, stacks;
    uint64_t disk_reads, disk_writes, disk_read_bytes, disk_written_bytes;
    int64_t disk_ticks; /* sum of HighResResponseTime */
    uint64_t file_reads, file_writes, file_read_bytes, file_written_bytes, file_opens;
    uint64_t sends, receives, sent_bytes, received_bytes; /* TCP and UDP */
    uint64_t registry;                                    /* operations; names of keys are none */
    uint64_t soft_faults, hard_faults, hard_fault_bytes;
    uint64_t allocated_bytes, freed_bytes;
};

/* One lifetime of a thread. A time slice counts when the CSwitch that ends it
 * was logged, with the time that the thread was ready before it. */
struct synthetic_thread {
    uint32_t tid, pid;
    uint64_t slices;
    int64_t run, ready; /* ready: made ready, or preempted */
};

/* A waker that is no thread, or one that had no CSwitch yet. */
#define SYNTHETIC_INTERRUPT UINT32_MAX

/* One ReadyThread: who was woken by whom (rows of threads), and what the wait was. */
struct synthetic_wake {
    uint32_t thread, waker;
    int64_t waited; /* since the CSwitch away from it; 0 = that was not logged */
    uint8_t reason;
};

struct synthetic_disk {
    uint64_t reads, writes, flushes, read_bytes, written_bytes;
    int64_t response; /* sum of HighResResponseTime */
};

struct synthetic_totals {
    uint64_t records, bytes; /* ETW records delivered; their Size fields */
    uint64_t payload_bytes;
    uint64_t lost_events, lost_records;  /* dropped events; RECORD_LOST records that say so */
    uint64_t kinds[SYNTHETIC_KINDS_MAX]; /* records, as synthetic_kinds[] */
    struct synthetic_disk disks[SYNTHETIC_DISKS];
    struct synthetic_process *processes; /* lifetimes, in order of their appearance */
    size_t process_count;
    struct synthetic_thread *threads; /* with keep_totals only, like the wakes */
    struct synthetic_wake *wakes;
    size_t thread_count, wake_count;
    /* In DPCs and ISRs; in system calls of threads that had a CSwitch. */
    int64_t interrupt_ticks, call_ticks;
    uint64_t file_errors, registry_errors, call_errors; /* ended with a status of severity error */
    int64_t first, last; /* raw times */
    unsigned stalls;     /* episodes begun, see workload.c */
};

struct synthetic;

struct synthetic *synthetic_new(const struct synthetic_options *o);
void synthetic_free(struct synthetic *s);

/* Bytes that a call of synthetic_fill() needs at least: the largest step of the machine. */
enum { SYNTHETIC_ROOM = 64 * 1024 };

/* Lets the machine run until `room` (at least SYNTHETIC_ROOM, 8-aligned memory) is nearly
 * full or the next thing would happen after `until` (raw ticks). Writes whole records in
 * order of time, each a struct record_head and its on-disk record, padded to 8.
 * Returns bytes written. */
size_t synthetic_fill(struct synthetic *s, void *to, size_t room, int64_t until);

/* For tests (tests/etw): the next calls of synthetic_fill() list what exists (as at the start; with
 * `is_end` as at an end, file names included) before the machine goes on: the lists that a session
 * gets that starts or stops while the machine runs. Not before the first lists are through. */
void synthetic_list(struct synthetic *s, bool is_end);
bool synthetic_is_listing(const struct synthetic *s);

/* All events that were asked for have been made. */
bool synthetic_is_done(const struct synthetic *s);

/* Raw time up to which everything has been written. */
int64_t synthetic_time(const struct synthetic *s);

struct trace_clock synthetic_clock(const struct synthetic *s);
unsigned synthetic_cpus(const struct synthetic *s);
const struct synthetic_totals *synthetic_totals(const struct synthetic *s);

/* Build number and so on that go with the records: for file headers. */
enum { SYNTHETIC_BUILD = 22631, SYNTHETIC_FREQUENCY = 10000000, SYNTHETIC_MHZ = 3600 };

/* Starts the generator as a collector with options that struct collector_options does
 * not have; stopped with the kind's own stop(). See synthetic.c. */
bool synthetic_start(struct collector *c, const struct synthetic_options *o, bool is_paced,
                     struct err *err);

/* Records of memory and the like (gauges.h) that a running collector has put beside the machine's.
 */
uint64_t synthetic_sampled(const struct collector *c);

#endif
