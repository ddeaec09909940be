/* The engine's side: what was asked, what is known. */
#include "src/symbol/symbol.h"

#include "src/base/hash.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/symbol/backend.h"
#include "src/symbol/download.h"
#include "src/symbol/names.h"

#include <stdlib.h>
#include <string.h>

/* Source lines are wanted for the selected frame only: the last few are kept. */
enum { PLACES_KEPT = 16 };

struct answer {
    uint32_t number; /* of the generation table */
    uint32_t image;
    uint64_t offset;
    uint64_t start, size;
    int64_t answered_ns; /* os_now() */
    uint32_t name;
    uint8_t state; /* enum symbol_state */
    bool is_asked_again;
    uint16_t round; /* of the image, when it was answered */
};

struct known_image {
    uint32_t number; /* of the generation table */
    bool is_met;     /* see ask_who_is_met() */
    struct symbol_held *held;
    char *from, *why;
    uint32_t text_bytes; /* of all its texts */
    uint16_t round;      /* grows when a file has come that may have more names */
};

struct kept_places {
    uint32_t image; /* 0 = free */
    uint64_t offset;
    bool is_answered;
    unsigned count;
    struct symbol_place *places;
};

struct symbols {
    struct symbol_worker *worker;
    struct generation_table images;
    struct map image_of; /* hash of an identity → number */
    struct generation_table answers;
    struct map answer_of; /* hash of image and offset → number in `answers` */
    struct symbol_names names;
    size_t image_texts; /* bytes */
    struct kept_places places[PLACES_KEPT];
    unsigned next_places;
    struct symbol_question *asking; /* handed over by symbols_take() or when there are many */
    unsigned asking_count;
    unsigned download_signs; /* seen */
    struct symbol_figures figures;
};

/* ---- images ------------------------------------------------------------------------------ */

static enum generation_use use_of_image(const void *thing, const void *owner)
{
    (void)owner;
    return ((const struct known_image *)thing)->is_met ? GENERATION_IN_USE : GENERATION_UNUSED;
}

static void free_image(struct known_image *k)
{
    symbol_let_go(k->held);
    free(k->from);
    free(k->why);
}

struct symbols *symbols_new(const struct symbol_options *o)
{
    struct symbols *const s = mem_new(1, sizeof *s);
    map_init(&s->image_of);
    map_init(&s->answer_of);
    symbol_names_init(&s->names, SYMBOL_TEXT);
    generation_init(&s->images, sizeof(struct known_image), SYMBOL_IMAGES, use_of_image);
    s->worker = symbol_worker_new(o);
    return s;
}

static void free_questions(struct symbol_question *q)
{
    while (q) {
        struct symbol_question *const next = q->next;
        symbol_question_free(q);
        q = next;
    }
}

void symbols_free(struct symbols *s)
{
    if (!s)
        return;
    symbol_worker_free(s->worker); /* what it still uses it holds itself */
    for (uint32_t i = 0; i < s->images.end; i++) {
        struct known_image *const k = generation_place(&s->images, i);
        if (k)
            free_image(k);
    }
    symbol_names_fini(&s->names);
    for (unsigned i = 0; i < PLACES_KEPT; i++)
        free(s->places[i].places);
    free_questions(s->asking);
    generation_fini(&s->images);
    if (s->answers.things)
        generation_fini(&s->answers);
    map_fini(&s->image_of);
    map_fini(&s->answer_of);
    free(s);
}

/* ---- which image --------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

/* A file is the same for all who map it, where its identity says so; else every process may see
 * another one by that path. */
static bool process_counts(const struct symbol_image *i)
{
    const bool is_known = i->system != SYMBOL_OF_JIT && (i->build_bytes || i->inode);
    return i->is_live && !is_known && i->system != SYMBOL_OF_KERNEL;
}

static uint64_t process_that_counts(const struct symbol_image *i)
{
    return process_counts(i) ? (uint64_t)i->process << 32 | i->pid : 0;
}

static uint64_t base_that_counts(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_KERNEL ? i->base : 0;
}

static uint64_t hash_image(const struct symbol_image *i)
{
    const uint64_t numbers[] = {i->system,
                                i->is_live,
                                process_that_counts(i),
                                base_that_counts(i),
                                i->dev,
                                i->inode,
                                i->stamp,
                                i->image_size,
                                i->pdb_age,
                                i->build_bytes};
    uint64_t hash = hash_bytes(1, numbers, sizeof numbers);
    hash = hash_bytes(hash, i->build, i->build_bytes);
    hash = hash_bytes(hash, &i->pdb_guid, sizeof i->pdb_guid);
    return hash_text(hash_text(hash, i->path), i->pdb);
}

