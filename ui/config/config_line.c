/* Where the configuration and the command line meet: what the line says counts, and what it does
 * not say is as the file has it. */
#include "ui/config/config.h"

#include "src/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_word(struct settings *s, const char *key, const char *word)
{
    if (word)
        setting_read(setting_find("ui", key), s, word, NULL);
}

static void meet_screen(struct settings *s, struct options *o)
{
    if (options_given(o, "interval"))
        s->interval_ns = o->interval_ns;
    else
        o->interval_ns = s->interval_ns;
    take_word(s, "theme", o->theme);
    take_word(s, "color", o->color);
    s->has_mouse &= !o->no_mouse;
    s->is_ascii |= o->ascii;
    o->readonly = s->is_readonly |= o->readonly;
}

void config_meet(struct config *c, struct options *o, unsigned id)
{
    struct settings *const s = &c->settings;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *const row = &settings_table[i];
        const char *const value = (const char *)s + row->offset;
        const bool has_own = row->option && strcmp(row->option, "symbols") == 0 &&
                             getenv("_NT_SYMBOL_PATH"); /* said for this shell: comes before */
        if (row->option && *value && !has_own)
            options_preset(o, id, row->option, value, NULL);
    }
    if (o->no_symbols)
        s->has_symbols = false;
    o->no_symbols = !s->has_symbols;
    if (id == SUBCOMMAND_LIVE || id == SUBCOMMAND_REPLAY)
        meet_screen(s, o);
}

void config_meet_spans(struct config *c, struct options *o, unsigned id)
{
    for (unsigned i = 0; i < c->spans.count; i++) {
        struct err err;
        if (!options_add(o, id, "span", c->spans.at[i].value, &err))
            config_warn(c, c->spans.at[i].line, "%s", err.text);
    }
}
