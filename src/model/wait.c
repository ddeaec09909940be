#include "src/model/wait.h"

static bool is_there(const struct thread *t, int64_t now)
{
    return t->tid && t->first_ns <= now && (!t->end_ns || t->end_ns > now);
}

/* Without an interruption of the recording, in which it may have ended. */
static bool is_whole(const struct model *m, int64_t since, int64_t now)
{
    return recorded_stay(&m->recorded, since, now) == now - since;
}

struct wait_now model_wait_at(const struct model *m, const struct thread *t, int64_t now)
{
    struct wait_now w = {.state = WAIT_NOT_SEEN};
    if (!is_there(t, now))
        return w;
    if (t->ready_ns)
        w = (struct wait_now){.state = WAIT_READY, .ns = t->ready_ns};
    else if (t->wait_ns)
        w = (struct wait_now){
            .state = WAIT_BLOCKED,
            .ns = t->wait_ns,
            .is_longer = t->waits_longer,
            .place = wait_place(t->wait_reason, t->wait_call, m->sources[t->source].is_linux)};
    return w.state && w.ns <= now && is_whole(m, w.ns, now)
               ? w
               : (struct wait_now){.state = WAIT_NOT_SEEN};
}
