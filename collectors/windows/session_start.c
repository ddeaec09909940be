#include "collectors/windows/session_start.h"

#include "collectors/windows/provider.h"

#include "src/base/mem.h"
#include "src/os/os.h"

#include <stdlib.h>
#include <string.h>

enum { KIB = 1 << 10, MIB = 1 << 20, USUAL_FILE_MIB = 1 };

static const int64_t SECOND = 1000000000;

static bool is_kernel_logger(const WCHAR *name)
{
    return wcscmp(name, KERNEL_LOGGER_NAMEW) == 0;
}

static ULONG parts(uint64_t bytes, uint64_t part)
{
    const uint64_t count = (bytes + part - 1) / part;
    return count > ULONG_MAX ? ULONG_MAX : (ULONG)count;
}

static ULONG file_mode(const struct session_settings *s)
{
    switch (s->filemode) {
    case SESSION_FILE_CIRCULAR:
        return EVENT_TRACE_FILE_MODE_CIRCULAR;
    case SESSION_FILE_APPEND:
        return EVENT_TRACE_FILE_MODE_APPEND;
    case SESSION_FILE_ROTATE:
        return EVENT_TRACE_FILE_MODE_NEWFILE;
    case SESSION_FILE_SEQUENTIAL:
    case SESSION_FILE_USUAL:
        break;
    }
    return s->log ? EVENT_TRACE_FILE_MODE_SEQUENTIAL : 0;
}

static ULONG mode_of(const WCHAR *name, const struct session_settings *s)
{
    ULONG mode = file_mode(s);
    mode |= s->is_live ? EVENT_TRACE_REAL_TIME_MODE : 0;
    mode |= s->is_preallocated ? EVENT_TRACE_FILE_MODE_PREALLOCATE : 0;
    mode |= s->is_secure ? EVENT_TRACE_SECURE_MODE : 0;
    mode |= s->is_paged ? EVENT_TRACE_USE_PAGED_MEMORY : 0;
    mode |= s->is_private || s->is_private_in_process ? EVENT_TRACE_PRIVATE_LOGGER_MODE : 0;
    mode |= s->is_private_in_process ? EVENT_TRACE_PRIVATE_IN_PROC : 0;
    mode |= s->sequence == SESSION_SEQUENCE_GLOBAL  ? EVENT_TRACE_USE_GLOBAL_SEQUENCE
            : s->sequence == SESSION_SEQUENCE_LOCAL ? EVENT_TRACE_USE_LOCAL_SEQUENCE
                                                    : 0;
    if (s->has_kernel_flags && !is_kernel_logger(name))
        mode |= EVENT_TRACE_SYSTEM_LOGGER_MODE;
    return mode;
}

/* ETW's service has another current folder than we. */
static bool put_file(const char *log, struct etw_properties *p, struct err *err)
{
    if (!log) {
        p->p.LogFileNameOffset = 0;
        return true;
    }
    char *const full = os_full_path(log);
    const bool is_put = utf16_of(full, p->file, ETW_NAME_UNITS);
    free(full);
    return is_put || fail(err, "'%.200s' cannot be the name of a file", log);
}

static bool put_guid(const WCHAR *name, const struct session_settings *s, GUID *to, struct err *err)
{
    if (is_kernel_logger(name))
        *to = session_kernel_logger;
    return !s->guid || guid_read(s->guid, to) ||
           fail(err, "expected a GUID such as 22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716, found '%.100s'",
                s->guid);
}

ULONG session_start_for(const WCHAR *name, const struct session_settings *s,
                        struct etw_properties *out, struct err *err)
{
    TRACEHANDLE handle;
    err->text[0] = '\0';
    session_properties_begin(out);
    if (!session_settings_check(s, false, err) || !put_file(s->log, out, err) ||
        !put_guid(name, s, &out->p.Wnode.Guid, err))
        return ERROR_INVALID_PARAMETER;
    const bool needs_limit =
        s->filemode == SESSION_FILE_CIRCULAR || s->filemode == SESSION_FILE_ROTATE;
    out->p.LogFileMode = mode_of(name, s);
    out->p.Wnode.ClientContext = s->clock                             ? s->clock
                                 : s->filemode == SESSION_FILE_APPEND ? ETW_CLOCK_SYSTEM
                                                                      : ETW_CLOCK_QPC;
    out->p.BufferSize = parts(s->buffer_bytes, KIB);
    out->p.MinimumBuffers = parts(s->min_buffers, 1);
    out->p.MaximumBuffers = parts(s->max_buffers, 1);
    out->p.MaximumFileSize = s->file_bytes ? parts(s->file_bytes, MIB)
                             : needs_limit ? USUAL_FILE_MIB
                                           : 0;
    out->p.FlushTimer = parts((uint64_t)s->flush_ns, (uint64_t)SECOND);
    out->p.EnableFlags = s->kernel_flags;
    if (!etw_api()->StartTraceW)
        return ERROR_CALL_NOT_IMPLEMENTED;
    const ULONG error = etw_api()->StartTraceW(&handle, name, &out->p);
    return error ? error : session_query_etw(name, out);
}

/* What an update leaves at 0 stays, but for these: EnableFlags are what the kernel logs from then
 * on, and without its bit a session is no longer live. */
static bool keep(const struct etw_properties *now, const struct session_settings *s,
                 struct etw_properties *to, struct err *err)
{
    const bool is_kernel = session_is_of_kernel(now);
    const bool is_live =
        s->is_live || (!s->is_not_live && now->p.LogFileMode & EVENT_TRACE_REAL_TIME_MODE);
    if (s->has_kernel_flags && !is_kernel)
        return fail(
            err, "this session has no kernel events; --kernel needs one that was started with it");
    if (is_kernel && !s->has_kernel_flags && !now->p.EnableFlags)
        return fail(err,
                    "ETW does not say which kernel events this session has; give them by --kernel, "
                    "or they would be switched off");
    to->p.EnableFlags = s->has_kernel_flags ? s->kernel_flags : now->p.EnableFlags;
    to->p.LogFileMode = is_live ? EVENT_TRACE_REAL_TIME_MODE : 0;
    return true;
}

ULONG session_update_for(const WCHAR *name, const struct session_settings *s,
                         struct etw_properties *out, struct err *err)
{
    struct etw_properties *const now = mem_new(1, sizeof *now);
    err->text[0] = '\0';
    session_properties_begin(out);
    ULONG error = session_settings_check(s, true, err) ? session_query_etw(name, now)
                                                       : ERROR_INVALID_PARAMETER;
    if (!error && (!put_file(s->log, out, err) || !keep(now, s, out, err)))
        error = ERROR_INVALID_PARAMETER;
    out->p.MaximumBuffers = parts(s->max_buffers, 1);
    out->p.FlushTimer = parts((uint64_t)s->flush_ns, (uint64_t)SECOND);
    if (!error)
        error = etw_api()->ControlTraceW(0, name, &out->p, EVENT_TRACE_CONTROL_UPDATE);
    free(now);
    return error ? error : session_query_etw(name, out);
}
