/* Any line as a mark: it is one, or there is a sentence. A mark is the same when it is written and
 * read again, and its record is decoded field by field. */
#include "src/event/event.h"
#include "src/event/mark.h"
#include "src/event/tracelogging.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_again(const struct new_mark *m)
{
    char line[MARK_LINE];
    struct new_mark again;
    struct err err = {""};
    if (!mark_write(m, line, &err)) {
        if (!err.text[0])
            abort();
        return;
    }
    /* A text alone may begin with what separates parts: as a part it is a blank. */
    if (line[0] && !mark_read(line, &again, &err))
        abort();
    if (line[0] && (again.level != m->level || again.pid != m->pid || again.tid != m->tid ||
                    again.asked_ns != m->asked_ns || again.field_count != m->field_count))
        abort();
}

static void check_record(const struct new_mark *m)
{
    struct mark_record r;
    struct event e;
    mark_record_make(&r, 1, m);
    if (r.head.bytes > sizeof r || event_of_record(&r.head, &e) != EVENT_OK)
        abort();
    if (e.kind != HEADER_MANIFEST)
        return;
    struct tracelogging *const t = malloc(sizeof *t);
    struct decoded *const d = malloc(DECODE_FIELDS * sizeof *d);
    if (!tracelogging_read(&e, t) ||
        decode_fields(&t->layout, &e, d, DECODE_FIELDS) != m->field_count + 1)
        abort();
    for (unsigned i = 0; i <= m->field_count; i++)
        if (!d[i].is_present || strcmp(d[i].field->name, i ? m->fields[i - 1].name : "text") != 0)
            abort();
    free(d);
    free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct new_mark *const m = malloc(sizeof *m);
    struct err err = {""};
    char *const line = malloc(bytes + 1);
    memcpy(line, data, bytes);
    line[bytes] = '\0';
    if (mark_read(line, m, &err)) {
        check_again(m);
        check_record(m);
    } else if (!err.text[0]) {
        abort();
    }
    free(line);
    free(m);
    return 0;
}
