/* The model: what the engine knows about processes, threads, files and kinds of
 * events. One owner, the engine thread.
 *
 * Identity is a number per lifetime (source + id + which lifetime), never a pid:
 * see map.h, struct generation_table. A pid that is met before anything was said about it
 * opens a provisional lifetime; Start, rundown and End events name, confirm and
 * close it. Names learnt late are right retroactively, since facts hold numbers. */
#ifndef SRC_MODEL_MODEL_H
#define SRC_MODEL_MODEL_H

#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/map.h"
#include "src/event/decode.h"
#include "src/event/event.h"
#include "src/event/status.h"
#include "src/model/fact.h"
#include "src/model/recorded.h"
#include "src/model/stack_memo.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Sources of all collectors in one number space: collector × SOURCE_MAX + source. */
typedef uint16_t source_id;

enum life_flag {
    LIFE_STARTED = 1, /* its Start event was seen */
    LIFE_ENDED = 2,
    LIFE_BOUND = 4,   /* files: the address still means this file */
};

struct process {
    uint32_t number;
    uint32_t pid;
    source_id source;
    uint8_t flags; /* enum life_flag */
    bool has_parent, has_session, has_key;
    uint16_t execs;              /* times it began to run another program … */
    int64_t exec_ns;             /* … and when it did last; 0 = never seen */
    uint32_t parent_pid, parent; /* pid and, where it is known, number */
    uint32_t forked;             /* number of whom it is a copy of until exec_ns; 0 = of nobody */
    uint32_t session;
    int32_t exit_status;
    uint32_t threads;            /* alive now */
    uint64_t key;                /* address of the kernel's process object */
    int64_t first_ns;            /* first mention */
    int64_t start_ns, end_ns;    /* 0 = not seen */
    char *name, *command;        /* UTF-8 as it came, or NULL */
    char *user;                  /* its security identifier, likewise */
    char *account;               /* its name, where that was told apart, likewise */
    char *services;              /* of Windows, that run in it: "Dhcp, EventLog"; or NULL */
};

struct thread {
    uint32_t number;
    uint32_t tid;
    source_id source;
    uint8_t flags;
    bool is_counted;  /* in its process's `threads` */
    uint32_t process; /* number, 0 while it is not known */
    uint8_t wait_reason;  /* of its last wait: OldThreadWaitReason */
    uint16_t cpu;         /* where it ran last … */
    bool has_run;         /* … if it ever did */
    uint16_t call_epoch;  /* its newest system call was met in this one: see model.call_epoch */
    int64_t first_ns, end_ns; /* first mention; 0 = lives, or its end was not seen */
    uint64_t start;       /* address where its code begins; 0 = not known */
    int64_t ready_ns; /* made ready and not yet running; 0 = no */
    int64_t wait_ns;  /* waiting since; 0 = not, or not known */
    int64_t call_ns;  /* in this system call since then … */
    uint32_t call;    /* … a routine; 0 = in none that is known */
    char *name;       /* its own, UTF-8 as it came, or NULL */
};

/* A file, or whatever else events name by an address (registry keys). */
struct file {
    uint32_t number;
    source_id source;
    uint8_t flags;
    bool is_fresh;    /* met since it was last asked whether it may go */
    uint32_t same_as; /* another that it turned out to be; 0 = none. See model_file_one() */
    uint32_t images;  /* modules: that are of it and in somebody's memory */
    uint64_t key;     /* map key: address, source and namespace */
    int64_t since_ns, until_ns; /* it was the first thing to mean; 0 = still does */
    char *name;
};

/* An address that means a file it did not mean first: of another open, or again. */
struct address_binding {
    uint32_t number;
    uint32_t file;
    uint64_t key;
    int64_t since_ns, until_ns; /* 0 = still does */
};

/* Both ends of a connection: addresses of 4 or 16 bytes in network order. */
struct connection_ends {
    uint8_t local[16], remote[16];
    uint16_t local_port, remote_port; /* host order */
    bool is_udp, is_v6;
};

