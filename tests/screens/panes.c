/* The checklist of the interface for every pane: what a machine can see of it. The list of panes
 * and columns is what the program prints (`fields`), so a new pane is in it by itself.
 *
 * The program runs over the demo's seeded events without a terminal: stopped, frozen, over a
 * snapshot of the same events, and frozen there, at three sizes, with Unicode and without; and in
 * a terminal with colors, without, and with other themes. */
#include "tests/test.h"

#include "tests/frame_check.h"
#include "tests/terminal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEMO "live --seed 7 --events 60000 --rate 0 --start 2026-05-17T10:20:30Z"

enum { PANES = 64, PATIENCE_MS = 180000 };

struct dataset {
    char program[512], folder[64], trace[128];
    struct column_list columns;
    char panes[PANES][32];
    unsigned pane_count;
};

static struct dataset dataset;

static const struct size sizes[] = {{80, 24}, {120, 40}, {200, 60}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- what the program prints ----------------------------------------------------------------- */

static char *output_of(const char *command)
{
    FILE *const pipe = popen(command, "r");
    char *text = calloc(1, 1);
    size_t used = 0;
    assert_non_null(pipe);
    for (;;) {
        text = realloc(text, used + 65536 + 1);
        const size_t got = fread(text + used, 1, 65536, pipe);
        used += got;
        text[used] = '\0';
        if (!got)
            break;
    }
    const int status = pclose(pipe);
    if (status)
        fail_msg("%s: status %d", command, status);
    return text;
}

static void take_field(const char *line, unsigned field, char *out, size_t room)
{
    while (field-- > 0)
        line += strcspn(line, "\t\n") + 1;
    snprintf(out, room, "%.*s", (int)strcspn(line, "\t\n"), line);
}

static void take_columns(void)
{
    char command[700];
    snprintf(command, sizeof command, "%s fields", dataset.program);
    char *const text = output_of(command);
    for (char *at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        struct listed_column *const c = &dataset.columns.at[dataset.columns.count];
        take_field(at, 0, c->pane, sizeof c->pane);
        if (strcmp(c->pane, "filter") == 0)
            continue;
        take_field(at, 1, c->id, sizeof c->id);
        take_field(at, 2, c->type, sizeof c->type);
        take_field(at, 3, c->unit, sizeof c->unit);
        take_field(at, 4, c->title, sizeof c->title);
        assert_true(dataset.columns.count++ < COLUMNS_MOST - 1);
        const unsigned n = dataset.pane_count;
        if (n && strcmp(dataset.panes[n - 1], c->pane) == 0)
            continue;
        assert_true(n < PANES);
        take_field(at, 0, dataset.panes[dataset.pane_count++], sizeof *dataset.panes);
    }
    free(text);
    assert_true(dataset.pane_count >= 17);
}

static void write_keys(const char *name, const char *keys)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dataset.folder, name);
    FILE *const f = fopen(path, "w");
    assert_non_null(f);
    fputs(keys, f);
    assert_int_equal(fclose(f), 0);
}

/* Frames that a script prints by "dump". */
static char *frames_of(const char *source, struct size size, const char *options, const char *keys)
{
    char command[1400];
    write_keys("keys", keys);
    snprintf(command, sizeof command, "cd %s && %s %s --headless --size %dx%d %s --keys keys",
             dataset.folder, dataset.program, source, size.columns, size.rows, options);
    return output_of(command);
}

/* A script that goes to every pane and prints it: one frame after the other; the last one is
 * printed by the end itself. */
static void every_pane(char *out, size_t room, const char *first)
{
    size_t used = (size_t)snprintf(out, room, "%s", first);
    for (unsigned i = 0; i < dataset.pane_count; i++)
        used += (size_t)snprintf(out + used, room - used, "%s:\ntext:%s\nEnter\n",
                                 i ? "dump\n" : "", dataset.panes[i]);
    assert_true(used < room);
}

/* ---- two frames ------------------------------------------------------------------------------ */

/* What must be the same: from below the machine line and the crumbs to above the status line. */
static const char *body_of(const char *frame, int rows, char *out, size_t room)
{
    size_t used = 0;
    for (int y = 0; y < rows; y++) {
        const size_t bytes = strcspn(frame, "\n");
        size_t kept = bytes;
        while (kept && frame[kept - 1] == ' ')
            kept--;
        if (y >= 2 && y < rows - 2)
            used += (size_t)snprintf(out + used, room - used, "%.*s\n", (int)kept, frame);
        frame += bytes + (frame[bytes] == '\n');
    }
    assert_true(used < room);
    return frame;
}

enum { BODY = 65536 };

/* Numbers that differ by a few percent are the same: a snapshot begins with what was there before,
 * which makes it a little longer; bars are not compared. */
