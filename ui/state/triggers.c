#include "ui/state/triggers.h"

#include "ui/state/app.h"
#include "ui/widget/slots.h"

#include <stdio.h>
#include <string.h>

static bool is_set(const void *slot)
{
    return ((const struct held_trigger *)slot)->is_set;
}

static struct slots slots_of(const struct app *a)
{
    return (struct slots){a->triggers.of, sizeof *a->triggers.of, TRIGGERS_MAX, is_set};
}

/* ---- setting ---- */

static bool may_act(const struct trigger *t, enum trigger_origin origin, struct err *err)
{
    return t->action != TRIGGER_RUN || origin == FROM_COMMAND_LINE ||
           fail(err, "\"run\" is allowed on the command line (--on) only");
}

bool triggers_check(const char *text, enum trigger_origin origin, struct err *err)
{
    struct trigger t;
    return trigger_parse(text, &t, err) && may_act(&t, origin, err);
}

static void report_engine(struct app *a, unsigned slot, const char *text)
{
    a->triggers.settings[slot]++;
    app_command(a, COMMAND_TRIGGER, slot, text);
}

static bool read(struct held_trigger *t, const char *text, enum trigger_origin origin,
                 struct err *err)
{
    *t = (struct held_trigger){.is_set = true};
    snprintf(t->text, sizeof t->text, "%s", text);
    return trigger_parse(text, &t->what, err) && may_act(&t->what, origin, err);
}

void triggers_begin(struct app *a, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count && i < TRIGGERS_MAX; i++) {
        a->triggers.settings[i] = 1;
        if (!read(&a->triggers.of[i], texts[i], FROM_COMMAND_LINE, NULL))
            a->triggers.of[i].is_set = false;
    }
}

bool triggers_add(struct app *a, const char *text, enum trigger_origin origin, unsigned *slot,
                  struct err *err)
{
    struct held_trigger new;
    if (!read(&new, text, origin, err))
        return false;
    const struct slots slots = slots_of(a);
    const unsigned at = slots_free(&slots);
    if (at == TRIGGERS_MAX)
        return fail(err, "%d triggers are set already; :off N takes one away", TRIGGERS_MAX);
    a->triggers.of[at] = new;
    report_engine(a, at, new.text);
    if (slot)
        *slot = at;
    return true;
}

void triggers_configure(struct app *a, struct config *c)
{
    struct err err;
    for (unsigned i = 0; c && i < c->triggers.count; i++)
        if (!triggers_add(a, c->triggers.at[i].value, FROM_CONFIGURATION, NULL, &err))
            config_warn(c, c->triggers.at[i].line, "%s: %s", c->triggers.at[i].key, err.text);
}

static void forget(struct held_trigger *t)
{
    os_child_free(t->child);
    *t = (struct held_trigger){0};
}

bool triggers_drop(struct app *a, unsigned number)
{
    const struct slots slots = slots_of(a);
    unsigned at = 0, slot;
    bool found = false;
    for (; slots_dropped(&slots, number, &at, &slot); found = true) {
        forget(&a->triggers.of[slot]);
        report_engine(a, slot, "");
    }
    return found;
}

void triggers_fini(struct app *a)
{
    for (unsigned i = 0; i < TRIGGERS_MAX; i++)
        forget(&a->triggers.of[i]);
}

/* ---- telling ---- */

unsigned triggers_count(const struct app *a)
{
    const struct slots slots = slots_of(a);
    return slots_used(&slots);
}

bool triggers_line(const struct app *a, unsigned i, char *name, size_t name_room, char *text,
                   size_t room)
{
    static const struct trigger_state none = {0};
    const struct slots slots = slots_of(a);
    const unsigned slot = slots_numbered(&slots, i + 1);
    if (slot == TRIGGERS_MAX)
        return false;
    const bool is_reported =
        a->focus->frame && a->focus->frame->triggers[slot].setting == a->triggers.settings[slot];
    const struct trigger_state *const s = is_reported ? &a->focus->frame->triggers[slot] : &none;
    const struct format as_shown = app_format(a);
    char instant[64] = "", hits[32] = "not hit yet";
    if (s->hits) {
        format_instant(&as_shown, s->last_ns, instant, sizeof instant);
        snprintf(hits, sizeof hits, s->hits == 1 ? "hit once, at " : "hit %llu times, last at ",
                 (unsigned long long)s->hits);
    }
    snprintf(name, name_room, "%u", i + 1);
    snprintf(text, room, "%s: %s%s%s", a->triggers.of[slot].text, hits, instant,
             s->holds ? "; holds now" : "");
    return true;
}