struct connection {
    uint32_t number;
    uint32_t process;
    uint64_t key;
    struct connection_ends ends;
    uint8_t opened_by;              /* OP_CONNECT, OP_ACCEPT; 0 = was there before */
    bool is_fresh;                  /* met since it was last asked whether it may go */
    uint16_t segment;               /* largest it sends, as agreed when it opened; 0 = not told */
    int64_t first_ns;               /* first mention */
    int64_t opened_ns, closed_ns;   /* 0 = not seen */
    int64_t handshake_ns;           /* from our request to the answer; 0 = not known */
    uint32_t remote;                /* first connection to the same address: stands for it */
};

enum { BUILD_ID_MAX = 20 };

/* Which build of a module an image is of: what a file must show to be taken for it. What
 * events have not told is 0. */
struct build {
    uint32_t number;
    uint8_t id_bytes;
    uint8_t id[BUILD_ID_MAX];   /* ELF: its build id … */
    uint64_t device, inode;     /* … and where the file lay */
    uint32_t stamp, image_size; /* PE: TimeDateStamp and SizeOfImage */
    struct guid pdb_guid;       /* PE: of its PDB … */
    uint32_t pdb_age;
    char *pdb;                  /* … and where that lay when it was linked; or NULL */
};

/* A module in somebody's memory, for as long as it is known to have been there. */
struct image {
    uint32_t number;
    uint32_t process;           /* that it was listed for; kernel modules: System */
    uint32_t module;            /* a file: its path; 0 = not known */
    uint32_t build;             /* 0 = not known */
    uint64_t file_offset;       /* in the module, of the byte at `base` */
    uint8_t flags;
    bool is_narrow;             /* of a 32-bit system */
    uint64_t owner;             /* of its space, see image.c */
    uint64_t base, size;
    int64_t from_ns, until_ns;  /* INT64_MIN, INT64_MAX where no event says */
};

/* The images of one process or of the kernel, in order of their bases. */
struct image_space {
    uint64_t owner;
    uint32_t *numbers;
    uint32_t count, room;
    uint32_t epoch;             /* grows when a range gets another image */
    uint64_t largest;           /* size of the largest image it ever had */
    uint32_t next_free;
};

enum routine_kind {
    ROUTINE_ISR, ROUTINE_DPC, ROUTINE_TIMER, ROUTINE_THREADED, ROUTINE_IO_TIMER, ROUTINE_CALL,
    ROUTINE_KINDS,
};

/* An interrupt's or deferred call's routine, or a system call: see routine.c. */
struct routine {
    uint32_t number;
    uint32_t vector; /* met last; where `address` is 0, what tells it from others */
    uint64_t address;
    source_id source;
    uint8_t kind;    /* enum routine_kind */
    char *name;      /* told by an event, or NULL */
};

/* Addresses of different namespaces may be equal; of modules, it is a hash of the path. */
enum key_namespace { NAMESPACE_FILE, NAMESPACE_OPEN, NAMESPACE_KEY, NAMESPACE_MODULE };

struct model;
struct kind;

/* Turns one event into the rest of its fact; the common part (time, ids from the
 * header, kind, class, op) has been filled. */
typedef void make_fact(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f);

static inline void fact_latency(struct fact *f, int64_t ns)
{
    static const int64_t LONGEST = INT64_MAX / 4; /* like times: differences stay numbers */
    f->latency = ns <= 0 ? 0 : (uint64_t)(ns < LONGEST ? ns : LONGEST);
    f->flags |= FACT_HAS_LATENCY;
}

enum { FACT_BUILDER_FIELDS = 8 };

/* How the events of some hooks become facts: a row of the table in fact_builder.c,
 * and a function in src/model/fact_builder/. */
struct fact_builder {
    uint16_t first, last; /* hooks */
    uint8_t class, op;
    make_fact *make;      /* NULL: the common part is all */
    const char *fields[FACT_BUILDER_FIELDS];
};

const struct fact_builder *fact_builder_find(uint16_t hook);

/* Likewise of the events of our own provider (own.h), by name; NULL for all others. */
const struct fact_builder *fact_builder_of_own(const struct event *e);

/* Likewise of events that tell which drive a volume is (volume.c). */
const struct fact_builder *fact_builder_of_volume(const struct event *e);
make_fact make_logical_disk;

/* A string field of a rare event, by name; empty when it is not there. Returns `out`. */
const char *kind_text(const struct kind *k, const struct event *e, const char *name, char *out,
                      size_t room);

