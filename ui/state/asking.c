#include "ui/state/asking.h"

#include "src/query/query.h"
#include "ui/state/location_history.h"
#include "ui/state/made_panes.h"
#include "ui/state/place.h"

#include <stdio.h>
#include <string.h>

static struct level *level_of(struct app *a)
{
    return a->focus->levels[a->focus->depth];
}

static bool is_typed(const struct app *a)
{
    return a->prompting == PROMPT_FILTER || a->prompting == PROMPT_COMMAND;
}

bool asking_is_on(const struct app *a)
{
    return is_typed(a) && query_is_one(a->prompt.text);
}

void asking_opened(struct app *a)
{
    const struct level *const l = level_of(a);
    a->asking = (struct asking){.at = l->at, .kept = l->places[QUERY_PLACE]};
}

/* As it was when the prompt opened. */
static bool restore(struct app *a)
{
    const bool was_shown = a->asking.is_shown;
    struct level *const l = level_of(a);
    if (was_shown) {
        l->at = a->asking.at;
        l->places[QUERY_PLACE] = a->asking.kept;
    }
    a->asking.is_shown = false;
    return was_shown;
}

static bool show(struct app *a, const char *text, struct err *err)
{
    const struct pane *const p = queries_ask(&a->made->queries, text, err);
    if (p && p != app_shown(a)->pane) {
        a->focus->is_detail = false;
        a->asking.is_shown = true;
        place_open(a, p);
    }
    return p;
}

/* A word on its way to another one is wrong, or says something else, until it is whole: what stands
 * before it is the query. */
static void show_without_last_word(struct app *a)
{
    char text[FILTER_MAX];
    struct err err;
    snprintf(text, sizeof text, "%s", a->prompt.text);
    char *const blank = strrchr(text, ' ');
    if (blank) {
        *blank = '\0';
        show(a, text, &err);
    }
}

/* Where the sentence has a word of the text, it is about that; else about the end. */
static size_t place_of_error(const char *text, const char *sentence)
{
    char word[128];
    const char *const quote = strchr(sentence, '"');
    const size_t bytes = quote ? strcspn(quote + 1, "\"") : 0;
    const char *found = NULL;
    if (bytes && bytes < sizeof word) {
        snprintf(word, sizeof word, "%.*s", (int)bytes, quote + 1);
        for (const char *at = text; (at = strstr(at, word)); at++)
            found = at;
    }
    return found ? (size_t)(found - text) : strlen(text);
}

bool asking_typed(struct app *a)
{
    struct err err;
    if (!asking_is_on(a)) {
        if (is_typed(a))
            restore(a);
        return false;
    }
    a->filter_error.text[0] = '\0';
    if (show(a, a->prompt.text, &err))
        return true;
    snprintf(a->filter_error.text, sizeof a->filter_error.text, "%.255s", err.text);
    a->filter_error.at = place_of_error(a->prompt.text, err.text);
    show_without_last_word(a);
    return true;
}

bool asking_accepted(struct app *a)
{
    const struct place *const shown = app_shown(a);
    if (!a->asking.is_shown)
        return false;
    const struct pane *const p = shown->pane;
    restore(a);
    app_go_pane(a, p);
    return true;
}

void asking_canceled(struct app *a)
{
    restore(a);
}

bool asking_show(struct app *a, const char *text)
{
    struct err err;
    const struct pane *const p = queries_ask(&a->made->queries, text, &err);
    if (p)
        app_go_pane(a, p);
    else
        app_message(a, true, "%s", err.text);
    return p;
}
