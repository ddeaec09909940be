/* Sentences from control's thread, which the collector's thread takes. */
#include "collectors/linux/live.h"

#include <stdarg.h>
#include <stdio.h>

bool live_say(struct live *l, const char *format, ...)
{
    const unsigned to_say = atomic_load_explicit(&l->to_say, memory_order_relaxed);
    if (to_say - atomic_load_explicit(&l->said, memory_order_acquire) == LIVE_SAYINGS)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(l->sayings[to_say % LIVE_SAYINGS], NOTICE_BYTES, format, args);
    va_end(args);
    atomic_store_explicit(&l->to_say, to_say + 1, memory_order_release);
    return true;
}
