/* What a filter finds in facts: which of its terms hold for one. Names are tested once each
 * and then looked up; a collision in the table costs a second test, nothing else. */
#ifndef SRC_FILTER_FACT_H
#define SRC_FILTER_FACT_H

#include "src/filter/filter.h"
#include "src/model/model.h"

struct match_cache; /* on names, of one filter and one state of the names */

struct match_cache *match_cache_new(void);
void match_cache_free(struct match_cache *v); /* NULL is fine */
void match_cache_clear(struct match_cache *v);

/* What a fact does not hold itself: who keeps the window answers. All of them may say that they
 * do not know (any more); NULL callbacks know nothing. */
struct fact_callbacks {
    void *of;
    bool (*record)(void *of, const struct fact *f, struct event *out); /* good until the next */
    bool (*since)(void *of, const struct fact *f, uint64_t *ns); /* the one before of its thread */
    bool (*is_tagged)(void *of, const struct fact *f);
    /* What a frame of a stack is called, "module!function" as far as it is known by now. */
    char *(*frame)(void *of, const struct stack *s, const uint64_t *frames, unsigned index,
                   char *out, size_t room);
};

/* Does the fact pass what is decided about facts? `process` as model_process_of(). */
bool filter_passes_fact(const struct filter *f, struct match_cache *v, const struct model *m,
                        const struct fact_callbacks *callbacks, const struct fact *fact,
                        uint32_t process);

/* Of the terms that need the callbacks (callbacks.c). */
struct filter_found filter_look_callbacks(const struct filter *f,
                                          const struct fact_callbacks *callbacks,
                                          const struct fact *fact, uint64_t terms);

/* Which operations facts of a class can have that pass: a bit each; the others never do. */
uint64_t filter_ops(const struct filter *f, unsigned class);

/* Which of those never pass because they lack what the filter asks for: a call that begins has no
 * status and no latency, so that nobody knows how many of those that pass by their end began. */
uint64_t filter_lacking(const struct filter *f, unsigned class);

/* Of the terms about processes (not those about any text), for one at `now_ns`. */
struct filter_found filter_look_process(const struct filter *f, const struct model *m,
                                        uint32_t process, int64_t now_ns);

/* What names a fact's thing: a file, a key, a text, or the file of an image; NULL = nothing. */
const struct file *fact_file(const struct model *m, const struct fact *f);

#endif
