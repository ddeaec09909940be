#include "src/symbol/download.h"

#include "src/base/hash.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/notices.h"
#include "src/os/cache_file.h"
#include "src/os/http.h"
#include "src/symbol/download_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

static const uint64_t MOST_BYTES = UINT64_C(2) << 30;
static const int64_t QUIET_NS = 30 * SECOND, ALL_NS = 1800 * SECOND;
static const int64_t ALONE_NS =
    60 * SECOND; /* after the first failure; doubles five times at most */
static const int64_t SIGN_NS = SECOND / 4;
static const int64_t END_NS = SECOND / 2; /* patience at the end of the program */

/* A file. The worker makes it; from then on the thread that downloads writes `why` and `again_ns`,
 * before `state`. It stays to the end. */
struct job {
    struct job *next;
    struct symbol_held *image;
    enum symbol_lack lack;
    struct download_name name;
    _Atomic int state; /* enum download_state */
    struct err why;
    int64_t again_ns; /* os_now() from which on it may be asked for again */
};

struct downloader {
    struct os_thread *thread;
    struct os_wakeup *wake, *done, *wakeup;
    struct symbol_servers servers;
    struct notices *notices;
    char cache[SERVER_FOLDER];
    uint64_t most_bytes;
    int64_t quiet_ns;
    _Atomic bool stop;
    _Atomic(struct job *) asked; /* pushed by the worker, taken as a whole */
    /* The worker's: */
    struct job *jobs[DOWNLOADS];
    unsigned job_count;
    struct map job_of; /* hash of a path → index in `jobs` + 1 */
    /* The thread's, for all to read: */
    _Atomic(struct http *) http;
    _Atomic(const struct job *) current;
    _Atomic uint64_t bytes, bytes_of;
    _Atomic unsigned pending, ended, signs;
    /* The thread's alone: */
    int64_t last_sign_ns;
    unsigned came;
    uint64_t came_bytes;
};

static bool is_stopped(const struct downloader *d)
{
    return atomic_load(&d->stop);
}

/* ---- one file ------------------------------------------------------------------------------- */

static void put_notice(const struct downloader *d, const char *text)
{
    if (d->notices && !is_stopped(d))
        notices_add(d->notices, text);
}

static void give_sign(struct downloader *d)
{
    d->last_sign_ns = os_now();
    atomic_fetch_add_explicit(&d->signs, 1, memory_order_release);
    if (d->wakeup && !is_stopped(d))
        os_wakeup_signal(d->wakeup);
}

static void report_progress(void *arg)
{
    struct downloader *const d = arg;
    if (os_now() - d->last_sign_ns >= SIGN_NS)
        give_sign(d);
}

/* A server that does not answer costs time, and asking it does not make it better. */
static void leave_alone(const struct downloader *d, struct symbol_server *s, const struct err *why)
{
    enum { DOUBLES = 5 };
    char text[NOTICE_BYTES];
    const int64_t ns = ALONE_NS << (s->failures < DOUBLES ? s->failures : DOUBLES);
    s->alone_until = os_now() + ns;
    s->failures++;
    snprintf(text, sizeof text, "symbol server left alone for %" PRId64 " s: %.400s", ns / SECOND,
             why->text);
    put_notice(d, text);
}

static bool check(const struct job *j, struct os_file *f, const char *url, struct err *why)
{
    struct err err;
    struct blob b = {.file = f, .bytes = (uint64_t)os_size(f)};
    return download_is_right(j->lack, &j->image->image, &b, &err) ||
           fail(why, "%.300s: %.600s", url, err.text);
}

enum outcome { CAME, IS_ABSENT, IS_WRONG, HAS_FAILED, WAS_CANCELED };

static enum outcome outcome_of(enum http_result result)
{
    switch (result) {
    case HTTP_DONE:
        return CAME;
    case HTTP_ABSENT:
        return IS_ABSENT;
    case HTTP_TOO_LARGE:
    case HTTP_NOT_WRITTEN:
        return IS_WRONG;
    case HTTP_CANCELED:
        return WAS_CANCELED;
    default:
        return HAS_FAILED;
    }
}

