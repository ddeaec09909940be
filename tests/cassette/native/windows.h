/* As much of Windows' headers as collectors/windows/record.c and tests/cassette need of them, so
 * that they are compiled natively. evntcons.h beside it checks the layout. */
#ifndef TESTS_CASSETTE_NATIVE_WINDOWS_H
#define TESTS_CASSETTE_NATIVE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLBACK
#define WINAPI
#define TRUE 1
#define FALSE 0

typedef int BOOL;
typedef uint8_t UCHAR;
typedef uint16_t USHORT;
typedef uint32_t ULONG;
typedef uint64_t ULONGLONG, ULONG64;
typedef void *PVOID;
typedef union {
    int64_t QuadPart;
} LARGE_INTEGER;
typedef struct {
    uint32_t Data1;
    uint16_t Data2, Data3;
    uint8_t Data4[8];
} GUID;

/* One thread: that is all these tests have. */
typedef struct {
    bool is_done;
} INIT_ONCE, *PINIT_ONCE;
#define INIT_ONCE_STATIC_INIT {false}

static inline BOOL InitOnceExecuteOnce(PINIT_ONCE once,
                                       BOOL (*function)(PINIT_ONCE, PVOID, PVOID *),
                                       PVOID parameter, PVOID *context)
{
    if (!once->is_done)
        once->is_done = function(once, parameter, context);
    return once->is_done;
}

#endif
