/* Keys that end what is typed, and complete it. */
#include "ui/action/row_menu.h"
#include "ui/action/action.h"
#include "ui/action/palette.h"
#include "ui/state/asking.h"
#include "ui/state/chooser.h"
#include "ui/state/filtering.h"
#include "ui/state/search.h"
#include "ui/state/suggestions.h"

#include <stdio.h>
#include <string.h>

ACTION(accept)
{
    UNUSED(b), UNUSED(k);
    if (app_context(a) == CONTEXT_CHOOSER)
        return chooser_accept(a);
    const enum prompting kind = a->prompting;
    size_t at;
    const char *const wrong = filtering_wrong(a, &at);
    if (wrong) { /* it waits to be mended; what does not fit on the line is kept for :messages */
        app_message(a, true, "%s", wrong);
        return REACT_DRAW;
    }
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

/* As far as all candidates agree, then one after the other of the list. */
static void complete_command(struct app *a)
{
    if (!a->suggesting.at && palette_complete(&a->prompt))
        suggestions_reset(a);
    else if (strchr(a->prompt.text, ' ') == NULL || a->suggesting.at)
        suggestions_step(a, 1);
}

ACTION(complete)
{
    UNUSED(b), UNUSED(k);
    char before[FILTER_MAX];
    snprintf(before, sizeof before, "%s", a->prompt.text);
    if (a->prompting == PROMPT_FILTER || asking_is_on(a))
        filtering_complete(a);
    else if (a->prompting == PROMPT_COMMAND)
        complete_command(a);
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

ACTION(recent)
{
    UNUSED(b), UNUSED(k);
    if (!suggestions_recent(a))
        app_message(a, false, "no recent text here is like what is typed");
    return REACT_DRAW;
}
