/* The record of a fact, fetched from its ring or from a copy of it. Engine thread only. */
#ifndef SRC_VIEW_RECORD_H
#define SRC_VIEW_RECORD_H

#include "src/view/inside.h"

/* Strings of 8 bits grow by half at most when they become UTF-8, lists of bytes by less than four
 * digits and commas: the fields of any record have room as text. */
struct view_cache {
    uint8_t record[RING_SEGMENT];
    char text[1 << 19];
    char *line, *value; /* LINE_ROOM and LINE_VALUE bytes; NULL until an event is shown in full */
};

/* The source of an event among those of all rings, as the model counts them. */
static inline uint32_t view_source_of(const struct fact *f, const struct event *e)
{
    return f->ring * (uint32_t)SOURCE_MAX + e->source;
}

bool view_is_of_linux(const struct view *v, const struct fact *f, const struct event *e);

#endif
