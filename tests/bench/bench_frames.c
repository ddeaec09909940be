/* Bytes per frame: what the real program sends to a terminal of 200 by 60 cells, for a whole
 * repaint, for a refresh of all figures, for a cursor that moves by a row, and for pictures. A
 * frame sends at most what changed: a refresh less than a repaint, a moved cursor two lines. */
#include "tests/bench/beside.h"
#include "tests/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 200, ROWS = 60, ROUNDS = 8, WARM_MS = 3500, QUIET_MS = 60 };

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static size_t sent(struct terminal *t)
{
    size_t count;
    terminal_bytes(t, &count);
    return count;
}

static void rest(struct terminal *t, int64_t ms)
{
    for (const int64_t end = now_ms() + ms; now_ms() < end;)
        terminal_pump(t, 20);
}

/* Until nothing came for a while. */
static void settle(struct terminal *t)
{
    while (terminal_pump(t, QUIET_MS))
        continue;
}

/* Median bytes of what a key makes the program send; without a key, of a refresh. */
static size_t measure(struct terminal *t, const char *key, const char *back)
{
    size_t counts[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        settle(t);
        const size_t before = sent(t);
        if (key)
            terminal_press(t, i % 2 && back ? back : key);
        for (const int64_t end = now_ms() + 3000; sent(t) == before && now_ms() < end;)
            terminal_pump(t, 20);
        settle(t);
        counts[i] = sent(t) - before;
        for (unsigned n = i; n > 0 && counts[n] < counts[n - 1]; n--) {
            const size_t c = counts[n];
            counts[n] = counts[n - 1];
            counts[n - 1] = c;
        }
    }
    return counts[ROUNDS / 2];
}

static bool tell(const char *what, size_t bytes, size_t limit)
{
    const bool is_well = bytes > 0 && bytes <= limit;
    printf("bytes per frame, 200x60, %-24s %7zu  limit %7zu%s\n", what, bytes, limit,
           is_well ? "" : "  MISSED");
    return is_well;
}

/* Escape sequences and all, a cell that changes takes some twenty bytes at most, with any color. */
static bool measure_all(const char *program, const char *const *env, const char *depth)
{
    enum { CELLS = COLUMNS * ROWS, CELL_BYTES = 40, LINES_OF_CURSOR = 5 };
    const char *const live[] = {program, "live", "--rate", "20000", "--seed", "7", NULL};
    struct terminal *const t = terminal_start(live, env, COLUMNS, ROWS);
    rest(t, WARM_MS);
    printf("%s\n", depth);
    const size_t refresh = measure(t, NULL, NULL);
    terminal_press(t, "Z"); /* nothing but the key's own effect */
    settle(t);
    const size_t all = measure(t, "C-l", NULL);
    const size_t cursor = measure(t, "Down", "Up");
    terminal_press(t, "3");
    settle(t);
    terminal_press(t, "x");
    settle(t);
    const size_t heat = measure(t, "x", "x");
    bool good = tell("whole repaint", all, (size_t)CELLS * CELL_BYTES);
    good &= tell("refresh of processes", refresh, all);
    good &= tell("cursor moves a row", cursor, (size_t)COLUMNS * LINES_OF_CURSOR * CELL_BYTES / 4);
    good &= tell("from picture to picture", heat, (size_t)CELLS * CELL_BYTES);
    terminal_press(t, "Q");
    terminal_free(t);
    return good;
}

int main(int argc, char **argv)
{
    static const char *const few[] = {NULL};
    static const char *const many[] = {"COLORTERM=truecolor", NULL};
    char *const program = program_beside(argv[0]);
    (void)argc;
    const bool good =
        measure_all(program, few, "256 colors") & measure_all(program, many, "any color");
    free(program);
    return good ? 0 : 1;
}
