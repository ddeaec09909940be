/* Which processes may have more or less memory than when they were last read: the collector's
 * thread notes them, the helper reads them (job_gauge.c). */
#ifndef COLLECTORS_LINUX_TRANSLATE_GAUGE_H
#define COLLECTORS_LINUX_TRANSLATE_GAUGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Places by pid: of two that share one, the later is noted, and the other is read by turns. The
 * collector's thread alone writes ids; the helper takes them by exchange with 0. An id that comes
 * in between may be taken twice, and none is lost. */
enum { GAUGE_TOUCHED = 4096 };
#define GAUGE_HAS_FAULTED 0x80000000u /* it was given pages: it comes first */

struct gauge_touched {
    _Atomic uint32_t pids[GAUGE_TOUCHED];
};

/* The process ran, or was given pages. NULL is fine. Collector's thread. */
static inline void gauge_touch(struct gauge_touched *g, uint32_t pid, bool has_faulted)
{
    if (!g || !pid)
        return;
    _Atomic uint32_t *const at = &g->pids[pid % GAUGE_TOUCHED];
    const uint32_t before = atomic_load_explicit(at, memory_order_relaxed),
                   flag = has_faulted ? GAUGE_HAS_FAULTED : 0;
    const uint32_t now = (before & ~GAUGE_HAS_FAULTED) == pid ? before | flag : pid | flag;
    if (now != before)
        atomic_store_explicit(at, now, memory_order_relaxed);
}

#endif
