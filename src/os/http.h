/* A file from a web server, written into an open file. One file per platform: http_linux.c
 * (libcurl) and http_windows.c (WinHTTP). The library is loaded when it is needed first, so that a
 * program that downloads nothing neither starts later for it nor needs it.
 *
 * Only http and https, also after redirections, and from https never to http. Certificates are
 * verified. Proxies are those of the system: on Linux the environment's (https_proxy, no_proxy …),
 * on Windows the settings of the user. No cookies, no passwords. */
#ifndef SRC_OS_HTTP_H
#define SRC_OS_HTTP_H

#include "src/os/os.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum http_result {
    HTTP_DONE,   /* all of it is in the file */
    HTTP_ABSENT, /* the server answers that it has no such file, or none for us (401 … 404, 410) */
    HTTP_TOO_LARGE,
    HTTP_NOT_WRITTEN, /* the file here cannot take it */
    HTTP_FAILED,      /* the server does not answer, or refuses, or its certificate is wrong */
    HTTP_CANCELED,    /* by http_cancel() */
};

struct http_request {
    const char *url;
    struct os_file *to; /* empty */
    uint64_t most_bytes;
    int64_t quiet_ns; /* given up when no byte comes for so long */
    int64_t all_ns;   /* … and when it takes longer in all */
    /* How far it is, while it runs; any thread may read. Of 0: not known. */
    _Atomic uint64_t *done, *of;
    void (*progress)(void *arg); /* from time to time, on the calling thread; may be NULL */
    void *arg;
};

struct http;

/* NULL where the system lacks the library; the message names the package. Any thread. */
struct http *http_new(struct err *err);
void http_free(struct http *h); /* NULL is fine */

/* Waits for the server. One thread at a time. */
enum http_result http_get(struct http *h, const struct http_request *r, struct err *why);

/* Any thread: what runs ends at once, and nothing begins any more. */
void http_cancel(struct http *h);

#endif
