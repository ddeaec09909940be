/* A cassette (src/etl/cassette.h) in place of what happens here: a session gets the events that one
 * of its kind got then, in their order, with their buffers and pauses. Times move to now, in
 * payloads as well; all else is as it was recorded. */
#include "tests/etw/fake.h"

#include "src/base/mem.h"
#include "src/event/retime.h"
#include "src/os/blob.h"
#include "tests/cassette/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASSETTE_MOST = 1 << 30, EXIT_BAD_CASSETTE = 96, BEAT = 20, PERFINFO = 16 };

/* Read once; each player has a cursor of its own. */
static struct {
    INIT_ONCE once;
    uint8_t *bytes;
    size_t size;
} tape = {.once = INIT_ONCE_STATIC_INIT};

struct player {
    struct cassette c;
    struct fake_session *s;
    EVENT_TRACE_LOGFILEW *file;
    const volatile bool *is_closing;
    struct trace_clock then, now;
    int session; /* of the cassette; -1: none is like ours */
    int64_t delivered;
    struct played played;
    _Alignas(8) uint8_t record[PERFINFO + 65536];
};

static void refuse(const char *why)
{
    fprintf(stderr, "stand-in for ETW: %s: %s\n", play.cassette, why);
    fflush(stderr);
    ExitProcess(EXIT_BAD_CASSETTE);
}

static BOOL CALLBACK read_tape(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    struct blob b;
    struct cassette c;
    struct err err = {""};
    (void)once, (void)parameter, (void)context;
    if (!blob_open(&b, play.cassette, &err))
        refuse(err.text);
    tape.size = (size_t)b.bytes;
    tape.bytes = blob_copy(&b, b.bytes, 0, CASSETTE_MOST);
    blob_close(&b);
    if (!tape.bytes || !cassette_open(&c, tape.bytes, tape.size, &err))
        refuse(tape.bytes ? err.text : "it cannot be read");
    return TRUE;
}

/* ---- times ---------------------------------------------------------------------------------------- */

/* As a record of the kernel has it, for what knows where its payload has times. */
static struct event record_of(struct player *p, unsigned hook)
{
    const EVENT_RECORD *const r = &p->played.record;
    const bool is_32 = r->EventHeader.Flags & EVENT_HEADER_FLAG_32_BIT_HEADER;
    const uint16_t head[4] = {r->EventHeader.EventDescriptor.Version,
                              (uint16_t)(0xc000 | (is_32 ? 0x10 : 0x11)),
                              (uint16_t)(PERFINFO + r->UserDataLength), (uint16_t)hook};
    struct event e = {0};
    memcpy(p->record, head, sizeof head);
    memcpy(p->record + sizeof head, &r->EventHeader.TimeStamp, sizeof r->EventHeader.TimeStamp);
    if (r->UserData)
        memcpy(p->record + PERFINFO, r->UserData, r->UserDataLength);
    event_parse(p->record, PERFINFO + (size_t)r->UserDataLength, &e);
    return e;
}

static void move_times(struct player *p)
{
    EVENT_RECORD *const r = &p->played.record;
    EVENT_HEADER *const h = &r->EventHeader;
    const unsigned hook = h->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER
                              ? want_hook_of(&h->ProviderId, h->EventDescriptor.Opcode)
                              : FAKE_HOOKS;
    const int64_t ts = h->TimeStamp.QuadPart;
    h->TimeStamp.QuadPart = trace_clock_raw(&p->now, trace_clock_ns(&p->then, ts));
    if (hook == FAKE_HOOKS || !r->UserData || r->UserDataLength > UINT16_MAX - PERFINFO)
        return;
    h->TimeStamp.QuadPart = ts;
    const struct event e = record_of(p, hook);
    h->TimeStamp.QuadPart = record_change_clock(p->record, &e, &p->then, &p->now);
    r->UserData = p->record + PERFINFO;
}

static int64_t now_of(int64_t then, const struct player *p)
{
    return trace_clock_raw(&p->now, trace_clock_ns(&p->then, then));
}

/* ---- playing -------------------------------------------------------------------------------------- */

static bool is_over(const struct player *p)
{
    return *p->is_closing || p->s->is_stopped;
}

/* Until the moment at which the callback was called then. */
static void wait_for(const struct player *p, int64_t arrived)
{
    const int64_t due = now_of(arrived, p);
    while (!is_over(p) && machine_now() < due)
        Sleep(BEAT / 2);
}

static void play_frame(struct player *p, const struct cassette_frame *f)
{
    if (f->kind == CASSETTE_EVENT) {
        wait_for(p, f->event.arrived);
        play_event(&p->played, &f->event, p->file->Context);
        move_times(p);
        p->file->EventRecordCallback(&p->played.record);
        p->delivered++;
    } else if (f->kind == CASSETTE_BUFFER && p->file->BufferCallback) {
        p->file->BuffersRead = f->buffer.read;
        p->file->BufferSize = f->buffer.size;
        p->file->Filled = f->buffer.filled;
        p->file->BufferCallback(p->file);
    }
}

/* The session of the cassette that is of our kind: for the first of ours, once. */
static void find_session(struct player *p)
{
    static volatile LONG is_taken[2];
    struct cassette_frame f;
    struct err err = {""};
    cassette_open(&p->c, tape.bytes, tape.size, &err);
    if (InterlockedExchange(&is_taken[session_is_kernel(p->s)], 1))
        return;
    while (p->session < 0 && cassette_next(&p->c, &f, &err) == CASSETTE_FRAME)
        if (f.kind == CASSETTE_SESSION && f.about.is_kernel == session_is_kernel(p->s))
            p->session = f.session;
    cassette_open(&p->c, tape.bytes, tape.size, &err);
}

static void set_clocks(struct player *p)
{
    const struct cassette_head *const h = &p->c.head;
    p->then = trace_clock_make(CLOCK_QPC, h->began, h->began_filetime, h->frequency);
    p->now = p->then;
    p->now.anchor_raw = machine_now();
    p->now.frequency = machine_frequency() / (play.speed ? play.speed : 1);
}

void cassette_run(struct fake_session *s, EVENT_TRACE_LOGFILEW *file,
                  const volatile bool *is_closing)
{
    struct player *const p = mem_new(1, sizeof *p);
    struct cassette_frame f;
    struct err err = {""};
    InitOnceExecuteOnce(&tape.once, read_tape, NULL, NULL);
    p->s = s;
    p->file = file;
    p->is_closing = is_closing;
    p->session = -1;
    find_session(p);
    set_clocks(p);
    enum cassette_answer a = CASSETTE_OVER;
    while (p->session >= 0 && !is_over(p) && (a = cassette_next(&p->c, &f, &err)) == CASSETTE_FRAME)
        if (f.session == p->session)
            play_frame(p, &f);
    if (a == CASSETTE_DAMAGED)
        refuse(err.text);
    report_add(FIGURE_DELIVERED, p->delivered);
    while (!is_over(p))
        Sleep(BEAT);
    free(p);
}
