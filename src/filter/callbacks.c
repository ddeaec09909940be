/* Terms about what a fact does not hold: its record's own words, and its place in the window. */
#include "src/filter/fact.h"

#include "src/event/decode.h"

#include <string.h>

/* A number of the record under the first of these names that its layout has; names end with
 * NULL. */
static bool number_of(const struct event *e, const char *const *names, uint64_t *out)
{
    const struct layout *const l = decode_layout(e);
    for (; l && *names; names++)
        for (unsigned i = 0; i < l->field_count; i++) {
            struct decoded d;
            if (strcmp(l->fields[i].name, *names) == 0)
                return decode_field(l, e, i, &d) && (*out = d.number, true);
        }
    return false;
}

/* Operations on a value bear its name where others bear the key's. */
static void look_at_value(const struct filter *f, unsigned i, const struct event *e,
                          struct filter_found *o)
{
    enum { DELETE_VALUE = 0x090f, QUERY_MANY = 0x0913, SET_VALUE = 0x090e, QUERY_VALUE = 0x0910 };
    const uint16_t hook = decode_hook(e);
    const struct layout *const l = decode_layout(e);
    if (hook != SET_VALUE && hook != DELETE_VALUE && hook != QUERY_VALUE && hook != QUERY_MANY)
        return;
    for (unsigned k = 0; l && k < l->field_count; k++) {
        char name[1024];
        struct decoded d;
        if (strcmp(l->fields[k].name, "KeyName") == 0 && decode_field(l, e, k, &d))
            filter_look_text(f, 1ull << i, name, decode_format(&d, name, sizeof name), o);
    }
}

static void look_at_record(const struct filter *f, unsigned i, const struct event *e,
                           struct filter_found *o)
{
    static const char *const offsets[] = {"ByteOffset", "Offset", "ReadOffset", NULL},
                             *const addresses[] = {"VirtualAddress", NULL},
                             *const priorities[] = {"NewThreadPriority", NULL};
    const bool has_levels = !header_is_kernel((enum header_kind)e->kind);
    uint64_t number;
    switch ((enum field_by)f->terms[i].by) {
    case BY_LEVEL:
        if (has_levels)
            filter_look_number(f, i, e->level, o);
        break;
    case BY_KEYWORD:
        if (has_levels)
            filter_look_bits(f, i, e->keyword, o);
        break;
    case BY_TASK:
        if (has_levels)
            filter_look_number(f, i, e->task, o);
        break;
    case BY_OFFSET:
        if (number_of(e, offsets, &number))
            filter_look_number(f, i, number, o);
        break;
    case BY_VA:
        if (number_of(e, addresses, &number))
            filter_look_number(f, i, number, o);
        break;
    case BY_NEW_PRIORITY:
        if (number_of(e, priorities, &number))
            filter_look_number(f, i, number, o);
        break;
    case BY_VALUE:
        look_at_value(f, i, e, o);
        break;
    default:
        break;
    }
}

struct filter_found filter_look_callbacks(const struct filter *f,
                                          const struct fact_callbacks *callbacks,
                                          const struct fact *fact, uint64_t terms)
{
    struct filter_found found = {0, 0};
    struct event e;
    bool is_read = false, has_record = false;
    uint64_t ns;
    unsigned i;
    while (filter_next(&terms, &i)) {
        const uint8_t by = f->terms[i].by;
        if (by == BY_DT) {
            if (callbacks->since && callbacks->since(callbacks->of, fact, &ns))
                filter_look_number(f, i, ns, &found);
        } else if (by == BY_TAG) {
            filter_look_flag(i, callbacks->is_tagged && callbacks->is_tagged(callbacks->of, fact),
                             &found);
        } else {
            if (!is_read)
                has_record = callbacks->record && callbacks->record(callbacks->of, fact, &e);
            is_read = true;
            if (has_record)
                look_at_record(f, i, &e, &found);
        }
    }
    return found;
}
