#include "collectors/feed.h"

#include "src/event/mark.h"
#include "src/os/os.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    NAP_FIRST = 20000,        /* ns; doubled while the ring stays full … */
    NAP_LONGEST = 2000000,    /* … up to this, so that a ring of some MB never runs empty */
    NAP_HEARING = 10000000,   /* how soon a stop, a pause, a new speed is heard of */
    SLOW_PATIENCE = 500000000 /* how long a full slow ring is waited for, once */
};

/* Rare events by group and type, a bit each: every record asks. */
enum { GROUPS = 0x15, WORDS = 4 };
#define ALL                                                                                        \
    {                                                                                              \
        UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX                                             \
    }
#define TYPE(t)     (UINT64_C(1) << (t) % 64)
#define TYPES(f, l) (UINT64_MAX >> (63 - ((l) - (f))) << (f) % 64) /* of one word */

static const uint64_t rare[GROUPS][WORDS] = {
    [0x00] = ALL,                                     /* header, masks, rundown marks, build */
    [0x03] = {TYPES(0x01, 0x04) |                     /* Process Start, End, DCStart, DCEnd */
              TYPES(0x0a, 0x0b) |                     /* Image Load, Process Terminate */
              TYPE(0x27)},                            /* Process Defunct */
    [0x04] = {TYPE(0x00) |                            /* FileIo Name … */
              TYPES(0x20, 0x24)},                     /* … FileCreate, FileDelete, FileRundown */
    [0x05] = {TYPES(0x01, 0x04),                      /* Thread Start, End, DCStart, DCEnd */
              TYPE(0x48)},                            /* Thread SetName */
    [0x06] = {TYPES(0x0c, 0x0d) |                     /* TcpIp Connect, Disconnect … */
              TYPES(0x0f, 0x10) |                     /* … Accept, Reconnect */
              TYPES(0x1c, 0x1d) | TYPES(0x1f, 0x20)}, /* and the same of IPv6 */
    [0x09] = {TYPES(0x16, 0x19)},                     /* Registry KCB create, delete, rundown */
    [0x0b] = ALL,                                     /* SystemConfig */
    [0x0f] = {0, TYPES(0x48, 0x4c)},                  /* PerfInfo intervals */
    [0x14] = {TYPES(0x02, 0x04) |                     /* Image UnLoad, DCStart, DCEnd */
              TYPES(0x21, 0x22)},                     /* KernelBase, HypercallPage */
};

bool feed_is_rare_hook(uint16_t hook)
{
    const unsigned group = hook >> 8, type = hook & 0xff;
    return group < GROUPS && rare[group][type / 64] >> type % 64 & 1;
}

bool feed_is_rare(const struct event *e)
{
    return header_is_kernel((enum header_kind)e->kind) && feed_is_rare_hook(e->id);
}

void feed_complete(struct feed *f, int64_t time_ns)
{
    f->complete_ns = time_ns;
    ring_complete(f->collector->hot, time_ns);
    if (f->collector->slow)
        ring_complete(f->collector->slow, time_ns);
}

static bool is_stopping(const struct feed *f)
{
    return atomic_load_explicit(&f->collector->stop, memory_order_relaxed);
}

/* Half of a ring is left to what was read already: a recording replayed at full speed
 * can be looked back into like a live one. */
static bool has_room(struct ring *r, size_t bytes)
{
    const uint64_t half = ring_capacity(r) / 2;
    return ring_has_room(r, bytes) && ring_backlog(r, half) <= half;
}

/* Waits until the record fits; false when it still does not at `deadline` (os_now(); 0 =
 * never) or the collector is to stop. */
static bool wait_for_room(struct feed *f, struct ring *r, size_t bytes, int64_t deadline)
{
    if (has_room(r, bytes))
        return true;
    feed_complete(f, f->complete_ns);
    for (int64_t nap = NAP_FIRST; !has_room(r, bytes);) {
        if (is_stopping(f) || (deadline && os_now() > deadline))
            return false;
        os_sleep(nap);
        nap = nap * 2 > NAP_LONGEST ? NAP_LONGEST : nap * 2;
    }
    return true;
}

/* The slow ring is a second copy: it may delay a replay a little, never stop it. */
static void put_slow(struct feed *f, const struct record_head *head, const void *record)
{
    struct ring *slow = f->collector->slow;
    if (f->waits && !has_room(slow, head->bytes)) {
        if (!f->slow_is_stuck)
            f->slow_is_stuck = !wait_for_room(f, slow, head->bytes, os_now() + SLOW_PATIENCE);
    } else {
        f->slow_is_stuck = false;
    }
    ring_put(slow, head, record);
}

/* Where the engine has fallen so far behind that a live ring is all but full, what is left of it is
 * for rare records: without them others have no names, now or later. */
static bool is_kept_free(struct ring *hot)
{
    enum { PARTS = 16 };
    const uint64_t most = ring_capacity(hot) / PARTS * (PARTS - 1);
    return ring_backlog(hot, most) > most;
}

enum feed_result feed_put(struct feed *f, const struct record_head *head, const void *record, bool is_rare)
{
    struct ring *hot = f->collector->hot;
    if (capture_leaves_out(&f->collector->capture, head, record, is_rare))
        return FEED_LEFT_OUT;
    if (f->waits && !wait_for_room(f, hot, head->bytes, 0))
        return FEED_STOPPED;
    if (!f->waits && !is_rare && is_kept_free(hot)) {
        ring_refuse(hot, head);
        return FEED_REFUSED;
    }
    const bool is_put = ring_put(hot, head, record);
    if (is_rare && f->collector->slow)
        put_slow(f, head, record);
    return is_put ? FEED_PUT : FEED_REFUSED;
}

static uint64_t growth(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

void feed_report_lost(struct feed *f, int64_t ts, const struct record_lost *all)
{
    const struct record_lost news = {.events = growth(all->events, f->reported.events),
                                     .buffers = growth(all->buffers, f->reported.buffers)};
    const struct record_head head = {
        .bytes = sizeof head + sizeof news, .form = RECORD_LOST, .ts = ts};
    if ((!news.events && !news.buffers) || feed_put(f, &head, &news, true) != FEED_PUT)
        return;
    f->reported.events += news.events;
    f->reported.buffers += news.buffers;
}

void feed_mark(struct feed *f, int64_t ts, const char *text)
{
    enum { HOOK_MARK = 0x0f22 };
    struct new_mark m = {.level = 0};
    struct mark_record r;
    mark_text(m.text, text);
    mark_record_make(&r, ts, &m);
    feed_put(f, &r.head, r.bytes, feed_is_rare_hook(HOOK_MARK));
}

void feed_finish(struct feed *f)
{
    ring_finish(f->collector->hot);
    if (f->collector->slow)
        ring_finish(f->collector->slow);
}

void feed_notice(struct feed *f, const char *format, ...)
{
    char text[NOTICE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    notices_add(&f->collector->notices, text);
}

bool feed_sleep(struct feed *f, int64_t until)
{
    const int64_t left = until - os_now();
    if (left > 0)
        os_sleep(left < NAP_HEARING ? left : NAP_HEARING);
    return !is_stopping(f);
}
