/* The worker: takes the questions, image by image, and opens what answers them. */
#include "src/base/mem.h"
#include "src/symbol/backend.h"
#include "src/symbol/download.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 512, /* answers handed over together, unless time runs out first */
    BACKENDS = 8,
    OPEN_BYTES = 8 << 20, /* of all opened images, where nobody says how many; beyond, the least
                           * recently used close */
    OPEN_IMAGES = 1024,   /* likewise; failed opens count: they are not repeated for each question */
    PLACES = 256,         /* hash of opened images */
};

static const int64_t BATCH_NS = 50 * 1000000;
static const int64_t END_NS = 500 * 1000000; /* patience at the end of the program */

/* An image that was opened, by each backend that could. */
struct opened {
    struct opened *next; /* of the same hash place */
    uint32_t number;
    struct symbol_held *held; /* backends look at it */
    void *by[BACKENDS];
    size_t bytes;
    uint64_t used;
    enum symbol_lack lack; /* may be downloaded … */
    int reported; /* … and the last enum download_state of it that was reported; -1: none */
};

struct symbol_worker {
    struct os_thread *thread;
    struct os_wakeup *wake, *wakeup;
    _Atomic bool stop;
    _Atomic(struct symbol_question *) questions; /* pushed by the engine, taken as a whole */
    _Atomic(struct symbol_batch *) batches;      /* the other way */
    char *path;
    struct downloader *downloader; /* NULL: nothing is downloaded */
    /* The worker's own: */
    struct symbol_question *waiting; /* for downloads */
    unsigned downloads_seen;
    struct opened *places[PLACES];
    size_t bytes, most_bytes;
    unsigned count;
    _Atomic size_t bytes_seen; /* for other threads */
    uint64_t clock;
    struct symbol_batch *batch;
    int64_t batch_since;
};

/* ---- questions that travel ---------------------------------------------------- */

void symbol_question_free(struct symbol_question *q)
{
    symbol_let_go(q->held);
    free(q);
}

/* ---- batches ---------------------------------------------------------------------------- */

void symbol_batch_free(struct symbol_batch *b)
{
    for (size_t i = 0; i < b->place_count; i++)
        free(b->places[i].places);
    free(b->places);
    free(b->answers);
    free(b->image_reports);
    free(b->text);
    free(b);
}

static struct symbol_batch *batch_of(struct symbol_worker *w)
{
    if (w->batch)
        return w->batch;
    w->batch = mem_new(1, sizeof *w->batch);
    w->batch->text_room = 4096;
    w->batch->text = mem_new(w->batch->text_room, 1);
    w->batch->text_bytes = 1;
    w->batch_since = os_now();
    return w->batch;
}

static uint32_t put_text(struct symbol_batch *b, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    if (bytes == 1)
        return 0;
    while (bytes > b->text_room - b->text_bytes) {
        b->text_room *= 2;
        b->text = mem_grow(b->text, b->text_room, 1);
    }
    const uint32_t at = (uint32_t)b->text_bytes;
    memcpy(b->text + at, text, bytes);
    b->text_bytes += bytes;
    return at;
}

static void *grown(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    *room = *room ? *room * 2 : 64;
    return mem_grow(list, *room, size);
}

static bool is_stopped(const struct symbol_worker *w)
{
    return atomic_load_explicit(&w->stop, memory_order_acquire);
}

static void hand_over(struct symbol_worker *w)
{
    struct symbol_batch *const b = w->batch;
    if (!b)
        return;
    w->batch = NULL;
    b->next = atomic_load_explicit(&w->batches, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&w->batches, &b->next, b, memory_order_release,
                                                  memory_order_relaxed))
        ;
    if (w->wakeup && !is_stopped(w))
        os_wakeup_signal(w->wakeup);
}

/* ---- images ----------------------------------------------------------------------------- */

static void image_close(struct symbol_worker *w, struct opened *o)
{
    for (unsigned i = 0; symbol_backends[i]; i++)
        if (o->by[i])
            symbol_backends[i]->close(o->by[i]);
    w->bytes -= o->bytes;
    w->count--;
    symbol_let_go(o->held);
    free(o);
}

