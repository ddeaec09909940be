/* Keys that end what is typed, and complete it. */
#include "ui/action/row_menu.h"
#include "ui/action/action.h"
#include "ui/action/palette.h"
#include "ui/state/asking.h"
#include "ui/state/chooser.h"
#include "ui/state/filtering.h"
#include "ui/state/search.h"

#include <stdio.h>
#include <string.h>

ACTION(accept)
{
    UNUSED(b), UNUSED(k);
    if (app_context(a) == CONTEXT_CHOOSER)
        return chooser_accept(a);
    const enum prompting kind = a->prompting;
    size_t at;
    if (filtering_wrong(a, &at))
        return REACT_NONE; /* it says why, and waits to be mended */
    prompt_keep(&a->prompt);
    a->prompting = PROMPT_NONE;
    if (asking_accepted(a))
        return REACT_DRAW;
    if (kind == PROMPT_MARK)
        action_mark_text(a, a->prompt.text);
    if (kind == PROMPT_TERMINATE)
        row_menu_answer(a, a->prompt.text);
    if (kind == PROMPT_TAG)
        search_tag(a, a->prompt.text);
    return kind == PROMPT_COMMAND ? app_run(a, a->prompt.text) | REACT_DRAW : REACT_DRAW;
}

ACTION(complete)
{
    UNUSED(b), UNUSED(k);
    char before[FILTER_MAX];
    snprintf(before, sizeof before, "%s", a->prompt.text);
    if (a->prompting == PROMPT_FILTER || asking_is_on(a))
        filtering_complete(a);
    else if (a->prompting == PROMPT_COMMAND)
        palette_complete(&a->prompt);
    if (strcmp(before, a->prompt.text) == 0)
        app_message(a, false, "nothing more to complete; F1 lists keys and commands");
    return REACT_DRAW;
}

ACTION(prompt_switch)
{
    UNUSED(b), UNUSED(k);
    const bool is_find = a->prompting == PROMPT_FIND && a->overlay != OVERLAY_HELP;
    if (a->prompting == PROMPT_FILTER)
        return action_accept(a, b, k); /* the key that began it */
    if (a->prompting != PROMPT_COMMAND && !is_find) {
        app_message(a, false, "F4 filters by a text of find or of a command; Enter ends this line");
        return REACT_DRAW;
    }
    if (is_find)
        search_canceled(a);
    a->prompting = PROMPT_FILTER;
    filtering_typed(a);
    return REACT_DRAW;
}