static enum outcome get(struct downloader *d, const struct job *j, const struct symbol_server *s,
                        struct err *why)
{
    char url[SERVER_URL + DOWNLOAD_NAME];
    snprintf(url, sizeof url, "%s/%s", s->url, j->name.url);
    const char *const cache = s->folder[0] ? s->folder : d->cache;
    if (!cache[0]) {
        fail(why, "downloads have no folder: neither HOME nor XDG_CACHE_HOME is set");
        return IS_WRONG;
    }
    struct cache_file *const file = cache_file_new(cache, j->name.path, why);
    if (!file)
        return IS_WRONG;
    const struct http_request request = {
        .url = url,
        .to = cache_file_opened(file),
        .most_bytes = d->most_bytes,
        .quiet_ns = d->quiet_ns,
        .all_ns = ALL_NS,
        .done = &d->bytes,
        .of = &d->bytes_of,
        .progress = report_progress,
        .arg = d,
    };
    enum outcome outcome = outcome_of(http_get(d->http, &request, why));
    if (outcome == CAME && !check(j, request.to, url, why))
        outcome = IS_WRONG;
    const uint64_t bytes = (uint64_t)os_size(request.to);
    if (outcome != CAME) {
        cache_file_drop(file);
        return outcome;
    }
    if (!cache_file_keep(file, why))
        return IS_WRONG;
    d->came++;
    d->came_bytes += bytes;
    return CAME;
}

static bool has_layout(const struct symbol_server *s, const struct job *j)
{
    return !s->is_for_pdbs || j->lack == SYMBOL_LACKS_PDB;
}

/* One server after the other; what the last one says that failed is the reason. */
static bool try_servers(struct downloader *d, struct job *j)
{
    j->again_ns = INT64_MAX;
    fail(&j->why, "%.200s: no symbol server has it", j->name.title);
    for (size_t i = 0; i < d->servers.count; i++) {
        struct symbol_server *const s = &d->servers.list[i];
        struct err why = {""};
        if (!has_layout(s, j))
            continue;
        if (s->alone_until > os_now()) {
            fail(&j->why, "%.200s: the server %.300s failed; it is left alone for now",
                 j->name.title, s->url);
            j->again_ns = s->alone_until < j->again_ns ? s->alone_until : j->again_ns;
            continue;
        }
        atomic_store_explicit(&d->bytes, 0, memory_order_relaxed);
        atomic_store_explicit(&d->bytes_of, 0, memory_order_relaxed);
        give_sign(d);
        const enum outcome outcome = get(d, j, s, &why);
        if (outcome == CAME)
            return true;
        if (outcome == HAS_FAILED) {
            leave_alone(d, s, &why);
            j->again_ns = s->alone_until < j->again_ns ? s->alone_until : j->again_ns;
        } else {
            s->failures = 0;
        }
        if (outcome != IS_ABSENT)
            j->why = why;
        if (outcome == WAS_CANCELED)
            return false;
    }
    return false;
}

static bool has_library(struct downloader *d, struct err *why)
{
    if (!d->http)
        atomic_store(&d->http, http_new(why));
    return d->http != NULL;
}

static void serve(struct downloader *d, struct job *j)
{
    j->again_ns = INT64_MAX;
    atomic_store_explicit(&d->current, j, memory_order_release);
    const bool is_here = has_library(d, &j->why) && !is_stopped(d) && try_servers(d, j);
    atomic_store_explicit(&d->current, NULL, memory_order_release);
    atomic_store_explicit(&j->state, is_here ? DOWNLOAD_IS_HERE : DOWNLOAD_FAILED,
                          memory_order_release);
    atomic_fetch_sub_explicit(&d->pending, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->ended, 1, memory_order_release);
    os_wakeup_signal(d->done);
    give_sign(d);
}

/* ---- the thread ------------------------------------------------------------------------------- */

static const char *show_bytes(uint64_t bytes, char out[32])
{
    const bool is_small = bytes < 1 << 20;
    snprintf(out, 32, "%.1f %s", (double)bytes / (is_small ? 1 << 10 : 1 << 20),
             is_small ? "KiB" : "MiB");
    return out;
}

/* After the last of several files, not after each. */
static void report_arrivals(struct downloader *d)
{
    char text[NOTICE_BYTES], came[32], all[32];
    if (!d->came || atomic_load(&d->pending))
        return;
    const struct cache_use use = cache_use(d->cache);
    snprintf(text, sizeof text, "downloaded %u symbol file%s, %s; the cache %.200s holds %s",
             d->came, d->came == 1 ? "" : "s", show_bytes(d->came_bytes, came), d->cache,
             show_bytes(use.bytes, all));
    put_notice(d, text);
    d->came = 0;
    d->came_bytes = 0;
}

static struct job *in_order(struct job *newest)
{
    struct job *list = NULL;
    while (newest) {
        struct job *const next = newest->next;
        newest->next = list;
        list = newest;
        newest = next;
    }
    return list;
}

static void run(void *arg)
{
    struct downloader *const d = arg;
    os_thread_give_way();
    while (!is_stopped(d)) {
        struct job *list =
            in_order(atomic_exchange_explicit(&d->asked, NULL, memory_order_acq_rel));
        if (!list)
            os_wakeup_wait(d->wake, -1);
        while (list && !is_stopped(d)) {
            struct job *const j = list;
            list = j->next; /* the worker may ask for it again from here on */
            serve(d, j);
        }
        if (!is_stopped(d))
            report_arrivals(d);
    }
}

