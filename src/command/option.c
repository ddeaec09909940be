#include "src/command/option.h"

#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/base/suggest.h"
#include "src/command/command.h"
#include "src/command/option_table.h"

#include <stdlib.h>
#include <string.h>

/* ---- the rows -------------------------------------------------------------------------------- */

/* The i-th of all tables; NULL behind the last. */
static const struct option *row_at(size_t i)
{
    for (const struct option_group *g = option_groups; g->options; g++)
        for (const struct option *o = g->options; o->name; o++)
            if (i-- == 0)
                return o;
    return NULL;
}

static const struct option *find_name(const char *name, size_t bytes)
{
    const struct option *o;
    for (size_t i = 0; (o = row_at(i)); i++)
        if (strlen(o->name) == bytes && memcmp(o->name, name, bytes) == 0)
            return o;
    return NULL;
}

static const struct option *find_letter(char letter)
{
    const struct option *o;
    for (size_t i = 0; (o = row_at(i)); i++)
        if (letter && o->letter == letter)
            return o;
    return NULL;
}

bool option_belongs(const struct option *row, unsigned id)
{
    for (const struct option_group *g = option_groups; g->options; g++)
        for (const struct option *o = g->options; o->name; o++)
            if (o == row)
                return g->commands >> id & 1;
    return false;
}

const struct option *option_row(size_t i)
{
    const struct option *o;
    for (size_t k = 0; (o = row_at(k)); k++)
        if (o->help && i-- == 0)
            return o;
    return NULL;
}

static struct option_given *given_of(const struct options *o, const struct option *row)
{
    for (size_t i = 0; i < o->given_count; i++)
        if (o->given[i].row == row)
            return &o->given[i];
    return NULL;
}

static bool is_given(const struct options *o, const struct option *row)
{
    return given_of(o, row) != NULL;
}

static void note_given(struct options *o, const struct option *row, const char *text)
{
    struct option_given *const before = given_of(o, row);
    if (before) {
        before->text = text;
        return;
    }
    o->given = mem_grow(o->given, o->given_count + 1, sizeof *o->given);
    o->given[o->given_count++] = (struct option_given){row, text};
}

/* ---- reading ---------------------------------------------------------------------- */

static bool unknown(const char *name, struct err *err)
{
    struct suggestion best = {NULL, 0};
    const struct option *o;
    for (size_t i = 0; (o = option_row(i)); i++)
        suggest(&best, name, o->name);
    if (best.name)
        return fail(err, "unknown option --%s; did you mean --%s?", name, best.name);
    return fail(err, "unknown option --%s; tracetop --help lists all options", name);
}

/* Values without a member are only checked, here. */
typedef uint64_t option_scratch[2];

static void *member_of(struct options *o, const struct option *row, option_scratch scratch)
{
    return row->offset == NO_MEMBER ? (void *)scratch : (char *)o + row->offset;
}

static bool store(struct options *o, const struct option *row, const char *text, struct err *err)
{
    option_scratch scratch;
    void *const field = member_of(o, row, scratch);
    note_given(o, row, text);
    if (!row->read) {
        *(bool *)field = true;
        return true;
    }
    struct err inner;
    return row->read(field, text, &inner) || fail(err, "--%s: %s", row->name, inner.text);
}

/* What is left of argv; options may take the next word as their value. */
struct line {
    char *const *at;
    char *const *end;
};

static bool store_next(struct options *o, const struct option *row, struct line *l, struct err *err)
{
    if (!row->argument)
        return store(o, row, NULL, err);
    if (l->at == l->end && strcmp(row->name, "schema") == 0)
        return o->prints_schema = true; /* of `ask` and `selftest`, whose form it prints */
    if (l->at == l->end)
        return fail(err, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
    return store(o, row, *l->at++, err);
}

static bool read_long(struct options *o, const char *word, struct line *l, struct err *err)
{
    const char *const equals = strchr(word, '=');
    const size_t bytes = equals ? (size_t)(equals - word) : strlen(word);
    const struct option *const row = find_name(word, bytes);
    if (!row) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(bytes < sizeof name ? bytes : sizeof name), word);
        return unknown(name, err);
    }
    if (!equals)
        return store_next(o, row, l, err);
    if (!row->argument)
        return fail(err, "--%s takes no value", row->name);
    return store(o, row, equals + 1, err);
}

