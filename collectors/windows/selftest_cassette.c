/* Two sessions, one after the other, recorded as their reader was given them: the kernel's while
 * all stimuli run, and one of providers whose events carry all items that can be asked for. */
#include "collectors/windows/selftest.h"

#include "collectors/windows/cassette_event.h"
#include "collectors/windows/classes.h"
#include "collectors/windows/privilege.h"
#include "collectors/windows/system.h"

#include "src/base/mem.h"
#include "src/etl/cassette.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 64 * 1024 * 1024, OWN_EVENTS = 50, OWN_BYTES = 64 };

static const int64_t ARRIVE = 500000000; /* ns: ProcessTrace delivers what was flushed */

/* Microsoft-Windows-Kernel-Process: events of manifests, from the kernel's own threads too. */
static const GUID kernel_process = {
    0x22fb2cd6, 0x0e7b, 0x422b, {0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0, 0xe7, 0x16}};

/* The reader's thread and the one that calls put frames. */
struct recording {
    struct trial_tap tap;
    SRWLOCK lock;
    bool is_over; /* a reader that did not end changes nothing any more */
    struct cassette_writer w;
    uint16_t session;
    uint64_t buffers, calls;
};

/* ---- frames -------------------------------------------------------------------------------------- */

static void put(struct recording *r, struct cassette_frame *f)
{
    AcquireSRWLockExclusive(&r->lock);
    f->session = r->session;
    if (!r->is_over) {
        cassette_put(&r->w, f);
        r->buffers += f->kind == CASSETTE_BUFFER;
        r->calls += f->kind == CASSETTE_CALL;
    }
    ReleaseSRWLockExclusive(&r->lock);
}

static void take_session(void *recording, const EVENT_TRACE_LOGFILEW *log, bool is_kernel)
{
    struct cassette_frame f = {
        .kind = CASSETTE_SESSION,
        .about = {.mode = log->LogfileHeader.LogFileMode,
                  .is_kernel = is_kernel,
                  .header_bytes = sizeof log->LogfileHeader,
                  .name_bytes = (uint16_t)(wcslen(log->LoggerName) * sizeof *log->LoggerName),
                  .header = (const uint8_t *)&log->LogfileHeader,
                  .name = (const uint8_t *)log->LoggerName},
    };
    put(recording, &f);
}

static int64_t ticks_of(int64_t ns)
{
    LARGE_INTEGER frequency;
    QueryPerformanceFrequency(&frequency);
    return (int64_t)((double)ns * (double)frequency.QuadPart / 1e9);
}

static void take_call(void *recording, const char *call, const char *about, int64_t began,
                      ULONG result)
{
    const int64_t took = ticks_of(os_now() - began);
    struct cassette_frame f = {
        .kind = CASSETTE_CALL,
        .call = {.began = trial_ticks() - took,
                 .took = took,
                 .result = result,
                 .name = call,
                 .about = about,
                 .name_bytes = (uint16_t)strlen(call),
                 .about_bytes = (uint16_t)strlen(about)},
    };
    put(recording, &f);
}

static void take_event(void *recording, const EVENT_RECORD *e)
{
    struct recording *const r = recording;
    struct cassette_frame f = {.kind = CASSETTE_EVENT};
    if (cassette_event_of(e, trial_ticks(), &f.event)) {
        put(r, &f);
    } else {
        AcquireSRWLockExclusive(&r->lock);
        r->w.left_out++;
        ReleaseSRWLockExclusive(&r->lock);
    }
}

static void take_buffer(void *recording, const EVENT_TRACE_LOGFILEW *log)
{
    struct cassette_frame f = {
        .kind = CASSETTE_BUFFER,
        .buffer = {.arrived = trial_ticks(),
                   .read = log->BuffersRead,
                   .size = log->BufferSize,
                   .filled = log->Filled,
                   .lost = log->EventsLost},
    };
    put(recording, &f);
}

/* ---- the sessions --------------------------------------------------------------------------------- */

static void ignore(void *to, const struct event *e, const EVENT_RECORD *r)
{
    (void)to, (void)e, (void)r;
}

static bool finish(struct etw_trial *t)
{
    trial_flush(t, true);
    os_sleep(ARRIVE);
    if (!trial_stop(t))
        return false;
    trial_free(t);
    return true;
}

/* False where the reader did not end: what it writes must stay. */
static bool record_kernel(const struct selftest_probe *p, const struct check_taker *taker,
                          const struct trial_tap *tap)
{
    struct stimulus_ids ids;
    struct err err = {""};
    uint32_t classes = 0;
    for (unsigned s = 0; s < STIMULI; s++)
        classes |= 1u << selftest_stimuli[s].class;
    const struct trial_request request = {
        .is_kernel = true, .flags = classes_flags(classes, classes), .tap = tap};
    struct etw_trial *const t = trial_start(p, taker, &request, "kernel session", ignore, NULL);
    if (!t)
        return true;
    privilege_profile_begin();
    trial_enable_stacks(t, classes);
    privilege_profile_end();
    for (unsigned s = 0; s < STIMULI && !atomic_load(taker->stop); s++)
        if (stimulus_exists((enum stimulus)s)) {
            stimulus_run((enum stimulus)s, &ids, &err);
            trial_flush(t, false);
        }
    return finish(t);
}

