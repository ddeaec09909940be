/* A prompt is opened. */
#include "ui/state/asking.h"
#include "ui/state/filtering.h"
#include "ui/state/search.h"
#include "ui/state/suggestions.h"

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
