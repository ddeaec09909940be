/* Orders for rundowns, and for the counts of providers: a worker that writes a file or a page asks, the
 * engine makes it between other work, a slice at a time. Nobody who collects or draws waits for it. */
#ifndef SRC_ENGINE_RUNDOWN_ORDER_H
#define SRC_ENGINE_RUNDOWN_ORDER_H

#include "src/model/provider_count.h"
#include "src/model/rundown.h"
#include "src/os/os.h"

#include <stdatomic.h>

struct rundown_order;

struct rundown_orders {
    _Atomic(struct rundown_order *) given; /* newest first */
    struct rundown_order *taken;           /* the engine's: oldest first */
    _Atomic bool is_closed;
    struct model_rundown_config config; /* the engine's */
};

/* Worker's thread: waits for the rundown at *at_ns. 0 = now; *at_ns is set to that time then. The
 * caller frees it; NULL when the engine ends meanwhile. */
struct model_rundown *rundown_order(struct rundown_orders *o, struct os_wakeup *engine,
                                    unsigned collector, int64_t *at_ns, bool is_end);

/* Worker's thread: waits for the counts as of now. The caller frees them; NULL when the engine ends
 * meanwhile. */
struct provider_count *provider_order(struct rundown_orders *o, struct os_wakeup *engine,
                                      size_t *count);

/* Engine's thread: works on orders until `deadline`; true when there was something to do. */
bool rundown_orders_work(struct rundown_orders *o, const struct model *m, int64_t newest_ns,
                         int64_t deadline);

/* Engine's end: nobody waits any more, now or later. */
void rundown_orders_close(struct rundown_orders *o);

#endif
