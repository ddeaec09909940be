/* The terminal on Linux: a device with termios modes, described by terminfo. */
#include "ui/term/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

bool terminal_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

struct color_hints terminal_hints(void)
{
    return (struct color_hints){
        .no_color = getenv("NO_COLOR"),
        .term = getenv("TERM"),
        .colorterm = getenv("COLORTERM"),
        .colors = -1,
    };
}

/* ---- it is given back whatever happens ------------------------------------------------- */

/* A crash must restore the terminal from a signal handler, which can reach nothing but
 * file scope. Written before the handlers are installed. */
static struct {
    volatile sig_atomic_t is_armed;
    struct termios modes;
    struct os_wakeup *wake;
    char text[256];
    size_t bytes;
} rescue;

static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
enum { CRASHES = sizeof crashes / sizeof *crashes };
static struct sigaction before_crash[CRASHES];

void terminal_send(const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t sent = write(STDOUT_FILENO, text, bytes);
        if (sent <= 0)
            return;
        text += sent;
        bytes -= (size_t)sent;
    }
}

static void rescue_now(void)
{
    if (!rescue.is_armed)
        return;
    rescue.is_armed = 0;
    terminal_send(rescue.text, rescue.bytes);
    tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
}

/* Only async-signal-safe calls: write, tcsetattr, sigaction, raise. Whoever handled the
 * signal before us (a sanitizer, the system) gets it next. */
static void crashed(int signal)
{
    rescue_now();
    for (int i = 0; i < CRASHES; i++)
        if (crashes[i] == signal)
            sigaction(signal, &before_crash[i], NULL);
    raise(signal);
}

bool terminal_open(struct os_wakeup *wake, struct err *err)
{
    rescue.wake = wake;
    return tcgetattr(STDIN_FILENO, &rescue.modes) == 0 ||
           fail(err, "standard input is not a terminal; --headless runs without one");
}

FILE *terminal_output(void)
{
    return stdout;
}

FILE *terminal_input(void)
{
    return stdin;
}

const char *const *terminal_types(void)
{
    static const char *const none[] = {NULL};
    return none;
}

void terminal_take(const char *text)
{
    const size_t length = strlen(text);
    rescue.bytes = length < sizeof rescue.text ? length : 0;
    memcpy(rescue.text, text, rescue.bytes);
    rescue.is_armed = 1;
    const struct sigaction action = {.sa_handler = crashed};
    for (int i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &action, &before_crash[i]);
    atexit(rescue_now);
    signal(SIGTSTP, SIG_DFL); /* ours to send, see terminal_stop() */
}

void terminal_give_back(void)
{
    rescue.is_armed = 0;
    for (int i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &before_crash[i], NULL);
    tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
}

const char *terminal_mouse(bool on)
{
    return on ? MOUSE_ON : MOUSE_OFF;
}

bool terminal_can_stop(void)
{
    return true;
}

void terminal_stop(void)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
    raise(SIGTSTP);
}

int terminal_cells(wchar_t character)
{
    return wcwidth(character);
}

/* ---- keys -------------------------------------------------------------------------------- */

/* Signals signal the wakeup too. */
unsigned terminal_wait(int milliseconds)
{
    struct pollfd from[2] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = os_wakeup_descriptor(rescue.wake), .events = POLLIN},
    };
    if (poll(from, 2, milliseconds) < 0)
        return errno == EINTR ? 0 : TERMINAL_GONE;
    if (from[1].revents)
        os_wakeup_wait(rescue.wake, 0);
    if (from[0].revents & POLLIN)
        return TERMINAL_KEYS;
    return from[0].revents & (POLLHUP | POLLERR | POLLNVAL) ? TERMINAL_GONE : 0;
}

/* The system knows, and a signal says when it changes. */
void terminal_ask_size(void)
{
}

size_t terminal_read(void *to, size_t room)
{
    ssize_t got;
    do
        got = read(STDIN_FILENO, to, room);
    while (got < 0 && (errno == EINTR || errno == EAGAIN));
    return got > 0 ? (size_t)got : 0;
}
