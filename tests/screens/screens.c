/* Screen tests: each folder NN-name of tests/screens (or of --cases FOLDER) holds a `script`
 * and the screens it expects as text. The real program runs in a real pseudo-terminal; the
 * script's lines are
 *
 *   # a comment
 *   need PATH          skip (with a word) where the file is absent
 *   size 80x24         of the terminal, before the start
 *   env NAME=VALUE     beside the fixed environment; `env NAME` removes it
 *   folder             what is run next runs in an empty folder, removed at the end
 *   run ARGUMENTS      starts the program (words are split at blanks outside 'single quotes')
 *   files SUFFIX…      the folder holds files with these suffixes, and no others
 *   wait TEXT          until the screen shows it
 *   gone TEXT          until the screen shows it no more
 *   row EXPRESSION     until a row of the screen matches it (extended, POSIX): live figures, and
 *                      what stands there for a moment (looks after every kilobyte of output)
 *   press KEY…         by name (Enter, Down, F1, C-c) or as characters
 *   type TEXT          as it stands
 *   click X Y          the left button, at a cell counted from 0
 *   drag X Y TO        the left button, held down from there to another column
 *   wheel up|down X Y  the wheel there
 *   paste TEXT         as terminals bracket what is pasted
 *   paste-bytes N      likewise, N bytes of all values, ESC among them
 *   paste-open TEXT    the beginning of a paste whose end never comes
 *   resize 120x40
 *   meters             screens from here on compare the lines of meters, too
 *   screen NAME        the whole screen equals NAME.txt (but for a message's coming and going)
 *   signal NAME        TERM INT SEGV WINCH HUP
 *   room               before the start: an empty folder $D, where other shells find the program
 *   shell LINE         another shell's line ($T is the program) ends with status 0
 *   exit STATUS        it ends with this status (or "signal NAME")
 *   restored           the terminal is as it was before the start
 *   uncolored         no color was ever set
 *   ascii              no byte beyond ASCII was ever written
 *
 * Nothing sleeps: every expectation is retried until it holds or time is up, and a line of
 * keys is sent when the program has answered the one before, as people look before they
 * press (keys of one line come as fast as they can be sent). Every
 * byte the program wrote is checked in every case: only the control sequences a
 * screen needs, no control characters from names, no titles, no bidi controls.
 * Volatile figures are masked on both sides. `screens --update` writes the files
 * that differ. */
#include "tests/test.h"

#include "tests/folder.h"
#include "tests/terminal.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 180000, QUIET_MS = 1500, BUSY_MS = 50, REST_MS = 1000, ARGUMENTS = 40 };

struct suite {
    char program[512];
    const char *folder; /* of the cases */
    bool update;
    int quiet_ms; /* update: as long a screen must be still */
};

struct screen_case {
    const struct suite *suite;
    char folder[400];
};

