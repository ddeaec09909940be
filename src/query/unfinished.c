/* A query on its way: what may stand where the text ends. */
#include "src/query/query.h"

#include <stdio.h>
#include <string.h>

/* How the text is read, character by character. */
struct reading {
    struct query_end end;
    int depth;  /* of brackets */
    char quote; /* that is open, or 0 */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void begin_item(struct reading *r, enum query_part part)
{
    r->end.part = part;
    r->end.before[0] = '\0';
}

/* A word that begins a part is none of an item before it. */
static bool begins_part(struct reading *r, const char *word, size_t bytes)
{
    static const struct {
        const char *word;
        enum query_part part;
    } parts[] = {{"where", QUERY_WHERE}, {"sort", QUERY_SORT}, {"top", QUERY_TOP}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].word) == bytes && strncmp(parts[i].word, word, bytes) == 0)
            return begin_item(r, parts[i].part), true;
    return false;
}

/* Where a word has ended, what may follow it. */
static void pass_word(struct reading *r, const char *word, size_t bytes)
{
    static const enum query_part next[] = {
        [QUERY_KEY] = QUERY_BEHIND_KEY,
        [QUERY_BEHIND_KEY] = QUERY_BEHIND_KEY,
        [QUERY_AGGREGATE] = QUERY_FIELD,
        [QUERY_FIELD] = QUERY_BEHIND_FIELD,
        [QUERY_BEHIND_FIELD] = QUERY_BEHIND_FIELD,
        [QUERY_WHERE] = QUERY_WHERE,
        [QUERY_SORT] = QUERY_BEHIND_SORT,
        [QUERY_BEHIND_SORT] = QUERY_BEHIND_SORT,
        [QUERY_TOP] = QUERY_TOP,
    };
    if (!bytes || begins_part(r, word, bytes))
        return;
    r->end.part = next[r->end.part];
    snprintf(r->end.before, sizeof r->end.before, "%.*s", (int)(bytes < QUERY_WORD ? bytes : 0),
             word);
}

static bool is_list(enum query_part part)
{
    return part < QUERY_WHERE;
}

static void pass(struct reading *r, const char *text, size_t i)
{
    const char c = text[i];
    const bool is_bar = c == '|' && r->end.part <= QUERY_BEHIND_KEY;
    const bool is_comma = c == ',' && is_list(r->end.part);
    if (r->quote) {
        r->quote = c == r->quote ? 0 : r->quote;
        return;
    }
    r->quote = c == '"' || c == '\'' ? c : 0;
    r->depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (r->depth > 0 || (!is_blank(c) && !is_bar && !is_comma))
        return;
    pass_word(r, text + r->end.at, i - r->end.at);
    r->end.at = i + 1;
    if (is_bar)
        begin_item(r, QUERY_AGGREGATE);
    else if (is_comma)
        begin_item(r, r->end.part <= QUERY_BEHIND_KEY ? QUERY_KEY : QUERY_AGGREGATE);
}

bool query_unfinished(const char *text, struct query_end *out)
{
    if (!query_is_one(text))
        return false;
    struct reading r = {.depth = 0};
    const size_t from = (size_t)(strstr(text, "by") - text) + 2;
    begin_item(&r, QUERY_KEY);
    r.end.at = from;
    for (size_t i = from; text[i]; i++)
        pass(&r, text, i);
    *out = r.end;
    return true;
}