static bool same_image(const struct symbol_image *a, const struct symbol_image *b)
{
    return a->system == b->system && a->is_live == b->is_live &&
           process_that_counts(a) == process_that_counts(b) && base_that_counts(a) == base_that_counts(b) &&
           a->dev == b->dev && a->inode == b->inode && a->stamp == b->stamp &&
           a->image_size == b->image_size && a->pdb_age == b->pdb_age &&
           a->build_bytes == b->build_bytes && memcmp(a->build, b->build, a->build_bytes) == 0 &&
           guid_equal(&a->pdb_guid, &b->pdb_guid) && strcmp(a->path, b->path) == 0 &&
           strcmp(a->pdb, b->pdb) == 0;
}

static void forget_image(void *thing, void *arg)
{
    struct symbols *const s = arg;
    struct known_image *const k = thing;
    const uint64_t hash = hash_image(&k->held->image);
    if (map_get(&s->image_of, hash) == k->number)
        map_remove(&s->image_of, hash);
    s->image_texts -= k->text_bytes;
    s->figures.recycled++;
    free_image(k);
}

static struct known_image *image_at(const struct symbols *s, uint32_t number)
{
    struct known_image *const k = generation_at(&s->images, number);
    if (k)
        k->is_met = true;
    return k;
}

bool symbols_has_image(const struct symbols *s, uint32_t image)
{
    return image_at(s, image) != NULL;
}

/* The image whose turn it is when half as many as there is room for have come: it stays if somebody
 * meets it until then. */
static void ask_who_is_met(struct symbols *s)
{
    const uint32_t place = (s->images.newest + SYMBOL_IMAGES / 2) % SYMBOL_IMAGES;
    struct known_image *const k = generation_place(&s->images, place);
    if (k)
        k->is_met = false;
}

uint32_t symbols_image(struct symbols *s, const struct symbol_image *image)
{
    struct symbol_image i = *image;
    i.path = i.path ? i.path : "";
    i.pdb = i.pdb ? i.pdb : "";
    if (i.build_bytes > SYMBOL_BUILD_MAX)
        i.build_bytes = SYMBOL_BUILD_MAX;
    const uint64_t hash = hash_image(&i);
    struct known_image *k = image_at(s, map_get(&s->image_of, hash));
    if (k && same_image(&k->held->image, &i))
        return k->number;
    ask_who_is_met(s);
    k = generation_add(&s->images, forget_image, s);
    k->is_met = true;
    k->held = symbol_held_new(&i);
    k->text_bytes = (uint32_t)(strlen(i.path) + strlen(i.pdb) + 2);
    s->image_texts += k->text_bytes;
    map_put(&s->image_of, hash, k->number);
    return k->number;
}

struct symbol_origin symbols_origin(const struct symbols *s, uint32_t image)
{
    const struct known_image *const k = image_at(s, image);
    return (struct symbol_origin){k && k->from ? k->from : "", k && k->why ? k->why : ""};
}

/* ---- names --------------------------------------------------------------------------------- */

const char *symbols_name(const struct symbols *s, uint32_t name)
{
    const char *const text = symbol_names_text(&s->names, name);
    return text ? text : "";
}

/* ---- questions ------------------------------------------------------------------------------ */

static uint64_t place_hash(uint32_t image, uint64_t offset)
{
    return hash_mix(hash_mix(offset) ^ (uint64_t)image << 40) ^ image;
}

static void forget_answer(void *thing, void *arg)
{
    const struct answer *const a = thing;
    struct symbols *const s = arg;
    const uint64_t hash = place_hash(a->image, a->offset);
    if (map_get(&s->answer_of, hash) == a->number)
        map_remove(&s->answer_of, hash);
}

static enum generation_use use_of_answer(const void *thing, const void *owner)
{
    (void)owner;
    return ((const struct answer *)thing)->state == SYMBOL_ASKED ? GENERATION_IN_USE : GENERATION_UNUSED;
}

