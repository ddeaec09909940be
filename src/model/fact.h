/* Facts: what the history is made of. The engine turns each event into one
 * small fixed-size fact; tables, filters, histograms and stepping are scans or
 * increments over facts. Facts hold ids, never strings: a name learned late is
 * right retroactively. */
#ifndef SRC_MODEL_FACT_H
#define SRC_MODEL_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fact_class {
    FACT_OTHER, /* any event without a class below */
    FACT_PROCESS,
    FACT_THREAD,
    FACT_IMAGE,
    FACT_SWITCH, /* context switch */
    FACT_READY,  /* ready thread */
    FACT_DISK,
    FACT_FILE,
    FACT_NETWORK,
    FACT_REGISTRY,
    FACT_FAULT,
    FACT_MEMORY,
    FACT_DPC,
    FACT_ISR,
    FACT_SYSCALL,
    FACT_SAMPLE,
    FACT_STACK,
    FACT_NAME,
    FACT_MARK,
    FACT_DOTNET, /* of a .NET runtime */
    FACT_PMC,    /* sample by a counter of a processor */
    FACT_SPAN,   /* from one event to another: src/engine/span.h */
    FACT_CLASSES,
};

/* All but what only says how something is called, and stacks, which belong to other events. */
enum { FACT_EVENTS = ((1u << FACT_CLASSES) - 1) & ~(1u << FACT_STACK | 1u << FACT_NAME) };

enum fact_op {
    OP_NONE, OP_START, OP_END, OP_RUNDOWN,
    OP_READ, OP_WRITE, OP_FLUSH, OP_OPEN, OP_CREATE, OP_CLOSE, OP_DELETE, OP_RENAME, OP_QUERY, OP_SET, OP_ENUM,
    OP_SEND, OP_RECEIVE, OP_CONNECT, OP_ACCEPT, OP_DISCONNECT, OP_RETRANSMIT, OP_FAIL,
    OP_HARD, OP_ZERO, OP_TRANSITION, OP_COPY, OP_GUARD, OP_SOFT, OP_VIOLATION, OP_ALLOC, OP_FREE,
    OP_OTHER,
    OP_GC, OP_SUSPEND, OP_PAUSE, OP_HEAP, OP_JIT, OP_THROW, OP_CONTEND, OP_POOL, OP_LOAD,
    OP_SLICE, /* part of a time slice that goes on, counted ahead of its end; never kept */
    OPS,
};

enum {
    FACT_HAS_LATENCY = 1,
    FACT_FAILED = 2,         /* ended with an error; warnings are none */
    FACT_NO_RECORD = 4,      /* made by the program itself, not from a record */
    FACT_SEQUENTIAL = 8,     /* DISK: begins where the one before on that disk ended */
    FACT_MIGRATED = 8,       /* SWITCH: on another processor than the time slice before */
    FACT_BACKGROUND = 8,     /* DOTNET: a collection while threads run */
    FACT_MOVED = 16,         /* FILE: of OP_END, whose value counts and not its request's */
    FACT_PRIORITY_SHIFT = 5, /* upper three flag bits: I/O priority, 0 not set … 5 critical */
};

/* A fact whose process is not known yet stands under its thread: row keys carry
 * this bit and the thread's number until the thread's process is learned. */
#define FACT_BY_THREAD 0x80000000u

/* What the fields mean, class by class, where the names alone do not say it:
 *
 * SWITCH  one time slice of a thread, filed when it ends. value = ns on the
 *         processor (less what OP_SLICE facts counted ahead, at interval ends), latency
 *         = ns it had been ready before the time slice, place = C-state + 1 of the processor,
 *         ideal processor, state, wait reason at its end, a byte each, entity = the thread that
 *         follows, status = its priority + 1 at the end. OP_SLICE of thread 0: nobody was seen to
 *         have that time.
 * READY   thread = the one made ready; entity = the thread that readied it, 0 where a DPC
 *         did; value and latency = ns it had waited, place = why (wait_place()); all 0 where
 *         the wait's start was not seen.
 * SAMPLE  value = ns one sample stands for (count × sampling interval), latency = the address
 *         that was run (and no FACT_HAS_LATENCY), entity = the image that was known to lie
 *         there. The image's event may come later: view_image_of() has the final one.
 * PMC     value = events of the counter that one sample stands for, place = the counter;
 *         address and image as for SAMPLE.
 * DISK    place = disk number, status = ns of service time: from the later of this operation's
 *         start and the previous completion on that disk (saturates). OP_START is the *Init
 *         event and measures nothing; its value = number of its end's fact + 1, for stacks that
 *         come later still.
 * FILE    OP_END is the completion: latency and status of the operation in `place`. On Linux
 *         the bytes moved are its value (FACT_MOVED): requests do not always have the size.
 * NETWORK place = the first connection to the same remote address (0 = none), entity =
 *         connection, value = bytes of payload; OP_COPY repeats bytes already received.
 * FAULT   value = bytes read by a hard fault. OP_SOFT is a soft fault of unknown kind.
 * DPC/ISR entity = routine, latency = ns in it.
 * SYSCALL entity = routine. OP_END is the return: latency and status of the call.
 * DOTNET  place = the runtime. OP_GC is the start of a collection, status = its generation + 1.
 *         OP_SUSPEND: latency = until all threads stood; OP_PAUSE: until they ran again.
 *         OP_HEAP: value = bytes in use; KiB + 1 of generation 0 in status, of 1 in entity, of 2
 *         and of large objects in the lower and upper half of latency (and no FACT_HAS_LATENCY).
 *         OP_ALLOC: value = bytes since the last one, entity = name of the type. OP_JIT: a method
 *         that was compiled, value = bytes of code. OP_THROW: entity = name of the type of the
 *         exception. OP_CONTEND: latency = time for a lock. OP_POOL: value = threads of the pool,
 *         status = why they change + 1, or 0. OP_LOAD: a module.
 * SPAN    kind = its name; process, thread of the event that began it, the record is that of the
 *         one that ended it. OP_FAIL: it has not ended in its time. */

