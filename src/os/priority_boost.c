#include "src/os/priority_boost.h"

#include "src/os/os.h"

static const int64_t OFTEN_NS = 1000000;
/* What is not used is kept for so long: the budget of this time may be used at a stretch. */
static const int64_t KEPT_NS = 200 * 1000000;

bool priority_boost_at(struct priority_boost *p, int64_t now_ns, int64_t cpu_ns)
{
    enum { HUNDRED = 100, AGAIN = 4 };
    const int64_t most = KEPT_NS * p->percent / HUNDRED;
    const int64_t passed = now_ns - p->looked_ns;
    if (!p->has_begun)
        p->left_ns = most;
    else if (p->is_boosted)
        p->left_ns -= cpu_ns - p->cpu_ns;
    if (p->has_begun)
        p->left_ns += (passed < KEPT_NS ? passed : KEPT_NS) * p->percent / HUNDRED;
    if (p->left_ns > most)
        p->left_ns = most;
    p->has_begun = true;
    p->looked_ns = now_ns;
    p->cpu_ns = cpu_ns;
    /* Once used up, some of it must have come back before it is worth changing again. */
    const int64_t least = p->is_urgent ? -most : p->is_boosted ? 0 : most / AGAIN;
    return p->left_ns > least;
}

void priority_boost_update(struct priority_boost *p)
{
    const int64_t now = os_now();
    if (!p->percent || p->is_refused || (p->has_begun && now - p->looked_ns < OFTEN_NS))
        return;
    const bool is_wanted = priority_boost_at(p, now, os_thread_cpu_time());
    if (is_wanted == p->is_boosted)
        return;
    if (os_thread_boost(is_wanted))
        p->is_boosted = is_wanted;
    else
        p->is_refused = true;
}
