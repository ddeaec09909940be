/* The stand-in for ETW: a library with the API's names that keeps sessions, limits, states and
 * error codes as they are documented, and lets the synthetic machine or real traces be what
 * the sessions record. Records lie in a session's buffers as they would on disk; whoever calls
 * ProcessTrace turns them into EVENT_RECORDs, as Windows does.
 *
 *   unkind.c    what Windows does and a kind stand-in would not: a table of switches
 *   play.c      the test's settings (TRACETOP_TEST_ETW_PLAY), calls that are made to fail
 *   report.c    what is left at the end (TRACETOP_TEST_ETW_REPORT)
 *   table.c     the sessions of the machine, seen by every process of a test
 *   others.c    the sessions that others have
 *   session.c   StartTraceW, ControlTraceW, QueryAllTracesW
 *   want.c      which kernel events flags, group masks and system keywords ask for
 *   inform.c    TraceSetInformation, TraceQueryInformation
 *   provider.c  EnableTraceEx2, EnumerateTraceGuidsEx, and writing events
 *   machine.c   the thread that makes all events
 *   buffers.c   from records to full buffers, and what is lost on the way
 *   consume.c   OpenTraceW, ProcessTrace, CloseTrace
 *   deliver.c   from records to EVENT_RECORDs
 *   burst.c     events that are ready beforehand, for measuring their consumer
 *   cassette.c  events that a session somewhere else was given
 *   tdh.c       the few schemas that the machine knows
 *   console.c   what happens to the program's console
 *
 * Locks: `running` (the machine) before `state` (sessions and all else). */
#ifndef TESTS_ETW_FAKE_H
#define TESTS_ETW_FAKE_H

#define _WMI_SOURCE_
#define _EVNT_SOURCE_
#include "collectors/windows/etw_api.h"

#include "src/event/event.h"

#include "tests/cassette/deliver.h"
#include "tests/etw/unkind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions, under names of their own: exports.def gives them the API's. */
#define FAKE_DECLARE(type, name, parameters) type WINAPI fake_##name parameters;
ETW_FUNCTIONS(FAKE_DECLARE)
#undef FAKE_DECLARE

enum {
    FAKE_SESSIONS = 64, /* EtwMaxLoggers' default */
    FAKE_SYSTEM_SESSIONS = 8,
    FAKE_PRIVATE_SESSIONS = 6, /* with the switch six-slots */
    FAKE_NAME = 256,           /* UTF-16 units of a session's name that are kept */
    FAKE_PROVIDERS = 64,       /* that one session enables */
    FAKE_PROVIDER_SESSIONS = 8,
    FAKE_CPUS = 64,
    FAKE_PIDS = 8, /* of a filter: MAX_EVENT_FILTER_PID_COUNT */
    FAKE_IDS = 64,
    FAKE_HOOKS = 0x2000, /* no group is above 0x1f */
};

#define FAKE_BOOT 132223104000000000LL /* FILETIME: 2020 began */

/* ---- what the test wants (play.c) ------------------------------------------------------- */

enum fake_rights { RIGHTS_ADMINISTRATOR, RIGHTS_PERFORMANCE, RIGHTS_USER };

struct fake_play {
    uint64_t seed, rate, events; /* of the synthetic machine; rate 0 = its natural one */
    unsigned cpus, hostile, lose;
    unsigned counters; /* 1: the processors have some */
    unsigned same;     /* 1: somebody has a session of our name */
    bool is_empty;     /* machine=no: nothing happens */
    const char *files[16];
    size_t file_count;
    const char *cassette;       /* NULL: none is played */
    unsigned speed;             /* of the files; 1 = as they were recorded */
    int64_t begin;              /* ms from the first session to the files' first event */
    unsigned disorder;          /* of 1000 events, how many come after their successor */
    unsigned cut, lie;          /* one in so many payloads is cut short, or holds nonsense */
    unsigned lost_buffers;      /* one in so many full buffers is lost */
    int64_t jump_at, jump;      /* ms: at this time the clock jumps by so much */
    int64_t stop_at;            /* ms: somebody stops … */
    WCHAR stop_name[FAKE_NAME]; /* … this session; empty: all */
    int64_t break_at;           /* ms: ProcessTrace returns … */
    ULONG break_code;           /* … this */
    enum fake_rights rights;
    unsigned sessions, system_sessions; /* that others have already */
    unsigned reserved;                  /* 1: Windows' two own kernel sessions run */
    unsigned build;                     /* of Windows; 0 = as this machine says */
    WCHAR held[FAKE_NAME];              /* a real-time kernel session that somebody else has */
    WCHAR filed[FAKE_NAME];             /* a session of somebody else that only writes a file */
    int64_t slow;                       /* ms that ProcessTrace takes after STOP (stop-is-slow) */
    uint64_t flood;                     /* events a second of the stand-in's own provider */
    unsigned prints;                    /* what drivers print, each beat */
    uint64_t burst;                     /* so many events … */
    int64_t burst_every; /* … every so many ms, ready beforehand; 0 = without a pause */
    int64_t console_at;  /* ms: the console's handlers are called … */
    DWORD console_event; /* … with this: 0 Ctrl-C, 1 Ctrl-Break, 2 closed, 5 logoff, 6 shutdown */
    int64_t die_at;      /* ms: the process ends at once, as when it is killed */
    int64_t records_at;  /* ms: the console's input gets records of every kind */
};

