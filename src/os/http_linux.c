/* Downloads by libcurl. See src/os/http.h for the promises.
 *
 * The library is loaded and not linked: it brings some thirty others, which would double the time
 * to start, and is a recommendation of the package. Its header is not needed either: what stands
 * here is the part of its interface that has not changed since version 7.68 (2020) and is promised
 * to stay.
 *
 * The multi interface is used for one transfer, because its wait can be interrupted. */
#include "src/os/http.h"

#include "src/base/mem.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum curl_option {
    OPTION_WRITEDATA = 10001,
    OPTION_URL = 10002,
    OPTION_ERRORBUFFER = 10010,
    OPTION_WRITEFUNCTION = 20011,
    OPTION_USERAGENT = 10018,
    OPTION_NOPROGRESS = 43,
    OPTION_FAILONERROR = 45,
    OPTION_FOLLOWLOCATION = 52,
    OPTION_XFERINFODATA = 10057,
    OPTION_SSL_VERIFYPEER = 64,
    OPTION_MAXREDIRS = 68,
    OPTION_SSL_VERIFYHOST = 81,
    OPTION_NOSIGNAL = 99,
    OPTION_MAXFILESIZE_LARGE = 30117,
    OPTION_CONNECTTIMEOUT_MS = 156,
    OPTION_PROTOCOLS = 181,
    OPTION_REDIR_PROTOCOLS = 182,
    OPTION_XFERINFOFUNCTION = 20219,
    OPTION_QUICK_EXIT = 322, /* 7.87: does not wait for its resolver's thread; others ignore it */
};

enum {
    PROTOCOL_HTTP = 1,
    PROTOCOL_HTTPS = 2,
    INFO_RESPONSE_CODE = 0x200002,
    GLOBAL_ALL = 3,
    ERROR_BYTES = 256,
    REDIRECTIONS = 8,
    CONNECT_MS = 15000,
};

/* Its results that mean something of their own here. */
enum { CURL_OK = 0, CURL_HTTP_ERROR = 22, CURL_FILE_TOO_LARGE = 63 };

struct curl_message {
    int kind; /* MESSAGE_DONE */
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};
enum { MESSAGE_DONE = 1 };

#define CURL_FUNCTIONS(F)                                                                          \
    F(int, curl_global_init, (long))                                                               \
    F(const char *, curl_easy_strerror, (int))                                                     \
    F(void *, curl_easy_init, (void))                                                              \
    F(void, curl_easy_cleanup, (void *))                                                           \
    F(int, curl_easy_setopt, (void *, int, ...))                                                   \
    F(int, curl_easy_getinfo, (void *, int, ...))                                                  \
    F(void *, curl_multi_init, (void))                                                             \
    F(int, curl_multi_cleanup, (void *))                                                           \
    F(int, curl_multi_add_handle, (void *, void *))                                                \
    F(int, curl_multi_remove_handle, (void *, void *))                                             \
    F(int, curl_multi_perform, (void *, int *))                                                    \
    F(int, curl_multi_poll, (void *, void *, unsigned, int, int *))                                \
    F(int, curl_multi_wakeup, (void *))                                                            \
    F(struct curl_message *, curl_multi_info_read, (void *, int *))

static struct {
    pthread_once_t once;
    bool is_usable;
#define MEMBER(type, name, parameters) type(*name) parameters;
    CURL_FUNCTIONS(MEMBER)
#undef MEMBER
} curl = {.once = PTHREAD_ONCE_INIT};

