#include "ui/main/manual_tables.h"

#include "src/base/show.h"
#include "src/command/command.h"
#include "src/command/option_table.h"
#include "src/filter/filter.h"
#include "src/frame/stack_look.h"
#include "src/pane/panes.h"
#include "ui/action/palette.h"
#include "ui/config/keymap.h"
#include "ui/config/settings.h"
#include "ui/draw/loss.h"
#include "ui/draw/sign.h"
#include "ui/theme/theme.h"

#include <ctype.h>
#include <string.h>

static void words(struct manual_page *p, const char *text)
{
    page_words(p, text, strlen(text), false);
}

/* The first letter large unless it begins a name ("csv: …") or a list of names, a full stop at the
 * end. */
static void sentence(struct manual_page *p, const char *text)
{
    static const char ellipsis[] = "\342\200\246";
    char room[512];
    const size_t bytes = strlen(text), first = strcspn(text, " :,");
    const bool is_open =
        bytes >= sizeof ellipsis - 1 && strcmp(text + bytes - (sizeof ellipsis - 1), ellipsis) == 0;
    snprintf(room, sizeof room, "%s%s", text,
             is_open || (bytes && text[bytes - 1] == '.') ? "" : ".");
    if (text[first] != ':' && text[first] != ',')
        room[0] = (char)toupper((unsigned char)room[0]);
    words(p, room);
}

/* Names in a list, as a sentence of its own: "In: disk, file." */
struct names {
    char text[1024];
    size_t used;
};

static void names_add(struct names *l, const char *begin, const char *name)
{
    if (l->used < sizeof l->text)
        l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s",
                                    l->used ? ", " : begin, name);
}

static void names_end(struct manual_page *p, const struct names *l)
{
    if (l->used)
        sentence(p, l->text);
}

/* ---- the command line -------------------------------------------------------------------------------- */

static void commands(struct manual_page *p)
{
    for (const struct subcommand *c = subcommands; c < subcommands + SUBCOMMANDS; c++) {
        page_item(p, c->name, c->usage);
        sentence(p, c->help);
        if (c->formats)
            words(p, "Formats (-O):"), words(p, c->formats),
                words(p, "(the first is the default).");
    }
}

/* Which commands have it, unless all do. */
static void option_words(struct manual_page *p, const struct option *o)
{
    char of[256], text[300];
    unsigned count = 0;
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        count += option_belongs(o, i);
    if (count == SUBCOMMANDS)
        return;
    option_commands(o, of, sizeof of);
    snprintf(text, sizeof text, "For %s.", of);
    words(p, text);
}

static void options(struct manual_page *p)
{
    const struct option *o;
    for (size_t i = 0; (o = option_row(i)); i++) {
        char name[64];
        if (o->letter)
            snprintf(name, sizeof name, "-%c, --%s", o->letter, o->name);
        else
            snprintf(name, sizeof name, "--%s", o->name);
        page_item(p, name, o->argument);
        sentence(p, o->help);
        option_words(p, o);
    }
}

static void metrics(struct manual_page *p)
{
    for (const struct stack_metric_kind *m = stack_metrics; m < stack_metrics + STACK_METRICS;
         m++) {
        page_item(p, m->id, NULL);
        sentence(p, m->help);
    }
}

static void exit_status(struct manual_page *p)
{
    for (const struct exit_status_help *s = exit_statuses; s->help; s++) {
        char status[16];
        snprintf(status, sizeof status, "%d", s->status);
        page_item(p, status, NULL);
        sentence(p, s->help);
    }
}

/* ---- the screen -------------------------------------------------------------------------------------- */

/* The first section of the help that a key belongs to. */
static size_t section_of(const struct binding *b)
{
    size_t i = 0;
    while (i < keymap_section_count && !(keymap_sections[i].contexts & b->contexts))
        i++;
    return i;
}

static void keys(struct manual_page *p)
{
    for (size_t i = 0; i < keymap_section_count; i++) {
        page_heading(p, keymap_sections[i].title, true);
        for (const struct binding *b = keymap; b < keymap + keymap_count; b++) {
            char name[96];
            if (section_of(b) != i)
                continue;
            snprintf(name, sizeof name, "(%s)", b->name);
            page_item(p, b->keys, name);
            sentence(p, b->help);
        }
    }
}

static void typed_commands(struct manual_page *p)
{
    struct typed_command c;
    for (unsigned i = 0; palette_command(i, &c); i++) {
        char typed[96];
        snprintf(typed, sizeof typed, ":%s", c.name);
        page_item(p, typed, c.arguments);
        sentence(p, c.help);
    }
}

