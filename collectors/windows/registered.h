/* Who registers providers, and which sessions have them enabled. */
#ifndef COLLECTORS_WINDOWS_REGISTERED_H
#define COLLECTORS_WINDOWS_REGISTERED_H

#include "collectors/windows/etw_api.h"

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct registration {
    const GUID *guid;
    ULONG pid;
    const TRACE_ENABLE_INFO *enabled; /* NULL: in no session */
};

/* Tells each registration of a provider, once for every session that it is enabled in. False
 * where the system does not say. */
bool registered_info(const GUID *guid, void (*report)(void *to, const struct registration *r),
                     void *to);

/* GUIDs of all providers that are registered now; free() them. NULL with a sentence. */
GUID *registered_list(size_t *count, struct err *err);

#endif
