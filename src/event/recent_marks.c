#include "src/event/recent_marks.h"

#include "src/base/mem.h"

#include <stdlib.h>

/* A process that is renamed all the time has many marks; looking back ends somewhere. */
enum { STEPS_MOST = 64 };

/* Forty thousand processes with their threads; a million marks are 40 MB. */
enum { LIMIT_FIRST = 1 << 16, LIMIT_MOST = 1 << 20 };

void recent_marks_init(struct recent_marks *r)
{
    *r = (struct recent_marks){.limit = LIMIT_FIRST};
    map_init(&r->newest);
}

void recent_marks_fini(struct recent_marks *r)
{
    free(r->marks);
    free(r->older);
    map_fini(&r->newest);
    *r = (struct recent_marks){.marks = NULL};
}

static uint32_t append(struct recent_marks *r, const struct mark *m)
{
    if (r->count + 1 >= r->room) {
        r->room = r->room ? r->room * 2 : 1024;
        r->marks = mem_grow(r->marks, r->room, sizeof *r->marks);
        r->older = mem_grow(r->older, r->room, sizeof *r->older);
    }
    r->marks[++r->count] = *m;
    r->older[r->count] = 0;
    return r->count;
}

void recent_marks_add(struct recent_marks *r, const struct mark *m)
{
    uint32_t younger = 0, at = map_get(&r->newest, m->key);
    for (unsigned steps = 0; at && r->marks[at].ts > m->ts; at = r->older[at]) {
        if (++steps > STEPS_MOST)
            return;
        younger = at;
    }
    const uint32_t number = append(r, m);
    r->older[number] = at;
    if (younger)
        r->older[younger] = number;
    else
        map_put(&r->newest, m->key, number);
}

void recent_marks_at(const struct recent_marks *r, uint64_t key, int64_t ts,
                     const struct mark **before, const struct mark **after)
{
    uint32_t younger = 0, at = map_get(&r->newest, key);
    for (unsigned steps = 0; at && r->marks[at].ts > ts && steps < STEPS_MOST; steps++) {
        younger = at;
        at = r->older[at];
    }
    *before = at && r->marks[at].ts <= ts ? &r->marks[at] : NULL;
    *after = younger ? &r->marks[younger] : NULL;
}

/* Takes over what is needed of the marks from `at` to older ones. */
static void keep_needed(struct recent_marks *to, const struct recent_marks *from, uint32_t at,
                        int64_t asked, int64_t gone)
{
    uint32_t younger = 0;
    for (bool is_last = false; at && !is_last; at = from->older[at]) {
        const struct mark *const m = &from->marks[at];
        is_last = m->ts <= asked;
        if (m->lifetime == LIFETIME_END && m->ts <= gone)
            return;
        const uint32_t number = append(to, m);
        if (younger)
            to->older[younger] = number;
        else
            map_put(&to->newest, m->key, number);
        younger = number;
    }
}

/* Of the keys whose newest mark has a number above `above`. */
static struct recent_marks swept(const struct recent_marks *r, const int64_t *asked,
                                 const int64_t *gone, uint32_t above)
{
    struct recent_marks kept;
    recent_marks_init(&kept);
    for (size_t i = 0; i <= r->newest.mask; i++) {
        const uint32_t newest = r->newest.entries[i].value;
        const unsigned source = newest ? mark_source(&r->marks[newest]) : 0;
        if (newest > above)
            keep_needed(&kept, r, newest, asked[source], gone[source]);
    }
    while (kept.limit < LIMIT_MOST && kept.limit / 2 < kept.count)
        kept.limit *= 2;
    return kept;
}

uint32_t recent_marks_sweep(struct recent_marks *r, const int64_t *asked, const int64_t *gone)
{
    struct recent_marks kept = swept(r, asked, gone, 0);
    uint32_t forgotten = 0;
    if (kept.count > LIMIT_MOST / 2) { /* the next sweep is not to come soon */
        struct recent_marks half = swept(r, asked, gone, r->count / 2);
        forgotten = kept.count - half.count;
        recent_marks_fini(&kept);
        kept = half;
    }
    recent_marks_fini(r);
    *r = kept;
    return forgotten;
}
