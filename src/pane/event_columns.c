#include "src/pane/event_columns.h"

#include "src/base/mem.h"
#include "src/field/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN = 32, FIELDS = 32, NAME = 64, WIDTH = 16 };

struct event_columns {
    struct pane pane;
    struct column columns[OWN + FIELDS];
    char names[FIELDS][NAME];
    unsigned count;
};

static bool add(struct event_columns *c, const char *name, size_t bytes, struct err *err)
{
    if (c->count == FIELDS)
        return fail(err, "at most %d columns can be fields of payloads", FIELDS);
    if (bytes >= NAME)
        return fail(err, "a column's name has 1 to %d bytes", NAME - 1);
    char *const id = c->names[c->count++];
    memcpy(id, name, bytes);
    id[bytes] = '\0';
    if (pane_column(&c->pane, id) || !field_is_of_payload(id, bytes)) {
        c->count--;
        return true;
    }
    c->columns[c->pane.column_count++] = (struct column){.id = id,
                                                         .title = id,
                                                         .unit = "",
                                                         .help = "Field of the payload",
                                                         .type = VALUE_TEXT,
                                                         .flags = COLUMN_OF_PAYLOAD,
                                                         .width = WIDTH,
                                                         .rank = 7};
    return true;
}

struct event_columns *event_columns_new(const struct pane *p, const char *list, struct err *err)
{
    if (p->view != PANE_EVENTS || !list || p->column_count > OWN)
        return NULL;
    struct event_columns *const c = mem_new(1, sizeof *c);
    bool ok = true;
    c->pane = *p;
    c->pane.of = p;
    memcpy(c->columns, p->columns, p->column_count * sizeof *p->columns);
    c->pane.columns = c->columns;
    for (const char *at = list; ok && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        ok = add(c, at, strcspn(at, ","), err);
    if (ok && c->count)
        return c;
    free(c);
    return NULL;
}

void event_columns_free(struct event_columns *c)
{
    free(c);
}

const struct pane *event_columns_pane(const struct event_columns *c)
{
    return &c->pane;
}