extern struct fake_play play;

void play_read(void);

/* The process is another one's watchdog: it plays nothing and reports nothing. */
bool play_is_watchdog(void);

/* Counts the call and says whether it is to fail: the code, or 0. `part` distinguishes calls of the
 * same function ("QUERY" of ControlTraceW), or is NULL. */
ULONG play_call(const char *name, const char *part);

/* So many ms have passed since the first session was started. */
int64_t play_time(void);
void play_begin(void);

/* ---- the sessions of the machine (table.c) ----------------------------------------------- */

enum row_state { ROW_FREE, ROW_RUNS, ROW_STOPPED /* by another process; its owner cleans up */ };

/* What every process can see of a session. Lives in a file where the test names one
 * (TRACETOP_TEST_ETW_STORE): sessions outlive the process that started them. */
struct fake_row {
    uint32_t state; /* enum row_state */
    uint32_t owner; /* process; 0 = nobody that is alive */
    uint32_t mode, flags;
    GUID guid;
    EVENT_TRACE_PROPERTIES p; /* as it was started and updated */
    WCHAR name[FAKE_NAME], file[FAKE_NAME];
};

/* How the machine is sampled: intervals of the timer and of counters, 0 = as it was; the source
 * that samples are taken by, 0 = the timer. */
struct sampled {
    ULONG intervals[4], by;
};

struct sampled *table_sampled(void);
struct fake_row *table_open(void); /* FAKE_SESSIONS of them; made by the first call */
void table_lock(void);        /* against other processes; inside `state` */
void table_unlock(void);

/* ---- sessions ------------------------------------------------------------------------------ */

struct enabled {
    GUID provider;
    UCHAR level;
    ULONGLONG any, all;
    ULONG property;
    ULONG pids[FAKE_PIDS], pid_count;
    USHORT ids[FAKE_IDS], id_count;
    bool ids_are_wanted; /* else they are the ones that are not */
    bool has_ids;
};

/* A buffer: records one after the other, each a struct record_head and the on-disk record,
 * padded to 8. */
struct buffer {
    struct buffer *next;
    unsigned cpu;
    uint32_t used, size;
    int64_t due; /* play_time() before which it is not delivered */
    _Alignas(8) uint8_t bytes[];
};

struct fake_session {
    bool is_used, is_stopped, is_stopping, has_consumer;
    bool is_foreign; /* somebody else's, by the test's request */
    unsigned index;  /* in the table and among the sessions */
    EVENT_TRACE_PROPERTIES p;
    WCHAR name[FAKE_NAME], file[FAKE_NAME];
    uint32_t masks[ETW_GROUP_MASKS];        /* by flags and TraceSystemTraceEnableFlagsInfo */
    uint32_t system_masks[ETW_GROUP_MASKS]; /* by system providers */
    uint8_t wants[FAKE_HOOKS / 8], stacks[FAKE_HOOKS / 8]; /* a bit per hook */
    struct enabled providers[FAKE_PROVIDERS];
    unsigned provider_count;
    struct buffer *filling[FAKE_CPUS];
    struct buffer *full, **full_end, *free;
    unsigned buffers, buffers_most;
    int64_t stopped_at; /* play_time() */
    int64_t flushed; /* QueryPerformanceCounter of the last flush */
    bool lost_since; /* events were lost since the last buffer: the next one says so */
    uint64_t full_count;
    CONDITION_VARIABLE changed;
};

/* `state` must be held for all of these. */
struct fake_session *session_of_handle(TRACEHANDLE handle);
struct fake_session *session_of_name(const WCHAR *name);
TRACEHANDLE session_handle(const struct fake_session *s);
struct fake_session *session_at(unsigned index);
unsigned sessions_top(void);          /* sessions from here on were never used */
void sessions_make_others(void);      /* those that the test wants others to have; once */
/* Windows' own two kernel sessions. */
extern const WCHAR kernel_logger[];
extern const GUID kernel_guid, context_guid;
/* One of somebody else; NULL where there is no place. The table is locked. */
struct fake_session *session_make_foreign(const GUID *guid, const WCHAR *name, ULONG mode, ULONG flags);
void session_want(struct fake_session *s); /* after a change of its masks */
void session_end(struct fake_session *s);  /* stopped by us or somebody; `running` is held, too */
bool session_is_kernel(const struct fake_session *s);
unsigned sessions_of_others(void); /* that run */
unsigned sessions_left(WCHAR *names, size_t units);

