/* Events of your own program in tracetop, on Linux: on its screen, in its recordings and recorders,
 * as marks with a level and fields. One file without dependencies, for C99 and C++.
 *
 *     #include "tracetop_event.h"
 *     tracetop_event(TRACETOP_WARNING, "payment failed", "order=17", "shop=berlin", NULL);
 *
 * Filter by `class=mark order=17`, count by `--by 'shop | count where class=mark'`. Values that are
 * decimal numbers are kept as numbers.
 *
 * It needs the compiler's own dialect (-std=gnu99 and later, the default) or -D_GNU_SOURCE. It
 * reaches what runs as the same user, and waits until each has answered, 0.2 s at most; where
 * none runs it costs some microseconds. Any thread may call it. It opens descriptors and closes
 * them, keeps no state and sets errno. */
#ifndef SRC_TRACETOP_EVENT_H
#define SRC_TRACETOP_EVENT_H

#include <dirent.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum tracetop_level {
    TRACETOP_CRITICAL = 1,
    TRACETOP_ERROR,
    TRACETOP_WARNING,
    TRACETOP_INFO,
    TRACETOP_VERBOSE
};

/* The folder of this user's endpoints; 0: there is none, or others could write to it. */
static inline int tracetop_event_folder(char *to, size_t room)
{
    const char *const runtime_dir = getenv("XDG_RUNTIME_DIR");
    const unsigned user = (unsigned)geteuid();
    struct stat s;
    char by_user[32];
    snprintf(by_user, sizeof by_user, "/run/user/%u", user);
    if (runtime_dir && runtime_dir[0] == '/' && stat(runtime_dir, &s) == 0 && s.st_uid == user)
        snprintf(to, room, "%s/tracetop", runtime_dir);
    else if (stat(by_user, &s) == 0 && s.st_uid == user)
        snprintf(to, room, "%s/tracetop", by_user);
    else
        snprintf(to, room, "/tmp/tracetop-%u", user);
    return lstat(to, &s) == 0 && S_ISDIR(s.st_mode) && !(s.st_mode & 077) &&
           (s.st_uid == user || s.st_uid == 0);
}

/* Adds a separator and a text without separators and line ends; 0: there is no room for it. */
static inline int tracetop_event_add(char *line, size_t room, size_t *used, const char *text)
{
    const size_t bytes = strlen(text);
    size_t i;
    if (*used + bytes + 2 > room)
        return 0;
    line[(*used)++] = '\x1f';
    for (i = 0; i < bytes; i++)
        line[(*used)++] = strchr("\n\r\x1f", text[i]) ? ' ' : text[i];
    return 1;
}

/* Sends the line to one endpoint; 1: it has become a mark there. */
static inline int tracetop_event_send(const struct sockaddr_un *to, const char *line, size_t bytes)
{
    char answer[4] = "";
    struct pollfd p;
    int is_taken = 0;
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    p.fd = s;
    p.events = POLLIN;
    if (s >= 0 && connect(s, (const struct sockaddr *)to, sizeof *to) == 0 &&
        send(s, line, bytes, MSG_NOSIGNAL) == (ssize_t)bytes && poll(&p, 1, 200) > 0)
        is_taken = recv(s, answer, 2, 0) == 2 && memcmp(answer, "ok", 2) == 0;
    if (s >= 0)
        close(s);
    return is_taken;
}

/* A mark with a level, a text, and fields "NAME=VALUE" (names of letters, digits and _; at most 16)
 * up to NULL. How many monitors and recordings took it; -1: text and fields are more than 4000
 * bytes. */
static inline int tracetop_event(enum tracetop_level level, const char *text, ...)
{
    char line[4096], folder[sizeof((struct sockaddr_un *)0)->sun_path - sizeof "/4294967295.sock"];
    struct sockaddr_un to;
    struct timespec now;
    struct dirent *e;
    const char *field;
    size_t used;
    va_list fields;
    int taken = 0, fits = 1;
    DIR *d;
    if (!tracetop_event_folder(folder, sizeof folder) || !(d = opendir(folder)))
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    used = (size_t)snprintf(line, sizeof line, "mark \x1f%d %ld %ld %lld", (int)level,
                            (long)getpid(), (long)syscall(SYS_gettid),
                            (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    va_start(fields, text);
    while (fits && (field = va_arg(fields, const char *)))
        fits = tracetop_event_add(line, 4000, &used, field);
    va_end(fields);
    fits = fits && tracetop_event_add(line, 4000, &used, text);
    line[used++] = '\n';
    while (fits && (e = readdir(d))) {
        const char *const dot = strrchr(e->d_name, '.');
        memset(&to, 0, sizeof to);
        to.sun_family = AF_UNIX;
        if (dot && strcmp(dot, ".sock") == 0 && strlen(e->d_name) < sizeof "4294967295.sock") {
            snprintf(to.sun_path, sizeof to.sun_path, "%s/%.15s", folder, e->d_name);
            taken += tracetop_event_send(&to, line, used);
        }
    }
    closedir(d);
    return fits ? taken : -1;
}

#endif
