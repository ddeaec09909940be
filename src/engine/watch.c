#include "src/engine/watch.h"

#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/view/crumb.h"

#include <stdio.h>
#include <string.h>

#define BIT(class) (1u << (class))

enum { TASKS = BIT(FACT_PROCESS) | BIT(FACT_THREAD) | BIT(FACT_IMAGE) };

struct watch_request watch_of_pane(const struct pane *p)
{
    struct watch_request w = {p->watched, p->watched_stacks};
    if (!w.classes && (!w.stacks || p->is_scanned) && p->view == PANE_TABLE && p->classes != ~0u)
        w.classes = p->classes;
    w.classes &= ~BIT(FACT_SPAN); /* made here of others */
    return w;
}

uint32_t watch_with_stacks(uint32_t classes)
{
    return classes & ~(TASKS | BIT(FACT_DPC) | BIT(FACT_ISR) | BIT(FACT_MEMORY));
}

/* The operations whose stacks are shown below the crumbs. */
static uint32_t classes_below(const struct request *r)
{
    uint32_t classes = 0;
    for (unsigned i = 0; i < r->crumb_count && i < CRUMBS_MAX; i++)
        classes |= crumb_classes(&r->crumbs[i]);
    return classes;
}

struct watch_request watch_of_request(const struct request *r)
{
    struct watch_request w = watch_of_pane(r->pane);
    if (r->pane->view != PANE_TREE || r->stacks.metric >= STACK_METRICS)
        return w;
    const struct watch_request *const more = &stack_metrics[r->stacks.metric].request;
    const uint32_t counted = r->stacks.metric == METRIC_OPERATIONS
                                 ? ~0u
                                 : stack_metrics[r->stacks.metric].classes & ~BIT(FACT_READY);
    const uint32_t below = (classes_below(r) | r->stacks.of) & counted;
    w.classes |= more->classes | below;
    w.stacks |= more->stacks | below;
    return w;
}

struct watch_request watch_usual(void)
{
    return (struct watch_request){.classes = TASKS | BIT(FACT_SWITCH) | BIT(FACT_READY) |
                                          BIT(FACT_DISK) | BIT(FACT_NETWORK) | BIT(FACT_FAULT)};
}

/* ---- lists -------------------------------------------------------------------------------- */

/* The next word of a list; false behind the last. */
static bool next_word(const char **at, char *word, size_t room)
{
    const size_t bytes = strcspn(*at, ",");
    snprintf(word, room, "%.*s", (int)(bytes < room ? bytes : room - 1), *at);
    const bool is_one = **at != '\0';
    *at += bytes + ((*at)[bytes] == ',');
    return is_one;
}

static bool add_pane(struct watch_request *to, const char *name)
{
    const bool is_all = strcmp(name, "all") == 0;
    const struct pane *const one = is_all ? NULL : pane_find(name);
    for (unsigned i = 0; panes[i]; i++) {
        const struct watch_request w = watch_of_pane(panes[i]);
        if (!is_all && panes[i] != one)
            continue;
        to->classes |= w.classes;
        to->stacks |= w.stacks;
    }
    return is_all || one;
}

bool watch_of_panes(const char *list, struct watch_request *out, struct err *err)
{
    char word[64];
    *out = (struct watch_request){.classes = TASKS};
    while (next_word(&list, word, sizeof word))
        if (!add_pane(out, word))
            return fail(err, "expected all, or panes such as proc,cpu,disk, found '%s'", word);
    return true;
}

/* Classes by the names that people type; the first are those with a short word on screen. */
static const struct {
    const char *name, *word;
    uint32_t classes;
} names[] = {
    {"process", "proc", TASKS},
    {"switch", "cpu", BIT(FACT_SWITCH)},
    {"disk", "disk", BIT(FACT_DISK)},
    {"net", "net", BIT(FACT_NETWORK)},
    {"fault", "mem", BIT(FACT_FAULT)},
    {"file", "files", BIT(FACT_FILE)},
    {"registry", "reg", BIT(FACT_REGISTRY)},
    {"syscall", "calls", BIT(FACT_SYSCALL)},
    {"dpc", "irq", BIT(FACT_DPC)},
    {"sample", "profile", BIT(FACT_SAMPLE)},
    {"isr", NULL, BIT(FACT_ISR)},
    {"ready", NULL, BIT(FACT_READY)},
    {"memory", NULL, BIT(FACT_MEMORY)},
    {"other", "other", BIT(FACT_OTHER)}, /* what -e asks for */
};

static bool class_named(const char *name, uint32_t *bits)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return *bits |= names[i].classes, true;
    return false;
}

bool watch_stacks(const char *list, uint32_t *out, uint32_t *named, struct err *err)
{
    /* What is rare enough, or says too little without: a stack costs a microsecond. */
    static const uint32_t usual = BIT(FACT_SAMPLE) | BIT(FACT_DISK) | BIT(FACT_FILE);
    char word[64];
    *out = *named = 0;
    while (next_word(&list, word, sizeof word)) {
        if (strcmp(word, "default") == 0)
            *out |= usual;
        else if (strcmp(word, "none") != 0 && !class_named(word, named))
            return fail(err,
                        "expected none, default or classes such as switch,ready,disk,file,net,"
                        "fault,sample,syscall, found '%s'",
                        word);
    }
    *out |= *named;
    return true;
}

void watch_words(uint32_t classes, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names && used < room; i++)
        if (names[i].word && names[i].classes & classes)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? " " : "", names[i].word);
}

/* ---- following ------------------------------------------------------------------------------ */

void watch_nothing(struct watch *w)
{
    w->request = (struct watch_request){0, 0};
}

void watch_add(struct watch *w, const struct request *r)
{
    const struct watch_request more = watch_of_request(r);
    if (r->holds_back)
        return;
    w->request.classes |= more.classes;
    w->request.stacks |= more.stacks;
}

static void prolong(int64_t *until, uint32_t classes, int64_t time)
{
    for (unsigned i = 0; i < FACT_CLASSES; i++)
        if (classes >> i & 1)
            until[i] = time;
}

static uint32_t still_wanted(const int64_t *until, int64_t now)
{
    uint32_t classes = 0;
    for (unsigned i = 0; i < FACT_CLASSES; i++)
        if (until[i] > now)
            classes |= BIT(i);
    return classes;
}

void watch_prolong(struct watch *w, const struct watch_request *r, int64_t now)
{
    const int64_t end = now + WATCH_STAYS_S * 1000000000ll;
    prolong(w->until, r->classes, end);
    prolong(w->stacks_until, r->stacks, end);
}

void watch_follow(struct watch *w, struct collector *c, int64_t now)
{
    if (!c->kind || !c->kind->is_live)
        return;
    watch_prolong(w, &w->request, now);
    const uint32_t classes = w->base | w->standing.classes | still_wanted(w->until, now);
    const uint32_t stacks =
        w->base_stacks | w->standing.stacks | still_wanted(w->stacks_until, now);
    const bool is_new =
        atomic_exchange_explicit(&c->wanted, classes, memory_order_relaxed) != classes;
    const bool has_new_stacks =
        atomic_exchange_explicit(&c->wanted_stacks, stacks, memory_order_relaxed) != stacks;
    if (c->request && (is_new || has_new_stacks))
        os_wakeup_signal(c->request);
}
