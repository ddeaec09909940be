#include "tests/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <vterm.h>

struct terminal {
    VTerm *vt;
    VTermScreen *screen;
    int master, slave; /* the slave stays open here to see its settings afterwards */
    pid_t pid;
    int status;
    bool has_ended;
    bool alternate, cursor_hidden, mouse;
    struct termios before;
    int columns, rows;
    uint8_t *bytes;
    size_t count, room;
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- starting ------------------------------------------------------------------- */

static int property_changed(VTermProp property, VTermValue *value, void *user)
{
    struct terminal *const t = user;
    if (property == VTERM_PROP_ALTSCREEN)
        t->alternate = value->boolean;
    if (property == VTERM_PROP_CURSORVISIBLE)
        t->cursor_hidden = !value->boolean;
    if (property == VTERM_PROP_MOUSE)
        t->mouse = value->number != VTERM_PROP_MOUSE_NONE;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = property_changed};

static void make_screen(struct terminal *t)
{
    t->vt = vterm_new(t->rows, t->columns);
    vterm_set_utf8(t->vt, 1);
    t->screen = vterm_obtain_screen(t->vt);
    vterm_screen_set_callbacks(t->screen, &callbacks, t);
    vterm_screen_enable_altscreen(t->screen, 1);
    vterm_screen_reset(t->screen, 1);
}

static void make_terminal(struct terminal *t)
{
    t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (t->master < 0 || grantpt(t->master) || unlockpt(t->master))
        die("pseudo-terminal");
    t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (t->slave < 0 || tcgetattr(t->slave, &t->before) ||
        fcntl(t->master, F_SETFL, O_RDWR | O_NONBLOCK))
        die("pseudo-terminal");
    const struct winsize size = {.ws_col = (unsigned short)t->columns,
                                 .ws_row = (unsigned short)t->rows};
    if (ioctl(t->slave, TIOCSWINSZ, &size))
        die("window size");
}

static void set_environment(const char *const *env)
{
    static const char *const fixed[][2] = {
        {"TERM", "xterm-256color"},
        {"LANG", "C.UTF-8"},
        {"TZ", "UTC"},
        {"TRACETOP_CONFIG", "/nonexistent/tracetop.conf"},
    };
    static const char *const absent[] = {"LC_ALL",    "LC_CTYPE", "NO_COLOR",
                                         "COLORTERM", "LINES",    "COLUMNS"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        unsetenv(absent[i]);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        setenv(fixed[i][0], fixed[i][1], 1);
    for (; env && *env; env++) {
        char *const copy = strdup(*env);
        if (strchr(copy, '='))
            putenv(copy);
        else
            unsetenv(copy);
    }
}

static void run_child(const struct terminal *t, const char *const *argv, const char *const *env)
{
    setsid();
    if (ioctl(t->slave, TIOCSCTTY, 0))
        die("controlling terminal");
    for (int fd = 0; fd < 3; fd++)
        if (dup2(t->slave, fd) < 0)
            die("dup2");
    set_environment(env);
    execv(argv[0], (char *const *)argv);
    die(argv[0]);
}

struct terminal *terminal_start(const char *const *argv, const char *const *env, int columns,
                                int rows)
{
    struct terminal *const t = calloc(1, sizeof *t);
    if (!t)
        die("terminal");
    t->columns = columns;
    t->rows = rows;
    make_terminal(t);
    make_screen(t);
    t->pid = fork();
    if (t->pid < 0)
        die("fork");
    if (t->pid == 0)
        run_child(t, argv, env);
    return t;
}

void terminal_free(struct terminal *t)
{
    int status;
    if (!terminal_ended(t, &status)) {
        kill(t->pid, SIGKILL);
        waitpid(t->pid, &status, 0);
    }
    close(t->master);
    close(t->slave);
    vterm_free(t->vt);
    free(t->bytes);
    free(t);
}

/* ---- output of the program --------------------------------------------------------- */

static void keep(struct terminal *t, const char *bytes, size_t count)
{
    if (t->count + count > t->room) {
        t->room = (t->count + count) * 2;
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes)
            die("terminal output");
    }
    memcpy(t->bytes + t->count, bytes, count);
    t->count += count;
}

/* What the terminal itself answers when asked (device attributes, cursor position). */
static void answer(struct terminal *t)
{
    char part[256];
    for (size_t got; (got = vterm_output_read(t->vt, part, sizeof part)) > 0;)
        terminal_send(t, part, got);
}

/* Takes at most `room` bytes, once they come; 0 when none do. */
static size_t take(struct terminal *t, size_t room, int timeout_ms)
{
    struct pollfd p = {.fd = t->master, .events = POLLIN};
    char part[65536];
    if (poll(&p, 1, timeout_ms) <= 0 || !(p.revents & POLLIN))
        return 0;
    const ssize_t got = read(t->master, part, room < sizeof part ? room : sizeof part);
    if (got <= 0)
        return 0;
    keep(t, part, (size_t)got);
    vterm_input_write(t->vt, part, (size_t)got);
    answer(t);
    return (size_t)got;
}

bool terminal_pump(struct terminal *t, int timeout_ms)
{
    bool any = false;
    while (take(t, SIZE_MAX, any ? 0 : timeout_ms))
        any = true;
    return any;
}

bool terminal_pump_some(struct terminal *t, int timeout_ms)
{
    enum { SOME = 1024 };
    return take(t, SOME, timeout_ms) != 0;
}

pid_t terminal_pid(const struct terminal *t)
{
    return t->pid;
}

bool terminal_ended(struct terminal *t, int *status)
{
    if (!t->has_ended && waitpid(t->pid, &t->status, WNOHANG) == t->pid) {
        t->has_ended = true;
        terminal_pump(t, 0);
    }
    *status = t->status;
    return t->has_ended;
}

/* What stands behind the name in a thread's stat: the name may hold anything, ") R" too. */
static char thread_state(pid_t pid, const char *thread)
{
    char path[96], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)pid, thread);
    FILE *const f = fopen(path, "r");
    if (!f)
        return 'X';
    const size_t got = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[got] = '\0';
    const char *const end = strrchr(line, ')');
    return end && end[1] == ' ' ? end[2] : 'X';
}

