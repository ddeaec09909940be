/* ETW sessions of our own: started, asked, changed, and stopped on every way out.
 *
 * A session outlives its process. Ours carry in their GUID whose they are (process id, when it
 * began, what the session is for), so that a later start recognizes one whose owner is gone
 * and takes it away. What was started stands in one table; it is stopped by its owner, by
 * atexit, by the console's end, by a crash, whoever comes first.
 *
 * Threads: one session's functions belong to one thread at a time; the table is anybody's. */
#ifndef COLLECTORS_WINDOWS_ETW_SESSION_H
#define COLLECTORS_WINDOWS_ETW_SESSION_H

#include "collectors/windows/etw_api.h"

#include "src/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum session_role { ROLE_KERNEL, ROLE_EVENTS, ROLE_RUNDOWN, SESSION_ROLES };

/* What kept a session from being started: the status to end with follows from it. */
enum session_trouble { TROUBLE_NONE, TROUBLE_RIGHTS, TROUBLE_LIMIT, TROUBLE_OTHER };

struct session_request {
    enum session_role role;
    const char *prefix; /* of the name; NULL: "tracetop" */
    uint32_t flags;     /* ROLE_KERNEL: EnableFlags to begin with */
    uint32_t buffer_kb, least_buffers, most_buffers;
    bool stops_existing; /* a session of this name that is not ours is stopped; never the kernel's
                          * one session before Windows 8, which is anybody's */
};

struct etw_session {
    TRACEHANDLE handle;
    GUID guid;
    WCHAR name[ETW_NAME_UNITS];
    enum session_role role;
    bool is_shared_logger; /* the one kernel session before Windows 8 */
    int slot;              /* in the table; -1: not running */
    uint32_t flags;        /* ROLE_KERNEL: EnableFlags that it has; kept by whoever sets them */
};

/* Starts it. False with a sentence, and in *trouble why. */
bool session_start_etw(struct etw_session *s, const struct session_request *w,
                       enum session_trouble *trouble, struct err *err);

/* Stops it, if it still runs and nobody else has stopped it; any number of times. */
void session_stop_etw(struct etw_session *s);

/* Marks it as stopped by somebody else. */
void session_gone_etw(struct etw_session *s);

/* Room for both names, and nothing else: what every call of ETW about a session begins with. */
void session_properties_begin(struct etw_properties *p);

/* ControlTrace with the codes that need nothing else. Windows error. */
ULONG session_query_etw(const WCHAR *name, struct etw_properties *out);
ULONG session_flush_etw(const struct etw_session *s);

/* More buffers than it has, while it runs. Windows may set the kernel's group mask anew by it: its
 * classes are to be applied again. Windows error. */
ULONG session_grow_etw(const struct etw_session *s, uint32_t most_buffers);

/* The kernel's EnableFlags, where the better call does not do. Windows error. */
ULONG session_flags_etw(const struct etw_session *s, uint32_t flags);

/* ---- those of others ------------------------------------------------------------------- */

struct session_list {
    struct etw_properties *all;
    unsigned count;
};

/* Those that we may see. False with a sentence. session_list_free() in either case. */
bool session_list_read(struct session_list *l, struct err *err);
void session_list_free(struct session_list *l);

/* Does it take one of the ETW_KERNEL_SESSIONS places? Windows' own two have theirs. */
bool session_is_private_kernel(const struct etw_properties *p);

/* Is it a tracetop's, whose, and is that process gone? */
bool session_is_tracetop(const struct etw_properties *p, uint32_t *pid, bool *is_gone);

/* Stops what tracetops that are gone have left behind. How many there were. */
unsigned session_reclaim(void);

/* Stops a session by its name, whoever has started it. Windows error. */
ULONG session_stop_named(const WCHAR *name);

/* Likewise; *last is what ETW says of it at its end. */
ULONG session_end_etw(const WCHAR *name, struct etw_properties *last);

/* SystemTraceControlGuid, of the "NT Kernel Logger". */
extern const GUID session_kernel_logger;

/* Are its events the kernel's? */
bool session_is_of_kernel(const struct etw_properties *p);

/* ---- words ------------------------------------------------------------------------------- */

/* An error of the API as people should read it, into `out`. Returns it. */
const char *etw_reason(ULONG error, char *out, size_t room);

/* UTF-16 to UTF-8, cut; returns `out`. And back: false when it does not fit or is no UTF-8. */
const char *utf8_of(const WCHAR *wide, char *out, size_t room);
bool utf16_of(const char *text, WCHAR *out, size_t units);

#endif