struct run {
    const struct screen_case *test;
    struct terminal *terminal;
    int columns, rows;
    const char *env[16];
    unsigned env_count;
    unsigned line;
    bool skipped;
    bool shows_meters; /* they are compared, too */
    char room[64]; /* or "" */
    char folder[64]; /* "" : the one we are in */
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- masks ------------------------------------------------------------------------ */

/* What replaces a figure that differs from run to run. */
struct mask {
    const char *of, *with;
    bool is_compiled;
    regex_t pattern;
};

/* Each once on a screen. */
static struct mask masks[] = {
    {.of = "self +[0-9.]+ ?%", .with = "self #%"},
    {.of = "[0-9.]+[kM]? ev/s", .with = "# ev/s"},
    {.of = "ring .*$", .with = "ring #"},
};

/* Lines of meters: screens of other things do not depend on them. */
static struct mask meter_masks[] = {
    {.of = "^ CPU .*$", .with = " CPU #"},
    {.of = "^ disk .*$", .with = " disk #"},
    {.of = "^ net .*$", .with = " net #"},
    {.of = "^ memory .*$", .with = " memory #"},
    {.of = "^ commit .*$", .with = " commit #"},
    {.of = "^ swap .*$", .with = " swap #"},
    {.of = "^ load .*$", .with = " load #"},
    {.of = "^ ready .*$", .with = " ready #"},
    {.of = "^ psi .*$", .with = " psi #"},
    {.of = "^ events .*$", .with = " events #"},
    {.of = "^ +[0-9]+(-[0-9]+)? +[0-9.]+%.*$", .with = " 0 #"},
};

static char *replace(const char *text, const regmatch_t *where, const char *with)
{
    const size_t rest = strlen(text + where->rm_eo);
    const size_t head = (size_t)where->rm_so, middle = strlen(with);
    char *const out = malloc(head + middle + rest + 1);
    memcpy(out, text, head);
    memcpy(out + head, with, middle);
    memcpy(out + head + middle, text + where->rm_eo, rest + 1);
    return out;
}

/* Blanks that follow a masked figure move with its width: runs of blanks in a masked
 * line become one. */
static void squeeze(char *text, size_t at)
{
    char *start = text + at;
    while (start > text && start[-1] != '\n')
        start--;
    char *to = start;
    const char *from = start;
    for (; *from && *from != '\n'; from++)
        if (*from != ' ' || (to > start && to[-1] != ' '))
            *to++ = *from;
    memmove(to, from, strlen(from) + 1);
}

static char *mask_one(char *text, struct mask *m)
{
    regmatch_t found;
    if (!m->is_compiled)
        assert_int_equal(regcomp(&m->pattern, m->of, REG_EXTENDED | REG_NEWLINE), 0);
    m->is_compiled = true;
    if (regexec(&m->pattern, text, 1, &found, 0) != 0)
        return text;
    char *const changed = replace(text, &found, m->with);
    free(text);
    squeeze(changed, (size_t)found.rm_so);
    return changed;
}

static char *mask(const struct run *r, char *text)
{
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++)
        text = mask_one(text, &masks[i]);
    for (size_t i = 0; i < sizeof meter_masks / sizeof meter_masks[0] && !r->shows_meters; i++)
        text = mask_one(text, &meter_masks[i]);
    return text;
}

/* ---- the byte stream ----------------------------------------------------------------- */

