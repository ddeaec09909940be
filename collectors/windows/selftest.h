/* `tracetop selftest` on Windows, beside the way that every live command takes: ETW's own answers.
 *
 *   selftest.c          the table of probes; baseline of the machine, rights
 *   selftest_trial.c    a session of a probe: each call of the API with its result and duration
 *   selftest_matrix.c   ways of enabling × classes, each with a stimulus; rundown
 *   selftest_clock.c    time stamps, order, latency and loss, by events of our own provider
 *   selftest_cassette.c sessions recorded verbatim, for the tests
 */
#ifndef COLLECTORS_WINDOWS_SELFTEST_H
#define COLLECTORS_WINDOWS_SELFTEST_H

#include "collectors/windows/etw_api.h"

#include "src/collect/selftest.h"
#include "src/event/event.h"
#include "src/os/os.h"

enum { TRIAL_RECORD = 65536 };

/* Who takes everything as it comes, before the self-test looks at it. Reader's thread, but
 * `called`: any. Times of calls are those of os_now(). */
struct trial_tap {
    void *to;
    void (*opened)(void *to, const EVENT_TRACE_LOGFILEW *log, bool is_kernel);
    void (*called)(void *to, const char *call, const char *about, int64_t began, ULONG result);
    void (*event)(void *to, const EVENT_RECORD *r);
    void (*buffer)(void *to, const EVENT_TRACE_LOGFILEW *log);
};

/* One session and its reader. On the heap: where ProcessTrace does not return, it stays. */
struct etw_trial {
    const struct check_taker *taker;
    const char *probe;
    char about[64]; /* of which part of the probe; begins the subjects of its calls */
    void (*take)(void *to, const struct event *e, const EVENT_RECORD *r); /* reader's thread */
    void *to;
    const struct trial_tap *tap; /* NULL: nobody */
    bool is_kernel;

    WCHAR name[64];
    GUID guid;
    TRACEHANDLE handle, trace;
    int slot; /* of owned.h; -1: not started */
    struct os_thread *thread;
    struct etw_properties last; /* as of trial_stop() */
    _Atomic ULONG result;       /* of ProcessTrace */
    _Alignas(8) uint8_t record[TRIAL_RECORD];
};

struct trial_request {
    bool is_kernel;
    uint32_t flags;        /* EnableFlags at StartTrace */
    uint32_t buffer_kb;    /* 0: 64 */
    uint32_t most_buffers; /* 0: 64 and four for each processor */
    const struct trial_tap *tap; /* or NULL; must stay until the trial is freed */
};

/* Starts and reads. NULL where a call failed; it was reported. */
struct etw_trial *trial_start(const struct selftest_probe *p, const struct check_taker *t,
                              const struct trial_request *w, const char *about,
                              void (*take)(void *, const struct event *, const EVENT_RECORD *),
                              void *to);

/* Flushes, stops, waits until everything is delivered, and reports losses as figures of `last`.
 * False where the reader did not end; then nothing it writes may be freed. */
bool trial_stop(struct etw_trial *t);
void trial_free(struct etw_trial *t); /* after trial_stop() has returned true; NULL is fine */

ULONG trial_flush(struct etw_trial *t, bool is_reported);

/* Reports a call: its result and, from os_now() before it, how long it took. */
void trial_called(const struct etw_trial *t, const char *call, int64_t began, ULONG result);

int64_t trial_ticks(void); /* of the performance counter, which the sessions use */
int64_t trial_microseconds(int64_t ticks);

/* Makes the events of these classes carry stacks. Needs the privilege to profile for some. */
void trial_enable_stacks(const struct etw_trial *t, uint32_t classes);

/* The provider of the self-test: its events, in a session, are numbered. False where a call failed;
 * it was reported. */
bool trial_provider_enable(struct etw_trial *t, struct etw_enable_parameters *parameters,
                           REGHANDLE *handle);
bool trial_provider_write(REGHANDLE handle, uint64_t number, size_t bytes);

void selftest_matrix(const struct selftest_probe *p, const struct check_taker *t);
void selftest_rundown(const struct selftest_probe *p, const struct check_taker *t);
void selftest_clock(const struct selftest_probe *p, const struct check_taker *t);
void selftest_cassette(const struct selftest_probe *p, const struct check_taker *t);
void selftest_load(const struct selftest_probe *p, const struct check_taker *t);

extern const struct selftest_probe selftest_probes[];

#endif
