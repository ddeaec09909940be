/* Downloads by WinHTTP. See src/os/http.h for the promises. Every call is asynchronous: only so may
 * a transfer be ended from outside. A callback reports each step; the caller waits for it, for the
 * cancellation, and for time to run out. */
#include "src/os/http.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <winhttp.h>

/* Of headers newer than some builds of mingw-w64 have. */
enum { AUTOMATIC_PROXY = 4 };

#define WINHTTP_FUNCTIONS(F)                                                                       \
    F(HINTERNET, WinHttpOpen, (LPCWSTR, DWORD, LPCWSTR, LPCWSTR, DWORD))                           \
    F(HINTERNET, WinHttpConnect, (HINTERNET, LPCWSTR, INTERNET_PORT, DWORD))                       \
    F(HINTERNET, WinHttpOpenRequest,                                                               \
      (HINTERNET, LPCWSTR, LPCWSTR, LPCWSTR, LPCWSTR, LPCWSTR *, DWORD))                           \
    F(WINHTTP_STATUS_CALLBACK, WinHttpSetStatusCallback,                                           \
      (HINTERNET, WINHTTP_STATUS_CALLBACK, DWORD, DWORD_PTR))                                      \
    F(BOOL, WinHttpSetOption, (HINTERNET, DWORD, LPVOID, DWORD))                                   \
    F(BOOL, WinHttpSetTimeouts, (HINTERNET, int, int, int, int))                                   \
    F(BOOL, WinHttpCrackUrl, (LPCWSTR, DWORD, DWORD, LPURL_COMPONENTS))                            \
    F(BOOL, WinHttpSendRequest, (HINTERNET, LPCWSTR, DWORD, LPVOID, DWORD, DWORD, DWORD_PTR))      \
    F(BOOL, WinHttpReceiveResponse, (HINTERNET, LPVOID))                                           \
    F(BOOL, WinHttpQueryHeaders, (HINTERNET, DWORD, LPCWSTR, LPVOID, LPDWORD, LPDWORD))            \
    F(BOOL, WinHttpReadData, (HINTERNET, LPVOID, DWORD, LPDWORD))                                  \
    F(BOOL, WinHttpCloseHandle, (HINTERNET))

static struct {
    INIT_ONCE once;
    bool is_usable;
#define MEMBER(type, name, parameters) type(WINAPI *name) parameters;
    WINHTTP_FUNCTIONS(MEMBER)
#undef MEMBER
} w = {.once = INIT_ONCE_STATIC_INIT};

