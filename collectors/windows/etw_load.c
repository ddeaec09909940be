/* The loader of the shipped program: system libraries, from the system's folder and nowhere
 * else. The program runs with every right there is; a tdh.dll that lies beside it must not. */
#include "collectors/windows/etw_api.h"
#include "collectors/windows/system.h"

static struct etw_api table;

enum { LIBRARIES = 3 };

/* A type that compilers let pointers to functions pass through. */
typedef void (*function)(void);

static function find(const HMODULE *libraries, const char *name)
{
    FARPROC at = NULL;
    for (int i = 0; i < LIBRARIES && !at; i++)
        at = libraries[i] ? GetProcAddress(libraries[i], name) : NULL;
    return (function)at;
}

static BOOL CALLBACK fill(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    static const WCHAR *const names[LIBRARIES] = {L"advapi32.dll", L"sechost.dll", L"tdh.dll"};
    HMODULE libraries[LIBRARIES];
    (void)once, (void)parameter, (void)context;
    table.build = system_version().build;
    /* Wine's functions say yes and do nothing, or end the program: as good as none. */
    if (GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version"))
        return TRUE;
    for (int i = 0; i < LIBRARIES; i++)
        libraries[i] = LoadLibraryExW(names[i], NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
#define ETW_FILL(type, name, parameters)                                                           \
    table.name = (type(WINAPI *) parameters)find(libraries, #name);
    ETW_FUNCTIONS(ETW_FILL)
#undef ETW_FILL
    return TRUE;
}

const struct etw_api *etw_api(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, fill, NULL, NULL);
    return &table;
}