/* Closes the least recently used but `keep`; false when there is no other. */
static bool close_one(struct symbol_worker *w, const struct opened *keep)
{
    struct opened **oldest = NULL;
    for (unsigned i = 0; i < PLACES; i++)
        for (struct opened **o = &w->places[i]; *o; o = &(*o)->next)
            if (*o != keep && (!oldest || (*o)->used < (*oldest)->used))
                oldest = o;
    if (!oldest)
        return false;
    struct opened *const o = *oldest;
    *oldest = o->next;
    image_close(w, o);
    return true;
}

static void report(struct symbol_worker *w, uint32_t number, const char *from, const char *why,
                   bool is_better)
{
    struct symbol_batch *const b = batch_of(w);
    b->image_reports = grown(b->image_reports, b->image_report_count, &b->image_report_room,
                             sizeof *b->image_reports);
    b->image_reports[b->image_report_count++] = (struct symbol_image_report){
        number, from ? put_text(b, from) : (uint32_t)SYMBOL_AS_BEFORE, put_text(b, why), is_better};
}

/* Where nothing is downloaded, how it would be. */
static void add_advice(struct err *why)
{
    const struct err plain = *why;
    if (why->text[0])
        fail(why, "%.900s; --symbol-server can download it", plain.text);
}

/* The first backend that opens is the source of names; the first that fails gives the error. */
static struct opened *image_open(struct symbol_worker *w, const struct symbol_question *q,
                                 bool is_better)
{
    struct opened *const o = mem_new(1, sizeof *o);
    const struct symbol_search search = {w->path, &w->stop, &o->lack};
    const struct symbol_image *const image = &q->held->image;
    char from[SYMBOL_NAME_MAX] = "";
    struct err why = {""};
    bool is_claimed = false;
    o->number = q->number;
    o->reported = -1;
    o->held = symbol_hold(q->held);
    for (unsigned i = 0; i < BACKENDS && symbol_backends[i]; i++) {
        char its[SYMBOL_NAME_MAX] = "";
        struct err err = {""};
        size_t bytes = 0;
        if (!symbol_backends[i]->claims(image))
            continue;
        is_claimed = true;
        o->by[i] = symbol_backends[i]->open(&search, image, its, &bytes, &err);
        o->bytes += o->by[i] ? bytes + 1 : 0;
        if (o->by[i] && !from[0])
            memcpy(from, its, sizeof from);
        if (err.text[0] && !why.text[0])
            why = err;
    }
    if (!is_claimed && image->system == SYMBOL_OF_JIT)
        fail(&why, "no symbols: the process generated this code and has exited");
    else if (!is_claimed)
        fail(&why, "%.200s: nothing here names code of this kind", image->path);
    if (o->lack != SYMBOL_LACKS_NOTHING && !w->downloader)
        add_advice(&why);
    report(w, q->number, from, why.text, is_better);
    o->bytes += sizeof *o + sizeof *o->held;
    w->bytes += o->bytes;
    w->count++;
    return o;
}

static struct opened **place_of(struct symbol_worker *w, uint32_t number)
{
    struct opened **place = &w->places[number % PLACES];
    while (*place && (*place)->number != number)
        place = &(*place)->next;
    return place;
}

static struct opened *image_of(struct symbol_worker *w, const struct symbol_question *q,
                               bool is_better)
{
    struct opened *o = *place_of(w, q->number);
    if (!o) {
        struct opened **const first = &w->places[q->number % PLACES];
        o = image_open(w, q, is_better);
        o->next = *first;
        *first = o;
        while ((w->bytes > w->most_bytes || w->count > OPEN_IMAGES) && close_one(w, o))
            ;
        atomic_store_explicit(&w->bytes_seen, w->bytes, memory_order_relaxed);
    }
    o->used = ++w->clock;
    return o;
}

/* ---- answers ------------------------------------------------------------------------------ */

static bool find_name(const struct opened *o, uint64_t offset, struct symbol_found *found)
{
    for (unsigned i = 0; symbol_backends[i]; i++)
        if (o->by[i] && symbol_backends[i]->find(o->by[i], offset, found))
            return true;
    return false;
}

static unsigned find_places(const struct opened *o, uint64_t offset, struct symbol_place *places)
{
    unsigned count = 0;
    for (unsigned i = 0; symbol_backends[i] && !count; i++)
        if (o->by[i] && symbol_backends[i]->places)
            count = symbol_backends[i]->places(o->by[i], offset, places);
    return count;
}

