#include "collectors/windows/consumer.h"

#include "collectors/windows/etw_session.h"
#include "collectors/windows/record.h"

#include "src/event/event.h"

#include <stdio.h>
#include <string.h>

/* One thread writes each of these. */
static void count(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void note(struct consumer *c, const struct record_plan *p)
{
    enum {
        HOOK_IMAGE_DCSTART = 0x1403,
        HOOK_FILE_RUNDOWN = 0x0424,
        HOOK_KEYS_AT_START = 0x0918,
        HOOK_KEYS_AT_END = 0x0919,
    };
    if (p->is_cut)
        count(&c->cut);
    if (p->is_lost)
        count(&c->notes_of_loss);
    if (p->hook == HOOK_FILE_RUNDOWN)
        count(&c->names[NAMES_FILES]);
    if (p->hook == HOOK_KEYS_AT_START || p->hook == HOOK_KEYS_AT_END)
        count(&c->names[NAMES_KEYS]);
    if (p->hook == HOOK_IMAGE_DCSTART)
        atomic_store_explicit(&c->has_images, true, memory_order_relaxed);
}

/* Names of files, and the key control blocks of the registry. */
static bool is_name(uint16_t hook)
{
    return hook == 0x0400 || (hook >= 0x0420 && hook <= 0x0424) ||
           (hook >= 0x0916 && hook <= 0x0919);
}

/* ProcessTrace begins every session with the header that a log of it would have. Recordings have
 * one of their own. */
static bool is_log_header(const struct record_plan *p)
{
    return (p->kind == HEADER_SYSTEM || p->kind == HEADER_PERFINFO) && p->hook == 0;
}

/* The collector path: on ETW's time, with ETW's memory. */
static void WINAPI take_event(PEVENT_RECORD r)
{
    struct consumer *const c = r->UserContext;
    struct record_plan plan;
    record_plan(r, &plan);
    count(&c->events);
    note(c, &plan);
    if ((c->only_names && !is_name(plan.hook)) || is_log_header(&plan))
        return;
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + plan.bytes,
        .form = RECORD_ETW,
        .source = c->source,
        .cpu = plan.cpu,
        .ts = r->EventHeader.TimeStamp.QuadPart,
    };
    uint8_t *const to = intake_reserve(c->intake, &head);
    if (!to)
        return;
    record_write(&plan, to);
    intake_commit(c->intake);
}

/* FALSE ends ProcessTrace with ERROR_CANCELLED. */
static ULONG WINAPI take_buffer(PEVENT_TRACE_LOGFILEW log)
{
    struct consumer *const c = log->Context;
    count(&c->buffers);
    os_wakeup_signal(c->wakeup);
    return !atomic_load_explicit(&c->is_stopping, memory_order_relaxed);
}

static void run(void *consumer)
{
    struct consumer *const c = consumer;
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_ABOVE_NORMAL);
    const ULONG result = etw_api()->ProcessTrace(&c->trace, 1, NULL, NULL);
    atomic_store_explicit(&c->result, result, memory_order_relaxed);
    atomic_store_explicit(&c->has_ended, true, memory_order_release);
    os_wakeup_signal(c->wakeup);
}

bool consumer_start(struct consumer *c, WCHAR *session, ULONG *error, struct err *err)
{
    EVENT_TRACE_LOGFILEW log;
    memset(&log, 0, sizeof log);
    log.LoggerName = session;
    log.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD |
                           PROCESS_TRACE_MODE_RAW_TIMESTAMP;
    log.EventRecordCallback = take_event;
    log.BufferCallback = take_buffer;
    log.Context = c;
    *error = ERROR_CALL_NOT_IMPLEMENTED;
    if (etw_api()->OpenTraceW && etw_api()->ProcessTrace && etw_api()->CloseTrace) {
        record_prepare();
        c->trace = etw_api()->OpenTraceW(&log);
        *error = c->trace == ETW_NO_TRACE ? GetLastError() : ERROR_SUCCESS;
    }
    if (*error != ERROR_SUCCESS) {
        char name[256], reason[256];
        return fail(err, "the session '%s' cannot be read: %s", utf8_of(session, name, sizeof name),
                    etw_reason(*error, reason, sizeof reason));
    }
    c->header = log.LogfileHeader;
    atomic_store(&c->is_stopping, false);
    atomic_store(&c->has_ended, false);
    c->thread = os_thread_start("etw", run, c);
    return true;
}

/* Closing while ProcessTrace runs is answered with ERROR_CTX_CLOSE_PENDING: it returns when
 * it has delivered what it has. */
void consumer_stop(struct consumer *c)
{
    if (!c->thread)
        return;
    atomic_store_explicit(&c->is_stopping, true, memory_order_relaxed);
    etw_api()->CloseTrace(c->trace);
    os_thread_join(c->thread);
    c->thread = NULL;
}
