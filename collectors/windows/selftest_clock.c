/* Events of a provider of our own: numbered, each between two reads of the clock. */
#include "collectors/windows/selftest.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_EVENTS = 400, LOAD_EVENTS = 200000, LOAD_BYTES = 256, EVENT_ID = 1, LEVEL = 4 };

static const int64_t MS = 1000000;

/* Of this probe alone; nobody else registers it. */
static const GUID provider = {
    0x3e2d6c1b, 0x94f7, 0x4d0a, {0xb6, 0x51, 0x0c, 0x7e, 0xa2, 0x5d, 0x18, 0xf3}};

struct numbered {
    _Atomic uint64_t received;
    uint64_t twice, unknown, disordered;
    int64_t newest, worst; /* raw times; how far an event was behind the newest before it */
    struct {
        int64_t ts, arrival, before, after, written; /* before, after: raw; written: os_now() */
    } events[CLOCK_EVENTS];
};

static void take(void *numbered, const struct event *e, const EVENT_RECORD *r)
{
    struct numbered *const n = numbered;
    if (!IsEqualGUID(&r->EventHeader.ProviderId, &provider) || e->id != EVENT_ID)
        return;
    const uint64_t number = e->payload_bytes >= sizeof number ? load_u64(e->payload) : UINT64_MAX;
    const int64_t behind = n->newest - e->ts;
    if (behind > 0) {
        n->disordered++;
        n->worst = behind > n->worst ? behind : n->worst;
    } else {
        n->newest = e->ts;
    }
    if (number < CLOCK_EVENTS) {
        n->twice += n->events[number].arrival != 0;
        n->events[number].ts = e->ts;
        n->events[number].arrival = os_now();
    } else if (number >= LOAD_EVENTS) {
        n->unknown++;
        return;
    }
    atomic_fetch_add(&n->received, 1);
}

/* ---- the provider ---------------------------------------------------------------------------- */

bool trial_provider_enable(struct etw_trial *t, struct etw_enable_parameters *parameters,
                           REGHANDLE *handle)
{
    const struct etw_api *const api = etw_api();
    if (!api->EventRegister || !api->EventWrite || !api->EventUnregister || !api->EnableTraceEx2)
        return trial_called(t, "EventRegister", os_now(), ERROR_CALL_NOT_IMPLEMENTED), false;
    int64_t began = os_now();
    ULONG result = api->EventRegister(&provider, NULL, NULL, handle);
    trial_called(t, "EventRegister", began, result);
    if (result)
        return false;
    began = os_now();
    result = api->EnableTraceEx2(t->handle, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, LEVEL,
                                 UINT64_MAX, 0, 0, parameters);
    trial_called(t, "EnableTraceEx2", began, result);
    if (result)
        api->EventUnregister(*handle);
    return result == ERROR_SUCCESS;
}

bool trial_provider_write(REGHANDLE handle, uint64_t number, size_t bytes)
{
    static const EVENT_DESCRIPTOR d = {.Id = EVENT_ID, .Level = LEVEL, .Keyword = 1};
    uint8_t payload[LOAD_BYTES] = {0};
    memcpy(payload, &number, sizeof number);
    EVENT_DATA_DESCRIPTOR data = {.Ptr = (uintptr_t)payload, .Size = (ULONG)bytes};
    return etw_api()->EventWrite(handle, &d, 1, &data) == ERROR_SUCCESS;
}

/* ---- time stamps, order, latency ------------------------------------------------------------- */

static void wait_for(struct etw_trial *t, struct numbered *n, uint64_t count, bool flushes)
{
    const int64_t end = os_now() + 5000 * MS;
    while (atomic_load(&n->received) < count && os_now() < end && !atomic_load(t->taker->stop)) {
        if (flushes)
            trial_flush(t, false);
        os_sleep(10 * MS);
    }
}

/* Half of them wait for the flush timer, a second; the others are flushed at once. */
static void write_all(struct etw_trial *t, struct numbered *n, REGHANDLE handle, uint64_t *failed)
{
    for (unsigned i = 0; i < CLOCK_EVENTS; i++) {
        if (i == CLOCK_EVENTS / 2)
            wait_for(t, n, i, false);
        n->events[i].written = os_now();
        n->events[i].before = trial_ticks();
        *failed += !trial_provider_write(handle, i, sizeof(uint64_t));
        n->events[i].after = trial_ticks();
        if (i % 10 == 0)
            os_sleep(MS);
    }
    wait_for(t, n, CLOCK_EVENTS - *failed, true);
}

static int64_t latency(const struct numbered *n, unsigned from, unsigned to)
{
    int64_t most = 0;
    for (unsigned i = from; i < to; i++)
        if (n->events[i].arrival && n->events[i].arrival - n->events[i].written > most)
            most = n->events[i].arrival - n->events[i].written;
    return most / 1000;
}