static struct answer *answer_at(const struct symbols *s, uint32_t image, uint64_t offset)
{
    const uint32_t number = map_get(&s->answer_of, place_hash(image, offset));
    struct answer *const a = number ? generation_at(&s->answers, number) : NULL;
    return a && a->image == image && a->offset == offset ? a : NULL;
}

static void hand_over(struct symbols *s)
{
    if (s->asking)
        symbol_worker_ask(s->worker, s->asking);
    s->asking = NULL;
    s->asking_count = 0;
}

static void ask(struct symbols *s, const struct known_image *k, uint64_t offset, bool wants_places)
{
    enum { TOGETHER = 256 };
    struct symbol_question *const q = mem_new(1, sizeof *q);
    *q = (struct symbol_question){s->asking, symbol_hold(k->held), k->number, offset,
                                  wants_places};
    s->asking = q;
    if (++s->asking_count >= TOGETHER)
        hand_over(s);
}

/* Programs that make code say what it is after they made it. */
static bool may_come(const struct known_image *k, const struct answer *a)
{
    const struct symbol_image *const i = &k->held->image;
    return a->state == SYMBOL_NONE && i->system == SYMBOL_OF_JIT && i->is_live;
}

/* A file that came since may name it. */
static bool may_have_come(const struct known_image *k, const struct answer *a)
{
    return a->state == SYMBOL_NONE && a->round != k->round;
}

/* A name that was there has made room for others. */
static bool has_gone(const struct symbols *s, const struct answer *a)
{
    return a->state == SYMBOL_FOUND && !symbol_names_text(&s->names, a->name);
}

static struct symbol ask_again(struct symbols *s, const struct known_image *k, struct answer *a,
                               int64_t patience_ns)
{
    if (!a->is_asked_again && os_now() - a->answered_ns >= patience_ns &&
        s->figures.asked - s->figures.answered < SYMBOL_WAITING) {
        a->is_asked_again = true;
        s->figures.asked++;
        ask(s, k, a->offset, false);
    }
    return (struct symbol){.state = SYMBOL_ASKED};
}

struct symbol symbols_at(struct symbols *s, uint32_t image, uint64_t offset)
{
    static const int64_t PATIENCE_NS = 2 * 1000000000ll;
    const struct known_image *const k = image_at(s, image);
    if (!k)
        return (struct symbol){.state = SYMBOL_NONE};
    struct answer *const known = answer_at(s, image, offset);
    if (known && (may_have_come(k, known) || has_gone(s, known)))
        return ask_again(s, k, known, 0);
    if (known && may_come(k, known))
        return ask_again(s, k, known, PATIENCE_NS);
    if (known)
        return (struct symbol){known->state, known->name, known->start, known->size};
    if (s->figures.asked - s->figures.answered >= SYMBOL_WAITING) {
        s->figures.put_off++;
        return (struct symbol){.state = SYMBOL_ASKED};
    }
    if (!s->answers.things)
        generation_init(&s->answers, sizeof(struct answer), SYMBOL_ANSWERS, use_of_answer);
    struct answer *const a = generation_add(&s->answers, forget_answer, s);
    a->image = image;
    a->offset = offset;
    map_put(&s->answer_of, place_hash(image, offset), a->number);
    s->figures.asked++;
    ask(s, k, offset, false);
    return (struct symbol){.state = SYMBOL_ASKED};
}

unsigned symbols_lines(struct symbols *s, uint32_t image, uint64_t offset, struct symbol_line *out,
                       enum symbol_state *state)
{
    *state = SYMBOL_NONE;
    const struct known_image *const from = image_at(s, image);
    if (!from)
        return 0;
    struct kept_places *k = s->places;
    while (k < s->places + PLACES_KEPT && (k->image != image || k->offset != offset))
        k++;
    if (k == s->places + PLACES_KEPT) {
        k = &s->places[s->next_places++ % PLACES_KEPT];
        free(k->places);
        *k = (struct kept_places){.image = image, .offset = offset};
        ask(s, from, offset, true);
        hand_over(s);
    }
    *state = !k->is_answered ? SYMBOL_ASKED : k->count ? SYMBOL_FOUND : SYMBOL_NONE;
    for (unsigned i = 0; i < k->count; i++)
        out[i] = (struct symbol_line){k->places[i].function, k->places[i].file, k->places[i].line};
    return k->count;
}

/* ---- answers --------------------------------------------------------------------------------- */

