/* Random keys, commands and sizes of the terminal, for some time; the program must live. Meant for
 * a build with sanitizers, on traces and live; the same seed presses the same keys. What ended it
 * stands on the screen, which is printed with the last keys.
 *
 *     random_keys PROGRAM SECONDS SEED [ARGUMENT...]     in a folder that may be thrown away */
#include "tests/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAST = 40, LONGEST = 32, ARGUMENTS = 30 };

/* None of them quits. */
static const char letters[] =
    "123456789abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ+-<>[]{}()|"
    "@#$%^&*=!~`;:,./?_ ";
static const char *const keys[] = {
    "Enter", "Enter", "Enter", "Enter", "Esc", "Esc", "Esc", "Up",  "Down",      "Left", "Right",
    "PgUp",  "PgDn",  "Home",  "End",   "Tab", "F1",  "F2",  "F3",  "F4",        "F5",   "F6",
    "F7",    "F8",    "F9",    "C-o",   "C-r", "C-l", "C-w", "Del", "Backspace",
};
static const char *const texts[] = {
    ":by proc | count",   ":by path, op | sum size, p99 lat, trend",
    ":by events | count", ":by time(1s), class | count where size>4K",
    "/size>4K",           "/proc=a*",
    "/stack~x",           ":theme light",
    ":theme dark",        ":set fold-exited no",
    ":range -1s..",       ":goto +1s",
    ":messages",          ":loss",
};
static const int widths[] = {100, 100, 80, 120, 200, 40, 20}, heights[] = {30, 30, 24, 60, 8};

static uint64_t seed;

/* xorshift64 */
static unsigned random_below(unsigned count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % count;
}

#define PICK(list) (list)[random_below(sizeof(list) / sizeof *(list))]

static char last[LAST][LONGEST * 2];
static unsigned pressed;

static void press(struct terminal *t)
{
    char *const said = last[pressed++ % LAST];
    const unsigned kind = random_below(100);
    if (kind < 3) {
        const int columns = PICK(widths), rows = PICK(heights);
        terminal_resize(t, columns, rows);
        snprintf(said, sizeof last[0], "%dx%d", columns, rows);
    } else if (kind < 8) {
        snprintf(said, sizeof last[0], "%s", PICK(texts));
        terminal_send(t, said, strlen(said));
        terminal_press(t, "Enter");
    } else if (kind < 50) {
        snprintf(said, sizeof last[0], "%s", PICK(keys));
        if (!terminal_press(t, said)) {
            fprintf(stderr, "random_keys: no key is called %s\n", said);
            exit(2);
        }
    } else {
        snprintf(said, sizeof last[0], "%c", letters[random_below(sizeof letters - 1)]);
        terminal_send(t, said, 1);
    }
}

static int report(struct terminal *t, int status)
{
    char *const text = terminal_text(t);
    printf("random_keys: the program ended with status %d after %u keys. Its screen:\n%s\n"
           "The last keys:",
           status, pressed, text);
    for (unsigned i = pressed > LAST ? pressed - LAST : 0; i < pressed; i++)
        printf(" %s", last[i % LAST]);
    printf("\n");
    free(text);
    return 1;
}

int main(int argc, char **argv)
{
    enum { STATUS_USAGE = 2, PUMP_MS = 15 };
    const char *command[ARGUMENTS + 2] = {argc > 1 ? argv[1] : NULL};
    if (argc < 4 || argc - 4 > ARGUMENTS)
        return fprintf(stderr, "usage: random_keys PROGRAM SECONDS SEED [ARGUMENT...]\n"),
               STATUS_USAGE;
    for (int i = 4; i < argc; i++)
        command[i - 3] = argv[i];
    const time_t end = time(NULL) + atoi(argv[2]);
    seed = strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
    struct terminal *const t = terminal_start(
        command, (const char *const[]){"TRACETOP_CONFIG=tracetop.conf", "XDG_RUNTIME_DIR=.", NULL},
        100, 30);
    int status = 0, failed = 0;
    while (time(NULL) < end && !failed) {
        press(t);
        terminal_pump(t, PUMP_MS);
        failed = terminal_ended(t, &status) ? report(t, status) : 0;
    }
    if (!failed)
        printf("random_keys: %u keys, and it lives\n", pressed);
    terminal_free(t);
    return failed;
}
