/* The program against every switch of the stand-in for ETW (tests/etw/unkind.h), in every scene of
 * a session's life; the end prints the table of both. In each the program does what it is there
 * for, ends with its status, leaves nothing behind, and says nothing but what the switch permits.
 * A recording holds every switch of context that was delivered from its first on, by this machine's
 * build: on a slow machine some came before it had begun.
 *
 * usage: unkind [PART OF A SWITCH'S NAME] (from the root, after `make windows`) */
#include "tests/etw/unkind.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "build/windows/unkind"
#define OWN    "-e 5a7d1ee0-7e57-4e7a-9b01-5a17deadbeef"
#define SCREEN "--headless --size 120x40 --dump " OWN " --keys "

enum { ABREAST = 8, SKIPPED = 77, TEXT = 1 << 20, BASE_STATUS = 256, INTERRUPTED = 130 };

enum scene_id { SCENE_START, SCENE_PANES, SCENE_RECORD, SCENE_SNAPSHOT, SCENE_LEAVE, SCENES };

/* %s is the cell's number, for files. Screens read their keys from a file that the line ends with.
 */
static const struct scene {
    const char *name, *play, *line;
    int status;
    const char *shows; /* what it prints, a part */
    const char *keys;  /* of a screen */
    const char *says;  /* sentences (parts, between bars) that it may say */
    bool makes_trace;  /* FOLDER/CELL.etl */
} scenes[SCENES] = {
    [SCENE_START] = {"start", "", "top proc -N 0 300ms 3 " OWN, 0, "sqlservr.exe", NULL, "", false},
    [SCENE_PANES] = {"panes", "", SCREEN, 0, "robocopy.exe", "wait\nwait\n2\nwait\n3\nwait\n", "",
                     false},
    [SCENE_RECORD] = {"record", "", "record -t 1500ms --force -o " FOLDER "/%s.etl " OWN, 0, "",
                      NULL, "recording this machine|.etl: ", true},
    [SCENE_SNAPSHOT] = {"snapshot", "", SCREEN, 0, "--- 6 wait",
                        "wait\nwait\n:\ntext:snapshot " FOLDER "/%s.etl\nEnter\nwait\n",
                        "the snapshot was finished", true},
    [SCENE_LEAVE] = {"leave", ";console=700ms:2", "top proc -N 1 300ms 90 " OWN, INTERRUPTED, "",
                     NULL, "", false},
};

/* What a switch permits beside nothing: sentences (parts, between bars), and requests that are
 * refused in every scene. */
static const struct permitted {
    enum unkind_switch which;
    const char *play, *arguments, *sentences;
    int status; /* instead of the scene's; 0: the scene's */
} permitted[] = {
    {UNKIND_LOSES_BUFFERS, "", "", "lost: |were full: ", 0},
    {UNKIND_NO_COUNTERS, ";counters=1", " --pmc CacheMisses", "reports no processor counters", 1},
};

static const struct permitted nothing = {UNKIND_SWITCHES, "", "", "", 0};

static const struct permitted *permitted_of(enum unkind_switch which)
{
    for (size_t i = 0; i < sizeof permitted / sizeof *permitted; i++)
        if (permitted[i].which == which)
            return &permitted[i];
    return &nothing;
}

enum { CELLS = (int)UNKIND_SWITCHES * (int)SCENES };
static pid_t running[CELLS];
static const char *results[CELLS]; /* NULL: not run */

static enum unkind_switch switch_of(int cell)
{
    return (enum unkind_switch)(cell / SCENES);
}

/* ---- running --------------------------------------------------------------------------------- */

static void name_file(char *out, size_t room, int cell, const char *what)
{
    snprintf(out, room, FOLDER "/%d.%s", cell, what);
}

static char *text_of(int cell, const char *what)
{
    char path[128];
    char *const text = calloc(1, TEXT + 1);
    name_file(path, sizeof path, cell, what);
    FILE *const f = fopen(path, "r");
    if (f) {
        text[fread(text, 1, TEXT, f)] = '\0';
        fclose(f);
    }
    return text;
}

