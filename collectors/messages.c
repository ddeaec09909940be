#include "collectors/messages.h"

#include "src/os/os.h"

#include <stdarg.h>
#include <stdio.h>

enum { WAIT_NS = 1000000 };

bool message_write(struct messages *m, const char *format, ...)
{
    while (atomic_exchange_explicit(&m->is_writing, true, memory_order_acquire))
        os_sleep(WAIT_NS);
    const unsigned written = atomic_load_explicit(&m->written, memory_order_relaxed);
    const unsigned passed = atomic_load_explicit(&m->passed, memory_order_acquire);
    const bool has_room = written - passed < MESSAGES;
    if (has_room) {
        va_list args;
        va_start(args, format);
        vsnprintf(m->text[written % MESSAGES], NOTICE_BYTES, format, args);
        va_end(args);
        atomic_store_explicit(&m->written, written + 1, memory_order_release);
    }
    atomic_store_explicit(&m->is_writing, false, memory_order_release);
    return has_room;
}

void messages_pass_on(struct messages *m, struct feed *f)
{
    unsigned passed = atomic_load_explicit(&m->passed, memory_order_relaxed);
    const unsigned written = atomic_load_explicit(&m->written, memory_order_acquire);
    for (; passed != written; passed++)
        feed_notice(f, "%s", m->text[passed % MESSAGES]);
    atomic_store_explicit(&m->passed, passed, memory_order_release);
}
