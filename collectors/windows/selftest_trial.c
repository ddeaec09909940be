#include "collectors/windows/selftest.h"

#include "collectors/windows/etw_session.h"
#include "collectors/windows/owned.h"
#include "collectors/windows/privilege.h"
#include "collectors/windows/record.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t END_NS = 10000000000;

/* ---- calls ----------------------------------------------------------------------------------- */

static bool is_refusal(ULONG result)
{
    return result == ERROR_ACCESS_DENIED || result == ERROR_PRIVILEGE_NOT_HELD;
}

static void tap_call(const struct etw_trial *t, const char *call, int64_t began, ULONG result)
{
    if (t->tap)
        t->tap->called(t->tap->to, call, t->about, began, result);
}

static void report(const struct etw_trial *t, const char *call, int64_t began, ULONG result)
{
    const int64_t us = (os_now() - began) / 1000;
    const enum check_state state = result == ERROR_SUCCESS ? CHECK_MEASURED
                                   : is_refusal(result)    ? CHECK_REFUSED
                                                           : CHECK_FAILED;
    char reason[256];
    struct check c = check_new(t->probe, state, "%s: %s", t->about, call);
    if (result)
        check_because(&c, "%s", etw_reason(result, reason, sizeof reason));
    check_figure(&c, "result", "", result);
    check_figure(&c, "took", "us", us);
    t->taker->put(t->taker->to, &c);
}

void trial_called(const struct etw_trial *t, const char *call, int64_t began, ULONG result)
{
    report(t, call, began, result);
    tap_call(t, call, began, result);
}

static ULONG control(struct etw_trial *t, const char *call, ULONG code, bool is_reported)
{
    const int64_t began = os_now();
    session_properties_begin(&t->last);
    const ULONG result = etw_api()->ControlTraceW(t->handle, NULL, &t->last.p, code);
    tap_call(t, call, began, result);
    if (is_reported)
        report(t, call, began, result);
    return result;
}

ULONG trial_flush(struct etw_trial *t, bool is_reported)
{
    return control(t, "ControlTrace FLUSH", EVENT_TRACE_CONTROL_FLUSH, is_reported);
}

int64_t trial_ticks(void)
{
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    return now.QuadPart;
}