/* "-q", "-d 2s", "-d2s", "-qd2s". */
static bool read_short(struct options *o, const char *letters, struct line *l, struct err *err)
{
    while (*letters) {
        const struct option *const row = find_letter(*letters);
        if (!row)
            return fail(err, "unknown option -%c; tracetop --help lists all options", *letters);
        letters++;
        if (row->argument && *letters)
            return store(o, row, letters, err);
        if (!store_next(o, row, l, err))
            return false;
    }
    return true;
}

static bool read_word(struct options *o, const char *word, struct line *l, struct err *err)
{
    if (strcmp(word, "--") == 0) {
        o->run = (const char *const *)l->at; /* argv ends with NULL */
        l->at = l->end;
        return *o->run || fail(err, "expected a command after --");
    }
    if (word[0] == '-' && word[1] == '-')
        return read_long(o, word + 2, l, err);
    if (word[0] == '-' && word[1])
        return read_short(o, word + 1, l, err);
    o->words[o->word_count++] = word;
    return true;
}

bool options_read(struct options *o, int argc, char *const *argv, struct err *err)
{
    *o = (struct options){
        .interval_ns = 1000000000,
        .seed = 1,
        .rate = 20000,
        .fail_on_loss = -1,
        .width = 120,
        .height = 40,
        .words = mem_new((size_t)argc + 1, sizeof *o->words),
    };
    struct line line = {.at = argv + (argc > 0), .end = argv + argc};
    while (line.at < line.end) {
        const char *const word = *line.at++;
        if (!read_word(o, word, &line, err))
            return false;
    }
    return true;
}

void options_fini(struct options *o)
{
    free(o->scope_pids.pids);
    free(o->enable.items);
    free(o->counters.items);
    free(o->triggers.items);
    free(o->spans.items);
    free(o->mark_fields.items);
    free(o->every.items);
    free(o->views.items);
    free(o->schemas.items);
    free(o->symbol_servers.items);
    free(o->given);
    o->enable = (struct option_list){NULL, 0};
    o->counters = (struct option_list){NULL, 0};
    o->scope_pids = (struct option_pids){NULL, 0};
    free(o->words);
    o->words = NULL;
    o->given = NULL;
    o->given_count = 0;
}

static bool preset_switch(struct options *o, const struct option *row, const char *text,
                          struct err *err)
{
    const bool is_on = strcmp(text, "yes") == 0;
    if (!is_on && strcmp(text, "no") != 0)
        return fail(err, "--%s: expected yes or no, found '%.80s'", row->name, text);
    *(bool *)((char *)o + row->offset) = is_on;
    return true;
}

static bool store_silently(struct options *o, const struct option *row, const char *text,
                           struct err *err)
{
    const size_t given_count = o->given_count;
    const bool is_taken = store(o, row, text, err);
    o->given_count = given_count;
    return is_taken;
}

bool options_preset(struct options *o, unsigned id, const char *name, const char *text,
                    struct err *err)
{
    const struct option *const row = find_name(name, strlen(name));
    if (!row || is_given(o, row) || !option_belongs(row, id))
        return true;
    return row->read ? store_silently(o, row, text, err) : preset_switch(o, row, text, err);
}

bool options_add(struct options *o, unsigned id, const char *name, const char *text,
                 struct err *err)
{
    const struct option *const row = find_name(name, strlen(name));
    return !row || !option_belongs(row, id) || store_silently(o, row, text, err);
}

bool options_has(const char *name, unsigned id)
{
    const struct option *const row = find_name(name, strlen(name));
    return row && option_belongs(row, id);
}

bool options_take(const char *name, const char *text, struct err *err)
{
    const struct option *const row = find_name(name, strlen(name));
    struct options scratch = {0};
    option_scratch value;
    const bool is_taken = row && row->read && row->read(member_of(&scratch, row, value), text, err);
    options_fini(&scratch);
    return is_taken;
}

