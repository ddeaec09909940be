#include "ui/state/highlight.h"

#include "src/filter/filter.h"
#include "src/pane/panes.h"
#include "ui/state/app.h"
#include "ui/widget/slots.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    enum role role;
} styles[] = {{"warn", ROLE_HIGH}, {"bad", ROLE_CRIT}, {"good", ROLE_STATE_LIVE}};
enum { STYLES = sizeof styles / sizeof *styles };

static bool is_set(const void *slot)
{
    return ((const struct highlight *)slot)->text[0] != '\0';
}

static struct slots slots_of(const struct app *a)
{
    return (struct slots){a->highlights.of, sizeof *a->highlights.of, RULES_MAX, is_set};
}

/* Takes "as WORD" off the end. */
static bool take_style(char *text, uint8_t *style, struct err *err)
{
    char *at = strstr(text, " as ");
    for (char *next = at; next; next = strstr(at + 1, " as "))
        at = next;
    *style = 0;
    if (!at || strchr(at + 4, '"')) /* in quotes it is what is looked for */
        return true;
    const char *const word = at + 4;
    for (uint8_t i = 0; i < STYLES; i++)
        if (strcmp(word, styles[i].word) == 0) {
            *style = i;
            *at = '\0';
            return true;
        }
    return fail(err, "expected warn, bad or good after \"as\", found '%.40s'", word);
}

static bool applies_anywhere(const char *text)
{
    for (const struct pane *const *p = panes; *p; p++)
        if (rule_applies(text, *p))
            return true;
    return false;
}

/* What is wrong with it here, or else that it is of no pane. */
static bool refuse(const struct app *a, const char *text, struct err *err)
{
    return filter_check(text, app_shown(a)->pane, err) &&
           fail(err, "no pane has a column for '%.80s'", text);
}

bool highlight_add(struct app *a, const char *text, struct err *err)
{
    struct highlight new;
    if (strlen(text) >= sizeof new.text)
        return fail(err, "expected at most %zu bytes, found %zu", sizeof new.text - 1,
                    strlen(text));
    snprintf(new.text, sizeof new.text, "%s", text);
    if (!take_style(new.text, &new.style, err))
        return false;
    if (!new.text[strspn(new.text, " \t")])
        return fail(err, "expected a filter, such as cpu>50 as bad");
    if (!applies_anywhere(new.text))
        return refuse(a, new.text, err);
    const struct slots slots = slots_of(a);
    const unsigned at = slots_free(&slots);
    if (at == RULES_MAX)
        return fail(err, "%d rules are set already; :unhighlight N takes one away", RULES_MAX);
    a->highlights.of[at] = new;
    app_command(a, COMMAND_RULE, at, new.text);
    return true;
}

void highlight_configure(struct app *a, struct config *c)
{
    struct err err;
    for (unsigned i = 0; c && i < c->rules.count; i++)
        if (!highlight_add(a, c->rules.at[i].value, &err))
            config_warn(c, c->rules.at[i].line, "%s: %s", c->rules.at[i].key, err.text);
}

bool highlight_drop(struct app *a, unsigned number)
{
    const struct slots slots = slots_of(a);
    unsigned at = 0, slot;
    bool found = false;
    for (; slots_dropped(&slots, number, &at, &slot); found = true) {
        a->highlights.of[slot].text[0] = '\0';
        app_command(a, COMMAND_RULE, slot, "");
    }
    return found;
}

bool highlight_line(const struct app *a, unsigned i, char *name, size_t name_room, char *text,
                    size_t room)
{
    const struct slots slots = slots_of(a);
    const unsigned slot = slots_numbered(&slots, i + 1);
    if (slot == RULES_MAX)
        return false;
    const struct highlight *const h = &a->highlights.of[slot];
    snprintf(name, name_room, "%u", i + 1);
    snprintf(text, room, "%s as %s", h->text, styles[h->style].word);
    return true;
}

enum role highlight_role(const struct app *a, const struct frame_row *row)
{
    const unsigned slot = row->rule - 1u; /* none is far beyond */
    return slot < RULES_MAX && a->highlights.of[slot].text[0]
               ? styles[a->highlights.of[slot].style].role
               : ROLE_TEXT;
}