/* For kinds without a fact builder whose payload says the process [0] or the thread [1]. */
make_fact make_owned;

/* Interrupts, deferred calls, system calls (routine.c). */
make_fact make_routine, make_call_enter, make_call_exit;

/* Where a field lies in payloads of one pointer size; width 0: not at a fixed place. An
 * integer is loaded by eight bytes, of which all but its own are shifted out, where the payload
 * reaches to `wide_end`; what cannot be loaded at all has an end that no payload reaches. */
struct place {
    uint16_t offset, wide_end;
    uint8_t width, shift;
};

/* A distinct kind of event: provider, id, opcode, version and header kind. */
struct kind {
    struct guid provider;
    uint64_t name;          /* id, version, opcode and header in one */
    uint16_t id, version;
    uint8_t opcode, header; /* header: enum header_kind */
    uint8_t class, op;
    make_fact *make;
    struct place places[2][FACT_BUILDER_FIELDS]; /* [0] 4-byte, [1] 8-byte pointers */
    uint16_t
        least[2]; /* bytes up to the end of the fact builder's first field; 0 = there is none */
    const struct layout *layout;           /* of its payload; NULL = not known */
    const char *class_name, *event_name;   /* never NULL */
    char *own_names;    /* of events that describe themselves: what those two point into */
    uint32_t described; /* … and their description (described_hash) */
    char guid_text[GUID_TEXT];
    uint64_t events, bytes;
};

/* One processor of one source. */
struct processor {
    uint32_t thread;      /* running now; 0 = not known */
    int64_t since_ns;     /* since when */
    int64_t ready_ns;     /* how long it had been ready before; -1 = not known */
    int64_t credited_ns;  /* of this stay, already counted in the running tables */
};

struct model_source {
    struct trace_clock clock;
    uint64_t sample_ns;   /* what one profile sample stands for */
    bool is_live;         /* this machine, as it runs now */
    bool is_linux;        /* fork and exec instead of Start; names are no identity */
    uint32_t drives;        /* letters of its logical disks, 'A' = 1 */
    uint16_t system_volume; /* number of the volume that its system lies on; 0 = not known */
    struct processor *processors;
    uint32_t processor_count; /* room */
    uint32_t processors_seen; /* highest number met + 1 */
    struct map disks;         /* disk number → index + 1 of … */
    struct disk_state {
        int64_t completed_ns; /* the newest completion */
        uint64_t next;        /* the offset behind the newest operation */
    } *disk_states;
};

/* Short-lived joins: the newest of each place wins, what was pushed out stays
 * unmatched and is counted when its partner comes. */
enum { STACK_SLOTS = 1 << 15, IRP_SLOTS = 1 << 13 };

/* An event whose stack may come. */
struct stack_slot {
    int64_t ts;      /* raw */
    uint64_t number; /* of its fact + 1; 0 = free */
    uint32_t thread; /* that a walk would name; 0 = not known */
    source_id source;
    bool is_kernel;
};

/* One frame of paths that share all frames outside of it. */
struct call {
    uint64_t address;
    uint32_t parent; /* outside: the caller; 0 = outermost */
    uint32_t stack;  /* newest one whose user half, or for want of it whose kernel half, ends here */
};

/* Kernel and user part of a stack, see stack.c; 0 = not there. */
struct halves {
    uint32_t kernel, user;
};

struct stack {
    uint32_t number;
    struct halves halves;
    uint32_t process; /* in which the user addresses lie */
    uint32_t epoch;   /* of its images: equal addresses, other modules */
    source_id source;
    int64_t time;     /* of an event that had it */
};

struct stack_key {
    uint32_t number;
    uint32_t path;  /* 0: not told yet */
    uint64_t name;  /* key and source */
    int64_t until;  /* raw time when it ended; INT64_MAX = it lives */
};

/* An event whose stack came with one half and an id that the other half will bear, too. */
struct stack_match {
    uint64_t id;
    uint64_t number; /* of its fact + 1; 0 = free */
    source_id source;
};

/* A fact that got (more of) its stack after it was made. */
struct stack_update {
    uint64_t number;
    uint32_t old, now; /* its stack before and after */
};

