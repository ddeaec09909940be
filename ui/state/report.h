/* Pages of text that are made by commands (`info`, `machine`) and shown by the screen: once made, they
 * stay as they are until they are opened again. Making one may read a file for a long time: it has a
 * thread of its own. All functions are the main thread's. */
#ifndef UI_STATE_REPORT_H
#define UI_STATE_REPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum report_kind { REPORT_INFO, REPORT_MACHINE, REPORTS };

/* Who makes them: writes the page to `out`, and sentences about what is wrong with it. Called in the
 * report's thread; ends soon when *stop becomes true. */
struct report_source {
    void (*make)(const void *state, enum report_kind kind, FILE *out, const _Atomic bool *stop);
    const void *state; /* must outlive the report */
};

struct report;

/* Begins to make it; with `waits` it is complete when this returns. */
struct report *report_new(const struct report_source *source, enum report_kind kind, bool waits);
void report_free(struct report *r); /* waits until its thread has ended; NULL is fine */

/* Takes the text when it is there. True once: there is something new to show. */
bool report_take(struct report *r);
bool report_is_busy(const struct report *r); /* NULL: no */

/* The line with this index and its bytes; NULL behind the last, and while it is being made. */
const char *report_line(const struct report *r, size_t index, size_t *bytes);

#endif
