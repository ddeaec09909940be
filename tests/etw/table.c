/* The machine's sessions as every process of a test sees them: a table in a file
 * (TRACETOP_TEST_ETW_STORE), so that they outlive whoever started them, or in memory of this
 * process when a test needs one only. */
#include "tests/etw/fake.h"

/* What outlives a process. */
struct store {
    struct row rows[FAKE_SESSIONS];
    struct sampled sampled;
};

static struct store own;
static struct store *store;
static HANDLE mutex;

static struct store *map(const WCHAR *path)
{
    const HANDLE file =
        CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                    OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    const HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READWRITE, 0, sizeof own, NULL);
    CloseHandle(file);
    if (!mapping)
        return NULL;
    struct store *const at = MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, sizeof own);
    CloseHandle(mapping);
    return at;
}

static struct store *open_store(void)
{
    if (store)
        return store;
    WCHAR path[MAX_PATH];
    const DWORD units = GetEnvironmentVariableW(L"TRACETOP_TEST_ETW_STORE", path, MAX_PATH);
    if (units && units < MAX_PATH) {
        store = map(path);
        mutex = CreateMutexW(NULL, FALSE, L"tracetop-stand-in-sessions");
    }
    if (!store)
        store = &own;
    return store;
}

struct row *table_open(void)
{
    return open_store()->rows;
}

struct sampled *table_sampled(void)
{
    return &open_store()->sampled;
}

void table_lock(void)
{
    if (mutex)
        WaitForSingleObject(mutex, INFINITE); /* abandoned is as good: rows change in one store */
}

void table_unlock(void)
{
    if (mutex)
        ReleaseMutex(mutex);
}
