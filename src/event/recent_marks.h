/* Marks on the time lines of processes and threads: born, seen alive, named, gone; the recent ones,
 * by key. They come in about their order of time, and what lies behind the last question is
 * forgotten when there are many. One thread. */
#ifndef SRC_EVENT_RECENT_MARKS_H
#define SRC_EVENT_RECENT_MARKS_H

#include "src/base/map.h"

/* LIFETIME_NAMED: it is called so from here on, by running another program or by itself. */
enum lifetime { LIFETIME_START, LIFETIME_SEEN, LIFETIME_NAMED, LIFETIME_END };

struct mark {
    uint64_t key; /* source, domain, id */
    int64_t ts;
    uint32_t pid;
    uint32_t name; /* offset in names, 0 = none */
    uint32_t order;
    uint8_t lifetime;
};

enum { MARK_SOURCES = 256 };

static inline unsigned mark_source(const struct mark *m)
{
    return (unsigned)(m->key >> 33) & (MARK_SOURCES - 1);
}

struct recent_marks {
    struct mark *marks; /* by number from 1 on */
    uint32_t *older;    /* the next older of the same key; 0: none */
    uint32_t count, room;
    uint32_t limit;    /* when they are to be swept */
    struct map newest; /* number by key */
};

void recent_marks_init(struct recent_marks *r);
void recent_marks_fini(struct recent_marks *r);

/* Is there one more place, without a sweep before? */
static inline bool recent_marks_has_room(const struct recent_marks *r)
{
    return r->count < r->limit;
}

/* Only where there is room. A mark that comes behind many younger ones of its key is left out. */
void recent_marks_add(struct recent_marks *r, const struct mark *m);

/* The key's last mark at or before the time, and the first behind it; NULL where there is none.
 * Good until the next sweep or mark. */
void recent_marks_at(const struct recent_marks *r, uint64_t key, int64_t ts,
                     const struct mark **before, const struct mark **after);

/* Forgets what no question at or behind `asked` (by source) needs, and who had gone by `gone`.
 * Where that makes too little room, others, too: so many marks. */
uint32_t recent_marks_sweep(struct recent_marks *r, const int64_t *asked, const int64_t *gone);

#endif