static bool is_about(const char *a, const char *b)
{
    char *end_a, *end_b;
    if (strcmp(a, b) == 0 || ((unsigned char)*a >= 0x80 && (unsigned char)*b >= 0x80))
        return true;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);
    const double apart = x > y ? x - y : y - x;
    return end_a != a && end_b != b && strcmp(end_a, end_b) == 0 &&
           apart <= 0.011 + (x > y ? x : y) / 40;
}

/* One number may differ: records of names in a snapshot count as events of their processes. */
static bool lines_alike(const char *a, const char *b)
{
    for (unsigned others = 0;;) {
        char x[256], y[256];
        a += strspn(a, " +x");
        b += strspn(b, " +x");
        const size_t n = strcspn(a, " \n"), m = strcspn(b, " \n");
        if (!n || !m)
            return n == m;
        snprintf(x, sizeof x, "%.*s", (int)n, a);
        snprintf(y, sizeof y, "%.*s", (int)m, b);
        if (!is_about(x, y) && (!isdigit((unsigned char)x[0]) || others++))
            return false;
        a += n;
        b += m;
    }
}

/* How many lines of `a` are in `b`, too. */
static void count_alike(const char *a, const char *b, unsigned *alike, unsigned *all)
{
    *alike = *all = 0;
    for (const char *x = a; *x; x = strchr(x, '\n') + 1) {
        bool found = false;
        for (const char *y = b; *y && !found; y = strchr(y, '\n') + 1)
            found = lines_alike(x, y);
        *alike += found;
        ++*all;
    }
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* Sizes, titles, units, cells, the cursor and the key bar; without Unicode, too, where nothing but
 * ASCII is left; frozen as it was. */
static void every_pane_fits(void **state)
{
    static char keys[8192], frozen_keys[8192];
    static struct screen s;
    static char a[BODY], b[BODY];
    (void)state;
    every_pane(keys, sizeof keys, "");
    every_pane(frozen_keys, sizeof frozen_keys, "Z\n");
    for (unsigned i = 0; i < SIZES; i++)
        for (unsigned is_ascii = 0; is_ascii < 2; is_ascii++) {
            const char *const options = is_ascii ? "--ascii" : "";
            char *const stopped = frames_of(DEMO, sizes[i], options, keys);
            char *const frozen = frames_of(DEMO, sizes[i], options, frozen_keys);
            const char *at = stopped, *same = stopped, *other = frozen;
            for (unsigned p = 0; p < dataset.pane_count; p++) {
                frame_take(&s, sizes[i], &at);
                frame_check(&dataset.columns, dataset.panes[p], &s, is_ascii ? "ASCII" : "Unicode");
                same = body_of(same, sizes[i].rows, a, sizeof a);
                other = body_of(other, sizes[i].rows, b, sizeof b);
                assert_string_equal(a, b);
            }
            for (const char *c = stopped; is_ascii && *c; c++)
                if ((unsigned char)*c >= 0x80)
                    fail_msg("--ascii: beyond ASCII: %.60s", c);
            free(stopped);
            free(frozen);
        }
}

/* A replay of the same events shows the same rows; frozen, exactly the same. */
static void every_pane_replays(void **state)
{
    static char keys[8192], frozen_keys[8192];
    static struct screen s;
    static char a[BODY], b[BODY], c[BODY];
    char source[256];
    (void)state;
    every_pane(keys, sizeof keys, "");
    every_pane(frozen_keys, sizeof frozen_keys, "Z\n");
    snprintf(source, sizeof source, "replay %s", dataset.trace);
    for (unsigned i = 0; i < SIZES; i++) {
        char *const live = frames_of(DEMO, sizes[i], "", keys);
        char *const replayed = frames_of(source, sizes[i], "", keys);
        char *const frozen = frames_of(source, sizes[i], "", frozen_keys);
        const char *x = live, *y = replayed, *z = frozen, *at = replayed;
        for (unsigned p = 0; p < dataset.pane_count; p++) {
            unsigned alike, all;
            frame_take(&s, sizes[i], &at);
            frame_check(&dataset.columns, dataset.panes[p], &s, "replay");
            x = body_of(x, sizes[i].rows, a, sizeof a);
            y = body_of(y, sizes[i].rows, b, sizeof b);
            z = body_of(z, sizes[i].rows, c, sizeof c);
            assert_string_equal(b, c);
            count_alike(a, b, &alike, &all);
            const bool counts_all =
                strcmp(dataset.panes[p], "events") == 0 ||
                strcmp(dataset.panes[p], "rates") == 0; /* the snapshot's own, too */
            if (!counts_all && alike * 10 < all * 9)
                fail_msg("%s %dx%d: %u of %u lines are the same in a replay:\n%s\n%s",
                         dataset.panes[p], sizes[i].columns, sizes[i].rows, alike, all, a, b);
        }
        free(live);
        free(replayed);
        free(frozen);
    }
}

/* Esc takes back overlay, prompt, what is found, the filter and the drill level, one at a time. */
static void esc_goes_back(void **state)
{
    (void)state;
    for (unsigned p = 0; p < dataset.pane_count; p++) {
        static char shots[10][BODY];
        char keys[1024];
        const struct size size = sizes[1];
        if (strcmp(dataset.panes[p], "changes") == 0)
            continue; /* its rows are those of other panes: there is no filter of its own */
        snprintf(keys, sizeof keys,
                 "Down\nEnter\n:\ntext:%s\nEnter\ndump\n" /* 0: one process */
                 "F4\ntext:e\nEnter\ndump\n"               /* 1: filtered */
                 "F3\ntext:e\nEnter\ndump\n"               /* 2: and found */
                 "?\ndump\nEsc\ndump\n"                   /* 3: help; 4: as 2 */
                 ":\ntext:q\ndump\nEsc\nEsc\ndump\n"      /* 5: prompt; 6: as 1, no find */
                 "Esc\ndump\n"                            /* 7: as 0 */
                 "Esc\ndump\n",                           /* 8: all processes'; and 9 */
                 dataset.panes[p]);
        char *const text = frames_of(DEMO, size, "", keys);
        const char *at = text;
        for (unsigned i = 0; i < 9; i++)
            at = body_of(at, size.rows, shots[i], sizeof *shots);
        static const unsigned pairs[][2] = {{2, 4}, {1, 6}, {0, 7}};
        for (size_t i = 0; i < 3; i++)
            if (strcmp(shots[pairs[i][0]], shots[pairs[i][1]]) != 0)
                fail_msg("%s: Esc did not bring back frame %u \n%s\nbut\n%s", dataset.panes[p],
                         pairs[i][0], shots[pairs[i][0]], shots[pairs[i][1]]);
        if (strcmp(shots[3], shots[2]) == 0)
            fail_msg("%s: no help", dataset.panes[p]);
        free(text);
    }
}

/* Help has every column of the pane, and every command that has a key there. */
static void help_has_all(void **state)
{
    char command[700];
    (void)state;
    snprintf(command, sizeof command, "%s keys", dataset.program);
    char *const bound = output_of(command);
    for (unsigned p = 0; p < dataset.pane_count; p++) {
        char keys[256], line[64];
        const struct size size = {160, 380};
        snprintf(keys, sizeof keys, ":\ntext:%s\nEnter\n?\n", dataset.panes[p]);
        char *const text = frames_of(DEMO, size, "", keys);
        for (unsigned i = 0; i < dataset.columns.count; i++) {
            const struct listed_column *const c = &dataset.columns.at[i];
            snprintf(line, sizeof line, "\n  %s ", c->title);
            if (strcmp(c->pane, dataset.panes[p]) == 0 && !strstr(text, line))
                fail_msg("%s: help says nothing about %s", dataset.panes[p], c->title);
        }
        for (char *at = strchr(bound, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
            char help[160];
            take_field(at, 3, help, sizeof help);
            help[100] = '\0';
            if (!help[0] || !strstr(text, help))
                fail_msg("%s: help does not say: %s", dataset.panes[p], help);
        }
        free(text);
    }
    free(bound);
}

/* Keys that belong to others stay free. */
static void some_keys_are_free(void **state)
{
    static const char *const taken[] = {"C-a", "C-b", "C-q", "C-\\", "F11", "F12"};
    char command[700];
    (void)state;
    snprintf(command, sizeof command, "%s keys", dataset.program);
    char *const bound = output_of(command);
    for (char *at = strchr(bound, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        char keys[128];
        take_field(at, 1, keys, sizeof keys);
        for (char *key = strtok(keys, " "); key; key = strtok(NULL, " "))
            for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
                assert_string_not_equal(key, taken[i]);
    }
    free(bound);
}

/* ---- in a terminal --------------------------------------------------------------------------- */

/* Until the body of the screen is this. */
static void await_body(struct terminal *t, const char *wanted, int rows, const char *what)
{
    static char found[BODY];
    for (int waited = 0; waited < PATIENCE_MS;) {
        char *const text = terminal_text(t);
        body_of(text, rows, found, sizeof found);
        free(text);
        if (strcmp(found, wanted) == 0)
            return;
        waited += terminal_pump(t, 20) ? 1 : 20;
    }
    fail_msg("%s: expected\n%s\nfound\n%s", what, wanted, found);
}

static void press_all(struct terminal *t, const char *text)
{
    terminal_send(t, text, strlen(text));
}

static bool has_color(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + 2 < count; i++) {
        if (bytes[i] != 0x1b || bytes[i + 1] != '[')
            continue;
        size_t end = i + 2;
        bool is_color = false;
        for (unsigned number = 0; end < count && (isdigit(bytes[end]) || bytes[end] == ';');
             end++) {
            number = bytes[end] == ';' ? 0 : number * 10 + bytes[end] - '0';
            is_color |= (number >= 30 && number <= 38) || (number >= 40 && number <= 48) ||
                        (number >= 90 && number <= 107);
        }
        if (end < count && bytes[end] == 'm' && is_color)
            return true;
    }
    return false;
}

static const struct look {
    const char *name, *option, *value, *env;
    bool is_colored, is_ascii;
} looks[] = {
    {"default", "--color", "256", NULL, true, false},
    {"NO_COLOR", "--theme", "default", "NO_COLOR=1", false, false},
    {"mono", "--theme", "mono", NULL, false, false},
    {"light", "--theme", "light", "COLORTERM=truecolor", true, false},
    {"high-contrast", "--theme", "high-contrast", NULL, true, false},
    {"ASCII without colors", "--color", "never", NULL, false, true},
};

/* The same text as without a terminal, however it is colored. */
static void one_look(const struct look *l, struct size size)
{
    static char keys[8192], wanted[BODY];
    every_pane(keys, sizeof keys, "");
    char *const expected = frames_of(DEMO, size, l->is_ascii ? "--ascii" : "", keys);
    const char *const argv[] = {dataset.program,
                                "live",
                                "--seed",
                                "7",
                                "--events",
                                "60000",
                                "--rate",
                                "0",
                                "--start",
                                "2026-05-17T10:20:30Z",
                                l->option,
                                l->value,
                                l->is_ascii ? "--ascii" : NULL,
                                NULL};
    const char *const env[] = {l->env ? l->env : "NO_COLOR", NULL};
    struct terminal *const t = terminal_start(argv, env, size.columns, size.rows);
    for (int waited = 0; waited < PATIENCE_MS && !terminal_shows(t, "FINISHED"); waited++)
        terminal_pump(t, 5);
    const char *at = expected;
    for (unsigned p = 0; p < dataset.pane_count; p++) {
        char what[128];
        press_all(t, ":");
        press_all(t, dataset.panes[p]);
        press_all(t, "\r");
        snprintf(what, sizeof what, "%s, %s, %dx%d", l->name, dataset.panes[p], size.columns,
                 size.rows);
        at = body_of(at, size.rows, wanted, sizeof wanted);
        await_body(t, wanted, size.rows, what);
    }
    size_t count;
    const uint8_t *const bytes = terminal_bytes(t, &count);
    if (has_color(bytes, count) != l->is_colored)
        fail_msg("%s: colors %s", l->name, l->is_colored ? "expected" : "were set");
    for (size_t i = 0; l->is_ascii && i < count; i++)
        assert_true(bytes[i] < 0x80);
    terminal_free(t);
    free(expected);
}

static void every_pane_is_reported_without_color(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        for (unsigned k = 0; k < SIZES; k++)
            one_look(&looks[i], sizes[k]);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* A snapshot of the demo's events, written by the program as it ends. */
static int begin(void **state)
{
    char command[1400];
    (void)state;
    snprintf(dataset.folder, sizeof dataset.folder, "/tmp/tracetop-panes-XXXXXX");
    assert_non_null(mkdtemp(dataset.folder));
    snprintf(dataset.trace, sizeof dataset.trace, "%s/demo.etl", dataset.folder);
    take_columns();
    /* It is written beside; whoever waits for long enough sees its end. */
    enum { WAITS = 2000 };
    static char keys[64 + WAITS * 5];
    size_t used = (size_t)snprintf(keys, sizeof keys, ":\ntext:snapshot demo.etl\nEnter\n");
    for (unsigned i = 0; i < WAITS; i++)
        used += (size_t)snprintf(keys + used, sizeof keys - used, "wait\n");
    write_keys("keys", keys);
    snprintf(command, sizeof command,
             "cd %s && { %s " DEMO " --headless --keys keys >/dev/null && test -e demo.etl; }",
             dataset.folder, dataset.program);
    free(output_of(command));
    return 0;
}

static int end(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", dataset.folder);
    return system(command);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pane_fits),
        cmocka_unit_test(every_pane_replays),
        cmocka_unit_test(esc_goes_back),
        cmocka_unit_test(help_has_all),
        cmocka_unit_test(some_keys_are_free),
        cmocka_unit_test(every_pane_is_reported_without_color),
    };
    if (argc != 2 || !realpath(argv[1], dataset.program)) {
        fputs("usage: panes PROGRAM\n", stderr);
        return 2;
    }
    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, begin, end);
}