/* Ids: 0 is "unknown" everywhere. process/thread are generations of the model
 * (source + id + which lifetime); entity is the pane domain's thing (file, key,
 * connection, image); kind names provider + event + opcode + version. */
struct fact {
    int64_t time;      /* ns since 1970 UTC */
    uint64_t position; /* of the record in its hot ring */
    uint64_t value;    /* bytes, count, … by class */
    uint64_t latency;  /* ns, with FACT_HAS_LATENCY */
    uint32_t process, thread;
    uint32_t entity;
    uint32_t place;    /* disk number, address id, wait reason/state, … by class */
    uint32_t stack;    /* of the model's stacks; 0 = none (yet) */
    uint32_t status;   /* marked NTSTATUS (src/event/status.h) or the class's own */
    uint16_t kind;
    uint16_t cpu;
    uint8_t class;     /* enum fact_class */
    uint8_t op;        /* enum fact_op */
    uint8_t ring;      /* index of the collector */
    uint8_t flags;
};
_Static_assert(sizeof(struct fact) == 64, "a fact is one cache line");

/* Why a thread waited, as `place` of READY has it: the reason + 1, the call in which it waited
 * (enum wait_call), and whether the reason is one of Linux. */
enum { WAIT_IS_LINUX = 1 << 16 };

static inline uint32_t wait_place(unsigned reason, unsigned call, bool is_linux)
{
    return ((reason & 0xff) + 1) | (call & 0x7f) << 9 | (is_linux ? WAIT_IS_LINUX : 0);
}

static inline unsigned wait_reason(uint32_t place)
{
    return (place & 0x1ff) - 1;
}

/* What it is called: of Linux the call, else the reason; NULL: it has no name. */
const char *wait_name(uint32_t place);
/* The same in `room`; with "~" where Linux gives no reason and the call is not known: then it is a
 * guess. Reasons without a name have their number. */
const char *wait_text(uint32_t place, char *room, size_t bytes);

/* ---- the store -------------------------------------------------------------- */

/* Facts by sequence number: the newest `room` of them, in chunks that are shared
 * with frozen views (reference-counted; engine thread only) and otherwise reused. */
enum { FACT_CHUNK = 32768, FACT_BLOCK = 512 };

/* Earliest and latest time of a whole block: who looks for a time passes over blocks
 * that do not reach it, and still meets every fact that came out of order. */
struct fact_bounds {
    int64_t low, high;
};

struct fact_chunk {
    unsigned holders;
    struct fact_bounds bounds[FACT_CHUNK / FACT_BLOCK]; /* set when the next block begins */
    struct fact *facts; /* FACT_CHUNK of them, in pages of their own */
};

struct facts {
    struct fact_chunk **chunks; /* chunk k holds sequence numbers k·FACT_CHUNK … */
    struct fact **facts;        /* of the same chunk */
    size_t slots;               /* a power of two: chunk k lives in chunks[k % slots] */
    size_t kept;                /* so many newest chunks are kept */
    uint64_t first, end;        /* kept: first ≤ number < end */
    struct fact_bounds open;    /* of the block at `end`, without its newest fact */
};

void facts_init(struct facts *s, size_t room);
void facts_fini(struct facts *s);

/* Memory of the facts by now. */
static inline size_t facts_bytes(const struct facts *s)
{
    const uint64_t chunks = (s->end - s->first + FACT_CHUNK - 1) / FACT_CHUNK;
    return (size_t)chunks * FACT_CHUNK * sizeof(struct fact);
}

/* A zeroed place for the next fact; the oldest chunk goes when there is no room. */
struct fact *facts_add(struct facts *s);

/* A look at what is kept now that later additions do not change; facts_fini() it. */
struct facts facts_share(const struct facts *s);

/* `number` must be kept. */
static inline struct fact *facts_at(const struct facts *s, uint64_t number)
{
    return &s->facts[number / FACT_CHUNK & (s->slots - 1)][number % FACT_CHUNK];
}

/* Its number, where the fact is one of those kept. */
bool facts_number(const struct facts *s, const struct fact *f, uint64_t *number);

/* Can there be facts with from < time ≤ to in the block that begins at `number`? */
bool facts_block_reaches(const struct facts *s, uint64_t number, int64_t from, int64_t to);

/* Is that said of all facts of the block that `number` lies in? False where it is not known. */
bool facts_block_within(const struct facts *s, uint64_t number, int64_t from, int64_t to);

/* A part of a fact that names something, for tables and fields that count by it. */
uint32_t fact_entity(const struct fact *f), fact_place(const struct fact *f),
    fact_process(const struct fact *f), fact_stack(const struct fact *f),
    fact_status(const struct fact *f), fact_thread(const struct fact *f);

/* Earliest time among the oldest facts (late ones stand behind the first); 0 = none. */
int64_t facts_earliest(const struct facts *s);

#endif
