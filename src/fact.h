/* Facts: what the kept window is made of. The engine turns each event into one
 * small fixed-size fact; tables, filters, histograms and stepping are scans or
 * increments over facts. Facts hold ids, never strings: a name learnt late is
 * right retroactively. */
#ifndef SRC_FACT_H
#define SRC_FACT_H

#include <stdint.h>

enum fact_class {
    FACT_OTHER,   /* any event without a class below */
    FACT_PROCESS, FACT_THREAD, FACT_IMAGE,
    FACT_SWITCH,  /* context switch */
    FACT_READY,   /* ready thread */
    FACT_DISK, FACT_FILE, FACT_NETWORK, FACT_REGISTRY, FACT_FAULT, FACT_MEMORY,
    FACT_DPC, FACT_ISR, FACT_SYSCALL, FACT_SAMPLE, FACT_STACK, FACT_NAME, FACT_MARK,
    FACT_CLASSES,
};

enum fact_op {
    OP_NONE, OP_START, OP_END, OP_RUNDOWN,
    OP_READ, OP_WRITE, OP_FLUSH, OP_OPEN, OP_CREATE, OP_CLOSE, OP_DELETE, OP_RENAME, OP_QUERY, OP_SET, OP_ENUM,
    OP_SEND, OP_RECEIVE, OP_CONNECT, OP_ACCEPT, OP_DISCONNECT, OP_RETRANSMIT, OP_FAIL,
    OP_HARD, OP_ZERO, OP_TRANSITION, OP_COPY, OP_GUARD, OP_VIOLATION, OP_ALLOC, OP_FREE,
    OP_OTHER,
    OPS,
};

enum { FACT_HAS_LATENCY = 1, FACT_FAILED = 2 };

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
    uint32_t stack;
    uint32_t status;   /* NTSTATUS or the class's own */
    uint16_t kind;
    uint16_t cpu;
    uint8_t class;     /* enum fact_class */
    uint8_t op;        /* enum fact_op */
    uint8_t ring;      /* index of the collector */
    uint8_t flags;
};
_Static_assert(sizeof(struct fact) == 64, "a fact is one cache line");

#endif
