/* Inside the synthetic machine: shared by the family synthetic_*.c only.
 *
 *   fixtures.c     who and what exists: roles, processes, files, peers, names
 *   records.c  how records are written, and counted; those of the configuration
 *   synthetic_records_*.c  each kind of the others
 *   machine.c  agenda, scheduler, disks, interrupts, samples
 *   workload.c     what threads do when they run
 *   rundown.c  configuration and lists of what exists
 *   gauges.c   what is sampled beside the generator's records
 *
 * Time is one counter of 100 ns ticks for the whole machine. Every record takes at
 * least one tick, so times are strictly rising over all processors and name a
 * record uniquely (stacks refer to their events by time). */
#ifndef COLLECTORS_SYNTHETIC_MACHINE_H
#define COLLECTORS_SYNTHETIC_MACHINE_H

#include "collectors/synthetic/prng.h"
#include "collectors/synthetic/synthetic.h"

#include "src/base/heap.h"

#define TICKS_PER_SECOND 10000000LL
#define TICKS_PER_MS     10000LL
#define TICKS_PER_US     10LL

enum {
    CPU_SLOTS = 64,
    PROCESS_SLOTS = 512,
    THREAD_SLOTS = 2048,
    IO_SLOTS = 2048, /* one a thread, so that it cannot run out */
    LINK_SLOTS = 256,
    FILE_SLOTS = 640,
    PRIORITIES = 32,
    NOBODY = 0xffff, /* no thread, process, io …; also the end of a list */
    CHANNELS = 8,    /* requests that one disk serves at the same time, at most */
    IMAGES_EACH = 8,
};

/* Kinds of records, in the order of synthetic_kinds[]. */
enum demo_kind {
    KIND_MASKS,
    KIND_RUNDOWN_BEGIN,
    KIND_RUNDOWN_END,
    KIND_CPU_CONFIG,
    KIND_DISK_CONFIG,
    KIND_INTERVAL,
    KIND_PROCESS_START,
    KIND_PROCESS_END,
    KIND_PROCESS_DCSTART,
    KIND_PROCESS_DCEND,
    KIND_PROCESS_TERMINATE,
    KIND_PROCESS_COUNTERS,
    KIND_THREAD_START,
    KIND_THREAD_END,
    KIND_THREAD_DCSTART,
    KIND_THREAD_DCEND,
    KIND_THREAD_NAME,
    KIND_SWITCH,
    KIND_READY,
    KIND_IMAGE_LOAD,
    KIND_IMAGE_UNLOAD,
    KIND_IMAGE_DCSTART,
    KIND_IMAGE_DCEND,
    KIND_KERNEL_IMAGE_DCSTART,
    KIND_KERNEL_IMAGE_DCEND,
    KIND_DISK_READ_INIT,
    KIND_DISK_WRITE_INIT,
    KIND_DISK_FLUSH_INIT,
    KIND_DISK_READ,
    KIND_DISK_WRITE,
    KIND_DISK_FLUSH,
    KIND_FILE_NAME,
    KIND_FILE_CREATED,
    KIND_FILE_DELETED,
    KIND_FILE_RUNDOWN,
    KIND_FILE_OPEN,
    KIND_FILE_CLEANUP,
    KIND_FILE_CLOSE,
    KIND_FILE_READ,
    KIND_FILE_WRITE,
    KIND_FILE_SET,
    KIND_FILE_DELETE,
    KIND_FILE_RENAME,
    KIND_FILE_ENUM,
    KIND_FILE_FLUSH,
    KIND_FILE_QUERY,
    KIND_FILE_DONE,
    KIND_KEY_CREATE,
    KIND_KEY_OPEN,
    KIND_KEY_QUERY,
    KIND_VALUE_SET,
    KIND_VALUE_DELETE,
    KIND_VALUE_QUERY,
    KIND_KEY_ENUM,
    KIND_KEY_CLOSE,
    KIND_KCB_CREATE,
    KIND_KCB_DELETE,
    KIND_KCB_RUNDOWN_BEGIN,
    KIND_KCB_RUNDOWN_END,
    KIND_TCP_SEND,
    KIND_TCP_RECEIVE,
    KIND_TCP_CONNECT,
    KIND_TCP_DISCONNECT,
    KIND_TCP_RETRANSMIT,
    KIND_TCP_ACCEPT,
    KIND_TCP_FAIL,
    KIND_TCP6_SEND,
    KIND_TCP6_RECEIVE,
    KIND_TCP6_CONNECT,
    KIND_TCP6_DISCONNECT,
    KIND_TCP6_RETRANSMIT,
    KIND_TCP6_ACCEPT,
    KIND_UDP_SEND,
    KIND_UDP_RECEIVE,
    KIND_UDP6_SEND,
    KIND_UDP6_RECEIVE,
    KIND_FAULT_TRANSITION,
    KIND_FAULT_ZERO,
    KIND_FAULT_COPY,
    KIND_FAULT_GUARD,
    KIND_FAULT_HARD,
    KIND_FAULT_VIOLATION,
    KIND_HARD_FAULT,
    KIND_ALLOCATE,
    KIND_FREE,
    KIND_SAMPLE,
    KIND_DPC,
    KIND_TIMER_DPC,
    KIND_THREADED_DPC,
    KIND_ISR,
    KIND_ISR_MSI,
    KIND_CALL_ENTER,
    KIND_CALL_EXIT,
    KIND_STACK,
    KINDS,
};

