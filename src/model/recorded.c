#include "src/model/recorded.h"

#include "src/base/clock.h"

#include <string.h>

static const char *const class_names[FACT_CLASSES] = {
    [FACT_OTHER] = "other",       [FACT_PROCESS] = "process", [FACT_THREAD] = "thread",
    [FACT_IMAGE] = "image",       [FACT_SWITCH] = "switch",   [FACT_READY] = "ready",
    [FACT_DISK] = "disk",         [FACT_FILE] = "file",       [FACT_NETWORK] = "net",
    [FACT_REGISTRY] = "registry", [FACT_FAULT] = "fault",     [FACT_MEMORY] = "memory",
    [FACT_DPC] = "dpc",           [FACT_ISR] = "isr",         [FACT_SYSCALL] = "syscall",
    [FACT_SAMPLE] = "sample",     [FACT_STACK] = "stack",     [FACT_NAME] = "name",
    [FACT_MARK] = "mark",         [FACT_DOTNET] = "dotnet",   [FACT_PMC] = "pmc",
    [FACT_SPAN] = "span",
};

const char *recorded_class_name(unsigned class)
{
    return class < FACT_CLASSES ? class_names[class] : NULL;
}

bool recorded_class_named(const char *name, unsigned *class)
{
    for (*class = 0; *class < FACT_CLASSES; ++*class)
        if (strcmp(class_names[*class], name) == 0)
            return true;
    return false;
}

static void take_out(struct recorded *r, unsigned class, unsigned at)
{
    struct recorded_span *const spans = r->spans[class];
    memmove(spans + at, spans + at + 1, (--r->counts[class] - at) * sizeof *spans);
}

/* Spans that touch become one. */
static void join_neighbors(struct recorded *r, unsigned class)
{
    struct recorded_span *const spans = r->spans[class];
    for (unsigned i = 0; i + 1 < r->counts[class];) {
        if (spans[i].to < spans[i + 1].from) {
            i++;
            continue;
        }
        if (spans[i + 1].to > spans[i].to)
            spans[i].to = spans[i + 1].to;
        take_out(r, class, i + 1);
    }
}

/* Makes room for one more. */
static void join_nearest(struct recorded *r, unsigned class)
{
    struct recorded_span *const spans = r->spans[class];
    unsigned nearest = 0;
    for (unsigned i = 1; i + 1 < r->counts[class]; i++)
        if (spans[i + 1].from - spans[i].to < spans[nearest + 1].from - spans[nearest].to)
            nearest = i;
    spans[nearest].to = spans[nearest + 1].to;
    take_out(r, class, nearest + 1);
}

void recorded_state(struct recorded *r, unsigned class, int64_t from, int64_t to)
{
    if (class >= FACT_CLASSES || from < 0 || to < from)
        return;
    struct recorded_span *const spans = r->spans[class];
    unsigned at = 0;
    while (at < r->counts[class] && spans[at].from < from)
        at++;
    if (at < r->counts[class] && spans[at].from == from) {
        spans[at].to = to;
    } else {
        if (r->counts[class] == RECORDED_SPANS) {
            join_nearest(r, class);
            at = 0;
            while (at < r->counts[class] && spans[at].from < from)
                at++;
        }
        memmove(spans + at + 1, spans + at, (r->counts[class]++ - at) * sizeof *spans);
        spans[at] = (struct recorded_span){from, to};
    }
    join_neighbors(r, class);
}

void recorded_end(struct recorded *r, unsigned class, int64_t to)
{
    const unsigned count = r->counts[class];
    struct recorded_span *const last = count ? &r->spans[class][count - 1] : NULL;
    if (last && last->to == RECORDED_ON)
        last->to = to > last->from ? to : last->from;
}

/* Classes whose events come so often that they show when the class was recorded. */
static bool tells_itself(unsigned class)
{
    static const uint32_t classes = 1u << FACT_PMC | 1u << FACT_SAMPLE | 1u << FACT_SWITCH |
                                    1u << FACT_READY | 1u << FACT_DPC | 1u << FACT_ISR |
                                    1u << FACT_SYSCALL;
    return classes >> class & 1;
}

/* Are events of the class outside of what was stated? Then it was stated of another trace that was
 * merged with this one. A second is more than clocks of collectors and records differ. */
static bool is_contradicted(const struct recorded *r, unsigned class)
{
    static const int64_t SLACK_NS = 1000000000;
    const struct recorded_span *const spans = r->spans[class];
    const int64_t end = spans[r->counts[class] - 1].to;
    return r->seen[class].count &&
           (clock_plus(r->seen[class].first, SLACK_NS) < spans[0].from ||
            (end != RECORDED_ON && clock_minus(r->seen[class].last, SLACK_NS) > end));
}

unsigned recorded_known(const struct recorded *r, unsigned class,
                        struct recorded_span out[RECORDED_SPANS])
{
    if (r->counts[class] && !is_contradicted(r, class)) {
        memcpy(out, r->spans[class], r->counts[class] * sizeof *out);
        /* Switching on takes a while, and is stated when it is done. */
        if (r->seen[class].count && r->seen[class].first < out[0].from)
            out[0].from = r->seen[class].first;
        return r->counts[class];
    }
    if (!tells_itself(class) || !r->seen[class].count)
        return 0;
    out[0] = (struct recorded_span){r->seen[class].first,
                                    r->is_over ? r->seen[class].last : RECORDED_ON};
    return 1;
}

/* Where a collector states what it records, a class that it does not name, and of which nothing
 * came, is not recorded. */
static bool is_left_out(const struct recorded *r, unsigned class)
{
    for (unsigned i = 0; i < FACT_CLASSES; i++)
        if (r->counts[i])
            return !r->counts[class] && !r->seen[class].count;
    return false;
}

unsigned recorded_in(const struct recorded *r, unsigned class, int64_t from, int64_t to,
                     struct recorded_span out[RECORDED_SPANS])
{
    unsigned known = recorded_known(r, class, out), count = 0;
    if (!known && !tells_itself(class) && !is_left_out(r, class))
        out[known++] = (struct recorded_span){from, to};
    for (unsigned i = 0; i < known; i++) {
        const struct recorded_span s = {out[i].from > from ? out[i].from : from,
                                        out[i].to < to ? out[i].to : to};
        if (s.to > s.from)
            out[count++] = s;
    }
    return count;
}

int64_t recorded_ns(const struct recorded *r, unsigned class, int64_t from, int64_t to)
{
    struct recorded_span spans[RECORDED_SPANS];
    int64_t sum = 0;
    for (unsigned i = 0, count = recorded_in(r, class, from, to, spans); i < count; i++)
        sum = clock_plus(sum, clock_minus(spans[i].to, spans[i].from));
    return sum;
}
