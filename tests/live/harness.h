/* Truth tests of the live collector: start it with some classes, let a workload run whose
 * counts are known, end the collector (which empties all rings), and ask.
 *
 *     struct live_run *r = live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH});
 *     …the workload…
 *     live_end(r);
 *     assert_int_equal(live_count(r, is_mine, &arg), 1000);   records as they were made
 *     live_number(r, "cpu", "tid", tid, "csw");               what a pane shows, in total
 *     live_free(r);
 *
 * live_begin() skips the test, with the reason, where events cannot be opened here. */
#ifndef TESTS_LIVE_HARNESS_H
#define TESTS_LIVE_HARNESS_H

#include "tests/test.h"

#include "src/command/session.h"
#include "src/event/event.h"
#include "src/model/fact.h"

struct live_request {
    uint32_t classes, stacks; /* bits of enum fact_class */
    uint64_t kernel_bytes;    /* of each of the kernel's rings; 0 = as the program does */
    uint64_t ring_bytes;      /* our hot ring; 0: 64 MiB */
    size_t facts;             /* kept; 0: as the program does */
    uint8_t kernel_source;    /* enum kernel_source */
    bool has_no_symbols;      /* frames as module and offset: names come when they come */
    struct collector_scope scope;
    const char *capture; /* src/collect/capture.h; NULL: everything is stored */
    const char *group, *tracepoint; /* counted for live_out_of_reach(); NULL: none */
};

enum { LIVE_COUNTERS = 256 };

struct live_run {
    struct session *session;
    int counters[LIVE_COUNTERS]; /* of the tracepoint, in the threads of process 1 */
    unsigned counter_count;
    int64_t began, ended; /* CLOCK_MONOTONIC */
    uint64_t tracers;     /* what others had open, when it began */
    bool is_over, is_alone;
};

/* Whether what only BPF programs know can be expected: they load, and TRACETOP_SOURCE=perf in the
 * environment does not forbid them. */
bool live_has_bpf(void);

/* Comes back when everything that was requested is on (or refused: the test is skipped). */
struct live_run *live_begin(const struct live_request *w);

/* Ends the collector: all that happened before is in our rings, losses are exact. The engine
 * stays, for questions. */
void live_end(struct live_run *r);
void live_free(struct live_run *r);

/* Records (of our hot ring, oldest first) that `is_it` says yes to; fails the test where the
 * ring has lapped. After live_end(). */
uint64_t live_count(const struct live_run *r, bool (*is_it)(const struct event *e, void *arg),
                    void *arg);

/* A pane's total in `column` of the row whose `key` column shows the number `id`; -1 where there
 * is no such row or no value. Texts as in live_row_named(). After live_end(). */
double live_number(const struct live_run *r, const char *pane, const char *key, uint64_t id,
                   const char *column);

/* The same for the row whose `key` column is this text. */
double live_number_named(const struct live_run *r, const char *pane, const char *key,
                         const char *text, const char *column);

/* Comes back when that cell shows this text, while the collector runs; fails the test where it
 * never does. */
void live_wait_for_text(const struct live_run *r, const char *pane, const char *key, uint64_t id,
                        const char *column, const char *text);

/* All rows of a pane as they are now; frame_free() it. */
struct frame *live_frame(const struct live_run *r, const char *pane);

/* Sum of a column over all rows. */
double live_sum(const struct live_run *r, const char *pane, const char *column);

/* made = received + lost + undelivered, exactly; prints the figures. After live_end(). */
void live_check_accounts(const struct live_run *r);

/* Did no other tracer come or go between live_begin() and live_end()? While one does, the kernel calls
 * nobody for its events for some milliseconds, and nothing counts that: what is missing from an
 * exact count is then nobody's fault. Skips the test where that may be. */
void live_must_be_alone(struct live_run *r);

/* How often the tracepoint of the request fired while a thread of process 1 ran. Some kernels call
 * no BPF program in interrupts there, and count nothing: up to so many events may be missing. */
uint64_t live_out_of_reach(const struct live_run *r);

/* Puts the calling process on one processor (children inherit it). Returns the processor; the
 * test is skipped where that is not permitted. `which` counts the permitted ones. */
int live_pin(unsigned which);
unsigned live_processors(void); /* that this process may run on */

/* The number behind "Name:" in /proc/PID/status (PID 0: this thread); -1 where there is none. */
int64_t live_status(int pid, const char *name);

#endif