/* ---- who and what exists ------------------------------------------------------ */

enum family {
    FAMILY_NONE,
    FAMILY_SYSTEM,
    FAMILY_SOURCE,
    FAMILY_OBJECT,
    FAMILY_DATABASE,
    FAMILY_LOG,
    FAMILY_CACHE,
    FAMILY_DOCUMENT,
    FAMILY_ARCHIVE,
    FAMILY_BACKUP,
    FAMILIES,
};

enum work_kind {
    WORK_SLEEP,
    WORK_WAIT,
    WORK_OPEN,
    WORK_CLOSE,
    WORK_READ,
    WORK_WRITE,
    WORK_FLUSH,
    WORK_LIST,
    WORK_ATTRIBUTE,
    WORK_REPLACE,
    WORK_REGISTRY,
    WORK_REQUEST,
    WORK_LISTEN,
    WORK_LOOKUP,
    WORK_TOUCH,
    WORK_PAGE_IN,
    WORK_ALLOCATE,
    WORK_CALL,
    WORK_BUILD,
    WORK_COMMIT,
    WORK_LOG,
    WORK_SCAN,
    WORK_STEP,
    WORK_KINDS,
};

enum { ROLE_WORK_ITEMS = 10 };

/* A character: how long its threads run, how long they pause, what they do. */
struct demo_role {
    const char *thread_name; /* "" = threads without a name */
    uint8_t priority;
    uint8_t reads, writes; /* enum family */
    uint8_t cached;        /* of 100 reads, how many need no disk */
    uint8_t lifetime;      /* work items until the thread's process exits; 0 = stays */
    uint16_t run_us;       /* median burst on a processor */
    uint32_t pause_us;     /* median of ACT_SLEEP */
    uint32_t read_bytes, write_bytes;
    struct {
        uint8_t work, weight;
    } work_items[ROLE_WORK_ITEMS];
};

enum role_id {
    ROLE_IDLE,
    ROLE_KERNEL,
    ROLE_SERVICE,
    ROLE_SHELL,
    ROLE_DESKTOP,
    ROLE_BROWSER,
    ROLE_PAGE,
    ROLE_SERVER,
    ROLE_LOGGER,
    ROLE_BACKUP,
    ROLE_SCANNER,
    ROLE_BUILD,
    ROLE_COMPILER,
    ROLE_LINKER,
    ROLES,
};
extern const struct demo_role roles[ROLES];

