/* A small web server on this machine, in a thread of the test. The first part of a path says how it
 * behaves; what follows names a file below its folder:
 *
 *   /files/…     the file, or 404
 *   /short/…     half of it, and then the connection ends
 *   /unsized/…   likewise, and its size is not announced
 *   /silent/…    takes the request and never answers
 *   /broken/…    500
 *   /moved/…     302 to /files/…
 *   /away/…      302 to file:///…
 *   /wrong/…     the file "other", whatever is asked for */
#ifndef TESTS_UNIT_WEB_SERVER_H
#define TESTS_UNIT_WEB_SERVER_H

#include "tests/test.h"

#include "src/os/os.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct web_server {
    const char *folder;
    int listener, stop[2];
    unsigned port;
    _Atomic unsigned requests;
    char last[1024]; /* path; read it when nothing runs */
    int kept[64];    /* connections that are never answered */
    unsigned kept_count;
    struct os_thread *thread;
};

static inline void web_put(int to, const void *bytes, size_t count)
{
    while (count) {
        const ssize_t put = send(to, bytes, count, MSG_NOSIGNAL);
        if (put <= 0)
            return;
        bytes = (const char *)bytes + put;
        count -= (size_t)put;
    }
}

static inline void web_put_text(int to, const char *text)
{
    web_put(to, text, strlen(text));
}

static inline void web_put_file(const struct web_server *w, int to, const char *name, bool is_sized,
                                unsigned parts)
{
    char path[2048], head[256];
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    FILE *const f = fopen(path, "rb");
    if (!f) {
        web_put_text(
            to, "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n");
        return;
    }
    fseek(f, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(f);
    char *const all = malloc(bytes + 1);
    rewind(f);
    assert_int_equal(fread(all, 1, bytes, f), bytes);
    fclose(f);
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nConnection: close\r\n");
    if (is_sized)
        snprintf(head + strlen(head), sizeof head - strlen(head), "Content-Length: %zu\r\n", bytes);
    web_put_text(to, head);
    web_put_text(to, "\r\n");
    web_put(to, all, bytes / parts);
    free(all);
}

static inline void web_move(int to, const char *address, const char *rest)
{
    char head[2048];
    snprintf(
        head, sizeof head,
        "HTTP/1.1 302 Found\r\nLocation: %s%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        address, rest);
    web_put_text(to, head);
}

/* True: the connection stays open. */
static inline bool web_answer(struct web_server *w, int to, const char *path)
{
    char how[32] = "", rest[1024] = "";
    sscanf(path, "/%31[^/]/%1023s", how, rest);
    if (strcmp(how, "silent") == 0)
        return true;
    if (strcmp(how, "broken") == 0)
        web_put_text(to, "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    else if (strcmp(how, "moved") == 0)
        web_move(to, "/files/", rest);
    else if (strcmp(how, "away") == 0)
        web_move(to, "file:///", rest);
    else if (strcmp(how, "wrong") == 0)
        web_put_file(w, to, "other", true, 1);
    else
        web_put_file(w, to, rest, strcmp(how, "unsized") != 0, strcmp(how, "files") == 0 ? 1 : 2);
    return false;
}

static inline void web_serve(struct web_server *w, int to)
{
    char request[8192] = "";
    size_t used = 0;
    while (!strstr(request, "\r\n\r\n") && used < sizeof request - 1) {
        const ssize_t got = recv(to, request + used, sizeof request - 1 - used, 0);
        if (got <= 0)
            break;
        used += (size_t)got;
        request[used] = '\0';
    }
    bool stays = false;
    if (sscanf(request, "GET %1023s", w->last) == 1) {
        atomic_fetch_add(&w->requests, 1);
        stays = web_answer(w, to, w->last);
    }
    if (stays && w->kept_count < 64)
        w->kept[w->kept_count++] = to;
    else
        close(to);
}

static inline void web_run(void *arg)
{
    struct web_server *const w = arg;
    for (;;) {
        struct pollfd fds[] = {{.fd = w->listener, .events = POLLIN},
                               {.fd = w->stop[0], .events = POLLIN}};
        poll(fds, 2, -1);
        if (fds[1].revents)
            return;
        const int to = accept(w->listener, NULL, NULL);
        if (to >= 0)
            web_serve(w, to);
    }
}

static inline void web_start(struct web_server *w, const char *folder)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    *w = (struct web_server){.folder = folder};
    w->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(w->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(w->listener, 16), 0);
    assert_int_equal(getsockname(w->listener, (struct sockaddr *)&at, &bytes), 0);
    assert_int_equal(pipe(w->stop), 0);
    w->port = ntohs(at.sin_port);
    w->thread = os_thread_start("web", web_run, w);
}

static inline void web_stop(struct web_server *w)
{
    assert_int_equal(write(w->stop[1], "x", 1), 1);
    os_thread_join(w->thread);
    for (unsigned i = 0; i < w->kept_count; i++)
        close(w->kept[i]);
    close(w->listener);
    close(w->stop[0]);
    close(w->stop[1]);
}

#endif
