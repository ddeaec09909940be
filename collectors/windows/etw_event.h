/* Events as ETW hands them over: the compiler's header, and what it lacks. The files that need no
 * more of Windows than this are compiled natively by tests/cassette, too. */
#ifndef COLLECTORS_WINDOWS_ETW_EVENT_H
#define COLLECTORS_WINDOWS_ETW_EVENT_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <evntcons.h>

enum {
    /* EVENT_HEADER_EXTENDED_DATA_ITEM.ExtType */
    ETW_EXT_PSM_KEY = 9,
    ETW_EXT_EVENT_KEY = 10,
    ETW_EXT_SCHEMA_TL = 11,
    ETW_EXT_PROV_TRAITS = 12,
    ETW_EXT_PROCESS_START_KEY = 13,
};

#endif
