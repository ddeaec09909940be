/* Calls of functions (src/event/function_event.h): their returns are spans, with the time that the
 * call took. */
#include "src/event/function_event.h"
#include "src/model/model.h"

static void make_call(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)m, (void)k;
    uint64_t ns;
    if (function_event_duration(e, &ns))
        fact_latency(f, ns <= INT64_MAX ? (int64_t)ns : INT64_MAX);
}

const struct fact_builder *fact_builder_of_function(const struct event *e)
{
    static const struct fact_builder call = {0, 0, FACT_SPAN, OP_END, make_call, {NULL}};
    return function_event_is_return(e) ? &call : NULL;
}