struct downloader *downloader_new(const struct symbol_options *o, struct os_wakeup *done)
{
    struct symbol_servers servers;
    symbol_servers_of(o, &servers);
    if (!servers.count)
        return NULL;
    struct downloader *const d = mem_new(1, sizeof *d);
    d->servers = servers;
    d->notices = o->downloads.notices;
    d->most_bytes = o->downloads.most_bytes ? o->downloads.most_bytes : MOST_BYTES;
    d->quiet_ns = o->downloads.quiet_ns ? o->downloads.quiet_ns : QUIET_NS;
    symbol_downloads_cache(o, d->cache);
    map_init(&d->job_of);
    d->done = done;
    d->wakeup = o->wakeup;
    d->wake = os_wakeup_new();
    d->thread = os_thread_start("downloads", run, d);
    return d;
}

void downloader_stop(struct downloader *d)
{
    if (!d)
        return;
    atomic_store(&d->stop, true);
    struct http *const http = atomic_load(&d->http);
    if (http)
        http_cancel(http);
    os_wakeup_signal(d->wake);
}

bool downloader_free(struct downloader *d)
{
    if (!d)
        return true;
    downloader_stop(d);
    if (!os_thread_join_within(d->thread, END_NS))
        return false;
    for (unsigned i = 0; i < d->job_count; i++) {
        symbol_let_go(d->jobs[i]->image);
        free(d->jobs[i]);
    }
    http_free(d->http);
    map_fini(&d->job_of);
    os_wakeup_free(d->wake);
    free(d);
    return true;
}

/* ---- who asks ----------------------------------------------------------------------------------- */

static void push(struct downloader *d, struct job *j)
{
    atomic_store_explicit(&j->state, DOWNLOAD_COMES, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->pending, 1, memory_order_relaxed);
    j->next = atomic_load_explicit(&d->asked, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&d->asked, &j->next, j, memory_order_release,
                                                  memory_order_relaxed))
        ;
    os_wakeup_signal(d->wake);
}

static struct job *find_job(const struct downloader *d, const char *path, uint64_t hash)
{
    const uint32_t index = map_get(&d->job_of, hash);
    struct job *const j = index ? d->jobs[index - 1] : NULL;
    return j && strcmp(j->name.path, path) == 0 ? j : NULL;
}

static struct job *add_job(struct downloader *d, enum symbol_lack lack,
                           const struct symbol_image *i, const struct download_name *name,
                           uint64_t hash)
{
    struct job *const j = mem_new(1, sizeof *j);
    j->lack = lack;
    j->image = symbol_held_new(i);
    j->name = *name;
    d->jobs[d->job_count++] = j;
    map_put(&d->job_of, hash, d->job_count);
    push(d, j);
    return j;
}

enum download_state downloader_ask(struct downloader *d, enum symbol_lack lack,
                                   const struct symbol_image *i, struct err *why)
{
    struct download_name name;
    if (!download_name(lack, i, &name, why))
        return DOWNLOAD_FAILED;
    const uint64_t hash = hash_mix(hash_bytes(HASH_START, name.path, strlen(name.path)));
    struct job *j = find_job(d, name.path, hash);
    if (!j && d->job_count == DOWNLOADS) {
        fail(why, "%.200s is not downloaded: a run downloads %d files at most", name.title,
             DOWNLOADS);
        return DOWNLOAD_FAILED;
    }
    if (!j)
        j = add_job(d, lack, i, &name, hash);
    enum download_state state =
        (enum download_state)atomic_load_explicit(&j->state, memory_order_acquire);
    if (state == DOWNLOAD_FAILED && os_now() >= j->again_ns) {
        push(d, j);
        state = DOWNLOAD_COMES;
    }
    if (state == DOWNLOAD_FAILED)
        *why = j->why;
    if (state == DOWNLOAD_COMES)
        fail(why, "%.200s is being downloaded", name.title);
    return state;
}

unsigned downloader_ended(const struct downloader *d)
{
    return atomic_load_explicit(&d->ended, memory_order_acquire);
}

unsigned downloader_signs(const struct downloader *d)
{
    return atomic_load_explicit(&d->signs, memory_order_acquire);
}

struct symbol_progress downloader_progress(const struct downloader *d)
{
    const struct job *const j = atomic_load_explicit(&d->current, memory_order_acquire);
    const unsigned pending = atomic_load_explicit(&d->pending, memory_order_relaxed);
    struct symbol_progress p = {.title = ""};
    if (!j)
        return p;
    snprintf(p.title, sizeof p.title, "%.60s", j->name.title);
    p.done = atomic_load_explicit(&d->bytes, memory_order_relaxed);
    p.of = atomic_load_explicit(&d->bytes_of, memory_order_relaxed);
    p.waiting = pending ? pending - 1 : 0;
    return p;
}