static bool is_bidi_control(const uint8_t *b, size_t left)
{
    if (left < 3 || b[0] != 0xe2)
        return false;
    const unsigned c = (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
    return c == 0x00e || c == 0x00f || (c >= 0x02a && c <= 0x02e) || (c >= 0x066 && c <= 0x069);
}

/* What takes a text to the clipboard (OSC 52), in base 64 and nothing else; or its beginning. */
static size_t clipboard(const uint8_t *b, size_t left)
{
    static const char head[] = "\033]52;c;";
    const size_t length = sizeof head - 1;
    if (memcmp(b, head, left < length ? left : length) != 0)
        return 0;
    size_t at = length;
    while (at < left && (isalnum(b[at]) || strchr("+/=", b[at])))
        at++;
    return at >= left ? left : b[at] == '\a' ? at + 1 : 0;
}

/* Length of the control sequence at `b`, all that is left of one that is cut off by the
 * end, 0 when it is none that a screen needs. */
static size_t sequence(const uint8_t *b, size_t left)
{
    if (left == 1 || strchr("=>78MHc", b[1]))
        return left == 1 ? 1 : 2;
    if (strchr("()", b[1]))
        return left == 2 ? 2 : strchr("0B", b[2]) ? 3 : 0;
    if (b[1] == ']')
        return clipboard(b, left);
    if (b[1] != '[')
        return 0;
    size_t at = 2;
    while (at < left && at < 64 && (isdigit(b[at]) || strchr(";:?>!", b[at])))
        at++;
    if (at == left)
        return at;
    return strchr("ABCDGHJKLMPXZ@STbcdfghlmnrtu", b[at]) ? at + 1 : 0;
}

/* The sentence about the first byte that has no business on a terminal, or NULL. */
static const char *stray(const uint8_t *b, size_t count, size_t *where)
{
    size_t at = 0;
    while (at < count) {
        *where = at;
        const size_t left = count - at;
        if (b[at] == 0x1b) {
            const size_t length = sequence(b + at, left);
            if (!length)
                return "an escape sequence that no screen needs";
            at += length;
        } else if ((b[at] < 0x20 && !strchr("\a\b\t\n\r\x0e\x0f", b[at])) || b[at] == 0x7f) {
            return "a control character";
        } else if (b[at] == 0xc2 && left > 1 && b[at + 1] >= 0x80 && b[at + 1] < 0xa0) {
            return "a C1 control character";
        } else if (is_bidi_control(b + at, left)) {
            return "a bidirectional control character";
        } else {
            at++;
        }
    }
    return NULL;
}

static bool sets_color(const uint8_t *b, size_t count)
{
    for (size_t at = 0; at + 2 < count; at++) {
        if (b[at] != 0x1b || b[at + 1] != '[')
            continue;
        size_t end = at + 2;
        unsigned number = 0;
        bool color = false;
        for (; end < count && (isdigit(b[end]) || b[end] == ';'); end++) {
            number = b[end] == ';' ? 0 : number * 10 + (unsigned)(b[end] - '0');
            color |= (number >= 30 && number <= 38) || (number >= 40 && number <= 48) ||
                     (number >= 90 && number <= 107);
        }
        if (color && end < count && b[end] == 'm')
            return true;
    }
    return false;
}

/* ---- steps ------------------------------------------------------------------------------ */

static void broken(struct run *r, const char *what, const char *detail)
{
    char *const screen = r->terminal ? terminal_text(r->terminal) : strdup("");
    fprintf(stderr, "%s/script:%u: %s%s\n%s", r->test->folder, r->line, what, detail, screen);
    free(screen);
    if (r->terminal)
        terminal_free(r->terminal);
    r->terminal = NULL;
    fail_msg("%s", r->test->folder);
}

static struct terminal *running(struct run *r)
{
    if (!r->terminal)
        broken(r, "nothing runs: the script lacks a line 'run'", "");
    return r->terminal;
}

static void do_size(struct run *r, const char *rest)
{
    if (sscanf(rest, "%dx%d", &r->columns, &r->rows) != 2)
        broken(r, "expected a size, found ", rest);
}

static void do_env(struct run *r, const char *rest)
{
    r->env[r->env_count++] = strdup(rest);
    r->env[r->env_count] = NULL;
}

static void do_need(struct run *r, const char *rest)
{
    if (access(rest, R_OK) != 0) {
        print_message("%s: %s is absent, skipped\n", r->test->folder, rest);
        r->skipped = true;
    }
}

static void do_room(struct run *r, const char *rest)
{
    (void)rest;
    strcpy(r->room, "/tmp/tracetop-screen-XXXXXX");
    if (!mkdtemp(r->room))
        broken(r, "no folder can be made", "");
    setenv("D", r->room, 1);
    char *const program = realpath(r->test->suite->program, NULL);
    setenv("T", program ? program : "", 1);
    free(program);
    setenv("XDG_RUNTIME_DIR", r->room, 1);
}

static void leave_room(const struct run *r)
{
    char line[96];
    if (!r->room[0])
        return;
    unsetenv("XDG_RUNTIME_DIR");
    snprintf(line, sizeof line, "rm -rf '%s'", r->room);
    if (system(line) != 0)
        print_message("%s is still there\n", r->room);
}

/* What the program writes meanwhile is taken, or it would wait for us. */
static void do_shell(struct run *r, const char *rest)
{
    const int64_t end = now_ms() + PATIENCE_MS;
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", rest, (char *)NULL);
        _exit(127);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (r->terminal)
            terminal_pump(r->terminal, 20);
        if (now_ms() > end) {
            kill(pid, SIGKILL);
            broken(r, "another shell waits for ever: ", rest);
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        broken(r, "another shell's line failed: ", rest);
}

static void do_folder(struct run *r, const char *rest)
{
    (void)rest;
    snprintf(r->folder, sizeof r->folder, "/tmp/tracetop-screen.XXXXXX");
    if (!mkdtemp(r->folder))
        broken(r, "no folder can be made: ", r->folder);
}

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t a = strlen(name), b = strlen(suffix);
    return a >= b && strcmp(name + a - b, suffix) == 0;
}

/* Each file has one of the suffixes, and each suffix has a file. */
static void do_files(struct run *r, const char *rest)
{
    char *const line = strdup(rest);
    const char *suffixes[ARGUMENTS];
    unsigned count = 0, files = 0, met = 0;
    for (char *word = strtok(line, " "); word && count < ARGUMENTS; word = strtok(NULL, " "))
        suffixes[count++] = word;
    DIR *const d = opendir(r->folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (e->d_name[0] == '.')
            continue;
        unsigned i = 0;
        while (i < count && !has_suffix(e->d_name, suffixes[i]))
            i++;
        if (i == count)
            broken(r, "a file that was not expected: ", e->d_name);
        met |= 1u << i;
        files++;
    }
    if (d)
        closedir(d);
    if (files != count || met != (1u << count) - 1)
        broken(r, "not the files that were expected: ", rest);
    free(line);
}

static void remove_folder(struct run *r)
{
    DIR *const d = r->folder[0] ? opendir(r->folder) : NULL;
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    if (r->folder[0])
        rmdir(r->folder);
}

/* Takes a word of the line, or what stands in single quotes; NULL at its end. */
static const char *next_argument(char **at)
{
    char *const word = *at + strspn(*at, " ");
    const bool is_quoted = *word == '\'';
    char *const end = is_quoted ? strchr(word + 1, '\'') : word + strcspn(word, " ");
    if (!*word || !end)
        return NULL;
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word + is_quoted;
}

static void do_run(struct run *r, const char *rest)
{
    char *const line = strdup(rest), *const here = getcwd(NULL, 0);
    char program[PATH_MAX];
    const char *argv[ARGUMENTS] = {realpath(r->test->suite->program, program)};
    unsigned argc = 1;
    char *at = line;
    for (const char *word; argc < ARGUMENTS - 1 && (word = next_argument(&at));)
        argv[argc++] = word;
    /* What commands its keys gave is kept beside: tests/covered.sh asks which never were. */
    const char *const journals = getenv("TRACETOP_JOURNALS");
    char journal[PATH_MAX];
    if (journals && argc < ARGUMENTS - 4) {
        snprintf(journal, sizeof journal, "%s/%s.log", journals, strrchr(r->test->folder, '/') + 1);
        argv[argc++] = "--log";
        argv[argc++] = journal;
        argv[argc++] = "-v";
    }
    if (!argv[0] || !here || (r->folder[0] && chdir(r->folder) != 0))
        broken(r, "cannot run here: ", r->test->suite->program);
    if (r->terminal) /* of a run before, which has ended */
        terminal_free(r->terminal);
    r->terminal = terminal_start(argv, r->env, r->columns, r->rows);
    if (chdir(here) != 0)
        broken(r, "cannot go back to ", here);
    free(here);
    free(line);
}

static void wait_for(struct run *r, const char *text, bool wanted)
{
    const int64_t end = now_ms() + PATIENCE_MS;
    int status;
    while (terminal_shows(running(r), text) != wanted) {
        if (now_ms() > end)
            broken(r,
                   wanted ? "the screen never shows: " : "the screen never stops showing: ", text);
        if (!terminal_pump(r->terminal, 100) && terminal_ended(r->terminal, &status) &&
            terminal_shows(r->terminal, text) != wanted)
            broken(r, "the program ended without showing: ", text);
    }
}

static void do_wait(struct run *r, const char *rest)
{
    wait_for(r, rest, true);
}

static void do_gone(struct run *r, const char *rest)
{
    wait_for(r, rest, false);
}

static bool has_row(const char *screen, const regex_t *pattern)
{
    return regexec(pattern, screen, 0, NULL, 0) == 0;
}

static void do_row(struct run *r, const char *rest)
{
    regex_t pattern;
    if (regcomp(&pattern, rest, REG_EXTENDED | REG_NEWLINE | REG_NOSUB) != 0)
        broken(r, "this is no regular expression: ", rest);
    const int64_t end = now_ms() + PATIENCE_MS;
    for (bool found = false; !found;) {
        char *const screen = terminal_text(running(r));
        found = has_row(screen, &pattern);
        free(screen);
        if (!found && now_ms() > end)
            broken(r, "no row of the screen ever matches: ", rest);
        while (!found && now_ms() <= end && !terminal_pump_some(r->terminal, 100))
            continue; /* the screen is what it was */
    }
    regfree(&pattern);
}

static void do_press(struct run *r, const char *rest)
{
    char *const line = strdup(rest);
    terminal_rest(running(r), REST_MS);
    for (char *key = strtok(line, " "); key; key = strtok(NULL, " "))
        if (!terminal_press(running(r), key))
            broken(r, "there is no key ", key);
    free(line);
}

static void do_type(struct run *r, const char *rest)
{
    terminal_rest(running(r), REST_MS);
    terminal_send(running(r), rest, strlen(rest));
}

/* What terminals send of the left button (SGR reports). */
static void send_button(struct run *r, unsigned button, int x, int y, char end)
{
    char text[64];
    terminal_rest(running(r), REST_MS);
    const int count = snprintf(text, sizeof text, "\033[<%u;%d;%d%c", button, x + 1, y + 1, end);
    terminal_send(running(r), text, (size_t)count);
}

static void do_click(struct run *r, const char *rest)
{
    int x, y;
    if (sscanf(rest, "%d %d", &x, &y) != 2) {
        broken(r, "click wants X Y, found ", rest);
        return;
    }
    send_button(r, 0, x, y, 'M');
    send_button(r, 0, x, y, 'm');
}

static void do_drag(struct run *r, const char *rest)
{
    enum { DRAGGED = 32 };
    int x, y, to;
    if (sscanf(rest, "%d %d %d", &x, &y, &to) != 3) {
        broken(r, "drag wants X Y TO, found ", rest);
        return;
    }
    send_button(r, 0, x, y, 'M');
    send_button(r, DRAGGED, (x + to) / 2, y, 'M');
    send_button(r, DRAGGED, to, y, 'M');
    send_button(r, 0, to, y, 'm');
}

static void do_wheel(struct run *r, const char *rest)
{
    enum { UP = 64, DOWN };
    char way[8];
    int x, y;
    if (sscanf(rest, "%7s %d %d", way, &x, &y) != 3)
        broken(r, "wheel wants up or down, X Y, found ", rest);
    send_button(r, strcmp(way, "up") == 0 ? UP : DOWN, x, y, 'M');
}

static void do_paste_open(struct run *r, const char *rest)
{
    terminal_send(running(r), "\033[200~", 6);
    terminal_send(running(r), rest, strlen(rest));
}

static void do_paste(struct run *r, const char *rest)
{
    do_paste_open(r, rest);
    terminal_send(running(r), "\033[201~", 6);
}

static void do_paste_bytes(struct run *r, const char *rest)
{
    const size_t count = (size_t)atol(rest);
    char *const bytes = malloc(count + 1);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (char)(i * 7 + i / 256);
    terminal_send(running(r), "\033[200~", 6);
    terminal_send(running(r), bytes, count);
    terminal_send(running(r), "\033[201~", 6);
    free(bytes);
}

static void do_resize(struct run *r, const char *rest)
{
    do_size(r, rest);
    terminal_resize(running(r), r->columns, r->rows);
}

static char *read_text(const char *path)
{
    FILE *const f = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!f)
        return strdup("");
    if (getdelim(&text, &room, '\0', f) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(f);
    return text;
}

/* The lines that differ, theirs under ours, for a person to read. */
static void print_difference(const char *expected, const char *found)
{
    for (unsigned line = 1; *expected || *found; line++) {
        const size_t a = strcspn(expected, "\n"), b = strcspn(found, "\n");
        if (a != b || memcmp(expected, found, a) != 0)
            fprintf(stderr, "line %u\n  expected |%.*s|\n  found    |%.*s|\n", line, (int)a,
                    expected, (int)b, found);
        expected += a + (expected[a] == '\n');
        found += b + (found[b] == '\n');
    }
}

static bool has_any(const char *line, size_t bytes, const char *const *texts)
{
    for (; *texts; texts++)
        if (memmem(line, bytes, *texts, strlen(*texts)))
            return true;
    return false;
}

/* The last line: keys, or for some seconds a message; where there is no room for keys, the state of
 * the session with its counts, or with a message. */
static bool is_calm(const char *line, size_t bytes)
{
    static const char *const calm[] = {"F1 Help",   "? Help",   "F10 Quit", "Esc Cancel",
                                       "Esc Close", "Esc Rows", " ev/s ",   NULL};
    return has_any(line, bytes, calm);
}

/* The same, but for a message that stands in one of them and is over, or not yet there, in the
 * other: how long it stands is the clock's affair, and scripts wait for what messages say. */
static bool same_screen(const char *a, const char *b)
{
    while (*a && *b) {
        const size_t of_a = strcspn(a, "\n"), of_b = strcspn(b, "\n");
        const bool is_same = of_a == of_b && memcmp(a, b, of_a) == 0;
        const bool is_last = strlen(a) <= of_a + 1 && strlen(b) <= of_b + 1;
        if (!is_same && !(is_last && is_calm(a, of_a) != is_calm(b, of_b)))
            return false;
        a += of_a + (a[of_a] == '\n');
        b += of_b + (b[of_b] == '\n');
    }
    return *a == *b;
}

/* The screen as the file has it already; or else once it has been still for longer than an interval,
 * while the program had nothing to do: what --update writes. */
static char *still_screen(struct run *r, const char *was)
{
    char *last = mask(r, terminal_text(running(r)));
    int64_t since = now_ms();
    while (!same_screen(was, last) && now_ms() - since < r->test->suite->quiet_ms) {
        const int64_t begun = now_ms();
        terminal_rest(r->terminal, PATIENCE_MS);
        const bool was_busy = now_ms() - begun > BUSY_MS;
        terminal_pump(r->terminal, BUSY_MS);
        char *const now = mask(r, terminal_text(r->terminal));
        if (was_busy || strcmp(now, last) != 0)
            since = now_ms();
        free(last);
        last = now;
    }
    return last;
}

static void update(struct run *r, const char *path)
{
    char *const was = read_text(path);
    char *const text = still_screen(r, was);
    if (!same_screen(was, text)) {
        FILE *const f = fopen(path, "w");
        if (!f || fputs(text, f) < 0 || fclose(f))
            broken(r, "cannot write ", path);
    }
    free(text);
    free(was);
}

static void do_screen(struct run *r, const char *rest)
{
    char path[700];
    snprintf(path, sizeof path, "%s/%s.txt", r->test->folder, rest);
    if (r->test->suite->update) {
        update(r, path);
        return;
    }
    char *const expected = read_text(path);
    const int64_t end = now_ms() + PATIENCE_MS;
    for (;;) {
        char *const found = mask(r, terminal_text(running(r)));
        const bool same = same_screen(expected, found);
        if (!same && now_ms() > end) {
            print_difference(expected, found);
            broken(r, "the screen differs from ", path);
        }
        free(found);
        if (same)
            break;
        while (now_ms() <= end && !terminal_pump(r->terminal, 50))
            continue; /* the screen is what it was */
    }
    free(expected);
}

static const struct {
    const char *name;
    int number;
} signals[] = {
    {"TERM", SIGTERM}, {"INT", SIGINT},     {"SEGV", SIGSEGV},
    {"HUP", SIGHUP},   {"WINCH", SIGWINCH}, {"ABRT", SIGABRT},
};

static int signal_number(struct run *r, const char *name)
{
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (strcmp(signals[i].name, name) == 0)
            return signals[i].number;
    broken(r, "there is no signal ", name);
    return 0;
}

static void do_signal(struct run *r, const char *rest)
{
    terminal_signal(running(r), signal_number(r, rest));
}

static int end_of(struct run *r)
{
    int status = 0;
    const int64_t end = now_ms() + PATIENCE_MS;
    while (!terminal_ended(running(r), &status)) {
        if (now_ms() > end)
            broken(r, "the program does not end", "");
        terminal_pump(r->terminal, 20);
    }
    return status;
}

static void do_exit(struct run *r, const char *rest)
{
    char found[64];
    const int status = end_of(r);
    if (WIFEXITED(status))
        snprintf(found, sizeof found, "%d", WEXITSTATUS(status));
    else
        snprintf(found, sizeof found, "signal %d", WTERMSIG(status));
    if (strncmp(rest, "signal ", 7) == 0
            ? !WIFSIGNALED(status) || WTERMSIG(status) != signal_number(r, rest + 7)
            : strcmp(found, rest) != 0)
        broken(r, "the program ended with ", found);
}

static void do_restored(struct run *r, const char *rest)
{
    const char *sentence;
    (void)rest;
    end_of(r);
    if (!terminal_is_restored(r->terminal, &sentence))
        broken(r, sentence, "");
}

static void do_uncolored(struct run *r, const char *rest)
{
    size_t count;
    const uint8_t *const bytes = terminal_bytes(running(r), &count);
    (void)rest;
    if (sets_color(bytes, count))
        broken(r, "a color was set", "");
}

static void do_ascii(struct run *r, const char *rest)
{
    size_t count;
    const uint8_t *const bytes = terminal_bytes(running(r), &count);
    (void)rest;
    for (size_t i = 0; i < count; i++)
        if (bytes[i] >= 0x80)
            broken(r, "a byte beyond ASCII was written", "");
}

static void do_meters(struct run *r, const char *rest)
{
    (void)rest;
    r->shows_meters = true;
}

static const struct {
    const char *name;
    void (*run)(struct run *r, const char *rest);
} steps[] = {
    {"folder", do_folder},
    {"files", do_files},
    {"need", do_need},
    {"size", do_size},
    {"env", do_env},
    {"run", do_run},
    {"wait", do_wait},
    {"gone", do_gone},
    {"row", do_row},
    {"press", do_press},
    {"type", do_type},
    {"click", do_click},
    {"drag", do_drag},
    {"wheel", do_wheel},
    {"paste", do_paste},
    {"paste-bytes", do_paste_bytes},
    {"paste-open", do_paste_open},
    {"resize", do_resize},
    {"screen", do_screen},
    {"signal", do_signal},
    {"exit", do_exit},
    {"room", do_room},
    {"shell", do_shell},
    {"ascii", do_ascii},
    {"restored", do_restored},
    {"uncolored", do_uncolored},
    {"meters", do_meters},
};

static void run_line(struct run *r, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    if (!line[0] || line[0] == '#')
        return;
    const size_t length = strcspn(line, " ");
    const char *const rest = line[length] ? line + length + 1 : "";
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (strlen(steps[i].name) == length && memcmp(steps[i].name, line, length) == 0) {
            steps[i].run(r, rest);
            return;
        }
    }
    broken(r, "unknown step: ", line);
}

