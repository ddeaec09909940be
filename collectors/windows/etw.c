/* Live collection over ETW. Sessions are not opened yet: it refuses, with a sentence, and the
 * program shows what else it can. */
#include "collectors/collectors.h"

static bool start(struct collector *c, const struct collector_options *o, struct err *err)
{
    (void)c;
    (void)o;
    return fail(err, "this build opens no ETW sessions");
}

static void stop(struct collector *c)
{
    (void)c;
}

const struct collector_kind collector_live = {
    .id = "etw",
    .help = "this machine, by ETW sessions",
    .is_live = true,
    .start = start,
    .stop = stop,
};