static void settings(struct manual_page *p)
{
    const char *section = "";
    for (const struct setting *s = settings_table; s < settings_table + settings_count; s++) {
        char standard[64], title[64];
        struct names choices = {.used = 0};
        if (strcmp(section, s->section) != 0) {
            snprintf(title, sizeof title, "[%s]", s->section);
            page_heading(p, title, true);
        }
        section = s->section;
        snprintf(standard, sizeof standard, "(%s)", *s->standard ? s->standard : "empty");
        page_item(p, s->key, standard);
        sentence(p, s->help);
        for (size_t k = 0; s->choices && s->choices[k]; k++)
            names_add(&choices, "One of ", s->choices[k]);
        names_end(p, &choices);
        if (s->is_later)
            words(p, "Takes effect at the next start.");
    }
}

/* The causes of losses and gaps, with the words of the page :loss. */
static void losses(struct manual_page *p)
{
    for (unsigned i = 0; i < loss_cause_count; i++) {
        page_item(p, loss_causes[i].name, NULL);
        sentence(p, loss_causes[i].what);
        sentence(p, loss_causes[i].remedy);
    }
}

/* As a terminal with UTF-8 shows them. */
static void signs(struct manual_page *p)
{
    for (unsigned i = 0; i < SIGNS; i++) {
        page_item(p, sign_text(&glyphs_unicode, (enum sign)i), NULL);
        sentence(p, sign_help((enum sign)i));
    }
}

static void roles(struct manual_page *p)
{
    for (unsigned i = 0; i < ROLES; i++) {
        page_item(p, role_name((enum role)i), NULL);
        sentence(p, role_help((enum role)i));
    }
}

/* ---- events, panes and columns ----------------------------------------------------------------------- */

static void filter_words(struct manual_page *p, const struct field_def *f)
{
    struct names values = {.used = 0}, classes = {.used = 0};
    for (const struct field_word *w = f->words; w && w->word; w++)
        names_add(&values, "One of ", w->word);
    names_end(p, &values);
    for (const struct field_word *w = field_def_by(BY_CLASS)->words; f->classes && w->word; w++)
        if (f->classes >> w->number & 1)
            names_add(&classes, "Events of class ", w->word);
    names_end(p, &classes);
}

static void filter_rows(struct manual_page *p)
{
    static const char *const types[FIELD_DEF_TYPES] = {
        [TYPE_TEXT] = "text",       [TYPE_NUMBER] = "number",   [TYPE_TIME] = "time",
        [TYPE_SIZE] = "size",       [TYPE_PERCENT] = "percent", [TYPE_RATE] = "rate",
        [TYPE_INSTANT] = "instant", [TYPE_ADDRESS] = "address", [TYPE_WORD] = "word",
        [TYPE_FLAG] = "flag",
    };
    for (const struct field_def *f = field_defs; f->id; f++) {
        char rest[96];
        snprintf(rest, sizeof rest, "(%s%s%s)", types[f->type], f->aliases ? "; also " : "",
                 f->aliases ? f->aliases : "");
        page_item(p, f->id, rest);
        sentence(p, f->help);
        filter_words(p, f);
    }
    page_item(p, field_payload.id, "(any type)");
    sentence(p, field_payload.help);
}

static void view_fields(struct manual_page *p)
{
    for (const struct field_def *f = field_defs; f->id; f++) {
        if (!f->cell)
            continue;
        page_item(p, f->id, NULL);
        sentence(p, f->cell->help);
    }
}

static void columns(struct manual_page *p)
{
    for (const struct pane *const *at = panes; *at; at++) {
        const struct pane *const pane = *at;
        char title[128];
        if (pane->digit)
            snprintf(title, sizeof title, "%s: %s (key %c)", pane->id, pane->title, pane->digit);
        else
            snprintf(title, sizeof title, "%s: %s", pane->id, pane->title);
        page_heading(p, title, true);
        page_paragraph(p);
        sentence(p, pane->help);
        for (const struct column *c = pane->columns; c < pane->columns + pane->column_count; c++) {
            page_item(p, c->id, c->title);
            sentence(p, c->help);
        }
    }
}

/* ---- the list of tables ------------------------------------------------------------------------------ */

bool manual_table(struct manual_page *p, const char *name, size_t bytes)
{
    static const struct {
        const char *name;
        void (*print)(struct manual_page *p);
    } tables[] = {
        {"commands", commands},
        {"options", options},
        {"metrics", metrics},
        {"keys", keys},
        {"typed", typed_commands},
        {"settings", settings},
        {"roles", roles},
        {"fields", filter_rows},
        {"view-fields", view_fields},
        {"losses", losses},
        {"signs", signs},
        {"columns", columns},
        {"exit-status", exit_status},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strlen(tables[i].name) == bytes && memcmp(tables[i].name, name, bytes) == 0)
            return tables[i].print(p), true;
    return false;
}
