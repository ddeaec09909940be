/* Services: SystemConfig records, which the kernel logs only when its session ends. */
#include "collectors/windows/state.h"

#include "src/base/mem.h"

#include <stdlib.h>

#include <winsvc.h>

enum { HOOK_SERVICES = 0x0b0f, BYTES_MOST = 256 * 1024 }; /* the call takes no more at once */

static void put_wide(struct payload_writer *p, const WCHAR *text)
{
    const size_t units = text ? wcsnlen(text, 512) : 0;
    put_bytes(p, text ? text : L"", units * sizeof(WCHAR));
    put_u16(p, 0);
}

static bool report(struct state *s, const ENUM_SERVICE_STATUS_PROCESSW *e)
{
    struct payload_writer *const p = writer_begin(&s->writer, HOOK_SERVICES, 3);
    put_u32(p, e->ServiceStatusProcess.dwProcessId);
    put_u32(p, e->ServiceStatusProcess.dwCurrentState);
    put_u32(p, 0); /* the tag of its threads */
    put_wide(p, e->lpServiceName);
    put_wide(p, e->lpDisplayName);
    put_wide(p, L""); /* file of the process */
    put_wide(p, L""); /* group it is loaded in, group of its host */
    put_wide(p, L"");
    return writer_end(&s->writer);
}

void state_services(struct state *s)
{
    DWORD needed, count = 0, resume = 0;
    BOOL is_all = FALSE;
    const SC_HANDLE manager =
        OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT | SC_MANAGER_ENUMERATE_SERVICE);
    if (!manager)
        return; /* processes have their command lines all the same */
    ENUM_SERVICE_STATUS_PROCESSW *const list = mem_new(BYTES_MOST, 1);
    do {
        is_all = EnumServicesStatusExW(manager, SC_ENUM_PROCESS_INFO, SERVICE_WIN32, SERVICE_ACTIVE,
                                       (BYTE *)list, BYTES_MOST, &needed, &count, &resume, NULL);
        if (!is_all && GetLastError() != ERROR_MORE_DATA)
            break;
        for (DWORD i = 0; i < count; i++)
            if (!report(s, &list[i])) {
                is_all = TRUE;
                break;
            }
    } while (!is_all && count);
    CloseServiceHandle(manager);
    free(list);
}
