#include "src/base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 32 }; /* names here are short; a longer word resembles none of them */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    const unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edit distance (insert, delete, replace, swap of neighbors), row by row. */
static unsigned distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    unsigned rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_bytes; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_bytes; i++) {
        unsigned *const now = rows[i % 3];
        const unsigned *const last = rows[(i - 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const unsigned change = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(last[j] + 1, now[j - 1] + 1, change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], now[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_bytes % 3][b_bytes];
}

void suggest(struct suggestion *s, const char *word, const char *name)
{
    const size_t word_bytes = strlen(word), name_bytes = strlen(name);
    if (word_bytes > LONGEST || name_bytes > LONGEST || word_bytes < 2)
        return;
    const unsigned d = distance(word, word_bytes, name, name_bytes);
    const unsigned close = word_bytes < 6 ? 1 : (unsigned)(word_bytes / 3);
    if (d <= close && (!s->name || d < s->distance))
        *s = (struct suggestion){.name = name, .distance = d};
}

void suggest_list(char *list, size_t room, const char *name)
{
    const size_t used = strlen(list);
    snprintf(list + used, room - used, "%s%s", used ? ", " : "", name);
}

bool suggest_refuse(struct err *err, const char *what, const char *word, const struct suggestion *s,
                    const char *list)
{
    if (s->name)
        return fail(err, "there is no %s \"%.60s\"; did you mean %s?", what, word, s->name);
    return fail(err, "there is no %s \"%.60s\"; there are %s", what, word, list);
}