enum { STACK_MATCHES = 1 << 12 };
enum { STACK_FRAMES = 256, STACK_UPDATES = 1 << 16, STACKS_EXPECTED = 16 };

/* The epoch of a process's images, as of so many changes of any. */
struct epoch_note {
    uint64_t changes;
    uint32_t process, epoch;
    source_id source;
};

enum { EPOCH_NOTES = 256 };

struct stack_store {
    struct epoch_note epochs[EPOCH_NOTES]; /* by process */
    struct call *calls;
    uint32_t call_count, call_room;
    uint32_t *call_slots;         /* open addressing over calls */
    uint32_t call_mask;
    struct stack_memo *memo;      /* of paths that came before */
    struct generation_table keys, stacks;
    struct map key_now, stack_now;
    struct stack_slot *slots;     /* buckets of two, by time */
    struct stack_slot expected[STACKS_EXPECTED]; /* not in their buckets yet, oldest first */
    unsigned expected_count;
    struct stack_match *matches;  /* by id: events whose other half may come with another */
    uint32_t call_most;
    struct stack_update *updates; /* the newest STACK_UPDATES of … */
    uint64_t update_count;        /* … so many */
    uint64_t learnt;              /* grows when a key's frames become known late */
};

struct irp_slot {
    uint64_t irp;
    int64_t time;
    uint32_t source_used; /* source + 1; 0 = free */
    uint32_t process, thread, entity;
    uint64_t number; /* of its fact + 1; 0 = it has none */
    uint8_t op;
};

struct model_tally {
    uint64_t stacks_matched, stacks_unmatched; /* walks with and without their event */
    uint64_t stacks_inline;     /* that came with their event; of them halved: */
    uint64_t stacks_halved;     /* the other part was to follow, and has not */
    uint64_t stacks_dropped;    /* paths beyond the room for frames */
    uint64_t completions_matched, completions_unmatched;
    uint64_t cut;               /* events too short to say what they are about */
    uint64_t calls_unmatched;   /* returns from system calls whose entry was not seen */
    uint64_t kinds_dropped;     /* events of kinds beyond the registry's room */
    uint64_t names_dropped;     /* names beyond the room for names */
    uint64_t images_dropped;    /* of processes with more than there is room for */
    /* What ended and made room while facts of its time were still kept. */
    uint64_t early_processes, early_threads, early_files, early_connections, early_images;
};

enum { NAMES_BYTES = 256 << 20 };
enum { RECENT_KINDS = 32 };

/* A kind of kernel event; index 0: nothing stands here. */
struct recent_kind {
    uint64_t name; /* model_kind_name() */
    uint16_t index;
};

struct model {
    size_t name_bytes;
    struct generation_table processes, threads, files, connections, images, routines;
    struct map process_now, thread_now, file_now, connection_now; /* id → number of the lifetime now */
    struct map remote_now; /* remote address → first connection to it */
    struct map routine_now;
    uint64_t builds_learnt;      /* grows when the build of an image is told */
    struct generation_table builds;
    struct map build_of;         /* hash of a build → its number */
    struct generation_table bindings; /* further addresses of files, with their times */
    struct map binding_now;      /* key → number of its binding, where it has one */
    struct map file_named; /* hash of a name → number of the file or key that has it */
    struct kind *kinds;          /* [0] = "other" */
    uint32_t kind_count, kind_room;
    uint32_t *kind_slots;        /* open addressing over kinds */
    uint32_t kind_mask;
    struct recent_kind recent_kinds[RECENT_KINDS];
    struct model_source *sources;
    uint32_t source_count;
    struct map image_spaces;     /* owner → index + 1 */
    struct image_space *spaces;
    uint32_t space_count, space_room, free_space; /* free_space: index + 1 */
    uint64_t images_learnt;      /* grows when addresses may mean more than before */
    struct stack_store stack_store;
    bool is_without_stacks;      /* no walk is about events of now: nobody asked for any */
    const struct facts *facts;   /* whose facts learn their stacks; NULL = none do */
    const struct facts *looked_at; /* a frozen window, whose stacks are wanted, too; or NULL */
    bool is_of_looked_at; /* which stacks are still known depends on what was looked at when */
    struct methods *methods;     /* method.c; NULL = none is known */
    struct volumes *volumes;     /* volume.c; NULL = none is known */
    struct irp_slot *disk_irps, *file_irps;
    uint16_t call_epoch;         /* grows when system calls are recorded no more; from 1 on */
    uint64_t attributions;       /* grows when a thread's process became known late */
    uint64_t epoch_changes;      /* grows when model_image_epoch() may tell another one; from 1 on */
    uint64_t late_names;         /* grows when something met before got a name */
    uint64_t merges;             /* grows when two files turn out to be one */
    struct model_tally tally;
    struct recorded recorded;    /* when which class was */
    source_id source;            /* of the event at hand … */
    int64_t time;                /* … and when it was */
    struct {                     /* the connection opened last, for what follows about it … */
        uint32_t number;
        source_id source;
        int64_t ts;              /* … with the same raw time */
    } opened;
};

