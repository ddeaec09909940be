/* Key to repaint: the real program on a real pseudo-terminal takes in events as fast as
 * it can, and a key's effect must be on the screen within 16 ms, 99 times of 100.
 *
 * Measured from the write of the key to the moment the terminal emulator has drawn the
 * effect; the emulator's own time is part of the figure. Effects are such that no
 * refresh of the figures can be mistaken for them: the cursor's row moves by one, text
 * typed at a prompt stands there, an overlay opens and closes. */
#include "tests/bench/beside.h"
#include "tests/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 120, ROWS = 40, ROUNDS = 120, PATIENCE_MS = 5000, WARM_MS = 1500 };

static const double limit_ms = 16;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void rest(struct terminal *t, int ms)
{
    const int64_t end = now_ns() + ms * INT64_C(1000000);
    while (now_ns() < end)
        terminal_pump(t, 20);
}

/* ---- effects -------------------------------------------------------------------------- */

static int cursor_row(struct terminal *t)
{
    return terminal_find(t, "\xe2\x96\xb8");
}

struct effect {
    const char *key;
    const char *shows; /* text that appears … */
    const char *hides; /* … or goes away … */
    int moves;         /* … or rows the cursor moves by */
};

struct series {
    const char *name;
    struct effect there, back; /* pressed in turn */
};

static const struct series all_series[] = {
    {"cursor down, up", {"Down", NULL, NULL, 1}, {"Up", NULL, NULL, -1}},
    {"help, close", {"?", "Signs on this screen", NULL, 0}, {"q", NULL, "Signs on this screen", 0}},
    {"pane 3, pane 1", {"3", " W/S", NULL, 0}, {"1", "CSW/S", NULL, 0}},
};

static bool has_happened(struct terminal *t, const struct effect *e, int row_before)
{
    if (e->shows)
        return terminal_shows(t, e->shows);
    if (e->hides)
        return !terminal_shows(t, e->hides);
    return cursor_row(t) == row_before + e->moves;
}

/* Milliseconds from key to effect; negative when it never came. */
static double measure(struct terminal *t, const struct effect *e)
{
    while (terminal_pump(t, 0))
        continue;
    const int row = cursor_row(t);
    const int64_t start = now_ns();
    terminal_press(t, e->key);
    while (now_ns() - start < PATIENCE_MS * INT64_C(1000000))
        if (terminal_pump(t, 20) && has_happened(t, e, row))
            return (double)(now_ns() - start) / 1e6;
    return -1;
}

/* ---- figures ----------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A pause of odd length between presses, so that they meet the refresh at every phase. */
static bool run_series(struct terminal *t, const struct series *s, double *worst)
{
    double times[2 * ROUNDS];
    for (int i = 0; i < 2 * ROUNDS; i++) {
        rest(t, 7 + i * 13 % 41); /* presses meet the refresh at every phase */
        times[i] = measure(t, i % 2 ? &s->back : &s->there);
        if (times[i] < 0) {
            char *const screen = terminal_text(t);
            printf("%s: press %d has no effect\n%s", s->name, i, screen);
            free(screen);
            return false;
        }
    }
    qsort(times, 2 * ROUNDS, sizeof times[0], by_size);
    const double p50 = times[ROUNDS], p99 = times[2 * ROUNDS * 99 / 100];
    printf("key to repaint, %-16s p50 %6.2f ms  p99 %6.2f ms  max %6.2f ms  limit %.0f ms%s\n",
           s->name, p50, p99, times[2 * ROUNDS - 1], limit_ms, p99 > limit_ms ? "  MISSED" : "");
    if (p99 > *worst)
        *worst = p99;
    return true;
}

static void wait_for(struct terminal *t, const char *text)
{
    const int64_t end = now_ns() + PATIENCE_MS * INT64_C(1000000);
    while (!terminal_shows(t, text) && now_ns() < end)
        terminal_pump(t, 50);
}

/* Rows in an order that figures do not change: by process id, upwards. Then a moved
 * cursor has been moved by its key. */
static void lock_order(struct terminal *t)
{
    wait_for(t, "System");
    terminal_press(t, "s");
    wait_for(t, "Process id");
    terminal_send(t, "pid", 3); /* names come before purposes in that list */
    terminal_press(t, "Enter");
    wait_for(t, "sort: PID");
    if (terminal_shows(t, "PID\xe2\x96\xbc"))
        terminal_press(t, "I");
    wait_for(t, "PID\xe2\x96\xb2");
    rest(t, WARM_MS); /* until the rows stand in that order */
    terminal_press(t, "Home");
    terminal_press(t, "Down");
    rest(t, WARM_MS);
}

/* usage: bench_keys [PROGRAM ARGUMENTS…] */
int main(int argc, char **argv)
{
    char *const program = program_beside(argv[0]);
    const char *const demo[] = {program, "live", "--rate", "0", "--seed", "7", NULL};
    struct terminal *const t =
        terminal_start(argc > 1 ? (const char *const *)argv + 1 : demo, NULL, COLUMNS, ROWS);
    rest(t, WARM_MS);
    lock_order(t);
    double worst = 0;
    bool good = true;
    for (size_t i = 0; good && i < sizeof all_series / sizeof all_series[0]; i++)
        good = run_series(t, &all_series[i], &worst);
    terminal_press(t, "Q");
    terminal_free(t);
    free(program);
    return good && worst <= limit_ms ? 0 : 1;
}
