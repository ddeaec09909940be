/* What tests of the stand-in for ETW share: sessions started, controlled and stopped. */
#ifndef TESTS_ETW_SESSIONS_H
#define TESTS_ETW_SESSIONS_H

#include "tests/test.h"

#include "collectors/windows/etw_api.h"

#include <stddef.h>

enum { REAL_TIME = 0x100, SYSTEM = 0x02000000, TRACED = 0x00020000 };

/* The stand-in's own provider. */
static const GUID fake_guid = {
    0x5a7d1ee0, 0x7e57, 0x4e7a, {0x9b, 0x01, 0x5a, 0x17, 0xde, 0xad, 0xbe, 0xef}};

static inline struct etw_properties make(ULONG mode, ULONG flags)
{
    struct etw_properties p = {0};
    p.p.Wnode.BufferSize = sizeof p;
    p.p.Wnode.Flags = TRACED;
    p.p.Wnode.ClientContext = ETW_CLOCK_QPC;
    p.p.LogFileMode = mode;
    p.p.EnableFlags = flags;
    p.p.FlushTimer = 1;
    p.p.LoggerNameOffset = offsetof(struct etw_properties, name);
    p.p.LogFileNameOffset = offsetof(struct etw_properties, file);
    return p;
}

static inline TRACEHANDLE start(const WCHAR *name, ULONG mode, ULONG flags)
{
    struct etw_properties p = make(mode, flags);
    TRACEHANDLE handle = 0;
    assert_int_equal(etw_api()->StartTraceW(&handle, name, &p.p), ERROR_SUCCESS);
    assert_true(handle != 0);
    return handle;
}

static inline ULONG control(TRACEHANDLE handle, const WCHAR *name, ULONG action,
                            struct etw_properties *p)
{
    struct etw_properties own = make(0, 0);
    return etw_api()->ControlTraceW(handle, name, p ? &p->p : &own.p, action);
}

static inline void stop(TRACEHANDLE handle)
{
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_STOP, NULL), ERROR_SUCCESS);
}

#endif