int64_t trial_microseconds(int64_t ticks)
{
    LARGE_INTEGER frequency;
    QueryPerformanceFrequency(&frequency);
    return (int64_t)((double)ticks * 1e6 / (double)frequency.QuadPart);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void WINAPI take_event(PEVENT_RECORD r)
{
    struct etw_trial *const t = r->UserContext;
    struct record_plan plan;
    struct event e;
    if (t->tap)
        t->tap->event(t->tap->to, r);
    record_plan(r, &plan);
    if (plan.bytes > sizeof t->record)
        return;
    record_write(&plan, t->record);
    if (event_parse(t->record, plan.bytes, &e) != EVENT_OK)
        return;
    e.cpu = plan.cpu;
    t->take(t->to, &e, r);
}

static ULONG WINAPI take_buffer(PEVENT_TRACE_LOGFILEW log)
{
    const struct etw_trial *const t = log->Context;
    if (t->tap)
        t->tap->buffer(t->tap->to, log);
    return TRUE;
}

static void read_session(void *trial)
{
    struct etw_trial *const t = trial;
    atomic_store(&t->result, etw_api()->ProcessTrace(&t->trace, 1, NULL, NULL));
}

static bool open_trace(struct etw_trial *t)
{
    EVENT_TRACE_LOGFILEW log;
    memset(&log, 0, sizeof log);
    log.LoggerName = t->name;
    log.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD |
                           PROCESS_TRACE_MODE_RAW_TIMESTAMP;
    log.EventRecordCallback = take_event;
    log.BufferCallback = take_buffer;
    log.Context = t;
    const int64_t began = os_now();
    record_prepare();
    t->trace = etw_api()->OpenTraceW(&log);
    const bool is_open = t->trace != ETW_NO_TRACE;
    trial_called(t, "OpenTrace", began, is_open ? ERROR_SUCCESS : GetLastError());
    if (is_open && t->tap)
        t->tap->opened(t->tap->to, &log, t->is_kernel);
    if (is_open)
        t->thread = os_thread_start("etw selftest", read_session, t);
    return is_open;
}

/* ---- the session ----------------------------------------------------------------------------- */

static ULONG start_session(struct etw_trial *t, const struct trial_request *w)
{
    const unsigned processors = os_processors();
    session_properties_begin(&t->last);
    EVENT_TRACE_PROPERTIES *const p = &t->last.p;
    p->LogFileNameOffset = 0;
    t->guid = p->Wnode.Guid = owned_guid(w->is_kernel ? ROLE_KERNEL : ROLE_EVENTS);
    p->Wnode.ClientContext = ETW_CLOCK_QPC;
    p->LogFileMode =
        EVENT_TRACE_REAL_TIME_MODE | (w->is_kernel ? EVENT_TRACE_SYSTEM_LOGGER_MODE : 0);
    p->EnableFlags = w->flags;
    p->BufferSize = w->buffer_kb ? w->buffer_kb : 64;
    p->MinimumBuffers = 2 * processors;
    p->MaximumBuffers = w->most_buffers ? w->most_buffers : 64 + 4 * processors;
    p->FlushTimer = 1;
    const int64_t began = os_now();
    if (w->is_kernel)
        privilege_profile_begin();
    const ULONG result = etw_api()->StartTraceW(&t->handle, t->name, p);
    if (w->is_kernel)
        privilege_profile_end();
    trial_called(t, "StartTrace", began, result);
    return result;
}

static bool has_calls(void)
{
    const struct etw_api *const api = etw_api();
    return api->StartTraceW && api->ControlTraceW && api->OpenTraceW && api->ProcessTrace &&
           api->CloseTrace;
}

static bool start(struct etw_trial *t, const struct trial_request *w)
{
    if (!has_calls()) {
        trial_called(t, "advapi32.dll", os_now(), ERROR_CALL_NOT_IMPLEMENTED);
        return false;
    }
    if (start_session(t, w) != ERROR_SUCCESS)
        return false;
    t->slot = owned_add(t->handle, t->name, &t->guid);
    if (open_trace(t))
        return true;
    owned_stop(t->slot);
    return false;
}

struct etw_trial *trial_start(const struct selftest_probe *p, const struct check_taker *taker,
                              const struct trial_request *w, const char *about,
                              void (*take)(void *, const struct event *, const EVENT_RECORD *),
                              void *to)
{
    struct etw_trial *const t = mem_new(1, sizeof *t);
    t->taker = taker;
    t->probe = p->name;
    t->take = take;
    t->to = to;
    t->tap = w->tap;
    t->is_kernel = w->is_kernel;
    t->slot = -1;
    snprintf(t->about, sizeof t->about, "%s", about);
    swprintf(t->name, sizeof t->name / sizeof *t->name, L"tracetop-selftest-%lu",
             GetCurrentProcessId());
    if (start(t, w))
        return t;
    free(t);
    return NULL;
}

/* What is in buffers is delivered first: ProcessTrace returns some time after the session's end. */
bool trial_stop(struct etw_trial *t)
{
    struct etw_properties final;
    trial_flush(t, false);
    control(t, "ControlTrace QUERY", EVENT_TRACE_CONTROL_QUERY, true);
    final = t->last;
    int64_t began = os_now();
    session_properties_begin(&t->last);
    const ULONG result =
        etw_api()->ControlTraceW(t->handle, NULL, &t->last.p, EVENT_TRACE_CONTROL_STOP);
    trial_called(t, "ControlTrace STOP", began, result);
    if (result == ERROR_SUCCESS)
        owned_forget(t->slot);
    else
        owned_stop(t->slot); /* once more */
    if (result && result != ERROR_MORE_DATA)
        t->last = final;
    began = os_now();
    const bool has_ended = os_thread_join_within(t->thread, END_NS);
    trial_called(t, "ProcessTrace returns", began,
                 has_ended ? atomic_load(&t->result) : (ULONG)ERROR_TIMEOUT);
    began = os_now();
    const ULONG closed = etw_api()->CloseTrace(t->trace);
    if (closed != ERROR_CTX_CLOSE_PENDING)
        trial_called(t, "CloseTrace", began, closed);
    return has_ended || os_thread_join_within(t->thread, END_NS);
}

void trial_free(struct etw_trial *t)
{
    free(t);
}
