/* Where names come from: one row per kind of source in symbol_backends (one table per platform),
 * one file per row. All of it runs on the worker's thread only, one call at a time, and may
 * wait for disks; it looks at *stop in long loops and gives up when it is set.
 *
 * An image is opened by every backend that claims it, in the order of the table; an offset is
 * looked up in the order of those that opened, and the first name counts. A backend that cannot
 * prove that its file is the one that ran refuses to open, with a sentence. */
#ifndef SRC_SYMBOL_BACKEND_H
#define SRC_SYMBOL_BACKEND_H

#include "src/base/err.h"
#include "src/symbol/symbol.h"

#include <stdatomic.h>

/* Which file of an image could not be found, and may be on a server. */
enum symbol_lack {
    SYMBOL_LACKS_NOTHING,
    SYMBOL_LACKS_PDB,
    SYMBOL_LACKS_PROGRAM,
    SYMBOL_LACKS_DEBUG_FILE
};

struct symbol_search {
    const char *path; /* elements separated by ';' (store.h); never NULL */
    const _Atomic bool *stop;
    enum symbol_lack *lack; /* set by symbol_lacks(); may be NULL */
};

static inline void symbol_lacks(const struct symbol_search *s, enum symbol_lack lack)
{
    if (s->lack)
        *s->lack = lack;
}

static inline bool symbol_is_stopped(const struct symbol_search *s)
{
    return atomic_load_explicit(s->stop, memory_order_relaxed);
}

struct symbol_found {
    uint64_t start, size; /* as offsets of the image */
    char name[SYMBOL_NAME_MAX];
};

/* One of the frames that an offset stands for: functions inlined into each other. */
struct symbol_place {
    char function[256];
    char file[512];
    uint32_t line;
};

struct symbol_backend {
    const char *id;
    bool (*claims)(const struct symbol_image *i);
    /* Something that answers for the image, or NULL with a sentence. *bytes: memory that it
     * takes, about; `from` (SYMBOL_NAME_MAX): the file that its names are of. */
    void *(*open)(const struct symbol_search *s, const struct symbol_image *i, char *from,
                  size_t *bytes, struct err *why);
    bool (*find)(void *opened, uint64_t offset, struct symbol_found *out);
    /* Up to SYMBOL_INLINED places, innermost first; their number. NULL: it has none. */
    unsigned (*places)(void *opened, uint64_t offset, struct symbol_place *out);
    void (*close)(void *opened);
};

/* NULL-terminated (backends_linux.c, backends_windows.c). */
extern const struct symbol_backend *const symbol_backends[];

/* ---- the worker (worker.c) ------------------------------------------------------- */

/* An image, as long as anybody holds it (held.c): the engine's table, a question on its way, the
 * worker that has it open, a download. */
struct symbol_held {
    struct symbol_image image; /* never changes */
    _Atomic unsigned holders;
};

/* A copy, held once. */
struct symbol_held *symbol_held_new(const struct symbol_image *image);
struct symbol_held *symbol_hold(struct symbol_held *h);
void symbol_let_go(struct symbol_held *h); /* the last one frees it */

/* A question on its way to the worker. */
struct symbol_question {
    struct symbol_question *next;
    struct symbol_held *held;
    uint32_t number;                  /* of the image */
    uint64_t offset;
    bool wants_places;
};

struct symbol_answer {
    uint32_t number;
    uint64_t offset;
    bool is_found;
    uint64_t start, size;
    uint32_t name; /* offset into the batch's text */
};

/* What became of an image: texts are offsets into the batch's text. */
enum { SYMBOL_AS_BEFORE = -1 };
struct symbol_image_report {
    uint32_t number;
    uint32_t from, why; /* SYMBOL_AS_BEFORE: it does not change */
    bool is_better;     /* a file has come: addresses without a name may have one now */
};

struct symbol_places {
    uint32_t number;
    uint64_t offset;
    unsigned count;
    struct symbol_place *places;
};

void symbol_question_free(struct symbol_question *q);

/* Answers, handed over together. */
struct symbol_batch {
    struct symbol_batch *next;
    struct symbol_answer *answers;
    size_t answer_count, answer_room;
    struct symbol_image_report *image_reports;
    size_t image_report_count, image_report_room;
    struct symbol_places *places;
    size_t place_count, place_room;
    char *text; /* [0] is "" */
    size_t text_bytes, text_room;
};
void symbol_batch_free(struct symbol_batch *b);

struct downloader;
struct symbol_worker;
struct symbol_worker *symbol_worker_new(const struct symbol_options *o);

/* False when it does not end soon (it reads a file that does not answer): it is left behind with
 * what it holds. It rings no more. */
bool symbol_worker_free(struct symbol_worker *w);
/* Owned by the worker from here on: a list, the newest first. */
void symbol_worker_ask(struct symbol_worker *w, struct symbol_question *list);
/* The batches since the last call, the newest first; the caller frees them. */
struct symbol_batch *symbol_worker_take(struct symbol_worker *w);
/* Memory of what is open, about. Any thread. */
size_t symbol_worker_bytes(const struct symbol_worker *w);
/* NULL: nothing is downloaded. It lives as long as the worker. */
struct downloader *symbol_worker_downloader(const struct symbol_worker *w);

#endif