/* A program of the fixtures: one row of their table, instanced at the start or by ACT_BUILD. */
struct program {
    const char *image;
    const char *command;      /* the command line … */
    const char *command_tail; /* … or, if not NULL, what follows it and a running number */
    uint8_t role;             /* of its threads but the first … */
    uint8_t first_role;       /* … and of the first */
    uint8_t threads, copies;
    uint8_t parent;  /* row of the parent program */
    uint8_t session; /* 0xff = none */
    bool is_user;    /* runs as the user, not as the system */
};
extern const struct program programs[];
extern const unsigned program_count;
enum { PROGRAM_COMPILER = 0xf0, PROGRAM_LINKER = 0xf1 };
const struct program *program_of(unsigned row);

/* UTF-16 text that hurts: escape sequences, bidi controls, lone surrogates, length. */
struct hostile {
    const uint16_t *wide;
    unsigned units;
    const char *narrow; /* the same trouble for 8-bit names */
};
extern const struct hostile hostiles[];
extern const unsigned hostile_count;
enum { HOSTILE_NONE = 0xff };

struct demo_image {
    const char *path;
    uint64_t base;
    uint32_t bytes, stamp;
};
extern const struct demo_image kernel_images[], user_images[];
extern const unsigned kernel_image_count, user_image_count;

struct registry_key {
    const char *path; /* full path, as KCB records have it */
    const char *value;
};
extern const struct registry_key registry_keys[];
extern const unsigned registry_key_count;

struct demo_process {
    uint32_t pid, parent, number;
    uint64_t key, table_base;
    uint32_t total;   /* row in the totals */
    uint16_t threads; /* alive */
    uint16_t waker;   /* thread to wake at exit, or NOBODY */
    uint16_t waiters; /* list of threads in WORK_WAIT */
    uint8_t program;  /* row, or PROGRAM_* */
    uint8_t hostile;  /* row of hostiles[], or HOSTILE_NONE */
    bool is_used;
    uint8_t images; /* user images loaded: own, then user_images[0 … ] */
    uint8_t children;
    uint32_t steps; /* work items left, for roles that end */
    uint64_t base;  /* where its own image lies */
};

enum demo_wait_reason {
    WAIT_EXECUTIVE = 0,
    WAIT_PAGE_IN = 2,
    WAIT_DELAY = 4,
    WAIT_USER = 6,
    WAIT_QUEUE = 15,
    WAIT_TERMINATED = 22,
    WAIT_QUANTUM = 30,
    WAIT_PREEMPTED = 32,
};

/* Thread states as CSwitch records have them. */
enum { STATE_READY = 1, STATE_RUNNING = 2, STATE_TERMINATED = 4, STATE_WAITING = 5 };

enum thread_state { THREAD_FREE, THREAD_READY, THREAD_RUNNING, THREAD_WAITING };

struct demo_thread {
    uint32_t tid;
    uint16_t process;
    uint16_t next;   /* in one list at most */
    uint16_t link;   /* connection in use, or NOBODY */
    uint16_t file;   /* open file, or NOBODY */
    uint64_t object; /* its FILE_OBJECT */
    uint16_t cpu;    /* where it ran last */
    uint8_t state, role, priority;
    uint8_t reason;        /* why it waits */
    bool is_named, is_new; /* new: its process has no images yet */
    int64_t burst;         /* ticks it still wants to run */
    int64_t ran;           /* ticks it has run, for the header's times */
    int64_t waiting_since;
    int64_t ready_since;     /* of a logged ReadyThread, else 0 */
    int64_t preempted_since; /* of a logged CSwitch, else 0 */
    int64_t blocked_since;   /* likewise, into a wait */
    uint32_t total;          /* row in the totals, where they are kept */
    uint64_t stack;
    uint8_t operations; /* file operations begun, modulo */
    uint32_t place;     /* sequential readers: where they are */
};

struct cpu {
    uint16_t thread, idle;
    int64_t since;        /* since when its thread's burst is being used up */
    int64_t call_since;   /* when its thread's system call was logged, else 0 */
    int64_t logged_since; /* when its thread was switched in, if that was logged, else 0 */
    int64_t stood_ready;  /* how long its thread had been ready before */
};

enum io_kind { IO_READ, IO_WRITE, IO_FLUSH };

