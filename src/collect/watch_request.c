#include "src/collect/watch_request.h"

#include "src/collect/collector.h"
#include "src/model/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char STACKS[] = "stacks:", REFUSED[] = "refused:";

/* ---- writing --------------------------------------------------------------------------------- */

struct line {
    char *text;
    size_t used, room;
};

static void put_word(struct line *to, const char *prefix, unsigned class, int64_t since)
{
    char number[24] = "";
    if (since)
        snprintf(number, sizeof number, "=%" PRId64, since);
    if (to->used < to->room)
        to->used +=
            (size_t)snprintf(to->text + to->used, to->room - to->used, "%s%s%s%s",
                             to->used ? " " : "", prefix, recorded_class_name(class), number);
}

static void put_words(struct line *to, const char *prefix, uint32_t classes)
{
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (classes >> class & 1)
            put_word(to, prefix, class, 0);
}

const char *watch_request_write(const struct watch_request *w, char *out, size_t room)
{
    struct line to = {out, 0, room};
    out[0] = '\0';
    put_words(&to, "", w->classes);
    put_words(&to, STACKS, w->stacks);
    return out;
}

const char *watch_answer_write(const struct collector *c, char *out, size_t room)
{
    const uint32_t active = atomic_load_explicit(&c->active, memory_order_acquire);
    struct line to = {out, 0, room};
    out[0] = '\0';
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (active >> class & 1)
            put_word(&to, "", class,
                     atomic_load_explicit(&c->switched_ns[class], memory_order_relaxed));
    put_words(&to, STACKS, atomic_load_explicit(&c->active_stacks, memory_order_relaxed));
    put_words(&to, REFUSED, atomic_load_explicit(&c->refused, memory_order_relaxed));
    return out;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One word of a line: which of the masks it belongs into, and its class. */
struct word {
    char text[64];
    const char *prefix; /* "", STACKS or REFUSED */
    unsigned class;
    int64_t since;
};

static bool read_word(struct word *w)
{
    const char *name = w->text;
    char *const number = strchr(w->text, '=');
    w->prefix = "";
    w->since = number ? strtoll(number + 1, NULL, 10) : 0;
    if (number)
        *number = '\0';
    if (strncmp(name, STACKS, sizeof STACKS - 1) == 0)
        w->prefix = STACKS;
    else if (strncmp(name, REFUSED, sizeof REFUSED - 1) == 0)
        w->prefix = REFUSED;
    return recorded_class_named(name + strlen(w->prefix), &w->class);
}

/* False behind the last one. */
static bool next_word(const char **at, struct word *w)
{
    *at += strspn(*at, " ");
    const size_t bytes = strcspn(*at, " ");
    snprintf(w->text, sizeof w->text, "%.*s", (int)(bytes < sizeof w->text ? bytes : 0), *at);
    *at += bytes;
    return bytes > 0;
}

bool watch_request_read(const char *text, struct watch_request *w, struct err *err)
{
    struct word word;
    *w = (struct watch_request){0, 0};
    while (next_word(&text, &word)) {
        if (!read_word(&word) || word.prefix == REFUSED)
            return fail(err,
                        "expected classes of events such as switch or stacks:switch, found '%s'; "
                        "the reader may be of another version than the recorder",
                        word.text);
        *(word.prefix == STACKS ? &w->stacks : &w->classes) |= 1u << word.class;
    }
    return true;
}

void watch_answer_read(const char *text, struct collector *c)
{
    uint32_t active = 0, stacks = 0, refused = 0;
    struct word word;
    while (next_word(&text, &word)) {
        if (!read_word(&word))
            continue;
        const uint32_t bit = 1u << word.class;
        if (word.prefix == STACKS)
            stacks |= bit;
        else if (word.prefix == REFUSED)
            refused |= bit;
        else
            active |= bit;
        if (!*word.prefix && word.since > 0)
            atomic_store_explicit(&c->switched_ns[word.class], word.since, memory_order_relaxed);
    }
    atomic_store_explicit(&c->active_stacks, stacks, memory_order_relaxed);
    atomic_store_explicit(&c->refused, refused, memory_order_relaxed);
    /* With the engine's look: who sees the bit sees its time. */
    atomic_store_explicit(&c->active, active, memory_order_release);
}
