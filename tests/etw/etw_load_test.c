/* The loader of the test program: the stand-in that TRACETOP_TEST_ETW names. Without it no
 * function is there, as on a system that lacks them all; "absent=Name" among the requests of
 * TRACETOP_TEST_ETW_PLAY leaves one out, and the switch tdh-is-absent (unkind.c) all of TDH. */
#include "collectors/windows/etw_api.h"
#include "collectors/windows/system.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct etw_api table;

enum { WORDS = 8192 };

/* A type that compilers let pointers to functions pass through. */
typedef void (*function)(void);

static bool is_absent(const char *requests, const char *name)
{
    static const char key[] = "absent=";
    const size_t length = strlen(name);
    if (strncmp(name, "Tdh", 3) == 0 && strstr(requests, "tdh-is-absent"))
        return true;
    for (const char *at = requests; (at = strstr(at, key)) != NULL;) {
        at += sizeof key - 1;
        if (strncmp(at, name, length) == 0 && (at[length] == ';' || !at[length]))
            return true;
    }
    return false;
}

static function find(HMODULE library, const char *requests, const char *name)
{
    return library && !is_absent(requests, name) ? (function)GetProcAddress(library, name) : NULL;
}

static BOOL CALLBACK fill(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    static char requests[WORDS];
    WCHAR path[MAX_PATH], whole[MAX_PATH];
    (void)once, (void)parameter, (void)context;
    const DWORD units = GetEnvironmentVariableW(L"TRACETOP_TEST_ETW", path, MAX_PATH);
    /* The whole path: relative ones are not looked for in the current folder. */
    const DWORD whole_units =
        units && units < MAX_PATH ? GetFullPathNameW(path, MAX_PATH, whole, NULL) : 0;
    const HMODULE library = whole_units && whole_units < MAX_PATH ? LoadLibraryW(whole) : NULL;
    GetEnvironmentVariableA("TRACETOP_TEST_ETW_PLAY", requests, sizeof requests);
#define ETW_FILL(type, name, parameters)                                                           \
    table.name = (type(WINAPI *) parameters)find(library, requests, #name);
    ETW_FUNCTIONS(ETW_FILL)
#undef ETW_FILL
    const char *const build = strstr(requests, "build=");
    table.build = build ? strtoul(build + 6, NULL, 0) : system_version().build;
    return TRUE;
}

const struct etw_api *etw_api(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, fill, NULL, NULL);
    return &table;
}
