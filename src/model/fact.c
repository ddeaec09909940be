#include "src/model/fact.h"

#include "src/base/mem.h"
#include "src/event/decode/names.h"
#include "src/event/wait_call.h"
#include "src/os/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t CHUNK_BYTES = FACT_CHUNK * sizeof(struct fact);

void facts_init(struct facts *s, size_t room)
{
    const size_t kept = room / FACT_CHUNK + (room % FACT_CHUNK != 0);
    *s = (struct facts){.slots = 2, .kept = kept < 2 ? 2 : kept};
    while (s->slots < s->kept)
        s->slots *= 2;
    s->chunks = mem_new(s->slots, sizeof *s->chunks);
    s->facts = mem_new(s->slots, sizeof *s->facts);
}

static struct fact_chunk *chunk_new(void)
{
    struct fact_chunk *c = mem_new(1, sizeof *c);
    c->facts = os_pages(CHUNK_BYTES);
    if (!c->facts)
        mem_give_up(FACT_CHUNK, sizeof *c->facts);
    c->holders = 1;
    return c;
}

static void drop(struct fact_chunk *c)
{
    if (!c || --c->holders)
        return;
    os_pages_free(c->facts, CHUNK_BYTES);
    free(c);
}

void facts_fini(struct facts *s)
{
    for (size_t i = 0; i < s->slots; i++)
        drop(s->chunks[i]);
    free(s->chunks);
    free(s->facts);
    *s = (struct facts){0};
}

/* Takes the oldest chunk out when there are as many as are kept. */
static struct fact_chunk *oldest_chunk(struct facts *s, uint64_t number)
{
    if (number < s->kept)
        return NULL;
    struct fact_chunk **const slot = &s->chunks[(number - s->kept) & (s->slots - 1)];
    struct fact_chunk *const oldest = *slot;
    *slot = NULL;
    s->first = (number - s->kept + 1) * FACT_CHUNK;
    return oldest;
}

/* The slot of a new chunk: the oldest facts go, and so does their memory when a frozen
 * view still reads them. */
static void open_chunk(struct facts *s)
{
    const uint64_t number = s->end / FACT_CHUNK;
    const size_t slot = number & (s->slots - 1);
    struct fact_chunk *c = oldest_chunk(s, number);
    if (c && c->holders > 1) {
        drop(c);
        c = NULL;
    }
    s->chunks[slot] = c ? c : chunk_new();
    s->facts[slot] = s->chunks[slot]->facts;
}

static struct fact_chunk *chunk_of(const struct facts *s, uint64_t number)
{
    return s->chunks[number / FACT_CHUNK & (s->slots - 1)];
}

/* The newest fact is complete by now, and still in the cache. */
static void widen_bounds(struct facts *s)
{
    const int64_t time = facts_at(s, s->end - 1)->time;
    s->open.low = time < s->open.low ? time : s->open.low;
    s->open.high = time > s->open.high ? time : s->open.high;
}

/* A block begins at `number`: the one before it is over. */
static void next_block(struct facts *s, uint64_t number)
{
    const uint64_t last = number - 1;
    if (number)
        chunk_of(s, last)->bounds[last % FACT_CHUNK / FACT_BLOCK] = s->open;
    s->open = (struct fact_bounds){INT64_MAX, INT64_MIN};
    if (number % FACT_CHUNK == 0)
        open_chunk(s);
}

struct fact *facts_add(struct facts *s)
{
    if (s->end)
        widen_bounds(s);
    if (s->end % FACT_BLOCK == 0)
        next_block(s, s->end);
    struct fact *f = facts_at(s, s->end++);
    *f = (struct fact){0};
    return f;
}

struct facts facts_share(const struct facts *s)
{
    struct facts shared = *s;
    shared.chunks = mem_copy(s->chunks, s->slots * sizeof *s->chunks);
    shared.facts = mem_copy(s->facts, s->slots * sizeof *s->facts);
    for (size_t i = 0; i < s->slots; i++)
        if (shared.chunks[i])
            shared.chunks[i]->holders++;
    return shared;
}

bool facts_number(const struct facts *s, const struct fact *f, uint64_t *number)
{
    for (size_t i = 0; i < s->slots; i++) {
        const uintptr_t base = (uintptr_t)s->facts[i], at = (uintptr_t)f;
        if (!s->chunks[i] || at < base || at - base >= CHUNK_BYTES)
            continue;
        const uint64_t oldest = s->first / FACT_CHUNK;
        const uint64_t chunk = oldest + ((i - oldest) & (s->slots - 1));
        *number = chunk * FACT_CHUNK + (at - base) / sizeof *f;
        return *number >= s->first && *number < s->end;
    }
    return false;
}

/* NULL for the newest block, which nothing was said about yet. */
static const struct fact_bounds *bounds_of(const struct facts *s, uint64_t number)
{
    if (number + FACT_BLOCK >= s->end)
        return NULL;
    return &chunk_of(s, number)->bounds[number % FACT_CHUNK / FACT_BLOCK];
}

bool facts_block_reaches(const struct facts *s, uint64_t number, int64_t from, int64_t to)
{
    const struct fact_bounds *b = bounds_of(s, number);
    return !b || (b->high > from && b->low <= to);
}

bool facts_block_within(const struct facts *s, uint64_t number, int64_t from, int64_t to)
{
    const struct fact_bounds *b = bounds_of(s, number);
    return b && b->low > from && b->high <= to;
}

int64_t facts_earliest(const struct facts *s)
{
    if (s->first == s->end)
        return 0;
    int64_t earliest = facts_at(s, s->first)->time;
    const uint64_t most = s->first + FACT_CHUNK < s->end ? s->first + FACT_CHUNK : s->end;
    for (uint64_t n = s->first; n < most; n++) {
        const struct fact_bounds *b = n % FACT_BLOCK == 0 ? bounds_of(s, n) : NULL;
        const int64_t time = b ? b->low : facts_at(s, n)->time;
        earliest = time < earliest ? time : earliest;
        n += b ? FACT_BLOCK - 1 : 0;
    }
    return earliest;
}

uint32_t fact_entity(const struct fact *f)
{
    return f->entity;
}

uint32_t fact_place(const struct fact *f)
{
    return f->place;
}

uint32_t fact_process(const struct fact *f)
{
    return f->process;
}

uint32_t fact_stack(const struct fact *f)
{
    return f->stack;
}

uint32_t fact_status(const struct fact *f)
{
    return f->status;
}

uint32_t fact_thread(const struct fact *f)
{
    return f->thread;
}

/* ---- waits --------------------------------------------------------------------------------- */

static unsigned call_of(uint32_t place)
{
    return place >> 9 & 0x7f;
}

const char *wait_name(uint32_t place)
{
    const char *const call = wait_call_name(call_of(place));
    const unsigned reason = wait_reason(place);
    return call                    ? call
           : place & WAIT_IS_LINUX ? name_wait_reason_linux(reason)
                                   : name_wait_reason(reason);
}

/* Without a call or a stack it is only known whether a signal could end the wait. */
static bool is_guess(uint32_t place)
{
    enum { EXECUTIVE = 0, USER_REQUEST = 6 };
    const unsigned reason = wait_reason(place);
    return place & WAIT_IS_LINUX && !wait_call_name(call_of(place)) &&
           (reason == EXECUTIVE || reason == USER_REQUEST);
}

const char *wait_text(uint32_t place, char *room, size_t bytes)
{
    const char *const name = wait_name(place);
    if (name)
        snprintf(room, bytes, "%s%s", is_guess(place) ? "~" : "", name);
    else
        snprintf(room, bytes, "reason %u", wait_reason(place));
    return room;
}