struct io {
    uint64_t irp, file_irp; /* of the disk request; of the file operation, or 0 */
    uint64_t object, key, offset;
    uint64_t address; /* hard faults: where; else 0 */
    int64_t start;
    uint32_t bytes, flags;
    uint16_t thread, file, cpu;
    uint8_t disk, kind;
    bool is_waited; /* the thread waits for it */
};

struct disk {
    const char *maker;
    int64_t median_read, median_write, per_mib; /* ticks */
    int32_t spread;
    uint8_t channels;
    bool is_removable;
    int64_t free_at[CHANNELS];
    int64_t hang_until; /* a stall: nothing is finished before */
};

struct demo_file {
    uint64_t key, at; /* file key; where it lies on its disk */
    uint32_t number;
    uint8_t family, disk;
    uint8_t hostile;
    bool is_named, is_there;
    uint32_t bytes;
};

struct link { /* a connection, or a UDP end point */
    uint8_t here[16], there[16];
    uint16_t here_port, there_port;
    uint16_t thread, process;
    uint32_t expected; /* bytes still to come */
    bool is_v6, is_udp, is_used;
    int64_t trip; /* ticks */
};

/* ---- the machine -------------------------------------------------------------- */

/* Agenda slots: everything that can happen later has one place of its own. */
enum {
    SLOT_CPU = 0,
    SLOT_THREAD = SLOT_CPU + CPU_SLOTS,
    SLOT_IO = SLOT_THREAD + THREAD_SLOTS,
    SLOT_LINK = SLOT_IO + IO_SLOTS,
    SLOT_CLOCK = SLOT_LINK + LINK_SLOTS,
    CLOCK_SAMPLE = SLOT_CLOCK,
    CLOCK_GOVERN,
    CLOCK_EPISODE,
    SLOTS,
};

struct agenda {
    struct heap heap; /* of the two behind it */
    struct heap_item items[SLOTS];
    uint16_t where[SLOTS];
};

enum demo_stage { STAGE_START_LISTS, STAGE_RUN, STAGE_END_LISTS, STAGE_LAST };

struct synthetic {
    struct synthetic_options o;
    struct prng prng;
    struct trace_clock clock;
    int64_t now;
    bool is_done;
    uint32_t losing; /* records still to drop */
    uint64_t lost_run;

    uint8_t *out; /* where the next record goes */
    uint8_t *out_end;

    unsigned cpu_count;
    struct cpu cpus[CPU_SLOTS];
    uint64_t idle_mask; /* bit per processor that has nothing to do */
    unsigned busy;      /* the processor that is in the middle of something, or CPU_SLOTS */
    struct demo_process processes[PROCESS_SLOTS];
    struct demo_thread threads[THREAD_SLOTS];
    struct io ios[IO_SLOTS];
    struct link links[LINK_SLOTS];
    struct demo_file files[FILE_SLOTS];
    struct disk disks[SYNTHETIC_DISKS];
    uint16_t family_first[FAMILIES], family_count[FAMILIES];
    uint16_t free_thread, free_process, free_io; /* lists through .next … / own arrays */
    uint16_t process_next[PROCESS_SLOTS], io_next[IO_SLOTS];
    uint16_t ready_first[PRIORITIES], ready_last[PRIORITIES];
    uint32_t ready_mask;
    uint32_t ids[PROCESS_SLOTS +
                 THREAD_SLOTS]; /* process and thread ids given back, used first: reuse */
    unsigned id_count;
    uint32_t id_next;
    uint64_t kcb_named; /* bit per registry key whose KCB was logged */
    struct agenda agenda;

    uint32_t number;   /* of spawned things */
    uint64_t stretch;  /* pauses × stretch / 65536, kept so that the rate is met */
    uint64_t governed; /* records at the last adjustment */
    int64_t sample_interval;
    uint16_t logger;     /* thread that writes the database's log … */
    uint16_t commits;    /* … the threads that wait for the next write of it … */
    uint16_t committing; /* … and for the one that is under way */
    bool is_logging;
    int64_t scan_until; /* the antivirus reads the log's disk until then */
    unsigned built;     /* compilers and linkers started */
    int64_t build_from; /* no more are started before then */