static struct etw_enable_parameters all_items(void)
{
    enum { VERSION = 2 };
    return (struct etw_enable_parameters){
        .version = VERSION,
        .enable_property = EVENT_ENABLE_PROPERTY_SID | EVENT_ENABLE_PROPERTY_TS_ID |
                           EVENT_ENABLE_PROPERTY_STACK_TRACE | ETW_PROPERTY_PSM_KEY |
                           ETW_PROPERTY_EVENT_KEY | ETW_PROPERTY_PROCESS_START_KEY};
}

static void enable_others(struct etw_trial *t, struct etw_enable_parameters *parameters)
{
    enum { LEVEL = 5 };
    const int64_t began = os_now();
    const ULONG result = etw_api()->EnableTraceEx2(
        t->handle, &kernel_process, EVENT_CONTROL_CODE_ENABLE_PROVIDER, LEVEL, 0, 0, 0, parameters);
    trial_called(t, "EnableTraceEx2", began, result);
}

static bool record_providers(const struct selftest_probe *p, const struct check_taker *taker,
                             const struct trial_tap *tap)
{
    struct stimulus_ids ids;
    struct err err = {""};
    REGHANDLE handle;
    struct etw_enable_parameters parameters = all_items();
    const struct trial_request request = {.tap = tap};
    struct etw_trial *const t = trial_start(p, taker, &request, "provider session", ignore, NULL);
    if (!t)
        return true;
    if (trial_provider_enable(t, &parameters, &handle)) {
        enable_others(t, &parameters);
        for (unsigned i = 0; i < OWN_EVENTS; i++)
            trial_provider_write(handle, i, OWN_BYTES);
        stimulus_run(STIMULUS_PROCESS, &ids, &err);
        stimulus_run(STIMULUS_THREAD, &ids, &err);
        etw_api()->EventUnregister(handle);
    }
    return finish(t);
}

/* ---- the file ------------------------------------------------------------------------------------- */

static struct cassette_head head_now(void)
{
    LARGE_INTEGER frequency;
    FILETIME now;
    QueryPerformanceFrequency(&frequency);
    GetSystemTimePreciseAsFileTime(&now);
    return (struct cassette_head){
        .pointer = sizeof(void *),
        .processors = (uint16_t)os_processors(),
        .build = system_version().build,
        .mode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD |
                PROCESS_TRACE_MODE_RAW_TIMESTAMP,
        .frequency = frequency.QuadPart,
        .began = trial_ticks(),
        .began_filetime = (int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime)};
}

static bool write_file(const char *name, const struct cassette_writer *w, struct err *err)
{
    struct os_file *const file = os_create(name, err);
    const bool is_good = file && os_write_at(file, w->room, w->used, 0, err);
    os_close(file);
    return is_good;
}

static void conclude(const struct selftest_probe *p, const struct check_taker *taker,
                     struct recording *r)
{
    struct err err = {""};
    AcquireSRWLockExclusive(&r->lock);
    r->is_over = true;
    cassette_end(&r->w);
    ReleaseSRWLockExclusive(&r->lock);
    struct check c =
        check_new(p->name, r->w.events ? CHECK_SEEN : CHECK_NOT_SEEN, "sessions as recorded");
    if (!r->w.events)
        check_because(&c, "no event was delivered");
    if (!write_file(taker->cassette, &r->w, &err)) {
        c.state = CHECK_FAILED;
        check_because(&c, "%.300s", err.text);
    }
    check_figure(&c, "events", "", (int64_t)r->w.events);
    check_figure(&c, "left_out", "", (int64_t)r->w.left_out);
    check_figure(&c, "buffers", "", (int64_t)r->buffers);
    check_figure(&c, "calls", "", (int64_t)r->calls);
    check_figure(&c, "size", "bytes", (int64_t)r->w.used);
    taker->put(taker->to, &c);
}

void selftest_cassette(const struct selftest_probe *p, const struct check_taker *taker)
{
    if (!taker->cassette) {
        struct check c = check_new(p->name, CHECK_SKIPPED, "sessions as recorded");
        check_because(&c, "--cassette FILE records two sessions for tracetop's tests");
        taker->put(taker->to, &c);
        return;
    }
    struct recording *const r = mem_new(1, sizeof *r);
    r->tap = (struct trial_tap){.to = r,
                                .opened = take_session,
                                .called = take_call,
                                .event = take_event,
                                .buffer = take_buffer};
    const struct cassette_head head = head_now();
    void *const room = mem_try(ROOM, 1);
    if (!room)
        mem_give_up(ROOM, 1);
    InitializeSRWLock(&r->lock);
    cassette_begin(&r->w, room, ROOM, &head);
    bool has_ended = record_kernel(p, taker, &r->tap);
    r->session++;
    has_ended = has_ended && record_providers(p, taker, &r->tap);
    conclude(p, taker, r);
    if (!has_ended)
        return; /* a reader goes on: what it writes stays */
    free(room);
    free(r);
}
