/* A model that watches a collector's records, for tests that make them: what it has learned,
 * in plain values. */
#ifndef TESTS_WATCHER_H
#define TESTS_WATCHER_H

#include "src/event/event.h"

#include <stdbool.h>
#include <stdint.h>

struct watcher;

/* Its one source is a Linux machine whose clock counts ns since 1970. */
struct watcher *watcher_new(void);
void watcher_free(struct watcher *w);
void watcher_take(struct watcher *w, const struct record_head *head);
void watcher_take_event(struct watcher *w, const struct event *e);

struct watched_process {
    uint32_t number, pid, parent, session, threads, execs;
    bool has_session, has_started, has_ended;
    int64_t start_ns, end_ns;
    int32_t exit; /* of one that has ended */
    const char *name, *command, *user, *account; /* or NULL; good until the next record */
};

/* The process that a pid means now, or the one with this number; all zeros when there is none. */
struct watched_process watched_process(const struct watcher *w, uint32_t pid);
/* The life that began then, for pids that come back. */
struct watched_process watched_born(const struct watcher *w, uint32_t pid, int64_t from,
                                    int64_t to);
struct watched_process watched_number(const struct watcher *w, uint32_t number);

/* Whether the thread with this id has ended, and its process's number. */
bool watched_thread_ended(const struct watcher *w, uint32_t tid, uint32_t *process);

/* The thread's own name; "" = none. Good until the next record. */
const char *watched_thread_name(const struct watcher *w, uint32_t tid);

/* The name of the file at an address of the process; "" = none. */
const char *watched_module(const struct watcher *w, uint32_t pid, uint64_t address, int64_t time);

/* Records taken of a hook; of an event of our own by its name. */
unsigned watched_hooks(const struct watcher *w, uint16_t hook);
unsigned watched_own(const struct watcher *w, const char *name);

#endif