/* Room for things of a kind, a power of two: a part of the most, where each thing has some facts
 * that are about it. */
static inline uint32_t model_places(size_t facts, uint32_t most, unsigned facts_each)
{
    enum { LEAST = 8192 };
    while (facts && most > LEAST && most > facts / facts_each)
        most /= 2;
    return most;
}

void model_init(struct model *m);
/* With room for what so many facts can be about. */
void model_init_for(struct model *m, size_t facts);
void model_fini(struct model *m);

/* Memory that it takes by now, without the facts; about right. */
size_t model_bytes(const struct model *m);

/* The same by what it is for: the sum of all parts. */
enum model_part {
    MODEL_NAMES,
    MODEL_PROCESSES,
    MODEL_THREADS,
    MODEL_FILES,
    MODEL_CONNECTIONS,
    MODEL_MODULES,
    MODEL_STACKS,
    MODEL_OTHER,
    MODEL_PARTS,
};
size_t model_part_bytes(const struct model *m, enum model_part part);

/* Whether facts from then are still kept: who asks for a thing that ended then finds it, or should. */
static inline bool model_is_kept(const struct model *m, int64_t time)
{
    const struct facts *const f = m->facts;
    return f && f->end > f->first && time >= facts_at(f, f->first)->time;
}

/* Makes room for sources below `count`; clocks are the caller's to set. */
void model_sources(struct model *m, uint32_t count);

/* The whole of an event: fills *f, updates the model. `time` is the event's. */
void model_fact(struct model *m, const struct event *e, source_id source, int64_t time,
                struct fact *f);

/* How the operation of the event at hand ended, by the code in its record. */
static inline void model_set_status(const struct model *m, struct fact *f, uint64_t code)
{
    f->status = status_mark((uint32_t)code, m->sources[m->source].is_linux);
    if (status_is_failure(f->status))
        f->flags |= FACT_FAILED;
}

/* The process a fact counts for: its own, its thread's, or FACT_BY_THREAD | thread
 * while that is not known; 0 = nobody's. */
static inline uint32_t model_process_of(const struct model *m, const struct fact *f)
{
    if (f->process || !f->thread)
        return f->process;
    const struct thread *t = generation_at(&m->threads, f->thread);
    return t && t->process ? t->process : FACT_BY_THREAD | f->thread;
}

/* ---- identity (life.c) -------------------------------------------------- */

/* The lifetime that an id means at `time`; opens a provisional one. Number. */
uint32_t model_process_open(struct model *m, source_id source, uint32_t pid, int64_t time);
uint32_t model_thread_open(struct model *m, source_id source, uint32_t tid, int64_t time);

static inline uint64_t model_id_key(source_id source, uint32_t id)
{
    return (uint64_t)source << 32 | id;
}

static inline uint32_t model_process(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    const uint32_t number =
        pid == EVENT_NO_ID ? 0 : map_get(&m->process_now, model_id_key(source, pid));
    return number ? number : model_process_open(m, source, pid, time);
}

static inline uint32_t model_thread(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    const uint32_t number =
        tid == EVENT_NO_ID ? 0 : map_get(&m->thread_now, model_id_key(source, tid));
    return number ? number : model_thread_open(m, source, tid, time);
}

