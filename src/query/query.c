#include "src/query/query.h"

#include "src/base/unit.h"

#include <stdio.h>
#include <string.h>

/* A stretch of the text. */
struct stretch {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct stretch trimmed(struct stretch s)
{
    while (s.at < s.end && is_blank(*s.at))
        s.at++;
    while (s.end > s.at && is_blank(s.end[-1]))
        s.end--;
    return s;
}

static int length(struct stretch s)
{
    return (int)(s.end - s.at);
}

static bool same(struct stretch s, const char *word)
{
    return strlen(word) == (size_t)length(s) && memcmp(s.at, word, strlen(word)) == 0;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* The quote that closes the one at `at`; NULL where it is not closed. */
static const char *closing(const char *at, const char *end)
{
    const char quote = *at;
    for (at++; at < end && *at != quote; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at : NULL;
}

/* Behind what stands at `at`: a quoted text, or one character. */
static const char *behind(const char *at, const char *end)
{
    if (!is_quote(*at))
        return at + 1;
    const char *const last = closing(at, end);
    return last ? last + 1 : end;
}

/* How much deeper in brackets one is behind the character. */
static int deeper(char c)
{
    return c == '(' ? 1 : c == ')' ? -1 : 0;
}

/* Up to the next `until` outside of quotes and brackets, or to the end; moves *rest behind it. */
static struct stretch take_part(struct stretch *rest, char until)
{
    struct stretch part = {rest->at, rest->at};
    int depth = 0;
    while (part.end < rest->end && !(depth <= 0 && *part.end == until)) {
        depth += deeper(*part.end);
        part.end = behind(part.end, rest->end);
    }
    rest->at = part.end < rest->end ? part.end + 1 : rest->end;
    return trimmed(part);
}

/* The next word: up to a blank outside of quotes and brackets. */
static struct stretch take_word(struct stretch *rest)
{
    *rest = trimmed(*rest);
    struct stretch word = {rest->at, rest->at};
    int depth = 0;
    while (word.end < rest->end && !(depth <= 0 && is_blank(*word.end))) {
        depth += deeper(*word.end);
        word.end = behind(word.end, rest->end);
    }
    rest->at = word.end;
    return word;
}

/* Copies with one blank for each run of them outside of quotes. */
static bool copy(char *to, size_t room, struct stretch from, const char *what, struct err *err)
{
    size_t used = 0;
    for (const char *at = from.at; at < from.end;) {
        const char *const next = behind(at, from.end);
        const bool is_gap = is_blank(*at);
        const size_t bytes = is_gap ? 1 : (size_t)(next - at);
        if (used + bytes >= room)
            return fail(err, "%s has at most %zu bytes", what, room - 1);
        memcpy(to + used, is_gap ? " " : at, bytes);
        used += bytes;
        for (at = next; is_gap && at < from.end && is_blank(*at);)
            at++;
    }
    to[used] = '\0';
    return true;
}

/* Every quote and bracket that is opened is closed. */
static bool is_closed(struct stretch s)
{
    int depth = 0;
    for (const char *at = s.at; at < s.end && depth >= 0;) {
        if (is_quote(*at) && !closing(at, s.end))
            return false;
        depth += is_quote(*at) ? 0 : deeper(*at);
        at = behind(at, s.end);
    }
    return depth == 0;
}

/* The words that end a list of keys or aggregates. */
static bool is_clause(struct stretch word)
{
    return same(word, "where") || same(word, "sort") || same(word, "top");
}

/* A key, an aggregate or a field. */
static bool copy_word(char to[QUERY_WORD], struct stretch from, const char *what, struct err *err)
{
    if (is_clause(from))
        return fail(err, "expected %s, found \"%.*s\", which has no comma before it", what,
                    length(from), from.at);
    if (!copy(to, QUERY_WORD, from, what, err))
        return false;
    return is_closed(from) ||
           fail(err, "%s has a quote or a bracket that is not closed: \"%s\"", what, to);
}

/* ---- where, sort, top ------------------------------------------------------------------------ */

/* Cuts the text in two where the first clause begins. */
static struct stretch take_clauses(struct stretch *text)
{
    struct stretch rest = *text;
    for (struct stretch word = take_word(&rest); word.at < word.end; word = take_word(&rest))
        if (is_clause(word)) {
            const struct stretch clauses = {word.at, text->end};
            text->end = word.at;
            *text = trimmed(*text);
            return clauses;
        }
    return (struct stretch){text->end, text->end};
}

enum { TAIL_WORDS = 7 }; /* sort AGGREGATE FIELD desc top N, and one before */

/* The last words of the text; returns how many, at most TAIL_WORDS, the last of them in [0]. */
static unsigned last_words(struct stretch text, struct stretch words[TAIL_WORDS])
{
    unsigned count = 0;
    for (struct stretch word = take_word(&text); word.at < word.end; word = take_word(&text)) {
        memmove(words + 1, words, (TAIL_WORDS - 1) * sizeof *words);
        words[0] = word;
        count += count < TAIL_WORDS;
    }
    return count;
}

/* `top N` at the end of the clauses, which are cut there. */
static bool take_top(struct query *q, struct stretch *clauses, struct err *err)
{
    struct stretch words[TAIL_WORDS];
    const unsigned count = last_words(*clauses, words);
    const bool is_bare = count > 0 && same(words[0], "top");
    if (is_bare && count == 1)
        return fail(err, "expected a number of rows after \"top\"");
    if (count < 2 || !same(words[1], "top"))
        return true;
    char number[24];
    if (!copy(number, sizeof number, words[0], "the number after \"top\"", err))
        return false;
    struct err why;
    if (!unit_count(number, &q->top, &why) || !q->top)
        return fail(err, "expected a number of rows from 1 after \"top\", found \"%s\"", number);
    clauses->end = words[1].at;
    *clauses = trimmed(*clauses);
    return true;
}

/* `sort AGGREGATE [FIELD] [asc|desc]` at the end, likewise. */
static bool take_sort(struct query *q, struct stretch *clauses, struct err *err)
{
    struct stretch words[TAIL_WORDS];
    const unsigned count = last_words(*clauses, words);
    unsigned at = 0;
    while (at < count && at < 4 && !same(words[at], "sort"))
        at++;
    if (at == count || at == 4)
        return true;
    struct stretch what = {words[at].end, clauses->end};
    q->has_order = at > 0 && (same(words[0], "asc") || same(words[0], "desc"));
    q->is_ascending = q->has_order && same(words[0], "asc");
    if (q->has_order)
        what.end = words[0].at;
    what = trimmed(what);
    if (what.at == what.end)
        return fail(err, "expected an aggregate or a key after \"sort\"");
    if (at - q->has_order > 2)
        return fail(err,
                    "expected an aggregate and its field, or a key, after \"sort\", found \"%.*s\"",
                    length(what) > 80 ? 80 : length(what), what.at);
    clauses->end = words[at].at;
    *clauses = trimmed(*clauses);
    return copy(q->sort, sizeof q->sort, what, "what is sorted by", err);
}

static bool take_where(struct query *q, struct stretch clauses, struct err *err)
{
    struct stretch filter = clauses;
    const struct stretch word = take_word(&filter);
    if (word.at == word.end)
        return true;
    if (!same(word, "where"))
        return fail(err, "expected where, sort and top in this order, each once; found \"%.*s\"",
                    length(clauses) > 80 ? 80 : length(clauses), clauses.at);
    filter = trimmed(filter);
    for (struct stretch rest = filter, w = take_word(&rest); w.at < w.end; w = take_word(&rest))
        if (is_clause(w))
            return fail(err,
                        "expected where, sort and top in this order, each once, at the end; found "
                        "\"%.*s\" in the filter: a text has quotes",
                        length(w), w.at);
    return (filter.at < filter.end || fail(err, "expected a filter after \"where\"")) &&
           copy(q->where, sizeof q->where, filter, "a filter", err);
}

/* ---- keys and aggregates --------------------------------------------------------------------- */

/* Of a list with commas the next item, which may not be empty. */
static bool take_item(struct stretch *list, const char *what, struct stretch *item, struct err *err)
{
    const bool has_more = list->at < list->end;
    *item = take_part(list, ',');
    return item->at < item->end ||
           fail(err, has_more ? "expected %s, before the comma" : "expected %s", what);
}

static bool ends_with_comma(struct stretch list)
{
    list = trimmed(list);
    return list.at < list.end && list.end[-1] == ',';
}

static bool take_keys(struct query *q, struct stretch list, struct err *err)
{
    if (ends_with_comma(list))
        return fail(err, "expected a key after the last comma");
    do {
        struct stretch key;
        if (!take_item(&list, "a key, such as proc", &key, err))
            return false;
        if (q->key_count == QUERY_KEYS)
            return fail(err, "a query has at most %d keys", QUERY_KEYS);
        struct stretch rest = key;
        take_word(&rest);
        if (trimmed(rest).at < trimmed(rest).end)
            return fail(err, "expected a comma or a bar between \"%.*s\" and what follows it",
                        (int)(rest.at - key.at) > 80 ? 80 : (int)(rest.at - key.at), key.at);
        if (!copy_word(q->keys[q->key_count++], key, "a key", err))
            return false;
    } while (list.at < list.end);
    return true;
}

static bool take_aggregate(struct query *q, struct stretch item, struct err *err)
{
    if (q->aggregate_count == QUERY_AGGREGATES)
        return fail(err, "a query has at most %d aggregates", QUERY_AGGREGATES);
    struct query_aggregate *const a = &q->aggregates[q->aggregate_count++];
    struct stretch rest = item;
    const struct stretch name = take_word(&rest), field = take_word(&rest);
    rest = trimmed(rest);
    if (rest.at < rest.end)
        return fail(err, "expected an aggregate and a field, such as \"sum size\", found \"%.*s\"",
                    length(item) > 80 ? 80 : length(item), item.at);
    return copy_word(a->name, name, "an aggregate", err) &&
           copy_word(a->field, field, "a field", err);
}

static bool take_aggregates(struct query *q, struct stretch list, struct err *err)
{
    if (ends_with_comma(list))
        return fail(err, "expected an aggregate after the last comma");
    do {
        struct stretch item;
        if (!take_item(&list, "an aggregate, such as count", &item, err) ||
            !take_aggregate(q, item, err))
            return false;
    } while (list.at < list.end);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The word "by" and a blank; points behind it. */
static const char *behind_by(const char *text)
{
    while (is_blank(*text))
        text++;
    return text[0] == 'b' && text[1] == 'y' && is_blank(text[2]) ? text + 3 : NULL;
}

bool query_is_one(const char *text)
{
    return behind_by(text) != NULL;
}

bool query_parse(struct query *q, const char *text, struct err *err)
{
    *q = (struct query){.key_count = 0};
    const char *const from = behind_by(text);
    if (!from)
        return fail(err, "expected \"by\" and a key, such as \"by proc | count\"");
    struct stretch rest = trimmed((struct stretch){from, from + strlen(from)});
    struct stretch clauses = take_clauses(&rest);
    const bool has_bar = memchr(rest.at, '|', (size_t)length(rest)) != NULL;
    const struct stretch keys = take_part(&rest, '|');
    if (!take_keys(q, keys, err) || !take_top(q, &clauses, err) || !take_sort(q, &clauses, err) ||
        !take_where(q, clauses, err))
        return false;
    if (has_bar)
        return take_aggregates(q, trimmed(rest), err);
    snprintf(q->aggregates[q->aggregate_count++].name, QUERY_WORD, "count");
    return true;
}

void query_print(const struct query *q, char *out)
{
    size_t used = (size_t)snprintf(out, QUERY_TEXT, "by ");
    for (unsigned i = 0; i < q->key_count; i++)
        used += (size_t)snprintf(out + used, QUERY_TEXT - used, "%s%s", i ? ", " : "", q->keys[i]);
    for (unsigned i = 0; i < q->aggregate_count; i++) {
        const struct query_aggregate *const a = &q->aggregates[i];
        used += (size_t)snprintf(out + used, QUERY_TEXT - used, "%s%s%s%s", i ? ", " : " | ",
                                 a->name, a->field[0] ? " " : "", a->field);
    }
    if (q->where[0])
        used += (size_t)snprintf(out + used, QUERY_TEXT - used, " where %s", q->where);
    if (q->sort[0])
        used += (size_t)snprintf(out + used, QUERY_TEXT - used, " sort %s%s", q->sort,
                                 !q->has_order     ? ""
                                 : q->is_ascending ? " asc"
                                                   : " desc");
    if (q->top)
        snprintf(out + used, QUERY_TEXT - used, " top %llu", (unsigned long long)q->top);
}
