/* The engine's side: what was asked, what is known. */
#include "src/symbol.h"

#include "src/map.h"
#include "src/mem.h"
#include "src/symbol_backend.h"

#include <stdlib.h>
#include <string.h>

/* Places are wanted for the frame that is looked at: the last few. */
enum { PLACES_KEPT = 16 };

struct answer {
    uint32_t number; /* of the shelf */
    uint32_t image;
    uint64_t offset;
    uint64_t start, size;
    int64_t answered_ns; /* os_now() */
    uint32_t name;
    uint8_t state; /* enum symbol_state */
    bool is_asked_again;
};

struct known_image {
    struct symbol_image image;
    char *from, *why;
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
    struct known_image **images; /* image n is images[n - 1] */
    uint32_t image_count, image_room;
    struct map image_of; /* hash of an identity → number */
    struct shelf answers;
    struct map answer_of; /* hash of image and offset → number in `answers` */
    char **names;         /* name n is names[n - 1] */
    uint32_t name_count, name_room;
    struct map name_of; /* hash of a text → number */
    size_t text_bytes;
    struct kept_places places[PLACES_KEPT];
    unsigned next_places;
    struct symbol_question *asking; /* handed over by symbols_take() or when there are many */
    unsigned asking_count;
    struct symbol_figures figures;
};

struct symbols *symbols_new(const struct symbol_options *o)
{
    struct symbols *const s = mem_new(1, sizeof *s);
    map_init(&s->image_of);
    map_init(&s->answer_of);
    map_init(&s->name_of);
    s->worker = symbol_worker_new(o);
    return s;
}

static void free_questions(struct symbol_question *q)
{
    while (q) {
        struct symbol_question *const next = q->next;
        free(q);
        q = next;
    }
}

void symbols_free(struct symbols *s)
{
    if (!s)
        return;
    if (!symbol_worker_free(s->worker)) /* it reads the images */
        return;
    for (uint32_t i = 0; i < s->image_count; i++) {
        struct known_image *const k = s->images[i];
        free((char *)(uintptr_t)k->image.path);
        free((char *)(uintptr_t)k->image.pdb);
        free(k->from);
        free(k->why);
        free(k);
    }
    for (uint32_t i = 0; i < s->name_count; i++)
        free(s->names[i]);
    for (unsigned i = 0; i < PLACES_KEPT; i++)
        free(s->places[i].places);
    free_questions(s->asking);
    free(s->images);
    free(s->names);
    if (s->answers.chunks)
        shelf_fini(&s->answers);
    map_fini(&s->image_of);
    map_fini(&s->answer_of);
    map_fini(&s->name_of);
    free(s);
}

/* ---- images ------------------------------------------------------------------------------ */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const uint8_t *const at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = hash_mix(hash ^ at[i]) * 0xff51afd7ed558ccdu;
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

/* A file is the same for all who map it, where its identity says so; else every process may see
 * another one by that path. */
static uint32_t pid_that_counts(const struct symbol_image *i)
{
    const bool is_known = i->system != SYMBOL_OF_JIT && (i->build_bytes || i->inode);
    return i->is_live && !is_known && i->system != SYMBOL_OF_KERNEL ? i->pid : 0;
}

static uint64_t base_that_counts(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_KERNEL ? i->base : 0;
}

static uint64_t hash_image(const struct symbol_image *i)
{
    const uint64_t numbers[] = {i->system,  i->is_live,    pid_that_counts(i), base_that_counts(i),
                                i->dev,     i->inode,      i->stamp,           i->image_size,
                                i->pdb_age, i->build_bytes};
    uint64_t hash = hash_bytes(1, numbers, sizeof numbers);
    hash = hash_bytes(hash, i->build, i->build_bytes);
    hash = hash_bytes(hash, &i->pdb_guid, sizeof i->pdb_guid);
    return hash_text(hash_text(hash, i->path), i->pdb);
}

static bool same_image(const struct symbol_image *a, const struct symbol_image *b)
{
    return a->system == b->system && a->is_live == b->is_live &&
           pid_that_counts(a) == pid_that_counts(b) && base_that_counts(a) == base_that_counts(b) &&
           a->dev == b->dev && a->inode == b->inode && a->stamp == b->stamp &&
           a->image_size == b->image_size && a->pdb_age == b->pdb_age &&
           a->build_bytes == b->build_bytes && memcmp(a->build, b->build, a->build_bytes) == 0 &&
           guid_equal(&a->pdb_guid, &b->pdb_guid) && strcmp(a->path, b->path) == 0 &&
           strcmp(a->pdb, b->pdb) == 0;
}