/* A lifetime that begins, is confirmed or ends. `name` may be NULL. */
struct process *model_process_start(struct model *m, source_id source, uint32_t pid, int64_t time,
                                    const char *name);
struct process *model_process_seen(struct model *m, source_id source, uint32_t pid, int64_t time,
                                   const char *name, uint64_t key);
struct process *model_process_end(struct model *m, source_id source, uint32_t pid, int64_t time);
struct thread *model_thread_start(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                  int64_t time);
struct thread *model_thread_seen(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                 int64_t time);
struct thread *model_thread_end(struct model *m, source_id source, uint32_t tid, int64_t time);

/* A thread's process, learnt from an event that carries both. */
void model_thread_belongs(struct model *m, struct thread *t, uint32_t process);

/* A name for a process that stays the one it is. */
void model_process_called(struct model *m, struct process *p, int64_t time, const char *name);
void model_process_parent(struct process *p, uint32_t pid);
void model_process_forked(struct model *m, struct process *p); /* it is its parent's user's */

/* ---- names (name.c) ------------------------------------------------------- */

/* Replaces *text when `now` is a text that differs; true then. Names beyond NAMES_BYTES
 * in all are left out and counted: what they name shows as unnamed. */
bool model_rename(struct model *m, char **text, const char *now);
void model_unname(struct model *m, char **text);

/* ---- things with addresses (file.c) -------------------------------------- */

/* The file an address means now (0 → 0); opens a nameless one. */
uint32_t model_file(struct model *m, source_id source, enum key_namespace key_namespace,
                    uint64_t address);
/* It will be asked for soon: brings what is needed into the cache. */
void model_file_ask(const struct model *m, source_id source, enum key_namespace key_namespace,
                    uint64_t address);
/* A name for it; another name than it has means another file from here on. */
uint32_t model_file_named(struct model *m, source_id source, enum key_namespace key_namespace,
                          uint64_t address, const char *name);
void model_file_gone(struct model *m, source_id source, enum key_namespace key_namespace,
                     uint64_t address);
/* The one that has this name; made where there is none ("" → 0). */
uint32_t model_file_called(struct model *m, source_id source, enum key_namespace key_namespace,
                           const char *name);
/* Lets an address mean a file already known under another; what it means already and has
 * no name, turns out to be that one. */
void model_file_alias(struct model *m, source_id source, enum key_namespace key_namespace,
                      uint64_t address, uint32_t file);

/* The file an address means now, or 0; opens nothing. */
uint32_t model_file_known(const struct model *m, source_id source, enum key_namespace key_namespace,
                          uint64_t address);

/* Which namespace a file's (or map entry's) key is of, and the address in it. */
static inline enum key_namespace model_key_namespace(uint64_t key)
{
    return (enum key_namespace)(key >> 62);
}

static inline source_id model_key_source(uint64_t key)
{
    return (source_id)(key >> 48 & 0x3fff);
}

static inline uint64_t model_key_address(uint64_t key)
{
    return (uint64_t)((int64_t)(key << 16) >> 16);
}

/* ---- paths as people write them (volume.c) ---------------------------------- */

/* The path of a file with its drive in place of its device, as far as the trace has told by
 * now; in `room` or the name itself. NULL where there is no file or it has no name. */
const char *model_path(const struct model *m, const struct file *f, char *room, size_t bytes);
const char *model_path_of(const struct model *m, source_id source, const char *name, char *room,
                          size_t bytes);
/* Where a module was loaded from: tells which volume the system lies on. */
void model_volume_hint(struct model *m, source_id source, const char *image);
void model_volumes_fini(struct model *m);

/* ---- connections (connection.c) -------------------------------------------- */

/* The connection an event is about; `op` opens and closes it. Number. */
uint32_t model_connection(struct model *m, source_id source, const struct connection_ends *ends,
                          uint32_t process, enum fact_op op, int64_t time);

/* "10.0.0.1:443" or "[fe80::1]:443", "(unknown)" for an end without address and port; returns
 * `out`. */
const char *model_connection_end(const struct connection *c, bool is_remote, char *out,
                                 size_t room);

/* Likewise without the port. */
const char *model_connection_address(const struct connection *c, bool is_remote, char *out,
                                     size_t room);

/* ---- images (image.c) ------------------------------------------------------- */

