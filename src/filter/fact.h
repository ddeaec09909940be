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

/* Does the fact pass what is decided about facts? `process` as model_process_of(). */
bool filter_passes_fact(const struct filter *f, struct match_cache *v, const struct model *m,
                        const struct fact_callbacks *callbacks, const struct fact *fact,
                        uint32_t process);

/* Which operations facts of a class can have that pass: a bit each; the others never do. */
uint64_t filter_ops(const struct filter *f, unsigned class);

/* Which of those never pass because they lack what the filter asks for: a call that begins has no
 * status and no latency, so that nobody knows how many of those that pass by their end began. */
uint64_t filter_lacking(const struct filter *f, unsigned class);

/* Does it look at nothing but numbers of the fact itself, which no name that comes later changes?
 */
bool filter_is_of_facts(const struct filter *f);

/* Of the terms about processes (not those about any text), for one at `now_ns`. */
struct filter_found filter_look_process(const struct filter *f, const struct model *m,
                                        uint32_t process, int64_t now_ns);

/* Evaluates the terms of GROUP_CALLBACK among `terms` on the subject's record. */
void filter_look_record(const struct filter *f, uint64_t terms, const struct field_subject *s,
                        struct filter_found *found);

/* What names a fact's thing: a file, a key, a text, or the file of an image; NULL = nothing. */
const struct file *fact_file(const struct model *m, const struct fact *f);

#endif
