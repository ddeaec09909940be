/* Keys that find and tag. */
#include "ui/action/action.h"
#include "ui/state/neighbor.h"
#include "ui/state/search.h"

#include <string.h>

ACTION(find_rows)
{
    UNUSED(b), UNUSED(k);
    if (search_is_possible(a))
        app_open_prompt(a, PROMPT_FIND,
                        a->search.pane == app_shown(a)->pane ? a->search.text : "");
    else
        app_message(a, false, "search works in tables, stacks and events; F4 filters");
    return REACT_DRAW;
}

ACTION(find_next)
{
    UNUSED(k);
    if (!search_is_on(a))
        app_message(a, false, "nothing to find; F3 asks for a text");
    else
        search_seek(a, b->argument > 0 ? SEEK_NEXT : SEEK_PREVIOUS);
    return REACT_DRAW;
}

ACTION(prompt_find)
{
    UNUSED(b), UNUSED(k);
    if (a->prompting == PROMPT_FIND)
        return action_accept(a, b, k); /* the key that began it */
    if (a->prompting != PROMPT_FILTER || !search_is_possible(a)) {
        app_message(a, false, "this line is not a filter: F3 turns a filter into a search");
        return REACT_DRAW;
    }
    struct place *const p = app_place(a);
    memcpy(p->filter, a->kept_filter, sizeof p->filter);
    a->prompting = PROMPT_FIND;
    search_opened(a);
    search_typed(a);
    return REACT_DRAW;
}

ACTION(tag_rule)
{
    UNUSED(b), UNUSED(k);
    app_open_prompt(a, PROMPT_TAG,
                    a->search.rule_pane == app_shown(a)->pane ? a->search.rule : "");
    return REACT_DRAW;
}

ACTION(neighbor)
{
    UNUSED(k);
    const int kind = b->argument < 0 ? -b->argument : b->argument;
    neighbor_seek(a, (enum neighbor)kind, b->argument < 0);
    return REACT_DRAW;
}