static void conclude_clock(const struct selftest_probe *p, const struct check_taker *t,
                           const struct numbered *n, uint64_t failed)
{
    uint64_t outside = 0, missing = 0;
    for (unsigned i = 0; i < CLOCK_EVENTS; i++) {
        missing += !n->events[i].arrival;
        outside += n->events[i].arrival &&
                   (n->events[i].ts < n->events[i].before || n->events[i].ts > n->events[i].after);
    }
    struct check c =
        check_new(p->name, missing || outside || n->twice ? CHECK_NOT_SEEN : CHECK_SEEN,
                  "time stamps between two reads of the clock");
    if (c.state != CHECK_SEEN)
        check_because(&c,
                      "%" PRIu64 " events did not come, %" PRIu64 " came twice, %" PRIu64
                      " have a time before or after the call that wrote them",
                      missing, n->twice, outside);
    check_figure(&c, "written", "", CLOCK_EVENTS - (int64_t)failed);
    check_figure(&c, "received", "", (int64_t)atomic_load(&n->received));
    check_figure(&c, "outside", "", (int64_t)outside);
    check_figure(&c, "disordered", "", (int64_t)n->disordered);
    check_figure(&c, "worst_disorder", "us", trial_microseconds(n->worst));
    check_figure(&c, "latency_unflushed", "us", latency(n, 0, CLOCK_EVENTS / 2));
    check_figure(&c, "latency_flushed", "us", latency(n, CLOCK_EVENTS / 2, CLOCK_EVENTS));
    t->put(t->to, &c);
}

void selftest_clock(const struct selftest_probe *p, const struct check_taker *taker)
{
    static const struct trial_request request = {.is_kernel = false};
    struct numbered *const n = mem_new(1, sizeof *n);
    REGHANDLE handle;
    uint64_t failed = 0;
    struct etw_trial *const t = trial_start(p, taker, &request, "clock", take, n);
    if (!t) {
        free(n);
        return;
    }
    const bool is_enabled = trial_provider_enable(t, NULL, &handle);
    if (is_enabled) {
        write_all(t, n, handle, &failed);
        etw_api()->EventUnregister(handle);
    }
    if (!trial_stop(t))
        return; /* the reader goes on: what it writes stays */
    if (is_enabled)
        conclude_clock(p, taker, n, failed);
    trial_free(t);
    free(n);
}

/* ---- loss under load ------------------------------------------------------------------------- */

static void conclude_load(const struct selftest_probe *p, const struct check_taker *taker,
                          const struct etw_trial *t, const struct numbered *n, uint64_t failed,
                          int64_t took)
{
    const int64_t received = (int64_t)atomic_load(&n->received), lost = t->last.p.EventsLost,
                  open = LOAD_EVENTS - received - lost;
    struct check c = check_new(p->name, open || n->unknown ? CHECK_NOT_SEEN : CHECK_SEEN,
                               "written = received + lost");
    if (open)
        check_because(&c, "%" PRId64 " events are neither received nor counted as lost", open);
    else if (lost)
        check_because(&c, "the system counted each event that it lost");
    check_figure(&c, "written", "", LOAD_EVENTS);
    check_figure(&c, "received", "", received);
    check_figure(&c, "lost", "", lost);
    check_figure(&c, "calls_failed", "", (int64_t)failed);
    check_figure(&c, "buffers_lost", "", t->last.p.RealTimeBuffersLost);
    check_figure(&c, "took", "us", took / 1000);
    check_figure(&c, "disordered", "", (int64_t)n->disordered);
    taker->put(taker->to, &c);
}

void selftest_load(const struct selftest_probe *p, const struct check_taker *taker)
{
    const struct trial_request request = {.is_kernel = false, .most_buffers = 2 * os_processors()};
    struct numbered *const n = mem_new(1, sizeof *n);
    REGHANDLE handle;
    uint64_t failed = 0;
    int64_t began = 0, took = 0;
    struct etw_trial *const t = trial_start(p, taker, &request, "load", take, n);
    if (!t) {
        free(n);
        return;
    }
    const bool is_enabled = trial_provider_enable(t, NULL, &handle);
    if (is_enabled) {
        began = os_now();
        for (uint64_t i = 0; i < LOAD_EVENTS; i++)
            failed += !trial_provider_write(handle, i, LOAD_BYTES);
        took = os_now() - began;
        etw_api()->EventUnregister(handle);
    }
    if (!trial_stop(t))
        return;
    if (is_enabled)
        conclude_load(p, taker, t, n, failed, took);
    trial_free(t);
    free(n);
}
