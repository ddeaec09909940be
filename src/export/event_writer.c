#include "src/export/event_writer.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/event/line_kinds.h"
#include "src/export/line_csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_ROOM = 2 * LINE_ROOM };

struct event_writer {
    void (*write)(struct line *l, const struct line_event *e); /* NULL: csv */
    FILE *out;
    char *buffer;
    struct line line;
    struct line_csv *csv; /* NULL: another format */
    uint64_t written;
    int error; /* errno, where the output failed */
};

struct event_writer *event_writer_new(const struct event_writer_options *o, FILE *out,
                                      struct err *err)
{
    struct line_csv *csv = NULL;
    if (o->format == EVENT_CSV && !(csv = line_csv_new(o->columns, o->separator, o->is_raw, err)))
        return NULL;
    struct event_writer *const w = mem_new(1, sizeof *w);
    w->csv = csv;
    w->write = o->format == EVENT_TEXT ? line_text : line_jsonl;
    w->out = out;
    w->line.names_source = o->names_source;
    w->line.at = w->buffer = mem_new(OUT_ROOM, 1);
    w->line.value = mem_new(LINE_VALUE, 1);
    w->line.kinds = line_kinds_new();
    return w;
}

void event_writer_free(struct event_writer *w)
{
    if (!w)
        return;
    line_csv_free(w->csv);
    line_kinds_free(w->line.kinds);
    free(w->line.value);
    free(w->buffer);
    free(w);
}

void event_writer_head(struct event_writer *w)
{
    if (w->csv)
        line_csv_head(w->csv, &w->line);
}

bool event_writer_flush(struct event_writer *w)
{
    const size_t bytes = (size_t)(w->line.at - w->buffer);
    w->line.at = w->buffer;
    errno = 0;
    if (fwrite(w->buffer, 1, bytes, w->out) == bytes && fflush(w->out) == 0)
        return true;
    w->error = errno;
    return false;
}

bool event_writer_put(struct event_writer *w, const struct written_event *e)
{
    struct line_event le = {
        .event = e->event, .owner = e->owner, .ns = e->ns, .is_linux = e->is_linux};
    if (e->schema) {
        le.layout = e->schema->layout;
        le.class_name = e->schema->provider;
        le.event_name = e->schema->event;
        le.message = e->schema->message;
        le.names = e->schema->names;
        le.is_transient = e->schema->is_transient;
    }
    if (w->csv)
        line_csv_event(w->csv, &w->line, &le);
    else
        w->write(&w->line, &le);
    w->written++;
    return w->line.at - w->buffer <= OUT_ROOM - LINE_ROOM || event_writer_flush(w);
}

uint64_t event_writer_count(const struct event_writer *w)
{
    return w->written;
}

bool event_writer_complain(const struct event_writer *w, FILE *err)
{
    if (w->error == 0 || w->error == EPIPE)
        return false;
    show(err, "tracetop: the output cannot be written: %s\n", strerror(w->error));
    return true;
}