static BOOL CALLBACK load(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once, (void)parameter, (void)context;
    const HMODULE library = LoadLibraryExW(L"winhttp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        return TRUE;
    w.is_usable = true;
#define FIND(type, name, parameters)                                                               \
    w.name = (type(WINAPI *) parameters)(void (*)(void))GetProcAddress(library, #name);            \
    w.is_usable &= w.name != NULL;
    WINHTTP_FUNCTIONS(FIND)
#undef FIND
    return TRUE;
}

struct http {
    HINTERNET session;
    HANDLE cancel; /* a manual event: set for good */
};

enum { URL_UNITS = 4096, READ_BYTES = 64 << 10, CONNECT_MS = 15000, CLOSE_MS = 2000 };

/* A transfer: of the heap, because a call that does not come back keeps using it. */
struct transfer {
    HANDLE step, closed; /* automatic events */
    DWORD error;         /* of the step; 0: it went well */
    DWORD bytes;         /* that it read */
    BYTE room[READ_BYTES];
};

static void CALLBACK hear(HINTERNET handle, DWORD_PTR context, DWORD status, LPVOID info,
                          DWORD bytes)
{
    struct transfer *const t = (struct transfer *)context;
    (void)handle;
    if (!t)
        return;
    switch (status) {
    case WINHTTP_CALLBACK_STATUS_HANDLE_CLOSING:
        SetEvent(t->closed);
        return;
    case WINHTTP_CALLBACK_STATUS_REQUEST_ERROR:
        t->error = ((const WINHTTP_ASYNC_RESULT *)info)->dwError;
        break;
    case WINHTTP_CALLBACK_STATUS_READ_COMPLETE:
        t->bytes = bytes;
        break;
    case WINHTTP_CALLBACK_STATUS_SENDREQUEST_COMPLETE:
    case WINHTTP_CALLBACK_STATUS_HEADERS_AVAILABLE:
        break;
    default:
        return;
    }
    SetEvent(t->step);
}

struct http *http_new(struct err *err)
{
    InitOnceExecuteOnce(&w.once, load, NULL, NULL);
    if (!w.is_usable) {
        fail(err, "downloads need winhttp.dll, which this system does not have");
        return NULL;
    }
    struct http *const h = mem_new(1, sizeof *h);
    h->cancel = CreateEventW(NULL, TRUE, FALSE, NULL);
    h->session = w.WinHttpOpen(L"tracetop", AUTOMATIC_PROXY, WINHTTP_NO_PROXY_NAME,
                               WINHTTP_NO_PROXY_BYPASS, WINHTTP_FLAG_ASYNC);
    if (!h->session) /* before Windows 8.1 */
        h->session =
            w.WinHttpOpen(L"tracetop", WINHTTP_ACCESS_TYPE_DEFAULT_PROXY, WINHTTP_NO_PROXY_NAME,
                          WINHTTP_NO_PROXY_BYPASS, WINHTTP_FLAG_ASYNC);
    if (h->session)
        return h;
    fail(err, "WinHTTP does not start: error %lu", GetLastError());
    CloseHandle(h->cancel);
    free(h);
    return NULL;
}

void http_free(struct http *h)
{
    if (!h)
        return;
    w.WinHttpCloseHandle(h->session);
    CloseHandle(h->cancel);
    free(h);
}

void http_cancel(struct http *h)
{
    SetEvent(h->cancel);
}

/* ---- one transfer -------------------------------------------------------------------------- */

struct get {
    struct http *h;
    const struct http_request *r;
    struct transfer *t;
    HINTERNET connection, request;
    int64_t began;
    struct err *why;
};

static enum http_result failed(const struct get *g, DWORD error)
{
    const char *const words =
        error == ERROR_WINHTTP_SECURE_FAILURE      ? " (the certificate is not valid)"
        : error == ERROR_WINHTTP_TIMEOUT           ? " (no answer)"
        : error == ERROR_WINHTTP_NAME_NOT_RESOLVED ? " (there is no such server)"
        : error == ERROR_WINHTTP_CANNOT_CONNECT    ? " (cannot connect)"
                                                   : "";
    fail(g->why, "%.700s: error %lu%s", g->r->url, error, words);
    return HTTP_FAILED;
}

/* Waits for the step that a call began. */
static enum http_result wait_step(const struct get *g, BOOL has_begun)
{
    const HANDLE both[] = {g->h->cancel, g->t->step};
    const int64_t left = g->began + g->r->all_ns - os_now();
    const int64_t most = left < g->r->quiet_ns ? left : g->r->quiet_ns;
    if (!has_begun)
        return failed(g, GetLastError());
    switch (WaitForMultipleObjects(2, both, FALSE, most > 0 ? (DWORD)(most / 1000000) : 0)) {
    case WAIT_OBJECT_0:
        fail(g->why, "%.700s: canceled", g->r->url);
        return HTTP_CANCELED;
    case WAIT_OBJECT_0 + 1:
        return g->t->error ? failed(g, g->t->error) : HTTP_DONE;
    default:
        fail(g->why,
             left < g->r->quiet_ns ? "%.700s: the server takes too long"
                                   : "%.700s: the server sends nothing",
             g->r->url);
        return HTTP_FAILED;
    }
}

static bool open_request(struct get *g)
{
    DWORD redirect = WINHTTP_OPTION_REDIRECT_POLICY_DISALLOW_HTTPS_TO_HTTP;
    DWORD logon = WINHTTP_AUTOLOGON_SECURITY_LEVEL_HIGH;
    DWORD off = WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
    DWORD_PTR context = (DWORD_PTR)g->t;
    wchar_t url[URL_UNITS], host[256];
    URL_COMPONENTS parts = {.dwStructSize = sizeof parts,
                            .lpszHostName = host,
                            .dwHostNameLength = sizeof host / sizeof *host,
                            .dwUrlPathLength = (DWORD)-1};
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, g->r->url, -1, url, URL_UNITS) <= 0 ||
        !w.WinHttpCrackUrl(url, 0, 0, &parts))
        return false;
    g->connection = w.WinHttpConnect(g->h->session, host, parts.nPort, 0);
    if (!g->connection)
        return false;
    g->request =
        w.WinHttpOpenRequest(g->connection, L"GET", parts.lpszUrlPath, NULL, WINHTTP_NO_REFERER,
                             WINHTTP_DEFAULT_ACCEPT_TYPES,
                             parts.nScheme == INTERNET_SCHEME_HTTPS ? WINHTTP_FLAG_SECURE : 0);
    if (!g->request)
        return false;
    w.WinHttpSetTimeouts(g->request, CONNECT_MS, CONNECT_MS, CONNECT_MS,
                         (int)(g->r->quiet_ns / 1000000) + 1);
    w.WinHttpSetOption(g->request, WINHTTP_OPTION_CONTEXT_VALUE, &context, sizeof context);
    w.WinHttpSetOption(g->request, WINHTTP_OPTION_REDIRECT_POLICY, &redirect, sizeof redirect);
    w.WinHttpSetOption(g->request, WINHTTP_OPTION_AUTOLOGON_POLICY, &logon, sizeof logon);
    w.WinHttpSetOption(g->request, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof off);
    w.WinHttpSetStatusCallback(
        g->request, hear, WINHTTP_CALLBACK_FLAG_ALL_COMPLETIONS | WINHTTP_CALLBACK_FLAG_HANDLES, 0);
    return true;
}

