/* A priority boost within a budget. Where programs take all processors, a scheduler that shares
 * them fairly among sessions leaves a monitor's threads a sliver, however nice they are: they fall
 * behind just when there is something to see. A thread that must not starve therefore goes
 * before all ordinary ones as long as it keeps to a small part of one processor, and is one of
 * them again beyond that, so that nobody else starves either.
 *
 * Where the system does not permit it, nothing happens; see os_thread_boost(). One thread. */
#ifndef SRC_OS_PRIORITY_BOOST_H
#define SRC_OS_PRIORITY_BOOST_H

#include <stdbool.h>
#include <stdint.h>

/* The parts of one processor that threads ask for. All of them together are less than one. */
enum {
    BOOST_COLLECTOR = 25,
    BOOST_ENGINE = 33,
    BOOST_WRITER = 15,
    BOOST_SCREEN = 5,
};

/* All zero but `percent` at first; 0 = never. */
struct priority_boost {
    unsigned percent;
    bool is_urgent; /* somebody waits: the budget may be overdrawn, and is paid back */
    bool is_boosted, is_refused, has_begun;
    int64_t looked_ns, cpu_ns; /* of the last look: os_now(), os_thread_cpu_time() */
    int64_t left_ns;           /* of the budget, which fills as time passes */
};

/* The thread calls it every few milliseconds that it works. */
void priority_boost_update(struct priority_boost *p);

/* The same at a given time: true when the thread is to go ahead from here on. */
bool priority_boost_at(struct priority_boost *p, int64_t now_ns, int64_t cpu_ns);

#endif
