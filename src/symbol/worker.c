/* The worker: takes the questions, image by image, and opens what answers them. */
#include "src/base/mem.h"
#include "src/symbol/backend.h"

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
};

struct symbol_worker {
    struct os_thread *thread;
    struct os_wakeup *wake, *wakeup;
    _Atomic bool stop;
    _Atomic(struct symbol_question *) questions; /* pushed by the engine, taken as a whole */
    _Atomic(struct symbol_batch *) batches;      /* the other way */
    char *path;
    /* The worker's own: */
    struct opened *places[PLACES];
    size_t bytes, most_bytes;
    unsigned count;
    _Atomic size_t bytes_seen; /* for other threads */
    uint64_t clock;
    struct symbol_batch *batch;
    int64_t batch_since;
};

/* ---- images and questions that travel ---------------------------------------------------- */

struct symbol_held *symbol_held_new(const struct symbol_image *image)
{
    struct symbol_held *const h = mem_new(1, sizeof *h);
    h->image = *image;
    h->image.path = mem_string(image->path);
    h->image.pdb = mem_string(image->pdb);
    atomic_store_explicit(&h->holders, 1, memory_order_relaxed);
    return h;
}

struct symbol_held *symbol_hold(struct symbol_held *h)
{
    atomic_fetch_add_explicit(&h->holders, 1, memory_order_relaxed);
    return h;
}

void symbol_let_go(struct symbol_held *h)
{
    if (atomic_fetch_sub_explicit(&h->holders, 1, memory_order_acq_rel) > 1)
        return;
    free((char *)(uintptr_t)h->image.path);
    free((char *)(uintptr_t)h->image.pdb);
    free(h);
}

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

static void report(struct symbol_worker *w, uint32_t number, const char *from, const char *why)
{
    struct symbol_batch *const b = batch_of(w);
    b->image_reports = grown(b->image_reports, b->image_report_count, &b->image_report_room,
                             sizeof *b->image_reports);
    b->image_reports[b->image_report_count++] =
        (struct symbol_image_report){number, put_text(b, from), put_text(b, why)};
}

/* The first backend that opens is the source of names; the first that fails gives the error. */
static struct opened *image_open(struct symbol_worker *w, const struct symbol_question *q)
{
    const struct symbol_search search = {w->path, &w->stop};
    const struct symbol_image *const image = &q->held->image;
    struct opened *const o = mem_new(1, sizeof *o);
    char from[SYMBOL_NAME_MAX] = "";
    struct err why = {""};
    bool is_claimed = false;
    o->number = q->number;
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
    report(w, q->number, from, why.text);
    o->bytes += sizeof *o + sizeof *o->held;
    w->bytes += o->bytes;
    w->count++;
    return o;
}

static struct opened *image_of(struct symbol_worker *w, const struct symbol_question *q)
{
    struct opened **const place = &w->places[q->number % PLACES];
    struct opened *o = *place;
    while (o && o->number != q->number)
        o = o->next;
    if (!o) {
        o = image_open(w, q);
        o->next = *place;
        *place = o;
        while ((w->bytes > w->most_bytes || w->count > OPEN_IMAGES) && close_one(w, o))
            ;
        atomic_store_explicit(&w->bytes_seen, w->bytes, memory_order_relaxed);
    }
    o->used = ++w->clock;
    return o;
}

/* ---- answers ------------------------------------------------------------------------------ */

static void answer_places(struct symbol_worker *w, const struct symbol_question *q,
                          const struct opened *o)
{
    struct symbol_place *const places = mem_new(SYMBOL_INLINED, sizeof *places);
    unsigned count = 0;
    for (unsigned i = 0; symbol_backends[i] && !count; i++)
        if (o->by[i] && symbol_backends[i]->places)
            count = symbol_backends[i]->places(o->by[i], q->offset, places);
    struct symbol_batch *const b = batch_of(w);
    b->places = grown(b->places, b->place_count, &b->place_room, sizeof *b->places);
    b->places[b->place_count++] = (struct symbol_places){q->number, q->offset, count, places};
}

static void answer(struct symbol_worker *w, const struct symbol_question *q)
{
    const struct opened *const o = image_of(w, q);
    if (q->wants_places) {
        answer_places(w, q, o);
        return;
    }
    struct symbol_found found = {0};
    bool is_found = false;
    for (unsigned i = 0; symbol_backends[i] && !is_found; i++)
        is_found = o->by[i] && symbol_backends[i]->find(o->by[i], q->offset, &found);
    struct symbol_batch *const b = batch_of(w);
    b->answers = grown(b->answers, b->answer_count, &b->answer_room, sizeof *b->answers);
    b->answers[b->answer_count++] =
        (struct symbol_answer){q->number,   q->offset,  is_found && found.name[0],
                               found.start, found.size, put_text(b, found.name)};
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
        if (!is_stopped(w))
            answer(w, list[i]);
        symbol_question_free(list[i]);
        const struct symbol_batch *const b = w->batch;
        if (b &&
            (b->answer_count >= BATCH || b->place_count || os_now() - w->batch_since > BATCH_NS))
            hand_over(w);
    }
    hand_over(w);
    free(list);
}

static void run(void *arg)
{
    struct symbol_worker *const w = arg;
    os_thread_give_way();
    while (!is_stopped(w)) {
        struct symbol_question *const list =
            atomic_exchange_explicit(&w->questions, NULL, memory_order_acq_rel);
        if (list)
            answer_all(w, list);
        else
            os_wakeup_wait(w->wake, -1);
    }
}

struct symbol_worker *symbol_worker_new(const struct symbol_options *o)
{
    struct symbol_worker *const w = mem_new(1, sizeof *w);
    w->path = mem_string(o->path ? o->path : "");
    w->wakeup = o->wakeup;
    w->most_bytes = o->open_bytes ? o->open_bytes : OPEN_BYTES;
    w->wake = os_wakeup_new();
    w->thread = os_thread_start("symbols", run, w);
    return w;
}

bool symbol_worker_free(struct symbol_worker *w)
{
    atomic_store_explicit(&w->stop, true, memory_order_release);
    os_wakeup_signal(w->wake);
    if (!os_thread_join_within(w->thread, END_NS))
        return false;
    struct symbol_question *q = atomic_load(&w->questions);
    while (q) {
        struct symbol_question *const next = q->next;
        symbol_question_free(q);
        q = next;
    }
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