    struct synthetic_totals totals;
    uint32_t total_free[PROCESS_SLOTS]; /* rows of ended processes, when totals are not kept */
    size_t total_free_count;

    enum demo_stage stage;
    unsigned list, list_slot; /* where the lists of this stage are */
    bool goes_on;             /* after the lists, as before them */
};

static inline struct demo_process *process_of(struct synthetic *s, const struct demo_thread *t)
{
    return &s->processes[t->process];
}

static inline uint16_t thread_index(const struct synthetic *s, const struct demo_thread *t)
{
    return (uint16_t)(t - s->threads);
}

static inline struct synthetic_process *total_of(struct synthetic *s, const struct demo_thread *t)
{
    return &s->totals.processes[process_of(s, t)->total];
}

static inline struct demo_thread *current(struct synthetic *s, unsigned cpu)
{
    return &s->threads[s->cpus[cpu].thread];
}

static inline void pass(struct synthetic *s, int64_t ticks)
{
    s->now += ticks;
}

/* fixtures.c */
void fixtures_create(struct synthetic *s); /* everything that is there at the start */
uint16_t process_new(struct synthetic *s, unsigned program, uint32_t parent_pid);
void process_free(struct synthetic *s, uint16_t index);
uint16_t thread_new(struct synthetic *s, uint16_t process, unsigned role);
void thread_free(struct synthetic *s, uint16_t index);
uint16_t file_pick(struct synthetic *s, unsigned family);
uint16_t link_new(struct synthetic *s, struct demo_thread *t, bool is_udp);
unsigned file_path(const struct demo_file *f, char *out, size_t room);
unsigned process_image(const struct demo_process *p, char *out, size_t room);
unsigned process_command(const struct demo_process *p, char *out, size_t room);

/* machine.c */
void machine_start(struct synthetic *s);
bool machine_step(struct synthetic *s, int64_t until); /* false: the next thing is later */

/* scheduler.c */
void agenda_set(struct synthetic *s, unsigned slot, int64_t time);
void agenda_clear(struct synthetic *s, unsigned slot);
/* Ends a time slice. True when the thread's burst is over, too; else another thread runs next. */
bool slice_is_last(struct synthetic *s, unsigned cpu);
void go_on(struct synthetic *s, unsigned cpu, struct demo_thread *t); /* another burst */
void block(struct synthetic *s, unsigned cpu, struct demo_thread *t, unsigned reason);
void ready(struct synthetic *s, struct demo_thread *t, unsigned cpu, bool is_dpc);
void leave(struct synthetic *s, unsigned cpu, struct demo_thread *t); /* the thread has ended */
int64_t pause_of(struct synthetic *s, int64_t median_us);
void dpc_begin(struct synthetic *s, unsigned cpu);
void dpc_end(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since,
             unsigned driver);

/* A request to the file's disk, logged; NULL when too many are under way. What the caller
 * knows more about it (file_irp, address, is_waited) it adds. */
struct io *io_submit(struct synthetic *s, unsigned cpu, struct demo_thread *t,
                     const struct demo_file *f, enum io_kind kind, uint64_t offset, uint32_t bytes,
                     uint32_t flags);

/* workload.c */
void work(struct synthetic *s, unsigned cpu, struct demo_thread *t);
void episode(struct synthetic *s);
void packet(struct synthetic *s, struct link *l);
void log_images(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                const struct demo_process *p);
void log_key(struct synthetic *s, unsigned cpu, enum demo_kind kind, unsigned key);

/* rundown.c */
bool rundown_step(struct synthetic *s); /* false: nothing is left to list in this stage */

/* From records.c, for the files of this folder: begins a record and returns where its payload goes;
 * ends it, true when it was written; the bytes of a hostile name, or none. */
struct payload_writer;
struct payload_writer log_begin(struct synthetic *s, enum demo_kind kind, unsigned cpu);
bool log_end(struct synthetic *s, enum demo_kind kind, unsigned cpu, struct payload_writer *p);
void put_hostile(struct payload_writer *p, unsigned row);