static void *find_library(void)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void load(void)
{
    void *const library = find_library();
    if (!library)
        return;
    bool has_all = true;
#define FIND(type, name, parameters)                                                               \
    *(void **)&curl.name = dlsym(library, #name);                                                  \
    has_all &= curl.name != NULL;
    CURL_FUNCTIONS(FIND)
#undef FIND
    curl.is_usable = has_all && curl.curl_global_init(GLOBAL_ALL) == CURL_OK;
}

struct http {
    void *multi;
    _Atomic bool is_canceled;
};

struct http *http_new(struct err *err)
{
    pthread_once(&curl.once, load);
    if (!curl.is_usable) {
        fail(err, "downloads need libcurl 7.68 or newer; install the package libcurl4");
        return NULL;
    }
    struct http *const h = mem_new(1, sizeof *h);
    h->multi = curl.curl_multi_init();
    return h;
}

void http_free(struct http *h)
{
    if (!h)
        return;
    curl.curl_multi_cleanup(h->multi);
    free(h);
}

void http_cancel(struct http *h)
{
    atomic_store_explicit(&h->is_canceled, true, memory_order_release);
    curl.curl_multi_wakeup(h->multi);
}

/* A transfer, while it runs. */
struct transfer {
    const struct http_request *r;
    void *easy;
    uint64_t bytes; /* of the body, by now */
    int64_t heard_ns;
    bool is_too_large;
    struct err why; /* of the file */
    char error[ERROR_BYTES];
};

static size_t take(char *from, size_t size, size_t count, void *arg)
{
    struct transfer *const t = arg;
    const size_t bytes = size * count;
    t->heard_ns = os_now();
    t->is_too_large = bytes > t->r->most_bytes - t->bytes;
    if (t->is_too_large || !os_write_at(t->r->to, from, bytes, t->bytes, &t->why))
        return bytes + 1; /* not what there was: the transfer ends */
    t->bytes += bytes;
    atomic_store_explicit(t->r->done, t->bytes, memory_order_relaxed);
    return bytes;
}

static int report(void *arg, int64_t of, int64_t done, int64_t up_of, int64_t up)
{
    struct transfer *const t = arg;
    (void)done, (void)up_of, (void)up;
    atomic_store_explicit(t->r->of, of > 0 ? (uint64_t)of : 0, memory_order_relaxed);
    if (t->r->progress)
        t->r->progress(t->r->arg);
    return 0;
}

static void prepare(struct transfer *t)
{
    const bool is_safe = strncmp(t->r->url, "https:", 6) == 0;
    const long protocols = is_safe ? PROTOCOL_HTTPS : PROTOCOL_HTTP | PROTOCOL_HTTPS;
    const struct {
        enum curl_option option;
        long value;
    } numbers[] = {
        {OPTION_NOSIGNAL, 1},
        {OPTION_NOPROGRESS, 0},
        {OPTION_FAILONERROR, 1},
        {OPTION_FOLLOWLOCATION, 1},
        {OPTION_SSL_VERIFYPEER, 1},
        {OPTION_SSL_VERIFYHOST, 2},
        {OPTION_QUICK_EXIT, 1},
        {OPTION_MAXREDIRS, REDIRECTIONS},
        {OPTION_PROTOCOLS, protocols},
        {OPTION_REDIR_PROTOCOLS, protocols},
        {OPTION_CONNECTTIMEOUT_MS, CONNECT_MS},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        curl.curl_easy_setopt(t->easy, numbers[i].option, numbers[i].value);
    curl.curl_easy_setopt(t->easy, OPTION_URL, t->r->url);
    curl.curl_easy_setopt(t->easy, OPTION_USERAGENT, "tracetop/" TRACETOP_VERSION);
    curl.curl_easy_setopt(t->easy, OPTION_ERRORBUFFER, t->error);
    curl.curl_easy_setopt(t->easy, OPTION_WRITEFUNCTION, take);
    curl.curl_easy_setopt(t->easy, OPTION_WRITEDATA, t);
    curl.curl_easy_setopt(t->easy, OPTION_XFERINFOFUNCTION, report);
    curl.curl_easy_setopt(t->easy, OPTION_XFERINFODATA, t);
    curl.curl_easy_setopt(t->easy, OPTION_MAXFILESIZE_LARGE, (int64_t)t->r->most_bytes);
}

static enum http_result result_of(const struct transfer *t, int result, struct err *why)
{
    long status = 0;
    if (result == CURL_OK)
        return HTTP_DONE;
    curl.curl_easy_getinfo(t->easy, INFO_RESPONSE_CODE, &status);
    if (result == CURL_HTTP_ERROR) {
        fail(why, "%.700s: the server answers %ld", t->r->url, status);
        return (status >= 401 && status <= 404) || status == 410 ? HTTP_ABSENT : HTTP_FAILED;
    }
    if (result == CURL_FILE_TOO_LARGE || t->is_too_large) {
        fail(why, "%.700s: the file is larger than %llu bytes", t->r->url,
             (unsigned long long)t->r->most_bytes);
        return HTTP_TOO_LARGE;
    }
    if (t->why.text[0]) {
        fail(why, "%.300s: %.600s", t->r->url, t->why.text);
        return HTTP_NOT_WRITTEN;
    }
    fail(why, "%.700s: %s", t->r->url, t->error[0] ? t->error : curl.curl_easy_strerror(result));
    return HTTP_FAILED;
}

/* Until it is over, or takes too long. */
static enum http_result run(struct http *h, struct transfer *t, struct err *why)
{
    enum { STEP_MS = 200 };
    const int64_t began = os_now();
    t->heard_ns = began;
    for (int running = 1; running;) {
        if (atomic_load_explicit(&h->is_canceled, memory_order_acquire)) {
            fail(why, "%.700s: canceled", t->r->url);
            return HTTP_CANCELED;
        }
        const int64_t now = os_now(), quiet = now - t->heard_ns;
        if (quiet > t->r->quiet_ns || now - began > t->r->all_ns) {
            fail(why,
                 quiet > t->r->quiet_ns ? "%.700s: the server sends nothing"
                                        : "%.700s: the server takes too long",
                 t->r->url);
            return HTTP_FAILED;
        }
        curl.curl_multi_perform(h->multi, &running);
        const int64_t left_ms = t->r->quiet_ns / 1000000;
        if (running)
            curl.curl_multi_poll(h->multi, NULL, 0, left_ms < STEP_MS ? (int)left_ms + 1 : STEP_MS,
                                 NULL);
    }
    int left;
    const struct curl_message *const m = curl.curl_multi_info_read(h->multi, &left);
    return result_of(t, m && m->kind == MESSAGE_DONE ? m->data.result : -1, why);
}

enum http_result http_get(struct http *h, const struct http_request *r, struct err *why)
{
    struct transfer t = {.r = r, .easy = curl.curl_easy_init()};
    if (!t.easy) {
        fail(why, "%.700s: libcurl does not start", r->url);
        return HTTP_FAILED;
    }
    prepare(&t);
    curl.curl_multi_add_handle(h->multi, t.easy);
    const enum http_result result = run(h, &t, why);
    curl.curl_multi_remove_handle(h->multi, t.easy);
    curl.curl_easy_cleanup(t.easy);
    return result;
}
