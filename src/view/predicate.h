/* A filter that stands beside the one which decides what is shown (of a rule, of what is looked
 * for, of what is tagged), with what it has found out about names. Engine thread only. */
#ifndef SRC_VIEW_PREDICATE_H
#define SRC_VIEW_PREDICATE_H

#include "src/view/inside.h"

struct predicate {
    struct filter filter;
    struct match_cache *match_cache; /* NULL: without words, all pass */
};

/* What the request tags by rule. */
struct tag_rule {
    struct predicate predicate;
    bool is_asking; /* about an event: should the rule ask for tags itself, it means those by hand */
};

struct tag_rule *tag_rule_new(void);
void tag_rule_free(struct tag_rule *r);

void predicate_init(struct predicate *s); /* lets everything pass */
void predicate_fini(struct predicate *s);

/* Reads words for a pane; false where they mean nothing there, and then everything passes.
 * `span` is what times refer to, or NULL. */
bool predicate_read(struct predicate *s, const char *text, const struct pane *pane,
                    const struct filter_span *span);

/* Names have been learned since: what was found out about them no longer holds. */
void predicate_forget(struct predicate *s);

/* Does the event pass what the filter says about events? */
bool predicate_passes(const struct predicate *s, const struct view *v, const struct fact *f);

#endif