/* synthetic_records*.c: one function per layout; false when it was lost or not wanted
 * any more, then nothing is counted either. */
bool log_masks(struct synthetic *s, enum demo_kind kind);
bool log_mark(struct synthetic *s, enum demo_kind kind);
bool log_cpu_config(struct synthetic *s);
bool log_disk_config(struct synthetic *s, unsigned disk);
bool log_interval(struct synthetic *s);
bool log_process(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                 const struct demo_process *p);
bool log_terminate(struct synthetic *s, unsigned cpu, const struct demo_process *p);
bool log_counters(struct synthetic *s, unsigned cpu, const struct demo_process *p);
bool log_thread(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                const struct demo_thread *t);
bool log_thread_name(struct synthetic *s, unsigned cpu, const struct demo_thread *t);
bool log_switch(struct synthetic *s, unsigned cpu, struct demo_thread *to, struct demo_thread *from,
                unsigned state, unsigned reason);
bool log_ready(struct synthetic *s, unsigned cpu, struct demo_thread *t, bool is_dpc);
bool log_image(struct synthetic *s, unsigned cpu, enum demo_kind kind, uint32_t pid, uint64_t base,
               uint32_t bytes, uint32_t stamp, const char *path);
bool log_disk_init(struct synthetic *s, unsigned cpu, const struct io *io,
                   const struct demo_thread *t);
bool log_disk_done(struct synthetic *s, unsigned cpu, const struct io *io,
                   const struct demo_thread *t);
bool log_file_name(struct synthetic *s, unsigned cpu, enum demo_kind kind, struct demo_file *f);
bool log_file_open(struct synthetic *s, unsigned cpu, const struct demo_thread *t, uint64_t irp,
                   const struct demo_file *f, uint32_t options);
bool log_file_simple(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                     const struct demo_thread *t, uint64_t irp, const struct demo_file *f);
bool log_file_transfer(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                       const struct demo_thread *t, uint64_t irp, const struct demo_file *f,
                       uint64_t offset, uint32_t bytes);
bool log_file_info(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                   const struct demo_thread *t, uint64_t irp, const struct demo_file *f,
                   uint64_t extra, uint32_t info_class);
bool log_file_enum(struct synthetic *s, unsigned cpu, const struct demo_thread *t, uint64_t irp,
                   const struct demo_file *f, uint32_t length);
bool log_file_done(struct synthetic *s, unsigned cpu, uint64_t irp, uint64_t extra,
                   uint32_t status);
bool log_registry(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since,
                  uint32_t status, uint32_t index, uint64_t handle, const char *name);
bool log_transfer(struct synthetic *s, unsigned cpu, bool is_send, const struct link *l,
                  uint32_t bytes);
bool log_connect(struct synthetic *s, unsigned cpu, enum demo_kind kind, const struct link *l);
bool log_disconnect(struct synthetic *s, unsigned cpu, enum demo_kind kind, const struct link *l,
                    uint32_t bytes);
bool log_tcp_fail(struct synthetic *s, unsigned cpu);
bool log_fault(struct synthetic *s, unsigned cpu, enum demo_kind kind, uint64_t address,
               uint64_t code);
bool log_hard_fault(struct synthetic *s, unsigned cpu, const struct io *io,
                    const struct demo_thread *t);
bool log_memory(struct synthetic *s, unsigned cpu, enum demo_kind kind, const struct demo_thread *t,
                uint64_t base, uint64_t bytes, uint32_t flags);
bool log_sample(struct synthetic *s, unsigned cpu, const struct demo_thread *t, uint64_t code);
bool log_dpc(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since,
             uint64_t routine);
bool log_isr(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since,
             uint64_t routine);
bool log_call_enter(struct synthetic *s, unsigned cpu, uint64_t routine);
bool log_call_exit(struct synthetic *s, unsigned cpu, uint32_t status);
bool log_stack(struct synthetic *s, unsigned cpu, int64_t of, const struct demo_thread *t,
               const uint64_t *frames, unsigned count);

#endif