uint32_t symbols_image(struct symbols *s, const struct symbol_image *image)
{
    struct symbol_image i = *image;
    i.path = i.path ? i.path : "";
    i.pdb = i.pdb ? i.pdb : "";
    if (i.build_bytes > SYMBOL_BUILD_MAX)
        i.build_bytes = SYMBOL_BUILD_MAX;
    uint64_t hash = hash_image(&i);
    for (uint32_t known; (known = map_get(&s->image_of, hash)) != 0; hash++)
        if (same_image(&s->images[known - 1]->image, &i))
            return known;
    if (s->image_count == SYMBOL_IMAGES) {
        s->figures.dropped++;
        return 0;
    }
    if (s->image_count == s->image_room) {
        s->image_room = s->image_room ? s->image_room * 2 : 64;
        s->images = mem_grow(s->images, s->image_room, sizeof(struct known_image *));
    }
    struct known_image *const k = mem_new(1, sizeof *k);
    k->image = i;
    k->image.path = mem_string(i.path);
    k->image.pdb = mem_string(i.pdb);
    s->images[s->image_count++] = k;
    map_put(&s->image_of, hash, s->image_count);
    return s->image_count;
}

struct symbol_origin symbols_origin(const struct symbols *s, uint32_t image)
{
    const struct known_image *const k =
        image && image <= s->image_count ? s->images[image - 1] : NULL;
    return (struct symbol_origin){k && k->from ? k->from : "", k && k->why ? k->why : ""};
}

/* ---- names --------------------------------------------------------------------------------- */

const char *symbols_name(const struct symbols *s, uint32_t name)
{
    return name && name <= s->name_count ? s->names[name - 1] : "";
}

