/* All that is known of one event, for the frame that shows it in full. Engine thread only. */
#ifndef SRC_VIEW_EVENT_DETAILS_H
#define SRC_VIEW_EVENT_DETAILS_H

#include "src/view/sentence.h"

enum { SENTENCE_ROOM = 16 << 10 };

/* Decodes into `fields`, which has room for DECODE_FIELDS. */
struct decoded_event view_decode_event(const struct view *v, const struct fact *f,
                                       const struct event *e, struct schema *schema,
                                       struct decoded *fields);

/* Puts them into the frame: head, names, message, fields, stack, bytes and JSON; of an event whose
 * record was overwritten what its fact knows. */
void view_describe_event(struct view *v, struct frame_maker *maker, const struct fact *f);

#endif
