/* How long a sample is (+ - and :interval). */
#include "ui/action/interval.h"

#include "src/base/unit.h"
#include "ui/action/action.h"

static void set(struct app *a, int64_t ns)
{
    char text[32];
    const struct format format = app_format(a);
    if (a->is_frozen) {
        app_message(a, true, "cannot change the interval while frozen; Z resumes");
        return;
    }
    a->settings.interval_ns = a->interval_asked = a->interval_kept = ns;
    app_command(a, COMMAND_INTERVAL, (double)ns, NULL);
    format_time(&format, (double)ns, text, sizeof text);
    app_message(a, false, "the refresh interval is now %s", text);
}

void interval_set(struct app *a, const char *text)
{
    struct err err;
    int64_t ns;
    const int64_t least = 100000000, most = 86400 * INT64_C(1000000000);
    if (unit_time(text, &ns, &err) && ns >= least && ns <= most)
        set(a, ns);
    else
        app_message(a, true, ":interval takes a time from 100ms to 24h; found \"%s\"", text);
}

void interval_keep(struct app *a)
{
    if (!a->is_frozen && a->settings.interval_ns != a->interval_kept)
        set(a, a->settings.interval_ns);
}

ACTION(interval)
{
    UNUSED(k);
    static const int64_t steps[] = {100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000};
    enum { STEPS = sizeof steps / sizeof *steps };
    const int64_t ms = 1000000, now = a->interval_asked ? a->interval_asked
                                      : a->focus->frame        ? a->focus->frame->sample_ns
                                                        : a->settings.interval_ns;
    int64_t next = now;
    for (int i = 0; b->argument > 0 && i < STEPS && next == now; i++)
        next = steps[i] * ms > now ? steps[i] * ms : now;
    for (int i = STEPS; b->argument < 0 && i-- > 0 && next == now;)
        next = steps[i] * ms < now ? steps[i] * ms : now;
    if (next == now)
        app_message(a, false, "the refresh interval cannot be %s here",
                    b->argument > 0 ? "longer" : "shorter");
    else
        set(a, next);
    return REACT_DRAW;
}