static uint64_t number_of(const struct get *g, DWORD what)
{
    wchar_t text[32] = L"";
    DWORD bytes = sizeof text;
    if (!w.WinHttpQueryHeaders(g->request, what, WINHTTP_HEADER_NAME_BY_INDEX, text, &bytes,
                               WINHTTP_NO_HEADER_INDEX))
        return 0;
    return _wcstoui64(text, NULL, 10);
}

static enum http_result too_large(const struct get *g)
{
    fail(g->why, "%.700s: the file is larger than %llu bytes", g->r->url,
         (unsigned long long)g->r->most_bytes);
    return HTTP_TOO_LARGE;
}

static enum http_result read_body(const struct get *g, uint64_t of)
{
    uint64_t done = 0;
    for (;;) {
        const enum http_result result =
            wait_step(g, w.WinHttpReadData(g->request, g->t->room, READ_BYTES, NULL));
        if (result != HTTP_DONE)
            return result;
        if (!g->t->bytes)
            break;
        if (g->t->bytes > g->r->most_bytes - done)
            return too_large(g);
        struct err err;
        if (!os_write_at(g->r->to, g->t->room, g->t->bytes, done, &err)) {
            fail(g->why, "%.300s: %.700s", g->r->url, err.text);
            return HTTP_NOT_WRITTEN;
        }
        done += g->t->bytes;
        atomic_store_explicit(g->r->done, done, memory_order_relaxed);
        if (g->r->progress)
            g->r->progress(g->r->arg);
    }
    if (!of || done == of)
        return HTTP_DONE;
    fail(g->why, "%.700s: the connection ended after %llu of %llu bytes", g->r->url,
         (unsigned long long)done, (unsigned long long)of);
    return HTTP_FAILED;
}

static enum http_result run(struct get *g)
{
    if (!open_request(g))
        return failed(g, GetLastError());
    enum http_result result =
        wait_step(g, w.WinHttpSendRequest(g->request, WINHTTP_NO_ADDITIONAL_HEADERS, 0,
                                          WINHTTP_NO_REQUEST_DATA, 0, 0, (DWORD_PTR)g->t));
    if (result == HTTP_DONE)
        result = wait_step(g, w.WinHttpReceiveResponse(g->request, NULL));
    if (result != HTTP_DONE)
        return result;
    const unsigned status = (unsigned)number_of(g, WINHTTP_QUERY_STATUS_CODE);
    if (status != 200) {
        fail(g->why, "%.700s: the server answers %u", g->r->url, status);
        return (status >= 401 && status <= 404) || status == 410 ? HTTP_ABSENT : HTTP_FAILED;
    }
    const uint64_t of = number_of(g, WINHTTP_QUERY_CONTENT_LENGTH);
    atomic_store_explicit(g->r->of, of, memory_order_relaxed);
    return of > g->r->most_bytes ? too_large(g) : read_body(g, of);
}

enum http_result http_get(struct http *h, const struct http_request *r, struct err *why)
{
    struct get g = {.h = h, .r = r, .began = os_now(), .why = why};
    g.t = mem_new(1, sizeof *g.t);
    g.t->step = CreateEventW(NULL, FALSE, FALSE, NULL);
    g.t->closed = CreateEventW(NULL, FALSE, FALSE, NULL);
    const enum http_result result = run(&g);
    bool is_over = true;
    if (g.request) {
        w.WinHttpCloseHandle(g.request);
        /* The last that the callback hears. */
        is_over = WaitForSingleObject(g.t->closed, CLOSE_MS) == WAIT_OBJECT_0;
    }
    if (g.connection)
        w.WinHttpCloseHandle(g.connection);
    if (is_over) {
        CloseHandle(g.t->step);
        CloseHandle(g.t->closed);
        free(g.t);
    }
    return result;
}
