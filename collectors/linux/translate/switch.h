/* What a thread's state at a switch means, for tests of the mapping (collectors/linux/README.md). */
#ifndef COLLECTORS_LINUX_TRANSLATE_SWITCH_H
#define COLLECTORS_LINUX_TRANSLATE_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of sched_switch's prev_state, as the running kernel's print format lists them. */
struct switch_masks {
    uint64_t interruptible, uninterruptible, stopped, traced, dead, zombie, parked, idle;
    uint64_t preempted; /* above all that are listed */
};

/* From the event's format text; NULL or a text without a list: those of 6.x. */
struct switch_masks switch_masks_of(const char *format);

struct switch_end {
    uint8_t state;  /* KTHREAD_STATE: 1 ready, 4 terminated, 5 waiting */
    uint8_t reason; /* enum wait_reason, as far as the state shows it */
};

/* How the time slice of a thread ended. */
struct switch_end switch_end_of(const struct switch_masks *m, int64_t prev_state);

/* Linux priorities 0 (real time 99) … 139 (nice 19) as Windows' 1 … 31; idle is 0. */
uint8_t switch_priority(int32_t prio, bool is_idle);

#endif
