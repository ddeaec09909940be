/* Images by asking each process, where the kernel's own list does not come (sessions of
 * others). What belongs to somebody else and may not be looked into has none. */
#include "collectors/windows/state.h"

#include "src/base/mem.h"

#include <stdlib.h>

#include <psapi.h>
#include <tlhelp32.h>

enum { HOOK_IMAGE_DCSTART = 0x1403, MODULES = 4096, UNITS = 1024 };

static bool report(struct state *s, uint32_t pid, const void *base, uint64_t bytes, uint32_t stamp,
                   const WCHAR *path)
{
    s->writer.time++; /* readers tell by time which PDB is whose (src/trace/save.c) */
    struct payload_writer *const p = writer_begin(&s->writer, HOOK_IMAGE_DCSTART, 3);
    put_u64(p, (uintptr_t)base);
    put_u64(p, bytes);
    put_u32(p, pid);
    put_u32(p, 0); /* checksum */
    put_u32(p, stamp);
    put_u32(p, 0); /* signature */
    put_u64(p, 0); /* the base that the file asks for */
    put_zeros(p, 16);
    put_bytes(p, path, wcsnlen(path, UNITS) * sizeof *path);
    put_u16(p, 0);
    return writer_end(&s->writer);
}

/* The time stamp in its header in memory: with the size it identifies the file, and so the symbols.
 * 0: it cannot be read. */
static uint32_t stamp_of(HANDLE process, const void *base)
{
    enum { HEADER_AT = 0x3c, STAMP_AT = 8, HEADER_MOST = 4096 };
    uint32_t header = 0, stamp = 0;
    SIZE_T got;
    const BYTE *const at = base;
    if (!ReadProcessMemory(process, at + HEADER_AT, &header, sizeof header, &got) ||
        got != sizeof header || header > HEADER_MOST ||
        !ReadProcessMemory(process, at + header + STAMP_AT, &stamp, sizeof stamp, &got) ||
        got != sizeof stamp)
        return 0;
    return stamp;
}

/* By the kernel's name of the file, where it is known. */
static bool report_module(struct state *s, HANDLE process, uint32_t pid, HMODULE module)
{
    MODULEINFO info;
    WCHAR path[UNITS];
    if (!K32GetModuleInformation(process, module, &info, sizeof info))
        return true;
    if (!K32GetMappedFileNameW(process, info.lpBaseOfDll, path, UNITS) &&
        !K32GetModuleFileNameExW(process, module, path, UNITS))
        return true;
    return report(s, pid, info.lpBaseOfDll, info.SizeOfImage, stamp_of(process, info.lpBaseOfDll),
                  path);
}

static bool report_process(struct state *s, uint32_t pid, HMODULE *modules)
{
    DWORD bytes = 0;
    bool is_on = true;
    const HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, pid);
    if (!process)
        return true;
    if (!K32EnumProcessModulesEx(process, modules, MODULES * sizeof *modules, &bytes,
                                 LIST_MODULES_ALL))
        bytes = 0;
    const DWORD count = bytes / sizeof *modules;
    for (DWORD i = 0; is_on && i < count && i < MODULES; i++)
        is_on = report_module(s, process, pid, modules[i]);
    CloseHandle(process);
    return is_on;
}

static int compare(const void *a, const void *b)
{
    const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static bool report_drivers(struct state *s, void **drivers)
{
    enum { LARGEST = 32 << 20 }; /* only the kernel knows their sizes: up to the next one */
    DWORD bytes = 0;
    WCHAR path[UNITS];
    if (!K32EnumDeviceDrivers(drivers, MODULES * sizeof *drivers, &bytes))
        return true;
    const DWORD all = bytes / sizeof *drivers, count = all < MODULES ? all : MODULES;
    qsort(drivers, count, sizeof *drivers, compare);
    for (DWORD i = 0; i < count; i++) {
        if (!drivers[i] || !K32GetDeviceDriverFileNameW(drivers[i], path, UNITS))
            continue; /* addresses are hidden from those without rights */
        const uint64_t gap =
            i + 1 < count ? (uintptr_t)drivers[i + 1] - (uintptr_t)drivers[i] : LARGEST;
        if (!report(s, 0, drivers[i], gap < LARGEST ? gap : LARGEST, 0, path))
            return false;
    }
    return true;
}

void state_images(struct state *s)
{
    PROCESSENTRY32W process = {.dwSize = sizeof process};
    const HANDLE list = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    void **const room = mem_new(MODULES, sizeof *room);
    bool is_on = report_drivers(s, room);
    if (list != INVALID_HANDLE_VALUE) {
        for (BOOL is_one = Process32FirstW(list, &process); is_one && is_on;) {
            is_on = report_process(s, process.th32ProcessID, (HMODULE *)(void *)room);
            is_one = Process32NextW(list, &process);
        }
        CloseHandle(list);
    }
    free(room);
}