/* Addresses of 32-bit systems are kept sign-extended, so that there is one line
 * between programs and kernel (x86 without the /3GB switch). */
static inline uint64_t model_address(const struct event *e, uint64_t address)
{
    return e->pointer == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)address : address;
}

static inline bool is_kernel_address(uint64_t address)
{
    return address >= 0xffff800000000000u;
}

/* Where an image begins, as its system writes it. */
static inline uint64_t model_address_shown(const struct image *i)
{
    return i->is_narrow ? i->base & UINT32_MAX : i->base;
}

struct image_event {
    uint64_t base, size;
    bool is_narrow;
    int64_t time;
    enum fact_op op;  /* OP_START, OP_END, OP_RUNDOWN */
    const char *path; /* or NULL */
};

/* The image an event is about; opens and closes it. Number. */
uint32_t model_image(struct model *m, source_id source, uint32_t process,
                     const struct image_event *e);
/* The image that lies, or lay last, at this base at that time; else one that ever did. 0 = none. */
uint32_t model_image_based(const struct model *m, source_id source, uint32_t process,
                           uint64_t base, int64_t time);
/* Its process has ended. */
void model_images_end(struct model *m, uint32_t process);

/* Numbers of the images that were listed for a process itself (not for whom it was forked from),
 * those that are gone included; good until the next event. */
const uint32_t *model_images(const struct model *m, uint32_t process, uint32_t *count);
/* The image that had this address at that time, or 0. */
uint32_t model_image_at(const struct model *m, source_id source, uint32_t process,
                        uint64_t address, int64_t time);
/* Changes when an address of the process (or of its kernel) may mean another image. */
uint32_t model_image_epoch(const struct model *m, source_id source, uint32_t process);
/* A module by its path; a file of the model. */
uint32_t model_module(struct model *m, const char *path);
/* Its file name without the path, or NULL. */
const char *model_module_name(const struct model *m, const struct image *i);
void model_images_fini(struct model *m);

/* ---- builds (build.c) ---------------------------------------------------------- */

/* What an event has told about the build of an image; adds to what is known. `more->pdb` is
 * copied. */
void model_image_built(struct model *m, uint32_t image, const struct build *more);
make_fact make_mapping;
/* Of records that a merge adds about images; NULL for all others. */
const struct fact_builder *fact_builder_of_build(const struct event *e);
void model_builds_init(struct model *m);
void model_builds_fini(struct model *m);

/* ---- managed methods (method.c) ------------------------------------------------- */

/* What a runtime says of code in a process; name 0: it says nothing about that address. */
struct model_method {
    uint32_t name;   /* equal names have equal numbers */
    uint32_t module; /* a file; 0 = not told */
    uint64_t start;
};
struct model_method model_method_at(const struct model *m, uint32_t process, uint64_t address,
                                    int64_t time);
const char *model_method_name(const struct model *m, uint32_t name); /* "" for 0 */
/* Of events of the .NET runtime; NULL for all others. */
const struct fact_builder *fact_builder_of_method(const struct event *e);
size_t model_methods_bytes(const struct model *m);
void model_methods_fini(struct model *m);

/* ---- routines (routine.c) ---------------------------------------------------- */

/* The routine of an event; `vector` where it has one. Number. */
uint32_t model_routine(struct model *m, source_id source, enum routine_kind kind,
                       uint64_t address, uint32_t vector);
void model_routine_named(struct model *m, source_id source, enum routine_kind kind,
                         uint64_t address, uint32_t vector, const char *name);
/* What it is called: its name, else its module and offset at that time, else its number or
 * address; never NULL. */
const char *model_routine_label(const struct model *m, uint32_t routine, int64_t time, char *out,
                                size_t room);
/* System calls are not recorded from here on: who is in one may have left it unseen when they are
 * recorded again. */
void model_calls_stopped(struct model *m);
void model_routines_init(struct model *m);
void model_routines_fini(struct model *m);

/* ---- stacks (stack.c) ------------------------------------------------------- */

void model_stacks_init(struct model *m, size_t facts); /* 0: how many is not known */
void model_stacks_fini(struct model *m);

