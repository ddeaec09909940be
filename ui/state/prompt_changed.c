/* What is typed takes effect with each key. */
#include "ui/state/asking.h"
#include "ui/state/filtering.h"
#include "ui/state/search.h"

#include <stdio.h>

void app_prompt_changed(struct app *a)
{
    if (a->prompting == PROMPT_FILTER)
        filtering_typed(a);
    if (a->prompting == PROMPT_COMMAND)
        asking_typed(a);
    if (a->prompting == PROMPT_FIND && a->overlay == OVERLAY_HELP)
        snprintf(a->find, sizeof a->find, "%.*s", (int)sizeof a->find - 1, a->prompt.text);
    else if (a->prompting == PROMPT_FIND)
        search_typed(a);
}
