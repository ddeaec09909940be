/* What happened, in one line: the event's template (src/event/sentence.h) with what the model
 * knows, else its provider's message (src/event/message.h). Engine thread only. */
#ifndef SRC_VIEW_SENTENCE_H
#define SRC_VIEW_SENTENCE_H

#include "src/event/schema.h"
#include "src/event/sentence.h"
#include "src/view/inside.h"

/* An event whose payload is decoded. */
struct decoded_event {
    const struct event *event;
    const struct schema *schema;
    const struct decoded *fields;
    unsigned count;
    bool is_linux;
};

/* The line of a fact; returns its length, 0 where its kind has none or too little is known. `room`
 * is at least MESSAGE_ROOM. */
size_t view_sentence(struct view *v, const struct fact *f, const struct decoded_event *e, char *out,
                     size_t room);

/* For tests: is it a fact that templates may name? */
bool view_sentence_knows(const char *name, size_t bytes);

#endif