/* ---- what is asked for (want.c) -------------------------------------------------------------- */

/* Sets the hook bits of group masks. */
void want_hooks(const uint32_t *masks, uint8_t *hooks);

/* Adds what a keyword of a system provider asks for; false when it is none. */
bool want_system(const GUID *provider, ULONGLONG keywords, uint32_t *masks);

static inline bool hook_is_set(const uint8_t *hooks, unsigned hook)
{
    return hook < FAKE_HOOKS && hooks[hook / 8] >> (hook % 8) & 1;
}

/* The hook of a class and type as consumers see them; FAKE_HOOKS = unknown. */
unsigned want_hook_of(const GUID *class, unsigned type);

/* ---- sampling (inform.c) ------------------------------------------------------------------ */

ULONG inform_counter(void);     /* that samples are taken by; 0: none */
bool inform_is_as_before(void); /* intervals are what they were */
unsigned inform_changes(void);  /* of intervals */

/* ---- the machine ----------------------------------------------------------------------------- */

extern CRITICAL_SECTION running, state;

void machine_begin(void); /* its thread, once */
unsigned machine_cpus(void);
int64_t machine_now(void); /* QueryPerformanceCounter and what the clock jumped */
int64_t machine_frequency(void);

/* Tells one session what exists; both locks are held. When it is enabled, when its group mask is
 * cleared, when it stops, and when the provider of the rundown is enabled in it (files only). */
enum listing { LISTING_START, LISTING_CLEAR, LISTING_STOP, LISTING_FILES };
void machine_list(struct fake_session *s, enum listing why);

/* ---- buffers --------------------------------------------------------------------------------- */

/* Puts a record into every session that wants it, or into `only` if it does; `state` is held. */
void buffers_put(const struct record_head *head, const void *record, struct fake_session *only);
/* Counts events as lost in the sessions of the kernel. */
void buffers_lose(uint64_t events);
void buffers_flush(struct fake_session *s);
void buffers_free(struct fake_session *s);
/* All full buffers, the consumer's now; it gives them back. */
struct buffer *buffers_take(struct fake_session *s);
void buffers_return(struct fake_session *s, struct buffer *list);

/* Does what the test requests of the console, when it is due; machine's thread. */
void console_look(void);

/* Does the session want this event of a provider? */
bool provider_wants(const struct fake_session *s, const struct event *e);
const struct enabled *provider_enabled(const struct fake_session *s, const void *guid);

/* ---- delivery -------------------------------------------------------------------------------- */

/* False when the record is none that a consumer sees. The record's bytes must stay. */
bool deliver_make(struct delivery *d, const struct record_head *head, const uint8_t *record,
                  const struct fake_session *s);

/* Instead of a session's own events, those that the test wants in bursts. Returns when the
 * consumer is closed or the session has ended. No lock is held. */
void burst_run(struct fake_session *s, PEVENT_RECORD_CALLBACK callback, void *context,
               const volatile bool *is_closing);

/* The same with what a cassette holds for a session of this kind. */
void cassette_run(struct fake_session *s, EVENT_TRACE_LOGFILEW *file,
                  const volatile bool *is_closing);

/* Writes so many events of the stand-in's own provider; `state` is held. */
uint64_t provider_flood(uint64_t count);

/* ---- the report ------------------------------------------------------------------------------ */

enum figure {
    FIGURE_DELIVERED,
    FIGURE_LOST,
    FIGURE_BUFFERS_LOST,
    FIGURE_LOST_EVENTS_SHOWN,
    FIGURE_BURST_EVENTS,
    FIGURE_BURST_NS,
    FIGURE_REGISTRATIONS,
    FIGURE_HANDLES,
    FIGURE_RUNNING,
    FIGURE_DEAF, /* our kernel sessions that ended with an empty group mask */
    FIGURE_STOPS_ALONE,
    FIGURES,
};
/* An event of the kernel was delivered. */
void report_hook(unsigned hook, int64_t ts);
void report_add(enum figure figure, int64_t count); /* any thread */
void report_write(void);
/* Appends "name calls failed" lines of all functions. */
size_t play_report(char *to, size_t room);

/* The stand-in's own provider, whose schema tdh.c knows: FAKE_EVENT is its event. */
enum { FAKE_EVENT = 1 };
extern const GUID fake_provider;

#endif
