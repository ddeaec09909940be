#include "src/table/pane.h"

#include <string.h>

const struct column *pane_column(const struct pane *p, const char *id)
{
    for (size_t i = 0; i < p->column_count; i++)
        if (strcmp(p->columns[i].id, id) == 0)
            return &p->columns[i];
    return NULL;
}
