#include "src/filter/remark.h"

#include "src/base/message.h"
#include "src/event/schema.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t filter_given_up(const struct filter *f)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < f->value_count; i++)
        count += f->values[i].pattern ? pattern_given_up(f->values[i].pattern) : 0;
    return count;
}

static const struct {
    uint8_t by, kind;
} names[] = {
    {BY_OPCODE, PROVIDER_OPCODE},
    {BY_TASK, PROVIDER_TASK},
    {BY_KEYWORD, PROVIDER_KEYWORD},
};

/* NULL: all are known. */
static const struct pattern *unknown_in(const struct filter *f, const struct filter_term *t,
                                        const struct schemas *s)
{
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (unsigned i = t->first; t->by == names[n].by && i < (unsigned)t->first + t->count;
             i++) {
            const struct pattern *const p = f->values[i].pattern;
            if (p && !schemas_have_name(s, (enum provider_name)names[n].kind, p))
                return p;
        }
    return NULL;
}

bool filter_unknown_name(const struct filter *f, const struct schemas *s, char out[FILTER_REMARK])
{
    for (unsigned i = 0; i < f->term_count; i++) {
        const struct filter_term *const t = &f->terms[i];
        const struct pattern *const p = unknown_in(f, t, s);
        if (!p)
            continue;
        snprintf(out, FILTER_REMARK,
                 "no %s of these events is called '%.80s'; a number is possible, too", t->field->id,
                 pattern_typed(p));
        return true;
    }
    return false;
}

bool filter_given_up_text(uint64_t count, char *out, size_t room)
{
    snprintf(out, room,
             "the regular expression took too long on %" PRIu64
             " texts, which count as no match; write a simpler one",
             count);
    return count;
}

void filter_remarks_print(const struct filter *f, const struct schemas *s, FILE *to)
{
    char text[FILTER_REMARK];
    if (filter_unknown_name(f, s, text))
        message_print(to, "%s", text);
    if (filter_given_up_text(filter_given_up(f), text, sizeof text))
        message_print(to, "%s", text);
}
