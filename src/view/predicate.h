/* A filter that stands beside the one which decides what is shown (of a rule, of what is looked
 * for, of what is tagged), with what it has found out about names. Engine thread only. */
#ifndef SRC_VIEW_PREDICATE_H
#define SRC_VIEW_PREDICATE_H

#include "src/view/view.h"

struct sieve {
    struct filter filter;
    struct verdicts *verdicts;
};

/* What the request tags by rule. */
struct tag_rule {
    struct sieve sieve;
    bool is_asking; /* about an event: should the rule ask for tags itself, it means those by hand */
};

struct tag_rule *tag_rule_new(void);
void tag_rule_free(struct tag_rule *r);

void sieve_init(struct sieve *s); /* lets everything pass */
void sieve_fini(struct sieve *s);

/* Reads words for a pane; false where they mean nothing there, and then everything passes.
 * `span` is what times refer to, or NULL. */
bool sieve_read(struct sieve *s, const char *text, const struct pane *pane,
                const struct filter_span *span);

/* Names have been learnt since: what was found out about them no longer holds. */
void sieve_forget(struct sieve *s);

/* Does the event pass what the filter says about events? */
bool sieve_passes(const struct sieve *s, const struct view *v, const struct fact *f);

#endif
