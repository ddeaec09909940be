/* What the program needs of the operating system: one file per platform
 * (os_linux.c, os_windows.c), no conditions anywhere else. Names and paths are
 * UTF-8. Every function may be called from any thread unless it says otherwise. */
#ifndef SRC_OS_OS_H
#define SRC_OS_OS_H

#include "src/base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- starting ------------------------------------------------------------------ */

/* First of all in main(): the words of the command line become UTF-8, and what is printed
 * arrives as it is written, as UTF-8 where it is a console. The words stay to the end. */
void os_start(int *argc, char ***argv);

/* ---- files ------------------------------------------------------------------ */

/* Standard output for what is printed; one thread at a time. */
FILE *os_output(void);

/* Flushes it; why the first write that failed did (errno), 0 when all have succeeded. */
int os_output_error(FILE *output);

struct os_file; /* an open file; owned by whoever opened it */

/* OS_CLOSED: no right to see it; opening it gives the reason. */
enum os_kind { OS_NOTHING, OS_REGULAR, OS_DIRECTORY, OS_OTHER, OS_CLOSED };

enum os_kind os_path_kind(const char *path);

/* Is it the null device ("/dev/null", or "NUL" on Windows)? As a file of settings it is an empty
 * one; nothing is opened. */
bool os_path_is_null(const char *path);

/* Opens for reading. The sentence names the path and the system's reason. */
struct os_file *os_open(const char *path, struct err *err);

/* A fresh file without a name, removed when closed, readable and writable; for
 * data that must not stay (decompressed traces). Lives where TMPDIR says. */
struct os_file *os_open_unnamed(struct err *err);

/* Creates a file that did not exist (mode 0600); false in *err when it does. */
struct os_file *os_create(const char *path, struct err *err);

/* A stream of its own onto an open file, for reading and writing from the beginning; it is closed
 * apart. NULL with a sentence. */
FILE *os_stream(struct os_file *f, struct err *err);

/* Opens a log to write behind what it holds, or creates it (mode 0600). A regular file alone, and
 * not through a link: what is written holds names out of traces. NULL with a sentence. */
FILE *os_log(const char *path, struct err *err);

/* Cuts a file that is longer. */
void os_truncate(struct os_file *f, uint64_t bytes);
/* Makes a file longer that is shorter; what is new reads as zeros. */
bool os_lengthen(struct os_file *f, uint64_t bytes, struct err *err);

/* Waits until everything written is on its medium. */
bool os_sync(struct os_file *f, struct err *err);

/* For long streams that nobody here reads again. Begins to bring what was written there to its
 * medium; does not wait for that, but perhaps for a place in the medium's queue. */
void os_write_out(struct os_file *f, uint64_t offset, uint64_t bytes);
/* The system may let go of what it keeps in memory of that part and has on the medium. */
void os_let_go(struct os_file *f, uint64_t offset, uint64_t bytes);

/* Is this the open file, and not another that took its name? */
bool os_has_name(struct os_file *f, const char *path);

/* Gives a file another name in its folder. What has that name goes with `replace`, else
 * the file stays as it is and the sentence says so. */
bool os_move(const char *from, const char *to, bool replace, struct err *err);

/* Removes a file; that it is gone already is as good. Safe while it is open. */
void os_remove(const char *path);

/* The path of an open file by now, also after its folder was moved; the path it was opened by where
 * the system does not know. free() it. */
char *os_place(struct os_file *f);

/* The folder of this program's configuration; "" where the system names none. It need not exist. */
void os_config_folder(char *out, size_t room);

/* Likewise for what it can fetch again. */
void os_cache_folder(char *out, size_t room);

/* Names in a folder that end like this, in order, up to so many; 0 where there is no such folder.
 * Longer names are left out. */
enum { OS_NAME_ROOM = 128 };
size_t os_folder_names(const char *folder, const char *ending, char (*out)[OS_NAME_ROOM],
                       size_t room);

/* Makes a folder with those it is in; that it is there already is as good. */
bool os_make_folders(const char *path, struct err *err);

/* Where files go that the program names itself and nobody chose a folder for: ".", or the user's
 * documents where the current folder is one of the system's. */
void os_default_folder(char *out, size_t room);

/* The same path from the root on, whether there is something or not. free() it. */
char *os_full_path(const char *path);

/* The same file once more, whatever is under its name by now; closed apart. NULL with a sentence.
 */
struct os_file *os_open_again(const struct os_file *f, struct err *err);

void os_close(struct os_file *f); /* NULL is fine */

/* Size now (files grow and shrink while they are read); -1 when unknown. */
int64_t os_size(struct os_file *f);

/* Reads up to `bytes` at `offset`, retrying short reads; the count read (short
 * only at the end of the file), or -1 with a sentence. */
int64_t os_read_at(struct os_file *f, void *to, size_t bytes, uint64_t offset, struct err *err);

bool os_write_at(struct os_file *f, const void *from, size_t bytes, uint64_t offset,
                 struct err *err);

/* What has come on standard input, past stdio: the count, 0 at its end, -1 where nothing came
 * within `timeout_ns`. Windows waits until something comes. */
int64_t os_input_read(void *to, size_t room, int64_t timeout_ns);

/* ---- time and machine ------------------------------------------------------- */

