/* A real pseudo-terminal with a program in it: what it writes goes through libvterm,
 * so that tests see the screen a person would see, and is kept, so that they also see
 * every byte. For screen tests and for the benchmark of keys. */
#ifndef TESTS_TERMINAL_H
#define TESTS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct terminal;

/* Starts argv[0] in a fresh terminal. `env` holds "NAME=value" beside a small fixed
 * environment (TERM=xterm-256color, LANG=C.UTF-8, TZ=UTC); "NAME" alone removes one.
 * Both lists end with NULL. Ends the test program when the system refuses. */
struct terminal *terminal_start(const char *const *argv, const char *const *env, int columns,
                                int rows);

/* Ends what still runs and frees everything. */
void terminal_free(struct terminal *t);

/* Takes what the program wrote; waits at most so long for the first byte of it. True
 * when something came. */
bool terminal_pump(struct terminal *t, int timeout_ms);

/* The same, but takes only some of it: who looks at the screen after each call misses nothing
 * that stands there for a moment, however late it looks. */
bool terminal_pump_some(struct terminal *t, int timeout_ms);

/* Waits, at most so long, until the program has answered all that it was sent: nothing more
 * comes, and its threads sleep whenever one looks. What it does by the clock goes on. */
void terminal_rest(struct terminal *t, int patience_ms);

void terminal_send(struct terminal *t, const void *bytes, size_t count);

/* One key by name: "Enter", "Esc", "Down", "PgUp", "F1", "C-c", or the character
 * itself. False when there is no such name. */
bool terminal_press(struct terminal *t, const char *key);

/* The size changes, as by dragging a window's corner. */
void terminal_resize(struct terminal *t, int columns, int rows);

void terminal_signal(struct terminal *t, int signal);

/* The program's process id, for /proc. */
pid_t terminal_pid(const struct terminal *t);

/* Has the program ended? Then *status is what waitpid() said. */
bool terminal_ended(struct terminal *t, int *status);

/* The screen as UTF-8 text, lines without their trailing blanks; freed by the caller. */
char *terminal_text(struct terminal *t);

/* The first line of the screen that holds the text, counted from 0; -1 = none does. */
int terminal_find(struct terminal *t, const char *text);

static inline bool terminal_shows(struct terminal *t, const char *text)
{
    return terminal_find(t, text) >= 0;
}

/* As before the program started: main screen, visible cursor, same line discipline,
 * mouse released. The sentence says what is not. */
bool terminal_is_restored(struct terminal *t, const char **sentence);

/* Everything written so far. */
const uint8_t *terminal_bytes(const struct terminal *t, size_t *count);

#endif