/* The text with the cell's number for its one "%s". */
static void fill(char *out, size_t room, const char *text, int cell)
{
    const char *const at = strstr(text, "%s");
    if (at)
        snprintf(out, room, "%.*s%d%s", (int)(at - text), text, cell, at + 2);
    else
        snprintf(out, room, "%s", text);
}

static bool write_keys(int cell, char *path, size_t room)
{
    char keys[256];
    name_file(path, room, cell, "keys");
    fill(keys, sizeof keys, scenes[cell % SCENES].keys, cell);
    FILE *const f = fopen(path, "w");
    return f && fputs(keys, f) >= 0 && fclose(f) == 0;
}

static void run_child(int cell)
{
    const struct scene *const s = &scenes[cell % SCENES];
    const struct permitted *const p = permitted_of(switch_of(cell));
    char play[256], line[400], command[1200], keys[128] = "";
    snprintf(play, sizeof play, "rate=4000;cpus=2;flood=200;unkind=%s%s%s",
             unkind_name(switch_of(cell)), p->play, s->play);
    fill(line, sizeof line, s->line, cell);
    if (s->keys && !write_keys(cell, keys, sizeof keys))
        _exit(1);
    snprintf(command, sizeof command,
             "rm -f " FOLDER "/%d.etl* " FOLDER "/%d.report; "
             "TRACETOP_TEST_ETW=build/windows/etwfake.dll TRACETOP_TEST_ETW_PLAY='%s' "
             "TRACETOP_TEST_ETW_REPORT=" FOLDER "/%d.report exec tests/windows/wine.sh wine "
             "build/windows/tracetop-test.exe %s%s%s >" FOLDER "/%d.out 2>" FOLDER
             "/%d.err </dev/null",
             cell, cell, play, cell, line, keys, p->arguments, cell, cell);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(1);
}

static bool is_chosen(int cell, const char *part)
{
    return !part || strstr(unkind_name(switch_of(cell)), part);
}

/* Some run abreast: most of their time is waiting. */
static int end_of(int cell, const char *part)
{
    int status = 0, ahead = 0;
    for (int i = cell; i < CELLS && ahead < ABREAST; i++) {
        if (!is_chosen(i, part))
            continue;
        ahead++;
        if (running[i])
            continue;
        fflush(NULL);
        running[i] = fork();
        if (running[i] == 0)
            run_child(i);
    }
    if (waitpid(running[cell], &status, 0) != running[cell])
        return BASE_STATUS;
    return WIFEXITED(status) ? WEXITSTATUS(status) : BASE_STATUS + WTERMSIG(status);
}

/* ---- checking --------------------------------------------------------------------------------- */

static bool is_permitted(const char *line, const char *sentences)
{
    char *const copy = strdup(sentences);
    bool is = false;
    for (char *one = strtok(copy, "|"); one && !is; one = strtok(NULL, "|"))
        is = strstr(line, one) != NULL;
    free(copy);
    return is;
}

static bool says_only(char *complaint, const char *of_switch, const char *of_scene)
{
    char *rest = NULL;
    for (char *line = strtok_r(complaint, "\r\n", &rest); line;
         line = strtok_r(NULL, "\r\n", &rest))
        if (!is_permitted(line, of_switch) && !is_permitted(line, of_scene))
            return printf("says: %s\n", line), false;
    return true;
}

static bool leaves_nothing(const char *report)
{
    static const char *const lines[] = {"sessions left 0\n",  "registrations left 0\n",
                                        "consumers left 0\n", "handles left 0\n",
                                        "stops alone 0\n",    "sampling as before"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(report, lines[i]))
            return printf("report lacks: %s\n", lines[i]), false;
    return true;
}