static void check_bytes(struct run *r)
{
    size_t count, where = 0;
    const uint8_t *const bytes = terminal_bytes(r->terminal, &count);
    const char *const sentence = stray(bytes, count, &where);
    if (!sentence)
        return;
    char detail[160];
    int used = snprintf(detail, sizeof detail, " at byte %zu:", where);
    for (size_t i = where; i < count && i < where + 12; i++)
        used += snprintf(detail + used, sizeof detail - (size_t)used, " %02x", bytes[i]);
    broken(r, sentence, detail);
}

/* The folder of a case belongs to the repository: the program leaves nothing in it. */
static unsigned count_files(const char *folder)
{
    unsigned count = 0;
    DIR *const d = opendir(folder);
    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count;
}

static void screen_case(void **state)
{
    struct run r = {.test = *state, .columns = 80, .rows = 24};
    const unsigned files = count_files(r.test->folder);
    char path[500];
    snprintf(path, sizeof path, "%s/script", r.test->folder);
    FILE *const f = fopen(path, "r");
    if (!f)
        fail_msg("%s: cannot be read", path);
    char *line = NULL;
    size_t room = 0;
    while (!r.skipped && getline(&line, &room, f) >= 0) {
        r.line++;
        run_line(&r, line);
    }
    free(line);
    fclose(f);
    for (unsigned i = 0; i < r.env_count; i++)
        free((char *)r.env[i]);
    if (r.terminal) {
        check_bytes(&r);
        terminal_free(r.terminal);
    }
    leave_room(&r);
    remove_folder(&r);
    if (!r.test->suite->update && count_files(r.test->folder) != files)
        fail_msg("%s: the program left a file here", r.test->folder);
    if (r.skipped)
        skip();
}

