/* Keys and commands about several panes. */
#include "ui/action/splitting.h"

#include "ui/action/action.h"
#include "ui/state/queries.h"
#include "ui/state/splits.h"

#include "src/query/query.h"

#include <stdio.h>
#include <string.h>

enum { WIDE = 160 }; /* cells of a pane from which on another one stands beside it, not below */

ACTION(split)
{
    UNUSED(k);
    splits_open(a, NULL, b->argument);
    return REACT_DRAW;
}

ACTION(split_step)
{
    UNUSED(k);
    const int count = (int)a->split_count;
    if (count > 1)
        splits_go(a, (unsigned)(((int)a->split_at + b->argument + count) % count));
    return REACT_DRAW;
}

/* The next word of a command; "" behind the last. */
static void next_word(const char **at, char out[64])
{
    *at += strspn(*at, " ");
    const size_t length = strcspn(*at, " ");
    snprintf(out, 64, "%.*s", (int)(length < 64 ? length : 63), *at);
    *at += length;
}

unsigned splits_run(struct app *a, const char *text)
{
    struct err err;
    const struct pane *pane = NULL;
    bool is_below = splits_area(a, a->split_at).width < WIDE;
    if (query_is_one(text)) {
        pane = queries_pane(a, text, &err);
        if (pane)
            splits_open(a, pane, is_below);
        else
            app_message(a, true, "%s", err.text);
        return REACT_DRAW;
    }
    char word[64];
    for (next_word(&text, word); word[0]; next_word(&text, word)) {
        const struct pane *const named = queries_pane(a, word, &err);
        const bool is_rows = strcmp(word, "rows") == 0;
        if (is_rows || strcmp(word, "columns") == 0) {
            is_below = is_rows;
        } else if (named && !pane) {
            pane = named;
        } else {
            app_message(a, true, ":split takes a pane, rows, columns; found \"%s\"", word);
            return REACT_DRAW;
        }
    }
    splits_open(a, pane, is_below);
    return REACT_DRAW;
}