bool options_given(const struct options *o, const char *name)
{
    const struct option *const row = find_name(name, strlen(name));
    return row && is_given(o, row);
}

bool options_value(const struct options *o, const char *name, void *value)
{
    const struct option *const row = find_name(name, strlen(name));
    const struct option_given *const given = row ? given_of(o, row) : NULL;
    if (!given)
        return false;
    if (!row->read)
        return *(bool *)value = true;
    return row->read(value, given->text, NULL);
}

/* ---- belonging and help ------------------------------------------------------------ */

const char *option_help(const struct option *o, unsigned id)
{
    for (const struct option_command_help *h = option_command_helps; h->name; h++)
        if (id < SUBCOMMANDS && h->commands >> id & 1 && strcmp(h->name, o->name) == 0)
            return h->help;
    return o->help;
}

void option_commands(const struct option *o, char *to, size_t room)
{
    size_t used = 0;
    to[0] = '\0';
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        if (option_belongs(o, i) && used < room)
            used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "",
                                     subcommands[i].name);
}

bool options_belong(const struct options *o, unsigned id, const char *command, struct err *err)
{
    if (o->run && id != SUBCOMMAND_RECORD)
        return fail(err, "a command after -- is not valid for '%s'; it belongs to: record",
                    command);
    const struct option *row;
    for (size_t i = 0; (row = row_at(i)); i++) {
        if (!is_given(o, row) || option_belongs(row, id))
            continue;
        char where[128];
        option_commands(row, where, sizeof where);
        return fail(err, "--%s is not valid for '%s'; it belongs to: %s", row->name, command, where);
    }
    return true;
}

bool options_of_traces(const struct options *o, struct err *err)
{
    static const struct option *const of_machine[] = {
        options_for_watching, options_for_pids, options_for_scope,
        options_for_etw,      options_for_demo,
    };
    for (size_t i = 0; i < sizeof of_machine / sizeof *of_machine; i++)
        for (const struct option *row = of_machine[i]; row->name; row++)
            if (is_given(o, row))
                return fail(err,
                            "--%s chooses what is collected, and these events are recorded "
                            "already; a filter such as pid=7 selects some of them",
                            row->name);
    return true;
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

bool options_only(const struct options *o, const char *const *names, const char *form,
                  struct err *err)
{
    if (o->run)
        return fail(err, "a command after -- is not valid for '%s'", form);
    const struct option *row;
    for (size_t i = 0; (row = row_at(i)); i++)
        if (is_given(o, row) && !is_among(row->name, names))
            return fail(err, "--%s is not valid for '%s'", row->name, form);
    return true;
}

enum { LEFT = 26, RIGHT = 80 - LEFT - 3 }; /* cells of option and of help, in 80 */

/* So many bytes of the text as fit into a line, whole words. */
static int words_of_line(const char *text)
{
    int fit = (int)strlen(text);
    if (fit <= RIGHT)
        return fit;
    for (fit = RIGHT; fit > 0 && text[fit] != ' ';)
        fit--;
    return fit;
}

static void print_row(FILE *to, const struct option *o, unsigned id)
{
    char left[64];
    const int used = o->letter ? snprintf(left, sizeof left, "-%c, --%s", o->letter, o->name)
                               : snprintf(left, sizeof left, "    --%s", o->name);
    if (o->argument)
        snprintf(left + used, sizeof left - (size_t)used, " %s", o->argument);
    if (strlen(left) > LEFT) {
        show(to, "  %s\n", left);
        left[0] = '\0';
    }
    for (const char *at = option_help(o, id); *at; left[0] = '\0') {
        const int bytes = words_of_line(at);
        show(to, "  %-*s %.*s\n", LEFT, left, bytes, at);
        at += bytes + (at[bytes] == ' ');
    }
}

void options_print(FILE *to, unsigned id)
{
    const struct option *o;
    for (size_t i = 0; (o = option_row(i)); i++)
        if (id == SUBCOMMANDS || option_belongs(o, id))
            print_row(to, o, id);
}