/* The look at bytes can fail, too. */
static void stray_bytes_are_found(void **state)
{
    static const struct {
        const char *bytes;
        bool is_stray;
    } rows[] = {
        {"plain \xe2\x94\x82 text\r\n", false},
        {"\x1b[?1049h\x1b[1;24r\x1b(B\x1b[m\x1b[38;5;12m\x1b[4l\x1b=", false},
        {"cut off \x1b[12", false},
        {"a\x1b]0;pwn\x07"
         "b",
         true},
        {"\x1bPq\x1b\\", true},
        {"\x1b_x\x1b\\", true},
        {"\x1b[5i", true},
        {"\x7f", true},
        {"\x05", true},
        {"\xc2\x9b"
         "31m",
         true},
        {"\xe2\x80\xae", true},
        {"\xe2\x81\xa6", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t where;
        const uint8_t *const bytes = (const uint8_t *)rows[i].bytes;
        if ((stray(bytes, strlen(rows[i].bytes), &where) != NULL) != rows[i].is_stray)
            fail_msg("row %zu", i);
    }
}

/* A program that shows half of a screen, works for longer than update() waits for a still one, and
 * shows the rest; and the same screen, found again in the file, is not written. */
static void updates_wait_for_the_whole(void **state)
{
    static const char program[] =
        "#!/bin/sh\nprintf 'half '; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done\n"
        "printf 'whole'; read line\n";
    char room[] = "/tmp/tracetop-update-XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(room));
    struct suite suite = {.folder = room, .update = true, .quiet_ms = 4 * BUSY_MS};
    struct screen_case one = {.suite = &suite};
    snprintf(suite.program, sizeof suite.program, "%s/program", room);
    snprintf(one.folder, sizeof one.folder, "%s", room);
    file_put(suite.program, program);
    assert_int_equal(chmod(suite.program, 0700), 0);
    snprintf(path, sizeof path, "%s/script", room);
    file_put(path, "run\nwait half\nscreen all\n");
    screen_case(&(void *){&one});
    snprintf(path, sizeof path, "%s/all.txt", room);
    char *const found = read_text(path);
    assert_int_equal(strncmp(found, "half whole\n", strlen("half whole\n")), 0);
    free(found);
    assert_int_equal(chmod(path, 0400), 0);
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    screen_case(&(void *){&one});
    assert_int_equal(stat(path, &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    assert_int_equal(folder_remove(room), 0);
}

/* ---- all cases ------------------------------------------------------------------------------ */

/* Two or three digits before the name. */
static size_t digits_of(const struct dirent *d)
{
    return strspn(d->d_name, "0123456789");
}

static int is_case(const struct dirent *d)
{
    const size_t digits = digits_of(d);
    return (digits == 2 || digits == 3) && d->d_name[digits] == '-';
}

/* The script's first line says what the case shows. */
static void check_first_line(const char *folder, const char *name)
{
    char path[500], line[300] = "";
    snprintf(path, sizeof path, "%s/%s/script", folder, name);
    FILE *const f = fopen(path, "r");
    if (!f)
        fail_msg("%s: cannot be read", path);
    if (!fgets(line, sizeof line, f) || strncmp(line, "# ", 2) != 0 || strlen(line) < 12)
        fail_msg("%s: the first line does not say what it shows: expected \"# \" and a sentence", path);
    fclose(f);
}

/* Each number names one case, and each case says what it shows. */
static void cases_are_distinguished(void **state)
{
    const struct suite *const suite = *state;
    struct dirent **names;
    const int count = scandir(suite->folder, &names, is_case, alphasort);
    for (int i = 0; i < count; i++) {
        const size_t digits = digits_of(names[i]);
        if (i && memcmp(names[i]->d_name, names[i - 1]->d_name, digits + 1) == 0)
            fail_msg("%s and %s have one number", names[i - 1]->d_name, names[i]->d_name);
        check_first_line(suite->folder, names[i]->d_name);
    }
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* usage: screens [--update] [--cases FOLDER] PROGRAM [PART OF A CASE'S NAME] */
int main(int argc, char **argv)
{
    struct suite suite = {.folder = "tests/screens", .quiet_ms = QUIET_MS};
    char **words = argv + 1;
    if (argc > 1 && strcmp(words[0], "--update") == 0) {
        suite.update = true;
        words++;
    }
    if (words[0] && words[1] && strcmp(words[0], "--cases") == 0) {
        suite.folder = words[1];
        words += 2;
    }
    int part = 1, parts = 1; /* every so many cases, from this one on */
    if (words[0] && words[1] && strcmp(words[0], "--part") == 0) {
        if (sscanf(words[1], "%d/%d", &part, &parts) != 2 || part < 1 || part > parts)
            return fprintf(stderr, "--part %s: expected PART/PARTS, such as 1/4\n", words[1]), 2;
        words += 2;
    }
    if (!words[0])
        return fprintf(stderr, "usage: screens [--update] [--cases FOLDER] [--part PART/PARTS] "
                               "PROGRAM [CASE]\n"),
               2;
    snprintf(suite.program, sizeof suite.program, "%s", words[0]);

    struct dirent **names;
    const int count = scandir(suite.folder, &names, is_case, alphasort);
    if (count <= 0)
        return fprintf(stderr, "%s holds no cases; run from the root\n", suite.folder), 2;
    struct screen_case *const cases = calloc((size_t)count, sizeof *cases);
    struct CMUnitTest *const tests = calloc((size_t)count + 3, sizeof *tests);
    size_t used = 0;
    if (part == 1) {
        tests[used++] = (struct CMUnitTest)cmocka_unit_test(stray_bytes_are_found);
        tests[used++] =
            (struct CMUnitTest)cmocka_unit_test_prestate(cases_are_distinguished, &suite);
        tests[used++] = (struct CMUnitTest)cmocka_unit_test(updates_wait_for_the_whole);
    }
    for (int i = 0; i < count; i++) {
        if (i % parts != part - 1 || (words[1] && !strstr(names[i]->d_name, words[1])))
            continue;
        struct screen_case *const c = &cases[i];
        c->suite = &suite;
        snprintf(c->folder, sizeof c->folder, "%s/%s", suite.folder,
                 names[i]->d_name);
        tests[used++] = (struct CMUnitTest){.name = c->folder + strlen(suite.folder) + 1,
                                            .test_func = screen_case,
                                            .initial_state = c};
    }
    const int failed = _cmocka_run_group_tests("screens", tests, used, NULL, NULL);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    free(cases);
    free(tests);
    return failed != 0;
}
