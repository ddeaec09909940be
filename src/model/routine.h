/* Routines of interrupts, deferred calls and system calls. */
#ifndef SRC_MODEL_ROUTINE_H
#define SRC_MODEL_ROUTINE_H

#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum routine_kind {
    ROUTINE_ISR, ROUTINE_DPC, ROUTINE_TIMER, ROUTINE_THREADED, ROUTINE_IO_TIMER, ROUTINE_CALL,
    ROUTINE_KINDS,
};

/* An interrupt's or deferred call's routine, or a system call: see routine.c. */
struct routine {
    uint32_t number;
    uint32_t vector; /* the last one seen; the key where `address` is 0 */
    uint64_t address;
    source_id source;
    uint8_t kind;    /* enum routine_kind */
    char *name;      /* from an event, or NULL */
};

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

#endif