static uint32_t take_name(struct symbols *s, const char *text)
{
    const uint64_t before = s->names.recycled;
    const uint32_t name = symbol_names_add(&s->names, text);
    s->figures.recycled += s->names.recycled - before;
    return name;
}

static void take_answer(struct symbols *s, const struct symbol_batch *b,
                        const struct symbol_answer *from)
{
    const struct known_image *const k = generation_at(&s->images, from->number);
    struct answer *const a = answer_at(s, from->number, from->offset);
    s->figures.answered++;
    if (!a)
        return; /* its place was needed for another */
    a->is_asked_again = false;
    a->answered_ns = os_now();
    a->round = k ? k->round : 0;
    a->start = from->start;
    a->size = from->size;
    a->name = from->is_found ? take_name(s, b->text + from->name) : 0;
    a->state = a->name ? SYMBOL_FOUND : SYMBOL_NONE;
    s->figures.named += a->state == SYMBOL_FOUND;
    s->figures.version += a->state == SYMBOL_FOUND;
}

static void replace(struct symbols *s, struct known_image *k, char **text, const char *now)
{
    const size_t old = *text ? strlen(*text) + 1 : 0, bytes = strlen(now) + 1;
    s->image_texts += bytes - old;
    k->text_bytes += (uint32_t)(bytes - old);
    free(*text);
    *text = mem_string(now);
}

static void take_image_report(struct symbols *s, const struct symbol_batch *b,
                              const struct symbol_image_report *t)
{
    struct known_image *const k = generation_at(&s->images, t->number);
    if (!k)
        return; /* its place was needed for another */
    if (t->from != (uint32_t)SYMBOL_AS_BEFORE)
        replace(s, k, &k->from, b->text + t->from);
    replace(s, k, &k->why, b->text + t->why);
    k->round += t->is_better;
    s->figures.version += t->is_better;
}

static void take_places(struct symbols *s, struct symbol_places *p)
{
    for (unsigned i = 0; i < PLACES_KEPT; i++) {
        struct kept_places *const k = &s->places[i];
        if (k->image != p->number || k->offset != p->offset)
            continue;
        free(k->places);
        k->places = p->places;
        k->count = p->count;
        k->is_answered = true;
        p->places = NULL;
    }
}

/* What is reported of an image later counts. */
static struct symbol_batch *oldest_first(struct symbol_batch *newest)
{
    struct symbol_batch *list = NULL;
    while (newest) {
        struct symbol_batch *const next = newest->next;
        newest->next = list;
        list = newest;
        newest = next;
    }
    return list;
}

static bool has_download_sign(struct symbols *s)
{
    const struct downloader *const d = symbol_worker_downloader(s->worker);
    const unsigned seen = s->download_signs;
    s->download_signs = d ? downloader_signs(d) : 0;
    return s->download_signs != seen;
}

struct symbol_progress symbols_progress(const struct symbols *s)
{
    const struct downloader *const d = symbol_worker_downloader(s->worker);
    return d ? downloader_progress(d) : (struct symbol_progress){.title = ""};
}

bool symbols_take(struct symbols *s)
{
    hand_over(s);
    struct symbol_batch *b = oldest_first(symbol_worker_take(s->worker));
    const bool is_any = has_download_sign(s) || b != NULL;
    while (b) {
        struct symbol_batch *const next = b->next;
        for (size_t i = 0; i < b->image_report_count; i++)
            take_image_report(s, b, &b->image_reports[i]);
        for (size_t i = 0; i < b->answer_count; i++)
            take_answer(s, b, &b->answers[i]);
        for (size_t i = 0; i < b->place_count; i++)
            take_places(s, &b->places[i]);
        symbol_batch_free(b);
        b = next;
    }
    return is_any;
}

struct symbol_figures symbols_figures(const struct symbols *s)
{
    return s->figures;
}

size_t symbols_bytes(const struct symbols *s)
{
    enum { HEAP_BLOCKS = 4 * 16 }; /* what the heap adds for an image's texts, about */
    return map_bytes(&s->image_of) + map_bytes(&s->answer_of) + generation_bytes(&s->images) +
           s->image_of.count * (sizeof(struct symbol_held) + HEAP_BLOCKS) + s->image_texts +
           (s->answers.things ? generation_bytes(&s->answers) : 0) + symbol_names_bytes(&s->names);
}

size_t symbols_open_bytes(const struct symbols *s)
{
    return symbol_worker_bytes(s->worker);
}
