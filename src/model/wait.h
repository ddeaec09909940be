/* Waits that have not ended: what a thread that is on no processor has been waiting for. */
#ifndef SRC_MODEL_WAIT_H
#define SRC_MODEL_WAIT_H

#include "src/model/model.h"

enum wait_state {
    WAIT_NOT_SEEN, /* it runs, or nobody saw it leave its processor, or it is not there */
    WAIT_BLOCKED,
    WAIT_READY, /* for a processor */
};

struct wait_now {
    enum wait_state state;
    int64_t ns;     /* since when … */
    bool is_longer; /* … or before, and nobody knows when */
    uint32_t place; /* WAIT_BLOCKED: see wait_text() */
};

/* At an instant that is not after the newest event. What goes on since before then is all that is
 * known of earlier instants: a wait that has ended meanwhile is not seen. */
struct wait_now model_wait_at(const struct model *m, const struct thread *t, int64_t now);

#endif
