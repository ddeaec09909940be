/* Texts of the model, counted together and bounded. */
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

void model_unname(struct model *m, char **text)
{
    if (*text)
        m->name_bytes -= strlen(*text) + 1;
    free(*text);
    *text = NULL;
}

bool model_rename(struct model *m, char **text, const char *now)
{
    if (!now || !*now || (*text && strcmp(*text, now) == 0))
        return false;
    const size_t bytes = strlen(now) + 1;
    if (bytes > m->name_most - m->name_bytes) {
        m->tally.names_dropped++;
        return false;
    }
    model_unname(m, text);
    *text = mem_copy(now, bytes);
    m->name_bytes += bytes;
    return true;
}