/* Nobody computes and nobody waits for a processor. */
static bool all_sleep(pid_t pid)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *const threads = opendir(path);
    bool asleep = true;
    if (!threads)
        return true;
    for (const struct dirent *d; asleep && (d = readdir(threads));)
        asleep = d->d_name[0] == '.' || !strchr("RD", thread_state(pid, d->d_name));
    closedir(threads);
    return asleep;
}

void terminal_rest(struct terminal *t, int patience_ms)
{
    enum { LOOK_MS = 5, LOOKS = 3 };
    int status;
    for (int quiet = 0; quiet < LOOKS && patience_ms > 0; patience_ms -= LOOK_MS) {
        if (terminal_ended(t, &status))
            return;
        quiet = !terminal_pump(t, LOOK_MS) && all_sleep(t->pid) ? quiet + 1 : 0;
    }
}

/* ---- input to the program ------------------------------------------------------------ */

/* A program that waits until its output is read reads no keys: the output is taken meanwhile. */
void terminal_send(struct terminal *t, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count) {
        const ssize_t put = write(t->master, at, count);
        if (put < 0 && errno != EINTR && errno != EAGAIN)
            die("terminal input");
        if (put > 0) {
            at += put;
            count -= (size_t)put;
        } else {
            terminal_pump(t, 10);
        }
    }
}

struct key {
    const char *name, *bytes;
};

