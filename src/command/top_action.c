#include "src/command/top_action.h"

#include "src/base/unit.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 32 };

/* The next word, cut where it is longer; "" at the end. */
static const char *take(const char *at, char word[WORD])
{
    at += strspn(at, " \t");
    const size_t bytes = strcspn(at, " \t");
    snprintf(word, WORD, "%.*s", (int)(bytes < WORD ? bytes : WORD - 1), at);
    return at + bytes;
}

static bool read_per(const char *word, struct top_action *a, struct err *err)
{
    static const char *const words[TOP_PERS] = {[PER_SECOND] = "s", [PER_OPERATION] = "op"};
    for (unsigned i = PER_SECOND; i < TOP_PERS; i++)
        if (strcmp(word, words[i]) == 0)
            return a->per = (uint8_t)i, true;
    return fail(err, "expected s or op after \"per\", found '%s'", word);
}

static bool read_rows(const char *word, struct top_action *a, struct err *err)
{
    struct err why;
    return (unit_count(word, &a->rows, &why) && a->rows) ||
           fail(err, "expected a number of rows after \"top\", found '%s'", word);
}

bool top_action_read(const char *text, bool has_time, struct top_action *out, struct err *err)
{
    static const int64_t LEAST_NS = 100000000;
    char word[WORD];
    *out = (struct top_action){.every_ns = 0};
    if (has_time) {
        text = take(text, word);
        if (!unit_time(word, &out->every_ns, err))
            return false;
        if (out->every_ns < LEAST_NS)
            return fail(err, "expected a time of at least 100ms, found '%s'", word);
    }
    text = take(text, word);
    if (strcmp(word, "print") != 0)
        return fail(err, "expected print [per s|per op] [top N] [clear], found '%s'", word);
    for (text = take(text, word); word[0]; text = take(text, word)) {
        const bool is_per = strcmp(word, "per") == 0, is_top = strcmp(word, "top") == 0;
        if (!is_per && !is_top && strcmp(word, "clear") != 0)
            return fail(err, "expected per, top or clear after \"print\", found '%s'", word);
        out->clears |= !is_per && !is_top;
        if (is_per || is_top)
            text = take(text, word);
        if ((is_per && !read_per(word, out, err)) || (is_top && !read_rows(word, out, err)))
            return false;
    }
    return true;
}

/* An order by the aggregate is one by what takes its place. */
static void rename_aggregate(struct query *q, char *name, const char *from, const char *to)
{
    char rest[sizeof q->sort];
    const size_t bytes = strlen(from);
    if (strcmp(name, from) != 0)
        return;
    strcpy(name, to); /* three or four letters */
    if (strncmp(q->sort, from, bytes) != 0 || !strchr(" _:", q->sort[bytes]))
        return;
    memcpy(rest, q->sort + bytes, strlen(q->sort + bytes) + 1);
    snprintf(q->sort, sizeof q->sort, "%s%.*s", to, (int)sizeof rest - 8, rest);
}

void top_action_normalize(struct query *q, enum top_per per)
{
    for (unsigned i = 0; per && i < q->aggregate_count; i++) {
        struct query_aggregate *const a = &q->aggregates[i];
        if (per == PER_SECOND)
            rename_aggregate(q, a->name, "count", "rate");
        rename_aggregate(q, a->name, "sum", per == PER_SECOND ? "rate" : "avg");
    }
}