int64_t os_now(void);          /* monotonic, ns, not related to any wall clock */
int64_t os_wall_now(void);     /* ns since 1970 UTC */
int os_zone_bias(void);        /* minutes: UTC = local time now + this */
void os_sleep(int64_t ns);
uint32_t os_process_id(void);  /* of this process */
int64_t os_cpu_time(void);     /* ns of processor time this process has used */
uint64_t os_memory(void); /* bytes that this process may use: a control group's limit counts */
uint64_t os_memory_installed(void); /* bytes of RAM in this machine */
uint64_t os_memory_resident(void);  /* bytes of RAM that this process has now; 0: not known */
unsigned os_processors(void);
void os_machine_name(char *out, size_t room); /* "machine" where it has none */

/* Zeroed memory of its own, a multiple of OS_LARGE_PAGE; in large pages where the system has
 * them, which costs one fault instead of hundreds. NULL when there is none. */
enum { OS_LARGE_PAGE = 2 << 20 };
void *os_pages(size_t bytes);

/* The least such multiple with room for so many bytes. */
static inline size_t os_page_bytes(size_t bytes)
{
    return (bytes + OS_LARGE_PAGE - 1) / OS_LARGE_PAGE * OS_LARGE_PAGE;
}

/* From now on large blocks of the heap go back to the system when they are freed, instead of
 * leaving holes that the next ones, twice as large, do not fit in. */
void os_heap_tidy(void);
/* Gives free pages of the heap back; takes some milliseconds for 100 MB. */
void os_heap_trim(void);
void os_pages_free(void *pages, size_t bytes); /* NULL is fine */

/* ---- threads ---------------------------------------------------------------- */

struct os_thread;

/* Starts a named thread (15 characters show). Never returns NULL: ends the
 * program with a sentence when the system has no threads left. */
struct os_thread *os_thread_start(const char *name, void (*run)(void *), void *arg);
void os_thread_join(struct os_thread *t); /* waits, then frees */
/* Waits no longer than that; false: it goes on, and what it uses must stay. */
bool os_thread_join_within(struct os_thread *t, int64_t ns);

/* This thread's work can wait: what is usual goes before it, whatever its starter was given. */
void os_thread_give_way(void);

/* This thread goes before all ordinary ones from here on, or is one of them again. It must not
 * do so for long: see src/os/priority_boost.h, which keeps to a budget. Threads and programs that
 * it starts do not inherit it. False where the system does not permit it. */
bool os_thread_boost(bool is_boosted);
bool os_thread_boost_other(struct os_thread *t); /* another thread goes ahead: it is waited for */
bool os_may_boost(void);
int64_t os_thread_cpu_time(void); /* ns, of the calling thread */

/* Sets the limits so that threads may go ahead after rights were given up, too; programs that are
 * started get those of before. */
void os_permit_boost(void);

/* A wake-up call between threads: signals are remembered, one wait takes all. */
struct os_wakeup;
struct os_wakeup *os_wakeup_new(void);
void os_wakeup_free(struct os_wakeup *b);
void os_wakeup_signal(struct os_wakeup *b);
bool os_wakeup_wait(struct os_wakeup *b,
                    int64_t timeout_ns); /* true if signaled; <0 = no timeout */

/* The wakeup as something poll() can wait for beside standard input; -1 where the
 * platform has no such thing. */
int os_wakeup_descriptor(struct os_wakeup *b);

/* ---- programs ------------------------------------------------------------------ */

struct os_child;

/* Starts a program (found like a shell does; on Windows never in the current folder) with our
 * terminal and environment. */
struct os_child *os_spawn(const char *const *argv, struct err *err);

/* Starts a line of commands in the system's shell, without any terminal. */
struct os_child *os_spawn_quietly(const char *commands, struct err *err);

/* Starts this program anew, with the same arguments and all rights there are, where the system
 * can be asked for them; it asks the user. False with a sentence that says what to do. */
bool os_elevate(struct err *err);

/* True when it has ended: its exit status, or 128 + the signal that ended it. Main thread. */
bool os_child_ended(struct os_child *c, int *status);

void os_child_end(struct os_child *c);  /* asks it to end (SIGTERM) */
void os_child_free(struct os_child *c); /* lets it go on, if it still runs; NULL is fine */
uint32_t os_child_pid(const struct os_child *c);

/* Asks the process of that id to end (Windows: ends it) if it is the one that was alive at
 * `alive_ns` (since 1970), not one that got its id since. Never the system's own, nor this one.
 * False with a sentence. */
bool os_terminate(uint32_t pid, int64_t alive_ns, struct err *err);

/* Shows the folder that a path of this machine lies in by the desktop's own means; what lies in
 * it is never run, and no server is asked. False with a sentence. */
bool os_show_folder(const char *path, struct err *err);

/* ---- terminal and signals ---------------------------------------------------- */

bool os_is_terminal(int descriptor);

/* Columns and rows of the terminal on `descriptor`; false when it is none. */
bool os_terminal_size(int descriptor, int *columns, int *rows);

/* Requests seen since the last call; cleared by reading. Installed once, from the
 * main thread; the wakeup is signaled whenever one arrives. */
enum { OS_INTERRUPTED = 1, OS_RESIZED = 2, OS_RESUMED = 4, OS_TERMINATED = 8 };
void os_signals_install(struct os_wakeup *b);
unsigned os_signals_take(void);

/* For commands that print: writing into a pipe whose reader has gone ends the program
 * at once, quietly, with status 0. */
void os_signals_quiet_pipe(void);

#endif