/* The number of a text; 0 when there is no room. */
static uint32_t name_of(struct symbols *s, const char *text)
{
    uint64_t hash = hash_text(2, text);
    for (uint32_t known; (known = map_get(&s->name_of, hash)) != 0; hash++)
        if (strcmp(s->names[known - 1], text) == 0)
            return known;
    const size_t bytes = strlen(text) + 1;
    if (bytes > SYMBOL_TEXT - s->text_bytes) {
        s->figures.dropped++;
        return 0;
    }
    if (s->name_count == s->name_room) {
        s->name_room = s->name_room ? s->name_room * 2 : 1024;
        s->names = mem_grow(s->names, s->name_room, sizeof(char *));
    }
    s->names[s->name_count++] = mem_string(text);
    s->text_bytes += bytes;
    map_put(&s->name_of, hash, s->name_count);
    return s->name_count;
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

static bool may_go(const void *thing)
{
    return ((const struct answer *)thing)->state != SYMBOL_ASKED;
}

static struct answer *answer_at(const struct symbols *s, uint32_t image, uint64_t offset)
{
    const uint32_t number = map_get(&s->answer_of, place_hash(image, offset));
    struct answer *const a = number ? shelf_at(&s->answers, number) : NULL;
    return a && a->image == image && a->offset == offset ? a : NULL;
}

static void hand_over(struct symbols *s)
{
    if (s->asking)
        symbol_worker_ask(s->worker, s->asking);
    s->asking = NULL;
    s->asking_count = 0;
}

static void ask(struct symbols *s, uint32_t image, uint64_t offset, bool wants_places)
{
    enum { TOGETHER = 256 };
    struct symbol_question *const q = mem_new(1, sizeof *q);
    *q = (struct symbol_question){s->asking, &s->images[image - 1]->image, image, offset,
                                  wants_places};
    s->asking = q;
    if (++s->asking_count >= TOGETHER)
        hand_over(s);
}

/* Programs that make code say what it is after they made it. */
static bool may_come(const struct symbols *s, const struct answer *a)
{
    return a->state == SYMBOL_NONE && s->images[a->image - 1]->image.system == SYMBOL_OF_JIT &&
           s->images[a->image - 1]->image.is_live;
}

static struct symbol ask_again(struct symbols *s, struct answer *a)
{
    static const int64_t PATIENCE_NS = 2 * 1000000000ll;
    if (!a->is_asked_again && os_now() - a->answered_ns > PATIENCE_NS &&
        s->figures.asked - s->figures.answered < SYMBOL_WAITING) {
        a->is_asked_again = true;
        s->figures.asked++;
        ask(s, a->image, a->offset, false);
    }
    return (struct symbol){.state = SYMBOL_ASKED};
}

struct symbol symbols_at(struct symbols *s, uint32_t image, uint64_t offset)
{
    if (!image || image > s->image_count)
        return (struct symbol){.state = SYMBOL_NONE};
    struct answer *const known = answer_at(s, image, offset);
    if (known && may_come(s, known))
        return ask_again(s, known);
    if (known)
        return (struct symbol){known->state, known->name, known->start, known->size};
    if (s->figures.asked - s->figures.answered >= SYMBOL_WAITING) {
        s->figures.put_off++;
        return (struct symbol){.state = SYMBOL_ASKED};
    }
    if (!s->answers.chunks)
        shelf_init(&s->answers, sizeof(struct answer), SYMBOL_ANSWERS, may_go);
    struct answer *const a = shelf_add(&s->answers, forget_answer, s);
    a->image = image;
    a->offset = offset;
    map_put(&s->answer_of, place_hash(image, offset), a->number);
    s->figures.asked++;
    ask(s, image, offset, false);
    return (struct symbol){.state = SYMBOL_ASKED};
}

unsigned symbols_lines(struct symbols *s, uint32_t image, uint64_t offset, struct symbol_line *out,
                       enum symbol_state *state)
{
    *state = SYMBOL_NONE;
    if (!image || image > s->image_count)
        return 0;
    struct kept_places *k = s->places;
    while (k < s->places + PLACES_KEPT && (k->image != image || k->offset != offset))
        k++;
    if (k == s->places + PLACES_KEPT) {
        k = &s->places[s->next_places++ % PLACES_KEPT];
        free(k->places);
        *k = (struct kept_places){.image = image, .offset = offset};
        ask(s, image, offset, true);
        hand_over(s);
    }
    *state = !k->is_answered ? SYMBOL_ASKED : k->count ? SYMBOL_FOUND : SYMBOL_NONE;
    for (unsigned i = 0; i < k->count; i++)
        out[i] = (struct symbol_line){k->places[i].function, k->places[i].file, k->places[i].line};
    return k->count;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void take_answer(struct symbols *s, const struct symbol_batch *b,
                        const struct symbol_answer *from)
{
    struct answer *const a = answer_at(s, from->number, from->offset);
    s->figures.answered++;
    if (!a)
        return; /* its place was needed for another */
    a->is_asked_again = false;
    a->answered_ns = os_now();
    a->start = from->start;
    a->size = from->size;
    a->name = from->is_found ? name_of(s, b->text + from->name) : 0;
    a->state = a->name ? SYMBOL_FOUND : SYMBOL_NONE;
    s->figures.named += a->state == SYMBOL_FOUND;
    s->figures.version += a->state == SYMBOL_FOUND;
}

static void replace(char **text, const char *now)
{
    free(*text);
    *text = mem_string(now);
}

static void take_told(struct symbols *s, const struct symbol_batch *b, const struct symbol_told *t)
{
    struct known_image *const k = s->images[t->number - 1];
    replace(&k->from, b->text + t->from);
    replace(&k->why, b->text + t->why);
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

bool symbols_take(struct symbols *s)
{
    hand_over(s);
    struct symbol_batch *b = symbol_worker_take(s->worker);
    const bool is_any = b != NULL;
    while (b) {
        struct symbol_batch *const next = b->next;
        for (size_t i = 0; i < b->answer_count; i++)
            take_answer(s, b, &b->answers[i]);
        for (size_t i = 0; i < b->told_count; i++)
            take_told(s, b, &b->told[i]);
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
    return map_bytes(&s->image_of) + map_bytes(&s->answer_of) + map_bytes(&s->name_of) +
           (s->answers.chunks ? shelf_bytes(&s->answers) : 0) + s->text_bytes +
           (size_t)s->name_room * (sizeof(char *) + 16);
}
