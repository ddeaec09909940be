/* A prompt is opened. */
#include "ui/state/asking.h"
#include "ui/state/filtering.h"
#include "ui/state/search.h"
#include "ui/state/suggestions.h"

#include <stdio.h>
#include <string.h>

void app_open_prompt(struct app *a, enum prompting kind, const char *text)
{
    const struct place *p = app_shown(a);
    memcpy(a->kept_filter, p->filter, sizeof a->kept_filter);
    a->kept_list = p->list;
    a->prompting = kind;
    asking_opened(a);
    filtering_opened(a);
    search_opened(a);
    suggestions_reset(a);
    prompt_open(&a->prompt, &a->histories[kind], text);
}

void app_prompt_changed(struct app *a)
{
    suggestions_reset(a);
    if (a->prompting == PROMPT_FILTER)
        filtering_typed(a);
    if (a->prompting == PROMPT_COMMAND)
        asking_typed(a);
    if (a->prompting == PROMPT_FIND && a->overlay == OVERLAY_HELP)
        snprintf(a->find, sizeof a->find, "%.*s", (int)sizeof a->find - 1, a->prompt.text);
    else if (a->prompting == PROMPT_FIND)
        search_typed(a);
}
