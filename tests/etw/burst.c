/* Events that are ready beforehand, for measuring their consumer: a piece of the synthetic
 * machine's run, made once and sent over and over, so many events every so many ms (or without a
 * pause), as one processor's full buffers would bring them. The time that the callbacks took is in
 * the report. */
#include "tests/etw/fake.h"

#include "collectors/synthetic/synthetic.h"
#include "src/base/bytes.h"
#include "src/ring/ring.h"

#include <stdlib.h>
#include <string.h>

enum {
    READY = 65536, /* events of the piece */
    PIECE = 16 * 1024 * 1024,
    MOST_AT_ONCE = 100000,
    HOOK_STACK = 0x1820,
    PAUSE = 1, /* ms between two looks at the clock */
};

/* An event of the piece. A time in its payload is that of another event there. */
struct ready {
    EVENT_RECORD record;
    uint8_t *time;     /* in the payload, or NULL */
    int32_t time_at;   /* place of the event that happened then */
    int64_t sent;      /* its own time, when it was last sent */
    uint16_t hook, of; /* of: hook of the event that a stack belongs to */
};

static struct piece {
    struct ready *events;
    unsigned count;
    uint8_t *bytes;
    int64_t *times; /* of the events, as they were made */
} piece;

/* The place in the piece at which a time of the machine falls. */
static int32_t place_of(int64_t time)
{
    unsigned low = 0, high = piece.count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (piece.times[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

static bool has_time(uint16_t hook)
{
    return hook == HOOK_STACK || (hook >= 0x0f42 && hook <= 0x0f45) || hook == 0x0f32;
}

static void add(const struct record_head *head, uint8_t *record, const struct fake_session *s)
{
    struct delivery d;
    struct ready *const r = &piece.events[piece.count];
    if (head->form != RECORD_ETW || !deliver_make(&d, head, record, s))
        return;
    r->record = d.record;
    r->hook = load_u16(record + 6);
    piece.times[piece.count] = head->ts;
    r->time = has_time(r->hook) ? r->record.UserData : NULL;
    if (r->time) {
        const int32_t at = place_of((int64_t)load_u64(r->time));
        r->time_at = at < (int32_t)piece.count ? at : (int32_t)piece.count;
        r->of = piece.events[r->time_at].hook;
    }
    piece.count++;
}

static void make_piece(const struct fake_session *s)
{
    const struct synthetic_options o = {.seed = play.seed,
                                        .cpus = play.cpus ? play.cpus : machine_cpus()};
    struct synthetic *const machine = synthetic_new(&o);
    piece.events = calloc(READY + 1, sizeof *piece.events);
    piece.times = calloc(READY, sizeof *piece.times);
    piece.bytes = malloc(PIECE);
    size_t used = 0;
    while (piece.count < READY && PIECE - used >= SYNTHETIC_ROOM) {
        const size_t bytes = synthetic_fill(machine, piece.bytes + used, SYNTHETIC_ROOM, INT64_MAX);
        for (size_t at = 0; at < bytes && piece.count < READY;) {
            struct record_head head;
            memcpy(&head, piece.bytes + used + at, sizeof head);
            add(&head, piece.bytes + used + at + sizeof head, s);
            at += ring_padded(head.bytes);
        }
        used += bytes;
    }
    synthetic_free(machine);
}

/* Where the telling is. Event number n of all happens n steps after the start. */
struct beat {
    int64_t start;
    double step; /* ticks between two events */
    uint64_t number;
    unsigned place; /* in the piece */
};

static bool is_wanted(const struct fake_session *s, const struct ready *r)
{
    return hook_is_set(s->wants, r->hook) ||
           (r->hook == HOOK_STACK && hook_is_set(s->stacks, r->of) && hook_is_set(s->wants, r->of));
}

/* A stack has the very time of its event; a routine began some events ago. */
static void set_time(const struct beat *b, const struct ready *r, int64_t now)
{
    const int64_t ago = (int64_t)((double)((int32_t)b->place - r->time_at) * b->step);
    const int64_t then = r->hook == HOOK_STACK ? piece.events[r->time_at].sent : now - ago;
    memcpy(r->time, &then, sizeof then);
}

/* So many of the events that the session wants; none where it wants none of the piece. */
static void send_beat(struct beat *b, const struct fake_session *s, uint64_t count,
                      PEVENT_RECORD_CALLBACK callback, void *context)
{
    const int64_t began = machine_now();
    int64_t delivered = 0;
    unsigned passed = 0;
    for (uint64_t i = 0; i < count && passed < piece.count;) {
        struct ready *const r = &piece.events[b->place];
        if (is_wanted(s, r)) {
            r->sent = b->start + (int64_t)((double)b->number++ * b->step);
            r->record.EventHeader.TimeStamp.QuadPart = r->sent;
            if (r->time)
                set_time(b, r, r->sent);
            r->record.UserContext = context;
            callback(&r->record);
            delivered++;
            passed = 0;
            i++;
        } else {
            passed++;
        }
        b->place = b->place + 1 == piece.count ? 0 : b->place + 1;
    }
    report_add(FIGURE_BURST_EVENTS, delivered);
    report_add(FIGURE_DELIVERED, delivered);
    report_add(FIGURE_BURST_NS,
               (int64_t)((double)(machine_now() - began) * 1e9 / (double)machine_frequency()));
}

void burst_run(struct fake_session *s, PEVENT_RECORD_CALLBACK callback, void *context,
               const volatile bool *is_closing)
{
    if (!piece.count)
        make_piece(s);
    const double each = play.burst_every ? (double)play.burst_every / 1000 / (double)play.burst
                                         : 250e-9; /* s per event */
    struct beat b = {.start = machine_now(), .step = each * (double)machine_frequency()};
    while (!*is_closing && !s->is_stopped && (!play.events || b.number < play.events)) {
        uint64_t count = play.burst;
        if (play.burst_every) {
            const uint64_t due = (uint64_t)((double)(machine_now() - b.start) / b.step);
            count = due - b.number;
        }
        if (count > MOST_AT_ONCE)
            count = MOST_AT_ONCE;
        send_beat(&b, s, count, callback, context);
        Sleep(play.burst_every ? (DWORD)play.burst_every : PAUSE);
    }
    while (!*is_closing && !s->is_stopped)
        Sleep(PAUSE);
}
