/* `tracetop doctor`: what can be collected and shown on this machine, line by line, and what to
 * do where something is missing. Diagnostics come from whoever knows (collectors, the ui); here
 * they become text or JSON, and the status to end with. */
#ifndef SRC_COMMAND_DOCTOR_H
#define SRC_COMMAND_DOCTOR_H

#include "src/collect/collector.h"

#include <stdbool.h>
#include <stdio.h>

struct doctor {
    FILE *to;
    bool is_json;
    size_t count, bad;      /* diagnostics so far */
    size_t hidden;          /* text: those that share the line of another */
    struct diagnostic *all; /* text: printed at the end, behind what is missing; owned */
    size_t all_room;
    struct diagnostic held; /* text: not printed yet, as the next may say the same … */
    size_t held_count;      /* … as so many do; 0 = none is held */
};

void doctor_begin(struct doctor *d, FILE *to, bool is_json);

/* Takes one diagnostic. JSON prints it at once; text prints all at the end, or counts it to the one
 * before, which says the same of an event of the same group; `doctor` is a struct doctor, as
 * collector_kind.examine wants it. */
void doctor_report(void *doctor, const struct diagnostic *f);

/* What a kind of collector has to say of itself, and what it finds out. */
void doctor_examine(struct doctor *d, const struct collector_kind *kind);

/* The memory that a live monitor takes, and what limits it. */
void doctor_examine_memory(struct doctor *d);

/* Whether symbol files can be downloaded, and what earlier downloads take. */
void doctor_examine_downloads(struct doctor *d);

/* The end; EXIT_PRIVILEGE where rights are missing, else EXIT_DONE. */
int doctor_end(struct doctor *d);

#endif
