/* Consuming: OpenTraceW, ProcessTrace, CloseTrace. What has become full since the last look is
 * merged by time over all processors, and goes through the callback on the thread that is in
 * ProcessTrace. What a later buffer brings may be older: consumers have to bear it. */
#include "tests/etw/fake.h"

#include <string.h>

enum {
    CONSUMERS = 64,
    HANDLE_BASE = 0x100,
    MODE_REAL_TIME = 0x100,
    MODE_RAW = 0x1000,
    MODE_RECORD = 0x10000000,
    BEAT = 20,               /* ms: how soon a request to break off is noticed */
    BROKEN_POINTER_SIZE = 4, /* as Windows says of real-time sessions */
};

#define FILETIME_SECOND 10000000LL

static struct consumer {
    bool is_used, is_running;
    volatile bool is_closing;
    int64_t closed_at; /* play_time() */
    TRACEHANDLE session;
    ULONG mode;
    EVENT_TRACE_LOGFILEW file; /* for the buffer callback */
    int64_t anchor, anchor_filetime;
    const struct record_head *held; /* comes after its successor */
    uint64_t prng;
} consumers[CONSUMERS];

/* ---- OpenTraceW ------------------------------------------------------------------------------ */

static int64_t filetime(void)
{
    FILETIME t;
    GetSystemTimePreciseAsFileTime(&t);
    return (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);
}

static void describe(TRACE_LOGFILE_HEADER *h, const struct fake_session *s, int64_t now)
{
    memset(h, 0, sizeof *h);
    h->BufferSize = s->p.BufferSize * 1024;
    h->NumberOfProcessors = machine_cpus();
    h->TimerResolution = 156001; /* what no program assumes */
    h->LogFileMode = s->p.LogFileMode;
    h->PointerSize = BROKEN_POINTER_SIZE;
    h->CpuSpeedInMHz = 3600;
    h->PerfFreq.QuadPart = machine_frequency();
    h->StartTime.QuadPart = now;
    h->BootTime.QuadPart = FAKE_BOOT;
    h->ReservedFlags = ETW_CLOCK_QPC;
}

static ULONG open(PEVENT_TRACE_LOGFILEW file, TRACEHANDLE *handle)
{
    sessions_make_others();
    const struct fake_session *const s = session_of_name(file->LoggerName);
    unsigned i = 0;
    if (!s && !unkind(UNKIND_OPEN_TAKES_ANY))
        return ERROR_WMI_INSTANCE_NOT_FOUND;
    while (i < CONSUMERS && consumers[i].is_used)
        i++;
    if (i == CONSUMERS)
        return ERROR_NO_SYSTEM_RESOURCES;
    const int64_t now = filetime();
    if (s)
        describe(&file->LogfileHeader, s, now);
    file->IsKernelTrace = s && session_is_kernel(s);
    consumers[i] = (struct consumer){.is_used = true,
                                     .session = s ? session_handle(s) : 0,
                                     .mode = file->ProcessTraceMode,
                                     .file = *file,
                                     .anchor = machine_now(),
                                     .anchor_filetime = now,
                                     .prng = play.seed};
    *handle = HANDLE_BASE + i;
    report_add(FIGURE_HANDLES, 1);
    return ERROR_SUCCESS;
}

static ULONG check(const EVENT_TRACE_LOGFILEW *file)
{
    if (!file || !file->LoggerName == !file->LogFileName)
        return ERROR_INVALID_PARAMETER;
    if (play.rights == RIGHTS_USER)
        return ERROR_ACCESS_DENIED;
    if (file->LogFileName)
        return ERROR_FILE_NOT_FOUND; /* the stand-in has no files */
    /* The older form of events, of Windows XP, is not for us. */
    if (!(file->ProcessTraceMode & MODE_REAL_TIME) || !(file->ProcessTraceMode & MODE_RECORD) ||
        !file->EventRecordCallback)
        return ERROR_INVALID_PARAMETER;
    return ERROR_SUCCESS;
}

TRACEHANDLE WINAPI fake_OpenTraceW(PEVENT_TRACE_LOGFILEW file)
{
    TRACEHANDLE handle = ETW_NO_TRACE;
    ULONG code = play_call("OpenTraceW", NULL);
    code = code ? code : check(file);
    if (!code) {
        play_begin();
        machine_begin();
        EnterCriticalSection(&running);
        EnterCriticalSection(&state);
        code = open(file, &handle);
        LeaveCriticalSection(&state);
        LeaveCriticalSection(&running);
    }
    SetLastError(code);
    return handle;
}

/* ---- delivering ------------------------------------------------------------------------------ */

