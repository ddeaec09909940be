/* Meters of the machine at the top of the screen: which there are, what each shows, and how many
 * lines they take. What is drawn: ui/draw/meters.h. */
#ifndef UI_STATE_METERS_H
#define UI_STATE_METERS_H

#include "src/frame/frame.h"
#include "ui/config/settings.h"
#include "ui/theme/theme.h"

#include <stdbool.h>
#include <stdint.h>

/* Gauges that this run has had so far: bits of enum gauge. A meter that was there stays, also at an
 * instant of which it is not known, so that nothing jumps while one steps back. */
struct meters_seen {
    uint64_t gauges;
    unsigned cpus; /* with figures of their own */
};

void meters_see(struct meters_seen *seen, const struct frame *f);

enum { METER_PARTS = 4, METER_FIELDS = 5 };

/* A part of a bar. */
struct meter_part {
    enum gauge gauge;
    enum role role;
};

/* A figure with its label; the brief one stands where there is little room. */
struct meter_field {
    enum gauge gauge;
    const char *label, *brief;
};

struct meter {
    const char *id, *title, *brief;
    enum gauge value;  /* the first figure, and what its curve is of; GAUGES: none */
    enum gauge unless; /* not where that is known: another meter has it; GAUGES: always */
    enum gauge whole;  /* what parts and curve are measured by; GAUGES: by 100 %, or the peak */
    struct meter_part parts[METER_PARTS];
    unsigned part_count;
    enum gauge curves[2]; /* instead of the value: their sum, or one beside the other */
    unsigned curve_count;
    struct meter_field fields[METER_FIELDS];
    unsigned field_count, brief_count; /* brief: so many of the first */
    bool brief_bar;                    /* also where there is little room */
    uint8_t brief_curve;               /* likewise, of so many cells at least */
    bool is_highest; /* the value is the highest of the fields, and named */
    bool is_beside;  /* full: the curves stand beside each other, in the bar's place, too */
    bool names_cpus; /* says how many processors there are, where there is room */
    uint8_t place;   /* in the full view, from the top */
};

/* By their importance: where there is little room, the first ones stay. */
extern const struct meter meters[];
extern const unsigned meters_count;

/* Is any of its figures known? */
bool meter_is_known(const struct meter *m, const struct meters_seen *seen);

/* Processors of the full view: each, or so many together, in lines of so many. */
struct meters_cpus {
    unsigned count, group, groups, columns, lines;
};

enum { METERS_MOST = 16 };

struct meters_plan {
    enum meters_mode mode; /* OFF, ONE, TWO or FULL */
    int lines;
    const struct meter *meters[METERS_MOST]; /* in the order of the screen */
    unsigned count;
    unsigned columns; /* full: side by side */
    struct meters_cpus cpus;
};

/* What a screen of that size shows. Small screens show none. */
struct meters_plan meters_plan(enum meters_mode wanted, const struct meters_seen *seen, int width,
                               int height);

/* What `#` comes to next. */
enum meters_mode meters_next(enum meters_mode now, enum meters_mode shown);

#endif