/* A StackWalk event about another event. */
struct stack_walk {
    int64_t ts;               /* raw time of that one */
    uint32_t process, thread; /* numbers */
    uint64_t key;             /* instead of frames; 0 = none */
};

void model_stack_walked(struct model *m, const struct event *e, source_id source,
                        const struct stack_walk *w);
/* What a key means: the event's payload is the key, then frames. */
void model_stack_defined(struct model *m, const struct event *e, source_id source, uint64_t key);
/* The newest fact is of this event, and its stack may come. `owner`: thread of the header. */
void model_stack_expect(struct model *m, const struct event *e, source_id source,
                        const struct fact *f, uint32_t owner);
/* The stacks in the event's extended items become the fact's. */
void model_stack_inline(struct model *m, const struct event *e, source_id source, struct fact *f);

/* Frames of a stack, innermost first; how many. 0: its key has not been told. */
unsigned model_stack_frames(const struct model *m, const struct stack *s,
                            uint64_t out[2 * STACK_FRAMES]);

/* ---- processors (processor.c) ----------------------------------------------- */

struct processor *model_processor_new(struct model *m, source_id source, uint32_t cpu);

/* NULL for a number that no processor has. */
static inline struct processor *model_processor(struct model *m, source_id source, uint32_t cpu)
{
    struct model_source *const s = &m->sources[source];
    return cpu < s->processors_seen ? &s->processors[cpu] : model_processor_new(m, source, cpu);
}

/* ---- kinds (kind.c) ------------------------------------------------------- */

void model_kinds_init(struct model *m);
void model_kinds_fini(struct model *m);

/* Index of the event's kind; 0 when the registry is full. */
uint16_t model_kind_look_up(struct model *m, const struct event *e);

/* Level, task and keywords may differ between events of one kind; these may not. */
static inline uint64_t model_kind_name(const struct event *e)
{
    return (uint64_t)e->id | (uint64_t)e->version << 16 | (uint64_t)e->opcode << 32 |
           (uint64_t)e->kind << 40;
}

/* Kernel events are told apart by the name alone, and few kinds make up most of them. */
static inline uint16_t model_kind(struct model *m, const struct event *e)
{
    const uint64_t name = model_kind_name(e);
    struct recent_kind *const r = &m->recent_kinds[(e->id ^ e->id >> 5) & (RECENT_KINDS - 1)];
    if (r->index && r->name == name)
        return r->index;
    const uint16_t index = model_kind_look_up(m, e);
    if (header_is_kernel((enum header_kind)e->kind))
        *r = (struct recent_kind){name, index};
    return index;
}

/* Loads field `i` of the kind's fact builder; false when the payload has it not. */
bool kind_load_slowly(struct place p, const struct event *e, uint64_t *out);
static inline bool kind_load(const struct kind *k, const struct event *e, unsigned i, uint64_t *out)
{
    const struct place *p = &k->places[e->pointer == 8][i];
    if (p->wide_end > e->payload_bytes)
        return kind_load_slowly(*p, e, out);
    *out = load_u64(e->payload + p->offset) << p->shift >> p->shift;
    return true;
}

/* The bytes of field `i`, which must take `width`; NULL when the payload has it not. */
static inline const uint8_t *kind_bytes(const struct kind *k, const struct event *e, unsigned i,
                                        unsigned width)
{
    const struct place p = k->places[e->pointer == 8][i];
    return p.width == width && p.offset + width <= e->payload_bytes ? e->payload + p.offset : NULL;
}

static inline const struct process *model_process_at(const struct model *m, uint32_t number)
{
    return generation_at(&m->processes, number);
}

/* The one that stands for a file: what was met by its address first and is known under its
 * name, too, is two numbers and one file. */
static inline uint32_t model_file_one(const struct model *m, uint32_t number)
{
    enum { CHAIN = 8 }; /* each is younger than the one before; more are not worth the time */
    for (unsigned i = 0; i < CHAIN && m->merges; i++) {
        const struct file *f = generation_at(&m->files, number);
        if (!f || !f->same_as || !generation_at(&m->files, f->same_as))
            break;
        number = f->same_as;
    }
    return number;
}

static inline const struct file *model_file_at(const struct model *m, uint32_t number)
{
    return generation_at(&m->files, number);
}

#endif
