/* Events as lines of one format into a stream. Lines gather in one buffer; it goes out when the
 * longest line might no longer fit, or when it is flushed. */
#ifndef SRC_EXPORT_EVENT_WRITER_H
#define SRC_EXPORT_EVENT_WRITER_H

#include "src/base/err.h"
#include "src/event/attribution.h"
#include "src/event/schema.h"

#include <stdio.h>

enum event_format {
    EVENT_JSONL, /* one JSON object a line */
    EVENT_TEXT,  /* one line to read */
    EVENT_CSV,
};

struct event_writer_options {
    enum event_format format;
    const char *columns; /* csv: src/export/line_csv.h; NULL: the usual ones */
    char separator;      /* csv */
    bool is_raw;         /* csv: cells that a spreadsheet would evaluate stay as they are */
    bool names_source;   /* events of several files: say which */
};

struct event_writer;

/* NULL with a sentence where the columns are none. */
struct event_writer *event_writer_new(const struct event_writer_options *o, FILE *out,
                                      struct err *err);
void event_writer_free(struct event_writer *w); /* NULL is fine; what was not flushed is dropped */

/* What is to be written of an event. */
struct written_event {
    const struct event *event;
    const struct schema *schema; /* NULL: there is none */
    struct owner owner;
    int64_t ns; /* since 1970 UTC */
    bool is_linux;
};

/* Of csv the line with the names of the columns; nothing of others. Before the first event. */
void event_writer_head(struct event_writer *w);

/* False when there is no place for more: the disk is full, or nobody reads any longer. */
bool event_writer_put(struct event_writer *w, const struct written_event *e);
bool event_writer_flush(struct event_writer *w);

/* Events since the beginning. */
uint64_t event_writer_count(const struct event_writer *w);

/* After a failure: says so in a sentence on `err`, and true; that a reader went away is its own
 * decision and no failure. */
bool event_writer_complain(const struct event_writer *w, FILE *err);

#endif