/* The buffers of one processor, in order, and where their reader is. */
struct chain {
    struct buffer *first, **end;
    uint32_t at;
};

struct merge {
    struct chain chains[FAKE_CPUS];
    uint8_t heap[FAKE_CPUS]; /* chains by the time of their next record */
    unsigned count;
    struct buffer *done;
};

static const struct record_head *next_of(const struct chain *c)
{
    return (const struct record_head *)(const void *)(c->first->bytes + c->at);
}

static int64_t time_of(const struct merge *m, unsigned place)
{
    return next_of(&m->chains[m->heap[place]])->ts;
}

static void sift(struct merge *m, unsigned at)
{
    for (unsigned child = 2 * at + 1; child < m->count; child = 2 * at + 1) {
        if (child + 1 < m->count && time_of(m, child + 1) < time_of(m, child))
            child++;
        if (time_of(m, at) <= time_of(m, child))
            return;
        const uint8_t chain = m->heap[at];
        m->heap[at] = m->heap[child];
        m->heap[child] = chain;
        at = child;
    }
}

static void merge_begin(struct merge *m, struct buffer *list)
{
    memset(m, 0, sizeof *m);
    for (unsigned i = 0; i < FAKE_CPUS; i++)
        m->chains[i].end = &m->chains[i].first;
    while (list) {
        struct buffer *const b = list;
        list = b->next;
        b->next = NULL;
        struct chain *const c = &m->chains[b->cpu];
        *c->end = b;
        c->end = &b->next;
    }
    for (unsigned i = 0; i < FAKE_CPUS; i++)
        if (m->chains[i].first)
            m->heap[m->count++] = (uint8_t)i;
    for (unsigned i = m->count / 2; i-- > 0;)
        sift(m, i);
}

/* The record behind the first one; true when a buffer came to its end. */
static bool advance(struct merge *m)
{
    struct chain *const c = &m->chains[m->heap[0]];
    c->at += (next_of(c)->bytes + 7) & ~7u;
    const bool is_end = c->at >= c->first->used;
    if (is_end) {
        struct buffer *const b = c->first;
        c->first = b->next;
        c->at = 0;
        b->next = m->done;
        m->done = b;
        if (!c->first)
            m->heap[0] = m->heap[--m->count];
    }
    sift(m, 0);
    return is_end;
}

static void deliver_one(struct consumer *c, const struct fake_session *s,
                        const struct record_head *head)
{
    struct delivery d;
    if (!deliver_make(&d, head, (const uint8_t *)(head + 1), s))
        return;
    d.record.UserContext = c->file.Context;
    if (!(c->mode & MODE_RAW))
        d.record.EventHeader.TimeStamp.QuadPart =
            c->anchor_filetime + (head->ts - c->anchor) * FILETIME_SECOND / machine_frequency();
    c->file.EventRecordCallback(&d.record);
}

static bool is_late(struct consumer *c)
{
    c->prng = c->prng * 6364136223846793005u + 1442695040888963407u;
    return (c->prng >> 33) % 1000 < play.disorder;
}

/* All that is full, in order of time but for the disorder that the test wants. False when the
 * buffer callback says that it is enough. */
static bool deliver(struct consumer *c, const struct fake_session *s, struct merge *m)
{
    int64_t count = 0;
    bool goes_on = true;
    while (m->count && goes_on) {
        const struct record_head *const head = next_of(&m->chains[m->heap[0]]);
        if (play.disorder && !c->held && is_late(c)) {
            c->held = head;
        } else {
            deliver_one(c, s, head);
            if (c->held)
                deliver_one(c, s, c->held);
            c->held = NULL;
        }
        count++;
        if (advance(m) && c->file.BufferCallback) {
            c->file.BuffersRead++;
            goes_on = c->file.BufferCallback(&c->file);
        }
    }
    if (c->held)
        deliver_one(c, s, c->held);
    c->held = NULL;
    report_add(FIGURE_DELIVERED, count);
    return goes_on;
}

/* Buffers of a merge that was broken off. */
static struct buffer *rest_of(struct merge *m)
{
    for (unsigned i = 0; i < FAKE_CPUS; i++) {
        while (m->chains[i].first) {
            struct buffer *const b = m->chains[i].first;
            m->chains[i].first = b->next;
            b->next = m->done;
            m->done = b;
        }
    }
    return m->done;
}

/* `state` is held, and let go while events are delivered. */
static bool deliver_full(struct consumer *c, struct fake_session *s, bool *goes_on)
{
    static _Thread_local struct merge merge;
    struct buffer *const list = buffers_take(s);
    if (!list)
        return false;
    LeaveCriticalSection(&state);
    merge_begin(&merge, list);
    *goes_on = deliver(c, s, &merge);
    EnterCriticalSection(&state);
    buffers_return(s, rest_of(&merge));
    return true;
}

