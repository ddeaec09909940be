#include "collectors/linux/merge.h"

#include "collectors/linux/sample.h"

/* The streams that have something to give, as a heap: the earliest is heap[0]. */

static bool is_earlier(const struct merge *m, size_t a, size_t b)
{
    return m->streams[m->heap[a]].time < m->streams[m->heap[b]].time;
}

static void swap(struct merge *m, size_t a, size_t b)
{
    const uint16_t other = m->heap[a];
    m->heap[a] = m->heap[b];
    m->heap[b] = other;
}

static void sink(struct merge *m, size_t at)
{
    for (;;) {
        size_t least = at;
        const size_t left = 2 * at + 1, right = left + 1;
        if (left < m->heap_count && is_earlier(m, left, least))
            least = left;
        if (right < m->heap_count && is_earlier(m, right, least))
            least = right;
        if (least == at)
            return;
        swap(m, at, least);
        at = least;
    }
}

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
    m->heap_count = 0;
    for (size_t i = 0; i < m->stream_count; i++) {
        struct stream *const s = &m->streams[i];
        if (!s->is_on)
            continue;
        kernel_ring_look(&s->ring);
        if (advance(m, s))
            m->heap[m->heap_count++] = (uint16_t)i;
    }
    for (size_t i = m->heap_count / 2; i-- > 0;)
        sink(m, i);
}

struct stream *merge_next(struct merge *m)
{
    return m->heap_count ? &m->streams[m->heap[0]] : NULL;
}

void merge_take(struct merge *m)
{
    struct stream *const s = &m->streams[m->heap[0]];
    kernel_ring_take(&s->ring);
    if (!advance(m, s))
        m->heap[0] = m->heap[--m->heap_count];
    sink(m, 0);
}

void merge_end(struct merge *m)
{
    for (size_t i = 0; i < m->stream_count; i++)
        if (m->streams[i].is_on)
            kernel_ring_release(&m->streams[i].ring);
}