/* The number that `$PROGRAM VERB $TRACE REST` prints about the cell's trace. */
static bool ask(long long *out, const char *verb, int cell, const char *rest)
{
    const char *const here = getenv("TRACETOP_HERE");
    char command[256];
    snprintf(command, sizeof command, "%s %s " FOLDER "/%d.etl %s",
             here ? here : "build/release-gcc/tracetop", verb, cell, rest);
    FILE *const f = popen(command, "r");
    const bool is_read = f && fscanf(f, "%lld", out) == 1;
    if (f)
        pclose(f);
    return is_read;
}

/* Switches of context: in the trace, and delivered since its first. A snapshot is taken midway. */
static bool holds_all(int cell, const char *report, bool is_whole)
{
    long long in_trace = 0, first = 0, delivered = 0, ts;
    const bool is_read =
        ask(&in_trace, "stats", cell,
            "| awk -F '\\t' '$3 == 1316 { n += $6 } END { print n + 0 }'") &&
        ask(&first, "dump -O jsonl -N 1", cell, "id=1316 | sed 's/.*\"ts\"://; s/,.*//'");
    for (const char *line = report; (line = strstr(line, "\nswitch ")); line++)
        delivered += sscanf(line, " switch %lld", &ts) == 1 && ts >= first;
    if (is_read && in_trace && (is_whole ? in_trace == delivered : in_trace <= delivered))
        return true;
    return printf("%lld switches in the trace, %lld delivered\n", in_trace, delivered), false;
}

static const char *check_cell(int cell, int status)
{
    const struct scene *const s = &scenes[cell % SCENES];
    const struct permitted *const p = permitted_of(switch_of(cell));
    const int expected = p->status ? p->status : s->status;
    char *const out = text_of(cell, "out"), *const err = text_of(cell, "err"),
                *const report = text_of(cell, "report");
    /* What came too late for its place in time is left out, and counted. */
    const bool is_whole = cell % SCENES == SCENE_RECORD && !strstr(err, "came too late");
    const char *result = "ok";
    if (status != expected)
        printf("status %d, expected %d: %.300s\n", status, expected, err), result = "STATUS";
    else if (!leaves_nothing(report))
        result = "LEFT";
    else if (!says_only(err, p->sentences, s->says))
        result = "SAYS";
    else if (!p->status && !strstr(out, s->shows))
        printf("does not show: %s\n", s->shows), result = "SHOWS";
    else if (!p->status && s->makes_trace && !holds_all(cell, report, is_whole))
        result = "TRACE";
    else if (p->status)
        result = "says"; /* that it cannot be had */
    free(out);
    free(err);
    free(report);
    return result;
}

static void print_table(void)
{
    printf("\n%-18s", "");
    for (int s = 0; s < SCENES; s++)
        printf("%-10s", scenes[s].name);
    for (int cell = 0; cell < CELLS; cell++) {
        if (!results[cell])
            continue;
        if (cell % SCENES == 0)
            printf("\n%-18s", unkind_name(switch_of(cell)));
        printf("%-10s", results[cell]);
    }
    printf("\n\n");
}

int main(int argc, char **argv)
{
    const char *const part = argc > 1 ? argv[1] : NULL;
    int passed = 0, failed = 0;
    if (system("mkdir -p " FOLDER) != 0)
        return 1;
    for (int cell = 0; cell < CELLS; cell++) {
        if (!is_chosen(cell, part))
            continue;
        const int status = end_of(cell, part);
        if (status == SKIPPED) {
            puts("unkind: skipped: wine is not installed\n[  SKIPPED ] 1 test(s).");
            return 0;
        }
        results[cell] = check_cell(cell, status);
        const bool is_good = strcmp(results[cell], "ok") == 0 || strcmp(results[cell], "says") == 0;
        if (!is_good)
            printf("^ %s, %s: %s\n", unkind_name(switch_of(cell)), scenes[cell % SCENES].name,
                   unkind_sentence(switch_of(cell)));
        passed += is_good;
        failed += !is_good;
    }
    print_table();
    printf("[  PASSED  ] %d test(s).\n", passed);
    if (failed)
        printf("[  FAILED  ] %d test(s).\n", failed);
    return failed != 0;
}
