/* Which Windows it is and where its folders are: SysConfigEx records, as merge tools write them. */
#include "collectors/windows/state.h"
#include "collectors/windows/system.h"

#include "src/event/decode/classes.h"

enum { OPCODE_BUILD_INFO = 32, OPCODE_SYSTEM_PATHS = 33 };

static bool report_build(struct state *s)
{
    WCHAR lab[SYSTEM_TEXT], product[SYSTEM_TEXT];
    if (!system_text(L"BuildLabEx", lab)[0])
        system_text(L"BuildLab", lab);
    system_text(L"ProductName", product);
    struct payload_writer *const p =
        writer_begin_class(&s->writer, &decode_sys_config_ex.guid, OPCODE_BUILD_INFO);
    put_u64(p, (uint64_t)system_installed());
    writer_put_wide(p, lab);
    writer_put_wide(p, product);
    return writer_end(&s->writer);
}

/* The second ends with a backslash: readers put it in place of "\Windows\". */
static void report_paths(struct state *s)
{
    WCHAR folder[MAX_PATH], windows[MAX_PATH + 1];
    const UINT units = GetSystemWindowsDirectoryW(windows, MAX_PATH);
    const UINT folder_units = GetSystemDirectoryW(folder, MAX_PATH);
    if (!units || units >= MAX_PATH || !folder_units || folder_units >= MAX_PATH)
        return;
    wcscat(windows, L"\\");
    struct payload_writer *const p =
        writer_begin_class(&s->writer, &decode_sys_config_ex.guid, OPCODE_SYSTEM_PATHS);
    writer_put_wide(p, folder);
    writer_put_wide(p, windows);
    writer_end(&s->writer);
}

void state_system(struct state *s)
{
    if (report_build(s))
        report_paths(s);
}