/* As xterm sends them with keypad_transmit on. */
static const struct key keys[] = {
    {"Enter", "\r"},       {"Esc", "\x1b"},     {"Tab", "\t"},      {"S-Tab", "\x1b[Z"},
    {"Backspace", "\x7f"}, {"Space", " "},      {"Up", "\x1bOA"},   {"Down", "\x1bOB"},
    {"Right", "\x1bOC"},   {"Left", "\x1bOD"},  {"Home", "\x1bOH"}, {"End", "\x1bOF"},
    {"C-Home", "\x1b[1;5H"}, {"C-End", "\x1b[1;5F"},
    {"S-Up", "\x1b[1;2A"}, {"S-Down", "\x1b[1;2B"}, {"PgUp", "\x1b[5~"},   {"PgDn", "\x1b[6~"}, {"Del", "\x1b[3~"}, {"F1", "\x1bOP"},
    {"F2", "\x1bOQ"},      {"F3", "\x1bOR"},    {"F4", "\x1bOS"},   {"F5", "\x1b[15~"},
    {"F6", "\x1b[17~"},    {"F7", "\x1b[18~"},  {"F8", "\x1b[19~"}, {"F9", "\x1b[20~"},
    {"F10", "\x1b[21~"},
};

bool terminal_press(struct terminal *t, const char *key)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, key) == 0) {
            terminal_send(t, keys[i].bytes, strlen(keys[i].bytes));
            return true;
        }
    }
    if (key[0] == 'C' && key[1] == '-' && key[2] && !key[3]) {
        const char control = (char)(key[2] & 0x1f);
        terminal_send(t, &control, 1);
        return true;
    }
    const unsigned char first = (unsigned char)key[0];
    const size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (strlen(key) != bytes)
        return false;
    terminal_send(t, key, bytes);
    return true;
}

void terminal_resize(struct terminal *t, int columns, int rows)
{
    const struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    t->columns = columns;
    t->rows = rows;
    terminal_pump(t, 0);
    vterm_set_size(t->vt, rows, columns);
    if (ioctl(t->master, TIOCSWINSZ, &size))
        die("window size");
}

void terminal_signal(struct terminal *t, int signal)
{
    kill(t->pid, signal);
}

/* ---- looking ------------------------------------------------------------------------- */

static size_t put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(lead[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

static size_t put_cell(const struct terminal *t, int column, int row, char *to, int *width)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(t->screen, (VTermPos){.row = row, .col = column}, &cell);
    *width = cell.width > 0 ? cell.width : 1;
    size_t used = 0;
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
        if (cell.chars[i] != (uint32_t)-1)
            used += put_utf8(to + used, cell.chars[i]);
    if (used == 0)
        to[used++] = ' ';
    return used;
}

/* One line without trailing blanks; `to` has room for the widest possible. */
static size_t put_line(const struct terminal *t, int row, char *to)
{
    size_t used = 0, end = 0;
    for (int column = 0, width; column < t->columns; column += width) {
        used += put_cell(t, column, row, to + used, &width);
        if (to[used - 1] != ' ')
            end = used;
    }
    return end;
}

static size_t line_room(const struct terminal *t)
{
    return (size_t)t->columns * VTERM_MAX_CHARS_PER_CELL * 4 + 2;
}

char *terminal_text(struct terminal *t)
{
    char *const text = malloc(line_room(t) * (size_t)t->rows + 1);
    if (!text)
        die("screen");
    size_t used = 0;
    for (int row = 0; row < t->rows; row++) {
        used += put_line(t, row, text + used);
        text[used++] = '\n';
    }
    text[used] = '\0';
    return text;
}

int terminal_find(struct terminal *t, const char *text)
{
    char *const screen = terminal_text(t);
    const char *const found = strstr(screen, text);
    int line = found ? 0 : -1;
    for (const char *c = screen; c < found; c++)
        line += *c == '\n';
    free(screen);
    return line;
}

bool terminal_is_restored(struct terminal *t, const char **sentence)
{
    struct termios now;
    if (tcgetattr(t->slave, &now))
        die("terminal settings");
    const bool same = now.c_iflag == t->before.c_iflag && now.c_oflag == t->before.c_oflag &&
                      now.c_cflag == t->before.c_cflag && now.c_lflag == t->before.c_lflag;
    *sentence = t->alternate       ? "the alternate screen is still on"
                : t->cursor_hidden ? "the cursor is still hidden"
                : t->mouse         ? "the mouse is still captured"
                : !same            ? "the line discipline differs"
                                   : NULL;
    return *sentence == NULL;
}

const uint8_t *terminal_bytes(const struct terminal *t, size_t *count)
{
    *count = t->count;
    return t->bytes;
}
