#include "collectors/linux/kernel/merge.h"

#include "collectors/linux/kernel/sample.h"

/* Puts the next record at the stream's front; false when none is due. An interrupt can
 * take its time and place between those of the event that it interrupted: within a ring
 * time does not fall. */
static bool advance(struct merge *m, struct stream *s)
{
    s->record = kernel_ring_peek(&s->ring, &s->bytes);
    if (!s->record)
        return false;
    const int64_t time = sample_time(s->record, s->bytes);
    if (time > m->now)
        m->futures++;
    else if (time > s->time)
        s->time = time;
    return s->time <= m->until;
}

void merge_begin(struct merge *m, int64_t until, int64_t now)
{
    m->until = until;
    m->now = now;
    m->due.count = 0;
    for (size_t i = 0; i < m->stream_count; i++) {
        struct stream *const s = &m->streams[i];
        if (!s->is_on)
            continue;
        kernel_ring_look(&s->ring);
        if (advance(m, s))
            heap_add(&m->due, (struct heap_item){.key = {s->time, i}, .what = s});
    }
}

struct stream *merge_next(struct merge *m)
{
    return m->due.count ? m->due.items[0].what : NULL;
}

void merge_take(struct merge *m)
{
    struct stream *const s = m->due.items[0].what;
    kernel_ring_take(&s->ring);
    if (advance(m, s))
        heap_move_first(&m->due, s->time);
    else
        heap_take(&m->due);
}

void merge_end(struct merge *m)
{
    for (size_t i = 0; i < m->stream_count; i++)
        if (m->streams[i].is_on)
            kernel_ring_release(&m->streams[i].ring);
}
