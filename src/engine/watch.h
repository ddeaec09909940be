/* The classes of events that a live collector watches: those requested at the start, and those of
 * the visible panes. A pane's classes stay on for a while after it was left, so that going to and
 * fro loses nothing. Engine's thread. */
#ifndef SRC_ENGINE_WATCH_H
#define SRC_ENGINE_WATCH_H

#include "src/collect/collector.h"
#include "src/collect/watch_request.h"
#include "src/frame/frame.h"

enum { WATCH_STAYS_S = 30 };

struct watch {
    uint32_t base, base_stacks;
    int64_t until[FACT_CLASSES];        /* os_now() up to which a pane wants the class */
    int64_t stacks_until[FACT_CLASSES]; /* and with stacks */
    struct watch_request request;       /* of the panes on the screen */
    struct watch_request standing;      /* of triggers, as long as they are set */
};

/* Bits of enum fact_class; what a pane needs of a live collector. Panes of all events ask for
 * nothing: they show what is on. */
struct watch_request watch_of_pane(const struct pane *p);

/* Of some classes those whose events can have stacks that say something of them. */
uint32_t watch_with_stacks(uint32_t classes);

/* Likewise, of all that is asked for: call trees by their metric, and by whose row they are. */
struct watch_request watch_of_request(const struct request *r);

/* What is watched where nothing else is asked for. */
struct watch_request watch_usual(void);

/* "proc,cpu,disk" or "all": the panes' classes together; false with a sentence. */
bool watch_of_panes(const char *list, struct watch_request *out, struct err *err);

/* "default", "none" or classes such as "switch,disk": those that carry stacks. `named`: those that
 * stand there by name, which whoever asks for their stacks wants to have recorded. */
bool watch_stacks(const char *list, uint32_t *out, uint32_t *named, struct err *err);

/* Begins a new set of visible panes; watch_add() adds to it. */
void watch_nothing(struct watch *w);
void watch_add(struct watch *w, const struct request *r);

/* Wants these for WATCH_STAYS_S from now on. */
void watch_prolong(struct watch *w, const struct watch_request *r, int64_t now);

/* Passes the classes that are wanted now to the collector, if it is live. */
void watch_follow(struct watch *w, struct collector *c, int64_t now);

/* What is on, in short words: "proc cpu disk net mem". */
void watch_words(uint32_t classes, char *out, size_t room);

#endif