/* ---- ProcessTrace ---------------------------------------------------------------------------- */

/* The session has ended, and what it still has is not there yet. */
static bool holds_back(const struct fake_session *s)
{
    return unkind(UNKIND_STOP_IS_SLOW) && s->is_stopped && play_time() < s->stopped_at + play.slow;
}

static bool is_closed(const struct consumer *c)
{
    enum { LINGERS = 300 };
    return c->is_closing &&
           !(unkind(UNKIND_CALLS_AFTER_CLOSE) && play_time() < c->closed_at + LINGERS);
}

static ULONG process(struct consumer *c, struct fake_session *s)
{
    bool goes_on = true;
    for (;;) {
        if (holds_back(s)) {
            if (c->is_closing)
                return ERROR_SUCCESS; /* the last buffers are nobody's */
            SleepConditionVariableCS(&s->changed, &state, BEAT);
            continue;
        }
        if (play.break_at && play_time() >= play.break_at)
            return play.break_code;
        if (deliver_full(c, s, &goes_on)) {
            if (!goes_on)
                return ERROR_CANCELLED;
        } else if (is_closed(c) || s->is_stopped) {
            return ERROR_SUCCESS;
        } else if (play.cassette) {
            LeaveCriticalSection(&state);
            cassette_run(s, &c->file, &c->is_closing);
            EnterCriticalSection(&state);
        } else if (play.burst) {
            LeaveCriticalSection(&state);
            burst_run(s, c->file.EventRecordCallback, c->file.Context, &c->is_closing);
            EnterCriticalSection(&state);
        } else {
            SleepConditionVariableCS(&s->changed, &state, BEAT);
        }
    }
}

static struct consumer *consumer_of(TRACEHANDLE handle)
{
    const TRACEHANDLE index = handle - HANDLE_BASE;
    return index < CONSUMERS && consumers[index].is_used ? &consumers[index] : NULL;
}

static void forget(struct consumer *c)
{
    c->is_used = false;
    report_add(FIGURE_HANDLES, -1);
}

static ULONG run(struct consumer *c)
{
    struct fake_session *const s = session_of_handle(c->session);
    if (!s || !(s->p.LogFileMode & MODE_REAL_TIME))
        return ERROR_WMI_INSTANCE_NOT_FOUND;
    if (s->has_consumer || c->is_running)
        return ERROR_BUSY; /* the stand-in serves one at a time */
    s->has_consumer = c->is_running = true;
    report_add(FIGURE_RUNNING, 1);
    const ULONG code = process(c, s);
    report_add(FIGURE_RUNNING, -1);
    s->has_consumer = c->is_running = false;
    if (s->is_stopped) {
        buffers_free(s);
        s->is_used = false;
    }
    if (c->is_closing)
        forget(c);
    return code;
}

ULONG WINAPI fake_ProcessTrace(PTRACEHANDLE handles, ULONG count, LPFILETIME start, LPFILETIME end)
{
    ULONG code = play_call("ProcessTrace", NULL);
    if (code)
        return code;
    if (!handles)
        return ERROR_INVALID_PARAMETER;
    if (!count || count > CONSUMERS)
        return ERROR_BAD_LENGTH;
    if (start && end && CompareFileTime(end, start) < 0)
        return ERROR_INVALID_TIME;
    EnterCriticalSection(&state);
    for (ULONG i = 0; i < count && !code; i++)
        code = consumer_of(handles[i]) ? ERROR_SUCCESS : ERROR_INVALID_HANDLE;
    if (!code && count > 1)
        code = ERROR_WMI_ALREADY_ENABLED; /* all of ours are real-time sessions */
    if (!code)
        code = run(consumer_of(handles[0]));
    LeaveCriticalSection(&state);
    return code;
}

ULONG WINAPI fake_CloseTrace(TRACEHANDLE handle)
{
    ULONG code = play_call("CloseTrace", NULL);
    if (code)
        return code;
    EnterCriticalSection(&state);
    struct consumer *const c = consumer_of(handle);
    if (!c) {
        code = ERROR_INVALID_HANDLE;
    } else if (c->is_running) {
        struct fake_session *const s = session_of_handle(c->session);
        c->is_closing = true;
        c->closed_at = play_time();
        if (s)
            WakeAllConditionVariable(&s->changed);
        code = ERROR_CTX_CLOSE_PENDING;
    } else {
        forget(c);
    }
    LeaveCriticalSection(&state);
    return code;
}
