/* Everything that can be missing from the picture, by cause: how much, and what helps. */
#ifndef UI_DRAW_LOSS_H
#define UI_DRAW_LOSS_H

#include "src/frame/frame.h"

struct loss_cause {
    const char *name;   /* a word or two */
    const char *what;   /* what it means, a sentence without its stop */
    const char *remedy; /* what can be done about it, likewise */
    uint64_t (*count)(const struct frame *f);
    bool is_left_out;   /* by the bounds on this program's memory */
    double (*rate)(const struct frame *f); /* a second, now; NULL: no part of what LOST counts */
    bool is_harmless;                      /* no event and no amount is missing */
};

/* LOST of the status line: one number, and the cause with the largest part of it. */
struct loss_sum {
    double count;      /* events a second while more are being lost, otherwise all so far */
    bool is_rate;
    const char *cause; /* its name among the causes; NULL: nothing was lost */
};

extern const struct loss_cause loss_causes[];
extern const unsigned loss_cause_count;

struct loss_sum loss_sum(const struct frame *f);

/* What it means, and what can be done about it, where the frame's events are from. */
const char *loss_what(const struct loss_cause *c, const struct frame *f);
const char *loss_remedy(const struct loss_cause *c, const struct frame *f);

/* Stack walks without their event, but for late ones. */
uint64_t loss_orphan_stacks(const struct frame *f);

/* What the bounds on memory left out, in all. */
uint64_t loss_left_out(const struct frame *f);

#endif
