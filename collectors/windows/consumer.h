/* Reads one real-time session: ProcessTrace on a thread of its own, whose callback copies every
 * event into an intake and does nothing else. */
#ifndef COLLECTORS_WINDOWS_CONSUMER_H
#define COLLECTORS_WINDOWS_CONSUMER_H

#include "collectors/intake.h"
#include "collectors/windows/etw_api.h"

#include "src/base/err.h"
#include "src/os/os.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What Windows lists by name. */
enum name_kind { NAMES_FILES, NAMES_KEYS, NAME_KINDS };

struct consumer {
    struct intake *intake; /* of whoever starts it */
    struct os_wakeup *wakeup; /* rung after each buffer, and at the end */
    uint8_t source;
    bool only_names; /* of files and registry keys: a short session is not to log besides */

    TRACEHANDLE trace;
    struct os_thread *thread;    /* NULL: does not run */
    TRACE_LOGFILE_HEADER header; /* what OpenTrace says of the session */
    _Atomic bool is_stopping, has_ended;
    _Atomic ULONG result; /* of ProcessTrace, once it has ended */
    _Atomic uint64_t events, cut, notes_of_loss, buffers;
    _Atomic uint64_t names[NAME_KINDS]; /* that were listed; not those of what was opened since */
    _Atomic bool has_images; /* the kernel's own list of what runs has come */
};

/* False with a sentence; *error is the system's. */
bool consumer_start(struct consumer *c, WCHAR *session, ULONG *error, struct err *err);

/* Ends the reading, whatever the session does, and waits for the thread. What was delivered
 * until then is in the intake. NULL thread is fine. */
void consumer_stop(struct consumer *c);

#endif