static void put_places(struct symbol_worker *w, const struct symbol_question *q, unsigned count,
                       struct symbol_place *places)
{
    struct symbol_batch *const b = batch_of(w);
    b->places = grown(b->places, b->place_count, &b->place_room, sizeof *b->places);
    b->places[b->place_count++] = (struct symbol_places){q->number, q->offset, count, places};
}

static void put_answer(struct symbol_worker *w, const struct symbol_question *q,
                       const struct symbol_found *found)
{
    struct symbol_batch *const b = batch_of(w);
    b->answers = grown(b->answers, b->answer_count, &b->answer_room, sizeof *b->answers);
    b->answers[b->answer_count++] =
        (struct symbol_answer){q->number,    q->offset,   found->name[0] != '\0',
                               found->start, found->size, put_text(b, found->name)};
}

/* What has become of the file that the image lacks. */
static enum download_state ask_downloader(struct symbol_worker *w, const struct symbol_question *q,
                                          struct opened *o)
{
    struct err why = {""};
    if (o->lack == SYMBOL_LACKS_NOTHING || !w->downloader)
        return DOWNLOAD_FAILED;
    const enum download_state state = downloader_ask(w->downloader, o->lack, &q->held->image, &why);
    if (why.text[0] && o->reported != (int)state)
        report(w, q->number, NULL, why.text, false);
    o->reported = (int)state;
    return state;
}

/* The image again, with the file that has come; one that does not help is not asked for again. */
static struct opened *reopen(struct symbol_worker *w, const struct symbol_question *q)
{
    struct opened **const place = place_of(w, q->number), *o = *place;
    const enum symbol_lack lack = o->lack;
    *place = o->next;
    image_close(w, o);
    o = image_of(w, q, true);
    if (o->lack == lack)
        o->lack = SYMBOL_LACKS_NOTHING;
    return o;
}

static bool try_name(struct symbol_worker *w, const struct symbol_question *q,
                     const struct opened *o)
{
    struct symbol_found found = {0};
    const bool is_found = find_name(o, q->offset, &found);
    if (is_found)
        put_answer(w, q, &found);
    return is_found;
}

static bool try_places(struct symbol_worker *w, const struct symbol_question *q,
                       const struct opened *o)
{
    struct symbol_place *const places = mem_new(SYMBOL_INLINED, sizeof *places);
    const unsigned count = find_places(o, q->offset, places);
    if (count)
        put_places(w, q, count, places);
    else
        free(places);
    return count > 0;
}

/* False: the question waits for a download, and stays the worker's. */
static bool answer(struct symbol_worker *w, const struct symbol_question *q)
{
    struct opened *o = image_of(w, q, false);
    for (;;) {
        if (q->wants_places ? try_places(w, q, o) : try_name(w, q, o))
            return true;
        const enum download_state state = ask_downloader(w, q, o);
        if (state == DOWNLOAD_COMES)
            return false;
        if (state == DOWNLOAD_FAILED)
            break;
        o = reopen(w, q);
    }
    if (q->wants_places)
        put_places(w, q, 0, NULL);
    else
        put_answer(w, q, &(struct symbol_found){.name = ""});
    return true;
}

/* ---- the thread --------------------------------------------------------------------------- */

static int by_image(const void *a, const void *b)
{
    const struct symbol_question *const *x = a, *const *y = b;
    if ((*x)->wants_places != (*y)->wants_places)
        return (*x)->wants_places ? -1 : 1; /* somebody looks at it */
    if ((*x)->number != (*y)->number)
        return (*x)->number < (*y)->number ? -1 : 1;
    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

static struct symbol_question **listed(struct symbol_question *q, size_t *count)
{
    size_t n = 0;
    for (const struct symbol_question *i = q; i; i = i->next)
        n++;
    struct symbol_question **const list = mem_new(n, sizeof(struct symbol_question *));
    for (size_t i = 0; i < n; i++, q = q->next)
        list[i] = q;
    qsort(list, n, sizeof(struct symbol_question *), by_image);
    *count = n;
    return list;
}

static void answer_all(struct symbol_worker *w, struct symbol_question *questions)
{
    size_t count;
    struct symbol_question **const list = listed(questions, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_stopped(w) || answer(w, list[i])) {
            symbol_question_free(list[i]);
        } else {
            list[i]->next = w->waiting;
            w->waiting = list[i];
        }
        const struct symbol_batch *const b = w->batch;
        if (b &&
            (b->answer_count >= BATCH || b->place_count || os_now() - w->batch_since > BATCH_NS))
            hand_over(w);
    }
    hand_over(w);
    free(list);
}

