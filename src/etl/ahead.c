/* A short queue of buffers. The reader's thread alone touches the file: it scans, copies
 * what is compressed into free places, and takes results in order. Both threads
 * decompress whatever is ready, so that both are busy whichever is faster: the reader
 * does so when the buffer it needs is not done yet.
 *
 * A place goes EMPTY -> READY (reader) -> BUSY (whoever claims it) -> DONE -> EMPTY
 * (reader). Storing READY releases the input and the claim acquires it; storing DONE
 * releases the output and the reader's load acquires it. */
#include "src/etl/ahead.h"

#include "src/base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    PLACES = 8,
    /* Larger ones come in pieces and are not worth a second copy. */
    DATA_MOST = 256 * 1024,
};

enum place_state { EMPTY, READY, BUSY, DONE };

struct place {
    _Atomic int state;
    struct etl_spot spot;
    struct etl_room in, out;
    size_t in_bytes;
    struct etl_unpacked unpacked;
};

struct etl_ahead {
    struct place places[PLACES];
    unsigned first, count; /* the queue: places[first % PLACES] … */
    bool is_held;          /* the feed has the first one */
    bool has_next;         /* a buffer that does not go through the queue, behind it */
    struct etl_spot next;
    enum etl_answer scanned; /* what the file's end was, once it came */
    struct err why;
    struct os_thread *thread;
    struct os_wakeup *work, *done;
    _Atomic bool stop, is_waiting; /* is_waiting: the reader wants `done` rung */
};

static struct place *place_at(struct etl_ahead *a, unsigned index)
{
    return &a->places[(a->first + index) % PLACES];
}

/* ---- both threads ------------------------------------------------------------------------ */

/* Decompresses one place that is ready, if there is any. */
static bool unpack_one(struct etl_ahead *a)
{
    for (unsigned i = 0; i < PLACES; i++) {
        struct place *p = &a->places[i];
        int ready = READY;
        if (!atomic_compare_exchange_strong(&p->state, &ready, BUSY))
            continue;
        p->unpacked = etl_unpack(p->in.bytes, p->in_bytes, p->out.bytes,
                                 p->spot.head.end - ETL_BUFFER_HEADER);
        atomic_store(&p->state, DONE);
        return true;
    }
    return false;
}

static void run(void *arg)
{
    struct etl_ahead *const a = arg;
    while (!atomic_load(&a->stop)) {
        if (!unpack_one(a))
            os_wakeup_wait(a->work, -1);
        else if (atomic_load(&a->is_waiting)) /* after DONE: the reader sets it, then looks */
            os_wakeup_signal(a->done);
    }
}

/* ---- the reader's thread ------------------------------------------------------------------ */

struct etl_ahead *etl_ahead_new(void)
{
    struct etl_ahead *a = mem_new(1, sizeof *a);
    a->scanned = ETL_EVENT;
    a->work = os_wakeup_new();
    a->done = os_wakeup_new();
    a->thread = os_thread_start("unpack", run, a);
    return a;
}

void etl_ahead_free(struct etl_ahead *a)
{
    if (!a)
        return;
    atomic_store(&a->stop, true);
    os_wakeup_signal(a->work);
    os_thread_join(a->thread);
    os_wakeup_free(a->work);
    os_wakeup_free(a->done);
    for (unsigned i = 0; i < PLACES; i++) {
        free(a->places[i].in.bytes);
        free(a->places[i].out.bytes);
    }
    free(a);
}

static bool is_for_queue(const struct etl_spot *spot)
{
    return spot->head.is_compressed && spot->head.end <= DATA_MOST &&
           spot->head.bytes <= DATA_MOST * 2;
}

static bool fill_place(struct place *p, struct etl_file *f, const struct etl_spot *spot,
                       struct err *err)
{
    size_t got;
    const uint8_t *at = etl_window_at(f, spot->offset, spot->head.bytes, &got, err);
    if (!at || !etl_room_get(&p->in, spot->head.bytes, err) ||
        !etl_room_get(&p->out, spot->head.end, err))
        return false;
    p->spot = *spot;
    p->in_bytes = got > ETL_BUFFER_HEADER ? got - ETL_BUFFER_HEADER : 0;
    memcpy(p->in.bytes, at + ETL_BUFFER_HEADER, p->in_bytes);
    atomic_store(&p->state, READY);
    return true;
}

/* Scans on until the queue is full or something comes that does not go through it. */
static void fill(struct etl_ahead *a, struct etl_file *f)
{
    while (a->count < PLACES && !a->has_next && a->scanned == ETL_EVENT) {
        struct etl_spot spot;
        a->scanned = etl_scan(f, &spot, &a->why);
        if (a->scanned != ETL_EVENT)
            return;
        if (!is_for_queue(&spot)) {
            a->next = spot;
            a->has_next = true;
        } else if (fill_place(place_at(a, a->count), f, &spot, &a->why)) {
            a->count++;
        } else {
            a->scanned = ETL_FAILED;
        }
    }
}

/* Helps until the place is done; waits only when all that is left is in the other hands. */
static void finish_place(struct etl_ahead *a, struct place *p)
{
    while (atomic_load(&p->state) != DONE) {
        if (unpack_one(a))
            continue;
        atomic_store(&a->is_waiting, true);
        if (atomic_load(&p->state) != DONE)
            os_wakeup_wait(a->done, -1);
        atomic_store(&a->is_waiting, false);
    }
}

static void to_feed(const struct place *p, struct etl_file *f)
{
    struct etl_feed *feed = &f->feed;
    const uint32_t want = p->spot.head.end - ETL_BUFFER_HEADER;
    *feed = (struct etl_feed){.spot = p->spot, .room = feed->room};
    feed->walk = (struct etl_walk){
        .data = p->out.bytes,
        .bytes = p->unpacked.bytes,
        .cpu = p->spot.head.cpu,
        .ts = f->ts,
    };
    if (p->in_bytes + ETL_BUFFER_HEADER < p->spot.head.bytes)
        etl_notice_cut(f, feed, p->spot.head.bytes, p->in_bytes + ETL_BUFFER_HEADER);
    if (p->unpacked.bytes < want || p->unpacked.foreign)
        etl_notice_unpacked(f, feed, &p->unpacked);
    etl_first_time(feed->walk.data, feed->walk.bytes, &feed->walk.ts);
}

static void release(struct etl_ahead *a)
{
    if (!a->is_held)
        return;
    atomic_store(&place_at(a, 0)->state, EMPTY);
    a->first++;
    a->count--;
    a->is_held = false;
}

enum etl_answer etl_ahead_next(struct etl_ahead *a, struct etl_file *f, struct err *err)
{
    release(a);
    /* Half a queue at once: the other thread is woken a few times, not for each buffer. */
    if (a->count <= PLACES / 2) {
        fill(a, f);
        if (a->count > 1)
            os_wakeup_signal(a->work);
    }
    if (a->count) {
        finish_place(a, place_at(a, 0));
        to_feed(place_at(a, 0), f);
        a->is_held = true;
        return ETL_EVENT;
    }
    if (a->has_next) {
        a->has_next = false;
        return etl_feed_open(&f->feed, f, &a->next, f->ts, ETL_BORROW, err) ? ETL_EVENT
                                                                            : ETL_FAILED;
    }
    if (a->scanned == ETL_FAILED)
        fail(err, "%s", a->why.text);
    return a->scanned;
}
