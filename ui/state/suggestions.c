#include "ui/state/suggestions.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/query/query.h"
#include "ui/config/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- matching --------------------------------------------------------------------------------- */

/* Worse from above to below; everything is in the order of its table within one. */
enum match { MATCH_EXACT, MATCH_BEGINNING, MATCH_PART, MATCH_LETTERS, MATCH_HELP, MATCH_NONE };

static bool begins(const char *text, const char *with)
{
    for (; *with; text++, with++)
        if (text_lower(*text) != text_lower(*with))
            return false;
    return true;
}

static bool has_part(const char *text, const char *part)
{
    for (; *text; text++)
        if (begins(text, part))
            return true;
    return false;
}

/* All of the letters, in this order. */
static bool has_letters(const char *text, const char *letters)
{
    for (; *text && *letters; text++)
        letters += text_lower(*text) == text_lower(*letters);
    return !*letters;
}

static enum match match(const char *name, const char *help, const char *typed)
{
    enum { LEAST = 3 }; /* letters that help is searched for */
    if (begins(name, typed))
        return name[strlen(typed)] ? MATCH_BEGINNING : MATCH_EXACT;
    if (has_part(name, typed))
        return MATCH_PART;
    if (has_letters(name, typed))
        return MATCH_LETTERS;
    return strlen(typed) >= LEAST && has_part(help, typed) ? MATCH_HELP : MATCH_NONE;
}

/* ---- recent texts ------------------------------------------------------------------------------ */

static bool is_listed(const struct offered_text *list, unsigned count, const char *text)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(list[i].text, text) == 0)
            return true;
    return false;
}

/* The newest first, each once. */
static unsigned add_recent(const struct app *a, const char *typed, unsigned most,
                           struct offered_text *out)
{
    const struct history *const h = a->prompt.history;
    unsigned count = 0;
    for (unsigned i = h->count; i-- > 0 && count < most;) {
        const char *const line = h->lines[i];
        if (match(line, "", typed) == MATCH_NONE || is_listed(out, count, line))
            continue;
        out[count] = (struct offered_text){.arguments = "", .help = "", .is_recent = true};
        snprintf(out[count++].text, sizeof out->text, "%s", line);
    }
    return count;
}

/* ---- commands ----------------------------------------------------------------------------------- */

/* The first key of a row that works where the prompt was opened. */
static void find_key(const struct app *a, const struct typed_command *c, char *out, size_t room)
{
    const unsigned context = app_context_below(a);
    snprintf(out, room, "%.1s", c->digit ? (const char[]){c->digit, '\0'} : "");
    for (const struct binding *b = keymap; !*out && c->key && b < keymap + keymap_count; b++)
        if (strcmp(b->name, c->key) == 0 && b->contexts & context)
            snprintf(out, room, "%.*s", 2 * KEY_NAME - 1, keys_of(a->keys, b));
}

static void put_command(const struct app *a, const struct typed_command *c,
                        struct offered_text *out)
{
    *out = (struct offered_text){.arguments = c->arguments, .help = c->help};
    snprintf(out->text, sizeof out->text, "%s%s", c->name, *c->arguments ? " " : "");
    find_key(a, c, out->key, sizeof out->key);
}

static unsigned add_commands(const struct app *a, const char *typed, unsigned count,
                             struct offered_text *out)
{
    struct typed_command c;
    for (enum match m = MATCH_EXACT; m < MATCH_NONE; m++)
        for (unsigned i = 0; count < SUGGESTIONS_MAX && a->typed_command(i, &c); i++)
            if (match(c.name, c.help, typed) == m)
                put_command(a, &c, &out[count++]);
    return count;
}

/* Behind a command and a blank: what it takes. */
static unsigned add_arguments(const struct app *a, const char *typed, struct offered_text *out)
{
    struct typed_command c;
    const size_t length = strcspn(typed, " ");
    const char *const argument = typed + length + strspn(typed + length, " ");
    unsigned count = 0;
    for (unsigned i = 0; !count && a->typed_command(i, &c); i++)
        if (strlen(c.name) == length && strncmp(c.name, typed, length) == 0)
            put_command(a, &c, &out[count++]);
    for (const char *const *v = count ? c.values : NULL; v && *v; v++) {
        if (!begins(*v, argument))
            continue;
        out[count] = (struct offered_text){.arguments = "", .help = ""};
        snprintf(out[count++].text, sizeof out->text, "%s %s", c.name, *v);
    }
    return count;
}

/* ---- the list ------------------------------------------------------------------------------------- */

static const char *typed_of(const struct app *a)
{
    return a->suggesting.at ? a->suggesting.typed : a->prompt.text;
}

unsigned suggestions_list(const struct app *a, struct offered_text *out)
{
    enum { RECENT = 3 }; /* before all commands, where nothing is typed */
    const char *const typed = typed_of(a);
    if (a->suggesting.is_recent)
        return add_recent(a, typed, SUGGESTIONS_MAX, out);
    if (strchr(typed, ' '))
        return add_arguments(a, typed, out);
    return add_commands(a, typed, *typed ? 0 : add_recent(a, typed, RECENT, out), out);
}

bool suggestions_is_shown(const struct app *a)
{
    if (a->suggesting.is_recent)
        return a->prompting != PROMPT_NONE;
    return a->prompting == PROMPT_COMMAND && !query_is_one(typed_of(a));
}

void suggestions_reset(struct app *a)
{
    a->suggesting.at = 0;
    a->suggesting.is_recent = false;
}

bool suggestions_step(struct app *a, int by)
{
    struct suggesting *const s = &a->suggesting;
    struct offered_text *const list = mem_new(SUGGESTIONS_MAX, sizeof *list);
    const unsigned count = suggestions_list(a, list);
    const bool is_possible = by > 0 ? s->at < count : s->at > 0;
    if (is_possible && !s->at)
        memcpy(s->typed, a->prompt.text, sizeof s->typed);
    if (is_possible) {
        s->at = by > 0 ? s->at + 1 : s->at - 1;
        prompt_set(&a->prompt, s->at ? list[s->at - 1].text : s->typed);
        app_prompt_changed(a);
    }
    free(list);
    return is_possible;
}

bool suggestions_recent(struct app *a)
{
    if (!a->suggesting.is_recent)
        a->suggesting = (struct suggesting){.is_recent = true};
    if (suggestions_step(a, 1))
        return true;
    if (!a->suggesting.at)
        suggestions_reset(a);
    return false;
}

bool suggestions_key(struct app *a, const struct key *k)
{
    if (k->modifiers || !suggestions_is_shown(a))
        return false;
    if (k->kind == KEY_DOWN && !a->prompt.recalled)
        return suggestions_step(a, 1), true;
    return k->kind == KEY_UP && a->suggesting.at && suggestions_step(a, -1);
}