/* Those that wait, when a download has ended; else NULL. */
static struct symbol_question *take_waiting(struct symbol_worker *w)
{
    const unsigned ended = w->downloader ? downloader_ended(w->downloader) : 0;
    struct symbol_question *const list = ended != w->downloads_seen ? w->waiting : NULL;
    if (list)
        w->waiting = NULL;
    w->downloads_seen = ended;
    return list;
}

static void run(void *arg)
{
    struct symbol_worker *const w = arg;
    os_thread_give_way();
    while (!is_stopped(w)) {
        struct symbol_question *const list =
            atomic_exchange_explicit(&w->questions, NULL, memory_order_acq_rel);
        struct symbol_question *const waiting = list ? NULL : take_waiting(w);
        if (list || waiting)
            answer_all(w, list ? list : waiting);
        else
            os_wakeup_wait(w->wake, -1);
    }
}

static void add_folder(char *path, size_t room, const char *folder)
{
    const size_t used = strlen(path);
    if (folder[0])
        snprintf(path + used, room - used, "%s%s", used ? ";" : "", folder);
}

/* The user's path, and behind it where downloads go. */
static char *search_path(const struct symbol_options *o)
{
    char cache[SERVER_FOLDER];
    struct symbol_servers servers;
    symbol_servers_of(o, &servers);
    symbol_downloads_cache(o, cache);
    const char *const path = o->path ? o->path : "";
    const size_t room = strlen(path) + (servers.count + 2) * (SERVER_FOLDER + 1);
    char *const all = mem_new(room, 1);
    add_folder(all, room, path);
    for (size_t i = 0; i < servers.count; i++)
        add_folder(all, room, servers.list[i].folder);
    add_folder(all, room, cache);
    return all;
}

struct symbol_worker *symbol_worker_new(const struct symbol_options *o)
{
    struct symbol_worker *const w = mem_new(1, sizeof *w);
    w->path = search_path(o);
    w->wakeup = o->wakeup;
    w->most_bytes = o->open_bytes ? o->open_bytes : OPEN_BYTES;
    w->wake = os_wakeup_new();
    w->downloader = downloader_new(o, w->wake);
    w->thread = os_thread_start("symbols", run, w);
    return w;
}

static void free_questions(struct symbol_question *q)
{
    while (q) {
        struct symbol_question *const next = q->next;
        symbol_question_free(q);
        q = next;
    }
}

bool symbol_worker_free(struct symbol_worker *w)
{
    atomic_store_explicit(&w->stop, true, memory_order_release);
    os_wakeup_signal(w->wake);
    downloader_stop(w->downloader);
    if (!os_thread_join_within(w->thread, END_NS) || !downloader_free(w->downloader))
        return false;
    free_questions(atomic_load(&w->questions));
    free_questions(w->waiting);
    for (struct symbol_batch *b = symbol_worker_take(w); b;) {
        struct symbol_batch *const next = b->next;
        symbol_batch_free(b);
        b = next;
    }
    for (unsigned i = 0; i < PLACES; i++)
        while (w->places[i]) {
            struct opened *const o = w->places[i];
            w->places[i] = o->next;
            image_close(w, o);
        }
    os_wakeup_free(w->wake);
    free(w->path);
    free(w);
    return true;
}

void symbol_worker_ask(struct symbol_worker *w, struct symbol_question *list)
{
    struct symbol_question *last = list;
    while (last->next)
        last = last->next;
    last->next = atomic_load_explicit(&w->questions, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&w->questions, &last->next, list,
                                                  memory_order_release, memory_order_relaxed))
        ;
    os_wakeup_signal(w->wake);
}

struct symbol_batch *symbol_worker_take(struct symbol_worker *w)
{
    return atomic_exchange_explicit(&w->batches, NULL, memory_order_acq_rel);
}

size_t symbol_worker_bytes(const struct symbol_worker *w)
{
    return atomic_load_explicit(&w->bytes_seen, memory_order_relaxed);
}

struct downloader *symbol_worker_downloader(const struct symbol_worker *w)
{
    return w->downloader;
}
